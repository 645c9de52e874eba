"""Optics: surfaces, films, beams, colours of light."""

import math

from tests.corpus.samples import sample


@sample("early", "plain", angle=(0.0, 1.57), ratio=(0.4, 2.2), ulps=400)
def fresnel_unpolarised(angle, ratio):
    c = math.cos(angle)
    g2 = ratio**2 - 1 + c * c
    if g2 < 0:
        return 1.0
    g = math.sqrt(g2)
    return 0.5 * ((g - c) / (g + c)) ** 2 * (1 + ((c * (g + c) - 1) / (c * (g - c) + 1)) ** 2)


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


@sample("plain", "power", x=(0.0, 1.0), y=(0.0, 1.0))
def malus_chain(x, y):
    return math.cos(x) ** 2 * math.cos(y - x) ** 2
