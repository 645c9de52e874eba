"""Hydrology: rain, rivers, wells, soils."""

import math
import warnings

import numpy as np
from scipy.special import exp1

from tests.corpus.samples import sample

RATING_H = np.array([0.2, 0.5, 1.0, 1.8, 3.0, 4.5])

RATING_Q = np.array([0.4, 2.1, 7.9, 25.0, 80.0, 190.0])

SOILS = {
    "sand": (0.045, 0.43, 14.5, 2.68),
    "loam": (0.078, 0.43, 3.6, 1.56),
    "clay": (0.068, 0.38, 0.8, 1.09),
}


@sample("plain", "power", n=(0.01, 0.1), depth=(0.05, 3.0), slope=(1e-4, 0.05))
def manning(n, depth, slope, width=4.0):
    area = width * depth
    radius = area / (width + 2 * depth)
    return area * radius ** (2 / 3) * math.sqrt(slope) / n


@sample("for", "convergence", "power", q=(0.1, 60.0), ulps=400)
def normal_depth(q, n=0.03, slope=1e-3, width=4.0):
    y = 1.0
    for _ in range(60):
        area, wet = width * y, width + 2 * y
        f = area ** (5 / 3) / wet ** (2 / 3) * math.sqrt(slope) / n - q
        df = (5 / 3 * width / area - 2 / 3 * 2 / wet) * (f + q)
        step = f / df
        y = y - step if y > step else y / 2
        if abs(step) < 1e-12:
            break
    return y


@sample("early", "branches", p=(0.0, 200.0), cn=(40.0, 99.0), at=[(0.0, 80.0)], ulps=200)
def curve_number_runoff(p, cn):
    s = 25400 / cn - 254
    ia = 0.2 * s
    if p <= ia:
        return 0.0
    return (p - ia) ** 2 / (p - ia + s)


@sample("plain", "trigonometry", tmin=(-5.0, 20.0), tmax=(20.0, 40.0), doy=(1, 365), ulps=64)
def hargreaves(tmin, tmax, doy, lat=0.8):
    d = 0.409 * math.sin(2 * math.pi / 365 * doy - 1.39)
    ws = math.acos(-math.tan(lat) * math.tan(d))
    ra = (
        37.59
        * (1 + 0.033 * math.cos(2 * math.pi * doy / 365))
        * (ws * math.sin(lat) * math.sin(d) + math.cos(lat) * math.cos(d) * math.sin(ws))
    )
    return 0.0023 * 0.408 * ra * math.sqrt(tmax - tmin) * ((tmax + tmin) / 2 + 17.8)


@sample("plain", "effect", t=(0.0, 40.0), rn=(0.0, 25.0), u=(0.0, 8.0))
def penman_monteith(t, rn, u, rh=60.0):
    if t < -20:
        warnings.warn("too cold for this formula")
    es = 0.6108 * math.exp(17.27 * t / (t + 237.3))
    slope = 4098 * es / (t + 237.3) ** 2
    vpd = es * (1 - rh / 100)
    return (0.408 * slope * rn + 0.0665 * 900 / (t + 273) * u * vpd) / (
        slope + 0.0665 * (1 + 0.34 * u)
    )


@sample("while", "convergence", "elif", u=(1e-6, 4.0), ulps=400)
def well_function(u):
    if u > 1:
        a = (0.2677737343, 8.6347608925, 18.059016973, 8.5733287401)
        b = (3.9584969228, 21.0996530827, 25.6329561486, 9.5733223454)
        top = a[0] + u * (a[1] + u * (a[2] + u * (a[3] + u)))
        bottom = b[0] + u * (b[1] + u * (b[2] + u * (b[3] + u)))
        return top / bottom / (u * math.exp(u))
    total = -0.5772156649015329 - math.log(u)
    term, k = u, 1
    while abs(term) > 1e-17 and k < 60:
        total += term
        term *= -u * k / (k + 1) ** 2
        k += 1
    return total


@sample("special", t=(0.01, 30.0), r=(5.0, 300.0), ulps=400)
def theis_drawdown(t, r, T=200.0, S=2e-4, Q=1000.0):
    return Q / (4 * math.pi * T) * exp1(r * r * S / (4 * T * t))


@sample("plain", t=(0.0, 10.0))
def horton(t, f0=80.0, fc=12.0, k=1.5):
    return fc + (f0 - fc) * math.exp(-k * t)


@sample("branches", "power", "raise", h=(0.0, 2.0), at=[(-0.1,)], decorated={"on_invalid": "nan"})
def weir(h, width=2.0, cd=0.62):
    if h < 0:
        raise ValueError("head below the crest")
    return 2 / 3 * cd * math.sqrt(2 * 9.81) * width * h**1.5


@sample("while", "convergence", t=(0.05, 10.0), ulps=400)
def green_ampt(t, K=0.65, psi=16.7, dtheta=0.34):
    """The sum of infiltration: a fixed point."""
    F, n = K * t, 0
    s = psi * dtheta
    while n < 300:
        new = K * t + s * math.log(1 + F / s)
        if abs(new - F) < 1e-12:
            return new
        F = new
        n += 1
    return F


@sample("dict", "str", "static", "power", "tuple", h=(1.0, 150.0), options={"soil": "loam"})
def van_genuchten(h, soil="sand"):
    tr, ts, alpha, n = SOILS[soil]
    m = 1 - 1 / n
    return tr + (ts - tr) / (1 + (alpha * h / 100) ** n) ** m


@sample("interp", "table", level=(0.0, 6.0), at=[(0.2,), (4.5,)])
def discharge(level):
    return np.interp(level, RATING_H, RATING_Q)


@sample("table", "for", "unbound", "early", level=(0.2, 4.4))
def discharge_by_search(level):
    for i in range(len(RATING_H) - 1):
        if RATING_H[i] <= level < RATING_H[i + 1]:
            break
    f = (level - RATING_H[i]) / (RATING_H[i + 1] - RATING_H[i])
    return RATING_Q[i] + f * (RATING_Q[i + 1] - RATING_Q[i])


@sample("for", "local", "minmax", rain=(0.0, 30.0), k=(0.05, 0.9))
def cascade_outflow(rain, k):
    stores = np.array([5.0, 3.0, 2.0])
    inflow = rain
    for i in range(3):
        stores[i] += inflow
        inflow = k * stores[i]
        stores[i] -= inflow
    return inflow + 0.01 * stores.sum()


@sample("elif", "rounding", "fstring", c=(0.0, 1.0), i=(0.0, 120.0))
def rational_peak(c, i, area=2.5):
    if not 0 <= c <= 1:
        raise ValueError(f"runoff coefficient {c!r}")
    return 0.278 * c * i * area


@sample("plain", "power", d=(0.001, 10.0), at=[(0.2,)])
def settling_velocity(d):
    """Ferguson and Church, millimetres."""
    D = d / 1000
    return 1.65 * 9.81 * D**2 / (18e-6 + math.sqrt(0.75 * 1.65 * 9.81 * D**3))


@sample("branches", "plain", t=(-15.0, 15.0), p=(0.0, 40.0))
def snow_and_melt(t, p, factor=3.0):
    snow = p if t <= 0 else p * (2 - t) / 2 if t < 2 else 0.0
    return snow, factor * t if t > 0 else 0.0
