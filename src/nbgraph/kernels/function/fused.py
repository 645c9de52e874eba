"""Several scalar functions as one: what one gives, others take, without memory in between.

The graphs of the parts are rebuilt in one graph, where equal expressions are one node. A value
that passes from one part to another is what it would have been in memory: a Python int is an
int64, a Python bool NumPy's. A floating value passes as it is computed, so that this is right
only where it would have been stored in the precision of the loop; who makes a kernel of it sees
to that (`nbgraph.operator.mapper.fused`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from nbgraph.kernels.capture.names import Watch
from nbgraph.kernels.function.scalar_function import Captured, Scalar
from nbgraph.kernels.function.signature import Choice, Parameter, Signature, parameter_kinds
from nbgraph.kernels.scalar.graph import GROWING, Graph, Node
from nbgraph.kernels.scalar.transplant import Transplant

# an external operand, a number of the call, or an output of an earlier part
Source = (
    tuple[Literal["in"], int] | tuple[Literal["number"], int] | tuple[Literal["part"], int, int]
)

STORED = {"i": "int64", "b": "bool"}  # the kinds that weak values have in memory


class Application(NamedTuple):
    """One scalar function in a fused one; `names`: what its parameters are called there."""

    scalar: Scalar
    operands: tuple[Source, ...]
    names: Mapping[str, str]
    probe: tuple[str, ...]  # operand kinds that it is known to take


class Fused:
    """A scalar definition made of others; its operands are x0, x1, ... and the numbers n0, ..."""

    signature: Signature | None = None
    choices: tuple[Choice, ...] = ()
    draws = False  # words are operands like others here

    def __init__(
        self,
        name: str,
        parts: Sequence[Application],
        outputs: Sequence[tuple[int, int]],
        inputs: int,
        numbers: int,
    ) -> None:
        self.name, self.parts, self.outputs = name, tuple(parts), tuple(outputs)
        self.inputs, self.numbers = inputs, numbers
        self.operands: tuple[str, ...] = (
            *(f"x{k}" for k in range(inputs)),
            *(f"n{k}" for k in range(numbers)),
        )
        self.defaults: Mapping[str, Any] = {}
        self.parameters: tuple[Parameter, ...] = tuple(
            Parameter(part.names[p.name], p.default, p.required)
            for part in parts
            for p in part.scalar.parameters
        )
        self._captures: dict[tuple[Any, ...], Captured] = {}
        self._seen: tuple[Watch, ...] = ()
        self._watch = Watch()

    @property
    def watch(self) -> Watch:
        """What the parts read; another object once a part was refreshed."""
        seen = tuple(part.scalar.watch for part in self.parts)
        if list(map(id, seen)) != list(map(id, self._seen)):
            self._captures.clear()
            self._watch, self._seen = Watch(), seen
            self._include()
        return self._watch

    def _include(self) -> None:
        for watch in self._seen:
            self._watch.include(watch)

    def refresh(self) -> bool:
        """Refresh the parts; whether one changed."""
        scalars = {id(part.scalar): part.scalar for part in self.parts}
        changed = [scalar.refresh() for scalar in scalars.values()]  # all of them
        return any(changed)

    @property
    def shares_kernels(self) -> bool:
        """See Scalar."""
        return any(part.scalar.shares_kernels for part in self.parts)

    @property
    def probes(self) -> tuple[tuple[str, ...], ...]:
        """Kinds to look at the definition with: what the parts that read an operand take."""
        kinds: dict[int, str] = {}
        for part in self.parts:
            for source, kind in zip(part.operands, part.probe, strict=True):
                if source[0] != "part" and kinds.get(place := self.place(source), "f") == "f":
                    kinds[place] = kind
        return (tuple(kinds.get(k, "f") for k in range(len(self.operands))),)

    def place(self, source: Source) -> int:
        """Which operand of the whole an external source is."""
        return source[1] if source[0] == "in" else self.inputs + source[1]

    def capture(self, kinds: Sequence[str], parameters: Mapping[str, Any]) -> Captured:
        """Return the graphs of the parts in one, each for the kinds it would have alone."""
        _ = self.watch  # drops captures that are out of date
        key = (tuple(kinds), parameter_kinds(parameters))
        captured = self._captures.get(key)
        if captured is None:
            with GROWING:
                captured = self._captures[key] = self._capture(kinds, parameters)
            self._include()
        return captured

    def _capture(self, kinds: Sequence[str], parameters: Mapping[str, Any]) -> Captured:
        graph = Graph()
        operands = [
            graph.argument(name, kind) for name, kind in zip(self.operands, kinds, strict=True)
        ]
        leaves: list[Node] = []
        results: list[list[Node]] = []
        for part in self.parts:
            taken = [
                results[s[1]][s[2]] if s[0] == "part" else operands[self.place(s)]
                for s in part.operands
            ]
            values = {own: parameters[name] for own, name in part.names.items()}
            captured = part.scalar.capture([node.kind for node in taken], values)
            replaced = {}
            for leaf, node in zip(captured.operands, taken, strict=True):
                # a derivative makes its operands floating
                replaced[leaf.id] = graph.cast(node, leaf.kind)
            for leaf in captured.parameters:
                parameter = graph.parameter(part.names[str(leaf.data)], leaf.kind)
                replaced[leaf.id] = parameter
                leaves.append(parameter)
            move = Transplant(captured.graph, graph, replaced)
            moved = [move(node) for node in captured.outputs]  # then as read from memory
            results.append([graph.cast(node, STORED.get(node.kind, node.kind)) for node in moved])
        outputs = [results[i][j] for i, j in self.outputs]
        return Captured(graph, tuple(operands), tuple(leaves), tuple(outputs))
