"""`op.explain()` of a row operator: passes of it and of its gradients, and their certificates."""

from __future__ import annotations

import inspect
from functools import cached_property
from typing import TYPE_CHECKING, Any

from nbgraph import picture
from nbgraph.errors import NbgraphError
from nbgraph.kernels.scalar.graph import Graph, Node
from nbgraph.kernels.scalar.readable import expression
from nbgraph.operator.rows.row_program import Described
from nbgraph.ops.rowwise.certified import require
from nbgraph.ops.rowwise.programs import AdjointProgram, TracedProgram

if TYPE_CHECKING:
    from nbgraph.ops.rowwise.function import RowFunction

_WORDS = {"add": "sum", "multiply": "product", "max": "largest", "min": "smallest"}


class RowExplanation(picture.Report):
    """The facts about a row operator.

    Attributes
    ----------
    text : str
        The function.
    passes : list of str
        What each pass over a row computes; the last line gives the results.
    derivatives : dict of str to list of str
        The same for the gradient of each operand, with `out_grad` for that of the result.
    dependence : dict of str to str
        For each operand, "T0" if its gradient reads out_grad alone, "T1" if it also reads
        results, "T2" if it reads operands.
    certificates : dict of str to str
        What was compared with differences in higher precision, or what was found wrong.

    >>> import nbgraph as ng
    >>> @ng.row_op
    ... def centred(x):
    ...     return x - x.mean()
    >>> centred.explain().passes
    ['total0 = sum of x', 'result: x - total0 / count']
    >>> centred.explain().dependence
    {'x': 'T0'}
    """

    _headed = True

    def __init__(self, op: RowFunction) -> None:
        self.op, self.title = op, op.__name__

    @property
    def _program(self) -> TracedProgram:
        return self.op.program

    @cached_property
    def text(self) -> str:
        """The function's source text."""
        try:
            return inspect.getsource(self._program.fn).rstrip()
        except (OSError, TypeError):
            return f"{self.op.__name__}: its text is not at hand"

    @cached_property
    def passes(self) -> list[str]:
        """The computation, pass by pass."""
        return _passes(self._described(self._program))

    @cached_property
    def derivatives(self) -> dict[str, list[str]]:
        """The passes of each operand's gradient."""
        return {name: _passes(d) for name, d in self._gradients.items()}

    @cached_property
    def dependence(self) -> dict[str, str]:
        """What each operand's gradient reads."""
        classes = {}
        for name, described in self._gradients.items():
            stages = described.needed(described.outputs)
            roots = [*described.outputs, *(t.node for stage in stages for t in stage)]
            read = {str(n.data) for n in described.graph.reachable(roots) if n.op == "arg"}
            results = any(n.startswith("result") for n in read)
            own = read & set(self._program.operands)
            classes[name] = "T2" if own else "T1" if results else "T0"
        return classes

    @cached_property
    def certificates(self) -> dict[str, str]:
        """What was checked of each operand's gradient."""
        texts = {}
        for name in self._gradients:
            adjoint = self._gradient_program(self._program.operands.index(name))
            try:
                texts[name] = "; ".join(map(str, require(adjoint)))
            except NbgraphError as error:
                texts[name] = str(error)
        return texts

    @cached_property
    def _gradients(self) -> dict[str, Described]:
        return {
            name: self._described(self._gradient_program(k))
            for k, name in enumerate(self._program.operands)
            if name not in self._program.integers
        }

    def _gradient_program(self, operand: int) -> AdjointProgram:
        outputs = range(len(self._program.results))
        return AdjointProgram(self._program, [operand], outputs, self.op.keeps)

    def _described(self, program: Any) -> Described:
        kinds = ["int32" if n in program.integers else "f" for n in program.operands]
        parameters = {name: p.default for name, p in program.parameters.items()}
        return program.described(kinds, parameters)

    def sections(self) -> list[tuple[str, str]]:
        parts = [("function of a row", self.text), ("passes", "\n".join(self.passes))]
        parts += [
            (f"gradient of {name} ({self.dependence[name]})", "\n".join(lines))
            for name, lines in self.derivatives.items()
        ]
        return [*parts, ("certificate", picture.columns(list(self.certificates.items())))]

    def to_dict(self) -> dict[str, Any]:
        """Return all facts as plain values."""
        names = ("text", "passes", "derivatives", "dependence", "certificates")
        return {"name": self.op.__name__} | {name: getattr(self, name) for name in names}


def _passes(described: Described) -> list[str]:
    """Return a line per total, then one per result."""
    graph: Graph = described.graph
    lines = [
        f"{total.leaf.data} = {_WORDS[total.combine]} of {expression(graph, total.node)}"
        for stage in described.needed(described.outputs)
        for total in stage
    ]
    results: list[Node] = list(described.outputs)
    return [*lines, *(f"result: {expression(graph, node)}" for node in results)]
