"""Mark tasks that may write around the caches: their results are not read while still cached.

The lookup of the kernel, which knows sizes and layouts, decides whether a task does so.
"""

import itertools
from bisect import bisect_right

from nbgraph.graph.passes.lifetimes import homes
from nbgraph.graph.schedule import Schedule, Value
from nbgraph.operator.request import OpReqType


def mark(schedule: Schedule, least: int, room: int) -> int:
    """Set `once` of tasks that overwrite at least `least` bytes which are not read until tasks have
    touched `room` bytes in list order; return the number of these tasks. Run this after
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
        # its outputs do not share memory with its inputs
        own = all(value.shared is None and value not in task.reads for value in task.writes)
        asked = {*task.requests[: len(task.writes)]}
        task.once = wide[k] and far and own and asked == {OpReqType.kWriteTo}
    return sum(task.once for task in tasks)


def _next(places: list[int] | tuple[()], k: int) -> int | None:
    """Return the first of the sorted `places` after k, or None."""
    at = bisect_right(places, k)
    return places[at] if at < len(places) else None
