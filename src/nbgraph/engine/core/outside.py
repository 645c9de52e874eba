"""Relations of a running plan to the rest of the core: outside variables, errors, helpers."""

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
    """Return the number of threads that could help now: idle ones, or workers without work yet."""
    resting = load_acquire(core + QUEUES + LINE * NATIVE + Q_IDLES)
    return max(resting, load(core + WORKERS) - load_acquire(core + BUSY))


def smooth(place: int, measured: int) -> None:
    """Update a smoothed time. Disturbances only lengthen a run: a shorter time has three times the
    weight of the old value, a longer one a third, and is capped at four times the old value."""
    old = load(place)
    if old == 0:
        store(place, max(1, measured))
    elif measured < old:
        store(place, max(1, (old + 3 * measured) // 4))
    else:
        store(place, (3 * old + min(measured, 4 * old)) // 4)


def outside_slot(instance: int, index: int) -> int:
    """Return the slot of an outside variable."""
    return load(instance + I_OPERATION) + O_SLOTS + SLOT * index


# ------------------------------------------------------------------ variables


def use_done(core: int, instance: int, row: int) -> None:
    """Count a row's uses of outside variables as done; release those with no user left."""
    offsets = load(instance + I_USE_OFFSETS)
    use = load(instance + I_USE)
    remaining = load(instance + I_REMAINING)
    for k in range(load(offsets + WORD * row), load(offsets + WORD * row + WORD)):
        index = load(use + WORD * k) >> USE
        if fetch_add(remaining + WORD * index, -1) == 1:
            store(remaining + WORD * index, load(load(instance + I_USES) + WORD * index))
            give_back_outside(core, instance, index)


def give_back_outside(core: int, instance: int, index: int) -> None:
    """Release an outside variable before the plan is done, for later readers and writers."""
    lock(core)
    ready = give_back_locked(core, instance, index, 0)
    _, parkers = schedule_locked(core, ready, 0, False)
    unlock(core)
    wake(core, parkers)


def give_back_locked(core: int, instance: int, index: int, ready: int) -> int:
    """Release an outside variable with the plan's failure; return `ready`, extended."""
    cell = load(load(instance + I_EXTERNAL_ERRORS) + 2 * WORD * index + WORD)
    return give_back(core, load(instance + I_OPERATION), outside_slot(instance, index), cell, ready)


def acquire_outside(core: int, instance: int, row: int) -> bool:
    """Return whether a row's late variable is granted; if not, the row runs once it is."""
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
    """Return a block that represents one row, or a helper, in a ready queue; 0: no memory."""
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
    """Pass a Python row to the runner or a Python thread, or the second part of a kernel to a
    worker; the plan continues in `finish_step`."""
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
    """Pass the Python row of this thread, if it has one, to the Python threads."""
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
    """Publish an instance with `surplus` tickets for other threads, and wake up idle ones.

    The caller still has a row of this run to do, so the instance stays alive.
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
    """Queue a helper for tickets of this instance; return a parker to wake, or 0."""
    step = new_step(core, instance, 0, HELP, NATIVE)
    if step == 0:
        return 0
    store(instance + I_REFS, load(instance + I_REFS) + 1)
    return put_ready(core, step)


def drop_reference_locked(core: int, instance: int) -> None:
    """Drop a reference to an instance; with the last one, free it if it was dropped."""
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
    """Store the earlier of two failures at a place, which holds a reference."""
    old = load(place)
    if earlier(old, cell) != old:
        hold_cell(cell)
        store(place, cell)
        if old != 0:
            drop_cell(core, old)


def take_poison(core: int, instance: int, index: int) -> None:
    """Record the failure on an outside variable when the plan acquires it."""
    lock(core)
    take_poison_locked(core, instance, index)
    unlock(core)


def take_poison_locked(core: int, instance: int, index: int) -> None:
    """Do the work of `take_poison`, under the lock."""
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
    """Fail a row and poison the rows after it; failures of several chunks count as one."""
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
    """Put a row's failure on its successors and on the outside variables it writes."""
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
    """Return whether an earlier failure skips the row, and pass that failure on."""
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
    """Drop the references to failures after a run that had some."""
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
    """Complete the operation after its last row, and record its time.

    Return the kernel or plan that the caller runs next, of up to `keep` nanoseconds, or 0.
    """
    taken = now() - load(instance + I_STARTED)
    operation = load(instance + I_OPERATION)
    lock(core)
    if load(instance + I_PARALLEL) != 0:
        smooth(instance + I_PARALLEL_NS, taken)
        taken = load(instance + I_PARALLEL_NS)
        if load(instance + I_SERIAL) == PURE and load(instance + I_SERIAL_NS) > taken:
            store(instance + I_SERIAL_NS, taken)  # serial runs may have been disturbed: try again
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
    """Wake no helper for a growing number of kernels after each one that came too late."""
    if helped:
        store(core + PATIENCE, 1)
        return
    patience = min(1024, 2 * max(1, load(core + PATIENCE)))
    store(core + PATIENCE, patience)
    store(core + PENALTY, patience)
