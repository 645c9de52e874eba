"""A network of dense layers reads digits: python -m examples.mlp."""

import nbgraph as ng
from examples.digits import digits
from nbgraph import nn


def main(epochs: int = 25) -> nn.History:
    """Train, and tell how often the test images are read right."""
    data = digits(flat=True)
    ng.random.seed(0)
    model = nn.Sequential(nn.Dense(128, ng.relu), nn.Dropout(0.2), nn.Dense(10))
    history = nn.fit(
        model,
        nn.Batches(*data.train, batch_size=32),
        loss=ng.cross_entropy,
        optimizer=lambda m: ng.optim.Adam(m, 2e-3),
        epochs=epochs,
        metrics=[nn.metrics.accuracy],
        validation=nn.Batches(*data.test, batch_size=360, shuffle=False),
    )
    print(model.summary())
    print(history)
    return history


if __name__ == "__main__":
    main()
