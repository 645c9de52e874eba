"""Graphs as functions of arrays, recorded as one operator of the tape.

A run of a graph whose operands are on the tape keeps what its gradient reads, as further outputs of
the same node; its backward pass is a graph, too, and is run in the same way. So derivatives of any
order are graphs of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import FrameType
from typing import Any, NamedTuple

from nbgraph.array.chunk import CPU
from nbgraph.array.core import Array
from nbgraph.autograd.rules import Rule
from nbgraph.autograd.sums import zeros_of
from nbgraph.errors import ArgumentError, DerivativeError
from nbgraph.executor.function import Function
from nbgraph.executor.split import split
from nbgraph.graph import build
from nbgraph.graph.build import GraphNode
from nbgraph.graph.graph import Entry, Graph, spec
from nbgraph.graph.passes.gradient import gradient, no_gradient
from nbgraph.operator.arrays.array_op import Gradients
from nbgraph.operator.arrays.array_op import constant as constant_rule
from nbgraph.operator.call import recording
from nbgraph.ops.define import library

Wanted = tuple[bool, ...]


class GraphFunction(Function):
    """A typed graph as a differentiable function of the arrays of its variables."""

    rule = staticmethod(constant_rule)  # for calls without operands on the tape
    view = None

    def __init__(self, graph: Graph, name: str) -> None:
        super().__init__(graph, name)
        self._trained: dict[Wanted, Trained | DerivativeError] = {}

    def __call__(self, arrays: Sequence[Array], place: FrameType | None = None) -> Sequence[Any]:
        """Return the heads for arrays of the variables; `place`: see `Function.run`."""
        for array in arrays:
            if not array._layout.contiguous:
                self._require_states(arrays)
                copy = library.copy
                arrays = [a if a._layout.contiguous else copy(a) for a in arrays]
                break
        recorder = recording.get()
        if recorder is None:
            return self.run(arrays, place=place)
        flags = tuple([a._node is not None and a._layout.floating for a in arrays])
        if True not in flags:
            outputs = self.run(arrays)
            recorder.record(self, arrays, {}, outputs, ())  # checks for overwritten values
            return outputs
        trained = self.trained(flags)
        if isinstance(trained, DerivativeError):
            outputs = self.run(arrays)
            recorder.record(Call(self.__name__, None, trained), arrays, {}, outputs, ())
            return outputs
        outputs = trained.forward.run(arrays)
        recorder.record(Call(self.__name__, trained), arrays, {}, outputs, ())
        return outputs[: len(self.layouts)]

    def _require_states(self, arrays: Sequence[Array]) -> None:
        """Raise ArgumentError for a state that is not contiguous, as it is written in place."""
        for k in self.states:
            if not arrays[k]._layout.contiguous:
                raise ArgumentError(
                    f"{self.__name__}: an auxiliary state is a view with gaps (strides "
                    f"{arrays[k].strides}), and would be updated in a copy; keep it in an array "
                    "of its own"
                )

    def trained(self, wanted: Wanted) -> Trained | DerivativeError:
        """Return the graphs of a run with gradients for these variables, or the error."""
        graphs = self._trained.get(wanted)
        if graphs is None:
            try:
                graphs = Trained(self.graph, wanted, self.__name__)
            except DerivativeError as problem:
                graphs = problem
            self._trained[wanted] = graphs
        return graphs


class Backward(NamedTuple):
    """A backward graph, the values of the node that it reads, and the operands of its results."""

    function: GraphFunction
    inputs: Sequence[int]
    outputs: Sequence[int]
    seeds: Sequence[int]  # outputs whose gradients it reads
    order: Sequence[tuple[str, int]]  # of the function's arrays
    results: Sequence[int]  # operands


class Trained:
    """A forward graph with the values for gradients as further heads, and its backward graphs."""

    def __init__(self, graph: Graph, wanted: Wanted, name: str) -> None:
        self.wanted, self.name = wanted, name
        self.variables = list(graph.variables)
        heads = list(graph.heads)
        more, closed = list[Entry](), set[Entry]()
        while True:  # saved values are differentiated in second derivatives
            self.graph = graph.with_heads(heads)
            self.floating = tuple([h not in closed and spec(h).dtype.kind in "cfV" for h in heads])
            try:
                residuals = self._split(self.floating)[0].kept
            except DerivativeError:
                # only a custom gradient reads this value: its derivatives raise later
                shut = {entry for entry in more if not self._differentiable(entry)} - closed
                if not shut:
                    raise
                closed |= shut
                continue
            present = set(heads)
            more = [entry for entry in residuals if entry not in present]
            if not more:
                break
            heads += more
        self.forward = GraphFunction(self.graph, name)
        self._place = {head: k for k, head in reversed(list(enumerate(heads)))}
        self._backward: dict[Wanted, Backward | None] = {}
        full = self.backward(self.floating)
        assert full is not None
        self.full = full

    def backward(self, wanted: Wanted) -> Backward | None:
        """Return the graph for these gradients of outputs, or None where it needs more values."""
        if wanted not in self._backward:
            self._backward[wanted] = self._new_backward(wanted)
        return self._backward[wanted]

    def _differentiable(self, entry: Entry) -> bool:
        """Return whether a head has derivatives."""
        try:
            self._split(tuple([head == entry for head in self.graph.heads]))
        except DerivativeError:
            return False
        return True

    def _split(self, wanted: Wanted) -> tuple[Any, dict[GraphNode, int]]:
        names = {str(v.name) for v in self.variables}
        seeds: dict[GraphNode, int] = {}
        heads: list[Entry] = []
        for k, head in enumerate(self.graph.heads):
            if wanted[k]:
                name = f"gradient of output {k}"
                while name in names:
                    name += "'"
                seeds[build.variable(name, *spec(head))] = k
                heads.append(head)
        wrt = [v for v, w in zip(self.variables, self.wanted, strict=True) if w]
        slopes = gradient(self.graph.with_heads(heads), wrt, [(s, 0) for s in seeds])
        self._results = [k for k, w in enumerate(self.wanted) if w]
        flows = [not no_gradient(head) for head in slopes.heads]
        slopes = slopes.with_heads([h for h, f in zip(slopes.heads, flows, strict=True) if f])
        self._results = [k for k, f in zip(self._results, flows, strict=True) if f]
        return split(self.graph, slopes), seeds

    def _new_backward(self, wanted: Wanted) -> Backward | None:
        halves, seeds = self._split(wanted)
        if any(entry not in self._place for entry in halves.kept):
            return None
        variables = list(halves.backward.variables)
        count = len(variables) - len(halves.kept)
        order: list[tuple[str, int]] = []
        for node in variables[:count]:
            seed = seeds.get(node)
            order.append(("seed", seed) if seed is not None else ("in", self.variables.index(node)))
        order += [("out", self._place[entry]) for entry in halves.kept]
        places = {sort: [k for s, k in order if s == sort] for sort in ("in", "out", "seed")}
        function = GraphFunction(halves.backward, f"backward of {self.name}")
        return Backward(
            function, places["in"], places["out"], places["seed"], order, tuple(self._results)
        )


class Call(Rule):
    """One run of a graph: the operator and the rule of its node on the tape."""

    __slots__ = ("__name__", "_problem", "_trained", "view")

    def __init__(
        self, name: str, trained: Trained | None, problem: DerivativeError | None = None
    ) -> None:
        self.__name__, self.view = name, None
        self._trained, self._problem = trained, problem

    def _required(self) -> Trained:
        """Return the graphs, or raise the error of their construction."""
        if self._trained is None:
            assert self._problem is not None
            raise type(self._problem)(str(self._problem)) from self._problem
        return self._trained

    def on_symbols(self, operands: Sequence[Any]) -> list[Any]:
        """Return the outputs of the same graph over symbols."""
        trained = self._required()
        moved: dict[Entry, Any] = {
            (v, 0): symbol.entry for v, symbol in zip(trained.variables, operands, strict=True)
        }
        heads = trained.graph.rewrite(lambda node, inputs: None, moved).heads
        return [type(operands[0])([head]) for head in heads]

    def reads_inputs(self, count: int) -> Sequence[int]:
        return () if self._trained is None else self._trained.full.inputs

    def reads_outputs(self, count: int) -> Sequence[int]:
        return () if self._trained is None else self._trained.full.outputs

    def reads_as_they_are(self) -> Sequence[int]:
        return () if self._trained is None else self._trained.forward.states

    def rule(self, g: Gradients) -> Sequence[Any]:
        """Return the gradients, by the backward graph."""
        trained = self._required()
        flags = tuple([o is not None for o in g.out_grads])
        backward = trained.backward(flags)
        full = trained.full
        if backward is None or not (
            set(backward.inputs) <= set(full.inputs) and set(backward.outputs) <= set(full.outputs)
        ):
            backward = full
        slopes: list[Any] = [None] * len(g.specs)
        if not backward.results:
            return slopes
        results = backward.function(
            [self._value(trained, sort, k, g) for sort, k in backward.order]
        )
        for k, value in zip(backward.results, results, strict=True):
            slopes[k] = value
        return slopes

    def _value(self, trained: Trained, sort: str, index: int, g: Gradients) -> Any:
        if sort == "in":
            return g.inputs[index]
        if sort == "out":
            return g.outputs[index]
        own = trained.forward.layouts[index]
        value = g.out_grads[index]
        if value is None:
            arrays = (v for v in (*g.out_grads, *g.inputs, *g.outputs) if isinstance(v, Array))
            return zeros_of(own, next((v.device for v in arrays), CPU))
        return value if value.dtype == own.dtype else library.astype(value, own.dtype)
