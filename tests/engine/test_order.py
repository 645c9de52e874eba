"""What runs before what: sets, duplicates, nested pushes, pushes from many threads."""

import random
import threading
import time

import numpy as np
import pytest

import nbgraph as ng
from tests.engine.conftest import WAIT
from tests.support import on_threads


def test_a_function_runs_once_with_a_run_context(engine):
    """ENG-01, ENG-06."""
    seen = []
    pending = engine.push(seen.append, mutate_vars=[engine.new_variable()], name="once")
    engine.wait_for_all(WAIT)
    (run,) = seen
    assert isinstance(run, ng.RunContext) and run.device == ng.cpu() and run.stream is None
    assert pending.done() and pending.result() is None


def test_writes_of_a_variable_run_in_push_order(engine):
    """ENG-02, ENG-21: 10^4 pushes on a few variables."""
    rng = random.Random(1)
    variables = [engine.new_variable() for _ in range(5)]
    seen = {v: [] for v in variables}
    pushed = {v: [] for v in variables}
    for i in range(10_000):
        chosen = rng.sample(variables, rng.randint(1, 3))

        def fn(run_ctx, i=i, chosen=chosen):
            for v in chosen:
                seen[v].append(i)

        for v in chosen:
            pushed[v].append(i)
        engine.push(fn, mutate_vars=chosen)
    engine.wait_for_all(WAIT)
    assert seen == pushed
    assert [v.version for v in variables] == [len(pushed[v]) for v in variables]


@pytest.mark.parametrize("seed", range(4))
def test_every_read_sees_the_last_earlier_write(engine, seed):
    """ENG-03, X-ENG-02: random programs of synchronous, asynchronous and bulked functions."""
    rng = random.Random(seed)
    count = 6
    variables = [engine.new_variable() for _ in range(count)]
    cells, expected = [None] * count, [None] * count
    seen, wanted = {}, {}
    timers = []
    for i in range(600):
        reads = rng.sample(range(count), rng.randint(0, 3))
        writes = rng.sample(range(count), rng.randint(0, 2))

        def body(i=i, reads=reads, writes=writes):
            seen[i] = [cells[r] for r in reads]
            for w in writes:
                cells[w] = i

        wanted[i] = [expected[r] for r in reads]
        for w in writes:
            expected[w] = i
        sets = {
            "const_vars": [variables[r] for r in reads],
            "mutate_vars": [variables[w] for w in writes],
        }
        kind = rng.random()
        if kind < 0.1:

            def later(run_ctx, on_complete, body=body):
                def end():
                    body()
                    on_complete()

                timers.append(threading.Timer(rng.random() * 1e-3, end))
                timers[-1].start()

            engine.push_async(later, **sets)
        elif kind < 0.2:
            with engine.bulk(rng.randint(1, 4)):
                engine.push(lambda run_ctx, body=body: body(), **sets)
                engine.push(lambda run_ctx: None, **sets)
        else:
            engine.push(lambda run_ctx, body=body: body(), **sets, priority=rng.randint(-2, 2))
        if rng.random() < 0.02:
            engine.wait_for_var(rng.choice(variables), WAIT)
    engine.wait_for_all(WAIT)
    for timer in timers:
        timer.join(WAIT)
    assert seen == wanted and cells == expected


def test_readers_may_overlap_and_results_are_the_same(engine, gate):
    """ENG-05: readers share; the next writer waits for all of them."""
    v = engine.new_variable()
    order = []
    held = [engine.new_variable() for _ in range(3)]
    gates = [gate(engine, h) for h in held]
    for h in held:
        engine.push(lambda run_ctx: order.append("read"), const_vars=[v, h])
    write = engine.push(lambda run_ctx: order.append("write"), mutate_vars=[v])
    for one in (gates[2], gates[0]):
        one.open()
    assert not write.done()
    gates[1].open()
    engine.wait_for_var(v, WAIT)
    assert order == ["read"] * 3 + ["write"]


def test_a_variable_named_twice_counts_once_and_writing_wins(engine, gate):
    """ENG-19."""
    v, w = engine.new_variable(), engine.new_variable()
    closed = gate(engine, w)
    seen = []
    engine.push(lambda run_ctx: seen.append(1), const_vars=[v, v, w], mutate_vars=(v, v))
    engine.push(lambda run_ctx: seen.append(2), const_vars=iter([v, v]))
    closed.open()
    engine.wait_for_var(v, WAIT)
    assert seen == [1, 2] and v.version == 1


def test_any_iterable_of_variables_will_do(engine):
    """ENG-19."""
    v, w = engine.new_variable(), engine.new_variable()
    for given in ([v, w], (v, w), {v, w}, {v: 0, w: 1}, (x for x in (v, w))):
        engine.push(lambda run_ctx: None, mutate_vars=given)
    engine.wait_for_all(WAIT)
    assert (v.version, w.version) == (5, 5)


def test_weights_are_updated_in_place(engine):
    """ENG-20: state is changed, nothing is allocated."""
    w, g = np.zeros(1000, np.float32), np.ones(1000, np.float32)
    weight, gradient = engine.new_variable("w"), engine.new_variable("g")
    address = w.ctypes.data

    def update(run_ctx):
        np.add(w, g, out=w)

    for _ in range(50):
        engine.push(update, const_vars=[gradient], mutate_vars=[weight])
    engine.wait_for_var(weight, WAIT)
    assert (w == 50).all() and w.ctypes.data == address and weight.version == 50


def test_a_function_may_push(engine):
    """A nested push that conflicts with its pusher runs after it; X-ENG-10."""
    v = engine.new_variable()
    order = []

    def outer(run_ctx):
        order.append("outer begins")
        engine.push(lambda run_ctx: order.append("inner"), mutate_vars=[v])
        order.append("outer ends")

    engine.push(outer, mutate_vars=[v])
    engine.wait_for_all(WAIT)
    assert order == ["outer begins", "outer ends", "inner"]


def test_long_chains_of_functions_that_push(engine):
    v = [engine.new_variable() for _ in range(3)]
    count = []

    def step(run_ctx):
        count.append(1)
        if len(count) < 3000:
            engine.push(step, mutate_vars=[v[len(count) % 3]])

    engine.push(step, mutate_vars=[v[0]])
    engine.wait_for_all(WAIT)
    assert len(count) == 3000


def test_many_threads_push_and_wait(engine):
    """ENG-24, Z-2: no update is lost."""
    variables = [engine.new_variable() for _ in range(3)]
    totals = [0, 0, 0]

    def worker(seed):
        rng = random.Random(seed)
        for _ in range(200):
            k = rng.randrange(3)

            def add(run_ctx, k=k):
                before = totals[k]
                if rng.random() < 0.05:
                    time.sleep(1e-4)
                totals[k] = before + 1

            pending = engine.push(add, mutate_vars=[variables[k]])
            if rng.random() < 0.1:
                pending.result(WAIT)
            if rng.random() < 0.1:
                engine.wait_for_var(variables[k], WAIT)

    on_threads(worker, range(8), seconds=WAIT)
    engine.wait_for_all(WAIT)
    assert sum(totals) == 1600 and [v.version for v in variables] == totals


def test_one_variable_guards_anything(engine, tmp_path):
    """ENG-17: a file and a random stream."""
    path, rng = tmp_path / "log.txt", np.random.default_rng(0)
    file, stream = engine.new_variable("file"), engine.new_variable("stream")
    drawn = []
    for i in range(20):
        engine.push(lambda run_ctx: drawn.append(rng.random()), mutate_vars=[stream])

        def write(run_ctx, i=i):
            with path.open("a") as f:
                f.write(f"{i}\n")

        engine.push(write, mutate_vars=[file])
    engine.wait_for_all(WAIT)
    assert path.read_text().split() == [str(i) for i in range(20)]
    assert drawn == list(np.random.default_rng(0).random(20))


# engines with threads of their own -------------------------------------------------------------


def test_functions_run_on_the_engines_threads(threads):
    """ENG-10."""
    ident = threads.push(lambda run_ctx: threading.get_ident()).result(WAIT)
    assert ident != threading.get_ident()


def test_push_returns_while_the_function_is_blocked(threads):
    """ENG-23."""
    free = threading.Event()
    pending = threads.push(lambda run_ctx: free.wait(WAIT))
    assert not pending.done()
    free.set()
    assert pending.result(WAIT)


def test_functions_without_common_variables_overlap(threads):
    """ENG-04: each waits for the other."""
    barrier = threading.Barrier(2)
    pair = [
        threads.push(lambda run_ctx: barrier.wait(WAIT), mutate_vars=[threads.new_variable()])
        for _ in range(2)
    ]
    assert {p.result(WAIT) for p in pair} == {0, 1}
