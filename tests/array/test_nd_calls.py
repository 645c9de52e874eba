"""Calls of ng.nd in NumPy's and in MXNet's words: the second and third like the first."""

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.array import namespace
from nbgraph.errors import ArgumentError

X, W = np.arange(12.0).reshape(3, 4) / 7 - 0.5, np.arange(8.0).reshape(2, 4) / 5
CALLS = {
    "clip(x, a_min=0, a_max=1)": np.clip(X, 0, 1),
    "clip(data=x, a_min=0.0, a_max=0.5)": np.clip(X, 0, 0.5),
    "clip(x, 0, 1)": np.clip(X, 0, 1),
    "sum(x, axis=())": np.sum(X),
    "sum(x, axis=(0, 1))": np.sum(X),
    "sum(data=x, axis=(0,))": np.sum(X, 0),
    "sum(x, axis=1, keepdims=True)": np.sum(X, 1, keepdims=True),
    "smooth_l1(x, scalar=1.0)": np.where(abs(X) < 1, X * X / 2, abs(X) - 0.5),
    "FullyConnected(data=x, weight=w, num_hidden=2, no_bias=True)": X @ W.T,
    "FullyConnected(x, w, no_bias=True, num_hidden=2)": X @ W.T,
    "broadcast_add(lhs=x, rhs=x)": X + X,
    "broadcast_add(rhs=x, lhs=2 * x)": X * 3,
    "broadcast_minus(rhs=x, lhs=3 * x)": X * 2,
    "elemwise_sub(lhs=x, rhs=2 * x)": -X,
    "exp(data=x)": np.exp(X),
    "expand_dims(data=x, axis=0)": X[None],
    "slice_axis(x, axis=1, begin=1, end=3)": X[:, 1:3],
    "softmax(x, axis=-1)": np.exp(X) / np.exp(X).sum(-1, keepdims=True),
    "softmax(data=x, temperature=1.0)": np.exp(X) / np.exp(X).sum(-1, keepdims=True),
    "swapaxes(x, dim1=0, dim2=1)": X.T,
    "transpose(x, axes=(1, 0))": X.T,
    "transpose(x, axes=())": X.T,
    "tile(x, reps=(2, 1))": np.tile(X, (2, 1)),
    "cast(x, dtype='float32')": X.astype("f"),
    "zeros((2, 3), ctx=ng.cpu())": np.zeros((2, 3)),
    "full((2,), val=3.0)": np.full(2, 3.0),
    "eye(3, M=4)": np.eye(3, 4),
    "zeros((2, 3), ng.cpu(), 'int32')": np.zeros((2, 3)),
    "ones((2,), ng.cpu())": np.ones(2),
    "full((2,), 3.0, ng.cpu())": np.full(2, 3.0),
    "arange(0, 2, 1, 2)": [0, 0, 1, 1],
    "rint(3 * w)": np.array([[0, 1, 1, 2], [2, 3, 4, 4]]),
    "round(ng.array([-2.5, 0.5, 1.5]))": [-3, 1, 2],
    "round(ng.array([1.25, 2.75]), 1)": [1.2, 2.8],
    "max(x, 1, True)": X.max(1, keepdims=True),
    "min(x, 0, False, True)": X.min(1),
    "nansum(x, 1, True)": X.sum(1, keepdims=True),
    "argmax(x, 1, True)": X.argmax(1)[:, None],
    "sort(x, 1, False)": -np.sort(-X),
    "smooth_l1(x, 1.0)": np.where(abs(X) < 1, X * X / 2, abs(X) - 0.5),
    "batch_dot(x[None], w[None], False, True)": (X @ W.T)[None],
    "linalg.gemm2(x, w, False, True, 2.0)": 2 * X @ W.T,
    "one_hot(ng.array([1, 0]), 2, 5.0, 1.0)": [[1, 5], [5, 1]],
    "Dropout(x, 0.5)": X,
    "Embedding(ng.array([1, 0]), x, 3, 4)": X[[1, 0]],
    "FullyConnected(x, w, None, 2, True)": X @ W.T,
    "LayerNorm(x, w[0] + 1, w[0], -1, 0.0)": (X - X.mean(1, keepdims=True))
    / X.std(1, keepdims=True)
    * (W[0] + 1)
    + W[0],
    "LeakyReLU(x, None, 'leaky', 0.5)": np.where(X > 0, X, X / 2),
    "BatchNorm(x, w[0] + 1, w[0], w[0], w[0] + 1, 0.0, 0.9, False)": (X - W[0])
    / np.sqrt(W[0] + 1)
    * (W[0] + 1)
    + W[0],
    "Convolution(x[None], w[:, :3, None], None, (1,), (2,), (1,), (0,), 2, 1, 9, True)": (
        W[:, :3] @ X
    )[None, :, ::2],
    "Deconvolution(x[None], w[:, :3, None].swapaxes(0, 1), None, (1,), (1,), (1,), (0,), (0,), "
    "(0,), 2)": (W[:, :3] @ X)[None],
    "Pooling(x[None], (2,), 'max', False, False, 'valid', (2,))": X[None, :, 1::2],
    "pad(x[None, None], 'constant', (0, 0, 0, 0, 0, 0, 1, 0), 2.0)": np.pad(
        X, ((0, 0), (1, 0)), constant_values=2
    )[None, None],
    "split(x[:, :1], 1, 1, True)": X[:, 0],
    "sort(x, is_ascend=False)": -np.sort(-X),
    "reshape(x, shape=(0, -1, 2))": X.reshape(3, 2, 2),
    "dot(lhs=x, rhs=w, transpose_b=True)": X @ W.T,
    "dot(x, w.T)": X @ W.T,
    "dot(w, w, transpose_a=True)": W.T @ W,
    "concat(x, w, dim=0)": np.concatenate([X, W]),
    "norm(x)": np.linalg.norm(X),
    "norm(x, ord=1, axis=1)": abs(X).sum(1),
    "pad(x, pad_width=(1, 1, 0, 0), mode='constant')": np.pad(X, ((1, 1), (0, 0))),
    "topk(x, k=2, ret_typ='value')": -np.sort(-X)[:, :2],
    "take(x, ng.array([1, 0]))": X[[1, 0]],
    "random.randn(2, 3, loc=1.0, scale=0.0, ctx=ng.cpu())": np.ones((2, 3)),
    "random.exponential(0.0, shape=(2,))": np.zeros(2),
    "random.normal(loc=1.0, scale=0.0, shape=(2,))": np.ones(2),
    "random.normal(1.0, 0.0, shape=(2,), dtype='float64', ctx=ng.cpu())": np.ones(2),
    "random.uniform(low=2.0, high=2.0, shape=(3,))": np.full(3, 2.0),
    "linalg.gemm2(x, w, transpose_b=True)": X @ W.T,
}


@pytest.mark.parametrize("text", CALLS)
def test_calls_alike_give_the_same(text, monkeypatch):
    monkeypatch.setattr(namespace, "_PASSED_ON", type(namespace._PASSED_ON)())
    scope = {"ng": ng, "x": ng.array(X), "w": ng.array(W)}
    for _ in range(3):
        result = eval("ng.nd." + text, scope).asnumpy()
        np.testing.assert_allclose(result, CALLS[text], 1e-6, 1e-6, err_msg=text)


MADE = {  # MXNet makes float32 of integers
    "arange(3)": ("float32", [0, 1, 2]),
    "arange(1, 3, ctx=ng.cpu())": ("float32", [1, 2]),
    "arange(start=1, stop=3)": ("float32", [1, 2]),
    "arange(2, 8, 3, 2)": ("float32", [2, 2, 5, 5]),
    "arange(0, 4, 2, 'int32')": ("int32", [0, 2]),
    "full((2,), 3)": ("float32", [3, 3]),
    "full(shape=(2,), val=3)": ("float32", [3, 3]),
    "full((2,), 3, dtype='int8')": ("int8", [3, 3]),
    "full((2,), 1j)": ("complex64", [1j, 1j]),
}


@pytest.mark.parametrize("text", MADE)
def test_arrays_made_of_integers(text):
    dtype, wanted = MADE[text]
    for _ in range(2):
        result = eval("ng.nd." + text, {"ng": ng})
        assert result.dtype == dtype
        assert result.tolist() == wanted
    assert eval("ng.sym." + text, {"ng": ng}).infer_type()[1] == [np.dtype(dtype)]


def test_an_axis_of_another_kind_is_another_call():
    x = ng.array(X)
    for _ in range(3):
        assert ng.nd.sum(x, axis=(0,)).shape == (4,)
        assert ng.nd.sum(x, axis=()).shape == ()
        assert ng.nd.sum(x, axis=0).shape == (4,)
        assert ng.nd.sum(X, axis=1).shape == (3,)


def test_where_values_decide_other_values_are_other_calls():
    """Codes of a shape, orders of a norm, one array in two places."""
    x, w = ng.array(X), ng.array(W)
    for _ in range(3):
        assert ng.nd.reshape(x, shape=(0, -1, 2)).shape == (3, 2, 2)
        assert not np.signbit(ng.nd.full((1,), 0.0)).any()
        assert np.signbit(ng.nd.full((1,), -0.0)).all()
        assert ng.nd.reshape(x, shape=(4, 3)).shape == (4, 3)
        assert ng.nd.reshape(w, shape=(0, -1, 2)).shape == (2, 2, 2)
        assert ng.nd.reshape(x, shape=(-1, 0)).shape == (3, 4)
        np.testing.assert_allclose(ng.nd.norm(x, ord=1), abs(X).sum(), rtol=1e-6)
        np.testing.assert_allclose(ng.nd.norm(x, ord=2), np.linalg.norm(X), rtol=1e-6)
        np.testing.assert_allclose(ng.nd.dot(x, x.T), X @ X.T, rtol=1e-5)
        np.testing.assert_allclose(ng.nd.dot(w, x.T), W @ X.T, rtol=1e-5)
        np.testing.assert_allclose(ng.nd.dot(w, w, transpose_b=True), W @ W.T, rtol=1e-5)
        np.testing.assert_allclose(ng.nd.dot(w, x, transpose_b=True), W @ X.T, rtol=1e-5)
        np.testing.assert_array_equal(ng.nd.concat(w, w, dim=0), np.concatenate([W, W]))
        np.testing.assert_array_equal(ng.nd.concat(w, 2 * w, dim=0), np.concatenate([W, 2 * W]))


def test_words_of_both_may_take_turns():
    x = ng.array(X)
    for _ in range(3):
        for call in (
            lambda: ng.nd.clip(x, a_min=0, a_max=1),
            lambda: ng.nd.clip(x, min=0, max=1),
            lambda: ng.nd.clip(x, a_max=1, a_min=0),
            lambda: ng.nd.clip(x, max=1, min=0),
        ):
            np.testing.assert_array_equal(call().asnumpy(), np.clip(X, 0, 1))


def test_groups_are_not_looked_for_among_names(monkeypatch):
    """Near names of a group's name were worked out at every call."""
    from nbgraph.operator import registry

    monkeypatch.setattr(registry, "suggestion", lambda *_: pytest.fail("near names"))
    assert ng.nd.random.normal(shape=(2,)).shape == (2,)
    assert ng.nd.linalg.det(ng.eye(2)).tolist() == 1
    assert ng.nd.random is ng.nd.random


@pytest.mark.parametrize("name", ["sum", "softmax", "sgd_update"])
def test_memory_of_another_kind_is_written_or_refused(name):
    """A result that went to a copy of `out` was lost."""
    operands = [X, X] if name == "sgd_update" else [X]
    options = {"lr": 0.1} if name == "sgd_update" else {}
    out = np.zeros(() if name == "sum" else X.shape)
    with pytest.raises(ArgumentError, match="out is an ndarray; expected an NDArray"):
        getattr(ng.nd, name)(*operands, out=out, **options)
    own = ng.array(out)
    assert getattr(ng.nd, name)(*operands, out=own, **options) is own
    assert own.asnumpy().any()


CHOICES = {
    "sort": ("sort(x, is_ascend={})", (True, False)),
    "argsort": ("argsort(x, is_ascend={})", (True, False)),
    "linalg_potrf": ("linalg_potrf(s, lower={})", (True, False)),
    "linalg_potri": ("linalg_potri(t, lower={})", (True, False)),
    "softmax": ("softmax(x, length=n, use_length={})", (True, False)),
    "eye": ("eye(N=3, M={})", (2, 0)),
    "transpose": ("transpose(x, axes={})", ((0, 1), ())),
}


@pytest.mark.parametrize("name", CHOICES)
@pytest.mark.parametrize("turned", [False, True])
def test_a_value_decides_at_each_call(name, turned):
    """No result depends on the calls before."""
    text, choices = CHOICES[name]
    s = np.array([[4.0, 2.0], [2.0, 3.0]])
    names = {
        "x": ng.array(X),
        "s": ng.array(s),
        "t": ng.array([[2.0, 0.0], [1.0, 1.5]]),
        "n": ng.array([1, 2, 3], dtype="int32"),
    }

    def run(choice):
        return eval(f"nd.{text.format(choice)}", {"nd": ng.nd, **names}).asnumpy()

    alone = []
    for choice in choices:
        namespace._PASSED_ON.clear()
        alone.append(run(choice))
    assert alone[0].shape != alone[1].shape or (alone[0] != alone[1]).any()
    namespace._PASSED_ON.clear()
    for _ in range(3):
        for k in (1, 0) if turned else (0, 1):
            np.testing.assert_array_equal(run(choices[k]), alone[k])


def test_arguments_by_place_in_mxnets_order():
    x = ng.array([[[3.0, 1.0, 2.0], [6.0, 5.0, 4.0]]])
    np.testing.assert_array_equal(
        ng.nd.topk(x, 2, 2).asnumpy(), ng.nd.topk(x, axis=2, k=2).asnumpy()
    )
    for name in ("sum", "mean", "prod"):
        call = getattr(ng.nd, name)
        np.testing.assert_array_equal(
            call(x, 1, True).asnumpy(), call(x, axis=1, keepdims=True).asnumpy()
        )
    assert ng.nd.contrib.AdaptiveAvgPooling2D(ng.ones((1, 2, 4, 4))).shape == (1, 2, 1, 1)
