"""Operators that are kernels of LAPACK's routines: matrices that lie anyhow, batches, failures."""

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.ops.linalg.factors import OPERATORS
from tests import worlds
from tests.engine.conftest import nothing_left

RNG = np.random.default_rng(11)
WORLDS = worlds.numpy, worlds.ndarrays, worlds.jit, worlds.bound


def general(batch, n, m=0):
    return RNG.normal(size=(*batch, n, m or n)) + 2 * np.eye(n, m or n)


def definite(batch, n):
    a = general(batch, n)
    return a @ np.swapaxes(a, -1, -2) + np.eye(n)


def products(f):
    """What does not depend on the signs of vectors: the matrix that factors are of, by our product
    in all worlds, as NumPy's has other bits."""

    def of(x):
        values = list(f(x))
        if len(values) == 2:  # a triangle and orthonormal vectors, or these and eigenvalues
            first, second = values
            if first.ndim == second.ndim:
                return ng.matmul(first, second)
            return ng.matmul(second * second, first[..., None])
        u, s, v = values
        return ng.matmul(u * s[..., None, :], v)

    return of


def value_of(results):
    """The one result of a world, as a NumPy array."""
    return np.asarray(results[0] if isinstance(results, (list, tuple)) else results)


def triangular(x, y, lower=True):
    return ng.linalg_trsm(x, y, lower=lower)


def by_numpy(x, y, lower=True):
    return np.linalg.solve(np.tril(x) if lower else np.triu(x), y)


# ours, NumPy's, and operands for a batch and a size
CASES = {
    "solve": (ng.linalg.solve, np.linalg.solve, lambda b, n: (general(b, n), general(b, n, 3))),
    "solve vector": (
        *(ng.linalg.solve, np.linalg.solve),
        lambda b, n: (general(b, n), RNG.normal(size=n)),
    ),
    "inv": (ng.linalg.inv, np.linalg.inv, lambda b, n: (general(b, n),)),
    "cholesky": (ng.linalg.cholesky, np.linalg.cholesky, lambda b, n: (definite(b, n),)),
    "trsm": (triangular, by_numpy, lambda b, n: (general(b, n), general(b, n, 2))),
    "trsm upper": (
        *(lambda x, y: triangular(x, y, False), lambda x, y: by_numpy(x, y, False)),
        lambda b, n: (general(b, n), general(b, n, 2)),
    ),
    "eigvalsh": (ng.linalg.eigvalsh, np.linalg.eigvalsh, lambda b, n: (general(b, n),)),
    "eigh": (
        *(products(ng.linalg.eigh), products(np.linalg.eigh)),
        lambda b, n: (definite(b, n),),
    ),
    "svdvals": (ng.linalg.svdvals, np.linalg.svdvals, lambda b, n: (general(b, n, n + 2),)),
    "svd": (
        products(lambda x: ng.linalg.svd(x, full_matrices=False)),
        lambda x: x,
        lambda b, n: (general(b, n + 1, n),),
    ),
    "qr": (
        lambda x: ng.linalg.qr(x)[1],
        lambda x: np.linalg.qr(x)[1],
        lambda b, n: (general(b, n),),
    ),
    "qr wide": (products(ng.linalg.qr), lambda x: x, lambda b, n: (general(b, n, n + 3),)),
    "qr complete": (
        products(lambda x: ng.linalg.qr(x, "complete")),
        lambda x: x,
        lambda b, n: (general(b, n + 2, n),),
    ),
    "det": (ng.linalg.det, np.linalg.det, lambda b, n: (general(b, n),)),
    "slogdet": (
        *(lambda x: ng.linalg.slogdet(x)[1], lambda x: np.linalg.slogdet(x)[1]),
        lambda b, n: (general(b, n),),
    ),
    "gelqf": (
        products(lambda x: ng.linalg_gelqf(x)[::-1]),
        lambda x: x,
        lambda b, n: (general(b, n, n + 1),),
    ),
}


def views(x):
    """The same matrices, lying otherwise."""
    yield x
    yield np.asfortranarray(x)
    yield np.repeat(x, 2, -1)[..., ::2]
    yield x[..., ::-1].copy()[..., ::-1]
    if x.ndim > 2:
        yield np.swapaxes(np.swapaxes(x, 0, -1).copy(), 0, -1)


@pytest.mark.parametrize("batch", [(), (1,), (3,), (2, 3), (37,)], ids=str)
@pytest.mark.parametrize("name", CASES)
def test_matrices_lie_anyhow(name, batch):
    """NumPy's numbers, one world's bits in all, no Python function in a plan."""
    ours, reference, operands_of = CASES[name]
    for n, dtype, bound in (1, "d", 1e-12), (4, "d", 1e-10), (9, "f", 2e-3):
        exact = operands_of(batch, n)
        operands = [x.astype(dtype) for x in exact]
        wanted = reference(*[x.astype("d") for x in operands])
        for lying in zip(*map(views, operands), strict=False):
            value = ours(*lying)
            assert value.dtype == dtype
            np.testing.assert_allclose(value, wanted, rtol=bound, atol=bound * abs(wanted).max())
        first = worlds.bits(ours(*operands))
        for world in WORLDS:
            assert worlds.bits(world(ours, *operands)) == first, (world, n)
        assert not worlds.functions(worlds.bind(ours, *operands))


def test_short_floats_are_computed_in_float32():
    a, b = definite((2,), 3).astype("float16"), general((2,), 3).astype("float16")
    for world in WORLDS:
        value = value_of(world(ng.linalg.solve, a, b))
        assert value.dtype == "float16"
        expected = np.linalg.solve(a.astype("f"), b.astype("f"))
        np.testing.assert_allclose(np.asarray(value, "f"), expected, rtol=4e-3, atol=4e-3)


def test_a_large_matrix_and_results_in_place():
    a, b = general((), 300), general((), 300, 5)
    out = np.zeros((5, 300)).T
    assert ng.linalg_trsm(a, b, lower=True).shape == b.shape
    OPERATORS["linalg_solve"](a, b, out=out)
    np.testing.assert_allclose(out, np.linalg.solve(a, b), rtol=1e-9, atol=1e-9)
    x = ng.array(a)
    x.attach_grad("add")
    for _ in range(2):
        with ng.autograd.record():
            value = ng.linalg.inv(x).sum()
        value.backward()
    root = np.linalg.inv(a)
    expected = -2 * root.T @ np.ones_like(a) @ root.T
    np.testing.assert_allclose(x.grad.asnumpy(), expected, rtol=1e-6, atol=1e-6)


FAILURES = {
    "solve": (lambda x: ng.linalg.solve(x, x), r"linalg_solve\d?: singular matrix"),
    "inv": (ng.linalg.inv, r"linalg_inverse\d?: singular matrix"),
    "cholesky": (ng.linalg.cholesky, r"linalg_potrf\d?: matrix is not positive definite"),
    "trsm": (lambda x: ng.linalg_trsm(x, x), r"linalg_trsm\d?: singular matrix"),
}


_nothing_left = pytest.fixture(autouse=True)(nothing_left)


@pytest.mark.parametrize("name", FAILURES)
def test_a_matrix_of_a_batch_fails(name):
    """One is enough; the error is the same in every world, and what comes after it works."""
    f, words = FAILURES[name]
    batch = np.stack([np.eye(3)] * 40)
    batch[33, 2, 2] = 0
    for world in WORLDS:
        for _ in range(3):  # the fast paths too
            with pytest.raises(np.linalg.LinAlgError, match=words):
                value_of(world(f, batch))
        np.testing.assert_array_equal(value_of(world(f, batch[:33])), batch[:33])


@pytest.mark.parametrize(
    ("diagonal", "det", "sign", "size"),
    [
        ((1e200, 1e200, 1e-300), 1e100, 1, 100 * np.log(10)),
        ((-1e-200, 1e-200, 1e300), -1e-100, -1, -100 * np.log(10)),
        ((1e-200, 1e-200), 0, 1, -400 * np.log(10)),
        ((-1e200, 1e200), -np.inf, -1, 400 * np.log(10)),
        ((0, 3), 0, 0, -np.inf),
        ((np.nan, 3), np.nan, 1, np.nan),
    ],
)
def test_determinants_neither_overflow_nor_vanish_before_their_last_factor(
    diagonal, det, sign, size
):
    for x in (np.diag(diagonal), ng.array(np.diag(diagonal), dtype="float64")):
        assert np.allclose(np.asarray(ng.linalg.det(x)), det, 1e-14, 0, equal_nan=True)
        signs, sizes = map(np.asarray, ng.linalg.slogdet(x))
        assert signs == sign
        assert np.allclose(sizes, size, 1e-14, 0, equal_nan=True)
