"""Derivatives at guards: branches taken on a set without interior, as `1.0 if x == 0 else ...`.

The value of such a branch fills in the limit of the other branch; its text does not determine the
slope. So the slope is the limit of the other branch's slope, from its series around the guard on
both sides. It is used where the function is continuous and both sides agree. Elsewhere the branch's
own slope stays, and the finding is kept with the graph, for reports.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from nbgraph.errors import DerivativeWarning
from nbgraph.kernels.derivatives import equalities
from nbgraph.kernels.derivatives.equalities import Fact
from nbgraph.kernels.derivatives.series import Expansion, NoSeries
from nbgraph.kernels.scalar.graph import COMPARISONS, Graph, Node
from nbgraph.kernels.scalar.interpret import Evaluator, FloatDomain, Undetermined
from nbgraph.kernels.scalar.kinds import is_boolean
from nbgraph.tracebacks import is_own

if TYPE_CHECKING:
    from random import Random

Outcome = Literal["limit", "jump", "kink", "unknown"]
Tangent = Callable[[Node], Node | None]

_AGREE = 1e-6  # relative: a filled-in value may have few digits
_ROUNDED = 1e-10  # relative: the remainder of a sum that is zero
_SAMPLES = 6


@dataclass(frozen=True, slots=True)
class Guard:
    """A branch taken on a set without interior, and its slope there."""

    condition: Node
    seed: Node
    outcome: Outcome
    why: str
    slope: Node | None = None  # the limit of the slope, if it is used
    at: Node | None = None  # the value of the seed on the guard


def tangent(graph: Graph, node: Node, seed: Node, of: Tangent) -> Node | None:
    """Return d select / d seed; `of` returns the tangents of its arms."""
    cond, yes, no = node.args
    if of(yes) is None and of(no) is None:
        return None
    arms = _Arms(graph, node, seed, of)
    zero = graph.const(0.0)
    return graph.select(cond, arms.arm(cond, True, yes) or zero, arms.arm(cond, False, no) or zero)


def of_outputs(graph: Graph, outputs: Sequence[Node], seed: Node) -> list[Guard]:
    """Return the guards within the outputs, after these were differentiated by `seed`."""
    guards: dict[int, Guard] = {}
    nodes = {node.id for node in graph.reachable(outputs)} if graph.guards else set()
    for (root, wrt, condition), guard in graph.guards.items():
        if root in nodes and wrt == seed.id and guard is not None:
            guards[condition] = guard  # the outermost one's, as it comes last
    return list(guards.values())


class _Arms:
    """The tangents of the arms of one select."""

    def __init__(self, graph: Graph, root: Node, seed: Node, of: Tangent) -> None:
        self._graph, self._root, self._seed, self._of = graph, root, seed, of

    def arm(self, cond: Node, holds: bool, value: Node) -> Node | None:
        """Return the tangent of an arm; of several conditions, each guard is handled apart."""
        own, graph = self._of(value), self._graph
        for case in equalities.cases(cond, holds):
            facts = list(equalities.facts(case, holds))
            slope = self._slope(facts, value, own)
            if slope is not own:
                here = case if holds else graph.logical_not(case)
                zero = graph.const(0.0)
                own = slope if case is cond else graph.select(here, slope or zero, own or zero)
            elif value.op == "select" and value.kind == "f":
                own = self._between(facts, value, own)
        return own

    def _between(self, facts: list[Fact], value: Node, own: Node | None) -> Node | None:
        """Return the tangent of an arm that is a select; its branch left by < and > is a guard."""
        cond, *arms = value.args
        if "le" not in [f.op for f in facts] or cond.op not in COMPARISONS:
            return own
        tangents = []
        for holds, arm in zip((True, False), arms, strict=True):
            more = list(equalities.facts(cond, holds))
            slope = self._of(arm)
            if "le" in [f.op for f in more]:
                slope = self._slope([*facts, *more], arm, slope)
            tangents.append(slope)
        if all(t is self._of(a) for t, a in zip(tangents, arms, strict=True)):
            return own
        zero = self._graph.const(0.0)
        return self._graph.select(cond, *(t or zero for t in tangents))

    def _slope(self, facts: list[Fact], value: Node, own: Node | None) -> Node | None:
        """Return the slope of an arm on which the facts hold."""
        graph, seed = self._graph, self._seed
        equal = [f for f in equalities.equal(facts) if f.source.line and not f.source.regions]
        about = [f for f in equal if equalities.depends(graph, seed, f)]
        if not about:
            return own
        key = self._root.id, seed.id, about[0].source.id
        if key not in graph.guards:
            graph.guards[key] = self._judge(
                about[0], [f for f in equal if f is not about[0]], value
            )
        guard: Guard | None = graph.guards[key]
        limit = None if guard is None else guard.slope
        if limit is None or limit.op == "const":
            return limit or own
        zero = graph.const(0.0)  # the limit may fail to exist for some values of other operands
        finite = graph.compare("eq", graph.arithmetic("sub", limit, limit), zero)
        return graph.select(finite, limit, own or zero)

    def _judge(self, fact: Fact, others: list[Fact], value: Node) -> Guard | None:
        """Return the guard that a fact describes; None if it may hold on an interval."""
        graph, seed = self._graph, self._seed
        at = equalities.solve(graph, fact, seed)

        def guard(outcome: Outcome, why: str, slope: Node | None = None) -> Guard:
            return Guard(fact.source, seed, outcome, why, slope, at)

        if at is not None and at.op == "const" and not math.isfinite(at.data):
            return None
        if at is None:
            if not equalities.is_smooth(graph, fact):
                return None  # it may hold on an interval
            return guard("unknown", f"where it holds is not solved for {seed.data}")
        fixed = {f.a.id: f.b for f in others if f.a.op == "arg" and f.b.op == "const"}
        try:
            check = _Samples(graph, self._root, seed, at)
            above, below = (
                _side(self._root, Expansion(graph, seed, at, fixed, side, check.vanishes))
                for side in (1, -1)
            )
        except NoSeries as error:
            return guard("unknown", str(error))
        if above is None or below is None:
            return guard("jump", "the other branch has a pole there")
        if not check.agree(above[0], value) or not check.agree(below[0], value):
            return guard("jump", "the other branch comes to another value there")
        if not check.agree(above[1], below[1]):
            return guard("kink", "the slopes on both sides differ")
        if above[1].op == "const" and not math.isfinite(above[1].data):
            return guard("unknown", "the slope is not finite")
        return guard("limit", "", above[1])


def _side(root: Node, expansion: Expansion) -> tuple[Node, Node] | None:
    """Return value and slope beside the guard, on one side of it; None at a pole."""
    series = expansion.of(root)
    if any(series[k] is not None for k in range(series.low, 0)):
        return None
    zero = expansion.graph.const(0.0)
    return series[0] or zero, series[1] or zero


# values ------------------------------------------------------------------------------------------


class _Samples:
    """A comparison of nodes by their values at some points of a guard."""

    def __init__(self, graph: Graph, root: Node, seed: Node, at: Node) -> None:
        leaves = [n for n in graph.reachable([root, at]) if n.op in ("arg", "param")]
        from random import Random  # imported only for functions with guards

        numbers = Random(20180107)
        self._points: list[Evaluator] = []
        for count in range(_SAMPLES):
            signs = (1.0,) if 2 * count < _SAMPLES else (1.0, -1.0)
            values = {n.id: _sample(n.kind, numbers, signs) for n in leaves if n is not seed}
            try:
                values[seed.id] = float(Evaluator(graph, values, FloatDomain())(at))
            except (Undetermined, KeyError):
                continue
            self._points.append(Evaluator(graph, values, FloatDomain()))

    def vanishes(self, total: Node) -> bool:
        """Return whether a sum is zero at all points where it has a value, with one at least."""
        return total.op in ("add", "sub") and self._small(total, total.args, _ROUNDED)

    def agree(self, a: Node, b: Node) -> bool:
        """Return whether two nodes are equal at all points (at least one) with both values."""
        return a is b or self._small(None, (a, b), _AGREE)

    def _small(self, total: Node | None, terms: Sequence[Node], bound: float) -> bool:
        """Return whether a sum, or a difference, is small relative to its terms."""
        seen = False
        for evaluate in self._points:
            try:
                a, b = (float(evaluate(term)) for term in terms)
                rest = a - b if total is None else float(evaluate(total))
            except (Undetermined, KeyError, OverflowError):
                continue
            if rest != rest:
                continue
            if abs(rest) > bound * max(abs(a), abs(b), _AGREE**2):
                return False
            seen = True
        return seen


def _sample(kind: str, numbers: Random, signs: Sequence[float]) -> float:
    if kind == "f":
        return numbers.uniform(0.2, 2.5) * numbers.choice(signs)
    whole = numbers.randrange(1, 5)
    return whole % 2 == 0 if is_boolean(kind) else whole


# for people ---------------------------------------------------------------------------------------


def warn(name: str, guards: Sequence[Guard], warned: set[tuple[str, str]]) -> None:
    """Warn once each of guards of a user's text without a limit; `warned` collects them."""
    for guard in guards:
        filename, _, line = guard.condition.line.rpartition(":")
        key = guard.condition.line, str(guard.seed.data)
        if guard.outcome != "unknown" or key in warned or is_own(filename):
            continue
        text = (
            f"{name}: no limit of the slope w.r.t. {guard.seed.data!r} was found for the branch "
            f"that is taken where the condition in this line holds ({guard.why}): there the "
            "branch's own slope is used. Give another formula for that branch, or the whole "
            "gradient by hand with @op.gradient"
        )
        warnings.warn_explicit(text, DerivativeWarning, filename, int(line))
        warned.add(key)
