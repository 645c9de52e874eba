"""Kernels for the engine's tests, compiled once a test run: small programs over 64-bit words."""

import functools
from pathlib import Path

from nbgraph.codegen import unit
from nbgraph.native.atomics import compare_exchange, fetch_add, load, load_acquire, pause, store

# words of the record of `step`, the kernel of random programs
VALUES, WRITERS, SAW, RAN, CLASHES, LIST, CODE, READS, WRITES, NUMBERS = range(10)


def step(args: int, lo: int, hi: int) -> int:
    """One operation: note what its reads hold, write its number; clashes are counted.

    LIST is 0, with the operation's number in CODE (twice the number, + 1 if it fails), or the
    address of such codes, the first word of which is the next one's place.
    """
    code = load(args + 8 * CODE)
    codes = load(args + 8 * LIST)
    if codes != 0:
        place = load(codes)
        store(codes, place + 8)
        code = load(codes + place)
    number = code >> 1
    values, writers = load(args + 8 * VALUES), load(args + 8 * WRITERS)
    saw = load(args + 8 * SAW) + 32 * number
    reads, writes = load(args + 8 * READS), load(args + 8 * WRITES)
    clashes = 0
    fetch_add(load(args + 8 * RAN) + 8 * number, 1)
    for i in range(reads):
        at = 8 * load(args + 8 * (NUMBERS + i))
        clashes += load_acquire(writers + at) != 0
        store(saw + 8 * i, load_acquire(values + at))
    for i in range(writes):
        at = 8 * load(args + 8 * (NUMBERS + reads + i))
        clashes += not compare_exchange(writers + at, 0, number + 1)
        if code & 1 == 0:
            store(values + at, number + 1)
    for i in range(20):
        pause()
    for i in range(reads):
        at = 8 * load(args + 8 * (NUMBERS + i))
        clashes += load_acquire(writers + at) != 0
        clashes += load_acquire(values + at) != load(saw + 8 * i)
    for i in range(writes):
        at = 8 * load(args + 8 * (NUMBERS + reads + i))
        clashes += not compare_exchange(writers + at, number + 1, 0)
    if clashes != 0:
        fetch_add(load(args + 8 * CLASHES), clashes)
    return 7 * (code & 1)


def span(args: int, lo: int, hi: int) -> int:
    """The same over elements lo to hi of every variable: VALUES has 64 words for each of them.

    What it should see follows NUMBERS: each element of it that differs is a clash.
    """
    code = load(args + 8 * CODE)
    number = code >> 1
    values, writers = load(args + 8 * VALUES), load(args + 8 * WRITERS)
    reads, writes = load(args + 8 * READS), load(args + 8 * WRITES)
    wanted = args + 8 * (NUMBERS + reads + writes)
    clashes = 0
    for i in range(reads + writes):
        variable = load(args + 8 * (NUMBERS + i))
        clashes += load_acquire(writers + 8 * variable) != 0
        for j in range(lo, hi):
            at = values + 8 * (64 * variable + j)
            if i < reads:
                clashes += load_acquire(at) != load(wanted + 8 * i)
            elif code & 1 == 0:
                store(at, number + 1)
    if clashes != 0:
        fetch_add(load(args + 8 * CLASHES), clashes)
    fetch_add(load(args + 8 * RAN) + 8 * number, hi - lo)
    return 7 * (code & 1)


def add(args: int, lo: int, hi: int) -> int:
    """Add 1 to the word whose address is the record's first; a second word says how long to spin.

    The word is read and written apart, so that two at a time lose counts.
    """
    place = load(args)
    count = load_acquire(place)
    for i in range(load(args + 8)):
        pause()
    store(place, count + 1)
    return 0


def crash(args: int, lo: int, hi: int) -> int:
    """Write to the address that the record holds."""
    store(load(args), 1)
    return 0


def until(args: int, lo: int, hi: int) -> int:
    """Spin until the word at the record's first address is not 0, for at most so many rounds."""
    place = load(args)
    for i in range(load(args + 8)):
        if load_acquire(place) != 0:
            return 0
        pause()
    return 0


_ROOTS = (step, span, add, crash, until)


@functools.cache
def compiled():
    """The unit of these kernels: `compiled().address("step")`."""
    key = unit.content_key("tests of the engine", Path(__file__).read_text())
    return unit.load(key) or unit.build(key, {f.__name__: (f, 3) for f in _ROOTS})


def address(name):
    return compiled().address(name)
