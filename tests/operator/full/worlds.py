"""One operator in every world: values, and gradients of its outputs times given arrays."""

import numpy as np

import nbgraph as ng
from nbgraph.executor import Options
from tests import slopes

OPTIONS = {"all": Options(), "none": Options.none(), "recompute": Options.of(recompute="sqrt")}


def _listed(found):
    return list(found) if isinstance(found, tuple) else [found]


def _loss(outputs, seeds):
    total = 0
    for out, seed in zip(outputs, seeds, strict=True):
        total = total + ng.sum(out * seed)
    return total


def numpy_world(op, arrays, seeds, given):
    """Values alone: NumPy arrays have no tape."""
    return [np.asarray(v) for v in _listed(op(*arrays, **given))], None


def tape(op, arrays, seeds, given):
    """NDArrays under a tape."""
    inputs = [ng.array(a) for a in arrays]
    for a in inputs:
        a.attach_grad()
    with ng.autograd.record():
        outputs = _listed(op(*inputs, **given))
        loss = _loss(outputs, [ng.array(s) for s in seeds])
    loss.backward()
    return [o.asnumpy() for o in outputs], [a.grad.asnumpy() for a in inputs]


def jit(op, arrays, seeds, given):
    """A compiled function and its gradient."""
    seeds = [ng.array(s) for s in seeds]

    @ng.jit
    def f(*inputs):
        return _loss(_listed(op(*inputs, **given)), seeds)

    inputs = [ng.array(a) for a in arrays]
    values = ng.jit(lambda *xs: op(*xs, **given))(*inputs)
    slopes = ng.grad(f, argnums=tuple(range(len(inputs))))(*inputs)
    return [v.asnumpy() for v in _listed(values)], [g.asnumpy() for g in slopes]


def executor(options, joint):
    """A bound symbol: one plan for both passes, or two."""

    def world(op, arrays, seeds, given):
        names = [f"v{i}" for i in range(len(arrays))]
        symbols = _listed(op(*map(ng.var, names), **given))
        bound = dict(zip(names, arrays, strict=True))
        exe = ng.Group(symbols).simple_bind(
            options=OPTIONS[options], **{n: a.shape for n, a in bound.items()}
        )
        for name, value in bound.items():
            exe.arg_dict[name][...] = value
        seeds = [ng.array(s) for s in seeds]
        if joint:
            exe.forward_backward(seeds)
        else:
            exe.forward(is_train=True)
            exe.backward(seeds)
        return [o.asnumpy() for o in exe.outputs], [exe.grad_dict[n].asnumpy() for n in names]

    return world


def nodes(compiled):
    """An expression graph."""

    def world(op, arrays, seeds, given):
        graph = ng.ExpressionGraph(compiled=compiled)
        params = [graph.param(f"v{i}", a.shape, a) for i, a in enumerate(arrays)]
        outputs = _listed(op(*params, **given))
        for out in outputs:
            out.retain()
        _loss(outputs, [graph.constant(s) for s in seeds])
        graph.backprop()
        return [o.val.asnumpy() for o in outputs], [p.grad.asnumpy() for p in params]

    return world


WORLDS = {
    "numpy": numpy_world,
    "tape": tape,
    "jit": jit,
    **{
        f"executor {options} {'joint' if joint else 'halves'}": executor(options, joint)
        for options in OPTIONS
        for joint in (True, False)
    },
    "nodes": nodes(True),
    "nodes one by one": nodes(False),
}


def differences(op, arrays, seeds, given, index, eps=1e-6):
    """The gradient for one array by central differences in float64."""

    def total(*operands):
        outputs = _listed(op(*operands, **given))
        return sum(np.sum(o * s) for o, s in zip(outputs, seeds, strict=True))

    return slopes.differences(total, [a.astype("float64") for a in arrays], index, eps)
