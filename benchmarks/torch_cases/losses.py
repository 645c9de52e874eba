"""Losses with every reduction, weights, ignored classes and smoothing."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import nbgraph as ng
from benchmarks.torch_cases.case import Case, Rng, flag, normal, numbers, one_of, shape_of


def _reduction(rng: Rng) -> str:
    return one_of(rng, "mean", "sum", "none")


def _weighed(torch: Any, loss: Any, weight: Any, reduction: str) -> Any:
    """What PyTorch does with weights of elements, where a loss has none."""
    loss = loss if weight is None else loss * torch.from_numpy(weight)
    return loss if reduction == "none" else getattr(loss, reduction)()


def _weight(rng: Rng, shape: tuple[int, ...]) -> Any:
    return rng.uniform(0.1, 2, shape[int(rng.integers(0, len(shape) + 1)) :]) if flag(rng) else None


def distances(rng: Rng, torch: Any) -> Case:
    """L1, L2, smooth L1, Huber."""
    functional, reduction, shape = torch.nn.functional, _reduction(rng), shape_of(rng)
    bound, weight = float(rng.uniform(0.2, 2)), _weight(rng, shape)
    table: dict[str, tuple[Callable[..., Any], Callable[..., Any], dict[str, Any]]] = {
        "l1_loss": (ng.l1_loss, functional.l1_loss, {}),
        "l2_loss": (ng.l2_loss, lambda *a, **k: functional.mse_loss(*a, **k) / 2, {}),
        "smooth_l1_loss": (ng.smooth_l1_loss, functional.smooth_l1_loss, {"beta": bound}),
        "huber_loss": (ng.huber_loss, functional.huber_loss, {"delta": bound}),
    }
    name = one_of(rng, *table)
    ours, theirs, how = table[name]
    return Case(
        f"{name} {reduction=} {how} weight={weight is not None}",
        [normal(rng, *shape), normal(rng, *shape)],
        lambda x, t: ours(x, t, reduction=reduction, weight=weight, **how),
        lambda x, t: _weighed(torch, theirs(x, t, reduction="none", **how), weight, reduction),
    )


def margins(rng: Rng, torch: Any) -> Case:
    """Hinge, squared hinge, logistic, cosine embedding, triplet."""
    functional, reduction = torch.nn.functional, _reduction(rng)
    rows, wide = numbers(rng, 1, 6, 2)
    margin = float(rng.uniform(0.1, 1.5))
    a, b, c = (normal(rng, rows, wide + 1) for _ in range(3))
    signs = rng.choice([-1.0, 1.0], size=(rows, wide + 1))
    name = one_of(rng, "hinge", "squared_hinge", "logistic", "cosine", "triplet")
    t = torch.from_numpy(signs)
    if name in ("hinge", "squared_hinge"):
        ours, power = getattr(ng, f"{name}_loss"), 1 + (name != "hinge")
        return Case(
            f"{name}_loss {margin=} {reduction=}",
            [a],
            lambda x: ours(x, signs, margin=margin, reduction=reduction),
            lambda x: _weighed(torch, (margin - x * t).clamp(min=0) ** power, None, reduction),
        )
    if name == "logistic":
        return Case(
            f"logistic_loss {reduction=}",
            [3 * a],
            lambda x: ng.logistic_loss(x, signs, reduction=reduction),
            lambda x: functional.soft_margin_loss(x, t, reduction=reduction),
        )
    if name == "cosine":
        margin = float(rng.uniform(-0.5, 0.9))
        return Case(
            f"cosine_embedding_loss {margin=} {reduction=}",
            [a, b],
            lambda x, y: ng.cosine_embedding_loss(
                x, y, signs[:, 0], margin=margin, reduction=reduction
            ),
            lambda x, y: functional.cosine_embedding_loss(
                x, y, t[:, 0], margin, reduction=reduction
            ),
        )
    p = one_of(rng, 1, 2, 3)
    return Case(
        f"triplet_margin_loss {margin=} {p=} {reduction=}",
        [a, b, c],
        lambda *v: ng.triplet_margin_loss(*v, margin=margin, p=p, reduction=reduction),
        lambda *v: functional.triplet_margin_loss(
            *v, margin=margin, p=float(p), eps=0.0, reduction=reduction
        ),
    )


def binary(rng: Rng, torch: Any) -> Case:
    """Of probabilities and of logits; weights of elements and of what is there, one a class too."""
    functional, reduction, shape = torch.nn.functional, _reduction(rng), shape_of(rng)
    weight = _weight(rng, shape)
    target = rng.uniform(size=shape) if flag(rng) else rng.integers(0, 2, shape).astype(float)
    t = torch.from_numpy(target)
    w = None if weight is None else torch.from_numpy(weight)
    if flag(rng):
        return Case(
            f"binary_cross_entropy {reduction=} weight={weight is not None}",
            [rng.uniform(0.05, 0.95, shape)],
            lambda x: ng.binary_cross_entropy(x, target, weight=weight, reduction=reduction),
            lambda x: functional.binary_cross_entropy(x, t, w, reduction=reduction),
        )
    positive = one_of(rng, 1.0, float(rng.uniform(0.2, 4)), rng.uniform(0.2, 4, shape[-1:]))
    p = torch.as_tensor(positive, dtype=torch.float64)
    return Case(
        f"binary_cross_entropy_with_logits {reduction=} weight={weight is not None} {positive=}",
        [4 * normal(rng, *shape)],
        lambda x: ng.binary_cross_entropy_with_logits(
            x, target, positive_weight=positive, weight=weight, reduction=reduction
        ),
        lambda x: functional.binary_cross_entropy_with_logits(
            x, t, w, pos_weight=p, reduction=reduction
        ),
    )


def focal(rng: Rng, torch: Any) -> Case:
    """By the definition, written with PyTorch's functions."""
    reduction, shape = _reduction(rng), shape_of(rng)
    gamma = one_of(rng, 0.0, 1.0, 2.0, float(rng.uniform(1, 4)))
    alpha = one_of(rng, None, float(rng.uniform(0.1, 0.9)))
    target = rng.integers(0, 2, shape).astype(float)
    t = torch.from_numpy(target)

    def theirs(x: Any) -> Any:
        cost = torch.nn.functional.binary_cross_entropy_with_logits(x, t, reduction="none")
        p = torch.sigmoid(x)
        loss = cost * (1 - (p * t + (1 - p) * (1 - t))) ** gamma
        if alpha is not None:
            loss = loss * (alpha * t + (1 - alpha) * (1 - t))
        return _weighed(torch, loss, None, reduction)

    return Case(
        f"focal_loss {alpha=} {gamma=} {reduction=}",
        [2 * normal(rng, *shape)],
        lambda x: ng.focal_loss(x, target, alpha=alpha, gamma=gamma, reduction=reduction),
        theirs,
    )


def divergence(rng: Rng, torch: Any) -> Case:
    """Kullback and Leibler's, of shares some of which are 0, or of logarithms."""
    reduction, shape, log = _reduction(rng), shape_of(rng, 2), flag(rng)
    shares = rng.dirichlet(np.ones(shape[-1]), shape[:-1])
    if not log:
        shares = np.where(rng.uniform(size=shape) < 0.2, 0.0, shares)
    t = torch.from_numpy(np.log(shares) if log else shares)
    warnings.filterwarnings("ignore", "reduction: 'mean' divides")
    return Case(
        f"kl_divergence log_target={log} {reduction=}",
        [normal(rng, *shape)],
        lambda x: ng.kl_divergence(x, t.numpy(), log_target=log, reduction=reduction),
        lambda x: torch.nn.functional.kl_div(x, t, reduction=reduction, log_target=log),
    )


def classes(rng: Rng, torch: Any) -> Case:
    """Cross entropy against classes, of any number of axes of space."""
    space = numbers(rng, 1, 4, int(rng.integers(0, 3)))
    rows, count = int(rng.integers(1, 5)), int(rng.integers(2, 7))
    labels = rng.integers(0, count, (rows, *space))
    how: dict[str, Any] = {"reduction": _reduction(rng)}
    if flag(rng):
        how["label_smoothing"] = float(rng.uniform(0.05, 0.5))
    if flag(rng):
        how["ignore_index"] = one_of(rng, 0, -100)
        labels = np.where(rng.uniform(size=labels.shape) < 0.3, how["ignore_index"], labels)
        labels.flat[0] = count - 1
    weight = rng.uniform(0.2, 3, count) if flag(rng) else None
    w = None if weight is None else torch.from_numpy(weight)
    return Case(
        f"cross_entropy {how} weight={weight is not None}",
        [2 * normal(rng, rows, count, *space), labels],
        lambda x, t: ng.cross_entropy(x, t, 1, class_weight=weight, **how),
        lambda x, t: torch.nn.functional.cross_entropy(x, t, w, **how),
    )


def shares(rng: Rng, torch: Any) -> Case:
    """Cross entropy against shares of all classes."""
    space = numbers(rng, 1, 4, int(rng.integers(0, 3)))
    rows, count = int(rng.integers(1, 5)), int(rng.integers(2, 7))
    target = np.moveaxis(rng.dirichlet(np.ones(count), (rows, *space)), -1, 1)
    how: dict[str, Any] = {"reduction": _reduction(rng)}
    if flag(rng):
        how["label_smoothing"] = float(rng.uniform(0.05, 0.5))
    weight = rng.uniform(0.2, 3, count) if flag(rng) else None
    w = None if weight is None else torch.from_numpy(weight)
    return Case(
        f"cross_entropy of shares {how} weight={weight is not None}",
        [2 * normal(rng, rows, count, *space), np.ascontiguousarray(target)],
        lambda x, t: ng.cross_entropy(x, t, 1, class_weight=weight, **how),
        lambda x, t: torch.nn.functional.cross_entropy(x, t, w, **how),
    )


def alignments(rng: Rng, torch: Any) -> Case:
    """`ctc_loss`; labels and steps of several lengths, blanks first."""
    steps, samples, classes = int(rng.integers(6, 12)), int(rng.integers(1, 5)), 5
    longest = int(rng.integers(1, 4))
    label = rng.integers(1, classes, (samples, longest))
    used = rng.integers(1, longest + 1, samples)
    ends = rng.integers(6, steps + 1, samples)  # enough for a blank between any two labels

    def ours(x: Any) -> Any:
        return ng.ctc_loss(x, label, ends, used, use_data_lengths=True, use_label_lengths=True)

    def theirs(x: Any) -> Any:
        logs = torch.log_softmax(x, -1)
        sizes = torch.from_numpy(ends), torch.from_numpy(used)
        loss = torch.nn.functional.ctc_loss
        return loss(logs, torch.from_numpy(label), *sizes, blank=0, reduction="none")

    scores = 2 * rng.normal(size=(steps, samples, classes))
    return Case(f"ctc_loss {ends=} {used=}", [scores], ours, theirs, order=1)


KINDS = {
    "alignments": alignments,
    "distances": distances,
    "margins": margins,
    "binary": binary,
    "focal": focal,
    "divergence": divergence,
    "classes": classes,
    "shares": shares,
}
