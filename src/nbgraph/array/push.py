"""Infer the kernels of scalar operators from layouts, and push them."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from nbgraph.array.core import Array, empty_of
from nbgraph.array.place import place
from nbgraph.array.place import push as push_call
from nbgraph.kernels.function.signature import parameter_kinds
from nbgraph.operator.kernel_call import KernelCall
from nbgraph.operator.layout import Layout, keep, layout
from nbgraph.operator.mapper.mapper import Mapper
from nbgraph.operator.rows.reduce_call import same as same
from nbgraph.operator.scalar.map_call import Plan, map_call
from nbgraph.operator.scalar.typing import holds
from nbgraph.ops.elementwise.casting import truth as truth
from nbgraph.shape import Shape, broadcast, overlap

WEAK = (bool, int, float, complex)


class Inferred(NamedTuple):
    """A scalar operator for operands of certain layouts: its plan and its outputs' layouts."""

    plan: Plan
    shape: Shape
    outputs: tuple[Layout, ...]


def inferred(op: Mapper, values: Sequence[Any], parameters: Mapping[str, Any]) -> Inferred:
    """Return the cached plan and outputs of an operator for arrays and numbers like these. Raise
    for shapes, dtypes or numbers that do not fit together."""
    weak = [v if type(v) in WEAK else v._layout for v in values]
    key = (*[type(v) if type(v) in WEAK else v for v in weak], parameter_kinds(parameters))
    inference = op.carried.get(key)
    if inference is None or not all(map(holds, inference.plan.typed.operands, values)):
        dtypes = [v.dtype if isinstance(v, Layout) else v for v in weak]
        plan = op.invoker.plan_of(dtypes, parameters)
        shapes = [v.shape if isinstance(v, Layout) else () for v in weak]
        shape = broadcast(op.__name__, list(zip(op.scalar.operands, shapes, strict=True)))
        outputs = tuple([layout(shape, dtype) for dtype in plan.typed.outputs])
        inference = keep(op.carried, key, Inferred(plan, shape, outputs), 4096)
    plan = inference.plan.having(parameters)
    if plan is not inference.plan:
        inference = op.carried[key] = inference._replace(plan=plan)
    return inference


def push(
    plan: Plan,
    values: Sequence[Any],
    results: Sequence[Array],
    outs: Sequence[Any] | None,
    requests: Sequence[str] | None,
) -> KernelCall:
    """Push and return the kernel call that writes `results`; those in `outs` existed before.

    The operands broadcast to the common shape of the results. Results with request "null" are
    skipped; the others may have dtypes that differ from the operator's.
    """
    words = tuple(requests) if requests is not None else ("write",) * len(results)
    if outs is not None:
        values = [v if type(v) in WEAK or not _clashes(v, results) else copied(v) for v in values]
    arrays = [v for v in values if type(v) not in WEAK]
    layouts = [None if type(v) in WEAK else v._layout for v in values]
    used = [r for r, a in zip(results, words, strict=True) if a != "null"]
    apart = outs is None or (len(used) == 1 and all(a._chunk is not used[0]._chunk for a in arrays))
    with place(used[0].device).preparing():
        call = map_call(
            plan,
            used[0].shape,
            layouts,
            [r._layout for r in results],
            words,
            disjoint=apart,
            once=apart,
        )
    overwrites = "add" not in words and (
        outs is None or all(o is None or covers(o, values) for o in outs)
    )
    numbers = plan.numbers([v if type(v) in WEAK else None for v in values])
    push_call(call, (*arrays, *used), numbers, overwrites=overwrites)
    return call


def covers(out: Array, values: Sequence[Any]) -> bool:
    """Return whether writing `out` replaces the whole content of its chunk."""
    if any(getattr(v, "_chunk", None) is out._chunk for v in values):
        return False
    holder = out._holder
    return holder is None or (out._layout.contiguous and out._layout.nbytes == holder.nbytes)


def _clashes(value: Array, results: Sequence[Array]) -> bool:
    """Return whether an operand overlaps an output in any way but element by element."""
    for result in results:
        if result._chunk is value._chunk:
            if result._address == value._address and result._layout is value._layout:
                continue
            a, b = result._view(), value._view()
            if overlap(a, np.broadcast_to(b, a.shape)) == "partial":
                return True
    return False


def write(op: Mapper, value: Any, target: Array, request: str = "write") -> None:
    """Write (or add) the result of a unary scalar operator to an array of any dtype, unchecked and
    unrecorded. Complex values are written as two parts; real targets get the real part."""
    if target.dtype.kind == "c":
        for part, own in zip(_parts(value), _parts(target), strict=True):
            write(op, part, own, request)
        return
    if isinstance(value, Array) and value.dtype.kind == "c":
        value, imag = _parts(value)
        if target.dtype.kind == "b":  # true if either part is not 0
            write(truth, value, target, request)
            op, value, request = truth, imag, "add"
    push(inferred(op, [value], {}).plan, [value], [target], [target], [request])


def _parts(value: Any) -> tuple[Any, Any]:
    """Return real and imaginary parts, as views for arrays; the latter is 0 for a real number."""
    if not isinstance(value, Array):
        return value.real, value.imag
    if value.dtype.kind != "c":
        return value, 0.0
    memory = value._view()
    return value._of_view(memory.real), value._of_view(memory.imag)


def copied(array: Array) -> Any:
    """Return an unrecorded row-major copy of `array`."""
    return moved(array, layout(array.shape, array.dtype))


def moved(array: Array, own: Layout) -> Any:
    """Return an unrecorded copy of `array`, broadcast to the layout `own`."""
    result = empty_of(own, array.device)
    write(same, array, result)
    return result
