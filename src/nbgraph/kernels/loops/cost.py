"""Rough time per element of a map: separates short kernels from those worth splitting.

Nanoseconds on a processor of some 3 GHz with vectors of 32 bytes; a factor of two does no harm.
Memory counts at cache speed, so that a split never slows a cheap kernel.
"""

from __future__ import annotations

import operator
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from nbgraph.kernels.loops.loop import Loop
from nbgraph.kernels.scalar.graph import Graph, Node

if TYPE_CHECKING:
    from nbgraph.kernels.function.scalar_function import Captured

_ID, _OP = operator.attrgetter("id"), operator.attrgetter("op")
_BYTE = 0.03
_CALL, _DIVISION, _OPAQUE, _PLAIN = 1.5, 0.5, 40.0, 0.05
_ROUNDING = frozenset(("floor", "ceil", "trunc", "round", "sign", "copysign"))  # cost of arithmetic
_ROOTS = frozenset(("sqrt", "rsqrt"))  # cost of divisions, executed one after another in one unit
_LATENCY = {"call": 10, "div": 4, "arg": 0, "param": 0, "const": 0}  # of dependent operations
_LEAVES = frozenset(("arg", "param", "const", "extern", "final", "cast"))  # no cost as operations
_LONG, _WIDE = 20, 3  # least length of a chain; most operations, as a multiple of it
_LOOP = 20.0  # a loop in the scalar function: its trip count is unknown
UNSURE = (
    10_000_000  # nanoseconds that a kernel with such a loop counts as where short ones are told
)


def per_element(captured: Captured, nbytes: int, alike: Collection[int] = ()) -> float:
    """Return nanoseconds per element whose operands and outputs take `nbytes`. Nodes that depend
    only on parameters and on leaves with ids in `alike` cost nothing: they are computed once."""
    total, varying = nbytes * _BYTE, set[int]()
    for node in captured.graph.reachable(captured.outputs):
        parts = captured.graph.children(node) if node.op == "final" else node.args
        depends = not varying.isdisjoint(map(_ID, parts))
        leaf = node.op == "arg" and node.id not in alike
        if depends or leaf or node.op == "extern" or node.regions:
            varying.add(node.id)
            total += _of(node)
    return total


def of_kernel(loop: Loop, nanoseconds: int) -> int:
    """Return a kernel's time for scheduling: the estimate, but at least UNSURE if it has a loop of
    unknown trip count."""
    unsure = "final" in map(_OP, loop.graph.nodes)
    return max(nanoseconds, UNSURE) if unsure else nanoseconds


def operations(loop: Loop) -> int:
    """Return the operations per element: arithmetic, comparisons, selects, calls, totals."""
    totals = sum(output.combine is not None for output in loop.outputs)
    stages = sum(map(len, loop.stages))
    return totals + stages + sum(node.op not in _LEAVES for node in loop.graph.nodes)


def is_chain(graph: Graph, roots: Sequence[Node]) -> bool:
    """Return whether computing an element is mostly waiting for one operation after another: the
    longest path is long and not much shorter than everything together. Where it is divisions that
    are waited for, other vectors wait for the same unit."""
    paths: dict[int, int] = {}
    total = divisions = 0
    for node in graph.reachable(roots):
        if node.op in ("final", "extern"):
            return False
        own = _LATENCY.get(node.op, 1)
        total += own
        divisions += own * _divides(node)
        paths[node.id] = own + max([0, *[paths.get(part.id, 0) for part in node.args]])
    longest = max(paths.values(), default=0)
    return longest >= _LONG and total < _WIDE * longest and 2 * divisions < total


def _divides(node: Node) -> bool:
    return node.op == "div" or (node.op == "call" and node.data in _ROOTS)


def _of(node: Node) -> float:
    if _divides(node) or node.op in ("floordiv", "mod"):
        return _DIVISION
    if node.op == "call":
        return _PLAIN if node.data in _ROUNDING else _CALL
    if node.op == "extern":
        return _OPAQUE
    if node.op == "final":
        return _LOOP
    return 0.0 if node.op in ("arg", "param", "const") else _PLAIN


# seconds for a kernel, for each node of its scalar graph, and for a call of a function besides
_COMPILING = {"numba": (0.3, 0.005, 0.05), "llvm": (0.025, 0.0006, 0.045)}


def compile_seconds(loop: Loop, compiler: str) -> float:
    """Return roughly how many seconds a compiler takes for the kernel of a loop."""
    kernel, node, call = _COMPILING[compiler]
    nodes = loop.graph.reachable(loop.results)
    return kernel + node * len(nodes) + call * sum(n.op in ("call", "extern") for n in nodes)
