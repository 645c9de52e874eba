"""Row programs: a row per block of threads or part of one; for rows side by side, a row per thread.

A pass over a row is a function of an element, called per element, or per element of a vector. The
error of a sum of n elements by t threads is at most (n / t + log2(t)) eps times the sum of their
absolute values; a thread that sums a row alone does so in float64, as the CPU does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from nbgraph.kernels.cuda.writer import Device
from nbgraph.kernels.loops.loop import Total
from nbgraph.kernels.loops.rows import Rows as HostRows
from nbgraph.kernels.loops.rows import is_sum
from nbgraph.kernels.scalar.kinds import STORED

Some = Callable[[int, int, str, int], None]


class Rows(Device, HostRows):
    """A row per team of threads, which handle its elements in turn. A value kept in an output is
    read again by the thread that wrote it. If a thread has few elements, they stay in registers
    from the first pass that reads them; each array is read once."""

    def __init__(self, *args: object) -> None:
        super().__init__(*args)  # type: ignore[arg-type]
        self._in_registers: dict[str, str] = {}  # names of values, with their kinds
        self._unsure: dict[str, str] = {}  # those set under a condition

    def space(self) -> None:
        length = "n"
        if self.loop.pieces:
            self.read_steps()
            length = f"n * {self.length}"
        self.extent(1, "total", "1")
        self.each("row")
        self.line(2, f"m = {self.own(length)}")
        if self.grid.lanes > 1:
            self.line(2, f"count = m // {self.grid.lanes}")
        self.rows(2, "row")
        for k, (name, array) in enumerate(self.arrays()):
            self.line(2, f"{name}_at = {self.base(k, 'row')}")
            if array.layout != "0":
                self.line(2, f"{name}_p = {array.dtype}_pointer({name}_at)")
        for name, operand in zip(self.names, self.loop.operands, strict=True):
            if operand.layout == "0":
                self.single(name, operand)
        self.passes()
        self.go_on("row")

    def stage(self, number: int, totals: Sequence[Total]) -> None:
        """See Rows."""
        names = [self.totals[total.leaf.id] for total in totals]
        for total, name in zip(totals, names, strict=True):
            self.line(2, f"{name}_acc = {self._start(total, wide=self._wide(total))}")
        keeps = self.kept if self.kept is not None and self.kept.stage == number else None

        def use(indent: int, lane: int, _: str) -> None:
            for total, name in zip(totals, names, strict=True):
                value = f"float64({name}_one)" if self._wide(total) else f"{name}_one"
                self.line(indent, f"{name}_acc = acc_{total.combine}({name}_acc, {value})")
                if keeps is not None and total.node == keeps.node:
                    self.line(indent, f"{self.keeps(lane, keeps.output)} = {name}_one")

        self._pass = [total.node for total in totals]
        writes = [] if keeps is None or self.grid.resident else [self.outputs[keeps.output]]
        self._write_pass(number, [f"{name}_one" for name in names], use, writes)
        for total, name in zip(totals, names, strict=True):
            self.line(2, f"{name} = {self.joined(total, f'{name}_acc')}")
            self.leaves[total.leaf.id] = name

    def last(self) -> None:
        """See Rows."""
        names = [self.outputs[k] for k in self.elements]

        def use(indent: int, lane: int, index: str) -> None:
            for k, name in zip(self.elements, names, strict=True):
                output = self.loop.outputs[k]
                place = self.element_at(name, index)
                value = self.delivered(*place, output, f"{name}_one", self.loop.compute)
                self.line(indent, f"new{lane}_{name} = {value}")

        self._pass = [self.loop.outputs[k].node for k in self.elements]
        self._write_pass(len(self.loop.stages), [f"{name}_one" for name in names], use, names)

    # pieces -------------------------------------------------------------------------------------

    def _write_pass(
        self,
        number: int,
        results: Sequence[str],
        use: Callable[[int, int, str], None],
        writes: Sequence[str],
    ) -> None:
        """Write a pass over a row. `results` names the values computed per element; `use(indent,
        lane, index)` writes what is done with them; the arrays `writes` are then stored."""
        self.hoist(2, self._pass)
        before, needed = dict(self.leaves), self.needed(self._pass)
        kept = self.kept
        if kept is not None and kept.stage < number and kept.node.id in needed:
            self.leaves[kept.node.id] = self._unique("kept")
        leaf = None if kept is None else self.leaves.get(kept.node.id)
        index = self.loop.index
        at = None
        if index is not None and index.id in self.needed(self._pass):
            at = self.leaves[index.id] = self._unique("at")
        reads = [(name, "lane") for _, name, _ in self.moving(self._pass)]
        if kept is not None and leaf is not None and not self.grid.resident:
            reads.append((self.outputs[kept.output], "was"))
        call = self.element(self._unique(f"pass{number}"), self._pass, list)

        def load(indent: int, lanes: int, index: str, first: int) -> None:
            place = self.point(indent, [name for name, _ in reads], index)
            for name, prefix in reads:
                self.fetch(indent, name, prefix, lanes, place, first)

        def compute(indent: int, lanes: int, index: str, first: int) -> None:
            place = self.point(indent, writes, index)
            for j in range(first, first + lanes):
                element = index if lanes == 1 else f"({index}) * {lanes} + {j - first}"
                if at is not None:
                    self.line(indent, f"{at} = int32({element})")
                if kept is not None and leaf is not None:
                    self.line(indent, f"{leaf} = {self.kept_as(j, kept.output)}")
                self.line(indent, f"{', '.join(results)} = {call(j)}")
                use(indent, j, element)
            for name in writes:
                self.leave(indent, name, "new", lanes, place, first)

        self.loops(load, compute)
        self.leaves = before

    def _wide(self, total: Total) -> bool:
        """See Rows; many threads share a row's sum."""
        return False

    def loops(self, load: Some, compute: Some) -> None:
        """Write the loops over a row's elements: `load` and `compute` get indent, lanes, the index
        of a vector or element, and the number of its first lane. All loads that overlap precede the
        computation."""
        if self.grid.resident:
            self._write_unrolled(load)
            self._write_unrolled(compute)
            return

        def some(indent: int, lanes: int, count: int) -> None:
            for write in (load, compute):
                for k, index in enumerate(self.beside(count)):
                    write(indent, lanes, index, k * lanes)

        self.shared_out(2, "m", some)

    def _write_unrolled(self, write: Some) -> None:
        """Write a thread's work on each of its vectors: all threads of teams with a row have
        `full`, some one more. Missing elements are set to 0: otherwise extra registers would
        preserve those of the previous row."""
        grid, begin = self.grid, len(self.lines)
        indent = 2 if grid.teams == 1 else 3
        for k in range(grid.resident):
            if k == (grid.full if grid.teams == 1 else 0):
                self._unsure.clear()
            index = f"{self.member} + {k * grid.team}" if k else self.member
            before = len(self.lines)
            write(indent if k < grid.full else 3, grid.lanes, index, k * grid.lanes)
            if len(self.lines) > before and (k == grid.full or (k == 0 and indent == 3)):
                stop = "count" if grid.lanes > 1 else "m"
                test = f"{index} < {stop}" if k == grid.full else "mine < total"
                self.lines.insert(before, f"        if {test}:")
        if grid.teams > 1 or grid.resident > grid.full:
            zeros = [f"        {name} = {kind}(0)" for name, kind in self._unsure.items()]
            self.lines[begin:begin] = zeros
        self._unsure.clear()

    def keeps(self, lane: int, output: int) -> str:
        """Return the name that holds an element's kept value; later passes read no operand's
        elements, so one of their registers is free."""
        if not self.grid.resident:
            return f"new{lane}_{self.outputs[output]}"
        name = self.kept_as(lane, output)
        if name not in self._in_registers:
            self._in_registers[name] = self._unsure[name] = self.loop.compute
        return name

    def kept_as(self, lane: int, output: int) -> str:
        """Return the name by which later passes read the kept value."""
        kind, names = self.loop.compute, zip(self.names, self.loop.operands, strict=True)
        places = [f"lane{lane}_{name}" for name, o in names if o.dtype == kind]
        registers = [name for name in places if name in self._in_registers]
        resident = registers and self.grid.resident
        return registers[0] if resident else f"was{lane}_{self.outputs[output]}"

    def point(self, indent: int, names: Sequence[str], index: str) -> str:
        """Write pointers to the arrays; return the text of the index relative to them."""
        if not self.loop.pieces:
            return index
        self.divided(indent, "piece", "within", f"({index})", "n")
        arrays = dict(self.arrays())
        for name in dict.fromkeys(names):
            place = f"{name}_at + piece * {self.moved[name]}"
            place = f"{place} + within * {self.stride(name, arrays[name])}"
            self.line(indent, f"{name}_p = {arrays[name].dtype}_pointer({place})")
        return "0"

    def fetch(
        self, indent: int, name: str, prefix: str, lanes: int, index: str, first: int = 0
    ) -> None:
        """See Device; elements in registers are not loaded again."""
        names = [f"{prefix}{j}_{name}" for j in range(first, first + lanes)]
        if not self.grid.resident or names[0] not in self._in_registers:
            super().fetch(indent, name, prefix, lanes, index, first)
            dtype = dict(self.arrays())[name].dtype
            known = dict.fromkeys(names, STORED.get(dtype, dtype))
            self._in_registers |= known
            self._unsure |= known

    def element_at(self, name: str, index: str) -> tuple[str, str]:
        """Return pointer and index of one element; call `point` before."""
        if self.loop.pieces:
            return f"{name}_p", "0"
        return self.place(name, dict(self.arrays())[name], f"({index})")

    def joined(self, total: Total, acc: str) -> str:
        """Return the total of a row from the threads' totals."""
        return self.together(total.combine, self.loop.compute, acc)


class Columns(Rows):
    """A row per thread; adjacent rows are adjacent in memory."""

    def __init__(self, *args: object) -> None:
        super().__init__(*args)  # type: ignore[arg-type]
        self.elements = [k for k, o in enumerate(self.loop.outputs) if not o.whole]

    def space(self) -> None:
        self.read_steps()
        self.extent(1, "total", "n")
        self.line(1, "place = start")
        self.line(1, "while place < total:")
        self.divided(2, "row", "col", "place", "n")
        self.rows(2, "row")
        for k, (name, array) in enumerate(self.arrays()):
            by = "" if array.layout == "0" else f" + col * {self.stride(name, array)}"
            self.line(2, f"{name}_at = {self.base(k, 'row')}{by}")
        self.passes()
        self.line(2, "place += step")

    def _wide(self, total: Total) -> bool:
        """See Rows; one thread sums a whole row, so in float64."""
        return is_sum(total)

    def joined(self, total: Total, acc: str) -> str:
        return f"{self.loop.compute}({acc})" if is_sum(total) else acc

    def loops(self, load: Some, compute: Some) -> None:
        self.line(2, "i = 0")
        self.line(2, f"while i < {self.length}:")
        load(3, 1, "i", 0)
        compute(3, 1, "i", 0)
        self.line(3, "i += 1")

    def point(self, indent: int, names: Sequence[str], index: str) -> str:
        arrays = dict(self.arrays())
        for name in dict.fromkeys(names):
            place = f"{name}_at + {index} * {self.moved[name]}"
            self.line(indent, f"{name}_p = {arrays[name].dtype}_pointer({place})")
        return "0"

    def element_at(self, name: str, index: str) -> tuple[str, str]:
        return f"{name}_p", "0"

    def once(self, indent: int) -> int:
        """See Device: a row belongs to one thread."""
        return indent
