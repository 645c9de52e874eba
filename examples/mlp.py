"""A network of dense layers reads digits: python -m examples.mlp."""

import nbgraph as ng
from examples.digits import digits, shifted
from nbgraph import nn


def main(epochs: int = 25) -> float:
    """Train, and tell how often the test images, which nothing was chosen by, are read right."""
    data = digits()
    ng.random.seed(0)
    model = nn.Sequential(nn.Flatten(), nn.Dense(256, ng.relu), nn.Dropout(0.3), nn.Dense(10))
    batches = nn.Batches(*shifted(*data.train), batch_size=64)
    rate = ng.optim.schedules.cosine(3e-3, epochs * len(batches))
    history = nn.fit(
        model,
        batches,
        loss=ng.cross_entropy,
        optimizer=lambda m: ng.optim.Adam(m, rate),
        epochs=epochs,
        metrics=[nn.metrics.accuracy],
        validation=nn.Batches(*data.validation, batch_size=180, shuffle=False),
    )
    images, labels = map(ng.array, data.test)
    accuracy = nn.metrics.accuracy(model(images), labels).item()
    print(model.summary())
    print(history)
    print(f"test accuracy: {accuracy:.4f}")
    return accuracy


if __name__ == "__main__":
    main()
