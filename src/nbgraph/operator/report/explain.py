"""`op.explain()`: the derivative, kernels and other facts of a scalar function.

The object prints, displays in a notebook, and converts to a dictionary. Parts are computed at first
use; only `kernel` compiles.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from nbgraph import picture
from nbgraph.dtype import as_dtype
from nbgraph.errors import NbgraphError
from nbgraph.kernels.compiler import simd
from nbgraph.kernels.compiler.kernel import Kernel
from nbgraph.kernels.function.signature import defaults_of
from nbgraph.operator.report import certified, facts
from nbgraph.operator.scalar.typing import operand_dtypes
from nbgraph.tracebacks import place_label

if TYPE_CHECKING:
    from nbgraph.operator.scalar.elementwise import Elementwise
    from nbgraph.operator.scalar.map_call import Plan

_COMPILERS = {"llvm": "LLVM", "numba": "Numba"}


class Explanation(picture.Report):
    r"""The facts about one operator, for kernels of one dtype.

    It prints the most important facts; the texts that compilers read and wrote are attributes:
    `source` (Python), `llvm` and `assembly`.

    >>> import nbgraph as ng
    >>> square = ng.op(lambda x: x * x)
    >>> square.explain().derivatives["x"]
    'def function_dx(x):\n    return 2.0 * x'
    """

    _headed = True

    def __init__(self, op: Elementwise, dtype: object = None) -> None:
        op.refresh()
        self.op = op
        self.dtype = as_dtype("float32" if dtype is None else dtype)
        try:
            self._typed = self._plan()
        except NbgraphError:
            if dtype is not None:
                raise
            self.dtype = as_dtype("int64")  # an operator of integers alone
            self._typed = self._plan()

    def _plan(self) -> Plan:
        scalar = self.op.scalar
        dtypes = operand_dtypes(scalar, self.dtype)
        return self.op.invoker.plan(dtypes, self.dtype, defaults_of(scalar))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.op, self.dtype)  # kernels belong to their process

    # facts ------------------------------------------------------------------------------------

    @cached_property
    def text(self) -> str:
        """The source text of the scalar function."""
        return facts.scalar_text(self.op.scalar)[0]

    @cached_property
    def where(self) -> str:
        """File and line of the scalar text."""
        return place_label(facts.scalar_text(self.op.scalar)[1])

    @cached_property
    def gradient(self) -> str | None:
        """The text of a hand-written gradient, or None."""
        hand = self.op.hand_gradient
        return None if hand is None else facts.scalar_text(hand.scalar)[0]

    @cached_property
    def derivatives(self) -> dict[str, str]:
        """The derivative by each floating operand, as Python text."""
        return facts.derivative_texts(self.op)

    @cached_property
    def dependence(self) -> list[dict[str, Any]]:
        """For each floating operand: "class" (T0, T1, T2), what backward "reads", and "why"."""
        return facts.dependence_rows(self.op)

    @cached_property
    def guards(self) -> list[dict[str, Any]]:
        """Branches taken on a set without interior, as at x == 0: "operand", "where", "line",
        "outcome" (limit, jump, kink, unknown) of the slope there, "why", and its "slope"."""
        return facts.guard_rows(self.op)

    @cached_property
    def in_place(self) -> dict[str, Any]:
        """What may be overwritten, forward and backward."""
        return facts.in_place(self.op, self.dependence, self.dtype)

    @cached_property
    def dtypes(self) -> list[tuple[str, str, str]]:
        """Operands' dtype, results' dtypes, and precision of the arithmetic."""
        return facts.dtype_table(self.op)

    @cached_property
    def kernel(self) -> Kernel:
        """The contiguous kernel of this dtype; compiles it, or loads it from the cache."""
        op, plan = self.op, self._typed
        outputs = [o.name for o in plan.typed.outputs]
        layouts = ["c"] * (op.nin + op.nout)
        return plan.kernel(layouts, outputs, ["write"] * op.nout)

    @property
    def source(self) -> str:
        """The kernel as Python text, which every compiler reads."""
        return self.kernel.source.text

    @cached_property
    def llvm(self) -> str:
        """The kernel's LLVM text after optimisation."""
        return self.kernel.llvm()

    @cached_property
    def assembly(self) -> str:
        """The kernel's assembly text."""
        return self.kernel.assembly()

    @cached_property
    def simd(self) -> simd.Simd:
        """The SIMD report of the kernel's assembly."""
        return simd.of(self.kernel)

    @cached_property
    def certificates(self) -> dict[str, str]:
        """For each operand, what was checked of its derivative, or what is wrong."""
        op = self.op
        if not op.certify:
            return {}
        if op.hand_gradient is not None:
            try:
                results = certified.check_gradient(op.scalar, op.hand_gradient)
            except NbgraphError as error:
                return {"gradient": str(error)}
            return {c.wrt: str(c) for c in results}
        names = facts.floating_operands(op)
        seconds = certified.SECONDS / max(1, len(names))
        return {name: self._certificate(name, seconds) for name in names}

    def _certificate(self, name: str, seconds: float) -> str:
        scalar = self.op.scalar
        try:
            return "; ".join(str(c) for c in certified.certificates(scalar, name, 1, seconds))
        except NbgraphError as error:
            return str(error)

    @cached_property
    def notes(self) -> list[str]:
        """Further remarks."""
        return facts.notes(self.op)

    # showing ----------------------------------------------------------------------------------

    @property
    def title(self) -> str:
        """Name and signature."""
        return repr(self.op)

    def sections(self) -> list[tuple[str, str]]:
        parts = [(f"scalar text ({self.where})", self.text)]
        if self.gradient is not None:
            parts.append(("gradient, given by hand", self.gradient))
        for name, text in self.derivatives.items():
            parts.append((f"derivative w.r.t. {name}", text))
        if self.guards:
            parts.append(("guards", "\n".join(map(facts.guard_text, self.guards))))
        if self.dependence:
            parts.append(("what backward reads", self._dependence_text()))
        parts.append(("in place", self._in_place_text()))
        parts.append(("dtypes", self._dtype_text()))
        parts.append((f"kernel for {self.dtype.name}, contiguous", self._kernel_text()))
        if self.certificates:
            parts.append(("certificate", picture.columns(list(self.certificates.items()))))
        if self.notes:
            parts.append(("notes", "\n".join(self.notes)))
        return parts

    def _dependence_text(self) -> str:
        lines = [picture.columns([(r["operand"], r["class"], r["why"]) for r in self.dependence])]
        for row in self.dependence:
            if row["form"]:
                lines.append(row["form"])
        return "\n".join(lines)

    def _in_place_text(self) -> str:
        facts = self.in_place
        rows = [("forward", text) for text in facts["forward"].values()]
        rows.append(("backward", facts["backward"]))
        options = f"{facts['forward_option']} forward, {facts['backward_option']} backward"
        return f"{picture.columns(rows)}\n{options} (where shapes agree)"

    def _dtype_text(self) -> str:
        rows = [
            (operand, f"-> {result}", f"computed in {computed}")
            for operand, result, computed in self.dtypes
        ]
        return picture.columns(rows)

    def _kernel_text(self) -> str:
        try:
            kernel = self.kernel
        except NbgraphError as error:
            return f"none: {error}"
        how = "found in the disk cache, compiled" if kernel.origin == "disk" else "compiled now"
        return f"{self.simd}\n{how} by {_COMPILERS[kernel.compiler]} in {kernel.seconds:.2f} s"

    def to_dict(self) -> dict[str, Any]:
        """Return all facts as plain values."""
        kernel = self.kernel
        return {
            "name": self.op.__name__,
            "signature": str(self.op.__signature__),
            "text": self.text,
            "where": self.where,
            "gradient": self.gradient,
            "derivatives": dict(self.derivatives),
            "guards": [dict(row) for row in self.guards],
            "dependence": [dict(row) for row in self.dependence],
            "in_place": dict(self.in_place),
            "dtypes": [list(row) for row in self.dtypes],
            "kernel": {
                "dtype": self.dtype.name,
                "compiler": kernel.compiler,
                "seconds": kernel.seconds,
                "origin": kernel.origin,
                "vectorised": self.simd.vectorised,
                "width": self.simd.width,
                "lanes": self.simd.lanes,
                "calls": list(self.simd.calls),
                "reason": self.simd.reason,
                "cpu": self.simd.cpu,
            },
            "certificates": dict(self.certificates),
            "opaque": facts.opaque_calls(self.op),
            "notes": list(self.notes),
        }
