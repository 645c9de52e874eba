"""Rebuilding nodes: into another graph, or with some of them replaced."""

import math
from collections.abc import Callable, Sequence

from nbgraph.kernels.scalar.graph import ARITHMETIC, BITWISE, COMPARISONS, Graph, Node, Region
from nbgraph.kernels.scalar.kinds import INTEGERS


class Transplant:
    """Rebuilds nodes of one graph in a target graph with some nodes replaced."""

    def __init__(self, source: Graph, target: Graph, replaced: dict[int, Node]) -> None:
        self._source, self._target = source, target
        self._map = dict(replaced)
        self._regions: dict[int, Region] = {}

    def __call__(self, root: Node) -> Node:
        """Return the counterpart of `root`."""
        line = self._target.line
        for node in self._pending(root):
            self._map[node.id] = self._rebuild(node)
        self._target.line = line
        return self._map[root.id]

    def _pending(self, root: Node) -> list[Node]:
        pending: dict[int, Node] = {}
        stack = [root]
        while stack:
            node = stack.pop()
            if node.id not in self._map and node.id not in pending:
                pending[node.id] = node
                stack.extend(self._source.children(node))
        return [pending[key] for key in sorted(pending)]

    def _rebuild(self, node: Node) -> Node:
        target = self._target
        target.line = node.line
        if node.op == "phi":
            return target.phi(self._region(node.data[0]), node.data[1], node.kind)
        if node.op == "final":
            return self._rebuild_loop(node)
        args = [self._map[a.id] for a in node.args]
        if target is self._source and all(a is b for a, b in zip(args, node.args, strict=True)):
            return node
        return apply(target, node, args)

    def _region(self, key: int) -> Region:
        if key not in self._regions:
            self._regions[key] = self._target.region()
        return self._regions[key]

    def _rebuild_loop(self, node: Node) -> Node:
        old = self._source.regions[node.data[0]]
        region = self._region(old.id)
        region.cond = self._map[old.cond.id]
        finals = {}
        for phi in self._source.closure(node):
            _, init, out = old.carried[phi.id]
            finals[phi.id] = self._target.carry(
                region, self._map[phi.id], self._map[init.id], self._map[out.id]
            )
        return finals[node.data[1]]


def apply(graph: Graph, node: Node, args: Sequence[Node]) -> Node:
    """Return the operation of `node` over other arguments, simplified as at its creation."""
    op = node.op
    if op in ARITHMETIC:
        return graph.arithmetic(op, *args)
    if op in COMPARISONS:
        return graph.compare(op, *args)
    if op in BITWISE:
        return graph.bitwise(op, *args)
    simple: dict[str, Callable[..., Node]] = {
        "neg": graph.negate,
        "abs": graph.absolute,
        "and": graph.logical_and,
        "or": graph.logical_or,
        "not": graph.logical_not,
        "select": graph.select,
        "invert": graph.invert,
    }
    if op in simple:
        return simple[op](*args)
    if op == "narrow":
        return graph.narrow(args[0], node.data)
    if op == "gather":
        return graph.gather(node.data, args[0])
    if op == "check":
        return graph.check(args[0], args[1], node.data)
    if op == "cast":
        return graph.cast(args[0], node.kind)
    if op == "call":
        return graph.call(node.data, *args)
    return graph.node(op, args, node.kind, node.data)


MOST = 8  # literals in the record; longer text keeps all in the code, to save registers
_LARGEST = 1e30  # finite in all precisions
_SIGNED = frozenset(kind for kind in INTEGERS if not kind.startswith("u"))
_PLAIN = frozenset({"add", "sub", "mul", "div", "select", *COMPARISONS})


def varying(graph: Graph, outputs: Sequence[Node]) -> tuple[Node, ...]:
    """Return the literals below `outputs` on whose values the code does not depend.

    >>> graph = Graph()
    >>> x = graph.argument("x", "f")
    >>> scaled = graph.arithmetic("mul", graph.const(0.37), x)
    >>> [node.data for node in varying(graph, [graph.arithmetic("add", scaled, graph.const(1.0))])]
    [0.37]
    """
    nodes = graph.reachable(outputs)
    free = {node.id: node for node in nodes if node.op == "const" and _is_free(node)}
    for node in nodes:
        for place, part in enumerate(graph.children(node)):
            if part.id in free and not _is_plain_use(node, place, part):
                del free[part.id]
    return tuple(free.values()) if len(free) <= MOST else ()


def _is_free(node: Node) -> bool:
    """Return whether no simplification tests for this value."""
    if node.kind == "f":
        return 1 / _LARGEST < abs(node.data) < _LARGEST and abs(node.data) not in (0.5, 1.0, 2.0)
    return node.kind in _SIGNED and abs(node.data) > 2


def _is_plain_use(user: Node, place: int, literal: Node) -> bool:
    """Return whether the code of `user` is the same for other values of this operand."""
    if user.op not in _PLAIN:
        return False
    if user.op == "div" and place == 1:
        return math.frexp(literal.data)[0] not in (0.5, -0.5)  # LLVM would multiply
    if user.op == "mul" and literal.kind != "f":
        return bool(abs(literal.data) & (abs(literal.data) - 1))  # LLVM would shift instead
    return True
