"""Forward and backward passes over the nodes of a graph, or over one node. They do not wait, except
to look for NaN."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgraph.array.chunk import CPU
from nbgraph.array.copying import copy_of
from nbgraph.array.core import Array
from nbgraph.array.push import same, write
from nbgraph.dtype import is_float
from nbgraph.engine.inline import in_charge
from nbgraph.engine.thread import here
from nbgraph.errors import ArgumentError, DTypeError, require_shape
from nbgraph.nodes.memory import freeable, readers
from nbgraph.nodes.nodeop import NodeOp
from nbgraph.nodes.tensors import element, run
from nbgraph.ops.debug import figures, turn

_clip = lambda g, bound: min(max(g, -bound), bound)


def forward(nodes: Sequence[Any], *, frees: bool, watched: bool) -> None:
    """Compute the values of nodes that have none, children first.

    `frees`: free each value as soon as its last reader has been pushed.
    """
    uses = readers(nodes) if frees else {}
    for node in nodes:
        if not node.ready:
            for child in node.children:
                if child._val is None:
                    raise ArgumentError(
                        f"forward: the value of {child!r}, a child of {node!r}, was freed, as this "
                        "is an inference graph; call x.retain() before forward, or forward() again"
                    )
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


def seed(head: Any, gradient: Any) -> None:
    """Start a backward pass at a node, with ones or with a gradient."""
    adj = head.adj
    if gradient is None:
        gradient = 1.0
    else:
        label = f"backward: the head gradient of {head!r}"
        require_shape(label, gradient.shape, head.shape)
        if gradient.dtype != head.dtype:
            raise DTypeError(f"{label} has dtype {gradient.dtype}; expected {head.dtype}")
    write(same, gradient, adj, "write" if head.fresh else "add")
    head.fresh = False


def backward(nodes: Sequence[Any], *, clip: float | None, watched: bool) -> None:
    """Pass gradients to children, parents first; free each one when its node has used it."""
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
    """Create gradients of parameters, and mark them as empty if they are to be reset."""
    for node in nodes:
        if node.retained and not node.leaf:
            node._adj = None
    for param in params:
        if param.trainable:
            created = param._adj is None
            fresh = param.adj is not None and (created or reset)
            param.fresh = fresh


def end(params: Sequence[Any], *, clip: float | None) -> None:
    """Set gradients of parameters that got no contribution to zeros; clip the others."""
    for param in params:
        if not param.trainable:
            continue
        if param.fresh:
            zero(param)
        elif clip is not None:
            element(_clip, param._adj, param._adj, clip).push()


# one node: its operations are checked and pushed, in order ----------------------------------------


def push_forward(node: Any) -> None:
    """Push the operations that compute a node's value, into new memory."""
    node._val = None
    for operation in node.forward_ops():
        job = _job(node, operation, node.val, [c.val for c in node.children])
        chunk = getattr(job.out, "_chunk", None)
        for i, child in enumerate(node.children):
            if child._val is not None and child._val._chunk is chunk:
                raise ArgumentError(
                    f"{node.type()}: a forward operation, {job!r}, writes the value of child {i}; "
                    "write self.val"
                )
        job.push()
    node.ready = True


def _job(node: Any, node_op: Any, out: Any, ins: list[Any]) -> NodeOp:
    """Return a NodeOp; a plain callable becomes one that writes `out` and reads `ins`."""
    if isinstance(node_op, NodeOp):
        return node_op
    if not callable(node_op):
        raise ArgumentError(
            f"{node.type()}: {node_op!r} is not an operation; give what element, add, aggregate or "
            "prod return, or a function of NumPy views"
        )
    return run(node_op, out, *ins, name=f"{node.type()}")


def push_backward(node: Any) -> None:
    """Push the operations that add to the gradients of a node's trainable children."""
    operations = node.backward_ops()
    children = node.children
    if len(operations) != len(children):
        raise ArgumentError(
            f"{node.type()}: backward_ops has {len(operations)} operation(s), the node has "
            f"{len(children)} child(ren); give one for each child, None for no operation"
        )
    for i, (child, operation) in enumerate(zip(children, operations)):
        if operation is None:
            continue
        if not isinstance(operation, NodeOp):
            if child.trainable:
                values = [c.val for c in children]
                job = _job(node, operation, child.grad, [node.adj, node.val, *values])
                job.request = "add"
                accumulate(child, job)
            continue
        check_target(node, i, operation)
        if child.trainable:
            accumulate(child, operation)


def check_target(node: Any, index: int, job: NodeOp) -> None:
    """Raise ArgumentError unless the operation of that index adds to that child's gradient."""
    out = job.out
    if not _is_gradient(node.children[index], out):
        others = [i for i, c in enumerate(node.children) if _is_gradient(c, out)]
        whose = f"the gradient of child {others[0]}" if others else "something else"
        raise ArgumentError(
            f"{node.type()}: backward operation {index}, {job!r}, writes {whose}; operation "
            f"{index} belongs to child {index} and writes self.child({index}).grad"
        )
    if job.request != "add":
        raise ArgumentError(
            f"{node.type()}: backward operation {index}, {job!r}, overwrites the gradient of child "
            f"{index}, to which others contribute; use add, or prod with beta=1"
        )


def _is_gradient(child: Any, out: Any) -> bool:
    if isinstance(out, Array):
        return child._adj is not None and child._adj._chunk is out._chunk
    return getattr(out, "node", None) is child


def accumulate(child: Any, job: NodeOp) -> None:
    """Push an operation that adds to a child's gradient; the first that covers it overwrites."""
    first = False
    if child.fresh:
        out: Any = job.out
        first = job.kind != "run" and out.size == child._adj.size and _no_overlap(out)
        if not first:
            zero(child)
        child.fresh = False
    job.push(first=first)


def _no_overlap(out: Any) -> bool:
    """Return whether no two elements share memory."""
    return 0 not in out.strides or out._layout.contiguous


def zero(node: Any) -> None:
    """Make a node's gradient zeros."""
    adj = node._adj
    if adj.size:
        write(same, 0.0, adj)
        adj._chunk.writes += 1
    node.fresh = False


# checks for NaN, and messages of `debug` ----------------------------------------------------------


def require_clean(node: Any, array: Any, what: str) -> None:
    """Raise FloatingPointError where an array has a NaN; wait for it."""
    if array is None or not is_float(array.dtype) or not array.size:
        return
    count = int(np.isnan(array.asnumpy()).sum())
    if not count:
        return
    children = ", ".join(f"{c.id} {c.type()}{list(c.shape)}" for c in node.children) or "none"
    raise FloatingPointError(
        f"{what} has {count} NaN of {array.size} elements: node type {node.type()!r}, shape "
        f"{node.shape}, name {node.name or 'none'}, id {node.id}, hash "
        f"{node.hash() & (2**64 - 1):#x}, children: {children}; look at the values of the children"
    )


def tell(node: Any, array: Any, what: str) -> None:
    """Push the print of a line about an array: shape, least, largest, norm; lines keep order."""
    if not array.device.host:  # the line is written on the host
        array = copy_of(array, device=CPU)
    message, view = node.message, array._view()
    label = f"{message}: {what} of {node!r}"

    def line(run_ctx: object) -> None:
        sys.stdout.write(f"{label}: {figures(view)}\n")

    turns = [turn()] if here.running is None else []
    in_charge().push(line, const_vars=[array._chunk], mutate_vars=turns, name="debug")
