"""Recurrent cells against their formulas in NumPy, step by step."""

import numpy as np
import pytest

import nbgraph as ng
from nbgraph import nn
from nbgraph.errors import ShapeError

X = np.random.default_rng(0).normal(size=(3, 6, 5)).astype("float32")


def logistic(x):
    return 1 / (1 + np.exp(-x))


def rnn(given, recalled, state):
    return (np.tanh(given + recalled),)


def lstm(given, recalled, state):
    i, f, c, o = np.split(given + recalled, 4, axis=1)
    memory = logistic(f + 1) * state[1] + logistic(i) * np.tanh(c)
    return logistic(o) * np.tanh(memory), memory


def gru(given, recalled, state):
    (r, z, n), (hr, hz, hn) = np.split(given, 3, axis=1), np.split(recalled, 3, axis=1)
    new, share = np.tanh(n + logistic(r + hr) * hn), logistic(z + hz)
    return ((1 - share) * new + share * state[0],)


KINDS = {"RNN": rnn, "LSTM": lstm, "GRU": gru}


def by_numpy(step, cell, x):
    weight, recurrent, bias, *beside = (
        a.asnumpy().astype("f8") for a in cell.parameters().values()
    )
    state = tuple(np.zeros((len(x), cell.units)) for _ in range(cell.states))
    outs = []
    for t in range(x.shape[1]):
        recalled = state[0] @ recurrent.T + (beside[0] if beside else 0)
        state = step(x[:, t] @ weight.T + bias, recalled, state)
        outs.append(state[0])
    return np.stack(outs, axis=1), state


@pytest.mark.parametrize("beside", [False, True])
@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_layers_follow_the_formulas(kind, compiled, beside):
    made = getattr(nn, kind)(4, layers=2, recurrent_bias=beside)
    net = made.prepare(ng.array(X)).hybridize(compiled)
    for cell in net.cells:
        cell.bias[:] = np.linspace(-1, 1, cell.bias.size)
        if beside:
            cell.recurrent_bias[:] = np.linspace(2, -1, cell.bias.size)
    outs, states = net(ng.array(X))
    expected, first = by_numpy(KINDS[kind], net.cells[0], X)
    expected, second = by_numpy(KINDS[kind], net.cells[1], expected)
    np.testing.assert_allclose(outs, expected, rtol=1e-4, atol=1e-5)
    for found, wanted in zip(states, (first, second)):
        for a, b in zip(found, wanted):
            np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_a_sequence_can_be_worked_off_in_parts(kind):
    net = getattr(nn, kind)(4).prepare(ng.array(X))
    whole, _ = net(ng.array(X))
    first, states = net(ng.array(X[:, :2]))
    second, _ = net(ng.array(X[:, 2:]), states)
    np.testing.assert_allclose(np.concatenate([first, second], 1), whole, rtol=1e-5, atol=1e-6)
    cell, state = net.cells[0], None
    for t in range(X.shape[1]):
        out, state = cell(ng.array(X[:, t]), state)
    np.testing.assert_allclose(out, whole[:, -1], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_gradients_flow_through_all_steps(kind):
    """Against differences, for the weight that takes the state."""
    net = getattr(nn, kind)(2).prepare(ng.array(X))
    recurrent = net.cells[0].recurrent

    def loss():
        return (net(ng.array(X))[0][:, -1] ** 2).sum()

    with ng.autograd.record():
        value = loss()
    value.backward()
    slope, base = recurrent.grad.asnumpy(), recurrent.asnumpy()
    for i, j in [(0, 0), (1, 1), (0, 1)]:
        sides = []
        for step in (0.01, -0.01):
            moved = base.copy()
            moved[i, j] += step
            recurrent[:] = moved
            sides.append(loss().item())
        recurrent[:] = base
        assert abs((sides[0] - sides[1]) / 0.02 - slope[i, j]) < 2e-3


def test_another_number_of_features_is_refused():
    net = nn.LSTM(4).prepare(ng.array(X))
    with pytest.raises(ShapeError, match=r"weight has shape \(16, 5\)"):
        net(ng.ones((3, 6, 7)))
