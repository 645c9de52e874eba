"""Chemistry: rates, equilibria, potentials between atoms."""

import math
from math import exp, log, log10, sqrt

import numpy as np
from scipy.optimize import brentq

from tests.corpus.samples import sample

R, FARADAY = 8.314462618, 96485.33212

MASSES = {"H": 1.008, "C": 12.011, "N": 14.007, "O": 15.999}

COLLISION = [1.16145, 0.14874, 0.52487, 0.7732, 2.16178, 2.43787]


@sample("plain", "default", T=(250.0, 1200.0), Ea=(2e4, 1.5e5), ulps=200)
def arrhenius(T, Ea, A=1e11, n=0.0):
    return A * (T / 298.15) ** n * exp(-Ea / (R * T))


@sample(
    "raise", "branches", q=(1e-6, 1e4), z=(1, 3), at=[(0.5, 0)], decorated={"on_invalid": "nan"}
)
def nernst(q, z, E0=0.34, T=298.15):
    if z == 0:
        raise ZeroDivisionError("an ion without charge")
    return E0 - R * T / (z * FARADAY) * log(q)


@sample("elif", "power", I=(0.0, 1.0), charge=(1, 3), at=[(0.0, 1), (0.01, 2)])
def activity_coefficient(I, charge):
    if I <= 0.01:
        exponent = -0.509 * charge**2 * sqrt(I)
    elif I <= 0.1:
        exponent = -0.509 * charge**2 * sqrt(I) / (1 + sqrt(I))
    else:
        exponent = -0.509 * charge**2 * (sqrt(I) / (1 + sqrt(I)) - 0.3 * I)
    return 10**exponent


@sample("plain", c=(1e-4, 1.0), pKa=(2.0, 9.0), ulps=1e5)
def weak_acid_ph(c, pKa):
    Ka = 10**-pKa
    return -log10((-Ka + sqrt(Ka * Ka + 4 * Ka * c)) / 2)


@sample("solver", "nested", c=(1e-4, 1.0), ulps=1e5)
def acid_ph_brent(c, pKa=4.76):
    Ka = 10**-pKa

    def balance(ph):
        h = 10**-ph
        return h - 1e-14 / h - c * Ka / (Ka + h)

    return brentq(balance, 0.0, 14.0)


@sample("while", "convergence", "branches", c=(1e-4, 1.0), smooth="", ulps=1e5)
def buffer_ph_bisection(c, salt=0.05, Ka=1.8e-5):
    low, high = 0.0, 14.0
    while high - low > 1e-5:
        ph = 0.5 * (low + high)
        h = 10.0**-ph
        if h + salt - 1e-14 / h - (c + salt) * Ka / (Ka + h) > 0:
            low = ph
        else:
            high = ph
    return 0.5 * (low + high)


@sample("power", "early", r=(0.8, 4.0), at=[(0.0,), (2.5,)], ulps=64)
def lennard_jones_cut(r, cutoff=2.5):
    if r >= cutoff or r <= 0:
        return 0.0
    s6 = (1 / r) ** 6
    c6 = (1 / cutoff) ** 6
    return 4 * (s6 * s6 - s6) - 4 * (c6 * c6 - c6)


@sample("plain", "power", r=(0.5, 5.0), ulps=64, size=5.0)
def morse(r, D=4.5, a=1.9, r0=0.74):
    return D * (1 - exp(-a * (r - r0))) ** 2 - D


@sample("plain", r=(0.8, 6.0), q=(-1.0, 1.0), ulps=64)
def buckingham_coulomb(r, q):
    return 1388.77 * exp(-r / 0.36) - 175.0 / r**6 + 14.3996 * q / r


@sample("helper", "branches", r=(0.0, 6.0), ulps=64)
def switched(r):
    """A switching function from 3 to 5, zero slopes at both."""
    if r <= 3:
        return 1.0
    if r >= 5:
        return 0.0
    x = (r - 3) / 2
    return 1 - x**3 * (10 - 15 * x + 6 * x**2)


@sample("clip", "plain", eta=(-0.4, 0.4), ulps=200)
def butler_volmer(eta, i0=1e-3, alpha=0.5, T=298.15):
    f = FARADAY / (R * T)
    return i0 * (np.exp(alpha * f * eta) - np.exp(-(1 - alpha) * f * eta))


@sample("dict", "whole", c=(0, 12), h=(0, 30), o=(0, 8))
def molar_mass(c, h, o):
    return c * MASSES["C"] + h * MASSES["H"] + o * MASSES["O"]


@sample("str", "static", "elif", "raise", p=(0.01, 50.0), options={"model": "freundlich"})
def isotherm(p, model="langmuir"):
    if model == "langmuir":
        return 0.8 * p / (1 + 0.8 * p)
    elif model == "freundlich":
        return 0.4 * p**0.6
    elif model == "temkin":
        return 0.2 * math.log(1 + 5 * p)
    raise NotImplementedError(model)


@sample("table", "power", t=(0.3, 50.0))
def collision_integral(t):
    A, B, C, D, E, F = COLLISION
    return A / t**B + C / math.exp(D * t) + E / math.exp(F * t)


@sample("for", "unbound", "outputs", k1=(0.05, 2.0), k2=(0.05, 2.0), ulps=64)
def consecutive_reactions(k1, k2):
    """A to B to C by explicit steps; the last rate leaves the loop."""
    a, b = 1.0, 0.0
    for _ in range(100):
        rate = k1 * a
        a -= 0.01 * rate
        b += 0.01 * (rate - k2 * b)
    return a, b, rate


@sample("fstring", "raise", "branches", ph=(0.0, 14.0), smooth="")
def indicator_band(ph):
    if not 0 <= ph <= 14:
        message = f"pH {ph:.2f} is outside of 0 to 14"
        raise ValueError(message)
    return 0 if ph < 4.4 else 1 if ph < 6.2 else 2


@sample("for", "whole", T=(200.0, 800.0), levels=(3, 30), ulps=64)
def partition_function(T, levels):
    total = 0.0
    for J in range(levels):
        total += (2 * J + 1) * exp(-2.77 * J * (J + 1) / T)
    return total


@sample("interp", T=(250.0, 400.0))
def water_viscosity(T):
    return np.interp(T - 273.15, (0.0, 20.0, 40.0, 60.0, 100.0), (1.79, 1.0, 0.653, 0.466, 0.282))


@sample("branches", "raise", "helper", light=(0.5, 20.0), heavy=(0.5, 200.0))
def effusion_ratio(light, heavy):
    valid = light > 0 and heavy > 0
    return sqrt(heavy / light) if valid else ValueError("molar masses must be positive")
