"""From push to done: operations enter, are begun, and complete.

Functions named `*_locked` run under the lock. Ready operations go to their queues, except one
kernel that the thread which made it ready runs next.
"""

from __future__ import annotations

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

WAKING = 20_000  # nanoseconds; the call that wakes up a thread takes some 8,000
MOST_INLINED = 40_000  # nanoseconds of kernels before a worker is woken up all the same
SPARE = 8  # nanoseconds that make up for one of them


def over_brake(core: int, operation: int) -> bool:
    """Whether a pusher must wait: too much is pending. Alone, anything may pass."""
    pending = load(core + PENDING)
    if pending == 0 or load(operation + O_FLAGS) & FORCE != 0:
        return False
    pending_bytes = load(core + PENDING_BYTES) + load(operation + O_BYTES)
    if pending < load(core + MAX_PENDING) and pending_bytes <= load(core + MAX_BYTES):
        return False
    store(core + BRAKED, load(core + BRAKED) + 1)
    store(core + BRAKE_NEED, load(operation + O_BYTES))
    return True


def admit_locked(core: int, operation: int) -> int:
    """A filled block becomes an operation. TO_RUN: the caller runs it, now, without the lock."""
    store(operation + O_WATCHERS, 0)
    store(operation + O_NOTIFY, 0)
    store(operation + O_ERROR, 0)
    store(core + PENDING_BYTES, load(core + PENDING_BYTES) + load(operation + O_BYTES))
    if load(operation + O_FLAGS) & INTERNAL != 0:
        store(core + INTERNALS, load(core + INTERNALS) + 1)
    if load(operation + O_KIND) == PLAN:  # a plan pushed and not done keeps its instance
        instance = load(operation + O_ARGS)
        store(instance + I_REFS, load(instance + I_REFS) + 1)
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
    """Whether the pusher runs what takes no longer than to hand it to a worker that rests. Where
    much comes soon after each other and nobody waits, a worker had better run beside the pusher.
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
    """Nanoseconds that a kernel is estimated to take, or a plan of kernels was seen to; else 0."""
    kind = load(operation + O_KIND)
    if kind == KERNEL:
        return load(operation + O_COST)
    instance = load(operation + O_ARGS)
    if kind != PLAN or load(instance + I_SERIAL) != KERNELS or load(instance + I_UNSURE) != 0:
        return 0
    return load(instance + I_SERIAL_NS)


def begin_locked(core: int, operation: int) -> None:
    """It is about to run, unless what it uses is poisoned."""
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
    """The operation's own failure, or an earlier one that reached it."""
    old = load(operation + O_ERROR)
    if cell == old:
        return
    hold_cell(cell)
    store(operation + O_ERROR, cell)
    if old != 0:
        drop_cell(core, old)


def complete_locked(core: int, operation: int, parkers: int, keep: int) -> tuple[int, int]:
    """Rule 4. The kernel the caller runs next, of up to `keep` ns, or 0; parkers to wake."""
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
    """The books: pending work and bytes, deferred deletion of the template, those who wait."""
    leave(core, operation)
    notify = load(operation + O_NOTIFY)
    while notify != 0:
        following = load(notify + O_NEXT)
        parkers = to_wake(parkers, put_ready(core, notify))
        notify = following
    pending = load(core + PENDING) - 1
    store_release(core + PENDING, pending)
    store(core + PENDING_BYTES, load(core + PENDING_BYTES) - load(operation + O_BYTES))
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
    """Whether held pushers may go on: an eighth of the room is free again, and what they need."""
    pending = load(core + PENDING)
    if pending == 0:
        return True
    limit = load(core + MAX_PENDING)
    limit_bytes = load(core + MAX_BYTES)
    need = max(limit_bytes // 8, load(core + BRAKE_NEED))
    return (
        pending <= limit - max(1, limit // 8) and load(core + PENDING_BYTES) + need <= limit_bytes
    )


def bury_template(core: int, template: int) -> None:
    """Its last push is done and its user has deleted it: Python may forget its objects."""
    store(template + O_NEXT, load(core + DEAD_OPERATORS))
    store(core + DEAD_OPERATORS, template)


def schedule_locked(core: int, ready: int, parkers: int, keep: int) -> tuple[int, int]:
    """Send ready operations to their queues; the caller keeps the first short kernel."""
    kept = 0
    while ready != 0:
        operation = ready
        ready = load(operation + O_NEXT)
        mine = keep != 0 and kept == 0 and load(core + HOLD) == 0
        kind = load(operation + O_KIND)
        if kind in (MARK, DELETE):  # nothing runs
            ready = joined(give_all_back(core, operation, 0), ready)
            if kind == DELETE:
                give_variable(core, load(operation + O_SLOTS + S_VARIABLE))
            parkers = settle_locked(core, operation, parkers)
            store_release(operation + O_SEQ, 0)
            parkers = take_watchers(core, load(operation + O_WATCHERS), parkers)
            give_block(core, operation)
        elif mine and suits(operation, keep):
            kept = operation
            begin_locked(core, operation)
        else:
            parkers = to_wake(parkers, put_ready(core, operation))
    return kept, parkers


def suits(operation: int, keep: int) -> bool:
    """Whether a thread that may be away for so long goes on with it."""
    if load(operation + O_QUEUE) != NATIVE or load(operation + O_PRIORITY) != 0:
        return False
    return not is_long(operation, keep)


def is_long(operation: int, longest: int) -> bool:
    """Whether it may take more nanoseconds than that; what is not known may."""
    if longest == ANYTHING:
        return False
    kind = load(operation + O_KIND)
    if kind >= PLAN:
        instance = load(operation + O_ARGS)
        return (kind == STEP and is_rest(operation, instance)) or is_long_plan(instance, longest)
    cost = load(operation + O_COST)
    return cost == 0 or cost > longest


def is_rest(step: int, instance: int) -> bool:
    """Whether a step is the rest of a kernel, nobody knows how long."""
    return load(load(instance + I_TABLE) + ROW * load(step + O_LO) + R_KIND) == ROW_KERNEL


def is_long_plan(instance: int, longest: int) -> bool:
    """The same of a plan, or of one kernel that is cut."""
    if longest == ANYTHING:
        return False
    if load(instance + I_UNSURE) != 0:
        return True
    if load(instance + I_ONE_ROW) != 0:
        return load(load(instance + I_TABLE) + R_COST) > longest
    taken = max(load(instance + I_SERIAL_NS), load(instance + I_PARALLEL_NS))
    return taken == 0 or taken > longest


def joined(first: int, rest: int) -> int:
    """Two lists of operations as one."""
    if first == 0:
        return rest
    last = first
    while load(last + O_NEXT) != 0:
        last = load(last + O_NEXT)
    store(last + O_NEXT, rest)
    return first


def finish(core: int, operation: int, code: int, token: int, keep: int) -> int:
    """The function has returned. `code` and `token` tell a failure; the next kernel, or 0."""
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
    """Whether nobody uses it or waits for it."""
    uses = load(variable + V_READS) + load(variable + V_WRITES)
    uses += load(variable + V_ISSUED_READS) + load(variable + V_ISSUED_WRITES)
    return uses == 0 and load(variable + V_HEAD) == 0


def drain_released_locked(core: int) -> None:
    """Delete what finalisers gave up, after its last use."""
    variable = exchange(core + RELEASED, 0)
    while variable != 0:
        following = load(variable + V_NEXT)
        if idle_variable(variable):
            give_variable(core, variable)
        else:
            delete_later_locked(core, variable)
        variable = following


def delete_later_locked(core: int, variable: int) -> None:
    """An operation that frees the variable once all earlier ones are done with it."""
    operation = take_block(core, O_FIXED + SLOT // WORD)
    if operation == 0:
        return  # it stays allocated: nothing else can be done without memory
    clear_operation(operation)
    store(operation + O_KIND, DELETE)
    store(operation + O_FLAGS, NO_SKIP | FORCE | INTERNAL)
    store(operation + O_COUNT, 1)
    set_slot(operation + O_SLOTS, variable, MUTATE)
    admit_locked(core, operation)  # never ready at once: the variable is in use


def clear_operation(operation: int) -> None:
    """A block as an operation with nothing in it; its size class stays."""
    power = load(operation + O_CLASS)
    clear_words(operation, O_FIXED)
    store(operation + O_CLASS, power)


def set_slot(slot: int, variable: int, bits: int) -> None:
    """Name a variable, in its present generation."""
    store(slot + S_VARIABLE, variable)
    store(slot + S_MODE, load(variable + V_GENERATION) << 8 | bits)
