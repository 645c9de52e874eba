"""Slopes of one scalar operator by every way there is, for tests that compare them."""

import numpy as np

import nbgraph as ng


def by_derivative(op, arrays, wrt):
    """`op.derivative`, on NumPy arrays."""
    return op.derivative(wrt)(*arrays)


def by_tape(op, arrays, wrt):
    """Recorded, and gone back through."""
    operands = [ng.array(a, dtype=a.dtype) for a in arrays]
    operands[wrt].attach_grad()
    with ng.autograd.record():
        total = ng.sum(op(*operands))
    total.backward()
    return operands[wrt].grad.asnumpy()


def by_jit(op, arrays, wrt):
    """The gradient of a compiled function, compiled."""
    operands = [ng.array(a, dtype=a.dtype) for a in arrays]
    return ng.jit(ng.grad(ng.jit(lambda *xs: ng.sum(op(*xs))), wrt))(*operands).asnumpy()


def by_graph(op, arrays, wrt):
    """A bound graph."""
    names = [f"v{i}" for i in range(len(arrays))]
    operands = {n: ng.array(a, dtype=a.dtype) for n, a in zip(names, arrays, strict=True)}
    total = ng.sum(op(*(ng.var(n) for n in names)))
    grads = {names[wrt]: ng.zeros(arrays[wrt].shape, dtype=arrays[wrt].dtype)}
    executor = total.bind(ng.cpu(), operands, args_grad=grads)
    executor.forward(is_train=True)
    executor.backward()
    return np.asarray(grads[names[wrt]].asnumpy())


WAYS = {f.__name__: f for f in (by_derivative, by_tape, by_jit, by_graph)}
