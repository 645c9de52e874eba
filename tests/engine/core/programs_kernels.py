"""Programs of kernels: order, workers, waits, priorities, the brake."""

from __future__ import annotations

from nbgraph.engine.core import layout as L  # noqa: N812
from tests.engine.core.bench import Bench
from tests.engine.core.jobs import Job
from tests.engine.core.program import chain, program


@program()
def waiter_alone(b: Bench) -> None:
    b.variable("a", "b")
    jobs = chain("> a", "a > b", "b > a", "a b >")
    b.pusher(lambda: ([b.submit(j) for j in jobs], b.wait_all()))


@program()
def one_worker(b: Bench) -> None:
    b.variable("a", "b")
    jobs = chain("> a", "a > b", "> a")
    b.pusher(lambda: ([b.submit(j) for j in jobs], b.wait_all()))
    b.worker()


@program()
def worker_without_waiter(b: Bench) -> None:
    """Nobody helps: a wake-up that is lost is not made good."""
    b.variable("a")
    jobs = chain("> a", "a >", "a >")
    b.pusher(lambda: [b.submit(j) for j in jobs])
    b.worker()


@program()
def two_workers(b: Bench) -> None:
    b.variable("a", "b")
    jobs = chain("> a", "> b", "a b >")
    b.pusher(lambda: [b.submit(j) for j in jobs])
    b.worker(2)


@program()
def readers_and_writer(b: Bench) -> None:
    b.variable("a")
    jobs = chain("a >", "a >", "> a", "a >")
    b.pusher(lambda: ([b.submit(j) for j in jobs], b.wait_all()))
    b.worker()


@program()
def two_pushers(b: Bench) -> None:
    b.variable("a", "b")
    one, two = chain("> a", "a > b"), chain("b > a", "a >", flags=L.NO_SKIP)
    b.pusher(lambda: ([b.submit(j) for j in one], b.wait_all()))
    b.pusher(lambda: ([b.submit(j) for j in two], b.wait_variable("a")))


@program()
def small_in_the_pusher(b: Bench) -> None:
    b.variable("a", "b")
    one, two = chain("> a", "a > b", flags=L.SMALL), chain("b > a", "a >", flags=L.SMALL)
    b.pusher(lambda: [b.submit(j) for j in one])
    b.pusher(lambda: ([b.submit(j) for j in two], b.wait_all()))


@program()
def ticket_waits(b: Bench) -> None:
    b.variable("a", "b")
    first, second, third = chain("> a", "a > b", "> a")

    def script() -> None:
        tickets = [b.submit(first), b.submit(second)]
        b.wait(tickets[0])
        b.submit(third)
        b.wait(tickets[1])

    b.pusher(script)
    b.worker()


@program()
def variable_waits(b: Bench) -> None:
    b.variable("a", "b")
    first, second, third = chain("> a!", "a > b", "> a")

    def script() -> None:
        b.submit(first)
        b.submit(second)
        b.wait_variable("a")
        b.submit(third)
        b.wait_variable("b")
        b.wait_variable("a")

    b.pusher(script)
    b.worker()


@program()
def long_kernels_are_left(b: Bench) -> None:
    """A thread that waits runs short kernels, and a chain only until it comes to a long one."""
    b.variable("a", "b")
    b.helps = 50
    jobs = chain("> a", "a > b", "b > a!", "a >", cost=9)
    jobs[1].cost, jobs[3].cost = 99, 0  # long, and not known
    b.pusher(lambda: ([b.submit(j) for j in jobs], b.wait_all()))
    b.worker()


@program(alarms=True)
def waits_that_time_out(b: Bench) -> None:
    b.variable("a")
    first, second = chain("> a", "a >")

    def script() -> None:
        b.submit(first)
        b.wait(b.submit(second), 50)
        b.wait(0, 50)

    b.pusher(script)
    b.worker()


@program(alarms=True)
def signals(b: Bench) -> None:
    """A waiter that leaves must hand on the wake-up it was given."""
    b.variable("a", "b")
    first, second = chain("> a"), chain("> b")
    b.pusher(lambda: b.wait(b.submit(first[0]), 50))
    b.pusher(lambda: b.submit(second[0]))
    b.worker()


@program()
def wake_up_handed_on(b: Bench) -> None:
    """A waiter is woken for a kernel when what it waits for is done: somebody else must run it."""
    b.variable("a", "b")
    first, second = chain("> a", where=L.PYTHON), chain("> b")
    b.pusher(lambda: b.wait(b.submit(first[0])))
    b.pusher(lambda: b.submit(second[0]))
    b.worker()
    b.python()


@program(pending=2)
def brake(b: Bench) -> None:
    b.variable("a", "b")
    b.pusher(lambda: [b.submit(j) for j in chain("> a", "> b", "a >", "b >")])
    b.worker()


@program(pending=2)
def brake_alone(b: Bench) -> None:
    b.variable("a", "b")
    jobs = chain("> a", "> b", "a b >", "> a")
    b.pusher(lambda: ([b.submit(j) for j in jobs], b.wait_all()))


@program(held=100)
def brake_of_bytes(b: Bench) -> None:
    b.variable("a", "b")
    jobs = chain("> a", "> b", "a b >", bytes=60)
    b.pusher(lambda: ([b.submit(j) for j in jobs], b.wait_all()))


@program()
def priorities(b: Bench) -> None:
    b.variable("a", "b", "c")
    jobs = [
        Job(f"{p}", writes=(v,), priority=p)
        for v, p in (("a", -1), ("b", 3), ("c", 0), ("a", 2), ("b", 3))
    ]
    b.pusher(lambda: ([b.submit(j) for j in jobs], b.wait_all()))
    b.worker()


@program()
def priorities_in_order(b: Bench) -> None:
    ranks = (0, 2, -1, 0, 2, 5, -1, 2)
    names = [f"v{i}" for i in range(len(ranks))]
    b.variable(*names)
    jobs = [Job(str(i), writes=(names[i],), priority=p) for i, p in enumerate(ranks)]

    def script() -> None:
        for job in jobs:
            b.submit(job)
        b.wait_all()
        order = sorted(range(len(ranks)), key=lambda i: -ranks[i])
        assert [j.name for j in b.ran] == [str(i) for i in order]

    b.pusher(script)


@program()
def numbers_are_not_found_again(b: Bench) -> None:
    """The block of a done operation holds a failure, raised when that operation was the newest."""
    b.variable("a")
    (failing,), lonely = chain("> a!", where=L.PYTHON), Job("lonely")

    def script() -> None:
        first, second = b.submit(failing), b.submit(lonely)
        b.wait(second)
        b.wait(first)
        b.wait_all()
        b.wait(second)

    b.pusher(script)
    b.python()
