"""Derivatives of functions of Dask arrays, block by block."""

import dask
import dask.array as da
import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import ArgumentError, ShapeError
from tests.blocks.lazily import Sink, counted, lazy, most_memory, never


@ng.op
def huber(x, *, sigma=1.0):
    return 0.5 * x * x if abs(x) < sigma else sigma * (abs(x) - 0.5 * sigma)


RNG = np.random.default_rng(0)
X = RNG.normal(size=(12, 5)).astype("float32")
Y = RNG.normal(size=12).astype("float32")
W = RNG.normal(size=5).astype("float32")

LOSSES = {
    "sum": ng.sum,
    "mean of an op": lambda x: ng.mean(huber(x, sigma=0.5)),
    "two uses": lambda x: ng.sum(x * ng.exp(x)) + ng.mean(x),
    "broadcast": lambda x: ng.sum(x * x[:1]),
    "part": lambda x: ng.mean(ng.exp(x[1:9:2, 1:])),
    "softmax": lambda x: ng.sum(ng.softmax(x, axis=1) * x),
    "logsumexp": ng.logsumexp,
    "std": lambda x: ng.sum(ng.std(x, axis=0)),
    "norm": ng.norm,
    "max": lambda x: ng.sum(ng.max(x, axis=1)),
    "prod": lambda x: ng.sum(ng.prod(x, axis=1)),
    "product": lambda x: ng.sum(ng.transpose(x) @ x),
    "cumsum": lambda x: ng.sum(ng.cumsum(x, axis=0) ** 2),
    "layer_norm": lambda x: ng.sum(ng.layer_norm(x, W, W) ** 2),
    "joined": lambda x: ng.sum(ng.concatenate([x, 2 * x]) ** 2),
    "uniform": lambda x: ng.sum(ng.ones((12, 5)) * x) + ng.sum(ng.zeros_like(x)),
    "integers": lambda x: ng.sum(x * ng.argsort(ng.arange(5))),
}


@pytest.mark.parametrize("name", LOSSES)
def test_gradients_are_those_of_ndarrays(name):
    """As Dask arrays, with the chunks of what is differentiated."""
    loss = LOSSES[name]
    value, gradient = ng.value_and_grad(loss)(lazy(X, (4, 2)))
    wanted, slope = ng.value_and_grad(loss)(ng.array(X))
    assert type(value) is type(gradient) is da.Array
    assert (value.shape, value.dtype) == ((), wanted.dtype)
    assert (gradient.chunks, gradient.dtype) == (lazy(X, (4, 2)).chunks, "float32")
    value, gradient = dask.compute(value, gradient)
    np.testing.assert_allclose(value, wanted.asnumpy(), rtol=1e-6, atol=1e-6)
    slope = slope.asnumpy()
    most = max(1, np.abs(slope).max())  # sums of such numbers are exact to that
    np.testing.assert_allclose(gradient, slope, rtol=1e-5, atol=1e-6 * most)


def regression(parameters, x, y):
    """With an array, a Python float and one that is not used."""
    away = ng.sum(x * parameters["w"], axis=1) + parameters["b"] - y
    return ng.mean(huber(away))


@pytest.mark.parametrize("make", [np.asarray, ng.array], ids=["NumPy", "NDArray"])
def test_gradients_of_parameters_are_sums_over_blocks(make):
    """In the structure of the parameters; a parameter that is not used has zeros."""
    parameters = {"w": make(W), "b": 0.5, "unused": make(Y[:2])}
    derived = ng.value_and_grad(regression)
    value, gradients = dask.compute(*derived(parameters, lazy(X, (4, 2)), lazy(Y, 4)))
    wanted, slopes = derived(parameters, ng.array(X), ng.array(Y))
    np.testing.assert_allclose(value, wanted.asnumpy(), rtol=1e-6)
    assert list(gradients) == ["w", "b", "unused"]
    for key, gradient in gradients.items():
        np.testing.assert_allclose(gradient, slopes[key].asnumpy(), rtol=1e-5, atol=1e-7)


def test_sums_over_blocks_have_one_order():
    gradient = ng.grad(regression)({"w": W, "b": 0.5}, lazy(X, (3, 2)), lazy(Y, 3))["w"]
    alone = gradient.compute(scheduler="synchronous").tobytes()
    assert gradient.compute(scheduler="threads").tobytes() == alone


def test_a_matrix_times_parameters():
    """The contraction goes across blocks, of the data forward, of the samples backward."""

    def loss(w, x, y):
        return ng.mean((x @ w - y) ** 2)

    made = dask.compute(*ng.value_and_grad(loss, argnums=(0, 1))(W, lazy(X, (4, 2)), lazy(Y, 4)))
    wanted = ng.value_and_grad(loss, argnums=(0, 1))(W, ng.array(X), ng.array(Y))
    for a, b in zip((made[0], *made[1]), (wanted[0], *wanted[1]), strict=True):
        np.testing.assert_allclose(a, b.asnumpy(), rtol=1e-5, atol=1e-6)


def test_rows_in_one_block_have_the_bits_of_the_whole():
    """Kernels of row operators run on blocks of whole rows."""
    labels = np.arange(12) % 5

    def loss(x):
        return ng.cross_entropy(x, labels)

    value, gradient = dask.compute(*ng.value_and_grad(loss)(lazy(X, (4, -1))))
    wanted, slope = ng.value_and_grad(loss)(ng.array(X))
    np.testing.assert_allclose(value, wanted.asnumpy(), rtol=1e-6)
    assert gradient.tobytes() == slope.asnumpy().tobytes()


def test_a_module_is_trained_on_dask_arrays():
    """Its parameters are read at the call."""
    net = ng.nn.Dense(1)
    net(ng.array(X))

    def loss(net, x, y):
        return ng.mean((net(x)[:, 0] - y) ** 2)

    value, gradients = ng.value_and_grad(loss)(net, lazy(X, (4, -1)), lazy(Y, 4))
    wanted, slopes = ng.value_and_grad(loss)(net, ng.array(X), ng.array(Y))
    value, gradients = dask.compute(value, gradients)
    np.testing.assert_allclose(value, wanted.asnumpy(), rtol=1e-6)
    for key, gradient in gradients.items():
        np.testing.assert_allclose(gradient, slopes[key].asnumpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("wrap", [lambda f: f, ng.jit], ids=["function", "jit"])
def test_has_aux(wrap):
    value, (gradient, other) = 0, (0, 0)
    f = wrap(lambda x: (ng.sum(x * x), {"n": x * 2}))
    (value, other), gradient = ng.value_and_grad(f, has_aux=True)(lazy(X))
    assert np.array_equal(other["n"].compute(), 2 * X)
    assert np.array_equal(gradient.compute(), 2 * X)
    assert np.isclose(value.compute(), (X * X).sum())


def test_second_derivatives_nest():
    x = lazy(X)
    twice = ng.grad(lambda v: ng.sum(ng.grad(lambda u: ng.sum(ng.exp(2 * u)))(v)))(x)
    np.testing.assert_allclose(twice.compute(), 4 * np.exp(2 * X), rtol=1e-5)


def test_hessian_of_few_parameters():
    made = ng.hessian(lambda w, x: ng.mean(ng.exp(ng.sum(x * w, axis=1))))(W, lazy(X, (4, 2)))
    wanted = ng.hessian(lambda w, x: ng.mean(ng.exp(ng.sum(x * w, axis=1))))(W, ng.array(X))
    np.testing.assert_allclose(made.compute(), wanted.asnumpy(), rtol=1e-4)


def test_linear_maps():
    x, direction = lazy(X), lazy(Y[:, None] * X)
    out, pull = ng.vjp(ng.sin, x)
    (back,) = pull(direction)
    _, forward = ng.jvp(ng.sin, (x,), (direction,))
    assert {type(v) for v in (out, back, forward)} == {da.Array}
    for made in (back, forward):
        np.testing.assert_allclose(made.compute(), np.cos(X) * Y[:, None] * X, rtol=1e-5)


# functions that are traced ----------------------------------------------------------------------


def test_jit_is_lazy():
    made = ng.jit(lambda x, scale: {"exp": ng.exp(x) * scale, "scale": scale})(lazy(X), 2.0)
    assert made["scale"] == 2.0
    np.testing.assert_allclose(made["exp"].compute(), 2 * np.exp(X), rtol=1e-6)


def test_dask_arrays_may_be_found_outside():
    """By ng.jit; a function that is not traced says so."""
    x = lazy(X, (4, 2))

    def loss(w):
        return ng.mean((x * w) ** 2)

    value, gradient = dask.compute(*ng.value_and_grad(ng.jit(loss))(ng.array(W)))
    assert np.isclose(value, ((X * W) ** 2).mean())
    np.testing.assert_allclose(gradient, (2 * X * X * W).sum(0) / X.size, rtol=1e-5)
    with pytest.raises(ArgumentError, match=r"Dask array.*as an argument.*ng\.jit"):
        ng.grad(lambda w: ng.sum(ng.multiply(w, x)))(ng.array(W))
    with pytest.raises(ArgumentError, match=r"gives a Dask array.*as arguments.*ng\.jit"):
        ng.grad(lambda w: ng.sum(ng.exp(x)))(ng.array(W))


REFUSED = {
    "unknown sizes": (ng.sum, lambda x: x[x[:, 0] > 0], ShapeError, "compute_chunk_sizes"),
    "not one element": (lambda x: x * 2, lambda x: x, ShapeError, "one element"),
    "draws": (lambda x: ng.sum(ng.dropout(x, 0.5)), lambda x: x, ArgumentError, r"compute\(\)"),
    "integers": (ng.sum, lambda x: x.astype("int32"), ArgumentError, "floating dtype"),
    "whole lines": (lambda x: ng.sum(ng.sort(x, axis=0)), lambda x: x, ArgumentError, "rechunk"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_names_the_remedy(name):
    loss, given, kind, text = REFUSED[name]
    with pytest.raises(kind, match=text):
        ng.value_and_grad(loss)(given(never(X)))


# memory -----------------------------------------------------------------------------------------

BOUNDED = {
    "mean": lambda x, w: ng.mean(ng.log1p(ng.exp(x * w))),
    "product": lambda x, w: ng.mean((x @ w - 1.0) ** 2),
    "softmax": lambda x, w: -ng.mean(ng.log_softmax(x * w, axis=1)[:, 0]),
}


@pytest.mark.parametrize("name", BOUNDED)
def test_memory_is_bounded_by_blocks(name):
    """24 blocks, each made once; a few at a time, while value, gradients and the written gradient
    of the data are computed together."""
    x, made = counted(24, 1 << 15, 4)
    value, (by_x, by_w) = ng.value_and_grad(BOUNDED[name], argnums=(0, 1))(x, np.ones(4, "float32"))
    assert not made

    def run():
        sink = Sink(by_x)
        written = da.store(by_x, sink, compute=False, lock=False)
        dask.compute(value, by_w, written, scheduler="synchronous")
        assert sink.written == x.size

    assert most_memory(run) < x.nbytes / 2
    assert sorted(made) == sorted([*range(24)] * 2)


@pytest.mark.parametrize("name", ["sum", "std", "logsumexp", "norm", "argmax"])
def test_reductions_need_few_blocks_at_a_time(name):
    """A total that is made of another reads the blocks again rather than keep them."""
    x, _ = counted(24, 1 << 15, 4)
    made = getattr(ng, name)(x, axis=None if name == "norm" else 0)
    assert most_memory(lambda: made.compute(scheduler="synchronous")) < x.nbytes / 2
