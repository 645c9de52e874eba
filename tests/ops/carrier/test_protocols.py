"""NumPy's functions on any carrier, and NumPy's arrays beside one."""

import numpy as np
import pytest

import nbgraph as ng
from tests.ops.carrier.double import Double, agree

X = np.arange(6.0).reshape(2, 3) - 2
Y = np.array([[2.0, 0.5, 1.0], [3.0, -1.0, 4.0]])


@pytest.mark.parametrize(
    "use",
    [
        np.sin,
        np.negative,
        lambda v: np.add(v, 1),
        lambda v: np.add(Y, v),
        lambda v: np.multiply(v, Y, dtype="float32", casting="same_kind"),
        lambda v: Y * v,
        lambda v: v - Y,
        lambda v: np.float32(2) * v,
        lambda v: Y.tolist() + v,
        lambda v: Y < v,
        lambda v: Y.T @ v,
        lambda v: np.subtract.outer(v, [1, 2]),
        lambda v: np.subtract.outer([1, 2], v),
        lambda v: np.add.reduce(v, axis=1),
        lambda v: np.maximum.accumulate(v, axis=1),
        lambda v: np.sum(v, axis=0),
        lambda v: np.concatenate([v, Y], axis=1),
        lambda v: np.concatenate([Y, v]),
        lambda v: np.stack([v, Y]),
        lambda v: np.where(v > 0, v, Y),
        lambda v: np.reshape(v, (3, 2)),
        lambda v: np.clip(v, 0, 1),
        lambda v: np.einsum("ij,kj->ik", v, Y),
        lambda v: v.__array_namespace__().tanh(v) if isinstance(v, Double) else np.tanh(v),
    ],
)
def test_functions_of_numpy_stay_with_the_carrier(use):
    """API rule 1: operators of the library are applied, and never is an array of objects made."""
    agree(use(Double(X)), use(X))


def test_ndarrays_beside_another_carrier():
    """API rule 1: the one of the highest priority takes the call, from NumPy's functions, too."""
    a, d = ng.array(X), Double(X)
    for found in (a + d, d + a, np.add(a, d), np.add(d, a)):
        agree(found, X + X, "add")
    agree(np.concatenate([a, d]), np.concatenate([X, X]), "concatenate")


def test_shapes_are_told():
    d = Double(X)
    assert (np.shape(d), np.ndim(d), np.size(d)) == ((2, 3), 2, 6)


@pytest.mark.parametrize(
    ("use", "text"),
    [
        (np.asarray, "np.asarray: a Double has no values; compute it"),
        (lambda d: np.allclose(d, 1), "a Double has no values"),
        (
            np.nanargmax,
            "np.nanargmax: a Double has no values, .* outside of the graph",
        ),
        (np.spacing, "np.spacing: a Double has no values"),
        (lambda d: np.add.at(d, 0, 1), "add.at: this ufunc has no operator for Doubles"),
        (np.subtract.reduce, "subtract.reduce: this ufunc has no operator"),
        (lambda d: np.add(d, 1, casting="never"), "casting='never'"),
        (lambda d: np.add(d, 1, order="F"), "order='F'"),
        (lambda d: np.add(d, 1.5, dtype="int64"), "Cannot cast .* to dtype..int64"),
    ],
)
def test_what_is_not_there_says_what_to_do(use, text):
    """API rule 1: no array of objects, but a TypeError with the remedy."""
    with pytest.raises(TypeError, match=text):
        use(Double(X))


def test_the_namespace_has_a_version():
    with pytest.raises(ValueError, match="version 2999.12 is not there"):
        Double(X).__array_namespace__(api_version="2999.12")
