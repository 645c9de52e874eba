"""Pools: blocks are recycled, by every strategy, and never handed out twice (SYS-02, STO-01)."""

import itertools
import random

import hypothesis
import hypothesis.strategies as st
import pytest

import nbgraph as ng
from nbgraph.device import cpu
from nbgraph.errors import ArgumentError, StorageError
from nbgraph.storage import Block, PlainBlock, Pool
from nbgraph.storage import pools as module
from nbgraph.storage.memory import account
from nbgraph.storage.report import gather
from tests.support import on_threads

KIB, MIB = 1 << 10, 1 << 20
_unused = itertools.count(1_000_000)


def counts(pool):
    stats = gather("test", "", 0, [pool])
    return stats.takes, stats.hits, stats.misses


@pytest.mark.parametrize("strategy", ["rounded", "naive"])
@pytest.mark.parametrize("nbytes", [1, 1000, 3 * MIB, 40 * MIB])
def test_a_block_that_was_given_back_is_found_again(pool, strategy, nbytes):
    """SYS-02: alloc, free, alloc of one size gives the recycled block, and counts a hit."""
    with ng.config(storage_pool=strategy):
        block = pool.take(nbytes)
        assert block.capacity >= nbytes
        assert (block.address, block.capacity) == (block.memory.address, block.memory.nbytes)
        pool.give(block)
        assert pool.take(nbytes) is block
    assert counts(pool) == (2, 1, 1)


def test_an_unpooled_block_is_released(pool, device):
    """X-MEM-08: the unpooled strategy keeps nothing."""
    with ng.config(storage_pool="unpooled"):
        for nbytes in (100, 3 * MIB):
            block = pool.take(nbytes)
            assert block.capacity == -(-nbytes // 64) * 64
            pool.give(block)
            assert block.memory.released
            with pytest.raises(StorageError):
                pool.give(block)
            other = pool.take(nbytes)
            other.bin.free.append(other)  # the quick path ends in the same place
            assert other.memory.released
    assert account(device).allocated == 0
    assert counts(pool) == (4, 0, 4)


def test_naive_classes_do_not_mix_and_rounded_do(pool):
    """X-MEM-08: each strategy is selectable."""
    with ng.config(storage_pool="naive"):
        block = pool.take(600)
        assert block.capacity == 640
        pool.give(block)
        assert pool.take(700) is not block
    with ng.config(storage_pool="rounded"):
        block = pool.take(600)
        assert block.capacity == 1024
        pool.give(block)
        assert pool.take(1000) is block


def test_the_newest_small_block_comes_first(pool):
    blocks = [pool.take(64) for _ in range(3)]
    for block in blocks:
        pool.give(block)
    assert [pool.take(64) for _ in range(3)] == blocks[::-1]


@pytest.mark.parametrize("nbytes", [64, MIB])
@pytest.mark.parametrize("others", [0, 5, 40])
def test_a_block_is_given_back_once(pool, nbytes, others):
    """STO-01: a double free raises, whatever else was given back since."""
    blocks = [pool.take(nbytes) for _ in range(others + 1)]
    with ng.config(debug=1):
        for block in blocks:
            pool.give(block)
        for block in blocks:
            with pytest.raises(StorageError, match="given back before"):
                pool.give(block)


@pytest.mark.parametrize("others", [0, 5, 100])
def test_a_block_given_back_twice_in_a_row_is_noticed_without_debug_mode(pool, others):
    blocks = [pool.take(64) for _ in range(others + 1)]
    for block in blocks:
        pool.give(block)
        with pytest.raises(StorageError, match="given back before"):
            pool.give(block)
    assert len({id(pool.take(64)) for _ in blocks}) == len(blocks)


def test_a_block_of_another_pool_is_refused(pool, device):
    block = Pool(device, PlainBlock).take(64)
    with pytest.raises(StorageError, match="not of this pool"):
        pool.give(block)


@pytest.mark.parametrize("nbytes", [-1, 2.0, "1", None, True])
def test_a_bad_size_is_refused(pool, nbytes):
    with pytest.raises(ArgumentError, match="pool: nbytes="):
        pool.take(nbytes)


def test_what_belongs_to_a_block_stays_with_it(device):
    """A block mixes with any class, and keeps what that has."""

    class Base:
        __slots__ = ("tag",)

    class Chunk(Base, Block):
        __slots__ = ("address", "bin", "capacity", "memory")

        def __init__(self, memory, bin):
            self.memory, self.bin = memory, bin
            self.address, self.capacity = memory.address, memory.nbytes

    pool = Pool(device, Chunk)
    block = pool.take(100)
    block.tag = "engine variable"
    pool.give(block)
    assert pool.take(100).tag == "engine variable"


# ------------------------------------------------------------------------------ blocks in use


def busy_pool(device):
    busy = set()
    return Pool(device, PlainBlock, idle=lambda block: block not in busy), busy


def test_an_idle_large_block_is_preferred(device):
    pool, busy = busy_pool(device)
    blocks = [pool.take(64 * KIB) for _ in range(3)]
    for block in blocks:
        pool.give(block)
    busy.update(blocks[1:])
    assert pool.take(64 * KIB) is blocks[0]
    busy.clear()
    assert pool.take(64 * KIB) is blocks[2]


def test_rather_a_new_block_than_one_in_use(device):
    pool, busy = busy_pool(device)
    block = pool.take(64 * KIB)
    busy.add(block)
    pool.give(block)
    other = pool.take(64 * KIB)
    assert other is not block
    assert counts(pool) == (2, 0, 2)


def test_of_small_blocks_an_idle_one_is_handed_out(device):
    """The newest, or else the oldest: who gets one in use waits for what uses it."""
    pool, busy = busy_pool(device)
    blocks = [pool.take(64) for _ in range(3)]
    for block in blocks:
        pool.give(block)
    busy.add(blocks[2])
    assert pool.take(64) is blocks[0]
    busy.add(blocks[1])
    assert pool.take(64) not in blocks
    busy.clear()
    assert pool.take(64) is blocks[2]


def test_of_small_blocks_so_many_may_be_in_use(device):
    """Memory in flight cannot grow without end."""
    pool, busy = busy_pool(device)
    blocks = [pool.take(32 * 1024) for _ in range(129)]  # 4 MiB and one
    busy.update(blocks)
    for block in blocks:
        pool.give(block)
    fresh = pool.take(32 * 1024)
    assert fresh is blocks[0]
    assert pool.take(32 * 1024) not in blocks  # there are fewer now


def test_with_many_bytes_in_use_the_oldest_block_is_handed_out(device):
    pool, busy = busy_pool(device)
    with ng.config(storage_limit=16 * MIB):
        blocks = [pool.take(MIB) for _ in range(4)]  # a quarter of the limit
        busy.update(blocks)
        for block in blocks:
            pool.give(block)
        assert pool.take(MIB) is blocks[0]
        assert pool.take(MIB) not in blocks  # 3 MiB are free: less than a quarter


def test_at_the_limit_a_block_in_use_is_handed_out(device):
    pool, busy = busy_pool(device)
    with ng.config(storage_limit=17 * MIB):
        kept = [pool.take(MIB) for _ in range(16)]
        block = pool.take(MIB)
        busy.add(block)
        pool.give(block)
        assert pool.take(MIB) is block
    assert len(kept) == 16


# ------------------------------------------------------------------------------ what is kept


def test_not_too_much_is_kept(device, monkeypatch):
    monkeypatch.setattr(module, "KEPT", 8 * MIB)
    monkeypatch.setattr(module, "_ROUND", 2 * MIB)
    pool = Pool(device, PlainBlock)
    blocks = [pool.take(2 * MIB) for _ in range(32)]
    assert account(device).peak == 64 * MIB
    for block in blocks:
        block.bin.free.append(block)  # the quick path is looked after too
    assert pool.free_bytes() == 32 * MIB  # half of the most that was in use
    assert account(device).allocated == 32 * MIB
    assert [b.memory.released for b in blocks] == [True] * 16 + [False] * 16  # the oldest went


def test_emptying_retires_all_free_blocks(device):
    retired = []
    pool = Pool(device, PlainBlock, retire=lambda block, release: retired.append((block, release)))
    blocks = [pool.take(n) for n in (64, 64, MIB)]
    for block in blocks[1:]:
        pool.give(block)
    assert pool.empty() == 64 + MIB
    assert {block for block, _ in retired} == set(blocks[1:])
    assert account(device).allocated == 128 + MIB  # the hook has not released them yet
    for _, release in retired:
        release()
    assert account(device).allocated == 64
    assert pool.empty() == 0


def test_a_machine_short_of_memory_is_left_the_free_blocks(device, monkeypatch):
    """X-MEM-08: the reserve."""
    asked = []
    monkeypatch.setattr(module, "_ROUND", 4 * MIB)
    monkeypatch.setattr(module, "scarce", lambda percent: asked.append(percent) or percent > 50)
    pool = Pool(device, PlainBlock)
    block = pool.take(2 * MIB)
    pool.give(block)
    with ng.config(storage_reserve=10):
        pool.take(8 * MIB)
    assert not block.memory.released
    with ng.config(storage_reserve=60):
        pool.take(16 * MIB)
    assert block.memory.released
    assert asked == [10, 60]


def test_building_something_else_leaves_old_blocks_behind(pool):
    block, free = pool.take(64), pool.take(64)
    pool.give(free)
    pool.build(PlainBlock, None, None)
    pool.give(block)
    assert pool.take(64) not in (block, free)


def test_many_sizes_do_not_grow_the_table(pool):
    for nbytes in range(10_000):
        pool.bin(nbytes)
    assert len(pool.bins()) == 9
    assert len(pool._tables["rounded"]) <= 4096


def test_a_block_that_cannot_be_built_leaves_no_memory_behind(device):
    def make(memory, bin):
        raise RuntimeError("no")

    with pytest.raises(RuntimeError):
        Pool(device, make).take(100)
    assert account(device).allocated == 0


# ------------------------------------------------------------------------------ in any order


@hypothesis.given(st.lists(st.integers(0, 200_000) | st.none(), max_size=60), st.randoms())
def test_blocks_that_are_out_are_distinct_and_the_counts_balance(asks, chance):
    """SYS-02: whatever is taken and given back, in whatever order."""
    device = cpu(next(_unused))  # fresh books for each example
    pool = Pool(device, PlainBlock, idle=lambda block: chance.random() < 0.5)
    out = []
    for ask in asks:
        if ask is None and out:
            pool.give(out.pop(chance.randrange(len(out))))
        elif ask is not None:
            block = pool.take(ask)
            assert block.capacity >= ask
            assert block not in out
            out.append(block)
    stats = gather("test", "", 0, [pool])
    assert stats.in_use == sum(block.capacity for block in out)
    assert stats.blocks == len(out) + stats.free_blocks
    assert stats.takes == stats.hits + stats.misses == len([a for a in asks if a is not None])


@pytest.mark.parametrize("quick", [False, True])
def test_threads_never_share_a_block(device, quick):
    """STO-01: many threads take, mark, look again, and give back."""
    chance = random.Random(5)
    pool = Pool(device, PlainBlock, idle=lambda block: chance.random() < 0.5)
    wrong = []

    def take(size):
        if not quick:
            return pool.take(size)
        bin = pool.bin(size)
        next(bin.takes)
        try:
            return bin.free.pop()
        except IndexError:
            return bin.miss()

    def work(me):
        own = random.Random(me)
        for _ in range(1500):
            mine = [take(own.choice([64, 100, 4096, 70_000])) for _ in range(own.randrange(1, 4))]
            for block in mine:
                block.memory.owner[:8] = me
            if any((block.memory.owner[:8] != me).any() for block in mine):
                wrong.append(me)
            for block in mine:
                (block.bin.free.append if quick else pool.give)(block)

    on_threads(work, range(1, 5))
    assert wrong == []
    stats = gather("test", "", 0, [pool])
    assert stats.in_use == 0
    assert stats.blocks == stats.free_blocks
    free = [id(block) for bin in pool.bins() for block in bin.free]
    assert len(free) == len(set(free)) == stats.blocks
