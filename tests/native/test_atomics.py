"""Memory shared by real threads: nothing is lost, nothing is seen before it is published."""

from __future__ import annotations

import threading

import numpy as np
from numba import njit

from nbgraph.native import atomics, calls

ROUNDS = 50_000
THREADS = 4


def words(count):
    """Zeroed words and the address of the first."""
    array = np.zeros(count, np.int64)
    return array, array.ctypes.data


def together(*jobs):
    """Run each job on a thread of its own; an exception, or more than a minute, is a failure."""
    failures = []

    def guarded(job):
        try:
            job()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=guarded, args=(job,), daemon=True) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    assert not failures


@njit(nogil=True)
def each_once(p):
    atomics.store(p, 5)
    atomics.store_release(p + 8, atomics.load(p) + 1)
    first = atomics.fetch_add(p + 16, 7)
    second = atomics.exchange(p + 16, 9)
    swapped = atomics.compare_exchange(p + 16, 9, 11)
    refused = atomics.compare_exchange(p + 16, 9, 12)
    atomics.fence()
    atomics.pause()
    atomics.copy_words(p + 32, p, 3)
    atomics.clear_words(p, 2)
    return first, second, swapped, refused, atomics.load_acquire(p + 16)


def test_each_primitive_alone():
    array, p = words(8)
    assert each_once(p) == (0, 7, True, False, 11)
    assert array.tolist() == [0, 0, 11, 0, 5, 6, 11, 0]


def test_blocks_of_no_words_are_left_alone():
    @njit
    def nothing(p):
        atomics.copy_words(p, p + 16, 0)
        atomics.clear_words(p, 0)

    array, p = words(4)
    array[:] = 3, 4, 5, 6
    nothing(p)
    assert array.tolist() == [3, 4, 5, 6]


@njit(nogil=True)
def count_up(p, rounds):
    for _ in range(rounds):
        atomics.fetch_add(p, 1)


def test_counters_add_up():
    array, p = words(1)
    together(*[lambda: count_up(p, ROUNDS)] * THREADS)
    assert array[0] == THREADS * ROUNDS


@njit(nogil=True)
def add_under_lock(lock, total, rounds):
    for _ in range(rounds):
        while not atomics.compare_exchange(lock, 0, 1):
            atomics.pause()
        atomics.store(total, atomics.load(total) + 1)
        atomics.store_release(lock, 0)


def test_a_lock_made_of_compare_exchange_protects():
    array, p = words(16)
    together(*[lambda: add_under_lock(p, p + 64, 5_000)] * THREADS)
    assert array[8] == THREADS * 5_000 and array[0] == 0


@njit(nogil=True)
def publish(p, rounds):
    """Write two plain words, then say so; wait until they were read."""
    for turn in range(1, rounds + 1):
        atomics.store(p + 64, turn)
        atomics.store(p + 72, -turn)
        atomics.store_release(p, turn)
        while atomics.load_acquire(p + 128) != turn:
            atomics.pause()


@njit(nogil=True)
def read_published(p, rounds):
    wrong = 0
    for turn in range(1, rounds + 1):
        while atomics.load_acquire(p) != turn:
            atomics.pause()
        wrong += atomics.load(p + 64) != turn or atomics.load(p + 72) != -turn
        atomics.store_release(p + 128, turn)
    return wrong


def test_release_and_acquire_publish_plain_words():
    _, p = words(24)
    wrong = []
    # few rounds: on one processor each costs two time slices
    together(lambda: publish(p, 200), lambda: wrong.append(read_published(p, 200)))
    assert wrong == [0]


@njit(nogil=True)
def take_tokens(p, rounds):
    """Exchange one's number against what lies there; the sum of what was taken."""
    total = 0
    for turn in range(1, rounds + 1):
        total += atomics.exchange(p, turn)
    return total


def test_exchange_gives_every_value_to_one_taker():
    array, p = words(1)
    taken = []
    together(*[lambda: taken.append(take_tokens(p, ROUNDS))] * THREADS)
    assert sum(taken) + array[0] == THREADS * ROUNDS * (ROUNDS + 1) // 2


@njit(nogil=True)
def store_then_look(mine, other, result, turn, rounds, gate):
    """Dekker: each stores and then looks at the other's word; both cannot miss."""
    for round_ in range(1, rounds + 1):
        atomics.fetch_add(gate, 1)
        while atomics.load_acquire(gate) < 2 * round_:
            atomics.pause()
        atomics.store_release(mine, round_)
        atomics.fence()
        atomics.store(result + 8 * round_, atomics.load_acquire(other) >= round_)


def test_a_fence_orders_a_store_before_a_load():
    rounds = 200
    array, p = words(64 + 2 * (rounds + 1))
    one, two = p + 8 * 64, p + 8 * (64 + rounds + 1)
    together(
        lambda: store_then_look(p, p + 128, one, 0, rounds, p + 256),
        lambda: store_then_look(p + 128, p, two, 1, rounds, p + 256),
    )
    seen = array[65 : 64 + rounds + 1] + array[64 + rounds + 2 :]
    assert seen.min() >= 1


def test_a_kernel_is_called_through_its_address():
    from numba import cfunc, types

    word = types.int64

    @cfunc(word(word, word, word))
    def kernel(args, lo, hi):
        return args * 100 + lo * 10 + hi

    @njit
    def call(address):
        return calls.call_kernel(address, 7, 8, 9)

    assert call(kernel.address) == 789
