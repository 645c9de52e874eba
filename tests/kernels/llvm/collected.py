"""The loops that the library makes while it works, each run by both compilers.

    python -m tests.kernels.llvm.collected WORKLOAD SEED COUNT

does some work, notes every loop a kernel is made for, picks up to COUNT (0: all, and all the work)
of those that are no plain map, or of graphs any, and prints a line of JSON for each: its form, and
what differs. It is a program of its own because loops are made once a process.
"""

import json
import sys

import numpy as np

import nbgraph as ng
from nbgraph.executor import Options
from nbgraph.kernels.compiler import kernel as kernels
from nbgraph.operator.backward import backward
from nbgraph.operator.layout import layout
from nbgraph.operator.rows.map_reduce import map_reduce
from nbgraph.operator.rows.reduce_call import along_axes
from nbgraph.ops.rowwise.derived import adjoint
from tests.executor.storm import slopes_of, storm
from tests.kernels.llvm.twins import DTYPES, differences, dtype_of, values

SHAPE = (300, 5, 2000)
AXES = ((0,), (1,), (2,), (0, 2), (1, 2), (0, 1, 2))


def some(items, rng, share):
    """A share of the items, at least one, in their order."""
    count = max(1, round(share * len(items)))
    return [items[k] for k in sorted(rng.permutation(len(items))[:count])]


def reductions(rng, _):
    """Sums, products and extremes over all combinations of axes, and of what operators compute."""
    for dtype in DTYPES:
        given = dtype_of(dtype)
        wide = {"b": "int64", "i": "int64", "u": "uint64"}.get(given.kind, given)
        for axes in AXES:
            kept = tuple(n for d, n in enumerate(SHAPE) if d not in axes)
            for combine in ("add", "multiply", "max", "min"):
                made = np.dtype(wide if combine in ("add", "multiply") else given)
                request = str(rng.choice(["write", "add"]))
                x, out = layout(SHAPE, given), layout(kept, made)
                along_axes(x, axes, out, request, combine)
    for dtype in ("float32", "float64", "int16", "float16"):
        _map_reduce(values(rng, dtype, (2, 3, 5)))


def _map_reduce(x):
    op = ng.op(lambda x, y: x * y + x)
    for combine in ("add", "multiply", "max", "min"):
        for axis in (None, 0, (0, 2)):
            map_reduce(op, x, x[:1], axis=axis, combine=combine)
    map_reduce(op, x[..., ::2], x[..., ::2], axis=2)


def methods(rng, _):
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
        if dtype != "bool":
            ng.negative.at(a[0].copy(), [1, 1, 2])


def rows(rng, share):
    """Softmax and its kin, and their gradients, on arrays of several shapes and dtypes."""
    for dtype in some(("float32", "float64", "float16", "bfloat16"), rng, share):
        for shape, axis in (((6, 300), -1), ((6, 30, 40), 1), ((6, 30, 4), 1), ((2000,), 0)):
            x, y = (values(rng, dtype, shape) for _ in range(2))
            for op in (ng.softmax, ng.log_softmax, ng.logsumexp):
                op(x, axis=axis)
            for op in (ng.softmax, ng.log_softmax):
                adjoint(op.op, [0], [0])(x, y, axis=axis)


def graphs(rng, share):
    """Random graphs, forward and backward, as executors compile them."""
    for _ in range(round(12 * share)):
        group, given = storm(int(rng.integers(1 << 30)), nodes=14)
        seeds = [None] * len(group.graph.heads)
        slopes_of(group, given, Options(), "both", dict.fromkeys(given, "write"), seeds)


FEW = ("exp", "floor_divide", "add", "sigmoid", "sum")


def few():
    """A map of floats, of integers, of 16-bit floats, a gradient, and a reduction."""
    found = {}
    for name, dtype in (("exp", "float32"), ("floor_divide", "int32"), ("add", "float16")):
        op = getattr(ng, name)
        plan = op.invoker.plan_of([dtype_of(dtype)] * op.nin, {})
        found[name] = plan.loop(["c"] * (op.nin + 1), [dtype], ["write"])
    op = backward(ng.sigmoid)
    plan = op.invoker.plan_of([np.dtype("float64")] * op.nin, {})
    found["sigmoid"] = plan.loop(["c"] * (op.nin + 1), ["float64"], ["add"])
    x, out = layout((4, 300), np.dtype("float32")), layout((4,), np.dtype("float32"))
    with kernels.deferring():
        found["sum"] = along_axes(x, (1,), out)[0][0].code.loop
    return found


WORKLOADS = {f.__name__: f for f in (reductions, methods, rows, graphs)}


def noted(work, rng, share=1):
    """Loops of a share of the work, in the order in which they were first asked for."""
    found, emit = {}, kernels.emit

    def noting(loop):
        source = emit(loop)
        found.setdefault(source.text, loop)
        return source

    kernels.emit = noting
    try:
        with np.errstate(all="ignore"), kernels.deferring():
            work(rng, share)
            ng.waitall()
    finally:
        kernels.emit = emit
    return list(found.values())


def share(count):
    """Of the work, where so many loops are asked for."""
    return 1 / 3 if count else 1


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
        loops = list(few().values()) if name == "few" else noted(WORKLOADS[name], rng, share(count))
    if name not in ("few", "graphs"):
        loops = [loop for loop in loops if loop.form != "map"]
    for number, loop in enumerate(chosen(loops, count, rng)):
        wrong = differences(loop, seed + number)
        print(json.dumps({"form": loop.form, "of": len(loops), "wrong": wrong}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
