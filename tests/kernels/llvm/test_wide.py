"""Loops that call a function many times: it is there once, for several vectors, with the same bits.

Kernel budget: eight, six of them by Numba (0.5 s each).
"""

import math
import re

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.kernels.compiler.kernel import kernel, record
from nbgraph.kernels.llvm import compile as by_llvm
from nbgraph.kernels.loops import lanewise
from nbgraph.kernels.loops.source import emit
from nbgraph.operator.kernel_call import lowered
from nbgraph.operator.layout import layout

SIZE = 1000  # full groups of vectors, single vectors, and a rest


@ng.op
def chain(x):
    for _ in range(9):
        x = math.tanh(x) * 1.25
    return x


@ng.op
def powers(x, y):
    for _ in range(8):
        x = math.exp(-math.pow(x, y))
    return x


@ng.op
def few(x):
    return math.tanh(math.tanh(x)) + math.exp(x)


@ng.op
def powered(x, y):
    return math.pow(x, y) + 1.0


@ng.op
def squared(x):
    return math.pow(x, 2.4) + 1.0


@ng.op
def mostly_short(x):
    return math.erf(x) * math.exp(x) + math.tanh(x)


def loop(op, dtype):
    plan = op.invoker.plan_of([np.dtype(dtype)] * op.nin, {})
    return plan.loop(["c"] * (op.nin + 1), [dtype], ["write"])


def run(code, arrays):
    steps = [a.itemsize for a in arrays]
    code.run(record(SIZE, [a.ctypes.data for a in arrays], steps, [], []), 0, SIZE)


@pytest.mark.everyday(1 / 2)
@pytest.mark.parametrize("op", [chain, powers, powered], ids=["chain", "powers", "powered"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_many_calls_give_the_bits_of_inlined_code(op, dtype):
    rng = np.random.default_rng(1)
    operands = [rng.uniform(0.1, 2, SIZE).astype(dtype) for _ in range(op.nin)]
    operands[0][:5] = [0.0, -0.0, np.inf, np.nan, 1e-40]
    results = {}
    for compiler in ("llvm", "numba"):
        with ng.config(compiler=compiler):
            code = kernel(loop(op, dtype))
        assert code.compiler == compiler
        results[compiler] = np.empty(SIZE, dtype)
        run(code, [*operands, results[compiler]])
    wanted, got = results["numba"], results["llvm"]
    np.testing.assert_array_equal(got, wanted)
    signs = [np.signbit(each[~np.isnan(each)]) for each in (got, wanted)]
    np.testing.assert_array_equal(*signs)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_function_is_there_once(dtype):
    """The loop calls the function for vectors; of the mathematics there are three copies at most:
    for several vectors, for one, and for single elements."""
    text = str(by_llvm.module(emit(loop(chain, dtype)))[0])
    lanes = lanewise.lanes(dtype)
    part = re.search(r"^define [^\n]*@part_run.*?^}", text, re.MULTILINE | re.DOTALL)
    assert part is not None
    assert len(re.findall(rf"call .* @nbgraph_\w+_v{lanes}\(", part[0])) == 9
    assert "llvm.fma" not in part[0]


@pytest.mark.parametrize(
    ("op", "called"), [(few, 0), (powered, 1), (squared, 0), (mostly_short, 0)]
)
def test_few_calls_are_inlined_but_of_long_functions(op, called):
    """`pow` is long where its exponent is not a constant; what it is among decides, too."""
    text = by_llvm.text(emit(loop(op, "float32")))
    assert text.count("vector-function-abi-variant") == called


def test_sums_of_long_functions_take_one_vector_at_once():
    """By several, whose sum LLVM adds up four times over, rows of up to 255 numbers would have been
    computed one number after another."""
    row = layout((9, 100), np.dtype("float32"))
    norm, how = ng.vector_norm.op, {"axis": 1, "ord": 3.0, "keepdims": False}
    form = lowered(norm, [row], [layout((9,), row.dtype)], ["write"], how)
    text = str(by_llvm.module(form.calls[0].code.source)[0])
    part = re.search(r"^define [^\n]*@part_run.*?^}", text, re.MULTILINE | re.DOTALL)
    assert part is not None
    called = re.findall(r"call .* @nbgraph_\w+_v(\d+)\(", part[0])
    assert called == [str(lanewise.register("float32"))]


EXPONENTS = [k / 2 for k in range(-18, 19)] + [2.4, -0.3, 21.0, math.inf, -math.inf, math.nan]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("exponent", EXPONENTS)
def test_equal_exponents_take_shorter_code_with_the_same_bits(dtype, exponent):
    """Whole exponents up to 8 take products, also with zeros, infinities, NaN, negative numbers,
    and where only the inverse does not overflow."""
    rng, kind = np.random.default_rng(2), np.finfo(dtype)
    x = rng.uniform(-3, 3, SIZE).astype(dtype)
    x[:200:3] = np.abs(x[:200:3])
    x[300:] = np.abs(x[300:])
    x[100:110] = [0, -0.0, np.inf, -np.inf, np.nan, kind.max, -kind.max, kind.tiny, 1, -1]
    x[400:600] = 2.0 ** rng.uniform(kind.minexp, kind.maxexp - 1, 200)
    same, each = np.full(1, exponent, dtype), np.full(SIZE, exponent, dtype)
    each[::7] = 0.25  # so that no vector has equal exponents
    short, general = ng.power(x, same), ng.power(x, each)
    apart = each == same
    np.testing.assert_array_equal(short[apart], general[apart])
    np.testing.assert_array_equal(np.signbit(short[apart]), np.signbit(general[apart]))
    with np.errstate(all="ignore"):
        exact = np.power(x.astype(np.longdouble), same.astype(np.longdouble)).astype(dtype)
        units = np.abs(short - exact) / np.spacing(np.abs(exact))
    np.testing.assert_array_equal(np.isnan(short), np.isnan(exact))
    usual = (np.abs(exact) > kind.tiny) & (np.abs(exact) < kind.max / 8)  # 1 / x is not subnormal
    assert (units[usual] <= 7).all(), x[usual][units[usual] > 7]
    rest = (np.abs(exact) <= kind.tiny) | (np.abs(exact) >= kind.max / 8)
    np.testing.assert_allclose(short[rest], exact[rest], rtol=1e-5, atol=kind.tiny)
