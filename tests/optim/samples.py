"""What tests of optimizers share: weights and gradients, optimizers by name."""

import numpy as np
import pytest

import nbgraph as ng
from tests.optim import references

SHAPES = {"w": (7, 5), "b": (5,), "s": (), "none": (0, 3), "long": (3000,)}
IDS = [f"{name}-{'-'.join(options)}" for name, options in references.CASES]
cases = pytest.mark.parametrize(("name", "options"), references.CASES, ids=IDS)


def drawn(seed, dtype="float32", steps=1):
    """Weights, and gradients for some steps: of random size, some elements 0."""
    rng = np.random.default_rng(seed)
    weights = {k: rng.normal(size=s).astype(dtype) for k, s in SHAPES.items()}
    grads = [
        {k: (rng.normal(size=s) * rng.integers(0, 3, s)).astype(dtype) for k, s in SHAPES.items()}
        for _ in range(steps)
    ]
    return weights, grads


def lifted(values):
    return {k: ng.array(v) for k, v in values.items()}


def made(name, params, lr=0.05, **options):
    return getattr(ng.optim, name)(params, lr, **options)


def values(params):
    return {k: v.asnumpy() for k, v in params.items()}


def assert_same(a, b):
    for k in a:
        np.testing.assert_array_equal(a[k], b[k], err_msg=k)
