"""Memory that a graph needs: peak memory of its values and gradients.

Parameters and their gradients are not counted, as they are there whatever graph is built.
"""

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nbgraph.device import Context, driver
from nbgraph.errors import ArgumentError, OutOfMemory
from nbgraph.storage import machine

_ALIGNMENT = 256
_MIB = 1 << 20


def limit_of(workspace: Any, device: Context) -> int | None:
    """Return the bytes of a workspace in MiB; a negative one leaves so much of the device free.

    >>> from nbgraph.device import cpu
    >>> limit_of(0.5, cpu()), limit_of(None, cpu())
    (524288, None)
    """
    if workspace is None:
        return None
    if isinstance(workspace, bool) or not isinstance(workspace, (int, float)) or not workspace:
        raise ArgumentError(
            f"ExpressionGraph: workspace={workspace!r}; expected MiB of memory, or a negative "
            "number for what is to be left free"
        )
    if workspace > 0:
        return int(workspace * _MIB)
    free = machine.available() if device.host else driver().memory(device.device_id)[0]
    if free is None:
        raise ArgumentError(
            f"ExpressionGraph: workspace={workspace}: this machine does not say how much memory is "
            "free; give a positive number of MiB"
        )
    return max(0, free + int(workspace * _MIB))


def needed(nodes: Sequence[Any], *, inference: bool) -> int:
    """Return the bytes at the worst moment of a forward and, if it trains, a backward pass."""
    own = {node.id: _rounded(node.own_nbytes) for node in nodes if not node.leaf}
    if inference:  # values are freed after their last reader
        uses = readers(nodes)
        return _peak(nodes, own, lambda node: node.id not in uses or not freeable(node))
    trained = (node for node in nodes if node.trainable and not node.leaf)
    gradients = {node.id: _rounded(node._layout.nbytes) for node in trained}
    return sum(own.values()) + _peak(nodes, gradients, lambda node: False)


def _rounded(nbytes: int) -> int:
    return math.ceil(nbytes / _ALIGNMENT) * _ALIGNMENT


def _peak(nodes: Sequence[Any], nbytes: Mapping[int, int], lasts: Callable[[Any], bool]) -> int:
    """Return the peak of the bytes of values or gradients, by the ids of nodes. A value exists from
    its node to the last node that reads it, or to the end where it `lasts`. A gradient, created by
    that last node and freed by its own, exists at the same nodes."""
    last = {child.id: k for k, n in enumerate(nodes) if n.id in nbytes for child in n.children}
    change = [0] * (len(nodes) + 1)
    for k, node in enumerate(nodes):
        if node.id in nbytes:
            change[k] += nbytes[node.id]
            change[-1 if lasts(node) else last.get(node.id, k) + 1] -= nbytes[node.id]
    return max(itertools.accumulate(change))


def readers(nodes: Sequence[Any]) -> dict[int, int]:
    """Return how often each node is a child."""
    uses: dict[int, int] = {}
    for node in nodes:
        for child in node.children:
            uses[child.id] = uses.get(child.id, 0) + 1
    return uses


def freeable(node: Any) -> bool:
    """Return whether an inference graph may drop a value that was read."""
    return not (node.leaf or node.retained or node.memoise)


def require(nodes: Sequence[Any], limit: int, *, inference: bool) -> None:
    """Raise OutOfMemory where the graph does not fit, before anything runs."""
    demand = needed(nodes, inference=inference)
    if demand > limit:
        largest = max(nodes, key=lambda node: 0 if node.leaf else node.own_nbytes)
        raise OutOfMemory(
            f"forward: {len(nodes)} nodes need {demand / _MIB:.2f} MiB at once, the workspace has "
            f"{limit / _MIB:.2f} MiB; the largest value is that of {largest!r}. Give a larger "
            "workspace, or a smaller batch: graph.fits(build) tells whether one fits"
        )
