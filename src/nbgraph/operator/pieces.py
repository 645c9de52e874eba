"""Parts of arrays that are written one after another: what Pieces forms of operators come down to.

Which bytes a part has follows from layouts alone; it is worked out on memory that is never read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from nbgraph.operator.layout import Layout, layout_of
from nbgraph.operator.spec import Attributes

View = np.ndarray[Any, Any]
Pieces = Iterator[tuple[View, int | None, Any]]  # see `operator.elsewhere.Pieces`
Parts = Callable[..., Pieces | None]
_MEMORY: list[View] = [np.empty(1 << 12, np.uint8)]


def untouched(nbytes: int) -> View:
    """Memory to work strides out on; it is never read, so that large ones cost no pages."""
    if nbytes > _MEMORY[0].nbytes:
        _MEMORY[0] = np.empty(2 * nbytes, np.uint8)
    return _MEMORY[0]


class Part(NamedTuple):
    """What is written to a part of the output: a part of an operand in the same shape, or a number.
    Offsets are in bytes from the first element of output and operand."""

    offset: int
    layout: Layout
    operand: int | None
    from_offset: int = 0
    source: Any = None  # the layout there, or the number


def parts_of(
    parts: Parts, operands: Sequence[Layout], out: Layout, attributes: Attributes
) -> list[Part] | None:
    """Return the parts that hold elements; None where the form does not know how."""
    views = [_over(own) for own in (*operands, out)]
    *sources, target_view = views
    pieces: list[Part] = []
    written = parts(target_view, *sources, **attributes)
    if written is None:
        return None
    for target, operand, source in written:
        if not target.size:
            continue
        place, own = _address(target) - _address(target_view), layout_of(target)
        if operand is None:
            pieces.append(Part(place, own, None, 0, source))
        else:
            wide = np.broadcast_to(source, target.shape)
            away = _address(wide) - _address(sources[operand])
            pieces.append(Part(place, own, operand, away, layout_of(wide)))
    return pieces


def _over(own: Layout) -> View:
    """Return a view of this layout of memory that is never read."""
    steps = [(n - 1) * step for n, step in zip(own.shape, own.strides, strict=True) if n]
    first = -sum(step for step in steps if step < 0)
    memory = untouched(first + own.dtype.itemsize + sum(step for step in steps if step > 0))
    return np.ndarray(own.shape, own.dtype, memory, first, own.strides)


def _address(view: View) -> int:
    address: int = view.__array_interface__["data"][0]
    return address
