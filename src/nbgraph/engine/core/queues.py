"""Ready queues and idle threads: which thread is woken for which operation.

Priority 0 is a plain queue; any other priority uses a pairing heap (Fredman, Sedgewick, Sleator,
Tarjan, "The pairing heap", Algorithmica 1986): highest priority first, older first among equals.
An idle thread is a *parker*. The thread that wakes it takes it out of the idle list under the lock,
so that it is woken once; the system call comes after the lock.
"""

from nbgraph.engine.core.layout import *
from nbgraph.engine.core.machine import exchange, load, store, store_release, unpark


def queue_of(core: int, number: int) -> int:
    """Return the address of a ready queue."""
    return core + QUEUES + LINE * number


def before(a: int, b: int) -> bool:
    """Return whether operation a runs before b."""
    pa = load(a + O_PRIORITY)
    pb = load(b + O_PRIORITY)
    return pa > pb or (pa == pb and load(a + O_SEQ) < load(b + O_SEQ))


def join_heaps(a: int, b: int) -> int:
    """Merge two heaps; either may be 0."""
    if a == 0:
        return b
    if b == 0:
        return a
    if before(b, a):
        a, b = b, a
    store(b + O_NEXT, load(a + O_CHILD))
    store(a + O_CHILD, b)
    return a


def heap_without_top(top: int) -> int:
    """Return a heap without its top: children merged in pairs, then the pairs from the last on."""
    pairs = 0
    child = load(top + O_CHILD)
    while child != 0:
        second = load(child + O_NEXT)
        rest = 0
        if second != 0:
            rest = load(second + O_NEXT)
        pair = join_heaps(child, second)
        store(pair + O_NEXT, pairs)
        pairs = pair
        child = rest
    heap = 0
    while pairs != 0:
        rest = load(pairs + O_NEXT)
        heap = join_heaps(heap, pairs)
        pairs = rest
    return heap


def put_ready(core: int, operation: int) -> int:
    """Append an operation to its queue; return a parker to wake for it, or 0."""
    queue = queue_of(core, load(operation + O_QUEUE))
    store(operation + O_NEXT, 0)
    store(operation + O_CHILD, 0)
    if load(operation + O_PRIORITY) != 0:
        store(queue + Q_HEAP, join_heaps(load(queue + Q_HEAP), operation))
    else:
        last = load(queue + Q_LAST)
        if last != 0:
            store(last + O_NEXT, operation)
        else:
            store(queue + Q_FIRST, operation)
        store(queue + Q_LAST, operation)
    store_release(queue + Q_COUNT, load(queue + Q_COUNT) + 1)
    return take_idle(queue)


def next_ready(core: int, number: int) -> int:
    """Return the next operation of a queue, without removing it, or 0."""
    queue = queue_of(core, number)
    if load(queue + Q_COUNT) == 0 or load(core + HOLD) != 0:
        return 0
    top = load(queue + Q_HEAP)
    first = load(queue + Q_FIRST)
    if top != 0 and (first == 0 or load(top + O_PRIORITY) > 0):
        return top
    return first


def take_ready(core: int, number: int) -> int:
    """Remove and return the next operation of a queue, or 0."""
    operation = next_ready(core, number)
    if operation == 0:
        return 0
    queue = queue_of(core, number)
    store_release(queue + Q_COUNT, load(queue + Q_COUNT) - 1)
    if operation == load(queue + Q_HEAP):
        store(queue + Q_HEAP, heap_without_top(operation))
        return operation
    after = load(operation + O_NEXT)
    store(queue + Q_FIRST, after)
    if after == 0:
        store(queue + Q_LAST, 0)
    return operation


def take_this(core: int, operation: int) -> bool:
    """Remove one ready operation of priority 0 from its queue; return whether it was there."""
    queue = queue_of(core, load(operation + O_QUEUE))
    previous = 0
    at = load(queue + Q_FIRST)
    while at not in (0, operation):
        previous = at
        at = load(at + O_NEXT)
    if at == 0:
        return False
    after = load(at + O_NEXT)
    if previous != 0:
        store(previous + O_NEXT, after)
    else:
        store(queue + Q_FIRST, after)
    if after == 0:
        store(queue + Q_LAST, previous)
    store_release(queue + Q_COUNT, load(queue + Q_COUNT) - 1)
    return True


def add_idle(core: int, number: int, parker: int) -> None:
    """Add a thread to the idle list of a queue, for which it may be woken."""
    queue = queue_of(core, number)
    first = load(queue + Q_IDLE)
    store(parker + P_NEXT, first)
    store(parker + P_PREVIOUS, 0)
    store(parker + P_QUEUE, number + 1)
    if first != 0:
        store(first + P_PREVIOUS, parker)
    store(queue + Q_IDLE, parker)
    store_release(queue + Q_IDLES, load(queue + Q_IDLES) + 1)


def remove_idle(core: int, parker: int) -> bool:
    """Remove a thread from its idle list; False if it is in none."""
    number = load(parker + P_QUEUE)
    if number == 0:
        return False
    queue = queue_of(core, number - 1)
    after = load(parker + P_NEXT)
    previous = load(parker + P_PREVIOUS)
    if after != 0:
        store(after + P_PREVIOUS, previous)
    if previous != 0:
        store(previous + P_NEXT, after)
    else:
        store(queue + Q_IDLE, after)
    store(parker + P_QUEUE, 0)
    store_release(queue + Q_IDLES, load(queue + Q_IDLES) - 1)
    return True


def take_idle(queue: int) -> int:
    """Remove and return the thread that became idle last, or 0; the caller must wake it."""
    parker = load(queue + Q_IDLE)
    if parker != 0:
        after = load(parker + P_NEXT)
        store(queue + Q_IDLE, after)
        if after != 0:
            store(after + P_PREVIOUS, 0)
        store(parker + P_QUEUE, 0)
        store_release(queue + Q_IDLES, load(queue + Q_IDLES) - 1)
        store(parker + P_TAKEN, 1)
    return parker


def to_wake(parkers: int, parker: int) -> int:
    """Return a list of parkers, to be woken after the lock, with one more (0: none)."""
    if parker == 0:
        return parkers
    store(parker + P_WAKE_NEXT, parkers)
    return parker


def take_watchers(core: int, watchers: int, parkers: int) -> int:
    """Take all watchers of a list that are not taken yet; return `parkers`, extended by them."""
    while watchers != 0:
        following = load(watchers + P_WATCH_NEXT)
        if load(watchers + P_TAKEN) == 0:
            remove_idle(core, watchers)
            store(watchers + P_TAKEN, 1)
            parkers = to_wake(parkers, watchers)
        watchers = following
    return parkers


def wake(core: int, parkers: int) -> None:
    """Wake a list of parkers; called without the lock."""
    while parkers != 0:
        following = load(parkers + P_WAKE_NEXT)
        if exchange(parkers + P_WORD, SIGNALLED) == PARKED:
            unpark(parkers + P_WORD, 1, core + PARKING)
        parkers = following
