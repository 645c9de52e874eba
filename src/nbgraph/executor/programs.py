"""The programs of an executor: forward alone, forward and backward, and both as one."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

from nbgraph.array.core import Array, empty_of
from nbgraph.array.layout import layout
from nbgraph.executor.compiled import Compiled, compiled
from nbgraph.executor.options import Options
from nbgraph.executor.program import Behind, Program
from nbgraph.executor.split import Halves, split
from nbgraph.graph.build import GraphNode, Operand, variable
from nbgraph.graph.graph import Entry, Graph, spec
from nbgraph.graph.passes.gradient import gradient
from nbgraph.graph.passes.recompute import recompute
from nbgraph.operator.request import OpReqType, kWriteTo


class Bound:
    """A typed graph with the arrays that its programs read and write.

    Parameters
    ----------
    graph : Graph
        Typed.
    arrays : dict from variables to NDArray
    grads : dict from variables to (NDArray, request)
        For the variables whose gradients are wanted.
    outputs : sequence of NDArray
        One for each head.
    """

    def __init__(
        self,
        graph: Graph,
        arrays: dict[GraphNode, Array],
        grads: dict[GraphNode, tuple[Array, OpReqType]],
        outputs: Sequence[Array],
        options: Options,
        device: Any,
        name: str,
    ) -> None:
        self.graph, self.arrays, self.grads = graph, arrays, grads
        self.outputs, self.options, self.device, self.name = outputs, options, device, name
        self._building = threading.RLock()  # two threads may ask at once for what is not there yet
        self._predict: Program | None = None
        self._halves: tuple[Program, Program] | None = None
        self._both: dict[tuple[bool, ...], Program] = {}
        self.seeds: list[GraphNode] = [
            variable(f"gradient of output {k}", *spec(head)) for k, head in enumerate(graph.heads)
        ]
        self._seed_arrays: dict[GraphNode, Array] = {}
        self.held: dict[Any, Any] = {}  # what operators keep in this executor

    def require(self) -> None:
        """DeviceError or CompileError at the binding, not at a run, where the device cannot do one
        of the nodes."""
        if self.device.host:
            return
        made = [self._compiled(self.graph, [kWriteTo] * len(self.outputs))]
        if self.grads:
            gradients = self._gradients((True,) * len(self.outputs))
            made.append(self._compiled(gradients, [request for _, request in self.grads.values()]))
        for each in made:
            each.require()

    # programs ---------------------------------------------------------------------------------

    @property
    def predict(self) -> Program:
        """The results alone."""
        if self._predict is None:
            with self._building:
                self._predict = self._predict or self._make_predict()
        return self._predict

    def _make_predict(self) -> Program:
        return self._program(self.graph, self.outputs, [kWriteTo] * len(self.outputs), "forward")

    def both(self, given: tuple[bool, ...]) -> Program:
        """Results and gradients as one program; `given`: which head gradients are."""
        found = self._both.get(given)
        if found is None:
            with self._building:
                found = self._both.get(given) or self._make_both(given)
        return found

    def trained(self, behind: Behind) -> Program:
        """Results and gradients, and what is to run behind them, as one program."""
        return self._make_both((False,) * len(self.outputs), behind)

    def _make_both(self, given: tuple[bool, ...], behind: Behind | None = None) -> Program:
        gradients = self._gradients(given)
        heads: list[Entry] = [*self.graph.heads, *gradients.heads]
        joint = self._recomputed(Graph(heads, gradients.variables))
        targets = [*self.outputs, *(array for array, _ in self.grads.values())]
        requests = [kWriteTo] * len(self.outputs) + [r for _, r in self.grads.values()]
        if behind is not None:
            return self._program(joint, targets, requests, "train_step", behind=behind)
        found = self._both[given] = self._program(joint, targets, requests, "forward_backward")
        return found

    @property
    def halves(self) -> tuple[Program, Program]:
        """The forward program that keeps what the backward one reads, and that: it reads the
        gradients of all outputs."""
        if self._halves is None:
            with self._building:
                self._halves = self._halves or self._make_halves()
        return self._halves

    def _make_halves(self) -> tuple[Program, Program]:
        made: Halves = split(self.graph, self._gradients((True,) * len(self.outputs)))
        kept = [empty_of(layout(*spec(entry)), self.device) for entry in made.kept]
        forward = self._program(
            made.forward,
            [*self.outputs, *kept],
            [kWriteTo] * (len(self.outputs) + len(kept)),
            "forward",
        )
        count = len(made.backward.variables) - len(kept)
        arrays = dict(zip(made.backward.variables[count:], kept, strict=True))
        backward = self._program(
            made.backward,
            [array for array, _ in self.grads.values()],
            [request for _, request in self.grads.values()],
            "backward",
            arrays,
        )
        return forward, backward

    def _gradients(self, given: tuple[bool, ...]) -> Graph:
        heads: list[Entry] = []
        seeds: list[Operand | None] = []
        for head, seed, known in zip(self.graph.heads, self.seeds, given, strict=True):
            if spec(head).dtype.kind in "fV":
                heads.append(head)
                seeds.append((seed, 0) if known else None)
        return gradient(self.graph.with_heads(heads), list(self.grads), seeds)

    def _recomputed(self, joint: Graph) -> Graph:
        if self.options.recompute is None:
            return joint
        return recompute(joint, self.graph.nodes, every=self.options.recompute)

    def _program(
        self,
        graph: Graph,
        results: Sequence[Array],
        requests: Sequence[OpReqType],
        what: str,
        more: dict[GraphNode, Array] | None = None,
        behind: Behind | None = None,
    ) -> Program:
        arrays = [self._array(node, more or {}) for node in graph.variables]
        made = self._compiled(graph, requests)
        name = f"{what} of {self.name}"
        return Program(made, [*arrays, *results], name=name, held=self.held, behind=behind)

    def _compiled(self, graph: Graph, requests: Sequence[OpReqType]) -> Compiled:
        layouts = [layout(*spec((node, 0))) for node in graph.variables]
        return compiled(graph, layouts, requests, self.options, self.device)

    def _array(self, node: GraphNode, more: dict[GraphNode, Array]) -> Array:
        for known in (self.arrays, more):
            if node in known:
                return known[node]
        return self.seed(self.seeds.index(node))

    def seed(self, output: int) -> Any:
        """The array that holds the gradient of an output."""
        node = self.seeds[output]
        if node not in self._seed_arrays:
            self._seed_arrays[node] = empty_of(layout(*spec((node, 0))), self.device)
        return self._seed_arrays[node]

    def seed_arrays(self) -> list[Array]:
        """The arrays of gradients of outputs, as far as they were needed."""
        return list(self._seed_arrays.values())

    def made(self) -> dict[str, Program]:
        """The programs there are, by name."""
        found: dict[str, Program] = {}
        if self._predict is not None:
            found["forward"] = self._predict
        if self._halves is not None:
            found["forward, training"], found["backward"] = self._halves
        for given, program in self._both.items():
            which = ", ".join(str(k) for k, known in enumerate(given) if known)
            found["forward_backward" + (f", gradients of {which} given" if which else "")] = program
        return found
