"""Operators on NDArrays: infer at the call, allocate, push, record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from nbgraph.array import anomaly, chunk
from nbgraph.array.core import Array, empty_of
from nbgraph.array.lift import lift
from nbgraph.array.place import place
from nbgraph.array.push import WEAK, Carried, carried, push
from nbgraph.array.route import Routes, routes_of, shortcut
from nbgraph.device import Context
from nbgraph.engine.inline import in_charge
from nbgraph.engine.kernels import Kernels
from nbgraph.errors import ArgumentError, DeviceError, DTypeError, ShapeError
from nbgraph.operator.call import recording
from nbgraph.operator.mapper import Mapper
from nbgraph.settings import CLOSELY_ASKED, PYTHON_ASKED, config
from nbgraph.shape import overlaps_itself

_NEW: Sequence[bool] = ()  # in_place: no output existed before


def apply(
    op: Mapper,
    operands: Sequence[Any],
    attributes: Mapping[str, Any],
    outs: Sequence[Any] | None = None,
    requests: Sequence[str] | None = None,
) -> Any:
    """A scalar operator on arrays and numbers, element by element, broadcasting.

    `outs`: arrays to write instead of new ones, None for a new one. `requests`: what becomes of
    each output ("write", "add", "null").
    """
    if op.refresh_needed():
        op.refresh()
    op.require_certificate()
    routes: Routes | None = None
    if outs is None and requests is None and not CLOSELY_ASKED[0]:
        routes = routes_of(op, attributes)
        if routes is not None and routes.count:
            made = routes.push(_place(), tuple(operands))
            if made is not None:
                recorder = recording.get()
                if recorder is not None:
                    given = made if type(made) is tuple else (made,)
                    recorder.record(op, operands, attributes, given, _NEW)
                return made
    values = lift(op.__name__, op.scalar.operands, operands)
    device = common_device(op.__name__, op.scalar.operands, values, outs)
    parameters = op.parameters(dict(attributes))
    found = carried(op, values, parameters)
    results = _results(op, found, device, outs)
    watched = CLOSELY_ASKED[0] and bool(config.anomaly) and anomaly.clean(values)
    if PYTHON_ASKED[0] and config.compiler == "python":
        _interpreted(op, values, parameters, results, outs, requests)
    elif found.outputs[0].size or (outs is not None and any(o is not None for o in outs)):
        push(op, found, values, results, outs, requests)
    told(op, values, parameters, results, outs)
    if watched:
        anomaly.look(op, values, results)
    known = routes is not None and routes.learn(found.plain, found.outputs, operands)
    if known and not attributes and not op.scalar.draws:  # a call has fewer operands then
        assert routes is not None
        op.shortcut = shortcut(op, routes)
    return results[0] if len(results) == 1 else tuple(results)


def _place() -> int:
    """The line of user code, for a route."""
    engine = in_charge()
    if isinstance(engine, Kernels):
        engine._open_gate()
    return engine.site_id(1)


def told(
    op: Any,
    values: Sequence[Any],
    parameters: Mapping[str, Any],
    results: Sequence[Array],
    outs: Sequence[Any] | None,
) -> None:
    """Count writes to what existed before, and tell the recorder."""
    given = [o is not None for o in outs] if outs is not None else _NEW
    recorder = recording.get()
    if recorder is not None:
        recorder.record(op, values, parameters, results, given)
        return
    for result, in_place in zip(results, given, strict=False):
        if in_place:
            result._chunk.writes += 1


def _results(
    op: Mapper, found: Carried, device: Context, outs: Sequence[Any] | None
) -> list[Array]:
    if outs is None:
        return [empty_of(o, device) for o in found.outputs]
    results = []
    for i, (out, made) in enumerate(zip(outs, found.outputs, strict=True)):
        if out is None:
            results.append(empty_of(made, device))
            continue
        writable(op.__name__, out)
        if out.shape != found.shape:
            raise ShapeError(
                f"{op.__name__}: out has shape {out.shape}, the operands give {found.shape}; give "
                "an out of that shape"
            )
        if not np.can_cast(made.dtype, out.dtype, "same_kind"):
            raise DTypeError(
                f"{op.__name__}: the result has dtype {made.dtype}, which may not be cast to "
                f"out's {out.dtype}; use another out, or astype"
            )
        results.append(out)
        if i and any(out._chunk is other._chunk for other in results[:-1]):
            raise ArgumentError(f"{op.__name__}: two outputs share memory; give separate arrays")
    return results


def _interpreted(
    op: Mapper,
    values: Sequence[Any],
    parameters: Mapping[str, Any],
    results: Sequence[Array],
    outs: Sequence[Any] | None,
    requests: Sequence[str] | None,
) -> None:
    """The user's text itself, element by element, here and now: breakpoints work."""
    from nbgraph.operator import naive

    inputs = [v if type(v) in WEAK else v.asnumpy() for v in values]
    found = naive.call(op.scalar, inputs, parameters, out=(None,) * len(results))
    for i, (result, value) in enumerate(zip(results, found, strict=True)):
        if outs is None or outs[i] is None:
            chunk.cleared(result._chunk)
        else:
            chunk.wait(result._chunk)
        if requests is not None and requests[i] == "null":
            continue
        added = requests is not None and requests[i] == "add"
        where = place(result._chunk.device)
        where.overwrite(result, where.read(result) + value if added else value)


def common_device(
    name: str, names: Sequence[str], values: Sequence[Any], outs: Sequence[Any] | None = None
) -> Context:
    """The device of all arrays; nothing is copied between devices silently."""
    device: Context | None = None
    first = ""
    for i, value in enumerate((*values, *(outs or ()))):
        place = getattr(value, "_chunk", None)
        if place is None:
            continue
        label = names[i] if i < len(names) else f"operand {i}" if i < len(values) else "out"
        if device is None:
            device, first = place.device, label
        elif place.device != device:
            raise DeviceError(
                f"{name}: {first} is on {device}, {label} on {place.device}; copy one of them, as "
                f"with {label}.to_device({device})"
            )
    return chunk.CPU if device is None else device


def writable(name: str, out: Any, label: str = "out") -> None:
    """Raise where an array's memory may not be written."""
    if not hasattr(out, "_chunk"):
        raise ArgumentError(
            f"{name}: {label} is a {type(out).__name__}; expected an NDArray, as the operands are"
        )
    held: chunk.Chunk = out._chunk
    if held.locked:
        raise ValueError(f"{name}: {label} may not be written: {held.locked}")
    if held.leases:
        raise ValueError(
            f"{name}: {label} may not be written: {held.leases} view(s) of its memory are lent to "
            "another library; delete those, or write to a copy"
        )
    if overlaps_itself(out._view()):
        raise ValueError(f"{name}: {label} is a broadcast view, elements share memory; give a copy")
    recorder = recording.get()
    if recorder is not None:
        recorder.check_write(name, out)
