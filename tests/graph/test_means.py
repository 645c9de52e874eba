"""Means as sums over a count."""

from __future__ import annotations

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.graph.passes.means import means

X = np.random.default_rng(0).normal(size=(3, 4, 5))


@pytest.mark.parametrize("axis", [None, 0, (0, 2), -1, ()])
@pytest.mark.parametrize("keepdims", [False, True])
def test_values(axis, keepdims):
    """XEG: the value is kept but for the order of additions, and no mean is left."""
    x = ng.var("x", shape=X.shape, dtype="float64")
    graph = means(ng.mean(x, axis=axis, keepdims=keepdims).graph)
    assert "mean" not in [node.op.__name__ for node in graph.nodes if node.op]
    found = ng.mean(x, axis=axis, keepdims=keepdims).eval(x=X)[0].asnumpy()
    np.testing.assert_allclose(found, X.mean(axis, keepdims=keepdims), rtol=1e-14)


@pytest.mark.parametrize("dtype", ["float16", "int32"])
def test_left_alone(dtype):
    """Sums of 16 bits round, and integers have no mean of their dtype."""
    x = ng.var("x", shape=(3,), dtype=dtype)
    graph = ng.mean(x).graph
    assert means(graph).heads == graph.heads
