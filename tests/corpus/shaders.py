"""Graphics: colours, noise, distance fields, fractals, easing."""

import math
from math import cos, exp, floor, log, pi, sin, sqrt

import numba
import numpy as np
from numba import njit

from tests.corpus.samples import sample

BAYER = np.array([[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]])


@njit
def fract(x):
    return x - math.floor(x)


@njit
def clamp(x, lo=0.0, hi=1.0):
    return max(lo, min(x, hi))


@njit
def mix(a, b, t):
    return a * (1 - t) + b * t


@sample("njit", "helper", "minmax", x=(-1.0, 2.0))
def smoothstep(x, edge0=0.0, edge1=1.0):
    t = clamp((x - edge0) / (edge1 - edge0))
    return t * t * (3 - 2 * t)


@sample(
    "outputs",
    "elif",
    "modulo",
    h=(0.0, 1.0),
    s=(0.0, 1.0),
    v=(0.0, 1.0),
    at=[(1.0, 1.0, 1.0)],
    ulps=200,
)
def hsv_to_rgb(h, s, v):
    i = int(h * 6.0)
    f = h * 6.0 - i
    p, q, t = v * (1 - s), v * (1 - s * f), v * (1 - s * (1 - f))
    i %= 6
    if i == 0:
        return v, t, p
    elif i == 1:
        return q, v, p
    elif i == 2:
        return p, v, t
    elif i == 3:
        return p, q, v
    elif i == 4:
        return t, p, v
    else:
        return v, p, q


@sample(
    "outputs",
    "elif",
    "minmax",
    "early",
    r=(0.0, 1.0),
    g=(0.0, 1.0),
    b=(0.0, 1.0),
    edges=[(0.5, 0.5, 0.5)],
    ulps=400,
)
def rgb_to_hsl(r, g, b):
    high, low = max(r, g, b), min(r, g, b)
    l = (high + low) / 2
    if high == low:
        return 0.0, 0.0, l
    d = high - low
    s = d / (2 - high - low) if l > 0.5 else d / (high + low)
    if high == r:
        h = (g - b) / d + (6 if g < b else 0)
    elif high == g:
        h = (b - r) / d + 2
    else:
        h = (r - g) / d + 4
    return h / 6, s, l


@sample("nested", "branches", "power", y=(0.0, 1.0), at=[(0.008856,)])
def lightness(y):
    def f(t):
        return t ** (1 / 3) if t > (6 / 29) ** 3 else t / (3 * (6 / 29) ** 2) + 4 / 29

    return 116 * f(y) - 16


@sample("plain", "helper", r=(0.0, 1.0), g=(0.0, 1.0), b=(0.0, 1.0))
def luminance(r, g, b):
    linear = lambda c: c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
    return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b)


@sample("bits", "whole", "njit", x=(0, 60000), y=(0, 60000), smooth="")
@njit
def lattice_hash(x, y):
    h = (x * 374761393 + y * 668265263) & 0xFFFFFFFF
    h = ((h ^ (h >> 13)) * 1274126177) & 0xFFFFFFFF
    return (h ^ (h >> 16)) / 4294967295.0


@sample("njit", "helper", "whole", x=(0.1, 50.0), y=(0.1, 50.0), ulps=1e3)
def value_noise(x, y):
    ix, iy = int(floor(x)), int(floor(y))
    fx, fy = x - ix, y - iy
    u, v = fx * fx * (3 - 2 * fx), fy * fy * (3 - 2 * fy)
    top = mix(lattice_hash(ix, iy), lattice_hash(ix + 1, iy), u)
    bottom = mix(lattice_hash(ix, iy + 1), lattice_hash(ix + 1, iy + 1), u)
    return mix(top, bottom, v)


@sample("for", "nested", "helper", x=(0.1, 9.0), y=(0.1, 9.0), ulps=2e4)
def fractal_noise(x, y, gain=0.5):
    total, amplitude = 0.0, 0.5
    for _ in range(5):
        total += amplitude * value_noise(x, y)
        x, y = 2.0 * x, 2.0 * y
        amplitude *= gain
    return total


@sample("minmax", "plain", px=(-3.0, 3.0), py=(-3.0, 3.0))
def rounded_box(px, py, w=1.5, h=0.8, r=0.2):
    dx, dy = abs(px) - w + r, abs(py) - h + r
    return min(max(dx, dy), 0.0) + math.hypot(max(dx, 0.0), max(dy, 0.0)) - r


@sample("while", "early", x=(-1.5, 1.5), y=(-1.5, 1.5), ulps=2e4, smooth="")
def march(x, y):
    """The depth at which a ray along z meets a wavy sphere."""
    z, n = -4.0, 0
    while n < 64:
        d = sqrt(x * x + y * y + z * z) - 1.0 + 0.05 * sin(5 * x) * cos(5 * y)
        if d < 1e-3:
            return z
        if z > 4:
            return -1.0
        z += d
        n += 1
    return z


@sample("while", "tuple", "whole", cr=(-2.0, 0.6), ci=(-1.2, 1.2), smooth="")
def mandelbrot(cr, ci, limit=80):
    x = y = 0.0
    n = 0
    while x * x + y * y <= 4 and n < limit:
        x, y = x * x - y * y + cr, 2 * x * y + ci
        n += 1
    return n


@sample("complex", "for", "early", re=(-1.5, 1.5), im=(-1.5, 1.5), smooth="")
def julia(re, im):
    z = complex(re, im)
    for n in range(60):
        if abs(z) > 2:
            return n
        z = z * z + (-0.8 + 0.156j)
    return 60


@sample("complex", "for", "early", re=(-2.0, 2.0), im=(-2.0, 2.0), smooth="")
def newton_fractal(re, im):
    """Which root of z**3 = 1 Newton's method comes to."""
    z = re + im * 1j
    for _ in range(40):
        if z == 0:
            return -1
        step = (z**3 - 1) / (3 * z**2)
        z -= step
        if abs(step) < 1e-9:
            break
    if z.real > 0:
        return 0
    return 1 if z.imag > 0 else 2


@sample("modulo", "whole", "mixed", x=(-9.0, 9.0), y=(-9.0, 9.0), smooth="")
def checker(x, y):
    return (math.floor(x) + math.floor(y)) % 2 == 0


@sample("table", "modulo", "whole", x=(0, 50), y=(0, 50), v=(0.0, 1.0), smooth="")
def dither(x, y, v):
    return 1 if v > (BAYER[x % 4, y % 4] + 0.5) / 16 else 0


@sample("clip", "plain", x=(0.0, 12.0))
def aces(x):
    return np.clip((x * (2.51 * x + 0.03)) / (x * (2.43 * x + 0.59) + 0.14), 0.0, 1.0)


@sample("elif", "outputs", "minmax", kelvin=(1500.0, 12000.0), ulps=64)
def temperature_to_rgb(kelvin):
    t = kelvin / 100
    if t <= 66:
        r = 255.0
        g = 99.4708025861 * log(t) - 161.1195681661
    else:
        r = 329.698727446 * (t - 60) ** -0.1332047592
        g = 288.1221695283 * (t - 60) ** -0.0755148492
    if t >= 66:
        b = 255.0
    elif t <= 19:
        b = 0.0
    else:
        b = 138.5177312231 * log(t - 10) - 305.0447927307
    return clamp(r, 0.0, 255.0), clamp(g, 0.0, 255.0), clamp(b, 0.0, 255.0)


@sample("elif", "early", t=(0.0, 1.0), ulps=64)
def ease_out_bounce(t):
    n1, d1 = 7.5625, 2.75
    if t < 1 / d1:
        return n1 * t * t
    elif t < 2 / d1:
        t -= 1.5 / d1
        return n1 * t * t + 0.75
    elif t < 2.5 / d1:
        t -= 2.25 / d1
        return n1 * t * t + 0.9375
    t -= 2.625 / d1
    return n1 * t * t + 0.984375


@sample("power", "early", "trigonometry", t=(0.0, 1.0), at=[(0.0,), (1.0,)], ulps=200)
def ease_elastic(t):
    if t == 0 or t == 1:
        return t
    return 2 ** (-10 * t) * sin((t * 10 - 0.75) * 2 * pi / 3) + 1


@sample("outputs", "trigonometry", t=(0.0, 1.0), ulps=64)
def palette(t):
    return tuple(0.5 + 0.5 * cos(2 * pi * (t + d)) for d in (0.0, 0.33, 0.67))


@sample("dtype", "bits", "whole", r=(0, 255), g=(0, 255), b=(0, 255), smooth="")
def pack_565(r, g, b):
    return (numba.uint64(r) >> 3 << 11) | (numba.uint64(g) >> 2 << 5) | numba.uint64(b) >> 3


@sample("modulo", "trigonometry", x=(0.0, 60.0), y=(0.0, 60.0), ulps=1e8, smooth="")
def sine_hash(x, y):
    return fract(sin(x * 12.9898 + y * 78.233) * 43758.5453)


@sample("plain", "power", d=(0.0, 50.0), size=1.0)
def fog(d, density=0.05):
    return 1 - exp(-((density * d) ** 2))
