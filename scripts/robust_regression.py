"""Robust regression with losses written as scalar functions; run by scripts/demo.

    python -m scripts.robust_regression --output FOLDER [--splits N]

A linear model is fitted to the diabetes data, some of whose training targets have been spoilt, by
accelerated gradient descent on NDArrays. Each loss is a few lines of Python; its slope is derived
from them, and gradients come from `backward`.
"""

import argparse
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
from sklearn.datasets import load_diabetes

import nbgraph as ng
from benchmarks.harness import Row, report


@ng.op
def squared(x):
    """Least squares."""
    return 0.5 * x * x


@ng.op
def smooth_l1(x, *, sigma=1.0):
    """Quadratic near 0, then linear with slope 1."""
    s2 = sigma * sigma
    if x > 1 / s2:
        return x - 0.5 / s2
    if x < -1 / s2:
        return -x - 0.5 / s2
    return 0.5 * s2 * x * x


@ng.op
def huber(x, *, delta=1.345):
    """Quadratic up to delta, linear beyond."""
    if abs(x) <= delta:
        return 0.5 * x * x
    return delta * (abs(x) - 0.5 * delta)


@ng.op
def tukey(x, *, c=4.685):
    """Tukey's biweight: flat beyond c, where a residual has no say at all."""
    if abs(x) > c:
        return c * c / 6
    u = 1 - (x / c) * (x / c)
    return c * c / 6 * (1 - u * u * u)


@ng.op
def barron(x, *, alpha=-2.0, c=1.0):
    """Barron's general loss; alpha walks from squared (2) over Cauchy (0) to ever more tolerant."""
    z = (x / c) * (x / c)
    if alpha == 2.0:
        return 0.5 * z
    if alpha == 0.0:
        return math.log1p(0.5 * z)
    b = abs(alpha - 2.0)
    return b / alpha * ((z / b + 1.0) ** (0.5 * alpha) - 1.0)


LOSSES = (squared, smooth_l1, huber, tukey, barron)


@ng.op
def accelerate(ahead, weights, gradient, momentum):
    """Nesterov's step: the next point to look at, and the weights."""
    moved = ahead - gradient
    return moved + momentum * (moved - weights), moved


def fit(loss: Callable, x: np.ndarray, y: np.ndarray, steps: int = 100) -> np.ndarray:
    """Weights (splits, columns) that minimise `loss` over the scaled residuals of each split.

    x is (splits, rows, columns), y (splits, rows): all splits descend together. With columns made
    orthonormal, a step of 1 is right for every loss here, as its curvature is 1 at most.
    """
    scale = 1.4826 * np.median(np.abs(y - np.median(y, axis=1, keepdims=True)), axis=1) / 2
    columns, back = np.linalg.qr(x)
    data, target = ng.array(columns), ng.array((y / scale[:, None])[..., None])
    weights = ng.zeros((len(x), x.shape[2], 1), dtype="float64")
    ahead = weights.copy()
    ahead.attach_grad()
    for step in range(steps):
        with ng.autograd.record():
            total = loss(target - data @ ahead).sum()
        total.backward()
        accelerate(ahead, weights, ahead.grad, step / (step + 3), out=(ahead, weights))
    return np.linalg.solve(back, scale[:, None, None] * weights.asnumpy())[..., 0]


def split(seed: int, spoilt: float = 0.15) -> tuple[np.ndarray, ...]:
    """Training and test data with a column of ones; a share of the training targets spoilt."""
    data = load_diabetes()
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(data.target))
    x = data.data / data.data.std(axis=0)
    x = np.column_stack([np.ones(len(x)), x])[order]
    y = data.target[order]
    half = len(y) * 2 // 3
    dirty = y[:half].copy()
    hit = rng.random(half) < spoilt
    dirty[hit] += rng.uniform(400, 1200, hit.sum())
    return x[:half], y[:half], dirty, x[half:], y[half:]


def errors(splits: int) -> dict[str, tuple[float, float]]:
    """Mean absolute and root mean square error on unspoilt test data, averaged over splits."""
    x, clean, dirty, x_test, y_test = map(np.stack, zip(*map(split, range(splits)), strict=True))
    fitted = {"squared, nothing spoilt": fit(squared, x, clean)}
    fitted |= {loss.__name__: fit(loss, x, dirty) for loss in LOSSES}
    found = {}
    for name, weights in fitted.items():
        off = np.einsum("sij,sj->si", x_test, weights) - y_test
        found[name] = np.abs(off).mean(), np.sqrt((off**2).mean(axis=1)).mean()
    return found


def picture(path: Path) -> None:
    """The losses and their derived slopes, side by side."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    x = np.linspace(-7, 7, 1401)
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4))
    for loss in LOSSES:
        left.plot(x, loss(x), label=loss.__name__)
        right.plot(x, loss.derivative("x")(x), label=loss.__name__)
    left.set(title="loss", ylim=(0, 8), xlabel="scaled residual")
    right.set(title="slope, derived", ylim=(-3, 3), xlabel="scaled residual")
    left.legend()
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    plt.close(figure)


def timings() -> list[Row]:
    """smooth_l1 and its slope against the `where` form, in the first-level cache."""
    x = np.random.default_rng(0).normal(0, 2, 4096).astype(np.float32)
    out = np.empty_like(x)
    slope = smooth_l1.derivative("x")
    half, one = np.float32(0.5), np.float32(1)

    def value_by_where():
        return np.where(x > one, x - half, np.where(x < -one, -x - half, half * x * x))

    def slope_by_where():
        return np.where(x > one, one, np.where(x < -one, -one, x))

    return [
        Row(
            "smooth_l1", lambda: smooth_l1(x, out=out), {"numpy where": value_by_where}, {}, x.size
        ),
        Row("its slope", lambda: slope(x, out=out), {"numpy where": slope_by_where}, {}, x.size),
    ]


def main() -> None:
    """Print the table and the timings, and save the picture."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--output", type=Path, default=Path("demo_output"))
    options.add_argument("--splits", type=int, default=10)
    given = options.parse_args()
    given.output.mkdir(parents=True, exist_ok=True)

    print("diabetes data, 15 % of the training targets spoilt; error on unspoilt test data")
    print(f"{'loss':28}{'mean abs':>10}{'rms':>10}")
    for name, (absolute, square) in errors(given.splits).items():
        print(f"{name:28}{absolute:10.1f}{square:10.1f}")
    print("\ntimings, one thread, 4096 float32 elements; ratio: how many times faster")
    report(timings())
    path = given.output / "losses.png"
    picture(path)
    print(f"\npicture of the losses and their slopes: {path}")


if __name__ == "__main__":
    main()
