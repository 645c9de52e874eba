"""Rounding is not taken for a wrong formula, a wrong formula not for rounding, and both take their
time from a budget."""

import itertools
import math

import pytest

import nbgraph as ng
from nbgraph.errors import CertificateError
from nbgraph.kernels.derivatives import partials as derivative
from nbgraph.kernels.derivatives.certificate import WORK, certify
from nbgraph.kernels.function import opaque
from nbgraph.kernels.scalar import interpret
from nbgraph.operator.report import certified
from tests.kernels.smooth_texts import functions
from tests.support import child

AMPLE = 60.0  # seconds: the work ends a certificate, not the speed of the machine

# rounding ----------------------------------------------------------------------------------------


def diode(i, v):
    return i - 1e-9 * (math.exp(v / 0.025) - 1)


def absorbed(a, b):
    return a + 1e60 * b


def thirds(x):
    return x * x * x // 3


def focal(z, y):
    p = 1 / (1 + math.exp(-z))
    pt = p if y > 0.5 else 1 - p
    return -((1 - pt) ** 2.0) * math.log(pt)


def rate(v):
    u = (v + 55) / 10
    return 0.1 * u / (1 - math.exp(-u))


def spectrum(x):
    return x**-3.0e17 + math.cos(math.sinh(x))


def offset(x):
    return (1e-30 * x + 1e40) * 1e-40 - 1.0


ROUNDING = {
    "one of two far larger": (diode, "i", 1),
    "absorbed": (absorbed, "a", 1),
    "steps": (thirds, "x", 1),
    "saturated": (focal, "z", 2),
    "removable": (rate, "v", 2),
    "an exponent that is rounded": (spectrum, "x", 1),
    "70 digits": (offset, "x", 1),
    "slope of x / erf(x)": (lambda x: x / math.erf(x), "x", 1),
}  # fmt: skip


@pytest.mark.parametrize("name", ROUNDING)
def test_rounding_is_no_wrong_formula(name):
    function, wrt, order = ROUNDING[name]
    for found in certified.certificates(ng.op(function).scalar, wrt, order):
        assert found.points >= 8
        assert found.worst < 1e-9


@pytest.mark.parametrize(("function", "wrt", "fault"), [
    (diode, "i", "_sub"), (absorbed, "a", "_add"), (offset, "x", "_mul"), (rate, "v", "_div"),
])  # fmt: skip
def test_a_wrong_formula_is_no_rounding(function, wrt, fault, monkeypatch):
    """Faults of 1e-4 where the first difference has no digit of the slope."""
    right = getattr(derivative.Forward, fault)

    def wrong(self, node):
        slope = right(self, node)
        return slope and self._graph.arithmetic("mul", self._graph.const(1.0001), slope)

    monkeypatch.setattr(derivative.Forward, fault, wrong)
    with pytest.raises(CertificateError, match="fault of nbgraph"):
        certified.certificates(ng.op(function).scalar, wrt)


def test_lost_digits_are_noted():
    """Where float64 has few digits of a right derivative, `explain()` says so."""
    note = ng.op(focal).explain().certificates["z"]
    assert "float64 loses digits in" in note
    assert "z = 25." in note
    (found,) = certified.certificates(ng.op(focal).scalar, "z")
    kept = ng.op(focal).derivative("z")
    for place, error in found.lost[:2]:
        assert 1e-6 < error < 1
        exact = certified_slope(place)
        got = float(kept(place, 1.0 if place > 0 else 0.0))
        assert abs(abs(got / exact) - 1) < 10 * error
    (clean,) = certified.certificates(ng.op(lambda x: math.exp(-x * x) + x).scalar, "x")
    assert not clean.lost
    assert "digits" not in str(clean)


def test_what_a_certificate_cannot_show_it_says():
    """A step far from all points, a slope of 0, and comparisons whose sides differ by 1e-170."""
    (step,) = certified.certificates(ng.op(lambda x: math.tanh(x - 1e12)).scalar, "x")
    assert f"in {step.points} of them the slope cannot be told from 0" in str(step)
    (stairs,) = certified.certificates(ng.op(thirds).scalar, "x")
    assert "cannot be told" not in str(stairs)
    (tiny,) = certified.certificates(ng.op(lambda x: max(1e-170 * x * x, 0.0)).scalar, "x")
    assert len(tiny.boundaries) <= 1


def certified_slope(z):
    """d focal / dz where the class is right, by mpmath."""
    import mpmath

    with mpmath.workdps(60):
        z = abs(mpmath.mpf(z))  # the two classes mirror each other

        def loss(z):
            p = 1 / (1 + mpmath.exp(-z))
            return -((1 - p) ** 2) * mpmath.log(p)

        return float(mpmath.diff(loss, z))


def test_random_smooth_functions_are_not_refused(full, tmp_path):
    texts = functions(tmp_path, 500 if full else 40, seed=5)
    points = 0
    for text, function in texts.items():
        try:
            (found,) = certified.certificates(ng.op(function).scalar, "x")
        except CertificateError as error:
            pytest.fail(f"{text}: {error}")
        assert found.work <= WORK + 64
        points += found.points
    assert points > 25 * len(texts)


def test_random_wrong_slopes_are_refused(full, tmp_path):
    """A factor of 1.001, and a slope of 0, wherever eight points show a slope at all."""
    refused = 0
    for text, function in functions(tmp_path, 200 if full else 20, seed=21).items():
        ((claim, _),) = certified._claims(ng.op(function).scalar, "x", 1)
        found = certify(claim, seconds=AMPLE)
        if found.points - found.faint < 8 or claim.slope.op == "const":
            continue
        factor = claim.graph.arithmetic("mul", claim.graph.const(1.001), claim.slope)
        for wrong in (factor, claim.graph.const(0.0)):
            try:
                certify(claim._replace(slope=wrong), seconds=AMPLE)
            except CertificateError:
                refused += 1
            else:
                pytest.fail(f"{text}: {wrong} passes")
    assert refused > 20


# which fault it is -------------------------------------------------------------------------------


def test_only_a_hand_given_gradient_is_to_be_corrected(monkeypatch):
    with pytest.raises(CertificateError, match="Correct the gradient"):
        ng.op(lambda x: x * x).gradient(lambda out_grad, x: out_grad * x)
    monkeypatch.setattr(derivative.Forward, "_neg", lambda self, n: self._d(n.args[0]))
    with pytest.raises(CertificateError, match="fault of nbgraph") as caught:
        ng.op(lambda x: -math.sin(x)).derivative("x")(1.0)
    assert "Correct the gradient" not in str(caught.value)


# budgets -----------------------------------------------------------------------------------------


def survival(t, lam, k):
    return math.exp(-((t / lam) ** k))


def weibull(x, lam, k):
    return k / lam * (x / lam) ** (k - 1) * math.exp(-((x / lam) ** k))


def gaussian(x, a, b):
    return b / (2 * a * math.gamma(1 / b)) * math.exp(-((abs(x) / a) ** b))


def gompertz(t, b, eta):
    return b * eta * math.exp(eta + b * t - eta * math.exp(b * t))


def tower(x):
    return math.exp(math.exp(math.exp(x))) + math.sin(math.exp(math.exp(x * x)))


def doubling(x):
    for _ in range(300):
        x = x * x + 1e-3
    return math.cos(x)


def nested(x):
    total = 0.0
    for i in range(400):
        for j in range(400):
            total += math.sin(x * i) / (1 + j)
    return total


def growing(x):
    n = 3
    for _ in range(100):
        n = n * n
    return x * n


def special(x):
    return math.gamma(x * 1e15) + math.lgamma(math.exp(x)) * math.erfc(-1e30 * x)


def waiting(x):
    n = 0
    while x < 1e6:
        x = x + 1e-3
        n = n + 1
    return x * n


SLOW = {
    "survival": (survival, "tk"),
    "weibull": (weibull, "k"),
    "gaussian": (gaussian, "b"),
    "gompertz": (gompertz, "tb"),
    "tower": (tower, "x"),
    "doubling": (doubling, "x"),
    "nested": (nested, "x"),
    "growing": (growing, "x"),
    "special": (special, "x"),
    "waiting": (waiting, "x"),
}


@pytest.mark.parametrize("name", SLOW)
def test_certificates_end_with_their_budget(name):
    """No evaluation is entered that the budget cannot pay; the certificate says that it ended."""
    function, operands = SLOW[name]
    op = ng.op(function)
    for wrt in operands:
        (found,) = certified.certificates(op.scalar, wrt)
        assert found.work <= WORK + 64
        assert found.stopped == ("ended with its budget" in str(found))
        assert found.points or found.stopped or found.left_out


def test_time_is_a_budget_too(monkeypatch):
    """A certificate ends at its deadline, whatever an operation costs."""
    clock = itertools.count(0.0, 0.05)
    monkeypatch.setattr(interpret.time, "thread_time", lambda: next(clock))
    (found,) = certified.certificates(ng.op(lambda x: math.erf(x) * x + 0.25).scalar, "x")
    assert found.stopped
    assert found.points < 24


def test_displays_end_with_their_budget():
    """Plot and `at_point` of a function that takes minutes where a graph is interpreted."""
    op = ng.op(nested)
    assert "<svg" in op._repr_mimebundle_()["text/html"]
    assert op.at_point(0.5).partials.keys() == {"x"}
    assert ng.op(survival).at_point(0.5, 1.0, 1e300).value == 1.0


# functions without their text ---------------------------------------------------------------------

TEXTLESS = """
def diode(i, v):
    return i - 1e-9 * (math.exp(v / 0.025) - 1)

def survival(k, t, lam):
    return math.exp(-((t / lam) ** k))

def root(x):
    r = x
    while abs(r * r - x) > 1e-9 * x:  # endless below 0
        r = 0.5 * (r + x / r)
    return math.fabs(r)
"""


@pytest.fixture(params=["diode", "survival", "root"])
def textless(request):
    space = {"math": math}
    exec(TEXTLESS, space)
    return ng.op(space[request.param])


@pytest.mark.everyday(1 / 3)
def test_functions_without_their_text_are_checked(textless, monkeypatch):
    """Within the work that a certificate may do; the clock stands still."""
    monkeypatch.setattr(interpret.time, "thread_time", lambda: 0.0)
    (found,) = certified.certificates(textless.scalar, textless.scalar.operands[0])
    assert found.points >= 8
    assert found.work <= WORK + 64


def test_a_wrong_derivative_without_text_is_caught(textless, monkeypatch):
    right = opaque.Extern.function

    def wrong(self):
        compiled = right(self)
        return lambda *args: 1.001 * compiled(*args)

    monkeypatch.setattr(opaque.Extern, "function", wrong)
    ((claim, _),) = certified._claims(textless.scalar, textless.scalar.operands[0], 1)
    with pytest.raises(CertificateError, match="fault of nbgraph"):
        certify(claim)


EXTREMES = """
import itertools, resource
resource.setrlimit(resource.RLIMIT_CPU, (100, 100))
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
from nbgraph.kernels.derivatives import judge
from nbgraph.kernels.scalar.mpmath_context import BITS, EXPONENT, magnitude
from nbgraph.kernels.scalar.multiprecision import MultiDomain, Undetermined

for bits in (BITS, judge.COSTLY_PRECISIONS[-1], judge.PRECISIONS[-1]):
    domain = MultiDomain(bits)
    mp = domain.mp
    sizes = [(s * mp.ldexp(1.37, e)) for e in (0, 9, 24, 53, 62, 70, 5000, 1 << 40, 1 << 62)
             for s in (1, -1) for e in (e, -e)]
    sizes += [mp.mpf(0), mp.mpf(-3), 1 - mp.ldexp(1, -bits // 2), 1 + mp.ldexp(1, -bits // 2)]
    for name, function in domain.functions.items():
        if bits > judge.COSTLY_PRECISIONS[-1] and name in judge.COSTLY:
            continue
        two = name in ("atan2", "hypot", "pow", "fmod", "copysign")
        others = sizes if name == "pow" else sizes[::3]
        for args in itertools.product(sizes, others) if two else ((x,) for x in sizes):
            try:
                function(*args)
            except (Undetermined, ArithmeticError, ValueError, TypeError):
                pass
print("all ended")
"""


def test_no_function_takes_the_precision_that_its_argument_asks_for():
    """In a process whose processor time and memory are limited."""
    ended = child("-c", EXTREMES)
    assert ended.stdout == "all ended\n", ended.stderr[-500:]


def test_literals_that_were_folded_are_rounded():
    """2 / 25 in a second derivative is not a number of float64; cancellation shows its last
    digit."""

    def fraction(x):  # Lambert's, of tan
        acc = 0.0
        for k in range(25, 1, -2):
            acc = x * x / (k - acc)
        return x / (1 - acc)

    slope = ng.op(fraction).derivative("x", order=2)(0.5)
    assert slope == pytest.approx(2 * math.tan(0.5) / math.cos(0.5) ** 2)
