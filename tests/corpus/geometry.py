"""Geometry: the plane, the sphere, curves, what rays meet."""

import math
from math import acos, asin, atan2, cos, hypot, pi, radians, sin, sqrt

import numpy as np

from tests.corpus.samples import sample

SQUARE = ((0.0, 0.0), (3.0, 0.5), (2.5, 3.0), (0.5, 2.0))

GAUSS = np.array(
    [
        [0.2386191860831969, 0.4679139345726910],
        [0.6612093864662645, 0.3607615730481386],
        [0.9324695142031521, 0.1713244923791704],
    ]
)


@sample(
    "trigonometry",
    "minmax",
    lat1=(-80.0, 80.0),
    lon1=(-180.0, 180.0),
    lat2=(-80.0, 80.0),
    lon2=(-180.0, 180.0),
    at=[(10.0, 20.0, 10.0, 20.0)],
    ulps=200,
)
def great_circle(lat1, lon1, lat2, lon2, r=6371.0088):
    p1, p2, dl = radians(lat1), radians(lat2), radians(lon2 - lon1)
    h = sin((p2 - p1) / 2) ** 2 + cos(p1) * cos(p2) * sin(dl / 2) ** 2
    return 2 * r * asin(min(1.0, sqrt(h)))


@sample("modulo", "trigonometry", lat1=(-80.0, 80.0), lat2=(-80.0, 80.0), dlon=(-170.0, 170.0))
def initial_bearing(lat1, lat2, dlon):
    p1, p2, dl = map(math.radians, (lat1, lat2, dlon))
    y = sin(dl) * cos(p2)
    x = cos(p1) * sin(p2) - sin(p1) * cos(p2) * cos(dl)
    return (math.degrees(atan2(y, x)) + 360) % 360


@sample(
    "for",
    "convergence",
    "early",
    "tuple",
    lat1=(-70.0, 70.0),
    lat2=(-70.0, 70.0),
    dlon=(-100.0, 100.0),
    ulps=1e4,
)
def vincenty(lat1, lat2, dlon):
    a, f = 6378137.0, 1 / 298.257223563
    b = (1 - f) * a
    if lat1 == lat2 and dlon == 0:
        return 0.0
    U1, U2, L = (
        math.atan((1 - f) * math.tan(radians(lat1))),
        math.atan((1 - f) * math.tan(radians(lat2))),
        radians(dlon),
    )
    lam = L
    for _ in range(100):
        s = hypot(cos(U2) * sin(lam), cos(U1) * sin(U2) - sin(U1) * cos(U2) * cos(lam))
        c = sin(U1) * sin(U2) + cos(U1) * cos(U2) * cos(lam)
        sigma = atan2(s, c)
        sin_alpha = cos(U1) * cos(U2) * sin(lam) / s
        cos2 = 1 - sin_alpha**2
        c2m = c - 2 * sin(U1) * sin(U2) / cos2 if cos2 != 0 else 0.0
        C = f / 16 * cos2 * (4 + f * (4 - 3 * cos2))
        previous, lam = (
            lam,
            L + (1 - C) * f * sin_alpha * (sigma + C * s * (c2m + C * c * (2 * c2m**2 - 1))),
        )
        if abs(lam - previous) < 1e-12:
            break
    u2 = cos2 * (a * a - b * b) / (b * b)
    A = 1 + u2 / 16384 * (4096 + u2 * (-768 + u2 * (320 - 175 * u2)))
    B = u2 / 1024 * (256 + u2 * (-128 + u2 * (74 - 47 * u2)))
    ds = (
        B
        * s
        * (c2m + B / 4 * (c * (2 * c2m**2 - 1) - B / 6 * c2m * (4 * s**2 - 3) * (4 * c2m**2 - 3)))
    )
    return b * A * (sigma - ds)


@sample("clip", "minmax", "early", px=(-3.0, 3.0), py=(-3.0, 3.0))
def distance_to_segment(px, py, ax=-1.0, ay=0.5, bx=2.0, by=1.0):
    dx, dy = bx - ax, by - ay
    length2 = dx * dx + dy * dy
    if length2 == 0:
        return math.hypot(px - ax, py - ay)
    t = max(0, min(1, ((px - ax) * dx + (py - ay) * dy) / length2))
    return math.hypot(px - ax - t * dx, py - ay - t * dy)


@sample("logic", "helper", "nested", x=(-2.0, 2.0), y=(-2.0, 2.0), smooth="")
def in_triangle(x, y):
    def side(x1, y1, x2, y2):
        return (x - x2) * (y1 - y2) - (x1 - x2) * (y - y2)

    d1 = side(-1.0, -1.0, 1.5, -0.5)
    d2 = side(1.5, -0.5, 0.0, 1.7)
    d3 = side(0.0, 1.7, -1.0, -1.0)
    negative = d1 < 0 or d2 < 0 or d3 < 0
    positive = d1 > 0 or d2 > 0 or d3 > 0
    return not (negative and positive)


@sample(
    "raise",
    "logic",
    a=(1.0, 4.0),
    b=(1.0, 4.0),
    c=(1.0, 4.0),
    at=[(1.0, 1.0, 3.0)],
    ulps=1e3,
    decorated={"on_invalid": "nan"},
)
def heron(a, b, c):
    if a + b <= c or b + c <= a or c + a <= b:
        raise ValueError("sides %s %s %s make no triangle" % (a, b, c))
    s = (a + b + c) / 2
    return math.sqrt(s * (s - a) * (s - b) * (s - c))


@sample("table", "for", "modulo", scale=(0.1, 4.0))
def polygon_area(scale):
    total = 0.0
    n = len(SQUARE)
    for i in range(n):
        x1, y1 = SQUARE[i]
        x2, y2 = SQUARE[(i + 1) % n]
        total += scale * x1 * scale * y2 - scale * x2 * scale * y1
    return abs(total) / 2


@sample("table", "for", "whole", x=(-1.0, 4.0), y=(-1.0, 4.0), smooth="")
def winding_inside(x, y):
    inside = False
    j = len(SQUARE) - 1
    for i in range(len(SQUARE)):
        xi, yi = SQUARE[i]
        xj, yj = SQUARE[j]
        if (yi > y) != (yj > y) and x < (xj - xi) * (y - yi) / (yj - yi) + xi:
            inside = not inside
        j = i
    return 1 if inside else 0


@sample("early", ox=(-2.0, 2.0), oy=(-2.0, 2.0), ulps=1e4)
def ray_sphere(ox, oy, oz=-5.0, radius=1.5):
    """The distance along z to a sphere in the origin, -1 where it is missed."""
    b = oz
    c = ox * ox + oy * oy + oz * oz - radius * radius
    discriminant = b * b - c
    if discriminant < 0:
        return -1.0
    t = -b - math.sqrt(discriminant)
    return t if t > 0 else -b + math.sqrt(discriminant)


@sample("elif", "trigonometry", d=(0.0, 6.0), r=(1.0, 3.0), at=[(0.0, 2.0), (4.0, 2.0)], ulps=1e5)
def circle_overlap(d, r, R=2.0):
    if d >= r + R:
        return 0.0
    elif d <= abs(R - r):
        return pi * min(r, R) ** 2
    a = r * r * acos((d * d + r * r - R * R) / (2 * d * r))
    b = R * R * acos((d * d + R * R - r * r) / (2 * d * R))
    k = 0.5 * sqrt((-d + r + R) * (d + r - R) * (d - r + R) * (d + r + R))
    return a + b - k


@sample("local", "for", "outputs", t=(0.0, 1.0))
def de_casteljau(t):
    xs = [0.0, 1.0, 3.0, 4.0]
    ys = [0.0, 2.0, -1.0, 1.0]
    for k in range(3, 0, -1):
        for i in range(k):
            xs[i] = (1 - t) * xs[i] + t * xs[i + 1]
            ys[i] = (1 - t) * ys[i] + t * ys[i + 1]
    return xs[0], ys[0]


@sample("outputs", "trigonometry", r=(0.1, 3.0), theta=(0.0, 3.1), phi=(-3.0, 3.0))
def spherical(r, theta, phi):
    return r * sin(theta) * cos(phi), r * sin(theta) * sin(phi), r * cos(theta)


@sample("outputs", "tuple", "helper", angle=(-3.0, 3.0), x=(-1.0, 1.0), ulps=64)
def rotate_by_quaternion(angle, x, y=0.5, z=-0.25):
    w, n = cos(angle / 2), sin(angle / 2) / sqrt(3)
    tx, ty, tz = 2 * (n * z - n * y), 2 * (n * x - n * z), 2 * (n * y - n * x)
    return x + w * tx + n * (tz - ty), y + w * ty + n * (tx - tz), z + w * tz + n * (ty - tx)


@sample("table", "for", a=(0.1, 5.0), b=(0.1, 5.0), ulps=64)
def ellipse_perimeter(a, b):
    """Gauss' rule with six nodes on a quarter."""
    total = 0.0
    for node, weight in GAUSS:
        for sign in (-1, 1):
            t = math.pi / 4 * (1 + sign * node)
            total += weight * math.hypot(a * math.sin(t), b * math.cos(t))
    return math.pi * total


@sample("while", "convergence", lat=(-85.0, 85.0), ulps=200)
def isometric_and_back(lat):
    e = 0.0818191908
    phi = radians(lat)
    t = math.tan(pi / 4 - phi / 2) / ((1 - e * sin(phi)) / (1 + e * sin(phi))) ** (e / 2)
    guess = pi / 2 - 2 * math.atan(t)
    change = 1.0
    while abs(change) > 1e-12:
        s = e * sin(guess)
        change = pi / 2 - 2 * math.atan(t * ((1 - s) / (1 + s)) ** (e / 2)) - guess
        guess += change
    return guess * 180 / pi


@sample(
    "assert",
    "trigonometry",
    a=(0.1, 1.5),
    b=(0.1, 1.5),
    at=[(4.0, 1.0)],
    ulps=400,
    decorated={"on_invalid": "nan"},
)
def spherical_excess(a, b, c=1.0):
    """The area of a triangle on the unit sphere, by l'Huilier."""
    assert 0 < a < pi
    s = (a + b + c) / 2
    product = (
        math.tan(s / 2) * math.tan((s - a) / 2) * math.tan((s - b) / 2) * math.tan((s - c) / 2)
    )
    return 4 * math.atan(math.sqrt(abs(product)))


@sample("sorted", "lists", a=(-5.0, 5.0), b=(-5.0, 5.0), c=(-5.0, 5.0))
def box_diagonal(a, b, c):
    small, middle, large = sorted([abs(a), abs(b), abs(c)])
    return math.sqrt(large**2 + middle**2) + small


@sample("try", "trigonometry", x=(-2.0, 2.0), smooth="")
def safe_acos(x):
    try:
        return acos(x)
    except ValueError:
        return 0.0 if x > 0 else pi
