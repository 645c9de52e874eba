"""Functions with a backward pass by hand (X-NDA-01)."""

import gc
import weakref

import numpy as np
import pytest

import nbgraph as ng
from nbgraph import autograd
from nbgraph.errors import ArgumentError, ShapeError
from tests.autograd.judge import check

X = np.array([0.5, -1.0, 2.0])


class Sigmoid(autograd.Function):
    def forward(self, x):
        y = 1 / (1 + ng.exp(-x))
        self.save_for_backward(y)
        return y

    def backward(self, dy):
        (y,) = self.saved_tensors
        return dy * y * (1 - y)


class Product(autograd.Function):
    """Two results of two inputs; the second input and the first result are kept."""

    def __init__(self, scale=1.0):
        self.scale = scale

    def forward(self, a, b):
        first = a * b * self.scale
        self.save_for_backward(a, b, first)
        return first, first * first

    def backward(self, d_first, d_second):
        a, b, first = self.saved_tensors
        flow = (d_first + 2 * first * d_second) * self.scale
        return flow * b, flow * a


def test_sigmoid_of_the_tutorial():
    x = ng.array(X)
    x.attach_grad()
    function = Sigmoid()
    with autograd.record():
        y = function(x)
    y.backward()
    value = 1 / (1 + np.exp(-X))
    np.testing.assert_allclose(x.grad.asnumpy(), value * (1 - value), rtol=1e-12)


def test_differentiable_twice():
    check(Sigmoid(), X, tolerance=1e-6, numpy_fn=lambda x: 1 / (1 + np.exp(-x)))
    check(
        Product(3.0),
        X,
        X + 1.5,
        tolerance=1e-6,
        numpy_fn=lambda a, b: (3 * a * b, 9 * a * a * b * b),
    )


def test_each_call_has_a_state_of_its_own():
    x, function = ng.array(X), Sigmoid()
    x.attach_grad()
    with autograd.record():
        y = function(x) + function(2 * x)
    y.backward()
    slope = ng.grad(lambda x: (ng.sigmoid(x) + ng.sigmoid(2 * x)).sum())(X)
    np.testing.assert_allclose(x.grad.asnumpy(), slope.asnumpy(), rtol=1e-12)
    assert not vars(function)


def test_attributes_are_kept():
    class Cube(autograd.Function):
        def forward(self, x, power):
            self.x, self.power = x, power
            self.y = x**power
            return self.y

        def backward(self, dy):
            return dy * self.power * self.y / self.x, None

    check(lambda x: Cube()(x, 3), X, numpy_fn=lambda x: x**3, tolerance=1e-6)


def test_a_result_without_gradient_flows_as_zeros():
    x = ng.array(X)
    x.attach_grad()
    with autograd.record():
        first, _ = Product()(x, x.detach())
    first.backward()
    np.testing.assert_allclose(x.grad.asnumpy(), X)


def test_numpy_inside():
    class Rolled(autograd.Function):
        def forward(self, x):
            return np.roll(x.asnumpy(), 1)

        def backward(self, dy):
            return np.roll(dy.asnumpy(), -1)

    slope = ng.grad(lambda x: (Rolled()(x) * np.array([1.0, 2.0, 3.0])).sum())(X)
    assert slope.tolist() == [2.0, 3.0, 1.0]


def test_without_recording_it_is_a_function():
    y = Sigmoid()(ng.array(X))
    assert y._node is None


def test_nothing_is_kept_alive():
    gc.collect()
    gc.disable()
    try:
        x = ng.array(X)
        x.attach_grad()
        with autograd.record():
            y, z = Product()(x, x)
        refs = [weakref.ref(y), weakref.ref(z), weakref.ref(y._node)]
        y.backward()
        del y, z
        assert [r() for r in refs] == [None, None, None]
    finally:
        gc.enable()


def test_a_second_derivative_through_what_is_not_known_is_refused():
    class Hidden(autograd.Function):
        def forward(self, x):
            self.save_for_backward(ng.exp(x))
            return ng.exp(x)

        def backward(self, dy):
            return dy * self.saved_tensors[0]

    f = lambda x: Hidden()(x).sum()
    np.testing.assert_allclose(ng.grad(f)(X).asnumpy(), np.exp(X))
    with pytest.raises(autograd.TapeError, match="Hidden: a second derivative is asked for"):
        ng.grad(lambda x: ng.grad(f)(x).sum())(X)


def test_saved_values_that_were_overwritten_are_noticed():
    x = ng.array(X)
    x.attach_grad()
    with autograd.record():
        y = Sigmoid()(x)
        y += 1
    with pytest.raises(autograd.TapeError, match="backward of Sigmoid"):
        y.backward()


def bad(backward, forward=lambda self, x, y: x * y):
    made = type("Bad", (autograd.Function,), {"forward": forward, "backward": backward})
    return ng.grad(lambda x: made()(x, x).sum())


def test_bad_functions_are_named():
    with pytest.raises(ArgumentError, match=r"Bad: backward returned 1 gradient\(s\) for 2 input"):
        bad(lambda self, g: g)(X)
    with pytest.raises(ShapeError, match=r"Bad: backward .* shape \(\) for input 0 of shape \(3,"):
        bad(lambda self, g: (g.sum(), g))(X)
    with pytest.raises(ArgumentError, match="Bad: forward returned a str as result 0"):
        bad(lambda self, g: (g, g), lambda self, x, y: "text")(X)
    with pytest.raises(NotImplementedError, match="Function: define forward"):
        autograd.Function()(ng.array(X))
