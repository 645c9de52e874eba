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


@pytest.mark.parametrize("size", [5, 200])
def test_weights_are_dropped_in_training_alone(size):
    net = nn.MultiHeadAttention(8, heads=2, dropout=0.5)
    x = ng.random.normal(size=(2, size, 8))
    np.testing.assert_array_equal(net(x), net(x))
    with ng.autograd.train_mode():
        assert (net(x).asnumpy() != net(x).asnumpy()).any()
    once = ng.ones((1, size, 4))
    with ng.autograd.record():
        mixed = nn.attend(once, once, once, dropout=0.25)
    assert abs(mixed.asnumpy().mean() - 1) < 6 / size
    assert len(np.unique(mixed)) > 1


def test_heads_share_the_units():
    with pytest.raises(ArgumentError, match="units=8 and heads=3"):
        nn.MultiHeadAttention(8, heads=3)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_what_is_masked_is_not_seen(dtype):
    """Whether a mask says what is seen, or adds; in every float, together with causal."""
    x = np.random.default_rng(3).normal(size=(2, 1, 4, 2))
    seen = np.array([[1, 0, 1, 1], [1, 1, 0, 1]], bool)[:, None, None]
    q = ng.array(x, dtype)
    found = [nn.attend(q, q, q, mask=seen, causal=True).astype("float64").asnumpy()]
    low = ng.array(np.where(seen, 0.0, -60000.0), dtype)
    found.append(nn.attend(q, q, q, mask=low, causal=True).astype("float64").asnumpy())
    given = q.astype("float64").asnumpy()
    scores = given @ given.swapaxes(-1, -2) / np.sqrt(2)
    scores = np.where(seen & np.tri(4, dtype=bool), scores, -np.inf)
    rtol = {"float16": 4e-3, "bfloat16": 4e-2}.get(dtype, 1e-5)
    for own in found:
        np.testing.assert_allclose(own, softmax(scores) @ given, rtol=rtol, atol=rtol)
    blind = nn.attend(q, q, q, mask=np.zeros((4, 4), bool)).astype("float64").asnumpy()
    np.testing.assert_allclose(blind, np.repeat(given.mean(2, keepdims=True), 4, 2), atol=4 * rtol)


def test_padding_does_not_change_what_comes_before():
    """A shorter sequence gives the same in a batch with longer ones, and takes no gradient."""
    block = nn.TransformerBlock(8, heads=2).prepare(ng.array(X))
    short = block(ng.array(X[:, :3])).asnumpy()
    x = ng.array(X)
    x.attach_grad()
    seen = np.arange(5) < 3
    with ng.autograd.record():
        out = block(x, seen)[:, :3]
    np.testing.assert_allclose(out.asnumpy(), short, rtol=1e-4, atol=1e-5)
    out.backward()
    assert not x.grad.asnumpy()[:, 3:].any()
