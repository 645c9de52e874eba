"""Runs of one plan with other variables, other words and an object of their own, on all engines."""

import gc
import threading
import weakref

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.engine.core import layout
from nbgraph.engine.naive import NaiveEngine
from nbgraph.engine.native_call import NativeCall
from nbgraph.engine.plans.plan import Outside, Plan, Step
from nbgraph.engine.threaded import ThreadedEngine
from nbgraph.errors import ArgumentError, EngineError, KernelError
from tests.engine.conftest import Gate
from tests.engine.kernels import address
from tests.engine.world import World
from tests.support import on_threads

WAIT = 30


def nothing(run_ctx):
    pass


def adding(count=3, cost=20, **options):
    """A plan that adds to the word whose address a push brings, `count` times; its variable."""
    total = Outside("total")
    call = NativeCall(address("add"), [0, 0], 1, cost=cost, name="add")
    steps = [Step(call, (), (total,)) for _ in range(count)]
    return Plan(steps, patches=[[(k, 0) for k in range(count)]], **options), total


# ------------------------------------------------------------------ other variables, other words


def test_runs_that_wait_keep_their_own_words(any_engine):
    """Several runs are pushed before the first has begun: each finds its own."""
    plan, _ = adding()
    counts = np.zeros(8, np.int64)
    variables = [any_engine.new_variable() for _ in counts]
    gate = threading.Event()
    instance = plan.instance(any_engine)
    if any_engine.kind != "naive":
        any_engine.push(lambda run_ctx: gate.wait(WAIT), mutate_vars=[instance.variable])
    for k, variable in enumerate(variables):
        for _ in range(k):
            instance.launch((variable,), (counts.ctypes.data + 8 * k,))
    gate.set()
    any_engine.wait_for_all(WAIT)
    assert list(counts) == [3 * k for k in range(8)]


def test_a_push_that_names_the_instance_comes_between_its_runs(any_engine):
    plan, _ = adding()
    counts = np.zeros(1, np.int64)
    variable, seen = any_engine.new_variable(), []
    instance = plan.instance(any_engine)
    for _ in range(5):
        instance.push(variables=[variable], words=[counts.ctypes.data])
        any_engine.push(
            lambda run_ctx: seen.append(int(counts[0])), mutate_vars=[instance.variable]
        )
    any_engine.wait_for_all(WAIT)
    assert seen == [3, 6, 9, 12, 15]


def test_instances_have_records_of_their_own(any_engine):
    plan, _ = adding(1)
    counts = np.zeros(2, np.int64)
    variables = [any_engine.new_variable() for _ in counts]
    instances = [plan.instance(any_engine) for _ in counts]
    for _ in range(20):
        for k, instance in enumerate(instances):
            instance.launch((variables[k],), (counts.ctypes.data + 8 * k,))
    any_engine.wait_for_all(WAIT)
    assert list(counts) == [20, 20]


@pytest.mark.parametrize("outside", [3, 57, 58, 80])
def test_many_variables(any_engine, outside):
    """More words than a compiled call takes go by address."""
    counts = np.zeros(outside, np.int64)
    keys = [Outside(f"k{k}") for k in range(outside)]
    calls = [NativeCall(address("add"), [0, 0], 1) for _ in keys]
    steps = [Step(c, (), (key,)) for c, key in zip(calls, keys, strict=True)]
    plan = Plan(steps, patches=[(k, 0) for k in range(outside)])
    variables = [any_engine.new_variable() for _ in keys]
    words = [counts.ctypes.data + 8 * k for k in range(outside)]
    instance = plan.instance(any_engine)
    for _ in range(3):
        instance.push(variables=variables, words=words)
        instance.launch(variables, words)
    any_engine.push(nothing, mutate_vars=variables)
    any_engine.wait_for_all(WAIT)
    assert (counts == 6).all() and {v.version for v in variables} == {7}


def test_some_variables_are_replaced_by_name(any_engine):
    fixed, key = any_engine.new_variable("fixed"), Outside("key")
    log = []
    plan = Plan([Step(lambda run_ctx: log.append(1), (key,), (fixed,))])
    assert list(plan.outside) == [key, fixed]
    other, another = any_engine.new_variable(), any_engine.new_variable()
    instance = plan.instance(any_engine)
    instance.push(variables={key: other})
    instance.push(variables={key: other, fixed: another})
    any_engine.wait_for_all(WAIT)
    assert (fixed.version, another.version, other.version, len(log)) == (1, 1, 0, 2)


def test_bad_pushes_are_refused(any_engine):
    """Each is told what it lacks; nothing of it is pushed."""
    a, b = Outside("a"), Outside("b")
    plan = Plan([Step(nothing, (a,), (b,))], name="mine")
    u, v = any_engine.new_variable("u"), any_engine.new_variable("v")
    instance = plan.instance(any_engine)
    foreign = NaiveEngine().new_variable()
    gone = any_engine.new_variable()
    any_engine.delete_variable(gone)
    for pushing in (
        lambda given: instance.push(variables=given),
        lambda given: instance.launch(given or ()),
    ):
        with pytest.raises(ArgumentError, match="plan 'mine': nothing stands for <outside 'a'>"):
            pushing(None)
        with pytest.raises(ArgumentError, match="1 variables; expected 2, for <outside 'a'>"):
            pushing([u])
        with pytest.raises(ArgumentError, match="'u'.* stands for .*'a'.* and for .*'b'.*distinct"):
            pushing([u, u])
    with pytest.raises(ArgumentError, match="no step uses <variable"):
        instance.push(variables={u: v})
    with pytest.raises(ArgumentError, match="the instance's own"):
        instance.push(variables=[u, instance.variable])
    with pytest.raises(EngineError, match="for <outside 'b'>=.*another engine"):
        instance.push(variables=[u, foreign])
    with pytest.raises(EngineError, match="has been deleted"):
        instance.push(variables=[u, gone])
    with pytest.raises(ArgumentError, match="1 words; expected 0"):
        instance.push(variables=[u, v], words=[1])
    any_engine.wait_for_all(WAIT)
    assert v.version == 0
    instance.push(variables=[u, v])
    any_engine.wait_for_all(WAIT)
    assert v.version == 1


def test_bad_patches_are_refused():
    call = NativeCall(address("add"), [0, 0], 1, name="adds")
    by_address = NativeCall(address("add"), 4096, 1, name="there")
    with pytest.raises(ArgumentError, match=r"patches\[0\]=\(1, 0\); expected a step from 0 to 0"):
        Plan([Step(call)], patches=[(1, 0)])
    with pytest.raises(ArgumentError, match=r"patches\[1\]=\(0, 2\): step 'adds' has 2 words"):
        Plan([Step(call)], patches=[(0, 0), [(0, 1), (0, 2)]])
    for run in (nothing, by_address):
        with pytest.raises(ArgumentError, match="has 0 words of its own"):
            Plan([Step(run)], patches=[(0, 0)])


# ------------------------------------------------------------------ the object of a run


class State:
    pass


@pytest.mark.parametrize("fails", [False, True])
def test_every_run_has_its_own_object(any_engine, fails):
    """It is let go when the run is over, however it ended."""
    source, log = any_engine.new_variable(), []

    def note(run_ctx, state):
        log.append(getattr(state, "number", None))
        if fails:
            state = None
            raise OSError("planned")

    x = Outside("x")
    plan = Plan(
        [
            Step(nothing, (source,), ("go",)),
            Step(note, ("go",), (x,), wants_state=True, name="note"),
            Step(note, (x,), ("rest",), wants_state=True, name="again"),
        ]
    )
    instance, gate, refs = plan.instance(any_engine), threading.Event(), []
    if any_engine.kind != "naive":
        any_engine.push(lambda run_ctx: gate.wait(WAIT), mutate_vars=[source])
    for number in range(4):
        state = State()
        state.number = number
        refs.append(weakref.ref(state))
        instance.push(variables={x: any_engine.new_variable()}, state=state)
        del state
    instance.launch((source, any_engine.new_variable()))
    gate.set()
    any_engine._wait_all(None)
    if fails:
        assert log == [0, 1, 2, 3, None]
        with pytest.raises(OSError, match="planned"):
            any_engine.wait_for_all(WAIT)
    else:
        assert log == [0, 0, 1, 1, 2, 2, 3, 3, None, None]
        any_engine.wait_for_all(WAIT)
    gc.collect()  # an exception and its frames are a circle
    assert [ref() for ref in refs] == [None] * 4


def test_the_object_of_a_skipped_run_is_let_go(any_engine):
    source, target = any_engine.new_variable(), any_engine.new_variable()
    any_engine.push(lambda run_ctx: 1 / 0, mutate_vars=[source])
    seen = []
    plan = Plan([Step(lambda run_ctx, s: seen.append(s), (source,), (target,), wants_state=True)])
    state = State()
    ref = weakref.ref(state)
    plan.instance(any_engine).push(state=state)
    del state
    with pytest.raises(ZeroDivisionError):
        any_engine.wait_for_all(WAIT)
    assert seen == [] and ref() is None


# ------------------------------------------------------------------ failures


def test_an_error_in_mid_plan_names_its_step_and_the_push(any_engine):
    """It poisons what lies downstream, of that run only."""
    a, b, c = (Outside(n) for n in "abc")
    seen = []
    plan = Plan(
        [
            Step(lambda run_ctx: 1 / 0, (a,), ("mid", b), name="divide"),
            Step(lambda run_ctx: seen.append("b"), (b, "mid"), ()),
            Step(lambda run_ctx: seen.append("c"), (a,), (c,)),
        ]
    )
    first, second = ([any_engine.new_variable() for _ in range(3)] for _ in range(2))
    instance = plan.instance(any_engine)
    instance.push(variables=first)
    instance.push(variables=second)
    any_engine._wait_all(None)
    assert seen == ["c", "c"] and first[2].error is None
    for variables in (first, second):
        with pytest.raises(ZeroDivisionError) as caught:
            any_engine.wait_for_var(variables[1], WAIT)
        assert any("'divide'" in n and "test_instance.py" in n for n in caught.value.__notes__)
    any_engine.wait_for_all(WAIT)


def test_a_kernel_that_fails_inline_names_its_step(threaded):
    """A short plan in the pusher: rows that follow are skipped, others run."""
    world, out = World(3, 3), Outside("out")
    calls = [world.call([k << 1 | (k == 1)], [], [k], cost=50) for k in range(3)]
    steps = [
        Step(calls[0], (), (out,)),
        Step(calls[1], (out,), ("x",), name="breaks"),
        Step(calls[2], ("x",), ("y",)),
    ]
    v = threaded.new_variable()
    pending = Plan(steps).instance(threaded).push(variables=[v])
    assert pending.done()  # run by this thread
    assert list(world.ran) == [1, 1, 0] and v.error is None
    with pytest.raises(KernelError, match="'breaks' returned error code 7") as caught:
        threaded.wait_for_all(WAIT)
    assert any("test_instance.py" in note for note in caught.value.__notes__)


def test_what_is_written_whole_is_cleared(any_engine):
    source, target = any_engine.new_variable(), any_engine.new_variable()
    any_engine.push(lambda run_ctx: 1 / 0, mutate_vars=[target])
    seen = []
    steps = [
        Step(lambda run_ctx: seen.append("w"), (source,), (target,), overwrites=True),
        Step(lambda run_ctx: seen.append("r"), (target,), ("x",)),
    ]
    Plan(steps).instance(any_engine).push()
    any_engine._wait_all(None)
    assert seen == ["w", "r"] and target.error is None
    with pytest.raises(ZeroDivisionError):
        any_engine.wait_for_all(WAIT)


# ------------------------------------------------------------------ where and when it runs


def test_a_short_plan_runs_in_the_pusher_if_nothing_stands_before_it(threaded):
    plan, _ = adding()
    counts, v, gate = np.zeros(1, np.int64), threaded.new_variable(), threading.Event()
    instance, word = plan.instance(threaded), (counts.ctypes.data,)
    instance.launch((v,), word)
    assert counts[0] == 3
    threaded.push(lambda run_ctx: gate.wait(WAIT), const_vars=[v])
    instance.launch((v,), word)
    assert counts[0] == 3
    gate.set()
    threaded.wait_for_var(v, WAIT)
    assert counts[0] == 6


@pytest.mark.parametrize("cost", [20, 50_000])
def test_launches_go_on_after_a_stop(threaded, cost):
    plan, _ = adding(cost=cost)
    counts, v = np.zeros(1, np.int64), threaded.new_variable()
    launch, word = plan.instance(threaded).launch, (counts.ctypes.data,)
    for runs in range(1, 4):
        launch((v,), word)
        launch((v,), word)
        threaded.wait_for_var(v, WAIT)
        assert counts[0] == 6 * runs
        threaded.stop()


def test_launches_follow_the_engine_in_force():
    """An instance without an engine of its own; and back."""
    plan, _ = adding()
    counts, v = np.zeros(1, np.int64), ng.engine.new_variable()
    launch, before = plan.instance().launch, ng.engine.current().kind
    try:
        for runs, kind in enumerate(["threaded", "naive", "chaos", "threaded", "threaded"], 1):
            ng.engine.set(kind)
            launch((v,), (counts.ctypes.data,))
            launch((v,), (counts.ctypes.data,))
            ng.engine.wait_for_var(v, WAIT)
            assert counts[0] == 6 * runs, kind
    finally:
        ng.engine.set(before)


def test_a_launch_within_a_bulk_comes_after_what_the_bulk_holds(any_engine):
    plan, _ = adding()
    counts, v, seen = np.zeros(1, np.int64), any_engine.new_variable(), []
    instance = plan.instance(any_engine)
    with any_engine.bulk(8):
        for _ in range(3):
            any_engine.push(lambda run_ctx: seen.append(int(counts[0])), mutate_vars=[v])
            instance.launch((v,), (counts.ctypes.data,))
    any_engine.wait_for_var(v, WAIT)
    assert seen == [0, 3, 6] and counts[0] == 9


def test_launches_are_held_back_by_the_brake():
    with ng.config(engine_pending=20):
        engine = ThreadedEngine(workers=1)
    plan, _ = adding()
    counts, v, gate = np.zeros(1, np.int64), engine.new_variable(), threading.Event()
    launch = plan.instance(engine).launch
    engine.push(lambda run_ctx: gate.wait(WAIT), mutate_vars=[v])
    most, done = [], threading.Event()

    def work():
        for _ in range(60):
            launch((v,), (counts.ctypes.data,))
            most.append(engine.stats().pending)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    assert not done.wait(0.1) and 0 < max(most) <= 20
    gate.set()
    thread.join(WAIT)
    engine.wait_for_var(v, WAIT)
    assert counts[0] == 180 and max(most) <= 20
    engine.stop()


def test_a_function_launches_though_the_brake_holds():
    """It would otherwise wait for its own end."""
    with ng.config(engine_pending=2):
        engine = ThreadedEngine(workers=1)
    plan, _ = adding()
    counts, v = np.zeros(1, np.int64), engine.new_variable()
    launch = plan.instance(engine).launch

    def push_some(run_ctx):
        for _ in range(10):
            launch((v,), (counts.ctypes.data,))

    engine.push(push_some, mutate_vars=[v])
    engine.wait_for_var(v, WAIT)
    engine.wait_for_all(WAIT)
    assert counts[0] == 30
    engine.stop()


def test_the_higher_priority_goes_first():
    engine = ThreadedEngine(workers=1)
    world = World(4, 4)
    gate = np.zeros(1, np.int64)
    held = engine.new_variable()
    until = NativeCall(address("until"), [gate.ctypes.data, 1 << 40], 1)
    plans = [Plan([Step(world.call([k << 1], [], [3]))]) for k in range(3)]
    engine.push(until, mutate_vars=[held])
    for k, plan in enumerate(plans):
        plan.instance(engine).launch(priority=[0, -1, 5][k])
    gate[0] = 1
    engine.wait_for_all(WAIT)
    assert list(world.ran[:3]) == [1, 1, 1] and world.clashes[0] == 0
    assert world.values[3] == 2  # the last one is that of the lowest priority
    engine.stop()


def test_many_short_steps_wake_nobody(threaded):
    """Handing them out would take longer than doing them."""
    total = Outside("total")
    counts, v = np.zeros(50, np.int64), threaded.new_variable()
    calls = [
        NativeCall(address("add"), [counts.ctypes.data + 8 * k, 0], 1, cost=20) for k in range(50)
    ]
    plan = Plan([*(Step(c, (), (k,)) for k, c in enumerate(calls)), Step(calls[0], (0,), (total,))])
    instance = plan.instance(threaded)
    for _ in range(200):
        instance.launch((v,))
    threaded.wait_for_var(v, WAIT)
    assert counts[0] == 400 and (counts[1:] == 200).all()
    assert threaded._core.word(layout.HELPED) == 0


def test_deleted_variables_are_noticed(threaded):
    fixed = threaded.new_variable()
    instance = Plan([Step(nothing, (), (fixed,))], name="mine").instance(threaded)
    instance.launch()
    held, other = Gate(threaded, fixed), threaded.new_variable()
    threaded.delete_variable(fixed)  # it cannot go yet
    instance.launch((other,))
    with pytest.raises(EngineError, match="plan 'mine'.*has been deleted"):
        instance.launch()
    held.open()
    threaded.wait_for_all(WAIT)
    with pytest.raises(EngineError, match="plan 'mine'.*has been deleted"):
        instance.launch()


def test_short_plans_from_several_threads(threaded):
    """Two instances of a plan and one variable: every addition counts."""
    plan, _ = adding(10)
    counts, v = np.zeros(1, np.int64), threaded.new_variable()

    def work():
        launch = plan.instance(threaded).launch
        for _ in range(400):
            launch((v,), (counts.ctypes.data,))

    on_threads(work, 3, seconds=WAIT)
    threaded.wait_for_all(WAIT)
    assert counts[0] == 12_000 and threaded.stats().pending == 0


def test_instances_come_and_go_with_their_templates(threaded):
    plan, _ = adding()
    counts, v = np.zeros(1, np.int64), threaded.new_variable()
    for _ in range(50):
        plan.instance(threaded).launch((v,), (counts.ctypes.data,))
    threaded.wait_for_all(WAIT)
    for _ in range(3):
        threaded._core.reap()
    assert counts[0] == 150 and not threaded._core.instances
    assert not threaded._core.doomed and not threaded._core.states
