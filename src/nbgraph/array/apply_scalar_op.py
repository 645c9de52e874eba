"""Operators on NDArrays: infer at the call, allocate, push, record."""

import operator
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from nbgraph.array import anomaly, chunk
from nbgraph.array.core import COPIED, Array, empty_of, lift
from nbgraph.array.place import place
from nbgraph.array.push import WEAK, Inferred, inferred, push
from nbgraph.array.route import VARIED, Routes, routes_of, shortcut
from nbgraph.array.update import learn_over, write_over
from nbgraph.device import Context
from nbgraph.engine.inline import in_charge
from nbgraph.engine.threaded import ThreadedEngine
from nbgraph.errors import ArgumentError, DeviceError, noun
from nbgraph.operator.arrays.at_once import check_out
from nbgraph.operator.call import recording
from nbgraph.operator.kernel_call import KernelCall
from nbgraph.operator.lazy import foreign
from nbgraph.operator.mapper import complex_call
from nbgraph.operator.mapper.mapper import Mapper
from nbgraph.operator.scalar.typing import limits, require_real
from nbgraph.operator.spec import Attributes, Spec
from nbgraph.settings import CLOSELY_ASKED, PYTHON_ASKED, config
from nbgraph.shape import overlaps_itself

_NEW: Sequence[bool] = ()  # in_place: no output existed before
_RANGES = "ranges"  # key of routes by value: values of parameters have to be checked


def apply(
    op: Mapper,
    operands: Sequence[Any],
    attributes: Attributes,
    outs: Sequence[Any] | None = None,
    requests: Sequence[str] | None = None,
) -> Any:
    """Apply a scalar operator to arrays and numbers, element by element, broadcasting.

    `outs`: arrays to write, with None for a new one. `requests`: "write", "add" or "null" for each
    output.
    """
    if op.refresh_needed():
        op.refresh()
    op.require_certificate()
    tape = None if outs is None else recording.get()
    operands = operands if tape is None or tape.traces else tape.spared(op, operands, outs)
    over = _alone(attributes, outs, requests)
    if over is not None and _written_over(op, operands, over):
        return over
    routes: Routes | None = None
    words: Sequence[Any] = ()  # values of the parameters
    if outs is None and requests is None and not CLOSELY_ASKED[0]:
        if attributes and _RANGES not in op.carried:
            placed = op._fast.placed(tuple(operands), dict(attributes))
            words = placed[1] if placed else ()
        routes = routes_of(op, VARIED if words else attributes)
        result = _by_route(op, routes, operands, words, attributes)
        if result is not None:
            return result
    if any(foreign[type(v)] for v in operands):
        return _handed_over(op, operands, attributes, outs)
    values = lift(op.__name__, op.scalar.operands, operands)
    if any(map(operator.is_not, values, operands)):  # NumPy arrays and lists have become arrays
        result = _by_route(op, routes, values, words, attributes)
        if result is not None:
            return result
    if complex_call.any_complex(values) and not complex_call.by_kernel(op, values, outs):
        return complex_call.apply(op, values, attributes, outs)
    device = common_device(op.__name__, op.scalar.operands, values, outs)
    parameters = op.parameters_of(dict(attributes))
    inference = inferred(op, values, parameters)
    results = _results(op, inference, device, outs)
    watched = CLOSELY_ASKED[0] and bool(config.anomaly) and anomaly.clean(values)
    pushed: KernelCall | None = None
    if PYTHON_ASKED[0] and config.compiler == "python":
        _interpreted(op, values, parameters, results, outs, requests)
    elif inference.outputs[0].size or (outs is not None and any(o is not None for o in outs)):
        pushed = push(inference.plan, values, results, outs, requests)
    note_writes(op, values, parameters, results, outs)
    if watched:
        anomaly.look(op, values, results)
    if over is not None and pushed is not None:
        learn_over(op, values, over, pushed)
    elif routes is not None and pushed is not None:
        _learn(op, routes, pushed, inference, values, words, plain=not attributes)
    return results[0] if len(results) == 1 else tuple(results)


def _by_route(
    op: Mapper,
    routes: Routes | None,
    operands: Sequence[Any],
    words: Sequence[Any],
    attributes: Attributes,
) -> Any:
    """Return the recorded result by a route, or None where the slow path is needed."""
    if routes is None or not routes.count or np.ndarray in map(type, operands):
        return None
    result = routes.push(_place(), (*operands, *words))
    recorder = recording.get()
    if result is not None and recorder is not None:
        outputs = result if type(result) is tuple else (result,)
        recorder.record(op, operands, attributes, outputs, _NEW)
    return result


def _alone(attributes: Attributes, outs: Sequence[Any] | None, requests: Any) -> Any:
    """Return the only output array of a call without parameters, or None."""
    if outs is None or requests is not None or len(outs) != 1 or attributes or CLOSELY_ASKED[0]:
        return None
    recorder = recording.get()
    plain = isinstance(outs[0], Array) and (recorder is None or not recorder.traces)
    return outs[0] if plain else None


def _written_over(op: Mapper, operands: Sequence[Any], over: Array) -> bool:
    """Overwrite an array by a route and record it; return False where the slow path is needed."""
    recorder = recording.get()
    if recorder is not None:
        recorder.check_write(op.__name__, over)
        if not COPIED.isdisjoint(map(type, operands)):
            return False
    if not write_over(op, operands, over, _place()):
        return False
    if recorder is not None:
        over._chunk.writes -= 1  # the recorder counts it
        recorder.record(op, operands, {}, (over,), (True,))
    return True


def _learn(
    op: Mapper,
    routes: Routes,
    pushed: KernelCall,
    inferred: Inferred,
    operands: Sequence[Any],
    words: Sequence[Any],
    *,
    plain: bool,
) -> None:
    """Remember the route of a call; `words` are the values of its parameters, and a call without
    words is `plain` if the operator has no parameters."""
    places: list[tuple[int, int]] = []
    if complex_call.MET in op.carried and not complex_call.is_known(op):
        return  # a tape that follows the next call takes it by parts
    if words:
        names = [p.name for p in op.scalar.parameters if not p.is_static]
        varying = inferred.plan.varying(names)
        if varying is None or limits(inferred.plan.typed.captured):
            op.carried[_RANGES] = True
            return
        count = len(inferred.plan.uniform)
        first = len(pushed.words) - count
        places = [(kind, first + p if p < count else -1) for kind, p in varying]
    learned = routes.learn(pushed, inferred.outputs, (*operands, *words), None, places)
    if learned and not op.scalar.draws:  # a call has fewer operands then
        if words:
            op.varied_shortcut = shortcut(op, routes.push)
        elif plain:
            op.shortcut = shortcut(op, routes.push)


def _handed_over(
    op: Mapper, operands: Sequence[Any], attributes: Attributes, outs: Sequence[Any] | None
) -> Any:
    """Let the class of an operand (with masks, units or labels) apply the operator."""
    if outs is not None:
        kinds = ", ".join(type(v).__name__ for v in operands if foreign[type(v)])
        raise ArgumentError(
            f"{op.__name__}: out= is an NDArray, and an operand a {kinds}, whose mask, unit or "
            "labels it cannot hold; leave out= away, or give np.asarray(x)"
        )
    return op(*[np.asarray(v) if isinstance(v, Array) else v for v in operands], **attributes)


def _place() -> int:
    """Return the number of the line of user code, for a route."""
    engine = in_charge()
    if isinstance(engine, ThreadedEngine):
        engine._open_gate()
    return engine.site_id(1)


def note_writes(
    op: Any,
    values: Sequence[Any],
    parameters: Mapping[str, Any],
    results: Sequence[Array],
    outs: Sequence[Any] | None,
) -> None:
    """Count the writes to existing arrays and report them to the recorder."""
    in_places = [o is not None for o in outs] if outs is not None else _NEW
    recorder = recording.get()
    if recorder is not None:
        recorder.record(op, values, parameters, results, in_places)
        return
    for result, in_place in zip(results, in_places, strict=False):
        if in_place:
            result._chunk.writes += 1


def _results(
    op: Mapper, inferred: Inferred, device: Context, outs: Sequence[Any] | None
) -> list[Array]:
    if outs is None:
        return [empty_of(o, device) for o in inferred.outputs]
    results = []
    for i, (out, spec) in enumerate(zip(outs, inferred.outputs, strict=True)):
        if out is None:
            results.append(empty_of(spec, device))
            continue
        writable(op.__name__, out)
        require_real(op.__name__, out, spec.dtype)
        results.append(check_out(op.__name__, out, Spec(inferred.shape, spec.dtype), i))
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
    """Run the user's Python function element by element in this thread: breakpoints work."""
    from nbgraph.operator.scalar import naive

    inputs = [v if type(v) in WEAK else v.asnumpy() for v in values]
    values_out = naive.call(op.scalar, inputs, parameters, out=(None,) * len(results))
    for i, (result, value) in enumerate(zip(results, values_out, strict=True)):
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
    """Return the common device of all arrays; raise DeviceError where they differ."""
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
    """Raise ValueError where the memory of `out` may not be written."""
    if not hasattr(out, "_chunk"):
        raise ArgumentError(
            f"{name}: {label} is {noun(out)}; expected an NDArray, as the operands are"
        )
    memory: chunk.Chunk = out._chunk
    if memory.locked:
        raise ValueError(f"{name}: {label} may not be written: {memory.locked}")
    if memory.leases:
        raise ValueError(
            f"{name}: {label} may not be written: {memory.leases} view(s) of its memory are lent "
            "to another library; delete those, or write to a copy"
        )
    if overlaps_itself(out._view()):
        raise ValueError(f"{name}: {label} is a broadcast view, elements share memory; give a copy")
    recorder = recording.get()
    if recorder is not None:
        recorder.check_write(name, out)
