"""LeNet reads digits: python -m examples.lenet."""

from collections.abc import Callable
from typing import Any

import nbgraph as ng
from examples.digits import digits, shifted
from nbgraph import nn


def lenet(activation: Callable[[Any], Any] = ng.relu) -> nn.Sequential:
    """Two convolutions with pools, two dense layers (LeCun et al., 1998), for 8 x 8 cells."""
    return nn.Sequential(
        nn.Conv2d(16, 3, activation, pad=1),
        nn.MaxPool(2),
        nn.Conv2d(32, 3, activation, pad=1),
        nn.MaxPool(2),
        nn.Flatten(),
        nn.Dense(64, activation),
        nn.Dropout(0.4),
        nn.Dense(10),
    )


def train(
    model: nn.Module,
    loss: Callable[[Any, Any], Any] = ng.cross_entropy,
    epochs: int = 20,
    kvstore: Any = None,
) -> nn.History:
    """Epochs over the images and their shifted copies, at a rate that falls to 0.

    Dropout, copies, rate and epochs were chosen by accuracy on images for validation. Workers of a
    store share the images, and each has its part of every batch.
    """
    data = digits()
    rank, workers = (0, 1) if kvstore is None else (kvstore.rank, kvstore.num_workers)
    images, labels = shifted(*data.train)
    whole = len(images) // workers * workers  # as many for each
    own = images[rank:whole:workers], labels[rank:whole:workers]
    batches = nn.Batches(*own, batch_size=max(1, 64 // workers))
    rate = ng.optim.schedules.cosine(3e-3, epochs * len(batches))
    return nn.fit(
        model,
        batches,
        loss=loss,
        optimizer=lambda m: ng.optim.Adam(m, rate),
        epochs=epochs,
        metrics=[nn.metrics.accuracy],
        validation=nn.Batches(*data.validation, batch_size=180, shuffle=False),
        kvstore=kvstore,
    )


def tested(model: nn.Module) -> float:
    """How often the test images, which nothing was chosen by, are read right."""
    images, labels = map(ng.array, digits().test)
    return nn.metrics.accuracy(model(images), labels).item()


def main(epochs: int = 20) -> float:
    """Train, and tell how often the test images are read right."""
    ng.random.seed(0)
    model = lenet()
    history = train(model, epochs=epochs)
    accuracy = tested(model)
    print(model.summary())
    print(history)
    print(f"test accuracy: {accuracy:.4f}")
    return accuracy


if __name__ == "__main__":
    main()
