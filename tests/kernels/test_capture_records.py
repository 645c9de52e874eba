"""Named tuples, dataclasses and namespaces that a scalar function makes: as Python has them."""

import math
from collections import namedtuple
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import CaptureError


class Vector(NamedTuple):
    x: float
    y: float = 2.0

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    def __mul__(self, factor):
        return Vector(self.x * factor, self.y * factor)

    def __rmul__(self, factor):
        return self * factor

    @property
    def norm(self):
        return math.hypot(*self)


@dataclass
class Body:
    place: float
    speed: float = 0.0

    def step(self, dt):
        self.speed -= self.place * dt
        self.place += self.speed * dt


@dataclass(frozen=True)
class Medium:
    density: float
    index: float


@dataclass
class Other:
    place: float
    speed: float = 0.0


@dataclass
class Doubled:
    value: float

    def __post_init__(self):
        self.value *= 2


_ONE: Any = namedtuple("_ONE", "mass")  # noqa: PYI024  # type: ignore[misc]
Planet: Any = namedtuple("Planet", "mass radius")  # noqa: PYI024  # type: ignore[misc]


class Heavy(_ONE):
    def __new__(cls, mass):
        return super().__new__(cls, mass * 2)


PLANETS = [Planet(1.0, 2.0), Planet(3.0, 4.0), Planet(5.0, 7.0)]


def operators(x):
    return (Vector(x) + 2.0 * Vector(x, x) * 3.0).norm


def methods_that_assign(x):
    body = Body(x)
    for _ in range(100):
        body.step(0.01)
    return body.place


def two_names(x):
    body = Body(place=x)
    other = body
    other.speed = 3.0 * x
    return body.speed * x


def branches(x):
    body = Body(x)
    if x > 1:
        body.place = 5.0 * x
        body.speed += 1
    chosen = body if x > 2 else Body(1.0)
    return body.place + body.speed + chosen.place


def helpers(x):
    def kick(body, more):
        body.speed += more

    body = Body(x)
    kick(body, 2.0)
    kick(body, x)
    return body.speed * x


def namespaces(x):
    state = SimpleNamespace(a=x, count=1.0)
    while state.a < 10:
        state.a *= 2
        state.count += 1
    return state.count * x


def looked_up(x):
    planet = PLANETS[int(x)]
    mass, radius = planet
    return planet.mass * x + planet.radius * mass / radius


def lists(x):
    bodies = [Body(x), Body(2 * x)]
    for body in bodies:
        body.speed += 1
    points = [Vector(x, 1.0), Vector(2.0, x)]
    return bodies[1].speed * sum(p.x * p.y for p in points) + max(points, key=lambda p: p.x).x


def the_nearest(x):
    best: Any = None
    for k in range(4):
        point = Vector(k * x, abs(x - k))
        if best is None or point.y < best.y:
            best = point
    return best.x


def frozen(x):
    medium = Medium(x, index=2.0)
    return medium.density * medium.index


FUNCTIONS = [
    *(operators, methods_that_assign, two_names, branches, helpers, namespaces, looked_up, lists),
    *(the_nearest, frozen),
]
X = np.array([0.3, 1.2, 2.4])


@pytest.mark.parametrize("fn", FUNCTIONS, ids=lambda fn: fn.__name__)
def test_values_and_slopes_are_those_of_the_text(fn):
    op: Any = ng.op(fn)
    h = 1e-6
    np.testing.assert_allclose(op(X), [fn(x) for x in X.tolist()], rtol=1e-13)
    slopes = [(fn(x + h) - fn(x - h)) / (2 * h) for x in X.tolist()]
    np.testing.assert_allclose(op.derivative(0)(X), slopes, rtol=1e-6)


_OTHER: Any = Vector


EQUAL = [
    lambda x: float(Body(x) == Body(1.2)),
    lambda x: float(Body(x) == Other(x)),
    lambda x: float(Body(x) == (x, 0.0)),
    lambda x: float(Vector(x) == (x, 2.0)),
    lambda x: float(Body(x) in [Body(0.3), Body(2.4)]),
    lambda x: float(SimpleNamespace(a=x, b=1.0) == SimpleNamespace(b=1.0, a=x)),
]


@pytest.mark.parametrize("k", range(len(EQUAL)))
def test_objects_are_equal_as_in_python(k):
    assert ng.op(EQUAL[k])(X).tolist() == [EQUAL[k](x) for x in X.tolist()]


def may_be_either(x):
    one, other = Body(x), Body(1.0)
    chosen = one if x > 1 else other
    chosen.place = 7.0
    return one.place


@dataclass
class Near:  # noqa: PLW1641
    value: float

    def __eq__(self, other):
        return abs(self.value - other.value) < 10


HERE = Body(1.0)
REFUSED = {
    "an __eq__ of its own": (lambda x: Near(x) == Near(1.0), "Near"),
    "an object from outside": (lambda x: x if Body(x) == HERE else 0.0, "not understood"),
    "whether a set has another": (lambda x: x if {1, 2} > {0, 5} else 0.0, "not understood"),
    "the order of lists": (lambda x: x if [x] < [1.0] else 0.0, "not understood"),
    "an __init__ that does more": (lambda x: Doubled(x).value, "Doubled"),
    "a __new__ that does more": (lambda x: Heavy(x).mass, "Heavy"),
    "an attribute that is not there": (lambda x: _OTHER(x).z, "has no attribute 'z'"),
    "a change of one of two": (may_be_either, "would be changed"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_other_objects_are_refused(name):
    fn, words = REFUSED[name]
    with pytest.raises(CaptureError, match=words):
        ng.op(fn)(X)
