"""Where values live: offsets in one arena, planned once, shared by values that never meet.

Model
-----
*Lives.* Values that share memory (`Value.shared`) have one home, and the home one life: the tasks
that touch it. Homes that are given have their place; all others get an offset.

*Order.* Tasks are placed in list order, but what is decided rests on the dependency order alone
(`predecessors`): any number of workers may run the tasks, in any order that it allows.

*States of a byte of the arena*, while tasks are placed one after another:

    fresh --taken--> in use by a life --last toucher placed--> free, guarded by its touchers
                           ^                                        |
                           +------ all guards are ancestors --------+

*Invariants.*
1. A life gets bytes at its first task, all of whose guards are ancestors of that task. So tasks
   that touched the bytes before have ended when they are written again.
2. A task that touches a life is its first task or a descendant of it (it reads what was written
   there, or writes behind its readers). So the guards of the last owner stand for those of all
   owners.
3. Lives in use at once are disjoint, and `GAP` bytes at least lie between them.

*Waits.* A task nothing depends on (it writes only what is given: a gradient, a result) would keep
what it reads from ever being used again, as it is nobody's ancestor. Where nothing else fits, the
taker is made to wait for such readers: the reader is put into its `after`, and is an ancestor from
then on. The writers must be ancestors anyway, so branches that are independent never share, but
for the memory of `LARGE` values: a task that touches one keeps all workers busy by itself, so that
to
run branches one after another costs nothing, and a taker waits for any of these. Where one worker
does a task however long it takes, as a loop over steps, they do not share either.

Finding the best offsets is NP-hard. Three rules are tried, and the smallest arena is kept: the
arena begins with the bytes of the peak, and free memory is taken from its ends, which is optimal on
chains; or it begins empty; or that, and small values are kept out of the memory of large ones.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from nbgraph.errors import ArgumentError
from nbgraph.foreign import near
from nbgraph.graph.passes.arena import NOBODY, Arena, Segment
from nbgraph.graph.passes.lifetimes import Life, by_task, footprint, homes, lives, peak_of
from nbgraph.graph.passes.reach import EXACT, Reach, reach
from nbgraph.graph.passes.streaming import mark
from nbgraph.graph.schedule import Schedule, Task, Value, predecessors
from nbgraph.operator.scalar.map_call import threshold

if TYPE_CHECKING:
    from nbgraph.graph.passes.places import MemoryReport, Whereabouts

_SPARING = 64  # times as large as a value is a run out of which it is not cut
LARGE = 1 << 20  # bytes of a value whose tasks keep all workers busy by themselves


@dataclass(slots=True, eq=False, repr=False)
class MemoryPlan:
    """The place of every value of the run. Bytes are counted with alignment and gaps.

    `offset` has every value that some task touches and that is not given; in-place values have the
    offset of what they took over. `waits`: pairs of tasks, the first of which waits for the second
    though it reads nothing of it (it is in its `after`).
    """

    schedule: Schedule
    offset: dict[Value, int]
    arena_bytes: int
    naive_bytes: int  # every value its own
    peak_bytes: int  # in use at once when tasks run in list order: what no plan can go below
    waits: tuple[tuple[Task, Task], ...] = ()
    _names: dict[str, Value] = field(default_factory=dict[str, Value])

    def explain(self, name: str) -> Whereabouts:
        """Where a value lives, how long, with whom it shares memory, and why not in place.

        An unknown name raises ArgumentError.
        """
        from nbgraph.graph.passes.places import whereabouts

        if not self._names:
            self._names = {value.name: value for value in reversed(self.schedule.values)}
        if name not in self._names:
            hint = near(name, self._names)
            hint = hint and f"; {hint}"
            raise ArgumentError(f"memory plan: there is no value {name!r}{hint}")
        return whereabouts(self.schedule, self.offset, self._names[name])

    def __repr__(self) -> str:
        return (
            f"<memory plan: {len(self.offset)} values, {self.naive_bytes} bytes in "
            f"{self.arena_bytes}>"
        )

    def report(self) -> MemoryReport:
        """Return all values and the totals, as a table."""
        from nbgraph.graph.passes.places import report_of

        return report_of(
            self.schedule,
            self.offset,
            (self.naive_bytes, self.peak_bytes, self.arena_bytes),
            tuple((task.name, other.name) for task, other in self.waits),
        )


def plan(schedule: Schedule, *, share: bool = True, waits: bool = True) -> MemoryPlan:
    """Offsets in one arena for all values that are not given.

    Run it last: after `accumulate`, `take_over` and `order`. With `share=False` nothing but values
    in place share memory. With `waits` tasks may be given others to run `after` (see the model);
    the caller that pushes the tasks has to ask for `predecessors` once more. Tasks learn whether
    what they
    write may go past the caches (`Task.once`).

    >>> a, b, c = (Value(name, 1000) for name in "abc")
    >>> tasks = [Task("A", (), (a,)), Task("B", (a,), (b,)), Task("C", (b,), (c,))]
    >>> found = plan(Schedule(tasks, [a, b, c]))
    >>> found.offset[a] == found.offset[c], found.naive_bytes, found.arena_bytes
    (True, 3264, 2176)
    """
    places = lives(schedule)
    most = peak_of(places, len(schedule.tasks))
    placement = _best(schedule, places, most, waits=waits) if share else _apart(places)
    pairs = tuple((schedule.tasks[k], schedule.tasks[end]) for k, end in placement.waits)
    for task, end in pairs:
        task.after = (*task.after, end)
    home = homes(schedule.values)
    mark(schedule, threshold(), 2 * threshold())
    return MemoryPlan(
        schedule,
        offset={
            v: placement.offset[home[v]] for v in schedule.values if home[v] in placement.offset
        },
        arena_bytes=placement.size,
        naive_bytes=sum(footprint(value.nbytes) for value in schedule.values if not value.external),
        peak_bytes=most,
        waits=pairs,
    )


def fits(schedule: Schedule, limit: int) -> bool:
    """Return whether the arena of a plan has at most `limit` bytes. Changes nothing.

    >>> a = Value("a", 1000)
    >>> fits(Schedule([Task("A", (), (a,))], [a]), 1088), footprint(1000)
    (True, 1088)
    """
    places = lives(schedule)
    most = peak_of(places, len(schedule.tasks))
    return most <= limit and _best(schedule, places, most, waits=True).size <= limit


@dataclass(slots=True, eq=False, repr=False)
class _Placement:
    offset: dict[Value, int]  # of homes
    size: int
    waits: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])


def _apart(places: Sequence[Life]) -> _Placement:
    placement = _Placement({}, 0)
    for life in sorted(places, key=lambda life: life.pinned is None):
        start = placement.size if life.pinned is None else life.pinned
        placement.offset[life.home] = start
        placement.size = max(placement.size, start + life.size)
    return placement


def _best(schedule: Schedule, places: Sequence[Life], most: int, *, waits: bool) -> _Placement:
    before = predecessors(schedule.tasks)
    ends = _ends(schedule.tasks, before) if waits else [False] * len(before)
    best = _Placer(places, before, ends, most).run()
    for sparing in (0, _SPARING):
        if best.size > most and len(before) <= EXACT:
            other = _Placer(places, before, ends, 0, sparing).run()
            best = min(best, other, key=lambda placement: placement.size)
    return best


def _ends(tasks: Sequence[Task], before: Sequence[set[int]]) -> list[bool]:
    """Which tasks nothing depends on."""
    free = [True] * len(tasks)
    for others in before:
        for other in others:
            free[other] = False
    return free


class _Placer:
    """One way through the list."""

    def __init__(
        self,
        places: Sequence[Life],
        before: list[set[int]],
        ends: list[bool],
        capacity: int,
        sparing: int = 0,
    ) -> None:
        count = len(before)
        self.first, self.last = by_task(places, count, 0), by_task(places, count, -1)
        self.reach: Reach = reach(before)
        self.ends = ends
        self.arena = Arena(sparing)
        self.placement = _Placement({}, 0)
        # lives that are there from the start; what lies between and behind them is not free
        pinned = [life for life in places if life.pinned is not None]
        none, end = self.reach.guard(()), 0
        for life in sorted(pinned, key=lambda life: life.pinned or 0):
            start = self.placement.offset[life.home] = life.pinned or 0
            if start > end:
                self.arena.give(Segment(end, start - end, NOBODY, none, none, ()))
            end = self.arena.used = self.arena.top = start + life.size
        if capacity > end:
            self.arena.give(Segment(end, capacity - end, NOBODY, none, none, ()))

    def run(self) -> _Placement:
        for k, begun in enumerate(self.first):
            self.reach.enter(k)
            for life in sorted(begun, key=lambda life: -life.size):
                start, ends = self.arena.take(life.size, self.reach.colours(), self.reach.sift)
                self.placement.offset[life.home] = start
                self.wait(k, ends)
            for life in self.last[k]:
                self.arena.give(self.segment(life))
        self.placement.size = self.arena.used
        return self.placement

    def wait(self, k: int, ends: Sequence[int]) -> None:
        for end in ends:
            if not self.reach.after(end):
                self.reach.wait(end)
                self.placement.waits.append((k, end))

    def segment(self, life: Life) -> Segment:
        """Return a life's memory when its last toucher has been placed."""
        guard = self.reach.guard
        large = life.size >= LARGE and not life.whole
        ends = tuple(k for k in life.touched if large or (self.ends[k] and k not in life.written))
        return Segment(
            self.placement.offset[life.home],
            life.size,
            self.reach.colour(life.written[-1] if life.written else life.touched[0]),
            guard=guard(life.touched),
            firm=guard(() if large else (k for k in life.touched if k not in ends)),
            ends=ends,
        )


def order(schedule: Schedule) -> bool:
    """Reorder the tasks if that lowers the peak of memory in list order; whether it did.

    Of the tasks that could run next, the one goes first that allocates least beyond what it frees;
    among equals the list's order stays. Preserves the order of any two tasks of which one has to
    wait for the other.
    """
    tasks = schedule.tasks
    before, places = predecessors(tasks), lives(schedule)
    placement = _Greedy(before, places).run()
    schedule.tasks = [tasks[k] for k in placement]
    if peak_of(lives(schedule), len(tasks)) < peak_of(places, len(tasks)):
        return True
    schedule.tasks = tasks
    return False


class _Greedy:
    def __init__(self, before: Sequence[set[int]], places: Sequence[Life]) -> None:
        count = len(before)
        self.missing = [len(others) for others in before]
        self.successors: list[list[int]] = [[] for _ in range(count)]
        for k, others in enumerate(before):
            for other in others:
                self.successors[other].append(k)
        self.places = places
        self.touches: list[list[int]] = [[] for _ in range(count)]  # places by number
        for p, life in enumerate(places):
            for k in life.touched:
                self.touches[k].append(p)
        self.left = [len(life.touched) for life in places]  # tasks that are yet to touch it
        self.cost: list[int | None] = [None] * count  # of tasks that could run
        self.ready: list[tuple[int, int]] = []  # may hold costs that have changed since

    def run(self) -> list[int]:
        done: list[int] = []
        for k, missing in enumerate(self.missing):
            if not missing:
                self.offer(k)
        while self.ready:
            cost, k = heapq.heappop(self.ready)
            if self.cost[k] != cost:
                continue
            self.cost[k] = None
            self.missing[k] = -1
            done.append(k)
            self.finish(k)
        return done

    def finish(self, k: int) -> None:
        for p in self.touches[k]:
            self.left[p] -= 1
            if self.left[p] == 1:  # its last toucher frees it: that one has become cheaper
                last = next(t for t in self.places[p].touched if self.missing[t] >= 0)
                if self.cost[last] is not None:
                    self.offer(last)
        for other in self.successors[k]:
            self.missing[other] -= 1
            if not self.missing[other]:
                self.offer(other)

    def offer(self, k: int) -> None:
        cost = 0
        for p in self.touches[k]:
            life = self.places[p]
            begins = self.left[p] == len(life.touched) and life.pinned is None
            cost += life.size * begins
            cost -= life.size * (self.left[p] == 1 and not life.lasts)
        self.cost[k] = cost
        heapq.heappush(self.ready, (cost, k))
