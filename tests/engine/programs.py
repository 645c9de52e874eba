"""Random programs over the engine's interface, and what serial execution makes of them.

A program is a list of steps. `expect` executes it in push order by the rules of `failure.py`,
written a second time here; `tests.engine.execute` runs it on an engine; `mismatches` compares.
"""

import dataclasses
import random
from dataclasses import dataclass, field

# kinds of operation: a Python function, a kernel, a kernel over a range that may be cut, an
# asynchronous function whose on_complete comes at once, or later from another thread
PYTHON, KERNEL, RANGE, AT_ONCE, LATER = "python kernel range at-once later".split()
NESTING = "nesting"  # a Python function that pushes
WIDTH = 64  # elements of a range


@dataclass
class Op:
    """One push; `reads` and `writes` are numbers of variables."""

    number: int
    kind: str
    reads: list
    writes: list
    fails: bool = False
    no_skip: bool = False
    priority: int = 0
    nbytes: int = 0
    cost: int = 0
    queue: str = ""
    operator: int = -1  # which prepared operator it is a push of
    nested: list = field(default_factory=list)  # operations it pushes


@dataclass
class Push:
    op: Op


@dataclass
class Block:
    """`with bulk(size)` around pushes."""

    size: int
    ops: list


@dataclass
class Wait:
    """For a variable; for everything if it is None."""

    variable: int | None


@dataclass
class Result:
    """`Pending.result()` of an operation."""

    op: Op


@dataclass
class Delete:
    variable: int


@dataclass
class Program:
    steps: list
    ops: list
    variables: int  # how many; those that nested pushes use come after the others
    operators: list  # prepared: an Op each, whose kind and variables its pushes share


def make(rng, length, variables=6, failing=0.06):
    """A program of about `length` operations; `rng` is anything like `random.Random`."""
    return _Maker(rng, variables, failing).make(length)


class _Maker:
    def __init__(self, rng, variables, failing):
        self.rng, self.failing = rng, failing
        self.live = list(range(variables))
        self.count = variables
        self.ops, self.steps, self.operators = [], [], []
        self.nests = {}  # a variable -> the one that is used by what its writers push

    def make(self, length):
        for _ in range(self.rng.randint(0, 3)):
            kind = self.rng.choice([PYTHON, KERNEL])
            reads, writes = self.sets(1)
            self.operators.append(Op(-1, kind, reads, writes, cost=self.rng.choice([0, 500])))
        while len(self.ops) < length:
            self.steps.append(self.step())
        # nested pushes have variables of their own, whose order their pushers' order is
        return Program(self.steps, self.ops, self.count, self.operators)

    def step(self):
        rng = self.rng
        die = rng.randint(0, 99)
        if die < 3:
            return Wait(rng.choice(self.live))
        if die < 4:
            return Wait(None)
        if die < 6 and self.ops:
            return self.result()
        if die < 7:
            return self.delete()
        if die < 10:
            return Block(rng.randint(1, 5), [self.op() for _ in range(rng.randint(1, 8))])
        return Push(self.op())

    def op(self):
        rng = self.rng
        number = len(self.ops)
        usable = [
            i for i, o in enumerate(self.operators) if {*o.reads, *o.writes} <= set(self.live)
        ]
        if usable and rng.randint(0, 9) < 2:
            which = rng.choice(usable)
            shape = self.operators[which]
            op = dataclasses.replace(shape, number=number, operator=which, nested=[])
            op.fails = rng.random() < self.failing
            self.ops.append(op)
            return op
        kind = rng.choice([PYTHON, PYTHON, KERNEL, KERNEL, KERNEL, RANGE, AT_ONCE, LATER, NESTING])
        reads, writes = self.sets(1 if kind == NESTING else 0)
        op = Op(number, kind, reads, writes)
        self.ops.append(op)
        op.fails = rng.random() < self.failing
        op.no_skip = kind in (PYTHON, KERNEL) and rng.randint(0, 14) == 0
        op.priority = rng.choice([0, 0, 0, 5, -3])
        op.nbytes = rng.choice([0, 0, 4096])
        op.cost = rng.choice([0, 500, 50_000] if kind == KERNEL else [0, 500, 100_000])
        if kind == PYTHON and not op.no_skip:
            op.queue = rng.choice(["", "", "", "copy", "urgent"])
        if kind == NESTING:
            self.nest(op)
        return op

    def sets(self, least):
        rng = self.rng
        chosen = rng.sample(self.live, min(len(self.live), rng.randint(max(1, least), 4)))
        cut = rng.randint(0, len(chosen) - least)
        return chosen[:cut], chosen[cut:]

    def nest(self, op):
        first = min(op.writes)
        if first not in self.nests:
            self.nests[first] = self.count
            self.count += 1
        inner = self.nests[first]
        for _ in range(self.rng.randint(1, 3)):
            write = self.rng.random() < 0.5
            kind = self.rng.choice([PYTHON, KERNEL, LATER])
            child = Op(len(self.ops), kind, [] if write else [inner], [inner] if write else [])
            self.ops.append(child)
            op.nested.append(child)

    def result(self):
        """Of a kernel the failure on what it writes is told, so the last one is asked."""
        recent = [
            s.op
            for s in self.steps[-6:]
            if isinstance(s, Push) and s.op.kind not in (KERNEL, RANGE)
        ]
        last = self.steps[-1] if self.steps else None
        if isinstance(last, Push) and last.op.writes:
            recent.append(last.op)
        return Result(self.rng.choice(recent)) if recent else Wait(None)

    def delete(self):
        gone = self.rng.randrange(len(self.live))
        variable = self.live[gone]
        self.live[gone] = self.count
        self.count += 1
        return Delete(variable)


# ------------------------------------------------------------------ serial execution


@dataclass
class Failed:
    text: str
    order: int
    raised: bool = False


class Expected:
    """What serial execution does: the independent reading of the rules."""

    def __init__(self, program):
        self.values = [0] * program.variables  # who wrote last, + 1
        self.ranges = [0] * program.variables
        self.versions = [0] * program.variables
        self.failures = [None] * program.variables
        self.saw = {}  # operation -> what it sees; those that do not run are missing
        self.told = []  # of each step that may raise: the text of the exception or None
        self.lists = [[] for _ in program.operators]  # of each operator: pushes that run
        self._owns = {}  # operation -> its failure
        self._untold = []
        for step in program.steps:
            self._step(step)
        self.told.append(self._wait(None))

    def _step(self, step):
        if isinstance(step, Push):
            self._push(step.op)
        elif isinstance(step, Block):
            for op in step.ops:
                self._push(op)
        elif isinstance(step, Wait):
            self.told.append(self._wait(step.variable))
        elif isinstance(step, Result):
            failure = self._owns[step.op.number]
            self.told.append(failure and failure.text)
            self._tell(failure)
        else:
            self.versions[step.variable] += 1
            self.failures[step.variable] = None

    def _push(self, op):
        met = [self.failures[v] for v in op.reads + op.writes]
        met = [f for f in met if f is not None and not f.raised]
        failure = min(met, key=lambda f: f.order, default=None)
        if failure is None or op.no_skip:
            failure = self._run(op)
        self._owns[op.number] = failure
        for v in op.writes:
            self.versions[v] += 1
            self.failures[v] = failure

    def _run(self, op):
        held = self.ranges if op.kind == RANGE else self.values
        self.saw[op.number] = [held[v] for v in op.reads]
        if op.operator >= 0:
            self.lists[op.operator].append(op)
        if op.fails:
            failure = Failed(failure_text(op), op.number)
            self._untold.append(failure)
            return failure
        for v in op.writes:
            held[v] = op.number + 1
        for child in op.nested:
            self._push(child)
        return None

    def _wait(self, variable):
        if variable is None:
            first = min(self._untold, key=lambda f: f.order, default=None)
            for failure in list(self._untold):
                self._tell(failure)
            return first and first.text
        failure = self.failures[variable]
        if failure is None or failure.raised:
            return None
        self._tell(failure)
        return failure.text

    def _tell(self, failure):
        if failure is not None and not failure.raised:
            failure.raised = True
            self._untold.remove(failure)


def name_of(op):
    return f"op{op.number}" if op.operator < 0 else f"operator{op.operator}"


def failure_text(op):
    """What the exception of a failing operation says."""
    if op.kind in (KERNEL, RANGE):
        return f"kernel {name_of(op)!r} returned error code 7"
    return f"planned failure of {op.number}"


def seeded(seed, length, **options):
    return make(random.Random(seed), length, **options)
