"""The allocator of an arena's memory.

Freed memory is a *segment* with guards: the tasks that must have ended before it is written again.
Neighbours with different guards are separate segments; they are joined into a run for a task that
may use all of them.

`take` returns the smallest run of free segments that is large enough. From a run at an end of the
arena it takes that end, so that free memory stays in one piece in the middle. If nothing else fits
it uses segments that the task would have to wait for, and then the arena grows. A `sparing` arena
grows rather than cut a block out of a run that is `sparing` times as large.

Of many segments only `LOOKED_AT` are considered: those of about the right size, the oldest and the
newest.
"""

import bisect
import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

NOBODY = -1  # the colour of unused memory
LOOKED_AT = 256  # segments of a colour; and as many of all


@dataclass(slots=True, eq=False, repr=False)
class Segment:
    """A range of free bytes. `guard`: all its guards; `firm`: those that must be ancestors of the
    next task, both in the form of `Exact.guard`; `ends`: the others, for which it may wait."""

    start: int
    size: int
    colour: int
    guard: Any
    firm: Any
    ends: tuple[int, ...]

    @property
    def end(self) -> int:
        """The offset after its last byte."""
        return self.start + self.size


@dataclass(slots=True, eq=False, repr=False)
class _Run:
    start: int
    end: int
    segments: list[Segment]


Sift = Callable[[list[Segment]], tuple[list[Segment], list[Segment]]]


class Arena:
    """Memory from 0 to `top`; `used` is the largest end of an allocation so far."""

    def __init__(self, sparing: int = 0) -> None:
        self.sparing = sparing
        self.top = 0
        self.used = 0
        self._free: dict[int, _Pool] = {}  # by colour

    def give(self, segment: Segment) -> None:
        """Add a free segment."""
        self.top = max(self.top, segment.end)
        self._free.setdefault(segment.colour, _Pool()).add(segment)

    def take(self, size: int, colours: Iterable[int], sift: Sift) -> tuple[int, tuple[int, ...]]:
        """Allocate `size` bytes; return their offset and the tasks to wait for. `sift` returns the
        segments that may be used at once, and those that need a wait."""
        free, late = sift(self._candidates(size, colours))
        run = _smallest(_runs(free), size)
        if run is None:
            runs = _runs(free + late)
            run = _smallest(runs, size) or self._grow(runs, size)
        if self.sparing and run.end - run.start > self.sparing * size:
            run = self._grow([], size)
        high = run.start > 0 and run.end == self.top
        start = run.end - size if high else run.start
        return start, self._cut(run, start, start + size)

    def _candidates(self, size: int, colours: Iterable[int]) -> list[Segment]:
        segments: list[Segment] = []
        for colour in (NOBODY, *colours):
            pool = self._free.get(colour)
            if pool is not None and len(segments) < LOOKED_AT:
                segments += pool.choice(size)
        return segments

    def _grow(self, runs: list[_Run], size: int) -> _Run:
        """Return the run at the top of the arena, or a new one, extended to `size`."""
        run = runs[-1] if runs and runs[-1].end == self.top else _Run(self.top, self.top, [])
        self.top = run.end = run.start + size
        return run

    def _cut(self, run: _Run, start: int, end: int) -> tuple[int, ...]:
        """Remove [start, end) from a run; the rest of its segments stays free."""
        self.used = max(self.used, end)
        ends: set[int] = set()
        for segment in run.segments:
            if segment.end <= start or segment.start >= end:
                continue
            ends.update(segment.ends)
            self._free[segment.colour].remove(segment)
            for low, high in ((segment.start, start), (end, segment.end)):
                if low < high:
                    self.give(replace(segment, start=low, size=high - low))
        return tuple(sorted(ends))


class _Pool:
    """The free segments of a colour, in order of age and by size."""

    def __init__(self) -> None:
        self.segments: dict[int, Segment] = {}  # by start
        self.sizes: list[tuple[int, int]] = []  # (size, start)

    def add(self, segment: Segment) -> None:
        self.segments[segment.start] = segment
        bisect.insort(self.sizes, (segment.size, segment.start))

    def remove(self, segment: Segment) -> None:
        del self.segments[segment.start]
        del self.sizes[bisect.bisect_left(self.sizes, (segment.size, segment.start))]

    def choice(self, size: int) -> Iterable[Segment]:
        """Return all segments, or the best candidates of many."""
        segments = self.segments
        if len(segments) <= LOOKED_AT:
            return segments.values()
        low = bisect.bisect_left(self.sizes, (size, 0))
        quarter = LOOKED_AT // 4
        starts = [start for _, start in self.sizes[low : low + 2 * quarter]]
        starts += itertools.islice(segments, quarter)
        starts += itertools.islice(reversed(segments), quarter)
        return [segments[start] for start in dict.fromkeys(starts)]


def _runs(segments: list[Segment]) -> list[_Run]:
    """Return adjacent segments joined into runs, by offset."""
    segments.sort(key=lambda segment: segment.start)
    runs: list[_Run] = []
    for segment in segments:
        if runs and runs[-1].end == segment.start:
            runs[-1].end = segment.end
            runs[-1].segments.append(segment)
        else:
            runs.append(_Run(segment.start, segment.end, [segment]))
    return runs


def _smallest(runs: list[_Run], size: int) -> _Run | None:
    """Return the smallest run of at least `size` bytes (the lowest of equal ones), or None."""
    fitting = [run for run in runs if run.end - run.start >= size]
    return min(fitting, key=lambda run: run.end - run.start, default=None)
