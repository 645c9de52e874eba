"""Attention against NumPy, and what positions may see."""

import numpy as np
import pytest

import nbgraph as ng
from nbgraph import nn
from nbgraph.errors import ArgumentError

X = np.random.default_rng(0).normal(size=(2, 5, 8)).astype("float32")


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def by_numpy(net, x, source, causal):
    def dense(layer, x):
        return x @ layer.weight.asnumpy().T + layer.bias.asnumpy()

    q, k, v = dense(net.query, x), dense(net.key, source), dense(net.value, source)
    size, outs = net.units // net.heads, []
    for head in range(net.heads):
        part = slice(head * size, (head + 1) * size)
        scores = q[..., part] @ k[..., part].swapaxes(1, 2) / np.sqrt(size)
        if causal:
            scores[:, ~np.tri(*scores.shape[1:], dtype=bool)] = -np.inf
        outs.append(softmax(scores) @ v[..., part])
    return dense(net.out, np.concatenate(outs, -1))


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("heads", [1, 4])
def test_heads_attend_as_in_the_paper(heads, causal, compiled):
    net = nn.MultiHeadAttention(8, heads=heads, causal=causal).prepare(ng.array(X))
    net.hybridize(compiled)
    expected = by_numpy(net, X, X, causal)
    np.testing.assert_allclose(net(ng.array(X)), expected, rtol=1e-4, atol=1e-5)


def test_another_sequence_can_be_attended_to():
    source = np.random.default_rng(1).normal(size=(2, 7, 3)).astype("float32")
    net = nn.MultiHeadAttention(8, heads=2)
    found = net(ng.array(X), ng.array(source))
    np.testing.assert_allclose(found, by_numpy(net, X, source, False), rtol=1e-4, atol=1e-5)


def test_a_causal_block_sees_nothing_later():
    block = nn.TransformerBlock(8, heads=2, causal=True, dropout=0.5)
    other = X.copy()
    other[:, 3:] += 1
    a, b = (block(ng.array(x)).asnumpy() for x in (X, other))
    np.testing.assert_array_equal(a[:, :3], b[:, :3])
    assert (a[:, 3:] != b[:, 3:]).all()


def test_gradients_reach_all_parameters():
    block = nn.TransformerBlock(8, heads=2).prepare(ng.array(X))
    with ng.autograd.record():
        loss = (block(ng.array(X)) ** 2).sum()
    loss.backward()
    for name, array in block.parameters().items():
        flows = abs(array.grad.asnumpy()).max()
        # adding the same to all keys changes no softmax
        assert flows < 1e-3 if name == "attention.key.bias" else flows > 1e-3, name


def test_heads_share_the_units():
    with pytest.raises(ArgumentError, match="units=8 and heads=3"):
        nn.MultiHeadAttention(8, heads=3)
