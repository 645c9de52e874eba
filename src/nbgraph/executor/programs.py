"""The programs of an executor: forward alone, forward and backward, and both as one."""

import threading
from collections.abc import Mapping, Sequence
from typing import Any

from nbgraph.array.copying import filled
from nbgraph.array.core import Array, empty_of
from nbgraph.executor.compiled import Compiled, compiled
from nbgraph.executor.lower import NOTHING_INSIDE, Inside
from nbgraph.executor.pipeline import Options
from nbgraph.executor.places import Arena
from nbgraph.executor.program import Behind, Program
from nbgraph.graph.build import GraphNode, Operand, variable
from nbgraph.graph.graph import Entry, Graph, spec
from nbgraph.graph.passes.gradient import gradient
from nbgraph.operator.layout import layout
from nbgraph.operator.request import OpReqType, Requests, kWriteTo
from nbgraph.scopes import forkable, load


class Bound:
    """A typed graph with the arrays that its programs read and write.

    `graph`: typed. `arrays`: dict from variables to NDArray. `grads`: dict from variables that get
    a gradient to its array and request.

    `outputs`: one for each head. Without gradients they lie in the arena of the forward program.
    """

    groups: Mapping[str, Any] | None = None  # devices of groups of nodes; see `GroupedBound`

    def __init__(
        self,
        graph: Graph,
        arrays: dict[GraphNode, Array],
        grads: dict[GraphNode, tuple[Array, OpReqType]],
        options: Options,
        device: Any,
        name: str,
    ) -> None:
        self.graph, self.arrays, self.grads = graph, arrays, grads
        self.options, self.device, self.name = options, device, name
        self._outputs: list[Array] | None = None
        # two threads may need the same program at once
        self._building = forkable(threading.RLock())
        self._predict: Program | None = None
        self._halves: tuple[Program, Program] | None = None
        self._both: dict[tuple[bool, ...], Program] = {}
        self.seeds: list[GraphNode] = [
            variable(f"gradient of output {k}", *spec(head)) for k, head in enumerate(graph.heads)
        ]
        self._seed_arrays: dict[GraphNode, Array] = {}
        self.states: dict[Any, Any] = {}  # data of operators in this executor

    @property
    def outputs(self) -> list[Array]:
        """The arrays of the results; see the class."""
        if self._outputs is None:
            with self._building:
                self._outputs = self._outputs or self._make_outputs()
        return self._outputs

    def _make_outputs(self) -> list[Array]:
        layouts = [layout(*spec(head)) for head in self.graph.heads]
        if self.grads:
            return [filled(own, self.device, 0) for own in layouts]
        program = self.compiled_predict()
        arena = Arena(program.memory.arena_bytes, self.device)
        places = zip(program.places(program.inside.results), layouts, strict=True)
        outputs = [arena.array(place, own) for place, own in places]
        for output in outputs:
            output[...] = 0
        self._predict = self._program(program, outputs, "forward", arena=arena)
        return outputs

    def require(self) -> None:
        """Raise DeviceError or CompileError, when binding, if the device cannot compute a node."""
        if self.device.host:
            return
        programs = [self.compiled_predict()]
        if self.grads:
            gradients = self._gradients((True,) * len(self.graph.heads))
            programs.append(
                self._compiled(gradients, [request for _, request in self.grads.values()])
            )
        for each in programs:
            each.require()

    # programs ---------------------------------------------------------------------------------

    @property
    def predict(self) -> Program:
        """The program of the results only."""
        if self._predict is None:
            with self._building:
                self._predict = self._predict or self._make_predict()
        return self._predict

    def _make_predict(self) -> Program:
        outputs = self.outputs  # creating these may create the program
        return self._predict or self._program(self.compiled_predict(), outputs, "forward")

    def both(self, present: tuple[bool, ...]) -> Program:
        """Return the program of results and gradients; `present`: which outputs have seeds."""
        program = self._both.get(present)
        if program is None:
            with self._building:
                program = self._both.get(present) or self._make_both(present)
        return program

    def trained(self, behind: Behind) -> Program:
        """Return the program of results, gradients and the steps `behind` them."""
        return self._make_both((False,) * len(self.outputs), behind)

    def _make_both(self, present: tuple[bool, ...], behind: Behind | None = None) -> Program:
        code = self.compiled_both(present)
        targets = [*self.outputs, *(array for array, _ in self.grads.values())]
        if behind is not None:
            return self._program(code, targets, "train_step", behind=behind)
        program = self._both[present] = self._program(code, targets, "forward_backward")
        return program

    @property
    def halves(self) -> tuple[Program, Program]:
        """The forward program, which saves the values that the backward one reads, and that."""
        if self._halves is None:
            with self._building:
                self._halves = self._halves or self._make_halves()
        return self._halves

    def _make_halves(self) -> tuple[Program, Program]:
        forward, backward = self.compiled_halves()
        arena = Arena(max(c.memory.arena_bytes for c in (forward, backward)), self.device)
        residuals: dict[GraphNode, Array] = {
            backward.source.variables[k]: arena.array(place, backward.layouts[k])
            for k, place in backward.inside.variables
        }
        results, slopes = [*self.outputs, *residuals.values()], [a for a, _ in self.grads.values()]
        return (
            self._program(forward, results, "forward", arena=arena, turns=True),
            self._program(backward, slopes, "backward", residuals, arena=arena, turns=True),
        )

    # compiled ---------------------------------------------------------------------------------

    def compiled_predict(self) -> Compiled:
        """Return the graph compiled for its results; without gradients they lie in the arena."""
        count = len(self.graph.heads)
        inside = NOTHING_INSIDE if self.grads else Inside(frozenset(range(count)))
        return self._compiled(self.graph, [kWriteTo] * count, inside)

    def compiled_both(self, present: tuple[bool, ...]) -> Compiled:
        """Return results and gradients as one compiled graph."""
        gradients, results = self._gradients(present), self.graph.heads
        joint = self._recomputed(Graph([*results, *gradients.heads], gradients.variables))
        requests = [kWriteTo] * len(results) + [request for _, request in self.grads.values()]
        return self._compiled(joint, requests)

    def compiled_halves(self) -> tuple[Compiled, Compiled]:
        """Return both halves, compiled for a shared arena: the forward program writes residuals
        there, and the backward program reuses their memory as soon as it has read them."""
        first = len(self.graph.heads)
        split = load("nbgraph.executor.split").split
        halves = split(self.graph, self._gradients((True,) * first))
        count = first + len(halves.kept)
        inside = Inside(frozenset(range(first, count)))
        forward = self._compiled(halves.forward, [kWriteTo] * count, inside)
        begin = len(halves.backward.variables) - len(halves.kept)
        places = tuple(enumerate(forward.places(inside.results), begin))
        requests = [request for _, request in self.grads.values()]
        return forward, self._compiled(halves.backward, requests, Inside(variables=places))

    def _gradients(self, seeded: tuple[bool, ...]) -> Graph:
        heads: list[Entry] = []
        seeds: list[Operand | None] = []
        for head, seed, present in zip(self.graph.heads, self.seeds, seeded, strict=True):
            if spec(head).dtype.kind in "cfV":
                heads.append(head)
                seeds.append((seed, 0) if present else None)
        return gradient(self.graph.with_heads(heads), list(self.grads), seeds)

    def _recomputed(self, joint: Graph) -> Graph:
        if self.options.recompute is None:
            return joint
        recompute = load("nbgraph.graph.passes.recompute").recompute
        return recompute(joint, self.graph.nodes, every=self.options.recompute)

    def _program(
        self,
        compiled: Compiled,
        results: Sequence[Array],
        what: str,
        more: dict[GraphNode, Array] | None = None,
        **options: Any,
    ) -> Program:
        arrays = [self._array(node, more or {}) for node in compiled.source.variables]
        name = f"{what} of {self.name}"
        return Program(compiled, [*arrays, *results], name=name, states=self.states, **options)

    def _compiled(
        self, graph: Graph, requests: Requests, inside: Inside = NOTHING_INSIDE
    ) -> Compiled:
        layouts = [layout(*spec((node, 0))) for node in graph.variables]
        return compiled(graph, layouts, requests, self.options, self.device, inside)

    def _array(self, node: GraphNode, more: dict[GraphNode, Array]) -> Array:
        for arrays in (self.arrays, more):
            if node in arrays:
                return arrays[node]
        return self.seed(self.seeds.index(node))

    def seed(self, output: int) -> Any:
        """Return the array for the gradient of an output."""
        node = self.seeds[output]
        if node not in self._seed_arrays:
            self._seed_arrays[node] = empty_of(layout(*spec((node, 0))), self.device)
        return self._seed_arrays[node]

    def seed_arrays(self) -> list[Array]:
        """Return the arrays for gradients of outputs that were needed so far."""
        return list(self._seed_arrays.values())

    def existing_programs(self) -> dict[str, Program]:
        """Return the programs so far, by name."""
        programs: dict[str, Program] = {}
        if self._predict is not None:
            programs["forward"] = self._predict
        if self._halves is not None:
            programs["forward, training"], programs["backward"] = self._halves
        for seeded, program in self._both.items():
            which = ", ".join(str(k) for k, flag in enumerate(seeded) if flag)
            programs["forward_backward" + (f", gradients of {which} given" if which else "")] = (
                program
            )
        return programs
