"""Lists, dicts and objects that several names mean: a change is seen by all of them, or refused."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import CaptureError


@dataclass
class Body:
    place: float
    speed: float = 0.0


def larger(x):
    return 1 if abs(x) > 1 else 0


def exchanged_rows(x):
    rows, p = [[x, 2.0], [1.0, 3.0]], larger(x)
    rows[0], rows[p] = rows[p], rows[0]
    rows[0][1] += 10.0
    return rows[0][0] + 10 * rows[1][0] + 100 * rows[0][1]


def exchanged_by_a_name(x):
    rows, p = [[x, 2.0], [1.0, 3.0]], larger(x)
    row = rows[0]
    rows[0] = rows[p]
    rows[p] = row
    rows[0][1] += 10.0
    return rows[0][0] + 10 * rows[1][0] + 100 * rows[0][1]


def eliminated(x):
    m, b, n = [[x, 2.0, 1.0], [2.0, 1.0, x], [1.0, x, x * x]], [1.0, 2.0, 3.0], 3
    for i in range(n):
        p = max(range(i, n), key=lambda r: abs(m[r][i]))
        if p != i:
            m[i], m[p] = m[p], m[i]
            b[i], b[p] = b[p], b[i]
        for r in range(i + 1, n):
            f = m[r][i] / m[i][i]
            for c in range(i, n):
                m[r][c] -= f * m[i][c]
            b[r] -= f * b[i]
    s = [0.0] * n
    for i in range(n - 1, -1, -1):
        s[i] = (b[i] - sum(m[i][j] * s[j] for j in range(i + 1, n))) / m[i][i]
    return s[0] + 10 * s[1] + s[2]


def views_of_an_array(x):
    a = np.array([[x, 2.0], [1.0, 3.0]])
    a[0], a[1] = a[1], a[0]  # both are the second row then, as in NumPy
    return a[0, 0] + 10 * a[1, 0] + x


def an_item_of_before(x):
    rows = [[x, 2.0], [1.0, 3.0]]
    row = rows[larger(x)]
    rows[0] = [9.0, 9.0]
    return row[0]


def an_item_of_a_shorter_list(x):
    rows = [[x, 2.0], [1.0, 3.0], [4.0, x]]
    row = rows[larger(x)]
    rows.pop(0)
    return row[0]


def two_items_that_are_one(x):
    rows = [[x, 2.0], [1.0, 3.0]]
    rows[0] = rows[larger(x)]
    rows[0][0] = 5.0
    return rows[1][0]


def a_row_that_was_moved(x):
    rows, p = [[x, 2.0], [1.0, 3.0]], larger(x)
    row = rows[0]
    rows[0], rows[p] = rows[p], rows[0]
    rows[p][0] = 5.0
    return row[0]


def rows_of_others(x):
    def exchange(rows, p):
        rows[0], rows[p] = rows[p], rows[0]

    m = [[x, 2.0], [1.0, 3.0]]
    exchange(m, larger(x))
    return m[0][0]


class Counted:
    def __init__(self):
        self.count, self.total, self.latest = 0, 0.0, [0.0, 0.0]

    def push(self, value):
        self.count += 1
        self.total += value
        self.latest[self.count % 2] = value


def lists_of_objects_in_loops(x):
    counted = Counted()
    for k in range(60):
        counted.push(x * k)
    bodies = [Body(x), Body(1.0)]
    for _ in range(50):
        for body in bodies:
            body.place += 0.1 * bodies[0].place
    return counted.total + counted.latest[0] * 2 + counted.count + bodies[1].place


def objects_of_a_dict(x):
    bodies = {"a": Body(x), "b": Body(2.0)}
    for body in bodies.values():
        body.place += x
    for name, body in bodies.items():
        body.place += len(name)
    first, second = bodies
    return bodies[first].place + bodies[second].place


def copies_of_a_dict(x):
    d: Any = {"a": x, "b": 1.0}
    e, f, g = dict(d), {**d, "a": 3.0}, d.copy()
    e["a"], g["b"], d["b"] = 9.0, 8.0, 2.0
    return d["a"] + 10 * d["b"] + 100 * e["a"] + 5 * e["b"] + 6 * f["a"] + 7 * g["b"]


def the_largest(x):
    bodies = [Body(x), Body(1.0)]
    return max(bodies, key=lambda body: body.place).place + min(b.place for b in bodies)


def changes_the_largest(x):
    bodies = [Body(x), Body(1.0)]
    best = max(bodies, key=lambda body: body.place)
    best.place = 100.0
    return bodies[0].place


def changes_one_of_the_largest(x):
    rows: Any = [{"a": x, "b": 1.0}, {"a": 1.0, "b": 2.0}]
    best = max(rows, key=lambda row: row["a"])
    rows[0]["b"] = rows[1]["b"] = 7.0
    return best["b"]


def changes_those_enumerated(x):
    bodies = [Body(x), Body(1.0)]
    for k, body in enumerate(bodies):
        body.place += k
    return bodies[1].place


def changes_those_sorted(x):
    bodies = [Body(x), Body(1.0)]
    sorted(bodies, key=lambda body: body.place)[0].place = 9.0
    return bodies[0].place


def which_it_is(x):
    one = other = [x]
    third = [x]
    return x if one is other and other is not third else 0.0


def may_be_either(x):
    one, other = Body(x), Body(1.0)
    chosen = one if x > 1 else other
    chosen.place = 7.0
    return one.place


FUNCTIONS = [
    *(exchanged_rows, exchanged_by_a_name, eliminated, views_of_an_array, objects_of_a_dict),
    *(lists_of_objects_in_loops, copies_of_a_dict, the_largest),
]
X = np.array([0.3, 1.2, 2.4])


@pytest.mark.parametrize("fn", FUNCTIONS, ids=lambda fn: fn.__name__)
def test_values_and_slopes_are_those_of_the_text(fn):
    op: Any = ng.op(fn)
    h = 1e-6
    np.testing.assert_allclose(op(X), [fn(x) for x in X.tolist()], rtol=1e-13)
    slopes = [(fn(x + h) - fn(x - h)) / (2 * h) for x in X.tolist()]
    np.testing.assert_allclose(op.derivative(0)(X), slopes, rtol=1e-6)


REFUSED = {
    "a change of one of two": (may_be_either, "would be changed"),
    "a change of the largest": (changes_the_largest, "would be changed"),
    "a change while another name may mean it": (changes_one_of_the_largest, "would be changed"),
    "a change of an item of enumerate()": (changes_those_enumerated, "would be changed"),
    "an item before others came": (an_item_of_before, "whose items have changed since"),
    "an item of a list that got shorter": (an_item_of_a_shorter_list, "have changed since"),
    "two items that are one": (two_items_that_are_one, "would be changed"),
    "a row that was moved": (a_row_that_was_moved, "'row' means a list .* has moved"),
    "rows of others": (rows_of_others, "which others hold, too"),
    "which of two objects it is": (which_it_is, "one object is not"),
    "a change of a sorted list": (changes_those_sorted, "would be changed"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_change_that_not_all_names_would_see_is_refused(name):
    fn, words = REFUSED[name]
    with pytest.raises(CaptureError, match=words):
        ng.op(fn)(X)
