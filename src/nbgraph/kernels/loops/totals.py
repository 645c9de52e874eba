"""Emitted reductions over memory, of totals of blocks and along leading axes; folds, scans and
indexed updates, which apply a binary function in order.

Reductions have one operand, one output and a fixed order: sums of totals are added in NumPy's
pairwise order, everything else in sequence.

"totals": the inner run of each row becomes one value; [lo, hi) counts rows.

"leading": rows are combined column by column. Rows are cut into groups of GROUP, whose totals are
rows of the next call, until few are left (`operator.rows.reduce_call`); [lo, hi) counts strips of
STRIP columns of groups of batches. Parameters: full groups; rows in each of them and in the partial
one; rows after these, each copied as it is; groups in all. The outer dimensions are rows and
batches; along rows the output's step is that of groups.
"""

from nbgraph.kernels.loops.loop import GROUP, STRIP, Combine, Operand
from nbgraph.kernels.loops.writer import Writer
from nbgraph.kernels.scalar.graph import Node
from nbgraph.kernels.scalar.kinds import INTEGERS, ITEMSIZE

_START: dict[Combine, str] = {"add": "0.0", "multiply": "1.0", "max": "-inf", "min": "inf"}
_AT_ONCE = 4  # rows added to a strip at once


class InOrder(Writer):
    """A reduction of one operand in order; the accumulator has the operand's computed kind."""

    @property
    def kind(self) -> str:
        """The dtype of the accumulator."""
        node = self.loop.operands[0].node
        return self.loop.compute if node.kind == "f" else self.loop.outputs[0].node.kind

    @property
    def combine(self) -> Combine:
        """The function that combines two values."""
        combine = self.loop.outputs[0].combine
        assert combine is not None
        return combine

    def start(self) -> str:
        """The initial value of the accumulator."""
        if self.kind not in INTEGERS:
            return self.namespace.constant(self.loop.graph.const(float(_START[self.combine])))
        if self.combine in ("max", "min"):
            return f"{self.combine}_start_{self.kind}"
        return f"{self.kind}({0 if self.combine == 'add' else 1})"

    def combined(self, acc: str, value: str) -> str:
        """Return an accumulator combined with a value; sums and products are not reordered."""
        if self.combine in ("max", "min"):
            return f"acc_{self.combine}({acc}, {value})"
        text = f"{acc} {'+' if self.combine == 'add' else '*'} {value}"
        return f"{self.kind}({text})" if self.kind in INTEGERS else f"({text})"

    def value(self, pointer: str, index: str) -> str:
        """Return an element of the operand, converted to the accumulator's dtype."""
        return self.term(f"load_input({pointer}, {index})")

    def term(self, text: str) -> str:
        """Return the text of a stored element, converted to the accumulator's dtype."""
        operand = self.loop.operands[0]
        text = self.computed(operand, text)
        same = operand.dtype == self.kind or operand.node.kind == "f"
        return text if same else f"{self.kind}({text})"


class Totals(InOrder):
    """One value per row of a contiguous run."""

    def space(self) -> None:
        (out,), (x,), (y,) = self.loop.outputs, self.names, self.outputs
        self.line(1, "m = n")
        self.line(1, "for row in range(lo, hi):")
        self.pointers(2, "row", "0", (0, 1))
        if (self.combine, self.kind) == ("add", "float64"):
            total = f"acc_pairwise({x}_p, n)"
        else:
            total = self.part("run", self.captured(self._run), "acc")
        self.line(2, f"acc = {total}")
        self.line(2, f"store({y}_p, 0, {self.delivered(f'{y}_p', '0', out, 'acc', self.kind)})")

    def _run(self) -> None:
        self.line(0, f"acc = {self.start()}")
        self.line(0, "for i in range(m):")
        self.line(1, f"acc = {self.combined('acc', self.value(f'{self.names[0]}_p', 'i'))}")


class Leading(InOrder):
    """Rows combined column by column, a strip of columns at a time."""

    def space(self) -> None:
        (x,), (y,) = self.names, self.outputs
        groups = self.leaves[self.loop.parameters[3].id]
        rows, batches = self.loop.outer_at, self.loop.outer_at + 3
        source, target = self.loop.operands[0].dtype, self.loop.outputs[0].dtype
        for line in (
            f"strips = (n + {STRIP - 1}) // {STRIP}",
            f"step = word(args, {rows + 1})",
            "for unit in range(lo, hi):",
            "    place = unit // strips",
            f"    col = (unit - place * strips) * {STRIP}",
            f"    m = min(n - col, {STRIP})",
            f"    batch = place // {groups}",
            f"    group = place - batch * {groups}",
            *self.group("start"),
            f"    x_at = word(args, 2) + batch * word(args, {batches + 1}) + start * step",
            f"    y_at = word(args, 3) + batch * word(args, {batches + 2})",
            f"    y_at += group * word(args, {rows + 2})",
            f"    {x}_p = {source}_pointer(x_at + col * {ITEMSIZE[source]})",
            f"    {y}_p = {target}_pointer(y_at + col * {ITEMSIZE[target]})",
        ):
            self.line(1, line)
        self.line(2, "count = stop - start")
        self.locals |= {"step", "count"}
        self.line(2, self.part("run", self.captured(self._run), "0"))

    def group(self, first: str) -> list[str]:
        """Return the lines that set `first` and `stop` to the rows of a group."""
        full, main, carried, groups = (self.leaves[p.id] for p in self.loop.parameters)
        return [
            f"    {first} = group * {GROUP}",
            f"    stop = {first} + {GROUP}",
            f"    if group >= {full}:",
            f"        stop = {main}",
            f"        if {groups} - group <= {carried}:",
            f"            {first} = {main} + {carried} - {groups} + group",
            f"            stop = {first} + 1",
        ]

    def _run(self) -> None:
        """Write a strip of columns: the rows of a group, then the result."""
        (out,), (x,), (y,) = self.loop.outputs, self.names, self.outputs
        self.line(0, f"acc = strip_{self.kind}()")
        self.line(0, "for i in range(m):")
        self.line(1, f"store(acc, i, {self.start()})")
        self.line(0, "r = 0")
        for rows in (_AT_ONCE, 1):
            self.line(0, f"while r + {rows} <= count:")
            text = "load(acc, i)"
            for k in range(rows):
                self.line(1, f"p{k} = shifted({x}_p, (r + {k}) * step)")
                text = self.combined(text, self.value(f"p{k}", "i"))
            self.line(1, "for i in range(m):")
            self.line(2, f"store_output(acc, i, {text})")
            self.line(1, f"r += {rows}")
        value = self.delivered(f"{y}_p", "i", out, "load_input(acc, i)", self.kind)
        self.line(0, "for i in range(m):")
        self.line(1, f"store_output({y}_p, i, {value})")


class Fold(Writer):
    """A binary function applied along the run, in order, for the last value (fold) or all (scan).

    Operands: the initial value (layout "0"), then the run.
    """

    def space(self) -> None:
        self.line(1, "for row in range(lo, hi):")
        self.row()

    def row(self) -> None:
        """Write the lines of one row."""
        loop, name = self.loop, self.outputs[0]
        start, out = loop.operands[0], loop.outputs[0]
        self.pointers(2, "row", "0", (0, 1, 2))
        first = self.leaves[start.node.id]
        first = f"{loop.compute}({first})" if start.node.kind == "f" else first
        self.line(2, f"acc = {first}")
        self.line(2, "for i in range(n):")
        self.load_all(3, (1,), access="plain")
        self.leaves[start.node.id] = "acc"
        (text,) = self.body(3, [out.node])
        self.line(3, f"acc = {self._as_start(text, out.node, start)}")
        if loop.form == "scan":
            self.store(3, name, out, "acc", access="plain")
        else:
            self.line(2, f"store({name}_p, 0, {self.converted('acc', out.node, out.dtype)})")

    def _as_start(self, text: str, node: Node, start: Operand) -> str:
        if start.node.kind == "f":
            return text if node.kind == "f" else f"{self.loop.compute}({text})"
        return text if node.kind == start.node.kind else f"{start.dtype}({text})"


class At(Writer):
    """`a[index] = f(a[index], b)` in order. Operands: byte offsets, the element, optionally b."""

    def space(self) -> None:
        loop = self.loop
        offsets, element = self.names[:2]
        out = loop.outputs[0]
        y = self.outputs[0]
        self.line(1, f"{offsets}_p = int64_pointer(word(args, 2))")
        for k in range(2, len(self.names)):
            operand = loop.operands[k]
            name = self.names[k]
            self.line(1, f"{name}_p = {operand.dtype}_pointer(word(args, {2 + k}))")
        self.line(1, f"{y}_p = {out.dtype}_pointer(word(args, {2 + len(self.names)}))")
        self.line(1, "for i in range(lo, hi):")
        self.line(2, f"place = shifted({y}_p, load({offsets}_p, i))")
        loaded = self.loaded("place", "0", out.dtype)
        operand = loop.operands[1]
        text = f"{loop.compute}({loaded})" if operand.node.kind == "f" else loaded
        self.line(2, f"{element} = {text}")
        self.leaves[operand.node.id] = element
        self.load_all(2, range(2, len(self.names)), access="plain")
        (result,) = self.body(2, [out.node])
        self.line(2, f"store(place, 0, {self.converted(result, out.node, out.dtype)})")
