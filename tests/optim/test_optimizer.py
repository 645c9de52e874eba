"""Optimizers: formulas, engines, ways to run, parameters of every kind."""

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import ArgumentError
from tests.optim import references
from tests.optim.samples import assert_same, cases, drawn, lifted, made, values


@cases
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_fifty_steps_agree_with_the_paper(name, options, dtype):
    """X-MAR-11: fifty steps of every optimizer equal its formula in float64, step by step."""
    start, grads = drawn(1, dtype, 50)
    params = lifted(start)
    opt = made(name, params, **options)
    expected = {k: getattr(references, name)(0.05, **options) for k in start}
    weights = {k: v.astype("float64") for k, v in start.items()}
    tolerance = {"float32": 3e-4, "float64": 1e-10}[dtype]
    for step in grads:
        opt.step(lifted(step))
        for k in list(weights):
            if name in ("Signum", "Lion"):  # a sign near 0 may be the other one in float32
                before = weights[k]
                weights[k] = expected[k].step(before, step[k])
                np.testing.assert_allclose(
                    np.abs(params[k].asnumpy() - weights[k]) < 1e-3, True, err_msg=k
                )
                continue
            weights[k] = expected[k].step(weights[k], step[k])
            np.testing.assert_allclose(
                params[k].asnumpy(), weights[k], rtol=tolerance, atol=tolerance, err_msg=k
            )


@cases
def test_engines_and_ways_to_run_give_the_same_bits(name, options, engine):
    """X-MAR-11: one push or one for each kernel, on every engine: the same bits."""
    start, grads = drawn(2, steps=4)
    params, others = lifted(start), lifted(start)
    joint, single = made(name, params, **options), made(name, others, joint=False, **options)
    more = {"clip_norm": 0.5, "clip_value": 0.4, "rescale": 0.5}
    thirds, fourths = lifted(start), lifted(start)
    clipped = made(name, thirds, **more, **options)
    lone = made(name, fourths, joint=False, **more, **options)
    for step in grads:
        for opt in (joint, single, clipped, lone):
            opt.step(lifted(step))
    assert_same(values(params), values(others))
    assert_same(values(thirds), values(fourths))


@pytest.mark.parametrize("name", ["SGD", "Adam", "LAMB"])
def test_the_operators_text_gives_what_kernels_do(name):
    """X-MAR-11: with compiler="python" a step runs the rule's text element by element."""
    start, grads = drawn(4, steps=2)
    start, grads = [{k: v for k, v in d.items() if k != "long"} for d in (start, *grads)][:2], grads
    params, others = lifted(start[0]), lifted(start[0])
    for way, weights in (("llvm", params), ("python", others)):
        opt = made(name, weights, clip_norm=1.0)
        for step in grads:
            given = {k: step[k] for k in weights}
            if way == "python":
                with ng.config(compiler="python"):
                    opt.step(lifted(given))
            else:
                opt.step(lifted(given))
    for k in params:
        np.testing.assert_allclose(values(params)[k], values(others)[k], rtol=1e-5, atol=1e-6)


def test_gradients_of_backward_are_taken():
    """X-MAR-11: without arguments a step takes `.grad`, and leaves out what has none."""
    w, frozen = ng.array([1.0, 2.0]), ng.array([5.0])
    w.attach_grad()
    opt = ng.optim.SGD({"w": w, "frozen": frozen}, 0.5)
    with ng.autograd.record():
        loss = (w * w).sum()
    loss.backward()
    opt.step()
    np.testing.assert_array_equal(w.asnumpy(), [0.0, 0.0])
    np.testing.assert_array_equal(frozen.asnumpy(), [5.0])
    opt.zero_grad()
    np.testing.assert_array_equal(w.grad.asnumpy(), [0.0, 0.0])


def test_an_executors_arrays_are_parameters():
    """X-MAR-11: a bound graph trains: its arguments are the parameters, its gradients theirs."""
    x, w = ng.var("x"), ng.var("w")
    loss = ng.sum(ng.square(w * x - 3.0))
    exe = loss.simple_bind(x=(4,), w=(4,), grad_req={"x": "null", "w": "write"})
    exe.arg_dict["x"][:] = 1.0
    exe.arg_dict["w"][:] = 0.0
    opt = ng.optim.Adam({"w": exe.arg_dict["w"]}, 0.1)
    for _ in range(200):
        exe.forward_backward()
        opt.step({"w": exe.grad_dict["w"]})
    np.testing.assert_allclose(exe.arg_dict["w"].asnumpy(), 3.0, atol=1e-2)


def test_functional_gradients_have_the_parameters_form():
    """X-MAR-11: what `value_and_grad` gives for an object with parameters is what `step` takes."""

    class Line:
        def __init__(self):
            self.w = ng.array([1.0, 1.0])

        def parameters(self):
            return {"w": self.w}

    line, x = Line(), ng.array([1.0, 2.0])
    opt = ng.optim.SGD(line, 0.1)
    _, grads = ng.value_and_grad(lambda m: (m.w * x).sum())(line)
    opt.step(grads)
    np.testing.assert_allclose(line.w.asnumpy(), [0.9, 0.8], rtol=1e-6)
    line.w = ng.array([5.0, 5.0])  # another array under the same name
    opt.step(grads)
    np.testing.assert_allclose(line.w.asnumpy(), [4.9, 4.8], rtol=1e-6)


def test_lists_are_parameters():
    """X-MAR-11: parameters in a list are named by their places; None is not a gradient."""
    a, b = ng.array([1.0]), ng.array([1.0])
    opt = ng.optim.SGD([a, b], 0.5)
    opt.step([ng.array([1.0]), None])
    assert (a.item(), b.item()) == (0.5, 1.0)


def test_keys_are_updated_one_by_one():
    """X-KVS-02: `update(key, weight, grad)` keeps states and counts by key, as stores need it."""
    start, grads = drawn(5, steps=5)
    whole, single = lifted(start), lifted(start)
    opt, store = made("Adam", whole), ng.optim.Adam(lr=0.05)
    for i, step in enumerate(grads):
        step = {k: step[k] for k in list(step)[: 5 - i]}  # fewer and fewer
        opt.step(lifted(step))
        for k, g in lifted(step).items():
            store.update(k, single[k], g)
    assert_same(values(whole), values(single))
    assert opt.count == store.count == 5


def test_a_late_parameter_has_a_count_of_its_own():
    """X-MAR-11: corrections of Adam count the steps of each parameter."""
    a, b = ng.array([1.0]), ng.array([1.0])
    opt = ng.optim.Adam({"a": a, "b": b}, 0.1)
    g = ng.array([0.5])
    for _ in range(5):
        opt.step({"a": g})
    opt.step({"a": g, "b": g})
    np.testing.assert_allclose(b.item(), 0.9, rtol=1e-6)  # a first step goes by the whole rate


def test_multipliers_by_name():
    """X-KVS-02: rates and decays have a factor for each parameter; 0 freezes it."""
    params = lifted({k: np.ones(3, "float32") for k in "abc"})
    opt = ng.optim.SGD(
        params,
        0.1,
        weight_decay=1.0,
        lr_mult={"a": 0.0, "b": 2.0},
        wd_mult=lambda name: 0.0 if name == "c" else 1.0,
    )
    opt.step(lifted({k: np.zeros(3, "float32") for k in "abc"}))
    assert [float(v[0]) for v in params.values()] == pytest.approx([1.0, 0.8, 1.0])
    with pytest.raises(ArgumentError, match="lr_mult has 'aa'.*did you mean 'a'"):
        ng.optim.SGD(params, lr_mult={"aa": 1.0})
    with pytest.raises(ArgumentError, match="wd_mult of 'a' is 'no'"):
        ng.optim.SGD(params, wd_mult={"a": "no"}).step(params)


def test_schedules_give_rates_by_the_number_of_the_step():
    """X-MAR-11: a function as `lr` is asked for each step's rate."""
    w, asked = ng.array([0.0]), []
    opt = ng.optim.SGD({"w": w}, lambda n: asked.append(n) or 10.0**n)
    for _ in range(3):
        opt.step({"w": ng.array([-1.0])})
    assert w.item() == 111.0 and asked == [0, 1, 2]
    assert opt.rate == 1000.0
    opt.lr = 0.5
    opt.step({"w": ng.array([1.0])})
    assert w.item() == 110.5


def test_schedules_go_by_the_steps_of_the_optimizer():
    """X-MAR-11: a parameter that had no gradient for some steps has the rate of the others, as in
    MXNet; the means of its gradients count its own steps."""
    params = {"a": ng.array([0.0]), "b": ng.array([0.0])}
    opt = ng.optim.SGD(params, lambda n: 10.0**n)
    for keys in ("a", "a", "ab"):
        opt.step({key: ng.array([-1.0]) for key in keys})
    assert [p.item() for p in params.values()] == [111.0, 100.0]
    assert opt.rate == 1000.0
    for key in "ab":  # as a store of parameters does
        opt.update(key, params[key], ng.array([-1.0]))
    assert [p.item() for p in params.values()] == [1111.0, 1100.0]


def test_masters_of_16_bits(tmp_path):
    """X-MAR-11: weights of 16 bits follow a master in float32, which steps of any size move."""
    dtypes = [np.dtype("float16"), np.asarray(ng.zeros(1, dtype="bfloat16")).dtype]
    for dtype in dtypes:
        w = ng.ones(4, dtype=dtype)
        wide = ng.ones(4, dtype="float32")
        opt, other = ng.optim.Adam({"w": w}, 1e-4), ng.optim.Adam({"w": wide}, 1e-4)
        for i in range(20):
            grad = ng.full(4, 0.5 + i, dtype=dtype)
            opt.step({"w": grad})
            other.step({"w": grad.astype("float32")})
        assert_same({"w": w.asnumpy()}, {"w": wide.asnumpy().astype(dtype)})
        assert (w.asnumpy() != 1).all()
        opt.save(tmp_path / "states")
        again = ng.array(w.asnumpy())
        later = ng.optim.Adam({"w": again}, 1e-4)
        later.load(tmp_path / "states")
        for each, weight in ((opt, w), (later, again)):
            each.step({"w": ng.ones(4, dtype=dtype)})
            assert weight.dtype == dtype
        assert_same({"w": w.asnumpy()}, {"w": again.asnumpy()})


def test_masters_follow_weights_that_others_write():
    """X-MAR-11: a weight that was written by hand is where the next step begins."""
    w = ng.ones(3, dtype="float16")
    opt = ng.optim.SGD({"w": w}, 0.5)
    opt.step({"w": ng.ones(3, dtype="float16")})
    w[:] = 8.0
    opt.step({"w": ng.ones(3, dtype="float16")})
    np.testing.assert_array_equal(w.asnumpy(), 7.5)


def test_without_masters_states_have_16_bits():
    """X-MAR-11: multi_precision=False keeps everything in the weight's dtype."""
    w = ng.ones(3, dtype="float16")
    opt = ng.optim.Adam({"w": w}, 0.25, multi_precision=False)
    opt.step({"w": ng.ones(3, dtype="float16")})
    states = opt.state_dict()["parameters"]["w"]["states"]
    assert {name: str(a.dtype) for name, a in states.items()} == dict.fromkeys(
        ("mean", "square"), "float16"
    )
    np.testing.assert_allclose(w.asnumpy(), 0.75, rtol=1e-3)


def test_views_are_parameters():
    """X-MAR-11: a parameter may be a strided view; only its elements change, in the base."""
    base = ng.zeros((4, 6))
    opt = ng.optim.Adam({"v": base[::2, 1:5:3]}, 0.1)
    opt.step({"v": ng.ones((2, 2))})
    expected = np.zeros((4, 6), "float32")
    expected[::2, 1:5:3] = -0.1
    np.testing.assert_allclose(base.asnumpy(), expected, rtol=1e-6)


def test_a_gradient_in_the_memory_of_its_parameter():
    """X-MAR-11: a gradient that overlaps the parameter is read as it was before the step."""
    both = ng.arange(6, dtype="float32")
    ng.optim.SGD({"w": both[1:5]}, 1.0).step({"w": both[0:4]})
    np.testing.assert_array_equal(both.asnumpy(), [0, 1, 1, 1, 1, 5])


def test_one_gradient_for_two_parameters():
    """X-MAR-11: parameters may share a gradient array."""
    params, g = [ng.ones(3), ng.ones(3)], ng.ones(3)
    opt = ng.optim.SGD(params, 0.5)
    opt.step([g, g])
    assert all((p.asnumpy() == 0.5).all() for p in params)


def test_steps_are_ordered_with_what_reads_the_weights(threads):
    """X-MAR-11: a step is asynchronous, and ordered with the operators before and after it."""
    w = ng.zeros(2000)
    opt, seen = ng.optim.SGD({"w": w}, 1.0), []
    for _ in range(20):
        seen.append(w + 0.0)
        opt.step({"w": w * 0.0 - 1.0})
    assert [float(s[7]) for s in seen] == list(range(20))


def test_noise_of_sgld_is_seeded():
    """X-MAR-11: SGLD adds noise of variance lr, the same for equal seeds."""
    results = []
    for _ in range(2):
        ng.random.seed(5)
        w = ng.zeros(20000)
        ng.optim.SGLD({"w": w}, 0.25).step({"w": ng.full(20000, 4.0)})
        results.append(w.asnumpy())
    np.testing.assert_array_equal(*results)
    assert abs(results[0].mean() + 0.5) < 0.02 and abs(results[0].std() - 0.5) < 0.02


def test_failures_of_gradients_reach_the_weights():
    """X-MAR-11: a gradient that could not be computed leaves its error on the parameter."""
    w, g = ng.ones(3), ng.ones(3)

    def fail(run_ctx):
        raise RuntimeError("no gradient today")

    ng.engine.push(fail, mutate_vars=[g.variable])
    ng.optim.SGD({"w": w}).step({"w": g})
    with pytest.raises(RuntimeError, match="no gradient today"):
        w.asnumpy()


def test_a_step_is_no_part_of_a_traced_function():
    """X-MAR-11: within ng.jit a step is refused, not traced."""
    w = ng.ones(3)
    opt = ng.optim.SGD({"w": w})

    @ng.jit
    def train(x):
        opt.step({"w": x})
        return x

    with pytest.raises(Exception, match=r"SGD\.step"):
        train(ng.ones(3))
