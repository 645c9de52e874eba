"""Runs of operations of all kinds: a kernel, a plan, a step of a plan, a helper."""

from nbgraph.engine.core.codes import GRAIN, MOST_CHUNKS
from nbgraph.engine.core.layout import *
from nbgraph.engine.core.machine import (
    call_kernel,
    fetch_add,
    load,
    load_acquire,
    now,
    store,
    store_release,
    yield_now,
)
from nbgraph.engine.core.memory import carve, give_block, lock, unlock
from nbgraph.engine.core.operations import finish, is_rest
from nbgraph.engine.core.outside import (
    drop_reference_locked,
    fail_row,
    outside_slot,
    send_help_locked,
    take_poison_locked,
    use_done,
)
from nbgraph.engine.core.plans import (
    NONE,
    begin_tickets,
    claim,
    count_done,
    interpret,
    is_short,
    publish,
    roots,
    row_done,
    work,
)
from nbgraph.engine.core.queues import to_wake, wake

SPLIT_FROM = 2 * GRAIN  # nanoseconds a kernel must take to be cut
FIRST_INTERVAL, LAST_INTERVAL = 4, 128  # runs until the slower way is tried again


def run(core: int, operation: int, thread: int, keep: int) -> int:
    """Run a started operation; return the next one for this thread, of up to `keep` ns, or 0."""
    store(operation + O_THREAD, thread)
    kind = load(operation + O_KIND)
    if kind == PLAN:
        return start_plan(core, operation, load(operation + O_ARGS), keep)
    if kind == HELP:
        visit(core, operation, load(operation + O_ARGS))
        return 0
    if kind == STEP:
        go_on(core, operation, load(operation + O_ARGS))
        return 0
    code = 0
    function = load(operation + O_FUNCTION)
    if function != 0 and load(operation + O_ERROR) == 0:
        splittable = load(operation + O_FLAGS) & SPLITTABLE != 0
        if splittable and load(operation + O_COST) >= SPLIT_FROM:
            split(core, operation)
            return 0
        code = call_kernel(
            function, load(operation + O_ARGS), load(operation + O_LO), load(operation + O_HI)
        )
    return finish(core, operation, code, 0, keep)


def start_plan(core: int, operation: int, instance: int, keep: int) -> int:
    """Run a plan whose variables (except late ones) are granted, until this thread finds no work.

    Return the operation that this thread runs next, of up to `keep` nanoseconds, or 0.
    """
    runner = load(operation + O_RUNNER)
    serial = load(instance + I_SERIAL) == KERNELS and not parallel_pays(core, instance)
    serial = serial or runner != 0
    lock(core)
    store(instance + I_OPERATION, operation)
    if not serial:  # this thread's reference, beside the run's
        store(instance + I_REFS, load(instance + I_REFS) + 1)
    for index in range(load(instance + I_EXTERNALS)):
        if load(outside_slot(instance, index) + S_MODE) & LATE == 0:
            take_poison_locked(core, instance, index)
    unlock(core)
    patch(operation, instance)
    store(instance + I_PARALLEL, 0 if serial else 1)
    store(instance + I_STARTED, now())
    if serial:
        return interpret(core, instance, 0, runner, keep)
    schedule(core, instance)
    lock(core)
    drop_reference_locked(core, instance)
    unlock(core)
    return 0


def patch(operation: int, instance: int) -> None:
    """Write the words of a push to the rows' records; no other run of the instance uses them."""
    words = operation + O_SLOTS + SLOT * load(operation + O_COUNT)
    place = load(instance + I_PLACES)
    for _ in range(load(instance + I_PATCHES)):
        store(load(place), load(words + WORD * load(place + WORD)))
        place += 2 * WORD


def schedule(core: int, instance: int) -> None:
    """Publish the first tickets and run tickets until none is left."""
    begin_tickets(core, instance)
    mine = roots(core, instance)
    if mine != NONE or load_acquire(instance + I_TAIL) != 0:
        work(core, instance, mine, 0, 0)


def parallel_pays(core: int, instance: int) -> bool:
    """Return whether to use several threads: if it was faster, and now and then if it was not."""
    if load(instance + I_WIDTH) == 0:
        return False
    serial = load(instance + I_SERIAL_NS)
    if 0 < serial < SPLIT_FROM:
        return False  # waking a helper takes as long
    parallel = load(instance + I_PARALLEL_NS)
    if parallel == 0:
        return True
    if serial == 0:
        return False
    faster = parallel < serial
    probe = load(instance + I_PROBE) - 1
    if probe > 0:
        store(instance + I_PROBE, probe)
        return faster
    interval = min(LAST_INTERVAL, max(FIRST_INTERVAL, 2 * load(instance + I_INTERVAL)))
    store(instance + I_INTERVAL, interval)
    store(instance + I_PROBE, interval)
    return not faster


def visit(core: int, step: int, instance: int) -> None:
    """Run tickets as a helper, and free its block `step`."""
    lock(core)
    give_block(core, step)
    unlock(core)
    join(core, instance)


def join(core: int, instance: int) -> None:
    """Run tickets while there are any, then drop the caller's reference."""
    first, last = claim(core, instance)
    if first != last:
        store_release(instance + I_HELPED, 1)
        fetch_add(core + HELPED, 1)
        work(core, instance, NONE, first, last)
    else:
        yield_now()  # another thread is about to publish the ticket, or was faster
    lock(core)
    drop_reference_locked(core, instance)
    unlock(core)


def open_instance_locked(core: int) -> int:
    """Return a running instance with unclaimed tickets, with a reference for the caller, or 0."""
    instance = load_acquire(core + OPEN)
    if instance == 0:
        return 0
    if load_acquire(instance + I_HEAD) & 0xFFFFFFFF >= load_acquire(instance + I_TAIL):
        return 0
    store(instance + I_REFS, load(instance + I_REFS) + 1)
    return instance


def go_on(core: int, step: int, instance: int) -> None:
    """Run the row of a late variable, now granted, and rows after it; or a kernel's second part."""
    row = load(step + O_LO)
    if is_rest(step, instance):
        at = load(instance + I_TABLE) + ROW * row
        code = call_kernel(load(at + R_FUNCTION), load(at + R_ARGS), 1, load(at + R_HI))
        finish_step(core, step, code, 0)
        return
    lock(core)
    give_block(core, step)
    store(instance + I_REFS, load(instance + I_REFS) + 1)
    unlock(core)
    work(core, instance, row, 0, 0)
    lock(core)
    drop_reference_locked(core, instance)
    unlock(core)


def finish_step(core: int, step: int, code: int, token: int) -> None:
    """Continue a plan after a Python row, or the second part of a kernel. Kernels that follow go to
    the workers, not to this thread, unless the pusher runs the plan."""
    instance = load(step + O_ARGS)
    row = load(step + O_LO)
    runner = load(step + O_RUNNER)
    if code != 0:
        fail_row(core, instance, row, code, token)
    lock(core)
    give_block(core, step)
    if runner != 0:
        store(runner + P_STEP, 0)
    if load(instance + I_PARALLEL) == 0:
        unlock(core)
        if not is_short(instance) and load(load(instance + I_TABLE) + ROW * row + R_USES) != 0:
            use_done(core, instance, row)
        interpret(core, instance, row + 1, runner, 0)
        return
    store(instance + I_REFS, load(instance + I_REFS) + 1)
    unlock(core)
    following = row_done(core, instance, row)
    parker = 0
    if following != NONE:
        publish(instance, following, 1)
    count_done(core, instance, 1)
    lock(core)
    if following != NONE:
        parker = send_help_locked(core, instance)
    drop_reference_locked(core, instance)
    unlock(core)
    wake(core, to_wake(0, parker))


def split(core: int, operation: int) -> None:
    """Run a kernel as a plan of one row, cut into chunks for idle threads."""
    lock(core)
    instance = load(core + ONE_ROWS)
    if instance != 0:
        store(core + ONE_ROWS, load(instance + I_NEXT))
    else:
        instance = new_one_row(core)
    if instance != 0:
        store(instance + I_OPERATION, operation)
        store(instance + I_REFS, load(instance + I_REFS) + 2)
        store(load(instance + I_TABLE) + R_COST, load(operation + O_COST))
    unlock(core)
    if instance == 0:
        code = call_kernel(
            load(operation + O_FUNCTION),
            load(operation + O_ARGS),
            load(operation + O_LO),
            load(operation + O_HI),
        )
        finish(core, operation, code, 0, 0)
        return
    row = load(instance + I_TABLE)
    store(row + R_FUNCTION, load(operation + O_FUNCTION))
    store(row + R_ARGS, load(operation + O_ARGS))
    store(row + R_LO, load(operation + O_LO))
    store(row + R_HI, load(operation + O_HI))
    store(instance + I_HELPED, 0)
    store(instance + I_PARALLEL, 1)
    store(instance + I_STARTED, now())
    schedule(core, instance)
    lock(core)
    drop_reference_locked(core, instance)
    unlock(core)


def new_one_row(core: int) -> int:
    """Return an instance with one divisible row and no outside variables, or 0 without memory."""
    instance = carve(core, INSTANCE_BYTES + ROW + (10 + MOST_CHUNKS) * WORD)
    if instance == 0:
        return 0
    table = instance + INSTANCE_BYTES
    words = table + ROW
    store(instance + I_ONE_ROW, 1)
    store(instance + I_ROWS, 1)
    store(instance + I_TABLE, table)
    store(table + R_KIND, ROW_KERNEL)
    store(table + R_CHUNKS, MOST_CHUNKS)
    store(instance + I_INDEGREE, words)
    store(instance + I_COUNTERS, words + WORD)
    store(instance + I_OFFSETS, words + 2 * WORD)  # and the next word: both 0
    store(instance + I_USE_OFFSETS, words + 2 * WORD)
    store(instance + I_ERRORS, words + 4 * WORD)
    store(instance + I_LEFT, words + 5 * WORD)
    store(instance + I_NEXT_CHUNK, words + 6 * WORD)
    store(instance + I_CHUNKS, words + 7 * WORD)
    store(instance + I_TICKETS, words + 8 * WORD)
    return instance
