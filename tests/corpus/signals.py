"""Signals: waves, windows, filters, coding of sound."""

import cmath
import math
from functools import partial

import numpy as np
from numba import njit
from scipy.special import i0

from tests.corpus.samples import sample

HALF_BAND = np.array([0.5, 0.3127, 0.0, -0.0851, 0.0, 0.0302])

CHEBYSHEV = (1.2, -0.5, 0.25, -0.125, 0.0625, -0.03)


@sample("early", "none", x=(-8.0, 8.0), at=[(0.0,)], ulps=64)
def sinc(x):
    if x == 0:
        return 1.0
    return math.sin(math.pi * x) / (math.pi * x)


@sample("branches", "helper", x=(-4.0, 4.0), at=[(0.0,), (3.0,)], ulps=64)
def lanczos(x, a=3):
    if abs(x) >= a:
        return 0.0
    return sinc(x) * sinc(x / a)


@sample("str", "static", "elif", "raise", n=(0.0, 63.0), options={"kind": "blackman"}, ulps=200)
def window(n, kind="hann", size=64):
    t = 2 * math.pi * n / (size - 1)
    if kind == "hann":
        return 0.5 - 0.5 * math.cos(t)
    elif kind == "hamming":
        return 0.54 - 0.46 * math.cos(t)
    elif kind == "blackman":
        return 0.42 - 0.5 * math.cos(t) + 0.08 * math.cos(2 * t)
    elif kind in ("box", "rect"):
        return 1.0
    else:
        raise ValueError(f"unknown window {kind}")


@sample("special", "branches", n=(-1.0, 1.0), beta=(0.0, 14.0), ulps=64)
def kaiser(n, beta):
    return i0(beta * np.sqrt(1 - n * n)) / i0(beta)


@sample("modulo", "mixed", t=(-5.0, 5.0), duty=(0.1, 0.9), smooth="")
def square_wave(t, duty):
    return 2.0 * (t % 1.0 < duty) - 1.0


@sample("modulo", t=(-5.0, 5.0), smooth="t", ulps=64)
def triangle_wave(t, period=1.5):
    return 2 * abs(2 * (t / period - math.floor(t / period + 0.5))) - 1


@sample("elif", "branches", t=(-0.5, 3.0), at=[(0.0,), (0.1,), (2.0,)])
def adsr(t, attack=0.1, decay=0.2, level=0.6, hold=1.7, release=0.5):
    if t < 0:
        return 0.0
    elif t < attack:
        return t / attack
    elif t < attack + decay:
        return 1 - (1 - level) * (t - attack) / decay
    elif t < attack + decay + hold:
        return level
    elif t < attack + decay + hold + release:
        return level * (1 - (t - attack - decay - hold) / release)
    return 0.0


@sample("minmax", "logic", p=(0.0, 10.0), at=[(1e-20,)])
def to_decibel(p, floor=-120.0):
    return max(floor, 10 * math.log10(p)) if p > 0 else floor


@sample("complex", "lambda", w=(0.0, 3.1), ulps=2e3)
def biquad_gain(w):
    z = cmath.exp(-1j * w)
    top = 0.2 + 0.4 * z + 0.2 * z * z
    bottom = 1 - 0.6 * z + 0.3 * z * z
    return abs(top / bottom)


@sample("complex", "outputs", f=(10.0, 1e5), ulps=2e3)
def rlc_impedance(f, r=50.0, l=1e-3, c=1e-6):
    z = r + 1j * 2 * np.pi * f * l + 1 / (1j * 2 * np.pi * f * c)
    return np.abs(z), np.angle(z)


@sample("plain", "rounding", x=(-1.0, 1.0), edges=[(0.0,)])
def mu_law(x, mu=255):
    return math.copysign(math.log1p(mu * abs(x)) / math.log1p(mu), x)


@sample("branches", "bool", "static", x=(-1.0, 1.0), edges=[(0.0,)])
def a_law(x, inverse=False):
    a = 87.6
    if inverse:
        y = abs(x)
        bottom = 1 + math.log(a)
        out = y * bottom / a if y < 1 / bottom else math.exp(y * bottom - 1) / a
    else:
        y = abs(x)
        out = a * y / (1 + math.log(a)) if y < 1 / a else (1 + math.log(a * y)) / (1 + math.log(a))
    return math.copysign(out, x)


@sample("for", "tuple", "trigonometry", f=(0.01, 0.49), g=(0.01, 0.49), ulps=1e5)
def goertzel_power(f, g):
    s0 = s1 = 0.0
    k = 2 * math.cos(2 * math.pi * g)
    for n in range(48):
        s0, s1 = math.sin(2 * math.pi * f * n) + k * s0 - s1, s0
    return s0 * s0 + s1 * s1 - k * s0 * s1


@sample("table", "for", "whole", w=(0.0, 3.14), ulps=200)
def fir_response(w):
    total = HALF_BAND[0]
    for k in range(1, HALF_BAND.shape[0]):
        total += 2 * HALF_BAND[k] * np.cos(k * w)
    return total


@sample("table", "for", "tuple", x=(-1.0, 1.0), ulps=64)
def clenshaw(x):
    b1 = b2 = 0.0
    for c in CHEBYSHEV[:0:-1]:
        b1, b2 = 2 * x * b1 - b2 + c, b1
    return x * b1 - b2 + CHEBYSHEV[0]


@sample("njit", "branches", x=(-3.0, 3.0), at=[(1.0,)])
@njit(fastmath=True)
def soft_clip(x):
    if x > 1.0:
        return 2.0 / 3.0
    if x < -1.0:
        return -2.0 / 3.0
    return x - x**3 / 3.0


@sample("plain", "power", t=(0.0, 1.0), p0=(-1.0, 1.0), p1=(-1.0, 1.0))
def catmull_rom(t, p0, p1, p2=0.4, p3=-0.2):
    return 0.5 * (
        2 * p1
        + (p2 - p0) * t
        + (2 * p0 - 5 * p1 + 4 * p2 - p3) * t**2
        + (3 * p1 - p0 - 3 * p2 + p3) * t**3
    )


@sample("partial", "helper", x=(-2.5, 2.5))
def keys_kernel(x):
    def near(s, a):
        return (a + 2) * s**3 - (a + 3) * s**2 + 1

    def far(s, a):
        return a * s**3 - 5 * a * s**2 + 8 * a * s - 4 * a

    s = abs(x)
    if s < 1:
        return partial(near, a=-0.5)(s)
    return partial(far, a=-0.5)(s) if s < 2 else 0.0


@sample("rounding", "bits", x=(-1.2, 1.2), smooth="")
def quantise(x, bits=8):
    levels = 1 << (bits - 1)
    q = round(x * levels)
    return max(-levels, min(levels - 1, q)) / levels


@sample("dtype", "branches", x=(-3.0, 3.0))
def half_wave(x):
    one = type(x)(1)
    return x * np.where(x > 0, one, 0 * one) + np.zeros_like(x)


@sample("default", "modulo", "plain", t=(0.0, 2.0), ulps=2e3)
def chirp(t, f0=1.0, f1=10.0, T=2.0):
    return math.sin(2 * math.pi * (f0 * t + (f1 - f0) * t * t / (2 * T)))
