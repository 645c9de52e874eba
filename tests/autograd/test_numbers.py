"""Where an array would become a number, its gradient is kept, or the call is refused."""

import math

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import ArgumentError, DerivativeWarning

X = np.random.default_rng(0).normal(size=(3, 4))
ARRAYS = {
    "list": lambda t: ng.array([t, 2.0, t * t]),
    "nested": lambda t: ng.array([[t, t * t], [1.0, ng.sin(t)]]),
    "tuple": lambda t: ng.array((t, 3)),
    "whole": lambda t: ng.array(t * t),
    "cast": lambda t: ng.array([t * t, 1], dtype="float64"),
    "borrowed": lambda t: ng.asarray([t * t, t]),
    "itself": lambda t: ng.asarray(t * t),
}


def slope(f, t):
    """The derivative of a sum of sines by central differences."""
    sums = [np.sin(np.asarray(f(ng.array(t + h)), "float64")).sum() for h in (1e-4, -1e-4)]
    return (sums[0] - sums[1]) / 2e-4


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_of_arrays_have_their_gradients(name):
    """`ng.array([t, 2.0])` of a t that a gradient is taken by was a constant."""
    f = ARRAYS[name]

    def loss(t):
        return ng.sin(f(t)).sum()

    with ng.config(default_float="float64"):
        wanted = slope(f, 0.7)
        for gradient in (ng.grad(loss), ng.jit(ng.grad(loss))):
            np.testing.assert_allclose(float(gradient(0.7)), wanted, rtol=1e-6)
        np.testing.assert_allclose(float(ng.jvp(loss, (0.7,), (1.0,))[1]), wanted, rtol=1e-6)
        np.testing.assert_allclose(float(ng.hessian(loss)(0.7)), second(loss), rtol=1e-5)
        t = ng.array(0.7)
        t.attach_grad()
        with ng.autograd.record():
            y = loss(t)
        y.backward()
        np.testing.assert_allclose(float(t.grad), wanted, rtol=1e-6)
        np.testing.assert_allclose(ng.jit(f)(t), np.asarray(f(t)))


def second(loss):
    """The second derivative of a loss."""
    slopes = [float(ng.grad(loss)(0.7 + h)) for h in (1e-5, -1e-5)]
    return (slopes[0] - slopes[1]) / 2e-5


def test_a_new_array_is_new():
    """What is written to it is not written to the one it is a copy of."""
    t = ng.array([1.0, 2.0])
    with ng.autograd.record():
        copy = ng.array(t)
    copy[:] = 0
    assert t.tolist() == [1, 2]
    x = ng.array([3.0, 4.0])
    x.attach_grad()
    with ng.autograd.record():
        y = (ng.array([x[0], x[1] * x[0]]) * 2).sum()
    y.backward()
    assert x.grad.tolist() == [2 + 2 * 4, 2 * 3]


NUMBERS = {
    "eps": lambda t: ng.layer_norm(X, eps=t),
    "rms": lambda t: ng.rms_norm(X, eps=t),
    "batch": lambda t: ng.batch_norm(X, eps=t),
    "temperature": lambda t: ng.softmax(X, temperature=t),
    "log": lambda t: ng.log_softmax(X, temperature=t),
    "smoothing": lambda t: ng.cross_entropy(X, np.array([0, 1, 2]), label_smoothing=t),
    "delta": lambda t: ng.huber_loss(X, X, delta=t),
    "margin": lambda t: ng.hinge_loss(X, X, margin=t),
    "hinge": lambda t: ng.squared_hinge_loss(X, X, margin=t),
    "cosine": lambda t: ng.cosine_embedding_loss(X, X, np.ones(3), margin=t),
    "triplet": lambda t: ng.triplet_margin_loss(X, X, X, margin=t),
    "alpha": lambda t: ng.focal_loss(X, X > 0, alpha=t),
    "scale": lambda t: ng.scaled_dot_product_attention(X[None], X[None], X[None], scale=t),
    "quantile": lambda t: ng.quantile(ng.array(X), t),
    "sigma": lambda t: ng.smooth_l1(X, sigma=t),
}


def test_a_number_that_fills_an_array_has_a_gradient():
    for transform in (ng.grad, lambda g: ng.jit(ng.grad(g))):
        assert float(transform(lambda t: ng.sum(ng.full((3,), t)))(0.5)) == 3


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_through_which_no_gradient_flows_are_refused(name):
    """Their gradient was 0, without a word."""
    f = NUMBERS[name]
    f(0.5)
    for transform in (ng.grad, lambda g: ng.jit(ng.grad(g))):
        with pytest.raises(ArgumentError, match="number"):
            transform(lambda t: ng.sum(f(t)))(0.5)


class Twice(ng.autograd.Function):
    """Twice an array, by NumPy."""

    def forward(self, x):
        return ng.array(2 * np.asarray(x))

    def backward(self, out_grad):
        return 2 * out_grad


def paused(t):
    with ng.autograd.pause():
        return float(t)


SILENT = {
    "printed": lambda t: f"{t} {t!r}",
    "item": lambda t: t.item(),
    "asnumpy": lambda t: t.asnumpy(),
    "stopped": lambda t: float(ng.stop_gradient(t)),
    "branch": lambda t: max(t, 0.0) if t > 0 else 0.0,
    "place": lambda t: int((t * ng.ones(3)).argmax()),
    "other": lambda t: float(ng.ones(())),
    "paused": paused,
    "own": Twice(),
}
LOSING = {
    "float": lambda t: float(t) * ng.ones(()),
    "math": lambda t: math.sin(t) * ng.ones(()),
    "asarray": lambda t: ng.ones(2) * np.asarray(t),
    "array": lambda t: ng.ones(2) * np.array([t, 2.0]),
    "full": lambda t: ng.ones(2) * np.full(2, t),
}


@pytest.mark.parametrize("name", SILENT)
def test_what_is_meant_is_silent(name):
    assert float(ng.grad(lambda t: (SILENT[name](t), t * t)[1])(3.0)) == 6


@pytest.mark.parametrize("name", LOSING)
def test_what_loses_a_gradient_is_warned_of(name):
    """JAX and PyTorch raise; a tape in which numbers are looked at says nothing."""
    f = LOSING[name]
    for transform in (ng.grad, ng.value_and_grad, lambda g: ng.grad(ng.grad(g))):
        with pytest.warns(DerivativeWarning, match=r"no gradient flows .* x\.item\(\)") as seen:
            transform(lambda t: ng.sum(f(t)) + t * t)(3.0)
        assert any("test_numbers" in w.filename or "numpy" in w.filename for w in seen)
    t = ng.array(3.0)
    t.attach_grad()
    with ng.autograd.record():
        y = ng.sum(f(t)) + t * t
    y.backward()
    assert float(t.grad) == 6
