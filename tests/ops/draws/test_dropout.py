"""X-NDA-08: dropout drops in training alone, and its gradient drops the same elements."""

import numpy as np
import pytest

import nbgraph as ng
from tests.engine.conftest import engine

__all__ = ["engine"]


def test_in_training_elements_are_dropped_and_the_mean_stays(engine):
    x = ng.full((200, 200), 3.0)
    with ng.autograd.train_mode():
        y = ng.dropout(x, 0.25)
    values = y.asnumpy()
    assert set(np.unique(values)) == {0, np.float32(4)}
    assert abs((values == 0).mean() - 0.25) < 0.01
    assert y.dtype == x.dtype


def test_else_it_does_nothing():
    """`is_train` is that of the push."""
    x = ng.arange(6.0)
    assert (ng.dropout(x, 0.9) == x).all()
    with ng.autograd.record(train_mode=False):
        y = ng.dropout(x, 0.9)
        x.attach_grad()
    assert (y == x).all()
    y = ng.dropout(x)
    y += 1
    assert (x == ng.arange(6.0)).all()  # the result is an array of its own


@pytest.mark.parametrize("device", [ng.cpu(), ng.gpu(0)], ids=str)
def test_always(device):
    """Outside of training, too: on arrays, in compiled functions, in graphs read from text."""
    x, ways = ng.ones(400, device=device), []
    ways.append(lambda: ng.Dropout(x, p=0.5, mode="always"))
    compiled = ng.jit(lambda x: ng.dropout(x, always=True))
    ways.append(lambda: compiled(x))
    made = ng.load_json(ng.sym.Dropout(ng.var("x"), mode="always", axes=(1,)).tojson())
    exe = made.simple_bind(device, x=(400, 3))
    ways.append(lambda: exe.forward(is_train=False, x=ng.ones((400, 3), device=device))[0][:, 1])
    for way in ways:
        first, second = way().asnumpy(), way().asnumpy()
        assert set(first) == {0.0, 2.0} and not np.array_equal(first, second)
    if device == ng.cpu():
        assert set(ng.dropout(np.ones(99), always=True)) == {0.0, 2.0}


def test_the_gradient_drops_the_same(engine):
    """The mask is kept, not drawn again."""
    x = ng.arange(1.0, 1001.0)
    x.attach_grad()
    with ng.autograd.record():
        y = ng.dropout(x, 0.5)
        z = ng.dropout(y, 0.1)
    z.backward()
    np.testing.assert_allclose((x.grad * x).asnumpy(), z.asnumpy(), rtol=1e-6)
    assert 300 < np.count_nonzero(z.asnumpy()) < 600


def test_second_derivatives():
    x = ng.arange(1.0, 9.0)
    f = lambda x: (ng.dropout(x, 0.5, rng=3) ** 2).sum()
    with ng.autograd.train_mode():
        mask = ng.dropout(ng.ones(8), 0.5, rng=3).asnumpy()
        found = ng.grad(lambda x: ng.grad(f)(x).sum())(x).asnumpy()
    np.testing.assert_allclose(found, 2 * mask**2, rtol=1e-6)


def test_each_call_drops_others_unless_told():
    """Draws differ; `rng=` and `ng.random.seed` repeat them; NumPy arrays stay NumPy arrays."""
    x = np.ones(100)
    with ng.autograd.train_mode():
        assert not np.array_equal(ng.dropout(x), ng.dropout(x))
        assert np.array_equal(ng.dropout(x, rng=1), ng.dropout(x, rng=1))
        ng.random.seed(4)
        a = ng.dropout(x)
        ng.random.seed(4)
        b = ng.dropout(ng.array(x))
    assert type(a) is np.ndarray
    assert np.array_equal(a, b.asnumpy())


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_probabilities_0_and_1(dtype):
    x = ng.full(5, 2.0, dtype)
    with ng.autograd.train_mode():
        assert (ng.dropout(x, 0) == x).all()
        assert (ng.dropout(x, 1) == 0).all()
        assert ng.dropout(x[::2], 0.5).dtype == dtype
        assert ng.dropout(ng.zeros((0, 3), dtype)).shape == (0, 3)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: ng.dropout(ng.ones(3), 1.5), ValueError, "dropout: p=1.5; expected a probab"),
        (lambda: ng.dropout(ng.ones(3), float("nan")), ValueError, "dropout: p=nan"),
        (lambda: ng.dropout(ng.ones(3), "half"), TypeError, "dropout: p='half'; expected a real"),
        (lambda: ng.dropout(ng.arange(3)), TypeError, "dropout: x has dtype int64"),
        (lambda: ng.dropout(ng.ones(3), rng=1.5), TypeError, "rng=1.5"),
        (lambda: ng.dropout("text"), TypeError, "dropout"),
    ],
)
def test_bad_input(call, error, text):
    with pytest.raises(error) as caught:
        call()
    assert text in str(caught.value)
