"""Certificates: a derivative is checked against differences before its first value leaves.

Function and derivative are evaluated with many digits at seeded points: over magnitudes from
1e-6 to 1e8 of both signs, and on both sides of every comparison's boundary, found by bisection.
A central difference with step 1e-12 at 36 digits is right to about 24, so disagreement is a
wrong formula and not noise. Where the slopes left and right of a boundary differ there is a
kink, which is reported.
"""

from __future__ import annotations

import json
import math
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from nbgraph.codegen import cache
from nbgraph.errors import CertificateError
from nbgraph.kernels import vanishing
from nbgraph.kernels.claim import Claim, key
from nbgraph.kernels.interpret import MAX_TRIPS, Evaluator, FloatDomain, Undetermined
from nbgraph.kernels.multiprecision import MultiDomain
from nbgraph.kernels.scalar import COMPARISONS, Node

SECONDS = 0.045  # for one certificate; the points come in the order of what they can show
MINIMUM = 24  # points that are tried even when they take longer
LONGEST, FEWEST = 0.5, 8  # seconds after which so many points have to do (slow functions)
LONG_MINIMUM = 4  # of them where every loop is long
TRIPS = 500  # of a loop; one that goes on may be endless there (Newton on a negative number)
TOLERANCE = 1e-9  # relative, of a derived slope against differences
HAND_TOLERANCE = 1e-6  # relative, of a hand-given slope against the derived one
_MAGNITUDES = (
    *(0.37, 1.3, 2.9, 0.08, 7.1, 25.0, 0.004, 140.0, 1.7e3, 1e-6, 6.3e4, 2.1e6, 3.7e8),
    *(0.61, 0.97, 1.9, 4.3, 12.0, 60.0, 480.0),
)

Leaves = dict[int, Any]


@dataclass(slots=True)
class Certificate:
    """What was checked; `kinks` are (where, slope on the left, slope on the right)."""

    name: str
    wrt: str
    points: int = 0
    boundaries: list[float] = field(default_factory=list)
    kinks: list[tuple[float, float, float]] = field(default_factory=list)
    worst: float = 0.0  # largest relative disagreement that was seen
    seconds: float = 0.0

    def __str__(self) -> str:
        text = f"{self.points} points, worst disagreement {self.worst:.1e}"
        if self.boundaries:
            text += ", both sides of " + ", ".join(map(_place, self.boundaries[:6]))
        if self.kinks:
            listed = (f"{_place(x)} ({a:.4g} | {b:.4g})" for x, a, b in self.kinks[:4])
            text += "; kinks at " + ", ".join(listed)
        return text

    def to_dict(self) -> dict[str, Any]:
        """The fields as a dictionary."""
        return asdict(self)


def _place(x: float) -> str:
    """A boundary as people write it: bisection ends near 0, not on it."""
    return "0" if abs(x) < 1e-20 else f"{x:.6g}"


def certify(claim: Claim, digest: str = "") -> Certificate:
    """Check a claim; CertificateError with the point, both values and the branch.

    The verdict on a claim whose formulas have a `digest` is kept, and found again.
    """
    stored = cache.recall(key(claim, digest)) if digest else None
    if stored is not None:
        fields: dict[str, Any] = json.loads(stored)
        fields["kinks"] = [tuple(k) for k in fields["kinks"]]
        fields["name"] = claim.name
        return Certificate(**fields)
    certificate = _Checker(claim).run()
    if digest:
        cache.remember(key(claim, digest), json.dumps(certificate.to_dict()).encode())
    return certificate


class _Checker:
    def __init__(self, claim: Claim) -> None:
        self.claim = claim
        self.random = random.Random(20180107)
        self.multi, self.float = MultiDomain(), FloatDomain()
        self.trips = TRIPS
        self.report = Certificate(claim.name, str(claim.wrt.data))
        roots = [claim.value, claim.slope] + ([claim.reference] if claim.reference else [])
        nodes = claim.graph.reachable(roots)
        guards = vanishing.guards(nodes)
        self.comparisons = [
            n
            for n in nodes
            if n.op in COMPARISONS and n.args[0].kind == "f" and not n.regions
            if n.id not in guards
        ]

    def run(self) -> Certificate:
        started = time.thread_time()
        self._try_points(MINIMUM)
        if not self.report.points and self.claim.graph.regions:
            self.trips = MAX_TRIPS
            self._try_points(LONG_MINIMUM)
        self.report.seconds = time.thread_time() - started
        return self.report

    def _try_points(self, minimum: int) -> None:
        """Points until the time is spent; both sides of boundaries are worth more of it."""
        started = time.thread_time()  # of this thread: a busy machine does not weaken the check
        for tried, (leaves, boundary) in enumerate(self._points()):
            spent = time.thread_time() - started
            if tried >= minimum and spent > (SECONDS if boundary is None else 4 * SECONDS):
                break
            if spent > LONGEST and self.report.points >= FEWEST:
                break
            if boundary is None:
                self._check(leaves)
            else:
                self._check_boundary(leaves, boundary)

    # points -----------------------------------------------------------------------------------

    def _line(self) -> list[float]:
        """Coordinates of the operand, both signs, each moved a little."""
        jitter = [m * (1 + 0.1 * self.random.random()) for m in _MAGNITUDES]
        return [sign * m for m in jitter for sign in (1.0, -1.0)]

    def _others(self, *, vary: bool = False) -> Leaves:
        """Values of the other leaves; floating parameters at, or away from, their defaults."""
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
        line = self._line()
        first = self._others()
        settings = [first, self._others(vary=True), self._positive(first)]
        for x in line[:4]:
            yield {**first, self.claim.wrt.id: x}, None
        found: set[float] = set()
        for others in settings[: 3 if len(self.claim.leaves) > len(self.claim.fixed) + 1 else 1]:
            for comparison in self.comparisons:
                for at in self._boundaries(comparison, sorted(line), others):
                    if round(at, 9) not in found:
                        found.add(round(at, 9))
                        yield others, at
        for i, x in enumerate(line[4:]):
            yield {**settings[i % len(settings)], self.claim.wrt.id: x}, None
        for _ in range(40):
            yield {**self._others(), self.claim.wrt.id: self.random.uniform(-4, 4)}, None

    def _positive(self, values: Leaves) -> Leaves:
        fixed = self.claim.fixed
        return {k: v if k in fixed or isinstance(v, bool) else abs(v) for k, v in values.items()}

    def _boundaries(self, comparison: Node, line: Sequence[float], others: Leaves) -> list[float]:
        """Where the two sides of a comparison are equal along the operand's axis."""

        def gap(x: float) -> float:
            evaluate = Evaluator(self.claim.graph, {**others, self.claim.wrt.id: x}, self.float)
            try:
                return float(evaluate(comparison.args[0]) - evaluate(comparison.args[1]))
            except Undetermined:
                return math.nan

        gaps = [gap(x) for x in line]
        found = []
        for i in range(len(line) - 1):
            if gaps[i] * gaps[i + 1] <= 0:
                found.append(_bisect(gap, line[i], line[i + 1]))
        for i in range(1, len(line) - 1):
            a, b, c = gaps[i - 1 : i + 2]
            if abs(b) <= abs(a) and abs(b) <= abs(c) and a * b > 0 and b * c > 0:
                low = _lowest(gap, line[i - 1], line[i + 1])
                if gap(low) * b < 0:
                    found += [_bisect(gap, line[i - 1], low), _bisect(gap, low, line[i + 1])]
        return [x for x in found if math.isfinite(x)]

    # checks -----------------------------------------------------------------------------------

    def _check_boundary(self, others: Leaves, at: float) -> None:
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

    def _check(self, leaves: Leaves) -> Any:
        """Compare at one point; the slope, or None where nothing can be said."""
        claim, mp = self.claim, self.multi.mp
        exact = {k: mp.mpf(v) if isinstance(v, float) else v for k, v in leaves.items()}
        evaluate = Evaluator(claim.graph, exact, self.multi, self.trips)
        try:
            slope = evaluate(claim.slope)
        except Undetermined:  # wrong, where the function has a slope
            slope = mp.nan
        try:
            if claim.reference is not None:
                expected, agree = evaluate(claim.reference), HAND_TOLERANCE
            else:
                expected, agree = self._difference(exact), TOLERANCE
        except Undetermined:
            return None
        if expected is None or mp.isnan(expected):
            return None
        self.report.points += 1
        if mp.isnan(slope):
            self._disagree(leaves, slope, expected)
        size = max(abs(slope), abs(expected))
        error = abs(slope - expected) / size if size > mp.mpf(10) ** -15 else mp.mpf(0)
        if error > agree:
            self._disagree(leaves, slope, expected)
        self.report.worst = max(self.report.worst, float(error))
        return slope

    def _difference(self, exact: Leaves) -> Any:
        """Central difference; None where two step sizes do not agree (a jump lies between)."""
        mp, wrt = self.multi.mp, self.claim.wrt
        x = exact[wrt.id]
        found = []
        for power in (12, 10):
            h = mp.mpf(10) ** -power * (max(1, abs(x)) if abs(x) > 1e-3 else abs(x) or mp.mpf(1))
            sides = []
            for point in (x + h, x - h):
                evaluate = Evaluator(
                    self.claim.graph, {**exact, wrt.id: point}, self.multi, self.trips
                )
                sides.append(evaluate(self.claim.value))
            found.append((sides[0] - sides[1]) / (2 * h))
        a, b = found
        return a if abs(a - b) <= 1e-9 * max(abs(a), abs(b), mp.mpf(10) ** -15) else None

    def _disagree(self, leaves: Leaves, slope: Any, expected: Any) -> None:
        claim = self.claim
        names = {n.id: str(n.data) for n in claim.leaves}
        point = ", ".join(f"{names[k]}={v:.12g}" for k, v in leaves.items() if k in names)
        other = "the derived gradient" if claim.reference is not None else "differences"
        raise CertificateError(
            f"{claim.name}: the {claim.what} derivative w.r.t. {claim.wrt.data!r} is wrong at "
            f"{point}: it gives {float(slope):.9g}, {other} give {float(expected):.9g}"
            f"{self._branch(leaves)}. Correct the gradient; certify=False uses it as it is"
        )

    def _branch(self, leaves: Leaves) -> str:
        parts = []
        for comparison in self.comparisons[:8]:
            try:
                taken = Evaluator(self.claim.graph, leaves, self.float)(comparison)
            except Undetermined:
                continue
            if comparison.line:
                parts.append(f"{comparison.line.rpartition('/')[2]} is {bool(taken)}")
        return f" (conditions: {'; '.join(parts)})" if parts else ""


def _bisect(gap: Callable[[float], float], a: float, b: float) -> float:
    """A zero of `gap` between a and b, to the last float64 digits."""
    below = gap(a)
    for _ in range(70):
        middle = 0.5 * (a + b)
        if middle in (a, b):
            break
        value = gap(middle)
        if math.isnan(value):
            return math.nan
        if value * below > 0:
            a = middle
        else:
            b = middle
    return 0.5 * (a + b)


def _lowest(gap: Callable[[float], float], a: float, b: float) -> float:
    """Where |gap| is smallest between a and b (golden section)."""
    ratio = 0.5 * (math.sqrt(5) - 1)
    sign = math.copysign(1.0, gap(a))
    for _ in range(40):
        left, right = b - ratio * (b - a), a + ratio * (b - a)
        if sign * gap(left) < sign * gap(right):
            b = right
        else:
            a = left
    return 0.5 * (a + b)
