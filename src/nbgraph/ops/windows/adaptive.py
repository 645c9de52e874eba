"""Pools with a requested number of places, whatever the space.

Place i of o, along an axis of n cells, covers the cells from i * n / o, rounded down, to (i + 1) *
n / o, rounded up, as in PyTorch. So windows differ in length by at most one, and neighbours may
share a cell. Axes are pooled one after another.
"""

from typing import Any

import numpy as np

from nbgraph.ops.define import Shape, as_known, composed, deferrable, library, require_floats
from nbgraph.ops.windows.windows import per_axis, require_space, spelled
from nbgraph.shape import Array


@composed("x")
@deferrable()
def adaptive_avg_pooling(x: Any, places: Any = 1) -> Any:
    """The mean of each of `places` parts of space, for every channel and image.

    x : array (images, channels, *space), one to three axes of space, floats
    places : int, or one for each axis of space. Parts of n cells begin at i * n // places and end
        at (i + 1) * n / places, rounded up: they may overlap.
    -> array (images, channels, *places)
    ! ShapeError, ArgumentError where these do not fit, DTypeError for integers.
    >>> adaptive_avg_pooling(np.array([[[1.0, 3.0, 5.0, 9.0, 1.0]]]), 2)
    array([[[3., 5.]]])
    """
    x, outs = _read("adaptive_avg_pooling", x, places)
    for axis, count in enumerate(outs, 2):
        if count != x.shape[axis]:
            shares = library.astype(_shares(x.shape[axis], count).T, x.dtype)
            moved = library.matmul(library.swapaxes(x, axis, -1), shares)
            x = library.swapaxes(moved, axis, -1)
    return x


@composed("x")
@deferrable()
def adaptive_max_pooling(x: Any, places: Any) -> Any:
    """The largest value of each of `places` parts of space, as `adaptive_avg_pooling`.

    x : array (images, channels, *space), floats
    places : int, or one for each axis of space
    -> array (images, channels, *places)
    >>> adaptive_max_pooling(np.array([[[1.0, 3.0, 5.0, 9.0, 1.0]]]), 2)
    array([[[5., 9.]]])
    """
    x, outs = _read("adaptive_max_pooling", x, places)
    for axis, count in enumerate(outs, 2):
        if count != x.shape[axis]:
            x = library.max(library.take(x, _cells(x.shape[axis], count), axis), axis + 1)
    return x


def _read(name: str, x: Any, places: Any) -> tuple[Any, Shape]:
    x = as_known(name, x)
    axes = require_space(name, "x", x.shape)
    require_floats(name, x)
    places = places[0] if isinstance(places, (tuple, list)) and len(places) == 1 else places
    return x, spelled(name, "places", per_axis(name, "places", places, 1), axes)


def _bounds(cells: int, places: int) -> tuple[Array, Array]:
    """Return the first cell of each place, and the one after its last."""
    at = np.arange(places)
    return at * cells // places, -(-(at + 1) * cells // places)


def _shares(cells: int, places: int) -> Array:
    """Return the weight of each cell in the mean of each place."""
    first, end = (bound[:, None] for bound in _bounds(cells, places))
    at = np.arange(cells)
    return ((at >= first) & (at < end)) / (end - first)


def _cells(cells: int, places: int) -> Array:
    """Return the cells of each place, a row each; shorter rows repeat their last cell."""
    first, end = _bounds(cells, places)
    steps = np.arange(int((end - first).max(initial=1)))
    return np.minimum(first[:, None] + steps, end[:, None] - 1)
