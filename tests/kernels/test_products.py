"""Which calls of BLAS products come down to, and into which tiles they are cut."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nbgraph.kernels.products import axes as products
from nbgraph.kernels.products.axes import arrange

EXTENT = st.integers(1, 3000)


def steps(array, labels):
    return dict(zip(labels, array.strides, strict=True))


def call(m, n, k, *, left="ik", right="kj", out="ij", batch=()):
    """The call for row-major float32 arrays whose axes have these labels."""
    sizes = {"i": m, "j": n, "k": k, **dict(batch)}
    arrays = [np.empty([sizes[c] for c in own], "f4") for own in (left, right, out)]
    return arrange(sizes, [steps(a, own) for a, own in zip(arrays, (left, right, out))], 4)


@pytest.mark.parametrize(
    ("left", "right", "out", "forms", "first"),
    [
        ("ik", "kj", "ij", "NN", 1),
        ("ki", "kj", "ij", "NT", 1),
        ("ik", "jk", "ij", "TN", 1),
        ("ki", "jk", "ij", "TT", 1),
        ("ik", "kj", "ji", "TT", 0),
        ("ki", "jk", "ji", "NN", 0),
    ],
)
def test_forms(left, right, out, forms, first):
    """MTE-03: BLAS counts down columns; row-major arrays are transposes, and need no copies."""
    found = call(20, 30, 40, left=left, right=right, out=out)
    assert (found.forms, found.first, found.vector) == (forms, first, False)


def test_vectors_and_batches():
    """MTE-02: one column is gemv; what broadcasts beside rows makes more rows."""
    assert call(20, 1, 40).vector
    assert call(1, 30, 40).vector
    found = call(20, 30, 40, left="bik", out="bij", batch=[("b", 7)])
    assert (found.v.extent, found.outer) == (140, ())
    found = call(20, 30, 40, left="bik", right="bkj", out="bij", batch=[("b", 7)])
    assert (found.v.extent, found.products) == (20, 7)


def test_what_blas_has_no_words_for():
    """MTE-02: two far axes that are summed, steps backwards, rows that overlap, no elements."""
    sizes = {"i": 4, "j": 5, "k": 6, "l": 7}
    a, b, out = np.empty((4, 6, 7), "f4"), np.empty((7, 6, 5), "f4"), np.empty((4, 5), "f4")
    arrays = [steps(a, "ikl"), steps(b, "lkj"), steps(out, "ij")]
    assert arrange(sizes, arrays, 4) is None
    square = steps(np.empty((5, 5), "f4"), "ik"), {"k": 20, "j": 4}, {"i": 20, "j": 4}
    sizes = dict.fromkeys("ijk", 5)
    assert arrange(sizes, square, 4) is not None
    for bad in ({"i": -20, "k": 4}, {"i": 4, "k": 4}, {"i": 22, "k": 4}, {"i": 40, "k": 8}):
        assert arrange(sizes, [bad, *square[1:]], 4) is None
    assert arrange({**sizes, "k": 0}, square, 4) is None


@pytest.fixture
def _three_cores(monkeypatch):
    monkeypatch.setattr(products, "CORES", 3)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@pytest.mark.usefixtures("_three_cores")
@given(EXTENT, EXTENT, EXTENT)
def test_tiles(m, n, k):
    """MTE-02: equal parts that cover the result, none empty: of a size worth a call, and so many
    that each core has one."""
    found = call(m, n, k)
    for axis, tile, count in zip((found.u, found.v), found.tile, found.tiles, strict=True):
        assert (count - 1) * tile < axis.extent <= count * tile
    if not found.vector:
        parts = found.tiles[0] * found.tiles[1]
        assert parts == 1 or m * n / parts >= products.LEAST / 2
        worth = m * n * k // products.WORTH
        assert parts >= min(3, m * n // products.LEAST, worth)
    assert found.cost(4) > 0
