"""Literals that a kernel reads from its record, so that texts which differ in them share it.

`0.37 * x` and `0.38 * x` are one loop: what differs is one number that stays in a register. So a
notebook that sweeps a constant compiles once. A literal stays in the text where the code depends on
its value: exponents and other arguments of functions, divisors and factors that are powers of two,
shifts, and what the simplifications of `scalar` look for. The bits are the same either way, as
nothing else that LLVM does with a literal changes a result without `fastmath`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from nbgraph.kernels.scalar.graph import COMPARISONS, Graph, Node
from nbgraph.kernels.scalar.kinds import INTEGERS

MOST = 8  # literals in the record; a longer text keeps all, as registers would run out
_LARGEST = 1e30  # finite in all precisions that are computed in
_SIGNED = frozenset(kind for kind in INTEGERS if not kind.startswith("u"))
_PLAIN = frozenset({"add", "sub", "mul", "div", "select", *COMPARISONS})


def varying(graph: Graph, outputs: Sequence[Node]) -> tuple[Node, ...]:
    """Return the literals below `outputs` whose value the code does not depend on.

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
    """Return whether no simplification looks for this value."""
    if node.kind == "f":
        return 1 / _LARGEST < abs(node.data) < _LARGEST and abs(node.data) not in (0.5, 1.0, 2.0)
    return node.kind in _SIGNED and abs(node.data) > 2


def _is_plain_use(user: Node, place: int, literal: Node) -> bool:
    """Return whether the code of `user` is the same for other values of this operand."""
    if user.op not in _PLAIN:
        return False
    if user.op == "div" and place == 1:
        return math.frexp(literal.data)[0] not in (0.5, -0.5)  # else LLVM multiplies, as exactly
    if user.op == "mul" and literal.kind != "f":
        return bool(abs(literal.data) & (abs(literal.data) - 1))  # else LLVM shifts
    return True
