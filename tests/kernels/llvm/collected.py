"""The loops that the library makes while it works, each run by both compilers.

    python -m tests.kernels.llvm.collected WORKLOAD SEED COUNT

does some work, notes every loop a kernel is made for, picks up to COUNT (0: all) of those that are
no plain map, or of graphs any, and prints one line of JSON for each: its form, and what differs. It
is a program of its own because loops are made once a process.
"""

import json
import sys

import numpy as np

import nbgraph as ng
from nbgraph.kernels import kernel as kernels
from nbgraph.ops.softmax import log_softmax, logsumexp, softmax
from tests.graph.random_graphs import random_graph
from tests.kernels.llvm.twins import DTYPES, differences, dtype_of, values

SHAPE = (3, 5, 40)
AXES = ((0,), (1,), (2,), (0, 2), (1, 2), (0, 1, 2))


def reductions(rng):
    """Sums, products and extremes over all combinations of axes, of arrays and of NumPy's."""
    for dtype in DTYPES:
        x = ng.array(values(rng, dtype, SHAPE), dtype=dtype_of(dtype))
        for axes in AXES:
            for name in ("sum", "prod", "max", "min", "any", "mean"):
                try:
                    getattr(ng, name)(x, axis=axes)
                except ng.errors.NbgraphError:  # no operator of such numbers
                    continue
        for name in ("sum", "prod", "max"):
            getattr(ng, name)(x.transpose(2, 0, 1)[::2], axis=1)
    for dtype in ("float32", "float64", "int16", "float16"):
        _map_reduce(values(rng, dtype, SHAPE))


def _map_reduce(x):
    op = ng.op(lambda x, y: x * y + x)
    for combine in ("add", "multiply", "max", "min"):
        for axis in (None, 0, (0, 2)):
            ng.map_reduce(op, x, x[:1], axis=axis, combine=combine)
    ng.map_reduce(op, x[..., ::2], x[..., ::2], axis=2)


def methods(rng):
    """reduce, accumulate and at of binary operators."""
    steady = ng.op(lambda a, b: a * 0.5 + b)
    for dtype in DTYPES:
        a = values(rng, dtype, (4, 30))
        for op in (ng.add, ng.multiply, ng.maximum, ng.subtract, ng.logaddexp, steady):
            try:
                op.reduce(a, axis=1)
                op.accumulate(a, axis=0)
                op.at(a[0].copy(), rng.integers(0, 30, 50), a[1, :1])
            except (ng.errors.NbgraphError, TypeError):  # no operator of such numbers
                continue
        ng.negative.at(a[0].copy(), [1, 1, 2])


def rows(rng):
    """Softmax and its kin, with gradients, and statistics."""
    for dtype in ("float32", "float64", "float16", "bfloat16"):
        for shape, axis in (((6, 300), -1), ((6, 30, 4), 1), ((2000,), 0)):
            x = ng.array(values(rng, dtype, shape), dtype=dtype_of(dtype))
            x.attach_grad()
            for op in (softmax, log_softmax, logsumexp):
                with ng.record():
                    y = op(x, axis=axis)
                y.backward(ng.ones_like(y))


def graphs(rng):
    """Random graphs, forward and backward, as executors compile them."""
    for _ in range(12):
        graph, given = random_graph(int(rng.integers(1 << 30)), 14, smooth=bool(rng.integers(2)))
        symbol = ng.sym.Group([ng.Symbol(entry) for entry in graph.heads])
        arrays = {name: ng.array(a, dtype=a.dtype) for name, a in given.items()}
        bound = symbol.bind(args=arrays, grad_req="write")
        bound.forward_backward()


WORKLOADS = {f.__name__: f for f in (reductions, methods, rows, graphs)}


def noted(work, rng):
    """Loops in the order in which they were first asked for."""
    found, emit = {}, kernels.emit

    def noting(loop):
        source = emit(loop)
        found.setdefault(source.text, loop)
        return source

    kernels.emit = noting
    try:
        with np.errstate(all="ignore"):
            work(rng)
            ng.waitall()
    finally:
        kernels.emit = emit
    return list(found.values())


def chosen(loops, count, rng):
    """Up to so many, of every form in turn."""
    by_form = {}
    for k in rng.permutation(len(loops)):
        by_form.setdefault(loops[k].form, []).append(loops[k])
    found = []
    while any(by_form.values()) and (len(found) < count or not count):
        for waiting in by_form.values():
            if waiting:
                found.append(waiting.pop())
    return found[:count] if count else found


def main(name, seed, count):
    """See the module."""
    rng = np.random.default_rng(seed)
    with ng.config(compiler="llvm"):
        loops = noted(WORKLOADS[name], rng)
    if name != "graphs":
        loops = [loop for loop in loops if loop.form != "map"]
    for number, loop in enumerate(chosen(loops, count, rng)):
        wrong = differences(loop, seed + number)
        print(json.dumps({"form": loop.form, "of": len(loops), "wrong": wrong}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
