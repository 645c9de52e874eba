"""Sizes at which kernels are cut in tiles and work is spread: first derivatives, in float64 or,
with `--dtype float32`, that."""

from __future__ import annotations

from typing import Any

import nbgraph as ng
from benchmarks.torch_cases.case import Case, Rng, flag, numbers, one_of


def convolution(rng: Rng, torch: Any) -> Case:
    """Two axes of space, channels by the dozen."""
    groups = one_of(rng, 1, 1, 2, 8)
    channels, features = (groups * n for n in numbers(rng, 1, 5, 2))
    if groups == 1:
        channels, features = numbers(rng, 1, 40, 2)
    window, step, pad, gap = (one_of(rng, *c) for c in ((1, 3, 5), (1, 2), (0, 1, 2), (1, 2)))
    space = (window - 1) * gap + 1 + int(rng.integers(4, 30))
    x = rng.normal(size=(int(rng.integers(1, 6)), channels, space, space + 3))
    w = rng.normal(size=(features, channels // groups, window, window))
    how = {"stride": step, "dilation": gap, "groups": groups}
    return Case(
        f"convolution pad={pad} {how}",
        [x, w, rng.normal(size=features)],
        lambda *v: ng.convolution(*v, pad=pad, **how),
        lambda *v: torch.nn.functional.conv2d(*v, padding=pad, **how),
        order=1,
    )


def pool(rng: Rng, torch: Any) -> Case:
    """Over lines that are longer than vectors."""
    window, step, pad = one_of(rng, 2, 3, 5), int(rng.integers(1, 4)), int(rng.integers(0, 2))
    x = rng.normal(size=(2, 5, int(rng.integers(6, 40)), int(rng.integers(6, 300))))
    largest = flag(rng)
    ours = ng.max_pooling if largest else ng.avg_pooling
    theirs = getattr(torch.nn.functional, "max_pool2d" if largest else "avg_pool2d")
    return Case(
        f"pool {largest=} {window} {step} {pad}",
        [x],
        lambda x: ours(x, window, stride=step, pad=pad),
        lambda x: theirs(x, window, step, pad),
        order=1,
    )


def norm(rng: Rng, torch: Any) -> Case:
    """Layer norm of long rows, batch norm of many elements, softmax."""
    functional = torch.nn.functional
    rows, wide = numbers(rng, 20, 400, 2)
    x, a, b = rng.normal(size=(rows, wide)), rng.normal(size=wide), rng.normal(size=wide)
    name = one_of(rng, "layer", "rms", "batch", "softmax", "log_softmax", "entropy")
    labels = rng.integers(0, wide, rows)
    table: dict[str, tuple[list[Any], Any, Any]] = {
        "layer": ([x, a, b], ng.layer_norm, lambda x, *w: functional.layer_norm(x, (wide,), *w)),
        "rms": ([x, a], ng.rms_norm, lambda x, w: functional.rms_norm(x, (wide,), w, 1e-5)),
        "batch": ([x, a, b], ng.batch_norm,
                  lambda x, *w: functional.batch_norm(x, None, None, *w, training=True)),
        "softmax": ([x], ng.softmax, lambda x: torch.softmax(x, -1)),
        "log_softmax": ([x], lambda x: ng.log_softmax(x, 0), lambda x: torch.log_softmax(x, 0)),
        "entropy": ([x, labels], ng.cross_entropy, functional.cross_entropy),
    }  # fmt: skip
    operands, ours, theirs = table[name]
    return Case(name, operands, ours, theirs, order=1)


def product(rng: Rng, torch: Any) -> Case:
    """Products of hundreds of rows, operands turned or not."""
    n, k, m = numbers(rng, 1, 400, 3)
    a = rng.normal(size=(n, k)) if flag(rng) else rng.normal(size=(k, n)).T
    b = rng.normal(size=(k, m)) if flag(rng) else rng.normal(size=(m, k)).T
    if flag(rng):
        return Case("matmul", [a, b], ng.matmul, torch.matmul, order=1)
    s = int(rng.integers(1, 9))
    return Case(
        "einsum bnk,km->bmn",
        [rng.normal(size=(s, n, k)), b],
        lambda a, b: ng.einsum("bnk,km->bmn", a, b),
        lambda a, b: torch.einsum("bnk,km->bmn", a, b),
        order=1,
    )


def total(rng: Rng, torch: Any) -> Case:
    """Reductions and running totals over any one axis."""
    shape = numbers(rng, 1, 130, 3)
    axis, x = int(rng.integers(3)), rng.normal(size=shape)
    table: dict[str, tuple[Any, Any]] = {
        "sum": (lambda x: ng.sum(x, axis), lambda x: torch.sum(x, axis)),
        "mean": (lambda x: ng.mean(x, axis), lambda x: torch.mean(x, axis)),
        "max": (lambda x: ng.max(x, axis), lambda x: torch.amax(x, axis)),
        "var": (lambda x: x.var(axis), lambda x: torch.var(x, axis, correction=0)),
        "logsumexp": (lambda x: ng.logsumexp(x, axis), lambda x: torch.logsumexp(x, axis)),
        "cumsum": (lambda x: ng.cumsum(x, axis), lambda x: torch.cumsum(x, axis)),
        "cummax": (lambda x: ng.cummax(x, axis), lambda x: torch.cummax(x, axis)[0]),
        "sort": (lambda x: ng.sort(x, axis), lambda x: torch.sort(x, axis)[0]),
        "norm": (lambda x: ng.vector_norm(x, axis=axis),
                 lambda x: torch.linalg.vector_norm(x, dim=axis)),
    }  # fmt: skip
    name = one_of(rng, *table)
    return Case(f"{name} axis={axis}", [x], *table[name], order=1)


KINDS = {"convolution": convolution, "pool": pool, "norm": norm, "product": product, "total": total}
