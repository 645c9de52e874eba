"""The chaos engine: schedules from seeds, schedules by hand, and what holds under any of them."""

import ctypes
import itertools
import os
import random
import signal
import threading
import time

import pytest

import nbgraph as ng
from nbgraph.engine.chaos.conductor import PATIENCE
from nbgraph.engine.chaos.engine import ChaosEngine
from nbgraph.engine.chaos.schedule import Chance, Forced, Turn
from nbgraph.engine.naive import NaiveEngine
from nbgraph.engine.native_call import NativeCall
from nbgraph.errors import ArgumentError, KernelError
from tests.engine.conftest import WAIT, threads_at_exit
from tests.support import run_python


def ordered(count, wait_each=0, **options):
    """The order in which independent operations ran, and the schedule."""
    engine, order = ChaosEngine(**options), []
    for i in range(count):
        engine.push(lambda run_ctx, i=i: order.append(i))
        if wait_each and i % wait_each == wait_each - 1:
            engine.wait_for_all(WAIT)
    engine.stop()
    return order, engine.schedule


def program(engine, seed, length=30, count=4):
    """A random program that declares all it uses; what every operation saw, and the end."""
    rng = random.Random(seed)
    variables = [engine.new_variable() for _ in range(count)]
    cells, seen, told = [0] * count, {}, []
    for i in range(length):
        reads = rng.sample(range(count), rng.randint(0, 2))
        writes = rng.sample(range(count), rng.randint(0, 2))
        fails = rng.random() < 0.1

        def body(run_ctx=None, i=i, reads=reads, writes=writes, fails=fails):
            seen[i] = [cells[r] for r in reads]
            for w in writes:
                cells[w] = i + sum(seen[i])
            if fails:
                raise ValueError(i)
            return i

        def later(run_ctx, on_complete, body=body):
            body()
            on_complete()

        sets = {
            "const_vars": [variables[r] for r in reads],
            "mutate_vars": [variables[w] for w in writes],
        }
        if rng.random() < 0.2:
            engine.push_async(later, **sets)
        elif rng.random() < 0.2:
            with engine.bulk(2):
                engine.push(body, **sets)
                engine.push(lambda run_ctx: None, **sets)
        else:
            engine.push(body, **sets, priority=rng.randint(-1, 1))
        if rng.random() < 0.1:
            told.append(_told(lambda: engine.wait_for_var(rng.choice(variables), WAIT)))
    told.append(_told(lambda: engine.wait_for_all(WAIT)))
    return seen, cells, told, [v.version for v in variables]


def _told(wait):
    try:
        return wait()
    except ValueError as error:
        return error.args[0]


# schedules from seeds --------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_schedule():
    for seed in range(10):
        assert ordered(12, 5, seed=seed) == ordered(12, 5, seed=seed)


def test_the_same_seed_gives_the_same_schedule_of_a_program_with_everything():
    for seed in range(5):
        schedules = []
        for _ in range(2):
            engine = ChaosEngine(seed=seed)
            program(engine, seed)
            engine.stop()
            schedules.append(engine.schedule)
        assert schedules[0] == schedules[1] and len(schedules[0]) >= 30


def test_different_seeds_give_different_schedules():
    assert len({tuple(ordered(6, seed=seed)[0]) for seed in range(60)}) > 30


def test_every_pair_of_independent_operations_is_swapped_by_some_seed():
    swapped = set()
    for seed in range(60):
        order, _ = ordered(8, seed=seed)
        assert sorted(order) == list(range(8))
        swapped |= {(b, a) for a, b in itertools.combinations(order, 2) if a > b}
    assert swapped == set(itertools.combinations(range(8), 2))


def test_pushes_run_ahead_by_different_amounts():
    ahead = {turn.at - 1 - turn.key[0] for s in range(20) for turn in ordered(8, seed=s)[1]}
    assert {0, 1, 4, 8} <= ahead


def test_an_operation_may_starve():
    """Nothing orders it, and it comes last of many."""
    last = [ordered(20, seed=seed)[0].index(0) for seed in range(60)]
    assert max(last) == 19 and min(last) == 0


@pytest.mark.parametrize("seed", range(40))
def test_declared_programs_do_what_they_do_on_the_naive_engine(seed):
    naive = NaiveEngine()
    wanted = program(naive, seed // 4)
    engine = ChaosEngine(seed=seed)
    found = program(engine, seed // 4)
    engine.stop()
    assert found == wanted


def test_kernels_take_part():
    """Their order is chance too; an error code is a failure, at the wait where it should be."""
    made = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)
    orders = set()
    for seed in range(20):
        engine, order = ChaosEngine(seed=seed), []
        kernel = made(lambda args, lo, hi: order.append(hi) or hi // 4)
        address = ctypes.cast(kernel, ctypes.c_void_p).value
        v = [engine.new_variable() for _ in range(5)]
        for i in range(5):
            engine.push(NativeCall(address, (), i, name=f"kernel {i}"), mutate_vars=[v[i]])
        with pytest.raises(KernelError, match="'kernel 4' returned error code 1"):
            engine.wait_for_var(v[4], WAIT)
        engine.wait_for_all(WAIT)
        engine.stop()
        orders.add(tuple(order))
    assert len(orders) > 5


# schedules by hand -----------------------------------------------------------------------------


def test_a_schedule_is_followed_as_far_as_variables_allow():
    assert ordered(4, schedule=[2, 0, 3, 1])[0] == [2, 0, 3, 1]
    assert ordered(4, schedule=[3])[0] == [3, 0, 1, 2]
    assert ordered(4, schedule=[9, 1])[0] == [1, 0, 2, 3]
    assert ordered(4, schedule=[])[0] == [0, 1, 2, 3]
    engine, order = ChaosEngine(schedule=[1, 0]), []
    v = engine.new_variable()
    for i in range(2):
        engine.push(lambda run_ctx, i=i: order.append(i), mutate_vars=[v])
    engine.stop()
    assert order == [0, 1]


def test_a_schedule_in_push_order_keeps_up_with_the_pushes():
    _, schedule = ordered(4, schedule=range(4))
    assert schedule == tuple(Turn((i,), i + 1) for i in range(4))


def test_what_ran_can_be_run_again():
    for seed in range(10):
        order, schedule = ordered(9, 4, seed=seed)
        assert ordered(9, 4, schedule=schedule) == (order, schedule)


def test_pushes_of_functions_are_named_after_their_pushers():
    def run(**options):
        engine, order = ChaosEngine(**options), []

        def outer(run_ctx, i):
            order.append(i)
            for j in range(2):
                engine.push(lambda run_ctx, j=j: order.append((i, j)))

        for i in range(2):
            engine.push(lambda run_ctx, i=i: outer(run_ctx, i))
        with engine.bulk(2):
            for i in range(2, 4):
                engine.push(lambda run_ctx, i=i: outer(run_ctx, i))
        engine.stop()
        return order, engine.schedule

    order, schedule = run(seed=3)
    assert {turn.key for turn in schedule} == {
        *((i,) for i in range(3)),
        *((i, j) for i in range(2) for j in range(2)),
        *((2, i, j) for i in range(2) for j in range(2)),
    }
    assert run(schedule=schedule) == (order, schedule)


def test_choosers_answer_waits():
    ready = [(i,) for i in range(5)]
    for seed in range(50):
        assert Chance(seed).choose(ready, 5, False) in range(5)
    assert Forced([Turn((3,), 9)]).choose(ready, 5, True) is None
    assert Forced([Turn((3,), 9)]).choose(ready, 5, False) == 3
    many = [(i,) for i in range(500)]
    assert all(Chance(seed).choose(many, 500, True) is not None for seed in range(20))


# what holds in any case ------------------------------------------------------------------------


def test_one_function_runs_at_a_time_on_a_thread_of_the_engine():
    engine, threads, inside = ChaosEngine(seed=1), set(), []

    def body(run_ctx):
        inside.append(1)
        assert len(inside) == 1
        threads.add(threading.get_ident())
        inside.pop()

    for _ in range(50):
        engine.push(body)
    engine.wait_for_all(WAIT)
    assert len(threads) == 1 and threading.get_ident() not in threads
    engine.stop()


def test_work_is_done_though_nobody_waits():
    engine, done = ChaosEngine(seed=0), threading.Event()
    for _ in range(20):
        engine.push(lambda run_ctx: None)
    engine.push(lambda run_ctx: done.set())
    assert done.wait(WAIT)
    engine.stop()


def test_a_function_that_takes_long_is_left_to_itself():
    engine, free = ChaosEngine(seed=0), threading.Event()
    held = [engine.push(lambda run_ctx: free.wait(WAIT), name=f"held {i}") for i in range(2)]
    began = time.monotonic()
    with pytest.raises(TimeoutError, match="held"):
        held[0].result(timeout=3 * PATIENCE)
    assert time.monotonic() - began < 10 * PATIENCE
    assert engine.push(lambda run_ctx: "free").result(WAIT) == "free"
    assert engine.stats().pending == 2
    free.set()
    assert [p.result(WAIT) for p in held] == [True, True]
    engine.stop()


def test_many_pending_operations_are_run_before_more_is_pushed():
    engine, ran = ChaosEngine(seed=0), []
    most = 0
    for i in range(2000):
        engine.push(ran.append)
        most = max(most, i + 1 - len(ran))
    engine.wait_for_all(WAIT)
    assert len(ran) == 2000 and 10 < most <= 300
    engine.stop()


def test_a_wait_can_be_interrupted():
    engine, free = ChaosEngine(seed=0), threading.Event()
    held = engine.push(lambda run_ctx: free.wait(WAIT))
    timer = threading.Timer(0.4, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        engine.wait_for_all(WAIT)
    free.set()
    assert held.result(WAIT)
    engine.stop()


def test_choice_of_the_engine():
    before = ng.engine.current().kind
    ng.engine.set("chaos", seed=17)
    try:
        engine = ng.engine.current()
        assert isinstance(engine, ChaosEngine) and engine.seed == 17
        with pytest.raises(ArgumentError, match="workers=2: the chaos engine has no workers"):
            ng.engine.set("chaos", workers=2)
    finally:
        ng.engine.set(before)
    with pytest.raises(ArgumentError, match="ChaosEngine: seed='x'"):
        ChaosEngine(seed="x")


_CHILD = """
import os, sys
import nbgraph as ng

ng.engine.set("chaos", seed=1)
v, ran = ng.engine.new_variable(), []
for i in range(5):
    ng.engine.push(lambda run_ctx, i=i: ran.append(i), mutate_vars=[v])
if sys.argv[1] == "fork":
    child = os.fork()
    assert ran == list(range(5))
    ng.engine.push(lambda run_ctx: ran.append("more"), mutate_vars=[v])
    ng.engine.wait_for_var(v, 30)
    if child:
        assert os.waitpid(child, 0)[1] == 0
print(len(ran), v.version, flush=True)
ng.engine.push(lambda run_ctx: print("at exit", flush=True), mutate_vars=[v])
"""


@threads_at_exit
def test_the_end_of_the_process_waits_for_what_is_pushed():
    printed = run_python("-c", _CHILD, "exit").split("\n")
    assert printed[-2:] == ["at exit", ""]


def test_a_forked_child_goes_on_with_a_core_of_its_own():
    assert run_python("-c", _CHILD, "fork").split("\n") == ["6 6", "at exit", "6 6", "at exit", ""]


def test_a_variable_that_goes_while_it_is_used_keeps_nobody_waiting():
    """Its deletion follows its last use, and is nothing that has to be chosen and run."""
    engine, ends = ChaosEngine(), []
    gone, other = engine.new_variable(), engine.new_variable()
    engine.push_async(lambda run_ctx, on_complete: ends.append(on_complete), mutate_vars=[gone])
    engine.push(lambda run_ctx: None, mutate_vars=[other]).result(WAIT)
    while not ends:
        time.sleep(0.001)
    gone._core.release(gone._address)  # as its last reference does
    gone._core = None
    engine.push(lambda run_ctx: None, mutate_vars=[other]).result(WAIT)
    ends.pop()()
    engine.wait_for_all(WAIT)
    engine.stop()
