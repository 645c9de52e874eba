"""Joined pushes: fewer operations, the same results and the same failures."""

import random
import threading

import pytest

import nbgraph as ng
from tests.engine.conftest import WAIT


def test_pushes_are_joined_up_to_n(engine):
    """X-ENG-11."""
    v = engine.new_variable()
    before, seen = engine.stats().pushed, []
    with engine.bulk(4):
        pending = [
            engine.push(lambda run_ctx, i=i: seen.append(i) or i, mutate_vars=[v])
            for i in range(10)
        ]
    engine.wait_for_var(v, WAIT)
    assert seen == list(range(10)) == [p.result(WAIT) for p in pending]
    assert engine.stats().pushed == before + 3
    assert v.version == 10


def test_a_bulk_is_issued_at_any_wait(engine):
    v = engine.new_variable()
    with engine.bulk(100):
        first = engine.push(lambda run_ctx: 1, mutate_vars=[v])
        assert first.result(WAIT) == 1
        second = engine.push(lambda run_ctx: 2, mutate_vars=[v])
        engine.wait_for_var(v, WAIT)
        assert second.done()
        third = engine.push(lambda run_ctx: 3)
        engine.wait_for_all(WAIT)
        assert third.done()
        fourth = engine.push(lambda run_ctx: 4)
        for _ in range(1000):
            if fourth.done():
                break
            threading.Event().wait(0.01)
        assert fourth.result(WAIT) == 4


def test_what_cannot_be_joined_comes_after_what_was_pushed_before(engine):
    v = engine.new_variable()
    order = []

    def note(what):
        return lambda run_ctx, done=None: (order.append(what), done and done())

    with engine.bulk(100):
        engine.push(note(1), mutate_vars=[v])
        engine.push_async(note(2), mutate_vars=[v])
        engine.push(note(3), mutate_vars=[v])
        engine.push(note(4), mutate_vars=[v], priority=1)
        engine.push(note(5), mutate_vars=[v], prop=ng.engine.FnProperty.CPU_PRIORITIZED)
        engine.push(note(6), mutate_vars=[v])
        engine.delete_variable(v, note(7))
    engine.wait_for_all(WAIT)
    assert order == [1, 2, 3, 4, 5, 6, 7]


def test_a_bulk_in_a_bulk(engine):
    v = engine.new_variable()
    order = []
    with engine.bulk(10):
        engine.push(lambda run_ctx: order.append(1), mutate_vars=[v])
        with engine.bulk(2):
            for i in (2, 3, 4):
                engine.push(lambda run_ctx, i=i: order.append(i), mutate_vars=[v])
        engine.push(lambda run_ctx: order.append(5), mutate_vars=[v])
    engine.wait_for_var(v, WAIT)
    assert order == [1, 2, 3, 4, 5]


def test_a_bulk_ends_when_its_block_raises(engine):
    v, ran = engine.new_variable(), []
    with pytest.raises(RuntimeError, match="mine"), engine.bulk(10):
        engine.push(lambda run_ctx: ran.append(1), mutate_vars=[v])
        raise RuntimeError("mine")
    engine.wait_for_var(v, WAIT)
    assert ran == [1]
    assert engine.current()._bulks == 0


def test_a_function_that_pushes_inside_a_bulk(engine):
    v, order = engine.new_variable(), []

    def outer(run_ctx):
        engine.push(lambda run_ctx: order.append("inner"), mutate_vars=[v])
        order.append("outer")

    with engine.bulk(5):
        engine.push(outer, mutate_vars=[v])
        engine.push(lambda run_ctx: order.append("second"), mutate_vars=[v])
    engine.wait_for_all(WAIT)
    assert order == ["outer", "second", "inner"]


def test_a_bulk_is_of_its_own_thread(engine):
    v, seen = engine.new_variable(), []
    with engine.bulk(100):
        engine.push(lambda run_ctx: seen.append("mine"), mutate_vars=[v])
        thread = threading.Thread(
            target=lambda: engine.push(lambda run_ctx: seen.append("other")).result(WAIT)
        )
        thread.start()
        thread.join(WAIT)
        assert seen == ["other"]
    engine.wait_for_all(WAIT)
    assert seen == ["other", "mine"]


def outcome(engine, seed, size):
    """Everything a random program with failures shows, with or without bulks."""
    rng = random.Random(seed)
    variables = [engine.new_variable() for _ in range(5)]
    ran, pending, told = [], [], []
    steps = []
    for i in range(40):
        reads = rng.sample(range(5), rng.randint(0, 2))
        writes = rng.sample(range(5), rng.randint(0, 2))
        steps.append((i, reads, writes, rng.random() < 0.2, rng.random() < 0.1, rng.random()))

    def run(i, reads, writes, fails, keeps, wait):
        def fn(run_ctx):
            ran.append(i)
            if fails:
                raise ValueError(i)
            return i

        pending.append(
            engine.push(
                fn,
                const_vars=[variables[r] for r in reads],
                mutate_vars=[variables[w] for w in writes],
                prop=ng.engine.FnProperty.NO_SKIP if keeps else ng.engine.FnProperty.NORMAL,
            )
        )
        if wait < 0.1:
            try:
                engine.wait_for_var(variables[i % 5], WAIT)
                told.append((i, None))
            except ValueError as error:
                told.append((i, error.args[0]))

    if size:
        with engine.bulk(size):
            for step in steps:
                run(*step)
    else:
        for step in steps:
            run(*step)
    try:
        engine.wait_for_all(WAIT)
        last = None
    except ValueError as error:
        last = error.args[0]
    errors = [p.exception(WAIT) for p in pending]
    return {
        "ran": sorted(ran),
        "told": told,
        "last": last,
        "errors": [e and e.args[0] for e in errors],
        "versions": [v.version for v in variables],
        "left": [v.error and v.error.args[0] for v in variables],
    }


@pytest.mark.parametrize("seed", range(30))
def test_failures_go_where_they_would_have_gone(engine, seed):
    """X-ENG-08, X-ENG-11: random programs, joined and not."""
    plain = outcome(engine, seed, 0)
    for size in (1, 3, 16):
        assert outcome(engine, seed, size) == plain


def test_failures_within_a_bulk_keep_their_order(engine):
    """Of two failures of one bulk the earlier member's counts for what comes after."""
    a, b = engine.new_variable("a"), engine.new_variable("b")
    errors = [ValueError("first"), ValueError("second")]

    def fail(which):
        def job(run_ctx):
            raise errors[which]

        return job

    with engine.bulk(3):
        engine.push(fail(0), mutate_vars=[a])
        engine.push(lambda run_ctx: None, mutate_vars=[a, b])
        engine.push(fail(1), mutate_vars=[a], prop=engine.FnProperty.NO_SKIP)
    after = engine.push(lambda run_ctx: None, mutate_vars=[a, b])
    assert after.exception(WAIT) is errors[0]
    with pytest.raises(ValueError, match="second"):
        engine.wait_for_all(WAIT)
