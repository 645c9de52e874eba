"""The naive engine alone: at once, on the caller's thread, in an order one can name."""

import gc
import threading

import pytest

from nbgraph.engine.naive import NaiveEngine
from tests.engine.conftest import WAIT


def test_a_push_has_run_when_it_returns(naive):
    """X-ENG-04: on the pusher's thread, so that a breakpoint in the function stops in it."""
    v = naive.new_variable()
    pending = naive.push(lambda run_ctx: threading.get_ident(), mutate_vars=[v])
    assert pending.ended and v.version == 1
    assert pending.result() == threading.get_ident()
    assert naive.stats().workers == 0


def test_a_nested_push_without_conflict_runs_at_once(naive):
    v, w = naive.new_variable(), naive.new_variable()
    order = []

    def outer(run_ctx):
        naive.push(lambda run_ctx: order.append("free"), mutate_vars=[w])
        naive.push(lambda run_ctx: order.append("conflict"), const_vars=[v], mutate_vars=[w])
        naive.push(lambda run_ctx: order.append("behind it"), mutate_vars=[w])
        order.append("outer")

    naive.push(outer, mutate_vars=[v])
    assert order == ["free", "outer", "conflict", "behind it"]


def test_what_waited_runs_on_the_thread_that_ends_it(naive, gate):
    v = naive.new_variable()
    closed = gate(naive, v)
    pending = naive.push(lambda run_ctx: threading.get_ident(), const_vars=[v])
    thread = threading.Thread(target=closed.open)
    thread.start()
    thread.join(WAIT)
    assert pending.ended and pending.value != threading.get_ident()


def test_higher_priority_first_then_older(naive, gate):
    """X-ENG-06."""
    v, order = naive.new_variable(), []
    closed = gate(naive, v)
    for i, priority in enumerate([0, 5, -1, 5, 0]):
        naive.push(lambda run_ctx, i=i: order.append(i), const_vars=[v], priority=priority)
    closed.open()
    assert order == [1, 3, 0, 4, 2]


def test_a_function_of_another_thread_is_waited_for(naive):
    v, seen = naive.new_variable(), []
    inside, leave = threading.Event(), threading.Event()

    def slow(run_ctx):
        inside.set()
        leave.wait(WAIT)
        seen.append("slow")

    thread = threading.Thread(target=lambda: naive.push(slow, mutate_vars=[v]))
    thread.start()
    assert inside.wait(WAIT)
    after = naive.push(lambda run_ctx: seen.append("after"), mutate_vars=[v])
    assert not after.done()
    leave.set()
    naive.wait_for_var(v, WAIT)
    thread.join(WAIT)
    assert seen == ["slow", "after"]


def test_functions_run_without_the_engines_lock(naive):
    """Other threads push, wait and look while one runs."""
    v, inside, leave = naive.new_variable(), threading.Event(), threading.Event()

    def slow(run_ctx):
        inside.set()
        return leave.wait(WAIT)

    thread = threading.Thread(target=lambda: naive.push(slow, mutate_vars=[v], name="slow"))
    thread.start()
    assert inside.wait(WAIT)
    assert naive.push(lambda run_ctx: "others").result(WAIT) == "others"
    assert [(o.name, o.state) for o in naive.dump().operations] == [("slow", "running")]
    leave.set()
    thread.join(WAIT)


def test_a_finaliser_may_push_while_its_thread_is_in_the_engine():
    """Deletions come from finalisers, at any allocation: they wait until the engine is whole."""
    engine = NaiveEngine()
    variables = [engine.new_variable() for _ in range(4)]
    freed = []

    class Owner:
        def __init__(self):
            self.me = self
            self.variable = engine.new_variable()

        def __del__(self):
            engine.delete_variable(self.variable, lambda run_ctx: freed.append(1))

    thresholds = gc.get_threshold()
    gc.set_threshold(3)
    try:
        for i in range(300):
            Owner()
            engine.push(lambda run_ctx: [[]], mutate_vars=[variables[i % 4]])
    finally:
        gc.set_threshold(*thresholds)
    gc.collect()
    engine.wait_for_all(WAIT)
    assert len(freed) == 300
    assert [v.version for v in variables] == [75] * 4


def test_a_push_during_a_section_is_issued_after_it():
    """The path that a finaliser takes, without the luck."""
    engine = NaiveEngine()
    v, seen = engine.new_variable(), []

    class Sneaky(dict):
        def __setitem__(self, key, value):
            super().__setitem__(key, value)
            if not seen:
                seen.append("asked")
                engine.push(lambda run_ctx: seen.append("late"), mutate_vars=[v])
                assert seen == ["asked"]

    engine._pending = Sneaky()
    engine.push(lambda run_ctx: seen.append("first"), mutate_vars=[v])
    assert seen == ["asked", "first", "late"]


def test_deep_nesting_does_not_reach_the_recursion_limit(naive):
    depth = []

    def step(run_ctx):
        depth.append(1)
        if len(depth) < 5000:
            naive.push(step, mutate_vars=[naive.new_variable()])

    naive.push(step)
    naive.wait_for_all(WAIT)
    assert len(depth) == 5000


def test_a_long_queue_is_worked_off_without_recursion(naive, gate):
    v, seen = naive.new_variable(), []
    closed = gate(naive, v)
    for i in range(5000):
        naive.push(lambda run_ctx, i=i: seen.append(i), mutate_vars=[v])
    closed.open()
    assert seen == list(range(5000))


def test_a_variable_at_rest_holds_nothing(naive):
    v = naive.new_variable()
    naive.push(lambda run_ctx: None, const_vars=[v])
    assert v._queue is None


def test_the_flag_of_a_running_function_is_lifted(naive):
    naive.push(lambda run_ctx: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        naive.wait_for_all(WAIT)
