"""Entry points that look at variables, failures and memory, and change them by hand."""

from __future__ import annotations

from nbgraph.engine.core.codes import (
    SNAPSHOT,
)
from nbgraph.engine.core.layout import (
    ALIVE,
    C_NEXT,
    C_RAISED,
    C_TOKEN,
    CELLS,
    DEAD_CELLS,
    DEAD_INSTANCES,
    DEAD_OPERATORS,
    I_DEAD,
    I_NEXT,
    I_REFS,
    MUTATE,
    NO_SKIP,
    O_AFTER,
    O_COUNT,
    O_ERROR,
    O_FIXED,
    O_FLAGS,
    O_KIND,
    O_NAME,
    O_NEXT,
    O_SEQ,
    O_SITE,
    O_SLOTS,
    O_TEMPLATE,
    O_TOKEN,
    O_WAIT,
    Q_FIRST,
    QUEUE_COUNT,
    RELEASED,
    S_MODE,
    S_VARIABLE,
    SEQUENCE,
    SLOT,
    V_CELL,
    V_NEXT,
    WORD,
)
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
    drop_cell,
    earlier,
    give_block,
    hold_cell,
    lock,
    mark_raised,
    new_cell,
    set_cell,
    take_block,
    take_variable,
    unlock,
)
from nbgraph.engine.core.operations import (
    clear_operation,
    drain_released_locked,
    fail_locked,
    idle_variable,
    schedule_locked,
)
from nbgraph.engine.core.outside import (
    drop_reference_locked,
)
from nbgraph.engine.core.queues import (
    queue_of,
    wake,
)
from nbgraph.engine.core.tracker import (
    give_back,
    poison,
)

# ------------------------------------------------------------------ variables and failures


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
    """core, variable: for finalisers; takes no lock, the next push deletes it."""
    core = argument(argv, 0)
    variable = argument(argv, 1)
    while True:
        head = load_acquire(core + RELEASED)
        store(variable + V_NEXT, head)
        if compare_exchange(core + RELEASED, head, variable):
            return 0


def raise_variable(argv: int, argc: int) -> int:
    """core, variable -> the failure on it, now raised, if it was not raised before; else 0."""
    core = argument(argv, 0)
    lock(core)
    cell = load(argument(argv, 1) + V_CELL)
    if cell != 0 and load(cell + C_RAISED) == 0:
        hold_cell(cell)  # for the caller, who lets it go
        mark_raised(core, cell, load(core + SEQUENCE))
    else:
        cell = 0
    unlock(core)
    return cell


def settled(argv: int, argc: int) -> int:
    """core, variable -> 1 if nobody uses it or waits for it, and it carries no failure."""
    core = argument(argv, 0)
    variable = argument(argv, 1)
    lock(core)
    found = idle_variable(variable) and load(variable + V_CELL) == 0
    unlock(core)
    return 1 if found else 0


def raise_first(argv: int, argc: int) -> int:
    """core -> the earliest failure nobody has seen, now raised, or 0."""
    core = argument(argv, 0)
    lock(core)
    first = 0
    cell = load(core + CELLS)
    while cell != 0:
        first = earlier(first, cell)
        cell = load(cell + C_NEXT)
    if first != 0:
        hold_cell(first)
        mark_raised(core, first, load(core + SEQUENCE))
    unlock(core)
    return first


def raise_cell(argv: int, argc: int) -> int:
    """core, cell: its user has seen it -> 1 if nobody had before."""
    core = argument(argv, 0)
    cell = argument(argv, 1)
    lock(core)
    first = load(cell + C_RAISED) == 0
    if first:
        mark_raised(core, cell, load(core + SEQUENCE))
    unlock(core)
    return 1 if first else 0


def cell_of(argv: int, argc: int) -> int:
    """core, operation or variable, offset of its cell word -> the cell, held for the caller."""
    core = argument(argv, 0)
    lock(core)
    cell = load(argument(argv, 1) + argument(argv, 2))
    if cell != 0:
        hold_cell(cell)
    unlock(core)
    return cell


def let_cell_go(argv: int, argc: int) -> int:
    """core, cell: the caller's reference."""
    core = argument(argv, 0)
    lock(core)
    drop_cell(core, argument(argv, 1))
    unlock(core)
    return 0


def fail(argv: int, argc: int) -> int:
    """core, operation, code, token: it has failed, and is not done yet -> the failure's cell."""
    core = argument(argv, 0)
    operation = argument(argv, 1)
    lock(core)
    cell = new_cell(core, operation, argument(argv, 2), argument(argv, 3), 0)
    if cell != 0:
        fail_locked(core, operation, cell)
    unlock(core)
    return cell


def late_failure(argv: int, argc: int) -> int:
    """core, issued operation -> its failure, 0 if all went well: one may have come meanwhile."""
    core = argument(argv, 0)
    operation = argument(argv, 1)
    lock(core)
    if load(operation + O_FLAGS) & NO_SKIP == 0:
        cell = poison(operation)
        if cell != 0:
            fail_locked(core, operation, cell)
    cell = load(operation + O_ERROR)
    unlock(core)
    return cell


def set_failure(argv: int, argc: int) -> int:
    """core, variable nobody uses (0: none), token, number of the operation, number at the raise,
    place within the operation.

    A failure from elsewhere -> its cell.
    """
    core = argument(argv, 0)
    variable = argument(argv, 1)
    cell = 0
    lock(core)
    operation = take_block(core, O_FIXED)
    if operation != 0:
        clear_operation(operation)
        store(operation + O_SEQ, argument(argv, 3))
        cell = new_cell(core, operation, 1, argument(argv, 2), argument(argv, 5))
        if cell != 0 and variable != 0:
            set_cell(core, variable, cell)
        if cell != 0 and argument(argv, 4) != 0:
            mark_raised(core, cell, argument(argv, 4))
        store(operation + O_SEQ, 0)
        give_block(core, operation)
    unlock(core)
    return cell


def put_failure(argv: int, argc: int) -> int:
    """core, variable nobody uses, cell: a failure that is here already lies on it too."""
    core = argument(argv, 0)
    lock(core)
    set_cell(core, argument(argv, 1), argument(argv, 2))
    unlock(core)
    return 0


def leave_early(argv: int, argc: int) -> int:
    """core, running operation, index of a slot, cell: that variable goes on, with this failure."""
    core = argument(argv, 0)
    operation = argument(argv, 1)
    slot = operation + O_SLOTS + SLOT * argument(argv, 2)
    lock(core)
    ready = give_back(core, operation, slot, argument(argv, 3), 0)
    _, parkers = schedule_locked(core, ready, 0, False)
    unlock(core)
    wake(core, parkers)
    return 0


def dead_cell(argv: int, argc: int) -> int:
    """core -> token of an exception that nothing refers to any more, or 0; -1: it had none."""
    core = argument(argv, 0)
    lock(core)
    cell = load(core + DEAD_CELLS)
    token = 0
    if cell != 0:
        store(core + DEAD_CELLS, load(cell + C_NEXT))
        token = load(cell + C_TOKEN)
        if token == 0:
            token = -1
        give_block(core, cell)
    unlock(core)
    return token


def dead_template(argv: int, argc: int) -> int:
    """core -> token of a deleted template whose pushes are done, or 0."""
    core = argument(argv, 0)
    lock(core)
    made = load(core + DEAD_OPERATORS)
    token = 0
    if made != 0:
        store(core + DEAD_OPERATORS, load(made + O_NEXT))
        token = load(made + O_TOKEN)
        store(made + O_TEMPLATE, 0)
        give_block(core, made)
    unlock(core)
    return token


# ------------------------------------------------------------------ plans


def drop_instance(argv: int, argc: int) -> int:
    """core, instance: to be given back when its last run and helper are gone."""
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
    """address, word."""
    store_release(argument(argv, 0), argument(argv, 1))
    return 0


def new_memory(argv: int, argc: int) -> int:
    """bytes -> zeroed memory, or 0."""
    return allocate(argument(argv, 0))


def free_memory(argv: int, argc: int) -> int:
    """address."""
    release(argument(argv, 0))
    return 0


def snapshot(argv: int, argc: int) -> int:
    """core, buffer, capacity in operations -> how many pending ones, newest first, were written:
    SNAPSHOT words each. The words of each are those of one moment.
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
    """core, operation, its number, buffer, capacity -> how many of its variables were written
    there, each as address | mutate; 0 if it is over.
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
    """Which word of an operation is shown at this place: address, number, token, name, ..."""
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
    """core, buffer, capacity -> how many ready operations, of all queues, were written there."""
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
