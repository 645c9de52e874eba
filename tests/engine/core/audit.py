"""The books after a run: nothing pending, lists empty, references right, every block there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from nbgraph.engine.core import failures, memory, running, state
from nbgraph.engine.core import layout as L  # noqa: N812
from nbgraph.engine.core.machine import MACHINE
from tests.engine.core.bench import Bench

EMPTY = (
    *(L.LOCK, L.PENDING, L.PENDING_BYTES, L.ALIVE, L.ALL_WAITERS, L.BRAKE_WAITERS),
    L.RELEASED,
)
USES = (L.V_HEAD, L.V_TAIL, L.V_READS, L.V_WRITES, L.V_ISSUED_READS, L.V_ISSUED_WRITES)


def word(address: int) -> int:
    return MACHINE.words.get(address, 0)


def chain(first: int, offset: int) -> Iterator[int]:
    """A linked list; one that bites its tail is an error."""
    met = set()
    while first:
        assert first not in met, f"block {first:#x} is twice in a list"
        met.add(first)
        yield first
        first = word(first + offset)


def audit(bench: Bench) -> None:
    """All invariants of a core at rest."""
    clean(bench)
    core = bench.core
    for offset in EMPTY:
        assert word(core + offset) == 0, f"word {offset:#x} of the core is {word(core + offset)}"
    for number in range(L.QUEUE_COUNT):
        for offset in (L.Q_FIRST, L.Q_LAST, L.Q_HEAP, L.Q_COUNT, L.Q_IDLE, L.Q_IDLES):
            place = core + L.QUEUES + L.LINE * number + offset
            assert word(place) == 0, f"queue {number}, word {offset} is {word(place)}"
    for name, address in bench.variables.items():
        for offset in USES:
            assert word(address + offset) == 0, f"{name}: word {offset} is {word(address + offset)}"
    for instance in bench.instances:
        assert word(instance + L.I_REFS) == 0, "somebody still refers to an instance"
    references(bench)
    account(bench)


def clean(bench: Bench) -> None:
    """What Python would do at its leisure: given-up variables, dead cells, templates, plans."""
    spare = bench.quietly(state.new_variable, bench.core)  # deletes what was given up
    bench.quietly(state.give_up, bench.core, spare)
    bench.variable("spare")
    del bench.data["spare"]
    while bench.quietly(failures.dead_cell, bench.core):
        pass
    while bench.quietly(state.dead_template, bench.core):
        bench.templates -= 1
    assert bench.templates == 0, f"{bench.templates} templates were dropped and are not dead"
    for instance in bench.instances:
        bench.quietly(state.drop_instance, bench.core, instance)
    dead = [bench.quietly(state.dead_instance, bench.core) for _ in bench.instances]
    assert sorted(dead) == sorted(bench.instances), "instances are given back once each"
    assert bench.quietly(state.dead_instance, bench.core) == 0


def references(bench: Bench) -> None:
    """A cell's count: the variables it lies on, and the list of those not raised."""
    counts: Counter[int] = Counter(chain(bench.get(L.CELLS), L.C_NEXT))
    counts.update(c for v in bench.variables.values() if (c := word(v + L.V_CELL)))
    for cell, count in counts.items():
        assert word(cell + L.C_REFS) == count, f"cell {cell:#x}: {word(cell + L.C_REFS)} references"


def one_row_bytes(core: int) -> int:
    """How much is cut from the slab for an instance of one row: it is done to see."""
    before = word(core + L.SLAB)
    running.new_one_row(core)
    return word(core + L.SLAB) - before


def account(bench: Bench) -> None:
    """Every byte cut from the slab is a free block, a variable, a parker, a cell or an instance."""
    core = bench.core
    cut = word(core + L.SLAB)
    free: list[int] = []
    held = 0
    for power in range(24):
        blocks = list(chain(word(core + L.FREE_BLOCKS + L.WORD * power), L.O_NEXT))
        assert all(word(b + L.O_CLASS) == power for b in blocks), "a block in another class's list"
        free += blocks
        held += len(blocks) * (L.WORD << power)
    variables = list(chain(word(core + L.FREE_VARIABLES), L.V_NEXT))
    assert len(free) == len(set(free)), "a block is free twice"
    assert not set(variables) & set(bench.variables.values()), "a living variable is free"
    alive = word(core + L.VARIABLES)
    assert alive == len(bench.variables), f"{alive} variables are alive"
    cells = set(chain(word(core + L.CELLS), L.C_NEXT))
    cells |= {c for v in bench.variables.values() if (c := word(v + L.V_CELL))}
    rows = list(chain(word(core + L.ONE_ROWS), L.I_NEXT))
    held += (len(variables) + alive) * L.VARIABLE + len(rows) * one_row_bytes(core)
    held += (bench.parkers + len(cells)) * (L.WORD << memory.SMALLEST)
    slab = word(core + L.SLABS)
    assert word(slab) == 0, "one slab is enough for a small program"
    cut -= (slab + 127) & -64
    assert held == cut, f"{cut - held} bytes are lost"
