"""Lifetimes of memory: the tasks that touch it, and the peak of memory in use.

Values that share memory have one *home*: the value at the end of the chain of `shared`. A home
without given memory has one life: from the first task that touches any value there to the last.
Pinned values live from the start of the run, values that last live to its end.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from nbgraph.graph.schedule import Schedule, Value

ALIGNMENT = 64  # bytes: a cache line, and the widest vector register
GAP = 64  # bytes between neighbours: arrays back to back cost the loops over them their speed


def footprint(nbytes: int) -> int:
    """Bytes that a value takes in the arena: whole cache lines, and a gap behind them.

    >>> footprint(0), footprint(1), footprint(64), footprint(65)
    (64, 128, 128, 192)
    """
    return -(-nbytes // ALIGNMENT) * ALIGNMENT + GAP


@dataclass(slots=True, eq=False, repr=False)
class Life:
    """The life of a home. `touched`: its tasks in order, each once; `written`: those that write.
    `lasts`: whether any value there lasts. `whole`: whether one worker alone runs some task."""

    home: Value
    size: int  # its footprint: of the largest value there
    touched: list[int] = field(default_factory=list[int])
    written: list[int] = field(default_factory=list[int])
    lasts: bool = False
    whole: bool = False

    @property
    def pinned(self) -> int | None:
        """The offset of memory that has a value when the run begins, else None."""
        return self.home.pinned

    def span(self, count: int) -> tuple[int, int]:
        """Return the first and the last of `count` tasks of its life."""
        first = 0 if self.pinned is not None else self.touched[0]
        return first, count - 1 if self.lasts else self.touched[-1]


def homes(values: Sequence[Value]) -> dict[Value, Value]:
    """Return the home of each value."""
    home_of: dict[Value, Value] = {}
    for value in values:
        path: list[Value] = []
        while value not in home_of and value.shared is not None:
            path.append(value)
            value = value.shared
        home = home_of.setdefault(value, value)
        for passed in path:
            home_of[passed] = home
    return home_of


def lives(schedule: Schedule) -> list[Life]:
    """Return the lives of memory that is not given, by first task."""
    home = homes(schedule.values)
    lives: dict[Value, Life] = {}
    for k, task in enumerate(schedule.tasks):
        for value in task.reads:
            _touch(lives, home[value], value, k, task.whole)
        for value in task.writes:
            life = _touch(lives, home[value], value, k, task.whole)
            if life is not None and (not life.written or life.written[-1] != k):
                life.written.append(k)
    return list(lives.values())


def _touch(
    lives: dict[Value, Life], home: Value, value: Value, task: int, whole: bool
) -> Life | None:
    if home.external:
        return None
    life = lives.get(home)
    if life is None:
        life = lives[home] = Life(home, footprint(home.nbytes))
    life.lasts, life.whole = life.lasts or value.lasts, life.whole or whole
    if not life.touched or life.touched[-1] != task:
        life.touched.append(task)
    life.size = max(life.size, footprint(value.nbytes))
    return life


def by_task(places: Sequence[Life], count: int, which: int) -> list[list[Life]]:
    """Return for each task the lives that begin (`which` = 0) or end (-1) with it."""
    lives: list[list[Life]] = [[] for _ in range(count)]
    for life in places:
        if not (life.lasts if which else life.pinned is not None):
            lives[life.touched[which]].append(life)
    return lives


def peak_of(places: Sequence[Life], count: int) -> int:
    """Return the peak of bytes in use, counted in footprints, when `count` tasks run in list order
    and memory is freed by its last task.

    >>> from nbgraph.graph.schedule import Task
    >>> a, b, c = (Value(name, 64) for name in "abc")
    >>> tasks = [Task("A", (), (a,)), Task("B", (a,), (b,)), Task("C", (b,), (c,))]
    >>> peak_of(lives(Schedule(tasks, [a, b, c])), 3) == 2 * footprint(64)
    True
    """
    change = [0] * (count + 1)
    for life in places:
        first, last = life.span(count)
        change[first] += life.size
        change[last + 1] -= life.size
    most = now = 0
    for step in change:
        now += step
        most = max(most, now)
    return most
