"""Complex arrays against NumPy in every world; gradients in JAX's convention, to second order."""

import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import nbgraph as ng
from nbgraph.ops.elementwise.complexes import _CONSTANT, _SLOPES, FUNCTIONS, REFUSED
from tests import worlds
from tests.ops.linalg.cases import CASES as MATRICES
from tests.worlds import WORLDS

RNG = np.random.default_rng(11)


def numbers(*shape):
    return RNG.normal(size=shape) + 1j * RNG.normal(size=shape)


Z, W, X = numbers(3, 2), numbers(3, 2), RNG.normal(size=(3, 2))
BINARY = ("add", "subtract", "multiply", "divide", "power")
UNARY = sorted({*_SLOPES} - {*BINARY, "where"})
# name -> function of NumPy or of this library alike, operands
CASES = {
    **{name: (lambda z, n=name: getattr(np, n)(z), Z) for name in UNARY},
    **{name: (lambda z, w, n=name: getattr(np, n)(z, w), Z, W) for name in BINARY},
    "numbers": (lambda z: 2j * z + 1.5 / z - z**2 + 2**z, Z),
    "real and complex": (lambda x, z: x * z - x / z, X, Z),
    "where": (lambda z, w: np.where(X > 0, z, w), Z, W),
    "sums": (lambda z: z.sum(0) + z.mean() + z.prod(1)[0] + np.cumsum(z, 0)[1], Z),
    "products": (lambda z, w: z @ w.T + np.tensordot(z, w, axes=((1,), (1,))), Z, W),
    "einsum": (lambda z, w: np.einsum("ij,ij->i", z, w), Z, W),
    "shapes": (lambda z: np.concatenate([z[::-1].T.reshape(-1), np.stack([z, z])[1, 0]]), Z),
    "parts": (lambda z: z.real * z.imag + 0 * np.abs(z), Z),
    "casts": (lambda z: z.astype("complex64").astype("complex128") * 2, Z),
    "deviation": (lambda z: z.var(0) + z.std(1)[0], Z),
}


@pytest.mark.parametrize("name", CASES)
def test_values_are_those_of_numpy_in_every_world(name):
    function, *points = CASES[name]
    wanted = np.asarray(function(*points))
    for world in WORLDS[1:]:
        actual = world(function, *points)
        actual = np.asarray(actual[0] if isinstance(actual, list) else actual)
        assert actual.dtype == wanted.dtype, world
        np.testing.assert_allclose(actual, wanted, rtol=1e-12, err_msg=world.__name__)


@pytest.mark.parametrize("name", CASES)
def test_expression_graphs_have_values_and_gradients(name):
    function, *points = CASES[name]
    of_parts = lambda re, im: function(re + 1j * im, *points[1:])
    loss = lambda re, im: ng.sum(ng.abs(of_parts(re, im)) ** 2)
    parts = [np.ascontiguousarray(part) for part in (points[0].real, points[0].imag)]
    (actual,) = worlds.expressions(of_parts, *parts)
    np.testing.assert_allclose(actual.asnumpy(), function(*points), rtol=1e-12)
    graph = ng.ExpressionGraph(dtype="float64")
    params = [graph.param(f"x{k}", part.shape, part) for k, part in enumerate(parts)]
    top = loss(*params)
    graph.forward()
    graph.backward(heads=top)
    wanted = ng.grad(loss, argnums=(0, 1))(*map(ng.array, parts))
    for param, gradient in zip(params, wanted, strict=True):
        np.testing.assert_allclose(param.grad.asnumpy(), gradient.asnumpy(), rtol=1e-9)


# special values ---------------------------------------------------------------------------------

ALL = sorted({*FUNCTIONS} - {*REFUSED, "where"})
PARTS = (0.0, -0.0, 1.0, -2.5, math.inf, -math.inf, math.nan, 3e38, -3e38, 1e-38, 1e-45, 95.0, 1e-9)


def excused(name, operands):
    """Where C99 or NumPy's own slips leave the value open: infinite factors whose products have
    other signs, exponentials of what has no angle, overflow within."""
    finite = np.all([np.isfinite(z) for z in operands], axis=0)
    z = operands[0]
    with np.errstate(all="ignore"):
        beyond = np.isinf(np.abs(z) * np.abs(operands[-1]))
    off = {
        "power": ~finite | (z == 0) | (np.abs(operands[-1]) > 20),
        **dict.fromkeys(("multiply", "square"), ~finite | beyond),
        "divide": ~finite & (operands[-1] != 0),
        "reciprocal": z == 0,
        "sign": ~np.isfinite(np.abs(z)) & (np.isfinite(z) | np.isinf(z.real) & np.isinf(z.imag)),
        "expm1": ~finite | (z.real > 80),
        **dict.fromkeys(("exp", "exp2"), np.isfinite(z.real) & ~np.isfinite(z.imag)),
        **dict.fromkeys(("sin", "sinh"), ~np.isfinite(z.real) & ~np.isfinite(z.imag)),
        **dict.fromkeys(("acos", "acosh", "atan", "atanh"), np.isnan(z)),
    }
    return off.get(name, np.zeros(z.shape, bool))


def near(actual, wanted, size):
    """Which parts agree: equal, both NaN, or within rounding errors of numbers of that size."""
    with np.errstate(all="ignore"):
        form = np.finfo(actual.dtype if actual.dtype.kind == "f" else "float32")
        size = size + np.where(np.isfinite(wanted), np.abs(wanted), 0)
        few = 64 * form.eps * size + 8 * form.smallest_subnormal
        return (
            (actual == wanted)
            | (np.isnan(actual) & np.isnan(wanted))
            | (abs(actual - wanted) <= few)
        )


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("name", ALL)
@given(
    st.lists(st.tuples(*[st.sampled_from(PARTS) | st.floats(-20, 20, width=32)] * 4), min_size=1)
)
@settings(max_examples=25, deadline=None)
def test_special_values_are_those_of_numpy(name, dtype, rows):
    """In its own precision or in that of longer numbers, in which it makes fewer errors."""
    parts = np.array(rows)
    operands = [(parts[:, k] + 0j).astype(dtype) for k in (0, 2)][: getattr(ng, name).nin]
    for k, z in enumerate(operands):
        z.imag = parts[:, 2 * k + 1]
    actual = getattr(ng, name)(*operands)
    own = getattr(np, name)
    longer = np.complex128 if dtype == "complex64" else np.clongdouble
    with np.errstate(all="ignore"):
        wanted = [own(*operands), own(*[z.astype(longer) for z in operands])]
        wanted = [np.asarray(w).astype(actual.dtype) for w in wanted]
        size = [np.where(np.isfinite(w), np.abs(w), 0) for w in wanted]
        if name in ("power", "log1p"):
            size = [4 + 4 * s for s in size]
    parts_of = (
        (np.real, np.imag)
        if actual.dtype.kind == "c"
        else (lambda x: x if x.dtype.kind == "f" else x.astype(int),)
    )
    for part in parts_of:
        agrees = [near(part(actual), part(w), s) for w, s in zip(wanted, size, strict=True)]
        agrees = np.any(agrees, axis=0) | excused(name, operands)
        for z in zip(*[x[~agrees] for x in (*operands, actual, *wanted)], strict=True):
            raise AssertionError(z)


def late(function, *points):
    """Bind a graph of variables that get shape and dtype from their arrays alone."""
    arrays = {f"x{k}": ng.array(x) for k, x in enumerate(points)}
    symbols = [ng.var(name) for name in arrays]
    return function(*symbols).bind(ng.cpu(), arrays).forward()[0]


# Cases of NumPy's functions that symbols without a shape do not take
SHAPED = {"sums", "products", "einsum", "shapes", "deviation"}


@pytest.mark.parametrize("name", sorted(CASES.keys() - SHAPED))
def test_dtypes_that_are_known_at_bind(name):
    function, *points = CASES[name]
    wanted = np.asarray(function(*points))
    value = np.asarray(late(function, *points))
    assert value.dtype == wanted.dtype
    np.testing.assert_allclose(value, wanted, rtol=1e-12)
    types = {f"x{k}": np.asarray(x).dtype for k, x in enumerate(points)}
    symbols = [ng.var(key) for key in types]
    assert function(*symbols).infer_type(**types)[1] == [wanted.dtype]


# kernels of pairs -------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_a_call_is_found_again_with_other_numbers(dtype):
    """Numbers are words of the record: real ones have a part that is 0."""
    z = Z.astype(dtype)
    a, result = ng.array(z), None
    for number in (1j, 2 - 3j, 0.5, 7, 1e30, True, -0.0):
        for _ in range(3):
            result = [a * number, number - a, a / (number or 1)]
        wanted = [z * number, number - z, z / (number or 1)]
        for actual, value in zip(result, wanted, strict=True):
            assert actual.dtype == value.dtype
            np.testing.assert_allclose(actual.asnumpy(), value, rtol=1e-6)


def test_a_function_of_a_user_that_was_called_is_recorded_by_parts():
    z, w = ng.array(Z), ng.array(W)
    for _ in range(4):
        blend(z, w)
    z.attach_grad()
    with ng.autograd.record():
        loss = ng.sum(ng.real(blend(z, w)))
    loss.backward()
    wanted = ng.grad(lambda z: ng.sum(ng.real(blend(z, w))))(z)
    np.testing.assert_allclose(z.grad.asnumpy(), wanted.asnumpy())


@pytest.mark.parametrize("shape", [(1,), (3000,), (40, 50), (7, 3000), (3000, 7), (30, 5, 60)])
@pytest.mark.parametrize("axis", [None, 0, -1, (0, -1)])
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_totals_along_axes(dtype, axis, shape):
    if axis == (0, -1) and len(shape) == 1:
        pytest.skip("one axis")
    z = numbers(*shape).astype(dtype)
    places = {"axis": axis, "keepdims": len(shape) == 2}
    for own, array in ((z, ng.array(z)), (z.T, ng.array(z).T)):
        for name in ("sum", "mean"):
            wanted = getattr(own, name)(**places)
            actual = getattr(array, name)(**places)
            assert (actual.dtype, actual.shape) == (wanted.dtype, wanted.shape)
            scale = getattr(np.abs(own), name)(**places)
            rtol = 1e-5 if dtype == "complex64" else 1e-14
            assert np.all(np.abs(actual.asnumpy() - wanted) <= rtol * scale), name
        assert array.any(axis=axis).tolist() == own.any(axis=axis).tolist()
        assert array.all(axis=axis).tolist() == own.all(axis=axis).tolist()


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_products_are_those_of_numpy(dtype):
    a, b = numbers(3, 5, 7).astype(dtype), numbers(7, 4).astype(dtype)
    cases = [(a, b), (a[0], b[:, 1]), (b.T, a[1].T), (a.real, b), (a[:, ::2], b[:, ::-1])]
    for x, y in cases:
        actual = ng.array(x) @ ng.array(y)
        assert actual.dtype == (x @ y).dtype
        np.testing.assert_allclose(actual.asnumpy(), x @ y, rtol=1e-5)


def test_plans_have_no_functions():
    def chain(z, w):
        return ng.sum(ng.exp(z * w) / (1 + ng.abs(w)) - ng.conj(z @ w.T)[0, 0] * 2j, axis=0)

    executor = worlds.bind(chain, Z, W)
    (actual,) = executor.forward(x0=ng.array(Z), x1=ng.array(W))
    np.testing.assert_allclose(actual.asnumpy(), chain(Z, W), rtol=1e-12)
    assert not worlds.functions(executor)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_calls_on_numpy_arrays_have_a_short_path(dtype):
    z, w, x = Z.astype(dtype), W.astype(dtype), X.astype(np.zeros(0, dtype).real.dtype)
    double = z.astype("complex128")
    for _ in range(4):
        for f in (
            lambda xp: xp.multiply(z, w),
            lambda xp: xp.multiply(z, 2j),
            lambda xp: xp.multiply(z, 2.5),
            lambda xp: xp.multiply(z.T, w.T),
            lambda xp: xp.multiply(z, z[0]),
            lambda xp: xp.multiply(x, z),
            lambda xp: xp.multiply(x, 2j),
            lambda xp: xp.multiply(z, double),
            lambda xp: xp.multiply(z[0, 0], 1j),
            lambda xp: xp.absolute(z),
        ):
            actual, wanted = f(ng), f(np)
            assert (actual.dtype, actual.strides) == (wanted.dtype, wanted.strides)
            np.testing.assert_allclose(actual, wanted, rtol=1e-6)
    assert ng.multiply._fast._arrays((z, w), None, ()) is not None


def test_options_of_calls_on_numpy_arrays():
    z, mask = Z.astype("complex64"), X > 0
    out = np.zeros(z.shape, z.dtype)
    assert ng.multiply(z, 2j, where=mask, out=out) is out
    np.testing.assert_array_equal(out, np.where(mask, z * 2j, 0))
    assert ng.add(np.float32([1]), 1, dtype="complex64").dtype == "complex64"
    np.testing.assert_array_equal(ng.multiply(z, z, out=z), (Z.astype("complex64")) ** 2)


@pytest.mark.parametrize("offset", [0, 8, 16, 32])
def test_large_results_go_past_the_caches(offset):
    n = 1 << 21
    z, w = numbers(n), numbers(n)
    out = np.empty(16 * n + 64, np.uint8)[offset : offset + 16 * n].view(np.complex128)
    np.testing.assert_allclose(ng.multiply(z, w, out=out), z * w, rtol=1e-14)


# gradients --------------------------------------------------------------------------------------

STEP = 1e-6


def total(value):
    """A real function of a complex result that is not symmetric in its parts."""
    return ng.sum(ng.sin(ng.real(value)) + ng.imag(value) ** 2)


def judged(function, points, directions):
    """The difference along a direction, which a gradient g gives as Re(g * direction)."""
    ends = [function(*(p + s * STEP * d for p, d in zip(points, directions))) for s in (1, -1)]
    return (float(ends[0]) - float(ends[1])) / (2 * STEP)


def slope(grads, directions):
    return sum(ng.sum(ng.real(g * d)) for g, d in zip(grads, directions))


def check_gradients(function, points):
    where = tuple(range(len(points)))
    rng = np.random.default_rng(4)
    directions = [
        rng.normal(size=p.shape) + (1j * rng.normal(size=p.shape) if p.dtype.kind == "c" else 0)
        for p in points
    ]

    def first(*x):
        return total(function(*x))

    def along(*x):
        return slope(ng.grad(first, argnums=where)(*x), directions)

    arrays = [ng.array(p) for p in points]
    judge = judged(lambda *x: first(*map(ng.array, x)), points, directions)
    assert float(along(*arrays)) == pytest.approx(judge, rel=1e-5, abs=1e-6)
    second = ng.grad(along, argnums=where)(*arrays)
    judge = judged(lambda *x: along(*map(ng.array, x)), points, directions)
    assert float(slope(second, directions)) == pytest.approx(judge, rel=1e-4, abs=1e-5)


@pytest.mark.parametrize("name", sorted(CASES.keys() - {"casts"}))
def test_gradients_to_second_order(name):
    function, *points = CASES[name]
    check_gradients(function, points)


# factors whose phases are free, and norms of real order, are tested by their sizes alone
@pytest.mark.parametrize("name", sorted({*MATRICES} - {"lstsq vector"}))
def test_gradients_of_complex_matrices(name):
    function, *points = MATRICES[name]
    rng = np.random.default_rng(8)
    check_gradients(function, [p + 0.5j * rng.normal(size=p.shape) for p in points])


# grad f(z) of real functions f, as JAX documents: df/dx - i df/dy
FORMULAS = {
    "real": (ng.real, lambda z: 1 + 0j),
    "imag": (ng.imag, lambda z: -1j),
    "size": (ng.abs, lambda z: z.conjugate() / abs(z)),
    "square": (lambda z: ng.real(z * ng.conj(z)), lambda z: 2 * z.conjugate()),
    "holomorphic": (lambda z: ng.real(ng.exp(z)), np.exp),
    "angle": (ng.angle, lambda z: -1j / z),
}


@pytest.mark.parametrize("name", FORMULAS)
def test_gradients_follow_the_convention_of_jax(name):
    function, formula = FORMULAS[name]
    z = 1.5 - 0.75j
    for actual in (ng.grad(function)(ng.array(z)), ng.jit(ng.grad(function))(ng.array(z))):
        assert actual.dtype == "complex64"
        assert complex(actual) == pytest.approx(formula(z), rel=1e-6)


@pytest.mark.parametrize("function", [ng.abs, ng.std, ng.linalg.norm], ids=["abs", "std", "norm"])
def test_roots_of_complex_numbers_have_the_slope_zero_at_zero(function):
    z = ng.array([2.0 + 1j] if function is ng.std else [0j])
    for gradient in (ng.grad(lambda z: ng.sum(function(z))), ng.jit(ng.grad(function))):
        assert gradient(z if function is not ng.abs else z[0]).asnumpy().ravel() == [0]


def test_a_complex_result_has_no_gradient():
    with pytest.raises(ng.ArgumentError, match=r"return ng.real\(y\)"):
        ng.grad(lambda z: z * z)(ng.array(1j))


# functions of a user ----------------------------------------------------------------------------


@ng.op
def blend(z, w):
    return z * z + w / 2 if abs(z) > 1 else z * w.conjugate() - 1


@ng.op
def lengths(z, *, scale=2.0):
    return scale * math.hypot(z.real, z.imag)


@pytest.mark.parametrize("world", WORLDS)
def test_a_scalar_function_takes_complex_operands(world):
    wanted = [[complex(blend.__wrapped__(z, w)) for z, w in zip(*row)] for row in zip(Z, W)]
    actual = world(blend, Z, W)
    actual = np.asarray(actual[0] if isinstance(actual, list) else actual)
    np.testing.assert_allclose(actual, wanted, rtol=1e-12)
    assert actual.dtype == np.complex128


@pytest.mark.parametrize("world", [*WORLDS, worlds.expressions])
def test_a_number_beside_complex_operands_has_no_dtype(world):
    x = X.astype("float32")
    actual = world(lambda x: blend(1j * x, 2j), x)
    actual = np.asarray(actual[0] if isinstance(actual, list) else actual)
    assert actual.dtype == np.complex64
    np.testing.assert_allclose(actual, blend(1j * X, 2j), rtol=1e-6)


def test_a_scalar_function_is_chosen_at_bind():
    """Gradients, too: what takes the operator's place is what the gradient pass sees."""
    z, w = (ng.array(v) for v in (Z, X))
    loss = ng.sum(ng.real(blend(ng.var("z"), ng.var("w"))))
    grads = {"z": ng.zeros(Z.shape, dtype=Z.dtype), "w": ng.zeros(X.shape, dtype=X.dtype)}
    executor = loss.bind(ng.cpu(), {"z": z, "w": w}, args_grad=grads)
    wanted = ng.grad(lambda z, w: ng.sum(ng.real(blend(z, w))), argnums=(0, 1))(z, w)
    executor.forward(is_train=True)
    executor.backward()
    for grad, other in zip(grads.values(), wanted, strict=True):
        np.testing.assert_allclose(grad.asnumpy(), other.asnumpy(), rtol=1e-12)


def test_a_scalar_function_may_give_real_numbers():
    actual = lengths(ng.array(Z), scale=3.0)
    assert actual.dtype == np.float64
    np.testing.assert_allclose(actual.asnumpy(), 3 * abs(Z), rtol=1e-12)
    assert lengths(Z.astype("complex64")).dtype == np.float32


def test_a_scalar_function_has_certified_gradients():
    check_gradients(blend, [Z, W])
    check_gradients(blend, [Z, X])
    check_gradients(lengths, [Z])


# what arrays are asked otherwise ----------------------------------------------------------------


@given(
    hnp.arrays(
        st.sampled_from(["complex64", "complex128"]),
        hnp.array_shapes(min_dims=0, max_dims=3, max_side=4),
        elements=st.complex_numbers(max_magnitude=100, width=64),
    ),
    st.sampled_from(["int8", "int64", "float32", "float64", "complex64", "bool"]),
)
@settings(max_examples=40, deadline=None)
def test_promotion_and_arithmetic_as_numpy(z, other):
    y = np.ones(z.shape, other) * 3 if other != "bool" else np.ones(z.shape, bool)
    y = y.astype(other)
    a, b = ng.array(z), ng.array(y)
    with np.errstate(all="ignore"):
        pairs = [(a + b, z + y), (a * b, z * y), (a / b, z / y), (a == b, z == y), (a != b, z != y)]
        pairs += [(a.sum(), z.sum()), (abs(a), abs(z))]
        for actual, wanted in pairs:
            assert actual.dtype == np.asarray(wanted).dtype
            np.testing.assert_allclose(actual.asnumpy(), wanted, rtol=2e-5, atol=1e-4)


def test_views_writes_and_printing():
    a, z = ng.array(Z), Z.copy()
    a[0], z[0] = 1j, 1j
    a[1:, 0] *= 2
    z[1:, 0] *= 2
    a.imag[2] = 7
    z.imag[2] = 7
    a[a.real > 0] = -1
    z[z.real > 0] = -1
    np.testing.assert_array_equal(a.asnumpy(), z)
    assert str(a) == str(z)
    assert complex(a[0, 0]) == z[0, 0] == a[0, 0].item()
    with pytest.raises(TypeError):
        float(a[0, 0])


def test_creation():
    assert ng.array([1j, 2.0]).dtype == "complex64"  # of the default float
    assert ng.array(np.array([1j])).dtype == "complex128"
    assert ng.zeros(2, dtype=complex).tolist() == [0j, 0j]
    assert ng.full((3,), 1 + 2j).tolist() == [1 + 2j] * 3
    assert ng.full_like(ng.array(Z), 2j)[0, 0].item() == 2j
    assert ng.full((9000,), 2j)[-1].item() == 2j
    with pytest.raises(ng.ArgumentError, match="cannot be held by float32"):
        ng.full((3,), 1j, dtype="float32")


def test_files_pickles_and_other_libraries(tmp_path):
    a = ng.array(Z)
    ng.save(str(tmp_path / "z.npz"), {"z": a})
    for other in (
        ng.load(str(tmp_path / "z.npz"))["z"],
        pickle.loads(pickle.dumps(a)),
        ng.from_dlpack(np.from_dlpack(a)),
    ):
        np.testing.assert_array_equal(np.asarray(other), Z)


def test_a_cast_to_real_warns_as_numpy_does():
    with pytest.warns(np.exceptions.ComplexWarning, match="discards the imaginary part"):
        actual = ng.array(Z).astype("float32")
    np.testing.assert_array_equal(actual.asnumpy(), Z.real.astype("float32"))
    assert ng.array(Z).astype(bool).asnumpy().all()


@pytest.mark.parametrize("name", "less maximum floor floor_divide hypot arctan2 signbit".split())
def test_what_needs_an_order_is_refused_by_name(name):
    op = getattr(ng, name)
    assert {op.__name__, name} & REFUSED
    with pytest.raises(ng.DTypeError, match=f"{op.__name__}: it is not defined for complex"):
        op(*[ng.array(Z)] * op.nin)


@pytest.mark.parametrize("name", _CONSTANT.split())
def test_questions_are_those_of_numpy(name):
    own = getattr(ng, name)
    z = Z.copy()
    z[0, 0], z[1, 1] = 0, complex(np.nan, np.inf)
    operands = [z] * own.nin
    actual, wanted = own(*map(ng.array, operands)), getattr(np, name)(*operands)
    np.testing.assert_array_equal(actual.asnumpy(), wanted)


@pytest.mark.parametrize("values", [Z, X])
@pytest.mark.parametrize("function", [ng.conj, np.conjugate])
def test_conjugates_are_written_to_out(function, values):
    out = ng.zeros(values.shape, dtype=values.dtype)
    assert function(ng.array(values), out=out) is out
    np.testing.assert_array_equal(out.asnumpy(), values.conj())


@pytest.mark.parametrize("w", [1j, 0.5, -0.25 + 0.5j])
def test_powers_whose_size_is_beyond_the_largest_number(w):
    z = np.array([3e38 + 3e38j, -3e38j, 1e38 - 2e38j], "complex64")
    wanted = np.power(z.astype("complex128"), w)
    np.testing.assert_allclose(ng.power(z, np.complex64(w)), wanted, rtol=1e-5)
