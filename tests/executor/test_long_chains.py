"""Graphs of very many nodes: nothing recurses, nothing is quadratic, memory goes back."""

import gc

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.executor import Options
from tests.memory.watch import resident

FUSED = pytest.mark.parametrize("fuse", [False, True], ids=["apart", "fused"])


def chain(n):
    y = ng.var("x")
    for k in range(n):
        y = ng.tanh(y) if k % 64 == 0 else -y
    return y


def calls(function):
    """How many Python functions are entered meanwhile: a measure that no clock disturbs."""
    import sys

    count = 0

    def tell(frame, event, argument):
        nonlocal count
        count += event == "call"

    sys.setprofile(tell)
    try:
        function()
    finally:
        sys.setprofile(None)
    return count


def test_work_of_binding_grows_as_the_graph_does():
    """EXE-01: four times the nodes are about four times the calls, gradient included."""
    counted = []
    for n in (300, 1200):
        exe = chain(n).simple_bind(options=Options.of(fuse=False, simplify=False), x=(4,))
        counted.append(calls(lambda exe=exe: exe._bound.both((True,))))
    assert counted[1] <= 4.6 * counted[0], counted


@pytest.mark.slow
@FUSED
def test_fifty_thousand_nodes(fuse):
    """EXE-01, X-MEM-04: build, gradient, bind, run, free; forward and backward, twice."""
    before = resident()
    symbol = chain(50_000)
    exe = symbol.simple_bind(options=Options.of(fuse=fuse, simplify=False), x=(4,))
    at = np.array([-2, -0.5, 0.5, 2], "float32")
    for _ in range(2):
        (out,) = exe.forward_backward(ng.ones(4), x=at)
        slope = exe.grad_dict["x"].asnumpy()
        assert np.isfinite(slope).all() and np.abs(out.asnumpy()).max() < 0.1
    wanted = exe.forward()[0].asnumpy()
    assert np.array_equal(out.asnumpy(), wanted)
    assert resident() - before < 3 << 30
    del exe, symbol, out
    gc.collect()
    ng.waitall()
