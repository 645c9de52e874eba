"""Graphs whose fused kernels count as neither in memory nor on disk."""

import contextlib

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.codegen.making import background
from nbgraph.executor import compiled, interim
from nbgraph.kernels.compiler.kernel import Kernel

WAIT = 60  # seconds; every wait in these tests is bounded
X = np.linspace(-2, 2, 50, dtype="float32")


@pytest.fixture
def absent(monkeypatch):
    """Fused kernels count as neither in memory nor on disk until they have been asked for again,
    and as the only ones that take long."""
    background.settle(WAIT)
    before = ng.engine.current().kind
    ng.engine.set("threaded")
    there = set()
    load = Kernel.load

    def watched(kernel):
        load(kernel)
        there.add(kernel)

    def at_hand(kernel):
        return kernel.loop.name != "fused" or kernel in there

    monkeypatch.setattr(Kernel, "load", watched)
    monkeypatch.setattr(Kernel, "at_hand", at_hand)
    monkeypatch.setattr(interim, "compile_seconds", lambda loop, _: 9 * (loop.name == "fused"))
    compiled._COMPILED.clear()
    with ng.config(eager_compile=0):
        yield there
    background.settle(WAIT)
    compiled._COMPILED.clear()
    ng.engine.set(before)


@contextlib.contextmanager
def held():
    """Nothing is compiled in the background within the block."""
    with background._locks.turn:
        yield


def chain(x, n=3):
    for k in range(n):
        x = ng.sin(x * 1.25 + k) - ng.tanh(x)
    return x
