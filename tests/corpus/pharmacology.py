"""Pharmacology: doses, concentrations over time, effects."""

import math
from math import exp, isclose

import numpy as np

from tests.corpus.samples import sample

DOSES = np.array([100.0, 50.0, 50.0, 75.0, 25.0])

TIMES = np.array([0.0, 6.0, 12.0, 20.0, 30.0])


@sample("plain", "default", t=(0.0, 24.0), dose=(10.0, 500.0))
def iv_bolus(t, dose, volume=20.0, k=0.15):
    return dose / volume * exp(-k * t)


@sample("fparts", "branches", t=(0.0, 24.0), ka=(0.2, 3.0), edges=[(2.0, 0.25)], ulps=2e3)
def bateman(t, ka, ke=0.25, dose=100.0, v=30.0):
    if isclose(ka, ke, rel_tol=1e-6):
        return dose / v * ke * t * exp(-ke * t)
    return dose / v * ka / (ka - ke) * (exp(-ke * t) - exp(-ka * t))


@sample("table", "for", "branches", t=(0.0, 48.0), k=(0.05, 0.5), at=[(6.0, 0.1)])
def repeated_doses(t, k):
    level = 0.0
    for i in range(5):
        if t >= TIMES[i]:
            level += DOSES[i] / 25.0 * math.exp(-k * (t - TIMES[i]))
    return level


@sample("tuple", "plain", t=(0.0, 24.0), k12=(0.1, 1.0), k21=(0.1, 1.0), ulps=400)
def two_compartments(t, k12, k21, k10=0.2, dose=100.0, v1=15.0):
    total = k10 + k12 + k21
    root = math.sqrt(total * total - 4 * k10 * k21)
    alpha, beta = (total + root) / 2, (total - root) / 2
    A = (alpha - k21) / (alpha - beta)
    return dose / v1 * (A * exp(-alpha * t) + (1 - A) * exp(-beta * t))


@sample(
    "power",
    "raise",
    c=(0.0, 50.0),
    hill=(0.5, 4.0),
    at=[(-1.0, 1.0)],
    decorated={"on_invalid": "nan"},
)
def emax_model(c, hill, emax=100.0, ec50=8.0):
    if c < 0:
        raise ValueError("negative concentration")
    if c == 0:
        return 0.0
    return emax * c**hill / (ec50**hill + c**hill)


@sample("for", t=(0.0, 30.0), dose=(50.0, 600.0), ulps=64)
def michaelis_menten_level(t, dose, vmax=12.0, km=4.0):
    """Saturable elimination, Runge and Kutta with 40 steps."""
    c = dose / 30.0
    h = t / 40
    f = lambda c: -vmax / 30 * c / (km + c)
    for _ in range(40):
        k1 = f(c)
        k2 = f(c + h * k1 / 2)
        k3 = f(c + h * k2 / 2)
        k4 = f(c + h * k3)
        c += h * (k1 + 2 * k2 + 2 * k3 + k4) / 6
    return c


@sample(
    "branches",
    "str",
    "static",
    weight=(40.0, 130.0),
    creatinine=(0.5, 5.0),
    age=(20, 90),
    options={"sex": "female"},
)
def cockcroft_gault(weight, creatinine, age, sex="male"):
    clearance = (140 - age) * weight / (72 * creatinine)
    if sex.lower() == "female":
        clearance *= 0.85
    return clearance


@sample("rounding", "minmax", weight=(5.0, 120.0), mg_per_kg=(1.0, 15.0), smooth="")
def tablets(weight, mg_per_kg, strength=250.0):
    return max(0.5, math.floor(2 * weight * mg_per_kg / strength + 0.5) / 2)


@sample("logic", "assert", "outputs", a=(0.0, 10.0), b=(0.0, 10.0))
def competitive(a, b, ka=2.0, kb=3.0):
    assert a >= 0 and b >= 0
    bottom = 1 + a / ka + b / kb
    return a / ka / bottom, b / kb / bottom


@sample("interp", t=(-1.0, 30.0))
def measured_level(t):
    return np.interp(t, [0.0, 1.0, 2.0, 4.0, 8.0, 24.0], [0.0, 6.2, 7.9, 6.4, 3.1, 0.4])


@sample("generator", "table", k=(0.02, 0.6))
def area_under_curve(k):
    return sum(dose / 25.0 / k for dose in (100.0, 50.0, 50.0)) * (1 - exp(-48 * k))


@sample("mixed", "logic", age=(0.0, 90.0), weight=(3.0, 120.0), smooth="weight")
def loading_dose(age, weight):
    """Bools as numbers: fewer for the old and the young."""
    return weight * 15.0 * (1 - 0.25 * (age > 65) - 0.4 * (age < 1))
