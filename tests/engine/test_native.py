"""Kernels on the threaded engine: results, prepared operators, launchers, long ones in chunks."""

import asyncio
import gc
import threading
import weakref

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.engine.kernels import Launcher
from nbgraph.engine.native_call import NativeCall
from nbgraph.engine.threaded import ThreadedEngine
from nbgraph.errors import ArgumentError, EngineError, EngineTimeout, KernelError
from tests.engine.kernels import address

WAIT = 30


@pytest.fixture
def engine():
    made = ThreadedEngine(workers=2)
    yield made
    made.stop()


@pytest.fixture
def count():
    return np.zeros(1, np.int64)


def adding(count, **options):
    return NativeCall(address("add"), [count.ctypes.data, 0], 1, name="add", **options)


def failing():
    zeros = np.zeros(8, np.int64)
    places = [zeros.ctypes.data] * 5
    call = NativeCall(address("step"), [*places, 0, 1, 0, 0], 1, name="fails", keep=zeros)
    return call


def test_a_kernel_gives_a_pending(engine, count):
    v = engine.new_variable()
    pending = engine.push(adding(count), mutate_vars=[v], name="mine")
    assert pending.result(WAIT) is None and pending.done() and count[0] == 1
    assert repr(pending) == "<operation 'mine': done>" and pending.exception(WAIT) is None


def test_an_error_code_becomes_an_exception_once(engine):
    v = engine.new_variable()
    pending = engine.push(failing(), mutate_vars=[v])
    with pytest.raises(KernelError, match="kernel 'fails' returned error code 7") as caught:
        pending.result(WAIT)
    assert any("test_native.py" in note for note in caught.value.__notes__)
    engine.wait_for_var(v, WAIT)
    engine.wait_for_all(WAIT)
    assert isinstance(v.error, KernelError)  # it still lies there, told


def test_a_kernel_can_be_awaited(engine, count):
    v, gate = engine.new_variable(), engine.new_variable()
    release = []
    engine.push_async(lambda run_ctx, done: release.append(done), mutate_vars=[gate])
    late = engine.push(adding(count), const_vars=[gate], mutate_vars=[v])
    bad = engine.push(failing(), const_vars=[gate], mutate_vars=[engine.new_variable()])

    while not release:
        engine.push(lambda run_ctx: None).result(WAIT)

    async def main():
        ticks = 0
        asyncio.get_running_loop().call_later(0.02, release[0])
        waiting = asyncio.ensure_future(wait())
        while not waiting.done():
            ticks += 1
            await asyncio.sleep(0.001)
        assert ticks > 3  # the loop went on
        with pytest.raises(KernelError):
            await bad
        await late  # again: done already

    async def wait():
        return await late

    asyncio.run(asyncio.wait_for(main(), WAIT))
    assert count[0] == 1


def test_a_time_out_names_the_kernel(engine, count):
    v, release = engine.new_variable(), []
    engine.push_async(lambda run_ctx, done: release.append(done), mutate_vars=[v], name="hold")
    pending = engine.push(adding(count), mutate_vars=[v], name="late one")
    with pytest.raises(EngineTimeout, match=r"result of 'late one'[\s\S]*'?hold"):
        pending.result(0.01)
    release[0]()
    assert pending.result(WAIT) is None


def test_the_record_is_copied_at_the_push(engine, count):
    """The call may go, and its words may change, once it is pushed."""
    v, release, begun = engine.new_variable(), [], threading.Event()
    engine.push_async(lambda run_ctx, done: (release.append(done), begun.set()), mutate_vars=[v])
    other = np.zeros(1, np.int64)
    call = adding(count)
    engine.push(call, mutate_vars=[v])
    call._words[0] = other.ctypes.data
    del call
    gc.collect()
    assert begun.wait(WAIT)
    release[0]()
    engine.wait_for_all(WAIT)
    assert (count[0], other[0]) == (1, 0)


def test_an_operator_is_pushed_by_its_own_push(engine, count):
    """ENG-28, ENG-29: also after a stop, and beside a bulk."""
    v = engine.new_variable()
    operator = engine.new_operator(adding(count, cost=100), mutate_vars=[v])
    for _ in range(100):
        operator.push()
    engine.push_operator(operator, priority=3)
    engine.stop()
    operator.push()
    engine.push_operator(operator).result(WAIT)
    order = []
    with engine.bulk(10):
        engine.push(lambda run_ctx: order.append(int(count[0])), mutate_vars=[v])
        engine.push_operator(operator)
        engine.push(lambda run_ctx: order.append(int(count[0])), mutate_vars=[v])
    engine.wait_for_var(v, WAIT)
    assert count[0] == 104 and v.version == 106 and order == [103, 104]


def test_a_deleted_operator_is_kept_while_it_runs(engine, count):
    """ENG-30."""
    v, release = engine.new_variable(), []
    engine.push_async(lambda run_ctx, done: release.append(done), mutate_vars=[v])
    call = adding(count, keep=np.zeros(1))
    kept = weakref.ref(call.keep)
    operator = engine.new_operator(call, mutate_vars=[v])
    operator.push()
    engine.delete_operator(operator)
    del call
    with pytest.raises(EngineError, match="'add'.*has been deleted"):
        operator.push()
    with pytest.raises(EngineError, match="has been deleted"):
        engine.push_operator(operator)
    del operator
    gc.collect()
    assert kept() is not None
    while not release:
        engine.push(lambda run_ctx: None).result(WAIT)
    release[0]()
    engine.wait_for_all(WAIT)
    gc.collect()
    assert kept() is None and count[0] == 1


def test_an_operator_on_a_deleted_variable_is_refused(engine, count):
    v = engine.new_variable("gone")
    operator = engine.new_operator(adding(count), mutate_vars=[v])
    engine.delete_variable(v)
    with pytest.raises(EngineError, match="'gone'.*has been deleted"):
        operator.push()
    engine.wait_for_all(WAIT)
    assert count[0] == 0


def test_a_launcher_takes_a_new_record_each_time(engine):
    counts = np.zeros(50, np.int64)
    a, b = engine.new_variable(), engine.new_variable()
    for cost in (0, 100):
        launch = Launcher(engine, address("add"), 1, 1, 1, cost=cost, name="add")
        for place in range(50):
            assert launch((a, b), (counts.ctypes.data + 8 * place, 0)) > 0
    with engine.bulk(5):
        launch((a, b), (counts.ctypes.data, 0))
    engine.stop()
    launch((a, b), (counts.ctypes.data, 0))
    launch((a, engine.new_variable()), (counts.ctypes.data, 0))
    engine.wait_for_all(WAIT)
    assert counts.tolist() == [5] + 49 * [2] and (a.version, b.version) == (0, 102)


def test_a_launcher_within_a_function_and_with_a_line(engine, count):
    v = engine.new_variable()
    launch = Launcher(engine, address("add"), 1, 0, 1, name="from inside")
    engine.push(lambda run_ctx: launch((v,), (count.ctypes.data, 0), engine.site_id())).result(WAIT)
    engine.wait_for_var(v, WAIT)
    assert count[0] == 1


@pytest.mark.parametrize("rows", [1, 7, 64])
def test_long_kernels_are_cut_and_every_part_runs_once(engine, rows):
    ran, clashes = np.zeros(200, np.int64), np.zeros(1, np.int64)
    values, writers = np.zeros(64, np.int64), np.zeros(1, np.int64)
    v = engine.new_variable()
    for number in range(200):
        record = [values.ctypes.data, writers.ctypes.data, 0, ran.ctypes.data]
        record += [clashes.ctypes.data, 0, number << 1, 0, 1, 0]
        engine.push(NativeCall(address("span"), record, rows, cost=10**6), mutate_vars=[v])
    engine.wait_for_all(WAIT)
    assert (ran == rows).all() and clashes[0] == 0 and (values[:rows] == 200).all()


def test_many_variables(engine, count):
    """Any number of dependencies."""
    many = [engine.new_variable() for _ in range(700)]
    for _ in range(3):
        engine.push(adding(count), const_vars=many[:350], mutate_vars=many[350:])
        engine.push(lambda run_ctx: None, const_vars=many[350:], mutate_vars=many[:350])
    operator = engine.new_operator(adding(count), const_vars=many[1:], mutate_vars=many[:1])
    operator.push()
    engine.wait_for_all(WAIT)
    assert count[0] == 4 and {v.version for v in many[1:]} == {3} and many[0].version == 4


def test_other_engines_call_it_as_a_function(count):
    call = adding(count)
    for kind in ("naive", "chaos"):
        before = ng.engine.current().kind
        ng.engine.set(kind)
        try:
            v = ng.engine.new_variable()
            ng.engine.push(call, mutate_vars=[v])
            ng.engine.push_operator(ng.engine.new_operator(call, mutate_vars=[v]))
            ng.engine.wait_for_var(v, WAIT)
        finally:
            ng.engine.set(before)
    assert count[0] == 4


def test_bad_calls_are_refused():
    with pytest.raises(ArgumentError, match="address=0; expected that of a kernel"):
        NativeCall(0)
    with pytest.raises(ArgumentError, match="hi=-1 is below lo=0"):
        NativeCall(1, hi=-1)


def test_a_dump_tells_what_kernels_wait_for(engine, count):
    """X-ENG-15: kernels and Python functions in one picture."""
    a, b, release = engine.new_variable("a"), engine.new_variable("b"), []
    engine.push_async(lambda run_ctx, done: release.append(done), mutate_vars=[a], name="hold")
    engine.push(adding(count), const_vars=[a], mutate_vars=[b], name="kernel")
    engine.push(lambda run_ctx: None, const_vars=[b], name="after")
    dump = engine.dump()
    hold, kernel, after = dump.operations
    assert (hold.name, kernel.name, after.name) == ("hold", "kernel", "after")
    assert kernel.waits_for == (hold.number,) and after.waits_for == (kernel.number,)
    assert kernel.reads == (f"a ({a.number})",) and kernel.writes == (f"b ({b.number})",)
    assert kernel.state == "waiting" and "test_native.py" in kernel.site
    while not release:
        engine.push(lambda run_ctx: None).result(WAIT)
    release[0]()
    engine.wait_for_all(WAIT)
    assert not engine.dump().operations
