"""What optimizers keep, and what they refuse."""

import copy
import pickle

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.autograd.tape import TapeError
from nbgraph.errors import ArgumentError, DTypeError, FormatError, ShapeError
from nbgraph.optim import schedules as s
from tests.optim.samples import SHAPES, assert_same, cases, drawn, lifted, made, values


@cases
def test_states_resume_with_the_same_bits(name, options, tmp_path):
    """X-MAR-11: an optimizer that is given the states of another goes on as that would have."""
    start, grads = drawn(3, steps=6)
    params = lifted(start)
    opt = made(name, params, **options)
    for step in grads[:3]:
        opt.step(lifted(step))
    kept, weights = opt.state_dict(), values(params)
    opt.save(tmp_path / "states")
    for step in grads[3:]:
        opt.step(lifted(step))
    for way in ("dict", "file"):
        again = lifted(weights)
        other = made(name, again, lr=9.0, **options)
        other.load_state_dict(kept) if way == "dict" else other.load(tmp_path / "states")
        assert other.count == 3 and other.lr == 0.05
        for step in grads[3:]:
            other.step(lifted(step))
        assert_same(values(params), values(again))


@cases
def test_copies_go_on_by_themselves(name, options):
    """`copy.deepcopy` of an optimizer that has taken steps, with its parameters."""
    start, grads = drawn(3, steps=5)
    opt = made(name, lifted(start), **options)
    for step in grads[:3]:
        opt.step(lifted(step))
    other = copy.deepcopy(opt)
    for step in grads[3:]:
        opt.step(lifted(step))
    assert (opt.count, other.count) == (5, 3)
    for step in grads[3:]:
        other.step(lifted(step))
    assert_same(values(opt.parameters), values(other.parameters))


def test_pickles_go_on_with_rate_and_scale():
    scaler = ng.optim.LossScaler(4.0, window=2)
    opt = ng.optim.Adam({"w": ng.ones(3)}, 0.1, scaler=scaler)
    for _ in range(3):
        opt.step({"w": ng.array([1.0, 2.0, 3.0])})
    opt.lr = 0.5
    other = pickle.loads(pickle.dumps(opt))
    for each in (opt, other):
        each.step({"w": ng.array([1.0, 2.0, 3.0])})
    assert_same(values(opt.parameters), values(other.parameters))
    assert (other.count, other.lr, other.scaler.value) == (4, 0.5, scaler.value)


@pytest.mark.parametrize("schedule", [
    s.warmup(s.cosine(0.1, 100), 2), s.restarts(0.1, 2), s.one_cycle(0.1, 9), s.step(0.1, every=2),
    s.multifactor(0.1, [1, 3]), s.exponential(0.1, 0.5), s.inverse_root(0.1), s.linear(0.1, 3),
])  # fmt: skip
def test_pickles_keep_schedules(schedule):
    opt = ng.optim.Adam({"w": ng.ones(3)}, schedule)
    opt.step({"w": ng.ones(3)})
    other = pickle.loads(pickle.dumps(opt))
    assert [other.lr(n) for n in range(8)] == [schedule(n) for n in range(8)]
    assert other.count == 1


W = {"w": np.ones(3, "float32")}


@pytest.mark.parametrize(
    ("error", "match", "call"),
    [
        (ShapeError, r"SGD: the gradient of 'w' has shape \(2,\), the parameter \(3,\)",
         lambda o, p: o.step({"w": ng.ones(2)})),
        (ArgumentError, "SGD: grads has 'v', which is not a parameter; known are 'w'",
         lambda o, p: o.step({"v": ng.ones(3)})),
        (ArgumentError, "SGD: no parameter has a gradient; call attach_grad",
         lambda o, p: o.step()),
        (ArgumentError, "SGD: the gradient of 'w' is an ndarray; expected an NDArray",
         lambda o, p: o.step({"w": np.ones(3)})),
        (DTypeError, "SGD: the gradient of 'w' has dtype int64",
         lambda o, p: o.step({"w": ng.arange(3)})),
        (ArgumentError, "SGD: 2 gradients for 1 parameters", lambda o, p: o.step([None, None])),
        (ArgumentError, "SGD: the parameter 'k' is an int", lambda o, p: o.update("k", 1, 1)),
        (TapeError, "SGD: an array that gradients are collected for", "recording"),
        (ShapeError, "SGD: the parameter 'w' is float32.2., its states are of float32.3.",
         lambda o, p: (o.update("w", p["w"], p["w"]), o.update("w", ng.ones(2), ng.ones(2)))),
        (ValueError, "SGD: 'w' may not be written: 1 view", "lent"),
    ],
)  # fmt: skip
def test_what_a_step_refuses(error, match, call):
    """X-MAR-11: errors of a step name the optimizer, the parameter, and what was expected."""
    params = lifted(W)
    opt = ng.optim.SGD(params, 0.1)
    with pytest.raises(error, match=match):
        if call == "recording":
            params["w"].attach_grad()
            with ng.autograd.record():
                opt.step({"w": ng.ones(3)})
        elif call == "lent":
            opt.step({"w": ng.ones(3)})
            view = np.from_dlpack(params["w"])
            opt.step({"w": ng.ones(3)})
            del view
        else:
            call(opt, params)


@pytest.mark.parametrize(
    ("error", "match", "make"),
    [
        (ArgumentError, "SGD: params is an NDArray; expected a dict",
         lambda: ng.optim.SGD(ng.ones(3))),
        (DTypeError, "Adam: the parameter 'w' has dtype int64",
         lambda: ng.optim.Adam({"w": ng.arange(3)})),
        (ArgumentError, "Adam: beta2=1.0; expected a number from 0 and below 1",
         lambda: ng.optim.Adam(betas=(0.9, 1.0))),
        (ArgumentError, "SGD: clip_norm=0; expected a number above 0",
         lambda: ng.optim.SGD(clip_norm=0)),
        (ArgumentError, "SGD: weight_decay=-1", lambda: ng.optim.SGD(weight_decay=-1)),
        (ArgumentError, "SGD: nesterov with momentum=0.0", lambda: ng.optim.SGD(nesterov=True)),
        (ArgumentError, "SGD: lr='fast'",
         lambda: ng.optim.SGD(lifted(W), "fast").step(lifted(W))),
        (TypeError, "unexpected keyword argument 'moment'",
         lambda: ng.optim.SGD(moment=1)),
    ],
)  # fmt: skip
def test_what_an_optimizer_refuses(error, match, make):
    """X-MAR-11: options that make no sense are refused when they are given."""
    with pytest.raises(error, match=match):
        make()


def test_states_that_do_not_fit_are_refused_and_change_nothing():
    """X-MAR-11: another optimizer's states, unknown names, other shapes."""
    params = lifted(W)
    opt = ng.optim.Adam(params)
    opt.step(lifted(W))
    good = opt.state_dict()
    with pytest.raises(FormatError, match="SGD.load_state_dict: states of 'Adam' in format 1"):
        ng.optim.SGD(params).load_state_dict(good)
    other = ng.optim.Adam(lifted({"v": np.ones(3, "float32")}))
    with pytest.raises(ArgumentError, match="parameters has 'w'.*known are 'v'"):
        other.load_state_dict(good)
    with pytest.raises(ArgumentError, match="'w' has the states mean, square; expected largest"):
        ng.optim.Adam(params, amsgrad=True).load_state_dict(good)
    wrong = copy.deepcopy({k: v for k, v in good.items() if k != "parameters"})
    states = {"mean": ng.ones(2), "square": ng.ones(2)}
    wrong["parameters"] = {"w": {"count": 9, "done": 9, "states": states}}
    with pytest.raises(ShapeError, match=r"'mean' of 'w' has shape \(2,\)"):
        opt.load_state_dict(wrong)
    assert opt.count == 1
    assert_same(
        values(opt.state_dict()["parameters"]["w"]["states"]),
        values(good["parameters"]["w"]["states"]),
    )


def test_a_store_resumes_before_it_sees_its_weights():
    """X-KVS-02: states that were loaded wait for the keys they belong to."""
    start, grads = drawn(6, steps=2)
    params = lifted(start)
    store, later = ng.optim.Adam(lr=0.05), ng.optim.Adam(lr=0.05)
    for k, g in lifted(grads[0]).items():
        store.update(k, params[k], g)
    later.load_state_dict(store.state_dict())
    assert set(later.state_dict()["parameters"]) == set(SHAPES)
    again = lifted(values(params))
    for opt, weights in ((store, params), (later, again)):
        for k, g in lifted(grads[1]).items():
            opt.update(k, weights[k], g)
    assert_same(values(params), values(again))
