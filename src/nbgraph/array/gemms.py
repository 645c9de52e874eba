"""Products on devices: by the driver's BLAS, or as multiplications that a kernel adds up.

BLAS takes floats. What lies as it has no words for, or has another dtype than the result, is copied
first; the result, too. Integers and bool are multiplied and added up by a kernel, a block of
threads for each element of the result, and so are floats where the result has one element a
product: long sums are what that kernel is good at, and BLAS is not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from nbgraph.array.copying import fill_from
from nbgraph.array.core import Array, empty_of
from nbgraph.array.layout import Layout, layout
from nbgraph.array.products import PreparedProduct
from nbgraph.array.push import moved, same, write
from nbgraph.array.reduce import PreparedReduction, prepare_reduction
from nbgraph.dtype import is_float
from nbgraph.kernels.cuda.gemms import Gemms, requests
from nbgraph.kernels.loops import Combine
from nbgraph.kernels.products import Call
from nbgraph.operator.array_op import Spec
from nbgraph.operator.product_op import ProductOp
from nbgraph.operator.request import WORDS, OpReqType
from nbgraph.ops.elementwise.arithmetic import multiply
from nbgraph.settings import config
from nbgraph.shape import Space

_FEW = 16  # requests that take less time than the copies that would make them one
_KEPT = 1024  # products that an operator knows
kAddTo = OpReqType.kAddTo
Given = Mapping[str, Any]


class Way(NamedTuple):
    """How a product is done: where a, b and the result have to lie, None for what may stay, and
    whether a kernel adds up."""

    places: tuple[Layout | None, Layout | None, Layout | None]
    sums: bool = False


def way_of(op: ProductOp, operands: Sequence[Layout], out: Layout, attributes: Given) -> Way | None:
    """How a product of arrays with elements is done; None where nothing does it.

    >>> import numpy as np
    >>> from nbgraph.ops.define import operator_of
    >>> from nbgraph.ops.products.products import matmul
    >>> single = np.dtype("float32")
    >>> a, b = layout((5, 4), single, (32, 8)), layout((4, 6), single)
    >>> way_of(operator_of(matmul), [a, b], layout((5, 6), single), {})
    Way(places=(Layout(float32[5, 4], strides=(16, 4)), None, None), sums=False)
    """
    key = "way", *operands, out, *attributes.items()
    if key not in op.carried:
        if len(op.carried) >= _KEPT:
            op.carried.clear()
        op.carried[key] = _way(op, operands, out, attributes)
    return op.carried[key]


def _way(op: ProductOp, operands: Sequence[Layout], out: Layout, attributes: Given) -> Way | None:
    if op.meaning(operands, attributes) is None:
        return None
    dtype = op.infer([Spec(x.shape, x.dtype) for x in operands], attributes)[0].dtype
    given = [*operands, out]
    cast = [x if x.dtype == dtype else layout(x.shape, dtype) for x in given]
    if not is_float(dtype):
        return _sums(out, cast[2])
    found = None
    for most in (_FEW, 1 << 30):
        found = found or op.replacements(
            cast[:2],
            cast[2],
            attributes,
            (dtype,),
            lambda call, most=most: requests(call, dtype.itemsize) <= most,
        )
    if found is None:
        return None
    laid = [x if own is None else layout(*own) for x, own in zip(cast, found, strict=True)]
    call = op.arranged(laid[:2], laid[2], attributes, (dtype,))
    assert call is not None, op
    if _scalar(call) and dtype.itemsize > 2 and all(x.dtype == dtype for x in given):
        return _sums(out, cast[2])
    a, b, c = (None if own is x else own for own, x in zip(laid, given, strict=True))
    return Way((a, b, c))


def _sums(out: Layout, made: Layout) -> Way:
    fits = made is out and out.contiguous
    return Way((None, None, None if fits else layout(made.shape, made.dtype)), sums=True)


def _scalar(call: Call) -> bool:
    return call.u.extent == call.v.extent == 1


# what does it -----------------------------------------------------------------------------------


def prepare_gemms(
    op: ProductOp,
    operands: Sequence[Layout],
    out: Layout,
    request: OpReqType,
    attributes: Given,
) -> PreparedProduct:
    """The product for layouts that lie as a Way says, by BLAS. The record's addresses: as of
    `prepare_product`."""
    tf32 = bool(config.tf32)
    key = "gemms", *operands, out, request, tf32, *attributes.items()
    found: PreparedProduct | None = op.carried.get(key)
    if found is None:
        call = op.arranged(operands, out, attributes, (out.dtype,))
        assert call is not None, op
        code: Any = Gemms(call, out.dtype, adds=request is kAddTo, tf32=tf32)
        found = PreparedProduct(op.__name__, code, Space(0, (), ()), (), (), 1)
        found.first, found.elsewhere, found.hi = call.first, code, 1
        if len(op.carried) >= _KEPT:
            op.carried.clear()
        op.carried[key] = found
    return found


def prepare_sums(
    op: ProductOp, operands: Sequence[Layout], out: Layout, request: str, attributes: Given
) -> PreparedReduction:
    """The product for layouts that lie as a Way says, by a kernel over the operands a and b."""
    labels = op.meaning(operands, attributes)
    assert labels is not None, op
    sizes = labels.sizes(operands[0].shape, operands[1].shape)
    order = [*labels.out, *(label for label in sizes if label not in labels.out)]
    shape = *(sizes[label] for label in order), 1  # there may be nothing to add up
    spread = [_spread(x, own, order) for x, own in zip(operands, (labels.a, labels.b), strict=True)]
    plan = multiply.invoker.plan_of([x.dtype for x in operands], {})
    combine: Combine = "max" if out.dtype.kind == "b" else "add"
    axes = len(shape) - len(labels.out)
    return prepare_reduction(
        multiply, plan, shape, spread, [out], [request], [combine], axes, disjoint=True
    )


def _spread(x: Layout, own: Sequence[str], order: Sequence[str]) -> Layout:
    """With the axes of `order` and one more; those it lacks have one element."""
    known = dict(zip(own, zip(x.shape, x.strides, strict=True), strict=True))
    pairs = [*(known.get(label, (1, 0)) for label in order), (1, 0)]
    return layout(tuple(n for n, _ in pairs), x.dtype, tuple(s for _, s in pairs))


# arrays -----------------------------------------------------------------------------------------


def push_multiplied(
    op: ProductOp,
    inputs: Sequence[Array],
    out: Any,
    request: OpReqType,
    attributes: Given,
    *,
    whole: bool,
) -> bool:
    """Push a product; whether something does it. `whole`: all of the result's chunk is written."""
    if request is OpReqType.kNullOp or not out.size:
        return True
    if not all(x.size for x in inputs):  # nothing is added up
        if request is not kAddTo:
            fill_from(out, 0)
        return True
    way = way_of(op, [x._layout for x in inputs], out._layout, attributes)
    if way is None:
        return False
    given: list[Any] = [
        x if own is None else moved(x, own) for x, own in zip(inputs, way.places, strict=False)
    ]
    own = way.places[2]
    target = out if own is None else empty_of(own, out.device)
    how = (request, whole) if own is None else (OpReqType.kWriteTo, True)
    (_push_sums if way.sums else _push_gemms)(op, given, target, *how, attributes)
    if own is not None:
        write(same, target, out, WORDS[request])
    return True


def _push_gemms(
    op: ProductOp, given: Sequence[Any], out: Any, request: OpReqType, whole: bool, how: Given
) -> None:
    ready = prepare_gemms(op, [x._layout for x in given], out._layout, request, how)
    arrays = given[ready.first], given[1 - ready.first], out
    reads = list(dict.fromkeys(x._chunk for x in given))
    record = ready.record([x._address for x in arrays], ())
    ready.push(reads, [out._chunk], record, overwrites=whole)


def _push_sums(
    op: ProductOp, given: Sequence[Any], out: Any, request: OpReqType, whole: bool, how: Given
) -> None:
    layouts = [x._layout for x in given]
    made = prepare_sums(op, layouts, out._layout, WORDS[request], how)
    (totals,), (end,) = made.totals, made.ends
    target = out if totals is None else empty_of(totals, out.device)
    reads = list(dict.fromkeys(x._chunk for x in given))
    record = made.loop.record([*(x._address for x in given), target._address], ())
    made.loop.push(reads, [target._chunk], record, overwrites=whole or target is not out)
    if end is not None:
        record = end.record([target._address, out._address], ())
        end.push([target._chunk], [out._chunk], record, overwrites=whole)


__all__ = ["Way", "prepare_gemms", "prepare_sums", "push_multiplied", "way_of"]
