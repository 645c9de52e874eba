"""Sorting, the k largest, running totals and extremes."""

from __future__ import annotations

from typing import Any

import numpy as np

import nbgraph as ng
from benchmarks.torch_cases.case import Case, Rng, distinct, flag, normal, one_of, shape_of


def ordered(rng: Rng, torch: Any) -> Case:
    """sort, and the values of topk; squared, so that there is a second derivative."""
    shape = shape_of(rng)
    axis, down = int(rng.integers(-len(shape), len(shape))), flag(rng)
    x = distinct(rng, *shape)
    if flag(rng):
        return Case(
            f"sort {axis=} descending={down}",
            [x],
            lambda x: ng.sort(x, axis, descending=down) ** 2,
            lambda x: torch.sort(x, axis, down)[0] ** 2,
        )
    k = int(rng.integers(1, shape[axis] + 1))
    return Case(
        f"topk {k=} {axis=} largest={down}",
        [x],
        lambda x: ng.topk(x, k, axis, largest=down)[0] ** 2,
        lambda x: torch.topk(x, k, axis, largest=down)[0] ** 2,
    )


def places(rng: Rng, torch: Any) -> Case:
    """argsort, the places of topk, argmax and argmin, the running ones."""
    shape = shape_of(rng)
    axis, x = int(rng.integers(-len(shape), len(shape))), distinct(rng, *shape)
    k = int(rng.integers(1, shape[axis] + 1))
    table: dict[str, tuple[Any, Any]] = {
        "argsort": (lambda x: ng.argsort(x, axis), lambda x: torch.argsort(x, axis)),
        "topk": (lambda x: ng.topk(x, k, axis)[1], lambda x: torch.topk(x, k, axis)[1]),
        "argmax": (lambda x: ng.argmax(x, axis), lambda x: torch.argmax(x, axis)),
        "argmin": (lambda x: ng.argmin(x, axis), lambda x: torch.argmin(x, axis)),
        "cumargmax": (lambda x: ng.cumargmax(x, axis), lambda x: torch.cummax(x, axis)[1]),
        "cumargmin": (lambda x: ng.cumargmin(x, axis), lambda x: torch.cummin(x, axis)[1]),
    }
    name = one_of(rng, *table)
    return Case(f"{name} {axis=} {k=}", [x], *table[name], order=0)


def running(rng: Rng, torch: Any) -> Case:
    """cumsum, cumprod (also of zeros), cummax, cummin."""
    shape = shape_of(rng)
    axis = int(rng.integers(-len(shape), len(shape)))
    name = one_of(rng, "cumsum", "cumprod", "cummax", "cummin")
    x = distinct(rng, *shape) if name in ("cummax", "cummin") else normal(rng, *shape)
    if name == "cumprod" and flag(rng):
        x = np.where(rng.uniform(size=shape) < 0.15, 0.0, x)
    ours, theirs = getattr(ng, name), getattr(torch, name)

    def judge(x: Any) -> Any:
        found = theirs(x, axis)
        return (found if name in ("cumsum", "cumprod") else found[0]) ** 2

    return Case(f"{name} {axis=}", [x], lambda x: ours(x, axis) ** 2, judge)


KINDS = {"ordered": ordered, "places": places, "running": running}
