"""Plans against serial execution: random steps, kernels and Python functions, failures, late
variables, repeated runs between other pushes; the same bits and the same failures in all ways."""

import itertools
import random
import threading
import time

import numpy as np
import pytest

from nbgraph.engine import FnProperty
from nbgraph.engine.naive import NaiveEngine
from nbgraph.engine.native_call import NativeCall
from nbgraph.engine.plans.plan import Plan, Step
from nbgraph.engine.threaded import ThreadedEngine
from nbgraph.errors import ArgumentError, EngineError, KernelError
from tests.engine.kernels import address
from tests.engine.world import World

WAIT = 30
OUTSIDE, INSIDE, RUNS = 4, 3, 4


def random_plan(rng, engine, world, variables, base, numbers):
    """A plan of an instance of its own, and what it is to be serially: (codes, reads, writes)."""
    rows, steps = [], []
    used = set()
    for _ in range(rng.randint(1, 10)):
        places = rng.sample(range(OUTSIDE + INSIDE), rng.randint(1, 4))
        places = [p if p < OUTSIDE else base + p for p in places]
        cut = rng.randint(0, len(places))
        reads, writes = places[:cut], places[cut:]
        codes = [next(numbers) << 1 | (rng.random() < 0.08) for _ in range(RUNS)]
        cost = rng.choice([0, 100, 30_000])
        call = world.call(codes, reads, writes, cost)
        run = (lambda run_ctx, call=call: call(run_ctx)) if rng.random() < 0.15 else call
        names = [variables[p] if p < OUTSIDE else p for p in places]
        used.update(p for p in places if p < OUTSIDE)
        name = call.__name__
        steps.append(Step(run, tuple(names[:cut]), tuple(names[cut:]), name=name))
        rows.append((codes, name, reads, writes))
    late = [variables[p] for p in used if rng.random() < 0.4]
    return Plan(steps, late=late).instance(engine), rows


def run_program(engine, seed):
    rng = random.Random(seed)
    numbers = iter(range(2000))
    world = World(2000, 200)
    variables = [engine.new_variable(f"v{i}") for i in range(OUTSIDE)]
    plans = [
        random_plan(rng, engine, world, variables, 20 * (k + 1), numbers)
        for k in range(rng.randint(1, 3))
    ]
    runs = dict.fromkeys(range(len(plans)), 0)
    for order in range(1, rng.randint(4, 12)):
        which = rng.randrange(len(plans))
        if runs[which] < RUNS and rng.random() < 0.7:
            instance, rows = plans[which]
            inside = [p for p in world.failures if p >= OUTSIDE]
            for place in inside:  # a run begins with nothing failed inside
                del world.failures[place]
            for row, (codes, name, reads, writes) in enumerate(rows, 1):
                world.serially(codes, (order, row), name, reads, writes)
            instance.push()
            runs[which] += 1
        else:
            place, other = rng.sample(range(OUTSIDE), 2)
            code = next(numbers) << 1 | (rng.random() < 0.1)
            call = world.call([code], [place], [other])
            engine.push(call, const_vars=[variables[place]], mutate_vars=[variables[other]])
            world.serially([code], (order, 0), call.__name__, [place], [other])
    for variable in variables:
        engine._wait_variable(variable, None)
    engine._wait_all(None)
    world.check()
    for place, variable in enumerate(variables):
        failure = engine._failure_of(variable)
        wanted = world.failures.get(place)
        assert (failure and failure.name) == (wanted and wanted[1]), f"v{place}"
    for _ in range(3):
        try:
            engine.wait_for_all(WAIT)
        except KernelError:
            continue
        break
    for instance, _ in plans:
        instance.free()
    engine.wait_for_all(WAIT)
    return world


@pytest.fixture(scope="module", params=["naive", 1, 2, 4])
def engine(request):
    made = NaiveEngine() if request.param == "naive" else ThreadedEngine(workers=request.param)
    yield made
    made.stop()


@pytest.mark.parametrize("part", range(4))
def test_random_plans_agree_with_serial_execution(engine, part):
    for seed in range(60):
        run_program(engine, 1000 * part + seed)


@pytest.mark.slow
def test_many_random_plans(engine):
    for seed in range(10_000, 13_000):
        run_program(engine, seed)


def nothing(run_ctx):
    pass


def test_a_reader_of_the_first_result_runs_while_the_last_step_is_blocked(threaded):
    """Release points."""
    first, last, gate = threaded.new_variable(), threaded.new_variable(), threading.Event()
    plan = Plan(
        [
            Step(nothing, writes=(first, "x")),
            Step(lambda run_ctx: gate.wait(WAIT), reads=("x",), writes=(last,)),
        ]
    )
    plan.instance(threaded).push()
    got = threaded.push(lambda run_ctx: "read", const_vars=[first])
    assert got.result(WAIT) == "read"
    assert threaded.stats().pending == 1
    gate.set()
    threaded.wait_for_var(last, WAIT)


def test_a_late_variable_is_waited_for_only_by_what_uses_it(threaded):
    """Late acquisition."""
    early, late, gate = threaded.new_variable(), threaded.new_variable(), threading.Event()
    threaded.push(lambda run_ctx: gate.wait(WAIT), mutate_vars=[late])
    seen = []
    plan = Plan(
        [
            Step(lambda run_ctx: seen.append("early"), writes=(early,)),
            Step(lambda run_ctx: seen.append("late"), reads=(late,)),
        ],
        late=[late],
    )
    plan.instance(threaded).push()
    threaded.push(nothing, const_vars=[early]).result(WAIT)
    assert seen == ["early"]
    gate.set()
    threaded.wait_for_all(WAIT)
    assert seen == ["early", "late"]


def test_an_error_poisons_only_what_lies_downstream(threaded):
    a, b, c = (threaded.new_variable(n) for n in "abc")
    seen = []
    plan = Plan(
        [
            Step(lambda run_ctx: 1 / 0, writes=(a,), name="divide"),
            Step(lambda run_ctx: seen.append("b"), reads=(a,), writes=(b,)),
            Step(lambda run_ctx: seen.append("c"), writes=(c,)),
        ]
    )
    plan.instance(threaded).push()
    threaded.wait_for_var(c, WAIT)
    assert seen == ["c"] and c.error is None
    with pytest.raises(ZeroDivisionError) as caught:
        threaded.wait_for_var(b, WAIT)
    assert any("'divide'" in note and "test_plans.py" in note for note in caught.value.__notes__)
    threaded.wait_for_all(WAIT)
    again = threaded.push(lambda run_ctx: 1, mutate_vars=[a], prop=FnProperty.NO_SKIP)
    assert again.result(WAIT) == 1 and a.error is None


def test_two_instances_run_side_by_side(threaded):
    both, results = threading.Barrier(2, timeout=WAIT), []

    def meet(run_ctx):
        both.wait()
        results.append(1)

    plan = Plan([Step(meet, writes=("x",))])
    instances = [plan.instance(threaded) for _ in range(2)]
    for one in instances:
        one.push()
    threaded.wait_for_all(WAIT)
    assert results == [1, 1]


def test_runs_of_one_instance_follow_each_other(threaded):
    running, most = [], []

    def job(run_ctx):
        running.append(1)
        most.append(len(running))
        running.pop()

    one = Plan([Step(job)]).instance(threaded)
    for _ in range(20):
        one.push()
    threaded.wait_for_all(WAIT)
    assert most == [1] * 20


def test_plans_come_and_go_while_others_run(threaded):
    """Adding, replacing and freeing are safe; the memory comes back."""
    v = threaded.new_variable()
    world = World(1, 1)
    kernels = [NativeCall(address("add"), [world.values.ctypes.data, 50], 1) for _ in range(2)]
    stop = threading.Event()

    def churn():
        for number in itertools.count(1):
            made = Plan([Step(nothing, writes=("x",)), Step(nothing, reads=("x",))])
            made.instance(threaded).push()  # dropped at once
            if number % 50 == 0:  # a queue that only grows keeps everybody waiting
                threaded.wait_for_all(WAIT)
            if stop.is_set():
                return

    threads = [threading.Thread(target=churn) for _ in range(2)]
    for thread in threads:
        thread.start()
    count = 100
    for _ in range(count):
        one = Plan([Step(k, writes=(v,)) for k in kernels]).instance(threaded)
        one.push()
        one.free()
    threaded.wait_for_var(v, WAIT)
    stop.set()
    for thread in threads:
        thread.join(WAIT)
    threaded.wait_for_all(WAIT)
    assert world.values[0] == 2 * count
    core, end = threaded._core, time.monotonic() + WAIT
    while len(core.instances) > 1 and time.monotonic() < end:
        threaded.wait_for_all(WAIT)
        core.reap()
    assert len(core.instances) <= 1


def test_a_long_chunked_kernel_is_run_by_several_threads(threaded):
    """Chunks are tickets of the same scheduler: every element once."""
    world = World(400, 2)
    values = np.zeros((1, 64), np.int64)
    v = threaded.new_variable()
    for number in range(300):
        record = [values.ctypes.data, world.writers.ctypes.data, 0, world.ran.ctypes.data]
        record += [world.clashes.ctypes.data, 0, number << 1, 0, 1, 0]
        call = NativeCall(address("span"), record, 64, cost=200_000)
        Plan([Step(call, writes=(v,))]).instance(threaded).push()
        threaded.wait_for_var(v, WAIT)
        assert world.ran[number] == 64 and (values == number + 1).all()
    assert world.clashes[0] == 0
    threaded.wait_for_all(WAIT)
    assert threaded.stats().pending == 0


def test_bad_plans_are_refused():
    v = NaiveEngine().new_variable()
    with pytest.raises(ArgumentError, match="plan 'plan': no steps"):
        Plan([])
    with pytest.raises(ArgumentError, match=r"steps\[0\]=.*expected a Step"):
        Plan([nothing])
    with pytest.raises(ArgumentError, match="no step uses the late"):
        Plan([Step(nothing)], late=[v])
    engine = ThreadedEngine(workers=1)
    with pytest.raises(EngineError, match="push of plan 'mine'.*another engine"):
        Plan([Step(nothing, writes=(v,))], name="mine").instance(engine).push()
    engine.stop()
