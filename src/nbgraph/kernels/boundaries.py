"""Where the two sides of a comparison are equal along one operand, by bisection in float64."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

Gap = Callable[[float], float]  # one side less the other; NaN where there is none


def crossings(gap: Gap, line: Sequence[float]) -> list[float]:
    """The zeros of a gap between and beside increasing points."""
    gaps = [gap(x) for x in line]
    found = []
    for i in range(len(line) - 1):
        if _sign(gaps[i]) != _sign(gaps[i + 1]) and not math.isnan(gaps[i] + gaps[i + 1]):
            found.append(_bisect(gap, line[i], line[i + 1]))
    for i in range(1, len(line) - 1):
        a, b, c = gaps[i - 1 : i + 2]
        if abs(b) <= min(abs(a), abs(c)) and b and _sign(a) == _sign(b) == _sign(c):
            low = _lowest(gap, line[i - 1], line[i + 1])
            if _sign(gap(low)) == -_sign(b):
                found += [_bisect(gap, line[i - 1], low), _bisect(gap, low, line[i + 1])]
    return [x for x in found if math.isfinite(x)]


def _sign(x: float) -> int:
    """-1, 0 or 1; not by products, which may underflow."""
    return (x > 0) - (x < 0)


def _bisect(gap: Gap, a: float, b: float) -> float:
    """A zero of `gap` between a and b, to the last float64 digits."""
    below = gap(a)
    for _ in range(70):
        middle = 0.5 * (a + b)
        if middle in (a, b):
            break
        value = gap(middle)
        if math.isnan(value):
            return math.nan
        if _sign(value) == _sign(below):
            a = middle
        else:
            b = middle
    return 0.5 * (a + b)


def _lowest(gap: Gap, a: float, b: float) -> float:
    """Where |gap| is smallest between a and b (golden section)."""
    ratio = 0.5 * (math.sqrt(5) - 1)
    sign = math.copysign(1.0, gap(a))
    left, right = b - ratio * (b - a), a + ratio * (b - a)
    low, high = sign * gap(left), sign * gap(right)
    for _ in range(40):
        if low < high:
            b, right, high = right, left, low
            left = b - ratio * (b - a)
            low = sign * gap(left)
        else:
            a, left, low = left, right, high
            right = a + ratio * (b - a)
            high = sign * gap(right)
    return 0.5 * (a + b)
