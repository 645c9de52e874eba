"""Operators over whole arrays that have no effect, or whose chains reduce to one operator.

A composed view has the same strides as the chain, except for `reshape`, which may have copied in
between.
"""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from nbgraph.dtype import is_float
from nbgraph.graph.build import GraphNode, Operand, apply
from nbgraph.graph.graph import Entry, spec_of
from nbgraph.operator.arrays.array_op import Spec
from nbgraph.ops.define import axes_of, library

View = Callable[[GraphNode, Entry, Spec], Operand | None]


def simpler(node: GraphNode, *, fast: bool = False) -> Operand | None:
    """Return a simpler operand for the only output of a node over whole arrays, or None.

    A sum starts with 0.0, so that the sum of a single -0.0 is 0.0: a sum that may read -0.0 is
    kept, unless `fast`.
    """
    rule = _rule(node.op)
    if rule is _summed and fast:
        rule = _reduced
    if rule is None or node.specs is None or type(node.inputs[0]) is not tuple:
        return None
    spec = spec_of(node.inputs[0])
    assert spec is not None, "not a number"
    return rule(node, node.inputs[0], spec)


def _rule(op: Any) -> View | None:
    """Return the rule of an operator, by its name, or None."""
    name = getattr(op, "__name__", "")
    rule = _by_name().get(name)
    return rule if rule is not None and getattr(library, name).op is op else None


@functools.cache
def _by_name() -> dict[str, View]:
    return {
        "reshape": _reshaped,
        "expand_dims": _reshaped,
        "squeeze": _reshaped,
        "transpose": _reordered,
        "swapaxes": _reordered,
        "moveaxis": _reordered,
        "broadcast_to": _broadcast,
        "flip": _flipped,
        "slice_view": _sliced,
        "sum_to": _unchanged,
        "sum": _summed,
        "mean": _summed,
        "prod": _reduced,
        "max": _reduced,
        "min": _reduced,
        "astype": _cast,
        "copy": lambda node, x, spec: x if fresh(x) else None,
        "stop_gradient": _unchanged,
        "concatenate": _alone,
    }


def dense(entry: Entry) -> bool:
    """Return whether the elements lie in C order without gaps. Variables and results of operators
    that are not views do; a view does if it only splits or joins axes of such an array."""
    node = entry[0]
    while _rule(node.op) is _reshaped:
        node = node.inputs[0][0]  # type: ignore[index]
    return node.op is None or getattr(node.op, "view", None) is None


def fresh(entry: Entry) -> bool:
    """Return whether the memory is not a variable's."""
    node = entry[0]
    while getattr(node.op, "view", None) is not None:
        node = node.inputs[0][0]  # type: ignore[index]
    return node.op is not None


# views ------------------------------------------------------------------------------------------


def _spec(node: GraphNode) -> Spec:
    assert node.specs is not None, "the node has shapes"
    return node.specs[0]


def _unchanged(node: GraphNode, x: Entry, spec: Spec) -> Operand | None:
    return x if spec == _spec(node) else None


def _applied(name: str, x: Operand, **attributes: Any) -> Entry:
    return apply(getattr(library, name).op, [x], attributes), 0


def _reshaped(node: GraphNode, x: Entry, spec: Spec) -> Operand | None:
    """Return one reshape for a chain of them, or the operand if the shape is unchanged."""
    if spec == _spec(node):
        return x
    if _rule(x[0].op) is not _reshaped:
        return None
    return _applied("reshape", x[0].inputs[0], shape=_spec(node).shape)


def _order(node: GraphNode) -> tuple[int, ...] | None:
    """Return the axes of the operand, in the order of the result; None for another operator."""
    if _rule(node.op) is not _reordered:
        return None
    spec = spec_of(node.inputs[0])
    assert spec is not None, "not a number"
    ndim = len(spec.shape)  # of an array with axis numbers as strides
    axes = np.lib.stride_tricks.as_strided(np.empty([1] * ndim), strides=range(ndim))
    op: Any = node.op
    return op.view(axes, **node.attributes).strides


def _reordered(node: GraphNode, x: Entry, spec: Spec) -> Operand | None:
    """Return one transpose for two in a row, or the operand if the order is unchanged."""
    order = _order(node)
    assert order is not None, "the node reorders axes"
    if order == tuple(range(len(order))):
        return x
    before = _order(x[0])
    if before is None:
        return None
    source, order = x[0].inputs[0], tuple(before[d] for d in order)
    same = order == tuple(range(len(order)))
    return source if same else _applied("transpose", source, axes=order)


def _broadcast(node: GraphNode, x: Entry, spec: Spec) -> Operand | None:
    if spec == _spec(node):
        return x
    if x[0].op is not node.op:
        return None
    return _applied("broadcast_to", x[0].inputs[0], shape=_spec(node).shape)


def _flipped(node: GraphNode, x: Entry, spec: Spec) -> Operand | None:
    """Return the operand of two flips of the same axes."""
    if x[0].op is not node.op:
        return None
    both = [set(axes_of("flip", n.attributes["axis"], len(spec.shape))) for n in (node, x[0])]
    return x[0].inputs[0] if both[0] == both[1] else None


def _sliced(node: GraphNode, x: Entry, spec: Spec) -> Operand | None:
    """Return the operand of a slice that takes every axis whole."""
    whole = (None, None, None)
    everything = all(part is Ellipsis or part == whole for part in node.attributes["key"])
    return x if everything and spec == _spec(node) else None


# reductions and copies --------------------------------------------------------------------------


def _reduced(node: GraphNode, x: Entry, spec: Spec) -> Operand | None:
    """Return the operand, reshaped, of a reduction over no axes or axes of size one."""
    axes = axes_of("reduction", node.attributes["axis"], len(spec.shape))
    if any(spec.shape[d] != 1 for d in axes) or spec.dtype != _spec(node).dtype:
        return None
    return x if spec == _spec(node) else _applied("reshape", x, shape=_spec(node).shape)


_POSITIVE = frozenset("absolute exp exp2 square sigmoid softplus cosh".split())


def _summed(node: GraphNode, x: Entry, spec: Spec) -> Operand | None:
    """Return `_reduced` for operands that cannot be -0.0: integers and nonnegative results."""
    positive = x[0].op is not None and x[0].op.__name__ in _POSITIVE
    return _reduced(node, x, spec) if positive or not is_float(spec.dtype) else None


def _cast(node: GraphNode, x: Entry, spec: Spec) -> Operand | None:
    """Return the operand of a cast to its own dtype, or one cast for two through a wider dtype."""
    dtype = _spec(node).dtype
    if spec.dtype == dtype:
        return x if fresh(x) else None
    before = x[0].inputs[0] if x[0].op is node.op else None
    own = None if before is None else spec_of(before)
    if before is None or own is None or not np.can_cast(own.dtype, spec.dtype, "safe"):
        return None
    if own.dtype == dtype:
        return before if type(before) is tuple and fresh(before) else None
    floating = is_float(own.dtype) and is_float(dtype)
    return _applied("astype", before, dtype=dtype) if floating else None


def _alone(node: GraphNode, x: Entry, spec: Spec) -> Operand | None:
    """Return the operand of a concatenation of one array."""
    return _unchanged(node, x, spec) if len(node.inputs) == 1 and fresh(x) else None
