"""Entries that raise failures, put them on variables, pass them on early, and drop them."""

from nbgraph.engine.core.layout import *
from nbgraph.engine.core.machine import load, store
from nbgraph.engine.core.memory import (
    argument,
    cell_on,
    drop_cell,
    earlier,
    give_block,
    hold_cell,
    lock,
    mark_raised,
    new_cell,
    set_cell,
    take_block,
    unlock,
)
from nbgraph.engine.core.operations import clear_operation, fail_locked, schedule_locked
from nbgraph.engine.core.queues import wake
from nbgraph.engine.core.tracker import give_back, poison


def raise_variable(argv: int, argc: int) -> int:
    """core, variable -> the failure on it, now raised, if it was not raised before; else 0."""
    core = argument(argv, 0)
    lock(core)
    cell = cell_on(argument(argv, 1))
    if cell != 0 and load(cell + C_RAISED) == 0:
        hold_cell(cell)  # the caller's reference, for `let_cell_go`
        mark_raised(core, cell, load(core + SEQUENCE))
    else:
        cell = 0
    unlock(core)
    return cell


def raise_first(argv: int, argc: int) -> int:
    """core -> the earliest failure that was not raised, now marked as raised, or 0."""
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


def unseen(argv: int, argc: int) -> int:
    """core, n -> the n-th newest failure that was not raised, referenced for the caller, or 0."""
    core = argument(argv, 0)
    left = argument(argv, 1)
    lock(core)
    cell = load(core + CELLS)
    while cell != 0 and left > 0:
        cell = load(cell + C_NEXT)
        left -= 1
    if cell != 0:
        hold_cell(cell)
    unlock(core)
    return cell


def raise_cell(argv: int, argc: int) -> int:
    """core, cell: mark it as raised -> 1 if it was not raised before."""
    core = argument(argv, 0)
    cell = argument(argv, 1)
    lock(core)
    first = load(cell + C_RAISED) == 0
    if first:
        mark_raised(core, cell, load(core + SEQUENCE))
    unlock(core)
    return 1 if first else 0


def cell_of(argv: int, argc: int) -> int:
    """core, variable -> the cell of the failure on it, referenced for the caller, or 0."""
    core = argument(argv, 0)
    lock(core)
    cell = cell_on(argument(argv, 1))
    if cell != 0:
        hold_cell(cell)
    unlock(core)
    return cell


def let_cell_go(argv: int, argc: int) -> int:
    """core, cell: drop the caller's reference."""
    core = argument(argv, 0)
    lock(core)
    drop_cell(core, argument(argv, 1))
    unlock(core)
    return 0


def fail(argv: int, argc: int) -> int:
    """core, operation that is not done, code, token: record a failure -> its cell."""
    core = argument(argv, 0)
    operation = argument(argv, 1)
    lock(core)
    cell = new_cell(core, operation, argument(argv, 2), argument(argv, 3), 0)
    if cell != 0:
        fail_locked(core, operation, cell)
    unlock(core)
    return cell


def late_failure(argv: int, argc: int) -> int:
    """core, issued operation -> its failure, or 0; an earlier one may have reached it meanwhile."""
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
    """core, unused variable (0: none), token, number of the operation, number at the raise, place
    within the operation: record a failure from outside the core -> its cell.
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
            set_cell(core, variable, cell, load(core + SEQUENCE))
        if cell != 0 and argument(argv, 4) != 0:
            mark_raised(core, cell, argument(argv, 4))
        store(operation + O_SEQ, 0)
        give_block(core, operation)
    unlock(core)
    return cell


def put_failure(argv: int, argc: int) -> int:
    """core, unused variable, cell of this core: put the failure on the variable -> 1; 0 if the cell
    has no references left and is about to be freed."""
    core = argument(argv, 0)
    cell = argument(argv, 2)
    lock(core)
    alive = load(cell + C_REFS) > 0
    if alive:
        set_cell(core, argument(argv, 1), cell, load(core + SEQUENCE))
    unlock(core)
    return 1 if alive else 0


def leave_early(argv: int, argc: int) -> int:
    """core, running operation, index of a slot, cell: release that variable, with this failure."""
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
    """core -> token of an exception without references, -1 for a cell without one, 0 if none."""
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
