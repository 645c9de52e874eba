"""Values that are chosen by values: gradients go where they came from."""

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import ArgumentError, ShapeError

X = np.array([[3.0, 1.0, 3.0], [2.0, 1.0, 5.0]])
FIRST = np.array([[1, 1, 0], [1, 0, 1]])
CHOOSE = {
    "unique": (ng.unique, FIRST),
    "unique_values": (ng.unique_values, FIRST),
    "unique_counts": (lambda x: ng.unique_counts(x).values, FIRST),
    "unique_inverse": (lambda x: ng.unique_inverse(x).values, FIRST),
    "unique_all": (lambda x: ng.unique_all(x).values, FIRST),
    "extract": (lambda x: ng.extract(x > 1.5, x), X > 1.5),
}


@pytest.mark.parametrize("name", CHOOSE)
def test_gradients_go_to_where_values_came_from(name):
    """To the first of equal ones; of cubes, to second order."""
    choose, where = CHOOSE[name]
    x = ng.array(X)
    np.testing.assert_array_equal(choose(x).asnumpy(), choose(X))
    slope = ng.grad(lambda x: ng.sum(choose(x) ** 3))
    np.testing.assert_allclose(slope(x), 3 * X**2 * where, rtol=1e-12)
    curve = ng.grad(lambda x: ng.sum(slope(x) ** 2))
    np.testing.assert_allclose(curve(x), 36 * X**3 * where, rtol=1e-12)


@pytest.mark.parametrize("dtype", ["float32", "int64"])
def test_worlds_agree(dtype):
    """NumPy arrays and arrays give the same, also of nothing and of NaN."""
    cases = [X.astype(dtype), np.zeros((0,), dtype), np.zeros((2, 0), dtype)]
    if dtype == "float32":
        cases.append(np.array([np.nan, 1, np.nan, -0.0, 0.0], dtype))
    for x in cases:
        np.testing.assert_array_equal(ng.unique(ng.array(x)).asnumpy(), np.unique(x))
        for found, wanted in zip(ng.unique_all(ng.array(x)), ng.unique_all(x), strict=True):
            assert found.shape == wanted.shape and found.dtype == wanted.dtype
            np.testing.assert_array_equal(found.asnumpy(), wanted)


def test_what_has_no_values_is_refused():
    """Symbols have none; conditions have the shape of what they choose from."""
    with pytest.raises(ArgumentError, match="unique: the shape of the result depends on values"):
        ng.unique(ng.var("x", shape=(3,)))
    with pytest.raises(ShapeError, match="extract: condition has shape"):
        ng.extract(ng.array([True, False]), ng.array(X))
