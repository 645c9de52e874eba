"""Which tasks may write past the caches: those whose results nobody reads while they are in one.

Whether a task does so is decided where its kernel is found, which sees sizes and layouts.
"""

import itertools
from bisect import bisect_right

from nbgraph.graph.passes.lifetimes import homes
from nbgraph.graph.schedule import Schedule, Value
from nbgraph.operator.request import OpReqType


def mark(schedule: Schedule, least: int, room: int) -> int:
    """Set `once` of tasks that write `least` bytes or more, all of them anew, which are not read
    before tasks have touched `room` bytes in list order; how many there are. Run it behind
    `take_over`.

    >>> from nbgraph.graph.schedule import Task
    >>> a, b, c = (Value(name, 100) for name in "abc")
    >>> tasks = [Task("A", (), (a,)), Task("B", (), (b,)), Task("C", (a, b), (c,))]
    >>> mark(Schedule(tasks, [a, b, c]), 100, 200), [task.once for task in tasks]
    (2, [True, False, True])
    """
    tasks = schedule.tasks
    wide = [sum(v.nbytes for v in task.writes) >= least > 0 for task in tasks]
    if not any(wide):
        return 0
    home = homes(schedule.values)
    sizes = [sum(v.nbytes for v in {home[v] for v in (*t.reads, *t.writes)}) for t in tasks]
    before = [0, *itertools.accumulate(sizes)]  # bytes touched by the tasks ahead of each
    readers: dict[Value, list[int]] = {}
    for k, task in enumerate(tasks):
        for value in task.reads:
            readers.setdefault(value, []).append(k)
    for k, task in enumerate(tasks):
        ends = [_next(readers.get(value, ()), k) for value in task.writes]
        far = all(end is None or before[end] - before[k] >= room for end in ends)
        # nothing that it writes is in the memory of what it reads
        own = all(value.shared is None and value not in task.reads for value in task.writes)
        asked = {*task.requests[: len(task.writes)]}
        task.once = wide[k] and far and own and asked == {OpReqType.kWriteTo}
    return sum(task.once for task in tasks)


def _next(places: list[int] | tuple[()], k: int) -> int | None:
    """Return the first place behind k."""
    at = bisect_right(places, k)
    return places[at] if at < len(places) else None
