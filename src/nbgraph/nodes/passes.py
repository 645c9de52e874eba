"""Forward and backward over the nodes of a graph. Nothing waits, except to look for NaN."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nbgraph.array.push import same, write
from nbgraph.errors import ArgumentError, DTypeError, ShapeError
from nbgraph.nodes.memory import freeable, readers
from nbgraph.nodes.steps import zero
from nbgraph.nodes.tensors import element
from nbgraph.nodes.watching import require_clean, tell

_clip = lambda g, bound: min(max(g, -bound), bound)


def forward(nodes: Sequence[Any], *, frees: bool, watched: bool) -> None:
    """Compute the values of nodes, children first, of those that have none.

    `frees`: give values back as soon as the last reader has been pushed.
    """
    uses = readers(nodes) if frees else {}
    for node in nodes:
        if not node.ready:
            for child in node.children:
                if child._val is None:
                    raise _freed(node, child)
            node.run_forward()
            if watched:
                require_clean(node, node._val, "forward: the value")
            if node.message is not None:
                tell(node, node.val, "value")
        if frees:
            for child in node.children:
                uses[child.id] -= 1
                if not uses[child.id] and freeable(child):
                    child._val = None


def _freed(node: Any, child: Any) -> ArgumentError:
    return ArgumentError(
        f"forward: the value of {child!r}, a child of {node!r}, was freed, as this is an inference "
        "graph; call x.retain() before forward, or forward() again"
    )


def seed(head: Any, gradient: Any) -> None:
    """Start a backward pass at a node: ones, or the gradient given."""
    adj = head.adj
    if gradient is None:
        gradient = 1.0
    else:
        if gradient.shape != head.shape:
            raise ShapeError(
                f"backward: the head gradient of {head!r} has shape {gradient.shape}; expected "
                f"{head.shape}"
            )
        if gradient.dtype != head.dtype:
            raise DTypeError(
                f"backward: the head gradient of {head!r} has dtype {gradient.dtype}; expected "
                f"{head.dtype}"
            )
    write(same, gradient, adj, "write" if head.fresh else "add")
    head.fresh = False


def backward(nodes: Sequence[Any], *, clip: float | None, watched: bool) -> None:
    """Pass gradients on, parents first; each is freed when its node has used it."""
    for node in reversed(nodes):
        if node._adj is None or node.leaf:
            continue
        if clip is not None:
            element(_clip, node._adj, node._adj, clip).push()
        if node.message is not None:
            tell(node, node._adj, "gradient")
        node.run_backward()
        if watched:
            for child in node.children:
                if child._adj is not None and not child.fresh:
                    require_clean(node, child._adj, f"backward: the gradient of child {child!r}")
        if not node.retained:
            node._adj = None


def begin(params: Sequence[Any], nodes: Sequence[Any], *, reset: bool) -> None:
    """Gradients of parameters exist, and are empty if they are to be reset."""
    for node in nodes:
        if node.retained and not node.leaf:
            node._adj = None
    for param in params:
        if param.trainable:
            made = param._adj is None
            fresh = param.adj is not None and (made or reset)
            param.fresh = fresh


def end(params: Sequence[Any], *, clip: float | None) -> None:
    """Parameters that nothing came for have a gradient of zeros."""
    for param in params:
        if not param.trainable:
            continue
        if param.fresh:
            zero(param)
        elif clip is not None:
            element(_clip, param._adj, param._adj, clip).push()
