"""Recording and backward passes: MXNet's autograd tutorial, modes, requests, heads (X-NDA-01,
X-NDA-02)."""

import asyncio
import threading

import numpy as np
import pytest

import nbgraph as ng
from nbgraph import autograd
from nbgraph.errors import ArgumentError, CertificateError, ShapeError
from tests.autograd.judge import differences


def variable(values, grad_req="write", dtype="float64"):
    x = ng.array(values, dtype=dtype)
    x.attach_grad(grad_req)
    return x


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
    y.backward(retain_graph=True)
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


# shapes and dtypes ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "shapes", [((3, 4), (4,)), ((3, 1), (1, 4)), ((2, 1, 3), ()), ((0, 2), (2,)), ((1, 1), (3,))]
)
def test_broadcast_operands(shapes):
    rng = np.random.default_rng(5)
    points = [rng.normal(size=shape) for shape in shapes]
    a, b = (variable(p) for p in points)
    with autograd.record():
        y = (a * b + b).sum()
    y.backward()
    for wrt, got in enumerate((a.grad, b.grad)):
        expected = differences(lambda a, b: (a * b + b).sum(), points, wrt)
        np.testing.assert_allclose(got.asnumpy(), expected, atol=1e-6)


def test_views_slices_and_indices():
    points = [np.arange(12.0).reshape(3, 4) / 7]

    def f(x):
        part = x[1:, ::-2]
        flat = x.reshape((4, 3)).T
        chosen = x[[0, 2, 0], 1]
        return (part * part).sum() + (flat[0] * 3 * flat[2]).sum() + (chosen * chosen).sum()

    x = variable(points[0])
    with autograd.record():
        y = f(x)
    y.backward()
    np.testing.assert_allclose(x.grad.asnumpy(), differences(f, points, 0), atol=1e-6)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_a_gradient_has_the_dtype_of_its_variable(dtype):
    x = variable([1.0, 2.0], dtype=dtype)
    other = variable([3.0, 5.0], dtype="float64")
    with autograd.record():
        y = (x * other).sum()
    y.backward()
    assert y.dtype == np.float64
    assert x.grad.dtype == dtype
    assert x.grad.tolist() == [3.0, 5.0]
    assert other.grad.dtype == np.float64


def test_gradients_are_where_their_variables_are():
    x = ng.array([1.0, 2.0], device=ng.cpu(1))
    x.attach_grad()
    assert x.grad.device == ng.cpu(1)
    with autograd.record():
        y = (x * x + ng.ones((2,), device=ng.cpu(1))).sum()
    y.backward()
    assert x.grad.device == ng.cpu(1)
    assert ng.hessian(lambda x: (x * x).sum())(x).device == ng.cpu(1)


def test_bfloat16():
    pytest.importorskip("ml_dtypes")
    x = variable([1.0, 2.0], dtype="bfloat16")
    with autograd.record():
        y = (x * x).sum()
    y.backward()
    assert x.grad.dtype.name == "bfloat16"
    assert x.grad.astype("float32").tolist() == [2.0, 4.0]


def test_the_first_nan_of_a_backward_pass_is_named():
    x = variable([0.0, 1.0])
    with ng.config(anomaly=1), autograd.record():
        y = (ng.sqrt(x) * 0.0).sum()
    with ng.config(anomaly=1), pytest.raises(FloatingPointError, match="backward of sqrt"):
        y.backward()


def test_integer_operands_have_no_gradient():
    x, n = variable([1.5, 2.0]), ng.array([2, 3])
    with autograd.record():
        y = x**n
        z = (y * n).astype("int64") * y
    z.backward()
    assert n.grad is None
    value = np.array([1.5, 2.0])
    slope = np.array([2, 3]) * value ** (np.array([2, 3]) - 1)
    whole = np.trunc(value ** np.array([2, 3]) * np.array([2, 3]))
    np.testing.assert_allclose(x.grad.asnumpy(), whole * slope)


def test_a_gradient_given_by_hand_is_used():
    seen = ng.op(lambda x: x * x)
    x = variable([2.0])
    with autograd.record():
        y = seen(x)
    y.backward()
    assert x.grad.tolist() == [4.0]

    @seen.gradient
    def _(out_grad, x):
        return (out_grad * (x + x),)

    with autograd.record():
        y = seen(x)
    y.backward()
    assert x.grad.tolist() == [4.0]
    from nbgraph.operator.backward import backward

    assert backward(seen).scalar.gradient is seen.hand_gradient

    with pytest.raises(CertificateError):

        @seen.gradient
        def _(out_grad, x):
            return (out_grad * x,)


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

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
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
    with pytest.raises(ArgumentError, match="grad_req='sum'; expected one of write, add, null"):
        x.attach_grad("sum")
    with pytest.raises(ArgumentError, match=r"grad: the array has none; call attach_grad\(\)"):
        ng.ones((2,)).grad = x
    with pytest.raises(autograd.TapeError, match=r"use `with ng.autograd.record\(\):`"):
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
