"""Rates that change from step to step: functions from the number of a step, from 0 on, to a rate.

Any such function can be an optimizer's `lr`. A rate depends on the number of the step only, so
schedules have no state to restore.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from nbgraph.errors import ArgumentError, require_whole
from nbgraph.foreign import missing

Schedule = Callable[[int], float]


def constant(rate: float) -> Schedule:
    """Return a schedule with the same rate all the time.

    >>> constant(0.1)(1000)
    0.1
    """
    return lambda step: rate


def step(rate: float, every: int, factor: float = 0.1, *, least: float = 0.0) -> Schedule:
    """Return a schedule that multiplies the rate by `factor` after every `every` steps, not below
    `least`.

    Parameters
    ----------
    rate : float, that of the first steps
    every : int, steps
    factor, least : floats

    Returns
    -------
    callable from a step's number, from 0 on, to its rate: an optimizer's `lr`

    >>> halved = step(0.8, 10, 0.5)
    >>> [halved(n) for n in (0, 9, 10, 25)]
    [0.8, 0.8, 0.4, 0.2]
    """
    require_whole("step: every", every)
    return lambda n: max(least, rate * factor ** (n // every))


def multifactor(rate: float, steps: Sequence[int], factor: float = 0.1) -> Schedule:
    """Return a schedule that multiplies the rate by `factor` at each of these steps, which rise.

    >>> falling = multifactor(0.8, [3, 5], 0.5)
    >>> [falling(n) for n in range(2, 7)]
    [0.8, 0.4, 0.4, 0.2, 0.2]
    """
    if sorted(set(steps)) != list(steps):
        raise ArgumentError(f"multifactor: steps={list(steps)}; expected rising numbers")
    return lambda n: rate * factor ** sum(n >= each for each in steps)


def exponential(rate: float, factor: float) -> Schedule:
    """Return a schedule that multiplies the rate by `factor` at every step.

    >>> exponential(1.0, 0.5)(3)
    0.125
    """
    return lambda n: rate * factor**n


def inverse_root(rate: float, warm: int = 4000) -> Schedule:
    """Return a schedule that rises in a line to `rate` for `warm` steps, then falls with the root
    of the step's number (Vaswani et al., 2017).

    >>> [inverse_root(1.0, 4)(n) for n in (0, 3, 15)]
    [0.25, 1.0, 0.5]
    """
    require_whole("inverse_root: warm", warm)
    return lambda n: rate * min((n + 1) / warm, math.sqrt(warm / (n + 1)))


def poly(rate: float, steps: int, power: float = 2.0, *, last: float = 0.0) -> Schedule:
    """Return a schedule from `rate` down to `last` within `steps` steps, as a power of the part
    that is left.

    >>> [poly(1.0, 4, 2)(n) for n in range(6)]
    [1.0, 0.5625, 0.25, 0.0625, 0.0, 0.0]
    """
    require_whole("poly: steps", steps)
    return lambda n: last + (rate - last) * (1 - min(n, steps) / steps) ** power


def linear(rate: float, steps: int, *, last: float = 0.0) -> Schedule:
    """Return a schedule from `rate` to `last` in a line.

    >>> linear(1.0, 4)(1)
    0.75
    """
    return poly(rate, steps, 1.0, last=last)


def cosine(rate: float, steps: int, *, last: float = 0.0) -> Schedule:
    """Return a schedule from `rate` down to `last` along half a cosine (Loshchilov and Hutter,
    2017).

    >>> [round(cosine(1.0, 4)(n), 4) for n in range(6)]
    [1.0, 0.8536, 0.5, 0.1464, 0.0, 0.0]
    """
    require_whole("cosine: steps", steps)
    return lambda n: last + (rate - last) * (1 + math.cos(math.pi * min(n, steps) / steps)) / 2


def restarts(rate: float, steps: int, *, stretch: int = 1, last: float = 0.0) -> Schedule:
    """Return a schedule that repeats `cosine` again and again (Loshchilov and Hutter, 2017).

    Parameters
    ----------
    rate, last : floats, where each cycle begins and ends
    steps : int, the length of the first cycle
    stretch : int, the ratio of the lengths of successive cycles

    >>> [restarts(1.0, 2, stretch=2)(n) for n in (0, 1, 2, 4, 6)]
    [1.0, 0.5, 1.0, 0.5, 1.0]
    """
    require_whole("restarts: steps", steps)
    require_whole("restarts: stretch", stretch)

    def at(n: int) -> float:
        length = steps
        while n >= length:
            n, length = n - length, length * stretch
            if stretch == 1:
                n %= length
        return cosine(rate, length, last=last)(n)

    return at


def warmup(schedule: Schedule | float, steps: int, *, first: float = 0.0) -> Schedule:
    """Return a schedule that goes in a line from `first` to the first rate of `schedule`, then
    follows it.

    Parameters
    ----------
    schedule : callable from a step's number to its rate, which then counts from 0; or one rate
    steps : int, of the line
    first : float

    >>> [warmup(constant(1.0), 4)(n) for n in range(6)]
    [0.0, 0.25, 0.5, 0.75, 1.0, 1.0]
    """
    require_whole("warmup: steps", steps)
    later = schedule if callable(schedule) else constant(schedule)

    def at(n: int) -> float:
        if n >= steps:
            return later(n - steps)
        return first + (later(0) - first) * n / steps

    return at


def one_cycle(
    rate: float, steps: int, *, rise: float = 0.3, begin: float = 25.0, end: float = 1e4
) -> Schedule:
    """Return a schedule that rises to `rate` and falls again, both along half a cosine (Smith and
    Topin, 2019).

    Parameters
    ----------
    rate : float, the highest
    steps : int, in all
    rise : float from 0 to 1, the part of them that goes up
    begin, end : floats: it begins at rate / begin, and ends at rate / begin / end

    >>> cycle = one_cycle(1.0, 10, rise=0.5, begin=2.0, end=2.0)
    >>> [round(cycle(n), 4) for n in (0, 4, 9)]
    [0.5, 1.0, 0.25]
    """
    require_whole("one_cycle: steps", steps, 2)
    top = rise * steps - 1
    if not 0 < top < steps - 1:
        raise ArgumentError(
            f"one_cycle: rise={rise} of {steps} steps; expected a part with steps on both sides"
        )
    low, least = rate / begin, rate / begin / end

    def at(n: int) -> float:
        if n <= top:
            return _bent(low, rate, n / top)
        return _bent(rate, least, (min(n, steps - 1) - top) / (steps - 1 - top))

    return at


def _bent(start: float, end: float, part: float) -> float:
    """Return a number between two others along half a cosine."""
    return end + (start - end) * (1 + math.cos(math.pi * part)) / 2


__getattr__ = missing("ng.optim.schedules", globals())
