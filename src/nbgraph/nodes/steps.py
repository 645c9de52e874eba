"""One node of a pass: its operations checked and pushed, in order."""

from __future__ import annotations

from typing import Any

from nbgraph.array.core import Array
from nbgraph.array.push import same, write
from nbgraph.errors import ArgumentError
from nbgraph.nodes.nodeop import NodeOp
from nbgraph.nodes.tensors import run


def forward(node: Any) -> None:
    """Push what computes a node's value, into memory of its own."""
    node._val = None
    for found in node.forward_ops():
        job = _job(node, found, node.val, [c.val for c in node.children])
        held = getattr(job.out, "_chunk", None)
        for i, child in enumerate(node.children):
            if child._val is not None and child._val._chunk is held:
                raise ArgumentError(
                    f"{node.type()}: a forward operation, {job!r}, writes the value of child {i}; "
                    "write self.val"
                )
        job.push()
    node.ready = True


def _job(node: Any, found: Any, out: Any, ins: list[Any]) -> NodeOp:
    """A NodeOp itself, a plain callable with its default sets."""
    if isinstance(found, NodeOp):
        return found
    if not callable(found):
        raise ArgumentError(
            f"{node.type()}: {found!r} is no operation; give what element, add, aggregate or prod "
            "return, or a function of NumPy views"
        )
    return run(found, out, *ins, name=f"{node.type()}")


def backward(node: Any) -> None:
    """Push what adds to the gradients of a node's trainable children."""
    found = node.backward_ops()
    children = node.children
    if len(found) != len(children):
        raise ArgumentError(
            f"{node.type()}: backward_ops has {len(found)} operation(s), the node has "
            f"{len(children)} child(ren); give one for each child, None for no operation"
        )
    for i, (child, given) in enumerate(zip(children, found)):
        if given is None:
            continue
        if not isinstance(given, NodeOp):
            if child.trainable:
                values = [c.val for c in children]
                job = _job(node, given, child.grad, [node.adj, node.val, *values])
                job.request = "add"
                accumulate(child, job)
            continue
        check_target(node, i, given)
        if child.trainable:
            accumulate(child, given)


def check_target(node: Any, index: int, job: NodeOp) -> None:
    """ArgumentError unless the operation of that index adds to that child's gradient."""
    child, out = node.children[index], job.out
    if isinstance(out, Array):
        right = child._adj is not None and child._adj._chunk is out._chunk
    else:
        right = getattr(out, "node", None) is child
    if not right:
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
    """Push an operation that adds to a child's gradient; the first one to all of it overwrites."""
    first = False
    if child.fresh:
        out: Any = job.out
        first = job.kind != "run" and out.size == child._adj.size and _once(out)
        if not first:
            zero(child)
        child.fresh = False
    job.push(first=first)


def _once(out: Any) -> bool:
    """Whether no two elements are in the same place."""
    return 0 not in out.strides or out._layout.contiguous


def zero(node: Any) -> None:
    """Make a node's gradient zeros."""
    adj = node._adj
    if adj.size:
        write(same, 0.0, adj)
        adj._chunk.writes += 1
    node.fresh = False
