"""`ng.linalg` against NumPy, in every world, with gradients against differences to second order."""

import numpy as np
import pytest
import scipy.linalg

import nbgraph as ng
from tests import worlds
from tests.ops.linalg.cases import CASES, RNG, A, L
from tests.worlds import WORLDS

STEP = 1e-6


def total(value):
    """A number that all results count in, each with another weight."""
    parts = value if isinstance(value, tuple) else (value,)
    return sum(ng.sum(ng.sin(ng.real(p) + k)) for k, p in enumerate(parts))


def slope(function, points, directions):
    """The difference of a function of arrays along a direction."""
    ends = [function(*(p + s * STEP * d for p, d in zip(points, directions))) for s in (1, -1)]
    return (float(ends[0]) - float(ends[1])) / (2 * STEP)


@pytest.mark.parametrize("name", CASES)
def test_worlds_agree(name):
    function, *points = CASES[name]
    results = [world(function, *points) for world in WORLDS]
    for result in results[1:]:
        actual = result[0] if isinstance(result, list) else result
        np.testing.assert_allclose(np.asarray(actual), results[0], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", CASES)
def test_gradients_to_second_order(name):
    function, *points = CASES[name]
    where = tuple(range(len(points)))
    directions = [np.random.default_rng(5).normal(size=p.shape) for p in points]
    arrays = [ng.array(p) for p in points]

    def first(*x):
        return total(function(*x))

    def along(*x):
        grads = ng.grad(first, argnums=where)(*x)
        return sum(ng.sum(g * d) for g, d in zip(grads, directions))

    actual = float(along(*arrays))
    assert actual == pytest.approx(slope(first, points, directions), rel=1e-5, abs=1e-6)
    second = ng.grad(along, argnums=where)(*arrays)
    curve = sum(float(ng.sum(g * d)) for g, d in zip(second, directions))
    judge = slope(lambda *x: along(*map(ng.array, x)), points, directions)
    assert curve == pytest.approx(judge, rel=1e-4, abs=1e-4)


EXPONENTS = {
    "batches of many sizes": RNG.normal(size=(6, 4, 4))
    * np.array([1e-5, 1, 10, 30, 0, 3])[:, None, None],
    "far from normal": np.array([[1, 1e6], [0, -1]]),
    "nilpotent": np.triu(np.ones((5, 5)), 1) * 1e3,
    "decay": -40 * np.diag(np.arange(6.0)) + RNG.normal(size=(6, 6)),
    "turns": np.array([[0, 100.0], [-100, 0]]),
    "one": np.array([[3.0]]),
    "none": np.zeros((2, 0, 0)),
}


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("name", EXPONENTS)
def test_exponentials_of_matrices_are_those_of_scipy(name, dtype):
    """As accurate for one that is scaled often beside one that is not."""
    a = EXPONENTS[name] * (1 if dtype[0] == "f" else 1 + 0.25j)
    wanted, actual = scipy.linalg.expm(a), L.expm(ng.array(a.astype(dtype))).asnumpy()
    assert (actual.dtype, actual.shape) == (dtype, a.shape)
    size = np.abs(wanted).max((-2, -1), keepdims=True, initial=1e-300)
    fits = size < np.finfo(dtype).max / 10
    few = (3e-4 if np.finfo(dtype).bits == 32 else 1e-11) * size
    assert np.all((np.abs(actual - wanted) <= few) | ~fits)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    "shape", [(1, 1), (3, 2, 2), (40, 5, 5), (2, 3, 32, 32), (33, 33), (0, 3, 3)]
)
@pytest.mark.parametrize("size", [1e-8, 1.0, 30.0])
def test_exponentials_of_batches(dtype, shape, size):
    """By one kernel up to 32 rows: in arrays, views, calls and plans."""
    a = np.random.default_rng(3).normal(size=shape) * size / shape[-1]
    wanted = scipy.linalg.expm(a) if a.size else a
    a = np.asfortranarray(a.astype(dtype)) if size == 1 else a.astype(dtype)
    nd = ng.array(a)
    most = np.abs(wanted).max((-2, -1), keepdims=True, initial=0)
    for actual in (L.expm(a), L.expm(nd), ng.jit(L.expm)(nd)):
        assert actual.dtype == dtype
        assert (np.abs(np.asarray(actual) - wanted) <= np.finfo(dtype).eps * 2e4 * most).all()
    bound = worlds.bind(L.expm, nd)
    assert shape[-1] > 32 or not a.size or not worlds.functions(bound)


def test_exponentials_of_what_is_not_finite_are_nan():
    actual = L.expm(ng.array([[[np.nan, 0], [0, 1]], [[0, 0], [0, 1]]])).asnumpy()
    assert np.isnan(actual[0]).any()
    np.testing.assert_allclose(actual[1], np.diag([1, np.e]), rtol=1e-6)


def test_scipy_and_numpy_have_the_same_values():
    np.testing.assert_allclose(L.expm(ng.array(A)).asnumpy(), scipy.linalg.expm(A), rtol=1e-12)
    for order in (None, "fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf):
        actual = L.norm(ng.array(A), order, (-2, -1)).asnumpy()
        np.testing.assert_allclose(actual, np.linalg.norm(A, order, (-2, -1)), rtol=1e-12)
    for order in (None, 1, -1, 2, -2, np.inf, "fro"):
        actual = L.cond(ng.array(A), order).asnumpy()
        np.testing.assert_allclose(actual, np.linalg.cond(A, order), rtol=1e-9)


OF_RANK = {
    "0": np.zeros((3, 3)),
    "1": np.outer([1.0, 2, 3], [1, 1, 2]),
    "2": np.array([[1.0, 2, 0], [2, 4, 0], [0, 0, 1]]),
    "2 with rounding": np.arange(9.0).reshape(3, 3),
    "3": A[0],
    "2 of 2": A[0, :2, :2],
    "3 of 4": np.diag([1.0, 2, 3, 0]) + np.eye(4, k=1),
    "stacked": np.stack([np.zeros((3, 3)), A[0], np.arange(9.0).reshape(3, 3)]),
    "one": np.zeros((1, 1)),
    "none": np.zeros((2, 0, 0)),
}


def cofactors(a):
    """By the determinants of minors."""
    out = np.empty_like(a)
    for *batch, i, j in np.ndindex(a.shape):
        minor = np.delete(np.delete(a[tuple(batch)], i, 0), j, 1)
        out[(*batch, i, j)] = (-1) ** (i + j) * np.linalg.det(minor)
    return out


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128"])
@pytest.mark.parametrize("rank", OF_RANK)
def test_gradients_of_determinants_are_cofactors_of_any_rank(rank, dtype):
    a = (OF_RANK[rank] * (1 if dtype[0] == "f" else 1 + 0.5j)).astype(dtype)
    slope = ng.grad(lambda x: ng.real(ng.sum(L.det(x))))
    few = 1e-4 if dtype == "float32" else 1e-11
    np.testing.assert_allclose(slope(ng.array(a)).asnumpy(), cofactors(a), rtol=few, atol=few)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("size", [4, 5, 9, 32, 33])
@pytest.mark.parametrize("lost", [0, 1, 2, 3])
def test_cofactors_of_batches(size, lost, dtype):
    """By one kernel up to 32 rows; without a rank lost, with one, nearly one, and two, whose
    cofactors are 0."""
    a = np.random.default_rng(size).normal(size=(2, size, size)) / size**0.5
    near = np.repeat(a[..., :1], max(lost, 1), -1) * np.arange(1, max(lost, 1) + 1)
    a[..., size - lost :] = near[..., : size - (size - lost)]
    if lost == 3:
        a[..., -2:] = a[..., :2] + 1e-9
    a = a.astype(dtype)
    slope = ng.jit(ng.grad(lambda x: ng.sum(L.det(x))))
    wanted = cofactors(a.astype("float64"))
    sizes = np.linalg.svd(a.astype("float64"), compute_uv=False)
    most = np.prod(sizes[..., :-1] + (sizes[..., :1] * 1e-2), -1)[..., None, None]
    few = 2e3 * np.finfo(dtype).eps
    assert (np.abs(slope(ng.array(a)).asnumpy() - wanted) <= few * most).all()
    bound = worlds.bind(lambda x: ng.sum(L.det(x)), ng.array(a))
    bound.forward(is_train=True)
    bound.backward()
    rows = bound.plan().by_program["backward"]
    assert size > 32 or {row.does.split()[0] for row in rows} == {"kernel"}


@pytest.mark.filterwarnings("ignore:invalid value encountered in det")
def test_gradients_of_determinants_of_what_is_not_finite_are_nan():
    """Of more than three rows; cofactors of fewer are polynomials."""
    a = np.eye(4)
    a[0, 0] = np.nan
    assert np.isnan(ng.grad(L.det)(ng.array(a)).asnumpy()).all()
    slope = ng.grad(L.det)(ng.array([[np.nan, 1], [1, 2]])).asnumpy()
    np.testing.assert_array_equal(slope, [[2, -1], [-1, np.nan]])


@pytest.mark.parametrize("size", [1, 2, 3])
def test_the_gradient_of_a_small_determinant_runs_without_python(size):
    """A step of a scanned Kalman filter took 300 us by a function of NumPy, and takes 2."""
    text = ng.jit(ng.grad(L.det)).explain(ng.array(A[0, :size, :size]))
    assert "cofactors" not in str(text)


def test_singular_matrices_have_no_gradient_of_the_logarithm():
    with pytest.raises(np.linalg.LinAlgError, match=r"slogdet_gradient\d?: A is singular, .* -inf"):
        ng.grad(lambda x: L.slogdet(x).logabsdet)(ng.zeros((2, 2))).asnumpy()


# NumPy's functions of numpy.linalg, each on NDArrays by its own name
CALLS = {
    **dict.fromkeys("cholesky eigvalsh eigh".split(), (A[0] @ A[0].T,)),
    **dict.fromkeys("cond det eig eigvals inv pinv qr slogdet svd svdvals trace".split(), (A,)),
    **dict.fromkeys("diagonal matrix_norm matrix_rank matrix_transpose norm".split(), (A,)),
    **dict.fromkeys("cross outer vecdot".split(), (A[0, 0], A[0, 1])),
    **dict.fromkeys("matmul solve tensordot".split(), (A[0], A[1])),
    "lstsq": (A[0], A[1, 0]),
    "matrix_power": (A, 3),
    "multi_dot": ([A[0], A[1], A[0, 0]],),
    "tensorinv": (RNG.normal(size=(4, 2, 2)), 1),
    "tensorsolve": (RNG.normal(size=(2, 2, 4)), RNG.normal(size=(2, 2))),
    "vector_norm": (A[0],),
}


def numpy_functions():
    """The functions of `numpy.linalg` that take arrays."""
    return {n for n in np.linalg.__all__ if n not in ("LinAlgError",)}


def test_all_of_numpy_is_there():
    assert numpy_functions() == set(CALLS)
    assert set(CALLS) <= set(dir(L))


@pytest.mark.parametrize(
    ("a", "b"),
    [((), ()), ((2, 3, 6), (6,)), ((1, 12, 4, 1, 3), (1, 2, 1, 2, 1, 3, 1)), ((1,), (1,) * 3)],
)
def test_tensorsolve_of_shapes(a, b):
    """The shape of the solution is NumPy's also where `a` has no more axes than `b`."""
    axes = (0, 1) if a == (2, 3, 6) else None
    a, b = RNG.normal(size=a), RNG.normal(size=b)
    wanted = np.linalg.tensorsolve(a, b, axes)
    actual = L.tensorsolve(ng.array(a), ng.array(b), axes).asnumpy()
    assert actual.shape == wanted.shape
    np.testing.assert_allclose(actual, wanted, rtol=1e-5)


@pytest.mark.parametrize("name", CALLS)
def test_numpy_functions_take_ndarrays(name):
    def lifted(x):
        return [lifted(v) for v in x] if isinstance(x, list) else ng.array(x)

    own = [x if isinstance(x, int) else lifted(x) for x in CALLS[name]]
    judge, actual = (getattr(np.linalg, name)(*args) for args in (CALLS[name], own))
    assert type(actual).__name__ == type(judge).__name__ or isinstance(actual, ng.NDArray)
    pairs = zip(actual, judge, strict=True) if isinstance(judge, tuple) else [(actual, judge)]
    for one, other in pairs:
        assert isinstance(one, ng.NDArray)
        assert one.shape == np.shape(other)
        np.testing.assert_allclose(one.asnumpy(), other, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", ["inv", "det", "svdvals", "matrix_rank", "pinv", "qr", "eigvals"])
def test_integers_count_as_float64(name):
    x = np.array([[2, 1], [1, 3]])
    actual, judge = getattr(L, name)(ng.array(x)), getattr(np.linalg, name)(x)
    pairs = zip(actual, judge, strict=True) if isinstance(judge, tuple) else [(actual, judge)]
    for one, other in pairs:
        np.testing.assert_allclose(one.asnumpy(), other, rtol=1e-12)


@pytest.mark.parametrize("shape", [(0, 3, 3), (2, 0, 0), (1, 1, 1)])
def test_empty_batches_and_matrices(shape):
    x = np.ones(shape)
    for name in ("inv", "det", "eigvalsh", "matrix_norm", "matrix_rank", "svdvals"):
        if name == "matrix_rank" and not shape[-1]:
            continue
        judge = getattr(np.linalg, name)(x)
        np.testing.assert_allclose(getattr(L, name)(ng.array(x)).asnumpy(), judge)


ERRORS = [
    (lambda: L.solve(A, np.ones(4)), ng.ShapeError, r"b has shape \(4,\); expected \(3,\)"),
    (lambda: L.inv(np.ones((2, 3))), ng.ShapeError, "expected square matrices"),
    (lambda: L.svd(np.ones(3)), ng.ShapeError, "expected matrices"),
    (lambda: L.inv(np.zeros((2, 2))), np.linalg.LinAlgError, "singular matrix"),
    (lambda: L.inv(ng.zeros((2, 2))).asnumpy(), np.linalg.LinAlgError, "singular matrix"),
    (lambda: L.qr(A, "raw"), ng.ArgumentError, "mode='raw'; expected 'reduced'"),
    (lambda: L.eigh(A, "X"), ng.ArgumentError, "UPLO='X'; expected 'L' or 'U'"),
    (lambda: L.cross(np.ones(2), np.ones(2)), ng.ShapeError, "must have size 3"),
    (lambda: L.outer(A, A), ng.ShapeError, "expected vectors"),
    (lambda: L.multi_dot([A[0]]), ng.ArgumentError, "expected two or more"),
    (lambda: L.matrix_norm(A, ord=3), ng.ArgumentError, "ord=3; expected 'fro'"),
    (lambda: L.matrix_power(np.ones((2, 3)), 2), ng.ShapeError, "expected square matrices"),
    (lambda: L.nothing, AttributeError, "no 'nothing'"),
]


@pytest.mark.parametrize("call, error, match", ERRORS)
def test_errors_say_what_is_expected(call, error, match):
    with pytest.raises(error, match=match):
        call()


@pytest.mark.parametrize(
    "function", [lambda x: L.svd(x).U, lambda x: L.qr(x, "complete").Q], ids=["svd", "qr"]
)
def test_what_has_no_derivative_says_so(function):
    x = ng.array(RNG.normal(size=(4, 2)))
    with pytest.raises(ng.DerivativeError, match=r"give (full_matrices=False|mode='reduced')"):
        ng.grad(lambda x: ng.sum(function(x)))(x)
