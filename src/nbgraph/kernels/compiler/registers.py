"""Loops over a few numbers as one kernel, whose state stays in registers.

The body is a sequence of maps over single elements. Each is emitted as in a kernel of its own, but
on names instead of memory: values do not pass through memory between steps, and no function is
called.

The words of a record: the length and the patience of the loop (see `control`), addresses of arrays,
parameters.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from nbgraph.kernel_errors import UNFINISHED
from nbgraph.kernels.compiler.kernel import Kernel, of_source
from nbgraph.kernels.compiler.written import function, inner
from nbgraph.kernels.loops.body import Body, Namespace
from nbgraph.kernels.loops.loop import Loop
from nbgraph.kernels.loops.writer import Source, Writer
from nbgraph.kernels.scalar.graph import Graph
from nbgraph.kernels.scalar.kinds import STORED

HEAD = 2  # words before the addresses


class Number(NamedTuple):
    """A number in an array of the record: `offset` bytes after its beginning, and `step` bytes more
    for each step of the loop."""

    slot: int
    offset: int
    step: int
    dtype: str

    def at(self, index: str = "0") -> str:
        """Return the text of a pointer to the number."""
        moved = f" + {index} * {self.step}" if self.step else ""
        return f"{self.dtype}_pointer(word(args, {HEAD + self.slot}) + {self.offset}{moved})"


class Carry(NamedTuple):
    """A variable carried from step to step, by name: `following` is its next value. `first`: the
    number it starts from, None for 0; `last`: where its final value is stored."""

    name: str
    following: str
    dtype: str
    first: Number | None
    last: Number | None


class Steps:
    """The lines of a step, and the lines before the first step."""

    def __init__(self, arrays: int) -> None:
        self.namespace = Namespace("")
        self.words: list[int] = []
        self.before: list[str] = []
        self.moving: list[str] = []  # loads of numbers that move from step to step
        self.stores: list[str] = []
        self._parameters_at, self._names = HEAD + arrays, 0

    def name(self, prefix: str) -> str:
        """Return an unused name."""
        self._names += 1
        return f"{prefix}{self._names}_"

    def load(self, number: Number) -> str:
        """Load a number before all steps, or in each step if it moves; return its name."""
        name, lines = self.name("x"), self.moving if number.step else self.before
        lines.append(f"{name} = load({number.at('index')}, 0)")
        return name

    def word(self, value: int) -> int:
        """Append a word to the record; return its place."""
        self.words.append(value)
        return self._parameters_at + len(self.words) - 1

    def constant(self, bits: bytes, dtype: str) -> str:
        """Return the name of a constant that the record holds."""
        name, value = self.name("k"), int.from_bytes(bits, "little", signed=len(bits) == 8)
        self.before.append(f"{name} = load({dtype}_pointer(args + {8 * self.word(value)}), 0)")
        return name

    def takes(self, loop: Loop) -> bool:
        """Return whether a map computes in the precision of the others, or in integers."""
        if not any(n.kind == "f" for n in loop.graph.reachable(loop.results)):
            return True
        self.namespace.compute = self.namespace.compute or loop.compute
        return self.namespace.compute == loop.compute

    def element(
        self, loop: Loop, values: Sequence[str], words: Sequence[int]
    ) -> tuple[list[str], list[str]]:
        """Return the lines of a map for one element, and the names of the values it stores.

        `values`: operands in their stored dtypes, then the previous values of outputs that the map
        adds to; `words`: parameters.
        """
        writer = _Element(loop, self.namespace)
        old = values[len(loop.operands) :]
        for operand, text in zip(loop.operands, values):
            writer.leaves[operand.node.id] = writer.computed(operand, text)
        for node, bits in zip(loop.parameters, words, strict=True):
            name = self.name("k")
            self.before.append(f"{name} = {writer.scalar(node, self.word(bits))}")
            writer.leaves[node.id] = name
        known, prefix = (self.namespace, writer.leaves), self.name("t")
        body = Body(loop.graph, loop.results, *known, 0, writer.function, prefix)
        texts, names = body.require(loop.results), [self.name("y") for _ in loop.outputs]
        stored = zip(names, loop.outputs, texts, old, strict=True)
        lines = [f"{name} = {writer.stored_text(out, text, o)}" for name, out, text, o in stored]
        return body.lines + lines, names


class _Element(Writer):
    def __init__(self, loop: Loop, namespace: Namespace) -> None:
        super().__init__(loop)
        self.namespace = namespace


def kernel(
    name: str,
    steps: Steps,
    blocks: Sequence[Sequence[str]],
    carries: Sequence[Carry],
    clears: Sequence[tuple[Number, int]],
    front: Mapping[str, int],
    test: str = "",
) -> Kernel:
    """Return the kernel of a loop over steps.

    `blocks`: the lines of a step, of which the first `front["tests"]` compute `test`; `clears`:
    numbers to zero before the loop, with their bytes. `front`: see `control.WORDS`.
    """
    saved = [Number(front["work_slot"], 8 + 8 * k, 0, c.dtype) for k, c in enumerate(carries)]
    step = Number(front["work_slot"], 0, 0, "int64")
    parts, tests = "patience" in front, front.get("tests", 0)
    limit = "word(args, 0)"
    if "count_slot" in front:
        limit = f"min({limit}, load({Number(front['count_slot'], 0, 0, 'int64').at()}, 0))"
    lines = [f"limit = {limit}", "step = 0", *steps.before]
    for c in carries:
        zero = f"{STORED.get(c.dtype, c.dtype)}(0)"
        lines.append(f"{c.name} = {f'load({c.first.at()}, 0)' if c.first else zero}")
    if parts:
        reloads = [f"{c.name} = load({at.at()}, 0)" for c, at in zip(carries, saved, strict=True)]
        lines += ["most = -1", "if lo > 0:", *inner([f"step = load({step.at()}, 0)", *reloads])]
        lines += ["elif hi > 1:", "    most = word(args, 1)"]
    for number, count in clears:
        lines += [
            f"for b in range(word(args, {steps.word(count)})):",
            f"    store({number.at()}, b, uint8(0))",
        ]
    lines.append("while step < limit:" if front["length"] >= 0 else "while True:")
    if parts:
        keeps = [f"store({at.at()}, 0, {c.name})" for c, at in zip(carries, saved, strict=True)]
        leave = [f"store({step.at()}, 0, step)", *keeps, f"return {UNFINISHED}"]
        lines += inner(["if step == most:", *inner(leave)])
    lines.append("    index = " + ("limit - 1 - step" if front["reverse"] else "step"))
    lines += inner(steps.moving)
    for k, block in enumerate([*blocks, steps.stores]):
        if k == tests and test:
            lines += inner([f"if {test} == 0:", "    break"])
        lines += inner(block)
    lines += inner([f"n{c.name} = {c.following}" for c in carries])
    lines += inner([*[f"{c.name} = n{c.name}" for c in carries], "step += 1"])
    lines += [f"store({c.last.at()}, 0, {c.name})" for c in carries if c.last]
    if "count_out" in front:
        lines.append(f"store({Number(front['count_out'], 0, 0, 'int64').at()}, 0, step)")
    text = function("def steps(args, lo, hi):", *lines, "return 0")
    namespace = steps.namespace
    namespace.compute = namespace.compute or "float64"
    source = Source("steps", "\n".join([*namespace.header(), text]), namespace, fastmath=False)
    return of_source(source, Loop(name, "map", Graph(), "float64", (), (), ()), name)
