"""Results whose shape depends on values: nonzero, unique and the like; and membership.

Their shapes cannot be inferred, so they are computed at once. A class of arrays supports them by
`__nbgraph_dynamic__`. If values are returned, the class gets their positions, and takes them by an
operator: so gradients flow to those positions.
"""

from typing import Any, NamedTuple

import numpy as np

from nbgraph.errors import ArgumentError, require_shape
from nbgraph.operator.call import carrier_of, recording
from nbgraph.ops.define import define_rows, is_elsewhere, library
from nbgraph.shape import Array
from nbgraph.signatures import Function


def at_once(name: str, compute: Function, *operands: Any) -> Any:
    """Return the results of a function of NumPy arrays, whose shapes depend on values.

    For other arrays the carrier class is called: its `__nbgraph_dynamic__(name, compute, operands,
    options)` waits for the values, computes, and wraps the results. A class without it is refused.
    """
    carrier: Any = carrier_of(operands)
    if carrier is None:
        return compute(*map(np.asarray, operands))
    hook = getattr(carrier, "__nbgraph_dynamic__", None)
    if hook is None:
        raise ArgumentError(
            f"{name}: the shape of the result depends on values, which a graph does not have; "
            "compute it outside of the graph"
        )
    return hook(name, compute, operands, {})


def chosen(
    name: str, compute: Function, choose: Function, *operands: Any, make: Function | None = None
) -> Any:
    """Like `at_once`, for results that are elements of the last operand.

    `choose` returns their flat indices in that array, and any further results, if derivatives are
    recorded or on devices; `make` combines values and further results, if there are any.
    """
    plain = recording.get() is None and not any(map(is_elsewhere, operands))
    if plain or carrier_of(operands) is None:
        return at_once(name, compute, *operands)
    places, *rest = at_once(name, choose, *operands)
    values = library.take(library.ravel(operands[-1]), places)
    return values if make is None else make(values, *rest)


def true_places(condition: Any, x: Any) -> tuple[Array, ...]:
    """Return the flat indices where a condition of x's shape is true."""
    require_shape("extract: condition", condition.shape, x.shape, of="x has")
    return (np.flatnonzero(condition),)


def extracted(condition: Any, x: Any) -> Array:
    """Return the elements of x where a condition of its shape is true."""
    return x.reshape(-1)[true_places(condition, x)]


# different values -------------------------------------------------------------------------------


class UniqueAll(NamedTuple):
    """Distinct values in order, the first index of each, each element's value index, counts."""

    values: Any
    indices: Any
    inverse_indices: Any
    counts: Any


class UniqueCounts(NamedTuple):
    """Distinct values in order, and counts."""

    values: Any
    counts: Any


class UniqueInverse(NamedTuple):
    """Distinct values in order, and each element's value index."""

    values: Any
    inverse_indices: Any


def _each(x: Any) -> UniqueAll:
    values, first, inverse, counts = np.unique(
        x, return_index=True, return_inverse=True, return_counts=True, equal_nan=False
    )
    return UniqueAll(values, first, inverse.reshape(x.shape), counts)


def all_places(x: Any) -> tuple[Array, ...]:
    """Return first indices of values, each element's value index, and counts."""
    unique = _each(x)
    return unique.indices, *unique[1:]


def inverse_places(x: Any) -> tuple[Array, ...]:
    """Return first indices of values, and each element's value index."""
    return _each(x)[1:3]


def count_places(x: Any) -> tuple[Array, ...]:
    """Return first indices of values, and counts."""
    return _each(x)[1::2]


def first_places(x: Any) -> tuple[Array, ...]:
    """Return first indices of values."""
    return np.unique(x, return_index=True, equal_nan=False)[1:]


def first_places_with_nan(x: Any) -> tuple[Array, ...]:
    """Return first indices of values, with NaN once."""
    return np.unique(x, return_index=True)[1:]


def counted(x: Any) -> UniqueCounts:
    """Return distinct values, and counts."""
    return UniqueCounts(*np.unique(x, return_counts=True, equal_nan=False))


def inverted(x: Any) -> UniqueInverse:
    """Return distinct values, and each element's value index."""
    values, inverse = np.unique(x, return_inverse=True, equal_nan=False)
    return UniqueInverse(values, inverse.reshape(x.shape))


_TABLE = """
nonzero(x) -> tuple[Any, ...]: The indices of the elements that are not zero; waits for the values.
    -> tuple of an array of int64 for each axis, in C order
    >>> nonzero([[0, 1], [2, 0]])
    (array([0, 1]), array([1, 0]))
    = at_once("nonzero", np.nonzero, x)
argwhere(x): The indices of the elements that are not zero; waits for the values.
    -> array (found, axes) of int64
    >>> argwhere([[0, 1], [2, 0]])
    array([[0, 1],
           [1, 0]])
    = at_once("argwhere", np.argwhere, x)
extract(condition, x): The elements at which the condition, of the same shape, is true.
    condition : array of truth values
    x : array of that shape
    -> array (found,), in C order
    >>> extract([True, False, True], [1, 2, 3])
    array([1, 3])
    = chosen("extract", extracted, true_places, condition, x)
unique_all(x) -> UniqueAll: The distinct values in order, with all results of `np.unique`; waits for
    the values. No NaN equals another.
    x : array of any shape
    -> named tuple: values (n,); indices of where each is first; inverse_indices, of the shape of x;
        counts. A gradient goes to where a value is first.
    >>> unique_all([3, 1, 3]).counts
    array([1, 2])
    = chosen("unique_all", _each, all_places, x, make=UniqueAll)
unique_counts(x) -> UniqueCounts: The distinct values in order, and their counts. No NaN equals
    another.
    x : array of any shape
    -> named tuple: values (n,); counts (n,) of int64
    >>> unique_counts([3, 1, 3]).values
    array([1, 3])
    = chosen("unique_counts", counted, count_places, x, make=UniqueCounts)
unique_inverse(x) -> UniqueInverse: The distinct values in order, and the index of each element's
    value. No NaN equals another.
    x : array of any shape
    -> named tuple: values (n,); inverse_indices of int64, of the shape of x
    >>> unique_inverse([3, 1, 3]).inverse_indices
    array([1, 0, 1])
    = chosen("unique_inverse", inverted, inverse_places, x, make=UniqueInverse)
unique_values(x): The distinct values in order. No NaN equals another.
    x : array of any shape
    -> array (n,); a gradient goes to where a value is first
    >>> unique_values([3, 1, 3])
    array([1, 3])
    = chosen("unique_values", lambda x: np.unique(x, equal_nan=False), first_places, x)
unique(x, *, return_index=False, return_inverse=False, return_counts=False, axis: int | None =
    None): The distinct values in order, NaN once; waits for the values.
    x : array of any shape
    return_index, return_inverse, return_counts, axis : as of `numpy.unique`
    -> array (n,); a gradient goes to where a value is first. With options NumPy's results, as
        constants.
    >>> unique([3, 1, 3])
    array([1, 3])
    >>> unique([3, 1, 3], return_counts=True)
    (array([1, 3]), array([1, 2]))
    = np.unique(x, return_index, return_inverse, return_counts, axis) if (
        return_index or return_inverse or return_counts or axis is not None
        ) else chosen("unique", np.unique, first_places_with_nan, x)
"""
define_rows(_TABLE, globals(), ("x",))
