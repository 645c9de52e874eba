"""Row programs on arrays: kernels over rows, which workers may share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nbgraph.array.chunk import Chunk
from nbgraph.array.core import Array, empty_of
from nbgraph.array.launch import Prepared
from nbgraph.array.layout import Layout, layout
from nbgraph.array.push import moved, same, write
from nbgraph.kernels.cost import of_kernel
from nbgraph.operator.request import WORDS, OpReqType, kNullOp, kWriteTo
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


def rearranged(
    op: RowOp,
    operands: Sequence[Layout],
    outputs: Sequence[Layout],
    requests: Sequence[OpReqType],
    attributes: Mapping[str, Any],
) -> list[Layout] | None:
    """How operands and results have to lie so that a kernel takes them: as they do, or copied.
    None where none does."""
    own = [*operands, *outputs]
    if prepare_rows(op, operands, outputs, requests, attributes) is None:
        places = op.replacements(operands, outputs, attributes)
        own = [a if p is None else layout(*p) for a, p in zip(own, places, strict=True)]
        count = len(operands)
        if prepare_rows(op, own[:count], own[count:], requests, attributes) is None:
            return None
    return own


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
    """Push it as a kernel, if one does it, with copies of what it does not take; whether it was.
    `whole`: all of the chunks is written."""
    given, made = [a._layout for a in inputs], [r._layout for r in results]
    prepared = prepare_rows(op, given, made, requests, attributes)
    if prepared is not None:
        asked = [r for r, q in zip(results, requests, strict=True) if q is not kNullOp]
        addresses = [a._address for a in (*inputs, *asked)]
        prepared.push(reads, writes, prepared.record(addresses, ()), overwrites=whole)
        return True
    places = rearranged(op, given, made, requests, attributes)
    if places is None:
        return False
    operands = [a if p is a._layout else moved(a, p) for a, p in zip(inputs, places, strict=False)]
    laid = places[len(given) :]
    targets = [
        r if p is r._layout else empty_of(p, r.device) for r, p in zip(results, laid, strict=True)
    ]
    apart = [t is not r and q is not kNullOp for t, r, q in zip(targets, results, requests)]
    how = [kWriteTo if copy else q for copy, q in zip(apart, requests, strict=True)]
    writes = list(dict.fromkeys(t._chunk for t in targets))
    reads = [c for c in dict.fromkeys(a._chunk for a in operands) if c not in writes]
    whole = whole or all(t is not r for t, r in zip(targets, results, strict=True))
    push_rows(op, operands, targets, how, attributes, reads, writes, whole=whole)
    for target, result, copy, request in zip(targets, results, apart, requests, strict=True):
        if copy:
            write(same, target, result, WORDS[request])
    return True
