"""LeNet reads digits: python -m examples.lenet."""

from collections.abc import Callable
from typing import Any

import nbgraph as ng
from examples.digits import digits, shifted
from nbgraph import nn


def lenet(activation: Callable[[Any], Any] = ng.tanh) -> nn.Sequential:
    """Two convolutions with pools, two dense layers (LeCun et al., 1998), for 8 x 8 cells."""
    return nn.Sequential(
        nn.Conv2d(16, 3, activation, pad=1),
        nn.MaxPool(2),
        nn.Conv2d(32, 3, activation, pad=1),
        nn.MaxPool(2),
        nn.Flatten(),
        nn.Dense(64, activation),
        nn.Dense(10),
    )


def train(
    model: nn.Module, loss: Callable[[Any, Any], Any] = ng.cross_entropy, epochs: int = 12
) -> nn.History:
    """Epochs over the images and their shifted copies, at a rate that falls to 0."""
    data = digits()
    batches = nn.Batches(*shifted(*data.train), batch_size=64)
    rate = ng.optim.schedules.cosine(3e-3, epochs * len(batches))
    return nn.fit(
        model,
        batches,
        loss=loss,
        optimizer=lambda m: ng.optim.Adam(m, rate),
        epochs=epochs,
        metrics=[nn.metrics.accuracy],
        validation=nn.Batches(*data.test, batch_size=360, shuffle=False),
    )


def main(epochs: int = 12) -> nn.History:
    """Train, and tell how often the test images are read right."""
    ng.random.seed(0)
    model = lenet()
    history = train(model, epochs=epochs)
    print(model.summary())
    print(history)
    return history


if __name__ == "__main__":
    main()
