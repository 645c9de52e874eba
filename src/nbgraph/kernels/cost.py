"""How long an element of a map takes, roughly: to tell short kernels from ones worth splitting.

Nanoseconds on a processor of some 3 GHz with vectors of 32 bytes; a factor of two either way does
no harm. Memory counts at cache speed, so that a split never makes a cheap kernel slower.
"""

from __future__ import annotations

from nbgraph.kernels.function import Captured
from nbgraph.kernels.scalar import Node

_BYTE = 0.03
_CALL, _DIVISION, _OPAQUE, _PLAIN = 1.5, 0.5, 40.0, 0.05
_LOOP = 20.0  # a loop inside the scalar function: trip counts are not known


def per_element(captured: Captured, nbytes: int) -> float:
    """Nanoseconds for one element whose operands and outputs take `nbytes`."""
    nodes = captured.graph.reachable(captured.outputs)
    return nbytes * _BYTE + sum(_of(node) for node in nodes)


def _of(node: Node) -> float:
    if node.op == "call":
        return _CALL
    if node.op in ("div", "floordiv", "mod"):
        return _DIVISION
    if node.op == "extern":
        return _OPAQUE
    if node.op == "final":
        return _LOOP
    return 0.0 if node.op in ("arg", "param", "const") else _PLAIN
