"""Reachability of tasks: which tasks must have ended before another one starts.

Tasks are entered in list order, which is topological, so ancestors of a task are entered before
it. The *current* task is the last one entered, and queries ask whether earlier tasks are its
ancestors. "No" may mean "not known"; "yes" is always right.

*Exact*: each task has the set of its ancestors as the bits of an integer. Memory grows with the
square of the number of tasks: 16 MiB at `EXACT` tasks.

*Chains*: paths of the dependency order cover the tasks greedily. On a path, earlier tasks are
ancestors. For each of the `TRACKED` longest paths each task keeps the last position on it that is
an ancestor. Of tasks on other paths only direct predecessors are known.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from nbgraph.graph.passes.arena import Segment

EXACT = 1 << 14  # tasks
TRACKED = 64  # paths

EVERY = (0,)


class Exact:
    """Ancestors of the current task, as sets of bits.

    A guard is a set of tasks in the form for fast queries. A colour is a class of tasks; known
    ancestors have one of `colours()`.
    """

    def __init__(self, before: Sequence[set[int]]) -> None:
        self.before = before
        self._sets: list[int] = []  # ancestors of each task, including itself
        self._others = 0  # bits of tasks that are not ancestors of the current task

    def enter(self, task: int) -> None:
        """Make the next task in list order the current one."""
        sets = self._sets
        bits = 0
        for other in self.before[task]:
            bits |= sets[other]
        sets.append(bits | 1 << task)
        self._others = bits ^ (2 << task) - 1

    def after(self, task: int) -> bool:
        """Return whether a task is an ancestor of the current one."""
        return not self._others >> task & 1

    def guard(self, tasks: Iterable[int]) -> int:
        """Return tasks as a guard."""
        bits = 0
        for task in tasks:
            bits |= 1 << task
        return bits

    def sift(self, guarded: Sequence[Segment]) -> tuple[list[Segment], list[Segment]]:
        """Return the segments whose guards are all ancestors of the current task, and those of
        which only the firm guards are, so that the task may wait for `ends`."""
        others = self._others
        return (
            [one for one in guarded if not one.guard & others],
            [one for one in guarded if one.ends and one.guard & others and not one.firm & others],
        )

    def wait(self, task: int) -> None:
        """Make an earlier task an ancestor of the current one."""
        self._sets[-1] |= self._sets[task]
        self._others &= ~self._sets[task]

    def colour(self, task: int) -> int:
        """Return the colour of a task: one for all."""
        return 0

    def colours(self) -> Iterable[int]:
        """Return the colours of ancestors of the current task."""
        return EVERY


class Chains:
    """The last ancestor on each of the longest paths; see `Exact`."""

    def __init__(self, before: Sequence[set[int]], tracked: int = TRACKED) -> None:
        self.before = before
        self.chain, self.place, lengths = cover(before)
        longest = sorted(range(len(lengths)), key=lambda c: (-lengths[c], c))[:tracked]
        self._column = {chain: k for k, chain in enumerate(longest)}
        self._last = np.full((len(before), len(longest)), -1, np.int32)  # each with the task itself
        self._current = 0
        self._row: list[int] = []  # of the current task
        self._near: set[int] = set()  # its direct predecessors

    def enter(self, task: int) -> None:
        """See Exact."""
        self._current, self._near = task, self.before[task]
        self._note(self._near)

    def _note(self, more: Iterable[int]) -> None:
        task = self._current
        row = self._last[task]
        for other in more:
            np.maximum(row, self._last[other], out=row)
        self._row = row.tolist()
        column = self._column.get(self.chain[task])
        if column is not None:
            row[column] = self.place[task]

    def after(self, task: int) -> bool:
        """See Exact."""
        chain = self.chain[task]
        if chain == self.chain[self._current]:
            return task < self._current
        column = self._column.get(chain)
        if column is not None and self._row[column] >= self.place[task]:
            return True
        return task in self._near

    def guard(self, tasks: Iterable[int]) -> tuple[int, ...]:
        """Return tasks in descending order, as the latest is the least likely ancestor."""
        return tuple(sorted(tasks, reverse=True))

    def sift(self, guarded: Sequence[Segment]) -> tuple[list[Segment], list[Segment]]:
        """See Exact."""
        free: list[Segment] = []
        late: list[Segment] = []
        after = self.after
        for one in guarded:
            if all(map(after, one.guard)):
                free.append(one)
            elif one.ends and all(map(after, one.firm)):
                late.append(one)
        return free, late

    def wait(self, task: int) -> None:
        """See Exact."""
        self._near = self._near | {task}
        self._note((task,))

    def colour(self, task: int) -> int:
        """Return the path it is on."""
        return self.chain[task]

    def colours(self) -> Iterable[int]:
        """Return its own path, those of its direct predecessors, and the longest ones."""
        near = sorted(self.chain[task] for task in self._near)
        return dict.fromkeys((self.chain[self._current], *near, *self._column))


Reach = Exact | Chains


def reach(before: Sequence[set[int]], *, exact: int = EXACT) -> Reach:
    """From the predecessors of each task; sets of bits for up to `exact` tasks, else chains.

    >>> order = reach([set(), {0}, {0}, {1}])
    >>> for task in range(4):
    ...     order.enter(task)
    >>> order.after(1), order.after(2)
    (True, False)
    """
    return Exact(before) if len(before) <= exact else Chains(before)


def cover(before: Sequence[set[int]]) -> tuple[list[int], list[int], list[int]]:
    """Paths that hold each task once: its path, its place on it; and the lengths of the paths.

    A task goes on with the longest path that ends in one of its predecessors.

    >>> cover([set(), {0}, {0}, {1, 2}])
    ([0, 0, 1, 0], [0, 1, 0, 2], [3, 1])
    """
    chain: list[int] = []
    place: list[int] = []
    ends: list[int] = []  # the last task of each path
    for task, others in enumerate(before):
        open_ends = [other for other in others if ends[chain[other]] == other]
        if open_ends:
            tail = max(open_ends, key=lambda other: (place[other], -other))
            chain.append(chain[tail])
            place.append(place[tail] + 1)
            ends[chain[tail]] = task
        else:
            chain.append(len(ends))
            place.append(0)
            ends.append(task)
    return chain, place, [place[end] + 1 for end in ends]
