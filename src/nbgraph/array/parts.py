"""Copies between parts of arrays, pushed one after another: see `operator.pieces`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nbgraph.array.chunk import shared
from nbgraph.array.copying import fill_from
from nbgraph.array.core import Array, make
from nbgraph.array.push import copied, same, write
from nbgraph.operator.layout import Layout
from nbgraph.operator.pieces import Parts, parts_of
from nbgraph.operator.request import WORDS, OpReqType
from nbgraph.operator.spec import Attributes


def write_parts(parts: Parts, inputs: Sequence[Array], out: Array, attributes: Attributes) -> None:
    """Push the copies into an array."""
    pieces = parts_of(parts, [x._layout for x in inputs], out._layout, attributes)
    assert pieces is not None, attributes
    for part in pieces:
        target = _seen(out, part.offset, part.layout)
        if part.operand is None:
            fill_from(target, part.source)
        else:
            fill_from(target, _seen(inputs[part.operand], part.from_offset, part.source))


def _seen(array: Array, offset: int, own: Layout) -> Any:
    return make(array._chunk, array._address + offset, own, shared(array))


def write_view(op: Any, x: Any, out: Array, request: OpReqType, attributes: Attributes) -> bool:
    """Push a copy of what is a view of an array; of a copy of it where its own strides have none.
    True."""
    for copies in (False, True):
        source: Any = copied(x) if copies else x
        try:
            view = op.view(source._view(), **attributes)
        except ValueError:
            continue
        write(same, source._of_view(view), out, WORDS[request])
        return True
    raise AssertionError(op.__name__)
