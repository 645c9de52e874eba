"""`associative_scan`: prefixes by an associative function, in about 2 log2(n) rounds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from nbgraph.array.create import asarray
from nbgraph.autograd.control.closing import require_like, symbolic
from nbgraph.autograd.results import require_function
from nbgraph.autograd.tree import like, places
from nbgraph.errors import ArgumentError, ShapeError
from nbgraph.ops.define import axis_of, library
from nbgraph.signatures import checked

Arrays = list[Any]


@checked
def associative_scan(
    fn: Callable[[Any, Any], Any], elems: Any, reverse: bool = False, axis: int = 0
) -> Any:
    """Combine all elements up to each one along an axis, by an associative function.

    Parameters
    ----------
    fn : callable of two structures like `elems`, whose arrays have several elements along the axis,
        that combines them pair by pair
    elems : arrays, or a structure of these, of one length along the axis
    reverse : bool
        Whether to combine from the last element down to each one; `fn` gets the later one first.
    axis : int

    Returns
    -------
    the prefixes, in the structure and shapes of `elems`

    Unlike `scan` it applies `fn` to many pairs at once, in about 2 log2(n) rounds.

    >>> import nbgraph as ng
    >>> ng.associative_scan(lambda a, b: a * b, ng.array([1.0, 2.0, 3.0, 4.0]))
    array([ 1.,  2.,  6., 24.], dtype=float32)
    """
    require_function("associative_scan", fn, "fn(a, b)")
    leaves = places(elems, "elems")
    if not leaves:
        raise ArgumentError("associative_scan: elems has no arrays; give one or more")
    arrays = [p.value if symbolic(p.value) else asarray(p.value) for p in leaves]
    axes = [axis_of("associative_scan", axis, len(x.shape)) for x in arrays]
    lengths = {x.shape[d] for x, d in zip(arrays, axes, strict=True)}
    if len(lengths) > 1:
        raise ShapeError(
            f"associative_scan: the arrays have {sorted(lengths)} elements along axis {axis}; give "
            "arrays of one length"
        )

    def combine(a: Arrays, b: Arrays) -> Arrays:
        a, b = _axes_restored(a, axes), _axes_restored(b, axes)
        out = fn(like(elems, a), like(elems, b))
        require_like("associative_scan", "what fn returns", out, elems, "elems")
        return _axes_to_front([p.value for p in places(out, "")], axes)

    first = [library.flip(x, 0) if reverse else x for x in _axes_to_front(arrays, axes)]
    prefixes = _prefixes(combine, first)
    prefixes = [library.flip(x, 0) if reverse else x for x in prefixes]
    return like(elems, [library.copy(x) for x in _axes_restored(prefixes, axes)])


def _axes_to_front(arrays: Sequence[Any], axes: Sequence[int]) -> Arrays:
    return [library.moveaxis(x, d, 0) if d else x for x, d in zip(arrays, axes, strict=True)]


def _axes_restored(arrays: Sequence[Any], axes: Sequence[int]) -> Arrays:
    return [library.moveaxis(x, 0, d) if d else x for x, d in zip(arrays, axes, strict=True)]


def _prefixes(combine: Callable[[Arrays, Arrays], Arrays], elems: Arrays) -> Arrays:
    """Return the prefixes along axis 0; those at odd positions are the prefixes of the pairs."""
    size = elems[0].shape[0]
    if size < 2:
        return elems
    pairs = combine([x[: size - 1 : 2] for x in elems], [x[1::2] for x in elems])
    odd = _prefixes(combine, pairs)
    if size == 2:
        even = [x[:1] for x in elems]
    else:
        before = [x[: (size - 1) // 2] for x in odd]
        later = combine(before, [x[2::2] for x in elems])
        even = [library.concatenate([x[:1], y], axis=0) for x, y in zip(elems, later, strict=True)]
    return [_interleaved(a, b) for a, b in zip(even, odd, strict=True)]


def _interleaved(even: Any, odd: Any) -> Any:
    """Return the parts of two arrays alternately, `even` first, which may have one more."""
    count = odd.shape[0]
    both = library.stack([even[:count], odd], axis=1)
    both = library.reshape(both, (2 * count, *odd.shape[1:]))
    if even.shape[0] == count:
        return both
    return library.concatenate([both, even[count:]], axis=0)
