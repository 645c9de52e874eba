"""Operators that draw by kernels, on the host and on devices: the same numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nbgraph.array.chunk import Chunk
from nbgraph.array.copying import copied
from nbgraph.array.core import Array, empty_of
from nbgraph.array.launch import Prepared
from nbgraph.array.layout import Layout, layout
from nbgraph.array.push import same, write
from nbgraph.kernels.draws import Drawn, host_text
from nbgraph.kernels.philox import DRAW
from nbgraph.kernels.writer import ITEMSIZE
from nbgraph.kernels.written import written
from nbgraph.operator.array_op import Spec
from nbgraph.operator.call import recording, training
from nbgraph.operator.drawn_op import DrawnCall, DrawnOp
from nbgraph.operator.request import WORDS, OpReqType
from nbgraph.settings import config
from nbgraph.shape import Space

_KEPT = 1024  # kernels with their records that an operator keeps
_NANOSECONDS = {"float32": 1.3, "float64": 2.5}  # of a number
_PER_BYTE = 0.1  # nanoseconds
_WORD = ("i", "int64")  # of a draw, in a record
_NOWHERE = Space(0, (), ())
kWriteTo, kNullOp = OpReqType.kWriteTo, OpReqType.kNullOp


def prepare_drawn(
    op: DrawnOp,
    operands: Sequence[Layout],
    outputs: Sequence[Layout],
    stores: Sequence[bool],
    attributes: Mapping[str, Any],
    *,
    host: bool,
) -> Prepared | None:
    """The kernel for these layouts, of the host or of devices; `stores` as of `drawn_call`. The
    record's addresses: of the operands that are loaded, then of the outputs that are stored. Its
    numbers: the words of a draw, then, where the operator `trains`, whether a run does. None where
    no kernel does it, or an array does not lie one element behind the other."""
    if not all(own.contiguous for own in (*operands, *outputs)):
        return None
    if host and config.compiler == "python":
        return None
    told = tuple((name, value) for name, value in attributes.items() if name != "rng")
    key = ("drawn", *operands, *stores, host, config.compiler, *told)
    if key not in op.carried:
        call = op.drawn_call([Spec(o.shape, o.dtype) for o in operands], stores, attributes)
        if call is None:
            return None
        if len(op.carried) >= _KEPT:
            op.carried.clear()
        op.carried[key] = (_on_host if host else _on_devices)(op.__name__, call)
    found: Prepared = op.carried[key]
    return found


def _on_host(name: str, call: DrawnCall) -> Prepared:
    drawn, count = call.drawn, call.size
    code = written(drawn.name, host_text(drawn), drawn.compute)
    nbytes = sum(ITEMSIZE[dtype] for dtype in drawn.arrays.values())
    cost = int(count * (_NANOSECONDS[drawn.compute] + drawn.cost + _PER_BYTE * nbytes))
    made = Prepared(name, code, _NOWHERE, call.parameters, _scalars(drawn), max(1, cost))
    made.head, made.hi = (count, 0), -(-count // drawn.tile)
    return made


def _on_devices(name: str, call: DrawnCall) -> Prepared:
    from nbgraph.kernels.cuda.drawing import drawing
    from nbgraph.kernels.cuda.unit import UnitLaunches

    unit = drawing(call.drawn, call.parameters, call.size)
    code: Any = unit.code
    made = Prepared(name, code, _NOWHERE, unit.words, _scalars(call.drawn), 0)
    made.head, made.hi, made.elsewhere = unit.head, unit.units, UnitLaunches(unit, name)
    return made


def _scalars(drawn: Drawn) -> list[tuple[str, str]]:
    return [_WORD] * (len(DRAW) + drawn.trains)


def push_drawn(
    op: DrawnOp,
    inputs: Sequence[Array],
    results: Sequence[Array],
    requests: Sequence[OpReqType],
    attributes: Mapping[str, Any],
    reads: Sequence[Chunk],
    writes: Sequence[Chunk],
    *,
    whole: bool,
) -> bool:
    """Push it as a kernel, if one does it; whether it was. Results that are added to, or lie in
    pieces, are made beside them."""
    stores = [request is not kNullOp for request in requests]
    if not any(stores):
        return True
    own = [layout(r.shape, r.dtype) for r in results]
    given = [layout(x.shape, x.dtype) for x in inputs]
    device = results[0].device
    prepared = prepare_drawn(op, given, own, stores, attributes, host=device.host)
    if prepared is None:
        return False
    made = [
        r if q is kWriteTo and r._layout.contiguous else empty_of(o, device)
        for r, q, o in zip(results, requests, own, strict=True)
    ]
    stored = [m for k, m in enumerate(made) if k == 0 or stores[k]]
    _push(prepared, op, inputs, stored, attributes, whole=whole)
    for result, beside, request in zip(results, made, requests, strict=True):
        if beside is not result and request is not kNullOp and result.size:
            write(same, beside, result, WORDS[request])
    return True


def _push(
    prepared: Prepared,
    op: DrawnOp,
    inputs: Sequence[Array],
    stored: Sequence[Array],
    attributes: Mapping[str, Any],
    *,
    whole: bool,
) -> None:
    numbers = op.draw_words(attributes)
    if not prepared.hi:
        return
    loaded = [x if x._layout.contiguous else copied(x) for x in inputs if op.trains]
    trains = training.get() or op.always(attributes)
    words = [*numbers, int(trains)] if op.trains else numbers
    writes = list(dict.fromkeys(m._chunk for m in stored))
    reads = [c for c in dict.fromkeys(x._chunk for x in loaded) if c not in writes]
    record = prepared.record([a._address for a in (*loaded, *stored)], words)
    prepared.push(reads, writes, record, overwrites=whole)


# the quick way ----------------------------------------------------------------------------------


class _Ways:
    """See `known.Ways`: the kernel of a draw by an operand that was seen before. What draws by a
    generator of its own has none."""

    def again(self, op: DrawnOp, operands: Sequence[Any], attributes: Mapping[str, Any]) -> Any:
        """See `known.Ways`."""
        try:
            known = op.carried.get(_key(operands, attributes))
        except (AttributeError, TypeError):  # numbers and lists; an attribute that is a list
            return None
        if known is None:
            return None
        device = operands[0]._chunk.device
        if not device.host or any(v._chunk.device is not device for v in operands):
            return None
        prepared, outputs = known
        made = tuple([empty_of(own, device) for own in outputs])
        _push(prepared, op, operands, made, attributes, whole=True)
        recorder = recording.get()
        if recorder is not None:
            recorder.record(op, operands, attributes, made, ())
        return made[0] if len(made) == 1 else made

    def learn(
        self,
        op: DrawnOp,
        values: Sequence[Array],
        results: Sequence[Array],
        attributes: Mapping[str, Any],
    ) -> None:
        """See `known.Ways`."""
        if not values or attributes.get("rng") is not None or not results[0].device.host:
            return
        given, outputs = ([v._layout for v in arrays] for arrays in (values, results))
        stores = [True] * len(outputs)
        prepared = prepare_drawn(op, given, outputs, stores, attributes, host=True)
        if prepared is not None:
            op.carried[_key(values, attributes)] = prepared, outputs


WAYS = _Ways()


def _key(operands: Sequence[Any], attributes: Mapping[str, Any]) -> Any:
    layouts = (v._layout for v in operands)
    return ("drawn again", config.compiler, *layouts, *attributes.items())
