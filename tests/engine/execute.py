"""Run a random program on an engine, and compare with serial execution.

Every function and kernel writes what it saw into arrays; they are compared when all is over.
"""

import contextlib
import queue
import random
import threading
from collections import deque

import numpy as np

from nbgraph.engine import FnProperty
from nbgraph.engine.native_call import NativeCall
from tests.engine.kernels import address
from tests.engine.programs import (
    AT_ONCE,
    KERNEL,
    LATER,
    NESTING,
    RANGE,
    WIDTH,
    Block,
    Expected,
    Push,
    Result,
    Wait,
    failure_text,
    name_of,
)

WAIT = 60  # seconds at most for any wait
QUEUES = {"copy": FnProperty.COPY_FROM_GPU, "urgent": FnProperty.CPU_PRIORITIZED}
_UNSEEN = -1


class Planned(Exception):
    pass


class Completer:
    """A thread that calls what it is given, some of it later and in another order."""

    def __init__(self, seed):
        self._inbox = queue.Queue()
        self._rng = random.Random(seed)
        self._thread = threading.Thread(target=self._work, name="completer", daemon=True)
        self._thread.start()
        self.put = self._inbox.put

    def _work(self):
        held = []
        while True:
            try:
                task = self._inbox.get(timeout=0.0005 if held else None)
                if task is None:
                    return
                held.append(task)
                ripe = len(held) > 3
            except queue.Empty:
                ripe = True
            if ripe and held:
                held.pop(self._rng.randrange(len(held)))()

    def close(self):
        self._inbox.put(None)
        self._thread.join(WAIT)


class Execution:
    """A program on its way through an engine."""

    def __init__(self, program, engine, seed=0):
        self.program, self.engine = program, engine
        self.expected = Expected(program)
        count, variables = len(program.ops), program.variables
        self.values = np.zeros(variables, np.int64)
        self.ranges = np.zeros((variables, WIDTH), np.int64)
        self.writers = np.zeros(variables, np.int64)
        self.saw = np.full((count, 4), _UNSEEN, np.int64)
        self.ran = np.zeros(count, np.int64)
        self.native_clashes = np.zeros(1, np.int64)
        self.clashes, self.told = [], []
        self.pending = {}
        # plain lists of words are quicker than arrays, item by item
        self._values, self._writers = memoryview(self.values), memoryview(self.writers)
        self._ran = memoryview(self.ran)
        self.completer = Completer(seed)
        self.variables = [engine.new_variable(f"v{i}") for i in range(variables)]
        self.asked = {s.op.number for s in program.steps if isinstance(s, Result)}
        self.calls, self.lists = [], []
        self.operators = [self._operator(i) for i in range(len(program.operators))]

    # operations --------------------------------------------------------------------------------

    def _begin(self, op):
        number = op.number
        self._ran[number] += 1
        writers = self._writers
        seen = []
        for v in op.reads:
            if writers[v]:
                self.clashes.append((number, v, "begins to read while written"))
            seen.append(self._values[v])
        for v in op.writes:
            if writers[v]:
                self.clashes.append((number, v, "begins to write while written"))
            writers[v] = number + 1
        return seen

    def _end(self, op, seen):
        writers = self._writers
        for i, v in enumerate(op.reads):
            if writers[v] or self._values[v] != seen[i]:
                self.clashes.append((op.number, v, "was written while read"))
        for v in op.writes:
            if not op.fails:
                self._values[v] = op.number + 1
            if writers[v] != op.number + 1:
                self.clashes.append((op.number, v, "was written twice at a time"))
            writers[v] = 0
        self.saw[op.number, : len(seen)] = seen

    def _function(self, op):
        """What is pushed for it."""
        if op.kind == AT_ONCE or op.kind == LATER:
            return lambda run_ctx, on_complete: self._asynchronous(op, on_complete)
        if op.kind == NESTING:
            return lambda run_ctx: self._nesting(op)
        return lambda run_ctx: self._plain(op)

    def _plain(self, op):
        self._end(op, self._begin(op))
        if op.fails:
            raise Planned(failure_text(op))
        return op.number

    def _nesting(self, op):
        seen = self._begin(op)
        if not op.fails:
            for child in op.nested:
                self._push(child)
        self._end(op, seen)
        if op.fails:
            raise Planned(failure_text(op))

    def _asynchronous(self, op, on_complete):
        seen = self._begin(op)

        def end():
            self._end(op, seen)
            on_complete(Planned(failure_text(op)) if op.fails else None)

        if op.kind == AT_ONCE:
            end()
        else:
            self.completer.put(end)

    def _kernel(self, op):
        code = 2 * op.number + op.fails
        if op.kind == RANGE:
            wanted = self.expected.saw.get(op.number, [0] * len(op.reads))
            words = self._words(self.ranges, op, 0, code) + wanted
            return NativeCall(
                address("span"), words, WIDTH, name=name_of(op), cost=op.cost, keep=self
            )
        words = self._words(self.values, op, 0, code)
        cost = op.cost if op.cost < 2000 else 0  # one that is cut must be made for it
        return NativeCall(address("step"), words, 1, name=name_of(op), cost=cost, keep=self)

    def _words(self, values, op, codes, code):
        arrays = (values, self.writers, self.saw, self.ran, self.native_clashes)
        places = [a.ctypes.data for a in arrays]
        return [*places, codes, code, len(op.reads), len(op.writes), *op.reads, *op.writes]

    def _operator(self, index):
        """Which push of it runs is known: one after another, since it writes something."""
        shape = self.program.operators[index]
        runs = self.expected.lists[index]
        reads, writes = self._named(shape)
        if shape.kind == KERNEL:
            codes = np.array([8, *(2 * op.number + op.fails for op in runs)], np.int64)
            self.lists.append(codes)
            words = self._words(self.values, shape, codes.ctypes.data, 0)
            name = f"operator{index}"
            fn = NativeCall(address("step"), words, 1, name=name, cost=shape.cost, keep=self)
        else:
            left = deque(runs)
            fn = lambda run_ctx: self._plain(left.popleft())
        return self.engine.new_operator(
            fn, const_vars=reads, mutate_vars=writes, name=f"operator{index}"
        )

    def _named(self, op):
        return [self.variables[v] for v in op.reads], [self.variables[v] for v in op.writes]

    # steps -------------------------------------------------------------------------------------

    def _push(self, op):
        engine = self.engine
        if op.operator >= 0:
            operator = self.operators[op.operator]
            quick = getattr(operator, "push", None)
            if quick is not None and op.number % 2 and op.number not in self.asked:
                quick()
                return
            pending = engine.push_operator(operator)
        else:
            reads, writes = self._named(op)
            options = {"const_vars": reads, "mutate_vars": writes, "name": name_of(op)}
            options.update(priority=op.priority, nbytes=op.nbytes)
            if op.no_skip:
                options["prop"] = FnProperty.NO_SKIP
            elif op.queue:
                options["prop"] = QUEUES[op.queue]
            if op.kind in (KERNEL, RANGE):
                pending = engine.push(self._kernel(op), **options)
            elif op.kind in (AT_ONCE, LATER):
                pending = engine.push_async(self._function(op), **options)
            else:
                pending = engine.push(self._function(op), **options)
        if op.number in self.asked:
            self.pending[op.number] = pending

    def _tell(self, wait):
        try:
            wait()
        except Exception as error:
            self.told.append(str(error).splitlines()[0])
        else:
            self.told.append(None)

    def _step(self, step):
        if isinstance(step, Push):
            self._push(step.op)
        elif isinstance(step, Block):
            with self.engine.bulk(step.size):
                for op in step.ops:
                    self._push(op)
        elif isinstance(step, Wait):
            if step.variable is None:
                self._tell(lambda: self.engine.wait_for_all(WAIT))
            else:
                self._tell(lambda: self.engine.wait_for_var(self.variables[step.variable], WAIT))
        elif isinstance(step, Result):
            self._tell(lambda: self.pending[step.op.number].result(WAIT))
        else:
            self.engine.delete_variable(self.variables[step.variable])

    def run(self):
        """All steps, and a wait for everything; what differs from serial execution."""
        try:
            for step in self.program.steps:
                self._step(step)
            self._tell(lambda: self.engine.wait_for_all(WAIT))
        finally:
            with contextlib.suppress(Exception):
                self.engine.wait_for_all(WAIT)
            self.completer.close()
        return self._mismatches()

    def _mismatches(self):
        wanted, program = self.expected, self.program
        found = [f"clash {c}" for c in self.clashes[:5]]
        if self.native_clashes[0]:
            found.append(f"{self.native_clashes[0]} clashes in kernels")
        saw = np.full_like(self.saw, _UNSEEN)
        ran = np.zeros_like(self.ran)
        for number, seen in wanted.saw.items():
            whole = program.ops[number].kind == RANGE
            ran[number] = WIDTH if whole else 1
            if whole and program.ops[number].fails and self.ran[number]:
                ran[number] = self.ran[number]  # once a part has failed the others are not run
            if not whole:
                saw[number, : len(seen)] = seen
        for number in np.flatnonzero(ran != self.ran)[:5]:
            found.append(f"{program.ops[number]} ran {self.ran[number]} times, not {ran[number]}")
        for number in np.flatnonzero((saw != self.saw).any(axis=1))[:5]:
            found.append(f"{program.ops[number]} saw {self.saw[number]}, not {saw[number]}")
        pairs = [
            ("told", self.told, wanted.told),
            ("values", self.values.tolist(), wanted.values),
            ("ranges", self.ranges.T.tolist(), [wanted.ranges] * WIDTH),
            ("versions", [v.version for v in self.variables], wanted.versions),
            (
                "failures",
                [_text(v) for v in self.variables],
                [f and f.text for f in wanted.failures],
            ),
        ]
        for what, got, right in pairs:
            if got != right:
                places = [i for i, (a, b) in enumerate(zip(got, right)) if a != b][:3]
                rows = [f"{i}: {got[i]}, not {right[i]}" for i in places]
                found.append(f"{what}: {len(got)} and {len(right)}; {rows}")
        return found


def _text(variable):
    error = variable.error
    return None if error is None else str(error).splitlines()[0]
