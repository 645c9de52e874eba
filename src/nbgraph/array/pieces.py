"""Operators over whole arrays that a device does by copies between views.

What is here moves elements; the kernel is that of copies.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from nbgraph.array.copying import fill_from
from nbgraph.array.core import Array
from nbgraph.array.push import copied, same, write
from nbgraph.operator.request import OpReqType
from nbgraph.operator.row_op import WORDS
from nbgraph.ops.define import axis_of
from nbgraph.ops.slicing import full_key, numpy_key

Given = Mapping[str, Any]
kAddTo = OpReqType.kAddTo


def pieced(
    op: Any, inputs: Sequence[Array], out: Array, request: OpReqType, attributes: Given
) -> bool:
    """Whether copies do the operator; they are pushed then."""
    if op.view is not None:
        write(same, _viewed(op, inputs[0], attributes), out, WORDS[request])
        return True
    make = _MADE.get(op.__name__)
    if make is None or request is kAddTo:
        return False
    make(inputs, out, attributes)
    return True


def _viewed(op: Any, x: Array, attributes: Given) -> Any:
    """The view, of a copy where the operand's own strides have none."""
    for source in (x, None):
        held: Any = copied(x) if source is None else source
        try:
            view = op.view(held._view(), **attributes)
        except ValueError:
            continue
        if not view.size or np.may_share_memory(view, held._view()):
            return held._of_view(view)
    raise AssertionError(op.__name__)


def _part(array: Any, key: Any) -> Any:
    return array._of_view(array._view()[key if type(key) is tuple else (key,)])


def _concatenate(inputs: Sequence[Any], out: Any, attributes: Given) -> None:
    axis = axis_of("concatenate", attributes["axis"], out.ndim)
    start = 0
    for x in inputs:
        stop = start + x.shape[axis]
        if x.size:
            key = (*[slice(None)] * axis, slice(start, stop))
            fill_from(_part(out, (*key, Ellipsis)), x)
        start = stop


def _stack(inputs: Sequence[Any], out: Any, attributes: Given) -> None:
    axis = axis_of("stack", attributes["axis"], out.ndim)
    for k, x in enumerate(inputs):
        fill_from(_part(out, (*[slice(None)] * axis, k, Ellipsis)), x)


def _scatter(inputs: Sequence[Any], out: Any, attributes: Given) -> None:
    fill_from(out, 0)
    key = numpy_key(full_key("slice_scatter", attributes["key"], out.shape))
    fill_from(_part(out, (*key, Ellipsis)), inputs[0])


_MADE: dict[str, Callable[[Sequence[Any], Any, Given], None]] = {
    "concatenate": _concatenate,
    "stack": _stack,
    "slice_scatter": _scatter,
}
