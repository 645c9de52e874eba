"""Products: matmul with broadcasting, tensordot, einsum."""

from __future__ import annotations

from typing import Any

import numpy as np

import nbgraph as ng
from benchmarks.torch_cases.case import Case, Rng, flag, normal, numbers, one_of


def matmul(rng: Rng, torch: Any) -> Case:
    """Vectors, matrices and stacks that broadcast."""
    n, k, m = (0 if rng.integers(15) == 0 else int(rng.integers(1, 6)) for _ in range(3))
    stack = numbers(rng, 1, 4, int(rng.integers(0, 3)))
    left = tuple(1 if rng.integers(3) == 0 else s for s in stack)
    right = tuple(1 if rng.integers(3) == 0 else s for s in stack)[int(rng.integers(0, 2)) :]
    a = (k,) if rng.integers(5) == 0 else (*left, n, k)
    b = (k,) if rng.integers(5) == 0 else (*right, k, m)
    return Case("matmul", [normal(rng, *a), normal(rng, *b)], ng.matmul, torch.matmul)


def tensordot(rng: Rng, torch: Any) -> Case:
    """By a number of axes, or by lists of them."""
    common = numbers(rng, 1, 4, int(rng.integers(0, 3)))
    free = numbers(rng, 1, 4, 2)
    if flag(rng):
        count = len(common)
        return Case(
            f"tensordot {count}",
            [normal(rng, free[0], *common), normal(rng, *common, free[1])],
            lambda a, b: ng.tensordot(a, b, axes=count),
            lambda a, b: torch.tensordot(a, b, count),
        )
    ours, theirs = [*common, free[0]], [*common, free[1]]
    one, two = rng.permutation(len(ours)), rng.permutation(len(theirs))
    axes = tuple(
        [int(np.flatnonzero(order == i)[0]) for i in range(len(common))] for order in (one, two)
    )
    return Case(
        f"tensordot {axes}",
        [normal(rng, *[ours[i] for i in one]), normal(rng, *[theirs[i] for i in two])],
        lambda a, b: ng.tensordot(a, b, axes=axes),
        lambda a, b: torch.tensordot(a, b, axes),
    )


def einsum(rng: Rng, torch: Any) -> Case:
    """Two or three operands with letters drawn at random, repeated ones among them."""
    sizes = dict(zip("abcde", numbers(rng, 1, 4, 5)))
    terms = []
    for _ in range(int(rng.integers(1, 4))):
        letters = [str(s) for s in rng.permutation(list("abcde"))[: rng.integers(1, 4)]]
        if rng.integers(5) == 0:
            letters.append(letters[0])
        terms.append("".join(letters))
    used = sorted(set("".join(terms)))
    chosen = [str(s) for s in rng.permutation(used)[: rng.integers(0, min(4, len(used) + 1))]]
    text = f"{','.join(terms)}->{''.join(chosen)}"
    return Case(
        f"einsum {text}",
        [normal(rng, *[sizes[c] for c in term]) for term in terms],
        lambda *v: ng.einsum(text, *v),
        lambda *v: torch.einsum(text, *v),
    )


def others(rng: Rng, torch: Any) -> Case:
    """outer, inner, vecdot, batch_dot, cosine similarity."""
    n, m, s = numbers(rng, 1, 6, 3)
    name = one_of(rng, "outer", "inner", "vecdot", "batch_dot", "cosine_similarity")
    a, b = normal(rng, s, n), normal(rng, s, n)
    if name == "outer":
        return Case(name, [a[0], normal(rng, m)], ng.outer, torch.outer)
    if name == "inner":
        return Case(name, [a, normal(rng, m, n)], ng.inner, torch.inner)
    if name == "vecdot":
        axis = one_of(rng, 0, -1)
        return Case(f"vecdot {axis=}", [a, b], lambda a, b: ng.vecdot(a, b, axis=axis),
                    lambda a, b: torch.linalg.vecdot(a, b, dim=axis))  # fmt: skip
    if name == "batch_dot":
        return Case(name, [normal(rng, 2, s, n), normal(rng, 2, m, n)],
                    lambda a, b: ng.batch_dot(a, b, transpose_b=True),
                    lambda a, b: torch.bmm(a, b.transpose(1, 2)))  # fmt: skip
    return Case(name, [a, b], ng.cosine_similarity, torch.cosine_similarity)


KINDS = {"matmul": matmul, "tensordot": tensordot, "einsum": einsum, "others": others}
