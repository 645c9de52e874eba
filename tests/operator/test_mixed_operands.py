"""Operands that must be integers or bools, beside those that a derivative is taken by."""

import math

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import DerivativeError, DTypeError
from nbgraph.kernels.function.probe import probe_kinds
from tests import worlds
from tests.operator.worlds import WAYS

A, B = np.array([0, 1, 2, 3]), np.array([3, 3, 1, 2])


def both_bits(x, a, b):
    return x * x if a & b else x


def times(x, n):
    total = x * 0
    for i in range(n):
        total += x * x * i
    return total


def exclusive(x, a, b):
    return x * (a ^ b)


def picked(x, n):
    return x * x * (1, 2, 3)[n % 3]


def shifted(n, x):
    return math.sin(x) * (1 << n)


def flagged(x, flag, other):
    """Bits on one branch, a bool on the other."""
    return -x if (flag & 1 if x > 0 else False) else x * (other >> 1)


def unread(x, n):
    return 3 * x if (n & 1) == 5 else 2 * x


CASES = {
    both_bits: ((A, B), 0, "f64 i i", lambda x: np.where(A & B, 2 * x, 1)),
    times: ((A,), 0, "f64 i", lambda x: 2 * x * np.array([0, 0, 1, 3])),
    exclusive: ((A, B), 0, "f64 i i", lambda x: 1.0 * (A ^ B)),
    picked: ((A,), 0, "f64 i", lambda x: 2 * x * np.array([1, 2, 3, 1])),
    shifted: ((A,), 1, "i f64", lambda x: np.cos(x) * 2.0**A),
    flagged: ((A > 1, B), 0, "f64 i i", lambda x: np.where((A > 1) & (x > 0), -1, B >> 1)),
    unread: ((A,), 0, "f64 i", lambda x: 2 + 0 * x),
}
_KINDS = {"f64": "f", "i": "int64", "b": "bool"}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("function", CASES, ids=lambda f: f.__name__)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_slopes_beside_integers(function, way, dtype):
    others, wrt, _, wanted = CASES[function]
    x = np.array([-0.5, 0.25, 1.5, 2.0], dtype)
    arrays = list(others)
    arrays.insert(wrt, x)
    found = WAYS[way](ng.op(function), arrays, wrt)
    np.testing.assert_allclose(found, wanted(x.astype("float64")), rtol=1e-6)


@pytest.mark.parametrize("function", CASES, ids=lambda f: f.__name__)
def test_such_operators_show_themselves(function):
    _, wrt, kinds, _ = CASES[function]
    op = ng.op(function)
    assert probe_kinds(op.scalar) == tuple(_KINDS[k] for k in kinds.split())
    floating = op.scalar.operands[wrt]
    for dtype in ("float32", "float64"):
        explanation = op.explain(dtype=dtype)
        assert explanation.dtype == dtype and explanation.kernel
        assert list(explanation.derivatives) == list(explanation.certificates) == [floating]
        assert "none" not in explanation.derivatives[floating]
        assert op.ptx(dtype)
    assert any(set(row[0].split(", ")) >= {"float32"} for row in op.explain().dtypes)
    assert any(name.startswith(("d", "l", "?")) and "d" in name for name in op.types)
    assert "<svg" in op._repr_mimebundle_()["text/html"]
    op.precompile()


def test_an_integer_operand_has_no_derivative():
    with pytest.raises(DerivativeError, match="both_bits.*'a'.*integer"):
        ng.op(both_bits).derivative("a")


def test_a_gradient_by_hand_beside_integers():
    op = ng.op(both_bits, name="by_hand")

    @op.gradient
    def _(out_grad, x, a, b):
        return out_grad * (2 * x if a & b else 1.0), None, None

    x = np.array([-0.5, 0.25, 1.5, 2.0])
    for way in WAYS.values():
        np.testing.assert_array_equal(way(op, [x, A, B], 0), np.where(A & B, 2 * x, 1))


def test_integer_operands_of_fused_operators():
    """An operand that one part takes as any number, and another as an integer."""
    product = ng.op(lambda x, n: x * n, name="product")
    chained = lambda x, n: picked_op(product(x, n), n)
    picked_op = ng.op(picked)
    x = ng.array([0.5, 0.25, 1.5, 2.0], dtype="float64")
    n = ng.array(A)
    found = ng.jit(ng.grad(lambda x: ng.sum(chained(x, n))))(x).asnumpy()
    np.testing.assert_allclose(found, 2 * x.asnumpy() * A**2 * [1, 2, 3, 1])


class Lent:
    """An array of another library, as far as operators look at it."""

    dtype, shape, requires_grad = np.dtype("float64"), (2,), False

    def __array__(self, dtype=None, copy=None):
        return np.array([1.0, 2.0])


Lent.__module__ = "torch"


@pytest.mark.parametrize(
    "call",
    [
        ng.exp,
        ng.sum,
        lambda x: ng.array(x) + x,
        ng.grad(lambda y: (y * y).sum()),
        ng.jit(lambda y: y * y),
        ng.vmap(lambda y: y * y),
    ],
)
def test_arrays_of_other_libraries_are_taken(call):
    np.testing.assert_allclose(np.asarray(call(Lent())), np.asarray(call(np.array([1.0, 2.0]))))


class _Uncertain:
    """A number of a package of uncertainties, whose class names a dtype that is no NumPy dtype."""

    dtype = type("dtype", (), {})


@pytest.mark.parametrize("f", [ng.sin, ng.add, ng.sum, ng.array, ng.round])
def test_numbers_with_a_dtype_of_their_own_are_refused(f):
    with pytest.raises(DTypeError, match=r"dtype object; give numbers, or convert with"):
        f(*[_Uncertain()] * (2 if f is ng.add else 1))


def test_what_another_library_differentiates_is_refused():
    lent = Lent()
    lent.requires_grad = True
    with pytest.raises(ng.errors.ArgumentError, match=r"requires grad.*ng.to_torch"):
        ng.exp(lent)


def _share(x, whole):
    return x / whole


def _mean(x, y):
    return (x + y) / 2


@pytest.mark.parametrize("world", worlds.WORLDS, ids=lambda world: world.__name__)
@pytest.mark.parametrize("dtype", ["uint8", "int8", "uint16", "int32"])
def test_integers_that_become_floats_may_be_any(dtype, world):
    """A byte may be divided by 256: NumPy's result, of the dtype that smaller numbers give."""
    x, large = np.arange(1, 4).astype(dtype), 1 << 40
    for call in (lambda a: a / large, lambda a: large / a, lambda a: ng.op(_share)(a, -large)):
        wanted, (own,) = call(x.astype("float64")), worlds.bits(world(call, x))
        np.testing.assert_array_equal(np.frombuffer(own[2], own[1]), wanted)
    for call in (ng.multiply, ng.maximum, ng.hypot, ng.op(_mean)):  # integers, or other floats
        if call is not ng.hypot or dtype != "int32":
            with pytest.raises(OverflowError, match=f"out of bounds for {dtype}"):
                world(lambda a, c=call: c(a, large), x)


@pytest.mark.parametrize("numbers", [(2, -1, 2), (2.5, 2), (True, 2), (-1, 2.5, 2)])
def test_a_call_has_the_dtype_it_always_has(numbers):
    """Whatever numbers the last one had."""
    x = ng.array(np.arange(6), dtype="uint64")
    for number in numbers:
        if number == -1:
            with pytest.raises(OverflowError):
                ng.multiply(x, number)
            continue
        wanted = np.multiply(np.arange(6, dtype="uint64"), number)
        assert ng.multiply(x, number).dtype == wanted.dtype
        np.testing.assert_array_equal(ng.multiply(x, number).asnumpy(), wanted)
        assert ng.divide(x, -number).dtype == np.float64


def test_a_python_number_is_weak_beside_bfloat16():
    """As it is beside float16."""
    pytest.importorskip("ml_dtypes")
    x = ng.array([1.0, 2.0], dtype="bfloat16")
    values = (x * 1.5, x - 0.1, x / 1.5, ng.maximum(x, 0.5), ng.clip(x, 0.1, None))
    values += (
        ng.where(x > 1, 0, x),
        ng.where(x > 1, x, 0.0),
        ng.where(np.array([True, False]), x, 1),
    )
    assert {str(v.dtype) for v in (*values, ng.jit(lambda a: a * 1.5)(x))} == {"bfloat16"}
    assert (x + ng.array([1.0])).dtype == "float32"


@pytest.mark.parametrize("world", [lambda f: f, ng.jit], ids=["plain", "jit"])
def test_whole_numbers_beside_bfloat16_in_gradients(world):
    """X-NDA-07: what a gradient chooses by `where(condition, 0, x)` keeps bfloat16 in graphs, too;
    NumPy promotes a number and bfloat16 one by one, which fails."""
    pytest.importorskip("ml_dtypes")
    x = ng.array([[1.0, 2.0, 4.0], [0.0, 0.0, 0.0]], dtype="bfloat16")
    for f in (
        lambda x: ng.logsumexp(x, axis=1).sum(),
        lambda x: ng.logcumsumexp(x).sum(),
        lambda x: ng.cross_entropy(x, np.array([0, 1]), ignore_index=1),
    ):
        slopes = world(ng.grad(f))(x)
        wide = ng.grad(f)(x.astype("float32"))
        assert slopes.dtype == x.dtype
        np.testing.assert_allclose(slopes.astype("float32").asnumpy(), wide.asnumpy(), 2e-2, 1e-2)


@pytest.mark.parametrize("world", [lambda f: f, ng.jit], ids=["plain", "jit"])
@pytest.mark.parametrize("f", [ng.l1_loss, ng.huber_loss, ng.arctan2, ng.maximum, ng.hypot])
def test_gradients_of_bfloat16_beside_wider_floats(f, world):
    """X-NDA-07: partials hold numbers beside both dtypes; each slope has the dtype of its own."""
    pytest.importorskip("ml_dtypes")
    x, y = ng.array([1.0, -2.0], dtype="bfloat16"), ng.array([0.5, 3.0], dtype="float32")
    slopes = world(ng.grad(lambda x, y: f(x, y).sum(), argnums=(0, 1)))(x, y)
    wide = ng.grad(lambda x, y: f(x, y).sum(), argnums=(0, 1))(x.astype("float32"), y)
    for own, wanted, operand in zip(slopes, wide, (x, y), strict=True):
        assert own.dtype == operand.dtype
        np.testing.assert_allclose(own.astype("float32").asnumpy(), wanted.asnumpy(), 1e-2)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda x, i: x * i, "multiply"),
        (lambda x, i: ng.equal(x.asnumpy(), i.asnumpy()), "equal"),
        (lambda x, i: ng.jit(ng.where)(i > 0, x, i), "where"),
        (lambda x, i: ng.concatenate([x, i]), "concatenate"),
        (lambda x, i: x @ i.astype("float16"), "matmul"),
        (lambda x, i: ng.rms_norm(x, i.astype("float16")), "rms_norm"),
        (lambda x, i: ng.var("x", (3,), x.dtype) + i, "add"),
    ],
)
def test_dtypes_without_a_common_one(call, name):
    """OPP-04: the error names the operator, the dtypes and the remedy, not NumPy's classes."""
    pytest.importorskip("ml_dtypes")
    x, i = ng.ones(3, dtype="bfloat16"), ng.arange(3)
    with pytest.raises(DTypeError, match=rf"{name}.*: operands have dtypes .*bfloat16.*astype"):
        result = call(x, i)
        result.simple_bind()


def test_the_least_integer_of_a_narrow_dtype_beside_a_wide_one():
    for narrow, wide in (("int8", "int16"), ("int16", "int64")):
        a, b = np.array([np.iinfo(narrow).min], narrow), np.array([3], wide)
        np.testing.assert_array_equal(ng.lcm(a, b), np.lcm(a, b))
