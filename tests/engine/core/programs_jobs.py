"""Programs of failures, Python functions, device lanes, templates, finalisers."""

from __future__ import annotations

from nbgraph.engine.core import entries, serving
from nbgraph.engine.core import layout as L  # noqa: N812
from tests.engine.core.bench import Bench
from tests.engine.core.jobs import Job
from tests.engine.core.program import chain, program


@program()
def failure_flows(b: Bench) -> None:
    b.variable("a", "b", "c")
    jobs = chain("> a!", "a > b", "b > c", "> a")
    b.pusher(lambda: ([b.submit(j) for j in jobs], b.wait_all(), b.wait_variable("c")))
    b.worker()


@program()
def failure_already_raised(b: Bench) -> None:
    """A later push is not poisoned by what was raised; an earlier one still is."""
    b.variable("a", "b")
    first, second, third = chain("> a!", "a > b", "a > b")

    def script() -> None:
        b.submit(first)
        b.wait_variable("a")
        b.submit(third)
        b.wait_all()

    b.pusher(script)
    b.pusher(lambda: b.submit(second))
    b.worker()


@program()
def two_failures(b: Bench) -> None:
    b.variable("a", "b", "c")
    jobs = [*chain("> a!", "> b!", "a b > c"), Job("never", ("c",), ("a",), flags=L.NO_SKIP)]
    b.pusher(lambda: ([b.submit(j) for j in jobs], b.wait_all(), b.wait_all(), b.wait_all()))
    b.worker()


@program()
def python_calls(b: Bench) -> None:
    b.variable("a", "b")
    calls, kernels = chain("> a", "b > a!", where=L.PYTHON), chain("a > b", "a >")

    def script() -> None:
        for job in (calls[0], kernels[0], calls[1], kernels[1]):
            b.submit(job)
        b.wait_variable("a")

    b.pusher(script)
    b.python()


@program(alarms=True)
def python_calls_time_out(b: Bench) -> None:
    b.variable("a", "b")
    jobs = chain("> a", "> b", where=L.PYTHON)
    b.pusher(lambda: [b.submit(j) for j in jobs])
    b.python(50)
    b.python(50)


@program()
def notices(b: Bench) -> None:
    """Python functions that follow an operation, and a mark."""
    b.variable("a")
    (kernel,) = chain("> a")
    notice = Job("notice", number=1)
    b.jobs[1] = notice

    def script() -> None:
        asked = b.call(entries.notify, b.core, b.submit(kernel), 1)
        mark = b.call(serving.mark, b.core, b.variables["a"])
        if mark:
            asked += b.call(entries.notify, b.core, mark, 1)
        b.wait_all()
        assert len(notice.runs) == asked

    b.pusher(script)
    b.python()


@program()
def calls_that_leave_early(b: Bench) -> None:
    """Their variables are used by others before they are done."""
    b.variable("a", "b")
    good, bad = chain("a > b", "b > a!", where=L.PYTHON, early=True)
    kernels = chain("> b", "a > b")
    jobs = (good, kernels[0], bad, kernels[1])
    b.pusher(lambda: ([b.submit(j) for j in jobs], b.wait_variable("b"), b.wait_all()))
    b.python()


@program()
def conducted(b: Bench) -> None:
    """Everything is held; a thread takes what is ready in an order of its own."""
    b.variable("a", "b")
    kernels, calls = chain("> a", "> b", "a > b!"), chain("a >", "b > a", where=L.PYTHON)
    jobs = (*kernels[:2], calls[0], kernels[2], calls[1])
    b.pusher(lambda: ([b.submit(j) for j in jobs], b.wait_all()))
    b.conductor()


@program()
def fresh_variables(b: Bench) -> None:
    b.variable("a")
    b.place("x", 1)
    b.place("y", 2)
    first = Job("first", ("a",), ("x",), flags=L.FRESH)
    second = Job("second", ("x",), ("y",), 4, flags=L.FRESH | L.SMALL)
    last = Job("last", ("y",), ("x",))

    def script() -> None:
        b.submit_fresh(first)
        b.submit_fresh(second)
        b.submit(last)
        b.wait_variable("y")
        b.give_up("x")
        b.wait_all()

    b.pusher(script)
    b.worker()


@program()
def lane_keeps_order(b: Bench) -> None:
    b.variable("a", "b")
    lane = chain("> a", "a > b", where=L.FIRST_LANE)
    (kernel,) = chain("b > a")
    b.pusher(lambda: ([b.submit(j) for j in (*lane, kernel)], b.wait_variable("a")))
    b.lane()


@program()
def lane_poisoned_between(b: Bench) -> None:
    """Failures come between the phases, onto what is issued already."""
    b.variable("a", "b")
    lane = chain("> a!", "a > b", "b > a", where=L.FIRST_LANE)
    (kernel,) = chain("b > a")

    def script() -> None:
        for job in lane:
            b.submit(job)
        b.wait_variable("a")
        b.submit(kernel)
        b.wait_all()

    b.pusher(script)
    b.lane()


@program()
def lane_clears_a_failure(b: Bench) -> None:
    """A write that never skips is issued: what follows on the lane must not see what it clears."""
    b.variable("a")
    (failing,) = chain("> a!")
    clearing = Job("clearing", (), ("a",), where=L.FIRST_LANE, flags=L.NO_SKIP)
    reading = Job("reading", ("a",), (), where=L.FIRST_LANE)
    b.pusher(lambda: ([b.submit(j) for j in (failing, clearing, reading)], b.wait_all()))
    b.lane()


@program()
def lane_skips_behind_issued_work(b: Bench) -> None:
    """What is skipped on a lane ends in its turn, after what was issued before it."""
    b.variable("a", "b", "c")
    first, second = chain("> a c", "b > a", where=L.FIRST_LANE)
    failing, reading, last = chain("> b!", "a >", "c >")
    jobs = (failing, first, second, reading, last)
    b.pusher(lambda: ([b.submit(j) for j in jobs], b.wait_all()))
    b.lane()


@program()
def lane_and_kernels(b: Bench) -> None:
    b.variable("a", "b")
    lane = chain("a > b", "b > a", where=L.FIRST_LANE)
    kernels = chain("> a!", "b >", "> b")

    def script() -> None:
        for job in (kernels[0], lane[0], kernels[1], lane[1], kernels[2]):
            b.submit(job)
        b.wait_all()

    b.pusher(script)
    b.lane()


@program()
def templates(b: Bench) -> None:
    b.variable("a", "b")
    one, two = chain("a > b", "b > a")

    def script() -> None:
        b.prepare(one)
        b.prepare(two)
        for _ in range(2):
            b.push(one)
            b.push(two)
        b.drop(one)
        b.wait_all()
        b.drop(two)

    b.pusher(script)
    b.worker()


@program()
def given_up(b: Bench) -> None:
    """Variables are given up by a finaliser while they are in use."""
    b.variable("a", "b", "c")
    first, second, third = chain("> a", "a > b", "> c")

    def script() -> None:
        b.submit(first)
        b.submit(second)
        b.give_up("a")
        b.submit(third)
        b.give_up("c")
        b.wait_all()

    b.pusher(script)
    b.pusher(lambda: b.give_up("d"))
    b.variable("d")
    b.worker()
