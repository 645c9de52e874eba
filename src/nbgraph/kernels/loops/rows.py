"""Emitted row programs: several passes over a row while it is in the cache.

A pass computes totals of the row, which later passes read as numbers; the last pass writes. Values
that depend on numbers of the row alone are computed once per row, between passes. Sums and products
run over blocks of BLOCK elements in an order that LLVM chooses; totals of blocks are then added in
order, in float64. So the order depends on length, layout and dtype, never on [lo, hi).

A costly value of one pass that a later one needs again (exp(x - max) of a softmax) is kept in an
output if that can hold it exactly and later passes read nothing else of the row; otherwise it is
recomputed, with the same bits. So an output of a row may overwrite an operand of the same elements.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from nbgraph.kernel_errors import CLASS_CODE, COUNT_BITS, LABEL_BITS, PLACE_BITS
from nbgraph.kernels.loops import run_totals
from nbgraph.kernels.loops.cost import is_chain
from nbgraph.kernels.loops.loop import BLOCK, Access, Combine, Loop, Operand, Total
from nbgraph.kernels.loops.writer import Writer
from nbgraph.kernels.scalar.graph import Graph, Node

_START: dict[Combine, float] = {"add": 0.0, "multiply": 1.0, "max": float("-inf")}
_START["min"] = -_START["max"]
COSTLY = ("call", "extern", "final", "div")


class _Kept(NamedTuple):
    """A value of pass `stage` that output `output` holds until the last pass."""

    node: Node
    stage: int
    output: int


class Rows(Writer):
    """The writer of the form "rows"; see the module."""

    def __init__(self, loop: Loop) -> None:
        super().__init__(loop)
        self.totals = {t.leaf.id: self._unique(str(t.leaf.data)) for s in loop.stages for t in s}
        self.kept = _value_to_keep(loop)
        self.elements = [k for k, o in enumerate(loop.outputs) if o.layout != "0"]
        self._pass: Sequence[Node] = ()  # the nodes of the pass being written
        self.moved: dict[str, str] = {}  # array -> byte step between elements, or pieces
        self.length = ""  # number of elements of a row, or of pieces

    def roots(self) -> list[Node]:
        return [*_nodes(self.loop.stages), *super().roots()]

    def waits(self) -> bool:
        return is_chain(self.loop.graph, self._pass)

    def read_steps(self) -> None:
        """Name the last parameters: a number, and a byte step per array."""
        own = self.loop.parameters[-1 - self.loop.pointers :]
        self.length, *steps = (self.leaves[p.id] for p in own)
        self.moved = dict(zip([*self.names, *self.outputs], steps, strict=True))

    def space(self) -> None:
        if self.loop.pieces:
            self.read_steps()
        self.line(1, "for row in range(lo, hi):")
        for k, (name, array) in enumerate(self.arrays()):
            self.line(2, f"{name}_at = {self.base(k, 'row')}")
            if array.layout == "0" and isinstance(array, Operand):
                self.single(name, array)
        self.check_classes()
        self.passes()

    def single(self, name: str, operand: Operand) -> None:
        """Load an operand with one value per row."""
        self.line(2, f"{name}_p = {operand.dtype}_pointer({name}_at)")
        self.line(2, f"{name} = {self.widened(operand, f'{name}_p', '0')}")
        self.leaves[operand.node.id] = name

    def passes(self) -> None:
        """Write all passes over a row, and outputs with one value per row."""
        for number, totals in enumerate(self.loop.stages):
            self.stage(number, totals)
        if self.elements:
            self.last()
        self.results()

    def check_classes(self) -> None:
        """Write a return of the error code if the row's label is not an index in the row."""
        if self.loop.classes is not None:
            dtype = next(o.dtype for o in self.loop.operands if o.node is self.loop.classes)
            self.refuse(2, "row", "n", self.leaves[self.loop.classes.id], dtype)

    def refuse(self, indent: int, row: str, count: str, label: str, dtype: str) -> None:
        """Write a return of the error code if a label is not a class; see `nbgraph.errors`."""
        place, half = self._unique("place"), 1 << LABEL_BITS - 1
        self.line(indent, f"{place} = int64({label})")
        fraction = f" or float64({place}) != float64({label})" if "float" in dtype else ""
        self.line(indent, f"if {place} < 0 or {place} >= {count}{fraction}:")
        text = f"min({row}, {(1 << PLACE_BITS) - 1}) * {1 << COUNT_BITS}"
        text = f"({text} + min({count}, {(1 << COUNT_BITS) - 1})) * {1 << LABEL_BITS}"
        text = f"({text} + min(max({place}, 0 - {half}), {half - 1}) + {half}) * 256 + {CLASS_CODE}"
        self.line(indent + 1, f"return {text}")

    # passes -----------------------------------------------------------------------------------

    def stage(self, number: int, totals: Sequence[Total]) -> None:
        """Write a pass that computes totals."""
        self._pass = [total.node for total in totals]
        self.hoist(2, self._pass)
        names = [self.totals[total.leaf.id] for total in totals]
        accumulators = ", ".join(f"{name}_acc" for name in names)
        lines = self.captured(lambda: self._accumulate(number, totals, names))
        run = self.part(f"run{number}", lines, accumulators)
        blocked = number == 0 or self.loop.pieces or any(is_sum(total) for total in totals)
        for total, name in zip(totals, names, strict=True):
            if blocked:
                self.line(2, f"{name} = {self._start(total, wide=is_sum(total))}")
        at = self._each_piece()
        self.line(at, "start = 0")
        if blocked:
            self.line(at, f"while start < {self.pass_length(totals, 'n')}:")
            self.line(at + 1, f"m = min(n - start, {BLOCK})")
            self._pointers(at + 1, lines)
            if number == 0:
                self.ahead(at + 1, lines, "(hi - lo) * n")
            self.line(at + 1, f"{accumulators} = {run}")
            for total, name in zip(totals, names, strict=True):
                self.line(at + 1, f"{name} = {_joined(total, name)}")
            self.line(at + 1, "start += m")
        else:
            self.line(at, "m = n")
            self._pointers(at, lines)
            self.line(at, f"{', '.join(names)} = {run}")
        for total, name in zip(totals, names, strict=True):
            if is_sum(total):
                self.line(2, f"{name}_of_row = {self.loop.compute}({name})")
            self.leaves[total.leaf.id] = f"{name}_of_row" if is_sum(total) else name

    def pass_length(self, totals: Sequence[Total], length: str) -> str:
        """Return the length of a pass: zero if a number of the row says that all totals take no
        value at all."""
        graph, conditions = self.loop.graph, set[str]()
        for total in totals:
            node, nothing = total.node, graph.const(_START[total.combine])
            left_out = node.op == "select" and node.args[2] is nothing
            conditions.add(self.leaves.get(node.args[0].id, "") if left_out else "")
        condition, *more = conditions
        return length if more or not condition else f"select({condition}, {length}, 0)"

    def _accumulate(self, number: int, totals: Sequence[Total], names: Sequence[str]) -> None:
        """Write the inner loop of a pass that computes totals."""
        own: list[run_totals.RunTotal] = []
        for total, name in zip(totals, names, strict=True):
            wide = self._wide(total)
            kind = "float64" if wide else self.loop.compute
            own.append(
                run_totals.RunTotal(name, total.combine, kind, self._start(total, wide=wide))
            )
        self.line(0, *run_totals.begin(own))
        self.line(0, "for i in range(m):")
        self._load(self._pass)
        texts = self.body(1, self._pass)
        for total, text in zip(totals, texts, strict=True):
            if self.kept is not None and (self.kept.stage, self.kept.node) == (number, total.node):
                k = self.kept.output
                self.store(1, self.outputs[k], self.loop.outputs[k], text, access=self.loop.access)
        values = [
            f"{t.kind}({text})" if t.kind != self.loop.compute else text
            for t, text in zip(own, texts, strict=True)
        ]
        self.line(1, *run_totals.add(own, values))
        self.line(0, *run_totals.end(own))

    def last(self) -> None:
        """Write the pass that stores outputs."""
        outputs = [self.loop.outputs[k] for k in self.elements]
        self._pass = [output.node for output in outputs]
        self.hoist(2, self._pass)
        lines = self.captured(self._write)
        at = self._each_piece()
        self.line(at, "start = 0")
        self.line(at, "m = n")
        run = self.part("run", lines, "0")
        self._pointers(at, lines)
        self.line(at, run)

    def _write(self) -> None:
        self.line(0, "for i in range(m):")
        self._load_kept(1)
        self._load(self._pass)
        self._store_outputs(1)

    def _load_kept(self, indent: int) -> None:
        """Load the value that an earlier pass kept in an output."""
        if self.kept is None:
            return
        name, output = self.outputs[self.kept.output], self.loop.outputs[self.kept.output]
        local = self._unique("kept")
        self.leaves[self.kept.node.id] = local
        among: Access = "element" if self.loop.access == "element" else "plain"
        loaded = self.loaded(*self.place(name, output, "i"), output.dtype, access=among)
        self.line(indent, f"{local} = {loaded}")

    def _store_outputs(self, indent: int) -> None:
        """Compute and store the outputs of an element."""
        access = self.loop.access
        among: Access = "element" if access == "element" else "plain"
        texts = self.body(indent, self._pass)
        for k, text in zip(self.elements, texts, strict=True):
            output = self.loop.outputs[k]
            pointer, index = self.place(self.outputs[k], output, "i")
            value = self.delivered(pointer, index, output, text, self.loop.compute, access=among)
            self.put(indent, pointer, index, value, access=access)

    def results(self) -> None:
        """Write outputs with one value per row."""
        outputs = [k for k, _ in enumerate(self.loop.outputs) if k not in self.elements]
        self.hoist(2, [self.loop.outputs[k].node for k in outputs])
        for k in outputs:
            output, name = self.loop.outputs[k], self.outputs[k]
            assert output.node.op == "const" or output.node.id in self.leaves, output
            text = self.leaves.get(output.node.id) or self.namespace.constant(output.node)
            self.line(2, f"{name}_p = {output.dtype}_pointer({name}_at)")
            value = self.delivered(f"{name}_p", "0", output, text, self.loop.compute)
            self.line(self.once(2), f"store({name}_p, 0, {value})")

    # pieces -----------------------------------------------------------------------------------

    def _each_piece(self) -> int:
        """Begin the loop over the runs of a row, if there are several; return the inner indent."""
        if self.loop.pieces:
            self.line(2, f"for piece in range({self.length}):")
        return 3 if self.loop.pieces else 2

    def _load(self, roots: Sequence[Node]) -> None:
        """Load the operands of an element that `roots` need, and its index in the row."""
        needed = self.needed(roots)
        which = [k for k, o in enumerate(self.loop.operands) if o.node.id in needed]
        access = self.loop.access
        self.load_all(1, which, access="element" if access == "element" else "scoped")
        index = self.loop.index
        if index is not None and index.id in needed:
            self.locals.add("start")
            self.leaves[index.id] = self._unique("at")
            self.line(1, f"{self.leaves[index.id]} = int32(start + i)")

    def _pointers(self, indent: int, lines: Sequence[str]) -> None:
        """Write typed pointers to element `start` of the arrays that `lines` use."""
        words = set(re.findall(r"\w+", "\n".join(lines)))
        for name, array in self.arrays():
            if f"{name}_p" in words and array.layout != "0":
                piece = f" + piece * {self.moved[name]}" if self.loop.pieces else ""
                address = f"{name}_at{piece} + start * {self.stride(name, array)}"
                self.line(indent, f"{name}_p = {array.dtype}_pointer({address})")

    def _wide(self, total: Total) -> bool:
        """Return whether to sum in float64: a strided run has one accumulator, not a vector."""
        return is_sum(total) and any(o.layout == "s" for o in self.loop.operands)

    def _start(self, total: Total, *, wide: bool) -> str:
        text = self.namespace.constant(self.loop.graph.const(_START[total.combine]))
        return f"float64({text})" if wide else text


def is_sum(total: Total) -> bool:
    """Return whether the result depends on the order of elements."""
    return total.combine in ("add", "multiply")


def _joined(total: Total, name: str) -> str:
    """Return the total so far combined with that of another block."""
    if not is_sum(total):
        return f"acc_{total.combine}({name}, {name}_acc)"
    return f"{name} {'+' if total.combine == 'add' else '*'} float64({name}_acc)"


def _nodes(stages: Sequence[Sequence[Total]]) -> list[Node]:
    return [total.node for stage in stages for total in stage]


def reached(graph: Graph, roots: Sequence[Node], known: dict[int, str]) -> set[int]:
    """Return ids of nodes to compute for `roots` in addition to known ones."""
    return {node.id for node in graph.reachable(roots, known)}


def _value_to_keep(loop: Loop) -> _Kept | None:
    """Return the value to keep in an output between two passes, or None."""
    graph = loop.graph
    beside = loop.form == "columns"
    elements = {o.node.id for o in loop.operands if beside or o.layout != "0"}
    written = [o.node for o in loop.outputs if o.layout != "0" and not o.whole]
    for k, output in enumerate(loop.outputs):
        exact = output.dtype == loop.compute and output.request == "write"
        if output.layout == "0" or output.whole or not exact:
            continue
        for number, stage in enumerate(loop.stages):
            between = _nodes(loop.stages[number + 1 :])
            if elements & reached(graph, between, {}):  # output may overwrite an operand
                continue
            later = [*between, *written]
            for total in stage:
                costly = any(n.op in COSTLY for n in graph.reachable([total.node]))
                if costly and total.node.id in reached(graph, later, {}):
                    if not elements & reached(graph, later, {total.node.id: ""}):
                        return _Kept(total.node, number, k)
    return None
