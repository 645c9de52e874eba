"""Row programs: a row for each block of threads, or, of rows side by side, one for each thread.

A pass over a row is a function of an element, called for each element, or for each of a vector. A
sum of n elements by t threads is off by (n / t + log2(t)) eps times the sum of their absolute
values at most; where one thread adds up a row it does so in float64, as the CPU does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from nbgraph.kernels.cuda.writer import Device
from nbgraph.kernels.loops import Operand, Total
from nbgraph.kernels.rows import Rows as HostRows
from nbgraph.kernels.rows import is_sum


class _Programs(Device, HostRows):
    """What both share: passes over the elements of a row.

    What a pass keeps in an output is read again by the thread that wrote it.
    """

    def stage(self, number: int, totals: Sequence[Total]) -> None:
        """See Rows."""
        names = [self.totals[total.leaf.id] for total in totals]
        for total, name in zip(totals, names, strict=True):
            self.line(2, f"{name}_acc = {self._start(total, wide=self._wide(total))}")
        keeps = self.kept if self.kept is not None and self.kept.stage == number else None

        def use(indent: int, lane: int, lanes: int) -> None:
            for total, name in zip(totals, names, strict=True):
                value = f"float64({name}_one)" if self._wide(total) else f"{name}_one"
                self.line(indent, f"{name}_acc = acc_{total.combine}({name}_acc, {value})")
                if keeps is not None and total.node == keeps.node:
                    self.line(indent, f"new{lane}_{self.outputs[keeps.output]} = {name}_one")

        self._pass = [total.node for total in totals]
        writes = [] if keeps is None else [self.outputs[keeps.output]]
        self._over(number, [f"{name}_one" for name in names], use, writes)
        for total, name in zip(totals, names, strict=True):
            self.line(2, f"{name} = {self.joined(total, f'{name}_acc')}")
            self.leaves[total.leaf.id] = name

    def joined(self, total: Total, acc: str) -> str:
        """The total of a row, of what threads have."""
        raise AssertionError

    def last(self) -> None:
        """See Rows."""
        names = [self.outputs[k] for k in self.elements]

        def use(indent: int, lane: int, lanes: int) -> None:
            for k, name in zip(self.elements, names, strict=True):
                output = self.loop.outputs[k]
                place = self.element_at(name, lane, lanes)
                value = self.delivered(*place, output, f"{name}_one", self.loop.compute)
                self.line(indent, f"new{lane}_{name} = {value}")

        self._pass = [self.loop.outputs[k].node for k in self.elements]
        self._over(len(self.loop.stages), [f"{name}_one" for name in names], use, names)

    def results(self) -> None:
        """See Rows."""
        found = [(k, o) for k, o in enumerate(self.loop.outputs) if k not in self.elements]
        self.hoist(2, [o.node for _, o in found])
        for k, output in found:
            name = self.outputs[k]
            text = self.leaves.get(output.node.id) or self.namespace.constant(output.node)
            self.line(2, f"{name}_p = {output.dtype}_pointer({name}_at)")
            value = self.delivered(f"{name}_p", "0", output, text, self.loop.compute)
            self.one(2, f"store({name}_p, 0, {value})")

    def one(self, indent: int, text: str) -> None:
        """A statement that is done once a row."""
        raise AssertionError

    # pieces -------------------------------------------------------------------------------------

    def _over(
        self,
        number: int,
        results: Sequence[str],
        use: Callable[[int, int, int], None],
        writes: Sequence[str],
    ) -> None:
        """A pass over a row. `results` are the names of what is computed of an element; `use`
        writes what is done with them, given indent, lane and lanes; `writes` are stored then."""
        self.hoist(2, self._pass)
        before, needed = dict(self.leaves), self.needed(self._pass)
        kept = self.kept
        if kept is not None and kept.stage < number and kept.node.id in needed:
            self.leaves[kept.node.id] = self._unique("held")
        held = None if kept is None else self.leaves.get(kept.node.id)
        index = self.loop.index
        at = None
        if index is not None and index.id in self.needed(self._pass):
            at = self.leaves[index.id] = self._unique("at")
        reads = [(name, "lane") for _, name, _ in self.moving(self._pass)]
        if kept is not None and held is not None:
            reads.append((self.outputs[kept.output], "was"))
        call = self.element(self._unique(f"pass{number}"), self._pass, list)

        def some(indent: int, lanes: int) -> None:
            place = self.point(indent, [*(name for name, _ in reads), *writes])
            for name, prefix in reads:
                self.fetch(indent, name, prefix, lanes, place)
            for j in range(lanes):
                if at is not None:
                    self.line(
                        indent, f"{at} = int32({'i' if lanes == 1 else f'i * {lanes} + {j}'})"
                    )
                if kept is not None and held is not None:
                    self.line(indent, f"{held} = was{j}_{self.outputs[kept.output]}")
                self.line(indent, f"{', '.join(results)} = {call(j)}")
                use(indent, j, lanes)
            for name in writes:
                self.leave(indent, name, "new", lanes, place)

        self.loops(some)
        self.leaves = before

    def loops(self, some: Callable[[int, int], None]) -> None:
        """The loops over a row's elements; see `shared_out`."""
        raise AssertionError

    def point(self, indent: int, names: Sequence[str]) -> str:
        """Pointers to the arrays; the text of the index that element or vector `i` has there."""
        raise AssertionError

    def element_at(self, name: str, lane: int, lanes: int) -> tuple[str, str]:
        """Pointer and index of one element of a vector."""
        raise AssertionError

    def _single(self, indent: int, which: Sequence[tuple[str, Operand]]) -> None:
        """Load what has one value a row."""
        for name, operand in which:
            self.line(indent, f"{name}_p = {operand.dtype}_pointer({name}_at)")
            self.line(indent, f"{name} = {self.widened(operand, f'{name}_p', '0')}")
            self.leaves[operand.node.id] = name

    def _passes(self) -> None:
        for number, totals in enumerate(self.loop.stages):
            self.stage(number, totals)
        if self.elements:
            self.last()
        self.results()


class Rows(_Programs):
    """A row for each block of threads, which take its elements in turn."""

    def space(self) -> None:
        """See Writer."""
        self.extent(1, "total", "1")
        self.line(1, "row = start")
        self.line(1, "while row < total:")
        self.rows(2, "row")
        for k, (name, _) in enumerate(self.arrays()):
            self.line(2, f"{name}_at = {self.base(k, 'row')}")
        pairs = zip(self.names, self.loop.operands, strict=True)
        self._single(2, [(name, operand) for name, operand in pairs if operand.layout == "0"])
        self._passes()
        self.line(2, "row += step")

    def _wide(self, total: Total) -> bool:
        """See Rows; a row is added up by many threads."""
        return False

    def loops(self, some: Callable[[int, int], None]) -> None:
        """See _Programs."""
        self.shared_out(2, "n", some)

    def point(self, indent: int, names: Sequence[str]) -> str:
        """See _Programs."""
        arrays = dict(self.arrays())
        for name in dict.fromkeys(names):
            self.line(indent, f"{name}_p = {arrays[name].dtype}_pointer({name}_at)")
        return "i"

    def element_at(self, name: str, lane: int, lanes: int) -> tuple[str, str]:
        """See _Programs."""
        array = dict(self.arrays())[name]
        return self.place(name, array, "i" if lanes == 1 else f"(i * {lanes} + {lane})")

    def joined(self, total: Total, acc: str) -> str:
        """See _Programs."""
        return self.together(total.combine, self.loop.compute, acc)

    def one(self, indent: int, text: str) -> None:
        """See _Programs."""
        self.line(indent, "if thread() == 0:")
        self.line(indent + 1, text)


class Columns(_Programs):
    """A row for each thread; those side by side are in memory side by side, too."""

    def __init__(self, *args: object) -> None:
        super().__init__(*args)  # type: ignore[arg-type]
        self.elements = [k for k, o in enumerate(self.loop.outputs) if not o.whole]
        self.length = ""
        self._moved: dict[str, str] = {}  # array -> bytes from element to element of a row

    def space(self) -> None:
        """See Writer."""
        own = self.loop.parameters[-1 - self.loop.pointers :]
        self.length, *steps = (self.leaves[p.id] for p in own)
        self._moved = dict(zip([*self.names, *self.outputs], steps, strict=True))
        self.extent(1, "total", "n")
        self.line(1, "place = start")
        self.line(1, "while place < total:")
        self.divided(2, "row", "col", "place", "n")
        self.rows(2, "row")
        for k, (name, array) in enumerate(self.arrays()):
            by = "" if array.layout == "0" else f" + col * {self.stride(array, name)}"
            self.line(2, f"{name}_at = {self.base(k, 'row')}{by}")
        self._passes()
        self.line(2, "place += step")

    def _wide(self, total: Total) -> bool:
        """See Rows; one thread adds up a whole row, so it does that in float64."""
        return is_sum(total)

    def joined(self, total: Total, acc: str) -> str:
        """See _Programs."""
        return f"{self.loop.compute}({acc})" if is_sum(total) else acc

    def loops(self, some: Callable[[int, int], None]) -> None:
        """See _Programs."""
        self.line(2, "i = 0")
        self.line(2, f"while i < {self.length}:")
        some(3, 1)
        self.line(3, "i += 1")

    def point(self, indent: int, names: Sequence[str]) -> str:
        """See _Programs."""
        arrays = dict(self.arrays())
        for name in dict.fromkeys(names):
            place = f"{name}_at + i * {self._moved[name]}"
            self.line(indent, f"{name}_p = {arrays[name].dtype}_pointer({place})")
        return "0"

    def element_at(self, name: str, lane: int, lanes: int) -> tuple[str, str]:
        """See _Programs."""
        return f"{name}_p", "0"

    def one(self, indent: int, text: str) -> None:
        """See _Programs."""
        self.line(indent, text)
