"""Compiled backward passes: a pass whose structure repeats is traced and runs as one plan.

A walk from node to node costs tens of microseconds of Python for each operator, which in a small
model is most of a training step. The structure of a pass consists of the operators, attributes and
layouts of its tape, and of the values that its rules share; passes of equal structure differ only
in their arrays. The walk is done once with symbols for arrays, by the same rules, and the graph is
cached. PyTorch calls this compiled autograd.

Passes that are large, on a device, under observation (`config.anomaly`, `compiler="python"`), or
have operators without kernels that are not the library's are walked each time.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Container, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from nbgraph.array.chunk import shared
from nbgraph.array.core import Array, make
from nbgraph.array.place import ELSEWHERE
from nbgraph.autograd import reverse
from nbgraph.autograd.rules import ArrayRule, MapRule
from nbgraph.autograd.sums import Ones
from nbgraph.autograd.tape import Leaf, Record
from nbgraph.engine.thread import here
from nbgraph.graph.node import Entry, Node, topological
from nbgraph.operator.call import recording
from nbgraph.operator.layout import Layout, keep, layout, packed
from nbgraph.ops.define import library
from nbgraph.scopes import forkable
from nbgraph.settings import config, looks_closely

if TYPE_CHECKING:
    from nbgraph.autograd.graph_call import GraphFunction

_REPEATS = 6  # the pass of a structure that is traced, which costs 20 walks
_LARGE = 1 << 25  # bytes of saved values; a walk frees them as it goes, a plan when it ends
_LONG = 1024  # nodes; tracing takes some 2 ms for each
# concurrent runs of a graph for each thread, each with its own memory, by the size of saved values
_FEWEST, _MOST, _TOGETHER = 2, 16, 1 << 22
_MOST_COUNTED, _MOST_KEPT = 1024, 256  # structures
_ROOM = 1 << 28  # bytes of saved values of all graphs that are kept
_TRACING = forkable(threading.RLock())

Heads = Sequence[tuple[Node, int, Any]]


class _Graph(NamedTuple):
    """A traced pass: its operands, its results, and the nodes of the tape that it frees."""

    function: GraphFunction
    orders: Sequence[Sequence[int] | None]  # of the axes of arrays that are transposed
    captured: Sequence[Array]  # arrays that rules read besides
    results: Sequence[int | None]  # of each wanted entry: its head; None: nothing flows there
    walked: Sequence[int]  # places of the records whose values are read
    nbytes: int  # of the arrays, and of the order of what a run needs


_counts: dict[Any, int] = {}
_graphs: dict[Any, _Graph | None] = {}  # None: it cannot be traced


def run(
    heads: Heads,
    wanted: Sequence[Entry] | None = None,
    *,
    create_graph: bool = False,
    retain_graph: bool = False,
    ends: Container[Node] = (),
) -> list[Any]:
    """Do what `reverse.run` does, by the cached graph of the pass if there is one."""
    order = topological((node for node, _, _ in heads), ends)
    plain = recording.get() is None and here.running is None and not looks_closely()
    if plain and not create_graph and 1 < len(order) <= _LONG:
        structure = _Structure(heads, wanted, order, ends)
        elsewhere = ELSEWHERE[0] and any(not a.device.host for a in structure.arrays)
        graph = None if structure.key is None or elsewhere else _graph(structure)
        if graph is not None:
            return _replayed(graph, structure, retain_graph=retain_graph)
    return reverse.run(
        heads, wanted, order, create_graph=create_graph, retain_graph=retain_graph, ends=ends
    )


class _Structure:
    """The structure of a pass and its arrays.

    `key`: the cache key, or None for a pass that has to be walked. `arrays`: the saved values, each
    once, then the heads' gradients. `leaves`: the variables that collect their gradients; empty if
    the gradients of `wanted` are returned.
    """

    def __init__(
        self, heads: Heads, wanted: Sequence[Entry] | None, order: Any, ends: Container[Node]
    ) -> None:
        self.heads, self.order, self.ends = heads, order, ends
        self.place = {node: k for k, node in enumerate(order)}
        self.leaves: Sequence[Leaf] = ()
        if wanted is None:
            self.leaves = [
                n for n in reversed(order) if isinstance(n, Leaf) and n.request != "null"
            ]
        self.wanted = [(n, 0) for n in self.leaves] if wanted is None else wanted
        self.arrays: list[Array] = []
        self.slots: dict[Any, int] = {}
        self.key: Any = self._key()

    def slot(self, array: Array) -> int:
        """Return the place of an array among those of the pass."""
        arrays = self.arrays
        slot = self.slots.setdefault((array._chunk, array._address, array._layout), len(arrays))
        if slot == len(arrays):
            arrays.append(array)
        return slot

    def _key(self) -> Any:
        place, ends, arrays, slots = self.place, self.ends, self.arrays, self.slots
        key: list[Any] = [config.default_float]
        for node in self.order:
            if node.op is None or node in ends:
                continue
            rule, saved = node.rule, node.saved
            if saved is None or type(rule) not in _TRACED:
                return None
            key.append(rule)
            key += node.attributes.items()
            for entry, own in zip(node.inputs, node.layouts, strict=True):
                key.append(own if type(own) is Layout else _number(own))
                if entry is not None:
                    key += place[entry[0]], entry[1]
            key += node.outputs
            for value, writes in saved:
                if not isinstance(value, Array):
                    key.append(_number(value))
                    continue
                chunk = value._chunk
                if writes is not None and chunk.writes != writes:
                    return None  # the walk raises for the overwritten value
                # `slot` inlined
                k = slots.setdefault((chunk, value._address, value._layout), len(arrays))
                if k == len(arrays):
                    arrays.append(value)
                key.append(k)
        for node, output, gradient in self.heads:
            ones = type(gradient) is Ones
            slot = None if ones else self.slot(gradient)
            key += place[node], output, slot, gradient.head._layout if ones else gradient._layout
        for node, output in self.wanted:
            key += place.get(node), output
        full = tuple(key)
        try:
            hash(full)
        except TypeError:  # an attribute is a list or an array
            return None
        return full


_TRACED = (MapRule, ArrayRule)


def _number(value: Any) -> Any:
    """Return a key of a number that differs for 1 and 1.0, and for 0.0 and -0.0."""
    if type(value) is float and value == 0:
        return float, value, math.copysign(1.0, value)
    return type(value), value


def _graph(structure: _Structure) -> _Graph | None:
    """Return the graph of a pass, traced if it came often enough, or None."""
    key = structure.key
    try:
        return _graphs[key]
    except KeyError:
        count = _counts.get(key, 0) + 1
    if count < _REPEATS:
        keep(_counts, key, count, _MOST_COUNTED)
        return None
    graph, nbytes = None, sum(array._layout.nbytes for array in structure.arrays)
    if nbytes <= _LARGE:
        with _TRACING:
            try:
                graph = _traced(structure)
            except Exception:  # a rule looks at values; for other errors the walk raises again
                graph = None
    if nbytes + sum(g.nbytes for g in [*_graphs.values()] if g is not None) > _ROOM:
        _graphs.clear()
    return keep(_graphs, key, graph, _MOST_KEPT)


def _traced(structure: _Structure) -> _Graph:
    from nbgraph.autograd.graph_call import GraphFunction  # these load all of graphs
    from nbgraph.autograd.traced import Traced
    from nbgraph.autograd.tracing import tracing
    from nbgraph.graph.graph import Graph

    orders = [_order(array._layout) for array in structure.arrays]
    with tracing("backward") as tracer:
        symbols: list[Any] = []
        for k, (array, axes) in enumerate(zip(structure.arrays, orders, strict=True)):
            array = array if axes is None else _straight(array, axes)
            symbol = Traced([tracer.trace.argument(f"saved{k}", array)])
            symbols.append(symbol if axes is None else library.transpose(symbol, _inverse(axes)))
        nodes = [_stand_in(structure, node, symbols) for node in structure.order]
        # inputs of records are entries of the tape until all stand-ins are there
        for node in nodes:
            node.inputs = [
                None if e is None else (nodes[structure.place[e[0]]], e[1]) for e in node.inputs
            ]
        place = structure.place
        heads = [
            (nodes[place[node]], output, _seed(structure, gradient, symbols))
            for node, output, gradient in structure.heads
        ]
        absent = Node(None)
        wanted = [
            (nodes[place[node]] if node in place else absent, output)
            for node, output in structure.wanted
        ]
        values = reverse.run(heads, wanted, nodes, create_graph=True)
    flows = {e: v.entry for e, v in zip(wanted, values, strict=True) if v is not None}
    number = {entry: k for k, entry in enumerate(flows)}
    variables = tracer.trace.variables
    function = GraphFunction(Graph([*flows.values()], [*variables]), "backward")
    _ = function.compiled
    return _Graph(
        function,
        orders,
        [array for array in variables.values() if array is not None],
        [number.get(entry) for entry in wanted],
        [k for k, node in enumerate(nodes) if isinstance(node, Record) and node.saved is None],
        sum(array._layout.nbytes for array in structure.arrays),
    )


def _stand_in(structure: _Structure, node: Any, symbols: Sequence[Any]) -> Node:
    """Return the node with symbols for arrays; its inputs are still the tape's."""
    if node.op is None or node in structure.ends:
        return Node(None)
    other = Record(node.op, node.inputs, node.attributes)
    other.rule, other.layouts, other.outputs = node.rule, node.layouts, node.outputs
    other.saved = [
        (symbols[structure.slot(v)] if isinstance(v, Array) else v, None) for v, _ in node.saved
    ]
    return other


def _seed(structure: _Structure, gradient: Any, symbols: Sequence[Any]) -> Any:
    if type(gradient) is Ones:
        own = gradient.head._layout
        return library.ones(own.shape, own.dtype)
    return symbols[structure.slot(gradient)]


def _replayed(graph: _Graph, structure: _Structure, *, retain_graph: bool) -> list[Any]:
    """Run the graph and distribute the gradients."""
    arrays = [
        array if axes is None else _straight(array, axes)
        for array, axes in zip(structure.arrays, graph.orders, strict=True)
    ]
    arrays = [a if a._layout.contiguous else library.copy(a) for a in [*arrays, *graph.captured]]
    most = max(_FEWEST, min(_MOST, _TOGETHER // (graph.nbytes + 1)))
    graph.function.prepare(arrays, most)
    into = _into(graph, structure.leaves, arrays) if structure.leaves else ()
    outputs = graph.function.run(arrays, into)
    if not retain_graph:
        for k in graph.walked:
            structure.order[k].saved = None
    values = [None if k is None else outputs[k] for k in graph.results]
    del outputs  # an array that a leaf collects may have no other holder
    for leaf in structure.leaves:
        reverse.collect(leaf, values.pop(0), owned=True)
    return values


def _into(graph: _Graph, leaves: Sequence[Leaf], arrays: Sequence[Array]) -> list[Any]:
    """Return for each head the array of the leaf that collects it if the run may write it, as it
    has its own memory and is not read; else None."""
    taken = {array._chunk for array in arrays}
    into: list[Any] = [None] * len(graph.function.layouts)
    for leaf, k in zip(leaves, graph.results, strict=True):
        target = leaf.collected
        if target is None or k is None or leaf.request != "write" or target._holder is not None:
            continue
        if target._layout is graph.function.layouts[k] and target._chunk not in taken:
            taken.add(target._chunk)
            into[k] = target
    return into


def _order(own: Layout) -> Sequence[int] | None:
    """Return the axes of a contiguous transposed array from the outermost; None for others."""
    if own.contiguous:
        return None
    axes = sorted(range(len(own.shape)), key=lambda axis: -own.strides[axis])
    return axes if packed(own.shape, own.dtype, axes) is own else None


def _straight(array: Array, axes: Sequence[int]) -> Array:
    """Return a view of a transposed array with its axes in memory order."""
    own = array._layout
    shape = tuple([own.shape[axis] for axis in axes])
    return make(array._chunk, array._address, layout(shape, own.dtype), shared(array))


def _inverse(axes: Sequence[int]) -> tuple[int, ...]:
    return tuple([axes.index(k) for k in range(len(axes))])
