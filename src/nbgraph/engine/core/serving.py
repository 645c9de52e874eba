"""Entries for threads: work, take and end Python calls, wait, stop."""

from nbgraph.engine.core.entries import TICKET_BITS, TICKET_MASK, admit
from nbgraph.engine.core.layout import *
from nbgraph.engine.core.machine import load, load_acquire, store
from nbgraph.engine.core.memory import argument, lock, take_block, unlock
from nbgraph.engine.core.operations import (
    begin_locked,
    clear_operation,
    finish,
    idle_variable,
    schedule_locked,
    set_slot,
)
from nbgraph.engine.core.outside import hand_over_step
from nbgraph.engine.core.queues import queue_of, take_idle, take_this, to_wake, wake
from nbgraph.engine.core.running import finish_step, run
from nbgraph.engine.core.tracker import issue
from nbgraph.engine.core.waiting import new_parker, pop, wait, worker


def new_thread(argv: int, argc: int) -> int:
    """core -> the parker of a new thread, or 0."""
    return new_parker(argument(argv, 0))


def work_until_stopped(argv: int, argc: int) -> int:
    """core, parker: run a native worker until the core stops."""
    return worker(argument(argv, 0), argument(argv, 1))


def next_call(argv: int, argc: int) -> int:
    """core, parker, queue, timeout -> an operation of a Python queue, marked as started, or 0."""
    return pop(argument(argv, 0), argument(argv, 1), argument(argv, 2), argument(argv, 3))


def call_done(argv: int, argc: int) -> int:
    """core, operation, code, token of the exception: a Python function has returned."""
    core = argument(argv, 0)
    operation = argument(argv, 1)
    if load(operation + O_KIND) == STEP:
        finish_step(core, operation, argument(argv, 2), argument(argv, 3))
    else:
        finish(core, operation, argument(argv, 2), argument(argv, 3), 0)
    return 0


def hand_over(argv: int, argc: int) -> int:
    """core, parker: pass the Python row of a plan, which this thread should run, to another."""
    hand_over_step(argument(argv, 0), argument(argv, 1))
    return 0


def call_issued(argv: int, argc: int) -> int:
    """core, operation: mark it as issued, so that the next ones of its lane may start."""
    core = argument(argv, 0)
    lock(core)
    ready = issue(argument(argv, 1))
    _, parkers = schedule_locked(core, ready, 0, False)
    unlock(core)
    wake(core, parkers)
    return 0


def wait_for(argv: int, argc: int) -> int:
    """core, parker, ticket (0: everything, -1: the brake), timeout, nanoseconds of the longest
    kernel it may run -> 1: done, 0: handle signals, LEFT: a longer kernel is ready."""
    core = argument(argv, 0)
    parker = argument(argv, 1)
    ticket = argument(argv, 2)
    timeout = argument(argv, 3)
    longest = argument(argv, 4)
    if ticket <= 0:
        return wait(core, parker, ticket, 0, timeout, longest)
    operation = ticket >> TICKET_BITS << 6
    sequence = load_acquire(operation + O_SEQ)
    if sequence == 0 or sequence & TICKET_MASK != ticket & TICKET_MASK:
        return 1
    return wait(core, parker, operation, sequence, timeout, longest)


def is_done(argv: int, argc: int) -> int:
    """ticket -> 1 if its operation is done."""
    ticket = argument(argv, 0)
    sequence = load_acquire((ticket >> TICKET_BITS << 6) + O_SEQ)
    return 1 if sequence == 0 or sequence & TICKET_MASK != ticket & TICKET_MASK else 0


def mark(argv: int, argc: int) -> int:
    """core, variable -> a ticket that is done once all present uses are, or 0 without uses."""
    core = argument(argv, 0)
    variable = argument(argv, 1)
    lock(core)
    operation = 0
    if not idle_variable(variable):
        operation = take_block(core, O_FIXED + SLOT // WORD)
    if operation == 0:
        unlock(core)
        return 0
    clear_operation(operation)
    store(operation + O_KIND, MARK)
    store(operation + O_FLAGS, FORCE | NO_SKIP | INTERNAL)
    store(operation + O_COUNT, 1)
    set_slot(operation + O_SLOTS, variable, MUTATE | SILENT)
    return admit(core, operation)


def stop(argv: int, argc: int) -> int:
    """core: wake all idle threads, and have every thread end once nothing is ready."""
    core = argument(argv, 0)
    lock(core)
    store(core + STOPPING, 1)
    parkers = 0
    for number in range(QUEUE_COUNT):
        queue = queue_of(core, number)
        while load(queue + Q_IDLE) != 0:
            parkers = to_wake(parkers, take_idle(queue))
    unlock(core)
    wake(core, parkers)
    return 0


def take_one(argv: int, argc: int) -> int:
    """core, operation -> 1: removed from its queue and marked as started, for `chaos`."""
    core = argument(argv, 0)
    operation = argument(argv, 1)
    lock(core)
    taken = take_this(core, operation)
    if taken:
        begin_locked(core, operation)
    unlock(core)
    return 1 if taken else 0


def run_one(argv: int, argc: int) -> int:
    """core, operation: run a kernel, plan or helper that has been taken."""
    run(argument(argv, 0), argument(argv, 1), 0, 0)
    return 0
