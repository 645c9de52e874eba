"""Astronomy: time scales, orbits, places in the sky."""

import math
from math import acos, asin, atan2, cos, degrees, pi, radians, sin, sqrt, tan

import numpy as np

from tests.corpus.samples import sample

J2000 = 2451545.0

DEG = pi / 180.0

LIGHT = 299792.458  # km/s

EARTH_ORBIT = {"a": 1.00000011, "e": 0.01671022, "period": 365.25636}

NUTATION = np.array([[-17.20, 125.04, -0.05295], [-1.32, 200.93, 1.97129], [-0.23, 76.6, 26.3529]])


@sample("dates", "whole", "branches", year=(1600, 2200), month=(1, 12), day=(1.0, 31.0))
def julian_day(year, month, day):
    if month <= 2:
        year -= 1
        month += 12
    century = year // 100
    gregorian = 2 - century + century // 4
    return int(365.25 * (year + 4716)) + int(30.6001 * (month + 1)) + day + gregorian - 1524.5


@sample("dates", "whole", "tuple", "outputs", jd=(1.0, 3e6), smooth="", at=[(0.5,), (2299160.5,)])
def calendar_date(jd):
    z = int(jd + 0.5)
    fraction = jd + 0.5 - z
    if z < 2299161:
        a = z
    else:
        alpha = int((z - 1867216.25) / 36524.25)
        a = z + 1 + alpha - alpha // 4
    b = a + 1524
    c = int((b - 122.1) / 365.25)
    d = int(365.25 * c)
    e = int((b - d) / 30.6001)
    day = b - d - int(30.6001 * e) + fraction
    month = e - 1 if e < 14 else e - 13
    year = c - 4716 if month > 2 else c - 4715
    return year, month, day


@sample("for", "convergence", "early", M=(0.0, 6.28), e=(0.0, 0.97), at=[(0.0, 0.5), (pi, 0.9)])
def eccentric_anomaly(M, e):
    E = M + e * sin(M) if e < 0.8 else pi
    for _ in range(60):
        delta = (E - e * sin(E) - M) / (1 - e * cos(E))
        E -= delta
        if abs(delta) < 1e-12:
            return E
    return E


@sample("while", "convergence", "assert", M=(-3.0, 3.0), ecc=(0.0, 0.9))
def kepler_danby(M, ecc, tol=1e-13):
    """Kepler's equation by Danby's method of fourth order."""
    assert 0 <= ecc < 1, "only ellipses"
    E = M + math.copysign(0.85 * ecc, sin(M))
    n = 0
    while n < 30:
        s, c = ecc * sin(E), ecc * cos(E)
        f = E - s - M
        if abs(f) < tol:
            break
        df = 1 - c
        d1 = -f / df
        d2 = -f / (df + d1 * s / 2)
        E += -f / (df + d2 * s / 2 + d2 * d2 * c / 6)
        n += 1
    return E


@sample("trigonometry", E=(-3.0, 3.0), e=(0.0, 0.95))
def true_anomaly(E, e):
    return 2 * atan2(sqrt(1 + e) * sin(E / 2), sqrt(1 - e) * cos(E / 2))


@sample("modulo", "power", jd=(2.4e6, 2.5e6), longitude=(-180.0, 180.0), ulps=1e6)
def local_sidereal_hours(jd, longitude):
    t = (jd - J2000) / 36525
    theta = 280.46061837 + 360.98564736629 * (jd - J2000) + 0.000387933 * t**2 - t**3 / 38710000
    return ((theta + longitude) % 360) / 15


@sample(
    "branches",
    "raise",
    altitude=(0.5, 90.0),
    at=[(0.0,), (-20.0,)],
    decorated={"on_invalid": "nan"},
)
def airmass(altitude):
    """Kasten and Young 1989."""
    if altitude < 0:
        raise ValueError(f"below the horizon: {altitude}")
    return 1 / (sin(altitude * DEG) + 0.50572 * (altitude + 6.07995) ** -1.6364)


@sample("trigonometry", "default", n=(0.0, 366.0))
def solar_declination(n, tilt=23.45):
    return tilt * sin(radians(360 / 365 * (284 + n)))


@sample(
    "early", "nested", lat=(-89.0, 89.0), doy=(1, 365), at=[(80.0, 172), (-80.0, 172), (80.0, 355)]
)
def day_length(lat, doy):
    def declination(day):
        return -23.44 * cos(radians(360.0 / 365 * (day + 10)))

    x = -tan(radians(lat)) * tan(radians(declination(doy)))
    if x <= -1:
        return 24.0
    if x >= 1:
        return 0.0
    return 2 * degrees(acos(x)) / 15


@sample("trigonometry", doy=(1.0, 365.0))
def equation_of_time(doy):
    b = 2 * pi * (doy - 81) / 364
    return 9.87 * sin(2 * b) - 7.53 * cos(b) - 1.5 * sin(b)


@sample("plain", h=(-0.5, 89.9))
def refraction_minutes(h):
    """Bennett 1982, in minutes of arc."""
    return 1.02 / tan(radians(h + 10.3 / (h + 5.11))) + 0.0019279


@sample("table", "for", t=(-1.0, 1.0), ulps=400)
def nutation_longitude(t):
    days = t * 36525.0
    total = 0.0
    for k in range(3):
        total += NUTATION[k, 0] * np.sin(np.radians(NUTATION[k, 1] + NUTATION[k, 2] * days))
    return total / 3600


@sample("elif", "power", year=(1600.0, 2150.0), at=[(1700.0,), (1986.0,), (2005.0,)])
def delta_t(year):
    """Espenak and Meeus: seconds of terrestrial time minus universal time."""
    if year < 1700:
        t = year - 1600
        return 120 - 0.9808 * t - 0.01532 * t**2 + t**3 / 7129
    elif year < 1800:
        t = year - 1700
        return 8.83 + 0.1603 * t - 0.0059285 * t**2 + 0.00013336 * t**3 - t**4 / 1174000
    elif year < 1900:
        u = (year - 1820) / 100
        return -20 + 32 * u**2
    elif year < 1986:
        t = year - 1950
        return 29.07 + 0.407 * t - t**2 / 233 + t**3 / 2547
    elif year < 2005:
        t = year - 2000
        return 63.86 + 0.3345 * t - 0.060374 * t**2 + 0.0017275 * t**3
    elif year < 2050:
        t = year - 2000
        return 62.92 + 0.32217 * t + 0.005589 * t**2
    else:
        return -20 + 32 * ((year - 1820) / 100) ** 2


@sample("for", "closure", z=(0.01, 8.0))
def comoving_distance(z, h0=70.0, om=0.3):
    """Simpson's rule, in Mpc."""
    ol = 1 - om

    def inverse_e(x):
        return 1 / math.sqrt(om * (1 + x) ** 3 + ol)

    n = 64
    h = z / n
    s = inverse_e(0.0) + inverse_e(z)
    for i in range(1, n):
        s += (4 if i % 2 else 2) * inverse_e(i * h)
    return LIGHT / h0 * s * h / 3


@sample("dict", "plain", days=(0.0, 400.0))
def earth_sun_distance(days):
    m = 2 * pi * days / EARTH_ORBIT["period"]
    e = EARTH_ORBIT["e"]
    return EARTH_ORBIT["a"] * (1 - e**2) / (1 + e * cos(m + 2 * e * sin(m)))


@sample(
    "raise",
    "branches",
    parallax=(0.001, 0.8),
    at=[(0.0,), (-1.0,)],
    decorated={"on_invalid": "nan"},
)
def absolute_magnitude(parallax, apparent=5.0):
    if parallax <= 0:
        raise ValueError("the parallax must be positive")
    return apparent + 5 * (math.log10(parallax) + 1)


@sample("outputs", "tuple", "trigonometry", ra=(0.0, 360.0), dec=(-80.0, 80.0), ulps=200)
def galactic(ra, dec):
    pole_ra, pole_dec, node = 192.85948 * DEG, 27.12825 * DEG, 122.93192 * DEG
    a, d = ra * DEG - pole_ra, dec * DEG
    b = asin(sin(d) * sin(pole_dec) + cos(d) * cos(pole_dec) * cos(a))
    y = cos(d) * sin(a)
    x = sin(d) * cos(pole_dec) - cos(d) * sin(pole_dec) * cos(a)
    l = (node - atan2(y, x)) % (2 * pi)
    return l / DEG, b / DEG


@sample("elif", "str", "static", v=(0.0, 0.9), options={"kind": "relativistic"})
def redshift(v, kind="classical"):
    if kind == "classical":
        return v
    elif kind == "relativistic":
        return math.sqrt((1 + v) / (1 - v)) - 1
    raise ValueError(f"unknown kind {kind!r}")


@sample("none", "static", "branches", a=(0.1, 40.0))
def orbital_period(a, mass=None):
    """Years, of a semi-major axis in astronomical units."""
    if mass is None:
        mass = 1.0
    return math.sqrt(a**3 / mass)


@sample("dates", "modulo", jd=(2.44e6, 2.47e6), smooth="", ulps=1e5)
def moon_age(jd):
    age = (jd - 2451550.1) % 29.530588853
    return age if age < 29.530588853 / 2 else age - 29.530588853
