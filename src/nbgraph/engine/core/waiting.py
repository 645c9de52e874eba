"""Threads: native workers, waiting threads that run kernels, threads of Python functions."""

from nbgraph.engine.core.codes import ANYTHING, LEFT, TURN
from nbgraph.engine.core.layout import *
from nbgraph.engine.core.machine import (
    clear_words,
    compare_exchange,
    fetch_add,
    load,
    load_acquire,
    now,
    park,
    pause,
    store,
    yield_now,
)
from nbgraph.engine.core.memory import lock, take_block, unlock
from nbgraph.engine.core.operations import begin_locked, below_brake, is_long, is_long_plan
from nbgraph.engine.core.outside import drop_reference_locked, hand_over_step
from nbgraph.engine.core.queues import (
    add_idle,
    next_ready,
    queue_of,
    remove_idle,
    take_idle,
    take_ready,
    to_wake,
    wake,
)
from nbgraph.engine.core.running import join, open_instance_locked, run

FOR_ALL, FOR_BRAKE = 0, -1  # in place of an operation to wait for
CHAIN = 4096  # kernels that a waiting thread runs before it handles signals
NOTHING, RAN, TIRED = 0, 1, 3  # results of `help_locked`, besides LEFT


def new_parker(core: int) -> int:
    """Return a parker for a thread to sleep on, or 0 without memory. Parkers are never freed."""
    lock(core)
    parker = take_block(core, PARKER_WORDS)
    if parker != 0:
        power = load(parker + O_CLASS)
        clear_words(parker, PARKER_WORDS)
        store(parker + O_CLASS, power)
    unlock(core)
    return parker


def arm(parker: int) -> None:
    """Reset a parker before it enters a list."""
    store(parker + P_WORD, SPINNING)
    store(parker + P_TAKEN, 0)


def rest(core: int, parker: int, timeout: int, spins: int) -> bool:
    """Spin, yield, then sleep until the parker is signalled; False at a time-out or signal."""
    word = parker + P_WORD
    for i in range(spins):
        if load_acquire(word) == SIGNALLED:
            return True
        if i & 63 == 63:
            yield_now()
        else:
            pause()
    if not compare_exchange(word, SPINNING, PARKED):
        return True
    while load_acquire(word) == PARKED:
        if park(word, PARKED, timeout, core + PARKING) == 0 and timeout >= 0:
            return load_acquire(word) == SIGNALLED
    return True


def settle_parker(core: int, parker: int) -> None:
    """Leave the idle list after a rest, or wait for the signal if taken out. Takes the lock."""
    lock(core)
    if load(parker + P_TAKEN) == 0:
        remove_idle(core, parker)
        return
    unlock(core)
    while load_acquire(parker + P_WORD) != SIGNALLED:
        yield_now()
    lock(core)


def hand_on(core: int, number: int) -> None:
    """Wake another thread of a queue if this one leaves work there, for which it was woken."""
    queue = queue_of(core, number)
    if load_acquire(queue + Q_COUNT) == 0:
        return
    lock(core)
    parker = take_idle(queue) if load(queue + Q_COUNT) != 0 else 0
    unlock(core)
    wake(core, to_wake(0, parker))


def worker(core: int, parker: int) -> int:
    """Run kernels until the core stops: the main function of a native worker."""
    while True:
        lock(core)
        operation = take_ready(core, NATIVE)
        if operation != 0:
            begin_locked(core, operation)
            fetch_add(core + BUSY, 1)
            unlock(core)
            while operation != 0:
                operation = run(core, operation, parker, ANYTHING)
            fetch_add(core + BUSY, -1)
            continue
        instance = open_instance_locked(core)
        if instance != 0:
            fetch_add(core + BUSY, 1)
            unlock(core)
            join(core, instance)
            fetch_add(core + BUSY, -1)
            continue
        if load(core + STOPPING) != 0:
            unlock(core)
            return 0
        arm(parker)
        add_idle(core, NATIVE, parker)
        unlock(core)
        rest(core, parker, -1, load(core + SPIN))


def help_locked(core: int, parker: int, longest: int, until: int) -> int:
    """Run the next ready operation and those it makes ready, if they take up to `longest` ns.

    Called with the lock; it is released unless the result is NOTHING.
    """
    operation = next_ready(core, NATIVE)
    if operation != 0:
        if is_long(operation, longest):
            unlock(core)
            return LEFT
        begin_locked(core, take_ready(core, NATIVE))
        unlock(core)
        return RAN if run_chain(core, operation, parker, longest, until) else TIRED
    instance = open_instance_locked(core)
    if instance == 0:
        return NOTHING
    if is_long_plan(instance, longest):
        drop_reference_locked(core, instance)
        unlock(core)
        return LEFT
    unlock(core)
    join(core, instance)
    return RAN


def run_chain(core: int, operation: int, thread: int, longest: int, until: int) -> bool:
    """Run an operation and those it makes ready; False if stopped before their end."""
    for _ in range(CHAIN):
        operation = run(core, operation, thread, longest)
        if operation == 0:
            return True
        if now() >= until:
            break
    run(core, operation, thread, 0)
    return False


def pop(core: int, parker: int, number: int, timeout: int) -> int:
    """Return the next operation of a Python queue, marked as started; 0: stopped or time-out."""
    lock(core)
    operation = take_ready(core, number)
    waiting = timeout != 0
    while operation == 0 and waiting and load(core + STOPPING) == 0:
        arm(parker)
        add_idle(core, number, parker)
        unlock(core)
        rest(core, parker, timeout, load(core + SPIN))
        settle_parker(core, parker)
        operation = take_ready(core, number)  # another thread may have been faster
        waiting = timeout < 0
    if operation != 0:
        begin_locked(core, operation)
    unlock(core)
    return operation


def reached(core: int, operation: int, sequence: int) -> bool:
    """Return whether the operation (or FOR_ALL, FOR_BRAKE) that a thread waits for is done."""
    if operation == FOR_ALL:
        return load_acquire(core + PENDING) == 0
    if operation == FOR_BRAKE:
        return below_brake(core)
    return load_acquire(operation + O_SEQ) != sequence


def watch_list(core: int, operation: int) -> int:
    """Return the address of the list of threads that wait for it."""
    if operation == FOR_ALL:
        return core + ALL_WAITERS
    if operation == FOR_BRAKE:
        return core + BRAKE_WAITERS
    return operation + O_WATCHERS


def wait(core: int, parker: int, operation: int, sequence: int, timeout: int, longest: int) -> int:
    """Wait for an operation (or FOR_ALL, FOR_BRAKE), running ready kernels that are known to take
    up to `longest` nanoseconds (0: none). Return 1 once it is done.

    Return 0 after the time-out, or early so that Python can handle signals. Return LEFT as soon as
    a longer kernel is ready, or after running kernels for long.
    """
    if load(parker + P_STEP) != 0:
        hand_over_step(core, parker)  # an interrupt kept this thread from running its step
    outcome = 0
    until = now() + (TURN if longest != ANYTHING else ANYTHING)
    while True:
        if reached(core, operation, sequence):
            outcome = 1
            break
        lock(core)
        store(core + INLINED, 0)  # a thread that waits gains nothing from a parallel worker
        helped = NOTHING
        if longest != 0:
            helped = help_locked(core, parker, longest, until)
        if helped == RAN and now() < until:
            continue
        if helped != NOTHING:
            outcome = LEFT if helped == LEFT or now() >= until else 0
            break
        if reached(core, operation, sequence):
            unlock(core)
            continue
        woken = watch_and_rest(core, parker, operation, sequence, timeout, longest != 0)
        if not woken:
            break
    hand_on(core, NATIVE)
    return outcome


def watch_and_rest(
    core: int, parker: int, operation: int, sequence: int, timeout: int, helps: bool
) -> bool:
    """Sleep as a watcher, and as an idle thread if it helps; called with the lock, it releases it.

    A thread that has left its work to another one does not spin, to free its processor: the other
    one would wait behind a kernel for some milliseconds.
    """
    arm(parker)
    watchers = watch_list(core, operation)
    store(parker + P_WATCH_NEXT, load(watchers))
    store(watchers, parker)
    if helps:
        add_idle(core, NATIVE, parker)
    unlock(core)
    woken = rest(core, parker, timeout, load(core + SPIN) if helps else 0)
    settle_parker(core, parker)
    if operation <= 0 or load(operation + O_SEQ) == sequence:
        unwatch(watchers, parker)
    unlock(core)
    return woken


def unwatch(watchers: int, parker: int) -> None:
    """Remove a parker from a list of watchers, if it is still there."""
    previous = 0
    at = load(watchers)
    while at not in (0, parker):
        previous = at
        at = load(at + P_WATCH_NEXT)
    if at == 0:
        return
    if previous != 0:
        store(previous + P_WATCH_NEXT, load(at + P_WATCH_NEXT))
    else:
        store(watchers, load(at + P_WATCH_NEXT))
