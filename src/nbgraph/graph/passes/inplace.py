"""Which results take the memory of operands, and which sums are added up where a part of them is.

Both passes only suggest (kWriteInplace, kAddTo); without them every result has memory of its own,
and the same bits. Both rest on the order of dependency, not on the order of the list, so what they
decide holds for any number of workers. Each refusal is a line of the value's `note`.
"""

from __future__ import annotations

from dataclasses import dataclass

from nbgraph.graph.passes.lifetimes import homes
from nbgraph.graph.passes.reach import Reach, reach
from nbgraph.graph.schedule import Schedule, Task, Value, predecessors
from nbgraph.operator.request import OpReqType

kWriteTo, kWriteInplace, kAddTo = OpReqType.kWriteTo, OpReqType.kWriteInplace, OpReqType.kAddTo


def note(value: Value, line: str) -> None:
    """Add a line to a value's note, each line once."""
    lines = value.note.split("\n") if value.note else []
    if line not in lines:
        value.note = "\n".join([*lines, line])


# ------------------------------------------------------------------------------- in place


def take_over(schedule: Schedule) -> int:
    """Let results take the memory of operands where tasks have the right to; how many do.

    The result w of a task takes the memory of its operand r when r belongs to the run, both have
    one size, w is written there first and whole, and every other task that touches the memory of r
    is an ancestor of the task. Where w is given, r is computed in its memory instead: nobody needs
    what
    is there before w. Preserves every value that is still read.
    """
    return _Takeover(schedule).run()


class _Takeover:
    def __init__(self, schedule: Schedule) -> None:
        self.tasks = schedule.tasks
        self.home = homes(schedule.values)
        self.family: dict[Value, list[Value]] = {}  # per home the values that are there
        for value, home in self.home.items():
            self.family.setdefault(home, []).append(value)
        self.reach: Reach = reach(predecessors(self.tasks))
        # Per home the tasks that touch it. Once memory is taken over at task k, those before k
        # are ancestors of k and need not be looked at again.
        self.touched: dict[Value, list[int]] = {}
        for k, task in enumerate(self.tasks):
            for value in (*task.reads, *task.writes):
                places = self.touched.setdefault(self.home[value], [])
                if not places or places[-1] != k:
                    places.append(k)

    def run(self) -> int:
        count = 0
        for k, task in enumerate(self.tasks):
            self.reach.enter(k)
            for i, j in task.rights:
                read, write = task.reads[i], task.writes[j]
                if write.shared is not None or task.requests[j] is not kWriteTo:
                    continue
                why = self.obstacle(k, task, i, j)
                if why:
                    note(write, f"not over {read.name}: {why}")
                    continue
                task.requests[j] = kWriteInplace
                self.unite(read, write)
                count += 1
        return count

    def unite(self, read: Value, write: Value) -> None:
        """Give both one home: the operand's, or that of a result of the caller."""
        home, touched = self.home[read], self.touched.pop(write)
        if write.external:
            self.touched.pop(home)
            home.shared, gone, home = write, home, write
            note(read, f"in the memory of {write.name}")
        else:
            write.shared, gone = read, write
            home.lasts = write.lasts
            note(write, f"over {read.name}")
        self.touched[home] = touched
        moved = self.family.pop(gone)
        self.family[home] += moved
        self.home.update(dict.fromkeys(moved, home))

    def obstacle(self, k: int, task: Task, i: int, j: int) -> str:
        """Why output j of task k may not be written over operand i; empty if it may."""
        read, write = task.reads[i], task.writes[j]
        home = self.home[read]
        if home.external or home.lasts:
            return f"{read.name} is {'given' if home.external else 'kept to the end'}"
        if write.external and home.pinned is not None:
            return f"{write.name} is given, {read.name} is there when the run begins"
        if read.nbytes != write.nbytes:
            return f"sizes differ ({read.nbytes} and {write.nbytes} bytes)"
        if self.touched[write][0] != k or write in task.reads:
            return f"{write.name} is in use before {task.name}"
        for other, value in enumerate(task.writes):
            if other != j and self.home[value] is home:
                return f"{value.name} of the same task takes it"
        for other, value in enumerate(task.reads):
            if self.home[value] is home and (other, j) not in task.rights:
                return f"{task.name} reads it as operand {other}, too, and not element by element"
        touched = self.touched[home]
        if touched[-1] > k:
            return f"{self.tasks[touched[-1]].name} may still need it"
        for other in touched:
            if other != k and not self.reach.after(other):
                return f"{self.tasks[other].name} may still need it"
        return ""


# ------------------------------------------------------------------------------- sums

_LOOKED_AT = 8  # tasks looked at to move others, for each task of the schedule


def accumulate(schedule: Schedule) -> int:
    """Add parts of sums where the other part is; how many sums vanish.

    Of z = x + y, where y has no other use, the task that writes y adds to x instead, which is z
    then: x must be complete and otherwise used up before. Of x and z one is left (z if it is
    given); the other and y share its memory, and no task names them. Preserves the bits of every
    value that is left, as x + y and y + x have the same. Tasks move in the list where they have to.
    """
    sums = _Sums(schedule)
    count = sum(sums.fold(task) for task in list(schedule.tasks) if task.is_sum)
    schedule.tasks = [task for task in sums.tasks if task is not None]
    return count


@dataclass(slots=True, eq=False, repr=False)
class _Sum:
    """z = x + y by the task `total`; y comes from output `j` of `adder`."""

    total: Task
    x: Value
    y: Value
    z: Value
    adder: Task
    j: int


class _Sums:
    def __init__(self, schedule: Schedule) -> None:
        self.tasks: list[Task | None] = list(schedule.tasks)  # None: vanished
        self.at = {task: k for k, task in enumerate(schedule.tasks)}
        self.readers: dict[Value, dict[Task, None]] = {value: {} for value in schedule.values}
        self.writers: dict[Value, list[Task]] = {value: [] for value in schedule.values}
        # Per value the tasks that stand for all that touch it: the last writer that adds comes
        # after every earlier one.
        self.latest: dict[Value, list[Task]] = {}
        self.followers: dict[Task, list[Task]] = {}
        self.budget = _LOOKED_AT * len(schedule.tasks)
        for task in schedule.tasks:
            for value in task.reads:
                self.readers[value][task] = None
            for value in dict.fromkeys(task.writes):
                self.writers[value].append(task)
            for other in task.after:
                self.followers.setdefault(other, []).append(task)

    def fold(self, total: Task) -> bool:
        """Let a sum vanish if it may."""
        (x, y), z = total.reads, total.writes[0]
        if total.requests[0] is not kWriteTo or len({v.nbytes for v in (x, y, z)}) > 1:
            return False
        if any(value.shared is not None for value in (x, y, z)) or self.writers[z] != [total]:
            return False
        # z will be written earlier than now: nobody may use what was there before.
        if any(self.at[reader] <= self.at[total] for reader in self.readers[z]):
            return False
        cases = [case for case in (self.case(total, x, y), self.case(total, y, x)) if case]
        cases.sort(key=lambda case: -self.at[case.adder])  # the later one adds without a move
        for case in cases:
            if self.in_time(case):
                self.merge(case)
                return True
        return False

    def case(self, total: Task, x: Value, y: Value) -> _Sum | None:
        """Return how y's task adds to x, or None where it cannot as far as these values go."""
        if x.external or y.external or not self.writers[x] or len(self.readers[y]) != 1:
            return None
        if x.lasts or y.lasts:
            return None
        if len(self.writers[y]) != 1:
            return None
        adder = self.writers[y][0]
        j = adder.writes.index(y)
        if j not in adder.accumulates or adder.requests[j] is not kWriteTo:
            return None
        if x in adder.reads or x in adder.writes:
            return None
        return _Sum(total, x, y, total.writes[0], adder, j)

    def in_time(self, case: _Sum) -> bool:
        """Return whether all that touches x, and what the sum has to follow, comes before the
        adder; the adder is moved behind them if it can be."""
        x = case.x
        touching = self.latest.get(x) or [*self.writers[x], *self.readers[x]]
        first = {task for task in touching if task is not case.total}
        first.update(t for t in case.total.after if t in self.at and t is not case.adder)
        late = max(self.at[task] for task in first)
        return late < self.at[case.adder] or self.postpone(case.adder, late, first)

    def postpone(self, task: Task, until: int, first: set[Task]) -> bool:
        """Move a task and what depends on it behind place `until`, unless one of `first` does."""
        start = self.at[task]
        self.budget -= until - start
        if self.budget < 0:
            return False
        behind = _Behind(task)
        stay: list[Task | None] = []
        for other in self.tasks[start : until + 1]:
            if other is None or not behind.joins(other):
                stay.append(other)
            elif other in first:
                return False
        for place, other in enumerate([*stay, *behind.tasks], start):
            self.tasks[place] = other
            if other is not None:
                self.at[other] = place
        return True

    def merge(self, case: _Sum) -> None:
        total, x, y, z, adder = case.total, case.x, case.y, case.z, case.adder
        kept, gone = (z, x) if z.external or z.lasts else (x, z)
        for task in (*self.writers[gone], *self.readers[gone]):
            task.reads = tuple(kept if value is gone else value for value in task.reads)
            task.writes = tuple(kept if value is gone else value for value in task.writes)
        adder.writes = tuple(kept if value is y else value for value in adder.writes)
        adder.requests[case.j] = kAddTo
        self.latest[kept] = [adder, *self.readers[z]]
        self.writers[kept] = self.writers[x]
        self.writers[x].append(adder)
        self.readers[kept].update(self.readers[gone])
        self.follow(total, adder)
        gone.shared = y.shared = kept
        note(gone, f"the same as {kept.name}; {adder.name} adds there")
        note(y, f"{adder.name} adds it to {kept.name}")
        self.tasks[self.at.pop(total)] = None

    def follow(self, total: Task, adder: Task) -> None:
        """Let the adder follow what the sum had to follow, and what followed the sum follow it."""
        follows = dict.fromkeys((*adder.after, *total.after))
        adder.after = tuple(task for task in follows if task is not adder)
        for other in total.after:
            self.followers.setdefault(other, []).append(adder)
        for task in self.followers.get(total, ()):
            task.after = tuple(adder if other is total else other for other in task.after)
            self.followers.setdefault(adder, []).append(task)


class _Behind:
    """A task and those after it in the list that have to stay behind it."""

    def __init__(self, task: Task) -> None:
        self.tasks: list[Task] = []
        self._set: set[Task] = {task}  # it joins itself when it is met
        self._reads: set[Value] = set()
        self._writes: set[Value] = set()

    def joins(self, task: Task) -> bool:
        """Return whether it has to stay behind; then so must those that depend on it."""
        if (
            task in self._set
            or any(value in self._writes for value in task.reads)
            or any(value in self._writes or value in self._reads for value in task.writes)
            or any(other in self._set for other in task.after)
        ):
            self.tasks.append(task)
            self._set.add(task)
            self._reads.update(task.reads)
            self._writes.update(task.writes)
            return True
        return False
