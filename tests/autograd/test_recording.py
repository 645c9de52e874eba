"""Recording and backward passes: MXNet's autograd tutorial, modes, requests, heads (X-NDA-01,
X-NDA-02)."""

import asyncio
import threading

import numpy as np
import pytest

import nbgraph as ng
from nbgraph import autograd
from nbgraph.errors import ArgumentError, ShapeError
from tests.autograd.judge import variable
from tests.support import on_threads

# MXNet's tutorial "Automatic differentiation", line by line -------------------------------------


def test_tutorial_attaching_gradients():
    x = ng.array([[1.0, 2], [3, 4]])
    x.attach_grad()
    with autograd.record():
        y = x * 2
        z = y * x
    z.backward()
    assert (x.grad == 4 * x).all()


def test_tutorial_head_gradients():
    x = ng.array([[1.0, 2], [3, 4]])
    x.attach_grad()
    with autograd.record():
        y = x * 2
        z = y * x
    head_gradient = ng.array([[10.0, 1.0], [0.1, 0.01]])
    z.backward(head_gradient)
    np.testing.assert_allclose(x.grad.asnumpy(), (4 * x * head_gradient).asnumpy(), rtol=1e-6)


def test_tutorial_control_flow():
    def f(a):
        b = a * 2
        while b.norm().item() < 1000:
            b = b * 2
        if b.sum().item() > 0:
            c = b
        else:
            c = 100 * b
        return c

    for start in ([0.3, 0.5, 0.1], [-0.3, -0.5, 0.1]):
        a = ng.array(start)
        a.attach_grad()
        with autograd.record():
            c = f(a)
        c.backward()
        np.testing.assert_allclose(a.grad.asnumpy(), (c / a).asnumpy(), rtol=1e-6)


def test_tutorial_modes():
    with autograd.record():
        assert autograd.is_training()
        assert autograd.is_recording()
        with autograd.predict_mode():
            assert not autograd.is_training()
            assert autograd.is_recording()
        with autograd.pause():
            assert not autograd.is_recording()
            assert not autograd.is_training()
        assert autograd.is_training()
    with autograd.record(train_mode=False):
        assert not autograd.is_training()
        with autograd.train_mode():
            assert autograd.is_training()
    assert not autograd.is_recording()
    assert not autograd.is_training()


def test_tutorial_gradients_of_gradients():
    x = ng.array([1.0, 2.0])
    x.attach_grad()
    with autograd.record():
        y = x * x * x
        (x_grad,) = autograd.grad([y], [x], create_graph=True, retain_graph=True)
    x_grad.backward()
    assert x.grad.tolist() == [6.0, 12.0]


# requests and heads -----------------------------------------------------------------------------


def test_requests():
    for request, expected in (("write", [4.0]), ("add", [4.0 + 4.0])):
        x = variable([2.0], request)
        for _ in range(2):
            with autograd.record():
                y = x * x
            y.backward()
        assert x.grad.tolist() == expected
    x = variable([2.0], "null")
    with autograd.record():
        y = x * x
    y.backward()
    assert x.grad is None


def test_a_gradient_is_zero_before_the_first_pass_and_may_be_set():
    x = variable([[1.0, 2.0]], "add")
    assert x.grad.tolist() == [[0.0, 0.0]]
    with autograd.record():
        y = 3 * x
    y.backward(retain_graph=True, train_mode=False)  # of MXNet, for which nothing changes
    y.backward(retain_graph=True)
    assert x.grad.tolist() == [[6.0, 6.0]]
    x.grad = None
    assert x.grad.tolist() == [[0.0, 0.0]]
    x.grad = ng.array([[1.0, 1.0]])
    y.backward()
    assert x.grad.tolist() == [[4.0, 4.0]]


def test_a_gradient_keeps_its_memory():
    x = variable([1.0, 2.0])
    held = x.grad
    with autograd.record():
        y = x * x
    y.backward()
    assert held.tolist() == [2.0, 4.0]


def test_several_heads():
    x = variable([1.0, 2.0])
    with autograd.record():
        y, z = x * x, 3 * x
        both = y * z
    autograd.backward([y, z, y], [None, ng.array([10.0, 1.0]), ng.ones((2,), dtype="float64")])
    assert x.grad.tolist() == [2 * 2 + 30, 2 * 4 + 3]
    with pytest.raises(autograd.TapeError, match="freed by an earlier backward pass; pass retain"):
        both.backward()


def test_retain_graph():
    x = variable([1.0, 2.0])
    with autograd.record():
        y = (x * x).sum()
    y.backward(retain_graph=True)
    y.backward()
    assert x.grad.tolist() == [2.0, 4.0]
    with pytest.raises(autograd.TapeError, match="backward of .*retain_graph=True"):
        y.backward()


def test_gradients_of_intermediate_values():
    """A variable on the way of another: both gradients are whole."""
    x = variable([1.0, 2.0])
    with autograd.record():
        y = x * x
        z = y * y * x
    got_y, got_x = autograd.grad(z, [y, x])
    np.testing.assert_allclose(got_y.asnumpy(), [2.0, 16.0])
    np.testing.assert_allclose(got_x.asnumpy(), [5.0, 80.0])
    assert not x.grad.asnumpy().any()  # returned, not collected


def test_a_value_used_many_times():
    """Contributions are added where the first one lies; heads and others keep theirs."""
    x = variable([1.0, 2.0])
    with autograd.record():
        parts = [x * float(k) for k in range(5)]
        y = parts[0]
        for part in parts[1:]:
            y = y + part
        y = y + x
    head = ng.ones((2,), dtype="float64")
    y.backward(head)
    assert x.grad.tolist() == [11.0, 11.0]
    assert head.tolist() == [1.0, 1.0]


def test_a_variable_forgets_what_it_was_computed_from():
    x = variable([2.0])
    with autograd.record():
        y = x * x
        y.attach_grad()
        z = y * 3
    z.backward()
    assert y.grad.tolist() == [3.0]
    assert not x.grad.asnumpy().any()


def test_detach_and_stop_gradient():
    x = variable([2.0, 3.0])
    with autograd.record():
        y = x * x
        z = y.detach() * x + ng.stop_gradient(y) * x
    z.backward()
    np.testing.assert_array_equal(x.grad.asnumpy(), 2 * np.array([4.0, 9.0]))


# per thread and per task ------------------------------------------------------------------------


def test_recording_is_of_one_thread():
    seen = []
    with autograd.record():
        thread = threading.Thread(target=lambda: seen.append(autograd.is_recording()))
        thread.start()
        thread.join()
        assert autograd.is_recording()
    assert seen == [False]


def test_recording_is_of_one_task():
    async def records(inside, leave):
        with autograd.record():
            inside.set()
            await leave.wait()
            return autograd.is_recording()

    async def main():
        inside, leave = asyncio.Event(), asyncio.Event()
        task = asyncio.create_task(records(inside, leave))
        await inside.wait()
        outside = autograd.is_recording()
        leave.set()
        return outside, await task

    assert asyncio.run(main()) == (False, True)


def test_threads_differentiate_side_by_side():
    found = {}

    def work(k):
        x = variable([float(k), 1.0])
        for _ in range(20):
            with autograd.record():
                y = (x * x * float(k)).sum()
            y.backward()
        found[k] = x.grad.tolist()

    on_threads(work, range(4))
    assert found == {k: [2.0 * k * k, 2.0 * k] for k in range(4)}


# bad input --------------------------------------------------------------------------------------


def test_errors_leave_the_state_as_it_was():
    x = variable([1.0, 2.0])
    x.grad = ng.array([5.0, 5.0])

    class Fails(autograd.Function):
        def forward(self, x):
            return x * 2

        def backward(self, dy):
            raise KeyError("backward")

    with autograd.record():
        y = Fails()(x * 3) + x
    with pytest.raises(KeyError):
        y.backward()
    assert x.grad.tolist() == [5.0, 5.0]  # no half of a gradient
    assert not autograd.is_recording()
    with pytest.raises(ZeroDivisionError), autograd.record():
        raise ZeroDivisionError
    assert not autograd.is_recording()


def test_bad_arguments_are_named():
    x = variable([1.0, 2.0])
    with pytest.raises(ArgumentError, match="attach_grad: an array of int64 has no gradient"):
        ng.array([1, 2]).attach_grad()
    with pytest.raises(ArgumentError, match="grad_req='sum'; expected 'write', 'add' or 'null'"):
        x.attach_grad("sum")
    with pytest.raises(ArgumentError, match=r"grad: the array has none; call attach_grad\(\)"):
        ng.ones((2,)).grad = x
    with pytest.raises(autograd.TapeError, match=r"within `with ng.autograd.record\(\):`"):
        (x * x).backward()
    with autograd.record():
        y = x * x
    with pytest.raises(ShapeError, match=r"head gradient 0 has shape \(3,\), the head \(2,\)"):
        y.backward(ng.ones((3,)))
    with pytest.raises(ArgumentError, match="1 head gradients for 2 heads; give one for each"):
        autograd.backward([y, y], [None])
    with pytest.raises(ArgumentError, match=r"heads\[0\] is a float"):
        autograd.backward([3.0])
    with pytest.raises(autograd.TapeError, match=r"variables\[0\] was not recorded; call attach"):
        autograd.grad(y, ng.ones((2,)))


def test_a_fan_out_is_added_up_in_one_buffer(monkeypatch):
    """OPR-11, OPR-10: the second contribution is kAddTo into the array of the first."""
    from nbgraph.autograd import steps

    seen, push = [], steps.push

    def watched(plan, values, results, outs, requests):
        seen.append((requests[0], results[0]._address))
        return push(plan, values, results, outs, requests)

    monkeypatch.setattr(steps, "push", watched)
    monkeypatch.setattr(steps._Flow, "_routed", lambda *args: False)
    x = ng.array([0.5, 1.0, 2.0])
    x.attach_grad()
    with ng.autograd.record():
        y = ng.sin(x) + ng.exp(x) + ng.tanh(x)
    y.backward()
    adds = [(request, place) for request, place in seen if request == "add"]
    first = [place for request, place in seen if request == "write"][0]
    assert adds == [("add", first), ("add", first)]
    values = x.asnumpy().astype("float64")
    wanted = np.cos(values) + np.exp(values) + 1 - np.tanh(values) ** 2
    np.testing.assert_allclose(x.grad.asnumpy(), wanted, rtol=1e-6)


@pytest.mark.parametrize(
    "make",
    [
        lambda x: ng.autograd.grad(3 * x, x, create_graph=True),
        lambda x: ng.ones(2) * 2,
        ng.stop_gradient,
        lambda x: ng.argmax(x, 0),
    ],
    ids=["slope of a linear operator", "constant", "stopped", "integers"],
)
def test_gradients_of_what_does_not_depend_on_a_variable_are_zeros(make):
    x = variable([1.0, 2.0])
    with autograd.record():
        y = make(x)
        square = x * x
    np.testing.assert_array_equal(autograd.grad(y, x).asnumpy(), [0, 0])
    np.testing.assert_array_equal(autograd.grad([y, square], [x])[0].asnumpy(), [2, 4])


@pytest.mark.parametrize(("request_", "expected"), [("write", [3.0, 3.0]), ("add", [4.0, 4.0])])
def test_a_gradient_that_is_given_is_where_gradients_go(request_, expected):
    x, own = variable([1.0, 2.0], request_), ng.ones(2, dtype="float64")
    x.grad = own
    assert x.grad is own
    with autograd.record():
        y = 3 * x
    y.backward()
    assert own.tolist() == expected
    assert x.grad is own
    x.grad = np.float64([5, 5])
    assert x.grad.tolist() == [5.0, 5.0]
    x.grad = ng.ones(2)  # of another dtype: copied
    assert (x.grad.dtype, x.grad.tolist()) == (np.dtype("float64"), [1.0, 1.0])
    with pytest.raises(ShapeError):
        x.grad = ng.ones(3)
    with pytest.raises(ArgumentError, match="shares memory with the variable"):
        x.grad = x
