"""Lists, sets, dicts and iterators do what Python's do."""

import itertools
from collections import deque
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import CaptureError

N = np.arange(9)


@dataclass(order=True)
class Version:
    major: int
    minor: int = 0


class Point(NamedTuple):
    x: int
    y: int = 2


def sets_that_are_summed(n):
    return sum({k * k % 7 for k in range(n % 4)}), len({k % 3 for k in range(4)}), sum({n, 2})


def orders_of_sets(n):
    s = {n, 2}
    return s <= {1, 2, 3}, {1, 2, n} > {1, 2}, s < {2, n}, s == {2, n}, {n} == [n], list({n}) == [n]


def items_of_sets_that_go(n):
    s, other = {n % 4, 2}, {n + 6, 5}
    s.discard(2)
    s.discard(50)
    other.remove(5)
    return len(s), other.pop(), len(other), sum(s ^ {1, 9})


def orders_of_lists(n):
    a = [k for k in range(n) if k % 2]
    ranks = sorted([[n, 1], [2, 0], [2, n]])
    return [n, 1] < [2, 3], [1, 2] >= [1, 2, n], ranks[1][1], a < [1, 3, n], a > [1], a <= a[:2]


def orders_of_objects(n):
    versions = sorted([Version(n), Version(2, 1), Version(2, -1)])
    return Version(n) < Version(3, 1), max(Version(n, 1), Version(4)).major, versions[0].minor


def items_of_lists_that_go(n):
    a, b, c, d = [3, n, 1, 4], [3, n, 1, 4], deque([1, 2, n, 4]), [n, 6, 3, 4, 1]
    a.remove(n)
    taken = b.pop(n % 4)
    c.rotate(1)
    first = c[0]
    c.rotate(-2)
    d[::2] = sorted(d[::2])
    return *a, taken, *b, first, c[0], *d, [1, n, 3, 1, n].index(n, 2)


def slices_that_go_backwards(n):
    a, b = [k * k for k in range(n + 3)], [5, 1, 4, 2]
    return (
        sum(a[-2::-2]),
        sum(a[:n:-1]),
        sum(a[3:0:-1]),
        len(a[n::-1]),
        sum(b[n::-1]),
        sum(b[:-n:-1]),
    )


def dicts_that_change(n):
    d = {"a": n, "b": 2}
    taken = d.pop("b"), d.pop("z", 11)
    d["c"] = 3
    del d["a"]
    more = d | {"a": 9 * n, "c": 4}
    return *taken, len(d), "b" in d, sum(more.values()), len([*more])


def what_is_evaluated_first(n):
    log = []

    def noted(v):
        log.append(v)
        return v

    table = {noted(1): noted(n)}
    return table[1], log[0], log[1]


def parts_of_itertools(n):
    rows = itertools.zip_longest([n, 2], [1, 2, 3], fillvalue=-1)
    return (
        sum(a * b for a, b in rows),
        sum(itertools.repeat(n, 3)),
        sum(itertools.compress([1, n, 3], [1, 0, n % 2])),
        sum(itertools.chain.from_iterable([[n, 1], [2]])),
        sum(itertools.filterfalse(lambda v: v % 2, [1, n, 4])),
        len(list(filter(None, [0, n, 3]))),
        next(k for k in itertools.count(10, -3) if k <= n),
    )


def patterns(n):
    point = Point(0, n) if n % 2 else Point(n)
    match point:
        case Point(x=0, y=y):
            result = y * 2
        case Point(a, 2):
            result = a * 3
    match [n, 2, 3 * n]:
        case [0, *rest]:
            return result, sum(rest)
        case [1, *_]:
            return result, -1
        case [a, *_, c]:
            return result, a - c
    return result, 0


def digits_of_known_width(n):
    text = f"{n % 256:08b}"
    differ = sum(a != b for a, b in zip(text, format(853, "010b"), strict=False))
    return differ, text[0] == "0", int(text[:6], 2), len(text), f"{n % 60:02d}" == "07"


def items_of_iterators(n):
    numbers, rising = iter([n, 1, 2, 3]), (k * n for k in range(1, 5))
    first, previous, total = next(numbers), next(rising), 0
    for number in rising:
        total += number * previous
        previous = number
    return first, next(numbers), sum(numbers), total, next(iter(()), 7), next(iter({5}))


def items_of_generators(n):
    def squares(count):
        for k in range(count):
            if k == 4:
                return
            yield k * k

    def both():
        yield from squares(n)
        yield 100

    def total(items):
        result = 0
        for item in items:
            result += item
        return result

    pairs = zip([1, n], [3, 4])
    return total(squares(n)), max(both()), sum(a * b for a, b in pairs), total(k for k in (n, 2))


def next_greater(n):
    a, greater, waiting = [2, n, 4, 1], [-1] * 4, []
    for i, v in enumerate(a):
        while waiting and a[waiting[-1]] < v:
            greater[waiting.pop()] = v
        waiting.append(i)
    return tuple(greater)


FUNCTIONS = [
    sets_that_are_summed,
    orders_of_sets,
    items_of_sets_that_go,
    orders_of_lists,
    orders_of_objects,
    items_of_lists_that_go,
    slices_that_go_backwards,
    dicts_that_change,
    what_is_evaluated_first,
    parts_of_itertools,
    patterns,
    digits_of_known_width,
    items_of_iterators,
    items_of_generators,
    next_greater,
]

TWICE = [
    lambda g: sum(g) + sum(g),
    lambda g: any(v > 3 for v in g) + sum(g),
    lambda g: (2 in g) + (1 in g),
    lambda g: sum(a * b for a, b in zip(g, g, strict=False)),
]
MAKERS = [
    lambda n: (k * n for k in range(3)),
    lambda n: map(abs, [n, -2]),
    lambda n: filter(None, [n, 2]),
    lambda n: itertools.chain([n], [2]),
]


@pytest.mark.parametrize("fn", FUNCTIONS, ids=lambda fn: fn.__name__)
def test_the_value_is_pythons(fn):
    """SMP-39: containers inside scalar functions."""
    columns = list(zip(*map(fn, N.tolist()), strict=True))
    for one, column in zip(ng.op(fn)(N), columns, strict=True):
        np.testing.assert_array_equal(one, column)


def test_lists_have_no_difference():
    def differ(n):
        a, b = [1, 2, n], [2]
        return len(a - b)

    with pytest.raises(CaptureError, match="operator of tuples"):
        ng.op(differ)


def test_an_item_that_is_not_there_cannot_be_removed():
    def removed(n):
        a = [0, 3]
        a.remove(n)
        return a[0]

    with pytest.raises(ValueError, match="not in the list"):
        ng.op(removed)(N)


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("use", TWICE)
def test_an_iterator_is_gone_through_once(make, use):
    def twice(n):
        return use(make(n))

    with pytest.raises(CaptureError, match="an iterator that was gone through before"):
        ng.op(twice)
