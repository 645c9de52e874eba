"""Operators against the numbers that Marian's unit tests hold (OPP-24), in arrays and in graphs.

Marian keeps the axis that it reduces; the numbers are the same. Left out are those that follow from
its own random numbers.
"""

import numpy as np
import pytest

import nbgraph as ng

GRID = np.array([0, 0.3333, -0.2, -0.3, 0, 4.5, 5.2, -10, 101.45, -100.05, 0, 1.05e-5], "float32")
CUBE = GRID.reshape(2, 2, 3)
SCAN = np.array([[-0.1, -1.2, -0.4], [1.2, 2.3, -3.4], [-2.2, 1.0, -1.2]], "float32")
SOFT = np.array([-0.2, -0.3, 4.5, 5.2, -10, 101.45, -100.05, 1.05e-5], "float32").reshape(2, 2, 2)
ROWS = np.array([[1, 6, 3, 8], [5, 2, 7, 4]], "float32")
COUNT = np.arange(1, 13, dtype="float32")
SIGNS = COUNT * np.resize([1, -1], 12).astype("float32")
PAIR = np.array([[1, -2], [3, -4]], "float32"), np.array([0.5, 1.5], "float32")
SHARES = SCAN - np.log(np.exp(SCAN).sum(axis=-1, keepdims=True))
INF = np.inf


def reduced(name, axis=1):
    return lambda s, x: getattr(s, name)(x, axis=axis)


CASES = {
    "softmax": (
        lambda s, x: s.softmax(x, axis=-1),
        [SOFT],
        [0.52498, 0.47502, 0.33181, 0.66819, 0, 1, 0, 1],
    ),
    "log_softmax": (
        lambda s, x: s.log_softmax(x, axis=-1),
        [SOFT],
        [-0.6444, -0.7444, -1.10319, -0.40319, -111.45, 0, -100.05001, 0],
    ),
    "sum": (reduced("sum", 0), [ROWS], [6, 8, 10, 12]),
    "std": (reduced("std"), [ROWS], [2.6925824, 1.80277564]),
    "var": (lambda s, x: x.var(axis=1), [ROWS], [7.25, 3.25]),
    "max": (reduced("max"), [ROWS], [8, 7]),
    "min": (reduced("min"), [ROWS], [1, 2]),
    "prod": (reduced("prod"), [ROWS], [144, 280]),
    "logsumexp": (reduced("logsumexp"), [ROWS], [8.13364336, 7.17551536]),
    "mean": (reduced("mean", 0), [np.float32([8, 8, 16])], [10.66666]),
    "large logsumexp": (reduced("logsumexp", 0), [np.float32([8, 8, 16])], [16.00067]),
    "logaddexp": (
        lambda s, x, y: s.logaddexp(x, y),
        PAIR,
        np.log(np.exp(PAIR[0]) + np.exp(PAIR[1])),
    ),
    "transpose": (
        lambda s, x: s.transpose(s.reshape(x, (2, 1, 2, 2)), (1, 3, 2, 0)),
        [COUNT[:8]],
        [1, 5, 3, 7, 2, 6, 4, 8],
    ),
    "dot": (
        lambda s, x, y: s.matmul(s.reshape(x, (2, 2, 3)), y),
        [COUNT, COUNT[:6].reshape(3, 2)],
        [22, 28, 49, 64, 76, 100, 103, 136],
    ),
    "affine": (
        lambda s, x, w, b: s.relu(s.fully_connected(x, s.transpose(w), b)),
        [COUNT.reshape(4, 3), np.float32([[1, -2], [3, 4], [-5, 6]]), np.float32([2, 2])],
        [0, 26, 0, 50, 0, 74, 0, 98],
    ),
    "bdot": (
        lambda s, x, y: s.matmul(x, s.swapaxes(y, -1, -2)),
        [COUNT[:8].reshape(2, 1, 2, 2), COUNT.reshape(1, 3, 2, 2)],
        [5, 11, 11, 25, 17, 23, 39, 53, 29, 35, 67, 81]
        + [17, 39, 23, 53, 61, 83, 83, 113, 105, 127, 143, 173],
    ),
    "tile": (
        lambda s, x: s.tile(x, (1, 2)),
        [COUNT[:6].reshape(2, 3)],
        [1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6],
    ),
    "gather": (
        lambda s, x, n: s.take_along_axis(x, n, 1),
        [SIGNS.reshape(2, 3, 2), np.array([[[2], [1]], [[0], [2]]])],
        [5, -6, 3, -4, 7, -8, 11, -12],
    ),
    "topk": (
        lambda s, x: s.topk(x, k=2, axis=-1, ret_typ="value"),
        [CUBE],
        [0.3333, 0, 4.5, 0, 101.45, 5.2, 1.05e-5, 0],
    ),
    "argmax": (reduced("argmax", -2), [CUBE], [0, 0, 1, 0, 1, 0]),
    "argsort": (
        lambda s, x: s.argsort(x, axis=-1),
        [CUBE],
        [2, 0, 1, 0, 1, 2, 1, 0, 2, 0, 1, 2],
    ),
    "logcumsumexp": (
        lambda s, x: s.logcumsumexp(x, axis=-1),
        [SCAN],
        [-0.1, 0.1875, 0.6294, 1.1992, 2.5859, 2.5879, -2.1992, 1.04, 1.1416],
    ),
    "exclusive logcumsumexp": (
        lambda s, x: s.logcumsumexp(s.pad(x, ((1, 0), (0, 0)), constant_values=-INF), axis=0)[:3],
        [SCAN],
        [-INF, -INF, -INF, -0.1, -1.2, -0.4, 1.44101, 2.32975, -0.35141],
    ),
    "reversed cumsum": (
        lambda s, x: s.flip(s.cumsum(s.flip(x, 0), axis=0), 0),
        [SCAN],
        [-1.1, 2.1, -5, -1, 3.3, -4.6, -2.2, 1, -1.2],
    ),
    "cross entropy with smoothed labels": (
        lambda s, x: s.cross_entropy(x, np.arange(3), label_smoothing=0.1, reduction="none"),
        [SCAN],
        -0.9 * np.diag(SHARES) - 0.1 * SHARES.mean(axis=-1),
    ),
    "csr_dot": (
        lambda s, v, d: s.csr_dot(v, np.array([0, 3, 2, 3]), np.array([0, 2, 4]), d),
        [np.float32([1, 1, 1, 1.5]), COUNT.reshape(4, 3)],
        [11, 13, 15, 22, 24.5, 27],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_numbers(name):
    call, operands, wanted = CASES[name]
    result = call(ng, *map(ng.array, operands))
    np.testing.assert_allclose(result.asnumpy().ravel(), np.ravel(wanted), 1e-3, 1e-3)
    names = [f"x{k}" for k in range(len(operands))]
    variables = [ng.var(n, x.shape, x.dtype) for n, x in zip(names, operands, strict=True)]
    (graph,) = call(ng, *variables).eval(**dict(zip(names, operands, strict=True)))
    np.testing.assert_allclose(graph.asnumpy(), result.asnumpy(), 1e-6, 1e-6)
