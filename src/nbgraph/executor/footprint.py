"""The memory of an executor, as planned and as held."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from nbgraph.array.core import Array
from nbgraph.executor.program import Program
from nbgraph.executor.programs import Bound
from nbgraph.picture import Report, columns


@dataclass(frozen=True, slots=True)
class ProgramBytes:
    """Bytes of what a program has of its own, or together with the program `shares` names.

    `naive`: every value in memory of its own; `peak`: in use at once, which no plan can go below;
    `planned`: the arena that is asked for; `held`: what the pool gave for it; `interim`: what
    stands in for the program while its kernels are compiled, in words.
    """

    program: str
    naive: int
    peak: int
    planned: int
    held: int
    interim: str = ""
    shares: str = ""


class Footprint(Report):
    """The result of `exe.memory()`: a table when printed.

    `programs`: ProgramBytes of each; `arrays`: bytes held by the arrays that programs share, by
    what they are for: "arguments", "states", "outputs", "gradients", "output gradients" and
    "constants". Memory that two hold is counted once, where it is met first; what is kept for the
    backward pass lies in the memory that both passes plan, outputs that nothing else is computed
    with in that of their program.
    """

    title = "memory"

    def __init__(self, programs: Iterable[ProgramBytes], arrays: Mapping[str, int]) -> None:
        self.programs, self.arrays = tuple(programs), dict(arrays)

    @property
    def held(self) -> int:
        """All bytes that the executor holds, those of its arguments included."""
        own = sum(p.held for p in self.programs if not p.shares)
        return own + sum(self.arrays.values())

    @property
    def naive(self) -> int:
        """Bytes if every value of every program had memory of its own."""
        return sum(p.naive for p in self.programs)

    @property
    def planned(self) -> int:
        """Bytes of all arenas."""
        arenas: dict[str, int] = {}
        for p in self.programs:
            name = p.shares or p.program
            arenas[name] = max(arenas.get(name, 0), p.planned)
        return sum(arenas.values())

    def to_dict(self) -> dict[str, Any]:
        """Return the same as plain values."""
        return {
            "programs": [asdict(p) for p in self.programs],
            "arrays": dict(self.arrays),
            "naive": self.naive,
            "planned": self.planned,
            "held": self.held,
        }

    def sections(self) -> list[tuple[str, str]]:
        """Return headings and texts, in order."""
        head = ("program", "naive", "peak", "planned", "held")
        rows = [
            (
                p.program,
                *(f"{n:,}" for n in (p.naive, p.peak, p.planned, p.held)),
                ", ".join(filter(None, [p.shares and f"in that of {p.shares}", p.interim])),
            )
            for p in self.programs
        ]
        arrays = [(name, f"{count:,}") for name, count in self.arrays.items() if count]
        return [
            ("values of programs, bytes", columns([head, *rows])),
            ("arrays, bytes held", columns([*arrays, ("all memory", f"{self.held:,}")])),
        ]


def footprint(bound: Bound, programs: Mapping[str, Program], states: Iterable[Array]) -> Footprint:
    """Return the bytes of these programs; `states` are the arrays that operators write."""
    of_states = list(states)
    gradients = [array for array, _ in bound.grads.values()]
    constants = [array for program in programs.values() for array in program.constants]
    groups: dict[str, list[Array]] = {
        "states": of_states,
        "arguments": list(bound.arrays.values()),
        "outputs": list(bound.outputs),
        "gradients": gradients,
        "output gradients": bound.seed_arrays(),
        "constants": constants,
    }
    seen: set[Any] = set()
    seen.update(array._chunk for p in programs.values() for array in p.inside())
    totals = {name: _held(arrays, seen) for name, arrays in groups.items()}
    owners: dict[Any, str] = {}
    rows: list[ProgramBytes] = []
    for name, program in programs.items():
        owner = owners.setdefault(program.arena, name)
        rows.append(_bytes(name, program, "" if owner == name else owner))
    return Footprint(rows, totals)


def _held(arrays: Iterable[Array], seen: set[Any]) -> int:
    total = 0
    for array in arrays:
        if array._chunk not in seen:
            seen.add(array._chunk)
            total += array._chunk.capacity
    return total


def _bytes(name: str, program: Program, shares: str) -> ProgramBytes:
    plan, buffer = program.compiled.memory, program.arena.chunk
    return ProgramBytes(
        name,
        plan.naive_bytes,
        plan.peak_bytes,
        plan.arena_bytes,
        0 if buffer is None else buffer.capacity,
        program.interim,
        shares,
    )
