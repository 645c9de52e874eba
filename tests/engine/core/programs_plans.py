"""Programs of plans, and of kernels cut into chunks."""

from __future__ import annotations

from collections.abc import Callable

from nbgraph.engine.core import failures, launching, plans
from nbgraph.engine.core import layout as L  # noqa: N812
from tests.engine.core.bench import Bench
from tests.engine.core.jobs import Job
from tests.engine.core.plan_bench import (
    Plan,
    Row,
    build,
    drop_plan,
    launch_plan,
    prepare_plan,
    run_plan,
)
from tests.engine.core.program import chain, program


def plan_program(b: Bench, plan: Plan, *around: Job, times: int = 1) -> None:
    """Jobs around runs of a plan."""
    build(b, plan)

    def script() -> None:
        for _ in range(times):
            run_plan(b, plan)
            for job in around:
                b.submit(job)
        b.wait_all()

    b.pusher(script)


def diamond(**last: object) -> Plan:
    rows = [
        Row("r", (), ("a",)),
        Row("s", (0,), ("b",), ("b",)),
        Row("t", (0,), ("c",), ("c",)),
        Row("u", (1, 2), ("b",), **last),  # type: ignore[arg-type]
    ]
    return Plan("diamond", rows)


@program()
def plan_serial(b: Bench) -> None:
    """`a` is given back after the first row, and written before the plan is done."""
    b.variable("a", "b", "c")
    plan = diamond()
    plan.wide, plan.estimate = False, 1 << 30
    plan_program(b, plan, *chain("> a", "c > a"), times=2)
    b.worker()


@program()
def unknown_plan_is_left(b: Bench) -> None:
    """A thread that waits takes no part in a plan of which it is not known how long it takes."""
    b.variable("a", "b", "c")
    b.helps = 50
    plan_program(b, diamond(), *chain("> a", "c > b", cost=9))
    b.worker()


@program()
def plan_parallel(b: Bench) -> None:
    b.variable("a", "b", "c")
    plan_program(b, diamond(), *chain("> a", "c > b"))
    b.worker(2)


@program()
def plan_twice(b: Bench) -> None:
    """A helper that comes late finds the next run."""
    b.variable("a", "b", "c")
    plan = diamond()
    plan.serial = False
    plan_program(b, plan, times=2)
    b.worker(1)


def many_rows(cost: int) -> Plan:
    """Five rows at once, and three that follow the last of them."""
    first = [Row(f"r{i}", cost=cost) for i in range(5)]
    return Plan("many", [*first, *(Row(f"s{i}", (4,)) for i in range(3))], serial=False)


@program()
def plan_of_many_long_rows(b: Bench) -> None:
    """Tickets are claimed by an addition, which may be late."""
    plan_program(b, many_rows(0), times=2)
    b.worker(1)
    b.set(L.WORKERS, 0)  # so that four tickets are plenty


@program()
def plan_of_many_short_rows(b: Bench) -> None:
    """Two tickets are claimed at once."""
    plan_program(b, many_rows(100), times=2)
    b.worker(1)
    b.set(L.WORKERS, 0)


@program()
def plan_fails(b: Bench) -> None:
    b.variable("a", "b", "c")
    plan = diamond()
    plan.rows[1].code = 5
    plan_program(b, plan, *chain("b > a", "c >"), times=2)
    b.worker()


@program()
def plan_of_poisoned(b: Bench) -> None:
    b.variable("a", "b", "c")
    plan = diamond()
    build(b, plan)
    (failing,) = chain("> c!")

    def script() -> None:
        b.submit(failing)
        run_plan(b, plan)
        b.wait_variable("b")
        run_plan(b, plan)
        b.wait_all()

    b.pusher(script)
    b.worker()


@program()
def plan_with_late_variable(b: Bench) -> None:
    b.variable("a", "b")
    rows = [
        Row("r", (), ("a",), ("a",)),
        Row("get", (), late="b", kind=L.ROW_ACQUIRE),
        Row("s", (0, 1), ("b",), ("b",)),
    ]
    plan = Plan("late", rows)
    build(b, plan)
    before, after = Job("before", (), ("b",), where=L.PYTHON), Job("after", ("a",), ("b",))
    b.pusher(lambda: (b.submit(before), run_plan(b, plan), b.submit(after), b.wait_all()))
    b.worker()
    b.python()


@program()
def plan_with_python_row(b: Bench) -> None:
    b.variable("a", "b", "c")
    plan = diamond()
    plan.rows[1].kind = L.ROW_PYTHON
    plan_program(b, plan, *chain("b > a"))
    b.python()


@program()
def plan_python_row_fails(b: Bench) -> None:
    b.variable("a", "b", "c")
    plan = diamond()
    plan.rows[1].kind = plan.rows[2].kind = L.ROW_PYTHON
    plan.rows[2].code = 9
    plan_program(b, plan, *chain("c > a"))
    b.worker()
    b.python()


def launched(b: Bench, plan: Plan, *runs: int, around: tuple[Job, ...] = ()) -> None:
    """Runs of a plan and of its variants, by number, with a job after each."""
    build(b, plan)

    calls = [lambda which=which: launch_plan(b, plan, which) for which in runs]
    b.pusher(lambda: one_by_one(b, plan, calls, around))


def one_by_one(
    b: Bench, plan: Plan, calls: list[Callable[[], object]], around: tuple[Job, ...]
) -> None:
    """Launches of a plan, with a job after each, and their end."""
    prepare_plan(b, plan)
    for place, call in enumerate(calls):
        call()
        for job in around[place : place + 1]:
            b.submit(job)
    drop_plan(b, plan)
    b.wait_all()
    b.wait_all()


@program()
def plan_launched(b: Bench) -> None:
    """Each run has variables of its own, and finds the words that came with its push."""
    b.variable("a", "b", "c", "d", "e")
    plan = diamond()
    plan.variant({"a": "b", "b": "d", "c": "e"})
    plan.variant({"b": "a", "a": "c", "c": "b"})
    launched(b, plan, 1, 0, 2, 1, around=tuple(chain("> a", "d > c", "b > e")))
    b.worker(2)


@program()
def plan_launched_inline(b: Bench) -> None:
    """Short runs go in the pusher, if nothing stands before them; another thread pushes too."""
    b.variable("a", "b", "c", "d")
    plan = diamond()
    plan.estimate = 5
    plan.variant({"c": "d"})
    launched(b, plan, 0, 1, 0, around=tuple(chain("d > a", "> b")))
    (other,) = chain("a > c")
    b.pusher(lambda: b.submit(other))
    b.worker()


@program()
def plan_launched_fails(b: Bench) -> None:
    """A failure stays on the variables of its own run."""
    b.variable("a", "b", "c", "d", "e")
    plan = diamond()
    plan.estimate = 5
    plan.rows[1].code = 5
    plan.variant({"b": "d", "c": "e"}).rows[1].code = 0
    launched(b, plan, 0, 1, 0, 1, around=tuple(chain("> b", "d > e")))
    b.worker()


def looping(**row: object) -> Plan:
    """A diamond with a loop of which nobody knows how long it takes."""
    plan = diamond()
    for each in plan.rows:
        each.cost = 9
    plan.rows[1] = Row("s", (0,), ("b",), ("b",), endless=True, cost=9, **row)  # type: ignore[arg-type]
    return plan


@program()
def plan_leaves_a_loop(b: Bench) -> None:
    """Its pusher runs the beginning, or a thread that waits does; the rest is a worker's."""
    b.variable("a", "b", "c", "d")
    b.helps = 50
    plan = looping()
    plan.estimate = 5
    plan.variant({"c": "d"})
    launched(b, plan, 0, 1, 0, around=tuple(chain("d > a", "> b", cost=9)))
    b.worker()


@program()
def plan_leaves_a_loop_in_parallel(b: Bench) -> None:
    b.variable("a", "b", "c")
    plan = looping()
    plan.serial = False
    plan_program(b, plan, *chain("> a", "c > b"), times=2)
    b.worker()


@program()
def plan_leaves_a_loop_that_fails(b: Bench) -> None:
    """What follows is skipped, and the next run is well."""
    b.variable("a", "b", "c", "d")
    plan = looping(code=5)
    plan.estimate = 5
    plan.variant({"b": "d"}).rows[1].code = 0
    launched(b, plan, 0, 1, 0, around=tuple(chain("> b", "b > a")))
    b.worker()


@program()
def plan_leaves_a_loop_before_a_python_row(b: Bench) -> None:
    """Its pusher has left it by then."""
    b.variable("a", "b", "c")
    plan = pure()
    plan.rows[0] = Row("r", (), ("a",), endless=True)
    by_pusher(b, plan, 2, 0, around=tuple(chain("> a")))
    b.worker()


def pure(**first: object) -> Plan:
    """A kernel, two Python rows, a kernel."""
    plan = diamond()
    plan.rows[1] = Row("s", (0,), ("b",), ("b",), kind=L.ROW_PYTHON, **first)  # type: ignore[arg-type]
    plan.rows[2] = Row("t", (0, 1), ("c",), ("c",), kind=L.ROW_PYTHON)
    plan.pure, plan.estimate = True, plans.BRIEF_RUN
    return plan


def by_pusher(b: Bench, plan: Plan, *left: int, around: tuple[Job, ...] = ()) -> None:
    """Runs of a plan whose pusher runs so many Python rows of each; see `launch_plan`."""
    build(b, plan)

    calls = [lambda count=count: launch_plan(b, plan, left=count) for count in left]
    b.pusher(lambda: one_by_one(b, plan, calls, around))
    b.python()


@program()
def plan_run_by_pusher(b: Bench) -> None:
    """Python rows run in the pusher where nothing stands before the plan; an interrupt leaves them
    to the Python threads at any row."""
    b.variable("a", "b", "c")
    by_pusher(b, pure(), 2, 1, 0, 2, around=tuple(chain("> a", "c > b")))
    (other,) = chain("a > c")
    b.pusher(lambda: b.submit(other))
    b.worker()


@program()
def plan_run_by_two_pushers(b: Bench) -> None:
    """Each runs its own run, or leaves it to the others."""
    b.variable("a", "b", "c")
    plan = pure()
    by_pusher(b, plan, 2, 2)
    b.pusher(lambda: launch_plan(b, plan, left=1) if plan.template else None)
    b.worker()


@program()
def plan_run_by_pusher_fails(b: Bench) -> None:
    """A failing Python row poisons what follows from it."""
    b.variable("a", "b", "c")
    by_pusher(b, pure(code=9), 2, 0, 2, around=tuple(chain("b > a", "> b")))
    b.worker()


@program(pending=2)
def plan_run_by_pusher_held(b: Bench) -> None:
    """The brake holds a pusher that runs Python rows, too."""
    b.variable("a", "b", "c")
    build(b, plan := pure())

    def script() -> None:
        prepare_plan(b, plan)
        for _ in range(3):
            launch_plan(b, plan, left=0)
            assert b.get(L.PENDING) <= 2, "more is pending than the brake allows"
        drop_plan(b, plan)
        b.wait_all()

    b.pusher(script)
    b.python()


@program()
def plan_row_of_an_interrupted_thread(b: Bench) -> None:
    """A thread that was kept from running its row leaves it to the others when it waits."""
    b.variable("a", "b", "c")
    build(b, plan := pure())

    def script() -> None:
        prepare_plan(b, plan)
        runner = b.buffers["pusher0"]
        words = (b.core, plan.template, 0, 0, 0, runner)
        b.log_push(plan, lambda: b.call(launching.launch, *words))
        drop_plan(b, plan)
        b.wait_all()

    b.pusher(script)
    b.python()
    b.worker()


@program()
def plan_overwrites(b: Bench) -> None:
    """What is written whole is cleared of the failure that was found on it."""
    b.variable("a", "b", "c")
    rows = [
        Row("r", (), ("a", "c"), ("a",), whole=("a",)),
        Row("s", (0,), ("a", "b"), ("b",)),
    ]
    build(b, plan := Plan("over", rows))
    failing = chain("> a!", "> b!")

    def script() -> None:
        for job in (failing[0], None, failing[1], None):
            if job is None:
                run_plan(b, plan)
            else:
                b.submit(job)
        b.wait_all()
        b.wait_all()

    b.pusher(script)
    b.worker()


@program(pending=2)
def plan_launched_and_held(b: Bench) -> None:
    """The brake; and tokens of states come back."""
    b.variable("a", "b", "c")
    plan = diamond()
    build(b, plan)

    def script() -> None:
        prepare_plan(b, plan)
        for token in (70, 71, 72):
            launch_plan(b, plan, token=token)
            assert b.get(L.PENDING) <= 2, "more is pending than the brake allows"
        drop_plan(b, plan)
        b.wait_all()
        dead = {b.call(failures.dead_cell, b.core) for _ in range(3)}
        assert dead == {70, 71, 72}, f"tokens {dead}"

    b.pusher(script)
    b.worker()


@program()
def plan_in_chunks(b: Bench) -> None:
    b.variable("a", "b")
    rows = [
        Row("r", (), ("a",), chunks=3, range=(0, 3)),
        Row("s", (0,), ("b",), ("b",), chunks=2, range=(0, 4)),
    ]
    plan_program(b, Plan("chunks", rows), *chain("> a", "b > a"), times=2)
    b.worker(2)


@program()
def kernel_in_chunks(b: Bench) -> None:
    b.variable("a", "b")
    options = {"flags": L.SPLITTABLE, "cost": 1 << 20, "range": (0, 6)}
    jobs = chain("> a", "a > b", **options)
    b.pusher(lambda: ([b.submit(j) for j in jobs], b.wait_all()))
    b.worker(2)


@program()
def chunks_fail(b: Bench) -> None:
    """Several parts of one kernel fail: that is one failure."""
    b.variable("a", "b")
    options = {"flags": L.SPLITTABLE, "cost": 1 << 20, "range": (0, 4)}
    (failing,) = chain("> a!", loose=True, **options)
    (reading,) = chain("a > b")
    b.pusher(lambda: (b.submit(failing), b.submit(reading), b.wait_all(), b.wait_all()))
    b.worker(1)
