"""The tracker decides which operations may use a variable, without regard to threads and devices.

All of it runs under the core's lock. Operations that become ready are returned as a list, linked
through O_NEXT; the caller decides where they run.
"""

from nbgraph.engine.core.layout import *
from nbgraph.engine.core.machine import load, store, store_release
from nbgraph.engine.core.memory import applies, cell_for, earlier, set_cell


def may_take(variable: int, mode: int, lane: int) -> bool:
    """Return whether a use may be granted besides the present ones (rule 1)."""
    if load(variable + V_WRITES) != 0:
        return False
    issued = load(variable + V_ISSUED_WRITES)
    if mode & MUTATE != 0:
        if load(variable + V_READS) != 0:
            return False
        issued += load(variable + V_ISSUED_READS)
    return issued == 0 or (lane != 0 and load(variable + V_LANE) == lane)


def take(slot: int, variable: int, mode: int) -> None:
    """Grant a variable to a slot."""
    store(slot + S_MODE, mode | GRANTED)
    if mode & MUTATE != 0:
        store(variable + V_WRITES, load(variable + V_WRITES) + 1)
    else:
        store(variable + V_READS, load(variable + V_READS) + 1)


def request(slot: int, operation: int) -> bool:
    """Grant a slot its variable and return True, or append the slot to the variable's queue."""
    variable = load(slot + S_VARIABLE)
    mode = load(slot + S_MODE)
    store(slot + S_NEXT, 0)
    store(slot + S_OPERATION, operation)
    if load(variable + V_HEAD) == 0 and may_take(variable, mode, load(operation + O_LANE)):
        take(slot, variable, mode)
        return True
    tail = load(variable + V_TAIL)
    if tail != 0:
        store(tail + S_NEXT, slot)
    else:
        store(variable + V_HEAD, slot)
    store(variable + V_TAIL, slot)
    return False


def enter(core: int, operation: int) -> bool:
    """Number an operation and request all its variables; return whether it is ready."""
    sequence = load(core + SEQUENCE) + 1
    store(core + SEQUENCE, sequence)
    store(core + PENDING, load(core + PENDING) + 1)
    newest = load(core + ALIVE)
    store(operation + O_AFTER, newest)
    store(operation + O_BEFORE, 0)
    if newest != 0:
        store(newest + O_BEFORE, operation)
    store(core + ALIVE, operation)
    waiting = 0
    slot = operation + O_SLOTS
    for _ in range(load(operation + O_COUNT)):
        if not request(slot, operation) and load(slot + S_MODE) & LATE == 0:
            waiting += 1
        slot += SLOT
    store(operation + O_WAIT, waiting)
    store_release(operation + O_SEQ, sequence)
    return waiting == 0


def leave(core: int, operation: int) -> None:
    """Remove an operation from the list of pending ones."""
    after = load(operation + O_AFTER)
    before = load(operation + O_BEFORE)
    if after != 0:
        store(after + O_BEFORE, before)
    if before != 0:
        store(before + O_AFTER, after)
    else:
        store(core + ALIVE, after)


def advance(variable: int, ready: int) -> int:
    """Grant a variable to its queue from the head on (rule 2); return `ready`, extended."""
    slot = load(variable + V_HEAD)
    while slot != 0:
        operation = load(slot + S_OPERATION)
        mode = load(slot + S_MODE)
        if not may_take(variable, mode, load(operation + O_LANE)):
            break
        following = load(slot + S_NEXT)
        take(slot, variable, mode)
        if mode & LATE == 0:
            waiting = load(operation + O_WAIT) - 1
            store(operation + O_WAIT, waiting)
            if waiting == 0:
                store(operation + O_NEXT, ready)
                ready = operation
        elif mode & AWAITED != 0:
            ready = acquired(slot, mode, ready)
        slot = following
    store(variable + V_HEAD, slot)
    if slot == 0:
        store(variable + V_TAIL, 0)
    return ready


def acquired(slot: int, mode: int, ready: int) -> int:
    """Return `ready` with the step of a running plan that waited for this slot."""
    step = load(slot + S_STEP)
    store(slot + S_MODE, (mode | GRANTED) & ~AWAITED)
    store(step + O_NEXT, ready)
    return step


def issue(operation: int) -> int:
    """Mark an operation as issued on its lane; return the operations that become ready by that."""
    lane = load(operation + O_LANE)
    store(operation + O_FLAGS, load(operation + O_FLAGS) | ISSUED)
    ready = 0
    slot = operation + O_SLOTS
    for _ in range(load(operation + O_COUNT)):
        variable = load(slot + S_VARIABLE)
        issued = load(variable + V_ISSUED_READS) + load(variable + V_ISSUED_WRITES)
        if issued == 0:
            store(variable + V_LANE, lane)
        elif load(variable + V_LANE) != lane:
            store(variable + V_LANE, MIXED)
        if load(slot + S_MODE) & MUTATE != 0:
            store(variable + V_WRITES, load(variable + V_WRITES) - 1)
            store(variable + V_ISSUED_WRITES, load(variable + V_ISSUED_WRITES) + 1)
        else:
            store(variable + V_READS, load(variable + V_READS) - 1)
            store(variable + V_ISSUED_READS, load(variable + V_ISSUED_READS) + 1)
        ready = advance(variable, ready)
        slot += SLOT
    return ready


def give_back(core: int, operation: int, slot: int, cell: int, ready: int) -> int:
    """Release one slot (rule 4), leaving `cell` after a write; return `ready`, extended."""
    variable = load(slot + S_VARIABLE)
    mode = load(slot + S_MODE)
    store(slot + S_MODE, mode | RETURNED)
    issued = load(operation + O_FLAGS) & ISSUED != 0
    if mode & MUTATE != 0:
        place = variable + (V_ISSUED_WRITES if issued else V_WRITES)
        if mode & SILENT == 0:
            left = cell if load(variable + V_KEEPS) != NEVER else 0
            set_cell(core, variable, left, load(operation + O_SEQ))
            store_release(variable + V_VERSION, load(variable + V_VERSION) + 1)
    else:
        place = variable + (V_ISSUED_READS if issued else V_READS)
    store(place, load(place) - 1)
    return advance(variable, ready)


def give_all_back(core: int, operation: int, cell: int) -> int:
    """Release all slots that are not released yet (rule 4); return the ready operations."""
    ready = 0
    slot = operation + O_SLOTS
    for _ in range(load(operation + O_COUNT)):
        if load(slot + S_MODE) & RETURNED == 0:
            ready = give_back(core, operation, slot, cell, ready)
        slot += SLOT
    return ready


def poison(operation: int) -> int:
    """Return the earliest failure on its variables that applies to an operation (rule 5), or 0.

    The outcome of a write that is only issued is not known before this operation is done itself.
    """
    first = 0
    sequence = load(operation + O_SEQ)
    issued = load(operation + O_FLAGS) & ISSUED != 0
    spared = MUTATE if load(operation + O_FLAGS) & OVERWRITES != 0 else 0
    slot = operation + O_SLOTS
    for _ in range(load(operation + O_COUNT)):
        variable = load(slot + S_VARIABLE)
        cell = cell_for(variable, sequence) if load(slot + S_MODE) & spared == 0 else 0
        known = issued or load(variable + V_ISSUED_WRITES) == 0
        lasts = load(variable + V_KEEPS) == UNTIL_WRITTEN
        if cell != 0 and known and (lasts or applies(cell, sequence)):
            first = earlier(first, cell)
        slot += SLOT
    return first


def stale(operation: int) -> int:
    """Return 1 + the index of a variable that has died since its slot was set, or 0."""
    slot = operation + O_SLOTS
    for i in range(load(operation + O_COUNT)):
        if load(slot + S_MODE) >> 8 != load(load(slot + S_VARIABLE) + V_GENERATION):
            return i + 1
        slot += SLOT
    return 0
