"""A simulation of the machine that the core runs on: memory of 64-bit words, atomics, parking.

In compiled code these names stand for the intrinsics of `nbgraph.native`. Here they work on a
dictionary, and every operation through which threads can observe each other first calls
`MACHINE.switch`, where a controlled scheduler may run another thread.
"""

from collections.abc import Callable
from typing import Any

WORD = 8


class Machine:
    """The simulated memory and clock, and hooks for a scheduler."""

    def __init__(self) -> None:
        self.words: dict[int, int] = {}
        self.brk = 4096
        self.time = 0
        self.kernels: dict[int, Callable[[int, int, int], int]] = {}
        self.switch: Callable[[str, int], None] = lambda _what, _address: None
        self.sleep: Callable[[int, int, int], int] = _cannot_sleep
        self.wake: Callable[[int, int], None] = lambda _word, _count: None

    def reset(self) -> None:
        """Clear everything, including hooks."""
        Machine.__init__(self)


def _cannot_sleep(word: int, expected: int, timeout: int) -> int:
    raise RuntimeError("nothing can wake this thread: no scheduler is set")


MACHINE = Machine()


def load(address: int) -> int:
    """Return the word at an address."""
    return MACHINE.words.get(address, 0)


def store(address: int, value: int) -> None:
    """Write a word."""
    MACHINE.words[address] = value


def load_acquire(address: int) -> int:
    """Read a word that another thread publishes."""
    MACHINE.switch("load", address)
    return MACHINE.words.get(address, 0)


def store_release(address: int, value: int) -> None:
    """Publish a word and all earlier writes."""
    MACHINE.switch("store", address)
    MACHINE.words[address] = value


def fetch_add(address: int, value: int) -> int:
    """Add atomically; return the old value."""
    MACHINE.switch("add", address)
    old = MACHINE.words.get(address, 0)
    MACHINE.words[address] = old + value
    return old


def exchange(address: int, value: int) -> int:
    """Write atomically; return the old value."""
    MACHINE.switch("exchange", address)
    old = MACHINE.words.get(address, 0)
    MACHINE.words[address] = value
    return old


def compare_exchange(address: int, expected: int, new: int) -> bool:
    """Write atomically if the word equals `expected`; return whether it did."""
    MACHINE.switch("compare", address)
    if MACHINE.words.get(address, 0) != expected:
        return False
    MACHINE.words[address] = new
    return True


def pause() -> None:
    """Pause briefly in a spin loop."""
    MACHINE.switch("pause", 0)


def yield_now() -> None:
    """Let another thread have the processor."""
    MACHINE.switch("yield", 0)


def copy_words(target: int, source: int, count: int) -> None:
    """Copy words that do not overlap."""
    for i in range(count):
        MACHINE.words[target + WORD * i] = MACHINE.words.get(source + WORD * i, 0)


def clear_words(address: int, count: int) -> None:
    """Fill with zero."""
    for i in range(count):
        MACHINE.words[address + WORD * i] = 0


def allocate(size: int) -> int:
    """Return the address of zeroed bytes, or 0 without memory."""
    address = MACHINE.brk
    MACHINE.brk += (size + 63) // 64 * 64 + 64
    return address


def release(address: int) -> None:
    """Free allocated bytes."""


def park(word: int, expected: int, timeout: int, area: int) -> int:
    """Sleep while a word equals `expected`; return 0 on a time-out or a signal."""
    MACHINE.switch("park", word)
    if MACHINE.words.get(word, 0) != expected:
        return 1
    return MACHINE.sleep(word, expected, timeout)


def unpark(word: int, count: int, area: int) -> None:
    """Wake sleepers of a word."""
    MACHINE.switch("unpark", word)
    MACHINE.wake(word, count)


def now() -> int:
    """Return the time of a monotonic clock in nanoseconds."""
    MACHINE.time += 1
    return MACHINE.time


def call_kernel(function: int, args: int, lo: int, hi: int) -> int:
    """Call a kernel by its address."""
    return MACHINE.kernels[function](args, lo, hi)


PRIMITIVES: tuple[Callable[..., Any], ...] = (
    *(load, store, load_acquire, store_release, fetch_add, exchange, compare_exchange),
    *(pause, yield_now, copy_words, clear_words, allocate, release, park, unpark, now),
    call_kernel,
)
