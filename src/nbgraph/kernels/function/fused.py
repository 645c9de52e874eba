"""Several scalar functions fused into one: intermediate results do not pass through memory.

The graphs of the parts are rebuilt in one graph, where equal expressions are one node. A value that
passes from one part to another has the type it would have had in memory: a Python int is an int64,
a Python bool NumPy's. A floating value passes as computed, which is right only if it would have
been stored in the precision of the loop; the caller that makes a kernel of it ensures that
(`nbgraph.operator.mapper.fused`).
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from nbgraph.kernels.capture.names import Watch
from nbgraph.kernels.function.scalar_function import Captured, Scalar
from nbgraph.kernels.function.signature import Choice, Parameter, Signature, parameter_kinds
from nbgraph.kernels.scalar.graph import GROWING, Graph, Node
from nbgraph.kernels.scalar.transplant import Transplant

# an external operand, a number passed in the call, or an output of an earlier part
Source = (
    tuple[Literal["in"], int] | tuple[Literal["number"], int] | tuple[Literal["part"], int, int]
)

STORED = {"i": "int64", "b": "bool"}  # the dtypes of weak values in memory


class Application(NamedTuple):
    """An application of a scalar function within a fused one; `names` renames its parameters."""

    scalar: Scalar
    operands: tuple[Source, ...]
    names: Mapping[str, str]
    probe: tuple[str, ...]  # operand kinds that the function is known to accept


class Fused:
    """A scalar definition composed of others; operands x0, x1, ..., parameters n0, n1, ..."""

    signature: Signature | None = None
    choices: tuple[Choice, ...] = ()
    draws = False  # random words are operands like others here

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
        """The objects that the parts read; another Watch once a part was refreshed."""
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
        """Refresh the parts; return whether one changed."""
        scalars = {id(part.scalar): part.scalar for part in self.parts}
        changed = [scalar.refresh() for scalar in scalars.values()]  # all of them
        return any(changed)

    @property
    def shares_kernels(self) -> bool:
        """See Scalar."""
        return any(part.scalar.shares_kernels for part in self.parts)

    @property
    def probes(self) -> tuple[tuple[str, ...], ...]:
        """The operand kinds to examine the definition with: those of the parts that read it."""
        kinds: dict[int, str] = {}
        for part in self.parts:
            for source, kind in zip(part.operands, part.probe, strict=True):
                if source[0] != "part" and kinds.get(place := self.place(source), "f") == "f":
                    kinds[place] = kind
        return (tuple(kinds.get(k, "f") for k in range(len(self.operands))),)

    def place(self, source: Source) -> int:
        """Return the operand index of an external source."""
        return source[1] if source[0] == "in" else self.inputs + source[1]

    def capture(self, kinds: Sequence[str], parameters: Mapping[str, Any]) -> Captured:
        """Return the graphs of the parts in one, each captured for its own kinds."""
        _ = self.watch  # drops outdated captures
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
                # a derivative needs floating operands
                replaced[leaf.id] = graph.cast(node, leaf.kind)
            for leaf in captured.parameters:
                parameter = graph.parameter(part.names[str(leaf.data)], leaf.kind)
                replaced[leaf.id] = parameter
                leaves.append(parameter)
            move = Transplant(captured.graph, graph, replaced)
            moved = [move(node) for node in captured.outputs]  # the value as read back from memory
            results.append([graph.cast(node, STORED.get(node.kind, node.kind)) for node in moved])
        outputs = [results[i][j] for i, j in self.outputs]
        return Captured(graph, tuple(operands), tuple(leaves), tuple(outputs))
