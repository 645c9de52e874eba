"""Thermodynamics and heat: steam, humid air, gases, flow in pipes."""

import cmath
import math

import numpy as np
from numba import njit
from scipy import special

from tests.corpus.samples import sample

R = 8.314462618

IF97_4 = [
    1167.0521452767,
    -724213.16703206,
    -17.073846940092,
    12020.82470247,
    -3232555.0322333,
    14.91510861353,
    -4823.2657361591,
    405113.40542057,
    -0.23855557567849,
    650.17534844798,
]

REGION_I = np.array([0, 0, 1, 1, 2, 3, 4, 8])

REGION_J = np.array([-2, 0, -1, 3, 0, 0, -5, -6])

REGION_N = np.array([0.1463, -3.7563, -0.0301, 0.0157, -0.00008, -0.0009, 0.002, -0.00003])

ANTOINE = {
    "water": (8.07131, 1730.63, 233.426),
    "ethanol": (8.20417, 1642.89, 230.3),
    "benzene": (6.90565, 1211.033, 220.79),
}

CP_LOW = (3.53100528, -1.23660988e-04, -5.02999433e-07, 2.43530612e-09, -1.40881235e-12)

CP_HIGH = (2.95257637, 1.39690040e-03, -4.92631603e-07, 7.86010195e-11, -4.60755204e-15)


@sample("branches", "plain", t=(-60.0, 60.0), at=[(0.0,)])
def saturation_pressure(t):
    """Magnus: hPa over water or ice."""
    if t >= 0:
        return 6.1094 * math.exp(17.625 * t / (t + 243.04))
    return 6.1121 * math.exp(22.587 * t / (t + 273.86))


@sample("table", "power", T=(280.0, 640.0), ulps=4e3)
def if97_saturation(T):
    n = IF97_4
    theta = T + n[8] / (T - n[9])
    a = theta**2 + n[0] * theta + n[1]
    b = n[2] * theta**2 + n[3] * theta + n[4]
    c = n[5] * theta**2 + n[6] * theta + n[7]
    return (2 * c / (-b + math.sqrt(b * b - 4 * a * c))) ** 4


@sample("table", "for", "power", pi=(0.01, 6.0), tau=(1.5, 5.0), ulps=200)
def gibbs_region_1(pi, tau):
    total = 0.0
    for i in range(8):
        total += REGION_N[i] * (7.1 - pi) ** REGION_I[i] * (tau - 1.222) ** REGION_J[i]
    return total


@sample("dict", "str", "static", "raise", t=(5.0, 95.0), options={"species": "ethanol"})
def antoine(t, species="water"):
    if species not in ANTOINE:
        raise KeyError(f"no constants of {species}")
    a, b, c = ANTOINE[species]
    return 10 ** (a - b / (c + t))


@sample("branches", "for", "table", T=(250.0, 3000.0), ulps=64)
def nasa_heat_capacity(T):
    a = CP_LOW if T < 1000 else CP_HIGH
    return R * (a[0] + T * (a[1] + T * (a[2] + T * (a[3] + T * a[4]))))


@sample("plain", t=(0.0, 45.0), rh=(5.0, 99.0), ulps=200)
def wet_bulb_stull(t, rh):
    return (
        t * np.arctan(0.151977 * np.sqrt(rh + 8.313659))
        + np.arctan(t + rh)
        - np.arctan(rh - 1.676331)
        + 0.00391838 * rh**1.5 * np.arctan(0.023101 * rh)
        - 4.686035
    )


@sample("elif", "branches", "plain", T=(60.0, 115.0), RH=(5.0, 100.0), ulps=1e3)
def heat_index(T, RH):
    """Rothfusz' regression with the National Weather Service's adjustments, in Fahrenheit."""
    simple = 0.5 * (T + 61 + (T - 68) * 1.2 + RH * 0.094)
    if (simple + T) / 2 < 80:
        return simple
    hi = (
        -42.379
        + 2.04901523 * T
        + 10.14333127 * RH
        - 0.22475541 * T * RH
        - 6.83783e-3 * T * T
        - 5.481717e-2 * RH * RH
        + 1.22874e-3 * T * T * RH
        + 8.5282e-4 * T * RH * RH
        - 1.99e-6 * T * T * RH * RH
    )
    if RH < 13 and 80 <= T <= 112:
        hi -= (13 - RH) / 4 * math.sqrt((17 - abs(T - 95)) / 17)
    elif RH > 85 and 80 <= T <= 87:
        hi += (RH - 85) / 10 * (87 - T) / 5
    return hi


@sample(
    "none", "static", "branches", t=(-30.0, 20.0), v=(0.0, 100.0), at=[(-10.0, 4.8), (11.0, 9.0)]
)
def wind_chill(t, v, calm=None):
    if calm is None:
        calm = 4.8
    if t > 10 or v < calm:
        return t
    return 13.12 + 0.6215 * t - 11.37 * v**0.16 + 0.3965 * t * v**0.16


@sample("complex", "for", "minmax", T=(310.0, 600.0), p=(1e5, 5e6), ulps=2e5)
def van_der_waals_volume(T, p, a=0.3640, b=4.267e-5):
    """The largest root of the cubic equation, by Cardano with complex numbers."""
    c2 = -(b + R * T / p)
    c1 = a / p
    c0 = -a * b / p
    q = (3 * c1 - c2 * c2) / 9
    r = (9 * c2 * c1 - 27 * c0 - 2 * c2**3) / 54
    s = (r + cmath.sqrt(q**3 + r * r)) ** (1 / 3)
    t = -q / s
    best = 0.0
    w = complex(-0.5, math.sqrt(3) / 2)
    for turn in (1.0, w, w.conjugate()):
        root = s * turn + t / turn - c2 / 3
        if abs(root.imag) < 1e-9 * abs(root) + 1e-12:
            best = max(best, root.real)
    return best


@sample("while", "convergence", T=(300.0, 600.0), v=(2e-3, 0.05))
def compressibility(T, v):
    """Redlich and Kwong, fixed point in Z."""
    z, last, n = 1.0, 0.0, 0
    b = 2.97e-5
    while abs(z - last) > 1e-13 and n < 80:
        last = z
        h = b / v / max(z, 0.1)
        z = 1 / (1 - h) - 2.5 / math.sqrt(T) * h / (1 + h)
        n += 1
    return z


@sample(
    "elif",
    "raise",
    "power",
    Re=(10.0, 1e6),
    Pr=(0.7, 50.0),
    at=[(2300.0, 1.0), (-1.0, 1.0)],
    decorated={"on_invalid": "nan"},
)
def nusselt(Re, Pr):
    if Re < 0:
        raise ValueError("Re < 0")
    if Re < 2300:
        return 3.66
    elif Re < 1e4:
        f = (0.79 * math.log(Re) - 1.64) ** -2
        return f / 8 * (Re - 1000) * Pr / (1 + 12.7 * math.sqrt(f / 8) * (Pr ** (2 / 3) - 1))
    else:
        return 0.023 * Re**0.8 * Pr**0.4


@sample("for", "convergence", "njit", "branches", Re=(1e3, 1e7), roughness=(1e-6, 0.03))
@njit
def colebrook(Re, roughness):
    if Re < 2000:
        return 64 / Re
    x = 8.0
    for _ in range(40):
        new = -2 * math.log10(roughness / 3.7 + 2.51 * x / Re)
        if abs(new - x) < 1e-12:
            x = new
            break
        x = new
    return 1 / x**2


@sample("power", Re=(10.0, 1e7))
def churchill(Re, eps=1e-4):
    A = (2.457 * math.log(1 / ((7 / Re) ** 0.9 + 0.27 * eps))) ** 16
    B = (37530 / Re) ** 16
    return 8 * ((8 / Re) ** 12 + (A + B) ** -1.5) ** (1 / 12)


@sample("special", mr=(0.05, 3.0), ratio=(1.2, 4.0), ulps=400)
def annular_fin_efficiency(mr, ratio):
    m2 = mr * ratio
    top = special.k1(mr) * special.i1(m2) - special.i1(mr) * special.k1(m2)
    bottom = special.i0(mr) * special.k1(m2) + special.k0(mr) * special.i1(m2)
    return 2 * mr / (m2**2 - mr**2) * top / bottom


@sample("plain", T=(150.0, 1500.0))
def sutherland(T, mu0=1.716e-5, T0=273.15, S=110.4):
    return mu0 * (T / T0) ** 1.5 * (T0 + S) / (T + S)


@sample("plain", "early", wavelength=(1e-7, 1e-4), T=(100.0, 6000.0), at=[(1e-9, 10.0)], ulps=2e4)
def planck(wavelength, T):
    x = 0.01438776877 / (wavelength * T)
    if x > 700:
        return 0.0
    return 3.741771852e-16 / wavelength**5 / (math.exp(x) - 1)


@sample("isinstance", "branches", "none", p=(300.0, 1100.0))
def potential_temperature(p, t=290.0):
    if not isinstance(p, (int, float)):
        raise TypeError("p")
    return t * (1000.0 / p) ** 0.286


@sample("minmax", "clip", t=(-40.0, 50.0), e=(0.0, 80.0))
def relative_humidity(t, e):
    return np.clip(100 * e / (6.112 * np.exp(17.67 * t / (t + 243.5))), 0, 100)


@sample("njit", "helper", "outputs", T1=(250.0, 400.0), p1=(5e4, 2e5), ratio=(1.0, 12.0), ulps=64)
def compressor(T1, p1, ratio, eta=0.85):
    T2s = T1 * ratio ** (0.4 / 1.4)
    T2 = T1 + (T2s - T1) / eta
    return T2, p1 * ratio, 1005.0 * (T2 - T1)
