"""Losses scaled for float16: steps that are skipped, a scale that follows."""

import math

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import ArgumentError
from tests.optim.references import CASES

BAD = [math.inf, -math.inf, math.nan]


def run(name, options, grads, scaler=None, dtype="float32"):
    """Weights after steps with these gradients, multiplied by the scale if there is one."""
    params = {"w": ng.full((40,), 1.5, dtype=dtype), "v": ng.ones((2, 3), dtype=dtype)}
    opt = getattr(ng.optim, name)(params, 0.125, scaler=scaler, **options)
    for g, h in grads:
        given = {"w": ng.full((40,), g, dtype=dtype), "v": ng.full((2, 3), h, dtype=dtype)}
        opt.step({k: scaler.scale(v) for k, v in given.items()} if scaler else given)
    return {k: v.asnumpy() for k, v in params.items()}, opt


@pytest.mark.parametrize(("name", "options"), CASES, ids=[f"{n}-{'-'.join(o)}" for n, o in CASES])
def test_skipped_steps_leave_no_trace(name, options):
    """X-MAR-11: a run with skipped steps ends with the weights and states of one without."""
    good = [(0.5, -0.25), (0.125, 0.75), (-1.0, 0.5)]
    bad = [good[0], (math.inf, 0.5), good[1], (0.5, math.nan), (-math.inf, 1.0), good[2]]
    scaler = ng.optim.LossScaler(8.0, window=1000)
    found, opt = run(name, options, bad, scaler)
    expected, plain = run(name, options, good)
    assert scaler.skipped == 3 and scaler.value == 1.0
    for k in found:
        np.testing.assert_allclose(found[k], expected[k], rtol=1e-6, err_msg=k)
    states, others = (o.state_dict()["parameters"]["w"] for o in (opt, plain))
    assert (states["count"], states["done"], others["done"]) == (6, 3, 3)
    for k, v in states["states"].items():
        np.testing.assert_allclose(v.asnumpy(), others["states"][k].asnumpy(), rtol=1e-6)


def test_the_scale_follows(engine):
    """X-MAR-11: divided by the factor after a bad step, multiplied after a window of good ones."""
    scaler = ng.optim.LossScaler(4.0, factor=4.0, window=2, least=0.5)
    seen = []
    for finite in (True, True, False, True, False, False, False, True, True, True):
        scaler.update(finite)
        seen.append(scaler.value)
    assert seen == [4.0, 16.0, 4.0, 4.0, 1.0, 0.5, 0.5, 0.5, 2.0, 2.0]
    assert scaler.skipped == 4


def test_float16_gradients_survive(engine):
    """X-MAR-11: a gradient that float16 has no number for moves the weight, once it is scaled."""
    results = {}
    for label, scaler in (("plain", None), ("scaled", ng.optim.LossScaler(2.0**14))):
        w = ng.ones(3, dtype="float16")
        w.attach_grad()
        opt = ng.optim.SGD({"w": w}, 1e4, scaler=scaler)
        with ng.autograd.record():
            loss = (w.astype("float32") * 2.0**-26).sum()  # the slope rounds to 0 in float16
            loss = loss if scaler is None else scaler.scale(loss)
        loss.backward()
        opt.step()
        results[label] = float(w[0])
    assert results["plain"] == 1.0
    assert results["scaled"] == pytest.approx(1.0 - 1e4 * 2.0**-26, rel=1e-3)


@pytest.mark.parametrize("bad", BAD)
def test_a_step_is_skipped_for_all_parameters(bad, engine):
    """X-MAR-11: one bad element in one gradient skips the step of all."""
    before, _ = run("Adam", {}, [])
    after, _ = run("Adam", {}, [(1.0, bad)], ng.optim.LossScaler(2.0))
    for k in before:
        np.testing.assert_array_equal(before[k], after[k])


def test_masters_are_skipped_too():
    """X-MAR-11: weights of 16 bits and their masters stay, or both move."""
    good = [(0.5, -0.25), (0.125, 0.75)]
    bad = [good[0], (math.inf, 0.5), good[1]]
    found, opt = run("Adam", {}, bad, ng.optim.LossScaler(8.0), "float16")
    expected, plain = run("Adam", {}, good, None, "float16")
    for k in found:
        np.testing.assert_array_equal(found[k], expected[k])
    masters = (
        o.state_dict()["parameters"]["w"]["states"]["master"].asnumpy() for o in (opt, plain)
    )
    np.testing.assert_allclose(*masters, rtol=1e-6)


def test_scaler_and_counts_resume(tmp_path):
    """X-MAR-11: scale, good steps and counts of skipped steps go on with the same bits."""
    grads = [(0.5, 0.25), (math.inf, 1.0), (0.75, -0.5)]
    params, opt = run("Adam", {}, grads, ng.optim.LossScaler(64.0, window=3))
    opt.save(tmp_path / "states")
    other = ng.optim.Adam(
        {k: ng.array(v) for k, v in params.items()}, scaler=ng.optim.LossScaler(1.0, window=3)
    )
    other.load(tmp_path / "states")
    assert other.scaler.value == 32.0 and other.scaler.skipped == 1
    step = {"w": ng.full((40,), 2.0), "v": ng.ones((2, 3))}
    for each in (opt, other):
        for _ in range(2):
            each.step(step)
    assert opt.scaler.value == other.scaler.value == 64.0
    for k in params:
        np.testing.assert_array_equal(opt.parameters[k].asnumpy(), other.parameters[k].asnumpy())


def test_the_limit_of_the_norm_is_of_unscaled_gradients():
    """X-MAR-11: clipping looks at gradients without the scale."""
    for scaler in (None, ng.optim.LossScaler(1024.0)):
        w, g = ng.zeros(2), ng.array([3.0, 4.0])
        opt = ng.optim.SGD({"w": w}, 1.0, clip_norm=2.5, scaler=scaler)
        opt.step({"w": g if scaler is None else scaler.scale(g)})
        np.testing.assert_allclose(w.asnumpy(), [-1.5, -2.0], rtol=1e-6)


@pytest.mark.parametrize(
    "options", [{"scale": 0}, {"factor": 1.0}, {"window": 0}, {"least": -1.0}], ids=str
)
def test_what_a_scaler_refuses(options):
    """X-MAR-11: numbers that make no sense."""
    with pytest.raises(ArgumentError, match=f"LossScaler: {next(iter(options))}="):
        ng.optim.LossScaler(**options)
