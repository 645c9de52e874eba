"""Writes in place and the tape: recorded, noticed, or refused; never silently wrong (X-ENG-07)."""

import numpy as np
import pytest

import nbgraph as ng
from nbgraph import autograd
from tests.slopes import differences

X = np.array([1.0, 2.0, 3.0])


def variable(values=X):
    x = ng.array(values)
    x.attach_grad()
    return x


def whole(x):
    y = x * x
    y *= np.array([2.0, 3.0, 4.0])
    y += x
    return (y * y).sum()


def part(x):
    y = x * x
    y[1:] += x[:2]
    y[0] = 7.0
    return (y * y).sum()


def elements(x):
    y = x * x
    y[[2, 0]] = x[:2] * 3
    y[y > 5] = 1.0
    return (y * x).sum()


def nested(x):
    y = (x * x).reshape((1, 3))
    row = y[0]
    row[1:] += x[1:]
    row[2:] = x[:1]
    return (y * y).sum()


def collected(x):
    """Results gathered in an array that was a constant before."""
    y = x * 0
    for i in range(3):
        y[i] = x[i] * x[i - 1]
    return (y * y).sum()


def scaled(x):
    """What is written over is what the gradient of the write reads."""
    y, plain = x * 0.5, ng.array(X)
    y *= x
    y[1:] /= x[:2]
    y[[0, 2]] **= 1.5
    plain *= x
    ng.multiply(y, y, out=y)
    return (y * plain).sum()


def flipped(x):
    y = x * x
    y.T[::-1][:2] -= x[1:]  # the views between are gone when it is written
    return (y * y).sum()


def multiplied(x):
    """The gradient of a factor reads the other one alone, so it may be written later."""
    y, w = x * 0.5, ng.array(np.outer(X, X) / 4)
    z = y @ w + ng.einsum("i,ij->j", y, w) + ng.fully_connected(y[None], w)[0]
    z += ng.convolution(y[None, None], w[:1, None], pad=1)[0, 0]
    y *= 3.0
    return (y * z).sum()


def stale(x):
    """A view whose base was written is copied before it is written over, too."""
    y = x * x
    view = y[::-1]
    y[0] = 2.0
    view *= x
    return (view * y).sum()


def pairs(x):
    y = x * (2 + 1j)
    y *= 3.0
    y[1:] -= 1.0
    y[0] /= 2j
    y *= x
    return (y * y).real.sum()


WRITERS = [whole, part, elements, nested, collected, flipped, scaled, multiplied, stale, pairs]


@pytest.mark.parametrize("f", WRITERS)
def test_writes_are_recorded(f):
    x = variable()
    with autograd.record():
        y = f(x)
    y.backward()
    np.testing.assert_allclose(x.grad.asnumpy(), differences(f, [X], 0), rtol=1e-6)


@pytest.mark.parametrize("f", [part, scaled])
def test_writes_are_recorded_to_second_order(f):
    first = ng.grad(f)
    found = ng.grad(lambda x: (first(x) * X).sum())(X)
    expected = differences(lambda x: (first(x).asnumpy() * X).sum(), [X], 0)
    np.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-6)


def test_a_constant_becomes_computed_when_it_is_written():
    x, room = variable(), ng.zeros((2, 3), dtype="float64")
    with autograd.record():
        view = room[1]
        view += x * x
        y = (room * room).sum()
    y.backward()
    np.testing.assert_allclose(x.grad.asnumpy(), 4 * X**3)


def test_out_replaces_what_an_array_was_computed_from():
    x = variable()
    with autograd.record():
        y = x * x
        ng.multiply(x, 5.0, out=y)
    y.backward()
    assert x.grad.tolist() == [5.0, 5.0, 5.0]


def test_a_value_written_by_a_constant_is_a_constant():
    x = variable()
    with autograd.record():
        y = x * x
        ng.add(ng.ones((3,)), 1.0, out=y)
        z = y * x
    z.backward()
    assert x.grad.tolist() == [2.0, 2.0, 2.0]


def test_a_saved_value_that_was_overwritten_is_an_error_that_names_the_operator():
    x = variable()
    for write in (
        lambda y: y.__iadd__(1),
        lambda y: y.__setitem__(0, 0.0),
        lambda y: ng.add(y, 1.0, out=y),
        lambda y: y[1:].__imul__(2.0),
    ):
        with autograd.record():
            y = x * x
            z = (y * y).sum()
            write(y)
        with pytest.raises(autograd.TapeError, match="backward of multiply: an array of shape"):
            z.backward()


def test_what_no_gradient_reads_may_be_overwritten():
    """`y * c` reads `c` for the gradient of `y`, and not `y`."""
    x, c = variable(), ng.array([2.0, 3.0, 4.0], dtype="float64")
    with autograd.record():
        y = x + 0.0
        z = (y * c).sum()
        y *= 0.0
    z.backward()
    assert x.grad.tolist() == [2.0, 3.0, 4.0]


def test_a_write_that_was_not_recorded_is_noticed():
    x = variable()
    with autograd.record():
        y = x * x
        z = ng.exp(y)
    z += 1  # the result itself: what flows back does not read it
    y[0] = 5.0
    with autograd.record(), pytest.raises(autograd.TapeError, match="while nothing was recorded"):
        y * 2
    with pytest.raises(autograd.TapeError, match="backward of exp"):
        z.backward()


def test_an_array_that_does_not_know_of_a_write_through_another_is_refused():
    x, room = variable(), ng.zeros((3,), dtype="float64")
    other = room[:2]
    view = room[1:]  # made while nothing was recorded
    with autograd.record():
        view += x[1:]
        for array in (room, other):
            with pytest.raises(autograd.TapeError, match="through another view"):
                array * 2
        assert (view * 2)._node is not None
    later = room[:2]
    with autograd.record():
        assert (later * 2)._node is None  # a constant, made of what is there now


def test_a_variable_is_not_written_while_recorded():
    x = variable()
    for write in (
        lambda: x.__iadd__(1),
        lambda: x.__setitem__(0, 1.0),
        lambda: x[1:].__iadd__(1),
        lambda: ng.add(x, 1.0, out=x),
        lambda: ng.sum(x, axis=0, keepdims=True, out=x[:1]),
    ):
        with autograd.record(), pytest.raises(autograd.TapeError, match="attach_grad"):
            write()
    with autograd.record(), autograd.pause():
        x += 1
    assert x.tolist() == [2.0, 3.0, 4.0]


def test_memory_of_a_variable_that_is_gone_may_be_written():
    for _ in range(50):
        x = ng.ones((77,))
        x.attach_grad()
        del x
        y = ng.ones((77,))
        with autograd.record():
            y += 1


def test_steps_of_an_optimiser_never_make_a_value_stale():
    w, x = variable(), ng.array([1.0, 0.5, 2.0])
    losses = []
    for _ in range(5):
        with autograd.record():
            loss = ((w * x - 1) * (w * x - 1)).sum()
        loss.backward()
        w -= 0.1 * w.grad
        losses.append(loss.item())
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < losses[0] / 4
    with autograd.record():
        loss = (w * w).sum()
    w -= 1  # between the record and the pass: the pass reads the old value
    with pytest.raises(autograd.TapeError, match="backward of multiply"):
        loss.backward()


def test_arrays_made_the_quick_way_become_variables():
    a, b = ng.ones((3,)), ng.ones((3,))
    for _ in range(3):
        c = a + b
        c.attach_grad()
        with autograd.record():
            y = (c * c).sum()
        y.backward()
        assert c.grad.tolist() == [4.0, 4.0, 4.0]
        d = a + b
        with autograd.record():
            part = d[1:]
            part += c[1:] * c[1:]
            y = (d * c).sum()
        y.backward()
        assert c.grad.tolist() == [2.0, 14.0, 14.0]


def _positive_part(y):
    y[y < 0] = 0.5


def _shifted(y):
    y[y < 0] += 1


def _roots(y):
    chosen = y > 0  # the root of the others has no derivative
    y[chosen] = np.sqrt(y[chosen]) + y[chosen] ** 2


def _rows(y):
    y[y[:, 0] < 0] *= ng.array([1.0, 2.0, 3.0], dtype="float64")


def _through_a_view(y):
    first = y[0]
    first[first < 0] -= 3.0


def _columns(y):
    y[:, y[0] < 0] *= y[:, y[0] < 0] + 2.0
    y[..., y[1] > 1] = 4.0


def _of_three_axes(y):
    blocks = y.reshape((1, 2, 3))
    blocks[:, blocks[0, :, 0] < 0] += ng.array([1.0, 2.0, 3.0], dtype="float64")
    blocks[..., blocks[0, :, 0] > 0, :] **= 2
    blocks[:, blocks[0] > 3, ...] = 0.5


def _at_masks_that_are_not_traced(y):
    rows = ng.array([False, True])
    y[rows] += 1.0
    y[..., ng.array([True, False, True])] = 0.5
    y[rows, :] *= y[rows, :]


def _by_a_number_of_another_dtype(y):
    y[y > 0] = ng.ones((), dtype="float32") * 3


@pytest.mark.parametrize(
    "write",
    [
        _positive_part,
        _shifted,
        _roots,
        _rows,
        _columns,
        _of_three_axes,
        _through_a_view,
        _at_masks_that_are_not_traced,
        _by_a_number_of_another_dtype,
    ],
)
def test_parts_at_masks_are_written_in_traces_as_at_once(write):
    def f(x):
        y = x.copy()
        write(y)
        return y

    x = np.arange(6.0).reshape(2, 3) - 2.75
    plain = f(ng.array(x))
    for again in (ng.jit(f)(ng.array(x)), ng.vmap(f)(ng.array([x, x + 1]))[0]):
        np.testing.assert_array_equal(again, plain, strict=True)
    slopes = ng.jit(ng.jacobian(f))(ng.array(x)).asnumpy().reshape(6, 6)
    steps = 1e-6 * np.eye(6).reshape(6, 2, 3)
    by_differences = [(f(ng.array(x + h)) - f(ng.array(x - h))).asnumpy() / 2e-6 for h in steps]
    np.testing.assert_allclose(slopes.T, np.reshape(by_differences, (6, 6)), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    "use",
    [
        lambda x, m: x[m],
        lambda x, m: x[m].sum(),
        lambda x, m: ng.softmax(x[m]),
        lambda x, m: x * x[m],
        lambda x, m: x[m] + x[x > 1],
        lambda x, m: len(x[m]),
        lambda x, m: x[m] if x[m] > 0 else x,
        lambda x, m: x.copy().__setitem__(m, x),
        lambda x, m: ng.exp(x[m], out=x.copy()),
        lambda x, m: x[:, m[0]].sum(),
        lambda x, m: x[ng.array([True, False])].sum(),
    ],
)
def test_what_needs_the_number_of_selected_elements_is_refused_in_traces(use):
    with pytest.raises(ng.ArgumentError, match=r"it selects is not known.*ng.where"):
        ng.jit(lambda x: use(x, x < 0))(ng.ones((2, 3)))
