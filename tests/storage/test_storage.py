"""`ng.storage`: one pool a device, what it says of itself, and what it gives back."""

import pytest

import nbgraph as ng
from nbgraph import storage
from nbgraph.device import gpu
from nbgraph.errors import ArgumentError, DeviceError
from nbgraph.storage import machine
from nbgraph.storage.memory import account, borrow

MIB = 1 << 20


def test_stats_count_what_a_device_has(device):
    """X-MEM-08, STO-01: counters, and a hit rate."""
    pool = storage.pool(device)
    assert storage.stats(device).hit_rate == 1.0  # nothing was missed yet
    import numpy as np

    borrowed = borrow(np.zeros(10), device)
    block = pool.take(MIB)
    for _ in range(9):
        pool.give(block)
        assert pool.take(MIB) is block
    other = pool.take(100)
    pool.give(other)
    stats = storage.stats(device)
    assert (stats.in_use, stats.free, stats.allocated) == (MIB, 128, MIB + 128)
    assert (stats.blocks, stats.free_blocks, stats.borrowed) == (2, 1, borrowed.nbytes)
    assert (stats.takes, stats.hits, stats.misses, stats.hit_rate) == (11, 9, 2, 9 / 11)
    assert stats.peak == MIB + 128
    assert stats.limit == 0
    assert "held: 1 x 1.0 MiB, 1 x 128 B" in stats.holders


def test_stats_are_an_object_that_shows_itself(device):
    """API rule 9."""
    with ng.config(storage_limit=2 * MIB, storage_pool="naive"):
        stats = storage.stats(device)
    text = str(stats)
    assert text.startswith(f"storage of {device!r}, naive\n")
    assert "limit          2.0 MiB" in text
    assert "<pre" in stats._repr_html_()
    assert stats.to_dict()["hit_rate"] == 1.0
    assert stats.to_dict()["strategy"] == "naive"


def test_all_devices_together(device):
    pool = storage.pool(device)
    before = storage.stats().in_use
    block = pool.take(MIB)
    assert storage.stats().in_use >= before + MIB
    assert storage.stats().device == "all devices"
    pool.give(block)


def test_the_cache_can_be_emptied(device):
    """X-MEM-11: memory goes back to the system for other libraries."""
    pool = storage.pool(device)
    block = pool.take(MIB)
    pool.give(pool.take(64))
    pool.give(block)
    assert storage.empty_cache(device) == MIB + 64
    assert storage.stats(device).allocated == 0
    assert storage.empty_cache(device) == 0


def test_free_blocks_go_before_memory_runs_out(device):
    """X-MEM-11: the free blocks of pools are released at the limit."""
    pool = storage.pool(device)
    with ng.config(storage_limit=2 * MIB):
        pool.give(pool.take(2 * MIB))
        block = pool.take(MIB)
        assert account(device).allocated == block.capacity == MIB


@pytest.fixture
def factory():
    before = list(storage._factory)
    yield storage.set_factory
    storage.set_factory(*before)


def test_a_factory_serves_old_and_new_pools(factory, device):
    class Mine(storage.PlainBlock):
        __slots__ = ()

    old = storage.pool(device)
    out, free = old.take(64), old.take(64)
    old.give(free)
    retired = []
    factory(Mine, idle=lambda b: True, retire=lambda b, release: retired.append(b) or release())
    block = old.take(64)
    assert type(block) is Mine
    old.give(out)  # made by the former factory
    assert old.take(64) is not out
    old.give(block)
    storage.empty_cache(device)
    assert retired == [block]


def test_a_pool_of_what_is_not_there():
    with pytest.raises(DeviceError, match=r"storage: .*gpu\(99\)"):
        storage.pool(gpu(99))
    with pytest.raises(ArgumentError, match="device='cpu'"):
        storage.pool("cpu")


def test_the_machine_says_what_it_has(monkeypatch, tmp_path):
    assert 0 < machine.available() <= machine.total()
    monkeypatch.setattr(machine, "available", lambda: 10)
    monkeypatch.setattr(machine, "total", lambda: 100)
    assert [machine.scarce(p) for p in (0, 5, 10, 11)] == [False, False, False, True]
    monkeypatch.undo()
    monkeypatch.setattr(machine, "_MEMINFO", tmp_path / "missing")  # another system
    assert machine.available() is None
    assert machine.scarce(50) is False
