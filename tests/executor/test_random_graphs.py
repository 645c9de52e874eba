"""Storms of random graphs: whatever passes, plans and engines do, the results are the same bits.

Sums that became part of a loop are the one exception: see `within`.
"""

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.executor import Options
from nbgraph.graph.passes.gradient import gradient
from nbgraph.graph.symbol import Symbol
from tests.engine.conftest import engine
from tests.executor.storm import SPOILS, SWITCHES, executor, slopes_of, spoil, storm, values
from tests.graph.naive import carried_out, evaluate, same_bits
from tests.graph.random_graphs import SMOOTH, random_graph

__all__ = ["engine"]

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # infinities, in workers


def some(everyday, every):
    """Seeds: few of them every day."""
    late = [pytest.param(seed, marks=pytest.mark.slow) for seed in every if seed not in everyday]
    return [*everyday, *late]


def wanted(group, given):
    with ng.autograd.train_mode():
        return evaluate(group.graph, given)


# values -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", some((2,), range(500)))
def test_every_switch_gives_the_bits_of_the_plain_way(seed):
    """SYS-05, EXE-01, OPP-12, X-MEM-02..04: each option alone, twice, over spoiled memory."""
    group, given = storm(seed)
    plain = wanted(group, given)
    for name, options in SWITCHES.items():
        exe = executor(group, given, options, grad_req="null")
        assert exe._bound.predict
        for byte in SPOILS:
            spoil(exe, byte)
            found = values(exe.forward(is_train=True))
            assert same_bits(found, plain), (name, hex(byte))


@pytest.mark.parametrize("seed", some((5, 7), range(200)))
def test_every_engine_gives_the_same_bits_to_runs_that_overtake_each_other(seed, engine):
    """X-MEM-05, EXE-01: runs are pushed without a wait in between, with other inputs each time;
    what a run gave is copied before the next one writes there."""
    group, given = storm(seed, nodes=14)
    exe = executor(group, given, Options(), grad_req="null")
    made, plain = [], []
    for scale in (1, 0.5, 1, -2):
        inputs = {name: (a * scale).astype(a.dtype) for name, a in given.items()}
        plain.append(wanted(group, inputs))
        made.append([array.copy() for array in exe.forward(is_train=True, **inputs)])
    for found, one in zip(made, plain, strict=True):
        assert same_bits(values(found), one)


def within(found, plain, summands):
    """A sum s of n values, added in any order, is off by at most (n - 1) u S and a rounding of the
    result, where S is the sum of their magnitudes, u = eps / 2; two ways differ by twice that."""
    eps = np.finfo(plain.dtype).eps
    reach = np.abs(summands).sum(dtype="float64")
    return np.all(np.abs(found - plain) <= eps * summands.size * reach + eps * np.abs(plain))


@pytest.mark.parametrize("seed", some((1,), range(200)))
def test_sums_in_loops_are_as_good_as_any_order_of_addition(seed):
    """X-SYM-04: only the sums differ, and by no more than orders of addition can."""
    parts: list = []
    while not parts:  # there are graphs of integers and empty arrays alone
        group, given = storm(seed, nodes=8)
        parts = [s for s in map(Symbol, zip(group.entries)) if s.dtype.kind == "f" and s.size]
        seed += 200
    sums = ng.Group([ng.sum(ng.tanh(part)) for part in parts])
    given = {name: given[name] for name in sums.list_arguments()}
    exe = executor(sums, given, Options(), grad_req="null")
    exe.forward(is_train=True)
    summands = wanted(ng.Group([ng.tanh(part) for part in parts]), given)
    for found, one in zip(values(exe.outputs), summands, strict=True):
        plain = one.sum(dtype=found.dtype)
        assert within(found, plain, one) or np.isnan(plain) and np.isnan(found)


# gradients --------------------------------------------------------------------------------------


def requests_of(rng, given):
    """Some are written, some added, some not wanted; the first is always written."""
    return {
        name: "write" if not i else str(rng.choice(["write", "add", "null"], p=[0.5, 0.35, 0.15]))
        for i, name in enumerate(given)
    }


def head_gradients(rng, group, none=0.3):
    """Given, or None for ones."""
    return [
        None
        if spec.dtype.kind != "f" or rng.random() < none
        else ng.array(np.asarray(rng.normal(size=spec.shape)).astype(spec.dtype), dtype=spec.dtype)
        for spec in (node.specs[index] for node, index in group.entries)
    ]


@pytest.mark.parametrize("seed", some((7,), range(300)))
def test_gradients_are_the_same_whatever_is_switched(seed):
    """X-SYM-04, OPP-11, OPR-11: both passes apart and as one, grad_req per argument, head
    gradients given or not, twice over spoiled memory. Sums within gradients (of what was
    broadcast) may be fused: those are compared as sums."""
    group, given = storm(seed, nodes=8)
    if not any(a.dtype.kind == "f" for a in given.values()):
        return
    rng = np.random.default_rng(seed)
    requests, seeds = requests_of(rng, given), head_gradients(rng, group)
    plain = slopes_of(group, given, Options.none(), "halves", requests, seeds)[0]
    for name, options in SWITCHES.items():
        for way in ("halves", "both"):
            for outputs, slopes in slopes_of(group, given, options, way, requests, seeds):
                assert same_bits(outputs, plain[0]), (name, way)
                if options.fuse:
                    assert all(map(_alike, slopes, plain[1])), (name, way)
                else:
                    assert same_bits(slopes, plain[1]), (name, way)


def _alike(a, b):
    return np.allclose(a, b, rtol=1e-5, atol=1e-6, equal_nan=True)


@pytest.mark.parametrize("seed", some((3,), range(100)))
def test_gradients_are_those_of_arrays_and_of_differences(seed, engine):
    """SYM-02, X-SYM-04: against ng.value_and_grad on arrays, and against differences."""
    graph, given = random_graph(seed, 8, families=SMOOTH, dtypes=("float64",), smooth=True)
    group = ng.Group([Symbol([head]) for head in graph.heads])
    names = group.list_arguments()
    given = {name: given[name] for name in names}
    exe = executor(group, given, Options(), grad_req="write")
    ones = [ng.ones(output.shape, dtype="float64") for output in exe.outputs]
    outputs = values(exe.forward_backward(ones))

    def total(*arrays):
        made = carried_out(group.graph, dict(zip(names, arrays, strict=True)))
        return sum((ng.sum(m) for m in made[1:]), ng.sum(made[0]))

    arrays = [ng.array(given[name], dtype="float64") for name in names]
    value, slopes = ng.value_and_grad(total, tuple(range(len(names))))(*arrays)
    assert np.isclose(float(value), sum(o.sum() for o in outputs), rtol=1e-12)
    rng, step = np.random.default_rng(seed), 1e-6
    for name, slope in zip(names, slopes, strict=True):
        found = exe.grad_dict[name].asnumpy()
        assert np.allclose(found, slope.asnumpy(), rtol=1e-10, atol=1e-12), name
        along = rng.normal(size=found.shape)
        ends = []
        for way in (step, -step):
            moved = exe.forward(**{**given, name: given[name] + way * along})
            ends.append(sum(v.sum() for v in values(moved)))
        assert np.isclose((found * along).sum(), (ends[0] - ends[1]) / (2 * step), rtol=1e-5,
                          atol=1e-6), name  # fmt: skip


@pytest.mark.parametrize("options", [Options(), Options.none()], ids=["all", "none"])
def test_second_order_through_the_gradient_graph(options):
    """X-SYM-11: Hessian times vector, by an executor of gradients and by one of their gradients."""
    x = ng.var("x", shape=(3,), dtype="float64")
    first = gradient(ng.sum(ng.sin(x) * x[::-1] ** 2).graph, [x.node])
    exe = Symbol(first.heads).simple_bind(
        options=options, type_dict={"x": "float64"}, x=(3,), grad_req="write"
    )
    at, along = np.array([0.3, -0.5, 1.2]), np.array([1.0, 2.0, -1.0])
    exe.forward_backward(ng.array(along, dtype="float64"), x=at)

    def slope(p):
        return np.cos(p) * p[::-1] ** 2 + 2 * p * np.sin(p[::-1])

    step = 1e-6
    told = (slope(at + step * along) - slope(at - step * along)) / (2 * step)
    assert np.allclose(exe.outputs[0].asnumpy(), slope(at), rtol=1e-14)
    assert np.allclose(exe.grad_dict["x"].asnumpy(), told, rtol=1e-6)
