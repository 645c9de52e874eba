"""What plans save: bytes of arenas, counted and not timed."""

import gc

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import ArgumentError
from nbgraph.executor import Options
from nbgraph.executor.programs import Bound
from nbgraph.graph.arguments import auxiliary_variables, typed
from nbgraph.graph.graph import spec
from nbgraph.graph.passes.lifetimes import footprint
from nbgraph.graph.schedule import predecessors
from nbgraph.operator.layout import layout
from tests.executor.planned import GRAPHS

PLAIN = Options.of(fuse=False, simplify=False)


def program(symbol, options, way="predict", **shapes):
    exe = symbol.simple_bind(
        options=options, grad_req="null" if way == "predict" else "write", **shapes
    )
    made = exe._bound.predict if way == "predict" else exe._bound.both((False,))
    return exe, made.compiled


def chain(n, op=ng.tanh):
    y = ng.var("x")
    for _ in range(n):
        y = op(y)
    return y


def test_a_chain_of_five_takes_less_than_its_values():
    """SYS-05: planned bytes < naive bytes; results as imperative."""
    y = ng.cumsum(ng.tanh(ng.cumsum(ng.tanh(ng.cumsum(ng.var("x"))))))
    exe, made = program(y, PLAIN, x=(4096,))
    _, naive = program(y, Options.none(), x=(4096,))
    assert made.memory.arena_bytes <= naive.memory.arena_bytes / 1.9
    assert made.memory.naive_bytes == naive.memory.naive_bytes
    at = np.linspace(-1, 1, 4096, dtype="float32")
    x = ng.array(at)
    wanted = ng.cumsum(ng.tanh(ng.cumsum(ng.tanh(ng.cumsum(x)))))
    assert np.array_equal(exe.forward(x=at)[0].asnumpy(), wanted.asnumpy())


def test_element_by_element_a_chain_stays_in_place():
    """OPP-10, OPP-13, X-MEM-02: nothing is left to plan but one block; fused not even that."""
    _, made = program(chain(6), PLAIN, x=(4096,))
    assert made.memory.arena_bytes <= 2 * 4096 * 4
    _, made = program(chain(6), Options(), x=(4096,))
    assert made.memory.arena_bytes == footprint(4096 * 4)  # the result
    _, apart = program(chain(6), Options.of(PLAIN, inplace=False, memory=False), x=(4096,))
    assert apart.memory.arena_bytes >= 5 * 4096 * 4


def test_another_shape_or_size_takes_no_ones_place():
    """OPP-13: a sum's result does not lie over what it sums, nor a cast's over what it casts."""
    y = ng.astype(ng.tanh(ng.var("x")), "float64") * 2
    exe, made = program(y, PLAIN, x=(64,))
    for task in made.schedule.tasks:
        for value in (*task.reads, *task.writes):
            over = value.shared
            assert over is None or over.nbytes == value.nbytes
    assert np.allclose(exe.forward(x=1)[0].asnumpy(), 2 * np.tanh(1))


def test_values_of_other_shapes_share_memory_in_turn():
    """X-MEM-03, X-MEM-04: lifetimes that do not meet, sizes that differ: never below the peak,
    and here not above it."""
    x = ng.var("x")
    y = ng.cumsum(ng.concatenate([ng.cumsum(x), ng.cumsum(x * 2)]))
    z = ng.cumsum(ng.cumsum(y[:100]))
    _, made = program(z, PLAIN, x=(1000,))
    assert made.memory.peak_bytes <= made.memory.arena_bytes < made.memory.naive_bytes
    _, apart = program(z, Options.of(PLAIN, memory=False), x=(1000,))
    assert made.memory.arena_bytes < apart.memory.arena_bytes


def test_branches_may_run_side_by_side():
    """X-MEM-05: independent branches do not wait for each other through memory they share."""
    x = ng.var("x")
    branches = [ng.cumsum(ng.tanh(ng.cumsum(x * k))) for k in (1.0, 2.0, 3.0)]
    _, made = program(ng.Group(branches), PLAIN, x=(8000,))
    before = predecessors(made.schedule.tasks)
    reach = []
    for own in before:
        reach.append(own.union(*(reach[k] for k in own)))
    ends = [k for k in range(len(before)) if not any(k in own for own in before)]
    assert len(ends) == 3
    for k in ends:
        assert len(reach[k]) <= 3, "a branch has nothing but its own steps before it"


def test_prediction_takes_far_less_than_training():
    """X-MEM-06: what only the backward pass reads is not kept in prediction. SYM-02."""
    y = x = ng.var("x")
    for k in range(12):
        y = ng.tanh(y @ ng.var(f"w{k}", init=0.1))
    loss = ng.sum(y)
    shapes = {"x": (256, 32), **{f"w{k}": (32, 32) for k in range(12)}}
    kept = {}
    for way in ("predict", "both"):
        _, made = program(loss, Options(), way, **shapes)
        kept[way] = made.memory.arena_bytes
    one = 256 * 32 * 4
    assert kept["predict"] <= 3 * one
    assert kept["both"] >= 10 * one
    _, naive = program(loss, Options.none(), "both", **shapes)
    assert kept["both"] <= 0.6 * naive.memory.arena_bytes  # "about half saved"
    assert x.list_arguments() == ["x"]


@pytest.mark.parametrize("n", [64, 256])
def test_recomputing_takes_the_root_of_it(n):
    """X-MEM-07: the arena of a chain's gradient grows as sqrt(n), with the same bits."""
    y = ng.var("x")
    for _ in range(n):
        y = ng.cumsum(ng.tanh(y)) * 0.01
    loss, one = ng.sum(y), 1024 * 4 + 128
    found, kept = [], []
    for options in (PLAIN, Options.of(PLAIN, recompute="sqrt")):
        exe, made = program(loss, options, "both", x=(1024,))
        kept.append(made.memory.arena_bytes / one)
        exe.forward_backward(x=0.5)
        found.append(exe.grad_dict["x"].asnumpy())
    assert np.array_equal(*found)
    assert kept[0] >= 0.9 * n
    assert kept[1] <= 4 * n**0.5, kept


def test_contributions_are_added_where_the_sum_lies():
    """OPR-11: the gradient of a value that many use takes no memory for each of them."""
    x, sizes = ng.var("x"), []
    for uses in (3, 12):
        y = ng.cumsum(x)
        parts = [y * float(k) for k in range(1, uses + 1)]
        exe = ng.Group(parts).simple_bind(options=PLAIN, x=(4096,))
        made = exe._bound.both((False,) * uses).compiled
        sizes.append(made.memory.arena_bytes)
        adds = [t for t in made.schedule.tasks if ng.kAddTo in t.requests]
        assert len(adds) == uses - 1
        for part in exe.outputs:
            assert part.shape == (4096,)
        exe.forward_backward([None] * uses, x=1)
        wanted = sum(range(1, uses + 1)) * np.arange(4096, 0, -1.0)
        assert np.allclose(exe.grad_dict["x"].asnumpy(), wanted, rtol=1e-5)
    assert sizes[1] == sizes[0], sizes


def test_what_a_gradient_does_not_read_is_not_kept():
    """OPP-08, OPP-09: halves keep the values that the backward pass reads and no others."""
    x, w = ng.var("x"), ng.var("w")
    h = ng.exp(x @ w) + 1  # exp reads its output; the sum and the product's result: nothing
    exe = ng.sum(h * 2).simple_bind(x=(8, 16), w=(16, 32))
    forward, _ = exe._bound.halves
    kept = forward.compiled.result_layouts[1:]
    assert [own.shape for own in kept] == [(8, 32)]
    before = ng.storage.stats().in_use
    del exe, forward
    gc.collect()
    ng.waitall()
    assert ng.storage.stats().in_use < before


def layers(n):
    """A network of products whose gradients by weights nobody waits for, but for their memory."""
    y = ng.var("x")
    for k in range(n):
        y = ng.tanh(y @ ng.var(f"w{k}", init=0.1))
    return ng.sum(y), {"x": (64, 64), **{f"w{k}": (64, 64) for k in range(n)}}


def fan():
    x = ng.var("x")
    parts = [ng.cumsum(ng.cumsum(x * k) * ng.sin(x)) for k in (1.0, 2.0, 3.0)]
    return ng.sum(parts[0] * parts[1] + parts[2]), {"x": (2048,)}


def ahead_of(plan):
    """For each step all those that have ended when it begins."""
    found = []
    for own in plan.predecessors:
        found.append(set(own).union(*(found[k] for k in own)))
    return found


def touched(made):
    """For each task the bytes that it reads and that it writes: (memory, begin, end)."""

    def span(value):
        spot = made.spot(value)
        return spot.slot, spot.offset, spot.offset + value.nbytes

    return [({*map(span, t.reads)}, {*map(span, t.writes)}) for t in made.tasks]


def meet(some, others):
    return any(m == n and b < f and e < c for m, b, c in some for n, e, f in others)


def ordered_pairs(program):
    """How many pairs of steps touch a byte that one of them writes; each has its order."""
    before, uses, pairs = ahead_of(program.plan), touched(program.compiled), 0
    for late, (reads, writes) in enumerate(uses):
        for early in range(late):
            read, written = uses[early]
            if meet(writes, read | written) or meet(reads, written):
                assert early in before[late], (program.name, early, late)
                pairs += 1
    return pairs


def test_results_without_elements_stand_between_no_two_steps():
    """Nothing computes them, so nothing can wait for them: a small result is there before those
    behind it in the list begin."""
    x = ng.var("x")
    y = ng.cumsum(x)
    parts = [ng.cumsum(y), ng.tanh(x[:0]), ng.cumsum(y * 2.0), ng.sin(x[:0]), ng.cumsum(x * 3.0)]
    exe = ng.Group([*parts, ng.full((3,), 2.0) + x[:3]]).simple_bind(grad_req="null", x=(24,))
    assert ordered_pairs(exe._bound.predict) > 3


@pytest.mark.parametrize("options", [Options(), PLAIN], ids=["fused", "plain"])
@pytest.mark.parametrize(("symbol", "shapes"), [layers(6), fan()], ids=["layers", "fan"])
def test_whoever_writes_bytes_waits_for_all_who_used_them(symbol, shapes, options):
    """X-MEM-05, as the engine gets it: of two steps that touch one byte, of which one writes it,
    the later waits for the earlier, for the last reader of a block as well."""
    exe = symbol.simple_bind(options=options, **shapes)
    bound = exe._bound
    programs = (bound.predict, *bound.halves, bound.both((False,)))
    assert sum(map(ordered_pairs, programs)) > len(shapes)
    waits = bound.both((False,)).compiled.memory.waits
    assert waits or len(shapes) == 1  # there are readers that nothing else waits for


def planned(name, request):
    """Bytes of arenas and outputs, of each way in which an executor of a graph is run."""
    make, shapes, _ = GRAPHS[name]
    graph = typed(make(ng).graph, shapes, {})
    states = auxiliary_variables(graph)
    wanted = [v for v in graph.variables if v not in states] if request is not ng.kNullOp else []
    grads = dict.fromkeys(wanted, (None, request))
    bound = Bound(graph, {}, grads, Options(), ng.cpu(), name)
    losses = all(getattr(node.op, "is_loss", False) for node, _ in graph.heads)
    if not wanted:
        return {"forward": bound.compiled_predict().memory.arena_bytes}
    outputs = sum(layout(*spec(head)).nbytes for head in graph.heads)
    joint = bound.compiled_both((not losses,) * len(graph.heads))
    halves = bound.compiled_halves()
    return {
        "forward_backward": joint.memory.arena_bytes + outputs,
        "forward, backward": max(half.memory.arena_bytes for half in halves) + outputs,
    }


@pytest.mark.everyday(1 / 2)
@pytest.mark.parametrize("request_", [ng.kNullOp, ng.kWriteTo, ng.kAddTo])
@pytest.mark.parametrize("name", GRAPHS)
def test_no_plan_is_above_mxnets(name, request_):
    """X-MEM-03: bytes that another planner needs for the same graph, in every mode."""
    theirs = GRAPHS[name][2][(ng.kNullOp, ng.kWriteTo, ng.kAddTo).index(request_)]
    for way, ours in planned(name, request_).items():
        assert ours < (theirs + 1) << 20, (way, ours / 2**20, theirs)


def test_what_was_kept_is_used_up_by_one_backward_pass():
    """Its memory is that of the backward pass, too."""
    exe = ng.tanh(ng.sin(ng.var("x"))).simple_bind(x=(3,))
    for _ in range(2):
        exe.forward(is_train=True, x=0.5)
        exe.backward(ng.ones(3))
        with pytest.raises(ArgumentError, match="has not run since the last backward"):
            exe.backward(ng.ones(3))
        slope = np.cos(0.5) * (1 - np.tanh(np.sin(0.5)) ** 2)
        assert np.allclose(exe.grad_dict["x"].asnumpy(), slope)


def test_forward_and_backward_take_turns_in_one_memory():
    """Runs that are pushed at once, without a wait, give what runs one by one give."""
    symbol, shapes = layers(4)
    exe = symbol.simple_bind(**shapes)
    rng = np.random.default_rng(0)
    batches = [rng.normal(size=shapes["x"]).astype("float32") for _ in range(8)]
    wanted = []
    for x in batches:
        exe.forward_backward(x=x)
        wanted.append(exe.grad_dict["w0"].asnumpy().copy())
    found = []
    for x in batches:
        exe.forward(is_train=True, x=ng.array(x))
        exe.backward()
        found.append(exe.grad_dict["w0"].copy())
        exe.forward(x=ng.array(x))
    for own, judge in zip(found, wanted, strict=True):
        assert np.array_equal(own.asnumpy(), judge)
    forward, backward = exe._bound.halves
    assert forward.arena is backward.arena


def test_results_of_a_prediction_outlive_their_executor_and_its_memory():
    """They lie in the memory of the program, which waits for who reads them."""
    symbol, shapes = layers(3)
    exe = (symbol * 1.0).simple_bind(grad_req="null", **shapes)
    kept = []
    for k in range(1, 20):
        (out,) = exe.forward(x=k / 20)
        kept.append(out * 1.0)  # reads it; the next run may not begin to write there before
    last = out.asnumpy().copy()
    wanted = [exe.forward(x=k / 20)[0].asnumpy().copy() for k in range(1, 20)]
    assert [x.asnumpy().item() for x in kept] == [x.item() for x in wanted]
    del exe
    gc.collect()
    _ = [ng.ones(1 << 14) for _ in range(8)]
    ng.waitall()
    assert np.array_equal(out.asnumpy(), last)
