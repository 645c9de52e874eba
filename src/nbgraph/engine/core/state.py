"""Entries that read and change variables, plans and memory directly."""

from nbgraph.engine.core.codes import SNAPSHOT
from nbgraph.engine.core.layout import *
from nbgraph.engine.core.machine import (
    allocate,
    compare_exchange,
    load,
    load_acquire,
    release,
    store,
    store_release,
)
from nbgraph.engine.core.memory import (
    argument,
    cell_on,
    give_block,
    lock,
    set_cell,
    take_variable,
    unlock,
)
from nbgraph.engine.core.operations import drain_released_locked, idle_variable
from nbgraph.engine.core.outside import drop_reference_locked
from nbgraph.engine.core.queues import queue_of

# ------------------------------------------------------------------ variables and templates


def new_variable(argv: int, argc: int) -> int:
    """core -> variable, or 0: no memory."""
    core = argument(argv, 0)
    lock(core)
    if load(core + RELEASED) != 0:
        drain_released_locked(core)
    variable = take_variable(core)
    unlock(core)
    return variable


def give_up(argv: int, argc: int) -> int:
    """core, variable: release it without a lock, for finalisers; the next push deletes it."""
    core = argument(argv, 0)
    variable = argument(argv, 1)
    while True:
        head = load_acquire(core + RELEASED)
        store(variable + V_NEXT, head)
        if compare_exchange(core + RELEASED, head, variable):
            return 0


def in_use(argv: int, argc: int) -> int:
    """variable -> 1 if an operation uses it or waits for it; takes no lock."""
    return 0 if idle_variable(argument(argv, 0)) else 1


def settled(argv: int, argc: int) -> int:
    """core, variable -> 1 if no operation uses it or waits for it, and it carries no failure."""
    core = argument(argv, 0)
    variable = argument(argv, 1)
    lock(core)
    store(core + INLINED, 0)  # see `wait`
    idle = idle_variable(variable) and cell_on(variable) == 0
    unlock(core)
    return 1 if idle else 0


def renew(argv: int, argc: int) -> int:
    """core, variable whose memory gets a new owner: failures of operations pushed before will not
    apply to operations pushed from now on."""
    core = argument(argv, 0)
    variable = argument(argv, 1)
    lock(core)
    if idle_variable(variable) or cell_on(variable) == 0:
        set_cell(core, variable, 0, 0)  # else unfinished operations still need the failure
    store(variable + V_SINCE, load(core + SEQUENCE))
    unlock(core)
    return 0


def dead_template(argv: int, argc: int) -> int:
    """core -> token of a deleted template whose pushes are done, or 0."""
    core = argument(argv, 0)
    lock(core)
    entry = load(core + DEAD_OPERATORS)
    token = 0
    if entry != 0:
        store(core + DEAD_OPERATORS, load(entry + O_NEXT))
        token = load(entry + O_TOKEN)
        store(entry + O_TEMPLATE, 0)
        give_block(core, entry)
    unlock(core)
    return token


# ------------------------------------------------------------------ plans


def drop_instance(argv: int, argc: int) -> int:
    """core, instance: free it after its last run and helper."""
    core = argument(argv, 0)
    instance = argument(argv, 1)
    lock(core)
    store(instance + I_REFS, load(instance + I_REFS) + 1)
    store(instance + I_DEAD, 1)
    drop_reference_locked(core, instance)
    unlock(core)
    return 0


def dead_instance(argv: int, argc: int) -> int:
    """core -> an instance whose memory may be freed, or 0."""
    core = argument(argv, 0)
    lock(core)
    instance = load(core + DEAD_INSTANCES)
    if instance != 0:
        store(core + DEAD_INSTANCES, load(instance + I_NEXT))
    unlock(core)
    return instance


# ------------------------------------------------------------------ memory and the lock


def peek(argv: int, argc: int) -> int:
    """address -> its word."""
    return load_acquire(argument(argv, 0))


def poke(argv: int, argc: int) -> int:
    """address, word: store the word."""
    store_release(argument(argv, 0), argument(argv, 1))
    return 0


def new_memory(argv: int, argc: int) -> int:
    """bytes -> zeroed memory, or 0."""
    return allocate(argument(argv, 0))


def free_memory(argv: int, argc: int) -> int:
    """address: free its memory."""
    release(argument(argv, 0))
    return 0


def snapshot(argv: int, argc: int) -> int:
    """core, buffer, capacity in operations -> number of pending ones written, newest first, with
    SNAPSHOT words each, all of one moment.
    """
    core = argument(argv, 0)
    place = argument(argv, 1)
    count = 0
    lock(core)
    operation = load(core + ALIVE)
    while operation != 0 and count < argument(argv, 2):
        for i in range(SNAPSHOT):
            store(place + WORD * i, load(operation + snapshot_word(i)))
        store(place, operation)
        place += WORD * SNAPSHOT
        count += 1
        operation = load(operation + O_AFTER)
    unlock(core)
    return count


def uses(argv: int, argc: int) -> int:
    """core, operation, its number, buffer, capacity -> number of its variables written there, each
    as address | mutate; 0 if it has ended.
    """
    core = argument(argv, 0)
    operation = argument(argv, 1)
    place = argument(argv, 3)
    count = 0
    lock(core)
    if load(operation + O_SEQ) == argument(argv, 2):
        slot = operation + O_SLOTS
        count = min(load(operation + O_COUNT), argument(argv, 4))
        for i in range(count):
            mode = load(slot + S_MODE)
            store(place + WORD * i, load(slot + S_VARIABLE) | (mode & MUTATE))
            slot += SLOT
    unlock(core)
    return count


def snapshot_word(index: int) -> int:
    """Return the offset in an operation of word `index` of a snapshot: number, token, name, ..."""
    if index == 1:
        return O_SEQ
    if index == 2:
        return O_TOKEN
    if index == 3:
        return O_NAME
    if index == 4:
        return O_SITE
    if index == 5:
        return O_FLAGS
    if index == 6:
        return O_WAIT
    return O_KIND


def ready_list(argv: int, argc: int) -> int:
    """core, buffer, capacity -> number of ready operations, of all queues, written there."""
    core = argument(argv, 0)
    place = argument(argv, 1)
    count = 0
    lock(core)
    for number in range(QUEUE_COUNT):
        operation = load(queue_of(core, number) + Q_FIRST)
        while operation != 0 and count < argument(argv, 2):
            store(place + WORD * count, operation)
            count += 1
            operation = load(operation + O_NEXT)
    unlock(core)
    return count
