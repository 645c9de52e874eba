"""Layer, RMS, group, instance and batch norm; local response norm has none of ours."""

from __future__ import annotations

from typing import Any

import numpy as np

import nbgraph as ng
from benchmarks.torch_cases.case import Case, Rng, flag, normal, numbers, one_of

NAMES = ("gamma", "beta", "moving_mean", "moving_variance")


def rows(rng: Rng, torch: Any) -> Case:
    """Layer and RMS norm over the last axes, with weights, with a part of them, without."""
    name = one_of(rng, "layer", "rms")
    shape = (*numbers(rng, 1, 4, int(rng.integers(0, 3))), *numbers(rng, 2, 9, 2))
    count = int(rng.integers(1, len(shape)))
    own, eps = shape[-count:], float(rng.uniform(1e-5, 0.1))
    weights = int(rng.integers(0, 3 if name == "layer" else 2))
    ours = getattr(ng, f"{name}_norm")
    theirs = getattr(torch.nn.functional, f"{name}_norm")
    axis = tuple(range(-count, 0))
    return Case(
        f"{name}_norm axis={axis} eps={eps} weights={weights}",
        [normal(rng, *shape), *(normal(rng, *own) for _ in range(weights))],
        lambda x, *w: ours(x, *w, axis=axis, eps=eps),
        lambda x, *w: theirs(x, own, *w, eps=eps),
    )


def groups(rng: Rng, torch: Any) -> Case:
    """Group and instance norm, of any number of axes of space."""
    count, each = numbers(rng, 1, 4, 2)
    space = numbers(rng, 1, 5, int(rng.integers(1, 4)))
    eps, alone = float(rng.uniform(1e-5, 0.1)), flag(rng)
    if int(np.prod(space)) < 2:
        space = (*space[:-1], 3)
    channels = count * each
    weights = [normal(rng, channels) for _ in range(2)] if flag(rng) else []
    functional = torch.nn.functional
    x = normal(rng, 2, channels, *space)
    if alone:
        return Case(
            f"instance_norm eps={eps}",
            [x, *weights],
            lambda x, *w: ng.instance_norm(x, *w, eps=eps),
            lambda x, *w: functional.instance_norm(x, None, None, *w, eps=eps),
        )
    return Case(
        f"group_norm {count} groups eps={eps}",
        [x, *weights],
        lambda x, *w: ng.group_norm(x, count, *w, eps=eps),
        lambda x, *w: functional.group_norm(x, count, *w, eps=eps),
    )


def batch(rng: Rng, torch: Any) -> Case:
    """By statistics of the batch or by those given, with weights or without."""
    space = numbers(rng, 1, 5, int(rng.integers(0, 4)))
    channels, frozen, eps = int(rng.integers(1, 5)), flag(rng), float(rng.uniform(1e-5, 0.1))
    weights = [normal(rng, channels) for _ in range(2)] if flag(rng) else []
    mean, variance = normal(rng, channels), rng.uniform(0.5, 2, channels)
    kept = ng.array(mean), ng.array(variance)
    judges = torch.from_numpy(mean.copy()), torch.from_numpy(variance.copy())

    def ours(x: Any, *w: Any) -> Any:
        w = w or (None, None)
        if frozen:
            return ng.batch_norm(x, *w, *kept, eps=eps, frozen=True)
        return ng.batch_norm(x, *w, eps=eps)

    def theirs(x: Any, *w: Any) -> Any:
        given = judges if frozen else (None, None)
        return torch.nn.functional.batch_norm(x, *given, *w, training=not frozen, eps=eps)

    return Case(
        f"batch_norm {frozen=} eps={eps} weights={len(weights)}",
        [normal(rng, int(rng.integers(2, 5)), channels, *space), *weights],
        ours,
        theirs,
    )


def moving(rng: Rng, torch: Any) -> Case:
    """What `nn.BatchNorm` keeps after some steps, and what it then does to other data."""
    channels, momentum = int(rng.integers(1, 4)), float(rng.uniform(0, 1))
    space = numbers(rng, 2, 5, int(rng.integers(0, 3)))
    steps = [rng.normal(size=(int(rng.integers(2, 5)), channels, *space)) for _ in range(3)]
    layer = ng.nn.BatchNorm(channels, momentum=momentum)
    judge = getattr(torch.nn, f"BatchNorm{max(1, len(space))}d")(channels, momentum=momentum)
    judge.double()
    for name, start in zip(NAMES, (1.0, 0.0, 0.0, 1.0), strict=True):
        setattr(layer, name, ng.full(channels, start, "float64"))
    with ng.autograd.train_mode():
        for step in steps:
            layer(ng.array(step))
            judge(torch.from_numpy(step))
    judge.eval()
    kept = [getattr(layer, name) for name in NAMES]
    return Case(
        f"moving averages momentum={momentum}",
        [steps[0] * 2],
        lambda x: ng.batch_norm(x, *kept, frozen=True),
        judge,
    )


KINDS = {"rows": rows, "groups": groups, "batch": batch, "moving": moving}
