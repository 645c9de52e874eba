"""Two-phase completion with real threads: a fake device takes part in random programs."""

import queue
import random
import threading

import pytest

from nbgraph.engine.lanes import Lane
from nbgraph.engine.threaded import ThreadedEngine
from nbgraph.errors import EngineError

WAIT = 30


class Device:
    """A fake device: takes work in order, does it in order, a little later, on its own thread."""

    def __init__(self):
        self._work = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        while (job := self._work.get()) is not None:
            fn, done = job
            try:
                fn()
            except ValueError as error:
                done(error)
            else:
                done()

    def issue(self, fn):
        return lambda run_ctx, done: self._work.put((fn, done))

    def close(self):
        self._work.put(None)
        self._thread.join(WAIT)


@pytest.fixture
def engine():
    made = ThreadedEngine(workers=2)
    yield made
    made.stop()


@pytest.fixture
def device():
    made = Device()
    yield made
    made.close()


def test_what_follows_on_the_lane_does_not_wait_for_the_end(engine):
    lane, v = Lane(engine), engine.new_variable()
    dones, both = [], threading.Event()

    def issue(run_ctx, done):
        dones.append(done)
        if len(dones) == 2:
            both.set()

    first = lane.push(issue, mutate_vars=[v])
    second = lane.push(issue, mutate_vars=[v])
    host = engine.push(lambda run_ctx: "host", const_vars=[v])
    assert both.wait(WAIT)  # the second was issued before the first was done
    assert not first.done() and not second.done() and not host.done()
    dones[1]()  # out of order: it ends after the first
    assert not second.done()
    dones[0]()
    assert first.result(WAIT) is None and second.result(WAIT) is None
    assert host.result(WAIT) == "host" and v.version == 2


def test_other_lanes_wait_for_the_end(engine):
    one, two, v = Lane(engine, "one"), Lane(engine, "two"), engine.new_variable()
    dones, other = [], threading.Event()
    one.push(lambda run_ctx, done: dones.append(done), mutate_vars=[v])
    pending = two.push(lambda run_ctx, done: (other.set(), done()), const_vars=[v])
    engine.push(lambda run_ctx: None).result(WAIT)
    assert not other.wait(0.05)
    dones[0]()
    assert pending.result(WAIT) == (None, None) and other.is_set()


def test_poison_may_come_between_the_phases(engine):
    lane = Lane(engine)
    a, b = engine.new_variable("a"), engine.new_variable("b")
    dones = []
    first = lane.push(lambda run_ctx, done: dones.append(done), mutate_vars=[a], name="first")
    second = lane.push(
        lambda run_ctx, done: dones.append(done), const_vars=[a], mutate_vars=[b], name="second"
    )
    reader = engine.push(lambda run_ctx: "never", const_vars=[b])
    while len(dones) < 2:
        threading.Event().wait(0.001)
    dones[0](ValueError("the device stumbled"))
    dones[1]()
    with pytest.raises(ValueError, match="stumbled") as caught:
        reader.result(WAIT)
    assert any("'first'" in note for note in caught.value.__notes__)
    for pending in (first, second):
        assert isinstance(pending.exception(WAIT), ValueError)
    assert isinstance(b.error, ValueError)
    engine.wait_for_all(WAIT)


@pytest.mark.parametrize("how", ["issue", "skipped"])
def test_a_failure_waits_for_its_turn(engine, how):
    """What was issued before is not concerned by a later failure on the same lane."""
    lane, v, w = Lane(engine), engine.new_variable("v"), engine.new_variable("w")
    dones = []

    def fail(run_ctx, done):
        raise OSError("later")

    first = lane.push(lambda run_ctx, done: dones.append(done), mutate_vars=[v])
    if how == "skipped":
        engine.push(lambda run_ctx: 1 / 0, mutate_vars=[w])
        later = lane.push(fail, const_vars=[w], mutate_vars=[v])
    else:
        later = lane.push(fail, mutate_vars=[v])
    while not dones or len(lane._issued) < 2:
        engine.push(lambda run_ctx: None).result(WAIT)
    assert not later.done()
    dones[0]()
    assert first.result(WAIT) is None
    assert isinstance(later.exception(WAIT), OSError if how == "issue" else ZeroDivisionError)
    assert isinstance(v.error, OSError if how == "issue" else ZeroDivisionError)


def test_an_issue_that_raises_fails_the_operation(engine):
    lane, v = Lane(engine), engine.new_variable()

    def issue(run_ctx, done):
        raise OSError("no device")

    pending = lane.push(issue, mutate_vars=[v])
    with pytest.raises(OSError, match="no device"):
        pending.result(WAIT)


def test_there_is_an_end_to_lanes(engine):
    with pytest.raises(EngineError, match="lanes of this engine are taken"):
        for _ in range(20):
            Lane(engine)


@pytest.mark.parametrize("seed", range(30))
def test_random_programs_over_host_and_lanes(engine, device, seed):
    rng = random.Random(seed)
    lanes = [Lane(engine, f"lane {i}") for i in range(2)]
    devices = [device, Device()]
    variables = [engine.new_variable(f"v{i}") for i in range(4)]
    values, seen = [0] * 4, {}
    expected_values, expected, failing = [0] * 4, {}, {}
    for number in range(1, 120):
        places = rng.sample(range(4), rng.randint(1, 3))
        cut = rng.randint(0, len(places) - 1)
        reads, writes = places[:cut], places[cut:]
        fails = rng.random() < 0.05

        def work(number=number, reads=reads, writes=writes, fails=fails):
            seen[number] = [values[p] for p in reads]
            if fails:
                raise ValueError(number)
            for p in writes:
                values[p] = number

        found = [failing[p] for p in places if p in failing]
        failure = min(found, default=None)
        if failure is None:
            expected[number] = [expected_values[p] for p in reads]
            if fails:
                failure = number
            else:
                for p in writes:
                    expected_values[p] = number
        for p in writes:
            failing.pop(p, None)
            if failure is not None:
                failing[p] = failure
        sets = {
            "const_vars": [variables[p] for p in reads],
            "mutate_vars": [variables[p] for p in writes],
        }
        where = rng.randrange(3)
        if where == 2:
            engine.push(lambda run_ctx, work=work: work(), **sets)
        else:
            lanes[where].push(devices[where].issue(work), **sets)
    for v in variables:
        engine._wait_variable(v, None)
    engine._wait_all(None)
    devices[1].close()
    for number, saw in expected.items():
        assert seen[number] == saw, number
    got = {p: v.error.args[0] for p, v in enumerate(variables) if v.error is not None}
    assert got == failing
    assert all(values[p] == expected_values[p] for p in range(4) if p not in failing)
    with pytest.raises(ValueError) if failing else nothing():
        engine.wait_for_all(WAIT)


class nothing:
    def __enter__(self):
        return self

    def __exit__(self, *exc):
        return exc[0] is not None and issubclass(exc[0], ValueError)
