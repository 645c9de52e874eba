"""Softmax and kin along any axes."""

from __future__ import annotations

from typing import Any

import numpy as np

import nbgraph as ng
from benchmarks.torch_cases.case import Case, Rng, dims, flag, normal, one_of, shape_of, some_axes


def shares(rng: Rng, torch: Any) -> Case:
    """softmax and log_softmax, with a temperature one time in two."""
    shape, name = shape_of(rng), one_of(rng, "softmax", "log_softmax", "softmin")
    axis = int(rng.integers(-len(shape), len(shape)))
    heat = float(rng.uniform(0.3, 3)) if flag(rng) else None
    scale = one_of(rng, 1.0, 300.0)
    ours, theirs = getattr(ng, name), getattr(torch.nn.functional, name)
    return Case(
        f"{name} {axis=} temperature={heat} scale={scale}",
        [scale * normal(rng, *shape)],
        lambda x: ours(x, axis, temperature=heat),
        lambda x: theirs(x if heat is None else x / heat, axis),
    )


def several(rng: Rng, torch: Any) -> Case:
    """softmax over several axes at once."""
    shape = shape_of(rng, 2)
    axis = some_axes(rng, len(shape))
    over = tuple(d % len(shape) for d in dims(axis, len(shape)))
    ours = one_of(rng, "softmax", "log_softmax")

    def theirs(x: Any) -> Any:
        logs = x - torch.logsumexp(x, over, keepdim=True)
        return logs if ours == "log_softmax" else torch.exp(logs)

    chosen = tuple(range(len(shape))) if axis is None else axis
    return Case(
        f"{ours} axis={chosen}",
        [normal(rng, *shape)],
        lambda x: getattr(ng, ours)(x, chosen),
        theirs,
    )


def masked(rng: Rng, torch: Any) -> Case:
    """Where some scores are minus infinity."""
    shape = (*shape_of(rng, 1, 2), int(rng.integers(2, 7)))
    hidden = rng.uniform(size=shape) < 0.4
    hidden[..., 0] = False
    mask = np.where(hidden, -np.inf, 0.0)
    name = one_of(rng, "softmax", "logsumexp")
    judge = torch.from_numpy(mask)
    x = normal(rng, *shape)
    if name == "softmax":
        return Case(
            "softmax, masked",
            [x],
            lambda x: ng.softmax(x + mask),
            lambda x: torch.softmax(x + judge, -1),
        )
    return Case(
        "logsumexp, masked",
        [x],
        lambda x: ng.logsumexp(x + mask, -1),
        lambda x: torch.logsumexp(x + judge, -1),
    )


def total(rng: Rng, torch: Any) -> Case:
    """logsumexp over any axes, and its running form."""
    shape = shape_of(rng)
    if flag(rng):
        axis = int(rng.integers(-len(shape), len(shape)))
        return Case(
            f"logcumsumexp {axis=}",
            [3 * normal(rng, *shape)],
            lambda x: ng.logcumsumexp(x, axis),
            lambda x: torch.logcumsumexp(x, axis),
        )
    axis, kept = some_axes(rng, len(shape)), flag(rng)
    return Case(
        f"logsumexp {axis=} keepdims={kept}",
        [3 * normal(rng, *shape)],
        lambda x: ng.logsumexp(x, axis, keepdims=kept),
        lambda x: torch.logsumexp(x, dims(axis, len(shape)), keepdim=kept),
    )


KINDS = {"shares": shares, "several": several, "masked": masked, "total": total}
