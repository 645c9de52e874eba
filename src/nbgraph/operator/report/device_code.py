"""GPU code of an operator: the PTX of its contiguous map, which needs no GPU."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Any

from nbgraph.dtype import as_dtype
from nbgraph.errors import ArgumentError, CompileError, DTypeError, NbgraphError
from nbgraph.kernels.cuda import machine
from nbgraph.kernels.cuda.compile import CAPABILITIES
from nbgraph.kernels.cuda.grid import Grid, lanes
from nbgraph.kernels.cuda.kernel import DeviceKernel, device_kernel
from nbgraph.kernels.function.signature import defaults_of
from nbgraph.operator.report.explain import Explanation
from nbgraph.operator.scalar.typing import operand_dtypes

if TYPE_CHECKING:
    from nbgraph.kernels.loops.loop import Loop
    from nbgraph.operator.scalar.elementwise import Elementwise
    from nbgraph.operator.scalar.map_call import Plan

CAPABILITY = (9, 0)  # the default
_VECTOR = re.compile(r"\b(?:ld|st)\.global\.v\d\.\w+")


def capability(op: Elementwise, cc: object) -> tuple[int, int]:
    """Return a compute capability from `(9, 0)` or "9.0"; raise ArgumentError for another value."""
    pair = cc
    if isinstance(pair, str):
        pair = tuple(int(n) if n.isdigit() else -1 for n in pair.split("."))
    if pair not in CAPABILITIES:
        listed = ", ".join(f"({a}, {b})" for a, b in CAPABILITIES)
        raise ArgumentError(
            f"{op.__name__}.ptx: cc={cc!r} is not a compute capability that PTX is made for; those "
            f"are {listed}, and a device takes the PTX of one that is not above its own"
        )
    return pair  # type: ignore[return-value]


def side_by_side(op: Elementwise, plan: Plan) -> tuple[Loop, Grid]:
    """Return the loop over contiguous arrays, and its grid for aligned ones."""
    outputs = [o.name for o in plan.typed.outputs]
    layouts = ["c"] * (op.nin + op.nout)
    loop = plan.loop(layouts, outputs, ["write"] * op.nout)
    return loop, Grid(lanes=lanes(loop))


def contiguous(op: Elementwise, plan: Plan, cc: tuple[int, int] = CAPABILITY) -> DeviceKernel:
    """Return the kernel of that loop."""
    return device_kernel(*side_by_side(op, plan), cc)


def contiguous_kernel(op: Elementwise, dtype: object, cc: object = CAPABILITY) -> DeviceKernel:
    """Return the contiguous kernel for operands of a dtype; raises like `Mapper.ptx`."""
    op.refresh()
    try:
        chosen = as_dtype(dtype)
    except TypeError as error:
        if isinstance(error, NbgraphError):
            raise
        raise DTypeError(f"{op.__name__}.ptx: {dtype!r} is not a dtype: {error}") from None
    plan = op.invoker.plan(operand_dtypes(op.scalar, chosen), chosen, defaults_of(op.scalar))
    return contiguous(op, plan, capability(op, cc))


class DeviceExplanation(Explanation):
    """The facts about one operator and its GPU kernel.

    `source` is the kernel as Python text, `ptx` its PTX.

    >>> import nbgraph as ng
    >>> print(ng.op(lambda x: x * x).explain(device="gpu").vectors)
    ['ld.global.v4.b32', 'st.global.v4.b32']
    """

    @cached_property
    def device_kernel(self) -> DeviceKernel:
        """The contiguous kernel of this dtype; generates its PTX, or loads it from the cache."""
        return contiguous(self.op, self._typed)

    @property
    def lanes(self) -> int:
        """The number of elements that a thread handles at once."""
        return side_by_side(self.op, self._typed)[1].lanes

    @property
    def source(self) -> str:
        """The kernel as Python text."""
        return self.device_kernel.source.text

    @property
    def ptx(self) -> str:
        """The kernel in the form that the driver loads."""
        return self.device_kernel.ptx

    @property
    def vectors(self) -> list[str]:
        """The loads and stores of several elements at once."""
        return sorted(set(_VECTOR.findall(self.ptx)))

    @cached_property
    def machine(self) -> machine.Facts | None:
        """The resources of the machine code; None if NVIDIA's linker is not installed."""
        return machine.facts(self.ptx, CAPABILITY) if machine.library() else None

    def sections(self) -> list[tuple[str, str]]:
        parts = super().sections()
        try:
            parts.append(("kernel text for the GPU", self.source))
        except CompileError:
            pass  # reported in the section before
        return parts

    def _kernel_text(self) -> str:
        try:
            text = self.ptx
        except NbgraphError as error:
            return f"none: {error}"
        count = self.lanes
        least, several = ".".join(map(str, CAPABILITY)), "s" if count > 1 else ""
        lines = text.count("\n")
        vectors = ", ".join(self.vectors) or "no vectors of elements"
        return (
            f"PTX for compute capability {least} and above, {lines} lines, by LLVM\n"
            f"{count} element{several} a thread at once: {vectors}\n{self._machine_text()}"
        )

    def _machine_text(self) -> str:
        code = self.machine
        if code is None:
            return f"registers: not known without nvJitLink (pip install '{machine.PACKAGE}')"
        return (
            f"machine code: {code.registers} registers a thread, {code.stack} bytes of stack, "
            f"{code.spills} bytes of registers spilled, {code.code} bytes"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return all facts as plain values."""
        entries = super().to_dict()
        facts = self.machine
        return entries | {
            "gpu": {
                "capability": list(CAPABILITY),
                "entry": self.device_kernel.name,
                "lanes": self.lanes,
                "vectors": self.vectors,
                "machine": None if facts is None else facts._asdict(),
            }
        }


def explain(op: Elementwise, *, dtype: object = None, device: object = None) -> Explanation:
    """Return an operator's explanation for "cpu" or "gpu"; ArgumentError for another device."""
    kind = "cpu" if device is None else str(device).partition("(")[0]
    if kind not in ("cpu", "gpu"):
        raise ArgumentError(
            f"{op.__name__}.explain: device {device!r} is not known; use 'cpu' (the default) or "
            "'gpu'"
        )
    try:
        return Explanation(op, dtype) if kind == "cpu" else DeviceExplanation(op, dtype)
    except TypeError as error:
        if isinstance(error, NbgraphError):
            raise
        raise DTypeError(f"{op.__name__}.explain: {dtype!r} is not a dtype: {error}") from None
