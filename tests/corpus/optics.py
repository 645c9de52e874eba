"""Optics: surfaces, films, beams, colours of light."""

import cmath
import math

import numpy as np
from scipy.special import j1

from tests.corpus.samples import sample

SELLMEIER = {
    "BK7": [(1.03961212, 0.00600069867), (0.231792344, 0.0200179144), (1.01046945, 103.560653)],
    "silica": [(0.6961663, 0.00467914826), (0.4079426, 0.0135120631), (0.8974794, 97.9340025)],
}


@sample("complex", angle=(0.0, 1.5), n=(0.1, 2.0), k=(0.0, 4.0), ulps=400)
def metal_reflectance(angle, n, k):
    eps = (n + 1j * k) ** 2
    root = cmath.sqrt(eps - math.sin(angle) ** 2)
    rs = (math.cos(angle) - root) / (math.cos(angle) + root)
    return abs(rs) ** 2


@sample("raise", "trigonometry", angle=(0.0, 1.5), n=(1.0, 2.5), decorated={"on_invalid": "nan"})
def snell(angle, n):
    s = n * math.sin(angle)
    if s > 1:
        raise ValueError(f"total reflection at {angle:.3f}")
    return math.asin(s)


@sample("early", "plain", angle=(0.0, 1.57), ratio=(0.4, 2.2), ulps=400)
def fresnel_unpolarised(angle, ratio):
    c = math.cos(angle)
    g2 = ratio**2 - 1 + c * c
    if g2 < 0:
        return 1.0
    g = math.sqrt(g2)
    return 0.5 * ((g - c) / (g + c)) ** 2 * (1 + ((c * (g + c) - 1) / (c * (g - c) + 1)) ** 2)


@sample(
    "dict",
    "str",
    "static",
    "for",
    "tuple",
    wavelength=(0.3, 2.0),
    ulps=64,
    options={"glass": "silica"},
)
def sellmeier_index(wavelength, glass="BK7"):
    w2 = wavelength * wavelength
    n2 = 1.0
    for b, c in SELLMEIER[glass]:
        n2 += b * w2 / (w2 - c)
    return math.sqrt(n2)


@sample("complex", "tuple", wavelength=(400.0, 800.0), thickness=(50.0, 300.0), ulps=1e3)
def film_reflectance(wavelength, thickness, n0=1.0, n1=1.38, n2=1.52):
    r01 = (n0 - n1) / (n0 + n1)
    r12 = (n1 - n2) / (n1 + n2)
    phase = cmath.exp(2j * 2 * math.pi * n1 * thickness / wavelength)
    r = (r01 + r12 * phase) / (1 + r01 * r12 * phase)
    return (r * r.conjugate()).real


@sample("complex", "local", "for", wavelength=(450.0, 750.0), ulps=2e4)
def bragg_mirror(wavelength, pairs=5):
    """Transfer matrices of quarter wave layers for 600 nm."""
    m11, m12, m21, m22 = 1.0 + 0j, 0j, 0j, 1.0 + 0j
    for _ in range(5):
        for n in (2.3, 1.46):
            d = 2 * math.pi * n * (600.0 / (4 * n)) / wavelength
            c, s = math.cos(d), math.sin(d)
            a12, a21 = 1j * s / n, 1j * n * s
            m11, m12, m21, m22 = (
                m11 * c + m12 * a21,
                m11 * a12 + m12 * c,
                m21 * c + m22 * a21,
                m21 * a12 + m22 * c,
            )
    top = m11 + 1.52 * m12 - m21 - 1.52 * m22
    bottom = m11 + 1.52 * m12 + m21 + 1.52 * m22
    return abs(top / bottom) ** 2


@sample("special", "early", v=(-12.0, 12.0), at=[(0.0,)], ulps=1e3)
def airy_disk(v):
    if v == 0:
        return 1.0
    return (2 * j1(v) / v) ** 2


@sample("special", "branches", v=(0.0, 9.0), at=[(0.0,)], ulps=1e3)
def airy_disk_numpy(v):
    safe = v if abs(v) > 1e-8 else 1e-8
    return np.square(2.0 * j1(safe) / safe)


@sample("plain", r=(0.0, 3e-3), z=(-2.0, 2.0), ulps=64)
def gaussian_beam(r, z, w0=5e-4, wavelength=1.064e-6):
    zr = math.pi * w0**2 / wavelength
    w = w0 * math.sqrt(1 + (z / zr) ** 2)
    return (w0 / w) ** 2 * math.exp(-2 * r**2 / w**2)


@sample(
    "branches", "default", f=(0.02, 0.5), d=(0.03, 3.0), at=[(0.1, math.inf), (0.2, 0.2)], ulps=400
)
def image_distance(f, d):
    if math.isinf(d):
        return f
    if d == f:
        return math.inf
    return 1 / (1 / f - 1 / d)


@sample("elif", "outputs", "power", wavelength=(370.0, 790.0), smooth="", ulps=64)
def spectral_colour(wavelength, gamma=0.8):
    if 380 <= wavelength < 440:
        r, g, b = -(wavelength - 440) / 60, 0.0, 1.0
    elif 440 <= wavelength < 490:
        r, g, b = 0.0, (wavelength - 440) / 50, 1.0
    elif 490 <= wavelength < 510:
        r, g, b = 0.0, 1.0, -(wavelength - 510) / 20
    elif 510 <= wavelength < 580:
        r, g, b = (wavelength - 510) / 70, 1.0, 0.0
    elif 580 <= wavelength < 645:
        r, g, b = 1.0, -(wavelength - 645) / 65, 0.0
    elif 645 <= wavelength <= 780:
        r, g, b = 1.0, 0.0, 0.0
    else:
        r, g, b = 0.0, 0.0, 0.0
    if 380 <= wavelength < 420:
        factor = 0.3 + 0.7 * (wavelength - 380) / 40
    elif 700 < wavelength <= 780:
        factor = 0.3 + 0.7 * (780 - wavelength) / 80
    else:
        factor = 1.0
    return (r * factor) ** gamma, (g * factor) ** gamma, (b * factor) ** gamma


@sample("nested", "closure", wavelength=(380.0, 780.0), ulps=64)
def luminous_efficiency(wavelength):
    def lobe(mu, s1, s2):
        t = (wavelength - mu) * (s1 if wavelength < mu else s2)
        return math.exp(-0.5 * t * t)

    return 0.821 * lobe(568.8, 0.0213, 0.0247) + 0.286 * lobe(530.9, 0.0613, 0.0322)


@sample("while", "whole", spacing=(0.6, 12.0), wavelength=(0.4, 0.7), smooth="")
def grating_orders(spacing, wavelength):
    m = 0
    while (m + 1) * wavelength / spacing <= 1:
        m += 1
    return 2 * m + 1


@sample("for", "complex", "unbound", x=(0.5, 8.0), m=(1.2, 1.8), ulps=2e4)
def mie_a1(x, m):
    """The first coefficient of a sphere, by its logarithmic derivative downwards."""
    z = m * x
    D = 0.0
    for n in range(25, 1, -1):
        D = n / z - 1 / (D + n / z)
    psi0, chi0 = math.sin(x), math.cos(x)
    psi1, chi1 = psi0 / x - chi0, chi0 / x + psi0
    factor = D / m + 1 / x
    a = (factor * psi1 - psi0) / (factor * (psi1 - 1j * chi1) - (psi0 - 1j * chi0))
    return a.real


@sample("plain", "power", x=(0.0, 1.0), y=(0.0, 1.0))
def malus_chain(x, y):
    return math.cos(x) ** 2 * math.cos(y - x) ** 2
