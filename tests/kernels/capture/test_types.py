"""Types, dtypes, strings and dicts in scalar functions: decided while they are captured."""

import enum
import math
import numbers
import typing
from collections.abc import KeysView
from dataclasses import dataclass
from types import SimpleNamespace
from typing import NamedTuple

import numba
import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import CaptureError

X = np.array([0.25, 0.5, 2.0])
I32 = np.array([1, 2, 3], dtype=np.int32)
BOOLS = np.array([True, False, True])
SPACE = SimpleNamespace(g=9.81)
SINES = {"sine": math.sin, "cosine": math.cos}


class Pair(NamedTuple):
    a: float
    b: float


PAIR = Pair(1.5, 2.0)


class Level(enum.IntEnum):
    HIGH = 3


@dataclass(frozen=True)
class Planet:
    g: float = 2.0

    @property
    def square(self):
        return self.g * self.g

    def weight(self, mass):
        return self.g * mass


PLANET = Planet()

CASTS = {
    "type(x)(1)": lambda x: x + type(x)(1),
    "ones and zeros": lambda x: np.ones_like(x) * 2 + np.zeros_like(x),
    "full_like": lambda x: np.full_like(x, 2) + x,
    "dtype of an array like it": lambda x: np.ones_like(x, dtype=float) / 4 + x,
    "x.dtype.type": lambda x: x.dtype.type(3) * x,
    "asarray": lambda x: np.asarray(x) + np.squeeze(np.array(x, dtype=float)),
    "asarray of float": lambda x: np.asarray(x, dtype=float) / 2,
    "astype int": lambda x: x.astype(int) * 2,
    "astype text": lambda x: x.astype("int8") * 2,
    "astype float": lambda x: x.astype(np.float64) * 0.5,
    "item": lambda x: x.item() * 2.0,
    "copy": lambda x: x.copy() + np.copy(x),
    "methods": lambda x: x.clip(1, 2) + np.round(x),
    "shapes": lambda x: x * 2 if x.shape == () and x.ndim == 0 and np.size(x) == 1 else -x,
    "isscalar": lambda x: x * 2 if np.isscalar(x) and np.ndim(x) == 0 else -x,
    "any and all": lambda x: x * 2 if np.any(x > 1) or np.all(x < 0) else x,
}
QUESTIONS = {
    "int or float": lambda x: x * 2 if isinstance(x, (int, float)) else x,
    "union": lambda x: x * 2 if isinstance(x, int | float) else x,
    "numbers": lambda x: x * 2 if isinstance(x, numbers.Real) else x,
    "integers": lambda x: x * 2 if isinstance(x, numbers.Integral) else x + 1,
    "floating": lambda x: x * 2 if isinstance(x, np.floating) else x + 1,
    "containers": lambda x: x * 2 if isinstance(x, (np.ndarray, list, str, dict)) else x,
    "complex": lambda x: x * 2 if isinstance(x, complex) else x,
    "views": lambda x: x if isinstance(x, (KeysView, typing.Sequence)) else x + 2,
    "array of a dtype": lambda x: np.asarray(x, np.float64) * 2,
    "hasattr": lambda x: x * 2 if hasattr(x, "__len__") else x,
    "callable": lambda x: x * 2 if callable(x) else x,
    "issubdtype": lambda x: x * 2 if np.issubdtype(x.dtype, np.floating) else x + 1,
    "kind": lambda x: x * 2 if x.dtype.kind in "iu" else x + 1,
}


@pytest.mark.parametrize("values", [X, np.float32(X), I32], ids=lambda v: v.dtype.name)
@pytest.mark.parametrize("name", [*CASTS, *QUESTIONS])
def test_casts_and_questions_are_those_of_the_text_per_element(name, values):
    op = ng.op((CASTS | QUESTIONS)[name])
    result = op(values)
    with ng.config(compiler="python"):
        expected = op(values)
    np.testing.assert_array_equal(result, expected)
    assert result.dtype == expected.dtype


def _by_hand(x, method="Fast", *, level=Level.HIGH):
    name = method.lower().strip()
    shown = f"{x} of {name!r:>6}" + " and %s" % method + "{}".format(x) + str(x)  # noqa: UP031, UP032
    if not shown or name not in ("fast", "slow", "even"):
        return x * math.nan
    if name.startswith("f") and f"{name}-{len(name)}" == "fast-4":
        return x * len(name)
    match name:
        case "slow" | "late":
            return x - Level.HIGH.value
        case _:
            return x * 0 + ("odd", "even").index(name) if False else x * level


def test_strings_are_computed_when_the_function_is_captured():
    op = ng.op(_by_hand)
    np.testing.assert_array_equal(op(X), X * 4)
    np.testing.assert_array_equal(op(X, " SLOW "), X - 3)
    np.testing.assert_array_equal(op(X, "even"), X * 3)
    assert np.isnan(op(X, "odd")).all()


LOOKUPS = {
    "a literal": lambda x: {0: 1.5, 1: 2.5}[int(x) % 2],
    "with a default": lambda x: {0: 1.5, 1: 2.5}.get(int(x), 7.0),
    "by a comparison": lambda x: {True: x, False: -x}[x > 1],
    "in another": lambda x: {0: 1.0, 2: x}[2],
    "of functions": lambda x: SINES["sine"](x) + {"a": math.cos}["a"](x),
    "in its keys": lambda x: x if int(x) in {0: "a", 5: "b"} else -x,
    "in a set": lambda x: x if int(x) in {2, 3} else -x,
    "not in a range": lambda x: x if int(x) not in range(1, 3) else -x,
    "tuples": lambda x: x if (1, int(x)) == (1, 2) else -x,
    "other lengths": lambda x: x if (1, x) != (1, x, 2) else -x,
    "in a text": lambda x: x if "a" in "cat" and "b" not in ("a", "c") else -x,
    "objects": lambda x: x * SPACE.g + PLANET.g * PAIR.b + getattr(SPACE, "missing", 1.0),
    "properties and methods": lambda x: PLANET.square * PLANET.weight(x),
    "machine limits": lambda x: x * np.finfo(np.float64).eps + np.iinfo("int16").max,
    "text or a default": lambda x: x if ("" or "other") == "other" else -x,
    "sets that are equal": lambda x: x if {int(x), 2, 1} == {2, 1, int(x) % 2} else -x,
    "a set in a tuple": lambda x: x if {int(x), 3} in ({3, 1}, {3, 2}) else -x,
    "an order of tuples": lambda x: x if (2, 1.0) <= (int(2 * x), x) < (4, 0) else -x,
    "the least tuple": lambda x: min((abs(x - k), -k) for k in range(4))[1] * x,
    "sorted tuples": lambda x: sorted([(x, 1), (0.7, 2), (0.7, 3)], reverse=True)[1][1],
    "tuples as ranks": lambda x: sorted([3, 1, 2], key=lambda k: (int(x) == k, -k))[0] + x,
    "one of two strings": lambda x: x if ("low" if x < 1 else "high") == "low" else -x,
    "one of two keys": lambda x: {"low": 1.5, "high": x, "": 2.0}["low" if x < 1 else "high"],
    "one of some functions": lambda x: (math.sin, math.cos, lambda v: -v)[int(x) % 3](x),
    "a dict of functions": lambda x: {0: math.sin, 1: math.cos}.get(int(x), math.exp)(x),
    "the truth of strings": lambda x: x if ("a", "")[int(x) % 2] else -x,
    "rows with names": lambda x: (("a", 1.5), ("b", x))[int(x > 1)][1] * 2,
    "methods of strings": lambda x: x if ("A", "b")[int(x > 1)].lower() == "a" else -x,
    "attributes of objects": lambda x: (SPACE, PLANET)[int(x > 1)].g * x,
    "Numba's types": lambda x: numba.float64(x) * 2 + numba.int32(x) + numba.boolean(x),
}


@pytest.mark.parametrize("name", LOOKUPS)
def test_lookups_are_those_of_python(name):
    fn = LOOKUPS[name]
    np.testing.assert_allclose(ng.op(fn)(X), [fn(x) for x in X], rtol=1e-15)


def test_bools_are_one_object_each():
    op = ng.op(lambda x: 1.0 if (x > 1) is True else 2.0 if (x > 0.3) is not False else 3.0)
    np.testing.assert_array_equal(op(X), [3, 2, 1])
    np.testing.assert_array_equal(ng.op(lambda b: b is not None)(BOOLS), True)


def test_a_property_that_gives_the_same_is_no_change():
    """It is read anew at each look; what it gives counts."""
    planet = SimpleNamespace(planet=Planet())
    op = ng.op(lambda x: planet.planet.weight(x) + planet.planet.square)
    assert op(1.0) == 6
    assert not op.refresh_needed()
    planet.planet = Planet(3.0)
    assert op.refresh_needed()
    assert op(1.0) == 12


REFUSED = {
    "which": (lambda x: 1.0 if isinstance((x, x), list) else 2.0, r"\(tuple, list\)"),
    "precision": (lambda x: 1.0 if x.dtype == np.float32 else 2.0, "not understood"),
    "unknown text": (lambda x: 1.0 if str(x) == "1" else 2.0, "not understood"),
    "keys": (lambda x: {"a": 1.0}["b"], "no key 'b'"),
    "text": (lambda x: "a" - x, "not understood"),
    "method": (lambda x: float("a".join(3)), "join"),
    "complex dtype": (lambda x: np.asarray(x, dtype=complex), "real numbers"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_decided_is_refused(name):
    fn, what = REFUSED[name]
    with pytest.raises(CaptureError, match=what):
        ng.op(fn)(X)


MASK = 2**64 - 1
BEYOND = [  # values of more than 64 bits, of which the lower ones or a float are asked for
    lambda n: ((n * 0x9E3779B97F4A7C15) & MASK) >> 32,
    lambda n: (3 * (n + 2**63) ^ 5) % 2**32,
    lambda n: (((n & MASK) * 1099511628211) % 2**64) >> 3,
    lambda n: float(n % 8 * 10**19) - n % 8 * 10**19 / 4.0,
    lambda n: 2**63 > n >= -(2**63),
]


@pytest.mark.parametrize("fn", BEYOND)
def test_integers_of_more_than_64_bits(fn):
    n = np.array([-7, 0, 1, 12345678901234567])
    np.testing.assert_array_equal(ng.op(fn)(n), [fn(value) for value in n.tolist()])


@pytest.mark.parametrize("n", [-1, 63, 70])
@pytest.mark.parametrize("fn", [lambda n: 1 << n, lambda n: sum(1 << k for k in (0, n)) >> 1])
def test_shifts_that_int64_cannot_hold_raise(fn, n):
    np.testing.assert_array_equal(ng.op(fn)(np.array([2, 62])), [fn(2), fn(62)])
    with pytest.raises(ValueError if n < 0 else OverflowError, match=r"negative shift|2.0 \*\* n"):
        ng.op(fn)(np.array([3, n]))


WAYS = [
    lambda n, k: math.comb(n, k) * 0.5**n,
    lambda n, k: math.comb(n, k) * math.comb(k, 2) / math.comb(n + 2, k),
    lambda n, k: math.perm(n, k % 7) / 2.0 + (math.comb(n, k) - 3) / 1e20,
]


@pytest.mark.parametrize("fn", WAYS)
def test_ways_that_64_bits_do_not_hold_are_floats_beside_floats(fn):
    n, k = np.array([5, 100, 300, 60]), np.array([2, 50, 140, 59])
    expected = [fn(*row) for row in zip(n.tolist(), k.tolist(), strict=True)]
    np.testing.assert_allclose(ng.op(fn)(n, k), expected, rtol=1e-12)
