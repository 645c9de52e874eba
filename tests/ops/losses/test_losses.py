"""Losses against formulas of NumPy, in every world; cross entropy against high precision."""

import doctest

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nbgraph as ng
from nbgraph.errors import ArgumentError, DTypeError, ShapeError
from tests.operator.simple import entropy as recipe

RNG = np.random.default_rng(0)
X, T = RNG.normal(size=(5, 4)), RNG.uniform(0.05, 0.95, size=(5, 4))
SIGNS = np.where(X > 0.3, 1.0, -1.0)
HITS = (SIGNS > 0) * 1.0
LABEL = np.array([1, 0, 3, 3, 2])


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def log_softmax(x, axis=-1):
    x = x.astype("float64")
    top = x.max(axis=axis, keepdims=True)
    return x - top - np.log(np.exp(x - top).sum(axis=axis, keepdims=True))


def binary(p, t):
    return -t * np.log(p) - (1 - t) * np.log(1 - p)


def cosine(a, b):
    return (a * b).sum(-1) / np.sqrt((a * a).sum(-1) * (b * b).sum(-1))


def focal(x, t, alpha, gamma):
    p = sigmoid(x)
    right = p * t + (1 - p) * (1 - t)
    return (alpha * t + (1 - alpha) * (1 - t)) * (1 - right) ** gamma * binary(p, t)


FORMULAS = {
    "l1_loss": ((X, T), {}, np.abs(X - T)),
    "l2_loss": ((X, T), {}, (X - T) ** 2 / 2),
    "smooth_l1_loss": (
        (X, T),
        {"beta": 0.5},
        np.where(np.abs(X - T) < 0.5, (X - T) ** 2, np.abs(X - T) - 0.25),
    ),
    "huber_loss": (
        (X, T),
        {"delta": 0.5},
        np.where(np.abs(X - T) < 0.5, (X - T) ** 2 / 2, 0.5 * np.abs(X - T) - 0.125),
    ),
    "hinge_loss": ((X, SIGNS), {"margin": 0.5}, np.maximum(0.5 - X * SIGNS, 0)),
    "squared_hinge_loss": ((X, SIGNS), {}, np.maximum(1 - X * SIGNS, 0) ** 2),
    "logistic_loss": ((X, SIGNS), {}, np.log1p(np.exp(-X * SIGNS))),
    "binary_cross_entropy": ((T, HITS), {}, binary(T, HITS)),
    "binary_cross_entropy_with_logits": (
        (X, T),
        {"positive_weight": 3},
        -3 * T * np.log(sigmoid(X)) - (1 - T) * np.log(1 - sigmoid(X)),
    ),
    "focal_loss": ((X, HITS), {"alpha": 0.3, "gamma": 1.5}, focal(X, HITS, 0.3, 1.5)),
    "kl_divergence": ((X, T), {}, T * (np.log(T) - X)),
    "cosine_embedding_loss": (
        (X, T, SIGNS[:, 0]),
        {"margin": -0.1},
        np.where(SIGNS[:, 0] > 0, 1 - cosine(X, T), np.maximum(cosine(X, T) + 0.1, 0)),
    ),
    "triplet_margin_loss": (
        (X, T, SIGNS),
        {"margin": 1.5},
        np.maximum(np.linalg.norm(X - T, axis=-1) - np.linalg.norm(X - SIGNS, axis=-1) + 1.5, 0),
    ),
    "cross_entropy": ((X, LABEL), {}, -log_softmax(X)[np.arange(5), LABEL]),
    "unlikelihood": ((X, LABEL), {}, -np.log(1 - np.exp(log_softmax(X)[np.arange(5), LABEL]))),
}


@pytest.mark.parametrize("name", FORMULAS)
def test_formulas(name):
    """MXP-08: each loss is its formula; what it is reduced to; weights."""
    operands, options, wanted = FORMULAS[name]
    fn = getattr(ng, name)
    own = fn(*operands, **options, reduction="none")
    np.testing.assert_allclose(own, wanted, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(fn(*operands, **options), wanted.mean(), rtol=1e-12)
    np.testing.assert_allclose(fn(*operands, **options, reduction="sum"), wanted.sum(), rtol=1e-12)
    if name not in ("cross_entropy", "unlikelihood"):
        weight = np.arange(len(wanted)).reshape(-1, *[1] * (wanted.ndim - 1))
        weighed = fn(*operands, **options, weight=weight)
        np.testing.assert_allclose(weighed, (wanted * weight).mean(), rtol=1e-12)
    with pytest.raises(ArgumentError, match=f"{name}: reduction='most'; expected 'mean'"):
        fn(*operands, **options, reduction="most")


@pytest.mark.parametrize("name", FORMULAS)
def test_worlds(name):
    """MXP-01: arrays, symbols and expressions give what NumPy arrays give; so do gradients."""
    operands, options, _ = FORMULAS[name]
    fn = getattr(ng, name)
    given = [a if a.dtype.kind == "i" else a.astype("float32") for a in map(np.asarray, operands)]
    own = fn(*given, **options)
    assert own.dtype == np.float32
    arrays = [ng.array(a) for a in given]
    arrays[0].attach_grad()
    with ng.autograd.record():
        loss = fn(*arrays, **options)
    loss.backward()
    np.testing.assert_allclose(loss.asnumpy(), own, rtol=1e-6)
    names = "abc"[: len(given)]
    made = fn(
        *(ng.var(n, shape=a.shape, dtype=a.dtype) for n, a in zip(names, given, strict=True)),
        **options,
    )
    made = ng.load_json(made.tojson()) if hasattr(ng, "load_json") else made
    exe = made.simple_bind(
        ng.cpu(),
        grad_req={n: "write" if n == "a" else "null" for n in names},
        **{n: a.shape for n, a in zip(names, given, strict=True)},
    )
    (bound,) = exe.forward_backward(**dict(zip(names, given, strict=True)))
    np.testing.assert_allclose(bound.asnumpy(), own, rtol=1e-6)
    np.testing.assert_allclose(
        exe.grad_dict["a"].asnumpy(), arrays[0].grad.asnumpy(), rtol=1e-5, atol=1e-7
    )


@pytest.mark.parametrize("name", sorted(set(FORMULAS) - {"triplet_margin_loss", "unlikelihood"}))
@pytest.mark.parametrize("kind", ["int64", "int32", "uint8", "bool"])
def test_labels_and_weights_of_integers_keep_the_dtype_of_scores(name, kind):
    (x, *others, target), options, _ = FORMULAS[name]
    fn, first = getattr(ng, name), [v.astype("float32") for v in (x, *others)]
    target = (np.abs(target) > 0.5).astype(kind)
    option = "class_weight" if name == "cross_entropy" else "weight"
    for weight in (None, np.arange(1, 5)):
        how = options | {option: weight} if name != "cosine_embedding_loss" else options
        wanted = fn(*first, target.astype("float32"), **how)
        for make in (np.asarray, ng.array):
            own = fn(*map(make, first), make(target), **how)
            assert own.dtype == np.float32
            np.testing.assert_allclose(own, wanted, rtol=1e-6)


# cross entropy ----------------------------------------------------------------------------------


def exact(row, label):
    with mpmath.workdps(60):
        powers = [mpmath.exp(mpmath.mpf(float(v))) for v in row]
        return float(mpmath.log(mpmath.fsum(powers)) - mpmath.mpf(float(row[label])))


@pytest.mark.parametrize("scale", [1e-3, 1.0, 30.0, 1e4])
@pytest.mark.parametrize(("dtype", "rtol"), [("float32", 3e-6), ("float64", 1e-14)])
def test_accuracy(dtype, rtol, scale):
    """MTE-08: scores of any size; the loss of what is nearly certain keeps its digits."""
    x = (scale * RNG.normal(size=(20, 60))).astype(dtype)
    label = RNG.integers(0, 60, 20)
    own = ng.cross_entropy(x, label, reduction="none")
    wanted = [exact(row, k) for row, k in zip(x, label, strict=True)]
    np.testing.assert_allclose(own, wanted, rtol=rtol, atol=4 * np.finfo(dtype).eps)
    loss, top, inverse = ng.ops.label_entropy(ng.array(x), ng.array(label))
    one = np.ones_like(loss.asnumpy())
    slope = ng.ops.label_entropy_gradient(x, label, top.asnumpy(), inverse.asnumpy(), one, one)
    right = np.exp(log_softmax(x)) - np.eye(60)[label]
    np.testing.assert_allclose(slope, right, rtol=2e2 * rtol, atol=40 * np.finfo(dtype).eps)


@settings(max_examples=30)
@given(st.integers(0, 6), st.integers(1, 5), st.integers(0, 2**32 - 1), st.sampled_from("efd"))
def test_against_the_recipe(samples, classes, seed, char):
    """SMP-38: the row program agrees with the simple operator of the document."""
    rng = np.random.default_rng(seed)
    data = rng.normal(scale=5, size=(samples, classes)).astype(char)
    label = rng.integers(0, classes, samples).astype(rng.choice(["int64", "uint8", "float32"]))
    found = ng.softmax_cross_entropy(data, label)
    assert found.dtype == data.dtype and found.shape == ()
    rtol = {"e": 4e-3, "f": 1e-5, "d": 1e-12}[char]
    wanted = recipe.softmax_cross_entropy(data, label)
    np.testing.assert_allclose(found, wanted, rtol=rtol, atol=rtol)
    grads = []
    for fn in (ng.softmax_cross_entropy, recipe.softmax_cross_entropy):
        x = ng.array(data)
        x.attach_grad()
        with ng.autograd.record():
            loss = fn(x, ng.array(label)) * 2.5
        loss.backward()
        grads.append(x.grad.asnumpy().astype("float64"))
    np.testing.assert_allclose(*grads, rtol=8 * rtol, atol=2 * rtol)


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_options_of_cross_entropy(axis, reduction):
    """MTE-08: weights of classes, classes that do not count, smoothed labels."""
    x = RNG.normal(size=(4, 5, 6))
    size = x.shape[axis]
    label = RNG.integers(-1, size, np.delete(x.shape, axis))
    weight, smoothing = RNG.uniform(0.5, 2, size), 0.2
    counts, safe = label >= 0, np.maximum(label, 0)
    log_p = np.moveaxis(log_softmax(x, axis), axis, -1)
    shares = (1 - smoothing) * np.eye(size)[safe] + smoothing / size
    each = -(log_p * shares * weight).sum(-1) * counts
    whole = (counts * weight[safe]).sum()
    wanted = {"mean": each.sum() / whole, "sum": each.sum(), "none": each}[reduction]
    options = {"label_smoothing": smoothing, "reduction": reduction}
    found = ng.cross_entropy(x, label, axis, class_weight=weight, ignore_index=-1, **options)
    np.testing.assert_allclose(found, wanted, rtol=1e-12)
    one = np.moveaxis(np.eye(size)[safe], -1, axis)
    dense = ng.cross_entropy(x, one, axis, **options)
    plain = ng.cross_entropy(x, safe, axis, **options)
    np.testing.assert_allclose(dense, plain, rtol=1e-12)


def test_shares_of_nothing_cost_nothing():
    """MTE-08: 0 * log(0) is 0; scores of -inf have probability 0."""
    x = np.array([[0.0, -np.inf, 0.0]])
    assert ng.cross_entropy(x, np.array([[0.5, 0, 0.5]])) == pytest.approx(np.log(2))
    assert ng.cross_entropy(x, [1]) == np.inf
    assert ng.cross_entropy(x, [0]) == pytest.approx(np.log(2))
    assert np.isnan(ng.cross_entropy(np.full((1, 2), -np.inf), [0]))


def test_large_values_do_not_overflow():
    """MTE-08: differences are what counts."""
    data = np.array([[1e4, -1e4], [700.0, 710.0]])
    found = ng.softmax_cross_entropy(data, np.array([0, 0]))
    np.testing.assert_allclose(found, np.log1p(np.exp(10)))
    x = np.array([1000.0, -1000.0])
    found = ng.binary_cross_entropy_with_logits(x, [0.0, 1.0], reduction="none")
    assert found.tolist() == [1000, 1000]
    assert ng.focal_loss(x, [1.0, 0.0], reduction="none").tolist() == [0, 0]


def test_probabilities_that_are_certain():
    """MXP-08: logarithms of 0 count where something is said against them."""
    found = ng.binary_cross_entropy([0.0, 1.0, 0.0, 1.0], [0.0, 1.0, 1.0, 0.0], reduction="none")
    assert found.tolist() == [0, 0, np.inf, np.inf]
    assert ng.kl_divergence([-1.0], [0.0]) == 0


def test_bad_input_is_named():
    """OPR-16: operator, argument, the given, the expected, the remedy."""
    with pytest.raises(ShapeError, match=r"data\(3,\) and label\(3,\); expected data"):
        ng.softmax_cross_entropy(np.ones(3), np.ones(3))
    with pytest.raises(ShapeError, match=r"data\(3, 2\) and label\(2,\)"):
        ng.softmax_cross_entropy(np.ones((3, 2)), np.ones(2))
    with pytest.raises(DTypeError, match="data has dtype int64; .*use astype"):
        ng.softmax_cross_entropy(np.ones((3, 2), int), np.ones(3))
    with pytest.raises(DTypeError, match="x has dtype int64; .*use astype"):
        ng.cross_entropy(np.ones((3, 2), int), np.ones(3, int))
    for label in ([0, 2], [0, -1], [0.0, np.nan]):
        with pytest.raises(ValueError, match=r"label\[1\] is"):
            ng.softmax_cross_entropy(np.ones((2, 2)), np.array(label))
    with pytest.raises(
        ShapeError, match=r"target has shape \(3, 3\); expected \(3, 2\), that of x"
    ):
        ng.cross_entropy(np.ones((3, 2)), np.ones((3, 3)))
    with pytest.raises(ArgumentError, match="ignore_index=0 is for classes"):
        ng.cross_entropy(np.ones((3, 2)), np.ones((3, 2)), ignore_index=0)
    for smoothing in (1, -0.1, "0", True):
        with pytest.raises(ArgumentError, match="cross_entropy: label_smoothing="):
            ng.cross_entropy(np.ones((3, 2)), [0, 1, 1], label_smoothing=smoothing)
    with pytest.raises(ArgumentError, match="huber_loss: delta=-1; expected a number from 0 on"):
        ng.huber_loss([1.0], [1.0], delta=-1)


def test_the_examples_in_the_descriptions_run():
    parsed = doctest.DocTestParser().get_doctest(ng.roi_pooling.__doc__, {}, "roi", None, 0)
    assert parsed.examples
    assert doctest.DocTestRunner().run(parsed).failed == 0
