"""`find_race`: which two operations, which variable, and that it happens again."""

import functools
import threading

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.engine.chaos.compare import difference
from nbgraph.errors import ArgumentError, EngineError
from tests.engine.conftest import WAIT

find_race = ng.engine.find_race
new = ng.engine.new_variable
push = ng.engine.push


def names(race):
    return [party.name for party in race.operations]


# what is found ---------------------------------------------------------------------------------


def average_forgets_data():
    values, found = np.ones(4), []
    data, mean = new("data"), new("mean")

    def double(run_ctx):
        values[:] *= 2

    push(double, mutate_vars=[data])
    push(lambda run_ctx: found.append(values.mean()), mutate_vars=[mean], name="average")
    ng.engine.wait_for_all(WAIT)
    return found


def test_a_missing_read():
    race = find_race(average_forgets_data)
    assert names(race) == ["double", "average"] and race.variable == "data"
    (remedy,) = race.remedies
    assert (remedy.name, remedy.argument) == ("average", "const_vars")
    first, second = race.operations
    line = average_forgets_data.__code__.co_firstlineno
    assert (first.site.filename, first.site.line) == (__file__, line + 7)
    assert second.site.line == line + 8
    assert (first.number, first.writes, second.reads) == ("0", ("data",), ())
    assert race.difference == "the result[0]: 1.0 instead of 2.0"
    assert [(each.name, each.by_first, each.by_second) for each in race.shared] == [
        ("values", True, False)
    ]


def test_the_report_can_be_read():
    race = find_race(average_forgets_data)
    text = str(race)
    for part in (
        f"Race between 'double' and 'average' (seed {race.seed})",
        "if 'average' runs before 'double'",
        "push(double, mutate_vars=[data])",
        'push(lambda run_ctx: found.append(values.mean()), mutate_vars=[mean], name="average")',
        "values (ndarray): changed by 'double', used by 'average'",
        "'average' does not declare 'data', which 'double' writes: add it to const_vars",
        f"{__file__}:",
    ):
        assert part in text
    assert "double" in race._repr_html_() and "<pre" in race._repr_html_()
    plain = race.to_dict()
    assert plain["variable"] == "data" and plain["operations"][0]["writes"] == ["data"]


def test_the_smallest_seed_that_fails_is_named():
    race = find_race(average_forgets_data)
    assert race.seed == 0 or find_race(average_forgets_data, runs=race.seed) is None


def test_a_missing_write():
    """Three say that they read; one of them does more."""

    def program():
        v, things = new("things"), [1]
        push(lambda run_ctx: things.append(2), const_vars=[v], name="grow")
        lengths = [
            push(lambda run_ctx: len(things), const_vars=[v], name=f"length {i}") for i in range(2)
        ]
        return [p.result(WAIT) for p in lengths]

    race = find_race(program)
    assert names(race)[0] == "grow" and race.variable == "things"
    assert [(r.name, r.argument) for r in race.remedies] == [("grow", "mutate_vars")]


def test_a_write_that_comes_too_early():
    """The later one does not say that it overwrites what the earlier one reads."""

    def program():
        page, text, kept = new("page"), new("text"), ["old"]
        seen = push(lambda run_ctx: kept[0], const_vars=[page], mutate_vars=[text], name="show")
        push(lambda run_ctx: kept.__setitem__(0, "new"), name="replace")
        return seen.result(WAIT)

    race = find_race(program)
    assert names(race) == ["show", "replace"] and race.difference.endswith("'new' instead of 'old'")
    assert race.variable == "page"
    assert [(r.name, r.argument) for r in race.remedies] == [("replace", "mutate_vars")]


def test_of_two_variables_the_right_one_is_named():
    def program():
        a, b = new("a"), new("b")
        x, y = [0], [0]

        def both(run_ctx):
            x[0] += 1
            y[0] += 1

        def later(run_ctx):
            y[0] *= 5

        push(both, mutate_vars=[a, b])
        push(later, mutate_vars=[b])
        return push(lambda run_ctx: y[0], const_vars=[a], name="get").result(WAIT)

    race = find_race(program)
    assert names(race) == ["later", "get"] and race.variable == "b"
    assert [(r.variable, r.name, r.argument) for r in race.remedies] == [("b", "get", "const_vars")]


def test_a_list_that_nothing_stands_for():
    def program():
        order = []
        for i in range(5):
            push(lambda run_ctx, i=i: order.append(i), mutate_vars=[new()], name=f"job {i}")
        ng.engine.wait_for_all(WAIT)
        return order

    race = find_race(program)
    assert race.variable is None and "order (list): changed by" in str(race)
    assert "make a variable for what they share" in str(race) and not race.note


def test_each_of_many_forgets_its_own_variable():
    """One line pushes many: the remedy is for the line, and is tried on all of them."""

    def program():
        made, used = [0] * 4, [0] * 4
        for i in range(4):
            v, w = new(f"made {i}"), new(f"used {i}")
            push(lambda run_ctx, i=i: made.__setitem__(i, 9), mutate_vars=[v], name="make")
            push(lambda run_ctx, i=i: used.__setitem__(i, made[i]), mutate_vars=[w], name="use")
        ng.engine.wait_for_all(WAIT)
        return used

    race = find_race(program)
    make, use = race.operations
    assert (make.name, use.name) == ("make", "use")
    assert int(use.number) == int(make.number) + 1 and race.variable in make.writes
    assert [(r.name, r.argument) for r in race.remedies] == [("use", "const_vars")]


def test_a_variable_from_before_the_program():
    v, box = new("outside"), [0]

    def program():
        box[0] = 0
        push(lambda run_ctx: box.__setitem__(0, 1), mutate_vars=[v], name="set")
        return push(lambda run_ctx: box[0], name="get").result(WAIT)

    race = find_race(program)
    assert race.variable == "outside" and names(race) == ["set", "get"]
    assert not box[0] or box[0] == 1


def test_two_races_at_once():
    def program():
        first, second = [], []
        for i in range(2):
            push(lambda run_ctx, i=i: first.append(i), name="first")
        for i in range(2):
            push(lambda run_ctx, i=i: second.append(i), name="second")
        ng.engine.wait_for_all(WAIT)
        return first, second

    race = find_race(program)
    assert len(set(names(race))) == 1 and "more than this race" in race.note


def test_the_program_itself_does_not_wait():
    def program():
        box, v = [], new("box")
        push(lambda run_ctx: box.append(1), mutate_vars=[v], name="fill")
        count = len(box)
        ng.engine.wait_for_all(WAIT)
        return count

    race = find_race(program)
    line = program.__code__.co_firstlineno
    assert names(race) == ["fill"] and race.variable == "box"
    assert [site.line for site in race.between] == [line + 2, line + 4]
    assert "Race between 'fill' and the program" in str(race)
    assert "wait_for_var of 'box'" in str(race)


def test_a_program_that_raises():
    def program():
        v, box = new("box"), []
        push(lambda run_ctx: box.append(1), mutate_vars=[v], name="fill")
        push(lambda run_ctx: box[0], name="take")
        ng.engine.wait_for_all(WAIT)

    race = find_race(program)
    assert "IndexError(list index out of range) instead of a result" in race.difference
    assert names(race) == ["fill", "take"] and race.variable == "box"
    with pytest.raises(IndexError):
        race.replay()


def test_a_program_that_asserts():
    def program():
        v, box = new("box"), [0]
        push(lambda run_ctx: box.__setitem__(0, 5), mutate_vars=[v], name="set")
        got = push(lambda run_ctx: box[0], name="get").result(WAIT)
        assert got == 5

    race = find_race(program)
    assert names(race) == ["set", "get"] and "AssertionError" in race.difference


def test_an_asynchronous_function():
    def program():
        v, page = new("page"), []

        def fetch(run_ctx, on_complete):
            page.append("text")
            on_complete()

        ng.engine.push_async(fetch, mutate_vars=[v])
        return push(lambda run_ctx: list(page), name="parse").result(WAIT)

    race = find_race(program)
    assert names(race) == ["fetch", "parse"] and race.variable == "page"


def test_functions_that_push():
    def program():
        v, box, seen = new("box"), [0], new("seen")

        def outer(run_ctx):
            push(lambda run_ctx: box.__setitem__(0, 1), mutate_vars=[v], name="inner")

        push(outer)
        ng.engine.wait_for_all(WAIT)
        push(lambda run_ctx: box.__setitem__(0, 2), mutate_vars=[v], name="second")
        return push(lambda run_ctx: box[0], mutate_vars=[seen], name="get").result(WAIT)

    race = find_race(program)
    assert names(race) == ["second", "get"] and race.variable == "box"


# what is not -----------------------------------------------------------------------------------


def correct():
    cells, v = [0] * 3, [new() for _ in range(3)]

    def later(run_ctx, on_complete):
        threading.Thread(target=on_complete).start()

    for i in range(10):

        def step(run_ctx, i=i):
            cells[i % 3] += cells[(i + 1) % 3] + i

        push(step, const_vars=[v[(i + 1) % 3]], mutate_vars=[v[i % 3]], priority=i % 2)
    ng.engine.push_async(later, mutate_vars=[v[0]])
    with ng.engine.bulk(2):
        for i in range(3):
            push(lambda run_ctx, i=i: cells.__setitem__(i, cells[i] + 1), mutate_vars=[v[i]])
    ng.engine.wait_for_var(v[1], WAIT)
    ng.engine.wait_for_all(WAIT)
    return {"cells": cells, "array": np.array([np.nan, *cells]), "variable": v[0]}


def test_correct_programs_have_none():
    assert find_race(correct, runs=60) is None


def test_a_program_that_fails_in_any_order_has_none():
    def program():
        v = new()
        push(lambda run_ctx: 1 / 0, mutate_vars=[v])
        ng.engine.wait_for_var(v, WAIT)

    assert find_race(program, runs=20) is None


def test_a_result_that_is_only_complete_in_the_end_is_waited_for():
    def program():
        out, v = np.zeros(2), new()
        push(lambda run_ctx: out.fill(1), mutate_vars=[v])
        return out

    assert find_race(program, runs=20) is None


# how it goes about it --------------------------------------------------------------------------


def test_replay_fails_the_same_way():
    race = find_race(average_forgets_data)
    assert [race.replay() for _ in range(3)] == [[1.0]] * 3


@pytest.mark.parametrize("kind", ["naive", "threaded", "chaos"])
def test_the_engine_in_force_is_put_back(kind):
    before = ng.engine.current().kind
    ng.engine.set(kind)
    try:
        engine, v = ng.engine.current(), new("v")
        failed = new("failed")
        push(lambda run_ctx: None, mutate_vars=[v])
        push(lambda run_ctx: 1 / 0, mutate_vars=[failed])
        assert find_race(average_forgets_data) is not None
        with pytest.raises(KeyboardInterrupt):
            find_race(functools.partial(_raise, KeyboardInterrupt))
        assert ng.engine.current() is engine
        assert push(lambda run_ctx: 5, mutate_vars=[v]).result(WAIT) == 5
        assert v.version == 2
        with pytest.raises(ZeroDivisionError):
            ng.engine.wait_for_all(WAIT)
        ng.engine.wait_for_all(WAIT)
        assert push(lambda run_ctx: 6, const_vars=[failed]).result(WAIT) == 6
    finally:
        ng.engine.set(before)


def _raise(error):
    raise error


def test_failures_of_the_trials_are_not_raised_later():
    v = new("kept")

    def program():
        box = []
        push(lambda run_ctx: box.append(1), name="fill")
        push(lambda run_ctx: box[0], mutate_vars=[v], name="take")

    assert find_race(program) is not None
    ng.engine.wait_for_all(WAIT)
    assert push(lambda run_ctx: 1, const_vars=[v]).result(WAIT) == 1


def test_a_program_must_begin_afresh():
    seen = []

    def program():
        push(lambda run_ctx: seen.append(1))
        ng.engine.wait_for_all(WAIT)
        return list(seen)

    before = ng.engine.current()
    with pytest.raises(EngineError, match=r"two calls of 'program'.*\[1, 1\] instead of \[1\]"):
        find_race(program)
    assert ng.engine.current() is before


def test_what_depends_on_more_than_order_is_said_to():
    main = threading.get_ident()

    def program():
        return push(lambda run_ctx: threading.get_ident() == main).result(WAIT)

    race = find_race(program)
    assert race.operations == () and "even when operations run in push order" in race.note
    calls = []

    def wayward():
        calls.append(1)
        return len(calls) == 5

    assert "does not fail each time" in find_race(wayward).note


def test_bad_input():
    with pytest.raises(ArgumentError, match="find_race: fn=3 is not callable"):
        find_race(3)
    with pytest.raises(ArgumentError, match="runs='many'"):
        find_race(correct, "many")
    with pytest.raises(EngineError, match="runs=0; expected 1 or more"):
        find_race(correct, 0)
    with pytest.raises(EngineError, match="fn chooses another engine"):
        find_race(lambda: ng.engine.set("naive"))
    with pytest.raises(EngineError, match="find_race: called inside operation"):
        push(lambda run_ctx: find_race(correct)).result(WAIT)


# comparison ------------------------------------------------------------------------------------


class Plain:
    def __init__(self, x):
        self.x = x


@pytest.mark.parametrize(
    ("a", "b", "told"),
    [
        (1, 1, None),
        (1, 2, "2 instead of 1"),
        (1, 1.0, None),
        (float("nan"), float("nan"), None),
        ([1, (2, {"k": 3})], [1, (2, {"k": 4})], "[1][1]['k']: 4 instead of 3"),
        ([1], [1, 2], "[1, 2] instead of [1]"),
        ({"a": 1}, {"b": 1}, "keys: ['b'] instead of ['a']"),
        ({1, 2}, {2, 1}, None),
        (np.arange(3), np.arange(3), None),
        (np.array([1.0, np.nan]), np.array([1.0, np.nan]), None),
        (np.zeros((2, 2)), np.eye(2), "[0, 0]: 1.0 instead of 0.0"),
        (np.zeros(2), np.zeros(3), "float64[3] instead of float64[2]"),
        (np.array(1), np.array(2), "2 instead of 1"),
        (np.array([1, [2]], object), np.array([1, [3]], object), "[1][0]: 3 instead of 2"),
        (ValueError(1), ValueError(2), "args[0]: 2 instead of 1"),
        (Plain([1]), Plain([2]), "attributes['x'][0]: 2 instead of 1"),
        (Plain([1]), Plain([1]), None),
        (object(), object(), None),
        ("x" * 100, "y", f"'y' instead of '{'x' * 56}..."),
    ],
)
def test_differences(a, b, told):
    assert difference(a, b) == told


def test_a_circle_is_compared_as_far_as_it_goes():
    a, b = [1], [1]
    a.append(a)
    b.append(b)
    assert difference(a, b) is None
