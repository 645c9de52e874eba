"""From a schedule to push order, two neighbours at a time."""

from __future__ import annotations

from nbgraph.engine.schedule import Key, Turn
from nbgraph.engine.witness import Record

Mark = int | Key  # push or wait of the program, by number; or an operation


class Path:
    """Schedules between one that was met and push order; neighbours differ by one swap.

    Operations are moved, in push order, towards the beginning, past pushes and waits of the program
    and past operations pushed later. So no schedule on the way breaks an order that variables
    demand.
    """

    def __init__(self, schedule: tuple[Turn, ...], record: Record) -> None:
        marks: list[Mark] = []
        at = 0
        for turn in schedule:
            marks.extend(range(at + 1, turn.at + 1))
            at = max(at, turn.at)
            marks.append(turn.key)
        marks.extend(range(at + 1, len(record.steps) + 1))
        self._marks = tuple(marks)
        self._swaps = _swaps(marks, record)

    def __len__(self) -> int:
        return len(self._swaps)

    def _after(self, count: int) -> list[Mark]:
        marks = list(self._marks)
        for place in self._swaps[:count]:
            marks[place], marks[place + 1] = marks[place + 1], marks[place]
        return marks

    def schedule(self, count: int) -> tuple[Turn, ...]:
        """The schedule after so many swaps."""
        turns: list[Turn] = []
        at = 0
        for mark in self._after(count):
            if isinstance(mark, int):
                at = mark
            else:
                turns.append(Turn(mark, at))
        return tuple(turns)

    def swapped(self, count: int) -> tuple[Mark, Key]:
        """What the swap after so many others moves to the right, and what to the left."""
        place = self._swaps[count]
        right, left = self._after(count)[place : place + 2]
        assert not isinstance(left, int)
        return right, left


def _swaps(marks: list[Mark], record: Record) -> list[int]:
    """Places whose mark changes with the next one, one after another, till all is in order."""
    marks = list(marks)
    found: list[int] = []
    for key in sorted(mark for mark in marks if not isinstance(mark, int)):
        place = marks.index(key)
        pushed = record.operations[key].at if len(key) == 1 and key in record.operations else 0
        while place:
            before = marks[place - 1]
            last = before <= pushed if isinstance(before, int) else before < key
            if last:
                break
            marks[place - 1], marks[place] = key, before
            place -= 1
            found.append(place)
    return found
