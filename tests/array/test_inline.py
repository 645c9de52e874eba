"""Arrays within functions that an engine runs: worked on at once, or refused."""

import random
import threading
import time

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.engine.thread import here

WAIT = 30


def run(fn, reads=(), writes=()):
    """What a pushed function gives that declares these arrays."""
    const, mutate = [a.variable for a in reads], [a.variable for a in writes]
    return ng.engine.push(lambda run_ctx: fn(), const_vars=const, mutate_vars=mutate).result(WAIT)


def test_a_write_within_a_function_comes_before_what_was_pushed_after_it(engine):
    x = ng.zeros(3)

    def job(run_ctx):
        time.sleep(0.02)
        x[:] = 7

    ng.engine.push(job, mutate_vars=[x.variable])
    assert (x + 1).tolist() == [8, 8, 8]


def add_in_place(x, w):
    x += w


def add_to_a_view(x, w):
    x[1:] += w[1:]


def write_elements(x, w):
    x[ng.array([0, 2])] = w[:2]


def write_a_row(x, w):
    x[0] = w[1]


def write_out(x, w):
    ng.add(x, w, out=x)


def copy_to(x, w):
    w.copyto(x)


def reduce_out(x, w):
    ng.cumsum(w, out=x)


def make_new_ones(x, w):
    x[:] = ng.exp(w) * 2 + ng.array([1.0, 2.0, 3.0]) + ng.ones(3) + ng.arange(3)


def look_at_values(x, w):
    assert x.shape == (3,) and repr(w).startswith("array(")
    x[:] = w.asnumpy() + float(x.sum()) + w[0].item()


def derive(x, w):
    z = w * 1
    z.attach_grad()
    with ng.autograd.record():
        loss = (z * z + ng.sin(z)).sum()
    loss.backward()
    x[:] = z.grad


def call_a_gradient(x, w):
    x[:] = ng.grad(lambda z: (z * z).sum())(w)


JITTED = ng.jit(lambda a: ng.exp(a) + a)


def call_a_traced_function(x, w):
    x[:] = JITTED(w)


def build_a_graph(x, w):
    graph = ng.ExpressionGraph()
    p = graph.param("p", (3,), init=w.asnumpy())
    loss = ng.sum(p * p)
    graph.backprop()
    x[:] = p.grad + loss.val


def take_a_step(x, w):
    params = {"a": w * 1, "b": w + 1}
    ng.optim.Adam(params, lr=0.5).step({"a": w, "b": w})
    x[:] = params["a"] + params["b"]


WORLDS = [
    *(add_in_place, add_to_a_view, write_elements, write_a_row, write_out, copy_to, reduce_out),
    *(make_new_ones, look_at_values, derive, call_a_gradient, call_a_traced_function),
    *(build_a_graph, take_a_step),
]


@pytest.mark.parametrize("work", WORLDS, ids=lambda fn: fn.__name__)
def test_what_a_function_declares_is_worked_on_at_once(engine, work):
    """Twice, so that ways learned outside are tried within as well; and as it is outside."""
    x, w = ng.array([4.0, 5.0, 6.0]), ng.array([1.0, 2.0, 3.0])
    expected = ng.array([4.0, 5.0, 6.0])
    for _ in range(2):
        work(expected, w)
        y = run(lambda: (work(x, w), x.asnumpy())[1], [w], [x])
        np.testing.assert_array_equal(y, expected.asnumpy())
        np.testing.assert_array_equal(x.asnumpy(), expected.asnumpy())


@pytest.mark.parametrize("draw", [ng.random.normal, ng.random.permutation, ng.random.randint])
def test_draws_within_a_function_are_those_outside(engine, draw):
    x = ng.zeros(4, dtype="int64") if draw is not ng.random.normal else ng.zeros(4)
    how = {} if draw is ng.random.permutation else {"size": 4}
    lot = () if draw is ng.random.normal else (4,)
    ng.random.seed(3)
    expected = draw(*lot, **how).tolist()
    ng.random.seed(3)

    def job():
        x[:] = draw(*lot, **how)

    run(job, writes=[x])
    assert x.tolist() == expected


@pytest.mark.parametrize("work", [add_in_place, write_a_row, copy_to, write_elements, derive])
def test_what_a_function_does_not_declare_is_refused(engine, work):
    x, w = ng.zeros(3), ng.ones(3)
    work(ng.zeros(3), w)
    for reads, writes, argument in [([w], [], "mutate_vars"), ([], [x], "const_vars")]:

        def job(argument=argument):
            with pytest.raises(ng.EngineError, match=f"does not declare .*{argument}"):
                work(x, w)

        run(job, reads, writes)
    assert (x.tolist(), w.tolist()) == ([0, 0, 0], [1, 1, 1])


def test_what_a_function_only_reads_is_not_written(engine):
    x = ng.zeros(3)
    with pytest.raises(ng.EngineError, match="declares .* in its const_vars.*name it in mutate"):
        run(lambda: add_in_place(x, x), [x])
    assert x.tolist() == [0, 0, 0]


def test_a_bound_graph_is_refused_within_a_function(engine):
    exe = ng.sum(ng.var("x") ** 2).simple_bind(x=(2,))
    for call in (exe.forward, lambda: exe.forward(is_train=True), exe.forward_backward):
        with pytest.raises(ng.EngineError, match="a compiled graph is an operation of its own"):
            run(call)


@pytest.mark.parametrize("work", [add_in_place, make_new_ones, lambda x, w: x.to(ng.cpu())])
def test_arrays_on_a_device_are_refused_within_a_function(engine, work):
    device = ng.gpu(0)
    x, w = ng.zeros(3, device=device), ng.ones(3, device=device)

    def job():
        with pytest.raises(ng.EngineError, match="cannot be worked on within a function"):
            work(x, w)

    run(job, [w], [x])


class OnArrays(ng.Operator):
    """Computes with arrays of its own, in a step of a plan."""

    def forward(self, ctx, in_data, req, out_data, aux_states):
        self.assign(out_data[0], req[0], (ng.exp(ng.array(in_data[0])) + 1).asnumpy())


@ng.register_operator("on_arrays")
class OnArraysProperty(ng.OperatorProperty):
    def infer_shape(self, in_shapes, out_shapes, aux_shapes):
        return in_shapes, in_shapes, []

    def create_operator(self, ctx, in_shapes, in_dtypes):
        return OnArrays()


def test_an_operator_of_ones_own_may_compute_with_arrays(engine):
    assert ng.on_arrays(ng.zeros(2)).tolist() == [2, 2]
    exe = ng.sym.on_arrays(ng.var("x")).simple_bind(grad_req="null", x=(2,))
    assert exe.forward(x=np.zeros(2))[0].tolist() == [2, 2]


def test_a_function_that_has_said_it_ended_has_nothing_any_more(engine):
    x, seen = ng.zeros(2), []

    def job(run_ctx, on_complete):
        x[:] = 1
        on_complete()
        try:
            x[:] = 2
        except ng.EngineError as error:
            seen.append(error)

    ng.engine.push_async(job, mutate_vars=[x.variable])
    assert (x + 1).tolist() == [2, 2]
    ng.engine.wait_for_all(WAIT)
    assert "does not declare" in str(seen[0])


def test_what_fails_within_a_function_is_raised_there(engine):
    x = ng.arange(3)

    def job():
        with pytest.raises(IndexError, match="take"):
            ng.take(x, ng.array([7]))
        return x.tolist()

    assert run(job, [x]) == [0, 1, 2]


def test_a_nested_push_comes_after_the_function(engine):
    """It is ordered by the function's variables, whose work is all done by then."""
    x = ng.zeros(2)

    def job():
        ng.engine.push(lambda run_ctx: add_in_place(x, x), mutate_vars=[x.variable])
        if ng.engine.current().kind != "naive":
            x[:] = 5

    x[:] = 5
    run(job, writes=[x])
    assert x.tolist() == [10, 10]


def test_memory_of_the_function_that_something_pushed_uses_is_refused(threads):
    """What would come before a push that is on its way cannot be done."""
    go, kept = threading.Event(), []

    def job():
        y = ng.ones(3)
        kept.append(ng.engine.push(lambda run_ctx: go.wait(WAIT), const_vars=[y.variable]))
        y += 1

    try:
        with pytest.raises(ng.EngineError, match="what it pushed uses .* and has not ended"):
            run(job)
    finally:
        go.set()
    kept[0].result(WAIT)


def test_what_a_function_makes_is_there_for_others(engine):
    results = []
    run(lambda: results.append(ng.exp(ng.zeros(3)) + 1))
    assert (results[0] * 2).tolist() == [4, 4, 4]
    assert here.running is None


# random programs --------------------------------------------------------------------------------


def _step(rng, arrays, reads, writes):
    """Something on arrays of which the last are written, as a function of NumPy's or ours."""
    a, b = rng.choice(reads + writes), rng.choice(reads + writes)
    out, number = rng.choice(writes), rng.randrange(1, 4)
    return rng.choice(
        [
            lambda on, xp: on[out].__setitem__(slice(1, None), on[a][1:] + number),
            lambda on, xp: on[out].__iadd__(on[a] % 5),
            lambda on, xp: on[out].__setitem__(slice(None), number),
            lambda on, xp: xp.multiply(on[a] % 7, on[b] % 3, out=on[out]),
            lambda on, xp: on[out].__setitem__(slice(None), (on[a] % 9).sum() + on[b]),
            lambda on, xp: on[out].__setitem__(0, xp.minimum(on[a], on[b] + 1)[-1]),
        ]
    )


def _program(seed, arrays=4, jobs=12):
    """Jobs that write some arrays and read some, and single operations between them."""
    rng = random.Random(seed)
    for _ in range(jobs):
        names = rng.sample(range(arrays), arrays)
        cut = rng.randrange(1, arrays)
        writes, reads = names[:cut], names[cut : rng.randrange(cut, arrays + 1)]
        steps = [_step(rng, arrays, reads, writes) for _ in range(rng.randrange(1, 5))]
        yield reads, writes, steps, rng.random() < 0.7


@pytest.mark.parametrize("seed", range(12))
def test_random_programs_give_what_they_give_one_after_another(engine, seed):
    """Jobs that read and write what they declared, among operations pushed from outside."""
    size = random.Random(seed).choice([3, 300])
    expected = [np.arange(size) + k for k in range(4)]
    ours = [ng.array(a) for a in expected]
    for reads, writes, steps, inside in _program(seed):
        for step in steps:
            step(expected, np)

        def job(run_ctx=None, steps=steps):
            for step in steps:
                step(ours, ng)

        if inside:
            variables = [[ours[k].variable for k in names] for names in (reads, writes)]
            ng.engine.push(job, const_vars=variables[0], mutate_vars=variables[1])
        else:
            job()
    for mine, theirs in zip(ours, expected, strict=True):
        np.testing.assert_array_equal(mine.asnumpy(), theirs)
