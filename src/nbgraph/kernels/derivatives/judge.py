"""The judgement of a slope at one point: right or wrong, apart from rounding errors.

The slope's graph and the function are evaluated with many digits; the slope must equal a central
difference of the function. Few digits decide nearly every point. At the rest the evaluation is
repeated several times with more digits and different rounding errors: what varies between these
evaluations is noise. A slope is wrong only if it differs from the differences by much more than the
variation of both. So neither cancellation nor overflow counts as a wrong formula, and a point that
no precision settles is left out.
"""

import math
from collections.abc import Mapping
from random import Random
from typing import Any, Literal, NamedTuple

from nbgraph.kernels.derivatives.claim import Claim
from nbgraph.kernels.scalar.interpret import Budget, Evaluator, FloatDomain, Undetermined, Unreached
from nbgraph.kernels.scalar.mpmath_context import BITS, context
from nbgraph.kernels.scalar.multiprecision import MultiDomain
from nbgraph.kernels.vector_math.names import BRANCHING

Leaves = Mapping[int, Any]
Word = Literal["right", "faint", "wrong", "open", "undefined"]

TOLERANCE = 1e-9  # relative, of a derived slope to differences
HAND_TOLERANCE = 1e-6  # relative, of a hand-written slope to the derived one
STEP = 1e-12  # of the difference at `BITS` bits, relative to the operand
FAINT = 1e-15  # of value / operand: the first difference cannot resolve smaller slopes
PRECISIONS = (640, 2048)  # bits, for points that the first precision leaves open
COSTLY_PRECISIONS = (384, 768)  # bits, for functions that are slow at more
COSTLY = BRANCHING | {"erfinv", "lgamma"}
OPAQUE_RANGE = 1e-150, 1e150  # of slopes computed in float64, without source text
SEEDS, MORE_SEEDS = 2, 8  # evaluations with other roundings; number before a slope is called wrong
CLEAR = 16.0  # multiple of the noise that counts as disagreement
SETTLED = 1e-3  # relative change of differences that still count as a slope


class Verdict(NamedTuple):
    """A verdict on one point; numbers are None where undefined.

    `right`; `faint`: too small relative to the function to differ from 0; `wrong`; `open`:
    undecided; `undefined`: the function has no slope there.
    """

    word: Word
    slope: Any = None
    expected: Any = None
    error: float = 0.0  # relative


class _Sample(NamedTuple):
    """One evaluation; `slope` is None if the slope's graph has no value."""

    slope: Any
    expected: Any
    scale: Any  # value / operand


class Judge:
    """A judge of the points of one claim, within one budget."""

    def __init__(self, claim: Claim, budget: Budget, trips: int) -> None:
        self.claim, self.budget, self.trips = claim, budget, trips
        self.tolerance = TOLERANCE if claim.reference is None else HAND_TOLERANCE
        nodes = claim.graph.reachable([claim.value, claim.slope])
        costly = any(n.op == "call" and n.data in COSTLY for n in nodes)
        self.precisions = COSTLY_PRECISIONS if costly else PRECISIONS
        self._opaque = any(n.op == "extern" and n.data.wrt for n in nodes)
        self._first = MultiDomain(BITS, budget)

    def at(self, leaves: Leaves) -> Verdict:
        """Return the verdict at a point, with more digits if the first precision is not enough."""
        try:
            sample = self._sample(leaves, self._first, STEP)
        except Unreached:
            return Verdict("open")
        except Undetermined:
            return Verdict("undefined")
        slope, expected, scale = sample
        mp = self._first.mp
        if not mp.isfinite(expected):
            return Verdict("undefined")
        if slope is None or not mp.isfinite(slope):
            return self.closely(leaves)
        size = max(abs(slope), abs(expected))
        if size <= FAINT * scale:
            return Verdict("faint", slope, expected)
        error = float(abs(slope - expected) / size)
        if error > self.tolerance:
            return self.closely(leaves)
        return Verdict("right", slope, expected, error)

    def closely(self, leaves: Leaves) -> Verdict:
        """Return the verdict at a point from more digits and from noise."""
        verdict = Verdict("open")
        for bits in self.precisions:
            last = bits == self.precisions[-1]
            try:
                verdict = self._noisy(leaves, bits, SEEDS)
                if verdict.word == "wrong" and last:
                    verdict = self._noisy(leaves, bits, MORE_SEEDS)
            except Unreached:
                return Verdict("open")
            except Undetermined:
                return Verdict("undefined")
            if verdict.word == "faint" and self.claim.slope.op == "const":
                verdict = verdict._replace(word="right")
            if verdict.word == "right":
                break
        if verdict.word == "wrong" and self._overflows(leaves):
            return Verdict("open")
        return verdict

    def _overflows(self, leaves: Leaves) -> bool:
        """Return whether the function overflows float64: rounding steps of numbers that large are
        closer than any difference."""
        try:
            domain = FloatDomain(self.budget)
            value = float(Evaluator(self.claim.graph, leaves, domain, self.trips)(self.claim.value))
        except (Undetermined, OverflowError):
            return True
        return not math.isfinite(value)

    def _noisy(self, leaves: Leaves, bits: int, seeds: int) -> Verdict:
        """Return the verdict on which evaluations with different roundings and steps agree."""
        mp = context(bits)
        step = mp.ldexp(1, -bits // 3)
        samples = [
            self._sample(
                leaves, MultiDomain(bits, self.budget, Random(seed)), step / (1 + 7 * seed)
            )
            for seed in range(seeds)
        ]
        slope, expected, scale = samples[0]
        if not all(mp.isfinite(s.expected) for s in samples):
            return Verdict("undefined")
        floor = scale * mp.ldexp(1, -bits // 2)
        noise = _spread([s.expected for s in samples])
        size = max(abs(s.expected) for s in samples)
        settled = size <= floor or noise <= SETTLED * size
        slopes = [s.slope for s in samples if s.slope is not None and mp.isfinite(s.slope)]
        if self._opaque and (not slopes or not OPAQUE_RANGE[0] < size < OPAQUE_RANGE[1]):
            return Verdict("open")
        if not slopes and settled:
            return Verdict("wrong", mp.nan, expected, math.inf)
        if len(slopes) < len(samples):
            return Verdict("open")
        noise += _spread(slopes)
        size = max(size, *map(abs, slopes))
        if size <= floor:
            return Verdict("faint", slope, expected)
        differences = [abs(s.slope - s.expected) for s in samples]
        error = float(max(differences) / size)
        if error <= self.tolerance:
            return Verdict("right", slope, expected, error)
        clear = min(differences) > max(CLEAR * noise, self.tolerance * size, floor)
        return Verdict("wrong" if clear and settled else "open", slope, expected, error)

    def _sample(self, leaves: Leaves, domain: MultiDomain, step: Any) -> _Sample:
        """Return the slope, its expected value, and the size of value / operand.

        Raises Undetermined where the function has no value.
        """
        claim, mp = self.claim, domain.mp
        exact = {k: mp.mpf(v) if isinstance(v, float) else v for k, v in leaves.items()}
        evaluate = Evaluator(claim.graph, exact, domain, self.trips)
        try:
            slope = evaluate(claim.slope)
        except Unreached:
            raise
        except Undetermined:
            slope = None
        x = exact[claim.wrt.id]
        unit = max(1, abs(x)) if abs(x) > 1e-3 else abs(x) or mp.mpf(1)
        if claim.reference is not None:
            return _Sample(slope, evaluate(claim.reference), abs(evaluate(claim.value)) / unit)
        h = step * unit
        above, below = (
            Evaluator(claim.graph, {**exact, claim.wrt.id: at}, domain, self.trips)(claim.value)
            for at in (x + h, x - h)
        )
        return _Sample(slope, (above - below) / (2 * h), abs(above) / unit)

    def in_floats(self, leaves: Leaves, slope: Any) -> float:
        """Return the relative error of the slope computed in float64; NaN if that is not a number.

        0 for a slope beyond float64.
        """
        evaluate = Evaluator(self.claim.graph, leaves, FloatDomain(self.budget), self.trips)
        try:
            got = float(evaluate(self.claim.slope))
        except Undetermined:
            return 0.0
        size = abs(slope) or abs(self._first.mp.mpf(got))
        if not size or size > 1e308 or (size < 1e-300 and abs(got) < 1e-300):
            return 0.0
        return float(abs(got - slope) / size) if math.isfinite(got) else math.nan


def _spread(values: list[Any]) -> Any:
    return max(values) - min(values)
