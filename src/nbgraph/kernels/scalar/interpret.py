"""Evaluation of a scalar graph at a point, with mpmath numbers or Python floats.

Only the nodes that the taken branches need are evaluated, so the logarithm of a negative number in
another branch never happens. This is the reference for certificates and for `at_point`. A domain
with a budget raises `Exhausted` when the work or the processor time is used up.
"""

from __future__ import annotations

import functools
import math
import operator
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from nbgraph.errors import NbgraphError
from nbgraph.kernels.scalar.functions import FUNCTIONS
from nbgraph.kernels.scalar.graph import ARITHMETIC, BITWISE, COMPARISONS, Graph, Node
from nbgraph.kernels.scalar.kinds import MAX_BITS, Undetermined, Unreached

MAX_TRIPS = 20_000  # of one loop
_UNARY: dict[str, Callable[[Any], Any]] = {
    "neg": operator.neg,
    "abs": abs,
    "not": operator.not_,
    "invert": operator.invert,
}


class Exhausted(NbgraphError):
    """The budget is used up."""


class Budget:
    """Work and processor seconds of this thread that evaluations may use together.

    A unit of work is one operation at 128 bits. Processor time rather than clock time, so that a
    busy machine does not weaken a check.
    """

    EVERY = 8.0  # units between two clock reads

    def __init__(self, work: float, seconds: float) -> None:
        self.work, self.used = work, 0.0
        self._end = time.thread_time() + seconds
        self._look = self.EVERY

    def spend(self, units: float) -> None:
        """Use up work; raise Exhausted when the work or the time is used up."""
        self.used += units
        if self.used > self.work:
            raise Exhausted("the work of the budget is done")
        if self.used >= self._look:
            self._look = self.used + self.EVERY
            if time.thread_time() > self._end:
                raise Exhausted("the time of the budget is over")


class Evaluator:
    """An evaluator of nodes for fixed leaves, which remembers values."""

    def __init__(
        self, graph: Graph, leaves: Mapping[int, Any], domain: Domain, max_trips: int = MAX_TRIPS
    ) -> None:
        self._graph, self._domain, self._max_trips = graph, domain, max_trips
        self._values: dict[int, Any] = dict(leaves)
        self.trips: dict[int, int] = {}  # of outermost loops, by region

    def __call__(self, root: Node) -> Any:
        """Return the value of a node."""
        values = self._values
        stack = [root]
        while stack:
            node = stack[-1]
            if node.id in values:
                stack.pop()
                continue
            missing = [n for n in self._next_nodes(node) if n.id not in values]
            if missing:
                stack.extend(missing)
                continue
            values[node.id] = self._compute(node)
            stack.pop()
        return values[root.id]

    def known(self, node: Node) -> Any:
        """Return the value of a node if it was evaluated, else None."""
        return self._values.get(node.id)

    def _next_nodes(self, node: Node) -> Sequence[Node]:
        """Return the nodes to evaluate next: of a select, the condition, then its branch."""
        values = self._values
        if node.op == "select":
            cond = node.args[0]
            if cond.id not in values:
                return (cond,)
            return (node.args[1 if values[cond.id] else 2],)
        if node.op in ("and", "or"):
            first = node.args[0]
            if first.id not in values:
                return (first,)
            decided = bool(values[first.id]) == (node.op == "or")
            return () if decided else (node.args[1],)
        if node.op == "final":
            region = self._graph.regions[node.data[0]]
            return [region.carried[p.id][1] for p in self._graph.closure(node)]
        return node.args

    def _compute(self, node: Node) -> Any:
        values, op = self._values, node.op
        if op == "const":
            return self._domain.const(node)
        if op == "select":
            return values[node.args[1 if values[node.args[0].id] else 2].id]
        if op in ("and", "or"):
            first = bool(values[node.args[0].id])
            return first if first == (op == "or") else bool(values[node.args[1].id])
        if op == "final":
            return self._loop(node)
        if op in ("arg", "param", "phi"):
            raise AssertionError(f"no value given for {node!r}")
        return self._domain.apply(node, [values[a.id] for a in node.args])

    def _loop(self, node: Node) -> Any:
        region = self._graph.regions[node.data[0]]
        phis = self._graph.closure(node)
        carried = {p.id: self._values[region.carried[p.id][1].id] for p in phis}
        nodes = self._graph.nodes
        outer = {k: v for k, v in self._values.items() if region.id not in nodes[k].regions}
        for trip in range(self._max_trips):
            body = Evaluator(self._graph, {**outer, **carried}, self._domain, self._max_trips)
            if not body(region.cond):
                self.trips[region.id] = trip
                for phi_id, value in carried.items():
                    if (final := self._graph.find_final(region.id, phi_id)) is not None:
                        self._values[final.id] = value
                return carried[node.data[1]]
            carried = {p.id: body(region.carried[p.id][2]) for p in phis}
        raise Unreached(f"a loop ran {self._max_trips} times")


class Domain:
    """The arithmetic of numbers: Python floats here, mpmath in `multiprecision`."""

    functions: Mapping[str, Callable[..., Any]]
    units = 0.25  # of work for one operation

    def __init__(self, budget: Budget | None = None) -> None:
        self.budget = budget

    def const(self, node: Node) -> Any:
        """Return the value of a literal node."""
        return self.literal(node.data, node.kind)

    def literal(self, value: Any, kind: str) -> Any:
        """Return a number of the text, or of a table, of this kind."""
        return value

    def number(self, value: Any) -> Any:
        """Return a value as a number of this domain."""
        return float(value)

    def apply(self, node: Node, args: Sequence[Any]) -> Any:
        """Return the result of one operation; raise Undetermined if it has no value here."""
        op = node.op
        if op == "check":
            if args[1]:
                raise Undetermined(f"{node.data.kind}: {node.data.message}")
            return args[0]
        if self.budget is not None:
            self.budget.spend(self.units)
        try:
            result = self._apply(node, op, args)
            if type(result) is int and result.bit_length() > MAX_BITS:
                raise Unreached(f"{op} gives an integer of {result.bit_length()} bits")
            return result
        except (ValueError, ZeroDivisionError, OverflowError, ArithmeticError, TypeError) as error:
            raise Undetermined(f"{op} of {args}: {error}") from error

    def _apply(self, node: Node, op: str, args: Sequence[Any]) -> Any:
        if op in ARITHMETIC:
            return ARITHMETIC[op](*args)
        if op in COMPARISONS:
            return bool(COMPARISONS[op](*args))
        if op in BITWISE:
            if op == "shl" and args[1] > MAX_BITS:
                raise Unreached(f"a shift by {args[1]} bits")
            return BITWISE[op](*args)
        if op == "narrow":  # numbers of higher precision are not rounded
            return args[0]
        if op in _UNARY:
            return _UNARY[op](args[0])
        if op == "cast":
            if node.kind == "f":
                return self.number(args[0])
            return bool(args[0]) if node.kind in ("b", "bool") else int(args[0])
        if op == "call":
            return self.functions[node.data](*args)
        if op == "gather":
            return self.literal(node.data.values[int(args[0])], node.kind)
        if op == "extern":
            return node.data.evaluate(self, args)
        raise AssertionError(f"no meaning for {node!r}")


def _special(name: str, *args: float) -> float:
    from nbgraph.kernels.scalar.mpmath_context import special_context

    return float(special_context().functions[name](*args))


def _of_floats() -> dict[str, Callable[..., Any]]:
    table: dict[str, Callable[..., Any]] = {}
    for name, row in FUNCTIONS.items():
        if row.is_special:
            table[name] = functools.partial(_special, name)
        elif row.floats is not None or hasattr(math, name):
            table[name] = row.floats or getattr(math, name)
    return table


class FloatDomain(Domain):
    """Python floats with the infinities and NaN of IEEE arithmetic; fast."""

    functions = _of_floats()

    def _apply(self, node: Node, op: str, args: Sequence[Any]) -> Any:
        try:
            return super()._apply(node, op, args)
        except (ValueError, ZeroDivisionError, OverflowError):
            special = _SPECIAL.get(node.data if op == "call" else op)
            if node.kind != "f" or special is None:
                raise
            with np.errstate(all="ignore"):
                return float(special(*map(np.float64, args)))


# where Python raises, NumPy and kernels return infinity or NaN
_SPECIAL: dict[str, Callable[..., Any]] = {
    **{n: getattr(np, a) for n, row in FUNCTIONS.items() for a in row.names if hasattr(np, a)},
    **{name: row.numpy for name, row in FUNCTIONS.items() if row.numpy is not None},
    "div": np.true_divide,
    "floordiv": np.floor_divide,
    "mod": np.mod,
}
