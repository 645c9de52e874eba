"""The lock, blocks of words by size class, variables and failure cells."""

from nbgraph.engine.core.layout import *
from nbgraph.engine.core.machine import (
    allocate,
    compare_exchange,
    load,
    load_acquire,
    pause,
    store,
    store_release,
    yield_now,
)

SLAB_SIZE = 1 << 18  # bytes
SMALLEST = 5  # the least block has 2**5 words


def lock(core: int) -> None:
    """Take the core's lock; yield the processor now and then to a preempted owner."""
    spins = 0
    while not compare_exchange(core + LOCK, 0, 1):
        while load_acquire(core + LOCK) != 0:
            pause()
            spins += 1
            if spins >= 64:
                spins = 0
                yield_now()


def unlock(core: int) -> None:
    """Release the core's lock."""
    store_release(core + LOCK, 0)


def carve(core: int, size: int) -> int:
    """Return the address of zeroed bytes from a slab, in whole lines, or 0 without memory."""
    size = (size + 63) & -64  # a ticket omits the last 6 bits of an address
    at = load(core + SLAB)
    if at + size > load(core + SLAB_END):
        total = SLAB_SIZE if size < SLAB_SIZE // 4 else size + 128
        slab = allocate(total)
        if slab == 0:
            return 0
        store(slab, load(core + SLABS))
        store(core + SLABS, slab)
        store(core + SLAB_BYTES, load(core + SLAB_BYTES) + total)
        at = (slab + 127) & -64
        store(core + SLAB_END, slab + total)
    store(core + SLAB, at + size)
    return at


def size_class(words: int) -> int:
    """Return the exponent of the smallest power of two that is at least `words`."""
    power = SMALLEST
    while (1 << power) < words:
        power += 1
    return power


def take_block(core: int, words: int) -> int:
    """Return a block of at least `words` words, not cleared, or 0 without memory."""
    power = size_class(words)
    head = core + FREE_BLOCKS + WORD * power
    block = load(head)
    if block != 0:
        store(head, load(block + O_NEXT))
        return block
    block = carve(core, WORD << power)
    if block != 0:
        store(block + O_CLASS, power)
    return block


def give_block(core: int, block: int) -> None:
    """Put a block on its free list."""
    head = core + FREE_BLOCKS + WORD * load(block + O_CLASS)
    store(block + O_NEXT, load(head))
    store(head, block)


def take_variable(core: int) -> int:
    """Return a new variable, or 0 without memory."""
    variable = load(core + FREE_VARIABLES)
    if variable != 0:
        store(core + FREE_VARIABLES, load(variable + V_NEXT))
    else:
        variable = carve(core, VARIABLE)
        if variable == 0:
            return 0
    store(variable + V_VERSION, 0)
    store(variable + V_KEEPS, 0)
    store(variable + V_SINCE, 0)
    store(core + VARIABLES, load(core + VARIABLES) + 1)
    return variable


def give_variable(core: int, variable: int) -> None:
    """Free a dead variable; its new generation reveals stale addresses."""
    set_cell(core, variable, 0, 0)
    store(variable + V_GENERATION, load(variable + V_GENERATION) + 1)
    store(variable + V_NEXT, load(core + FREE_VARIABLES))
    store(core + FREE_VARIABLES, variable)
    store(core + VARIABLES, load(core + VARIABLES) - 1)


def new_cell(core: int, operation: int, code: int, token: int, row: int) -> int:
    """Return a new failure of an operation, on the list of those not raised, which refers to it."""
    cell = take_block(core, CELL_WORDS)
    if cell == 0:
        return 0
    store(cell + C_RAISED, 0)
    store(cell + C_SEQ, load(operation + O_SEQ))
    store(cell + C_REFS, 1)
    store(cell + C_CODE, code)
    store(cell + C_TOKEN, token)
    store(cell + C_NAME, load(operation + O_NAME))
    store(cell + C_SITE, load(operation + O_SITE))
    store(cell + C_ROW, row)
    first = load(core + CELLS)
    store(cell + C_NEXT, first)
    store(cell + C_PREVIOUS, 0)
    if first != 0:
        store(first + C_PREVIOUS, cell)
    store(core + CELLS, cell)
    return cell


def hold_cell(cell: int) -> None:
    """Add a reference to a cell."""
    store(cell + C_REFS, load(cell + C_REFS) + 1)


def drop_cell(core: int, cell: int) -> None:
    """Drop a reference to a cell; after the last one Python may drop the exception."""
    refs = load(cell + C_REFS) - 1
    store(cell + C_REFS, refs)
    if refs == 0:
        store(cell + C_NEXT, load(core + DEAD_CELLS))
        store(core + DEAD_CELLS, cell)


def bury_token(core: int, token: int) -> None:
    """Tell Python to drop the object of a token, by way of a dead cell."""
    cell = take_block(core, CELL_WORDS)
    if cell != 0:  # without memory the object is never dropped
        store(cell + C_SEQ, 0)
        store(cell + C_TOKEN, token)
        store(cell + C_REFS, 1)
        drop_cell(core, cell)


def set_cell(core: int, variable: int, cell: int, sequence: int) -> None:
    """Put a failure (0: none) on a variable, left by its last writer, of number `sequence`."""
    store(variable + V_FAILED, sequence)
    old = load(variable + V_CELL)
    if old == cell:
        return
    if cell != 0:
        hold_cell(cell)
    store(variable + V_CELL, cell)
    if old != 0:
        drop_cell(core, old)


def cell_for(variable: int, sequence: int) -> int:
    """Return the failure on a variable that an operation of this number sees, or 0."""
    since = load(variable + V_SINCE)
    if load(variable + V_FAILED) > since or sequence <= since:
        return load(variable + V_CELL)
    return 0


def cell_on(variable: int) -> int:
    """Return the failure on a variable since its memory got its present owner, or 0."""
    return load(variable + V_CELL) if load(variable + V_FAILED) > load(variable + V_SINCE) else 0


def mark_raised(core: int, cell: int, sequence: int) -> None:
    """Mark a failure as raised: it does not apply to operations pushed from now on."""
    store(cell + C_RAISED, sequence)
    after = load(cell + C_NEXT)
    before = load(cell + C_PREVIOUS)
    if after != 0:
        store(after + C_PREVIOUS, before)
    if before != 0:
        store(before + C_NEXT, after)
    else:
        store(core + CELLS, after)
    drop_cell(core, cell)


def applies(cell: int, sequence: int) -> bool:
    """Return whether a failure applies to an operation of this number."""
    raised = load(cell + C_RAISED)
    return raised == 0 or sequence <= raised


def earlier(a: int, b: int) -> int:
    """Return the failure that comes first in program order; either may be 0."""
    if a in (0, b):
        return b
    if b == 0:
        return a
    at = load(a + C_SEQ)
    bt = load(b + C_SEQ)
    if at == bt:
        return a if load(a + C_ROW) <= load(b + C_ROW) else b
    return a if at < bt else b


def argument(argv: int, index: int) -> int:
    """Return an argument of an entry."""
    return load(argv + WORD * index)
