"""Memory, its books, its limit, and memory of others (STO-01, X-MEM-11)."""

import gc
import os
import threading
import weakref

import hypothesis
import hypothesis.strategies as st
import numpy as np
import pytest

import nbgraph as ng
from nbgraph.device import cpu, gpu
from nbgraph.errors import ArgumentError, DeviceError, OutOfMemory, StorageError
from nbgraph.storage import out_of_memory
from nbgraph.storage.memory import account, allocate, borrow, holders, release
from tests.support import on_threads

MIB = 1 << 20


@hypothesis.given(st.integers(0, 1 << 16))
def test_memory_is_aligned_and_may_be_written(nbytes):
    """STO-01: blocks of the host."""
    memory = allocate(nbytes)
    assert memory.address % 64 == 0
    assert memory.nbytes == nbytes == memory.owner.nbytes
    memory.owner[:] = 7
    assert memory.owner.sum(dtype=np.int64) == 7 * nbytes
    assert nbytes == 0 or memory.owner.ctypes.data == memory.address


def test_the_books_follow(device):
    books = account(device)
    one, two = allocate(100, device), allocate(50, device)
    assert (books.allocated, books.peak) == (150, 150)
    release(one)
    assert (books.allocated, books.peak) == (50, 150)
    del two  # nobody has it any more
    assert (books.allocated, books.peak, dict(books.sizes)) == (0, 150, {})


def test_devices_have_books_of_their_own(device):
    memory = allocate(100, device)
    assert account(cpu(device.device_id + 10**6)).allocated == 0
    assert memory.device == device


def test_memory_is_released_once(device):
    """STO-01: a double free raises."""
    memory = allocate(100, device)
    release(memory)
    with pytest.raises(StorageError, match="released before; it is released once"):
        release(memory)
    assert memory.released
    assert repr(memory) == f"<memory of 100 bytes on {device!r}, released>"
    assert account(device).allocated == 0


def test_a_view_outlives_its_released_memory(device):
    memory = allocate(1000, device)
    view = memory.owner[:10]
    view[:] = 3
    release(memory)
    assert view.tolist() == [3] * 10


@pytest.mark.parametrize("nbytes", [-1, 1.5, "64", None, True])
def test_a_bad_number_of_bytes_is_refused(nbytes):
    with pytest.raises(ArgumentError, match="nbytes=.*; expected a whole number from 0"):
        allocate(nbytes)


def test_a_device_that_is_not_there_is_refused():
    with pytest.raises(DeviceError, match=r"allocate: .*gpu\(99\).* ng.cpu"):
        allocate(64, gpu(99))


# ------------------------------------------------------------------------------ out of memory


def test_the_limit_drains_then_raises_with_a_report(device):
    """X-MEM-11: out of memory first drains, then says who holds what."""
    asked = []
    undo = [
        out_of_memory.on_shortage(lambda: asked.append("drain")),
        out_of_memory.on_free(asked.append),
        out_of_memory.on_report(lambda d: [f"weights of {d!r}: 3 MiB"]),
    ]
    kept = [allocate(MIB, device) for _ in range(3)]
    try:
        with ng.config(storage_limit=4 * MIB):
            allocate(MIB, device)
            assert asked == []
            with pytest.raises(OutOfMemory) as caught:
                allocate(2 * MIB, device)
    finally:
        for one in undo:
            one()
    assert asked == [device, "drain", device]
    assert isinstance(caught.value, MemoryError)
    lines = str(caught.value).splitlines()
    assert f"2097152 bytes (2.0 MiB) asked for on {device!r}; 3145728 bytes (3.0 MiB)" in lines[0]
    assert "storage_limit=4194304 (4.0 MiB)" in lines[0]
    assert "ng.config(storage_limit=...)" in lines[0]
    assert lines[1:] == ["held: 3 x 1.0 MiB", f"weights of {device!r}: 3 MiB"]
    assert account(device).allocated == 3 * MIB == sum(m.nbytes for m in kept)


def test_what_a_drain_frees_is_given_out(device):
    kept = [allocate(MIB, device)]
    undo = out_of_memory.on_shortage(kept.clear)
    try:
        with ng.config(storage_limit=MIB):
            assert allocate(MIB, device).nbytes == MIB
    finally:
        undo()
    assert kept == []


def test_what_a_drain_raises_leaves_through_the_call(device):
    def drain():
        raise OSError("no such page")

    undo = out_of_memory.on_shortage(drain)
    kept = allocate(1, device)
    try:
        with ng.config(storage_limit=2), pytest.raises(OSError, match="no such page"):
            allocate(2, device)
    finally:
        undo()
    release(kept)
    assert account(device).allocated == 0


@pytest.mark.parametrize("limit", [0, MIB])
@pytest.mark.parametrize("nbytes", [1 << 60, 1 << 80])
def test_more_than_the_machine_has_is_refused_without_a_wait(device, nbytes, limit):
    asked = []
    undo = out_of_memory.on_shortage(lambda: asked.append("drain"))
    words = "the limit storage_limit" if limit else "the machine has|no limit is set"
    try:
        with ng.config(storage_limit=limit), pytest.raises(OutOfMemory, match=words):
            allocate(nbytes, device)
    finally:
        undo()
    assert asked == []
    assert account(device).allocated == 0
    assert dict(account(device).sizes) == {}


def test_more_in_all_than_the_machine_has_is_refused(device, monkeypatch):
    """The system would promise it, and end the process when it is written."""
    monkeypatch.setattr("nbgraph.storage.memory.total", lambda: 4 * MIB)
    kept = allocate(3 * MIB, device)
    with pytest.raises(OutOfMemory, match="are allocated, the machine has 4.0 MiB; what"):
        allocate(2 * MIB, device)
    release(kept)
    release(allocate(4 * MIB, device))


def test_a_report_that_fails_does_not_hide_the_shortage(device):
    def report(d):
        raise RuntimeError("broken")

    undo = out_of_memory.on_report(report)
    try:
        assert "RuntimeError('broken')" in holders(account(device))[1]
    finally:
        undo()


def test_a_report_of_many_sizes_shows_the_largest(device):
    kept = [allocate(n, device) for n in range(100, 120)]
    line = holders(account(device))[0]
    assert line.startswith("held: 1 x 119 B, 1 x 118 B")
    assert line.endswith(f"{sum(range(100, 112)) / 1024:.1f} KiB in other sizes")
    assert len(kept) == 20


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"storage_limit": -1}, "storage_limit=-1; expected 0 or more"),
        ({"storage_limit": "1GB"}, "storage_limit='1GB'; expected 0 or more"),
        ({"storage_reserve": 100}, "storage_reserve=100; expected 0 to 99"),
        ({"storage_pool": "big"}, "storage_pool='big'; expected one of rounded, naive, unpooled"),
        ({"temp_copies": 0}, "temp_copies=0; expected 1 or more"),
    ],
)
def test_bad_settings_are_refused(changes, told):
    with pytest.raises(ValueError, match=told.replace(".", r"\.")):
        ng.config(**changes)


# ------------------------------------------------------------------------------ borrowed memory


def test_a_borrowed_array_is_kept_alive_and_counted(device):
    """X-MEM-11: borrowed memory is counted, never allocated."""

    class Watched(np.ndarray):
        pass

    array = np.arange(10.0).view(Watched)
    gone = weakref.ref(array)
    memory = borrow(array, device)
    assert memory.address == array.ctypes.data
    assert memory.nbytes == 80
    assert "write to a copy" in memory.readonly
    del array
    gc.collect()
    assert gone() is not None
    assert (account(device).borrowed, account(device).allocated) == (80, 0)
    release(memory)
    assert gone() is None
    assert account(device).borrowed == 0
    with pytest.raises(StorageError):
        release(memory)


def test_a_borrowed_view_spans_its_bytes(device):
    base = np.arange(10, dtype=np.int64)
    memory = borrow(base[8:1:-2], device, readonly=None)
    assert memory.address == base.ctypes.data + 2 * 8
    assert memory.nbytes == 7 * 8
    assert memory.readonly is None
    del memory
    assert account(device).borrowed == 0


def test_an_empty_array_has_no_bytes_to_borrow(device):
    assert borrow(np.empty((0, 3)), device).nbytes == 0


@pytest.mark.parametrize("given", [[1, 2], 3.0, memoryview(b"abc"), np.array([None, "x"])])
def test_what_cannot_be_borrowed_is_refused(given):
    with pytest.raises(ArgumentError, match="borrow: "):
        borrow(given)


# ------------------------------------------------------------------------------ threads and forks


def test_books_of_many_threads_balance(device):
    def work():
        for i in range(300):
            memory = allocate(i, device)
            if i % 2:
                release(memory)

    on_threads(work, 4, seconds=30)
    assert account(device).allocated == 0
    assert dict(account(device).sizes) == {}


def test_a_limit_holds_for_many_threads(device):
    got = []

    def work():
        try:
            got.append(allocate(MIB, device))
        except OutOfMemory:
            got.append(None)

    def run():  # settings are per context: each thread is given them
        with ng.config(storage_limit=3 * MIB):
            work()

    on_threads(run, 8, seconds=30)
    assert len([m for m in got if m is not None]) == 3


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a system without fork")
def test_a_child_may_allocate_though_a_thread_was_at_the_books(device):
    from nbgraph.storage import memory

    entered, leave = threading.Event(), threading.Event()

    def hold():
        with memory._books:
            entered.set()
            leave.wait(30)

    thread = threading.Thread(target=hold)
    thread.start()
    assert entered.wait(30)
    try:
        child = os.fork()
        if child == 0:
            os._exit(0 if allocate(64, device).nbytes == 64 else 1)
    finally:
        leave.set()
        thread.join(30)
    assert os.waitpid(child, 0)[1] == 0
