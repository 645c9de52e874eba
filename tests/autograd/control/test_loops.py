"""Loops are one node of a graph, and give the values and gradients of the unrolled program."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nbgraph as ng
from nbgraph.engine.core.codes import BRIEF
from nbgraph.operator.kernel_call import lowered
from nbgraph.operator.layout import layout

RNG = np.random.default_rng(7)


def array(*shape, dtype="float64"):
    return ng.array(RNG.normal(size=shape).astype(dtype) * 0.5)


# what unrolled loops are -----------------------------------------------------------------------


def unrolled(f, init, xs, length=None, reverse=False):
    count = length if xs is None else len(xs[0] if isinstance(xs, tuple) else xs)
    carry, ys = init, [None] * count
    for k in reversed(range(count)) if reverse else range(count):
        part = None if xs is None else tuple(x[k] for x in xs) if isinstance(xs, tuple) else xs[k]
        carry, ys[k] = f(carry, part)
    return carry, None if ys[0] is None else ng.stack(ys)


W = array(3, 3)
BODIES = {
    "cell": lambda h, x: ((n := ng.tanh(ng.matmul(h, W) + x)), n * x),
    "sums": lambda h, x: (h + x, ng.sum(h * x)),
    "unused part": lambda h, x: (h * 0.5, h),
    "no results": lambda h, x: (ng.sin(h) * x, None),
    "slices": lambda h, x: (ng.concatenate([x[:1], h[1:] * x[1:]]), ng.flip(h, 0)),
    "sorts": lambda h, x: (ng.sort(h * x), ng.cumsum(h)),
    "branches": lambda h, x: (ng.where(h > x, h * h, x), ng.maximum(h, x)),
    "constant": lambda h, x: (h, 1.5),
}


def worlds(f, *args):
    yield "at once", f(*args)
    yield "jit", ng.jit(f)(*args)
    with ng.config(compiler="python"):
        yield "operator by operator", f(*args)


def flat(value):
    if value is None:
        return []
    if isinstance(value, (tuple, list)):
        return [leaf for part in value for leaf in flat(part)]
    return [value.asnumpy()]


def agree(found, wanted, tolerance=1e-10):
    found, wanted = flat(found), flat(wanted)
    assert len(found) == len(wanted)
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("name", BODIES)
def test_a_scan_is_the_unrolled_loop_in_values_and_gradients_to_second_order(name, reverse):
    body = BODIES[name]
    h, xs = array(3), array(4, 3)

    def total(run, h, xs):
        carry, ys = run(body, h, xs, reverse=reverse)
        return (carry * carry).sum() + (0.0 if ys is None else (ys * ys * ys).sum())

    wanted = unrolled(body, h, xs, reverse=reverse)
    if name == "constant":
        wanted = h, ng.full((4,), 1.5)
    for _, found in worlds(lambda h, xs: ng.scan(body, h, xs, reverse=reverse), h, xs):
        agree(found, wanted, 1e-6 if name == "constant" else 1e-10)
    if name == "constant":
        return
    slopes = ng.grad(lambda h, xs: total(unrolled, h, xs), (0, 1))(h, xs)
    for _, found in worlds(ng.grad(lambda h, xs: total(ng.scan, h, xs), (0, 1)), h, xs):
        agree(found, slopes)

    def bent(run):
        inner = ng.grad(lambda h, xs: total(run, h, xs), (0, 1))

        def norm(h, xs):
            a, b = inner(h, xs)
            return (a * a).sum() + (b * b).sum()

        return ng.grad(norm, (0, 1))

    agree(ng.jit(bent(ng.scan))(h, xs), bent(unrolled)(h, xs))


def test_a_loop_in_a_graph_is_one_node_whatever_its_length():
    f = ng.jit(lambda h, xs: ng.scan(lambda h, x: (ng.tanh(h + x), h), h, xs))
    few, many = f.graph(array(3), array(4, 3)), f.graph(array(3), array(400, 3))
    assert len(few.nodes) == len(many.nodes)
    assert sum(node.op is not None and node.op.__name__ == "scan" for node in many.nodes) == 1
    assert str(many).count("\n") < 6


def test_the_body_runs_as_kernels_of_one_row():
    h, xs = array(3), array(5, 3)
    f = ng.jit(lambda h, xs: ng.scan(lambda h, x: (ng.tanh(ng.matmul(h, W) + x), h), h, xs)[0])
    f(h, xs).wait_to_read()
    compiled = f.version((h, xs), {})[0].function.compiled
    assert [type(call.code).__name__ for call in compiled.calls] == ["Table"]


def test_gradients_reach_arrays_that_the_body_finds_outside():
    w, h, xs = array(3, 3), array(3), array(4, 3)

    def total(run, w):
        def body(h, x):
            n = ng.tanh(ng.matmul(h, w) + x)
            return n, n

        carry, ys = run(body, h, xs)
        return (ys * ys).sum() + carry.sum()

    wanted = ng.grad(lambda w: total(unrolled, w))(w)
    for _, found in worlds(ng.grad(lambda w: total(ng.scan, w)), w):
        agree(found, wanted)
    w.attach_grad()
    with ng.autograd.record():
        loss = total(ng.scan, w)
    loss.backward()
    agree(w.grad, wanted)


def test_what_does_not_depend_on_the_step_is_computed_once_outside():
    w = array(3, 3)
    f = ng.jit(lambda h, w: ng.scan(lambda h, _: (h @ ng.exp(w), None), h, None, 5)[0])
    names = [n.op.__name__ for n in f.graph(array(3), w).nodes if n.op is not None]
    assert names == ["exp", "scan"]


def test_structures_of_carries_and_parts():
    init = {"h": array(2), "c": (array(2), 0)}
    xs = (array(3, 2), array(3))

    def body(carry, x):
        h, (c, n) = carry["h"], carry["c"]
        return {"h": h + x[0], "c": (c * x[1], n + 1)}, {"sum": h.sum(), "n": n}

    for _, (carry, ys) in worlds(lambda xs: ng.scan(body, init, xs), xs):
        agree(carry["h"], ng.array(init["h"]) + xs[0].sum(axis=0))
        assert int(carry["c"][1]) == 3
        assert ys["n"].asnumpy().tolist() == [0, 1, 2]
        assert ys["sum"].shape == (3,)


def test_no_steps_at_all():
    carry, ys = ng.scan(lambda h, x: (h + x, h * x), array(3), ng.zeros((0, 3), dtype="float64"))
    assert carry.shape == (3,) and ys.shape == (0, 3)
    assert int(ng.fori_loop(5, 2, lambda i, x: x + i, np.int64(7))) == 7


def test_a_loop_within_a_loop():
    xs = array(3, 4)

    def rows(run, xs):
        def row(total, x):
            inner, ys = run(lambda c, v: (c * v + ng.sin(total), c), total, x)
            return inner, ys.sum()

        carry, ys = run(row, ng.zeros((), dtype="float64"), xs)
        return carry + (ys * ys).sum()

    agree(ng.jit(lambda xs: rows(ng.scan, xs))(xs), rows(unrolled, xs))
    agree(
        ng.jit(ng.grad(lambda xs: rows(ng.scan, xs)))(xs),
        ng.grad(lambda xs: rows(unrolled, xs))(xs),
    )


def test_memory_of_a_loop_does_not_grow_with_its_length():
    def bytes_of(n):
        f = ng.jit(lambda x: ng.fori_loop(0, n, lambda i, x: ng.cos(x), x).sum())
        return f.version((ng.zeros(64),), {})[0].function.compiled.memory.arena_bytes

    assert bytes_of(10) == bytes_of(100_000)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("length", [1, 3, 9, 11])
def test_steps_that_a_gradient_computes_again(length, reverse):
    h, xs = array(3), array(length, 3)

    def total(run, h, xs, **more):
        carry, ys = run(BODIES["cell"], h, xs, reverse=reverse, **more)
        return (carry * carry).sum() + (ys * ys).sum()

    again = ng.value_and_grad(lambda h, xs: total(ng.scan, h, xs, checkpoint=True), (0, 1))
    wanted = ng.value_and_grad(lambda h, xs: total(unrolled, h, xs), (0, 1))(h, xs)
    agree(again(h, xs), wanted)
    agree(ng.jit(again)(h, xs), wanted)


def test_memory_of_a_gradient_grows_as_the_root_of_the_length_where_steps_are_computed_again():
    def bytes_of(n, checkpoint):
        def f(x):
            return ng.scan(lambda c, _: (ng.sin(c), None), x, None, n, checkpoint=checkpoint)[
                0
            ].sum()

        version = ng.jit(ng.grad(f)).version((ng.zeros(64),), {})[0]
        return version.function.compiled.memory.arena_bytes

    assert bytes_of(10_000, False) > 50 * bytes_of(100, False)
    assert bytes_of(10_000, True) < 15 * bytes_of(100, True) < bytes_of(10_000, False)


def test_much_that_would_be_kept_is_computed_again_unasked(monkeypatch):
    f = ng.grad(lambda x: ng.scan(lambda c, _: (ng.sin(c), None), x, None, 16)[0].sum())
    nodes = len(ng.jit(f).graph(ng.zeros(64)).nodes)
    monkeypatch.setattr("nbgraph.autograd.control.segments.MOST_KEPT", 1000)
    assert len(ng.jit(f).graph(ng.zeros(64)).nodes) > nodes


@pytest.mark.slow
def test_a_hundred_thousand_steps():
    n = 100_000
    x = ng.fori_loop(0, n, lambda i, x: ng.cos(x), ng.array([0.5, 1.0]))
    np.testing.assert_allclose(x.asnumpy(), 0.7390851, rtol=1e-6)
    found = ng.grad(lambda x: ng.scan(lambda c, x: (c + x * x, None), 0.0, x)[0])(
        ng.ones(n, dtype="float64")
    )
    assert (found.asnumpy() == 2).all()


# loops that end by a test -----------------------------------------------------------------------


def test_a_while_loop_ends_when_its_test_fails():
    for _, found in worlds(
        lambda x: ng.while_loop(lambda v: v[0] < 100, lambda v: (v[0] * 3, v[1] + 1), (x, 0)),
        ng.array(1.0),
    ):
        assert float(found[0]) == 243 and int(found[1]) == 5
    assert float(ng.while_loop(lambda x: x < 0, lambda x: x - 1, ng.array(1.0))) == 1


def test_a_loop_that_may_not_end_is_not_for_its_caller():
    """However short its body is: the thread that pushes it has the GIL."""
    x = ng.var("x", shape=(), dtype="float32")
    node, _ = ng.while_loop(lambda c: c < 10, lambda c: c * 2, x).entry
    float32, int64 = (layout((), np.dtype(name)) for name in ("float32", "int64"))
    loop = lowered(node.op, [float32], [float32, int64], ["write"] * 2, node.attributes)
    assert loop.calls[0].cost > BRIEF


def test_a_loop_of_any_length_may_be_run_in_two_parts():
    """X-ENG-10: calls that were short run in their pusher, which leaves what takes longer."""

    @ng.jit
    def compound(x, n):
        test, step = lambda c: c[1] < n, lambda c: (c[0] * 0.75 + 1, c[1] + 1)
        x, n = ng.while_loop(test, step, (x, ng.zeros((), dtype="int64")))
        return ng.sqrt(x), n

    x = np.array([1.0, 2, 3])
    for n in (3, 3, 50_000, 3, 3, 0, 3, 3, 20_001, 7):
        roots, steps = compound(ng.array(x), ng.array(n, dtype="int64"))
        assert int(steps) == n
        expected = x
        for _ in range(min(n, 300)):
            expected = expected * 0.75 + 1
        np.testing.assert_allclose(roots.asnumpy(), np.sqrt(expected), rtol=1e-14)


def test_a_bounded_while_loop_has_a_gradient():
    def f(x, loop):
        if loop:
            return ng.while_loop(lambda v: v < 50, lambda v: v * v + v, x, max_iterations=9)
        while x.item() < 50:
            x = x * x + x
        return x

    for start in (0.5, 3.0, 60.0):
        x = ng.array(start, dtype="float64")
        agree(ng.grad(lambda x: f(x, True))(x), ng.grad(lambda x: f(x, False))(x))
        second = ng.grad(ng.grad(lambda x: f(x, False)))(x)
        agree(ng.grad(ng.grad(lambda x: f(x, True)))(x), second)
        agree(ng.jacfwd(ng.grad(lambda x: f(x, True)))(x), second)


def test_an_unbounded_while_loop_says_that_it_has_no_gradient():
    with pytest.raises(ng.errors.DerivativeError, match="give max_iterations="):
        ng.grad(lambda x: ng.while_loop(lambda v: v < 50, lambda v: v * 2, x))(ng.array(1.0))


def test_a_counted_loop_with_bounds_that_are_arrays():
    f = ng.jit(lambda n, x: ng.fori_loop(2, n, lambda i, v: v * i.astype("float32"), x))
    assert float(f(ng.array(6, dtype="int64"), ng.array(1.0))) == 2 * 3 * 4 * 5
    assert float(f(ng.array(1, dtype="int64"), ng.array(1.0))) == 1


# bound graphs, MXNet's names --------------------------------------------------------------------


def test_a_loop_of_symbols_is_bound_like_any_graph():
    x, w = ng.var("x"), ng.var("w")
    outs, last = ng.sym.contrib.foreach(
        lambda part, h: ((n := ng.tanh(ng.dot(h, w) + part)), n), x, ng.var("h")
    )
    loss = ng.sum(outs * outs) + ng.sum(last)
    values = {"x": array(4, 3), "w": array(3, 3), "h": array(3)}
    exe = loss.bind(args=values, args_grad={k: ng.zeros_like(v) for k, v in values.items()})
    exe.forward(is_train=True)
    exe.backward()

    def total(x, w, h):
        last, outs = unrolled(lambda h, p: ((n := ng.tanh(ng.dot(h, w) + p)), n), h, x)
        return ng.sum(outs * outs) + ng.sum(last)

    wanted = ng.grad(total, (0, 1, 2))(*(values[k] for k in "xwh"))
    for name, slope in zip("xwh", wanted, strict=True):
        agree(exe.grad_dict[name], slope)


def test_a_loop_of_symbols_is_saved_and_loaded():
    x, h = ng.var("x", shape=(4, 3), dtype="float64"), ng.var("h", shape=(3,), dtype="float64")
    known = ng.array([1.0, 2.0, 3.0])

    def body(part, h):
        h = ng.cond(ng.sum(h) > 0, lambda h: ng.tanh(h * known), lambda h: h + part, h)
        return h, h

    outs, last = ng.sym.contrib.foreach(body, x, h)
    values = {"x": array(4, 3), "h": array(3)}
    loss = ng.sum(outs * outs) + ng.sum(last)
    again = ng.load_json(loss.tojson())
    assert again.node is loss.node  # equal bodies are one operator
    agree(again.eval(**values)[0], loss.eval(**values)[0])
    agree(pickle.loads(pickle.dumps(loss)).eval(**values)[0], loss.eval(**values)[0])


def test_mxnets_while_loop_and_cond():
    x = ng.array(1.0)
    outs, (last,) = ng.nd.contrib.while_loop(lambda v: v < 5, lambda v: (v * 10, [v * 2]), [x], 4)
    one = ng.reshape(x, (1,))  # a condition of one element, as MXNet's comparisons give it
    found, _ = ng.nd.contrib.while_loop(lambda v: v < 5, lambda v: (v * 10, [v * 2]), [one], 4)
    np.testing.assert_array_equal(found[:, 0].asnumpy(), outs.asnumpy())
    named = ng.nd.contrib.cond(one < 5, lambda: one, lambda: -one, name="c")
    assert named.tolist() == one.tolist()
    assert outs.asnumpy().tolist() == [10, 20, 40, 0] and float(last) == 8
    assert float(ng.nd.contrib.cond(x > 3, lambda: x, lambda: x * 7)) == 7


# branches ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [-1.0, 2.0])
def test_a_branch_gives_values_and_gradients_of_the_one_that_was_taken(value):
    w = array(3)

    def chosen(pred, x):
        return ng.cond(pred, lambda x: (ng.log(x) * w, x), lambda x: (ng.exp(x) + w, x * x), x)

    x = ng.array(value, dtype="float64")
    wanted = (ng.log(x) * w, x) if value > 0 else (ng.exp(x) + w, x * x)
    for _, found in worlds(lambda x: chosen(x > 0, x), x):
        agree(found, wanted)

    def total(x):
        a, b = chosen(x > 0, x)
        return (a * a).sum() + b

    plain = ng.grad(
        lambda x: (
            ((ng.log(x) * w) ** 2).sum() + x if value > 0 else ((ng.exp(x) + w) ** 2).sum() + x * x
        )
    )
    for _, found in worlds(ng.grad(total), x):
        agree(found, plain(x))  # no NaN of log(-1)
    agree(ng.jit(ng.grad(ng.grad(total)))(x), ng.grad(plain)(x))


def test_a_switch_clips_its_index():
    branches = [lambda x: x, lambda x: x * 2, lambda x: x * 3]
    f = ng.jit(lambda i, x: ng.switch(i, branches, x))
    x = ng.array(1.0)
    assert [float(f(ng.array(i, dtype="int32"), x)) for i in (-2, 0, 1, 2, 9)] == [1, 1, 2, 3, 3]


def test_a_branch_within_a_loop():
    xs = array(6)

    def total(xs):
        def body(c, x):
            return ng.cond(x > 0, lambda c: c * x, lambda c: c - x, c), None

        return ng.scan(body, ng.array(1.0, dtype="float64"), xs)[0]

    def plain(xs):
        c = 1.0
        for k in range(6):
            c = c * xs[k] if xs[k].item() > 0 else c - xs[k]
        return c

    agree(ng.jit(total)(xs), plain(xs))
    agree(ng.grad(total)(xs), ng.grad(plain)(xs))


# prefixes, maps ---------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 2, 5, 8])
@pytest.mark.parametrize("reverse", [False, True])
def test_an_associative_scan_gives_all_prefixes(size, reverse):
    x = array(2, size)
    found = ng.associative_scan(lambda a, b: a + b, x, reverse=reverse, axis=1)
    values = x.asnumpy()
    wanted = values[:, ::-1].cumsum(1)[:, ::-1] if reverse else values.cumsum(1)
    np.testing.assert_allclose(found.asnumpy(), wanted)
    wanted = ng.grad(lambda x: (ng.cumsum(x, axis=1) ** 2).sum())(x)
    found = ng.jit(ng.grad(lambda x: (ng.associative_scan(ng.add, x, axis=1) ** 2).sum()))(x)
    agree(found, wanted)


def test_a_map_applies_a_function_to_each_part():
    x = array(4, 3)
    for _, found in worlds(lambda x: ng.transforms.map(lambda r: (r.sum(), r * 2), x), x):
        agree(found, (x.sum(axis=1), x * 2))


# random draws ----------------------------------------------------------------------------------


@pytest.mark.parametrize("change", [lambda f: f, ng.jit], ids=["at once", "jit"])
def test_each_step_draws_anew(change):
    def f(x):
        return ng.scan(lambda c, x: (c, x + ng.random.normal(size=(8,))), 0.0, x)[1]

    f = change(f)
    ng.random.seed(3)
    a, b = f(ng.zeros(5)).asnumpy(), f(ng.zeros(5)).asnumpy()
    assert len(np.unique([a, b])) == a.size + b.size
    ng.random.seed(3)
    np.testing.assert_array_equal(f(ng.zeros(5)).asnumpy(), a)


def test_dropout_in_a_loop_has_the_gradient_of_what_was_left():
    def f(x):
        with ng.autograd.train_mode():
            return ng.scan(lambda c, x: (c, ng.dropout(x, 0.5) * 3), 0.0, x)[1]

    x = array(6, 50)
    value, pull = ng.vjp(f, x)
    kept = value.asnumpy() != 0
    assert 0.3 < kept.mean() < 0.7 and not (kept == kept[0]).all()
    np.testing.assert_array_equal(pull(ng.ones_like(value))[0].asnumpy(), np.where(kept, 6.0, 0.0))
    chosen = ng.cond(True, lambda x: ng.dropout(x, 0.5), lambda x: x, ng.ones(50))
    assert chosen.shape == (50,)


# random programs --------------------------------------------------------------------------------

STEPS = {
    "tanh": lambda h, x: ng.tanh(h + x),
    "product": lambda h, x: ng.matmul(W, h) * x,
    "mean": lambda h, x: h - h.mean() + x,
    "where": lambda h, x: ng.where(x > 0, h, x * h),
    "softmax": lambda h, x: ng.softmax(h) + x,
    "roll": lambda h, x: ng.roll(h, 1) * 0.5 + x,
}


@settings(max_examples=15, deadline=None)
@given(
    st.lists(st.sampled_from(sorted(STEPS)), min_size=1, max_size=4),
    st.integers(1, 5),
    st.booleans(),
)
def test_random_bodies_agree_with_unrolled_ones(names, length, reverse):
    def body(h, x):
        for name in names:
            h = STEPS[name](h, x)
        return h, h.sum()

    h, xs = array(3), array(length, 3)

    def total(run, h, xs):
        carry, ys = run(body, h, xs, reverse=reverse)
        return (carry * carry).sum() + (ys * ys).sum()

    found = ng.jit(ng.value_and_grad(lambda h, xs: total(ng.scan, h, xs), (0, 1)))(h, xs)
    agree(found, ng.value_and_grad(lambda h, xs: total(unrolled, h, xs), (0, 1))(h, xs), 1e-8)
