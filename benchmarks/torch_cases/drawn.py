"""What is drawn: distributions, initialisers, dropout. Two samples of one distribution have
distribution functions that nowhere differ by more than `APART`, but once in 10**9 times."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import nbgraph as ng
from benchmarks.torch_cases.case import Array, Case, Rng, numbers, one_of

COUNT = 20_000
APART = math.sqrt(math.log(2e9) / COUNT)


def distance(a: Array, b: Array) -> float:
    """The largest difference of two distribution functions (Kolmogorov and Smirnov)."""
    a, b = np.sort(np.ravel(a)), np.sort(np.ravel(b))
    every = np.concatenate([a, b])
    shares = (np.searchsorted(x, every, "right") / x.size for x in (a, b))
    return float(np.abs(next(shares) - next(shares)).max())


def _same(rng: Rng, torch: Any, text: str, ours: Callable[[], Any], theirs: Any) -> Case:
    """Samples of both, drawn now, as a difference from nothing."""
    ng.random.seed(int(rng.integers(2**31)))
    torch.manual_seed(int(rng.integers(2**31)))
    off = distance(np.asarray(ours()), theirs().numpy())
    return Case(text, [np.zeros(1)], lambda x: x + off, lambda x: x * 1, order=0, tolerance=APART)


def distribution(rng: Rng, torch: Any) -> Case:
    """Continuous and discrete ones."""
    kinds, random = torch.distributions, ng.random
    a, b = (float(n) for n in rng.uniform(0.2, 3, 2))
    p, n, size = float(rng.uniform(0.1, 0.9)), int(rng.integers(1, 30)), (COUNT,)
    table: dict[str, tuple[Callable[[], Any], Any]] = {
        "uniform": (lambda: random.uniform(-a, b, size), kinds.Uniform(-a, b)),
        "normal": (lambda: random.normal(a, b, size), kinds.Normal(a, b)),
        "lognormal": (lambda: random.lognormal(a, b, size), kinds.LogNormal(a, b)),
        "exponential": (lambda: random.exponential(a, size), kinds.Exponential(1 / a)),
        "gumbel": (lambda: random.gumbel(a, b, size), kinds.Gumbel(a, b)),
        "laplace": (lambda: random.laplace(a, b, size), kinds.Laplace(a, b)),
        "gamma": (lambda: random.gamma(a, b, size), kinds.Gamma(a, 1 / b)),
        "beta": (lambda: random.beta(a, b, size), kinds.Beta(a, b)),
        "bernoulli": (lambda: random.bernoulli(p, size), kinds.Bernoulli(p)),
        "binomial": (lambda: random.binomial(n, p, size), kinds.Binomial(n, torch.tensor(p))),
        "poisson": (lambda: random.poisson(4 * a, size), kinds.Poisson(4 * a)),
        "geometric": (lambda: random.geometric(p, size) - 1, kinds.Geometric(p)),
        "integers": (lambda: random.integers(0, n, size),
                     kinds.Categorical(torch.ones(n))),
        "categorical": (lambda: random.categorical(np.log([p, 1 - p, a]), size),
                        kinds.Categorical(torch.tensor([p, 1 - p, a]))),
    }  # fmt: skip
    name = one_of(rng, *table)
    ours, theirs = table[name]
    return _same(rng, torch, f"{name} {a=} {b=} {p=} {n=}", ours, lambda: theirs.sample(size))


def initialiser(rng: Rng, torch: Any) -> Case:
    """How weights begin."""
    init, fan = torch.nn.init, one_of(rng, "in", "out")
    shape = (int(rng.integers(80, 200)), int(rng.integers(5, 9)), *numbers(rng, 5, 9, 2))
    matrix, slope = (150, int(rng.integers(100, 200))), float(rng.uniform(0, 1))
    ours, empty = ng.init, lambda: torch.empty(shape)
    how = {"a": slope, "nonlinearity": "leaky_relu"}
    table: dict[str, tuple[Any, Any]] = {
        "he_normal": (lambda: ours.he_normal(slope)(shape, "float32"),
                      lambda: init.kaiming_normal_(empty(), **how)),
        "he_uniform": (lambda: ours.he_uniform(slope)(shape, "float32"),
                       lambda: init.kaiming_uniform_(empty(), **how)),
        "variance_scaling": (
            lambda: ours.variance_scaling(2.0, mode=fan)(shape, "float32"),
            lambda: init.kaiming_normal_(empty(), mode=f"fan_{fan}", nonlinearity="relu")),
        "mean of fans": (lambda: ours.variance_scaling(1.0, mode="mean")(shape, "float32"),
                         lambda: init.xavier_normal_(empty())),
        "glorot_uniform": (lambda: ours.glorot_uniform()(matrix, "float32"),
                           lambda: init.xavier_uniform_(torch.empty(matrix))),
        "glorot_normal": (lambda: ours.glorot_normal()(matrix, "float32"),
                          lambda: init.xavier_normal_(torch.empty(matrix))),
        "truncated_normal": (
            lambda: ours.truncated_normal(1.0, 0.5, low=-1.0, high=2.0)(shape, "float32"),
            lambda: init.trunc_normal_(empty(), 1.0, 0.5, 0.5, 2.0)),
        "orthogonal": (lambda: ours.orthogonal(2.0)(matrix, "float32"),
                       lambda: init.orthogonal_(torch.empty(matrix), 2.0)),
    }  # fmt: skip
    name = one_of(rng, *table)
    case = _same(rng, torch, f"{name} {shape} {matrix} {slope=} {fan=}", *table[name])
    return case._replace(tolerance=APART * math.sqrt(COUNT / 15_000))


def dropout(rng: Rng, torch: Any) -> Case:
    """Moments of what is left; in training, and when not."""
    p = one_of(rng, 0.0, 1.0, float(rng.uniform(0.1, 0.9)))
    x = rng.uniform(0.5, 1.5, (100, 400))
    torch.manual_seed(int(rng.integers(2**31)))

    def ours(x: Any) -> Any:
        out = ng.dropout(x, p, rng=3)
        return ng.stack([ng.mean(out), ng.mean(out * out), ng.mean(ng.where(out == 0, 1.0, 0.0))])

    def theirs(x: Any) -> Any:
        out = torch.nn.functional.dropout(x, p)
        return torch.stack([out.mean(), (out * out).mean(), (out == 0).double().mean()])

    six_sigma = 0.05 / math.sqrt(max(1 - p, 0.1))  # of the difference of two mean squares
    return Case(f"dropout {p=}", [x], ours, theirs, order=0, tolerance=six_sigma)


KINDS = {"distribution": distribution, "initialiser": initialiser, "dropout": dropout}
