"""The life of operations: entry, start and completion.

Functions named `*_locked` run under the lock. Ready operations go to their queues, except for one
kernel that the thread which made it ready runs next.
"""

from nbgraph.engine.core.codes import ANYTHING, DONE, QUEUED, TO_RUN
from nbgraph.engine.core.layout import *
from nbgraph.engine.core.machine import clear_words, exchange, load, now, store, store_release
from nbgraph.engine.core.memory import (
    drop_cell,
    give_block,
    give_variable,
    hold_cell,
    lock,
    new_cell,
    take_block,
    unlock,
)
from nbgraph.engine.core.profile import record_event
from nbgraph.engine.core.queues import put_ready, queue_of, take_watchers, to_wake, wake
from nbgraph.engine.core.tracker import enter, give_all_back, leave, poison

WAKING = 20_000  # nanoseconds of waking up a thread; the system call alone takes some 8,000
MOST_INLINED = 40_000  # nanoseconds of kernels in pushers before a worker is woken up after all
MOST_AHEAD = 4_000_000_000  # nanoseconds of pending work allowed, which Ctrl-C leaves running
MOST_COUNTED = 1_000_000_000  # of these per operation: a single long one never brakes a pusher
SPARE = 8  # nanoseconds of time after which INLINED decays by one


def over_brake(core: int, operation: int) -> bool:
    """Return whether a pusher must wait, as too much is pending besides its operation."""
    pending = load(core + PENDING)
    if pending == 0 or load(operation + O_FLAGS) & FORCE != 0:
        return False
    pending_bytes = load(core + PENDING_BYTES) + load(operation + O_BYTES)
    ahead = load(core + PENDING_NS) > MOST_AHEAD and estimate(operation) > MOST_INLINED
    few = pending < load(core + MAX_PENDING) and not ahead
    if few and pending_bytes <= load(core + MAX_BYTES):
        return False
    store(core + BRAKED, load(core + BRAKED) + 1)
    store(core + BRAKE_NEED, load(operation + O_BYTES))
    return True


def estimate(operation: int) -> int:
    """Return the nanoseconds of a kernel, or of earlier runs of a plan, or 0 if unknown."""
    if load(operation + O_KIND) != PLAN:
        return load(operation + O_COST)
    instance = load(operation + O_ARGS)
    return max(load(instance + I_SERIAL_NS), load(instance + I_PARALLEL_NS))


def counted(operation: int) -> int:
    """Return the nanoseconds for which a pending operation counts at the brake."""
    return min(load(operation + O_COST), MOST_COUNTED)


def admit_locked(core: int, operation: int) -> int:
    """Enter a filled block as an operation. TO_RUN: the caller must run it, without the lock."""
    store(operation + O_WATCHERS, 0)
    store(operation + O_NOTIFY, 0)
    store(operation + O_ERROR, 0)
    store(core + PENDING_BYTES, load(core + PENDING_BYTES) + load(operation + O_BYTES))
    if load(operation + O_FLAGS) & INTERNAL != 0:
        store(core + INTERNALS, load(core + INTERNALS) + 1)
    if load(operation + O_KIND) == PLAN:  # a pending plan holds a reference to its instance
        instance = load(operation + O_ARGS)
        store(instance + I_REFS, load(instance + I_REFS) + 1)
        store(operation + O_COST, estimate(operation))
    store(core + PENDING_NS, load(core + PENDING_NS) + counted(operation))
    if load(core + PROFILE) != 0:
        store(operation + O_QUEUED, now())
    if not enter(core, operation):
        return DONE
    small = load(operation + O_FLAGS) & SMALL != 0 or spares(core, operation)
    if small and load(core + HOLD) == 0:
        begin_locked(core, operation)
        return TO_RUN
    return QUEUED


def spares(core: int, operation: int) -> bool:
    """Return whether the pusher should run an operation that is cheaper than waking up a worker.
    With many in quick succession, and no thread waiting, a worker should run them in parallel.
    """
    cost, queue = cost_of(operation), queue_of(core, NATIVE)
    if not 0 < cost <= WAKING or load(operation + O_QUEUE) != NATIVE:
        return False
    if load(queue + Q_COUNT) != 0 or load(queue + Q_IDLE) == 0:
        return False
    moment = now()
    past = (moment - load(core + INLINED_AT)) // SPARE
    spared = max(0, load(core + INLINED) - past) + cost
    if spared > MOST_INLINED:
        return False
    store(core + INLINED, spared)
    store(core + INLINED_AT, moment)
    return True


def cost_of(operation: int) -> int:
    """Return the estimated nanoseconds of a kernel, those measured of a plan of kernels, or 0."""
    kind = load(operation + O_KIND)
    if kind == KERNEL:
        return load(operation + O_COST)
    instance = load(operation + O_ARGS)
    if kind != PLAN or load(instance + I_SERIAL) != KERNELS or load(instance + I_UNSURE) != 0:
        return 0
    return load(instance + I_SERIAL_NS)


def begin_locked(core: int, operation: int) -> None:
    """Mark an operation as started, and note the failure that skips it, if there is one."""
    flags = load(operation + O_FLAGS) | STARTED
    store(operation + O_FLAGS, flags)
    if load(core + PROFILE) != 0:
        store(operation + O_STARTED, now())
    if flags & NO_SKIP == 0:
        cell = poison(operation)
        if cell != 0:
            hold_cell(cell)
            store(operation + O_ERROR, cell)


def fail_locked(core: int, operation: int, cell: int) -> None:
    """Set the failure of an operation: its own, or an earlier one that reached it."""
    old = load(operation + O_ERROR)
    if cell == old:
        return
    hold_cell(cell)
    store(operation + O_ERROR, cell)
    if old != 0:
        drop_cell(core, old)


def complete_locked(core: int, operation: int, parkers: int, keep: int) -> tuple[int, int]:
    """Complete an operation (rule 4); return the caller's next kernel, or 0, and `parkers`."""
    if load(operation + O_FLAGS) & (ISSUED | NO_SKIP) == ISSUED:
        late = poison(operation)  # poison may come between issued and done
        if late != 0:
            fail_locked(core, operation, late)
    cell = load(operation + O_ERROR)
    kind = load(operation + O_KIND)
    ready = 0
    if kind < HELP:
        if load(core + PROFILE) != 0:
            record_event(core, operation)
        ready = give_all_back(core, operation, cell)
        parkers = settle_locked(core, operation, parkers)
    if cell != 0:
        drop_cell(core, cell)
    store_release(operation + O_SEQ, 0)
    parkers = take_watchers(core, load(operation + O_WATCHERS), parkers)
    give_block(core, operation)
    return schedule_locked(core, ready, parkers, keep)


def settle_locked(core: int, operation: int, parkers: int) -> int:
    """Update the counts of pending work and the template; return `parkers` with waiters to wake."""
    leave(core, operation)
    notify = load(operation + O_NOTIFY)
    while notify != 0:
        following = load(notify + O_NEXT)
        parkers = to_wake(parkers, put_ready(core, notify))
        notify = following
    pending = load(core + PENDING) - 1
    store_release(core + PENDING, pending)
    store(core + PENDING_BYTES, load(core + PENDING_BYTES) - load(operation + O_BYTES))
    store(core + PENDING_NS, load(core + PENDING_NS) - counted(operation))
    if load(operation + O_FLAGS) & INTERNAL == 0:
        store(core + COMPLETED, load(core + COMPLETED) + 1)
    else:
        store(core + INTERNALS, load(core + INTERNALS) - 1)
    template = load(operation + O_TEMPLATE)
    if template != 0:
        uses = load(template + O_TEMPLATE) - 1
        store(template + O_TEMPLATE, uses)
        if uses == 0 and load(template + O_FLAGS) & REAPED != 0:
            bury_template(core, template)
    if pending == 0:
        parkers = take_watchers(core, load(core + ALL_WAITERS), parkers)
    if load(core + BRAKE_WAITERS) != 0 and below_brake(core):
        parkers = take_watchers(core, load(core + BRAKE_WAITERS), parkers)
    return parkers


def below_brake(core: int) -> bool:
    """Return whether pushers may go on: an eighth of the room is free, and the bytes they need."""
    pending = load(core + PENDING)
    if pending == 0:
        return True
    limit = load(core + MAX_PENDING)
    limit_bytes = load(core + MAX_BYTES)
    need = max(limit_bytes // 8, load(core + BRAKE_NEED))
    few = pending <= limit - max(1, limit // 8) and load(core + PENDING_NS) <= MOST_AHEAD // 2
    return few and load(core + PENDING_BYTES) + need <= limit_bytes


def bury_template(core: int, template: int) -> None:
    """List a deleted template, whose last push is done, so that Python drops its objects."""
    store(template + O_NEXT, load(core + DEAD_OPERATORS))
    store(core + DEAD_OPERATORS, template)


def schedule_locked(core: int, ready: int, parkers: int, keep: int) -> tuple[int, int]:
    """Queue ready operations; return one of up to `keep` ns, for the caller, and `parkers`."""
    kept = 0
    while ready != 0:
        operation = ready
        ready = load(operation + O_NEXT)
        may_keep = keep != 0 and kept == 0 and load(core + HOLD) == 0
        kind = load(operation + O_KIND)
        if kind in (MARK, DELETE):  # nothing runs
            ready = joined(give_all_back(core, operation, 0), ready)
            if kind == DELETE:
                give_variable(core, load(operation + O_SLOTS + S_VARIABLE))
            parkers = settle_locked(core, operation, parkers)
            store_release(operation + O_SEQ, 0)
            parkers = take_watchers(core, load(operation + O_WATCHERS), parkers)
            give_block(core, operation)
        elif may_keep and suits(operation, keep):
            kept = operation
            begin_locked(core, operation)
        else:
            parkers = to_wake(parkers, put_ready(core, operation))
    return kept, parkers


def suits(operation: int, keep: int) -> bool:
    """Return whether a thread that may run up to `keep` nanoseconds runs the operation itself."""
    if load(operation + O_QUEUE) != NATIVE or load(operation + O_PRIORITY) != 0:
        return False
    return not is_long(operation, keep)


def is_long(operation: int, longest: int) -> bool:
    """Return whether an operation may take more than `longest` nanoseconds; unknown ones may."""
    if longest == ANYTHING:
        return False
    kind = load(operation + O_KIND)
    if kind >= PLAN:
        instance = load(operation + O_ARGS)
        return (kind == STEP and is_rest(operation, instance)) or is_long_plan(instance, longest)
    cost = load(operation + O_COST)
    return cost == 0 or cost > longest


def is_rest(step: int, instance: int) -> bool:
    """Return whether a step is the second part of a kernel, which takes an unknown time."""
    return load(load(instance + I_TABLE) + ROW * load(step + O_LO) + R_KIND) == ROW_KERNEL


def is_long_plan(instance: int, longest: int) -> bool:
    """Return whether a plan, or a kernel cut into chunks, may take more than `longest` ns."""
    if longest == ANYTHING:
        return False
    if load(instance + I_UNSURE) != 0:
        return True
    if load(instance + I_ONE_ROW) != 0:
        return load(load(instance + I_TABLE) + R_COST) > longest
    taken = max(load(instance + I_SERIAL_NS), load(instance + I_PARALLEL_NS))
    return taken == 0 or taken > longest


def joined(first: int, rest: int) -> int:
    """Concatenate two lists of operations."""
    if first == 0:
        return rest
    last = first
    while load(last + O_NEXT) != 0:
        last = load(last + O_NEXT)
    store(last + O_NEXT, rest)
    return first


def finish(core: int, operation: int, code: int, token: int, keep: int) -> int:
    """Complete an operation; if `code` is not 0 it failed. Return the caller's next one, or 0."""
    lock(core)
    if code != 0:
        cell = new_cell(core, operation, code, token, 0)
        if cell != 0:
            fail_locked(core, operation, cell)
    kept, parkers = complete_locked(core, operation, 0, keep)
    unlock(core)
    wake(core, parkers)
    return kept


def idle_variable(variable: int) -> bool:
    """Return whether no operation uses the variable or waits for it."""
    uses = load(variable + V_READS) + load(variable + V_WRITES)
    uses += load(variable + V_ISSUED_READS) + load(variable + V_ISSUED_WRITES)
    return uses == 0 and load(variable + V_HEAD) == 0


def drain_released_locked(core: int) -> None:
    """Delete the variables that finalisers released, each after its last use."""
    variable = exchange(core + RELEASED, 0)
    while variable != 0:
        following = load(variable + V_NEXT)
        if idle_variable(variable):
            give_variable(core, variable)
        else:
            delete_later_locked(core, variable)
        variable = following


def delete_later_locked(core: int, variable: int) -> None:
    """Push an operation that frees the variable after all earlier uses."""
    operation = take_block(core, O_FIXED + SLOT // WORD)
    if operation == 0:
        return  # without memory the variable stays allocated
    clear_operation(operation)
    store(operation + O_KIND, DELETE)
    store(operation + O_FLAGS, NO_SKIP | FORCE | INTERNAL)
    store(operation + O_COUNT, 1)
    set_slot(operation + O_SLOTS, variable, MUTATE)
    admit_locked(core, operation)  # never ready at once: the variable is in use


def clear_operation(operation: int) -> None:
    """Clear a block for a new operation, except for its size class."""
    power = load(operation + O_CLASS)
    clear_words(operation, O_FIXED)
    store(operation + O_CLASS, power)


def set_slot(slot: int, variable: int, bits: int) -> None:
    """Set the variable of a slot, with its present generation, and the bits of its mode."""
    store(slot + S_VARIABLE, variable)
    store(slot + S_MODE, load(variable + V_GENERATION) << 8 | bits)
