"""Emitted maps and reductions: the forms with an inner run that LLVM vectorises."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace

from nbgraph.kernel_errors import RAISED_BITS, RAISED_CODE, raised_code
from nbgraph.kernels.loops import run_totals
from nbgraph.kernels.loops.body import Body, has_limit
from nbgraph.kernels.loops.cost import is_chain
from nbgraph.kernels.loops.loop import STRIP, Combine, Loop, Operand, Output
from nbgraph.kernels.loops.segments import RUN, Segment, cut, has_groups, write_run
from nbgraph.kernels.loops.writer import WHERE, Writer
from nbgraph.kernels.scalar.graph import Node
from nbgraph.kernels.scalar.kinds import STORED, is_boolean

_COPIED = """\
q = col // unit
first = col - q * unit
at = {0} + q * {2} + first * {1}
to = 0
while to < m:
    count = min(unit - first, m - to)
    source = {dtype}_pointer(at)
    for i in range(count):
        store({p}, to + i, load(shifted(source, i * {1}), 0))
    to += count
    at += {2} - first * {1}
    first = 0"""
_STRIPS = {"b": "uint8", "bool": "uint8", "i": "int64"}  # dtypes of strips by kind of node


class Elementwise(Writer):
    """A loop with the scalar body per element."""

    def waits(self) -> bool:
        return is_chain(self.loop.graph, self.loop.results)


class Map(Elementwise):
    """A map: one value per element; a long body is cut into segments, run by run."""

    def __init__(self, loop: Loop) -> None:
        self._copied = [k for k, o in enumerate(loop.operands) if loop.joined and o.layout == "s"]
        if self._copied:
            operands = [o._replace(layout="c") if o.layout == "s" else o for o in loop.operands]
            loop = replace(loop, operands=tuple(operands))
        super().__init__(loop)
        self._segments: list[Segment] = []
        self._strips: dict[int, tuple[str, str]] = {}  # node -> strip, dtype of its elements

    def space(self) -> None:
        """See Writer."""
        self._segments = self._cut_segments()
        short, joined = len(self._segments) > 1, self.loop.joined
        if joined:
            self.line(1, "unit = n", f"rows = word(args, {self.loop.outer_at})", "n = rows * unit")
        self.line(1, *WHERE)
        for name, kind in dict.fromkeys(self._strips.values()):
            self.line(1, f"{name} = strip_{kind}()")
        self.line(1, "while lo < hi:")
        run = "min(n - col, hi - lo)"
        most = f", {RUN if short else STRIP}" if short or joined else ""
        self.line(2, f"m = min({run}{most})" if most else f"m = {run}")
        direct = [k for k in range(self.loop.pointers) if k not in self._copied]
        self.pointers(2, "row * rows" if joined else "row", "col", direct)
        self._to_strips()
        if self.loop.streaming:
            self._write_streamed()
            return
        self._runs()
        self.next_run(row_ends=not (short or joined))

    def _to_strips(self) -> None:
        """Copy operands that do not lie as the outputs do, in parts of rows."""
        for k in self._copied:
            name, dtype = self.names[k], self.loop.operands[k].dtype
            own = [f"{name}_{word}" for word in ("from", "by", "across")]
            self.line(2, f"{name}_p = strip_{STORED.get(dtype, dtype)}()")
            self.line(2, f"{own[0]} = {self.base(k, 'row * rows')}")
            self.line(2, f"{own[1]} = word(args, {self.loop.steps_at + k})")
            self.line(2, f"{own[2]} = word(args, {self.loop.outer_at + 1 + k})")
            self.locals |= {"unit", "col", *own}
            lines = _COPIED.format(*own, p=f"{name}_p", dtype=dtype).splitlines()
            self.line(2, self.part(f"copy_{k}", lines, "0"))

    def _cut_segments(self) -> list[Segment]:
        """Return the segments of the body, and name strips for the values passed between them."""
        loop = self.loop
        roots = loop.results
        if has_groups(self):
            return [Segment((), tuple(roots))]
        leaves = {**self.leaves, **{n.id: "" for o in loop.operands for n in o.nodes}}
        segments = cut(loop.graph, roots, Body(loop.graph, roots, self.namespace, leaves, 0))
        free: dict[str, list[str]] = {}
        for number, segment in enumerate(segments[:-1]):
            for node in segment.gives:
                kind = loop.compute if node.kind == "f" else _STRIPS.get(node.kind, node.kind)
                names = free.setdefault(kind, [])
                name = names.pop() if names else self._unique("kept")
                self._strips[node.id] = name, kind
                self.locals.add(name)
            later = {node.id for s in segments[number + 1 :] for node in s.reads}
            for node in segment.reads:
                if node.id not in later:
                    name, kind = self._strips[node.id]
                    free.setdefault(kind, []).append(name)
        return segments

    def _write_streamed(self) -> None:
        """Write a run whose outputs begin at cache lines; the elements before that go to strips
        that are copied, as do all elements if some output never begins at a line."""
        outputs = [o for o in self.arrays() if isinstance(o[1], Output)]
        first, size = outputs[0][0], self.item(outputs[0][1])
        places = {name: self._unique(f"{name}_to") for name in self.outputs}
        self.line(2, "off = " + " | ".join(f"to_line({name}_p)" for name in self.outputs))
        for name, to in places.items():
            self.line(2, f"{to} = {name}_p")
        self.line(2, "if off != 0:")
        self.line(3, f"head = to_line({first}_p) // {size}")
        self.line(3, "if head == 0:")
        self.line(4, f"head = {STRIP // max(len(o.nodes) for _, o in outputs)}")
        self.line(3, "m = min(m, head)")
        for name, output in outputs:
            self.line(3, f"{name}_p = strip_{STORED.get(output.dtype, output.dtype)}()")
        self._runs()
        self.line(2, "if off != 0:")
        for name, output in outputs:
            self.line(3, f"copied({places[name]}, {name}_p, m * {self.item(output)})")
        self.next_run(row_ends=False)
        self.line(1, "streamed()")

    def _runs(self) -> None:
        """Write the inner runs; in-place calls are checked before, others after."""
        self.locals.add("lo")
        look = self.part("look", self.captured(self._write_search), "0") if self._checks() else ""
        if look and self.loop.operands:
            self.line(2, f"if {self._overlap_test()}:")
            self._write_exit(look)
        self._run_all()
        if look:
            self.line(2, f"if load(fault, 0) & 255 == {RAISED_CODE}:")
            self.line(3, "store(fault, 0, 0)")
            self._write_exit(look)

    def _run_all(self) -> None:
        """Write the inner run segment by segment, each with a retry where needed."""
        for number, segment in enumerate(self._segments):
            last = number + 1 == len(self._segments)
            name = "run" if len(self._segments) == 1 else f"run_{number}"

            def lines(
                *, small: bool = False, segment: Segment = segment, last: bool = last
            ) -> None:
                self._run(segment, last=last, small=small)

            if self._needs_retry(segment):
                text = self.captured(functools.partial(lines, small=True))
                small = self.part(f"{name}_small", text, "wide")
                whole = self.part(name, self.captured(lines), "0", seldom=True)
                self._write_retry(small, whole, shared=last)
            else:
                self.line(2, self.part(name, self.captured(lines), "0"))

    def _write_retry(self, small: str, whole: str, *, shared: bool) -> None:
        """Write the call of the run for moderate arguments, then of the general run if needed."""
        self.line(2, f"wide = {self._overlap_test() if shared else 'False'}")
        if "fault" in self.locals:
            self.line(2, "before = load(fault, 0)")
        self.line(2, "if not wide:")
        self.line(3, f"wide = {small}")
        self.line(2, "if wide:")
        if "fault" in self.locals:
            self.line(3, "store(fault, 0, before)")
        self.line(3, whole)

    def _needs_retry(self, segment: Segment) -> bool:
        """Return whether a segment runs on moderate arguments first, and again on failure."""
        loop = self.loop
        if any(o.request == "add" for o in loop.outputs) or not loop.operands:
            return False
        nodes = loop.graph.reachable(segment.gives, self._inputs(segment))
        called = [n for n in nodes if has_limit(n)]
        return bool(called) and (has_groups(self) or not any(n.regions for n in called))

    def _inputs(self, segment: Segment) -> set[int]:
        """Return ids of nodes that a segment reads but does not compute."""
        return {*self.leaves, *(node.id for node in segment.reads)}

    def _overlap_test(self) -> str:
        """Return the test whether an operand shares an output's memory: no run is repeated."""
        tests = [
            f"(word(args, {2 + k}) == word(args, {2 + len(self.names) + j}))"
            for k in range(len(self.names))
            for j in range(len(self.outputs))
        ]
        return " | ".join(tests)

    def _checks(self) -> list[Node]:
        """Return the checks of an element, in the order of the text."""
        return [n for n in self.loop.graph.reachable(self.roots()) if n.op == "check"]

    def _write_exit(self, look: str) -> None:
        """End the kernel if an element raised."""
        self.line(3, look)
        self.line(3, "if load(fault, 0) != 0:")
        self.line(4, "return load(fault, 0)")

    def _write_search(self) -> None:
        """Write the search for the element of a run that raised. The run itself only computes a
        flag, so that it can be vectorised."""
        checks = self._checks()
        self.line(0, "for i in range(m):")
        self.load_all(1, range(len(self.loop.operands)), access=self.loop.access)
        texts = self.body(1, [n.args[1] for n in checks], fault="")
        for check, text in zip(checks, texts, strict=True):
            element = f"(lo + i + 1) * {1 << 8 + RAISED_BITS} + " if self.loop.ordered else ""
            self.line(1, f"if {text}:")
            self.line(2, f"store(fault, 0, {element}{raised_code(check.data)})")
            self.line(2, "break")

    def _run(self, segment: Segment, *, last: bool, small: bool) -> None:
        loop, access = self.loop, self.loop.access
        for name in self.outputs if loop.streaming and last else ():
            self.line(0, f"on_line({name}_p)")
        if has_groups(self):
            write_run(self, small=small)
            return
        if small:
            self.line(0, "wide = False")
        if len(self._segments) > 1 and (access == "scoped" or not last):
            access = "element"  # nothing more is known of strips
        self.line(0, "for i in range(m):")
        needed = {n.id for n in loop.graph.reachable(segment.gives, self._inputs(segment))}
        which = [
            k
            for k, o in enumerate(loop.operands)
            if last or not needed.isdisjoint([n.id for n in o.nodes])
        ]
        self.load_all(1, which, access=access)
        for node in segment.reads:
            name, kind = self._strips[node.id]
            self.leaves[node.id] = f"{name}_i"
            text = self.loaded(name, "i", "bool" if is_boolean(node.kind) else kind, access=access)
            self.line(1, f"{name}_i = {text}")
        texts = self.body(1, segment.gives, small=small)
        if last:
            self.stores(1, texts, access=access)
            return
        for node, text in zip(segment.gives, texts, strict=True):
            name, kind = self._strips[node.id]
            value = text if node.kind == "f" else f"{kind}({text})"
            self.put(1, name, "i", value, access=access)


_IDENTITY: dict[Combine, dict[str, str]] = {
    "add": {"f": "-0.0", "i": "0"},
    "multiply": {"f": "1.0", "i": "1"},
    "max": {"f": "-inf"},
    "min": {"f": "inf"},
}


class Reduce(Elementwise):
    """A reduction: one value per block of the inner run; with layout "c" also outputs of a map."""

    def space(self) -> None:
        loop = self.loop
        self.line(1, f"blocks = (n + {loop.block - 1}) // {loop.block}")
        self.line(1, "for b in range(lo, hi):")
        self.line(2, "row = b // blocks")
        self.line(2, "j = b - row * blocks")
        self.line(2, f"start = j * {loop.block}")
        self.line(2, f"m = min(n - start, {loop.block})")
        mapped = [k for k, (_, a) in enumerate(self.arrays()) if not _combined(a)]
        self.pointers(2, "row", "start", mapped)
        totals = [
            (k, name, array)
            for k, (name, array) in enumerate(self.arrays())
            if isinstance(array, Output) and array.combine
        ]
        accumulators = ", ".join(f"{n}_acc" for _, name, o in totals for n in _parts(name, o))
        lines = self.captured(self._run)
        if len(totals) == len(loop.outputs):
            self.ahead(2, lines, f"(hi - lo) * {loop.block}")
        self.line(2, f"{accumulators} = {self.part('run', lines, accumulators)}")
        for k, name, array in totals:
            self.deliver(2, k, name, array, [f"{n}_acc" for n in _parts(name, array)])

    def deliver(self, indent: int, k: int, name: str, output: Output, texts: Sequence[str]) -> None:
        """Write the total of a block, or both parts of a complex one."""
        address = f"{self.base(k, 'row')} + j * word(args, {self.loop.steps_at + k})"
        self.line(indent, f"{name}_p = {output.dtype}_pointer({address})")
        for part, text in enumerate(texts):
            value = self.delivered(f"{name}_p", str(part), output, text, self._kind(output))
            self.line(indent, f"store({name}_p, {part}, {value})")

    def _run(self) -> None:
        loop, access = self.loop, self.loop.access
        totals = [
            run_totals.RunTotal(n, output.combine, self._kind(output), self._identity(output))
            for name, output in zip(self.outputs, loop.outputs, strict=True)
            if output.combine
            for n in _parts(name, output)
        ]
        values: list[str] = []
        self.line(0, *run_totals.begin(totals))
        self.line(0, "for i in range(m):")
        self.load_all(1, range(len(loop.operands)), access=access)
        texts = iter(self.body(1, loop.results))
        for name, output in zip(self.outputs, loop.outputs, strict=True):
            for part, text in zip(range(len(output.nodes)), texts, strict=False):
                if output.combine:
                    values.append(self._accumulated(text, output))
                else:
                    self.store(1, name, output, text, access=access, part=part)
        self.line(1, *run_totals.add(totals, values))
        self.line(0, *run_totals.end(totals))

    def _wide(self, output: Output) -> bool:
        """Return whether to sum in float64: a strided run has one accumulator, not a vector."""
        strided = any(o.layout == "s" for o in self.loop.operands)
        single = output.node.kind == "f" and self.loop.compute == "float32"
        return strided and single and output.combine in ("add", "multiply")

    def _kind(self, output: Output) -> str:
        """Return the dtype of an output's accumulator."""
        if output.node.kind != "f":
            return "uint8" if output.dtype == "bool" else output.dtype
        return "float64" if self._wide(output) else self.loop.compute

    def _accumulated(self, text: str, output: Output) -> str:
        kind = self._kind(output)
        return text if kind == self.loop.compute and output.node.kind == "f" else f"{kind}({text})"

    def _identity(self, output: Output) -> str:
        assert output.combine is not None
        if output.node.kind == "f":
            value = float(_IDENTITY[output.combine]["f"])
            value += 0.0 if output.whole else -0.0  # no sum is -0.0, as in NumPy
            start = self.namespace.constant(self.loop.graph.const(value))
            return f"float64({start})" if self._wide(output) else start
        kind = self._kind(output)
        if output.combine in ("add", "multiply"):
            return f"{kind}({_IDENTITY[output.combine]['i']})"
        return f"{output.combine}_start_{kind}"


def _parts(name: str, output: Output) -> list[str]:
    """Return names for the numbers of an element."""
    return [name, f"{name}_imag"][: len(output.nodes)]


def _combined(array: Operand | Output) -> bool:
    return isinstance(array, Output) and array.combine is not None
