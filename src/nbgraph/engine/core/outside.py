"""What a running plan has to do with the rest of the core: outside variables, errors, helpers."""

from __future__ import annotations

from nbgraph.engine.core.layout import *
from nbgraph.engine.core.machine import fetch_add, load, load_acquire, now, store, store_release
from nbgraph.engine.core.memory import (
    applies,
    bury_token,
    cell_for,
    drop_cell,
    earlier,
    hold_cell,
    lock,
    new_cell,
    take_block,
    unlock,
)
from nbgraph.engine.core.operations import (
    clear_operation,
    complete_locked,
    fail_locked,
    schedule_locked,
)
from nbgraph.engine.core.queues import put_ready, to_wake, wake
from nbgraph.engine.core.tracker import give_back


def idle_workers(core: int) -> int:
    """Threads that could help now: those at rest, or workers woken for something that is gone."""
    resting = load_acquire(core + QUEUES + LINE * NATIVE + Q_IDLES)
    return max(resting, load(core + WORKERS) - load_acquire(core + BUSY))


def smooth(place: int, measured: int) -> None:
    """Follow a measured time. What disturbs a run makes it longer: a shorter time counts for three
    of those before, a longer one for a third, and for four times theirs at most."""
    old = load(place)
    if old == 0:
        store(place, max(1, measured))
    elif measured < old:
        store(place, max(1, (old + 3 * measured) // 4))
    else:
        store(place, (3 * old + min(measured, 4 * old)) // 4)


def outside_slot(instance: int, index: int) -> int:
    """The slot of an outside variable."""
    return load(instance + I_OPERATION) + O_SLOTS + SLOT * index


# ------------------------------------------------------------------ variables


def use_done(core: int, instance: int, row: int) -> None:
    """The row is done with its outside variables; the last user of one gives it back."""
    offsets = load(instance + I_USE_OFFSETS)
    use = load(instance + I_USE)
    remaining = load(instance + I_REMAINING)
    for k in range(load(offsets + WORD * row), load(offsets + WORD * row + WORD)):
        index = load(use + WORD * k) >> USE
        if fetch_add(remaining + WORD * index, -1) == 1:
            store(remaining + WORD * index, load(load(instance + I_USES) + WORD * index))
            give_back_outside(core, instance, index)


def give_back_outside(core: int, instance: int, index: int) -> None:
    """Before the plan is done: readers and writers of this variable go on."""
    lock(core)
    ready = give_back_locked(core, instance, index, 0)
    _, parkers = schedule_locked(core, ready, 0, False)
    unlock(core)
    wake(core, parkers)


def give_back_locked(core: int, instance: int, index: int, ready: int) -> int:
    """With the failure that the plan leaves on it; the longer list of ready operations."""
    cell = load(load(instance + I_EXTERNAL_ERRORS) + 2 * WORD * index + WORD)
    return give_back(core, load(instance + I_OPERATION), outside_slot(instance, index), cell, ready)


def acquire_outside(core: int, instance: int, row: int) -> bool:
    """Whether the late variable of this row is ours already; else the row goes on when it is."""
    slot = outside_slot(instance, load(load(instance + I_TABLE) + ROW * row + R_TOKEN))
    lock(core)
    mode = load(slot + S_MODE)
    granted = mode & GRANTED != 0
    if not granted:
        store(slot + S_STEP, new_step(core, instance, row, STEP, NATIVE))
        store(slot + S_MODE, mode | AWAITED)
    unlock(core)
    return granted


def new_step(core: int, instance: int, row: int, kind: int, queue: int) -> int:
    """A block that stands for one row, or for a helper, in a ready queue."""
    step = take_block(core, O_FIXED)
    if step != 0:
        clear_operation(step)
        store(step + O_KIND, kind)
        store(step + O_FLAGS, NO_SKIP)
        store(step + O_ARGS, instance)
        store(step + O_LO, row)
        store(step + O_QUEUE, queue)
    return step


def launch_row(core: int, instance: int, row: int, runner: int) -> None:
    """The runner or a Python thread takes a Python row from here, a worker the rest of a kernel;
    the plan goes on with `finish_step`."""
    at = load(instance + I_TABLE) + ROW * row
    lock(core)
    queue = PYTHON if load(at + R_KIND) == ROW_PYTHON else NATIVE
    step = new_step(core, instance, row, STEP, queue)
    store(step + O_TOKEN, load(at + R_TOKEN))
    store(step + O_NAME, load(at + R_NAME))
    store(step + O_RUNNER, runner)
    parkers = 0
    if runner != 0:
        store(runner + P_STEP, step)
    else:
        parkers = to_wake(0, put_ready(core, step))
    unlock(core)
    wake(core, parkers)


def hand_over_step(core: int, parker: int) -> None:
    """Leave the Python row of this thread, if there is one, to the Python threads."""
    step = load(parker + P_STEP)
    if step == 0:
        return
    lock(core)
    store(parker + P_STEP, 0)
    store(step + O_RUNNER, 0)
    parkers = to_wake(0, put_ready(core, step))
    unlock(core)
    wake(core, parkers)


# ------------------------------------------------------------------ helpers


def ask_help(core: int, instance: int, surplus: int) -> None:
    """There are tickets for others: who comes by finds them, and idle threads are told.

    The caller has a row of this run still to do, so the instance stays.
    """
    if load_acquire(core + OPEN) != instance:
        store_release(core + OPEN, instance)
    if idle_workers(core) == 0:
        return
    lock(core)
    penalty = load(core + PENALTY)
    count = min(surplus, idle_workers(core))
    if penalty != 0 and load(instance + I_ONE_ROW) != 0:
        store(core + PENALTY, penalty - 1)
        count = 0
    parkers = 0
    for _ in range(count):
        parkers = to_wake(parkers, send_help_locked(core, instance))
    unlock(core)
    wake(core, parkers)


def send_help_locked(core: int, instance: int) -> int:
    """Somebody will look for tickets of this instance; a parker to wake, or 0."""
    step = new_step(core, instance, 0, HELP, NATIVE)
    if step == 0:
        return 0
    store(instance + I_REFS, load(instance + I_REFS) + 1)
    return put_ready(core, step)


def drop_reference_locked(core: int, instance: int) -> None:
    """A thread has left; the last one out makes room if the instance has been given up."""
    refs = load(instance + I_REFS) - 1
    store(instance + I_REFS, refs)
    if refs != 0:
        return
    if load(instance + I_ONE_ROW) != 0:
        store(instance + I_NEXT, load(core + ONE_ROWS))
        store(core + ONE_ROWS, instance)
    elif load(instance + I_DEAD) != 0:
        store(instance + I_NEXT, load(core + DEAD_INSTANCES))
        store(core + DEAD_INSTANCES, instance)


# ------------------------------------------------------------------ errors


def put_cell(core: int, place: int, cell: int) -> None:
    """Keep the earlier of two failures at a place that holds a reference."""
    old = load(place)
    if earlier(old, cell) != old:
        hold_cell(cell)
        store(place, cell)
        if old != 0:
            drop_cell(core, old)


def take_poison(core: int, instance: int, index: int) -> None:
    """Note what failure lies on an outside variable when the plan gets it."""
    lock(core)
    take_poison_locked(core, instance, index)
    unlock(core)


def take_poison_locked(core: int, instance: int, index: int) -> None:
    """See `take_poison`."""
    variable = load(outside_slot(instance, index) + S_VARIABLE)
    sequence = load(load(instance + I_OPERATION) + O_SEQ)
    cell = cell_for(variable, sequence)
    if cell == 0:
        return
    lasts = load(variable + V_KEEPS) == UNTIL_WRITTEN
    if lasts or applies(cell, sequence):
        put_cell(core, load(instance + I_EXTERNAL_ERRORS) + 2 * WORD * index, cell)
        store_release(instance + I_FAILED, 1)


def fail_row(core: int, instance: int, row: int, code: int, token: int) -> None:
    """The row has failed: what lies downstream is poisoned. Several chunks are one failure."""
    lock(core)
    operation = load(instance + I_OPERATION)
    number = row + 1 if load(instance + I_ONE_ROW) == 0 else 0
    cell = load(load(instance + I_ERRORS) + WORD * row)
    if cell != 0 and load(cell + C_SEQ) == load(operation + O_SEQ) and load(cell + C_ROW) == number:
        unlock(core)
        return
    cell = new_cell(core, operation, code, token, number)
    if cell != 0:
        name = load(load(instance + I_TABLE) + ROW * row + R_NAME)
        if name != 0:
            store(cell + C_NAME, name)
        spread(core, instance, row, cell)
    unlock(core)


def spread(core: int, instance: int, row: int, cell: int) -> None:
    """The row's failure, on its successors and on the outside variables it writes."""
    errors = load(instance + I_ERRORS)
    put_cell(core, errors + WORD * row, cell)
    offsets = load(instance + I_OFFSETS)
    successors = load(instance + I_SUCCESSORS)
    carries = load(instance + I_CARRIES)
    for k in range(load(offsets + WORD * row), load(offsets + WORD * row + WORD)):
        if carries == 0 or load(carries + WORD * k) != 0:
            put_cell(core, errors + WORD * load(successors + WORD * k), cell)
    offsets = load(instance + I_USE_OFFSETS)
    use = load(instance + I_USE)
    left = load(instance + I_EXTERNAL_ERRORS) + WORD
    for k in range(load(offsets + WORD * row), load(offsets + WORD * row + WORD)):
        which = load(use + WORD * k)
        if which & LAST != 0:
            put_cell(core, left + 2 * WORD * (which >> USE), cell)
    store_release(instance + I_FAILED, 1)


def skip_row(core: int, instance: int, row: int) -> bool:
    """Whether the row must not run, as something before it failed; that is handed on."""
    lock(core)
    cell = load(load(instance + I_ERRORS) + WORD * row)
    offsets = load(instance + I_USE_OFFSETS)
    use = load(instance + I_USE)
    errors = load(instance + I_EXTERNAL_ERRORS)
    for k in range(load(offsets + WORD * row), load(offsets + WORD * row + WORD)):
        which = load(use + WORD * k)
        if which & SPARED == 0:
            cell = earlier(cell, load(errors + 2 * WORD * (which >> USE)))
    if cell != 0:
        spread(core, instance, row, cell)
    unlock(core)
    return cell != 0


def forget_errors(core: int, instance: int) -> None:
    """After a run with failures: its cells are let go."""
    errors = load(instance + I_ERRORS)
    for row in range(load(instance + I_ROWS)):
        let_go(core, errors + WORD * row)
    outside = load(instance + I_EXTERNAL_ERRORS)
    for k in range(2 * load(instance + I_EXTERNALS)):
        let_go(core, outside + WORD * k)
    store(instance + I_FAILED, 0)


def let_go(core: int, place: int) -> None:
    """Drop the reference a place holds."""
    cell = load(place)
    if cell != 0:
        store(place, 0)
        drop_cell(core, cell)


# ------------------------------------------------------------------ the end


def end_plan(core: int, instance: int, keep: int) -> int:
    """The last row is done: the operation completes; how long it took is noted.

    The kernel or plan the caller runs next, of up to `keep` nanoseconds, or 0.
    """
    taken = now() - load(instance + I_STARTED)
    operation = load(instance + I_OPERATION)
    lock(core)
    if load(instance + I_PARALLEL) != 0:
        smooth(instance + I_PARALLEL_NS, taken)
        taken = load(instance + I_PARALLEL_NS)
        if load(instance + I_SERIAL) == PURE and load(instance + I_SERIAL_NS) > taken:
            store(instance + I_SERIAL_NS, taken)  # it may have been disturbed: it is tried again
    else:
        smooth(instance + I_SERIAL_NS, taken)
    ready = 0
    for index in range(load(instance + I_EXTERNALS)):
        if load(outside_slot(instance, index) + S_MODE) & RETURNED == 0:
            ready = give_back_locked(core, instance, index, ready)
    if load(instance + I_FAILED) != 0:
        if load(instance + I_ONE_ROW) != 0:
            fail_locked(core, operation, load(load(instance + I_ERRORS)))
        forget_errors(core, instance)
    if load_acquire(core + OPEN) == instance:
        store_release(core + OPEN, 0)
    if load(operation + O_KIND) == PLAN and load(operation + O_TOKEN) != 0:
        bury_token(core, load(operation + O_TOKEN))
    if load(instance + I_ONE_ROW) != 0 and load(core + PENALTY) == 0:
        note_help(core, load(instance + I_HELPED) != 0)
    kept, parkers = schedule_locked(core, ready, 0, keep)
    other, parkers = complete_locked(core, operation, parkers, keep if kept == 0 else 0)
    drop_reference_locked(core, instance)
    unlock(core)
    wake(core, parkers)
    return kept if kept != 0 else other


def note_help(core: int, helped: bool) -> None:
    """A helper that did not come in time is asked again only after ever more kernels."""
    if helped:
        store(core + PATIENCE, 1)
        return
    patience = min(1024, 2 * max(1, load(core + PATIENCE)))
    store(core + PATIENCE, patience)
    store(core + PENALTY, patience)
