"""Gradients of simple operators on NumPy arrays, without a tape."""

import numpy as np

from nbgraph.operator.array_op import Gradients, Spec


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
    found = np.zeros_like(inputs[index])
    for at in np.ndindex(found.shape):
        sides = []
        for sign in (1, -1):
            moved = [x.copy() for x in inputs]
            moved[index][at] += sign * eps
            sides.append(np.sum(out_grad * op(*moved, **attributes)))
        found[at] = (sides[0] - sides[1]) / (2 * eps)
    return found
