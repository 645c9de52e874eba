"""Special functions: their errors, domains and slopes against mpmath."""

# ruff: noqa: PLW0108 - lambdas are the operators

import math

import mpmath
import numpy as np
import pytest
import scipy.special

import nbgraph as ng
from nbgraph.errors import DerivativeError
from nbgraph.kernels.capture.special import Special
from nbgraph.kernels.derivatives import certificate
from nbgraph.kernels.derivatives import partials as derivative
from nbgraph.kernels.derivatives.certificate import certify
from nbgraph.kernels.derivatives.claim import Claim
from nbgraph.kernels.scalar.functions import FUNCTIONS
from nbgraph.kernels.scalar.graph import Graph
from nbgraph.kernels.scalar.interpret import Undetermined
from nbgraph.kernels.scalar.multiprecision import MultiDomain
from nbgraph.kernels.vector_math.names import ARITY, FAMILY, WIDE

POSITIVE = (1e-7, 0.003, 0.4, 0.97, 1.0, 1.8, 2.6, 5.3, 7.99, 8.01, 14.7, 38.0, 97.0)
UNIT = (1e-12, 0.004, 0.2, 0.49, 0.51, 0.83, 0.997, 1 - 1e-9)
REAL = (*POSITIVE, *(-x for x in POSITIVE))
ORDERS = (0.0, 0.5, 1.0, 1 / 3, 2.0, 3.7, 11.0, 26.4, -0.3, -2.0, -4.6)
SHAPES = (0.03, 0.5, 1.0, 3.3, 17.0, 140.0, 230.0)
LESS_THAN_ONE = (-300.0, -2.0, -0.3, -1e-5, 1e-5, *UNIT)


def pairs(first, second):
    """All pairs, as two columns."""
    return tuple(map(tuple, zip(*((a, b) for a in first for b in second), strict=True)))


def points(name):
    """Columns of arguments, one for each argument."""
    if name in ("gammainc", "gammaincc", "gamma_density"):
        return pairs(SHAPES, (*POSITIVE[1:], 141.0, 180.0, 400.0))
    if name in ("gammaincinv", "gammainccinv"):
        return pairs(SHAPES, UNIT[1:-1])
    if name in ("beta", "betaln"):
        return pairs(SHAPES, SHAPES)
    if name in ("betainc", "betaincc", "betaincinv", "beta_density"):
        shapes = (0.5, 1.0, 3.3, 17.0, 90.0)
        a, b = pairs(shapes, shapes)
        rows = [(*ab, x) for ab in zip(a, b, strict=True) for x in (0.05, 0.3, 0.62, 0.94)]
        return tuple(map(tuple, zip(*rows, strict=True)))
    if name in ("jv", "yv", "iv", "ive", "kv", "kve"):
        return pairs(ORDERS, (0.02, *POSITIVE[2:]))
    if name in ("ellipkinc", "ellipeinc"):
        return pairs((-9.0, -1.2, 0.3, 1.5, 4.4), LESS_THAN_ONE[:-1])
    special = {
        "expn": pairs((0.0, 1.0, 2.0, 3.0, 9.0, 25.0), POSITIVE[1:]),
        "zeta": pairs((1.002, 1.5, 2.0, 7.3, 31.0), (0.05, 0.6, 1.0, 4.0, 88.0)),
        "lambertw": (
            (*POSITIVE, -0.1, -0.3, -0.367, -0.3678794, -0.1, -0.3, -0.367, -1e-5),
            (*(0.0,) * (len(POSITIVE) + 4), *(-1.0,) * 4),
        ),
        "erfcinv": ((*UNIT, 1e-300, 1e-40, 1.0001, 1.7, 1.9999),),
        "ndtri": ((*UNIT, 1e-300, 1e-40),),
        "spence": ((*POSITIVE, *UNIT),),
        "ellipkm1": (POSITIVE,),
        **dict.fromkeys(("ellipk", "ellipe", "ellipd"), (LESS_THAN_ONE,)),
        "erfcx": ((*POSITIVE, *(-x for x in POSITIVE if x < 20)),),
    }
    if name in special:
        return special[name]
    signed = name[:1] in "ji" or name in ("dawsn", "expi") or "airy" in name or "integral" in name
    signed = (signed or "fresnel" in name) and name != "cosine_integral"
    return (REAL if signed else POSITIVE,)


def exact(name, columns):
    """The values with many digits, as a list; None where they are too large or too small."""
    domain = MultiDomain()
    found = []
    for row in zip(*columns, strict=True):
        y = domain.functions[name](*map(domain.number, row))
        found.append(y if y == 0 or 1e-300 < abs(y) < 1e300 else None)
    return found


def size(name, row, y):
    """What an error is measured by: the value, of what oscillates its amplitude."""
    if name[:1] in "jy" or (name.startswith("airy") and row[0] < 0):
        waves = len(row) == 1 or abs(row[1]) > abs(row[0])
        return max(abs(y), 0.5 / math.sqrt(max(abs(row[-1]), 1.0)) if waves else 0)
    return max(abs(y), {"cosine_integral": 0.02, "expi": 0.2, "betaln": 1.0}.get(name, 0))


LOOSE = {"yv": 2e-13, "jv": 2e-13}  # of higher orders, where recurrences are long
HARD = dict.fromkeys(("iv", "ive", "kv", "kve"), 2e-14)
HARD |= {
    n: 2e-13 for n, family in FAMILY.items() if family in ("beta", "incomplete")
}  # far out in the tails
HARD |= {name: 5e-13 for name in WIDE if name.startswith("airy")} | LOOSE
HARD |= dict.fromkeys(("ellipe", "ellipd", "ellipeinc", "exp1", "expi", "expn"), 8e-15)


def relative(name, got, columns, wanted):
    """The largest error, and where it is."""
    worst = (0.0, None)
    for value, y, row in zip(got.tolist(), wanted, zip(*columns, strict=True), strict=True):
        if y is not None:
            error = float(abs(value - y) / size(name, row, y)) if y else abs(value)
            worst = max(worst, (error, row), key=lambda pair: pair[0])
    return worst


def operator(name):
    """The function as an operator."""
    function = Special(name)
    texts = {
        1: lambda x: function(x),
        2: lambda x, y: function(x, y),
        3: lambda x, y, z: function(x, y, z),
    }
    return ng.op(texts[ARITY[name]])


@pytest.mark.everyday(1 / 2)
@pytest.mark.parametrize("name", sorted(WIDE))
def test_values_are_right_to_the_last_digits(name):
    columns = points(name)
    got = operator(name)(*map(np.array, columns))
    worst, where = relative(name, got, columns, exact(name, columns))
    assert worst <= HARD.get(name, 2.5e-15), where
    assert len(columns[0]) >= 8


@pytest.mark.parametrize("name", ["j0", "gammainc", "betaincinv", "kv", "ndtri", "lambertw"])
def test_float32_is_computed_in_float64(name):
    """So that every digit of the result is right."""
    columns = [np.array(c, np.float32) for c in points(name)]
    got = operator(name)(*columns)
    assert got.dtype == np.float32
    wide = operator(name)(*(c.astype(np.float64) for c in columns))
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(got, wide.astype(np.float32))


NAN, INF = math.nan, math.inf
EDGES = {
    "j0": [((0.0,), 1.0), ((INF,), 0.0), ((NAN,), NAN)],
    "j1": [((0.0,), 0.0), ((-INF,), 0.0)],
    "y0": [((0.0,), -INF), ((-1.0,), NAN)],
    "k1": [((0.0,), INF), ((-1.0,), NAN), ((INF,), 0.0)],
    "i0": [((800.0,), INF), ((NAN,), NAN), ((0.0,), 1.0)],
    "jv": [((0.0, 0.0), 1.0), ((2.0, 0.0), 0.0), ((0.5, -1.0), NAN), ((3.0, INF), 0.0)],
    "yv": [((1.5, 0.0), -INF), ((1.5, -1.0), NAN), ((300.0, 1e-3), -INF)],
    "kv": [((1.5, 0.0), INF), ((1.5, -1.0), NAN)],
    "gammainc": [((2.0, 0.0), 0.0), ((2.0, INF), 1.0), ((-1.0, 1.0), NAN), ((0.0, 1.0), 1.0)],
    "gammaincc": [((2.0, 0.0), 1.0), ((2.0, INF), 0.0), ((2.0, NAN), NAN)],
    "gammaincinv": [((2.0, 0.0), 0.0), ((2.0, 1.0), INF), ((2.0, 1.5), NAN)],
    "betainc": [((2.0, 3.0, 0.0), 0.0), ((2.0, 3.0, 1.0), 1.0), ((2.0, 3.0, 1.5), NAN)],
    "betaincinv": [((2.0, 3.0, 0.0), 0.0), ((2.0, 3.0, 1.0), 1.0), ((2.0, 3.0, -0.1), NAN)],
    "ndtri": [((0.0,), -INF), ((1.0,), INF), ((1.1,), NAN), ((0.5,), 0.0)],
    "erfcinv": [((0.0,), INF), ((2.0,), -INF), ((-1.0,), NAN), ((1.0,), 0.0)],
    "erfcx": [((30000.0,), 1.880631945e-05), ((-30.0,), INF), ((NAN,), NAN)],
    "exp1": [((0.0,), INF), ((-1.0,), NAN), ((800.0,), 0.0)],
    "expi": [((0.0,), -INF), ((800.0,), INF), ((NAN,), NAN)],
    "sine_integral": [((INF,), math.pi / 2), ((0.0,), 0.0), ((NAN,), NAN)],
    "fresnel_sine": [((INF,), 0.5), ((-1e10,), -0.5), ((NAN,), NAN)],
    "ellipk": [((1.0,), INF), ((1.5,), NAN), ((0.0,), math.pi / 2)],
    "ellipe": [((1.0,), 1.0), ((1.5,), NAN), ((0.0,), math.pi / 2)],
    "lambertw": [((0.0, 0.0), 0.0), ((-1.0, 0.0), NAN), ((0.1, -1.0), NAN), ((0.0, -1.0), -INF)],
    "zeta": [((1.0, 1.0), INF), ((0.5, 1.0), NAN)],
    "spence": [((0.0,), math.pi**2 / 6), ((1.0,), 0.0), ((-1.0,), NAN)],
    "airy_ai": [((0.0,), 0.3550280538878172), ((INF,), 0.0), ((NAN,), NAN)],
}


@pytest.mark.parametrize("name", EDGES)
def test_edges_of_domains(name):
    rows = EDGES[name]
    got = operator(name)(*map(np.array, zip(*(args for args, _ in rows), strict=True)))
    np.testing.assert_allclose(got, [want for _, want in rows], rtol=1e-9)


# slopes ------------------------------------------------------------------------------------------

HELD = {"lambertw": -1.0, "zeta": 2.3, "expn": 3.0, "jv": 1.5, "yv": 1.5}  # the other argument
DENSITY = {0: (None, 2.2, 0.4), 1: (2.2, None, 0.4), 2: (2.2, 3.1, None)}


def claim_of(name, index):
    """The call whose derivative a rule gives, and that derivative."""
    graph = Graph()
    x = graph.argument("x", "f")
    held = HELD.get(name, 0.7)
    others = DENSITY[index] if ARITY[name] == 3 else [held] * ARITY[name]
    args = [x if k == index else graph.const(o) for k, o in enumerate(others)]
    value = graph.call(name, *args)
    (slope,) = derivative.partials(graph, [value], x)
    return Claim(name, graph, (x,), {}, x, value, slope)


SLOPES = [(name, index) for name in sorted(WIDE) for index in FUNCTIONS[name].slopes]


@pytest.mark.everyday(1 / 4)
@pytest.mark.parametrize(("name", "index"), SLOPES)
def test_slopes_are_certified(name, index, monkeypatch):
    """However slow the machine is: some functions are defined at few of the points."""
    monkeypatch.setattr(certificate, "SECONDS", 2.0)
    found = certify(claim_of(name, index), seconds=2.0)
    assert found.points >= 6
    assert found.worst < 1e-9


def test_a_fault_in_a_slope_is_caught(monkeypatch):
    slopes = FUNCTIONS["gammainc"].slopes
    right = slopes[1]
    monkeypatch.setitem(slopes, 1, lambda y, a, x: 1.001 * right(y, a, x))
    with pytest.raises(ng.errors.CertificateError, match="wrong at x="):
        certify(claim_of("gammainc", 1))


def test_a_slope_without_a_formula_is_refused():
    with pytest.raises(DerivativeError, match=r"jv\(\).*argument 1.*is not known"):
        ng.grad(ng.op(lambda v: scipy.special.jv(v, 2.0)))(1.5)


ZETA = (
    -7.3,
    -4.0,
    -2.0,
    -1.0,
    -0.5,
    0.0,
    0.3,
    0.5,
    0.999,
    1.001,
    1.5,
    2.0,
    3.7,
    10.0,
    60.0,
    2000.0,
)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_riemanns_zeta_function_and_its_slope_everywhere(dtype):
    f = ng.op(lambda s: scipy.special.zeta(s))
    s = np.array(ZETA, dtype)
    eps = 64 * np.finfo(dtype).eps
    wanted = [float(mpmath.zeta(v)) for v in s.tolist()]
    slopes = [float(mpmath.zeta(v, derivative=1)) for v in s.tolist()[:-2]]
    np.testing.assert_allclose(f(s), wanted, rtol=eps)
    np.testing.assert_allclose(f.derivative(0)(s[:-2]), slopes, rtol=eps)
    assert f(1.0) == math.inf


WITHOUT_A_FORMULA = {
    "order": (lambda a, x: scipy.special.jv(a, x), (1.5, 2.0), (0.14454580254655596,)),
    "gamma": (lambda a, x: x * scipy.special.gammaincc(a, x), (1.5, 2.0), (-0.1704636021563930,)),
    "beta": (
        lambda a, b, x: scipy.special.betainc(a, b, x) * b,
        (1.5, 2.0, 0.3),
        (2.875543426902122,),
    ),
}


@pytest.mark.parametrize("way", ["recorded", "bound"])
@pytest.mark.parametrize("text", WITHOUT_A_FORMULA)
def test_other_slopes_than_the_one_without_a_formula_are_there(text, way):
    """What is not known is missed only by who asks for it, and then by its name."""
    fn, values, wanted = WITHOUT_A_FORMULA[text]
    f, known = ng.op(fn), len(wanted)
    arrays = [ng.array([v], dtype="float64") for v in values]
    names = [f"v{k}" for k in range(len(values))]
    grads = {name: ng.zeros(1, dtype="float64") for name in names[-known:]}
    if way == "bound":
        graph = f(*map(ng.var, names))
        executor = graph.bind(ng.cpu(), dict(zip(names, arrays)), grads)
        executor.forward(is_train=True)
        executor.backward([ng.ones(1, dtype="float64")])
        found = list(grads.values())
    else:
        for array in arrays[-known:]:
            array.attach_grad()
        with ng.autograd.record():
            value = f(*arrays)
        value.backward()
        found = [array.grad for array in arrays[-known:]]
    for slope, expected in zip(found, wanted):
        np.testing.assert_allclose(slope.asnumpy(), expected, rtol=1e-7)
    assert "x" in str(f.explain())
    with pytest.raises(DerivativeError, match="w.r.t. 'a'.*argument 1.*is not known"):
        f.derivative("a")


def test_every_function_has_many_digits():
    """What mpmath refuses is not a value: it says so."""
    functions = MultiDomain().functions
    assert functions.keys() >= WIDE
    with pytest.raises(Undetermined):
        functions["jv"](1.5, -2)
