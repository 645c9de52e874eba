"""Emitted row programs over rows that lie side by side, so a row's elements are strided.

WIDTH rows are processed together: a total is a strip of numbers on the stack, one for each row, and
the inner loop runs over rows. So memory is read in order although a row is not. A row's elements
are combined in order, sums and products in float64, whatever the range. Short rows that are not
adjacent are copied into strips in which they are, and results from there.

Values that depend on numbers of the rows alone are also computed into strips, between passes. The
loop's last parameters are the row's length and, for each array, the byte step between elements of a
row; `whole` marks an output with one value a row. See `rows` for values kept in an output.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from nbgraph.kernels.loops.loop import STRIP, Access, Loop, Operand, Output, Total
from nbgraph.kernels.loops.rows import COSTLY, Rows, is_sum, reached
from nbgraph.kernels.loops.writer import WHERE
from nbgraph.kernels.scalar.graph import Node
from nbgraph.kernels.scalar.kinds import STORED

_AT_ONCE = 4  # elements of a row that are summed before they are added to the total, if cheap
WIDTH = 256  # rows together: long runs, and few bytes of many rows in the cache


class Columns(Rows):
    """The writer of the form "columns"; see the module."""

    def __init__(self, loop: Loop) -> None:
        arrays = (*loop.operands, *loop.outputs)
        self._turned = [k for k, a in enumerate(arrays) if a.layout == "s" and not a.whole]
        if self._turned:
            operands, outputs = (
                tuple(a if a.whole or a.layout != "s" else a._replace(layout="c") for a in own)
                for own in (loop.operands, loop.outputs)
            )
            loop = replace(loop, operands=operands, outputs=outputs)
        super().__init__(loop)
        self.elements = [k for k, o in enumerate(loop.outputs) if not o.whole]
        self.strips: dict[int, tuple[str, str]] = {}  # node -> strip, dtype of its elements
        self._read: dict[str, Operand] = {}  # operands per element of the current pass
        self._moving: list[str] = []  # arrays that the current pass traverses
        self._index: int | None = None

    def space(self) -> None:
        self.read_steps()
        self._steps = dict(self.moved)
        for k in self._turned:
            name, array = self.arrays()[k]
            self.moved[name] = f"m * {self.item(array)}"
        self.line(1, *WHERE)
        start = len(self.lines)
        self.line(1, "while lo < hi:")
        most = f"max(1, {STRIP} // {self.length})" if self._turned else str(WIDTH)
        self.line(2, f"m = min(min(n - col, hi - lo), {most})")
        for k, (name, array) in enumerate(self.arrays()):
            if k in self._turned:
                self._turn(k, name, array)
                continue
            by = "" if array.layout == "0" else f" + col * {self.stride(name, array)}"
            address = self.base(k, "row") + by
            self.line(2, f"{name}_p = {array.dtype}_pointer({address})")
        self.check_classes()
        self.passes()
        for k in self._turned[::-1]:
            if k >= len(self.names):
                self.line(2, self._copy(k, *self.arrays()[k], out=True))
        self.next_run(row_ends=False)
        declarations = {name: f"    {name} = strip_{kind}()" for name, kind in self.strips.values()}
        self.lines[start:start] = declarations.values()

    def _turn(self, k: int, name: str, array: Operand | Output) -> None:
        """Write the copy of short rows that are not adjacent into a strip in which they are."""
        self.line(2, f"{name}_p = strip_{STORED.get(array.dtype, array.dtype)}()")
        self.line(2, f"{name}_by = word(args, {self.loop.steps_at + k})")
        self.line(2, f"{name}_from = {self.base(k, 'row')} + col * {name}_by")
        self.locals |= {f"{name}_by", f"{name}_from"}
        if isinstance(array, Operand) or array.request == "add":
            self.line(2, self._copy(k, name, array))

    def _copy(self, k: int, name: str, array: Operand | Output, *, out: bool = False) -> str:
        """Return the call of a part that copies rows into their strip, or (`out`) back."""
        own = f"{array.dtype}_pointer({name}_from + i * {name}_by + j * {self._steps[name]})"
        places = (own, "0"), (f"{name}_p", "j * m + i")
        (source, at), (to, place) = places[::-1] if out else places
        lines = [
            f"for j in range({self.length}):",
            "    for i in range(m):",
            f"        store({to}, {place}, load({source}, {at}))",
        ]
        return self.part(f"{'back' if out else 'turn'}_{k}", lines, "0")

    def check_classes(self) -> None:
        """See Rows; here for all labels of a strip."""
        if self.loop.classes is None:
            return
        which = [o.node.id for o in self.loop.operands].index(self.loop.classes.id)
        name, operand = self.names[which], self.loop.operands[which]

        at = self._unique("at")
        self.line(2, f"for {at} in range(m):")
        label = self.widened(operand, f"{name}_p", "0" if operand.layout == "0" else at)
        self.refuse(3, f"(lo + {at})", self.length, label, operand.dtype)

    # passes -----------------------------------------------------------------------------------

    def stage(self, number: int, totals: Sequence[Total]) -> None:
        self._pass = [total.node for total in totals]
        self._fill_strips(self._pass)
        for total in totals:
            self._strip(total.leaf, "float64" if is_sum(total) else self.loop.compute)
        self.line(2, self.part(f"run{number}", self.captured(lambda: self._totals(totals)), "0"))

    def _totals(self, totals: Sequence[Total]) -> None:
        own = [self.strips[total.leaf.id][0] for total in totals]
        self.line(0, "for i in range(m):")
        for total, name in zip(totals, own, strict=True):
            self.line(1, f"store_output({name}, i, {self._start(total, wide=is_sum(total))})")
        kept = next((t.node for t in totals if self.kept and self.kept.node is t.node), None)
        costly = any(n.op in COSTLY for n in self.loop.graph.reachable(self._pass))
        length = self.pass_length(totals, self.length)
        for count in self._each(length, 1 if costly else _AT_ONCE, kept_too=kept is not None):
            values: list[list[str]] = [[] for _ in totals]
            for k in range(count):
                texts = self._element(k, count)
                for total, name, text, row in zip(totals, own, texts, values, strict=True):
                    if self.kept is not None and total.node is kept:
                        y = self.kept.output
                        output = self.loop.outputs[y]
                        self.store(2, self.outputs[y], output, text, access=self.loop.access)
                    row.append(f"{name}_{k}" if count > 1 else text)
                    if count > 1:
                        self.line(2, f"{name}_{k} = {text}")
            for total, name, row in zip(totals, own, values, strict=True):
                value = f"load({name}, i)"
                if total.combine in ("max", "min"):
                    for text in row:
                        value = f"acc_{total.combine}({value}, {text})"
                else:
                    sign = "+" if total.combine == "add" else "*"
                    value = f"{value} {sign} float64({f' {sign} '.join(row)})"
                self.line(2, f"store_output({name}, i, {value})")

    def last(self) -> None:
        self._pass = [self.loop.outputs[k].node for k in self.elements]
        self._fill_strips(self._pass)
        self.line(2, self.part("run", self.captured(self._write), "0"))

    def _write(self) -> None:
        for _ in self._each(self.length, 1, kept_too=self.kept is not None):
            self._point(0, 1)
            self._load_kept(2)
            self._load_needed(2, self._pass)
            self._store_outputs(2)

    def results(self) -> None:
        outputs = [(k, o) for k, o in enumerate(self.loop.outputs) if o.whole]
        if outputs:
            self._pass = [output.node for _, output in outputs]
            self.line(2, self.part("result", self.captured(lambda: self._results(outputs)), "0"))

    def _results(self, outputs: Sequence[tuple[int, Output]]) -> None:
        self.line(0, "for i in range(m):")
        self._load_needed(1, self._pass)
        texts = self.body(1, self._pass)
        for (k, output), text in zip(outputs, texts, strict=True):
            pointer, index = self.place(self.outputs[k], output, "i")
            value = self.delivered(pointer, index, output, text, self.loop.compute)
            self.put(1, pointer, index, value, access="plain")

    # pieces -----------------------------------------------------------------------------------

    def _each(self, length: str, most: int, *, kept_too: bool) -> Iterator[int]:
        """Write the loops over elements and rows; yield the number of elements that an iteration
        handles, for the caller to write its body."""
        known = {**self.leaves, **dict.fromkeys(self.strips, "")}
        used = reached(self.loop.graph, self._pass, known)
        operands = dict(zip(self.names, self.loop.operands, strict=True))
        self._read = {n: o for n, o in operands.items() if o.node.id in used and not o.whole}
        writes = [self.outputs[k] for k in self.elements] if self._writing() else []
        if kept_too and self.kept is not None:
            writes.append(self.outputs[self.kept.output])
        self._moving = list(dict.fromkeys([*self._read, *writes]))
        for name in self._moving:
            self.line(0, f"{name}_at = {name}_p")
        self.line(0, "j = 0")
        index, leaves = self.loop.index, dict(self.leaves)
        self._index = index.id if index is not None and index.id in used else None
        for count in sorted({most, 1}, reverse=True):
            self.line(0, f"while j + {count} <= {length}:")
            for k in range(count):
                for name, operand in self._read.items():
                    if operand.layout == "0":
                        self._at(1, name, k)
                        text = self.widened(operand, f"{name}_p", "0")
                        self.line(1, f"{name}{_of(k, count)} = {text}")
            self.line(1, "for i in range(m):")
            yield count
            self.leaves = dict(leaves)
            self.line(1, f"j += {count}")

    def _at(self, indent: int, name: str, k: int) -> None:
        place = f"(j + {k})" if k else "j"
        self.line(indent, f"{name}_p = shifted({name}_at, {place} * {self.moved[name]})")

    def _point(self, k: int, count: int) -> None:
        """Write the pointers to the k-th of `count` elements of a row."""
        for name in self._moving:
            operand = self._read.get(name)
            if operand is None or operand.layout != "0":
                self._at(2, name, k)
            else:
                self.leaves[operand.node.id] = f"{name}{_of(k, count)}"
        if self._index is not None:
            self.leaves[self._index] = "place"
            self.line(2, f"place = int32(j + {k})")

    def _element(self, k: int, count: int) -> list[str]:
        """Return the texts of the pass's nodes for the k-th of `count` elements."""
        leaves = dict(self.leaves)
        self._point(k, count)
        self._load_needed(2, self._pass)
        texts = self.body(2, self._pass)
        self.leaves = leaves
        return texts

    def _writing(self) -> bool:
        return bool(self.elements) and self._pass == [
            self.loop.outputs[k].node for k in self.elements
        ]

    def _load_needed(self, indent: int, roots: Sequence[Node]) -> None:
        """Load the strips and operands that `roots` need."""
        for node in self._needed_strips(roots):
            name, dtype = self.strips[node]
            text = f"load_input({name}, i)"
            self.leaves[node] = f"{name}_i"
            text = text if dtype == self.loop.compute else f"{self.loop.compute}({text})"
            self.line(indent, f"{name}_i = {text}")
        needed = self.needed(roots)
        which = [k for k, o in enumerate(self.loop.operands) if o.node.id in needed]
        access: Access = "element" if self.loop.access == "element" else "scoped"
        self.load_all(indent, which, access=access)

    def _needed_strips(self, roots: Sequence[Node]) -> list[int]:
        """Return the nodes with a strip that `roots` are computed from directly."""
        strips: set[int] = set()
        around = reached(self.loop.graph, roots, {**self.leaves, **dict.fromkeys(self.strips, "")})
        for node in self.loop.graph.reachable(list(roots)):
            parts = [node] if node in roots else []
            if node.id in around:
                parts += self.loop.graph.children(node)
            strips |= {p.id for p in parts if p.id in self.strips and p.id not in self.leaves}
        return sorted(strips)

    def _strip(self, node: Node, dtype: str) -> str:
        name = self._unique(str(node.data) if node.op == "arg" else "of_row")
        self.strips[node.id] = name, dtype
        self.locals.add(name)
        return name

    def _fill_strips(self, roots: Sequence[Node]) -> None:
        """Compute into strips the values below `roots` that depend on numbers of rows alone."""
        graph = self.loop.graph
        varying: set[int] = set()
        rows = {o.node.id for o in self.loop.operands if o.whole}
        needed: dict[int, Node] = {n.id: n for n in roots}
        for node in graph.reachable(list(roots)):
            if node.id in self.leaves or node.id in self.strips:
                continue
            parts, own = graph.children(node), node.op == "arg" and node.id not in rows
            if own or node.regions or any(p.id in varying for p in parts):
                varying.add(node.id)
                needed.update({p.id: p for p in parts})
        hidden = {*varying, *rows, *self.leaves, *self.strips}
        nodes = [
            n
            for n in needed.values()
            if n.id not in hidden and n.kind == "f" and n.op not in ("const", "param")
        ]
        if not nodes:
            return
        self.line(
            2, self.part(f"rows{len(self.strips)}", self.captured(lambda: self._fill(nodes)), "0")
        )
        for node in nodes:
            assert node.id in self.strips

    def _fill(self, nodes: Sequence[Node]) -> None:
        self.line(0, "for i in range(m):")
        self._load_needed(1, nodes)
        texts = self.body(1, nodes)
        for node, text in zip(nodes, texts, strict=True):
            self.line(1, f"store_output({self._strip(node, self.loop.compute)}, i, {text})")


def _of(k: int, count: int) -> str:
    return f"_{k}" if count > 1 else ""
