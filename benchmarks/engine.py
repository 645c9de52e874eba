"""The figures of the dependency engine: pushes, chains, plans, several cores, starts.

    python -m benchmarks.engine

Costs of pushes and chains are CPU time of the whole process, workers included; round trips and
speed-ups are wall time, the median of many runs. The peers are what one would write without an
engine: a thread behind `queue.SimpleQueue`, and `concurrent.futures.ThreadPoolExecutor`, neither of
which orders anything by what it reads and writes. A speed-up by a second core means something only
on a machine whose cores are idle; `load` beside it says how busy they were.
"""

from __future__ import annotations

import os
import queue
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numba import cfunc

from benchmarks.harness import Factor, Limit, cold, report
from nbgraph.engine.kernels import Launcher
from nbgraph.engine.native_call import NativeCall
from nbgraph.engine.plans.plan import Instance, Plan, Step
from nbgraph.engine.threaded import ThreadedEngine
from nbgraph.native import memory

SIGNATURE = "int64(int64,int64,int64)"
float64_pointer, word, store = memory.POINTERS["float64"], memory.word, memory.store
VALUES = [np.zeros(8) for _ in range(4)]


@cfunc(SIGNATURE)
def tiny(args, lo, hi):
    return 0


@cfunc(SIGNATURE, error_model="numpy")
def busy(args, lo, hi):
    x = 1.0
    for i in range(lo, hi):
        x = x * 1.0000001 + 0.5 / (x + i)
    store(float64_pointer(word(args, 0)), np.int64(0), x)
    return 0


def cpu(call: Callable[[], object], count: int, rounds: int = 7) -> float:
    """CPU seconds of the process per operation; `call` runs `count` of them."""
    times: list[float] = []
    for _ in range(rounds):
        started = time.process_time()
        call()
        times.append((time.process_time() - started) / count)
    return statistics.median(times)


def wall(call: Callable[[], object], rounds: int) -> float:
    """Wall seconds of a call."""
    times: list[float] = []
    for _ in range(rounds):
        started = time.perf_counter()
        call()
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def repeat(call: Callable[[], object], count: int, after: Callable[[], object]) -> None:
    for _ in range(count):
        call()
    after()


def push_rows(engine: ThreadedEngine) -> Iterator[Limit]:
    """What a push costs."""
    a, b, c = (engine.new_variable() for _ in range(3))
    call = NativeCall(tiny.address, [16], 16, cost=500)
    operator = engine.new_operator(call, const_vars=[a, b], mutate_vars=[c])
    count = 20_000
    bound = cpu(lambda: repeat(operator.push, count, engine.wait_for_all), count)
    yield Limit("push of a prepared operator, bound", bound, 0.4e-6)
    method = cpu(
        lambda: repeat(lambda: engine.push_operator(operator), count, engine.wait_for_all), count
    )
    yield Limit("push of a prepared operator, by method", method, 0.7e-6)
    launch = Launcher(engine, tiny.address, 16, 2, 1, cost=500)
    record = tuple(range(10))
    launch((a, b, c), record)
    core = launch._core
    assert core is not None
    slots = (a._address << 2, b._address << 2, c._address << 2)
    submit = core.bound("submit", *launch.fixed)
    yield Limit(
        "submit with 3 variables, 10 words",
        cpu(
            lambda: repeat(
                lambda: submit(0, launch._count, *slots, *record), count, engine.wait_for_all
            ),
            count,
        ),
        0.8e-6,
    )
    yield Limit(
        "the same through a Launcher",
        cpu(lambda: repeat(lambda: launch((a, b, c), record), count, engine.wait_for_all), count),
        1.2e-6,
    )
    yield Limit(
        "create and delete a variable",
        cpu(lambda: repeat(engine.new_variable, count, lambda: None), count),
        2e-6,
    )


def chain_rows(engine: ThreadedEngine) -> Iterator[Limit | Factor]:
    """A chain through a worker, and the same through queues."""
    v = engine.new_variable()
    count = 20_000
    operator = engine.new_operator(NativeCall(tiny.address, [16], 16), mutate_vars=[v])
    yield Limit(
        "chain of tiny kernels through a worker",
        cpu(lambda: repeat(operator.push, count, engine.wait_for_all), count),
        1.2e-6,
    )
    nothing = NativeCall(tiny.address, [16], 16)
    todo: queue.SimpleQueue[Callable[[], object] | None] = queue.SimpleQueue()

    def serve() -> None:
        while (job := todo.get()) is not None:
            job()

    threading.Thread(target=serve, daemon=True).start()
    done = threading.Event()

    def by_queue() -> None:
        done.clear()
        repeat(lambda: todo.put(nothing), 1000, lambda: todo.put(done.set))
        done.wait()

    pool = ThreadPoolExecutor(1)

    def by_pool() -> None:
        repeat(lambda: pool.submit(nothing), 1000, lambda: pool.submit(int).result())

    def ours() -> None:
        repeat(operator.push, 1000, engine.wait_for_all)

    for name, peer in (("SimpleQueue and a thread", by_queue), ("ThreadPoolExecutor", by_pool)):
        ratio = statistics.median(cpu(peer, 1000, 3) / cpu(ours, 1000, 3) for _ in range(15))
        yield Factor(f"chain, times quicker than {name}", ratio, 1.0)


def python_rows(engine: ThreadedEngine) -> Iterator[Limit]:
    """Python functions."""
    v = engine.new_variable()
    count = 5_000

    def job(run_ctx: object) -> None: ...

    def pushes() -> float:
        started = time.thread_time()
        for _ in range(count):
            engine.push(job, mutate_vars=[v])
        taken = time.thread_time() - started
        engine.wait_for_all()
        return taken / count

    yield Limit("push of a Python function", statistics.median(pushes() for _ in range(7)), 6e-6)
    round_trip = wall(lambda: engine.push(job, mutate_vars=[v]).result(), 2000)
    yield Limit("round trip through a Python worker", round_trip, 30e-6)


def runner(engine: ThreadedEngine, plan: Instance, last: object) -> Callable[[], None]:
    def run() -> None:
        plan.push()
        engine.wait_for_var(last)  # type: ignore[arg-type]

    run()
    return run


def plan_rows(engine: ThreadedEngine) -> Iterator[Limit]:
    """Bound plans of many tiny kernels."""
    v = engine.new_variable()
    call = NativeCall(tiny.address, [16], 16)
    chain = [Step(call, writes=("x",)) for _ in range(999)] + [
        Step(call, reads=("x",), writes=(v,))
    ]
    serial = runner(engine, Plan(chain).instance(engine), v)
    yield Limit("plan of 1,000 tiny kernels, an operation", wall(serial, 200) / 1000, 15e-9)
    wide = [Step(call, writes=(("x", i % 2),)) for i in range(999)] + [
        Step(call, reads=(("x", 0), ("x", 1)), writes=(v,))
    ]
    # a late variable asks for the scheduler
    parallel = runner(engine, Plan(wide, late=[v]).instance(engine), v)
    yield Limit("the same by the parallel scheduler", wall(parallel, 200) / 1000, 25e-9)


def length_of(seconds: float) -> int:
    """How many turns of `busy` take so long."""
    probe = NativeCall(busy.address, [VALUES[0].ctypes.data], 10_000)
    return int(10_000 * seconds / wall(probe, 50))


def core_rows(engine: ThreadedEngine) -> Iterator[Limit | Factor]:
    """What a second core brings."""
    v = engine.new_variable()
    tail = NativeCall(tiny.address, [16], 16)

    def kernel(seconds: float, place: int, cost: int = 0) -> NativeCall:
        turns = length_of(seconds)
        return NativeCall(busy.address, [VALUES[place].ctypes.data], turns, cost=cost)

    parts = [kernel(4e-6, 0), kernel(4e-6, 1)]
    branches = [Step(parts[i % 2], writes=(i % 2,)) for i in range(100)]
    line = [Step(parts[i % 2], writes=(0,)) for i in range(100)]
    ends = [Step(tail, reads=(0, 1), writes=(v,)), Step(tail, reads=(0,), writes=(v,))]
    both = runner(engine, Plan([*branches, ends[0]]).instance(engine), v)
    alone = runner(engine, Plan([*line, ends[1]]).instance(engine), v)
    yield Factor("two branches of 4 us kernels, 2 cores", speed_up(alone, both), 1.8)
    one = kernel(60e-6, 2, 60_000)
    chunked = runner(engine, Plan([Step(one, writes=(v,))]).instance(engine), v)
    whole = runner(engine, Plan([Step(one, writes=(v,), chunks=1)]).instance(engine), v)
    yield Factor("one 60 us kernel in chunks, 2 cores", speed_up(whole, chunked), 1.8)
    spinners = [hog() for _ in range(os.cpu_count() or 1)]
    try:
        time.sleep(0.2)
        yield Factor("the chunks with all cores busy elsewhere", speed_up(whole, chunked), 0.95)
        yield Factor("the branches with all cores busy", speed_up(alone, both), 0.95)
    finally:
        for pid in spinners:
            os.kill(pid, 9)
            os.waitpid(pid, 0)


def speed_up(slow: Callable[[], None], quick: Callable[[], None]) -> float:
    """Median of ratios of wall times, taken in turns."""
    for _ in range(200):  # both have found their way by then
        quick()
    return statistics.median(wall(slow, 5) / wall(quick, 5) for _ in range(100))


def hog() -> int:
    """A process that keeps a core busy."""
    return os.spawnlp(os.P_NOWAIT, "sh", "sh", "-c", "while :; do :; done")


COLD = """
import time, numba
import nbgraph.engine.threaded as t
started = time.perf_counter()
engine = t.ThreadedEngine()
engine.start()
print(time.perf_counter() - started)
"""


def start_rows() -> Iterator[Limit]:
    """The core's start, without and with its object code on disk."""
    with tempfile.TemporaryDirectory() as folder:
        env = {"NBGRAPH_CACHE_DIR": folder}
        yield Limit("core start, cold", cold(COLD, env), 8.0)
        yield Limit("core start, cached", cold(COLD, env, repeats=3), 0.5)


def rows() -> Iterator[Limit | Factor]:
    """Everything."""
    engine = ThreadedEngine(workers=1)
    engine.start()
    for part in (push_rows, chain_rows, python_rows, plan_rows, core_rows):
        yield from part(engine)
    engine.stop()
    yield from start_rows()
    print(f"load {os.getloadavg()[0]:.2f}")


if __name__ == "__main__":
    raise SystemExit(report(rows()))
