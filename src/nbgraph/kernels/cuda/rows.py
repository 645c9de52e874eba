"""Row programs: a row for each block of threads, or, of rows side by side, one for each thread."""

from __future__ import annotations

from collections.abc import Sequence

from nbgraph.kernels.cuda.writer import Device
from nbgraph.kernels.loops import Operand, Total
from nbgraph.kernels.rows import Rows as HostRows
from nbgraph.kernels.rows import is_sum
from nbgraph.kernels.scalar import Node


class _Programs(Device, HostRows):
    """What both share: passes over the elements of a row, from `first` in steps of `across`.

    What a pass keeps in an output is read again by the thread that wrote it.
    """

    first = "0"
    across = "1"
    length = "n"

    def stage(self, number: int, totals: Sequence[Total]) -> None:
        """See Rows."""
        self._pass = [total.node for total in totals]
        self.hoist(2, self._pass)
        names = [self.totals[total.leaf.id] for total in totals]
        for total, name in zip(totals, names, strict=True):
            self.line(2, f"{name}_acc = {self._start(total, wide=self._wide(total))}")
        with_leaves = dict(self.leaves)
        self._each(self._pass)
        texts = self.body(3, self._pass)
        for total, name, text in zip(totals, names, texts, strict=True):
            if self.kept is not None and (self.kept.stage, self.kept.node) == (number, total.node):
                k = self.kept.output
                self._put(3, k, self.given(self.loop.outputs[k], text, ""))
            value = f"float64({text})" if self._wide(total) else text
            self.line(3, f"{name}_acc = acc_{total.combine}({name}_acc, {value})")
        self.line(3, f"i += {self.across}")
        self.leaves = with_leaves
        for total, name in zip(totals, names, strict=True):
            self.line(2, f"{name} = {self.joined(total, f'{name}_acc')}")
            self.leaves[total.leaf.id] = name

    def joined(self, total: Total, acc: str) -> str:
        """The total of a row, of what threads have."""
        raise AssertionError

    def last(self) -> None:
        """See Rows."""
        self._pass = [self.loop.outputs[k].node for k in self.elements]
        self.hoist(2, self._pass)
        with_leaves = dict(self.leaves)
        kept = self.kept is not None and self.kept.node.id in self._reached_ids(self._pass)
        if kept:
            assert self.kept is not None
            self.leaves[self.kept.node.id] = self._unique("held")
        self._each(self._pass)
        if kept:
            assert self.kept is not None
            k = self.kept.output
            text = self.loaded(f"{self.outputs[k]}_p", "0", self.loop.outputs[k].dtype)
            self._point(3, self.outputs[k])
            self.line(3, f"{self.leaves[self.kept.node.id]} = {text}")
        texts = self.body(3, self._pass)
        for k, text in zip(self.elements, texts, strict=True):
            output, name = self.loop.outputs[k], self.outputs[k]
            self._point(3, name)
            value = self.delivered(f"{name}_p", "0", output, text, self.loop.compute)
            self.line(3, f"store({name}_p, 0, {value})")
        self.line(3, f"i += {self.across}")
        self.leaves = with_leaves

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

    def along(self, name: str) -> str:
        """Bytes from one element of a row to the next."""
        return self.stride(dict(self.arrays())[name], name)

    # pieces -------------------------------------------------------------------------------------

    def _each(self, roots: Sequence[Node]) -> None:
        """The loop over elements, with what `roots` need of one loaded."""
        self.line(2, f"i = {self.first}")
        self.line(2, f"while i < {self.length}:")
        needed = self._reached_ids(roots)
        for name, operand in zip(self.names, self.loop.operands, strict=True):
            if operand.node.id in needed:
                self._point(3, name)
                self.line(3, f"{name} = {self.widened(operand, f'{name}_p', '0')}")
                self.leaves[operand.node.id] = name
        index = self.loop.index
        if index is not None and index.id in needed:
            self.leaves[index.id] = self._unique("at")
            self.line(3, f"{self.leaves[index.id]} = int32(i)")

    def _reached_ids(self, roots: Sequence[Node]) -> set[int]:
        return self.reached(roots, self.leaves)

    def _point(self, indent: int, name: str) -> None:
        array = dict(self.arrays())[name]
        place = f"{name}_at + i * {self.along(name)}"
        self.line(indent, f"{name}_p = {array.dtype}_pointer({place})")

    def _put(self, indent: int, k: int, value: str) -> None:
        self._point(indent, self.outputs[k])
        self.line(indent, f"store({self.outputs[k]}_p, 0, {value})")

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

    first = "thread()"

    def space(self) -> None:
        """See Writer."""
        self.across = str(self.grid.threads)
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

    def along(self, name: str) -> str:
        """See _Programs."""
        return self._moved[name]

    def one(self, indent: int, text: str) -> None:
        """See _Programs."""
        self.line(indent, text)
