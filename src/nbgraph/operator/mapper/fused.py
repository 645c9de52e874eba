"""Several operators in one loop, with the bits of their results applied one by one.

`fuse` makes an operator of parts: applications of operators to external operands, to numbers and to
each other's results. Values between parts stay in registers, so their dtypes must be ones that
registers preserve: integers, bool, or floats of the precision of the whole loop. These dtypes
depend on the operands: `typed_parts` infers them, and a plan for others raises FusionError. 16-bit
floats may enter and leave a loop but not pass between parts.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, NoReturn

import numpy as np

from nbgraph.dtype import is_float, name_of
from nbgraph.errors import ArgumentError, FusionError
from nbgraph.kernels.function.fused import Application, Fused, Source
from nbgraph.kernels.scalar.kinds import kind_of_dtype
from nbgraph.operator.mapper.mapper import Mapper
from nbgraph.operator.scalar.invoke import Invoker
from nbgraph.operator.scalar.map_call import Plan
from nbgraph.operator.scalar.typing import Array, Typed, as_operand, common_dtype

MAX_FUSED = 512  # operators cached, least recently used evicted first

Value = np.dtype[Any] | bool | int | float  # what is known of an operand: its dtype, or the number


class Part(NamedTuple):
    """An application of an operator inside a fused one.

    `operands`, in the operator's order: ("in", k) is the k-th external operand, ("number", k) the
    k-th number, ("part", i, j) output j of the earlier part i. `parameters`: keywords of a call.
    """

    op: Mapper
    operands: tuple[Source, ...]
    parameters: Mapping[str, Any] = {}


def fuse(
    name: str, parts: Sequence[Part], outputs: Sequence[tuple[int, int]]
) -> tuple[Mapper, dict[str, Any]]:
    """Return an operator that computes `outputs`, each (part, output of it), and the parameters to
    call it with. Equal parts give the same operator, until one of them is refreshed.

    Its operands are the external ones (x0, x1, ...), then the numbers (n0, ...), which alone are
    weak. A number used with several dtypes must be passed once for each. Raises ArgumentError if
    parts refer to missing values, CertificateError if a derivative among them is wrong.

    >>> import numpy as np, nbgraph as ng
    >>> from nbgraph.ops.elementwise.arithmetic import add, multiply
    >>> parts = [Part(multiply, (("in", 0), ("number", 0))), Part(add, (("part", 0, 0), ("in", 1)))]
    >>> op, parameters = fuse("scaled_sum", parts, [(1, 0)])
    >>> op(np.float32([1, 2]), np.float32([10, 20]), 3.0, **parameters)
    array([13., 26.], dtype=float32)
    """
    # another key once a global or helper that a part reads has changed
    forms = tuple((part.op, part.op.scalar.watch, part.operands) for part in parts)
    key = name, forms, tuple(outputs)
    mapper = _FUSED.get(key)
    if mapper is None:
        _require_known(name, parts, outputs)
        mapper = _FUSED[key] = FusedMapper(name, parts, outputs)
        while len(_FUSED) > MAX_FUSED:
            _FUSED.popitem(last=False)
    return mapper, {
        mapper.names[i][parameter]: value
        for i, part in enumerate(parts)
        for parameter, value in part.op.parameters_of(dict(part.parameters)).items()
    }


_FUSED: OrderedDict[Any, FusedMapper] = OrderedDict()


def _require_known(name: str, parts: Sequence[Part], outputs: Sequence[tuple[int, int]]) -> None:
    """Raise unless parts read earlier parts, with as many operands as their operators have."""
    for i, part in enumerate(parts):
        if len(part.operands) != part.op.nin:
            raise ArgumentError(
                f"{name}: part {i} gives {part.op.__name__} {len(part.operands)} operand(s), it "
                f"takes {part.op.nin}"
            )
        for source in part.operands:
            if source[0] == "part" and not _exists(parts, source[1:], i):
                raise ArgumentError(
                    f"{name}: part {i} ({part.op.__name__}) reads {source}; parts may read "
                    f"outputs of the {i} parts before them"
                )
    missing = [o for o in outputs if not _exists(parts, o, len(parts))]
    if missing or not outputs:
        raise ArgumentError(
            f"{name}: outputs={list(outputs)}; give (part, output) pairs of the {len(parts)} "
            "parts, at least one"
        )


def _exists(parts: Sequence[Part], output: tuple[int, ...], below: int) -> bool:
    i, j = output
    return 0 <= i < below and 0 <= j < parts[i].op.nout


class FusedMapper(Mapper):
    """An operator that `fuse` made of others; certified by its parts."""

    def __init__(
        self, name: str, parts: Sequence[Part], outputs: Sequence[tuple[int, int]]
    ) -> None:
        for part in parts:
            part.op.require_certificate()
        self.parts, self.outputs = tuple(parts), tuple(outputs)
        self.names = [
            {p.name: f"p{i}_{p.name}" for p in part.op.scalar.parameters}
            for i, part in enumerate(parts)
        ]
        scalar = _scalar(name, parts, outputs, self.names)
        self.inputs = scalar.inputs  # external operands, without the numbers
        super().__init__(scalar, certify=False)
        self.invoker = _FusedInvoker(self)

    def refresh(self) -> None:
        super().refresh()
        for part in self.parts:
            part.op.refresh()

    def _note(self, parameters: dict[str, Any], operands: Sequence[Any], plan: Plan) -> None:
        """Set up no fast path: it would give a Python number the first operand's dtype."""

    def __reduce__(self) -> Any:
        return _again, (self.__name__, self.parts, self.outputs)


def _again(name: str, parts: Sequence[Part], outputs: Sequence[tuple[int, int]]) -> Mapper:
    return fuse(name, parts, outputs)[0]


def _scalar(
    name: str,
    parts: Sequence[Part],
    outputs: Sequence[tuple[int, int]],
    names: Sequence[Mapping[str, str]],
) -> Fused:
    sources = [s for part in parts for s in part.operands]
    count = {
        kind: max((s[1] + 1 for s in sources if s[0] == kind), default=0)
        for kind in ("in", "number")
    }
    applications = [
        Application(part.op.scalar, part.operands, own, part.op.probe_kinds)
        for part, own in zip(parts, names, strict=True)
    ]
    return Fused(name, applications, outputs, count["in"], count["number"])


# dtypes -----------------------------------------------------------------------------------------


def precision(
    op: Mapper, values: Sequence[Value], parameters: Mapping[str, Any]
) -> tuple[str | None, tuple[np.dtype[Any], ...]]:
    """Return the precision of an application ("float32", "float64"; None without floats), and the
    dtypes of its outputs. `values` are dtypes of arrays and Python numbers.

    Two applications may share a loop if their precisions are equal or one is None, and one may read
    the other's float if that has the same dtype.

    >>> from nbgraph.ops.elementwise.arithmetic import add
    >>> precision(add, [np.dtype("float16"), 1], {})
    ('float32', (dtype('float16'),))
    """
    typed = op.invoker.plan_of(values, op.parameters_of(dict(parameters))).typed
    nodes = typed.captured.graph.reachable(typed.captured.outputs)
    floating = any(node.kind == "f" for node in nodes)
    return typed.compute if floating else None, typed.outputs


@dataclass(slots=True, eq=False, repr=False)
class PartTypes:
    """The precision of the loop, the dtypes of numbers, and those of each part's outputs."""

    parts: Sequence[Part]
    values: Mapping[str, Sequence[Value]]  # arrays ("in") and numbers
    numbers: list[np.dtype[Any] | None]  # None: no part reads it
    compute: str | None = None
    outputs: list[tuple[np.dtype[Any], ...]] = field(default_factory=list)

    def _refuse(self, i: int, problem: str) -> NoReturn:
        raise FusionError(f"part {i} ({self.parts[i].op.__name__}) {problem}")

    def add(self, i: int) -> None:
        """Infer the next part, whose dtypes must not depend on the rest of the loop."""
        part = self.parts[i]
        operands = [
            self.outputs[s[1]][s[2]] if s[0] == "part" else self.values[s[0]][s[1]]
            for s in part.operands
        ]
        compute, outputs = precision(part.op, operands, part.parameters)
        if len(self.parts) > 1 and part.op.fastmath:
            self._refuse(i, "may be reordered with others (fastmath)")
        steps = part.op.__name__.startswith("nextafter")  # in 16 bits it depends on stored dtypes
        if len(self.parts) > 1 and steps and any(map(narrow, outputs)):
            self._refuse(i, f"steps in {name_of(outputs[0])}")
        if None not in (self.compute, compute) and self.compute != compute:
            self._refuse(i, f"computes in {compute}, others in {self.compute}")
        self.compute = self.compute or compute
        self.outputs.append(outputs)
        common = common_dtype(part.op.scalar, operands)
        for source, value in zip(part.operands, operands, strict=True):
            if source[0] != "number":
                continue
            dtype = value if isinstance(value, np.dtype) else common
            before = self.numbers[source[1]]
            if before not in (None, dtype):
                raise FusionError(
                    f"number {source[1]} is {before} in one part and {dtype} in part {i} "
                    f"({part.op.__name__}); give it twice"
                )
            self.numbers[source[1]] = dtype

    def require_kept(self, i: int) -> None:
        """Raise if a part reads a float that memory would round but a loop does not."""
        for source in self.parts[i].operands:
            dtype = self.outputs[source[1]][source[2]] if source[0] == "part" else None
            if dtype is not None and is_float(dtype) and name_of(dtype) != self.compute:
                self._refuse(
                    i,
                    f"reads {name_of(dtype)} of part {source[1]}, which is rounded in memory but "
                    f"not in a loop that computes in {self.compute}",
                )


def narrow(dtype: np.dtype[Any]) -> bool:
    """Return whether a dtype is a 16-bit float."""
    return is_float(dtype) and dtype.itemsize == 2


def typed_parts(
    parts: Sequence[Part], dtypes: Sequence[Value], numbers: Sequence[Value]
) -> PartTypes:
    """Return dtypes through all parts; FusionError says what prevents a single loop."""
    types = PartTypes(parts, {"in": dtypes, "number": numbers}, [None] * len(numbers))
    for step in (types.add, types.require_kept):
        for i in range(len(parts)):
            step(i)
    return types


class _FusedInvoker(Invoker):
    """An invoker that infers dtypes part by part: each computes as it would alone."""

    loop_name = "fused"  # one kernel whatever the operator's name

    def __init__(self, op: FusedMapper) -> None:
        super().__init__(op.scalar)
        self._op = op

    def prepare(
        self,
        values: Sequence[object],
        parameters: Mapping[str, Any],
        dtype: object = None,
        casting: str = "same_kind",
    ) -> tuple[list[Array], Plan]:
        name = self.scalar.name
        if dtype is not None:
            raise ArgumentError(
                f"{name}: dtype={dtype!r} is given to several operators in one; cast the operands"
            )
        raw = [as_operand(name, n, v) for n, v in zip(self.scalar.operands, values, strict=True)]
        raw = [np.asarray(v) if k < self._op.inputs else v for k, v in enumerate(raw)]
        plan = self.plan_of([getattr(v, "dtype", v) for v in raw], parameters)
        arrays = [np.asarray(v, d) for v, d in zip(raw, plan.typed.operands, strict=True)]
        return arrays, plan

    def plan(
        self,
        dtypes: Sequence[np.dtype[Any]],
        common: np.dtype[Any],
        parameters: Mapping[str, Any],
        dtype: object = None,
    ) -> Plan:
        return self.plan_of(dtypes, parameters)

    def plan_of(self, values: Sequence[Any], parameters: Mapping[str, Any]) -> Plan:
        weak = tuple(v if isinstance(v, np.dtype) else type(v) for v in values)
        return self._resolved((weak,), parameters, lambda: self._typed(values, parameters))

    def _typed(self, values: Sequence[Value], parameters: Mapping[str, Any]) -> Typed:
        op = self._op
        parts = [
            Part(part.op, part.operands, {own: parameters[name] for own, name in names.items()})
            for part, names in zip(op.parts, op.names, strict=True)
        ]
        arrays = values[: op.inputs]
        types = typed_parts(parts, arrays, values[op.inputs :])
        own = [np.dtype(bool) if d is None else d for d in types.numbers]
        dtypes = tuple(v for v in (*arrays, *own) if isinstance(v, np.dtype))
        captured = op.scalar.capture([kind_of_dtype(d) for d in dtypes], parameters)
        outputs = tuple(types.outputs[i][j] for i, j in op.outputs)
        return Typed(captured, dtypes, outputs, types.compute or "float64")
