"""Executors and jit functions that nobody holds any more."""

import gc
import weakref

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.executor.program import Program

OPERATORS = {
    "kernel": ng.tanh,
    "function": lambda x: ng.matmul(x, x),
    "both, with an arena": lambda x: ng.sum(ng.cumsum(ng.tanh(x * 2)) + ng.cumsum(ng.matmul(x, x))),
    "random": ng.dropout,
}


@pytest.fixture
def programs(monkeypatch):
    """Programs that were made, weakly."""
    made = []
    start = Program.__init__

    def watched(self, *args, **kwargs):
        start(self, *args, **kwargs)
        made.append(weakref.ref(self))

    monkeypatch.setattr(Program, "__init__", watched)
    return made


def alive(programs):
    ng.waitall()
    gc.collect()
    return sum(ref() is not None for ref in programs)


@pytest.mark.parametrize("name", OPERATORS)
def test_a_dropped_executor_leaves_no_program(programs, name):
    """EXE-01, X-MEM-04: what the engine holds of a plan is not what keeps the plan."""
    net = OPERATORS[name](ng.var("x"))
    for _ in range(3):
        exe = net.simple_bind(x=(8, 8))
        exe.forward(x=1)
        exe.forward(is_train=True)
        exe.forward_backward([ng.ones(exe.outputs[0].shape)])
    assert alive(programs) > 0
    del exe
    assert alive(programs) == 0


@pytest.mark.parametrize("name", OPERATORS)
def test_a_dropped_jit_function_leaves_no_program(programs, name):
    """EXE-01: as executors do; another shape is another program."""
    f = ng.jit(OPERATORS[name])
    for n in (4, 5):
        assert np.isfinite(f(ng.ones((n, n))).asnumpy()).all()
    del f
    assert alive(programs) == 0


def test_constants_of_a_function_are_not_waited_for(programs):
    """EXE-01: a run brings arrays alone, so that it is one compiled call; the plan keeps the
    constants until its runs have ended, also of a function that nobody holds any more."""
    weights = np.arange(4.0)

    def f(x):
        return ng.cumsum(ng.matmul(x * weights, ng.eye(4, dtype="float64"))) + (1 + 2j)

    compiled = ng.jit(f)
    results = [compiled(ng.full(4, float(k), dtype="float64")) for k in range(4)]
    assert programs
    assert all(ref().alone for ref in programs)
    del compiled
    assert alive(programs) == 0
    for k, result in enumerate(results):
        np.testing.assert_array_equal(result.asnumpy(), np.cumsum(k * weights) + (1 + 2j))
