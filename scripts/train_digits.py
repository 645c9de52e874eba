"""Train LeNet with an activation and a loss written as scalar functions; run by scripts/demo.

    python -m scripts.train_digits --output FOLDER [--epochs N] [--workers N]

The slopes of both are derived from their text. Curves and the confusion of digits become pictures.
"""

import argparse
import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import nbgraph as ng
from benchmarks.harness import Row, report
from examples.digits import digits
from examples.lenet import lenet, train
from nbgraph import nn, picture

CELL = 30  # of the confusion picture, in pixels


@ng.op
def bent(x):
    """The identity for large x, 0 for small ones; with a dip between, as in swish."""
    return x / (1 + math.exp(-1.5 * x))


@ng.op
def margin(score, wanted):
    """What a score on the wrong side of 1 (wanted) or -1 (not wanted) costs; smooth at the edge."""
    missing = 1 - score if wanted > 0.5 else 1 + score
    return missing * missing if missing > 0 else 0.0


def one_against_all(scores: Any, labels: Any) -> Any:
    """The margins of all ten digits."""
    return margin(scores, ng.one_hot(labels, 10)).sum(axis=-1)


def confusion(model: nn.Module) -> np.ndarray:
    """How often a digit (row) was read as a digit (column), of the test images."""
    images, labels = digits().test
    return nn.metrics.confusion(model(ng.array(images)), ng.array(labels), 10).asnumpy()


def drawn(table: np.ndarray) -> str:
    """The confusion as SVG: dark where much was read."""
    top = table.max()
    parts = [picture.text_at(CELL * 6.5, 14, "read as")]
    for i, j in np.ndindex(*table.shape):
        x, y, share = CELL * (j + 1.5), CELL * (i + 1), table[i, j] / top
        parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{CELL}" height="{CELL}" '
            f'fill="{picture.COLOURS[0]}" fill-opacity="{share:.3f}"/>'
        )
        if table[i, j]:
            parts.append(picture.text_at(x + CELL / 2, y + CELL * 0.65, str(table[i, j])))
    for i in range(10):
        parts.append(picture.text_at(CELL * 1.2, CELL * (i + 1.65), str(i)))
        parts.append(picture.text_at(CELL * (i + 2), CELL * 0.85, str(i)))
    return picture.document(parts, CELL * 12, CELL * 11.5, "digits and what they were read as")


def by_numpy(model: nn.Module, images: np.ndarray) -> np.ndarray:
    """What the network computes, with products and windows of NumPy."""
    w1, b1, w2, b2, w3, b3, w4, b4 = [a.asnumpy() for a in model.parameters().values()]

    def bend(x: np.ndarray) -> np.ndarray:
        return x / (1 + np.exp(-1.5 * x))

    def layer(x: np.ndarray, w: np.ndarray, b: np.ndarray) -> np.ndarray:
        padded = np.pad(x, [(0, 0), (0, 0), (1, 1), (1, 1)])
        seen = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(2, 3))
        columns = seen.transpose(0, 2, 3, 1, 4, 5).reshape(*seen.shape[:1], *seen.shape[2:4], -1)
        out = bend(columns @ w.reshape(len(w), -1).T + b).transpose(0, 3, 1, 2)
        n, features, high, wide = out.shape
        return out.reshape(n, features, high // 2, 2, wide // 2, 2).max(axis=(3, 5))

    x = layer(layer(images, w1, b1), w2, b2).reshape(len(images), -1)
    return bend(x @ w3.T + b3) @ w4.T + b4


def scalar_timings() -> list[Row]:
    """The activation and its slope against NumPy, in the first-level cache."""
    x = np.random.default_rng(0).normal(0, 2, 4096).astype(np.float32)
    out, slope, k = np.empty_like(x), bent.derivative("x"), np.float32(1.5)

    def value_by_numpy() -> np.ndarray:
        return x / (1 + np.exp(-k * x))

    def slope_by_numpy() -> np.ndarray:
        share = 1 / (1 + np.exp(-k * x))
        return share * (1 + k * x * (1 - share))

    return [
        Row("activation", lambda: bent(x, out=out), {"numpy": value_by_numpy}, {}, x.size),
        Row("its slope", lambda: slope(x, out=out), {"numpy": slope_by_numpy}, {}, x.size),
    ]


def seconds(call: Callable[[], object], rounds: int = 7) -> float:
    """The best time of some calls."""
    found = []
    for _ in range(rounds):
        start = time.perf_counter()
        call()
        found.append(time.perf_counter() - start)
    return min(found)


def network_timings(model: nn.Module) -> None:
    """The network on all test images, here and by NumPy: the same numbers, in how much time."""
    images = digits().test[0]
    given = ng.array(images)
    model.hybridize()
    expected = by_numpy(model, images)
    np.testing.assert_allclose(model(given), expected, rtol=1e-3, atol=1e-3)
    ours = seconds(lambda: model(given).asnumpy())
    theirs = seconds(lambda: by_numpy(model, images))
    print(
        f"\nnetwork on {len(images)} images: {ours * 1e3:.1f} ms, by NumPy {theirs * 1e3:.1f} ms "
        f"({theirs / ours:.1f} times as long), the same numbers"
    )


def trained(epochs: int, kvstore: Any = None) -> tuple[nn.Module, nn.History]:
    """The network of the demo and its history; on a worker, with its part of the images."""
    ng.random.seed(0 if kvstore is None else kvstore.rank)
    model = lenet(bent)
    return model, train(model, one_against_all, epochs, kvstore)


def on_workers(workers: int, epochs: int) -> tuple[nn.Module, nn.History]:
    """The same by processes of this machine, which add up their gradients; that of the first."""

    def work(rank: int) -> tuple[nn.Module, nn.History]:
        return trained(epochs, ng.kv.create("dist_sync"))

    with ng.kv.cluster(workers=workers) as cluster:
        results = cluster.run(work)
    first, *others = [model.parameters() for model, _ in results]
    for other in others:
        for name, value in other.items():
            np.testing.assert_array_equal(value, first[name])
    print(f"{workers} workers, each with its part of every batch, have the same weights")
    return results[0]


def main() -> None:
    """Train; print curves, confusion and timings, and save the pictures."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--output", type=Path, default=Path("demo_output"))
    options.add_argument("--epochs", type=int, default=20)
    options.add_argument("--workers", type=int, help="processes that train together")
    given = options.parse_args()
    given.output.mkdir(parents=True, exist_ok=True)

    if given.workers is None:
        model, history = trained(given.epochs)
    else:
        model, history = on_workers(given.workers, given.epochs)
    print("LeNet on digits, with an activation and a loss written as scalar functions")
    print(history)
    table = confusion(model)
    print("\ndigits (rows) and what they were read as (columns)")
    print(picture.columns([[str(n) for n in row] for row in table.tolist()]))
    print(f"test accuracy: {np.trace(table) / table.sum():.4f}")
    (given.output / "curves.svg").write_text(history.picture())
    (given.output / "confusion.svg").write_text(drawn(table))
    print("\ntimings, one thread, 4096 float32 elements; ratio: how many times faster")
    report(scalar_timings())
    network_timings(model)
    print(f"\npictures: {given.output / 'curves.svg'}, {given.output / 'confusion.svg'}")


if __name__ == "__main__":
    main()
