"""Loops and branches of every form give what Python gives: values, and derivatives by differences.

Kernel budget: 22, one for each function.
"""

# ruff: noqa: PLW0120 - loops with an else, as people write them

import bisect
import itertools
import math
import operator

import numpy as np
import pytest

import nbgraph as ng

POINTS = [-5.0, -2.0, -0.5, 0.0, 0.3, 2.0, 9.0, 30.0]


def nested(x):
    t = 0.0
    for i in range(30):
        for j in range(20):
            t += x * i * j
    return t


def nested_break(x):
    t = 0.0
    for i in range(30):
        t += 1
        for j in range(20):
            if j > i + x:
                break
            t += j
    return t


def inner_return(x):
    t = 0.0
    for i in range(30):
        for j in range(20):
            if i * j > 200 + x:
                return t + 1000
            t += i * j
        if t > 5000:
            break
    return t


def inner_else(x):
    t = 0.0
    for i in range(30):
        for j in range(20):
            if j > 3 + x:
                break
            t += i * j
        else:
            t += 0.5
    return t


def outer_else(x):
    t = 0.0
    for i in range(30):
        if t > 100:
            return t
        for j in range(20):
            t += x
    else:
        t = -t
    return t


def everything(x):
    t = 0.0
    for i in range(30):
        for j in range(20):
            if j > 3 + x:
                break
            if (i + j) % 3 == 0:
                continue
            if i * j > 200:
                return t + 1000
            t += i * j
        else:
            t += 0.5
        if t > 5000:
            break
    else:
        t = -t
    return t


def three_deep(x):
    n = 0
    i = 0
    while i < 4:
        for j in range(18):
            k = j
            while k > x:
                k -= 3
                n += 1
        i += 1
    return n


def trips_from_data(x):
    i = 7
    for i in range(int(x)):
        pass
    return i


def backward_range(x):
    s = 0
    for i in range(10, -1, -2):
        s += i * x
    for i in range(3, int(x) + 40, 3):
        s += 1
    return s


def exchange(x):
    a, b = x, 2 * x
    while a < 5:
        a, b = b + 1, a
        if b > 3:
            continue
        a += 0.5
    return a - b


def forever(x):
    n = 0
    while True:
        n += 1
        if n > 10 or x * n > 6:
            break
    return n


def counter_changed(x):
    total = 0.0
    for i in range(25):
        i = i * 2
        if i > x:
            continue
        total += i
    return total + i


def widening(x):
    total = 0
    for i in range(20):
        if i % 2:
            total = total + 1
        else:
            total = total + x
    return total


def two_results(x):
    count, last = 0, x
    while last > 1:
        count, last = count + 1, last / 2
    return count, last


def loop_under_a_branch(x):
    y = 1.0
    if x > 0:
        while y * y < x:
            y += 0.25
    elif x < -3:
        for _ in range(40):
            y = y * 0.5 + x
    return y


def return_in_ladder(x):
    y = x
    if x > 1:
        y = 0
    elif x < -1:
        y -= 3
        if y < -4:
            return y * 2
    z = y if y else -1.5
    return z


def chained(x):
    return -1 < x <= 0.5 != 0


def membership(x):
    return x in (0.3, 2) or not x


def floor_and_rest(x):
    q, r = divmod(x, 0.7)
    return q * 100 + r + (-x) % 0.3


def rounding(x):
    return int(x * 1.5) + 10 * math.floor(x * 1.5) + 100 * math.ceil(x * 1.5) + 1000 * round(x)


def short_circuit(x):
    return 1.0 if x > 0 and math.log(x) > 0.5 or x < -1 and math.sqrt(-x) > 1.5 else 0.0


NEXT = {"idle": "run", "run": "stop", "stop": "idle"}


def carried_strings(x):
    state, total = "idle", 0.0
    while total < x:
        total += {"idle": 0.5, "run": 2.0, "stop": 1.0}[state]
        state = NEXT[state]
    return total + len(state) * x


def carried_directions(x):
    heading, place = "N", 0.0
    for k in range(60):
        place += x if heading in "NE" else -k
        heading = "NESW"[("NESW".index(heading) + 1) % 4] if k % 3 else heading
    return place + (heading == "S")


def carried_functions(x):
    apply, value = math.sin, x
    for _ in range(60):
        value = apply(value)
        apply = math.cos if value > 0.5 else math.sin
    return value


def letters(x):
    total = sum(k for k, c in enumerate("hello") if c in "aeiou") + len(set("hello"))
    return x * total + sum(a == b for a, b in zip("abc", "abd", strict=True))


def running_totals(x):
    totals = itertools.accumulate([x, 2.0], operator.mul, initial=3.0)
    return sum(totals) + sum(itertools.accumulate([x, 2.0], initial=None))


def patience(x):
    tails: list[float] = []
    for value in (x, 2.0, 1.0, 3.0 * x):
        place = bisect.bisect_left(tails, value)
        if place == len(tails):
            tails.append(value)
        else:
            tails[place] = value
    return len(tails) + tails[0]


def kept_default(x):
    def count(value, seen=[]):  # noqa: B006
        seen.append(value)
        return len(seen)

    return count(x) + 10 * count(1.0) + x


FUNCTIONS = [
    carried_strings, carried_directions, carried_functions, letters, running_totals, patience,
    kept_default,
    nested, nested_break, inner_return, inner_else, outer_else, everything, three_deep,
    trips_from_data, backward_range, exchange, forever, counter_changed, widening, two_results,
    loop_under_a_branch, return_in_ladder, chained, membership, floor_and_rest, rounding,
    short_circuit,
]  # fmt: skip


def points_of(fn):
    return [abs(p) for p in POINTS] if fn is exchange else POINTS


@pytest.mark.parametrize("fn", FUNCTIONS, ids=lambda fn: fn.__name__)
def test_values_are_pythons(fn):
    points = points_of(fn)
    got = ng.op(fn)(np.array(points))
    wanted = [fn(p) for p in points]
    if isinstance(wanted[0], tuple):
        got, wanted = np.stack(got), np.transpose(wanted)
    np.testing.assert_allclose(got, wanted, rtol=1e-14)


@pytest.mark.parametrize(
    "fn", [nested, exchange, widening, two_results, loop_under_a_branch], ids=lambda fn: fn.__name__
)
def test_slopes_through_loops(fn):
    """Certified: the derivative goes through the trips that are made."""
    points = np.array([p + 0.01 for p in points_of(fn)])
    got = np.asarray(ng.op(fn).derivative(0)(points))
    sides = [np.transpose([np.atleast_1d(fn(p + h)) for p in points]) for h in (1e-6, -1e-6)]
    np.testing.assert_allclose(
        np.atleast_2d(got), (sides[0] - sides[1]) / 2e-6, rtol=1e-5, atol=1e-6
    )


def test_a_literal_beyond_float32_is_infinite_without_a_word():
    assert ng.op(lambda x: x * 1e300)(np.float32([2.0])) == np.inf
