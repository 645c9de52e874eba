"""A plan as the words of an instance in the core's memory; see INSTANCE words in `core.layout`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from nbgraph.engine.core import layout
from nbgraph.engine.core.codes import BRIEF, GRAIN, MOST_CHUNKS
from nbgraph.engine.native_call import NativeCall

if TYPE_CHECKING:
    from nbgraph.engine.plans.plan import Plan, Step

_INSTANCE_WORDS = layout.INSTANCE_BYTES // layout.WORD
_ARRAYS = (layout.I_LEFT, layout.I_NEXT_CHUNK, layout.I_CHUNKS)


class Rows:
    """Header, table and arrays of a plan whose steps run `runs`.

    `words` are those of an instance; the ones at `relative` are addresses relative to its
    beginning. `number` returns the core's number of a name, `token` the token of a Python step.
    """

    def __init__(
        self,
        plan: Plan,
        runs: Sequence[NativeCall | Callable[..., Any]],
        number: Callable[[str], int],
        token: Callable[[Step], int],
    ) -> None:
        self.words = [0] * _INSTANCE_WORDS
        self.relative: list[int] = []
        self._number, self._token = number, token
        index = {variable: k for k, variable in enumerate(plan.outside)}
        late = {index[variable]: row for row, variable in enumerate(plan.late)}
        table = [word for k in late for word in (0, 0, 0, 0, layout.ROW_ACQUIRE, 1, 0, k, 0, 0)]
        for step, run, uses in zip(plan.steps, runs, plan.uses, strict=True):
            table += self._row(step, run, len(uses))
        before = plan.predecessors
        uses = plan.uses
        if late:
            before = _behind(before, uses, late)
            uses = [[] for _ in late] + uses
        self._put_table(table, before, plan.steps)
        self._put_uses(uses, len(index))
        self._put_patches(plan, runs)

    def _row(self, step: Step, run: NativeCall | Callable[..., Any], uses: int) -> list[int]:
        name = self._number(step.label)
        if not isinstance(run, NativeCall):
            return [0, 0, 0, 0, layout.ROW_PYTHON, 1, 0, self._token(step), name, uses]
        chunks = step.chunks
        if chunks is None:
            chunks = MOST_CHUNKS if run.cost >= 2 * GRAIN else 1
        chunks = max(1, min(chunks, MOST_CHUNKS, run.hi - run.lo))
        hi, cost = (2, 0) if run.resumes else (run.hi, run.cost)
        row = [run.address, run.record, run.lo, hi, layout.ROW_KERNEL]
        return [*row, chunks, cost, 0, name, uses]

    def _put_table(
        self, table: list[int], before: Sequence[dict[int, bool]], steps: Sequence[Step]
    ) -> None:
        count = len(before)
        step = layout.ROW // layout.WORD
        kinds, chunks, costs = (
            table[at // layout.WORD :: step]
            for at in (layout.R_KIND, layout.R_CHUNKS, layout.R_COST)
        )
        self._put(layout.I_TABLE, table)
        degrees = [len(each) for each in before]
        self._put(layout.I_INDEGREE, degrees)
        self._put(layout.I_COUNTERS, degrees)
        self._put_successors(before)
        self._put(layout.I_TICKETS, [0] * (sum(chunks) + 1))
        self._put(layout.I_ERRORS, [0] * count)
        for place in _ARRAYS:
            self._put(place, [1] * count)
        self._set(layout.I_ROWS, count)
        pure = layout.ROW_ACQUIRE not in kinds and all(
            step.pure or isinstance(step.run, NativeCall) for step in steps
        )
        self._set(layout.I_SERIAL, layout.PURE if pure and any(kinds) else int(pure))
        self._set(layout.I_WIDTH, int(max(chunks) > 1 or _wide(before)))
        self._set(layout.I_UNSURE, int(max(costs) > BRIEF))  # a loop in it may take much longer
        # 0 (unknown) if the cost of any row is unknown
        self._set(layout.I_SERIAL_NS, sum(costs) if all(costs) else 0)

    def _put_successors(self, before: Sequence[dict[int, bool]]) -> None:
        after: list[list[int]] = [[] for _ in before]
        carries: list[list[int]] = [[] for _ in before]
        for row, each in enumerate(before):
            for earlier, carried in each.items():
                after[earlier].append(row)
                carries[earlier].append(carried)
        self._put_lists(layout.I_OFFSETS, layout.I_SUCCESSORS, after)
        self._put(layout.I_CARRIES, [int(carried) for each in carries for carried in each])

    def _put_uses(self, uses: Sequence[Sequence[int]], outside: int) -> None:
        users = [0] * outside
        for each in uses:
            for use in each:
                users[use >> layout.USE] += 1
        self._put(layout.I_REMAINING, users)
        self._put(layout.I_USES, users)
        self._put_lists(layout.I_USE_OFFSETS, layout.I_USE, uses)
        self._put(layout.I_EXTERNAL_ERRORS, [0] * (2 * outside))
        self._set(layout.I_EXTERNALS, outside)

    def _put_patches(self, plan: Plan, runs: Sequence[Any]) -> None:
        places = [
            word
            for source, each in enumerate(plan.patches)
            for step, place in each
            for word in (runs[step].record + layout.WORD * place, source)
        ]
        self._put(layout.I_PLACES, places)
        self._set(layout.I_PATCHES, len(places) // 2)
        self._set(layout.I_WORDS, len(plan.patches))

    def _set(self, offset: int, value: int) -> None:
        self.words[offset // layout.WORD] = value

    def _put(self, offset: int, values: Sequence[int]) -> None:
        """Append an array, and write its address to the header at `offset`."""
        self._set(offset, layout.WORD * len(self.words))
        self.relative.append(offset // layout.WORD)
        self.words += values or [0]

    def _put_lists(self, offsets: int, place: int, lists: Sequence[Sequence[int]]) -> None:
        """Append lists one after the other, and the offsets where each begins (CSR)."""
        starts = [0]
        for each in lists:
            starts.append(starts[-1] + len(each))
        self._put(offsets, starts)
        self._put(place, [value for each in lists for value in each])


def _behind(
    before: Sequence[dict[int, bool]], uses: Sequence[Sequence[int]], late: dict[int, int]
) -> list[dict[int, bool]]:
    """Return the predecessors of all rows, adding for each late variable a row before its users."""
    shift = len(late)
    waits_of: list[dict[int, bool]] = [{} for _ in late]
    for each, used in zip(before, uses, strict=True):
        waits = {late[u >> layout.USE]: False for u in used if u >> layout.USE in late}
        waits_of.append(waits | {b + shift: carried for b, carried in each.items()})
    return waits_of


def _wide(before: Sequence[dict[int, bool]]) -> bool:
    """Return whether two rows may run in parallel: not if each depends on the row before it."""
    return any(row - 1 not in each for row, each in enumerate(before) if row)
