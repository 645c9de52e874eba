"""Before and after fused kernels are compiled in the background: the same bits."""

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.codegen.making import background
from nbgraph.executor import Options, compiled
from tests.executor.absent import WAIT, absent, chain, held
from tests.executor.storm import SPOILS, executor, spoil, storm, values
from tests.executor.test_random_graphs import head_gradients, requests_of, some
from tests.graph.naive import same_bits

__all__ = ["absent"]

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # infinities, in workers


def runs(exe, requests, seeds, way):
    """Outputs and gradients of runs over spoiled memory; what is added to begins as 1.5."""
    found = []
    for byte in SPOILS:
        spoil(exe, byte)
        slopes = {name: g for name, g in exe.grad_dict.items() if g is not None}
        for name, slope in slopes.items():
            if requests[name] == "add":
                slope[...] = 1.5
        if way == "both" and slopes:
            exe.forward_backward(seeds)
        else:
            exe.forward(is_train=True)
            if slopes:
                exe.backward(seeds)
        found += values([*exe.outputs, *slopes.values()])
    return found


def made(group, given, requests, seeds, way):
    """An executor whose programs are there, in whatever form."""
    exe = executor(group, given, Options(), grad_req=requests)
    if not exe._bound.grads:
        assert exe._bound.predict
    elif way == "both":
        assert exe._bound.both(tuple(seed is not None for seed in seeds))
    else:
        assert exe._bound.halves
    return exe


@pytest.mark.parametrize("seed", some((6, 11, 27), range(100)))
@pytest.mark.parametrize("way", ["halves", "both"])
def test_the_bits_are_the_same_before_and_after(absent, seed, way):
    """EXE-01, X-SYM-04: results, gradients, sums in loops, requests to add; and those of a program
    that waited for its kernels."""
    group, given = storm(seed, nodes=10)
    rng = np.random.default_rng(seed)
    requests, seeds = requests_of(rng, given), head_gradients(rng, group)
    if not any(a.dtype.kind == "f" for a in given.values()):
        requests = dict.fromkeys(given, "null")
    with held():
        exe = made(group, given, requests, seeds, way)
        programs = list(exe._bound.existing_programs().values())
        before = runs(exe, requests, seeds, way)
        stood_in = [p for p in programs if p.interim]
    background.settle(WAIT)
    after = runs(exe, requests, seeds, way)
    assert not any(p.interim for p in programs)
    assert all(p.compiled is p.target for p in stood_in)
    compiled._COMPILED.clear()
    with ng.config(eager_compile=1):
        waited = runs(made(group, given, requests, seeds, way), requests, seeds, way)
    assert same_bits(before, after) and same_bits(before, waited)


def test_random_graphs_do_have_something_to_take_apart(absent):
    """So that the test before this one tests something."""
    found = 0
    with held():
        for seed in (6, 11, 27):
            group, given = storm(seed, nodes=10)
            exe = executor(group, given, Options(), grad_req="null")
            found += bool(exe._bound.predict.interim)
    assert found == 3


def test_draws_are_the_same_in_both_forms(absent):
    """Numbers drawn at a run come in the graph's order, whatever the steps' order is."""
    x = ng.var("x", (40,), "float32")
    net = ng.Group([ng.dropout(chain(x), 0.5), ng.sum(ng.dropout(chain(x + 1), 0.5)), chain(x)])

    def drawn(exe):
        ng.random.seed(5)
        return values([*exe.forward(is_train=True), *exe.forward(is_train=True)])

    with held():
        exe = net.simple_bind(grad_req="null")
        exe.arg_dict["x"][:] = 1.5
        before = drawn(exe)
        assert exe.programs()["forward"].interim
    background.settle(WAIT)
    assert same_bits(before, drawn(exe))
    assert not exe.programs()["forward"].interim
