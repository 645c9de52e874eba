"""Logistic regression, and scikit-learn's coefficients beside it: python -m examples.logistic."""

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression

import nbgraph as ng


def main(steps: int = 4000) -> tuple[np.ndarray, np.ndarray]:
    """The coefficients found here and by scikit-learn, the constant last."""
    source = load_breast_cancer()
    x = (source.data - source.data.mean(axis=0)) / source.data.std(axis=0)
    y = source.target.astype("float64")
    columns, wanted = ng.array(np.column_stack([x, np.ones(len(x))])), ng.array(y)
    penalised = ng.array(np.append(np.ones(x.shape[1]), 0.0))

    def loss(params: dict) -> ng.NDArray:
        """What scikit-learn minimises with C=1: half the squares, and the sum over samples."""
        w = params["w"]
        terms = ng.binary_cross_entropy_with_logits(columns @ w, wanted, reduction="sum")
        return terms + 0.5 * ng.sum(penalised * w * w)

    params = {"w": ng.zeros(31, dtype="float64")}
    optimizer = ng.optim.SGD(params, 0.002, momentum=0.95)
    slope = ng.jit(ng.grad(loss))
    for _ in range(steps):
        optimizer.step(slope(params))
    theirs = LogisticRegression(C=1.0, tol=1e-10, max_iter=10_000).fit(x, y)
    found, expected = params["w"].asnumpy(), np.append(theirs.coef_[0], theirs.intercept_)
    print(f"largest difference of {len(found)} coefficients: {abs(found - expected).max():.1e}")
    return found, expected


if __name__ == "__main__":
    main()
