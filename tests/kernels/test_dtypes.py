"""Dtypes: results as NumPy gives them for the same text, edge cases included (MFU-01 to MFU-08).

Kernel budget of this file: about 110, each of one or two lines (0.15 s); 16-bit floats are
tried on all their 65,536 values.
"""

# ruff: noqa: PLW0108 - lambdas are the operators

import math
import re

import ml_dtypes
import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import CaptureError
from tests.zoo import functions as zoo

INTEGERS = [np.dtype(c) for c in "bhilBHIL"]
BF16 = np.dtype(ml_dtypes.bfloat16)

# The same text is run by nbgraph and, on arrays, by NumPy.
TEXTS = {
    "a + b": lambda a, b: a + b,
    "a - b": lambda a, b: a - b,
    "a * b": lambda a, b: a * b,
    "a / b": lambda a, b: a / b,
    "a // b": lambda a, b: a // b,
    "a % b": lambda a, b: a % b,
    "a ** b": lambda a, b: a**b,
    "a & b": lambda a, b: a & b,
    "a ^ ~b": lambda a, b: a ^ ~b,
    "a << b": lambda a, b: a << b,
    "a >> b": lambda a, b: a >> b,
    "a < b": lambda a, b: a < b,
    "a == b": lambda a, b: a == b,
    "-a": lambda a, b: -a,
    "abs(a)": lambda a, b: abs(a),
    "a * 3 + 1": lambda a, b: a * 3 + 1,
    "a * 2.5": lambda a, b: a * 2.5,
    "a ** 3": lambda a, b: a**3,
    "2 ** b": lambda a, b: 2**b,
    "np.exp(a)": lambda a, b: np.exp(a),
    "np.maximum(a, b)": lambda a, b: np.maximum(a, b),
    "np.sign(a)": lambda a, b: np.sign(a),
    "np.round(a)": lambda a, b: np.round(a),
}
NOT_NEGATIVE = ("a ** b", "2 ** b", "a << b", "a >> b")  # NumPy refuses or leaves these open
FLOAT_ONLY = ("np.exp(a)",)
OF_BITS = ("a & b", "a ^ ~b", "a << b", "a >> b")
made = {name: ng.op(fn) for name, fn in TEXTS.items()}


def extremes(dtype):
    info = np.iinfo(dtype)
    seeds = [
        0,
        1,
        2,
        3,
        5,
        7,
        63,
        64,
        100,
        info.max,
        info.max - 1,
        info.min,
        info.min + 1,
        -1,
        -2,
        -7,
    ]
    return np.array(sorted({s for s in seeds if info.min <= s <= info.max}), dtype)


def both(name, a, b):
    with np.errstate(all="ignore"):
        return made[name](a, b), TEXTS[name](a, b)


def check(name, a, b):
    a, b = (m.ravel() for m in np.meshgrid(a, b))
    if name in NOT_NEGATIVE and b.dtype.kind == "i":
        a, b = a[b >= 0], b[b >= 0]
    if name in ("a ** b", "2 ** b"):
        a, b = a[b < 100], b[b < 100]
        base = np.full_like(b, 2) if name == "2 ** b" else a
        if np.result_type(base, b) == np.int64:  # those of more bits are raised for
            kept = [abs(x) ** y < 2**63 for x, y in zip(base.tolist(), b.tolist(), strict=True)]
            a, b = a[kept], b[kept]
    got, wanted = both(name, a, b)
    assert got.dtype == wanted.dtype, (got.dtype, wanted.dtype)
    if wanted.dtype.kind == "f":
        rtol = 4 * np.finfo(wanted.dtype).eps
        np.testing.assert_allclose(got, wanted, rtol=rtol)
    else:
        wrong = np.flatnonzero(got != wanted)[:3]
        assert not len(wrong), [(a[i], b[i], got[i], wanted[i]) for i in wrong]


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "uint64"])
def test_integers_wrap_and_divide_as_in_numpy(name, dtype):
    """Wraparound, // and % of both signs, by zero, min // -1, shifts beyond the width."""
    if name in FLOAT_ONLY and dtype.endswith("64"):
        pytest.skip("covered for 8 bits: the result overflows")
    check(name, extremes(dtype), extremes(dtype))


@pytest.mark.slow
@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("left", INTEGERS, ids=str)
@pytest.mark.parametrize("right", INTEGERS, ids=str)
def test_all_pairs_of_integers(name, left, right):
    if name in FLOAT_ONLY and left.itemsize > 1:
        pytest.skip("overflows")
    common = np.result_type(left, right)
    if name in FLOAT_ONLY and common.kind == "f":  # uint64 and a signed one: in their precision
        got = made[name](extremes(left), extremes(right)[:1])
        wanted = TEXTS[name](extremes(left).astype(common), None)
        np.testing.assert_allclose(got, wanted, rtol=4 * np.finfo(common).eps, strict=True)
        return
    if name in OF_BITS and common.kind == "f":
        with pytest.raises(TypeError):
            TEXTS[name](extremes(left)[:1], extremes(right)[:1])
        with pytest.raises(CaptureError, match="bits are not defined for floating-point"):
            made[name](extremes(left)[:1], extremes(right)[:1])
        return
    check(name, extremes(left), extremes(right))


MIXED = [("int8", "uint8"), ("int64", "uint64"), ("uint8", "int32"), ("int32", "float32"),
         ("bool", "int16")]  # fmt: skip


@pytest.mark.parametrize("name", ["a + b", "a * b", "a // b", "a < b", "a == b", "a ** b"])
@pytest.mark.parametrize(("left", "right"), MIXED)
def test_mixed_dtypes_promote_as_in_numpy(name, left, right):
    def sample(dtype):
        if np.dtype(dtype).kind in "iu":
            return extremes(dtype)
        return np.array([0, 1, 1, 0], dtype) if dtype == "bool" else np.array([0.5, -3, 7], dtype)

    check(name, sample(left), sample(right))


@pytest.mark.parametrize("name", ["a + b", "a * b", "a & b", "a == b", "a < b", "abs(a)"])
def test_bools_as_in_numpy(name):
    check(name, np.array([True, False]), np.array([True, False]))


FLOATS = np.array(
    [0.0, -0.0, 1.0, -1.5, 2.5, 0.5, -7.25, 1e30, -1e-30, np.inf, -np.inf, np.nan, 3.0]
)


@pytest.mark.parametrize("name", ["a + b", "a / b", "a // b", "a % b", "a ** b", "np.maximum(a, b)",
                                  "a < b", "np.sign(a)", "np.round(a)"])  # fmt: skip
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_floats_at_their_edges(name, dtype):
    """Zeros of both signs, infinities, NaN."""
    a, b = (m.ravel() for m in np.meshgrid(FLOATS.astype(dtype), FLOATS.astype(dtype)))
    got, wanted = both(name, a, b)
    assert got.dtype == wanted.dtype
    for i in np.flatnonzero(~(np.isclose(got, wanted, rtol=1e-6, atol=0, equal_nan=True))):
        raise AssertionError((a[i], b[i], got[i], wanted[i]))
    if name not in ("a ** b", "np.maximum(a, b)"):  # NumPy leaves open which zero is larger
        zero = (wanted == 0) & (got == 0)
        np.testing.assert_array_equal(np.signbit(got[zero]), np.signbit(wanted[zero]))


def test_results_do_not_depend_on_what_was_called_before():
    """numba's ufuncs keep the first loop that fits; here float64 first changes nothing."""
    op = ng.op(lambda x: x * 0.5 + 1)
    for first, then in ((np.float64, np.float32), (np.float32, np.int8), (np.int64, np.float16)):
        op(np.ones(3, first))
        assert op(np.ones(3, then)).dtype == (np.ones(3, then) * 0.5 + 1).dtype
    assert op(np.ones(3, np.float32)).dtype == np.float32
    assert op(1).dtype == op([1, 2]).dtype == np.float64  # lists and numbers as NumPy


def test_comparisons_with_literals_and_counters_beyond_the_dtype():
    x = np.array([0, 5, 255], np.uint8)
    np.testing.assert_array_equal(ng.op(lambda x: x < 300)(x), [True] * 3)
    np.testing.assert_array_equal(ng.op(lambda x: x == -1)(x), [False] * 3)

    def count_below(x):
        n = 0
        for i in range(1000):
            if i < x:
                n += 1
        return n

    np.testing.assert_array_equal(ng.op(count_below)(x), x.astype(int))


@pytest.mark.parametrize("dtype", [np.float16, BF16], ids=["float16", "bfloat16"])
@pytest.mark.parametrize("text", ["x * 1.5 - 0.25", "exp"])
def test_16_bit_floats_on_every_value(dtype, text):
    """MFU-02: arithmetic in float32, one rounding to 16 bits at the end."""
    op = ng.op(lambda x: math.exp(x)) if text == "exp" else ng.op(lambda x: x * 1.5 - 0.25)
    every = np.arange(2**16, dtype=np.uint16).view(dtype)
    wide = every.astype(np.float32)
    with np.errstate(all="ignore"):
        single = (
            np.exp(wide.astype(np.float64))
            if text == "exp"
            else wide * np.float32(1.5) - np.float32(0.25)
        )
        wanted = single.astype(np.float32).astype(dtype)
        got = op(every)
        assert got.dtype == dtype
        finite = ~np.isnan(wanted.astype(np.float32))
        np.testing.assert_array_equal(np.isnan(got.astype(np.float32)), ~finite)
        a, b = got[finite].view(np.int16).astype(int), wanted[finite].view(np.int16).astype(int)
        off = np.abs(a - b)
    # exp in float32 may fall on the other side of a tie: one unit, rarely
    assert off.max() <= (1 if text == "exp" else 0)
    assert np.count_nonzero(off) <= 40


def test_unsupported_dtypes_name_op_and_dtype():
    """MFU-04."""
    op = ng.op(name="increment")(lambda x: x + 1)
    for bad in ("M8[s]", "U3", object, np.longdouble):
        if np.dtype(bad) == np.float64:
            continue
        with pytest.raises(
            TypeError, match=r"increment: operand 'x'.*(complex|dtype|not supported)"
        ):
            op(np.zeros(3, bad))


def test_a_narrow_operand_that_is_broadcast_is_widened_before_it_is_used():
    """MFU-03: float32 and 16-bit scalars beside float64 compute in float64, as in NumPy."""
    op = ng.op(lambda a, x: a * a if x > 0 else x)
    x = np.array([2.0, -3.0])
    for dtype in ("f4", "f2"):
        a = np.array(1.1, dtype)
        wanted = [float(a) * float(a), -3.0]
        np.testing.assert_array_equal(op(a, x), wanted)
        np.testing.assert_array_equal(op(np.full(2, a), x), wanted)


# machine code -----------------------------------------------------------------------------------

OPS = [zoo.smooth_l1, zoo.gelu_tanh, zoo.gelu_erf, zoo.swish, zoo.softplus_stable, zoo.tukey,
       zoo.cauchy_loss, zoo.normal_pdf]  # fmt: skip
_DOUBLE = re.compile(
    r"\bv?(add|sub|mul|div|fmadd\w*|fmsub\w*|fnmadd\w*|sqrt|cvtss2|cvtps2)(sd|pd)\b"
)


@pytest.mark.parametrize("fn", OPS, ids=lambda fn: fn.__name__)
def test_float32_kernels_hold_packed_singles_only(fn):
    """MFU-03, SMP-32: no float64 instruction; packed registers, also beside a broadcast operand."""
    op = ng.op(fn)
    wide = [np.linspace(0.1, 1, 64, dtype=np.float32)] * op.nin
    row = [np.ones((2, 64), np.float32)] * (op.nin - 1) + [np.full((2, 1), 0.5, np.float32)]
    op(*wide)
    if op.nin > 1:
        op(*row)
    (plan,) = op.invoker._plans.values()
    assert len(plan.kernels) == (2 if op.nin > 1 else 1)
    for code in plan.kernels.values():
        text = code.assembly()
        assert not _DOUBLE.search(text), _DOUBLE.search(text)
        assert re.search(r"\bv(add|mul|sub|fm\w+|fn\w+)ps\s.*[yz]mm", text), "not vectorised"


@pytest.mark.parametrize("dtype", [np.dtype("float16"), BF16], ids=str)
@pytest.mark.parametrize("by", ["llvm", "numba"])
def test_floats_become_16_bits_in_one_rounding(dtype, by):
    """MFU-02: what is computed in float64 is not rounded to float32 on its way; a sign that is
    copied, which LLVM moves behind the rounding, needs nothing that the process lacks."""
    near = np.linspace(-4, 4, 1999).astype(dtype).astype(np.float64)
    middle = (near[1:] + near[:-1]) / 2
    x = np.concatenate([near, middle, middle * (1 + 2.0**-30), middle * (1 - 2.0**-30)])
    with ng.config(compiler=by):
        op, turned = ng.op(lambda x: x * 1.0), ng.op(lambda x: math.atan(x))
        found = op(x, out=np.empty(x.size, dtype))
        angles = turned(x, out=np.empty(x.size, dtype))
        exact = turned(x)
    off = np.abs(found.astype(float) - x)
    for step in (1, -1):  # no neighbour is nearer
        other = (found.view(np.uint16) + np.uint16(step % (1 << 16))).view(dtype).astype(float)
        assert np.all((off <= np.abs(other - x)) | (found == 0))
    if dtype == np.float16:  # ml_dtypes rounds by way of float32
        np.testing.assert_array_equal(found.view(np.uint16), x.astype(dtype).view(np.uint16))
        np.testing.assert_array_equal(angles, exact.astype(dtype))
