"""Memory of expression graphs: flat over batches, freed in inference, known before it is taken."""

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import ArgumentError, OutOfMemory
from nbgraph.nodes import library


def test_a_dynamic_graph_keeps_memory_flat():
    """X-MAR-01: a new graph for each batch, of changing shapes; values and gradients come from
    the pool again."""
    graph = ng.ExpressionGraph()
    w = graph.param("w", (8, 8), 0.1)
    sizes = [30, 70, 50, 90, 10]

    def batch(n):
        graph.clear()
        h = graph.constant(np.ones((n, 8), np.float32))
        for _ in range(6):
            h = ng.tanh(h @ w + h)
        (h * h).sum()
        graph.backprop()
        ng.waitall()

    for _ in range(4):
        for n in sizes:
            batch(n)
    before = ng.storage.stats(ng.cpu()).to_dict()
    for _ in range(6):
        for n in sizes:
            batch(n)
    after = ng.storage.stats(ng.cpu()).to_dict()
    assert after["misses"] == before["misses"], (before, after)
    assert after["allocated"] == before["allocated"], (before, after)


def test_an_inference_graph_frees_what_was_read():
    """X-MAR-12: values go when the last reader has been pushed; tops, parameters and what is
    retained stay; there is no backward."""
    graph = ng.ExpressionGraph(inference=True)
    x = graph.param("x", (4,), 1.0)
    a = x * 2.0
    kept = (a + 1.0).retain()
    b, c = kept * a, a * 3.0
    top = b + c
    graph.forward()
    assert [n.node._val is None for n in (a, kept, b, c, top, x)] == [True, False, True, True] + [
        False
    ] * 2
    assert top.val.tolist() == [12.0] * 4 and kept.val.tolist() == [3.0] * 4
    with pytest.raises(ArgumentError, match="was freed"):
        _ = a.val
    with pytest.raises(ArgumentError, match="inference graph"):
        graph.backward()
    a + 1.5  # noqa: B018
    with pytest.raises(ArgumentError, match="was freed"):
        graph.forward_next()
    graph.forward()
    assert top.val.tolist() == [12.0] * 4


def test_whether_a_batch_fits_the_workspace():
    """X-MEM-09: fits() of the graph at hand, and of one that a function would build; forward
    raises before it starts. Values and gradients count, parameters do not."""
    graph = ng.ExpressionGraph(workspace=1)  # MiB
    w = graph.param("w", (64, 64), 0.1)

    def build(n):
        h = graph.constant(np.ones((n, 64), np.float32))
        for _ in range(8):
            h = ng.tanh(h @ w)
        return h

    most = 0
    while graph.fits(lambda: build(most + 16)):
        most += 16
    assert len(graph) == 0 and most > 16
    calls = []
    library.callback(build(most + 16), calls.append)
    assert not graph.fits()
    with pytest.raises(
        OutOfMemory, match=r"nodes need 1\.\d+ MiB at once, the workspace has 1\.00"
    ):
        graph.forward()
    assert not calls
    graph.clear()
    build(most).sum()
    assert graph.needed() <= 1 << 20
    graph.backprop()
    # 8 layers of two values, all kept, and two gradients on their way at a time
    value = most * 64 * 4
    assert 16 * value <= graph.needed() <= 19 * value
    lean = ng.ExpressionGraph(inference=True)
    lean.copy_params(graph)
    w, graph = lean.params()["w"], lean
    build(most)
    assert lean.needed() == 2 * value
    with pytest.raises(ArgumentError, match="no workspace"):
        lean.fits()


def test_a_workspace_may_be_what_is_left_free():
    """X-MEM-09: a negative workspace leaves so much of the machine; others are refused."""
    graph = ng.ExpressionGraph(workspace=-16)
    graph.param("x", (2,)) * 2.0
    assert graph.fits()
    assert not _over(-(10**9))
    for bad in (0, "1 GiB", True):
        with pytest.raises(ArgumentError, match="workspace="):
            ng.ExpressionGraph(workspace=bad)


def _over(workspace):
    graph = ng.ExpressionGraph(workspace=workspace)
    graph.param("x", (2,)) * 2.0
    return graph.fits()
