"""Plans: a table of kernels and the graph of their dependencies, run as one operation.

A *row* is a kernel call. There are two ways to run an instance of a plan, by the same table:

- the interpreter: one thread, row after row, in the table's order, which is topological;
- the scheduler: a row whose predecessors are done becomes a *ticket*, or a ticket for each chunk
  that it is cut into. Any thread may claim tickets (compare-and-exchange on epoch and head) at
  any time, and no thread waits: one that finds no ticket leaves the plan, and the thread that does
  the last row completes the operation. So a helper that comes late, or never, costs nothing.

Each instance measures both ways, and tries the slower one again at growing intervals.

Outside variables are the operation's first slots. Each is released when the last row that uses it
is done, not at the end of the plan; a *late* one is acquired by its own row, while others run. A
failing row poisons only its successors and the outside variables that these write.
"""

from nbgraph.engine.core.codes import GRAIN
from nbgraph.engine.core.layout import *
from nbgraph.engine.core.machine import (
    call_kernel,
    compare_exchange,
    fetch_add,
    load,
    load_acquire,
    now,
    pause,
    store,
    store_release,
    yield_now,
)
from nbgraph.engine.core.outside import (
    acquire_outside,
    ask_help,
    end_plan,
    fail_row,
    launch_row,
    skip_row,
    smooth,
    take_poison,
    use_done,
)
from nbgraph.kernel_errors import UNFINISHED

SHORT = 10_000  # nanoseconds up to which a ready plan runs in the pusher
BRIEF_RUN = 500_000  # the same with Python rows, each of which would wake up two threads
FINE = 16  # elements: chunks begin at whole cache lines of float32
PATIENCE_SPINS = 100  # polls for a ticket before a thread leaves a plan
FEW_PAUSES = 16  # most pauses between two polls: polls of many threads slow all of them down
NONE = -1
EPOCHS = 1 << 30


def is_short(instance: int) -> bool:
    """Return whether a run is known to take less time than passing it to another thread."""
    return 0 < load(instance + I_SERIAL_NS) <= SHORT and load(instance + I_UNSURE) == 0


def is_brief(instance: int) -> bool:
    """Return whether a plan with Python rows runs in its pusher, as that measured faster."""
    if load(instance + I_SERIAL) != PURE or load(instance + I_UNSURE) != 0:
        return False
    serial = load(instance + I_SERIAL_NS)
    parallel = load(instance + I_PARALLEL_NS)
    if serial == 0:
        return 0 < parallel <= 4 * BRIEF_RUN
    return serial <= min(parallel, BRIEF_RUN)


def interpret(core: int, instance: int, first: int, runner: int, keep: int) -> int:
    """Run the rows from `first` on, on this thread; return the operation that this thread runs
    next, of up to `keep` nanoseconds, or 0.

    It stops at a Python row, which the runner runs, or any Python thread if there is none, and
    continues once that has returned; and at an unfinished loop, whose second part a worker runs. A
    short plan releases outside variables at its end only: some rows earlier would gain nothing.
    """
    early = not is_short(instance)
    at = load(instance + I_TABLE) + ROW * first
    for row in range(first, load(instance + I_ROWS)):
        skipped = False
        if load(instance + I_FAILED) != 0:
            skipped = skip_row(core, instance, row)
        if not skipped:
            if load(at + R_KIND) != ROW_KERNEL:
                launch_row(core, instance, row, runner)
                return 0
            code = call_kernel(
                load(at + R_FUNCTION), load(at + R_ARGS), load(at + R_LO), load(at + R_HI)
            )
            if code == UNFINISHED:
                launch_row(core, instance, row, 0)
                return 0
            if code != 0:
                fail_row(core, instance, row, code, 0)
        if early and load(at + R_USES) != 0:
            use_done(core, instance, row)
        at += ROW
    return end_plan(core, instance, keep)


def begin_tickets(core: int, instance: int) -> None:
    """Begin a new epoch, which `roots` publishes: tickets of earlier runs become void."""
    epoch = (load(instance + I_EPOCH) + 1) % EPOCHS
    store(instance + I_EPOCH, epoch)
    store_release(instance + I_DONE, 0)


def publish(instance: int, row: int, count: int) -> None:
    """Publish `count` tickets of a row, for any thread."""
    put_tickets(instance, fetch_add(instance + I_TAIL, count), row, count)


def put_tickets(instance: int, place: int, row: int, count: int) -> None:
    """Write tickets of a row, from a place on that belongs to the caller."""
    stamp = (load(instance + I_EPOCH) << 32) | (row + 1)
    tickets = load(instance + I_TICKETS)
    for k in range(count):
        store_release(tickets + WORD * (place + k), stamp)


def claim(core: int, instance: int) -> tuple[int, int]:
    """Claim the next tickets; return the first place and the one after the last, each with its
    epoch; they are equal if there are none.

    All threads claim by one word, and of many concurrent compare-and-exchanges only one succeeds.
    So several tickets of short rows are claimed at once, a share of the remaining ones as in guided
    self-scheduling (Polychronopoulos and Kuck, 1987); and by an addition, which never fails, while
    there are plenty. A late addition may claim places whose tickets are still to come: the thread
    owns those too.
    """
    head = load_acquire(instance + I_HEAD)
    first = head & 0xFFFFFFFF
    place = load(instance + I_TICKETS) + WORD * first
    ticket = load_acquire(place)
    if ticket >> 32 != head >> 32:
        return head, head
    share = (load_acquire(instance + I_TAIL) - first) // (2 * (load(core + WORKERS) + 1))
    count = 1
    spent = cost_of_ticket(instance, ticket)
    while count < share and spent < GRAIN:
        ticket = load_acquire(place + WORD * count)
        if ticket >> 32 != head >> 32:
            break
        spent += cost_of_ticket(instance, ticket)
        count += 1
    if count < share:
        head = fetch_add(instance + I_HEAD, count)
    elif not compare_exchange(instance + I_HEAD, head, head + count):
        return head, head
    return head, head + count


def cost_of_ticket(instance: int, ticket: int) -> int:
    """Return the estimated nanoseconds of a ticket's row; an unknown cost counts as long."""
    cost = load(load(instance + I_TABLE) + ROW * ((ticket & 0xFFFFFFFF) - 1) + R_COST)
    return cost if cost > 0 else GRAIN


def cut(core: int, instance: int, row: int) -> int:
    """Set and return the number of chunks of a row: two per thread, to leave some for late ones."""
    at = load(instance + I_TABLE) + ROW * row
    most = load(at + R_CHUNKS)
    if most <= 1:
        return 1
    chunks = max(1, min(most, load(at + R_COST) // GRAIN, 2 * (load(core + WORKERS) + 1)))
    store(load(instance + I_CHUNKS) + WORD * row, chunks)
    store(load(instance + I_NEXT_CHUNK) + WORD * row, 0)
    store_release(load(instance + I_LEFT) + WORD * row, chunks)
    return chunks


def roots(core: int, instance: int) -> int:
    """Publish tickets of the rows without predecessors; return a row for the caller, or NONE.

    All are written before any can be claimed: the epoch in the head is written after them.
    """
    mine = NONE
    place = 0
    late = 0
    degree = load(instance + I_INDEGREE)
    table = load(instance + I_TABLE)
    for row in range(load(instance + I_ROWS)):
        if load(degree + WORD * row) == 0:
            if load(table + ROW * row + R_KIND) == ROW_ACQUIRE:
                late += 1
                continue
            chunks = cut(core, instance, row)
            if mine == NONE:
                mine = row
                chunks -= 1
            put_tickets(instance, place, row, chunks)
            place += chunks
    store_release(instance + I_TAIL, place)
    store_release(instance + I_HEAD, load(instance + I_EPOCH) << 32)
    if late != 0:
        acquire_roots(core, instance)
    if place != 0:
        ask_help(core, instance, place)
    return mine


def acquire_roots(core: int, instance: int) -> None:
    """Publish tickets of the rows without predecessors whose late variable is granted already."""
    for row in range(load(instance + I_ROWS)):
        waits = load(load(instance + I_INDEGREE) + WORD * row)
        kind = load(load(instance + I_TABLE) + ROW * row + R_KIND)
        if waits == 0 and kind == ROW_ACQUIRE and acquire_outside(core, instance, row):
            publish(instance, row, 1)


def work(core: int, instance: int, row: int, first: int, last: int) -> None:
    """Run a row (or NONE), the claimed tickets from `first` to before `last`, and all others it can
    claim. The caller holds a reference.

    Finished rows are counted together, once the thread has none left: all threads share the count.
    """
    spins = 0
    done = 0
    tickets = load(instance + I_TICKETS)
    while True:
        if row == NONE and first != last:
            ticket = load_acquire(tickets + WORD * (first & 0xFFFFFFFF))
            if ticket >> 32 == first >> 32:
                row = (ticket & 0xFFFFFFFF) - 1
                first += 1
        if row != NONE:
            spins = 0
            row, finished = run_row(core, instance, row)
            done += finished
            continue
        if done != 0:
            if count_done(core, instance, done):
                return
            done = 0
        if first == last:
            first, last = claim(core, instance)
            if first != last:
                continue
        elif load_acquire(instance + I_HEAD) >> 32 != first >> 32:
            first = last  # that run has ended, its tickets are void
            continue
        spins += 1
        if load_acquire(instance + I_DONE) >= load(instance + I_ROWS):
            return
        if spins > PATIENCE_SPINS and first == last:
            return
        if spins & 7 == 7:
            yield_now()
        else:
            for _ in range(min(spins, FEW_PAUSES)):
                pause()


def run_row(core: int, instance: int, row: int) -> tuple[int, int]:
    """Run a row or one chunk of it; return the row that this thread runs next, or NONE, and the
    number of rows that are done by that."""
    at = load(instance + I_TABLE) + ROW * row
    kind = load(at + R_KIND)
    skipped = False
    if load_acquire(instance + I_FAILED) != 0:
        skipped = skip_row(core, instance, row)
    if kind == ROW_PYTHON and not skipped:
        launch_row(core, instance, row, 0)
        return NONE, 0
    if kind == ROW_KERNEL:
        if load(at + R_CHUNKS) > 1:
            if not run_chunk(core, instance, row, skipped):
                return NONE, 0
        elif not skipped:
            code = call_kernel(
                load(at + R_FUNCTION), load(at + R_ARGS), load(at + R_LO), load(at + R_HI)
            )
            if code == UNFINISHED:
                launch_row(core, instance, row, 0)
                return NONE, 0
            if code != 0:
                fail_row(core, instance, row, code, 0)
    if kind == ROW_ACQUIRE:
        take_poison(core, instance, load(at + R_TOKEN))
    return row_done(core, instance, row), 1


def run_chunk(core: int, instance: int, row: int, skipped: bool) -> bool:
    """Run the next chunk of a row; return whether all are done."""
    at = load(instance + I_TABLE) + ROW * row
    chunks = load(load(instance + I_CHUNKS) + WORD * row)
    lo = load(at + R_LO)
    hi = load(at + R_HI)
    started = 0
    if chunks == 1:
        started = now()
        first, last = lo, hi
    else:
        index = fetch_add(load(instance + I_NEXT_CHUNK) + WORD * row, 1)
        first, last = chunk_range(lo, hi, chunks, index)
    if not skipped and first < last:
        code = call_kernel(load(at + R_FUNCTION), load(at + R_ARGS), first, last)
        if code != 0:
            fail_row(core, instance, row, code, 0)
    if chunks == 1:
        if load(instance + I_ONE_ROW) == 0:
            smooth(at + R_COST, now() - started)
        return True
    return fetch_add(load(instance + I_LEFT) + WORD * row, -1) == 1


def chunk_range(lo: int, hi: int, chunks: int, index: int) -> tuple[int, int]:
    """Return chunk `index` of a range: whole cache lines, or equal parts if the range is short."""
    size = (hi - lo + chunks - 1) // chunks
    if hi - lo >= 4 * FINE * chunks:
        size = (size + FINE - 1) & -FINE
    first = min(lo + index * size, hi)
    return first, min(first + size, hi)


def row_done(core: int, instance: int, row: int) -> int:
    """Return a successor that becomes ready, for this thread, or NONE; publish the others as
    tickets. The caller still has to count the row."""
    if load(load(instance + I_TABLE) + ROW * row + R_USES) != 0:
        use_done(core, instance, row)
    offsets = load(instance + I_OFFSETS)
    successors = load(instance + I_SUCCESSORS)
    counters = load(instance + I_COUNTERS)
    mine = NONE
    surplus = 0
    for k in range(load(offsets + WORD * row), load(offsets + WORD * row + WORD)):
        successor = load(successors + WORD * k)
        if fetch_add(counters + WORD * successor, -1) == 1:
            store(counters + WORD * successor, load(load(instance + I_INDEGREE) + WORD * successor))
            chunks = cut(core, instance, successor)
            if mine == NONE:
                mine = successor
                chunks -= 1
            if chunks != 0:
                publish(instance, successor, chunks)
                surplus += chunks
    if surplus != 0:
        ask_help(core, instance, surplus)
    return mine


def count_done(core: int, instance: int, count: int) -> bool:
    """Count rows as done; if they were the last ones, end the plan and return True."""
    if fetch_add(instance + I_DONE, count) + count != load(instance + I_ROWS):
        return False
    end_plan(core, instance, 0)
    return True
