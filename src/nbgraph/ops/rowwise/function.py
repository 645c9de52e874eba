"""`@ng.row_op`: a plain Python function of a row becomes a row operator."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from nbgraph.errors import ArgumentError, CaptureError, NbgraphError
from nbgraph.kernels.capture.snapshot import Data, freeze, thaw
from nbgraph.operator.rows.row_op import RowOp
from nbgraph.ops.rowwise.derived import derived
from nbgraph.ops.rowwise.programs import AdjointProgram, TracedProgram
from nbgraph.signatures import checked

if TYPE_CHECKING:
    from nbgraph.ops.rowwise.explain import RowExplanation


class RowFunction(RowOp):
    """A row operator whose derivatives, of any order, come from its program."""

    program: TracedProgram

    def __init__(self, program: TracedProgram, *, certify: bool) -> None:
        super().__init__(program, gradient=derived, keeps=program.operands)
        self.__doc__, self.certify = inspect.getdoc(program.fn), certify
        self.__module__, self.__qualname__ = program.fn.__module__, program.fn.__qualname__
        self.__signature__ = _signature(program)

    @property
    def keeps(self) -> frozenset[str]:
        """The values that the gradient reads: all operands, and results that save computation."""
        kept: frozenset[str] | None = self.__dict__.get("kept")
        if kept is None:
            kept = self.__dict__["kept"] = frozenset(self.program.operands) | self._read_results()
        return kept

    @keeps.setter
    def keeps(self, names: frozenset[str]) -> None:
        """Ignore the assignment: the getter determines the names."""

    def _read_results(self) -> set[str]:
        program = self.program
        floats = [k for k, name in enumerate(program.operands) if name not in program.integers]
        results = {f"result{k}": f"out{k}" for k, _ in enumerate(program.results)}
        if len(results) == 1:
            results = {"result": "out"}
        names = [*program.operands, *results.values()]
        try:
            reverse = AdjointProgram(program, floats, range(len(program.results)), names)
            kinds = ["int32" if name in program.integers else "f" for name in reverse.operands]
            described = reverse.described(kinds, program.defaults)
        except NbgraphError:  # raised when a derivative is requested
            return set()
        captured = described.captured()
        read = {n.data for n in described.graph.reachable(captured.outputs) if n.op == "arg"}
        return {kept for name, kept in results.items() if name in read}

    def __copy__(self, memo: object = None) -> RowFunction:
        return self

    __deepcopy__ = __copy__

    def __reduce__(self) -> Any:
        """Pickle by name if a module has it, else by content: other processes lack the definitions
        of a notebook or a script."""
        owner: Any = sys.modules.get(self.__module__)
        for part in self.__qualname__.split("."):
            owner = getattr(owner, part, None)
        if owner is self and self.__module__ != "__main__":
            return self.__qualname__
        program = self.program
        try:
            return _restored, (freeze(program.fn), program.name, program.rows, self.certify)
        except CaptureError:  # for example, without source text
            if owner is not self:
                raise
            return self.__qualname__

    def explain(self) -> RowExplanation:
        """Show the passes of operator and gradients, what these read, and the certificate."""
        from nbgraph.ops.rowwise.explain import RowExplanation

        return RowExplanation(self)


def _restored(data: Data, name: str, rows: Sequence[str], certify: bool) -> RowFunction:
    """Return the operator for the data of `freeze`. Executes its text."""
    return RowFunction(TracedProgram(thaw(data), name, rows), certify=certify)


def _signature(program: TracedProgram) -> inspect.Signature:
    """Return the operator's signature: the function's, and the axis of a row."""
    kind = inspect.Parameter.KEYWORD_ONLY
    own = list(inspect.signature(program.fn).parameters.values())
    place = next((k for k, p in enumerate(own) if p.kind == kind), len(own))
    more = [inspect.Parameter("axis", kind, default=-1)]
    if program.rows or any(row for _, row in program.results):
        more.append(inspect.Parameter("keepdims", kind, default=False))
    more.append(inspect.Parameter("out", kind, default=None))
    return inspect.Signature([*own[:place], *more[:-1], *own[place:], more[-1]])


@checked
def row_op(
    fn: Callable[..., Any] | None = None,
    /,
    *,
    per_row: Sequence[str] | str = (),
    name: str | None = None,
    certify: bool = True,
) -> Any:
    """Make a row operator of a plain Python function of a row (a decorator).

    The function gets one row of each array, as a one-dimensional NumPy array would be: it may use
    arithmetic, functions of NumPy, `math` and ng on elements, scalar operators (`@ng.op`), totals
    (`x.sum()`, `max`, `min`, `prod`, `mean`, `var`, `std`, `np.linalg`-like norms of ng), other row
    operators such as `ng.softmax`, `x.size`, and one element of the row (`x[label]`, `x[-1]`). It
    returns one value per element, one per row, or a tuple of such values. It becomes one kernel on
    NumPy arrays, NDArrays, symbols, in `ng.jit` and on GPUs. Branches on values are scalar
    operators or `np.where`. Global and enclosing variables are read when it is decorated; pass
    values that change later as parameters.

    Its derivative is derived as another row operator, so there are derivatives of every order.
    Before its first use it is compared with finite differences in higher precision.

    Parameters
    ----------
    fn : function
        Positional arguments are operands, keyword-only ones scalar parameters with defaults.
    per_row : names of operands with one value per row (labels, quantiles), which come last
    name : of the operator, by default the function's
    certify : False skips the check of derivatives

    Returns
    -------
    operator
        Called with arrays that broadcast, `axis` (an int, a tuple or None for all, by default
        the last), `keepdims` where a result has one value a row, and the scalar parameters.

    Raises
    ------
    CaptureError for operations that a row operator cannot contain, ArgumentError for an invalid
    signature, CertificateError if a requested derivative contradicts the differences.

    >>> import numpy as np
    >>> import nbgraph as ng
    >>> @ng.row_op
    ... def softmax(x, *, temperature=1.0):
    ...     weight = np.exp((x - x.max()) / temperature)
    ...     return weight / weight.sum()
    >>> softmax(np.array([[0.0, 0.0], [1.0, -np.inf]]))
    array([[0.5, 0.5],
           [1. , 0. ]])
    >>> @ng.row_op(per_row="label")
    ... def cross_entropy(x, label):
    ...     return ng.logsumexp(x) - x[label]
    >>> x = ng.array([[0.0, 0.0], [3.0, 3.0]])
    >>> ng.grad(lambda x: cross_entropy(x, np.array([0, 1])).sum())(x)
    array([[-0.5,  0.5],
           [ 0.5, -0.5]], dtype=float32)
    """
    rows = (per_row,) if isinstance(per_row, str) else tuple(per_row)
    if fn is None:
        return lambda fn: row_op(fn, per_row=rows, name=name, certify=certify)
    if not callable(fn):
        raise ArgumentError(f"row_op: {fn!r} is not a function; @ng.row_op decorates one of a row")
    program = TracedProgram(fn, name or fn.__name__, rows)
    return RowFunction(program, certify=certify)
