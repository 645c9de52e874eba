"""Asynchronous functions, and results: waited for, awaited, forgotten."""

import asyncio
import gc
import threading
import time
import weakref

import pytest

import nbgraph as ng
from nbgraph.errors import ArgumentError, EngineError
from tests.engine.conftest import WAIT
from tests.support import on_threads


def test_an_operation_ends_when_on_complete_is_called(engine):
    """ENG-12, ENG-13: the function has returned; what depends on it waits for a foreign thread."""
    v = engine.new_variable()
    returned, calls = threading.Event(), []

    def begins(run_ctx, on_complete):
        assert run_ctx.device == ng.cpu()
        calls.append(on_complete)
        returned.set()

    first = engine.push_async(begins, mutate_vars=[v], name="download")
    after = engine.push(lambda run_ctx: "after", const_vars=[v])
    assert returned.wait(WAIT)
    assert engine.push(lambda run_ctx: "free").result(WAIT) == "free"
    time.sleep(0.01)
    assert not first.done() and not after.done()
    thread = threading.Thread(target=calls[0])
    thread.start()
    assert after.result(WAIT) == "after"
    thread.join(WAIT)
    assert first.done() and first.result() is None


def test_on_complete_may_be_called_before_the_function_returns(engine):
    v = engine.new_variable()
    order = []

    def fn(run_ctx, on_complete):
        on_complete()
        order.append("returned")

    engine.push_async(fn, mutate_vars=[v])
    engine.push(lambda run_ctx: order.append("next"), mutate_vars=[v])
    engine.wait_for_all(WAIT)
    assert sorted(order) == ["next", "returned"]


def test_on_complete_with_an_error(engine):
    """X-ENG-13."""
    v = engine.new_variable()
    engine.push_async(lambda run_ctx, done: done(OSError("cut off")), mutate_vars=[v], name="net")
    with pytest.raises(OSError, match="cut off") as caught:
        engine.wait_for_var(v, WAIT)
    assert "in operation 'net'" in caught.value.__notes__[0]


def test_a_second_call_raises(engine):
    """ENG-14."""
    calls = []

    def fn(run_ctx, on_complete):
        calls.append(on_complete)
        on_complete()

    engine.push_async(fn, name="twice").result(WAIT)
    with pytest.raises(EngineError, match="on_complete of 'twice' was called again"):
        calls[0]()
    assert repr(calls[0]) == "<on_complete of 'twice': called>"


def test_of_many_calls_at_once_one_counts(engine):
    """ENG-14."""
    calls, problems = [], []
    begun = threading.Event()

    def fn(run_ctx, on_complete):
        calls.append(on_complete)
        begun.set()

    v = engine.new_variable()
    engine.push_async(fn, mutate_vars=[v])
    assert begun.wait(WAIT)

    def call():
        try:
            calls[0]()
        except EngineError as error:
            problems.append(error)

    on_threads(call, 8, seconds=WAIT)
    engine.wait_for_var(v, WAIT)
    assert len(problems) == 7 and v.version == 1


def test_an_on_complete_that_nobody_kept_is_a_failure_not_a_hang(engine):
    """ENG-14."""
    v = engine.new_variable()
    engine.push_async(lambda run_ctx, on_complete: None, mutate_vars=[v], name="forgetful")
    with pytest.raises(EngineError, match="'forgetful' can never end: its on_complete was dropped"):
        engine.wait_for_var(v, WAIT)


def test_one_lost_in_a_cycle_is_found_by_the_collector(engine):
    """ENG-14."""

    def fn(run_ctx, on_complete):
        cycle = [on_complete]
        cycle.append(cycle)

    pending = engine.push_async(fn, name="cyclic")
    for _ in range(100):
        gc.collect()
        if pending.done():
            break
        time.sleep(0.02)
    with pytest.raises(EngineError, match="'cyclic' can never end"):
        pending.result(WAIT)


def test_an_asynchronous_function_that_raises_has_failed(engine):
    v, kept = engine.new_variable(), []

    def fn(run_ctx, on_complete):
        kept.append(on_complete)
        raise ValueError("early")

    engine.push_async(fn, mutate_vars=[v], name="early")
    with pytest.raises(ValueError, match="early"):
        engine.wait_for_var(v, WAIT)
    with pytest.raises(EngineError, match="'early' was called again, or after its function had"):
        kept[0]()


def test_an_error_after_on_complete_is_not_lost(engine):
    v = engine.new_variable()

    def fn(run_ctx, on_complete):
        on_complete()
        raise ValueError("afterthought")

    engine.push_async(fn, mutate_vars=[v])
    engine.wait_for_var(v, WAIT)
    for _ in range(500):  # on other engines the function may still be on its way out
        try:
            engine.wait_for_all(WAIT)
        except ValueError as error:
            assert str(error) == "afterthought"
            break
        time.sleep(0.01)
    else:
        pytest.fail("the error was lost")


def test_on_complete_takes_exceptions_only(engine):
    def fn(run_ctx, on_complete):
        try:
            on_complete("went wrong")
        finally:
            on_complete()

    with pytest.raises(ArgumentError, match="on_complete of 'fn': error='went wrong'"):
        engine.push_async(fn)
        engine.wait_for_all(WAIT)


def test_the_end_of_one_function_by_a_call_at_its_end(engine):
    """ENG-25: the recipe."""
    finished = threading.Event()

    def fn(run_ctx):
        finished.set()

    engine.push(fn)
    assert finished.wait(WAIT)


# pending ---------------------------------------------------------------------------------------


def test_a_result_is_what_the_function_returned(engine):
    pending = engine.push(lambda run_ctx: {"a": 1}, name="make")
    assert pending.result(WAIT) == {"a": 1} and pending.exception(WAIT) is None
    assert pending.name == "make" and pending.site.filename == __file__
    assert repr(pending) == "<operation 'make': done>"


def test_a_result_waits_and_gives_up_in_time(engine, gate):
    v = engine.new_variable()
    closed = gate(engine, v)
    pending = engine.push(lambda run_ctx: 5, const_vars=[v], name="late")
    assert repr(pending) == "<operation 'late': pending>"
    with pytest.raises(TimeoutError, match=r"result of 'late': not done after 0.02 s; pushed at"):
        pending.result(timeout=0.02)
    threading.Timer(0.02, closed.open).start()
    assert pending.result(WAIT) == 5


def test_an_error_fetched_counts_as_raised(engine):
    """X-ENG-08."""
    v = engine.new_variable()
    first = engine.push(lambda run_ctx: 1 / 0, mutate_vars=[v])
    second = engine.push(lambda run_ctx: {}["no"], mutate_vars=[engine.new_variable()])
    with pytest.raises(ZeroDivisionError):
        first.result(WAIT)
    assert isinstance(second.exception(WAIT), KeyError)
    engine.wait_for_var(v, WAIT)
    engine.wait_for_all(WAIT)
    assert "failed: ZeroDivisionError" in repr(first)


def test_many_wait_for_one(engine, gate):
    v = engine.new_variable()
    closed = gate(engine, v)
    pending = engine.push(lambda run_ctx: 7, const_vars=[v])
    results = []
    threads = [
        threading.Thread(target=lambda: results.append(pending.result(WAIT))) for _ in range(6)
    ]
    for t in threads:
        t.start()
    closed.open()
    for t in threads:
        t.join(WAIT)
    assert results == [7] * 6


def test_a_pending_is_awaited_without_blocking_the_loop(engine, gate):
    v = engine.new_variable()
    closed = gate(engine, v)

    async def main():
        pending = engine.push(lambda run_ctx: "page", const_vars=[v])
        ticks = 0

        async def tick():
            nonlocal ticks
            for _ in range(5):
                await asyncio.sleep(0.001)
                ticks += 1
            threading.Thread(target=closed.open).start()

        value, _ = await asyncio.gather(_get(pending), tick())
        assert (value, ticks) == ("page", 5)
        assert await pending == "page"
        with pytest.raises(ZeroDivisionError):
            await engine.push(lambda run_ctx: 1 / 0)

    async def _get(pending):
        return await pending

    asyncio.run(asyncio.wait_for(main(), WAIT))
    engine.wait_for_all(WAIT)


def test_an_await_that_is_cancelled_leaves_the_operation_alone(engine, gate):
    v = engine.new_variable()
    closed = gate(engine, v)
    pending = engine.push(lambda run_ctx: 3, const_vars=[v])

    async def main():
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(_get(), 0.01)

    async def _get():
        return await pending

    asyncio.run(main())
    closed.open()
    assert pending.result(WAIT) == 3


def test_a_result_keeps_nothing_of_the_function(engine):
    class Big:
        pass

    big = Big()
    gone = weakref.ref(big)
    pending = engine.push(lambda run_ctx, big=big: None, mutate_vars=[engine.new_variable()])
    del big
    engine.wait_for_all(WAIT)
    gc.collect()
    assert gone() is None and pending.done()
