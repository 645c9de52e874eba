"""Backward passes of operators as operators: all in-gradients in one loop."""

from __future__ import annotations

from nbgraph.kernels.derived import Backward
from nbgraph.kernels.function import Scalar
from nbgraph.operator.mapper import Mapper
from nbgraph.operator.origin import Made

_MADE = "backward passes"  # kept with the operator, which forgets them when it changes


def backward(op: Mapper, wrt: tuple[str, ...] | None = None) -> Mapper:
    """In-gradients of `op` from `out_grad` and what its derivative reads, in operand order.

    `wrt`: the operands whose gradients are wanted, by default all.

    The operands of the result are `out_grad` (one for each output), then `out` where the
    derivative is written with the output (T1), then the operands that are kept (T2).

    >>> import numpy as np, math
    >>> import nbgraph as ng
    >>> from nbgraph.operator.backward import backward
    >>> sigmoid = ng.op(lambda x: 1 / (1 + math.exp(-x)))
    >>> backward(sigmoid).scalar.operands
    ('out_grad', 'out')
    >>> backward(sigmoid)(1.0, 0.5)
    np.float64(0.25)
    """
    return _make(op, False, wrt)


def forward_backward(op: Mapper) -> Mapper:
    """Outputs and in-gradients in one pass, from `out_grad` and the operands."""
    return _make(op, True, None)


def _make(op: Mapper, forward: bool, wrt: tuple[str, ...] | None) -> Mapper:
    if op.refresh_needed():
        op.refresh()
    kept = op.carried.setdefault(_MADE, {})
    key = forward, wrt
    if key not in kept:
        scalar: Scalar = Backward(
            op.scalar,
            forward=forward,
            memory=op.prefer == "memory",
            gradient=op.hand_gradient,
            wrt=wrt,
        )
        made = Mapper(scalar, fastmath=op.fastmath, certify=op.certify)
        made.origin = Made(_make, (op, forward, wrt))
        kept.setdefault(key, made)  # another thread may have been quicker
    return kept[key]
