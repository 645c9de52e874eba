"""The rows of one step of some parameters, reused from step to step."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from nbgraph.array.core import Array
from nbgraph.operator.mapper.mapper import Mapper
from nbgraph.ops.updates.rules import GO, variant
from nbgraph.optim.clipping import Norms
from nbgraph.optim.rows import Laid, Operand, Row, Rows, Slot
from nbgraph.optim.states import Clock, State


class Entry(NamedTuple):
    """A parameter that takes part in a step; `out`: another array that gets the new weight."""

    key: str
    weight: Array
    grad: Array
    state: State
    out: Array | None = None


class Group:
    """Parameters for which a step's numbers are the same: one slot for each number."""

    __slots__ = ("clock", "decay", "precision", "rate", "slots")

    def __init__(self, clock: Clock, rate: float, decay: float, precision: str) -> None:
        self.clock, self.rate, self.decay, self.precision = clock, rate, decay, precision
        self.slots: dict[str, Slot] = {}

    def slot(self, name: str) -> Slot:
        """Return the slot of a number, a new one at the first call."""
        return self.slots.setdefault(name, Slot(name, 0.0))

    def set(self, values: Mapping[str, Any]) -> None:
        """Set numbers, or arrays of shape (), in all slots."""
        for name, slot in self.slots.items():
            value, plain = values[name], isinstance(values[name], (int, float, np.floating))
            slot.value = float(value) if plain else value.astype(self.precision)


class Operands:
    """The arrays and numbers behind the names of a rule's operands, for one parameter.

    `weight`: the master where there is one; `target`: another array that gets the new weight.
    """

    def __init__(self, entry: Entry, grad: Slot, group: Group, norms: Norms | None) -> None:
        state = entry.state
        self.grad, self.group, self.states = grad, group, state.arrays
        self.guarded = False
        self.drawn: dict[str, Slot] = {}
        self.weight: Array = entry.weight if state.master is None else state.master
        self.target = entry.out if state.master is None else entry.weight
        self.known: dict[str, Operand] = {"weight": self.weight, "grad": grad, **state.arrays}
        if norms is not None:
            self.known |= {"scale": norms.factor[group.precision], GO: norms.finite}

    def draw(self, name: str) -> None:
        """Add a slot of that name for an array of the parameter's shape, drawn for every step."""
        self.known[name] = self.drawn[name] = Slot(name, self.weight)

    def row(self, rule: Mapper, names: Sequence[str], *, ends: bool = True) -> Row:
        """Return the row of a rule whose results are new values of the operands `names`, written
        over the old ones.

        `ends`: whether the weight is among them, so that `target` is written, too.
        """
        doubled = ends and self.target is not None
        op = variant(rule, tuple(names), guarded=self.guarded, doubled=doubled)
        outputs: list[Any] = [self.known[name] for name in names]
        if doubled:
            outputs.insert(0, self.target)
        return Row(op, self.of(op.scalar.operands), outputs)

    def of(self, names: Sequence[str]) -> list[Operand]:
        """Return the operands for these names."""
        return [self.known[n] if n in self.known else self.group.slot(n) for n in names]


class Update:
    """Slots and rows for entries of the same arrays, and gradients of the same layouts.

    `rows_of` creates the rows of a parameter; `normed`: whether the norm of all gradients is
    needed; `guarded`: whether a step is skipped where this norm is not finite.
    """

    def __init__(
        self,
        name: str,
        entries: Sequence[Entry],
        groups: Sequence[Group],
        rows_of: Callable[[Operands], list[Row]],
        *,
        normed: bool,
        guarded: bool,
    ) -> None:
        self.entries, self.guarded, self.normed = list(entries), guarded, normed
        self.grads = [Slot("grad", entry.grad) for entry in entries]
        self.clocks = [group.clock for group in groups]
        self.groups = list(dict.fromkeys(groups))
        filled = [slot for slot in self.grads if slot.value.size]
        self.norms = Norms(name, filled) if normed and filled else None
        self.drawn: list[Slot] = []
        rows: list[Row] = []
        for entry, slot, group in zip(entries, self.grads, groups, strict=True):
            if entry.weight.size:
                operands = Operands(entry, slot, group, self.norms)
                operands.guarded = guarded
                rows += rows_of(operands)
                self.drawn += operands.drawn.values()
        self.rows = Rows(name, rows)

    def fits(self, entries: Sequence[Entry], clocks: Mapping[str, Clock]) -> bool:
        """Return whether the update holds for these entries, which have the same keys."""
        for own, former, clock in zip(entries, self.entries, self.clocks, strict=True):
            if own.weight is not former.weight or own.state is not former.state:
                return False
            if own.out is not former.out:
                return False
            if own.grad._layout is not former.grad._layout or clocks[own.key] is not clock:
                return False
        return True

    def bring(self, entries: Sequence[Entry]) -> None:
        """Set the gradients of this step in the slots."""
        for slot, entry in zip(self.grads, entries, strict=True):
            slot.value = entry.grad

    def behind(self) -> Behind:
        """Return the rows for a plan whose gradients are in the arrays that the slots hold now."""
        return Behind(self)


class Behind:
    """The rows of a step, which run after a program that computes its gradients."""

    def __init__(self, update: Update) -> None:
        self.update = update
        before = [] if update.norms is None else update.norms.rows.pieces()
        self._pieces = [*before, *update.rows.pieces()]
        self._laid: Laid | None = None

    def steps(self, first: int) -> tuple[list[Any], list[list[tuple[int, int]]]]:
        """See `executor.program.Behind`."""
        self._laid = Laid(self._pieces, first, fixed=True)
        return self._laid.steps, self._laid.patches

    def words(self) -> list[int]:
        """See `executor.program.Behind`."""
        assert self._laid is not None, "it is part of a plan"
        return self._laid.words()
