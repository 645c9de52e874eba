"""Products on arrays: kernels over tiles, which workers may share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nbgraph.array.chunk import Chunk
from nbgraph.array.core import Array
from nbgraph.array.launch import Prepared
from nbgraph.array.layout import Layout
from nbgraph.operator.product_op import ProductOp
from nbgraph.operator.request import WORDS, OpReqType
from nbgraph.settings import config
from nbgraph.shape import Space

_KEPT = 1024  # kernels with their records that an operator keeps


class PreparedProduct(Prepared):
    """A product, as often as it is asked for. The record's addresses: of the operand `first`, of
    the other one, of the result."""

    __slots__ = ("first",)
    first: int


def prepare_product(
    op: ProductOp,
    operands: Sequence[Layout],
    out: Layout,
    request: OpReqType,
    attributes: Mapping[str, Any],
) -> PreparedProduct | None:
    """The kernel for these layouts; None where BLAS does not take them as they are, there is
    nothing to do, or Python is asked for.

    >>> import numpy as np
    >>> from nbgraph.array.layout import layout
    >>> from nbgraph.operator.request import kWriteTo
    >>> from nbgraph.ops.define import operator_of
    >>> from nbgraph.ops.products.products import matmul
    >>> x = layout((1024, 1024), np.dtype("float32"))
    >>> prepare_product(operator_of(matmul), [x, x], x, kWriteTo, {}).name
    'matmul'
    """
    if config.compiler == "python" or request is OpReqType.kNullOp:
        return None
    key = "product", *operands, out, request, *attributes.items()
    if key in op.carried:
        return op.carried[key]
    call = op.product_call(operands, out, WORDS[request], attributes)
    made = None
    if call is not None and call.tiles:
        code: Any = call.code
        where = Space(call.head[0], (), ())
        made = PreparedProduct(op.__name__, code, where, call.words, (), call.cost)
        made.head, made.outer, made.hi = call.head, call.outer, call.tiles
        made.first = call.call.first
    if len(op.carried) >= _KEPT:
        op.carried.clear()
    op.carried[key] = made
    return made


def push_product(
    op: ProductOp,
    inputs: Sequence[Array],
    results: Sequence[Array],
    requests: Sequence[OpReqType],
    attributes: Mapping[str, Any],
    reads: Sequence[Chunk],
    writes: Sequence[Chunk],
    *,
    whole: bool,
) -> bool:
    """Push it as a kernel, if one does it; whether it was. `whole`: all of the chunk is written."""
    layouts = [a._layout for a in inputs]
    prepared = prepare_product(op, layouts, results[0]._layout, requests[0], attributes)
    if prepared is None:
        return False
    first = prepared.first
    addresses = [a._address for a in (inputs[first], inputs[1 - first], results[0])]
    prepared.push(reads, writes, prepared.record(addresses, ()), overwrites=whole)
    return True
