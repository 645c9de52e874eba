"""Many short rows, which are processed side by side."""

import itertools

import numpy as np
import pytest
import scipy.special

import nbgraph as ng
from nbgraph.errors import LabelError
from tests import worlds

ROWS = 300  # more than are processed together
VALUES = {
    "sum": (ng.sum, np.sum),
    "mean": (ng.mean, np.mean),
    "max": (ng.max, np.max),
    "min": (ng.min, np.min),
    "prod": (ng.prod, np.prod),
    "std": (ng.std, np.std),
    "norm": (ng.vector_norm, lambda x, axis: np.linalg.norm(x, axis=axis)),
    "logsumexp": (ng.logsumexp, scipy.special.logsumexp),
    "softmax": (ng.softmax, scipy.special.softmax),
    "log_softmax": (ng.log_softmax, scipy.special.log_softmax),
}
TOLERANCE = {"float16": 4e-3, "float32": 3e-6, "float64": 1e-14}


def numbers(shape, dtype="float32", seed=0):
    return np.random.default_rng(seed).normal(size=shape).astype(dtype)


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("name", VALUES)
def test_values_are_those_of_numpy(name, dtype):
    ours, numpys = VALUES[name]
    for length in (1, 2, 3, 5, 8, 16, 31, 32):
        x = numbers((ROWS, length), dtype)
        wanted = numpys(x.astype("float64"), axis=1)
        views = np.stack([x, x], 2)[..., 0], np.asfortranarray(x), x[::-1, ::-1][::-1, ::-1]
        for a in (x, *views):
            got = ours(a, axis=1)
            np.testing.assert_allclose(got, wanted, TOLERANCE[dtype], TOLERANCE[dtype])
            assert worlds.bits(got) == worlds.bits(ours(x, axis=1))


@pytest.mark.parametrize("name", VALUES)
def test_every_world_has_the_same_bits(name):
    ours, _ = VALUES[name]
    for shape, axis in (((ROWS, 3), 1), ((40, 20, 8), 2), ((5, 70, 6), (0, 2)), ((3, 4, 90), 1)):
        if name in ("softmax", "log_softmax") and isinstance(axis, tuple):
            continue
        x = numbers(shape)
        wanted = worlds.bits(ours(x, axis=axis))
        for world in worlds.WORLDS:
            assert worlds.bits(world(lambda a, axis=axis: ours(a, axis=axis), x)) == wanted, world


@pytest.mark.parametrize("axis", [(0, 2), (1, 2), (0, 1), 0, 2])
def test_rows_over_several_axes(axis):
    x = numbers((5, 70, 6), "float64")
    np.testing.assert_allclose(ng.sum(x, axis=axis), x.sum(axis), 1e-12)
    np.testing.assert_allclose(ng.max(x, axis=axis), x.max(axis))
    np.testing.assert_allclose(ng.std(x, axis=axis), x.std(axis))


def test_special_values():
    x = numbers((ROWS, 4))
    x[3, 1], x[5], x[7, :2], x[9] = np.nan, -np.inf, (np.inf, -np.inf), -0.0
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(ng.max(x, axis=1), x.max(1))
        np.testing.assert_array_equal(ng.sum(x, axis=1)[[3, 5, 7]], x.sum(1)[[3, 5, 7]])
        np.testing.assert_array_equal(ng.logsumexp(x, axis=1)[[3, 5]], [np.nan, -np.inf])


@pytest.mark.parametrize(
    "dtype", ["float16", "float32", "float64", "int8", "uint32", "int64", "bool"]
)
def test_places_of_extremes(dtype):
    """The first of equal ones, or of NaN."""
    rng = np.random.default_rng(4)
    for rows, length in itertools.product((15, 16, 511, 513), (1, 2, 5, 16, 17)):
        x = rng.integers(0, 3, (rows, length)).astype(dtype)
        if x.dtype.kind == "f":
            x[rng.random(x.shape) < 0.1] = np.nan
            x[rng.random(x.shape) < 0.1] = -0.0
        for ours, numpys in ((ng.argmax, np.argmax), (ng.argmin, np.argmin)):
            for a in (x, x[:, ::-1]):
                np.testing.assert_array_equal(ours(ng.array(a), axis=1).asnumpy(), numpys(a, 1))


@pytest.mark.parametrize("length", [2, 7, 16])
def test_gradients(length):
    """Also those that are added to, and of rows with labels and weights."""
    x, weight = numbers((ROWS, length), "float64"), numbers((ROWS, length), "float64", 1)
    labels = np.arange(ROWS) % length
    share = scipy.special.softmax(x, 1)
    a = ng.array(x)
    a.attach_grad(grad_req="add")
    for _ in range(2):
        with ng.autograd.record():
            loss = ng.sum(ng.softmax(a) * weight)
            loss = loss + ng.sum(ng.cross_entropy(a, labels, reduction="none"))
        loss.backward()
    slope = share * (weight - (share * weight).sum(1, keepdims=True)) + share
    slope[range(ROWS), labels] -= 1
    np.testing.assert_allclose(a.grad.asnumpy(), 2 * slope, 1e-10, 1e-12)


def test_a_bad_label_is_named():
    labels = np.zeros(ROWS, "int64")
    labels[270] = 3
    with pytest.raises(LabelError, match=r"label\[270\] is 3"):
        ng.cross_entropy(numbers((ROWS, 3)), labels)


def test_many_rows_are_shared_by_threads():
    x = numbers((200_000, 2), "float64")
    np.testing.assert_allclose(ng.sum(ng.array(x), axis=1).asnumpy(), x.sum(1), 1e-14, 1e-14)
    np.testing.assert_allclose(
        ng.softmax(ng.array(x), axis=1).asnumpy(), scipy.special.softmax(x, 1), 1e-13
    )
