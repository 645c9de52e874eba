"""Operators over whole arrays that a device does by copies between views, and products.

What is here moves elements; the kernel is that of copies. Products are left to an array library
that works on our stream: cupy on NVIDIA's GPUs.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from nbgraph.array.copying import fill_from
from nbgraph.array.core import Array
from nbgraph.array.layout import Layout
from nbgraph.array.push import copied, same, write
from nbgraph.device import RunContext
from nbgraph.engine import current
from nbgraph.engine.properties import NORMAL, OVERWRITE
from nbgraph.operator.array_op import Spec
from nbgraph.operator.product_op import ProductOp
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


# products ---------------------------------------------------------------------------------------


def multiplied(
    op: ProductOp,
    inputs: Sequence[Any],
    out: Any,
    request: OpReqType,
    attributes: Given,
    *,
    whole: bool,
) -> bool:
    """Whether an array library does the product on our stream; it is pushed then."""
    run = product_of(op, [x._layout for x in inputs], out._layout, request, attributes)
    if run is None:
        return False
    if not out.size:
        return True
    views = [(x._address, x.shape, x.dtype, x.strides) for x in (*inputs, out)]
    writes = [out._chunk]
    current().push_to_device(
        out.device,
        functools.partial(_call, run=run, views=views),
        const_vars=[c for c in dict.fromkeys(x._chunk for x in inputs) if c not in writes],
        mutate_vars=writes,
        name=op.__name__,
        prop=OVERWRITE if whole else NORMAL,
    )
    return True


def product_of(
    op: ProductOp,
    operands: Sequence[Layout],
    out: Layout,
    request: OpReqType,
    attributes: Given,
) -> Callable[..., None] | None:
    """A product as a function of an array library and three arrays; None where none does it."""
    a, b = (Spec(x.shape, x.dtype) for x in operands)
    labels = op.labels(a, b, **attributes)
    if labels is None or "V" in (a.dtype.kind, b.dtype.kind) or out.dtype.kind == "b":
        return None
    sizes = labels.sizes(a.shape, b.shape)
    letters = {label: chr(ord("a") + k) for k, label in enumerate(sizes)}
    texts = []
    for names, spec in ((labels.a, a), (labels.b, b)):
        pairs = zip(names, spec.shape, strict=True)
        texts.append("".join(letters[d] for d, n in pairs if n == sizes[d]))
    if any(letters[d] not in "".join(texts) for d in labels.out):
        return None
    text = f"{texts[0]},{texts[1]}->{''.join(letters[d] for d in labels.out)}"
    kept = [
        tuple(slice(None) if n == sizes[d] else 0 for d, n in zip(names, spec.shape, strict=True))
        for names, spec in ((labels.a, a), (labels.b, b))
    ]
    return functools.partial(_product, text=text, kept=kept, adds=request is kAddTo)


def _call(run_ctx: RunContext, *, run: Any, views: Sequence[Any]) -> None:
    run_ctx.stream.call(run, views)


def _product(xp: Any, a: Any, b: Any, out: Any, *, text: str, kept: Any, adds: bool) -> None:
    """Summed over the labels that the result lacks; 16-bit floats in float32."""
    a, b = a[kept[0]], b[kept[1]]
    if out.dtype.kind == "f" and out.dtype.itemsize == 2:
        a, b = a.astype("float32"), b.astype("float32")
    found = xp.einsum(text, a, b, optimize=True)
    if adds:
        out += found.astype(out.dtype)
    else:
        out[...] = found
