"""Derivatives of functions of symbols, within a trace or of a user's symbols.

While the function is called, each argument is a new variable, which its symbol replaces in the
results. So derivatives nest without mixing inner and outer variables.
"""

import itertools
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from nbgraph.array.core import Array
from nbgraph.autograd.control import closing
from nbgraph.autograd.forward import pushed
from nbgraph.autograd.results import no_derivative, not_a_value
from nbgraph.autograd.traced import Traced
from nbgraph.autograd.tracing import current_tracer
from nbgraph.autograd.tree import Place, like, places
from nbgraph.autograd.variables import Variables
from nbgraph.errors import ArgumentError
from nbgraph.graph import build
from nbgraph.graph.build import Operand
from nbgraph.graph.graph import Entry, Graph
from nbgraph.graph.passes.gradient import gradient
from nbgraph.graph.symbol import Symbol
from nbgraph.operator.lazy import is_lazy
from nbgraph.operator.scalar.typing import is_foreign
from nbgraph.ops.define import library

_numbers = itertools.count()  # of temporary variables


class SymbolVariables(Variables):
    """The values of a structure as variables of a graph."""

    symbolic = True

    def __init__(self, name: str, structure: Any, path: str) -> None:
        self.structure, self._tracer = structure, current_tracer()
        self._places = places(structure, path)
        self._entries = [self._entry(name, place) for place in self._places]
        self.nodes = [
            build.variable(f"{place.path} of derivative {next(_numbers)}", *Symbol([entry]).spec)
            for place, entry in zip(self._places, self._entries, strict=True)
        ]
        self.arrays: list[Any] = [self._symbol((node, 0)) for node in self.nodes]

    @contextmanager
    def tracking(self) -> Generator[None]:
        standing = {} if self._tracer is None else self._tracer.trace.standing
        before = dict(standing)
        for place, node in zip(self._places, self.nodes, strict=True):
            if place.owned:
                standing[id(place.value)] = node, 0
        try:
            yield
        finally:
            standing.clear()
            standing.update(before)

    def outside(self, values: Sequence[Any]) -> list[Any]:
        """Return values over the original arguments, in place of the variables."""
        inner = [v for v in values if isinstance(v, Symbol)]
        moved: dict[Entry, Operand] = {
            (n, 0): entry for n, entry in zip(self.nodes, self._entries, strict=True)
        }
        graph = Graph([entry for v in inner for entry in v.entries])
        heads = iter(graph.rewrite(lambda node, inputs: None, moved).heads)
        outer = [self._symbols([next(heads) for _ in v.entries]) for v in inner]
        symbols = iter(outer)
        return [next(symbols) if isinstance(v, Symbol) else v for v in values]

    def slopes(self, heads: Sequence[Any], seeds: Sequence[Operand | None]) -> list[Any]:
        """Return gradients of heads with respect to the variables, over the variables."""
        graph = gradient(Graph([head.entry for head in heads]), self.nodes, seeds)
        return [self._symbol(entry) for entry in graph.heads]

    def _symbols(self, entries: Sequence[Entry]) -> Any:
        return self._symbol(entries[0]) if len(entries) == 1 else Symbol(entries)

    def _symbol(self, entry: Entry) -> Any:
        return Symbol([entry]) if self._tracer is None else Traced([entry])

    def _entry(self, name: str, place: Place) -> Entry:
        value = place.value
        if place.owned and self._tracer is None:
            raise ArgumentError(
                f"{name}: {place.path} belongs to an object, which looks it up itself; beside "
                "symbols give the arrays themselves, or use ng.jit"
            )
        if is_lazy(value) and self._tracer:
            entry = self._tracer.entry_of(value)
        elif isinstance(value, (Symbol, Array)) or _is_values(value):
            array = np.asarray(value) if is_foreign(value) else value
            entry = closing.entry_of(name, array, place.path)
        else:
            raise not_a_value(name, place)
        dtype = Symbol([entry]).dtype
        if dtype.kind not in "cfV":
            raise no_derivative(name, place.path, dtype)
        return entry


def lifted(out: Any) -> Any:
    """Return a function's result, as a symbol where it is an array from outside."""
    tracer = current_tracer()
    if tracer is not None and (isinstance(out, Array) or is_lazy(out)):
        return Traced([tracer.entry_of(out)])
    return out


def stopped(value: Any) -> Any:
    """Return a result for the outside: a constant if no recorder is active."""
    tracer = current_tracer()
    if tracer is None or not isinstance(value, Traced):
        return value
    return tracer.wrapped(value.entry)


def finished(variables: SymbolVariables, *structures: Any) -> list[Any]:
    """Return structures of symbols, over the original arguments."""
    leaves = [place.value for structure in structures for place in places(structure, "")]
    symbols = iter([stopped(v) for v in variables.outside(leaves)])
    return [
        like(structure, [next(symbols) for _ in places(structure, "")], objects=True)
        for structure in structures
    ]


def tangents(
    variables: SymbolVariables, heads: Sequence[Any], directions: Sequence[Any]
) -> list[Any]:
    """Return derivatives of heads in the directions."""
    entries = [
        entry_of(direction, value)
        for direction, value in zip(directions, variables.arrays, strict=True)
    ]
    slopes = pushed([head.entry for head in heads], variables.nodes, entries)
    return variables.outside([variables._symbol(entry) for entry in slopes])


def entry_of(value: Any, like_it: Any) -> Entry:
    """Return a direction or cotangent as an entry, in the dtype of the value that it belongs to."""
    if not isinstance(value, (Symbol, Array)):
        value = np.asarray(value, like_it.dtype)
    symbol = (
        value if isinstance(value, Symbol) else Symbol([closing.entry_of("derivative", value, "")])
    )
    if symbol.dtype != like_it.dtype:
        symbol = library.astype(symbol, like_it.dtype)
    return symbol.entry


def _is_values(value: Any) -> bool:
    """Return whether a leaf is numbers, by NumPy, Python or another library."""
    numbers = isinstance(value, (np.ndarray, np.generic, float, int)) and type(value) is not bool
    return numbers or is_foreign(value)
