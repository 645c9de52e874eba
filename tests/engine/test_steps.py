"""Profiles of the steps of plans: counts, tables that are as before, efforts beside limits."""

import threading
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.engine.core import layout, profile
from nbgraph.engine.core.machine import MACHINE
from nbgraph.engine.native_call import NativeCall
from nbgraph.engine.plans.plan import Outside, Plan, Step
from nbgraph.engine.profiling import trace
from nbgraph.engine.profiling.effort import Effort, Limits, limits
from nbgraph.engine.profiling.step_rows import StepRow
from nbgraph.engine.sites import Site
from nbgraph.errors import KernelError
from tests.engine.kernels import address

WAIT = 30
LIMITS = Limits(bandwidth=1e9, peak=1e10)
LINE = Site("/home/me/model.py", 12, "loss")


@pytest.fixture(autouse=True)
def known_limits(monkeypatch):
    monkeypatch.setattr(trace, "limits", lambda: LIMITS)


def mixed(count, chunks=1, late=False, name="step"):
    """A plan of a kernel that adds to `count` for each part of its range, and a function."""
    total, log, other = Outside("total"), [], Outside("late")
    effort = Effort(("add",), (LINE,), 100, 10)
    kernel = NativeCall(address("add"), [count.ctypes.data, 0], 8, cost=10**9, name="add")
    steps = [
        Step(kernel, (), ("part",), chunks=chunks, effort=lambda: effort),
        Step(lambda run_ctx: log.append(1), ("part", other) if late else ("part",), (total,)),
    ]
    return Plan(steps, late=[other] if late else [], name=name), log


def variables(plan, engine):
    return [engine.new_variable() for _ in plan.outside]


def functions(engine, instance):
    """The addresses of the kernels in the table of an instance."""
    core, at = engine._core, engine._core.peek(instance._address + layout.I_TABLE)
    rows = range(at, at + layout.ROW * (len(instance.plan.steps) + len(instance.plan.late)), 80)
    found = [core.peek(row + layout.R_FUNCTION) for row in rows]
    return [each for each in found if each]


@pytest.mark.parametrize("chunks", [1, 4])
@pytest.mark.parametrize("late", [False, True])
def test_steps_have_rows_while_a_profile_is_on_and_tables_are_as_before(threaded, chunks, late):
    """X-ENG-06: plans laid out before it and in it; what ran outside of it does not count."""
    count = np.zeros(1, np.int64)
    plan, log = mixed(count, chunks, late)
    before, within = plan.instance(threaded), plan.instance(threaded)
    before.launch(variables(plan, threaded))
    threaded.wait_for_all(WAIT)
    with trace.Profile(threaded) as p:
        for instance in (before, before, within):
            instance.launch(variables(plan, threaded))
    before.launch(variables(plan, threaded))
    threaded.wait_for_all(WAIT)
    rows = {row.kernel: row for row in p.steps()}
    assert {name: row.count for name, row in rows.items()} == {"add": 3, "<lambda>": 3}
    assert rows["add"].effort == Effort(("add",), (LINE,), 300, 30)
    assert rows["add"].total >= 0 and rows["<lambda>"].effort == Effort()
    assert len(log) == 5
    for instance in (before, within):
        assert functions(threaded, instance) == [address("add")]
    assert {row.operation: row.count for row in p.rows()} == {"step": 3}


def test_profiles_in_profiles_count_their_own_runs(threaded):
    plan, _ = mixed(np.zeros(1, np.int64))
    instance = plan.instance(threaded)
    with trace.Profile(threaded) as outer:
        instance.launch(variables(plan, threaded))
        threaded.wait_for_all(WAIT)
        with trace.Profile(threaded) as inner:
            instance.launch(variables(plan, threaded))
        assert functions(threaded, instance) != [address("add")]
        instance.launch(variables(plan, threaded))
    with trace.Profile(threaded) as after:
        instance.launch(variables(plan, threaded))
    counts = [{row.count for row in p.steps()} for p in (outer, inner, after)]
    assert counts == [{3}, {1}, {1}]


def test_a_run_under_way_ends_as_it_began(threaded):
    """A table changes between two runs of its instance, not in one of them."""
    gate, entered = threading.Event(), threading.Event()
    total = Outside("total")

    def waiting(run_ctx):
        entered.set()
        gate.wait(WAIT)

    count = np.zeros(1, np.int64)
    kernel = NativeCall(address("add"), [count.ctypes.data, 0], 1, name="add")
    plan = Plan([Step(waiting, (), ("a",)), Step(kernel, ("a",), (total,))], name="step")
    instance = plan.instance(threaded)
    instance.launch(variables(plan, threaded))
    assert entered.wait(WAIT)
    with trace.Profile(threaded) as p:
        instance.launch(variables(plan, threaded))
        gate.set()
    assert {row.kernel: row.count for row in p.steps()} == {"waiting": 1, "add": 1}
    assert count[0] == 2


def test_a_failure_in_a_timed_kernel_is_that_of_the_kernel(threaded):
    total = threaded.new_variable()
    words = np.zeros(4, np.int64)
    record = [words.ctypes.data] * 5 + [0, 1, 0, 0]  # of `step`: an odd code fails
    plan = Plan([Step(NativeCall(address("step"), record, 1, name="bad"), (), (total,))])
    with trace.Profile(threaded) as p:
        plan.instance(threaded).launch()
        with pytest.raises(KernelError, match="bad"):
            threaded.wait_for_var(total, WAIT)
    assert [row.kernel for row in p.steps()] == ["bad"]


def test_a_timed_kernel_adds_up_and_gives_the_code_of_the_kernel():
    """On the simulated machine, whose clock counts its looks."""
    MACHINE.reset()
    MACHINE.kernels[77] = lambda args, lo, hi: 3 if (args, lo, hi) == (88, 2, 6) else 0
    MACHINE.words |= {1000 + layout.T_FUNCTION: 77, 1000 + layout.T_ARGS: 88}
    assert profile.timed(1000, 2, 6) == 3 and profile.timed(1000, 0, 1) == 0
    assert MACHINE.words[1000 + layout.T_NANOSECONDS] == 2
    assert MACHINE.words[1000 + layout.T_CALLS] == 2
    assert MACHINE.words[1000 + layout.T_ROWS] == 5
    MACHINE.reset()


ROWS = [
    StepRow("step", "dot0", 2, 2e-3, Effort(("dot",), (LINE, LINE), 10**6, 10**7)),
    StepRow("step", "adam", 4, 1e-3, Effort(("adam",), (), 10**6, 10**6)),
    StepRow("other", "load", 1, 5e-4, Effort()),
]


def shown():
    p = trace.Profile()
    p._steps = ROWS
    return p


def test_rows_stand_beside_the_limits():
    lines = [line.split() for line in str(shown()).splitlines() if line.strip()]
    assert "kernels of step; limits of this machine: 1 GB/s and 10 GFLOP/s".split() in lines
    assert "dot0 dot model.py:12 ... 2 2 ms 1 ms 0.5 5 50% memory".split() in lines
    assert "adam adam 4 1 ms 250 us 1 1 100% memory".split() in lines
    assert "load 1 500 us 500 us".split() in lines
    found = shown().to_dict()["steps"]
    assert found[0]["of_limit"] == pytest.approx(0.5) and found[0]["limited_by"] == "memory"
    assert found[2]["operations_per_second"] is None and found[2]["limited_by"] is None


@pytest.mark.parametrize(
    "effort, least, bound",
    [
        (Effort(nbytes=10**9, operations=10**9), 1.0, "memory"),
        (Effort(nbytes=10**9, operations=10**11), 10.0, "arithmetic"),
        (Effort(nbytes=10**9), 1.0, "memory"),
    ],
)
def test_a_limit_is_the_larger_of_two_times(effort, least, bound):
    assert LIMITS.least(effort) == least and LIMITS.bound(effort) == bound


def test_the_flame_picture_has_plans_lines_and_kernels_as_wide_as_their_time():
    svg = ET.fromstring(shown().flame())
    name = "{http://www.w3.org/2000/svg}"
    bars = {}
    for rect in svg.iter(f"{name}rect"):
        hint = rect.find(f"{name}title").text.splitlines()[0]
        bars[hint.split(" ")[0].rstrip(":")] = float(rect.get("width"))
    assert set(bars) == {"step", "other", "model.py:12", "no", "dot0", "adam", "load"}
    assert bars["step"] == pytest.approx(6 * bars["load"], rel=0.01)
    assert bars["dot0"] == pytest.approx(bars["model.py:12"])
    assert "GFLOP/s" in shown()._repr_html_()


def test_limits_are_measured_once():
    assert limits() is limits() and min(limits()) > 0


def test_other_engines_run_steps_as_operations(any_engine):
    plan, _ = mixed(np.zeros(1, np.int64))
    with trace.Profile(any_engine) as p:
        plan.instance(any_engine).push(0, variables(plan, any_engine))
    names = {row.kernel for row in p.steps()} | {row.operation for row in p.rows()}
    assert {"add", "<lambda>"} <= names
    assert bool(p.steps()) == (any_engine.kind == "threaded")


def test_a_step_of_training_has_rows_by_line():
    """X-ENG-06: a compiled step tells its kernels, with the lines of the user's text."""
    x, y = np.ones((32, 6), "float32"), np.ones((32, 2), "float32")
    net = ng.nn.Dense(2, in_features=6)
    optimizer = ng.optim.SGD(net, 0.1)
    step = ng.optim.train_step(lambda net, x, y: ng.sum((net(x) - y) ** 2), optimizer)
    step(x, y).item()
    with ng.profile() as p:
        for _ in range(3):
            step(x, y).item()
    rows = {operator: row for row in p.steps() for operator in row.effort.operators}
    if ng.engine.current().kind == "threaded":
        product = rows["fully_connected"]
        assert product.count == 3 and product.line.startswith("test_steps.py:")
        assert product.effort.operations == 3 * 2 * 32 * 6 * 2
        assert product.effort.nbytes == 3 * 4 * (32 * 6 + 6 * 2 + 2 + 32 * 2)
        assert {"sgd", "subtract"} <= set(rows)
