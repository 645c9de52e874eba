"""`op.at_point(x=0.3)`: the branch taken at one point, the value and the partials."""

from __future__ import annotations

import math
import textwrap
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from nbgraph import picture
from nbgraph.errors import ArgumentError, NbgraphError
from nbgraph.kernels.function.derived import Derivative
from nbgraph.kernels.function.probe import probe_kinds
from nbgraph.kernels.function.scalar_function import Captured
from nbgraph.kernels.scalar import readable
from nbgraph.kernels.scalar.graph import COMPARISONS
from nbgraph.kernels.scalar.interpret import (
    Budget,
    Domain,
    Evaluator,
    Exhausted,
    FloatDomain,
    Undetermined,
)
from nbgraph.kernels.scalar.multiprecision import MultiDomain
from nbgraph.operator.report import facts
from nbgraph.operator.scalar import arguments

if TYPE_CHECKING:
    from nbgraph.operator.scalar.elementwise import Elementwise

SECONDS = 0.4  # processor seconds for the value, and as many for all partials


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition that was evaluated at the point."""

    where: str  # file and line
    line: str  # the user's line
    text: str
    numbers: str  # the two sides of the comparison
    holds: bool


@dataclass(frozen=True, slots=True, repr=False)
class Point(picture.Report):
    """A report on one point: conditions, the value, the partials (per output, if several)."""

    _headed = True

    name: str
    operands: dict[str, Any]
    parameters: dict[str, Any]
    conditions: list[Condition]
    value: float | tuple[float, ...]
    partials: dict[str, float | tuple[float, ...]]
    trips: dict[str, int] = field(default_factory=dict)  # of the loops, by line
    notes: list[str] = field(default_factory=list)

    def sections(self) -> list[tuple[str, str]]:
        parts: list[tuple[str, str]] = []
        if self.conditions:
            rows = [(c.where, c.text, str(c.holds), c.numbers) for c in self.conditions]
            parts.append(("branch", picture.columns(rows)))
        if self.trips:
            rows = [(where, f"{count} trips") for where, count in self.trips.items()]
            parts.append(("loops", picture.columns(rows)))
        parts.append(("value", _shown(self.value)))
        if self.partials:
            rows = [(name, _shown(value)) for name, value in self.partials.items()]
            parts.append(("partials", picture.columns(rows)))
        if self.notes:
            parts.append(("notes", "\n".join(self.notes)))
        return parts

    @property
    def title(self) -> str:
        """The call, with its arguments."""
        named = {**self.operands, **self.parameters}
        return f"{self.name}({', '.join(f'{k}={v!r}' for k, v in named.items())})"


def _shown(value: float | tuple[float, ...]) -> str:
    return ", ".join(map(repr, value)) if isinstance(value, tuple) else repr(value)


def at_point(op: Elementwise, values: tuple[Any, ...], named: dict[str, Any]) -> Point:
    """Evaluate with many digits, rounded to float64; outside the reals, in floats."""
    op.refresh()
    if op.forms is not None:
        op, values, named = op.forms.bind(values, named)
    numbers, call, options = arguments.split(op, values, named)
    if call:
        raise ArgumentError(f"{op.__name__}.at_point: unknown argument {min(call)!r}")
    parameters = op.parameters_of(options)
    operands = dict(zip(op.scalar.operands, map(_number, numbers), strict=True))
    return _Evaluation(op, operands, parameters).point()


def _number(value: Any) -> Any:
    if getattr(value, "ndim", 0) or isinstance(value, (list, tuple)):
        raise ArgumentError(
            f"at_point: takes one number for each operand, not {type(value).__name__}; call the "
            "operator for arrays"
        )
    return value.item() if hasattr(value, "item") else value


class _Evaluation:
    """One evaluation of value and partials, in the first domain that succeeds."""

    def __init__(
        self, op: Elementwise, operands: dict[str, Any], parameters: dict[str, Any]
    ) -> None:
        self.op, self.operands, self.parameters = op, operands, parameters
        self.kinds = list(probe_kinds(op.scalar))
        self.captured: Captured = op.scalar.capture(self.kinds, parameters)
        self.literals = facts.literals(op.scalar)
        self.notes: list[str] = []

    def point(self) -> Point:
        """Return the report."""
        evaluate, values = self._values()
        budget = _budget()
        names = facts.floating_operands(self.op)
        partials = {name: self._partial(name, budget) for name in names}
        return Point(
            self.op.__name__,
            self.operands,
            self.parameters,
            self._conditions(evaluate),
            values[0] if len(values) == 1 else tuple(values),
            partials,
            self._trips(evaluate),
            self.notes,
        )

    def _values(self) -> tuple[Evaluator, list[float]]:
        if all(math.isfinite(v) for v in self.operands.values()):
            evaluate = self._evaluator(self.captured, MultiDomain(budget=_budget()))
            try:
                return evaluate, [_rounded(evaluate(node)) for node in self.captured.outputs]
            except (Undetermined, Exhausted):
                pass  # perhaps infinite, which floats can represent
        evaluate = self._evaluator(self.captured, FloatDomain(_budget()))
        try:
            return evaluate, [_rounded(evaluate(node)) for node in self.captured.outputs]
        except (Undetermined, Exhausted) as error:
            self.notes.append(f"no real value here: {error}")
        return evaluate, [math.nan] * len(self.captured.outputs)

    def _partial(self, name: str, budget: Budget) -> float | tuple[float, ...]:
        scalar = Derivative(self.op.scalar, name, 1, self.op.hand_gradient)
        try:
            captured = scalar.capture(self.kinds, self.parameters)
            evaluate = self._evaluator(captured, MultiDomain(budget=budget))
            slopes = [_rounded(evaluate(node)) for node in captured.outputs]
        except (NbgraphError, ValueError, TypeError) as error:
            self.notes.append(f"no partial w.r.t. {name} here: {error}")
            return math.nan
        return slopes[0] if len(slopes) == 1 else tuple(slopes)

    def _evaluator(self, captured: Captured, domain: Domain) -> Evaluator:
        leaves = {}
        named = {**self.operands, **self.parameters}
        for leaf in (*captured.operands, *captured.parameters):
            value = named[str(leaf.data)]
            leaves[leaf.id] = domain.number(value) if leaf.kind == "f" else value
        return Evaluator(captured.graph, leaves, domain)

    def _conditions(self, evaluate: Evaluator) -> list[Condition]:
        """Return the conditions of the user's text that were evaluated, in order."""
        graph = self.captured.graph
        conditions = []
        for node in graph.reachable(self.captured.outputs):
            if node.op not in COMPARISONS or node.regions or evaluate.known(node) is None:
                continue
            where, line = facts.user_line(node)
            if where:
                sides = [_rounded(evaluate.known(a)) for a in node.args]
                symbol = _SYMBOLS[node.op]
                conditions.append(
                    Condition(
                        where,
                        line,
                        textwrap.shorten(
                            readable.expression(graph, node, self.literals), readable.WIDTH
                        ),
                        f"({sides[0]:.9g} {symbol} {sides[1]:.9g})",
                        bool(evaluate.known(node)),
                    )
                )
        return conditions

    def _trips(self, evaluate: Evaluator) -> dict[str, int]:
        trips = {}
        for region, count in evaluate.trips.items():
            where = facts.user_line(self.captured.graph.regions[region].cond)[0]
            trips[where or f"loop {region}"] = count
        return trips


def _budget() -> Budget:
    return Budget(math.inf, SECONDS)


_SYMBOLS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}


def _rounded(value: Any) -> float:
    return value if isinstance(value, (bool, int)) else float(value)
