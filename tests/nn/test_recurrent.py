"""Recurrent cells against their formulas in NumPy, step by step."""

import numpy as np
import pytest

import nbgraph as ng
from nbgraph import nn
from nbgraph.errors import ArgumentError, ShapeError
from nbgraph.nn import recurrent

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


@pytest.mark.parametrize("features", [2, 30, 400])
@pytest.mark.parametrize("kind", [ng.nn.RNNCell, ng.nn.GRUCell, ng.nn.LSTMCell])
def test_gates_begin_as_matrices_of_their_own(kind, features):
    """Glorot's bound of one gate, whatever the number of gates and features."""
    cell = kind(30, in_features=features)
    for weight, inputs in ((cell.weight, features), (cell.recurrent, 30)):
        bound = (6 / (inputs + 30)) ** 0.5
        assert 0.9 * bound < np.abs(weight.asnumpy()).max() <= bound * (1 + 1e-6)


@pytest.mark.parametrize("lengths", [None, np.array([6, 1, 4])])
@pytest.mark.parametrize("kind", KINDS)
def test_layers_run_on_expressions(kind, lengths):
    """Step by step, in both directions, and with the gradient of what comes in."""
    net, graph = getattr(nn, kind)(4, bidirectional=True), ng.ExpressionGraph()
    x = ng.array(X)
    x.attach_grad()
    with ng.autograd.record():
        outs, ends = net(x, lengths=lengths)
        outs.sum().backward()
    param = graph.param("x", X.shape, init=X)
    outputs, last = net(param, lengths=lengths)
    total = outputs.sum()
    graph.forward()
    graph.backward(heads=total)
    np.testing.assert_allclose(outputs.val.asnumpy(), outs.asnumpy(), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(param.grad.asnumpy(), x.grad.asnumpy(), rtol=1e-4, atol=1e-6)
    assert [[part.shape for part in end] for end in last] == [[p.shape for p in e] for e in ends]


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


LENGTHS = np.array([6, 2, 4])
MASK = np.arange(6) < LENGTHS[:, None]


def both_ways(step, layer, i, x, lengths):
    """A bidirectional layer, sample by sample on its own steps; what is behind them is 0."""
    units = layer.cells[i].units
    outs, ends = np.zeros((*x.shape[:2], 2 * units)), [[], []]
    for n, length in enumerate(lengths):
        own = x[n : n + 1, :length]
        for k, cell in enumerate((layer.cells[i], layer.back[i])):
            made, end = by_numpy(step, cell, own[:, ::-1] if k else own)
            outs[n, :length, k * units : (k + 1) * units] = made[0, ::-1] if k else made[0]
            ends[k].append(end)
    return outs, [tuple(np.concatenate(part) for part in zip(*own)) for own in ends]


@pytest.mark.parametrize("how", ["lengths", "mask", "list"])
@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_both_directions_follow_the_formulas(kind, compiled, how):
    """Each sample by its own length: as if it stood alone, with zeros behind it."""
    net = getattr(nn, kind)(4, layers=2, bidirectional=True).prepare(ng.array(X))
    net.hybridize(compiled)
    told = {"mask": ng.array(MASK)} if how == "mask" else {"lengths": ng.array(LENGTHS)}
    told = {"lengths": LENGTHS.tolist()} if how == "list" else told
    outs, states = net(ng.array(X), **told)
    wanted, first = both_ways(KINDS[kind], net, 0, X, LENGTHS)
    wanted, second = both_ways(KINDS[kind], net, 1, wanted, LENGTHS)
    np.testing.assert_allclose(outs, wanted, rtol=1e-4, atol=1e-5)
    for found, judge in zip(states, [*first, *second], strict=True):
        for a, b in zip(found, judge, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_steps_that_do_not_count_have_no_influence(kind):
    """Whatever lies behind a sample's end, neither results nor gradients know it."""
    net = getattr(nn, kind)(3, bidirectional=True).prepare(ng.array(X))
    found = []
    for fill in (0.0, 1e3):
        x = ng.array(np.where(MASK[..., None], X, fill).astype("float32"))
        x.attach_grad()
        with ng.autograd.record():
            loss = (net(x, lengths=ng.array(LENGTHS))[0] ** 2).sum()
        loss.backward()
        grads = [p.grad.asnumpy() for p in net.parameters().values()]
        found.append([loss.asnumpy(), x.grad.asnumpy(), *grads])
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)
    assert not found[0][1][~MASK].any() and found[0][1][MASK].any()


def test_one_direction_keeps_states_where_steps_do_not_count():
    """A mask may have holes: what counts is one sequence."""
    net = nn.GRU(4).prepare(ng.array(X))
    holes = np.array([[1, 0, 1, 1, 0, 0]] * 3, bool)
    outs, (state,) = net(ng.array(X), mask=ng.array(holes))
    short, (end,) = net(ng.array(X[:, holes[0]]))
    np.testing.assert_allclose(outs.asnumpy()[:, holes[0]], short, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(state[0], end[0], rtol=1e-5, atol=1e-6)
    assert not outs.asnumpy()[:, ~holes[0]].any()


def test_lengths_that_do_not_fit_are_refused():
    net, x = nn.LSTM(4).prepare(ng.array(X)), ng.array(X)
    with pytest.raises(ShapeError, match=r"LSTM: lengths has shape \(2,\) .* expected \(3,\)"):
        net(x, lengths=[1, 2])
    with pytest.raises(ShapeError, match=r"LSTM: mask has shape \(3,\) .* expected \(3, 6\)"):
        net(x, mask=LENGTHS)
    with pytest.raises(ArgumentError, match="LSTM: lengths and mask are given"):
        net(x, lengths=LENGTHS, mask=MASK)


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("dtype", ["float64", "float16"])
@pytest.mark.parametrize("kind", KINDS)
def test_inputs_of_another_dtype_promote(kind, dtype, compiled):
    """NumPy's float64 beside weights of float32; a state of another one, too."""
    net = getattr(nn, kind)(4).prepare(ng.array(X)).hybridize(compiled)
    wanted, _ = net(ng.array(X))
    outs, states = net(ng.array(X.astype(dtype)))
    assert outs.dtype == np.result_type(dtype, "float32")
    np.testing.assert_allclose(outs, wanted, rtol=1e-2, atol=1e-2)
    again, _ = net(ng.array(X), states)
    assert again.dtype == outs.dtype


@pytest.mark.parametrize("shape", [(3, 0, 5), (0, 6, 5), (33, 6, 5)])
def test_any_number_of_samples_and_steps(shape, monkeypatch):
    """Samples may go in shares of different sizes."""
    monkeypatch.setattr(recurrent, "_LEAST_WORK", 1)
    net, x = nn.LSTM(4).prepare(ng.array(X)), np.resize(X, shape)
    outs, states = net(ng.array(x))
    expected, state = by_numpy(lstm, net.cells[0], x) if x.size else (np.zeros((*shape[:2], 4)), 0)
    np.testing.assert_allclose(outs, expected, rtol=1e-4, atol=1e-5)
    if x.size:
        np.testing.assert_allclose(states[0][1], state[1], rtol=1e-4, atol=1e-5)


def test_a_step_is_static():
    """It is one function for all cells of a kind; a cell's own method is refused where it is
    written."""
    with pytest.raises(ArgumentError, match=r"Own: step is not a static method; .*@static"):

        class Own(nn.Cell):
            gates = 1

            def step(self, entry, state):
                return entry, state

    class Sums(nn.Cell):
        gates = 1

        @staticmethod
        def step(entry, recalled, state):
            return entry + recalled, (entry + recalled,)

    class Layer(nn.RNN):
        cell = Sums

    outs, (end,) = Layer(4).prepare(ng.array(X))(ng.array(X))
    np.testing.assert_array_equal(outs[:, -1], end[0])


def test_another_number_of_features_is_refused():
    net = nn.LSTM(4).prepare(ng.array(X))
    with pytest.raises(ShapeError, match=r"weight has shape \(16, 5\)"):
        net(ng.ones((3, 6, 7)))
