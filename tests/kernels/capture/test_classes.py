"""Classes as public code writes them: bases, slots, properties, numbers of their own, copies."""

import copy
import math
import sys
from dataclasses import dataclass, field

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import CaptureError


class Figure:
    power = 2

    def __init__(self, side):
        self.side, self.uses = side, 0

    def area(self):
        return self.side**self.power

    def scaled(self, factor):
        self.uses += 1
        return self.area() * factor

    @property
    def label(self):
        return self.side + 1


class Prism(Figure):
    def __init__(self, side, height):
        super().__init__(side)
        self.height = height

    def area(self):
        return super().area() * self.height

    @property
    def label(self):
        return 2 * super().label


class Cube(Prism):
    power = 3

    def scaled(self, factor):
        return super().scaled(factor) + self.uses


OUTSIDE = Cube(1.5, 2.0)


def bases(x):
    cube = Cube(x, 2.0)
    return Prism(x, 3.0).area() + cube.scaled(2) + cube.label + OUTSIDE.area() * OUTSIDE.label


class Slotted:
    __slots__ = ("step", "value")

    def __init__(self, value, step=2.0):
        super().__init__()
        self.value, self.step = value, step

    def move(self):
        self.value += self.step


def slots(x):
    slotted = Slotted(x)
    for _ in range(int(3 * x)):
        slotted.move()
    return slotted.value * x


@dataclass
class Moving:
    place: float
    speed: float = 0.0
    seen: list = field(default_factory=list)

    def __post_init__(self):
        self.first = self.energy  # nothing was called before it

    @property
    def energy(self):
        return 0.5 * self.speed**2 + self.place**2

    @classmethod
    def at_rest(cls, place):
        return cls(place=place)

    def kick(self, dt):
        self.speed -= self.place * dt
        return self


def undeclared(x):
    one, other = Moving.at_rest(x), Moving(x)
    other.first += 1.0
    other.label = 3.0
    same = one == other
    return one.kick(0.1).kick(0.2).energy - one.first + other.first * other.label + same


class Length:
    def __init__(self, x, y):
        self.x, self.y = x, y
        self.size = abs(self)

    def __abs__(self):
        return math.hypot(self.x, self.y)

    def __float__(self):
        return self.x * 1.0

    def __add__(self, other):
        return Length(self.x + other.x, self.y + other.y)

    def doubled(self):
        return self + self


def conversions(x):
    length = Length(x, 2.0).doubled()
    return abs(length) + length.size * float(length)


def copies(x):
    body, numbers, state = Moving(x, 1.0), [x, 2.0], {"a": x}
    shallow, deep, kept = copy.copy(body), copy.deepcopy(body), copy.copy(state)
    shallow.kick(0.1)
    shallow.seen.append(x)
    deep.seen.append(2 * x)
    deep.seen.append(3 * x)
    kept["a"] = 5.0
    again = copy.copy(numbers)
    again[0] = 7.0
    sums = sum(body.seen) + 10 * sum(deep.seen) + state["a"] + kept["a"]
    return body.speed + 10 * shallow.speed + sums + numbers[0] * again[0]


class Fuller(Slotted):
    __slots__ = ()

    def __init__(self, value):
        super().__init__(value)
        self.other = value  # no slot


class Scale:
    factor = 3.0

    def of(self, x):
        return self.factor * x


class Kept(Scale):
    def of(self, x):
        self.last = super().of(x) + sys.float_info.epsilon
        return self


def without_init(x):
    return Kept().of(x).last + Scale().of(x * x)


X = np.array([0.3, 1.2, 2.4])


@pytest.mark.parametrize("fn", [bases, slots, undeclared, conversions, copies, without_init])
def test_values_and_slopes_are_those_of_the_text(fn):
    op, h = ng.op(fn), 1e-6
    np.testing.assert_allclose(op(X), [fn(x) for x in X.tolist()], rtol=1e-13)
    slopes = [(fn(x + h) - fn(x - h)) / (2 * h) for x in X.tolist()]
    np.testing.assert_allclose(op.derivative(0)(X), slopes, rtol=1e-6)


def test_an_attribute_that_has_no_slot_is_refused():
    with pytest.raises(CaptureError, match="only names, and items"):
        ng.op(lambda x: Fuller(x).value)(X)


def test_arguments_of_a_class_without_init_are_refused():
    with pytest.raises(CaptureError, match="'Scale' is not known"):
        ng.op(lambda x: Scale(2).of(x))(X)
