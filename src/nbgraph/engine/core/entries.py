"""Entries that push. All entries are `int64 entry(int64 argv, int64 argc)`: words in, a word out.

Docstrings of entries list the arguments, then after "->" the result. A *ticket* identifies an
operation in one word: its block's address and the low bits of its number.
"""

from nbgraph.engine.core.codes import (
    BRAKE,
    BRIEF,
    COUNT_BITS,
    FIXED,
    NO_MEMORY,
    QUEUE_BITS,
    QUEUED,
    STALE,
    TO_RUN,
)
from nbgraph.engine.core.layout import *
from nbgraph.engine.core.machine import copy_words, load, store
from nbgraph.engine.core.memory import (
    argument,
    give_block,
    give_variable,
    lock,
    take_block,
    take_variable,
    unlock,
)
from nbgraph.engine.core.operations import (
    admit_locked,
    bury_template,
    clear_operation,
    drain_released_locked,
    over_brake,
    set_slot,
)
from nbgraph.engine.core.queues import put_ready, to_wake, wake
from nbgraph.engine.core.running import run
from nbgraph.engine.core.tracker import stale

TICKET_BITS = 22
TICKET_MASK = (1 << TICKET_BITS) - 1
QUEUE_MASK = (1 << QUEUE_BITS) - 1
COUNT_MASK = (1 << COUNT_BITS) - 1


def ticket_of(operation: int, sequence: int) -> int:
    """Return (address, number) packed in one word; addresses are multiples of 64."""
    return (operation >> 6 << TICKET_BITS) | (sequence & TICKET_MASK)


def admit(core: int, operation: int) -> int:
    """Start an operation or queue it, and return its ticket. Takes the lock held, and frees it."""
    outcome = admit_locked(core, operation)
    ticket = ticket_of(operation, load(operation + O_SEQ))
    parker = 0
    if outcome != TO_RUN and load(operation + O_KIND) == PLAN:
        store(operation + O_RUNNER, 0)
    if outcome == QUEUED:
        parker = put_ready(core, operation)
    unlock(core)
    if outcome == TO_RUN:
        keep = BRIEF if load(operation + O_KIND) != PLAN else 0  # a pusher must return soon
        while operation != 0:
            operation = run(core, operation, 0, keep)
    else:
        wake(core, to_wake(0, parker))
    return ticket


def push(argv: int, argc: int) -> int:
    """core, template[, priority, queue, lane, forced] -> ticket, or a negative refusal."""
    core = argument(argv, 0)
    template = argument(argv, 1)
    lock(core)
    if load(core + RELEASED) != 0:
        drain_released_locked(core)
    refusal = refused(core, template)
    if refusal == BRAKE and argc > 5 and argument(argv, 5) != 0:
        refusal = 0
    operation = 0
    words = O_FIXED + load(template + O_COUNT) * (SLOT // WORD)
    if refusal == 0:
        operation = take_block(core, words)
        if operation == 0:
            refusal = NO_MEMORY
    if refusal != 0:
        unlock(core)
        return refusal
    power = load(operation + O_CLASS)
    copy_words(operation, template, words)
    store(operation + O_CLASS, power)
    store(operation + O_TEMPLATE, template)
    store(template + O_TEMPLATE, load(template + O_TEMPLATE) + 1)
    if argc > 2:
        store(operation + O_PRIORITY, argument(argv, 2))
    if argc > 3:
        store(operation + O_QUEUE, argument(argv, 3))
        store(operation + O_LANE, argument(argv, 4))
    return admit(core, operation)


def refused(core: int, operation: int) -> int:
    """Return the code of the reason why an operation cannot be pushed now, or 0."""
    dead = stale(operation)
    if dead != 0:
        return STALE - dead
    return BRAKE if over_brake(core, operation) else 0


def submit(argv: int, argc: int) -> int:
    """core, kind, function, args, lo, hi, flags, token, queue, priority, bytes, name, site, slots,
    (variable << 2 | late << 1 | mutate) ..., words of the record ... -> ticket, or a refusal.

    For a kernel the token is its estimated nanoseconds. If `args` is 0 and there are words of the
    record, they are copied into the operation. With the flag FRESH a new variable is created and
    written, and it is the result. The upper half of the number of slots may be the number of
    variables, the last ones, that are written.
    """
    core = argument(argv, 0)
    lock(core)
    if load(core + RELEASED) != 0:
        drain_released_locked(core)
    operation = fill(core, argv, argc)
    if operation == 0:
        unlock(core)
        return NO_MEMORY
    refusal = refused(core, operation)
    fresh = load(operation + O_FLAGS) & FRESH != 0
    variable = load(operation + O_SLOTS + S_VARIABLE)
    if refusal != 0:
        if fresh:
            give_variable(core, variable)
        give_block(core, operation)
        unlock(core)
        return refusal
    ticket = admit(core, operation)
    return variable if fresh else ticket


def submit_many(argv: int, argc: int) -> int:
    """address and number of the arguments of `submit`, if they are too many for a call."""
    return submit(argument(argv, 0), argument(argv, 1))


def template_many(argv: int, argc: int) -> int:
    """address and number of the arguments of `template`."""
    return template(argument(argv, 0), argument(argv, 1))


def fill(core: int, argv: int, argc: int) -> int:
    """Return a block filled with the arguments of `submit`, or 0 without memory."""
    slots = argument(argv, FIXED) & COUNT_MASK
    written = slots - (argument(argv, FIXED) >> COUNT_BITS)  # index of the first written variable
    slots_at = argv + WORD * (FIXED + 1)
    flags = argument(argv, 6)
    fresh = 1 if flags & FRESH != 0 else 0
    record = argc - FIXED - 1 - slots
    words = O_FIXED + (slots + fresh) * (SLOT // WORD) + record
    operation = take_block(core, words)
    if operation == 0:
        return 0
    clear_operation(operation)
    store(operation + O_KIND, argument(argv, 1))
    store(operation + O_FUNCTION, argument(argv, 2))
    store(operation + O_ARGS, argument(argv, 3))
    store(operation + O_LO, argument(argv, 4))
    store(operation + O_HI, argument(argv, 5))
    store(operation + O_FLAGS, flags)
    if argument(argv, 1) == KERNEL:
        store(operation + O_COST, argument(argv, 7))
    else:
        store(operation + O_TOKEN, argument(argv, 7))
    store(operation + O_QUEUE, argument(argv, 8) & QUEUE_MASK)
    store(operation + O_LANE, argument(argv, 8) >> QUEUE_BITS)
    store(operation + O_PRIORITY, argument(argv, 9))
    store(operation + O_BYTES, argument(argv, 10))
    store(operation + O_NAME, argument(argv, 11))
    store(operation + O_SITE, argument(argv, 12))
    store(operation + O_COUNT, slots + fresh)
    slot = operation + O_SLOTS
    if fresh != 0:
        variable = take_variable(core)
        if variable == 0:
            give_block(core, operation)
            return 0
        set_slot(slot, variable, MUTATE)
        slot += SLOT
    for i in range(slots):
        word = load(slots_at + WORD * i)
        set_slot(slot, word >> 2, word & (MUTATE | LATE) | (MUTATE if i >= written else 0))
        slot += SLOT
    if record > 0:
        copy_words(slot, slots_at + WORD * slots, record)
        store(operation + O_ARGS, slot)
    return operation


def template(argv: int, argc: int) -> int:
    """arguments of `submit` -> a block that `push` copies for each push, or NO_MEMORY."""
    core = argument(argv, 0)
    lock(core)
    result = fill(core, argv, argc)
    unlock(core)
    return result if result != 0 else NO_MEMORY


def drop_template(argv: int, argc: int) -> int:
    """core, template: forbid pushes; Python may drop its objects once pending ones have ended."""
    core = argument(argv, 0)
    entry = argument(argv, 1)
    lock(core)
    store(entry + O_FLAGS, load(entry + O_FLAGS) | REAPED)
    if load(entry + O_TEMPLATE) == 0:
        bury_template(core, entry)
    unlock(core)
    return 0


def notify(argv: int, argc: int) -> int:
    """core, ticket, token -> 1: the Python call of the token will follow; 0: it is done already."""
    core = argument(argv, 0)
    ticket = argument(argv, 1)
    operation = ticket >> TICKET_BITS << 6
    lock(core)
    watched = load(operation + O_SEQ)
    call = 0
    if watched != 0 and watched & TICKET_MASK == ticket & TICKET_MASK:
        call = take_block(core, O_FIXED)
    if call != 0:
        clear_operation(call)
        store(call + O_KIND, CALL)
        store(call + O_FLAGS, FORCE | NO_SKIP | INTERNAL)
        store(call + O_QUEUE, PYTHON)
        store(call + O_TOKEN, argument(argv, 2))
        admit_locked(core, call)
        store(call + O_NEXT, load(operation + O_NOTIFY))
        store(operation + O_NOTIFY, call)
    unlock(core)
    return 1 if call != 0 else 0
