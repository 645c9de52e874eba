"""Gradients of simple operators on NumPy arrays, without a tape."""

import numpy as np

from nbgraph.operator.arrays.array_op import Gradients, Spec
from tests import slopes


def gradients(op, inputs, out_grad=None, wanted=None, **attributes):
    """In-gradients as a tape would ask for them: only what the operator keeps is handed over."""
    attributes = op.normalise(attributes)
    out = op(*inputs, **attributes)
    out_grad = np.ones_like(out) if out_grad is None else out_grad
    given = Gradients(
        op,
        attributes,
        [out_grad],
        [x if op.keeps_input(i) else None for i, x in enumerate(inputs)],
        [out if op.keeps_output(0) else None],
        [Spec.of(x) for x in inputs],
        wanted or [True] * len(inputs),
    )
    return op.rule(given)


def differences(op, inputs, out_grad, index, eps=1e-6, **attributes):
    """The same by central differences in float64."""
    total = lambda *operands: np.sum(out_grad * op(*operands, **attributes))
    return slopes.differences(total, inputs, index, eps)
