"""Executors on several devices: a program for each part of the graph, and copies in between.

Each part of the graph is a program on one device; values that another device reads are copied
there. All of it is pushed, so the engine runs independent parts in parallel.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nbgraph.array.copying import filled
from nbgraph.array.core import Array, empty_of
from nbgraph.array.push import same, write
from nbgraph.array.transfer import transfer
from nbgraph.device import Context
from nbgraph.executor.compiled import compiled
from nbgraph.executor.program import Program
from nbgraph.executor.programs import Bound
from nbgraph.executor.split import split
from nbgraph.graph.build import GraphNode
from nbgraph.graph.graph import Entry, Graph, spec
from nbgraph.graph.passes.devices import Part, parts, place
from nbgraph.operator.layout import layout
from nbgraph.operator.request import OpReqType, kAddTo, kWriteTo


class PartedProgram:
    """A graph on several devices that can be run; see `Program`.

    `programs`: one for each part, in the order of the parts.
    """

    plain = None

    def __init__(
        self,
        bound: GroupedBound,
        graph: Graph,
        arrays: Mapping[GraphNode, Array],
        results: Sequence[tuple[Array, OpReqType]],
        name: str,
    ) -> None:
        self.bound, self.arrays = bound, arrays
        self.computed: dict[Entry, Array] = {}
        self.copies: dict[tuple[Any, Context], Array] = {}  # of arrays on other devices
        self.programs: list[Program] = []
        self._before: list[list[tuple[Array, Array]]] = []  # (target, source) to copy before a part
        targets = dict[Entry, tuple[Array, OpReqType]]()
        for head, result in zip(graph.heads, results, strict=True):
            targets.setdefault(head, result)
        split_graph = parts(graph, bound.devices_of(graph))
        read = {entry for part in split_graph for entry in part.takes.values()}
        read |= {head for head, count in Counter(graph.heads).items() if count > 1}
        for k, part in enumerate(split_graph):
            self._add(part, targets, read, f"{name} of {bound.name}, part {k}")
        self._deliver = [
            (self.computed[head], *result)
            for head, result in zip(graph.heads, results, strict=True)
            if self.computed[head] is not result[0]
        ]

    def _add(
        self,
        part: Part,
        targets: Mapping[Entry, tuple[Array, OpReqType]],
        read: set[Entry],
        name: str,
    ) -> None:
        before: list[tuple[Array, Array]] = []
        arrays = [self._on_device(node, part, before) for node in part.graph.variables]
        results, requests = list[Array](), list[OpReqType]()
        for entry in part.gives:
            array, request = targets.get(entry, (None, kWriteTo))
            if (
                array is None
                or array.device != part.device
                or (request is kAddTo and entry in read)
            ):
                array, request = empty_of(layout(*spec(entry)), part.device), kWriteTo
            self.computed[entry] = array
            results.append(array)
            requests.append(request)
        layouts = [layout(*spec((node, 0))) for node in part.graph.variables]
        program = compiled(part.graph, layouts, requests, self.bound.options, part.device)
        states, arrays = self.bound.states, [*arrays, *results]
        self.programs.append(Program(program, arrays, name=name, states=states))
        self._before.append(before)

    def _on_device(self, node: GraphNode, part: Part, before: list[tuple[Array, Array]]) -> Array:
        """Return the array of a variable on a part's device: its own, or a copy."""
        source = self.computed[part.takes[node]] if node in part.takes else self.arrays[node]
        if source.device == part.device:
            return source
        key = part.takes.get(node, node), part.device
        if key not in self.copies:
            self.copies[key] = empty_of(source._layout, part.device)
            before.append((self.copies[key], source))
        return self.copies[key]

    def each(self, run: Callable[[Program], None]) -> None:
        """Copy the arrays that each part reads, and run it."""
        for program, before in zip(self.programs, self._before, strict=True):
            for target, source in before:
                _copy(target, source)
            run(program)
        for source, target, request in self._deliver:
            if request is kAddTo:
                moved: Any = empty_of(source._layout, target.device)
                _copy(moved, source)
                target += moved  # type: ignore[operator]
            else:
                _copy(target, source)

    def push(self, *, is_train: bool = False) -> None:
        """Push a run."""
        self.each(lambda program: program.push(is_train=is_train))


def _copy(target: Any, source: Any) -> None:
    """Push a copy to another device; all host devices have one memory."""
    if target.device.host and source.device.host:
        write(same, source, target)
    else:
        transfer(source, target, whole=True)


class GroupedBound(Bound):
    """A typed graph whose nodes are on the devices of their groups; see `Bound`.

    `groups`: devices by group; `device` is that of nodes without a group.
    """

    def __init__(self, *arguments: Any, groups: Mapping[str, Context]) -> None:
        super().__init__(*arguments)
        self.groups = self._places = dict(groups)

    def devices_of(self, graph: Graph) -> dict[GraphNode, Context]:
        """Return the device of each node of the graph, its gradients or halves."""
        return place(graph, self._places, self.device)

    def _make_outputs(self) -> list[Array]:
        devices = self.devices_of(self.graph)
        return [filled(layout(*spec(h)), devices[h[0]], 0) for h in self.graph.heads]

    def require(self) -> None:
        if self.grads:
            _ = self.both((True,) * len(self.graph.heads))
        else:
            _ = self.predict

    def _make_predict(self) -> Any:
        return self._parted(self.graph, self._results(), "forward")

    def _make_both(self, present: tuple[bool, ...], behind: Any = None) -> Any:
        gradients, heads = self._gradients(present), self.graph.heads
        joint = self._recomputed(Graph([*heads, *gradients.heads], gradients.variables))
        results = [*self._results(), *self.grads.values()]
        program = self._both[present] = self._parted(joint, results, "forward_backward")
        return program

    def _make_halves(self) -> Any:
        halves = split(self.graph, self._gradients((True,) * len(self.graph.heads)))
        devices = self.devices_of(self.graph)
        residuals = [empty_of(layout(*spec(e)), devices[e[0]]) for e in halves.kept]
        begin = len(halves.backward.variables) - len(residuals)
        more = dict(zip(halves.backward.variables[begin:], residuals, strict=True))
        forward = [*self._results(), *((array, kWriteTo) for array in residuals)]
        return (
            self._parted(halves.forward, forward, "forward"),
            self._parted(halves.backward, list(self.grads.values()), "backward", more),
        )

    def _results(self) -> list[tuple[Array, OpReqType]]:
        return [(array, kWriteTo) for array in self.outputs]

    def _parted(
        self,
        graph: Graph,
        results: Sequence[tuple[Array, OpReqType]],
        name: str,
        more: dict[GraphNode, Array] | None = None,
    ) -> Any:
        arrays = {node: self._array(node, more or {}) for node in graph.variables}
        return PartedProgram(self, graph, arrays, results, name)

    def existing_programs(self) -> dict[str, Program]:
        programs: dict[str, Any] = super().existing_programs()
        return {
            f"{name}, part {k} on {program.compiled.device}": program
            for name, parted in programs.items()
            for k, program in enumerate(parted.programs)
        }
