"""Certificates: a derivative is checked against finite differences before its first use.

Function and derivative are evaluated with many digits at seeded points: over magnitudes from 1e-6
to 1e8 of both signs, and on both sides of the boundary of every comparison, which bisection finds.
`judge` decides whether the formula is right at a point. A kink, where the slopes left and right of
a boundary differ, is reported, as is a point where the formula is right but float64 loses digits. A
budget bounds the work; the certificate states what was left out.
"""

from __future__ import annotations

import json
import math
import random
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

from nbgraph.codegen import cache
from nbgraph.codegen.making.events import certified
from nbgraph.errors import CertificateError
from nbgraph.kernels.derivatives import guards, stairs, vanishing
from nbgraph.kernels.derivatives.claim import Claim, key
from nbgraph.kernels.derivatives.equalities import crossings
from nbgraph.kernels.derivatives.judge import Judge, Verdict
from nbgraph.kernels.scalar.graph import COMPARISONS, Node
from nbgraph.kernels.scalar.interpret import (
    MAX_TRIPS,
    Budget,
    Evaluator,
    Exhausted,
    FloatDomain,
    Undetermined,
)

SECONDS = 0.045  # for one certificate; the most informative points come first
MINIMUM = 24  # points that are tried even if they take longer
LIMIT = 0.8  # processor seconds that no certificate exceeds
WORK = 200_000  # operations at 128 bits that no certificate exceeds: about a second
SEARCH = 0.3  # share of both budgets, for boundaries
FEWEST = 8  # decisive points; with fewer, faint points are evaluated again
LONG_MINIMUM = 4  # points to try if every loop is long
TRIPS = 500  # of a loop; a longer one may be endless there (Newton on a negative number)
LOST = 1e-6  # relative error in float64 that counts as lost digits
_MAGNITUDES = (
    *(0.37, 1.3, 2.9, 0.08, 7.1, 25.0, 0.004, 140.0, 1.7e3, 1e-6, 6.3e4, 2.1e6, 3.7e8),
    *(0.61, 0.97, 1.9, 4.3, 12.0, 60.0, 480.0),
)

Leaves = dict[int, Any]


@dataclass(slots=True)
class Certificate:
    """The result of a check; `kinks` are (where, slope on the left, slope on the right)."""

    name: str
    wrt: str
    points: int = 0
    boundaries: list[float] = field(default_factory=list)
    kinks: list[tuple[float, float, float]] = field(default_factory=list)
    worst: float = 0.0  # largest relative disagreement
    seconds: float = 0.0
    work: float = 0.0  # operations at 128 bits
    lost: list[tuple[float, float]] = field(default_factory=list)  # (where, error in float64)
    faint: int = 0  # points where the slope is too small relative to the value to differ from 0
    left_out: int = 0  # points undecided in all precisions
    stopped: bool = False  # by the budget

    def __str__(self) -> str:
        text = f"{self.points} points, worst disagreement {self.worst:.1e}"
        if self.boundaries:
            text += ", both sides of " + ", ".join(map(_place, self.boundaries[:6]))
        if self.kinks:
            listed = (f"{_place(x)} ({a:.4g} | {b:.4g})" for x, a, b in self.kinks[:4])
            text += "; kinks at " + ", ".join(listed)
        if self.lost:
            listed = (f"{self.wrt} = {_place(x)} ({_error(e)})" for x, e in self.lost[:3])
            text += f"; float64 loses digits in {len(self.lost)} of them, as at " + ", ".join(
                listed
            )
        if self.points - self.faint < FEWEST and self.faint:
            text += f"; in {self.faint} of them the slope cannot be told from 0"
        if self.left_out:
            text += f"; {self.left_out} others could not be decided"
        if self.stopped:
            text += "; it ended with its budget, before all points were tried"
        return text

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as a dictionary."""
        return asdict(self)


def _place(x: float) -> str:
    """Return a boundary for people: bisection ends near 0, not on it."""
    return "0" if abs(x) < 1e-20 else f"{x:.6g}"


def _error(relative: float) -> str:
    """Return a relative error in words; NaN stands for a result that is infinite or NaN."""
    return "not a finite number" if math.isnan(relative) else f"relative error {relative:.0e}"


def certify(claim: Claim, digest: str = "", seconds: float = LIMIT) -> Certificate:
    """Check a claim within `seconds` of processor time.

    Raises CertificateError with the point, both values and the branch if the slope is wrong. The
    verdict on a claim whose formulas have a `digest` is kept in the cache and reused.
    """
    stored = cache.recall(key(claim, digest)) if digest else None
    if stored is not None:
        fields: dict[str, Any] = json.loads(stored)
        fields |= {name: [tuple(row) for row in fields[name]] for name in ("kinks", "lost")}
        fields["name"] = claim.name
        return Certificate(**fields)
    for node in claim.graph.reachable([claim.value, claim.slope]):
        if node.op == "extern" and node.data.wrt:
            node.data.function()  # compiles, which takes longer than a certificate
    began = time.perf_counter()
    certificate = _Checker(claim, seconds).run()
    certified(time.perf_counter() - began)
    if digest:
        cache.remember(key(claim, digest), json.dumps(certificate.to_dict()).encode())
    return certificate


class _Checker:
    def __init__(self, claim: Claim, seconds: float) -> None:
        self.claim = claim
        self.random = random.Random(20180107)
        self.budget = Budget(WORK, seconds)
        self.float = FloatDomain(Budget(SEARCH * WORK, SEARCH * seconds))
        self.judge = Judge(claim, self.budget, TRIPS)
        self.report = Certificate(claim.name, str(claim.wrt.data))
        self.faint: list[Leaves] = []
        roots = [claim.value, claim.slope] + ([claim.reference] if claim.reference else [])
        nodes = claim.graph.reachable(roots)
        guarded = vanishing.guards(nodes)
        self.comparisons = [
            n
            for n in nodes
            if n.op in COMPARISONS and n.args[0].kind == "f" and not n.regions
            if n.id not in guarded
        ]

    def run(self) -> Certificate:
        started = time.thread_time()
        try:
            self._try_points(MINIMUM)
            if not self.report.points and self.claim.graph.regions:
                self.judge.trips = MAX_TRIPS
                self._try_points(LONG_MINIMUM)
            self._check_faint_points()
        except Exhausted:
            self.report.stopped = True
        self._refuse_steps()
        self.report.seconds = time.thread_time() - started
        self.report.work = self.budget.used
        return self.report

    def _try_points(self, minimum: int) -> None:
        """Check points until the time is spent; boundaries may take more of it."""
        started = time.thread_time()
        for tried, (leaves, boundary) in enumerate(self._points()):
            spent = time.thread_time() - started
            if tried >= minimum and spent > (SECONDS if boundary is None else 4 * SECONDS):
                break
            if boundary is None:
                self._check(leaves)
            else:
                self._check_boundary(leaves, boundary)
            if self._is_long():
                break

    def _is_long(self) -> bool:
        """Return whether all points failed because loops seem to exceed the allowed trips."""
        report, long = self.report, self.judge.trips > TRIPS or not self.claim.graph.regions
        return not (report.points or long) and report.left_out >= FEWEST

    def _check_faint_points(self) -> None:
        """Judge faint points with more digits, if there are few other points."""
        decided = self.report.points - self.report.faint
        for leaves in self.faint[: max(0, FEWEST - decided)]:
            verdict = self.judge.closely(leaves)
            if verdict.word != "faint":
                self.report.faint -= 1
                self.report.points -= 1
                self._record_verdict(leaves, verdict)

    def _refuse_steps(self) -> None:
        """Refuse the slope of a loop that narrows an interval, if it is that of a single step."""
        if (test := stairs.narrowing(self.claim)) is None:
            return
        wrt, draw = self.claim.wrt, self.random
        points = [self._positive(self._other_leaves()) for _ in range(100)]
        for leaves in points:
            leaves |= self.claim.usual  # a tolerance sets the width of the steps
            leaves[wrt.id] = draw.choice(_MAGNITUDES[:6]) * draw.uniform(0.5, 2)
        if (step := stairs.step(self.claim, points)) is not None:
            leaves, slope, rise = step
            raise CertificateError(
                f"{self.claim.name}: the derivative w.r.t. {wrt.data!r} is that of one step of a "
                f"loop which narrows an interval ({test.line.rpartition('/')[2]}): at "
                f"{self._point(leaves, 6)} it is {slope:.6g}, while the function rises by "
                f"{rise:.6g}. Use scipy.optimize.brentq, or end with a step of Newton's method, "
                "x - f(x) / df(x); certify=False uses it as it is"
            )

    def _point(self, leaves: Leaves, digits: int) -> str:
        names = {n.id: str(n.data) for n in self.claim.leaves}
        return ", ".join(f"{names[k]}={v:.{digits}g}" for k, v in leaves.items() if k in names)

    # points -----------------------------------------------------------------------------------

    def _coordinates(self) -> list[float]:
        """Return coordinates of the operand, of both signs, with a little random jitter."""
        jitter = [m * (1 + 0.1 * self.random.random()) for m in _MAGNITUDES]
        return [sign * m for m in jitter for sign in (1.0, -1.0)]

    def _other_leaves(self, *, vary: bool = False) -> Leaves:
        """Return values of the other leaves, with parameters at their defaults, or varied."""
        values: Leaves = dict(self.claim.fixed)
        if vary:
            values = {
                k: (0.73 * v or 0.41) if isinstance(v, float) else v for k, v in values.items()
            }
        for leaf in self.claim.leaves:
            if leaf is self.claim.wrt or leaf.id in values:
                continue
            if leaf.kind == "f":
                size = self.random.choice((0.3, 1.0, 3.0))
                values[leaf.id] = self.random.uniform(-size, size)
            elif leaf.kind in ("b", "bool"):
                values[leaf.id] = self.random.random() < 0.5
            else:
                values[leaf.id] = self.random.randrange(1, 6)
        return values

    def _points(self) -> Any:
        line = self._coordinates()
        first = self._other_leaves()
        self.report.left_out = 0
        settings = [first, self._other_leaves(vary=True), self._positive(first)]
        for x in line[:4]:
            yield {**first, self.claim.wrt.id: x}, None
        for others in settings:
            yield from ((leaves, None) for leaves in self._on_guards(others))
        points: set[float] = set()
        for others in settings[: 3 if len(self.claim.leaves) > len(self.claim.fixed) + 1 else 1]:
            for comparison in self.comparisons:
                for at in self._boundaries(comparison, sorted(line), others):
                    if round(at, 9) not in points:
                        points.add(round(at, 9))
                        yield others, at
        for i, x in enumerate(line[4:]):
            yield {**settings[i % len(settings)], self.claim.wrt.id: x}, None
        for _ in range(40):
            yield {**self._other_leaves(), self.claim.wrt.id: self.random.uniform(-4, 4)}, None

    def _on_guards(self, others: Leaves) -> Iterator[Leaves]:
        """Yield points on guards whose slope is said to be a limit, except at kinks: the branches
        around a guard may meet there in a kink."""
        claim = self.claim
        about = [] if claim.reference else guards.of_outputs(claim.graph, [claim.value], claim.wrt)
        for guard in about:
            if guard.slope is not None and guard.at is not None:
                try:
                    at = float(Evaluator(claim.graph, others, self.float)(guard.at))
                except (Undetermined, OverflowError):
                    continue
                if not self._check_boundary(others, at):
                    yield {**others, claim.wrt.id: at}

    def _positive(self, values: Leaves) -> Leaves:
        fixed = self.claim.fixed
        return {k: v if k in fixed or isinstance(v, bool) else abs(v) for k, v in values.items()}

    def _boundaries(self, comparison: Node, line: list[float], others: Leaves) -> list[float]:
        """Return where the two sides of a comparison are equal along the operand's axis."""

        def gap(x: float) -> float:
            leaves = {**others, self.claim.wrt.id: x}
            evaluate = Evaluator(self.claim.graph, leaves, self.float, self.judge.trips)
            try:
                return float(evaluate(comparison.args[0]) - evaluate(comparison.args[1]))
            except (Undetermined, OverflowError):
                return math.nan

        try:
            return crossings(gap, line)
        except Exhausted:
            self.report.stopped = True
            return []

    # checks -----------------------------------------------------------------------------------

    def _check_boundary(self, others: Leaves, at: float) -> bool:
        """Judge both sides of a point; return whether it is a kink."""
        self.report.boundaries.append(at)
        scale = max(abs(at), 1e-3)
        slopes = []
        for offset in (-1e-4, -1e-7, 1e-7, 1e-4):
            slopes.append(self._check({**others, self.claim.wrt.id: at + offset * scale}))
        left, right = slopes[1], slopes[2]
        if left is not None and right is not None:
            gap = abs(left - right)
            wide = abs(slopes[0] - slopes[3]) if None not in (slopes[0], slopes[3]) else 0
            if gap > 0.03 * wide and gap > 1e-4 * max(abs(left), abs(right), 1e-6):
                self.report.kinks.append((at, float(left), float(right)))
                return True
        return False

    def _check(self, leaves: Leaves) -> Any:
        """Judge one point; return the slope, or None if undecided."""
        verdict = self.judge.at(leaves)
        if verdict.word == "faint":
            self.report.points += 1
            self.report.faint += 1
            self.faint.append(leaves)
        else:
            self._record_verdict(leaves, verdict)
        return verdict.slope if verdict.word in ("right", "faint") else None

    def _record_verdict(self, leaves: Leaves, verdict: Verdict) -> None:
        report = self.report
        if verdict.word == "wrong":
            self._raise_wrong_slope(leaves, verdict)
        elif verdict.word == "open":
            report.left_out += 1
        elif verdict.word == "right":
            report.points += 1
            report.worst = max(report.worst, verdict.error)
            error = self.judge.in_floats(leaves, verdict.slope)
            if not error <= LOST:
                report.lost.append((float(leaves[self.claim.wrt.id]), error))

    def _raise_wrong_slope(self, leaves: Leaves, verdict: Verdict) -> None:
        claim = self.claim
        point = self._point(leaves, 12)
        other = "the derived gradient gives" if claim.reference is not None else "differences give"
        if claim.what == "hand-written":
            remedy = "Correct the gradient; certify=False uses it as it is"
        else:
            remedy = (
                "This is a fault of nbgraph, not of the function: please report it; a gradient "
                "given by hand (@op.gradient) replaces it, certify=False uses it as it is"
            )
        slope, expected = (v.context.nstr(v, 12) for v in (verdict.slope, verdict.expected))
        raise CertificateError(
            f"{claim.name}: the {claim.what} derivative w.r.t. {claim.wrt.data!r} is wrong at "
            f"{point}: it gives {slope}, {other} {expected}{self._branch(leaves)}. {remedy}"
        )

    def _branch(self, leaves: Leaves) -> str:
        parts = []
        for comparison in self.comparisons[:8]:
            try:
                taken = Evaluator(self.claim.graph, leaves, FloatDomain())(comparison)
            except Undetermined:
                continue
            if comparison.line:
                parts.append(f"{comparison.line.rpartition('/')[2]} is {bool(taken)}")
        return f" (conditions: {'; '.join(parts)})" if parts else ""
