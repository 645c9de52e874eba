"""A reverse pass of its own over NumPy arrays: judges the gradient rules of operators.

`Traced` is a carrier: it computes with NumPy and notes what was applied to what. Rules see it as
any other kind of array, so that they are differentiated again by the same pass.
"""

import numpy as np

import nbgraph.ops as ops
from nbgraph.dtype import is_float
from nbgraph.operator.arrays.array_op import ArrayOp, Gradients, Spec
from nbgraph.operator.backward import backward, rule_vjp
from nbgraph.operator.call import call
from tests import slopes


class Traced:
    """A NumPy array and how it came about."""

    __nbgraph_priority__ = 1000
    __array_ufunc__ = None

    def __init__(self, value, made=None):
        self.value, self.made = np.asarray(value), made
        self.shape, self.dtype = self.value.shape, self.value.dtype
        self.ndim, self.size = self.value.ndim, self.value.size

    @classmethod
    def __nbgraph_call__(cls, op, operands, attributes, out):
        assert out is None
        inputs = [x if isinstance(x, Traced) else cls(np.asarray(x)) for x in operands]
        values = [x.value if isinstance(x, Traced) else x for x in operands]
        found = op(*values, **attributes)
        several = isinstance(found, tuple)
        made = (op, inputs, attributes, outputs := [])
        outputs.extend(cls(v, made) for v in (found if several else (found,)))
        return tuple(outputs) if several else outputs[0]


def raw(x):
    return x.value if isinstance(x, Traced) else x


def gradients(result, variables, seed=1.0):
    """The gradients of sum(seed * result) as Traced arrays: they can be differentiated again."""
    grads = {id(result): Traced(np.full(result.shape, seed, result.dtype))}
    for op, inputs, attributes, outputs in reversed(_steps(result)):
        out_grads = [grads.get(id(o)) for o in outputs]
        if all(g is None for g in out_grads):
            continue
        wanted = [is_float(x.dtype) for x in inputs]
        rule = _array_rule if isinstance(op, ArrayOp) else _map_rule
        for x, g in zip(inputs, rule(op, inputs, attributes, outputs, out_grads, wanted)):
            if g is None or not is_float(x.dtype):
                continue
            assert g.shape == x.shape, (op, g.shape, x.shape)
            assert g.dtype == x.dtype, (op, g.dtype, x.dtype)
            grads[id(x)] = ops.add(grads[id(x)], g) if id(x) in grads else g
    return [grads.get(id(v), Traced(np.zeros_like(v.value))) for v in variables]


def _array_rule(op, inputs, attributes, outputs, out_grads, wanted):
    kept_in = [x if op.keeps_input(i) else None for i, x in enumerate(inputs)]
    kept_out = [x if op.keeps_output(i) else None for i, x in enumerate(outputs)]
    specs = [Spec.of(x) for x in inputs]
    return rule_vjp(Gradients(op, attributes, out_grads, kept_in, kept_out, specs, wanted))


def _map_rule(op, inputs, attributes, outputs, out_grads, wanted):
    if not any(is_float(o.dtype) for o in outputs):
        return [None] * len(inputs)
    reverse = backward(op)
    outs = ["out"] if op.nout == 1 else [f"out{i}" for i in range(op.nout)]
    named = dict(zip(outs, outputs)) | dict(zip(op.scalar.operands, inputs))
    heads = [Traced(np.zeros_like(o.value)) if g is None else g for g, o in zip(out_grads, outputs)]
    kept = [named[name] for name in reverse.scalar.operands[op.nout :]]
    found = call(reverse, heads + kept, attributes)
    found = found if isinstance(found, tuple) else (found,)
    return [
        ops.astype(ops.sum_to(g, x.shape), x.dtype, copy=False) if w else None
        for g, x, w in zip(found, inputs, wanted)
    ]


def _steps(result):
    """Every step `result` depends on, once, in order."""
    order, seen, stack = [], set(), [(result, False)]
    while stack:
        x, expanded = stack.pop()
        if x.made is None or (not expanded and id(x.made) in seen):
            continue
        if expanded:
            order.append(x.made)
            continue
        seen.add(id(x.made))
        stack.append((x, True))
        stack.extend((i, False) for i in x.made[1])
    return order


def differences(function, points, weights, step):
    """Central differences of sum(weights * function(*points)) for each element of each point."""
    total = lambda *at: np.sum(weights * raw(function(*at)))
    return [slopes.differences(total, points, k, step) for k in range(len(points))]


def check(function, *points, step=1e-5, tolerance=1e-6):
    """Rules against differences, to second order, in float64."""
    points = [np.asarray(p, np.float64) for p in points]
    rng = np.random.default_rng(0)
    weights = rng.standard_normal(np.shape(raw(function(*points))))
    _compare("first", function, points, weights, step, tolerance)
    directions = [rng.standard_normal(p.shape) for p in points]

    def along(*at):
        """The gradient in a direction: what the second derivative is taken of."""
        variables = [x if isinstance(x, Traced) else Traced(x) for x in at]
        total = Traced(np.zeros(()))
        for g, d in zip(gradients(_weighted(function(*variables), weights), variables), directions):
            total = ops.add(total, ops.sum(ops.multiply(g, d)))
        return total

    _compare("second", along, points, np.ones(()), step, tolerance)


def _weighted(result, weights):
    return ops.sum(ops.multiply(result, weights))


def _compare(order, function, points, weights, step, tolerance):
    variables = [Traced(p) for p in points]
    found = gradients(_weighted(function(*variables), weights), variables)
    wanted = differences(function, points, weights, step)
    for k, (own, judge) in enumerate(zip(found, wanted)):
        np.testing.assert_allclose(
            own.value, judge, rtol=tolerance, atol=tolerance, err_msg=f"{order} order, operand {k}"
        )
