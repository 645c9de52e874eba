"""Fusion: the same bits in fewer loops, legal whatever the graph, within its limits."""

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.graph import build
from nbgraph.graph.graph import Graph
from nbgraph.graph.listing import listing
from nbgraph.graph.passes import fuse_groups
from nbgraph.graph.passes.fuse import MOST_COMPILED, explain_fusion, fuse
from nbgraph.graph.passes.gradient import gradient
from nbgraph.operator.mapper.fused import FusedMapper
from nbgraph.operator.rows.map_reduce import MapReduce
from tests.graph.legality import check
from tests.graph.naive import evaluate, same_bits
from tests.graph.random_graphs import random_graph
from tests.zoo import functions

# each seed compiles the loops of a graph
FEW = [*range(2), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 40))]
MIXED = ("float32", "float64", "float16", "int32", "bool")


def var(name, *shape, dtype="float32"):
    return ng.var(name, shape=shape, dtype=dtype)


def fused(*symbols, **options):
    made = fuse(ng.Group(symbols).graph, **options)
    check(made)
    return made


def loops(graph):
    return [n for n in graph.nodes if isinstance(n.op, (FusedMapper, MapReduce))]


def operators(graph):
    return [n.op.__name__ for n in graph.nodes if n.op is not None]


def joint(loss, *variables):
    slopes = gradient(loss.graph, [v.node for v in variables])
    return Graph([*loss.graph.heads, *slopes.heads], slopes.variables)


@pytest.fixture(scope="module")
def smooth_l1():
    return ng.op(functions.smooth_l1)


# what is fused ----------------------------------------------------------------------------------


def test_box_loss(golden, smooth_l1):
    """MXP-09, X-SYM-05: four operators and a sum become one loop over memory."""
    data, label, w_in, w_out = (var(n, 8, 1000) for n in ("data", "label", "w_in", "w_out"))
    loss = ng.sum(w_out * smooth_l1(w_in * (data - label), sigma=3.0))
    before, after = loss.graph, fused(loss)
    golden("graph/box_loss_fused.txt", f"{listing(before)}\n\n{listing(after)}\n")
    rng = np.random.default_rng(0)
    given = {v.name: rng.normal(size=(8, 1000)).astype("float32") for v in before.variables}
    assert same_bits(evaluate(before, given), evaluate(after, given))
    (loop,) = explain_fusion(after).loops
    assert loop.saved_bytes == 8 * 32_000  # four values that were written and read


def test_chain_forward_and_backward_is_one_loop():
    """EXE-01, X-SYM-05: of 64 layers only the sum and the gradient go through memory."""
    x = y = var("x", 1000)
    for k in range(64):
        y = ng.tanh(y) if k % 2 == 0 else y * 1.5
    (loop,) = loops(fuse(joint(ng.sum(y), x)))
    assert [spec.shape for spec in loop.specs] == [(), (1000,)]


def test_value_that_others_read_is_an_output():
    x, w = var("x", 4, 4), var("w", 4, 4)
    y = ng.tanh(x) * 2.0
    made = fused(y + 1.0, y @ w)
    (loop,) = loops(made)
    assert loop.nout == 2
    assert operators(made) == ["fused_tanh_multiply_1more", "matmul"]


def test_siblings_that_read_one_array_share_a_loop():
    x = var("x", 100)
    (loop,) = loops(fused(ng.sin(x), ng.cos(x), ng.max(x), ng.mean(x * x)))
    assert loop.nout == 4
    assert loop.inputs == ((x.node, 0),)


def test_different_pasts_do_not_hinder_siblings():
    """Neither sibling depends on the other, though one waits for a matrix product."""
    x, w = var("x", 8, 8), var("w", 8, 8)
    made = fused(ng.sin(x), (x @ w) * x)
    assert len(loops(made)) == 1


def test_mean_is_its_sum_divided():
    x = var("x", 5, 100)
    y = ng.mean(ng.exp(x), axis=1, keepdims=True)
    made = fused(y)
    assert operators(made) == ["fused_exp_sum", "divide"]
    given = {"x": np.random.default_rng(1).normal(size=(5, 100)).astype("float32")}
    assert same_bits(evaluate(y.graph, given), evaluate(made, given))


def test_numbers_stay_weak():
    """The number 2 beside int32 and float32 is two numbers of two dtypes."""
    x, i = var("x", 6), var("i", 6, dtype="int32")
    y = ng.where(i * 2 > 3, x * 2, x)
    made = fused(y)
    assert len(loops(made)) == 1
    given = {"x": np.arange(6, dtype="float32"), "i": np.arange(6, dtype="int32")}
    assert same_bits(evaluate(y.graph, given), evaluate(made, given))


def test_one_operator_stays_as_it_is():
    x = var("x", 3)
    for y in (ng.sin(x), ng.sum(x), ng.sin(x) @ ng.ones((3, 2))):
        assert fused(y).nodes == y.graph.nodes


def test_checkpoint_marks_do_not_hinder():
    x = var("x", 100)
    assert operators(fused(ng.checkpoint(ng.sin(x)) * 2.0)) == ["fused_sin_multiply"]


# what is not ------------------------------------------------------------------------------------


def test_no_group_waits_for_itself():
    """X-SYM-05: a value of the loop goes through a matrix product and comes back."""
    x, w = var("x", 4, 4), var("w", 4, 4)
    y = ng.tanh(x)
    z = y * (y @ w)
    made = fused(z)
    assert operators(made) == ["tanh", "matmul", "multiply"]
    assert fuse_groups.NO_CYCLE in str(explain_fusion(made))


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda x: ng.exp(x - ng.sum(x)) * ng.sum(ng.exp(x)), fuse_groups.READ_AGAIN),
        (lambda x: ng.sin(ng.reshape(x, (10, 64))) + ng.sin(x[0]), "shape"),
        (lambda x: ng.sum(ng.sum(ng.exp(x), -1)), "shape"),
    ],
)
def test_reasons_are_told(make, reason):
    made = fused(make(var("x", 10, 64)))
    told = explain_fusion(made).to_dict()
    assert any(reason in edge["reason"] for edge in told["apart"])
    assert "<pre" in explain_fusion(made)._repr_html_()


def test_half_precision_is_rounded_in_memory():
    """A float16 value does not pass within a loop; it may enter and leave one."""
    x = var("x", 10, dtype="float16")
    made = fused(ng.sin(x) * 2.0)
    assert operators(made) == ["sin", "multiply"]
    assert "float16" in str(explain_fusion(made))
    assert len(loops(fused(ng.sin(x), ng.cos(x)))) == 1


@pytest.mark.parametrize("dtype", ["bool", "float16"])
def test_steps_of_half_precision_have_a_loop_of_their_own(dtype):
    """As of operands of bool; a compiled function raised FusionError."""
    x = ng.array([1, 0, 1], dtype=dtype)

    def f(x):
        y = x == 0 if dtype == "bool" else x
        return ng.sin(y), ng.nextafter(y, x)

    for eager, compiled in zip(f(x), ng.jit(f)(x), strict=True):
        assert compiled.dtype == "float16" and compiled.tolist() == eager.tolist()


def test_precisions_do_not_mix():
    a, b = var("a", 10), var("b", 10, dtype="float64")
    made = fused(ng.sin(a) * b)
    assert not loops(made)
    assert "precision" in str(explain_fusion(made))


def test_reductions_of_leading_axes_and_short_runs_stay():
    x = var("x", 100, 100)
    assert operators(fused(ng.sum(ng.exp(x), axis=0))) == ["exp", "sum"]
    y = var("y", 100, 3)
    assert operators(fused(ng.sum(ng.exp(y), axis=1))) == ["exp", "sum"]


def test_random_draws_stay():
    x = var("x", 100)
    made = fused(ng.dropout(ng.sin(x) * 2.0) + 1.0)
    assert operators(made) == ["fused_sin_multiply", "dropout", "add"]


def test_loops_and_calls_inside_keep_to_themselves():
    @ng.op
    def halvings(x):
        n = 0.0
        while x > 1:
            x, n = x / 2, n + 1
        return n

    x = var("x", 10)
    assert operators(fused(halvings(x * 2.0) + 1.0)) == ["multiply", "halvings", "add"]


def test_passes_are_kept_apart_on_request():
    x = var("x", 100)
    loss = ng.sum(ng.tanh(ng.sin(x)))
    graph = joint(loss, x)
    assert len(loops(fuse(graph))) == 1
    apart = fuse(graph, joint=False, forward=loss.graph.nodes)
    assert len(loops(apart)) == 2


# limits -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", [0, 1, 7, 64])
def test_no_loop_is_larger_than_the_limit(limit):
    x = y = var("x", 10)
    for _ in range(50):
        y = ng.square(y) + x
    made = fused(y, limit=limit)
    sizes = [loop.scalars for loop in explain_fusion(made).loops] if limit else []
    assert all(size <= limit for size in sizes)
    assert len(sizes) == {0: 0, 1: 0, 7: 15, 64: 2}[limit]
    with ng.config(fusion_limit=limit):
        assert fuse(ng.Group([y]).graph).nodes == made.nodes


def test_what_compiles_slowly_counts_more():
    """A sine is written twice, a tanh once."""
    x = var("x", 10)
    (few,) = explain_fusion(fused(ng.tanh(ng.tanh(x)))).loops
    (many,) = explain_fusion(fused(ng.sin(ng.sin(x)))).loops
    assert few.scalars == 4 and many.scalars == 32


def test_no_loop_keeps_too_many_values():
    """Two hundred values that wait for a second use are more than registers and stack take."""
    xs = [var(f"x{k}", 10) for k in range(8)]
    early = [ng.square(xs[k % 8] + float(k)) for k in range(100)]
    y = early[0]
    for value in [*early, *early[::-1]]:
        y = y * value
    made = fused(y, limit=10_000)
    live = fuse_groups.Live()
    assert len(loops(made)) > 1
    for reads in ((), (), (0, 1), (1,)):
        live.append(reads)
    assert live.peak == 2


# any graph --------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", FEW)
def test_random_graphs_keep_their_bits(seed):
    """X-SYM-05: fused or not, the same numbers; NumPy's sum of a value is the naive one's."""
    graph, given = random_graph(seed, 12, dtypes=MIXED if seed % 2 else ("float32",))
    made = fuse(graph)
    check(made)
    assert same_bits(evaluate(graph, given), evaluate(made, given))


@pytest.mark.parametrize("seed", range(30))
def test_random_graphs_stay_legal(seed, monkeypatch):
    """Every value is there for those that read it, also where a graph is taken in stretches."""
    graph, _ = random_graph(100 + seed, 80, dtypes=MIXED if seed % 2 else ("float32",))
    if seed % 3 == 0:
        monkeypatch.setattr(fuse_groups, "STRETCH", 16)
    made = fuse(graph)
    check(made)
    told = explain_fusion(made)
    assert made.variables == graph.variables
    assert [spec_of_head(e) for e in made.heads] == [spec_of_head(e) for e in graph.heads]
    assert all(loop.saved_bytes > 0 for loop in told.loops)
    members = [m for loop in told.loops for m in loop.members]
    assert len(members) == len(set(members))
    assert fuse(graph).nodes == made.nodes
    if seed % 3:
        assert fuse(made).nodes == made.nodes


def spec_of_head(entry):
    node, k = entry
    return node.specs[k]


def test_copies_that_compute_again_are_not_the_first_ones():
    x = var("x", 10)
    y = ng.sin(x) * 2.0
    again = [y.node.inputs[0][0], y.node]
    copy = build.rebuilt(again[0], again[0].inputs, token=("again", None, 0))
    second = build.rebuilt(y.node, [(copy, 0), 2.0], token=("again", None, 0), after=(y.node,))
    made = fuse(Graph([y.entry, (second, 0)]))
    check(made)
    first, last = loops(made)
    assert last.after == (first,)
    assert last.token[0] == "again"


def test_large_graphs_are_taken_in_stretches():
    x = y = var("x", 10)
    for k in range(10_000):
        y = ng.square(y) if k % 2 else y * 0.5
    made = fused(y)
    assert 10_000 / 256 <= len(loops(made)) <= 10_000 / 250 + 3


def test_loops_that_differ_are_compiled_up_to_a_bound():
    """Forms that recur cost nothing; of a long graph without any the rest stays apart."""
    x = var("x", 10)
    choices = np.random.default_rng(0).integers(0, 3, 6_000)

    def chain(choices):
        y = x
        for k in choices:
            y = (ng.square(y), y * 0.5, ng.tanh(y))[k]
        return loops(fused(y))

    made = chain(choices)
    assert MOST_COMPILED // 2 <= sum(len(n.op.parts) for n in made) <= MOST_COMPILED
    assert sum(len(n.op.parts) for n in chain([0, 1] * 3_000)) == 6_000
