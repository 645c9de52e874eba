"""Draws by kernels: the same numbers as NumPy's, on the host and on GPUs, whatever is asked for."""

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.array import apply_array_op
from nbgraph.operator.call import call
from nbgraph.ops.draws.dropout import dropout, rrelu
from tests.array.gpu import GPU, hurried

DEVICES = [ng.cpu(), GPU]
FLOATS = ["float32", "float64", "float16", "bfloat16"]
X = np.linspace(-2, 2, 5 * 1234).reshape(5, 1234)


def bits(array):
    return np.asarray(array.asnumpy() if isinstance(array, ng.NDArray) else array).tobytes()


def numbers(device, seed):
    """Draws of all kinds, one after the other."""
    ng.random.seed(seed)
    own = np.random.default_rng(seed)
    made = [
        ng.random.uniform(size=(3, 5), device=device),
        ng.random.normal(2, 0.5, size=3001, device=device),
        ng.random.gumbel(2, 0.5, size=1001, dtype="float64", device=device),
        ng.random.laplace(size=7, device=device),
        ng.random.geometric(0.2, size=1001, device=device),
        ng.random.integers(-5, 6, size=999, dtype="int16", device=device),
        ng.random.integers(2**64 - 9, size=999, dtype="uint64", device=device),
        ng.random.poisson(3, size=7, device=device),
        ng.random.poisson(30, size=7, dtype="int32", device=device),
        ng.random.gamma(0.5, 2, size=7, device=device),
        ng.random.uniform(-1, 3, size=4099, dtype="float64", device=device),
        ng.random.uniform(2, 3, size=33, dtype="float16", device=device),
        ng.random.uniform(size=33, dtype="bfloat16", device=device, rng=own),
        ng.random.bernoulli(0.3, size=1001, device=device, rng=own),
        ng.random.bernoulli(0.6, size=9, dtype="float16", device=device),
        ng.random.bernoulli(0.6, size=9, dtype="int64", device=device, rng=5),
        ng.random.uniform(size=0, device=device),
        ng.random.random((2, 2), device=device),
    ]
    assert all(each.device == device for each in made)
    with ng.autograd.train_mode():
        for dtype in FLOATS:
            x = ng.array(X, device=device).astype(dtype)
            made += [ng.dropout(x, 0.3), ng.dropout(x[:, ::3], 0.5, rng=own), ng.rrelu(x)]
    return [*made, ng.dropout(x, 0.3), ng.rrelu(x), own.random()]


def test_one_seed_gives_the_same_numbers_on_all_devices():
    """X-NDA-08, MSP-01: kernels and what NumPy draws take turns on one stream."""
    with hurried(3):
        found, wanted = ([bits(a) for a in numbers(device, 11)] for device in (GPU, ng.cpu()))
    assert found == wanted
    assert [bits(a) for a in numbers(ng.cpu(), 12)] != wanted


def test_quick_draws_are_those_of_the_general_way():
    """X-NDA-08: the next draw, whoever pushes it: a route, another engine, an open bulk."""

    def numbers():
        ng.random.seed(3)
        drawn = [ng.random.normal(1, 2, size=(2, 3)) for _ in range(4)]
        with ng.engine.bulk(4):
            drawn += [ng.random.normal(1, 2, size=(2, 3)), ng.random.uniform(size=5)]
        with ng.autograd.train_mode():
            drawn += [ng.dropout(ng.ones((4, 5)), 0.5) for _ in range(3)]
        return [bits(a) for a in drawn]

    wanted = numbers()
    assert len(set(wanted)) == len(wanted)
    assert numbers() == wanted
    with ng.config(engine="naive"):
        assert numbers() == wanted


def test_arrays_get_the_numbers_of_numpy():
    """NumPy arrays and calls outside of kernels are the specification."""
    with ng.autograd.train_mode():
        for dtype in FLOATS:
            x = X.astype(ng.array(X).astype(dtype).dtype)
            for f in (ng.dropout, ng.rrelu):
                assert bits(f(ng.array(x), rng=3)) == bits(f(x, rng=3)), (f, dtype)
    generator = np.random.Philox(key=np.random.default_rng(5).integers(0, 1 << 64, 2, np.uint64))
    wanted = np.random.Generator(generator).random(1000)
    assert bits(ng.random.uniform(size=1000, dtype="float64", rng=5)) == bits(wanted)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("op", [dropout.op, rrelu.op], ids=lambda op: op.__name__)
def test_requests_and_places(op, device):
    """Results that are added to, left out, or lie in pieces."""
    x = ng.array(X.astype("float32"), device=device)
    attributes = {"p": 0.25} if op is dropout.op else {"lower": 0.1, "upper": 0.5}
    attributes["rng"] = 4

    def into(requests, outs):
        with ng.autograd.train_mode():
            apply_array_op.apply(op, (x,), attributes, outs, [ng.OpReqType[q] for q in requests])
        return [out.asnumpy() for out in outs]

    def empty(value):
        return [ng.full(x.shape, value, "float32", device=device) for _ in range(2)]

    plain = into(["kWriteTo"] * 2, empty(7))
    np.testing.assert_array_equal(plain[0], x.asnumpy() * plain[1])
    added = into(["kAddTo", "kNullOp"], empty(7))
    np.testing.assert_array_equal(added[0], 7 + plain[0])
    assert (added[1] == 7).all()
    assert [(a == 7).all() for a in into(["kNullOp"] * 2, empty(7))] == [True, True]
    wide = ng.zeros((5, 2 * 1234), device=device)
    into(["kWriteTo", "kNullOp"], [wide[:, ::2], ng.zeros(x.shape, device=device)])
    np.testing.assert_array_equal(wide.asnumpy()[:, ::2], plain[0])
    assert not wide.asnumpy()[:, 1::2].any()


def test_vectors_need_places_that_suit():
    """An array that begins at no multiple of 16 bytes is drawn for by single elements."""
    made = []
    for first in (0, 1, 3):
        held = ng.zeros(1000 + first, device=GPU)
        call(ng.random.uniform.op, (), ASKED, held[first:])
        made.append(bits(held[first:]))
        assert not held[:first].asnumpy().any()
    assert made[0] == made[1] == made[2]


ASKED = {
    "parameters": (0, 1),
    "size": (1000,),
    "dtype": np.dtype("float32"),
    "device": None,
    "rng": 8,
}


def test_what_a_kernel_draws_is_not_made_on_the_host(monkeypatch):
    """What is drawn of words that elements own; what NumPy draws is made there, and copied."""
    made = []
    monkeypatch.setattr(
        apply_array_op,
        "copy_of",
        lambda a, *k, copy=apply_array_op.copy_of, **o: made.append(a) or copy(a, *k, **o),
    )
    ng.random.uniform(size=5, device=GPU)
    ng.random.bernoulli(0.5, size=5, device=GPU)
    ng.random.normal(size=5, device=GPU)
    ng.random.integers(4, size=5, device=GPU)
    assert not made
    ng.random.beta(1, 2, size=5, device=GPU)
    assert len(made) == 1


def test_a_gradient_drops_the_same_there():
    x = ng.array(X.astype("float32"), device=GPU)
    x.attach_grad()
    with ng.autograd.record():
        y = ng.dropout(x, 0.5)
        z = ng.rrelu(y)
    z.backward()
    np.testing.assert_allclose((x.grad * x).asnumpy(), z.asnumpy(), rtol=1e-6)
    dropped = (x.grad == 0).asnumpy().mean()
    assert 0.45 < dropped < 0.55
