"""Conversion of a tape to a symbol: `get_symbol`."""

from typing import Any

from nbgraph.autograd.rules import PART_WRITTEN
from nbgraph.autograd.tape import Record
from nbgraph.autograd.traced import with_part
from nbgraph.graph import build
from nbgraph.graph.node import Entry, Node, topological
from nbgraph.graph.symbol import Symbol
from nbgraph.operator.layout import Layout
from nbgraph.ops.define import library


def symbol_of(node: Node, output: int) -> Symbol:
    """Return the symbol of a node's output; see `nbgraph.autograd.entry.get_symbol`."""
    rebuilding = _Rebuilding()
    for each in topological([node]):
        rebuilding.add(each)
    return rebuilding.symbols[node, output]


class _Rebuilding:
    """Symbols in place of entries of a tape, operands first."""

    def __init__(self) -> None:
        self.symbols: dict[Entry, Symbol] = {}
        self._untracked: dict[tuple[int, int], Symbol] = {}  # by weak reference, and writes
        self._leaves = 0

    def add(self, node: Any) -> None:
        """Add the symbols of a node's outputs."""
        if not isinstance(node, Record):
            self.symbols[node, 0] = _variable(f"var{self._leaves}", node.layout)
            self._leaves += 1
            return
        for k, (symbol, own) in enumerate(zip(self._results(node), node.outputs, strict=False)):
            # a write to memory of another dtype is a cast
            same = symbol.dtype == own.dtype
            self.symbols[node, k] = symbol if same else library.astype(symbol, own.dtype)

    def _results(self, node: Record) -> list[Symbol]:
        operands = self._operands(node)
        op: Any = node.op
        if op is PART_WRITTEN:
            return [with_part(*operands, **node.attributes)]
        if hasattr(op, "on_symbols"):
            return op.on_symbols(operands)
        entries = [v.entry if isinstance(v, Symbol) else v for v in operands]
        copy = build.apply(op, entries, node.attributes)
        return [Symbol([(copy, k)]) for k in range(copy.nout)]

    def _operands(self, node: Record) -> list[Any]:
        """Return a node's operands: symbols for arrays, and numbers unchanged."""
        operands: list[Any] = []
        untracked = iter(node.untracked)
        for entry, own in zip(node.inputs, node.layouts, strict=True):
            if entry is not None:
                operands.append(self.symbols[entry])
            elif isinstance(own, Layout):
                # there is one reference object while the array lives; the node keeps it
                ref, writes = next(untracked)
                name = f"null{len(self._untracked)}"
                key = id(ref), writes
                operands.append(self._untracked.setdefault(key, _variable(name, own)))
            else:
                operands.append(own)
        return operands


def _variable(name: str, own: Layout) -> Symbol:
    return Symbol([(build.variable(name, own.shape, own.dtype), 0)])
