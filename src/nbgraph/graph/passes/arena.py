"""Free memory of an arena, and who may have it.

Memory that was given back is a *segment* with the tasks that must have ended before it is written
again (`guards`). Neighbours with different guards stay apart and are joined for a taker who may
have them all: merging depends on who asks.

A taker gets the smallest run of free segments that is large enough. Where a run touches an end of
the arena, that end is used, so that what is free stays in the middle, in one piece. The arena grows
when there is no such run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

ANYBODY = -1  # the colour of memory that nobody has had yet


@dataclass(slots=True)
class Segment:
    """Free bytes. Of the guards, `firm` ones must be ancestors of the taker; for the others it
    may wait."""

    start: int
    size: int
    guards: tuple[int, ...]  # the last one first
    firm: tuple[int, ...]
    colour: int

    @property
    def end(self) -> int:
        """The byte behind it."""
        return self.start + self.size


@dataclass(slots=True)
class _Run:
    start: int
    end: int
    segments: list[Segment]


Allowed = Callable[[Segment], bool]


class Arena:
    """Memory from 0 to `top`; `used` is the largest end of what was taken so far."""

    def __init__(self, capacity: int) -> None:
        self.top = capacity
        self.used = 0
        self._free: dict[int, dict[int, Segment]] = {}  # colour -> start -> segment
        if capacity:
            self._add(Segment(0, capacity, (), (), ANYBODY))

    def give(self, segment: Segment) -> None:
        """Memory back."""
        self._add(segment)

    def take(
        self, size: int, colours: Iterable[int], allowed: Allowed
    ) -> tuple[int, list[Segment]] | None:
        """The place of `size` bytes, and the segments it was part of; None if nothing fits."""
        runs = self._runs(colours, allowed)
        fitting = [run for run in runs if run.end - run.start >= size]
        if not fitting:
            return None
        run = min(fitting, key=lambda run: (run.end - run.start, run.start))
        high = run.start > 0 and run.end == self.top
        start = run.end - size if high else run.start
        return start, self._cut(run, start, start + size)

    def grow(
        self, size: int, colours: Iterable[int], allowed: Allowed
    ) -> tuple[int, list[Segment]]:
        """The same at the top, which moves up."""
        last = [run for run in self._runs(colours, allowed) if run.end == self.top]
        run = last[0] if last else _Run(self.top, self.top, [])
        self.top = run.start + size
        return run.start, self._cut(run, run.start, self.top)

    def _add(self, segment: Segment) -> None:
        self._free.setdefault(segment.colour, {})[segment.start] = segment

    def _runs(self, colours: Iterable[int], allowed: Allowed) -> list[_Run]:
        found: list[Segment] = []
        for colour in (ANYBODY, *colours):
            segments = self._free.get(colour)
            if segments:
                found += [segment for segment in segments.values() if allowed(segment)]
        found.sort(key=lambda segment: segment.start)
        runs: list[_Run] = []
        for segment in found:
            if runs and runs[-1].end == segment.start:
                runs[-1].end = segment.end
                runs[-1].segments.append(segment)
            else:
                runs.append(_Run(segment.start, segment.end, [segment]))
        return runs

    def _cut(self, run: _Run, start: int, end: int) -> list[Segment]:
        """Take [start, end) out of a run; what is left of its segments stays free."""
        self.used = max(self.used, end)
        taken: list[Segment] = []
        for segment in run.segments:
            if segment.end <= start or segment.start >= end:
                continue
            taken.append(segment)
            del self._free[segment.colour][segment.start]
            for low, high in ((segment.start, start), (end, segment.end)):
                if low < high:
                    rest = (segment.guards, segment.firm, segment.colour)
                    self._add(Segment(low, high - low, *rest))
        return taken
