"""Reductions over any axes, in any order, of arrays with any strides."""

from __future__ import annotations

from typing import Any

import numpy as np

import nbgraph as ng
from benchmarks.torch_cases.case import (
    Case,
    Rng,
    dims,
    distinct,
    flag,
    normal,
    one_of,
    shape_of,
    some_axes,
)


def totals(rng: Rng, torch: Any) -> Case:
    """sum, mean, var, std with any ddof, max, min."""
    shape = shape_of(rng)
    axis, kept = some_axes(rng, len(shape)), flag(rng)
    over = tuple(d % len(shape) for d in dims(axis, len(shape)))
    count = int(np.prod([shape[d] for d in over]))
    ddof = 1 if count > 1 and flag(rng) else 0
    x = normal(rng, *shape)
    table: dict[str, tuple[Any, Any]] = {
        "sum": ({}, lambda x: torch.sum(x, over, keepdim=kept) ** 2),
        "mean": ({}, lambda x: torch.mean(x, over, keepdim=kept) ** 2),
        "var": ({"ddof": ddof}, lambda x: torch.var(x, over, correction=ddof, keepdim=kept) ** 2),
        "max": ({}, lambda x: torch.amax(x, over, keepdim=kept) ** 2),
        "min": ({}, lambda x: torch.amin(x, over, keepdim=kept) ** 2),
    }
    if count > 1:
        table["std"] = (
            {"ddof": ddof}, lambda x: torch.std(x, over, correction=ddof, keepdim=kept) ** 2
        )  # fmt: skip
    name = one_of(rng, *table)
    how, theirs = table[name]
    if name in ("max", "min"):
        x = distinct(rng, *shape)
    return Case(
        f"{name} {axis=} keepdims={kept} {how}",
        [x],
        lambda x: getattr(x, name)(axis, keepdims=kept, **how) ** 2,
        theirs,
    )


def products(rng: Rng, torch: Any) -> Case:
    """prod, with no, one or two zeros."""
    shape = shape_of(rng)
    axis, kept, x = int(rng.integers(-len(shape), len(shape))), flag(rng), normal(rng, *shape)
    x = np.where(rng.uniform(size=shape) < one_of(rng, 0, 0.2, 0.4), 0.0, x)
    if rng.integers(3) == 0:
        return Case("prod", [x], ng.prod, torch.prod)
    return Case(
        f"prod {axis=} keepdims={kept}",
        [x],
        lambda x: ng.prod(x, axis, keepdims=kept),
        lambda x: torch.prod(x, axis, keepdim=kept),
    )


def norms(rng: Rng, torch: Any) -> Case:
    """Vector norms of every order."""
    shape = shape_of(rng)
    axis, kept = some_axes(rng, len(shape)), flag(rng)
    order = one_of(rng, 1, 2, 3, 2.5, np.inf, -np.inf)
    x = distinct(rng, *shape)
    x = np.where(x == 0, 0.01, x)  # where PyTorch's second derivative is NaN for ord=2.5
    if abs(order) == np.inf:
        x = np.abs(x) + 0.01 * x
    return Case(
        f"vector_norm {axis=} ord={order} keepdims={kept}",
        [x],
        lambda x: ng.vector_norm(x, axis=axis, ord=order, keepdims=kept),
        lambda x: torch.linalg.vector_norm(x, order, dims(axis, len(shape)), kept),
    )


KINDS = {"totals": totals, "products": products, "norms": norms}
