"""Lists, dicts and objects that several names mean: a change is seen by all of them, or refused."""

import itertools
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


def rows_by_loops(x):
    rows, more = [[x, 1.0], [2.0, 3.0], [0.5, x]], [[x], [2 * x], [1.0]]
    for k, row in enumerate(rows):
        row[0] += 10.0 * k
    for row, (step,) in zip(rows, more):
        row[1] += step
    for row in reversed(rows[1:]):
        row[0] *= x
    for row in [rows[0], more[1]]:
        row[0] -= 1.0
    for one, other in itertools.combinations(rows, 2):
        one[1] += other[0]
    bins = [[], []]
    for v, values in zip([x, 2 * x], bins):
        values.append(v)
    return sum(sum(row) * (k + 1) for k, row in enumerate(rows)) + more[1][0] + bins[1][0]


def rows_of_new_lists(x):
    rows = [[x, 1.0], [2.0, 3.0]]
    for k, other in enumerate(
        (rows[:], list(rows), rows + [[x]], [row for row in rows if row], [*rows])
    ):
        other[0][0] += k + 1.0
        rows[1][1] *= x
        other[1][1] += 1.0
    twice = [[x]] * 2
    twice[0][0] += 1.0
    return rows[0][0] + 10 * rows[1][1] + twice[1][0]


def rows_of_some(x):
    rows = [[x, 1.0], [2.0, 3.0]]
    first = (rows[0] or [1.0])[:]
    best = max(rows, key=lambda row: row[0])
    best[1] += x
    least, most = sorted(rows, key=lambda row: row[0])
    least[0] -= 1.0
    rows[0][1] *= 2.0
    return best[1] + 10 * least[0] + 100 * most[1] + rows[0][1] + first[0]


def rows_in_comprehensions(x):
    rows = [[x, 1.0], [2.0, 3.0]]
    by_key = {k: row for k, row in enumerate(rows) if row}
    kept = [by_key[0], *by_key.values()]
    kept[2][0] = x * x
    rows[0][0] += 1.0
    copied = dict(by_key)
    copied[1].append(x)
    return kept[0][0] + 10 * rows[1][0] + len(rows[1]) + by_key[1][2]


def added(rows, steps):
    for row, step in zip(rows, steps):
        row[0] += step[0]
    return rows[-1]


def rows_of_helpers(x):
    rows = [[x], [2.0]]
    last = added(rows, [[1.0], [x]])
    last[0] *= 3.0
    return rows[0][0] + 10 * rows[1][0]


def objects_by_loops(x):
    bodies = [Body(x), Body(1.0), Body(2.0)]
    for one, other in itertools.combinations(bodies, 2):
        one.speed += 0.1 * (other.place - one.place)
        other.speed -= 0.1
    for body, step in zip(bodies[1:], (x, 2.0)):
        body.place += step
    for body in [bodies[0], bodies[2]]:
        body.place += body.speed
    for body in reversed(bodies):
        body.speed += bodies[0].place
    return sum(body.place + 10 * body.speed for body in bodies)


def dicts_by_loops(x):
    rows: Any = [{"w": x, "v": [1.0]}, {"w": 2.0, "v": [x]}]
    for k, row in enumerate(rows):
        row["w"] += k + 1
        row["v"].append(x)
    return rows[0]["w"] + 10 * rows[1]["w"] + rows[0]["v"][1] + len(rows[1]["v"])


def attributes_of_the_largest(x):
    counted = [Counted(), Counted()]
    for k in range(3):
        for one in counted:
            one.push(x + k)
    counted[larger(x)].latest[0] += 5.0
    counted[larger(x)].total += x
    latest = max(counted, key=lambda one: one.total).latest
    latest[1] *= 2.0
    return sum((k + 1) * (c.total + 10 * c.latest[0] + c.latest[1]) for k, c in enumerate(counted))


def lists_in_slices(x):
    a, rows = [x, 1.0, 2.0, 3.0], [[x], [2.0]]
    a[1:3] = [0.0, x]
    a[:] = [v * 2 for v in a]
    a[-1:] = []
    a[1:] = a[:-1]
    rows[:1] = [rows[1], [5.0 * x]]
    rows[0][0] += 1.0
    return sum(a) + 10 * len(a) + a[1] + rows[2][0]


def in_a_match(x):
    rows, total = [[x, 1.0], [2.0, 3.0]], 0.0
    match rows:
        case [[a, 1.0], last]:
            last[0] = a
            total += rows[1][0]
    return total


def added_in_place(x):
    row, rows = [x], [[1.0], [2.0]]
    other, first, held = row, rows[0], Counted()
    latest = held.latest
    row += [2.0]
    rows[0] += [x]
    held.latest += [x * x]
    return len(other) + first[1] + latest[2]


def read_at_their_trip(x):
    a, rows = [x, 1.0, 2.0], [[x], [2.0], [3.0]]
    b, total = a, 0.0
    for k, v in enumerate(a):
        b[-1] += v
        a = [0.0, 0.0, 0.0]
        total += v * k
    for row, k in zip(rows, range(3)):
        rows[2] = [10.0 * x]
        total += row[0] + k
    return total


def changed_in_a_generator(x):
    bodies = [Body(x), Body(1.0)]

    def moved(body):
        body.place += 1.0
        return body.place

    return sum(moved(b) for b in bodies) + bodies[1].place + sum([moved(b) for b in bodies])


def one_by_a_condition(x):
    rows = [[x, 1.0], [2.0, 3.0]]
    row = rows[0] if x > 1 else rows[1]
    some = [] if x > 5 else [x, 1.0]
    while some and some[0] > 2.0 and rows:
        some[0] -= 1.0
    return (row and row[1]) + some[0] + (1.0 if rows and row[1] > 1.0 else 2.0)


def moved_by_a_loop(x):
    rows = [[x, 1.0], [2.0, 3.0]]
    row = rows[0]
    for _ in range(int(x) + 1):
        row[0] += 1.0
        row = rows[1]
    return rows[1][0]


def moved_before(x):
    rows = [[x, 1.0], [2.0, 3.0]]
    row = rows[0]
    for _ in range(int(x) + 1):
        row = rows[1]
    row[0] += 1.0
    return rows[1][0]


def put_into_two(x):
    rows, others = [[x, 1.0], [2.0, 3.0]], [[1.0], [x]]
    others[larger(x)] = rows[0]
    return others[0][0]


def one_on_a_path(x):
    rows, others = [[x], [2.0]], [[1.0], [x]]
    if x > 1:
        rows = [[3.0], [x]]
    else:
        others = rows
    others[0][0] += 2.0
    return rows[0][0]


FUNCTIONS = [
    *(exchanged_rows, exchanged_by_a_name, eliminated, views_of_an_array, objects_of_a_dict),
    *(lists_of_objects_in_loops, copies_of_a_dict, the_largest, changes_the_largest),
    *(changes_one_of_the_largest, changes_those_enumerated, changes_those_sorted),
    *(rows_by_loops, rows_of_new_lists, rows_of_some, rows_in_comprehensions, rows_of_helpers),
    *(objects_by_loops, dicts_by_loops, attributes_of_the_largest, lists_in_slices, in_a_match),
    *(added_in_place, read_at_their_trip, changed_in_a_generator, one_by_a_condition),
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
    "an item before others came": (an_item_of_before, "whose items have changed since"),
    "an item of a list that got shorter": (an_item_of_a_shorter_list, "have changed since"),
    "two items that are one": (two_items_that_are_one, "would be changed"),
    "a row that was moved": (a_row_that_was_moved, "'row' means a list .* has moved"),
    "rows of others": (rows_of_others, "which others hold, too"),
    "which of two objects it is": (which_it_is, "one object is not"),
    "a change by a name that a loop moves": (moved_by_a_loop, "'row' and another name mean"),
    "a change after a loop that moves a name": (moved_before, "would be changed"),
    "a list that is put into two": (put_into_two, "which others hold, too"),
    "two lists that are one on a path": (one_on_a_path, "would be changed"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_change_that_not_all_names_would_see_is_refused(name):
    fn, words = REFUSED[name]
    with pytest.raises(CaptureError, match=words):
        ng.op(fn)(X)
