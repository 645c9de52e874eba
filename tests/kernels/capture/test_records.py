"""Named tuples, dataclasses and namespaces that a scalar function makes: as Python has them."""

import math
from collections import namedtuple
from dataclasses import dataclass, field, replace
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


@dataclass
class Listed:
    value: float
    values: list[float] = field(default_factory=list)

    def __post_init__(self):
        self.values.append(self.value * 3)


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


class Quaternion:
    """A class as people write them."""

    unit = 2.0

    def __init__(self, w, x, y=0.0):
        self.w, self.x = w, x
        self.y = y * self.unit

    def __mul__(self, other):
        if isinstance(other, (int, float)):
            return Quaternion(self.w * other, self.x * other, self.y)
        return Quaternion(self.w * other.w - self.x * other.x, self.w * other.x, self.y + other.y)

    def __neg__(self):
        return Quaternion(-self.w, -self.x, -self.y)

    def __call__(self, t):
        return self.w + self.x * t + self.y * t * t

    @property
    def norm(self):
        return math.sqrt(self.w**2 + self.x**2 + self.y**2)

    @classmethod
    def of(cls, angle):
        return cls(math.cos(angle / 2), math.sin(angle / 2), y=angle)


class Mean:
    def __init__(self, start=0.0):
        self.total = start
        self.values = []
        self.reset()

    def reset(self):
        self.count = 0

    def push(self, value):
        self.total += value
        self.values.append(value)
        self.count += 1
        return self

    def mean(self):
        return self.total / self.count + max(self.values) if self.count else 0.0


def of_a_class(x):
    a, b = Quaternion(x, 1.0), Quaternion.of(x)
    return (a * b).norm + (-a * 2.0)(x)


def chained(x):
    mean = Mean(x).push(2.0).push(x * x)
    for value in (x, 3.0):
        mean.push(value)
    return mean.mean() * mean.count


class Bucket:
    def __init__(self, level):
        self.level = level
        self.leaks = 0

    def leak(self):
        self.level *= 0.9
        if self.level > 1:
            self.leaks += 1


def of_a_state(x):
    bucket = Bucket(5.0 * x)
    while bucket.level > 0.5:
        bucket.leak()
    return bucket.level + bucket.leaks


def with_lists(x):
    names = [x, 1.0]
    body: Any = Body(names)  # type: ignore[arg-type]
    names.append(2.0 * x)
    body.place[0] = 5.0 * x
    return names[0] + sum(body.place)


def replaced_parts(x):
    at, body = Vector(x), Body(x, 1.0)
    for _ in range(30):
        at = at._replace(y=at.y + x * 0.1)
        at = at._replace(x=at.x * 0.5)
    return at.norm + replace(body, speed=x).speed + body.speed


def dicts(x):
    state = {"S": 0.99, "I": 0.01 * x, "R": 0.0}
    other = state
    day = 0
    for day in range(40):  # noqa: B007
        new = 0.3 * state["S"] * state["I"]
        state["S"] -= new
        state["I"] += new - 0.1 * state["I"]
        other["R"] += 0.1 * state["I"]
    state["last"] = day
    state.update(S=1.0, more=2.0)
    state.setdefault("I", 7.0)
    values = list(state.values())
    return state["R"] + state["I"] + sum(values) * x + len(state) + ("last" in state)


def dicts_in_branches(x):
    counts = {"low": 0.0, "high": 0.0}
    for v in (x, 1.0, 2.0 * x, 3.0):
        if v > 1.5:
            counts["high"] += v
        else:
            counts["low"] += v
        counts["low" if v < 2 else "high"] += 1.0
    return counts["high"] - counts["low"] * x


def dicts_with_numbers(x):
    counts = dict.fromkeys(range(5), 0.0)
    for v in (x, 1.0, 1.5 * x):
        counts[int(v)] += v
    return sum(k * v for k, v in counts.items())


def dicts_of_lists(x):
    groups: Any = {"a": [], "b": [1.0]}
    for k in range(3):
        groups["a"].append(x * k)
    groups["b"][0] = x
    return sum(groups["a"]) * groups["b"][0]


def after_init(x):
    return Doubled(x).value + sum(Listed(x).values)


class Heat:
    """A property that is assigned, and comparisons that leave others to Python."""

    def __init__(self, celsius):
        self.celsius = celsius

    @property
    def fahrenheit(self):
        return self.celsius * 9 / 5 + 32

    @fahrenheit.setter
    def fahrenheit(self, value):
        self.celsius = (value - 32) * 5 / 9

    def __eq__(self, other):
        if not isinstance(other, Heat):
            return NotImplemented
        return self.celsius == other.celsius

    def __hash__(self):
        return 0

    def __lt__(self, other):
        return self.celsius < other.celsius

    def __sub__(self, other):
        return Heat(self.celsius - other.celsius)

    def __mul__(self, other):
        if isinstance(other, Heat):
            return self.celsius * other.celsius
        return Heat(self.celsius * other)

    __rmul__ = __mul__


class Shape:
    scale = 2.0

    def __init__(self, size):
        self.size = size

    def area(self):
        return self.scale * self.size

    def total(self):
        return self.area() + 1


class Square(Shape):
    scale = 3.0

    def area(self):
        return self.size**2 * self.scale


class Controller:
    def __init__(self, gain):
        self.gain, self.total, self.before = gain, 0.0, None

    def update(self, error):
        slope = 0.0 if self.before is None else error - self.before
        self.total += error
        self.before = error
        return self.gain * error + 0.1 * self.total + 0.01 * slope


def assigned_properties(x):
    heat = Heat(x)
    heat.fahrenheit = 50.0 * x
    return heat.celsius + heat.fahrenheit


def compared_and_combined(x):
    hot, other = Heat(x), Heat(1.0)
    same = (hot == other) + 2 * (hot != Heat(x)) + 4 * (hot == 3) + 8 * (hot < other)
    return same + (hot - other) * hot + (2.0 * hot * 0.5).celsius


def inherited(x):
    shape = Square(x)
    kinds = isinstance(shape, Shape) + 2 * isinstance(shape, Heat) + 4 * isinstance(Body(x), Body)
    return Shape(x).total() + shape.total() * kinds + bool(not shape)


def controlled(x):
    controller, value = Controller(0.5), x
    for _ in range(6):
        value += controller.update(2.0 - value)
    return value


@dataclass
class Tally:
    first: float
    total: float = field(default=0.0, init=False)
    seen: list = field(default_factory=list, init=False)
    twice: float = field(init=False)

    def __post_init__(self):
        self.twice = 2 * self.first

    def add(self, value):
        self.total += value
        self.twice += value
        self.seen.append(value)


def fields_without_init(x):
    tally = Tally(x)
    tally.add(x)
    tally.add(2 * x)
    tally.total *= 2
    return tally.total + 10 * tally.twice + len(tally.seen) + tally.seen[1]


def sums_of_objects(x):
    first = second = Vector(x, 1.0)
    first += Vector(1.0, x)
    return first.x + 10 * second.x


def kinds_of_containers(x):
    entries: Any = {"a": x}
    kinds = isinstance(entries, dict) + 2 * isinstance(entries, (list, tuple))
    return x * (kinds + 4 * isinstance(np.array([x]), np.ndarray))


class Bag:
    """What behaves as a container, and is changed in place."""

    def __init__(self, *items):
        self.items = list(items)

    def __len__(self):
        return len(self.items)

    def __getitem__(self, index):
        return self.items[index]

    def __iter__(self):
        return iter(self.items)

    def __contains__(self, value):
        return any(abs(item - value) < 0.5 for item in self.items)

    def __iadd__(self, value):
        self.items[0] += value
        return self

    def __mul__(self, factor):
        return Bag(*(factor * item for item in self))

    __rmul__ = __mul__


class Pair:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __iter__(self):
        yield self.x
        yield self.y

    def __bool__(self):
        return self.x > 1.0


OUTSIDE = Bag(1.5, 2.5)


def containers(x):
    bag = other = Bag(x, 2.0 * x, 1.0)
    bag += 0.25
    first, second = Pair(x, 3.0)
    total = sum(bag) + bag[0] * other[-1] + len(bag) + first * second
    for item in 2.0 * bag:
        total += item * item
    if Pair(x, 0.0) and (2.0 * x in bag or x in OUTSIDE) and not Pair(0.0, x):
        total += OUTSIDE[1] * x + sum(OUTSIDE) + len(OUTSIDE) + bool(bag)
    return total + getattr(Pair(x, 2.0), "x")  # noqa: B009


FUNCTIONS = [
    containers,
    *(operators, methods_that_assign, two_names, branches, helpers, namespaces, looked_up, lists),
    *(the_nearest, frozen, of_a_class, chained, of_a_state, with_lists, replaced_parts, dicts),
    *(dicts_in_branches, dicts_with_numbers, dicts_of_lists, after_init),
    *(assigned_properties, compared_and_combined),
    *(inherited, controlled, kinds_of_containers, fields_without_init, sums_of_objects),
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


@dataclass
class Making:
    value: float

    def __getattr__(self, name):
        return 0


@dataclass
class Near:  # noqa: PLW1641
    value: float

    def __eq__(self, other):
        return abs(self.value - other.value) < 10


HERE = Body(1.0)
EQUAL = [
    lambda x: float(Near(x) == Near(12.0)) + 2.0 * (Near(x) != Near(11.0)),
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


REFUSED = {
    "attributes that are made": (lambda x: Making(x).a, "the class 'Making' has a __getattr__"),
    "an object from outside": (lambda x: x if Body(x) == HERE else 0.0, "not understood"),
    "whether a set has a list": (lambda x: x if {x} > [5] else 0.0, "not understood"),
    "the order of objects": (lambda x: x if Body(x) < Body(1.0) else 0.0, "not understood"),
    "a __new__ that does more": (lambda x: Heavy(x).mass, "Heavy"),
    "an attribute that is not there": (lambda x: _OTHER(x).z, "has no attribute 'z'"),
    "whether a list is a set": (lambda x: x if isinstance({x}, set) else 0.0, "not kept here"),
    "replace() that calls __post_init__": (lambda x: replace(Doubled(x)).value, "takes an object"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_other_objects_are_refused(name):
    fn, words = REFUSED[name]
    with pytest.raises(CaptureError, match=words):
        ng.op(fn)(X)
