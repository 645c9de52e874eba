"""Pools: the largest value, the mean, the p-norm, of windows or of the whole."""

from __future__ import annotations

from typing import Any

import nbgraph as ng
from benchmarks.torch_cases.case import Case, Rng, distinct, flag, normal, numbers


def _drawn(rng: Rng) -> tuple[int, tuple[int, ...], tuple[int, ...], dict[str, Any]]:
    axes = int(rng.integers(1, 4))
    window = numbers(rng, 1, 5, axes)
    pad = tuple(int(rng.integers(0, k // 2 + 1)) for k in window)
    space = tuple(max(1, k - p + int(rng.integers(0, 7))) for k, p in zip(window, pad))
    how = {"pad": pad, "ceil": flag(rng)}
    how["stride"] = None if rng.integers(4) == 0 else numbers(rng, 1, 4, axes)
    return axes, window, space, how


def largest(rng: Rng, torch: Any) -> Case:
    """By both conventions of the last place; windows with gaps one time in two."""
    axes, window, space, how = _drawn(rng)
    gap = (1,) * axes
    if flag(rng):
        gap = numbers(rng, 1, 3, axes)
        space = tuple((k - 1) * g + 1 + int(rng.integers(0, 5)) for k, g in zip(window, gap))
        how["dilation"] = gap
    theirs = getattr(torch.nn.functional, f"max_pool{axes}d")
    return Case(
        f"max_pooling {window} {how}",
        [distinct(rng, 2, 3, *space)],
        lambda x: ng.max_pooling(x, window, **how),
        lambda x: theirs(x, window, how["stride"] or window, how["pad"], gap, how["ceil"]),
    )


def mean(rng: Rng, torch: Any) -> Case:
    """With the zeros of the pad counted, or not."""
    axes, window, space, how = _drawn(rng)
    space = tuple(max(n, k) for n, k in zip(space, window))  # PyTorch wants it so in 3-D
    how["counted"] = flag(rng)
    theirs = getattr(torch.nn.functional, f"avg_pool{axes}d")
    return Case(
        f"avg_pooling {window} {how}",
        [normal(rng, 2, 3, *space)],
        lambda x: ng.avg_pooling(x, window, **how),
        lambda x: theirs(
            x, window, how["stride"] or window, how["pad"], how["ceil"], how["counted"]
        ),
    )


def power(rng: Rng, torch: Any) -> Case:
    """`Pooling(pool_type="lp")`; of positive data, as PyTorch's has the sign of the sum."""
    axes, window, space, _ = _drawn(rng)
    space = tuple(max(n, k) for n, k in zip(space, window))
    step, p = numbers(rng, 1, 4, axes), int(rng.integers(1, 4))
    theirs = getattr(torch.nn.functional, f"lp_pool{axes}d")
    width = window[0] if axes == 1 else window
    how = {"kernel": window, "stride": step, "pool_type": "lp", "p_value": p}
    return Case(
        f"Pooling {how}",
        [abs(normal(rng, 2, 2, *space)) + 0.1],
        lambda x: ng.Pooling(x, **how),
        lambda x: theirs(x, float(p), width, step),
        tolerance=1e-8,
    )


def whole(rng: Rng, torch: Any) -> Case:
    """`nn.GlobalPool` and the pools that adapt to one place."""
    axes, largest = int(rng.integers(1, 4)), flag(rng)
    space = numbers(rng, 1, 6, axes)
    kind = "max" if largest else "avg"
    theirs = getattr(torch.nn.functional, f"adaptive_{kind}_pool{axes}d")
    return Case(
        f"nn.GlobalPool {largest=}",
        [distinct(rng, 2, 3, *space)],
        ng.nn.GlobalPool(largest=largest),
        lambda x: theirs(x, 1).flatten(1),
    )


def adaptive(rng: Rng, torch: Any) -> Case:
    """Pools that say how many places there are."""
    axes, largest = int(rng.integers(1, 4)), flag(rng)
    space, places = numbers(rng, 1, 8, axes), numbers(rng, 1, 6, axes)
    kind = "max" if largest else "avg"
    ours = getattr(ng, f"adaptive_{kind}_pooling")
    theirs = getattr(torch.nn.functional, f"adaptive_{kind}_pool{axes}d")
    return Case(
        f"adaptive_{kind}_pooling {places}",
        [distinct(rng, 2, 3, *space)],
        lambda x: ours(x, places),
        lambda x: theirs(x, places),
    )


KINDS = {
    "largest": largest,
    "mean": mean,
    "power": power,
    "whole": whole,
    "adaptive": adaptive,
}
