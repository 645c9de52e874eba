"""The zoo's table: for each function its domain, what it is compared with, where it has kinks."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from scipy import special, stats

from tests.zoo import functions as f
from tests.zoo import functions_more as g


@dataclass(frozen=True, eq=False)
class Row:
    """One function. `domain` holds (low, high) for each operand, or values to choose from.

    `reference` is a vectorised formula from elsewhere; without one the function itself is run on
    Python numbers. `smooth` says which operands have derivatives; `kinks` are values of the first
    operand that test points stay away from. Tolerances are relative to the largest result.
    """

    fn: Callable
    domain: tuple
    reference: Callable | None = None
    parameters: dict = field(default_factory=dict)
    smooth: tuple | None = None  # operand indices; None: all floating ones
    kinks: tuple = ()
    rtol: float = 1e-13
    rtol32: float = 4e-6
    rtol_slope: float = 1e-9
    name: str = ""

    @property
    def id(self):
        return self.name or self.fn.__name__

    @property
    def integer(self):
        return not isinstance(self.domain[0], tuple)

    @property
    def differentiable(self):
        if self.smooth is not None:
            return self.smooth
        return () if self.integer else tuple(range(len(self.domain)))

    def operands(self, size, seed=0, dtype=np.float64):
        """Seeded arrays inside the domain, away from kinks where asked."""
        rng = np.random.default_rng(seed)
        if self.integer:
            return [rng.choice(np.asarray(d), size) for d in self.domain]
        columns = [rng.uniform(low, high, size) for low, high in self.domain]
        for kink in self.kinks:
            near = np.abs(columns[0] - kink) < 1e-3
            columns[0][near] += 5e-3
        return [c.astype(dtype) for c in columns]


WIDE = (-6.0, 6.0)
UNIT = (0.02, 0.98)
INTS = range(500)


def barron_reference(alpha):
    def loss(x):
        if alpha == 2:
            return 0.5 * x**2
        if alpha == 0:
            return np.log1p(0.5 * x**2)
        b = abs(alpha - 2)
        return b / alpha * ((x * x / b + 1) ** (alpha / 2) - 1)

    return loss


def call_price(s, k, t, r):
    root = 0.2 * np.sqrt(t)
    d1 = (np.log(s / k) + (r + 0.02) * t) / root
    return s * stats.norm.cdf(d1) - k * np.exp(-r * t) * stats.norm.cdf(d1 - root)


def decode(v):
    return np.where(v <= 0.04045, v / 12.92, ((v + 0.055) / 1.055) ** 2.4)


ZOO = [
    Row(f.relu_max, (WIDE,), lambda x: np.maximum(x, 0), kinks=(0,)),
    Row(f.relu_ternary, (WIDE,), lambda x: np.maximum(x, 0), kinks=(0,)),
    Row(f.leaky_relu, (WIDE,), lambda x: np.where(x >= 0, x, 0.01 * x), kinks=(0,)),
    Row(f.elu, (WIDE,), lambda x: np.where(x > 0, x, 1.5 * np.expm1(x)), {"alpha": 1.5}, kinks=(0,)),
    Row(f.elu_expm1, (WIDE,), lambda x: np.where(x > 0, x, np.expm1(x)), kinks=(0,), name="elu_expm1"),
    Row(f.selu, (WIDE,), kinks=(0,)),
    Row(f.gelu_erf, (WIDE,), lambda x: x * special.ndtr(x)),
    Row(f.gelu_tanh, (WIDE,)),
    Row(f.swish, (WIDE,), lambda x: x * special.expit(1.7 * x), {"beta": 1.7}),
    Row(f.softplus_stable, (WIDE,), lambda x: np.logaddexp(0, x), kinks=(0,)),
    Row(f.softplus_naive, (WIDE,), lambda x: np.logaddexp(0, x)),
    Row(f.softplus_cut, (WIDE,), lambda x: np.logaddexp(0, x)),
    Row(f.mish, (WIDE,), lambda x: x * np.tanh(np.logaddexp(0, x)), kinks=(0,)),
    Row(f.hardswish, (WIDE,), lambda x: x * np.clip(x + 3, 0, 6) / 6, kinks=(-3, 3)),
    Row(f.hardtanh, (WIDE,), lambda x: np.clip(x, -1, 1), kinks=(-1, 1)),
    Row(f.smooth_l1, (WIDE,), parameters={"sigma": 0.8}, kinks=(1 / 0.64, -1 / 0.64)),
    Row(f.huber, (WIDE, (-1.0, 1.0)), lambda y, m: special.huber(1.5, y - m)),
    Row(f.tukey, ((-9.0, 9.0),), kinks=(4.685, -4.685), rtol32=2e-5),
    Row(f.cauchy_loss, (WIDE,), lambda r: 2 * np.log1p((r / 2) ** 2)),
    Row(f.geman_mcclure, (WIDE,), lambda r: r**2 / (1 + r**2)),
    *(
        Row(f.barron, (WIDE,), barron_reference(a), {"alpha": a}, rtol32=2e-5, name=f"barron[{a:g}]")
        for a in (2.0, 1.0, 0.0, -2.0)
    ),
    Row(
        f.black_scholes, ((80.0, 120.0), (80.0, 120.0), (0.2, 2.0), (0.0, 0.05)), call_price,
        rtol=1e-12, rtol32=1e-5,
    ),
    Row(f.cdf_hastings, (WIDE,), kinks=(0,)),
    Row(f.haversine, ((-60.0, 60.0), (-90.0, 90.0), (-60.0, 60.0), (-90.0, 90.0)), rtol32=2e-5),
    Row(f.srgb_encode, ((0.0, 1.0),), kinks=(0.0031308,)),
    Row(f.srgb_decode, ((0.0, 1.0),), decode, kinks=(0.04045,)),
    Row(f.cube_root_newton, ((0.1, 50.0),), np.cbrt, kinks=(1,)),
    Row(f.kepler, ((0.1, 3.0), (0.05, 0.75))),
    Row(f.lambert_w, ((-0.2, 30.0),), lambda z: special.lambertw(z).real),
    Row(f.root_bisection, ((-50.0, 50.0),), smooth=(), rtol32=1e-5),
    Row(f.mandelbrot_count, ((-2.0, 0.6), (-1.1, 1.1)), smooth=(), rtol32=np.inf),
    Row(f.mandelbrot_smooth, ((0.3, 0.8), (0.4, 1.1)), rtol32=1e-4),
    Row(f.tan_fraction, ((-1.4, 1.4),), np.tan),
    Row(f.agm, ((0.5, 4.0), (0.5, 4.0)), rtol_slope=1e-8),
    Row(f.logistic_map, ((0.1, 0.9),), rtol=1e-11, rtol32=2e-2, rtol_slope=1e-6),
    Row(f.first_zero_crossing, ((0.0, 3.0), (0.3, 2.0)), smooth=(1,), rtol32=1e-5),
    Row(f.lattice_sum, ((-1.5, 1.5),)),
    Row(f.halvings, ((-30.0, 30.0),), kinks=(0, 1, 2, 4, 8, 16, -1, -2, -4, -8, -16)),
    Row(f.normal_pdf, (WIDE, (-1.0, 1.0), (0.5, 2.0)), stats.norm.pdf),
    Row(f.student_t_logpdf, (WIDE, (1.0, 30.0)), stats.t.logpdf, rtol32=2e-5),
    Row(f.beta_pdf, (UNIT, (0.6, 5.0), (0.6, 5.0)), stats.beta.pdf, rtol=1e-12, rtol32=2e-5),
    Row(
        f.gamma_pdf, ((0.1, 12.0), (1.2, 6.0), (0.5, 2.0)),
        lambda x, k, t: stats.gamma.pdf(x, k, scale=t), rtol=1e-12, rtol32=2e-5,
    ),
    Row(f.von_mises_pdf, ((-3.0, 3.0),), lambda x: stats.vonmises.pdf(x, 2.0), rtol=1e-12),
    Row(f.piecewise_polynomial, ((-3.0, 3.0),), kinks=(-1, 1)),
    Row(f.cubic_bspline, ((-3.0, 3.0),), kinks=(0, 1, 2, -1, -2)),
    Row(f.planck, ((0.3, 20.0), (800.0, 6000.0)), rtol=1e-12, rtol32=1e-4),
    Row(f.lennard_jones, ((0.9, 3.5),), kinks=(2.5,), rtol32=2e-5),
    Row(f.solve_quadratic, ((0.5, 2.0), (-6.0, -4.0), (-1.0, 1.0)), rtol32=1e-5),
    Row(f.polar_to_cartesian, ((0.1, 5.0), WIDE), lambda r, p: (r * np.cos(p), r * np.sin(p))),
    Row(f.lerp_clamped, (WIDE, WIDE, (0.05, 0.95)), lambda a, b, t: a + (b - a) * t),
    Row(f.smoothstep, ((-0.5, 1.5),), kinks=(0, 1)),
    Row(g.wrap_angle, ((-20.0, 20.0),), kinks=tuple((2 * k + 1) * np.pi for k in range(-4, 4)),
        rtol32=1e-4),
    Row(g.sawtooth, (WIDE,), lambda t: 2 * (t - np.floor(t + 0.5)),
        kinks=tuple(k + 0.5 for k in range(-7, 7))),
    Row(g.triangle_wave, (WIDE,), kinks=tuple(k / 2 for k in range(-13, 13))),
    Row(g.floor_steps, (WIDE,), smooth=(0,), kinks=tuple(0.75 * k for k in range(-9, 9))),
    Row(g.popcount, (range(2**16),), lambda n: np.bitwise_count(n)),
    Row(g.gcd, (range(-300, 300), range(-300, 300)), np.gcd),
    Row(g.gray_code, (INTS,), lambda n: n ^ (n >> 1)),
    Row(g.collatz, (range(1, 500),)),
    Row(g.disagree, ([True, False],) * 2, np.logical_xor, name="disagree"),
    Row(g.is_leap, (range(1583, 2500),)),
    Row(g.in_window, (WIDE,), lambda x: (x > -0.5) & (x <= 1.5), smooth=()),
    Row(g.first_true, (WIDE, (-1.0, 1.0)), kinks=(0,)),
    Row(g.signed_power, (WIDE, (0.5, 3.0)), lambda x, p: np.sign(x) * np.abs(x) ** p, kinks=(0,)),
    Row(g.uses_global, (WIDE,), lambda x: 2.5 * np.arctan(x)),
    Row(g.closure, (WIDE,), lambda x: 3 * x * x - 1),
    Row(g.default_operand, (WIDE,), lambda x: np.abs(x) ** 1.5 + 2, {"bias": 2.0}, kinks=(0,)),
    Row(g.walrus, (WIDE,), kinks=(1, -1, np.exp(0.25), -np.exp(0.25))),
    Row(g.log_mean, ((0.5, 4.0), (0.5, 4.0)), rtol=1e-11, rtol32=1e-3, rtol_slope=1e-6),
    Row(g.entropy_term, ((-0.5, 1.0),), special.entr, kinks=(0,)),
    Row(g.safe_sqrt, ((-1.0, 4.0),), lambda x: np.sqrt(np.maximum(x, 0)), kinks=(0,)),
    Row(g.bump, ((-1.3, 1.3),), kinks=(-1, 1), rtol_slope=1e-7),
    Row(g.logit_mixed, (UNIT,), special.logit),
    Row(g.gauss_mixture, ((-3.0, 6.0), (0.1, 0.9))),
    Row(g.norm3, (WIDE, WIDE, WIDE), lambda x, y, z: np.sqrt(x * x + y * y + z * z)),
    Row(g.bearing, (WIDE, WIDE), lambda x, y: np.arctan2(y, x)),
    Row(g.michaelis_hill, ((0.1, 5.0), (0.5, 3.0), (0.5, 4.0))),
    Row(g.chain_of_helpers, (WIDE,), kinks=()),
]  # fmt: skip

NAMES = [row.id for row in ZOO]
assert len(set(NAMES)) == len(NAMES) >= 45
