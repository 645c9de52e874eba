"""Windows with gaps, and pools that are told how many places there are to be, by loops in NumPy."""

import itertools

import numpy as np
import pytest

import nbgraph as ng
from nbgraph import nn
from nbgraph.errors import ArgumentError, DTypeError, ShapeError

RNG = np.random.default_rng(4)


def parts(cells, places):
    """The cells of each place: from the last whole number before its share to the next behind."""
    return [
        range(int(np.floor(i * cells / places)), int(np.ceil((i + 1) * cells / places)))
        for i in range(places)
    ]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("places", [(1,), (3,), (7,), (2, 3), (5, 9), (2, 1, 3)])
def test_places_are_made_of_their_shares(places, dtype):
    """OPP-24: the mean and the largest, also of more places than cells, in every world."""
    space = (7, 5, 4)[: len(places)]
    x = RNG.integers(-8, 9, size=(2, 3, *space)).astype(dtype)
    wanted = {"avg": np.zeros((2, 3, *places)), "max": np.zeros((2, 3, *places))}
    own = [list(enumerate(parts(*pair))) for pair in zip(space, places)]
    for chosen in itertools.product(*own):
        at = (..., *(i for i, _ in chosen))
        cells = x[np.ix_(range(2), range(3), *(cells for _, cells in chosen))]
        flat = cells.reshape(2, 3, -1).astype("float64")
        wanted["avg"][at], wanted["max"][at] = flat.mean(-1), flat.max(-1)
    for kind, judge in wanted.items():
        function = getattr(ng, f"adaptive_{kind}_pooling")
        found = function(x, places)
        assert found.dtype == dtype
        rtol = 4e-3 if dtype == "float16" else 1e-5
        np.testing.assert_allclose(found.astype("float64"), judge, rtol=rtol, atol=4 * rtol)
        exe = function(ng.var("x", shape=x.shape, dtype=dtype), places).simple_bind()
        for other in (function(ng.array(x), places), exe.forward(x=x)[0]):
            np.testing.assert_allclose(other.asnumpy(), found, rtol=rtol, atol=rtol)


def test_bad_input():
    """OPP-24: what is given, what was expected."""
    one = ng.nd.contrib.AdaptiveAvgPooling2D(np.ones((1, 1, 3, 4)), output_size=(2,))
    assert one.shape == (1, 1, 2, 2)  # as MXNet takes it
    with pytest.raises(ArgumentError, match="adaptive_avg_pooling: places=0"):
        ng.adaptive_avg_pooling(np.ones((1, 1, 3)), 0)
    with pytest.raises(ArgumentError, match=r"places=\(2, 2\) has 2 number\(s\) for 1 axes"):
        ng.adaptive_max_pooling(np.ones((1, 1, 3)), (2, 2))
    with pytest.raises(ShapeError, match="adaptive_max_pooling: x has shape"):
        ng.adaptive_max_pooling(np.ones((3, 3)), 1)
    with pytest.raises(DTypeError, match="adaptive_avg_pooling: x has dtype int64"):
        ng.adaptive_avg_pooling(np.ones((1, 1, 3), "int64"), 1)
    with pytest.raises(ArgumentError, match="adaptive_avg_pooling: places=0"):
        ng.adaptive_avg_pooling(ng.var("x"), 0).infer_shape(x=(1, 1, 3))


def test_shapes_may_follow_later():
    """OPP-24: a symbol of unknown shape is asked again where its shape is known."""
    pooled = ng.adaptive_avg_pooling(ng.var("x"), 2)
    assert pooled.infer_shape(x=(1, 3, 6))[1] == [(1, 3, 2)]


@pytest.mark.parametrize("gap", [1, 2, (3, 1)])
def test_windows_with_gaps(gap):
    """OPP-24: each element of the window is `dilation` cells from the one before."""
    x = RNG.normal(size=(2, 2, 9, 8))
    down, along = gap if isinstance(gap, tuple) else (gap, gap)
    found = ng.max_pooling(x, (3, 2), stride=1, dilation=gap)
    shape = (9 - 2 * down, 8 - along)
    cells = [
        x[:, :, i * down : i * down + shape[0], j * along : j * along + shape[1]]
        for i, j in np.ndindex(3, 2)
    ]
    np.testing.assert_array_equal(found, np.max(cells, axis=0))
    layer = nn.MaxPool((3, 2), stride=1, dilation=gap)
    np.testing.assert_array_equal(layer(ng.array(x)).asnumpy(), found)
    with pytest.raises(ShapeError, match="does not fit into space"):
        ng.max_pooling(x, 3, dilation=5)
    with pytest.raises(ArgumentError, match="dilation=0"):
        ng.max_pooling(x, 3, dilation=0)


def test_modules_say_more_about_places():
    """OPP-24: as many places as touch the data; a mean that does not count the pad."""
    x = ng.array(RNG.normal(size=(1, 2, 5)))
    found = nn.MaxPool(2, ceil=True)(x).asnumpy()
    np.testing.assert_array_equal(found, ng.max_pooling(x.asnumpy(), 2, ceil=True))
    found = nn.AvgPool(3, stride=2, pad=1, ceil=True, counted=False)(x).asnumpy()
    wanted = ng.avg_pooling(x.asnumpy(), 3, stride=2, pad=1, ceil=True, counted=False)
    np.testing.assert_array_equal(found, wanted)
