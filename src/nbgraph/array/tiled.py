"""Operators made tile by tile on arrays: kernels whose tiles workers may share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nbgraph.array.chunk import Chunk
from nbgraph.array.copying import copied
from nbgraph.array.core import Array
from nbgraph.array.launch import Prepared
from nbgraph.array.layout import Layout
from nbgraph.operator.array_op import Spec
from nbgraph.operator.moving_op import MovingOp
from nbgraph.operator.request import OpReqType
from nbgraph.operator.tiled_op import TiledOp
from nbgraph.shape import Space

_KEPT = 1024  # kernels with their records that an operator keeps


def prepare_tiled(
    op: TiledOp,
    operands: Sequence[Layout],
    out: Layout,
    request: OpReqType,
    attributes: Mapping[str, Any],
) -> Prepared | None:
    """The kernel for these layouts. The record's addresses: of the operands, then of the result.
    None where no kernel does it, or an array does not lie one element behind the other."""
    if not all(own.contiguous for own in (*operands, out)):
        return None
    call = op.tiled_call([Spec(o.shape, o.dtype) for o in operands], request, attributes)
    if call is None or op.made(operands[0].dtype) != out.dtype:
        return None
    key = "tiled", call
    made = op.carried.get(key)
    if made is None:
        if len(op.carried) >= _KEPT:
            op.carried.clear()
        made = Prepared(op.__name__, call.code, Space(0, (), ()), call.words, (), max(1, call.cost))
        made.head, made.hi = call.head, call.tiles
        op.carried[key] = made
    return made


def prepare_moving(
    op: MovingOp, operands: Sequence[Layout], attributes: Mapping[str, Any], *, moves: bool
) -> Prepared:
    """The kernel of an operator that has one for these; `moves` is the last word of its record."""
    call = op.moving_call([Spec(o.shape, o.dtype) for o in operands], attributes)
    assert call is not None, op  # it was asked for when the task was made
    words = (*call.words[:-1], int(moves))
    made = Prepared(op.__name__, call.code, Space(0, (), ()), words, (), max(1, call.cost))
    made.head, made.hi = call.head, call.tiles
    return made


def push_tiled(
    op: TiledOp,
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
    if not op.suits([a.dtype for a in inputs]):
        return False
    if not all(a._layout.contiguous for a in inputs):
        inputs = [a if a._layout.contiguous else copied(a) for a in inputs]
        reads = [c for c in dict.fromkeys(a._chunk for a in inputs) if c not in writes]
    layouts = [a._layout for a in inputs]
    prepared = prepare_tiled(op, layouts, results[0]._layout, requests[0], attributes)
    if prepared is None:
        return False
    addresses = [a._address for a in (*inputs, *results)]
    prepared.push(reads, writes, prepared.record(addresses, ()), overwrites=whole)
    return True
