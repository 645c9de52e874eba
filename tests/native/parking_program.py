"""Run by test_parking.py in a process of its own, once for each way to park; prints JSON."""

import json
import threading
import time

import numpy as np
from numba import njit

from nbgraph.native import atomics, parking
from nbgraph.native.parking import park, unpark

MILLISECOND = 1_000_000
SECOND = 1_000 * MILLISECOND
ROUNDS = 10_000

memory = np.zeros(256, np.int64)
area = memory.ctypes.data
word = area + 1024


@njit(nogil=True)
def prepare(area):
    parking.prepare_parking(area)


@njit(nogil=True)
def timed_park(word, expected, timeout, area):
    start = parking.now()
    result = park(word, expected, timeout, area)
    return result, parking.now() - start


@njit(nogil=True)
def change(word, area):
    atomics.store_release(word, 1)
    unpark(word, 1, area)


@njit(nogil=True)
def await_turn(word, mine, area):
    """Wait until the word is `mine`; how many parks ran into their limit: a lost wake-up."""
    late = 0
    while True:
        value = atomics.load_acquire(word)
        if value == mine:
            return late
        if park(word, value, 20 * SECOND, area) == 0:
            late += 1
            if late > 2:
                return late


@njit(nogil=True)
def ping_pong(word, me, rounds, area):
    """Two threads that hand a turn to and fro, each asleep while it is the other's."""
    late = 0
    for turn in range(rounds):
        late += await_turn(word, 2 * turn + me, area)
        if late > 2:
            return late
        atomics.store_release(word, 2 * turn + me + 1)
        unpark(word, 1, area)
    return late


@njit(nogil=True)
def wait_many(word, arrived, woken, area):
    atomics.fetch_add(arrived, 1)
    while atomics.load_acquire(word) == 0:
        if park(word, 0, 20 * SECOND, area) == 0:
            return
    atomics.fetch_add(woken, 1)


@njit(nogil=True)
def open_gate(word, area):
    atomics.store_release(word, 1)
    unpark(word, 1_000, area)


@njit(nogil=True)
def allocated(size):
    """Whether memory comes zeroed and aligned, and goes back."""
    parking.release(0)
    place = parking.allocate(size)
    total = place & 15
    for offset in range(0, size, 8):
        total += atomics.load(place + offset)
    parking.release(place)
    parking.yield_now()
    return place != 0 and total == 0


def in_thread(function, *args):
    results = []
    thread = threading.Thread(target=lambda: results.append(function(*args)), daemon=True)
    thread.start()
    return thread, results


def woken():
    """A thread without a limit sleeps until somebody changes the word."""
    memory[128] = 0
    timed_park(word, 1, -1, area)  # compiled before the clock counts
    thread, results = in_thread(timed_park, word, 0, -1, area)
    time.sleep(0.05)
    asleep = not results
    change(word, area)
    thread.join(30)
    return asleep, bool(results) and results[0][0]


def back_and_forth():
    memory[128] = 0
    ping_pong(word, 0, 0, area)
    start = time.perf_counter()
    pair = [in_thread(ping_pong, word, me, ROUNDS, area) for me in (0, 1)]
    for thread, _ in pair:
        thread.join(60)
    return [r for _, results in pair for r in results], time.perf_counter() - start


def many():
    memory[128:131] = 0
    threads = [in_thread(wait_many, word, word + 8, word + 16, area)[0] for _ in range(6)]
    deadline = time.monotonic() + 20
    while memory[129] < 6 and time.monotonic() < deadline:
        time.sleep(0.001)
    open_gate(word, area)
    for thread in threads:
        thread.join(30)
    return int(memory[130])


def main():
    prepare(area)
    report = {"parking": parking.PARKING, "woken": woken()}
    memory[128] = 3 << 32 | 5  # the low half counts
    report["differs"] = timed_park(word, 4, -1, area)
    report["low half"] = timed_park(word, 5, 0, area)[0]
    report["time-out"] = timed_park(word, 3 << 32 | 5, 30 * MILLISECOND, area)
    report["ping-pong"] = back_and_forth()
    report["many"] = many()
    report["allocated"] = bool(allocated(4096))
    print(json.dumps(report))


main()
