"""Complex numbers on a GPU: linear operators, products, copies and places, by real kernels."""

import warnings

import numpy as np
import pytest

import nbgraph as ng
from tests.array.gpu import GPU

PLACES = np.array([2, 0, 2])
CALLS = {
    "sum": lambda a, b: ng.sum(a, 0),
    "sum in another dtype": lambda a, b: ng.sum(ng.real(a), dtype="complex128"),
    "sum of real parts": lambda a, b: ng.sum(a, dtype="float64"),
    "mean": lambda a, b: ng.mean(a, 1, keepdims=True),
    "cumsum": lambda a, b: ng.cumsum(a, 1),
    "matmul": lambda a, b: a @ b.T,
    "dot with real": lambda a, b: ng.dot(ng.real(a), b.T),
    "dot of real": lambda a, b: ng.dot(a, ng.imag(b).T),
    "inner": ng.inner,
    "einsum of one": lambda a, b: (ng.einsum("ij->j", a), ng.einsum("jj->", a[:, :3])),
    "einsum of two": lambda a, b: ng.einsum("ij,kj->ik", a, b),
    "take": lambda a, b: ng.take(a, PLACES, 0),
    "gather": lambda a, b: a[PLACES, 1],
    "take_along_axis": lambda a, b: ng.take_along_axis(a, PLACES[:, None], 1),
    "scatter_add": lambda a, b: ng.scatter_add(a, PLACES, shape=(4, 4), key=("array",)),
    "index_add": lambda a, b: ng.index_add(a, b, PLACES, key=("array",)),
    "tril": lambda a, b: ng.tril(a),
    "concatenate": lambda a, b: ng.concatenate([a, b]),
    "pad": lambda a, b: ng.pad(a, 1, constant_values=2 + 1j),
    "flip": lambda a, b: ng.flip(a),
    "zeros": lambda a, b: (ng.zeros_like(a), ng.full_like(a, 1 - 2j)),
    "to real": lambda a, b: a.astype("float32"),
    "to bool": lambda a, b: (a.astype("bool"), ng.any(a, 0), ng.count_nonzero(a)),
    "from real": lambda a, b: ng.imag(a).astype("complex128"),
    "wider": lambda a, b: a.astype("complex128"),
}


def operands(dtype, device):
    rng = np.random.default_rng(3)
    a, b = (rng.normal(size=(2, 3, 4)) + 1j * rng.normal(size=(2, 3, 4))).astype(dtype)
    a[1, 1], a[2, 2], a[0, :] = 0, 1j, [0, 1, 2j, 0]
    return ng.array(a, device=device), ng.array(b, device=device)


@pytest.mark.everyday(1 / 2)
@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("kind", ["eager", "graph"])
def test_values_are_those_of_the_host(kind, dtype, name):
    """SMP-24."""
    run = ng.jit(CALLS[name]) if kind == "graph" else CALLS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", np.exceptions.ComplexWarning)
        found, wanted = (run(*operands(dtype, device)) for device in (GPU, ng.cpu()))
    pairs = zip(found, wanted, strict=True) if type(found) is tuple else [(found, wanted)]
    for x, y in pairs:
        assert x.device == GPU and x.dtype == y.dtype and x.shape == y.shape
        np.testing.assert_allclose(x.asnumpy(), y.asnumpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_they_are_written(dtype):
    """At places, over real numbers, and to `out`."""

    def run(device):
        a, b = operands(dtype, device)
        real, truths = ng.zeros((3, 4), device=device), ng.zeros((3, 4), "bool", device=device)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", np.exceptions.ComplexWarning)
            real[...], real[0], truths[...] = a, b[1], a
            real[[1, 2]] = b[0]
            real.wait_to_read()  # NumPy warns in a thread of the engine
        c = a.copy()
        c[[0, 2]], c[:, [1]], c[c == 0] = b[1], 3j, 7
        c[1:, 0] = real[0, 0]
        ng.copy(b, out=a)
        return real, truths, c, a

    for found, wanted in zip(run(GPU), run(ng.cpu()), strict=True):
        np.testing.assert_array_equal(found.asnumpy(), wanted.asnumpy())


@pytest.mark.parametrize("name", ["argmax", "max", "prod", "cumprod", "cumargmax", "places"])
def test_what_has_no_form_is_refused(name):
    x, _ = operands("complex64", GPU)
    run = getattr(ng, name, lambda x: ng.searchsorted(x[0], x[1]))
    with pytest.raises(ng.DeviceError, match="there is no GPU form of it"):
        run(x)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: x + ng.arange(4),
        lambda x: x * ng.linspace(0, 1, 4)[::-1],
        lambda x: x @ ng.eye(4, k=1),
        lambda x: x + ng.tri(3, 4),
        lambda x: ng.arange(2, 6, dtype="int8"),
    ],
)
def test_ranges_in_graphs_are_constants(call):
    """Operators without operands are computed on the host, once."""
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    run = ng.jit(lambda x: (call(x), x))
    for _ in range(2):
        found, wanted = (run(ng.array(x, device=device))[0] for device in (GPU, ng.cpu()))
        assert found.device == GPU and found.dtype == wanted.dtype
        np.testing.assert_allclose(found.asnumpy(), wanted.asnumpy(), rtol=1e-6)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "int8", "int64", "bool", "float32"])
@pytest.mark.parametrize("subscripts", ["ij->", "ij->ji", "jj->j", "ij->i"])
def test_einsum_of_one_array_of_any_dtype(subscripts, dtype):
    x = np.random.default_rng(2).integers(-3, 4, (4, 4))
    on = [ng.array(x, device=device).astype(dtype) for device in (GPU, ng.cpu())]
    found, wanted = (ng.einsum(subscripts, x) for x in on)
    assert found.device == GPU and found.dtype == wanted.dtype
    np.testing.assert_array_equal(found.asnumpy(), wanted.asnumpy())
