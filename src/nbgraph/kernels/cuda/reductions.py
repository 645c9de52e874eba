"""Reductions: of blocks of a run by blocks of threads, and of rows column by column; folds, scans
and indexed updates by a thread per line."""

from collections.abc import Sequence

from nbgraph.kernels.cuda.maps import Map
from nbgraph.kernels.cuda.writer import Device
from nbgraph.kernels.loops.forms import Reduce as HostReduce
from nbgraph.kernels.loops.loop import Output
from nbgraph.kernels.loops.totals import At as HostAt
from nbgraph.kernels.loops.totals import Fold as HostFold
from nbgraph.kernels.loops.totals import InOrder
from nbgraph.kernels.loops.totals import Leading as HostLeading


class Reduce(Map, HostReduce):
    """One value per block of the inner run, with outputs of a map beside it.

    The threads of a block, or of a team if runs are short, handle elements or vectors a team apart;
    values that a thread loads ahead are combined pairwise, then with its total; then the threads'
    values are combined in the order of their numbers. The error of a sum of n terms by t threads is
    at most (n / t + log2(t)) eps times the sum of their absolute values.
    """

    def space(self) -> None:
        loop = self.loop
        self._call = self.element("element", self.roots(), self._results, self._olds())
        self.line(1, f"blocks = (n + {loop.block - 1}) // {loop.block}")
        self.extent(1, "total", "blocks")
        self.each("b")
        self.divided(2, "row", "j", "b", "blocks")
        self.line(2, f"first = j * {loop.block}")
        self.line(2, f"m = {self.own(f'min(n - first, {loop.block})')}")
        self.rows(2, "row")
        self._bases(2)
        totals = self._totals()
        for name, array in totals:
            self.line(2, f"{name}_acc = {self._identity(array)}")
        self.shared_out(2, "m", self._write_vectors)
        for k, (name, array) in enumerate(self.arrays()):
            if isinstance(array, Output) and array.combine:
                together = self.together(array.combine, self._kind(array), f"{name}_acc")
                self.line(2, f"{name}_all = {together}")
                self.deliver(self.once(2), k, name, array, [f"{name}_all"])
        self.go_on("b")

    def _wide(self, output: Output) -> bool:
        """See forms.Reduce; here a thread sums only a few elements."""
        return False

    def _totals(self) -> list[tuple[str, Output]]:
        pairs = zip(self.outputs, self.loop.outputs, strict=True)
        return [(name, output) for name, output in pairs if output.combine]

    def _results(self, texts: Sequence[str]) -> list[str]:
        each = zip(texts, self.loop.outputs, super()._results(texts), strict=True)
        return [self._accumulated(text, o) if o.combine else result for text, o, result in each]

    def _bases(self, indent: int) -> None:
        """Write pointers to the block's first element."""
        for k, (name, array) in enumerate(self.arrays()):
            if isinstance(array, Output) and array.combine:
                continue
            along = "" if array.layout == "0" else f" + first * {self.stride(name, array)}"
            place = f"{self.base(k, 'row')}{along}"
            self.line(indent, f"{name}_p = {array.dtype}_pointer({place})")

    def _write_vectors(self, indent: int, lanes: int, count: int) -> None:
        """Write some vectors of elements, or elements."""
        for k, index in enumerate(self.beside(count)):
            self._read_all(indent, k * lanes, lanes, index)
        for j in range(count * lanes):
            results = ", ".join(f"new{j}_{y}" for y in self.outputs)
            self.line(indent, f"{results} = {self._call(j)}")
        for name, output in self._totals():
            combine = f"acc_{output.combine}"
            values = paired(combine, [f"new{j}_{name}" for j in range(count * lanes)])
            self.line(indent, f"{name}_acc = {combine}({name}_acc, {values})")
        for k, index in enumerate(self.beside(count)):
            for name, output in zip(self.outputs, self.loop.outputs, strict=True):
                if not output.combine:
                    self.leave(indent, name, "new", lanes, index, k * lanes)


def paired(combine: str, values: Sequence[str]) -> str:
    """Return the text of values combined pairwise."""
    if len(values) == 1:
        return values[0]
    half = len(values) // 2
    return f"{combine}({paired(combine, values[:half])}, {paired(combine, values[half:])})"


class Totals(Device, InOrder):
    """One value per row of totals, by a block of threads; the error bound is Reduce's."""

    def space(self) -> None:
        (y,), (out,) = self.outputs, self.loop.outputs
        self.extent(1, "total", "1")
        self.each("row")
        self.rows(2, "row")
        for k, (name, array) in enumerate(self.arrays()):
            self.line(2, f"{name}_p = {array.dtype}_pointer({self.base(k, 'row')})")
        self.line(2, f"acc = {self.start()}")
        self.line(2, f"m = {self.own('n')}")
        self.shared_out(2, "m", self._write_vectors)
        self.line(2, f"{y}_all = {self.together(self.combine, self.kind, 'acc')}")
        inside = self.once(2)
        value = self.delivered(f"{y}_p", "0", out, f"{y}_all", self.kind)
        self.line(inside, f"store({y}_p, 0, {value})")
        self.go_on("row")

    def _write_vectors(self, indent: int, lanes: int, count: int) -> None:
        """Write some vectors of elements, or elements."""
        (name,) = self.names
        for k, index in enumerate(self.beside(count)):
            self.fetch(indent, name, "lane", lanes, index, k * lanes)
        for j in range(count * lanes):
            self.line(indent, f"acc = {self.combined('acc', self.term(f'lane{j}_{name}'))}")


class Leading(Device, HostLeading):
    """Rows combined column by column: each thread has a column of a group of rows; see `totals`.
    Order and bits are the CPU's. LLVM unrolls the loop over a whole group, so a thread's loads of
    32 rows overlap."""

    def space(self) -> None:
        (x,), (y,), (out,) = self.names, self.outputs, self.loop.outputs
        groups = self.leaves[self.loop.parameters[3].id]
        rows, batches = self.loop.outer_at, self.loop.outer_at + 3
        source, target = self.loop.operands[0].dtype, out.dtype
        for line in (
            f"below = word(args, {rows + 1})",
            f"total = n * {groups} * word(args, {batches})",
            "i = start",
            "while i < total:",
        ):
            self.line(1, line)
        self.divided(2, "place", "col", "i", "n")
        self.divided(2, "batch", "group", "place", groups)
        for line in (
            *self.group("first"),
            f"    at = word(args, 2) + batch * word(args, {batches + 1})",
            f"    at += first * below + col * word(args, {self.loop.steps_at})",
            f"    acc = {self.start()}",
            "    r = first",
            "    while r < stop:",
            f"        {x}_p = {source}_pointer(at)",
            f"        acc = {self.combined('acc', self.value(f'{x}_p', '0'))}",
            "        at += below",
            "        r += 1",
            f"    y_at = word(args, 3) + batch * word(args, {batches + 2})",
            f"    y_at += group * word(args, {rows + 2})",
            f"    y_at += col * word(args, {self.loop.steps_at + 1})",
            f"    {y}_p = {target}_pointer(y_at)",
            f"    store({y}_p, 0, {self.delivered(f'{y}_p', '0', out, 'acc', self.kind)})",
            "    i += step",
        ):
            self.line(1, line)


class Fold(Device, HostFold):
    """A binary function along the run of each row, with a thread per row."""

    def space(self) -> None:
        self.extent(1, "total", "1")
        self.line(1, "row = start")
        self.line(1, "while row < total:")
        self.rows(2, "row")
        self.row()
        self.line(2, "row += step")


class At(Device, HostAt):
    """Updates in order, by a single thread."""

    def space(self) -> None:
        self.line(1, "lo = select(start == 0, 0, n)")
        self.line(1, "hi = n")
        super().space()
