"""Results whose shape depends on values: on the device, except for the number of elements, which
the host waits for."""

import math
from functools import partial
from typing import Any

import numpy as np

from nbgraph.errors import require_shape
from nbgraph.operator.arrays import device_forms
from nbgraph.operator.arrays.array_op import ArrayOp
from nbgraph.operator.arrays.units import Units, threads
from nbgraph.operator.spec import Spec, Specs
from nbgraph.ops.define import library
from nbgraph.ops.indexing import sets

CHOSEN = ArrayOp(
    "chosen_places",
    lambda flags, ends, *, count: Spec((count,), np.dtype("int64")),
    operands=("flags", "ends"),
)


@device_forms.unit(CHOSEN)
def chosen(operands: Specs, outputs: Specs, *, count: int) -> Units:
    """Return the kernel of the indices of flags; running counts give their positions."""
    return threads(
        "chosen_places",
        {"total": math.prod(operands[0].shape), "count": count},
        {"flags": ("source", "uint8"), "ends": ("number", "int64"), "out": ("y", "int64")},
        "if load(source, i) != 0:",
        "    store(y, load(number, i) - 1, i)",
    )


def _flagged(flags: Any) -> tuple[Any, Any]:
    """Return indices for a vector of flags, and running counts of the flags. Waits."""
    if not math.prod(flags.shape):
        none = library.zeros_like(flags, "int64")
        return none, none
    ends = library.cumulative_sum(flags, axis=0, dtype="int64")
    count = int(library.slice_view(ends, (-1,)).item())
    return CHOSEN(flags, ends, count=count), ends


def _flat(x: Any) -> Any:
    return library.reshape(x, (-1,))


def _true(x: Any) -> Any:
    return _flagged(library.astype(_flat(x), "bool"))[0]


@device_forms.dynamic(np.nonzero)
def nonzero(x: Any) -> tuple[Any, ...]:
    """Return coordinates of nonzero elements, an array per axis."""
    if not x.shape:
        raise ValueError("nonzero: an array of shape () has no axes; give x.reshape(1)")
    return tuple(library.unstack(library.unravel_index(_true(x), tuple(x.shape))))


@device_forms.dynamic(np.argwhere)
def argwhere(x: Any) -> Any:
    """Return coordinates of nonzero elements as rows."""
    if not x.shape:
        return library.zeros_like(x, "int64", shape=(int(bool(x.item())), 0))
    return library.transpose(library.unravel_index(_true(x), tuple(x.shape)))


@device_forms.dynamic(sets.true_places)
def true_places(condition: Any, x: Any) -> tuple[Any, ...]:
    """Return flat indices of the elements that a condition selects."""
    require_shape("extract: condition", condition.shape, x.shape, of="x has")
    return (_true(condition),)


def _groups(x: Any, *, equal_nan: bool) -> tuple[Any, Any, Any]:
    """Return the order of the elements, where values change in it, and running counts of values."""
    flat = _flat(x)
    order = library.argsort(flat)
    known = library.take(flat, order, 0)
    later, earlier = (library.slice_view(known, slice(*b)) for b in ((1, None), (None, -1)))
    differs = library.not_equal(later, earlier)
    if equal_nan and x.dtype.kind in "fV":
        numbers = library.logical_not(library.isnan(earlier))
        differs = library.logical_and(differs, numbers)  # NaN is last: so are all after one
    first = library.ones_like(flat, "bool", shape=(min(1, math.prod(flat.shape)),))
    begins, numbers = _flagged(library.concatenate([first, differs], axis=0))
    return order, begins, numbers


def _counts(begins: Any, total: int) -> Any:
    end = library.full_like(begins, total, shape=(1,))
    ends = library.concatenate([library.slice_view(begins, slice(1, None)), end], axis=0)
    return library.subtract(library.slice_view(ends, slice(None, begins.shape[0])), begins)


def _inverse(x: Any, order: Any, numbers: Any) -> Any:
    nothing = library.zeros_like(order)
    inverse = library.index_update(nothing, library.subtract(numbers, 1), order, key=("array",))
    return library.reshape(inverse, tuple(x.shape))


def _each(x: Any) -> tuple[Any, Any, Any]:
    """Return the first index of each value, each element's value index, and counts."""
    order, begins, numbers = _groups(x, equal_nan=False)
    first = library.take(order, begins, 0)
    return first, _inverse(x, order, numbers), _counts(begins, math.prod(x.shape))


@device_forms.dynamic(sets.all_places)
def all_places(x: Any) -> tuple[Any, ...]:
    """Return the first index of each value twice, each element's value index, and counts."""
    first, *rest = _each(x)
    return first, first, *rest


def _first(x: Any, *, equal_nan: bool) -> tuple[Any, ...]:
    order, begins, _ = _groups(x, equal_nan=equal_nan)
    return (library.take(order, begins, 0),)


device_forms.dynamic(sets.inverse_places)(lambda x: _each(x)[:2])
device_forms.dynamic(sets.count_places)(lambda x: _each(x)[::2])
device_forms.dynamic(sets.first_places)(partial(_first, equal_nan=False))
device_forms.dynamic(sets.first_places_with_nan)(partial(_first, equal_nan=True))
