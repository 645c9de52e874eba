"""Which way a plan runs follows from times, of which some are disturbed."""

import random

import pytest

from nbgraph.engine.core import layout, outside, running

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
