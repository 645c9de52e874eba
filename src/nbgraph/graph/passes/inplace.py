"""In-place results (kWriteInplace) and in-place sums (kAddTo).

Both passes are optional: without them every result has its own memory, and the same bits. They use
the dependency order and not the order of the list, so their decisions hold for any number of
workers. The reason of each refusal is a line in the value's `note`.
"""

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
    """Let results share the memory of operands where tasks allow it; return how many do.

    The result w of a task shares the memory of its operand r if r belongs to the run, both have
    equal sizes, w is first written there and completely, and every other task that touches the
    memory of r is an ancestor of the task. If w has given memory, r is computed there instead, as
    its old content is not read. Preserves every value that is still read.
    """
    return _Takeover(schedule).run()


class _Takeover:
    def __init__(self, schedule: Schedule) -> None:
        self.tasks = schedule.tasks
        self.home = homes(schedule.values)
        self.family: dict[Value, list[Value]] = {}  # home -> the values that share it
        for value, home in self.home.items():
            self.family.setdefault(home, []).append(value)
        self.reach: Reach = reach(predecessors(self.tasks))
        # Home -> the tasks that touch it. After memory is taken over at task k, those before k are
        # ancestors of k and need no further check.
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
        """Give both values one home: the operand's, or that of a result in given memory."""
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
        """Return why output j of task k may not overwrite operand i; empty if it may."""
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

_LOOKED_AT = 8  # budget of moves: tasks to examine for each task of the schedule


def accumulate(schedule: Schedule) -> int:
    """Replace sums by additions in place; return how many.

    For z = x + y, where y has no other use, the task that writes y adds to x instead, which becomes
    z; all other uses of x must come before. One of x and z remains (z if its memory is given); the
    other and y share its memory, and no task names them. Preserves the bits of the remaining
    values, as x + y equals y + x. Tasks are moved in the list where necessary.
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
        # Value -> tasks that represent all that touch it: the last adding writer follows all
        # earlier ones.
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
        """Replace a sum if possible; return whether it was."""
        (x, y), z = total.reads, total.writes[0]
        if total.requests[0] is not kWriteTo or len({v.nbytes for v in (x, y, z)}) > 1:
            return False
        if any(value.shared is not None for value in (x, y, z)) or self.writers[z] != [total]:
            return False
        # z will be written earlier: no task may use the old content of its memory
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
        """Return how y's task adds to x, or None if the values do not allow it."""
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
        """Move the adder after all tasks that touch x or that the sum has to follow; return whether
        that was possible."""
        x = case.x
        touching = self.latest.get(x) or [*self.writers[x], *self.readers[x]]
        first = {task for task in touching if task is not case.total}
        first.update(t for t in case.total.after if t in self.at and t is not case.adder)
        late = max(self.at[task] for task in first)
        return late < self.at[case.adder] or self.postpone(case.adder, late, first)

    def postpone(self, task: Task, until: int, first: set[Task]) -> bool:
        """Move a task and its dependents after index `until` unless one of them is in `first`."""
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
        """Transfer the ordering constraints of the sum to the adder."""
        follows = dict.fromkeys((*adder.after, *total.after))
        adder.after = tuple(task for task in follows if task is not adder)
        for other in total.after:
            self.followers.setdefault(other, []).append(adder)
        for task in self.followers.get(total, ()):
            task.after = tuple(adder if other is total else other for other in task.after)
            self.followers.setdefault(adder, []).append(task)


class _Behind:
    """A task and the later tasks in the list that have to stay after it."""

    def __init__(self, task: Task) -> None:
        self.tasks: list[Task] = []
        self._set: set[Task] = {task}
        self._reads: set[Value] = set()
        self._writes: set[Value] = set()

    def joins(self, task: Task) -> bool:
        """Return whether a task has to stay after it; then its dependents have to as well."""
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
