"""Row programs on arrays: kernels over rows, which workers may share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nbgraph.array.chunk import Chunk
from nbgraph.array.core import Array
from nbgraph.array.launch import Prepared
from nbgraph.array.layout import Layout
from nbgraph.kernels.cost import of_kernel
from nbgraph.operator.request import WORDS, OpReqType
from nbgraph.operator.row_op import RowOp
from nbgraph.settings import config

_KEPT = 1024  # kernels with their records that an operator keeps


def prepare_rows(
    op: RowOp,
    operands: Sequence[Layout],
    outputs: Sequence[Layout],
    requests: Sequence[OpReqType],
    attributes: Mapping[str, Any],
) -> Prepared | None:
    """The kernel for these layouts. The record's addresses: of the operands, then of the outputs
    that are asked for. None where no kernel does it (see `row_op`), there are no rows, or Python
    is asked for.

    >>> import numpy as np
    >>> from nbgraph.array.layout import layout
    >>> from nbgraph.operator.request import kWriteTo
    >>> from nbgraph.ops.define import operator_of
    >>> from nbgraph.ops.normalisation.softmaxes import softmax
    >>> x = layout((8, 5), np.dtype("float32"))
    >>> how = {"axis": 0, "temperature": 1.0}
    >>> prepare_rows(operator_of(softmax), [x], [x], [kWriteTo], how).hi  # rows
    5
    """
    if config.compiler == "python" or all(r is OpReqType.kNullOp for r in requests):
        return None
    key = "rows", *operands, *outputs, *requests, *attributes.items()
    if key in op.carried:
        return op.carried[key]
    call = op.row_call(operands, outputs, [WORDS[r] for r in requests], attributes)
    made = None
    if call is not None and call.rows:
        words = [int.from_bytes(w.ljust(8, b"\0"), "little", signed=True) for w in call.parameters]
        cost = of_kernel(call.code.loop, call.cost)
        made = Prepared(op.__name__, call.code, call.where, words, (), cost)
        made.hi = call.rows
    if len(op.carried) >= _KEPT:
        op.carried.clear()
    op.carried[key] = made
    return made


def push_rows(
    op: RowOp,
    inputs: Sequence[Array],
    results: Sequence[Array],
    requests: Sequence[OpReqType],
    attributes: Mapping[str, Any],
    reads: Sequence[Chunk],
    writes: Sequence[Chunk],
    *,
    whole: bool,
) -> bool:
    """Push it as a kernel, if one does it; whether it was. `whole`: all of the chunks is
    written."""
    layouts = [a._layout for a in inputs]
    prepared = prepare_rows(op, layouts, [r._layout for r in results], requests, attributes)
    if prepared is None:
        return False
    asked = [r for r, q in zip(results, requests, strict=True) if q is not OpReqType.kNullOp]
    addresses = [a._address for a in (*inputs, *asked)]
    prepared.push(reads, writes, prepared.record(addresses, ()), overwrites=whole)
    return True
