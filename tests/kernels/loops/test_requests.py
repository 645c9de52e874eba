"""Write, add, in place, null: at the level of kernels (OPR-07 to OPR-10).

Kernel budget: every pair (operator, request, dtype) costs 0.15 to 0.7 s, so the everyday run
takes a covering selection (each operator with each request, each dtype family with each request,
about 35 kernels); --full runs the product (about 130). Null and in-place compile nothing of
their own, which is shown here too. Backward passes accumulate as well.
"""

# ruff: noqa: PLW0108 - lambdas are the operators

import itertools
import math

import ml_dtypes
import numpy as np
import pytest

import nbgraph as ng
from nbgraph.operator.backward import backward, forward_backward
from nbgraph.operator.scalar.invoke import Invoker

FAMILIES = ["float32", "float64", "float16", "bfloat16", "int16", "uint8", "bool"]
REQUESTS = ["write", "add"]


def dtype_of(name):
    return np.dtype(ml_dtypes.bfloat16) if name == "bfloat16" else np.dtype(name)


OPERATORS = {
    "quarter": lambda x: x * 3 + x,
    "smooth": lambda x: x - 0.5 if x > 1 else 0.5 * x * x,
    "gauss": lambda x, y: y * math.exp(-x * x),
    "sine": lambda x: math.sin(x),
    "steps": lambda x: steps(x),
    "two": lambda x, y: (x * y, x + y),
}


def steps(x):
    n = 0
    while x > 1:
        x = x / 2
        n += 1
    return n + x


FLOATING = ("smooth", "gauss", "sine", "steps")
PRODUCT = [
    (name, request, family)
    for name, request, family in itertools.product(OPERATORS, REQUESTS, FAMILIES)
    if family.find("float") >= 0 or name not in FLOATING
]


def selection():
    """Each operator with each request, each dtype family with each request, once."""
    wanted = {(n, r) for n, r, _ in PRODUCT} | {(f, r) for _, r, f in PRODUCT}
    rng = np.random.default_rng(7)
    chosen = []
    for i in rng.permutation(len(PRODUCT)):
        name, request, family = PRODUCT[i]
        new = {(name, request), (family, request)} & wanted
        if new:
            wanted -= new
            chosen.append(PRODUCT[i])
    assert not wanted
    return chosen


SELECTED = selection()
CASES = [
    pytest.param(*case, marks=() if case in SELECTED else pytest.mark.slow) for case in PRODUCT
]


def prepared(name, family, size=37):
    op = ng.op(OPERATORS[name])
    dtype = dtype_of(family)
    rng = np.random.default_rng(1)
    operands = [np.abs(rng.normal(0, 1.5, size)).astype(dtype) for _ in range(op.nin)]
    invoker = Invoker(op.scalar)
    arrays, plan = invoker.prepare(operands, {})
    return invoker, plan, arrays


def kernels(plan):
    return set(plan.kernels.values())


def result_of(invoker, plan, arrays):
    outs = [np.empty(arrays[0].shape, d) for d in plan.typed.outputs]
    invoker.run(plan, arrays, outs, ["write"] * len(outs))
    return outs


def plus(old, new):
    """old + new in the precision of the kernel, rounded once."""
    if old.dtype == bool:
        return old | new
    wide = np.float32 if old.dtype.itemsize == 2 and old.dtype.kind in "fV" else old.dtype
    return (old.astype(wide) + new.astype(wide)).astype(old.dtype)


@pytest.mark.parametrize(("name", "request_", "family"), CASES)
def test_requests(name, request_, family):
    """OPR-08: a buffer full of NaN is overwritten. OPR-10: old + result."""
    invoker, plan, arrays = prepared(name, family)
    wanted = result_of(invoker, plan, arrays)
    if request_ == "write":
        outs = [np.full_like(w, np.nan) if w.dtype.kind in "fV" else ~w for w in wanted]
        invoker.run(plan, arrays, outs, ["write"] * len(outs))
        for got, right in zip(outs, wanted, strict=True):
            np.testing.assert_array_equal(got, right)
        return
    old = [np.ones_like(w) for w in wanted]
    outs = [o.copy() for o in old]
    invoker.run(plan, arrays, outs, ["add"] * len(outs))
    for got, before, right in zip(outs, old, wanted, strict=True):
        if got.dtype.kind in "fV":
            eps = 2.0**-8 if got.dtype.itemsize == 2 else 4 * np.finfo(got.dtype).eps
            parts = before.astype(float), right.astype(float)
            error = np.abs(got.astype(float) - sum(parts))
            assert np.all(error <= eps * (np.abs(parts[0]) + np.abs(parts[1])))
        else:
            np.testing.assert_array_equal(got, plus(before, right))


def test_outputs_with_requests_of_their_own():
    """Each output has its own request; views and broadcasting as everywhere."""
    invoker, plan, arrays = prepared("two", "float32")
    product, total = result_of(invoker, plan, arrays)
    outs = [np.full(37, 5, np.float32), np.full(74, np.nan, np.float32)[::2]]
    invoker.run(plan, arrays, outs, ["add", "write"])
    np.testing.assert_array_equal(outs[0], product + np.float32(5))
    np.testing.assert_array_equal(outs[1], total)


def test_in_place_compiles_nothing_of_its_own():
    """OPR-09: the kernel of write serves in place."""
    invoker, plan, arrays = prepared("gauss", "float32")
    wanted = result_of(invoker, plan, arrays)[0]
    before = kernels(plan)
    x = arrays[0].copy()
    invoker.run(plan, [x, arrays[1]], [x], ["write"])
    np.testing.assert_array_equal(x, wanted)
    assert kernels(plan) == before


def test_adding_in_place_reads_the_operand_first():
    invoker, plan, arrays = prepared("smooth", "float64")
    wanted = arrays[0] + result_of(invoker, plan, arrays)[0]
    x = arrays[0].copy()
    invoker.run(plan, [x], [x], ["add"])
    np.testing.assert_allclose(x, wanted, rtol=1e-15)
    shifted = np.concatenate([[3.0], arrays[0]])
    right = shifted[:-1] + result_of(invoker, plan, [shifted[1:].copy()])[0]
    invoker.run(plan, [shifted[1:]], [shifted[:-1]], ["add"])
    np.testing.assert_allclose(shifted[:-1], right, rtol=1e-15)


def test_null_writes_nothing_and_runs_nothing():
    """OPR-07: no output asked for, no kernel made."""
    invoker, plan, arrays = prepared("sine", "float64")
    invoker.run(plan, arrays, [], [])
    assert not plan.kernels


def test_adding_over_and_over_accumulates_in_order():
    invoker, plan, arrays = prepared("quarter", "int16")
    total = np.zeros(37, np.int16)
    for _ in range(5):
        invoker.run(plan, arrays, [total], ["add"])
    np.testing.assert_array_equal(total, 5 * 4 * arrays[0])


def test_backward_in_gradients_have_requests_of_their_own():
    """SMP-19: two in-gradients, two requests; SMP-21: out_grad is multiplied in."""
    op = ng.op(OPERATORS["gauss"])
    back = backward(op)
    assert back.scalar.operands == ("out_grad", "x", "y")
    g, x, y = (np.linspace(a, 2, 21) for a in (1, -1, 0.5))
    dx, dy = -2 * g * x * y * np.exp(-x * x), g * np.exp(-x * x)
    invoker = Invoker(back.scalar)
    arrays, plan = invoker.prepare([g, x, y], {})
    outs = [np.ones(21), np.full(21, np.nan)]
    invoker.run(plan, arrays, outs, ["add", "write"])
    np.testing.assert_allclose(outs[0], 1 + dx, rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose(outs[1], dy, rtol=1e-13)
    value, both_x, both_y = forward_backward(op)(g, x, y)
    np.testing.assert_array_equal(value, op(x, y))
    np.testing.assert_allclose((both_x, both_y), (dx, dy), rtol=1e-13, atol=1e-15)


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


def elu(x):
    return x if x > 0 else math.exp(x) - 1


READS = {
    "scaled": (lambda x: 3 * x + 1, ("out_grad",)),
    "sum": (lambda x, y: x + 2 * y, ("out_grad",)),
    "exp": (lambda x: 5 * math.exp(x), ("out_grad", "out")),
    "sigmoid": (sigmoid, ("out_grad", "out")),
    "tanh": (lambda x: math.tanh(x), ("out_grad", "out")),
    "sqrt": (lambda x: math.sqrt(x), ("out_grad", "out")),
    "relu": (lambda x: max(x, 0), ("out_grad", "out")),
    "elu": (elu, ("out_grad", "out")),
    "sine": (lambda x: math.sin(x), ("out_grad", "x")),
    "product": (lambda x, y: x * y, ("out_grad", "x", "y")),
    "smooth": (OPERATORS["smooth"], ("out_grad", "x")),
    "swish": (lambda x: x * sigmoid(x), ("out_grad", "x")),
}


@pytest.mark.parametrize("name", READS)
def test_what_backward_reads(name):
    """SMP-16, SMP-17, SMP-18, SMP-20: nothing (T0), the output (T1), operands (T2); the value
    agrees with the derivative whichever form is used."""
    fn, reads = READS[name]
    op = ng.op(fn)
    back = backward(op)
    assert back.scalar.operands == reads
    values = dict(zip(op.scalar.operands, ([0.7, 2.5, 0.01], [1.5, -0.5, 3.0]), strict=False))
    with ng.config(compiler="python"):
        given = {**values, "out_grad": 2.0, "out": op(**values)}
        got = back(*(given[r] for r in reads))
        for column, operand in zip(got if op.nin > 1 else (got,), op.scalar.operands, strict=True):
            slope = op.derivative(operand)(**values)
            np.testing.assert_allclose(column, 2 * slope, rtol=1e-12)
