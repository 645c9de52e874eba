"""MXNet's output operators: results, gradients that ignore what comes from above, and options."""

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import ArgumentError, DTypeError, ShapeError

RNG = np.random.default_rng(0)
DATA = RNG.normal(size=(6, 4)).astype("float32")
LABEL = np.array([1, 0, -1, 3, 3, 2])


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def passed(fn, data, label, head=None):
    """The result, and what flows back to data."""
    x = ng.array(data)
    x.attach_grad()
    with ng.autograd.record():
        y = fn(x, ng.array(label))
    y.backward(None if head is None else ng.array(head))
    return y.asnumpy(), x.grad.asnumpy()


REGRESSIONS = {
    "linear_regression_output": (lambda x: x, lambda y, t: y - t),
    "mae_regression_output": (lambda x: x, lambda y, t: np.sign(y - t)),
    "logistic_regression_output": (lambda x: 1 / (1 + np.exp(-x)), lambda y, t: y - t),
}


@pytest.mark.parametrize("name", REGRESSIONS)
def test_regressions(name):
    """OPP-08: the backward reads result and label, and no gradient from above."""
    value, slope = REGRESSIONS[name]
    fn, target = getattr(ng, name), RNG.normal(size=DATA.shape).astype("float32")
    y, own = passed(lambda x, t: fn(x, t, grad_scale=2.0), DATA, target)
    np.testing.assert_allclose(y, value(DATA), rtol=1e-6)
    np.testing.assert_allclose(own, slope(y, target) * 2 / 4, rtol=1e-5, atol=1e-6)
    _, other = passed(lambda x, t: fn(x, t, grad_scale=2.0), DATA, target, 7 * DATA)
    assert own.tobytes() == other.tobytes()
    column = passed(fn, DATA[:, :1], target[:, 0])[1]
    np.testing.assert_allclose(column, slope(value(DATA[:, :1]), target[:, :1]), atol=1e-6)


@pytest.mark.parametrize("normalization", ["null", "batch", "valid"])
@pytest.mark.parametrize("ignored", [None, -1, 3])
def test_softmax_output(normalization, ignored):
    """OPP-08: softmax less one at the label; labels that do not count, where `use_ignore` says so;
    normalisation."""
    label = LABEL if ignored == -1 else np.abs(LABEL)
    y, own = passed(
        lambda x, t: ng.SoftmaxOutput(
            x,
            t,
            grad_scale=3.0,
            ignore_label=3 if ignored is None else ignored,
            use_ignore=ignored is not None,
            normalization=normalization,
            smoothing=0.1,
        ),
        DATA,
        label,
        RNG.normal(size=DATA.shape).astype("float32"),
    )
    np.testing.assert_allclose(y, softmax(DATA), rtol=1e-6)
    counts = np.ones(6) if ignored is None else (label != ignored).astype(float)
    one = np.where(np.eye(4)[np.abs(label)] > 0, 0.9, 0.1 / 3)
    by = {"null": 1, "batch": 6, "valid": counts.sum()}[normalization]
    wanted = (softmax(DATA) - one) * counts[:, None] * 3 / by
    np.testing.assert_allclose(own, wanted, rtol=1e-5, atol=1e-6)


def test_softmax_output_of_places():
    """OPP-08: with multi_output classes are the second axis, and slopes are a mean over places."""
    data, label = RNG.normal(size=(2, 3, 5)), RNG.integers(0, 3, (2, 5))
    y, own = passed(lambda x, t: ng.softmax_output(x, t, multi_output=True), data, label)
    np.testing.assert_allclose(y, softmax(data, 1), rtol=1e-12)
    one = np.moveaxis(np.eye(3)[label], -1, 1)
    np.testing.assert_allclose(own, (softmax(data, 1) - one) / 5, rtol=1e-12)


def test_an_executor_takes_them_as_losses():
    """X-SYM-04: backward() needs no head gradient, though the output has many elements."""
    made = ng.sym.SoftmaxOutput(ng.var("x", shape=DATA.shape), ng.var("t", shape=(6,)), name="out")
    exe = made.simple_bind(ng.cpu(), x=DATA.shape, t=(6,))
    label = np.abs(LABEL).astype("float32")
    (y,) = exe.forward(is_train=True, x=DATA, t=label)
    exe.backward()
    wanted = softmax(DATA) - np.eye(4)[np.abs(LABEL)]
    np.testing.assert_allclose(y.asnumpy(), softmax(DATA), rtol=1e-6)
    np.testing.assert_allclose(exe.grad_dict["x"].asnumpy(), wanted, rtol=1e-5, atol=1e-6)
    assert not exe.grad_dict["t"].asnumpy().any()
    plain = ng.softmax(ng.var("x", shape=DATA.shape)).simple_bind(ng.cpu(), x=DATA.shape)
    with pytest.raises(ArgumentError, match="which is for outputs of one element"):
        plain.forward_backward(x=DATA)


def test_training_needs_no_loss():
    """OPP-08: logistic regression with an output operator finds the separating line."""
    x = RNG.normal(size=(200, 2)).astype("float32")
    t = (x @ np.float32([2, -1]) > 0.3).astype("float32")[:, None]
    given, labels = ng.array(x), ng.array(t)
    w, b = ng.zeros((2, 1)), ng.zeros(1)
    for v in (w, b):
        v.attach_grad()
    for _ in range(200):
        with ng.autograd.record():
            y = ng.logistic_regression_output(given @ w + b, labels)
        y.backward()
        for v in (w, b):
            v -= 0.05 * v.grad
    assert ((y.asnumpy() > 0.5) == (t > 0.5)).mean() > 0.97


def test_bad_input_is_named():
    """OPR-16: operator, argument, the given, the expected."""
    with pytest.raises(ShapeError, match=r"data has shape \(6, 4\), label \(6, 3\)"):
        ng.linear_regression_output(DATA, DATA[:, :3])
    with pytest.raises(DTypeError, match="mae_regression_output: data has dtype int64"):
        ng.mae_regression_output(np.ones((2, 2), int), np.ones((2, 2)))
    with pytest.raises(ArgumentError, match="normalization='mean'; expected 'null'"):
        ng.softmax_output(DATA, LABEL, normalization="mean")
    with pytest.raises(ShapeError, match=r"label has shape \(5,\); expected \(6,\)"):
        ng.softmax_output(DATA, LABEL[:5])
