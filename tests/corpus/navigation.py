"""Navigation and maps: ellipsoid, tiles, aeroplanes, positions as text has them."""

import math
from math import atan, atan2, cos, degrees, floor, log, pi, radians, sin, sqrt, tan

import numpy as np

from tests.corpus.samples import sample

A, F = 6378137.0, 1 / 298.257223563

E2 = F * (2 - F)

LAYERS = [
    (0.0, 288.15, -0.0065, 101325.0),
    (11000.0, 216.65, 0.0, 22632.06),
    (20000.0, 216.65, 0.001, 5474.889),
    (32000.0, 228.65, 0.0028, 868.0187),
]


@sample("outputs", "trigonometry", lat=(-90.0, 90.0), lon=(-180.0, 180.0), h=(-100.0, 9e3))
def to_earth_centred(lat, lon, h):
    phi, lam = radians(lat), radians(lon)
    n = A / sqrt(1 - E2 * sin(phi) ** 2)
    return (
        (n + h) * cos(phi) * cos(lam),
        (n + h) * cos(phi) * sin(lam),
        (n * (1 - E2) + h) * sin(phi),
    )


@sample("for", "convergence", "outputs", x=(2e6, 5e6), y=(-3e6, 3e6), z=(-4e6, 4e6), ulps=2e6)
def from_earth_centred(x, y, z):
    p = math.hypot(x, y)
    lat = atan2(z, p * (1 - E2))
    height = 0.0
    for _ in range(10):
        n = A / sqrt(1 - E2 * sin(lat) ** 2)
        height = p / cos(lat) - n
        new = atan2(z, p * (1 - E2 * n / (n + height)))
        done = abs(new - lat) < 1e-14
        lat = new
        if done:
            break
    return degrees(lat), degrees(atan2(y, x)), height


@sample("table", "for", "power", "branches", h=(0.0, 40000.0), at=[(11000.0,), (20000.0,)])
def standard_pressure(h):
    base, T0, lapse, p0 = LAYERS[0]
    for layer in LAYERS:
        if h >= layer[0]:
            base, T0, lapse, p0 = layer
    if lapse == 0:
        return p0 * math.exp(-0.034163195 * (h - base) / T0)
    return p0 * (1 + lapse * (h - base) / T0) ** (-0.034163195 / lapse)


@sample(
    "raise",
    "elif",
    "power",
    h=(0.0, 25000.0),
    at=[(30000.0,), (11000.0,)],
    decorated={"on_invalid": "nan"},
)
def standard_density(h):
    if h <= 11000:
        t = 288.15 - 0.0065 * h
        p = 101325 * (t / 288.15) ** 5.25588
    elif h <= 25000:
        t = 216.65
        p = 22632.06 * math.exp(-0.000157688 * (h - 11000))
    else:
        raise ValueError(f"{h} m is above the model")
    return p / (287.053 * t)


@sample("whole", "outputs", "bits", lat=(-85.0, 85.0), lon=(-180.0, 179.9), zoom=(0, 18), smooth="")
def tile(lat, lon, zoom):
    n = 1 << zoom
    x = int((lon + 180) / 360 * n)
    y = int((1 - log(tan(radians(lat)) + 1 / cos(radians(lat))) / pi) / 2 * n)
    return x, y


@sample("bits", "for", "whole", "branches", lat=(-90.0, 90.0), lon=(-180.0, 180.0), smooth="")
def geohash_bits(lat, lon):
    lo_a, hi_a, lo_o, hi_o = -90.0, 90.0, -180.0, 180.0
    code = 0
    for i in range(30):
        code <<= 1
        if i % 2 == 0:
            mid = (lo_o + hi_o) / 2
            if lon >= mid:
                code |= 1
                lo_o = mid
            else:
                hi_o = mid
        else:
            mid = (lo_a + hi_a) / 2
            if lat >= mid:
                code |= 1
                lo_a = mid
            else:
                hi_a = mid
    return code


@sample(
    "whole",
    "logic",
    "early",
    lat=(-80.0, 84.0),
    lon=(-180.0, 180.0),
    smooth="",
    at=[(60.0, 5.0), (75.0, 10.0)],
)
def utm_zone(lat, lon):
    if 56 <= lat < 64 and 3 <= lon < 12:
        return 32
    if 72 <= lat < 84 and 0 <= lon < 42:
        if lon < 9:
            return 31
        if lon < 21:
            return 33
        return 35 if lon < 33 else 37
    return int((lon + 180) / 6) % 60 + 1


@sample("fparts", "tuple", value=(-18000.0, 18000.0), smooth="", at=[(4807.038,), (0.0,)])
def from_nmea(value):
    fraction, whole = math.modf(value / 100)
    return whole + fraction * 100 / 60


@sample("rounding", "outputs", "try", angle=(0.0, 180.0), smooth="", ulps=1e6)
def degrees_minutes_seconds(angle):
    try:
        d = floor(angle)
        m = floor((angle - d) * 60)
        s = ((angle - d) * 60 - m) * 60
    except OverflowError:
        return 0, 0, 0.0
    return d, m, s


@sample(
    "early",
    "trigonometry",
    lat1=(-60.0, 60.0),
    lat2=(-60.0, 60.0),
    dlon=(-90.0, 90.0),
    ulps=1e4,
    at=[(20.0, 20.0, 30.0)],
)
def rhumb_distance(lat1, lat2, dlon):
    p1, p2 = radians(lat1), radians(lat2)
    stretched = log(tan(p2 / 2 + pi / 4) / tan(p1 / 2 + pi / 4))
    q = (p2 - p1) / stretched if abs(stretched) > 1e-12 else cos(p1)
    return 6371.0 * sqrt((p2 - p1) ** 2 + (q * radians(dlon)) ** 2)


@sample("modulo", angle=(-1000.0, 1000.0), reference=(-1000.0, 1000.0), ulps=200)
def heading_difference(angle, reference):
    return (angle - reference + 180.0) % 360.0 - 180.0


@sample("power", "plain", cas=(50.0, 300.0), h=(0.0, 11000.0), ulps=400)
def mach_number(cas, h):
    delta = (1 - 2.25577e-5 * h) ** 5.25588
    q = (1 + 0.2 * (cas / 340.294) ** 2) ** 3.5 - 1
    return math.sqrt(5 * ((q / delta + 1) ** (2 / 7) - 1))


@sample("special", "none", "str", "static", speed=(10.0, 120.0), wind=(-30.0, 30.0), ulps=64)
def ground_speed(speed, wind, unit=None):
    knots = np.hypot(speed, wind) * 1.943844
    return knots if unit is None or unit == "kt" else knots / 1.943844


@sample(
    "outputs", "trigonometry", "minmax", course=(0.0, 360.0), speed=(60.0, 200.0), wind=(0.0, 40.0)
)
def wind_triangle(course, speed, wind, direction=270.0):
    swc = wind / speed * sin(radians(direction - course))
    correction = math.asin(max(-1.0, min(1.0, swc)))
    return degrees(correction), speed * cos(correction) - wind * cos(radians(direction - course))


@sample("plain", "njit", height=(0.0, 3000.0), lat=(-90.0, 90.0))
def normal_gravity(height, lat):
    s2 = math.sin(math.radians(lat)) ** 2
    g = 9.7803253359 * (1 + 0.00193185265241 * s2) / math.sqrt(1 - 0.00669437999014 * s2)
    return g - 3.086e-6 * height


@sample("isinstance", "default", lat=(-80.0, 80.0))
def meridian_degree(lat):
    if isinstance(lat, str):
        lat = float(lat)
    return 111132.954 - 559.822 * cos(2 * radians(lat)) + 1.175 * cos(4 * radians(lat))


@sample("clip", "trigonometry", lat=(-90.0, 90.0), ulps=200)
def web_mercator(lat):
    limited = np.clip(lat, -85.05112878, 85.05112878)
    return A * np.log(np.tan(np.pi / 4 + np.deg2rad(limited) / 2))


@sample("while", "modulo", lon=(-1000.0, 1000.0), smooth="lon", ulps=200)
def wrap_longitude(lon):
    while lon > 180:
        lon -= 360
    while lon <= -180:
        lon += 360
    return lon + 0 * atan(lon)
