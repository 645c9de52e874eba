"""Steps of training as one plan: the bits of gradients and update apart."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.engine.native_call import NativeCall
from nbgraph.errors import ArgumentError
from nbgraph.nn.metrics import accuracy
from nbgraph.nn.metrics.meter import stacked
from nbgraph.optim import training

CASES = [
    ("SGD", {"momentum": 0.9}),
    ("NAG", {"momentum": 0.9}),
    ("Adam", {}),
    ("AdamW", {"clip_norm": 0.1, "weight_decay": 0.1}),
    ("LAMB", {}),
    ("RMSProp", {"lr_mult": {"b": 0.5}}),
    ("SGLD", {}),
    ("Adam", {"joint": False}),
]
RANDOM = np.random.default_rng(0)
X, W, B = (RANDOM.normal(size=s).astype("float32") for s in ((8, 5), (3, 5), (3,)))


def value(p, x):
    """A loss and what it is made of."""
    out = ng.tanh(ng.fully_connected(x, p["w"], p["b"]))
    return ng.mean(ng.square(out - 0.3)), out


def made(name, options):
    """Parameters and their optimizer."""
    params = {"w": ng.array(W), "b": ng.array(B)}
    return params, getattr(ng.optim, name)(params, 0.1, **options)


def batches():
    """Batches of two sizes, so that two programs share the optimizer."""
    return [ng.array(X[: 8 - 3 * (k % 2)] + k / 10) for k in range(6)]


@pytest.mark.parametrize(("name", "options"), CASES)
def test_step_has_the_bits_of_its_parts(name, options):
    """OPR-09, MXP-01: forward, backward and update in one plan, for every kind of optimizer."""
    ng.random.seed(0)
    params, opt = made(name, options)
    step = ng.optim.train_step(value, opt, has_aux=True)
    ours = [step(x) for x in batches()]
    ng.random.seed(0)
    others, other = made(name, options)
    both = ng.jit(ng.value_and_grad(value, has_aux=True))
    for x, (loss, out) in zip(batches(), ours, strict=True):
        (wanted, aux), grads = both(others, x)
        other.step(grads)
        np.testing.assert_array_equal(loss.asnumpy(), wanted.asnumpy())
        np.testing.assert_array_equal(out.asnumpy(), aux.asnumpy())
    for key, weight in params.items():
        np.testing.assert_array_equal(weight.asnumpy(), others[key].asnumpy())
    assert opt.count == other.count == 6


@pytest.mark.parametrize(("name", "options"), CASES)
def test_executor_has_the_bits_of_its_parts(name, options):
    """The same of a bound symbol; gradients are there to be looked at."""
    results = []
    for together in (True, False):
        ng.random.seed(0)
        v = {"w": ng.var("w", shape=W.shape), "b": ng.var("b", shape=B.shape)}
        symbol = value(v, ng.var("x", shape=X.shape))[0]
        exe = symbol.simple_bind(ng.cpu(), grad_req={"x": "null", "w": "write", "b": "write"})
        exe.copy_params_from({"w": W, "b": B})
        opt = getattr(ng.optim, name)({k: exe.arg_dict[k] for k in v}, 0.1, **options)
        found = []
        for k in range(4):
            if together:
                found.append(exe.train_step(opt, x=X + k)[0].asnumpy())
            else:
                found.append(exe.forward_backward(x=X + k)[0].asnumpy())
                opt.step({key: exe.grad_dict[key] for key in v})
        kept = [exe.arg_dict["w"], exe.arg_dict["b"], exe.grad_dict["w"]]
        results.append([*found, *(a.asnumpy() for a in kept)])
    for ours, wanted in zip(*results, strict=True):
        np.testing.assert_array_equal(ours, wanted)


def test_steps_are_pickled_with_their_optimizer():
    params, opt = made("Adam", {})
    step = ng.optim.train_step(value, opt, has_aux=True)
    step(ng.array(X))
    other = pickle.loads(pickle.dumps(step))
    for _ in range(3):
        assert step(ng.array(X))[0] == other(ng.array(X))[0]
    np.testing.assert_array_equal(other.optimizer.parameters["w"], params["w"])


def test_it_is_one_push():
    """The update's kernels are steps of the plan that computes the gradients."""
    params, opt = made("Adam", {})
    step = ng.optim.train_step(value, opt, has_aux=True)
    step(ng.array(X))
    with ng.profile() as seen:
        step(ng.array(X))
        ng.waitall()
    names = {row["operation"] for row in seen.to_dict()["operations"]}
    assert any("train_step of" in name for name in names)
    assert not any("Adam" in name for name in names)  # what a push of its own is called
    assert params["w"].shape == W.shape


def test_what_is_brought_may_lie_anywhere():
    """One array twice, a parameter among the inputs, a view: done in parts, the same values."""
    params, opt = made("SGD", {})

    def product(p, x, y):
        return (ng.fully_connected(x, p["w"], p["b"]) * ng.sum(y)).sum()

    step = ng.optim.train_step(product, opt)
    x = ng.array(X)
    wanted = float(product({k: v.asnumpy() for k, v in params.items()}, X, X))
    assert float(step(x, x)) == pytest.approx(wanted, rel=1e-5)
    before = {k: v.asnumpy() for k, v in params.items()}
    assert float(step(x, params["b"])) == pytest.approx(
        float(product(before, X, before["b"])), rel=1e-5
    )
    before = {k: v.asnumpy() for k, v in params.items()}
    assert float(step(x[::2], x)) == pytest.approx(float(product(before, X[::2], X)), rel=1e-5)


def test_results_are_not_written_over():
    """What a step gave stays as it was, gradients among the results too."""
    params, opt = made("SGD", {})
    step = ng.optim.train_step(value, opt, has_aux=True)
    first, out = step(ng.array(X))
    kept = first.asnumpy(), out.asnumpy()
    step(ng.array(X))
    np.testing.assert_array_equal(first.asnumpy(), kept[0])
    np.testing.assert_array_equal(out.asnumpy(), kept[1])
    assert params["w"].asnumpy().any()


def test_numbers_move_between_runs():
    """A schedule's rate is a word of the push: no program is made for it."""
    params, opt = made("SGD", {})
    opt.lr = ng.optim.schedules.exponential(0.1, 0.5)
    step = ng.optim.train_step(value, opt, has_aux=True)
    x = ng.array(X)
    step(x)
    (trained,) = [each for each in step._known.values() if each is not None]
    program = trained._program
    before = params["b"].asnumpy()
    step(x)
    assert trained._program is program
    opt.lr = 0.0
    between = params["b"].asnumpy()
    step(x)
    assert (before != between).any()
    np.testing.assert_array_equal(params["b"].asnumpy(), between)


def test_a_scaler_is_done_in_parts():
    """Steps that may be skipped are not a part of a plan; the value is scaled by whoever
    made it."""
    params = {"w": ng.array(W), "b": ng.array(B)}
    opt = ng.optim.SGD(params, 0.1, scaler=ng.optim.LossScaler(4.0))
    step = ng.optim.train_step(lambda p, x: value(p, x)[0] * 4.0, opt)
    step(ng.array(X))
    assert opt.count == 1
    assert isinstance(step, training.TrainStep)


def test_an_optimizer_of_other_arrays_is_refused():
    """The error names the parameter and what the executor has."""
    exe = ng.sum(ng.var("x") ** 2).simple_bind(x=(2,))
    with pytest.raises(ArgumentError, match=r"train_step: SGD has the parameter 'w'.*: x"):
        exe.train_step(ng.optim.SGD({"w": ng.ones(2)}, 0.1))


@pytest.mark.parametrize("shape", [(8, 6), (8, 3, 6), (8, 3, 5, 5)])
def test_a_step_with_batch_norm_runs_no_python(shape):
    """Statistics, moving averages and their gradients are kernels of the plan, which takes the mode
    of the call; the moving averages are those of the operator."""
    data = np.random.default_rng(3).normal(size=shape).astype("float32")
    x, y = ng.array(data), ng.array(np.arange(8) % 3)
    norm = ng.nn.BatchNorm(shape[1])
    model = ng.nn.Sequential(norm, ng.relu, ng.nn.Flatten(), ng.nn.Dense(3))
    model(x)

    def value(model, x, y):
        return ng.mean(ng.cross_entropy(model(x), y))

    step = ng.optim.train_step(value, ng.optim.Adam(model, 0.1))
    states = np.zeros(shape[1], "float32"), np.ones(shape[1], "float32")
    for trains in (True, False, True):
        with ng.autograd.train_mode() if trains else ng.autograd.predict_mode():
            step(x, y)
            ng.batch_norm(data, None, None, *states)
        np.testing.assert_allclose(norm.moving_mean.asnumpy(), states[0], rtol=1e-5, atol=1e-7)
        np.testing.assert_allclose(norm.moving_variance.asnumpy(), states[1], rtol=1e-5)
    for trained in step._known.values():
        assert not trained._program.stateful
        assert all(isinstance(s.run, NativeCall) for s in trained._program.plan.steps)


def test_parameters_from_outside_are_refused():
    """They are constants there: gradients would be 0, and nothing would be learnt."""
    net, x = ng.nn.Dense(1, in_features=3), ng.ones((2, 3))
    step = ng.optim.train_step(lambda p, x: net(x).sum(), ng.optim.SGD(net.parameters(), lr=0.5))
    with pytest.raises(ArgumentError, match=r"reads 'weight', 'bias' from outside.*SGD\(model\)"):
        step(x)
    step = ng.optim.train_step(lambda net, x: net(x).sum(), ng.optim.SGD(net, lr=0.5))
    assert float(step(x)) > float(step(x))


def test_a_step_of_fit_runs_no_python():
    """Loss, metrics, gradients and update are kernels of one plan."""
    model = ng.nn.Dense(3, in_features=4)
    opt = ng.optim.Adam(model, 0.1)

    def value(model, x, y):
        out = model(x)
        loss = ng.mean(ng.cross_entropy(out, y))
        return loss, stacked([ng.astype(v, "float64") for v in (loss, accuracy(out, y).mean())])

    step = ng.optim.train_step(value, opt, has_aux=True)
    x, y = ng.ones((5, 4)), ng.array(np.array([0, 1, 2, 0, 1]))
    loss, row = step(x, y)
    (trained,) = step._known.values()
    assert not trained._program.stateful
    assert row.asnumpy()[0] == loss.item()
