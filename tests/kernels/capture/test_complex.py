"""Complex numbers between the operands and the results of a scalar function."""

import cmath
import functools
import inspect
import math
import operator
import pickle
import re

import mpmath
import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import CaptureError
from nbgraph.kernels.capture import complex_numbers

IMPEDANCE = 2.0 + 0.5j
NODES = (1j, 0.5, 1 - 1j)
TABLE = np.array([1j, 2.0, -1 + 1j])
ELEMENTARY = (
    "exp log log10 sqrt sin cos tan sinh cosh tanh asin acos atan asinh acosh atanh"
).split()
RNG = np.random.default_rng(3)
X, Y = np.round(RNG.normal(size=(2, 12)), 2)


def arithmetic(x, y):
    z, w = complex(x, y), x - 2j * y
    total = z + w * 2 - 1 / z + (z / w) * IMPEDANCE - w / 3
    total -= -z.conjugate() + (+w)
    return total.real, total.imag, abs(z), (z * z.conjugate()).imag, z == z, z != w, x.conjugate()


def powers(x, y):
    z = complex(x, y)
    return [
        part
        for p in (z**2, z**3, z**-2, z**0, z**0.5, z**y, 2.0**z, z ** (0.5 + 1j), pow(z, 5), z**64)
        for part in (p.real, p.imag)
    ]


def waves(x, y):
    wave = np.exp(1j * x) + np.exp(-1j * x) * y
    turned = wave * cmath.exp(2j * cmath.pi * 0.25)
    return np.real(wave), np.imag(wave), np.angle(turned), np.abs(turned), np.conj(turned).imag


def polar_form(x, y):
    size, angle = cmath.polar(complex(x, y))
    back = cmath.rect(size, angle)
    return size, angle, back.real, back.imag, cmath.phase(x), np.angle(x * 1j, deg=True)


def roots_of_quadratic(a, b):
    root = cmath.sqrt(b * b - 4 * a * 1.5)
    first, second = (-b + root) / (2 * a), (-b - root) / (2 * a)
    return first.real, first.imag, second.real, second.imag


def real_on_one_path(x, y):
    z = x
    if y > 0:
        z = z * 1j
    w = 0
    for k in range(3):
        w = w + z**k
    return z.real, z.imag, w.real, w.imag, (w if x > y else 2.0).imag, 1.0 if z and bool(w) else 0.0


def iterated(x, y):
    """The trips of z**2 + c inside of a disc."""
    z, trips = 0, 0
    while abs(z) < 2.0 and trips < 40:
        z = z * z + complex(x, y)
        trips += 1
    return z.real, z.imag, trips


def helped(x, y):
    def squared(z):
        return z * z if z.real > 0 else z.conjugate()

    z = squared(complex(x, y))
    total = sum(n * z for n in NODES) + sum([z, 1j]) * math.prod((z, 2.0))
    total += TABLE[round(x) % 3] * TABLE.shape[0]
    return total.real, total.imag, operator.mul(z, 1j).real, np.where(x > 0, z, 1j).imag


def whole(x, n):
    z = complex(x, 0.5) ** (round(n) - 1)
    return z.real, z.imag, complex("1-2j").imag * n, np.complex64(0.1 + x).real * 0


def checks(x, y):
    z = complex(real=x, imag=y)
    near = cmath.isclose(z, z * (1 + 1e-12)), cmath.isclose(z, z + 0.1, abs_tol=0.2)
    return *near, cmath.isnan(z), cmath.isinf(z / 1.0), cmath.isfinite(z), not z


FUNCTIONS = [
    arithmetic, powers, waves, polar_form, roots_of_quadratic, real_on_one_path, iterated, helped,
    whole, checks,
]  # fmt: skip


def table(fn, *columns):
    """What Python makes of each row."""
    return np.array([fn(*row) for row in zip(*(c.tolist() for c in columns), strict=True)], float).T


@pytest.mark.parametrize("fn", FUNCTIONS, ids=lambda fn: fn.__name__)
def test_a_value_is_that_of_the_text(fn):
    op = ng.op(fn, certify=False)
    wanted = table(fn, X, Y)
    loose = {"rtol": 1e-12, "atol": 1e-13}
    np.testing.assert_allclose(np.array(op(X, Y), float), wanted, **loose)
    with ng.config(compiler="python"):
        np.testing.assert_allclose(np.array(op(X, Y), float), wanted, **loose)
    if fn not in (iterated, powers, whole):
        small = [np.asarray(p, float) for p in op(X.astype("f4"), Y.astype("f4"))]
        np.testing.assert_allclose(small, wanted, rtol=3e-4, atol=3e-5)


@pytest.mark.parametrize(
    "fn", [waves, roots_of_quadratic, powers, helped], ids=lambda f: f.__name__
)
@pytest.mark.parametrize("operand", [0, 1])
def test_slopes_are_those_of_differences(fn, operand):
    op, h = ng.op(fn, certify=False), 1e-6
    steps = [[v + h * s * (k == operand) for k, v in enumerate((X, Y))] for s in (1, -1)]
    wanted = (table(fn, *steps[0]) - table(fn, *steps[1])) / (2 * h)
    got = np.array(op.derivative(operand)(X, Y), float)
    np.testing.assert_allclose(got, wanted, rtol=1e-6, atol=1e-6)


@functools.cache
def parts_of(name):
    """`cmath.name` of a number, its parts as results."""
    fn = getattr(cmath, name)

    def parts(x, y):
        z = fn(complex(x, y))
        return z.real, z.imag

    parts.__name__ = name
    return ng.op(parts, certify=False)


def spread(size):
    """Numbers of many sizes, some of them next to 0, 1 and -1."""
    x, y = RNG.normal(size=(2, size)) * 10.0 ** RNG.uniform(-8, 1, (2, size))
    x[: size // 4] = np.sign(x[: size // 4]) + 1e-3 * x[: size // 4]
    return x, y


@pytest.mark.parametrize("name", ELEMENTARY)
@pytest.mark.parametrize(("dtype", "bound"), [("float64", 8e-16), ("float32", 4e-7)])
def test_functions_are_accurate(name, dtype, bound):
    """The error is measured beside the size of the result."""
    x, y = (v.astype(dtype) for v in spread(100))
    real, imag = parts_of(name)(x, y)
    with mpmath.workdps(40):
        for k in range(len(x)):
            exact = getattr(mpmath, name)(mpmath.mpc(float(x[k]), float(y[k])))
            off = abs(mpmath.mpc(float(real[k]), float(imag[k])) - exact)
            assert off <= 4 * bound * abs(exact), (name, x[k], y[k])


EDGES = [0.0, -0.0, 0.5, -1.0, 1.0, 2.0, -2.0, math.inf, -math.inf, 1e-200, 1e200, -1e200]


@pytest.mark.parametrize("name", ELEMENTARY)
def test_branch_cuts_and_infinite_numbers_are_those_of_cmath(name):
    """Where `cmath` raises, nothing is asked for; signs of zeros count."""
    x, y = (v.ravel() for v in np.meshgrid(EDGES, EDGES))
    real, imag = parts_of(name)(x, y)
    for k in range(len(x)):
        try:
            wanted = getattr(cmath, name)(complex(x[k], y[k]))
        except (ValueError, OverflowError):
            continue
        for got, part in ((real[k], wanted.real), (imag[k], wanted.imag)):
            same = got == pytest.approx(part, rel=1e-14, abs=0) or math.isnan(part)
            assert same and math.copysign(1, got) == math.copysign(1, part), (name, x[k], y[k])


def test_division_is_scaled():
    def quotient(a, b, c, d):
        z = complex(a, b) / complex(c, d)
        return z.real, z.imag

    big = np.array(
        [[1e300, 1e300, 1e300, 1e300], [1e-300, 2e-300, -1e-300, 3e-300], [1, 2, 0, -3.0]]
    )
    got = ng.op(quotient)(*big.T)
    wanted = [complex(a, b) / complex(c, d) for a, b, c, d in big.tolist()]
    np.testing.assert_allclose(
        got, [[w.real for w in wanted], [w.imag for w in wanted]], rtol=4e-16
    )
    by_zero = ng.op(quotient)(1.0, -2.0, 0.0, 0.0)
    assert not np.isfinite(by_zero).any()


def test_constants_and_conditions_do_not_slow_a_wave_down():
    """`exp(1j * x)` asks for no exponential function."""
    captured = ng.op(lambda x: np.exp(2j * x).real).scalar.capture(["f"], {})
    calls = {n.data for n in captured.graph.reachable(captured.outputs) if n.op == "call"}
    assert calls == {"cos"}


def test_operators_of_complex_numbers_go_everywhere():
    op = ng.op(waves)
    for dtype in ("float32", "float64"):
        assert op.ptx(dtype)
    again = pickle.loads(pickle.dumps(op))
    np.testing.assert_array_equal(again(X, Y), op(X, Y))
    literal = ng.op(lambda x: abs(x + IMPEDANCE))
    assert pickle.loads(pickle.dumps(literal))(1.0) == abs(1.0 + IMPEDANCE)
    arrays = ng.array(X), ng.array(Y)
    for got, wanted in zip(op(*arrays), op(X, Y), strict=True):
        np.testing.assert_array_equal(got.asnumpy(), wanted)


def complex_result(x):
    z = x * 2j
    return z  # here


def complex_order(x):
    return 1.0 if x * 2j > 1 else 0.0  # here


def real_function(x):
    return math.sin(x * 2j)  # here


def extreme(x):
    return max(x * 2j, 1.0)  # here


def floored(x):
    return (x * 2j // 2).real  # here


def converted(x):
    return float(x + 1j)  # here


def of_text(x):
    return abs(complex("one") * x)  # here


REFUSED = {
    complex_result: "return z.real, z.imag",
    complex_order: "no order",
    real_function: "cmath",
    extreme: "complex",
    floored: "floordiv",
    converted: "z.real",
    of_text: "'one'",
}


@pytest.mark.parametrize("fn", REFUSED, ids=lambda fn: fn.__name__)
def test_refusals_name_place_and_remedy(fn):
    with pytest.raises(CaptureError) as caught:
        ng.op(fn)
    lines, first = inspect.getsourcelines(fn)
    line = first + next(k for k, text in enumerate(lines) if "# here" in text)
    message = str(caught.value)
    assert message.startswith(f"{fn.__name__}: ") and f"line {line}" in message, message
    assert REFUSED[fn] in message, message
    assert re.search(r"\nInstead: .{8,}\.$", message), message


def test_a_function_of_no_module_is_refused_alike():
    """`exec` in a namespace without a `__name__` makes functions whose module is None."""

    def step(x):
        return 1.0 if x > 0 else x

    step.__module__ = None
    with pytest.raises(CaptureError, match="step: complex numbers have no order"):
        ng.op(step)(np.ones(3) * 1j)


def test_every_function_of_cmath_is_known():
    left = {n for n in vars(cmath) if callable(getattr(cmath, n)) and not n.startswith("_")}
    assert {getattr(cmath, n) for n in left} <= set(complex_numbers.FUNCTIONS)
