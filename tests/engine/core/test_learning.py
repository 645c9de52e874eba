"""Which way a plan runs follows from times, of which some are disturbed."""

import random

import pytest

from nbgraph.engine.core import layout, outside, running, waiting

INSTANCE = 1 << 20


@pytest.fixture
def words(monkeypatch):
    """Memory of the core, by address."""
    memory = {INSTANCE + layout.I_WIDTH: 1}
    for module in (outside, running):
        monkeypatch.setattr(module, "load", lambda at: memory.get(at, 0))
        monkeypatch.setattr(module, "store", memory.__setitem__)
    return memory


def slower_runs(words, serial, parallel, runs, disturbed=lambda k, ns: ns):
    """Run a plan so many times; how often it went the way that takes longer."""
    count = 0
    for k in range(runs):
        wide = running.parallel_pays(0, INSTANCE)
        place = layout.I_PARALLEL_NS if wide else layout.I_SERIAL_NS
        outside.smooth(INSTANCE + place, disturbed(k, parallel if wide else serial))
        count += (parallel < serial) != wide
    return count


@pytest.mark.parametrize(("serial", "parallel"), [(4_700_000, 2_600_000), (200_000, 260_000)])
def test_a_cold_first_run_is_soon_forgotten(words, serial, parallel):
    """The first run of several threads touches new memory: it says little of those after it."""
    words[INSTANCE + layout.I_SERIAL_NS] = serial // 2  # as costs were estimated
    slower = slower_runs(words, serial, parallel, 64, lambda k, ns: 3 * ns if k == 0 else ns)
    assert slower <= 20
    assert slower_runs(words, serial, parallel, 512) <= 8


def test_runs_that_wait_for_a_processor_change_little(words):
    """Each fifth run of several threads has a processor for one of them alone."""
    source = random.Random(0)
    late = lambda k, ns: 7_000_000 if ns == 3_600_000 and source.random() < 0.2 else ns
    slower_runs(words, 6_800_000, 3_600_000, 64, late)
    assert slower_runs(words, 6_800_000, 3_600_000, 512, late) <= 64


@pytest.mark.parametrize("helps", [True, False])
def test_a_wait_that_has_left_its_work_leaves_its_processor(monkeypatch, helps):
    """The thread that helps in its place may have nowhere else to run."""
    memory, seen = {layout.SPIN: 600}, []
    for name in ("arm", "lock", "unlock", "add_idle", "settle_parker", "unwatch"):
        monkeypatch.setattr(waiting, name, lambda *_: None)
    monkeypatch.setattr(waiting, "load", lambda at: memory.get(at, 0))
    monkeypatch.setattr(waiting, "store", memory.__setitem__)
    monkeypatch.setattr(waiting, "rest", lambda core, parker, timeout, spins: seen.append(spins))
    waiting.watch_and_rest(0, 1 << 20, 1 << 21, 7, -1, helps)
    assert seen == [600 if helps else 0]
