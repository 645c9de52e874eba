"""Marian's inventory of operations and initialisers, each with the value that NumPy gives it."""

import math

import numpy as np
import pytest
from scipy import sparse, special

import nbgraph as ng
from nbgraph import nodes
from nbgraph.errors import ArgumentError

RNG = np.random.default_rng(3)
A, B = RNG.uniform(-0.9, 0.9, (3, 4)), RNG.uniform(0.2, 0.9, (3, 4))
ROW = RNG.permutation(4)
IMAGE = RNG.normal(size=(2, 3, 4, 4))
CSR = sparse.random(3, 5, density=0.5, format="csr", random_state=RNG, dtype="float64")
TURNED = CSR.T.tocsr()


def soft(x):
    e = np.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def normed(x, middle):
    low = x - middle
    return low / np.sqrt((low * low).mean(1, keepdims=True) + 1e-5)


def sparse_shares(x):
    """By bisection of the threshold, of which the shares' sum falls."""
    low, high = x.max(1, keepdims=True) - 1, x.max(1, keepdims=True)
    for _ in range(60):
        middle = (low + high) / 2
        above = np.maximum(x - middle, 0).sum(1, keepdims=True) >= 1
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return np.maximum(x - low, 0)


def pooled(x, how):
    return how(x.reshape(2, 3, 2, 2, 2, 2), axis=(3, 5))


# one operand: what is written here, and by NumPy
UNARY = {
    "Tanh": (ng.tanh, np.tanh),
    "Sin": (ng.sin, np.sin),
    "Cos": (ng.cos, np.cos),
    "Tan": (ng.tan, np.tan),
    "Exp": (ng.exp, np.exp),
    "Log": (lambda a: ng.log(a * a), lambda a: np.log(a * a)),
    "Abs": (abs, np.abs),
    "Sqr": (ng.square, np.square),
    "Sqrt": (lambda a: ng.sqrt(a * a), np.abs),
    "Neg": (lambda a: -a, np.negative),
    "Sgn": (ng.sign, np.sign),
    "Erf": (ng.erf, special.erf),
    "Round": (ng.round, np.round),
    "Floor": (ng.floor, np.floor),
    "Ceil": (ng.ceil, np.ceil),
    "Sigmoid": (ng.sigmoid, special.expit),
    "sReLU": (ng.relu, lambda a: np.maximum(a, 0)),
    "swish": (ng.swish, lambda a: a * special.expit(a)),
    "gelu": (ng.gelu, lambda a: a * special.ndtr(a)),
    "leakyrelu": (ng.leaky_relu, lambda a: np.where(a > 0, a, 0.01 * a)),
    "scalars": (lambda a: 2 - a / 3 + 1.5 * a, lambda a: 2 - a / 3 + 1.5 * a),
    "topk": (lambda a: ng.topk(a, 2, 1)[0], lambda a: -np.sort(-a, 1)[:, :2]),
    "argmax": (lambda a: ng.argmax(a, axis=1), lambda a: a.argmax(1)),
    "argmin": (lambda a: ng.argmin(a, axis=0), lambda a: a.argmin(0)),
    "sort": (lambda a: ng.sort(a, axis=1), lambda a: np.sort(a, 1)),
    "cumsum": (lambda a: ng.cumsum(a, axis=1), lambda a: np.cumsum(a, 1)),
    "logcumsumexp": (lambda a: ng.logcumsumexp(a, 1), lambda a: np.logaddexp.accumulate(a, 1)),
    "transpose": (ng.transpose, np.transpose),
    "swapAxes": (lambda a: ng.swapaxes(a, 0, 1), lambda a: a.T),
    "cast": (lambda a: nodes.cast(a, "float32"), lambda a: a.astype("float32")),
    "repeat": (lambda a: ng.repeat(a, 2, axis=1), lambda a: np.repeat(a, 2, 1)),
    "reshape": (lambda a: ng.reshape(a, (2, 6)), lambda a: a.reshape(2, 6)),
    "clip": (lambda a: ng.clip(a, -0.3, 0.3), lambda a: np.clip(a, -0.3, 0.3)),
    "clipGradient": (lambda a: ng.clip_gradient(a, 1.0), np.copy),
    "atleast_nd": (ng.atleast_3d, np.atleast_3d),
    "constant_like": (lambda a: ng.full_like(a, 2.5), lambda a: np.full_like(a, 2.5)),
    "flatten": (ng.ravel, np.ravel),
    "flatten_2d": (lambda a: ng.flatten(a.reshape(3, 2, 2)), lambda a: a.reshape(3, 4)),
    "stopGradient": (ng.stop_gradient, np.copy),
    "checkpoint": (ng.checkpoint, np.copy),
    "debug": (lambda a: ng.debug(a, "", callback=lambda *_: None), np.copy),
    "lambda": (lambda a: nodes.lambda_([a], _double), lambda a: 2 * a),
    "callback": (lambda a: nodes.callback(a, lambda _: None), np.copy),
    "gather": (lambda a: ng.take_along_axis(a, np.stack([ROW] * 3), 1), lambda a: a[:, ROW]),
    "scatter": (
        lambda a: ng.scatter_along_axis(a, np.stack([ROW] * 3), (3, 4), 1),
        lambda a: a[:, np.argsort(ROW)],
    ),
    "index_select": (lambda a: ng.index_select(a, 1, np.array([2, 0])), lambda a: a[:, [2, 0]]),
    "slice": (lambda a: nodes.slice(a, 1, 1, 3), lambda a: a[:, 1:3]),
    "sum": (lambda a: ng.sum(a, axis=1), lambda a: a.sum(1)),
    "mean": (lambda a: ng.mean(a, axis=0), lambda a: a.mean(0)),
    "std": (lambda a: ng.std(a, axis=1), lambda a: a.std(1)),
    "var": (lambda a: a.var(axis=1), lambda a: a.var(1)),
    "max": (lambda a: ng.max(a, axis=1), lambda a: a.max(1)),
    "min": (lambda a: ng.min(a, axis=1), lambda a: a.min(1)),
    "prod": (lambda a: ng.prod(a, axis=1), lambda a: a.prod(1)),
    "logsumexp": (lambda a: ng.logsumexp(a, axis=1), lambda a: special.logsumexp(a, 1)),
    "softmax": (ng.softmax, soft),
    "logsoftmax": (ng.logsoftmax, lambda a: np.log(soft(a))),
    "sparsemax": (ng.sparsemax, sparse_shares),
    "layerNorm": (ng.layer_norm, lambda a: normed(a, a.mean(1, keepdims=True))),
    "rmsNorm": (ng.rms_norm, lambda a: normed(a, 0)),
    "shift": (lambda a: ng.shift(a, (1, 0)), lambda a: np.r_[np.zeros((1, 4)), a[:-1]]),
    "cross_entropy": (
        lambda a: ng.cross_entropy(a, np.array([0, 3, 1]), reduction="none"),
        lambda a: -np.log(soft(a))[range(3), [0, 3, 1]],
    ),
    "unlikelihood": (
        lambda a: ng.unlikelihood(a, np.array([0, 3, 1]), reduction="none"),
        lambda a: -np.log(1 - soft(a)[range(3), [0, 3, 1]]),
    ),
    "csr_dot": (
        lambda a: nodes.csr_dot(TURNED.data, TURNED.indices, TURNED.indptr, a),
        lambda a: TURNED.toarray() @ a,
    ),
    "dot_csr": (
        lambda a: ng.dot_csr(ng.transpose(a), CSR.data, CSR.indices, CSR.indptr, columns=5),
        lambda a: a.T @ CSR.toarray(),
    ),
}
BINARY = {
    "Plus": (lambda a, b: a + b, np.add),
    "Minus": (lambda a, b: a - b, np.subtract),
    "Mult": (lambda a, b: a * b, np.multiply),
    "Div": (lambda a, b: a / b, np.divide),
    "Max": (ng.maximum, np.maximum),
    "Min": (ng.minimum, np.minimum),
    "Eq": (lambda a, b: a == b, np.equal),
    "NEq": (lambda a, b: a != b, np.not_equal),
    "Gt": (lambda a, b: a > b, np.greater),
    "Lt": (lambda a, b: a < b, np.less),
    "Geq": (lambda a, b: a >= b, np.greater_equal),
    "Leq": (lambda a, b: a <= b, np.less_equal),
    "And": (lambda a, b: ng.logical_and(a > 0, b > 0.5), lambda a, b: (a > 0) & (b > 0.5)),
    "Or": (lambda a, b: ng.logical_or(a > 0, b > 0.5), lambda a, b: (a > 0) | (b > 0.5)),
    "Pow": (lambda a, b: b**a, lambda a, b: b**a),
    "LogAddExp": (ng.logaddexp, np.logaddexp),
    "sPReLU": (ng.prelu, lambda a, b: np.where(a > 0, a, a * b)),
    "IfThenElse": (lambda a, b: ng.where(a > 0, a, b), lambda a, b: np.where(a > 0, a, b)),
    "dot": (lambda a, b: ng.dot(a, ng.transpose(b)), lambda a, b: a @ b.T),
    "bdot": (
        lambda a, b: ng.batch_dot(a.reshape(3, 2, 2), b.reshape(3, 2, 2)),
        lambda a, b: a.reshape(3, 2, 2) @ b.reshape(3, 2, 2),
    ),
    "affine": (lambda a, b: ng.fully_connected(a, b, np.ones(3)), lambda a, b: a @ b.T + 1),
    "affineWithReluDropout": (
        lambda a, b: ng.dropout(ng.relu(ng.fully_connected(a, b, np.ones(3))), 0.0),
        lambda a, b: np.maximum(a @ b.T + 1, 0),
    ),
    "concatenate": (
        lambda a, b: ng.concatenate([a, b], axis=1),
        lambda a, b: np.concatenate([a, b], 1),
    ),
    "choose": (
        lambda a, b: ng.choose(np.array([[1, 0, 1, 0]] * 3), [a, b]),
        lambda a, b: np.choose([[1, 0, 1, 0]] * 3, [a, b]),
    ),
    "scalar_product": (
        lambda a, b: nodes.scalar_product(a, b, 1),
        lambda a, b: (a * b).sum(1, keepdims=True),
    ),
    "weighted_average": (
        lambda a, b: nodes.weighted_average(a, b, 1),
        lambda a, b: (a * b).sum(1, keepdims=True) / b.sum(1, keepdims=True),
    ),
    "highway": (
        lambda a, b: ng.highway(a, b, a * b),
        lambda a, b: special.expit(a * b) * a + (1 - special.expit(a * b)) * b,
    ),
}


def _double(out, a):
    out[...] = 2 * a


def value_of(fn, *points):
    graph = ng.ExpressionGraph(dtype="float64", inference=True)
    made = fn(*[graph.constant(p.shape, p) for p in points])
    graph.forward()
    return made.val.asnumpy()


@pytest.mark.parametrize("name", [*UNARY, *BINARY])
def test_every_operation_is_there(name):
    """MXP-01: the inventory of expression operators: functional, reducing, moving, of rows."""
    points = (A,) if name in UNARY else (A, B)
    fn, by_numpy = UNARY[name] if name in UNARY else BINARY[name]
    expected = by_numpy(*points)
    found = value_of(fn, *points)
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=1e-6 if name == "cast" else 1e-9, atol=1e-12)


@pytest.mark.parametrize("name", ["avg", "max"])
def test_pools_are_there(name):
    """MXP-01: pooling of images."""
    pool = {"avg": ng.avg_pooling, "max": ng.max_pooling}[name]
    found = value_of(lambda x: pool(x, (2, 2), stride=2), IMAGE)
    np.testing.assert_allclose(found, pooled(IMAGE, {"avg": np.mean, "max": np.max}[name]))


def test_an_operation_that_is_not_there_is_told_by_name():
    """MXP-01: with what is near it."""
    with pytest.raises((AttributeError, ArgumentError), match=r"softmaxx.*softmax"):
        ng.nd.softmaxx  # noqa: B018


POSITIONS = 10000 ** (-np.arange(2) / 1)  # frequencies for rows of four
INITIALISERS = {
    "fromLambda": (lambda: ng.init.from_lambda(lambda _: np.full((3, 4), 2.0)), np.full((3, 4), 2)),
    "fromValue": (lambda: ng.init.from_value(1.5), np.full((3, 4), 1.5)),
    "fromVector": (lambda: ng.init.from_values(np.arange(12.0)), np.arange(12).reshape(3, 4)),
    "fromItem": (lambda: ng.init.from_values(A), A),
    "fromTensor": (lambda: ng.init.from_values(ng.array(A)), A),
    "fromSparseVector": (
        lambda: ng.init.from_sparse([1, 6], [2.0, 3.0]),
        np.bincount([1, 6], [2.0, 3.0], 12).reshape(3, 4),
    ),
    "eye": (lambda: ng.init.eye(2.0), 2 * np.eye(3, 4)),
    "range": (lambda: ng.init.arange(1, 0.5), 1 + 0.5 * np.arange(12).reshape(3, 4)),
    "zeros": (ng.init.zeros, np.zeros((3, 4))),
    "ones": (ng.init.ones, np.ones((3, 4))),
    "sinusoidal": (
        ng.init.sinusoidal,
        np.concatenate([f(np.arange(3)[:, None] * POSITIONS) for f in (np.sin, np.cos)], 1),
    ),
}


@pytest.mark.parametrize("name", INITIALISERS)
def test_initialisers_that_draw_nothing(name):
    """MXP-01: parameters of expression graphs take every initialiser."""
    make, expected = INITIALISERS[name]
    graph = ng.ExpressionGraph(dtype="float64")
    p = graph.param("p", (3, 4), make())
    graph.forward()
    np.testing.assert_allclose(p.val.asnumpy(), expected, rtol=1e-6, atol=1e-12)


DRAWN = {  # mean, standard deviation
    "normal": (lambda: ng.init.normal(1.0, 2.0), 1, 2),
    "uniform": (lambda: ng.init.uniform(-1.0, 3.0), 1, 4 / math.sqrt(12)),
    "bernoulli": (lambda: ng.init.bernoulli(0.25, 2.0, 1.0), 1.5, 2 * math.sqrt(3 / 16)),
    "glorotUniform": (ng.init.glorot_uniform, 0, math.sqrt(2 / 500)),
    "glorotNormal": (ng.init.glorot_normal, 0, math.sqrt(2 / 500)),
    "dropout": (lambda: ng.init.dropout(0.2), 1, 0.5),
    "gumbel": (ng.init.gumbel, np.euler_gamma, math.pi / math.sqrt(6)),
}


@pytest.mark.parametrize("name", DRAWN)
def test_initialisers_that_draw(name):
    """MXP-01: their mean and spread, within six standard errors."""
    make, mean, spread = DRAWN[name]
    ng.random.seed(7)
    graph = ng.ExpressionGraph(dtype="float64")
    p = graph.param("p", (200, 300), make())
    graph.forward()
    found = p.val.asnumpy()
    assert abs(found.mean() - mean) < 6 * spread / math.sqrt(found.size)
    assert abs(found.std() / spread - 1) < 0.03
