"""Schedules at random, and a machine that runs them in any legal order with poisoned memory."""

import math

from nbgraph.graph.passes.lifetimes import lives, peak_of
from nbgraph.graph.schedule import Schedule, Task, Value, predecessors
from nbgraph.operator.request import OpReqType

LINE = 64  # bytes


def peak(schedule):
    """The most bytes in use at once when the tasks run in list order."""
    return peak_of(lives(schedule), len(schedule.tasks))


class Writer:
    """Schedules by hand: `b.task("C", reads=[x], nbytes=64)` gives the value C writes."""

    def __init__(self):
        self.schedule = Schedule([], [])

    def value(self, name, nbytes=64, *, external=False):
        value = Value(name, nbytes, external)
        self.schedule.values.append(value)
        return value

    def given(self, name, nbytes=64):
        return self.value(name, nbytes, external=True)

    def task(self, name, reads=(), nbytes=64, *, to=None, rights=(), **more):
        """A task with one output, of the task's name in small letters unless `to` is there."""
        written = to or self.value(name.lower(), nbytes)
        rights = tuple((place, 0) for place in rights)
        self.schedule.tasks.append(Task(name, tuple(reads), (written,), rights=rights, **more))
        return written

    def sum(self, name, x, y, *, to=None, **more):
        return self.task(
            name, (x, y), x.nbytes, to=to, rights=(0, 1), is_sum=True, accumulates=(0,), **more
        )

    def __getitem__(self, name):
        return next(task for task in self.schedule.tasks if task.name == name)


def random_schedule(rng, count, *, width=4, several_sizes=True):
    """`count` tasks that read some of the last `width` values or older ones, with all a lowering
    may write: rights, sums, tasks that accumulate, several outputs, given values, states that are
    read and then written, tasks that only follow others."""
    b = Writer()
    sizes = [0, 64, 100, 640, 1000] if several_sizes else [256]
    inputs = [b.given(f"input{k}", rng.choice(sizes)) for k in range(3)]
    state = b.given("state", 256)
    known = list(inputs)
    for k in range(count):
        kind = rng.random()
        recent = known[-width:]
        if kind < 0.3:
            x = rng.choice(recent)
            same = [value for value in known[-3 * width :] if value.nbytes == x.nbytes]
            y = rng.choice(same)
            to = b.given(f"result{k}", x.nbytes) if rng.random() < 0.1 else None
            known.append(b.sum(f"S{k}", x, y, to=to))
            continue
        reads = tuple(
            rng.choice(recent if rng.random() < 0.8 else known) for _ in range(rng.randrange(1, 4))
        )
        if kind < 0.37:  # a leaf of the order: nothing reads what it writes
            b.task(f"L{k}", reads, to=b.given(f"leaf{k}", 64))
            continue
        if kind < 0.4:
            b.task(f"U{k}", (*reads, state), to=state)
            continue
        nout = rng.choice([1, 1, 1, 2])
        size = rng.choice([reads[0].nbytes, reads[0].nbytes, rng.choice(sizes)])
        writes = tuple(b.value(f"v{k}.{j}", size) for j in range(nout))
        right = rng.random() < 0.7
        rights = tuple(
            (i, j)
            for j in range(nout)
            for i, read in enumerate(reads)
            if right and read.nbytes == size and rng.random() < 0.9
        )
        after = ()
        if b.schedule.tasks and rng.random() < 0.1:
            after = (rng.choice(b.schedule.tasks),)
        if rng.random() < 0.1:
            reads = (*reads, state)
        accumulates = tuple(range(nout)) if rng.random() < 0.7 else ()
        task = Task(f"T{k}", reads, writes, rights=rights, accumulates=accumulates, after=after)
        b.schedule.tasks.append(task)
        known += writes
    for k, value in enumerate(known[-3:]):
        rights = (0,) if rng.random() < 0.5 else ()
        b.task(f"R{k}", (value,), to=b.given(f"final{k}", value.nbytes), rights=rights)
    return b.schedule


def work(task, output, operands):
    """What a task computes: sums are sums, the rest is as good as random."""
    if task.is_sum:
        return operands[0] + operands[1]
    seed = float(int.from_bytes(f"{task.name}.{output}".encode(), "little") % 9973)
    return math.sin(seed + sum((k + 1.37) * x for k, x in enumerate(operands)))


class Machine:
    """Memory in cache lines. Tasks start and finish; what is being written is poison meanwhile,
    and what a task reads has to stay as it is until it finishes."""

    def __init__(self, schedule, offset=None):
        self.schedule = schedule
        self.offset = offset
        self.memory = {}
        for number, value in enumerate(schedule.values):
            if value.external:
                self.store(value, float(number + 1) / 7)

    def home(self, value):
        while value.shared is not None:
            value = value.shared
        return value

    def lines(self, value):
        """A zero-byte value has a line, too, so that it can be told from others."""
        home = self.home(value)
        count = max(1, -(-value.nbytes // LINE))
        if home.external or self.offset is None:
            return [(home, k) for k in range(count)]
        assert self.offset[value] == self.offset[home]
        return [self.offset[value] // LINE + k for k in range(count)]

    def store(self, value, content):
        for line in self.lines(value):
            self.memory[line] = content

    def load(self, value):
        found = {self.memory.get(line) for line in self.lines(value)}
        assert len(found) == 1, f"{value.name} was written over"
        content = found.pop()
        assert isinstance(content, float), f"{value.name} is in use by {content}"
        return content

    def start(self, task):
        operands = [self.load(value) for value in task.reads]
        results = []
        for j, value in enumerate(task.writes):
            result = work(task, j, operands)
            if task.requests[j] is OpReqType.kAddTo:
                result = self.load(value) + result
            results.append(result)
        poison = f"{task.name} at {id(results)}"
        for value in task.writes:
            self.store(value, poison)
        return operands, results, poison

    def finish(self, task, running):
        operands, results, poison = running
        written = {self.home(value): j for j, value in enumerate(task.writes)}
        for i, (value, content) in enumerate(zip(task.reads, operands)):
            j = written.get(self.home(value))
            if j is None:
                assert self.load(value) == content, f"{value.name} changed under {task.name}"
            else:  # in place: only where the task has the right to, or was written to do it
                assert (i, j) in task.rights or value is task.writes[j], f"{value.name} is overrun"
        for value, content in zip(task.writes, results):
            for line in self.lines(value):
                assert self.memory[line] == poison, f"{value.name} was written over"
            self.store(value, content)

    def run(self, rng, workers):
        """In an order of chance; some tasks are put off as long as possible. Gives the most tasks
        that ran at once."""
        tasks = self.schedule.tasks
        missing = predecessors(tasks)
        weight = [rng.random() for _ in tasks]
        running, waiting, most = {}, set(range(len(tasks))), 0
        while running or waiting:
            ready = [k for k in waiting if not missing[k]]
            if ready and len(running) < workers and (not running or rng.random() < 0.7):
                k = max(ready, key=weight.__getitem__)
                waiting.remove(k)
                running[k] = self.start(tasks[k])
                most = max(most, len(running))
                continue
            k = rng.choice(sorted(running))
            self.finish(tasks[k], running.pop(k))
            for others in missing:
                others.discard(k)
        return most

    def results(self):
        return {value.name: self.load(value) for value in self.schedule.values if value.external}


def expected(schedule):
    """Given values at the end when tasks run in list order and nothing is shared."""
    machine = Machine(schedule)
    for task in schedule.tasks:
        machine.finish(task, machine.start(task))
    return machine.results()


def ancestors(tasks):
    """The set of all ancestors of each task, by the definition."""
    found = []
    for others in predecessors(tasks):
        found.append(set(others).union(*(found[other] for other in others)))
    return found


def chain(sizes):
    """Each task reads what the one before has written; no rights."""
    b = Writer()
    last = b.given("input")
    for k, nbytes in enumerate(sizes):
        last = b.task(f"T{k}", (last,), nbytes)
    b.task("out", (last,), to=b.given("output"))
    return b.schedule


def network(layers, nbytes, *, training):
    """A net of alternating matrix products and activations, with its gradients."""
    b = Writer()
    data, weights = b.given("data", nbytes), [b.given(f"w{k}") for k in range(layers)]
    inputs, sums, last = [], [], data
    for k in range(layers):
        inputs.append(last)
        sums.append(b.task(f"matmul{k}", (last, weights[k]), nbytes))
        last = b.task(f"tanh{k}", (sums[-1],), nbytes, rights=(0,))
    if not training:
        b.task("loss", (last,), to=b.given("result"))
        return b.schedule
    flow = b.task("loss", (last,), nbytes)
    for k in reversed(range(layers)):
        after = inputs[k + 1] if k + 1 < layers else last
        flow = b.task(f"tanh_back{k}", (flow, after), nbytes, rights=(0, 1))
        b.task(f"dw{k}", (inputs[k], flow), to=b.given(f"dw{k}"))
        if k:
            flow = b.task(f"dx{k}", (flow, weights[k]), nbytes)
    return b.schedule


def fan_out(branches, nbytes=256):
    """Gradients of one input used `branches` times, added up from the left."""
    b = Writer()
    head = b.given("head", nbytes)
    flows = [b.task(f"G{k}", (head,), nbytes, accumulates=(0,)) for k in range(branches)]
    total = flows[0]
    for k, flow in enumerate(flows[1:], 1):
        last = k == branches - 1
        total = b.sum(f"S{k}", total, flow, to=b.given("gradient", nbytes) if last else None)
    return b
