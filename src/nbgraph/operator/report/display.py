"""Display of an operator: in a notebook, in help(), in completion. Nothing here compiles."""

from __future__ import annotations

import inspect
import math
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from nbgraph import picture
from nbgraph.errors import NbgraphError
from nbgraph.kernels.function.derived import Derivative
from nbgraph.kernels.function.probe import probe_kinds
from nbgraph.kernels.function.scalar_function import Captured
from nbgraph.kernels.function.signature import defaults_of
from nbgraph.kernels.scalar.graph import COMPARISONS
from nbgraph.kernels.scalar.interpret import (
    Budget,
    Domain,
    Evaluator,
    Exhausted,
    FloatDomain,
    Undetermined,
)
from nbgraph.kernels.scalar.kinds import is_boolean
from nbgraph.kernels.scalar.multiprecision import MultiDomain
from nbgraph.operator.report import facts

if TYPE_CHECKING:
    from nbgraph.operator.scalar.elementwise import Elementwise

POINTS = 161
MAX_TRIPS = 100  # of a loop; a curve has a gap at points with more
SECONDS = 0.15  # for the points of one curve; a slow loop gets fewer points
LIMIT = 0.3  # processor seconds per function for its points
_REACH = 4.0  # half the width of a plot, unless a boundary lies beyond
_FARTHEST = 200.0


# text ------------------------------------------------------------------------------------------


def summary(op: Elementwise) -> str:
    """Return one line: the dependence class of every operand, or another property."""
    if op.nout == 1 and not facts.floating_operands(op):
        return "no derivative: operands or result are not floating numbers"
    rows = facts.dependence_rows(op)
    if not rows:
        return "no derivative"
    return "; ".join(f"{r['operand']} is {r['class']}: {r['why']}" for r in rows)


def documentation(op: Elementwise, own: str) -> str:
    """Return the user's docstring, the call, formula, dependence; only `own` if these fail."""
    try:
        text, _ = facts.scalar_text(op.scalar)
        parts = [
            inspect.cleandoc(own).rstrip(),
            _call_text(op),
            f"Formula::\n\n{picture.indented(text)}",
            f"Backward: {summary(op)}",
        ]
        return "\n\n".join(p for p in parts if p) + "\n"
    except Exception:  # help() must not fail
        return own


def _call_text(op: Elementwise) -> str:
    """Return the arguments and results of a call."""
    scalar, defaults = op.scalar, op.scalar.defaults
    rows = [
        f"{name} : array or number" + (f", default {defaults[name]}" if name in defaults else "")
        for name in scalar.operands
    ]
    rows += [
        f"{p.name} : scalar, " + ("required" if p.required else f"default {p.default!r}")
        for p in scalar.parameters
    ]
    rows.append("out, where, dtype, casting, order : optional, as of NumPy's ufuncs")
    if op.nin > 1:
        rows.append("\nOperands broadcast, and promote as NumPy's do.")
    whole = "the operands' broadcast shape" if op.nin > 1 else f"the shape of {scalar.operands[0]}"
    result = ("array" if op.nout == 1 else f"{op.nout} arrays") + f" of {whole}"
    return "\n".join(["Parameters", "----------", *rows, "", "Returns", "-------", result])


# notebooks -------------------------------------------------------------------------------------


def mimebundle(op: Elementwise) -> dict[str, str]:
    """Return plain text, and HTML with a plot; never raises, as a display must not."""
    try:
        plain = f"{op!r}\n{summary(op)}"
    except Exception:
        return {"text/plain": repr(op)}
    try:
        return {"text/plain": plain, "text/html": _html(op)}
    except Exception:
        return {"text/plain": plain}


def _html(op: Elementwise) -> str:
    parts = [("formula", facts.scalar_text(op.scalar)[0])]
    parts += [
        (f"derivative w.r.t. {name}", text) for name, text in facts.derivative_texts(op).items()
    ]
    parts.append(("backward", summary(op)))
    body = picture.html_sections(repr(op), parts)
    return f'<div style="display:flex;flex-wrap:wrap;gap:1em">{body}{plot(op)}</div>'


def plot(op: Elementwise) -> str:
    """Return an SVG of the first output and its slope over the first operand, others at 1."""
    wrt = op.scalar.operands[0]
    parameters = defaults_of(op.scalar)
    captured = op.scalar.capture(_kinds(op), parameters)
    boundaries = _boundaries(captured, parameters)
    value = _function(captured, parameters)
    low, high = _range(value, boundaries)
    breaks = [b for b in boundaries if low < b < high]
    x, y = sample(value, low, high, breaks)
    curves = [picture.Curve(x, y, op.__name__)]
    if wrt in facts.floating_operands(op):
        try:
            scalar = Derivative(op.scalar, wrt, 1, op.hand_gradient)
            slope = _function(scalar.capture(_kinds(op), parameters), parameters)
            dx, dy = sample(slope, low, high, breaks)
            curves.append(picture.Curve(dx, dy, f"d/d{wrt}", dashed=True))
        except NbgraphError:
            pass  # without derivative, plot the function alone
    others = ", ".join(f"{n}=1" for n in op.scalar.operands[1:])
    title = f"{op.__name__} over {wrt}" + (f", {others}" if others else "")
    return picture.line_plot(curves, title=title)


def _kinds(op: Elementwise) -> list[str]:
    return list(probe_kinds(op.scalar))


def _function(
    captured: Captured, parameters: Mapping[str, Any], budget: Budget | None = None
) -> Callable[[float], float]:
    """Return the first output as a function of the first operand; NaN where there is no value, and
    everywhere once the budget is used up."""
    budget = budget or Budget(math.inf, LIMIT)
    nodes = captured.graph.reachable(captured.outputs)
    computable = all(n.data in FloatDomain.functions for n in nodes if n.op == "call")
    domain: Domain = FloatDomain(budget) if computable else MultiDomain(budget=budget)
    first = captured.operands[0]
    fixed: dict[int, Any] = {leaf.id: _as_kind(1, leaf.kind) for leaf in captured.operands}
    fixed |= {leaf.id: parameters[str(leaf.data)] for leaf in captured.parameters}

    def evaluate(x: float) -> float:
        values = {**fixed, first.id: _as_kind(x, first.kind)}
        try:
            evaluate = Evaluator(captured.graph, values, domain, MAX_TRIPS)
            return float(evaluate(captured.outputs[0]))
        except (Undetermined, Exhausted, OverflowError, ValueError, TypeError):
            return math.nan

    return evaluate


def _as_kind(x: float, kind: str) -> Any:
    return float(x) if kind == "f" else x > 0 if is_boolean(kind) else round(x)


def sample(
    function: Callable[[float], float], low: float, high: float, breaks: Sequence[float] = ()
) -> tuple[list[float], list[float]]:
    """Return points of a curve, coarse ones first, so that a slow function has a complete curve;
    and both sides of every break, so that kinks and jumps are sharp."""
    started = time.perf_counter()
    points: dict[float, float] = {}
    tiny = 1e-9 * (high - low)
    for b in breaks:
        for x in (b - tiny, b, b + tiny):
            points[x] = function(x)
    for stride in (16, 8, 4, 2, 1):
        for i in range(0, POINTS, stride):
            x = low + (high - low) * i / (POINTS - 1)
            if x not in points:
                points[x] = function(x)
            if time.perf_counter() - started > SECONDS:
                break
    xs = sorted(points)
    return xs, [points[x] for x in xs]


def _range(value: Callable[[float], float], boundaries: Sequence[float]) -> tuple[float, float]:
    """Return -4 to 4, extended to boundaries beyond, or one side if the other has no value."""
    reach = max([_REACH, *(1.5 * abs(b) for b in boundaries if abs(b) < _FARTHEST)])
    probes = [reach * (i + 0.5) / 8 for i in range(8)]
    right = sum(math.isfinite(value(x)) for x in probes)
    left = sum(math.isfinite(value(-x)) for x in probes)
    if right and not left:
        return 0.0, reach
    if left and not right:
        return -reach, 0.0
    return -reach, reach


def _boundaries(captured: Captured, parameters: Mapping[str, Any]) -> list[float]:
    """Return the values of the first operand at which both sides of a comparison are equal."""
    nodes = captured.graph.reachable(captured.outputs)
    tests = [n for n in nodes if n.op in COMPARISONS and n.args[0].kind == "f" and not n.regions]
    sizes = [10.0 ** (i / 4) for i in range(-8, 10)]
    line = [*(-s for s in reversed(sizes)), 0.0, *sizes]
    places: set[float] = set()
    budget = Budget(math.inf, LIMIT)
    operands = captured.graph, captured.operands, captured.parameters
    for node in tests[:6]:
        left, right = (_function(Captured(*operands, (a,)), parameters, budget) for a in node.args)

        def gap(x: float, left: Any = left, right: Any = right) -> float:
            return left(x) - right(x)

        gaps = [gap(x) for x in line]
        for a, b, at, to in zip(line, line[1:], gaps, gaps[1:], strict=False):
            if at == 0:
                places.add(a)
            elif at * to < 0:
                places.add(_zero(gap, a, b))
    return sorted(places)


def _zero(gap: Callable[[float], float], a: float, b: float) -> float:
    below = gap(a)
    for _ in range(60):
        middle = 0.5 * (a + b)
        if gap(middle) * below > 0:
            a = middle
        else:
            b = middle
    return 0.5 * (a + b)
