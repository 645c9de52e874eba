"""A network finds boxes in images, with the smooth L1 loss: python -m examples.boxes."""

import numpy as np

import nbgraph as ng
from nbgraph import nn

SIZE = 16  # of the images, in cells


@ng.op
def smooth_l1(data, label, *, sigma=3.0):
    """Quadratic near 0, linear beyond, in what lies between a corner and where it should be."""
    s2 = sigma * sigma
    x = data - label
    if x > 1 / s2:
        return x - 0.5 / s2
    if x < -1 / s2:
        return -x - 0.5 / s2
    return 0.5 * s2 * x * x


def drawn(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Images with a bright rectangle each, and its edges (left, top, right, bottom) from 0 to 1."""
    rng = np.random.default_rng(seed)
    images = rng.normal(0, 0.2, size=(count, 1, SIZE, SIZE)).astype("float32")
    starts = rng.integers(0, SIZE - 5, size=(count, 2))
    ends = np.minimum(starts + rng.integers(4, 10, size=(count, 2)), SIZE)
    for image, (left, top), (right, bottom) in zip(images, starts, ends, strict=True):
        image[0, top:bottom, left:right] += 1
    return images, (np.concatenate([starts, ends], axis=1) / SIZE).astype("float32")


def overlap(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Intersection over union of boxes."""
    sides = np.minimum(a[:, 2:], b[:, 2:]) - np.maximum(a[:, :2], b[:, :2])
    both = np.maximum(sides, 0).prod(axis=1)
    areas = (a[:, 2:] - a[:, :2]).prod(axis=1) + (b[:, 2:] - b[:, :2]).prod(axis=1)
    return both / (areas - both)


def main(epochs: int = 15) -> float:
    """Train, and give the mean overlap of boxes found and drawn in other images."""
    ng.random.seed(0)
    model = nn.Sequential(
        nn.Conv2d(16, 3, ng.relu, pad=1),
        nn.MaxPool(2),
        nn.Conv2d(32, 3, ng.relu, pad=1),
        nn.MaxPool(2),
        nn.Flatten(),
        nn.Dense(64, ng.relu),
        nn.Dense(4),
    )
    batches = nn.Batches(*drawn(4000, 0), batch_size=64)
    rate = ng.optim.schedules.cosine(2e-3, epochs * len(batches))
    history = nn.fit(
        model,
        batches,
        loss=smooth_l1,
        optimizer=lambda m: ng.optim.Adam(m, rate),
        epochs=epochs,
        metrics=[nn.metrics.mae],
    )
    images, boxes = drawn(500, 1)
    found = overlap(model(ng.array(images)).asnumpy(), boxes).mean()
    print(f"{history}\nmean overlap with the boxes of other images: {found:.3f}")
    return float(found)


if __name__ == "__main__":
    main()
