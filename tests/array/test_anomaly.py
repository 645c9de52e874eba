"""Issue 4, bad input: `ng.config(anomaly=1)` names the operator that first made a NaN."""

import re

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.array import anomaly

NAN, INF = float("nan"), float("inf")


def raises(text):
    return pytest.raises(FloatingPointError, match=re.escape(text))


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (ng.log, "log: the result has 1 NaN of 2 elements, its operands (float32[2]) had none"),
        (lambda x: ng.sqrt(ng.exp(x) - 1).sum() * 2, "sqrt: the result has 1 NaN"),
        (lambda x: x / 0 - x / 0, "subtract: the result has 2 NaN"),
        (lambda x: (x / 0).sum(), "sum: the result has 1 NaN of 1 elements"),
        (lambda x: x @ ng.array([INF, INF]), "matmul: the result has 1 NaN"),
        (lambda x: ng.concatenate([x, x]).cumsum() + ng.log(x).sum(), "log: "),
        (lambda x: ng.modf(ng.fmod(x, 0.0)), "fmod: "),
    ],
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_forward(call, text, engine):
    """The call itself raises, whatever runs the kernels."""
    with ng.config(anomaly=1), raises(text):
        call(ng.array([1.0, -1.0]))


@pytest.mark.filterwarnings("ignore:invalid value")
@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: ng.linspace(0, np.inf, 3), "linspace: the result has 1 NaN"),
        (lambda: ng.random.normal(np.nan, size=(3,)), "random_normal: the result has 3 NaN"),
    ],
)
def test_what_was_made_before_without_looking(call, text):
    """A call that is remembered is looked at as any other."""
    for _ in range(3):
        call()
    with ng.config(anomaly=1), raises(text):
        call()


def test_in_place(engine):
    """Operands are looked at before they are overwritten."""
    x = ng.array([INF, 1.0])
    with ng.config(anomaly=1), raises("subtract: the result has 1 NaN"):
        x -= x
    with ng.config(anomaly=1):
        x += 1  # it had one before


def test_a_nan_that_was_there_is_nobodys_fault(engine):
    """Operands with NaN, numbers that are NaN, constants and memory that holds anything."""
    with ng.config(anomaly=1):
        x = ng.array([NAN, 1.0])
        assert np.isnan((x * 2 + ng.sin(x)).sum().item())
        assert np.isnan(ng.where(ng.array([True]), NAN, 1.0).item())
        assert np.isnan(ng.full(3, NAN).asnumpy()).all()
        assert np.isnan(ng.full_like(x, NAN).asnumpy()).all()
        junk = ng.full(1000, NAN)
        del junk
        assert ng.empty(1000).shape == (1000,)
        assert (ng.arange(3) + ng.array([1, 2, 3])).tolist() == [1, 3, 5]


def backward(f, x):
    x.attach_grad()
    with ng.autograd.record():
        y = f(x)
    y.backward()


@pytest.mark.parametrize(
    ("function", "values", "text"),
    [
        (lambda x: ng.sqrt(x) * 0, [0, 1], "backward of sqrt: the gradient of operand 0 has 1 NaN"),
        (
            lambda x: ng.exp(ng.power(x, 0.5) * 0),
            [0, 1],
            "backward of power: the gradient of opera",
        ),
        (lambda x: (x @ ng.ones((2, 2))) * ng.array([INF, -INF]), [1, 0], "backward of matmul: "),
    ],
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_backward(function, values, text, engine):
    """The operator whose gradient is the first with a NaN, and what came to it."""
    x = ng.array(values, "float32")
    with ng.config(anomaly=1), raises(text):
        backward(function, x)
    assert not x.grad.asnumpy().any()  # as it was


def test_backward_of_an_operator_that_is_written_with_others(engine):
    """Both are named."""

    class Wrong(ng.autograd.Function):
        def forward(self, x):
            return x + 1

        def backward(self, dy):
            return ng.log(dy - 2)

    with ng.config(anomaly=1), raises("backward of Wrong: log: the result has 2 NaN"):
        backward(Wrong(), ng.array([1.0, 2.0]))


def test_backward_with_a_nan_that_came(engine):
    """A NaN in the head's gradient is nobody's fault."""
    x = ng.array([1.0, 2.0])
    x.attach_grad()
    with ng.config(anomaly=1):
        with ng.autograd.record():
            y = ng.exp(x)
        y.backward(ng.array([NAN, 1.0]))
    assert np.isnan(x.grad.asnumpy()).tolist() == [True, False]


def test_higher_derivatives(engine):
    with ng.config(anomaly=1), raises("backward of "):
        ng.grad(ng.grad(lambda z: ng.sqrt(z * z)))(0.0)


def test_off_it_costs_nothing(monkeypatch, engine):
    """Nothing is looked at, nothing is waited for."""

    def looked(*_):
        raise AssertionError("looked")

    for name in ("clean", "look", "look_back"):
        monkeypatch.setattr(anomaly, name, looked)
    x = ng.array([1.0, -1.0])
    backward(lambda x: ng.log(x).sum(), x)
    assert np.isnan((ng.log(x) + 1).asnumpy()[1])
    with ng.config(anomaly=1), pytest.raises(AssertionError, match="looked"):
        ng.log(x)
