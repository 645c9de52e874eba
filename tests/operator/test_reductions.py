"""reduce, accumulate, outer, at; and map-reduce: against NumPy over axes, strides, dtypes.

Kernel budget: about 45 (folds are one line; map-reduce has one kernel a layout class).
"""

# ruff: noqa: PLW0108 - lambdas are the operators

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import nbgraph as ng
from nbgraph.errors import ArgumentError, ShapeError
from nbgraph.operator.rows.map_reduce import map_reduce

BINARY = {
    "add": (lambda a, b: a + b, np.add),
    "multiply": (lambda a, b: a * b, np.multiply),
    "larger": (lambda a, b: a if a > b else b, np.maximum),
    "length": (lambda a, b: math.sqrt(a * a + b * b), np.hypot),
    "minus": (lambda a, b: a - b, np.subtract),
}
made = {name: ng.op(fn) for name, (fn, _) in BINARY.items()}
every = pytest.mark.parametrize("name", BINARY)
RNG = np.random.default_rng(4)
CUBE = RNG.uniform(0.5, 1.5, (3, 4, 5))


def axes_of(name, ndim):
    singles = [0, 1, 2, -1]
    return singles if name == "minus" else [*singles, None, (0, 2), (0, 1, 2), (1,), ()]


@pytest.mark.parametrize("dtype", ["int8", "uint16", "bool", "int32", "float32", "float64"])
@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "bitwise_or"])
def test_the_accumulator_has_the_dtype_of_numpys(name, dtype):
    """By default, by `dtype` and by that of `out`."""
    x = np.array([[1, 0, 3], [2, 1, 1]]).astype(dtype)
    mine, numpys = getattr(ng, name), getattr(np, name)
    if dtype.startswith("float") and name == "bitwise_or":
        return
    for method in ("reduce", "accumulate"):
        found, wanted = getattr(mine, method)(x, axis=1), getattr(numpys, method)(x, axis=1)
        np.testing.assert_array_equal(found, wanted)
        assert found.dtype == wanted.dtype
    if name == "add":
        wide, wanted = np.zeros(3, "float64"), np.zeros(3, "float64")
        assert mine.reduce(x * 100, out=wide) is wide
        np.testing.assert_array_equal(wide, numpys.reduce(x * 100, out=wanted))
        assert mine.reduce(x, dtype="float32").dtype == np.float32


@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "subtract"])
def test_reduceat(name):
    """Parts of an axis; an element where the next index is not larger."""
    mine, numpys = getattr(ng, name), getattr(np, name)
    x = np.linspace(-1, 2, 24).reshape(4, 6)
    for places in ([0, 3, 5], [4, 1, 1, 5], [2]):
        for axis in (1, -1):
            wanted = numpys.reduceat(x, places, axis=axis)
            np.testing.assert_allclose(mine.reduceat(x, places, axis=axis), wanted, rtol=1e-14)
            if name != "subtract":
                found = numpys.reduceat(ng.array(x, "float64"), places, axis=axis)
                np.testing.assert_allclose(found.asnumpy(), wanted, rtol=1e-14)
    out = np.zeros((2, 6))
    assert mine.reduceat(x, [0, 2], out=out) is out
    np.testing.assert_allclose(out, numpys.reduceat(x, [0, 2]), rtol=1e-14)
    with pytest.raises(IndexError, match="reduceat: index 9"):
        mine.reduceat(x, [0, 9])
    with pytest.raises(TypeError, match="reduceat: indices"):
        mine.reduceat(x, [-1])


@every
def test_reduce_over_all_axes(name):
    op, (_, ufunc) = made[name], BINARY[name]
    for array in (CUBE, CUBE.T, CUBE[::-1, ::2], np.asfortranarray(CUBE)):
        for axis in axes_of(name, 3):
            for keepdims in (False, True):
                got = op.reduce(array, axis=axis, keepdims=keepdims)
                wanted = ufunc.reduce(array, axis=axis, keepdims=keepdims)
                assert np.shape(got) == np.shape(wanted)
                np.testing.assert_allclose(got, wanted, rtol=1e-13)


@every
def test_accumulate_outer_and_at(name):
    op, (_, ufunc) = made[name], BINARY[name]
    for axis in (0, 1, -1):
        np.testing.assert_allclose(
            op.accumulate(CUBE, axis=axis), ufunc.accumulate(CUBE, axis=axis), rtol=1e-13
        )
    np.testing.assert_allclose(
        op.outer(CUBE[0], CUBE[1]), ufunc.outer(CUBE[0], CUBE[1]), rtol=1e-14
    )
    for make in (lambda: np.ones(6), lambda: np.ones(12)[::2], lambda: np.ones(6, ">f8")):
        got, wanted = make(), make()
        places = [0, 2, 2, 5, -1, 2]
        op.at(got, places, np.arange(6.0))
        ufunc.at(wanted, places, np.arange(6.0))
        np.testing.assert_allclose(got, wanted, rtol=1e-14)
    got = np.ones((3, 4))
    op.at(got, (slice(None), [1, 1]), 2.0)
    wanted = np.ones((3, 4))
    ufunc.at(wanted, (slice(None), [1, 1]), 2.0)
    np.testing.assert_allclose(got, wanted)


@every
def test_initial_where_out_and_dtype(name):
    op, (_, ufunc) = made[name], BINARY[name]
    mask = CUBE > 0.8
    if name != "minus":
        options = {"axis": 1, "initial": 2.0, "where": mask}
        np.testing.assert_allclose(op.reduce(CUBE, **options), ufunc.reduce(CUBE, **options))
    np.testing.assert_allclose(op.reduce(CUBE, initial=None), op.reduce(CUBE))
    out = np.empty((4, 5))
    assert op.reduce(CUBE, out=out) is out
    np.testing.assert_allclose(out, ufunc.reduce(CUBE), rtol=1e-13)
    single = op.reduce(CUBE, dtype=np.float32)
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, ufunc.reduce(CUBE), rtol=1e-5)
    assert op.reduce(np.float64(5)) == 5.0
    assert op.reduce(np.ones(1)) == 1.0


def test_integers_keep_numpys_frompyfunc_meaning():
    a = RNG.integers(1, 50, (4, 6))
    gcd = ng.op(lambda a, b: gcd_of(a, b))
    np.testing.assert_array_equal(gcd.reduce(a, axis=1), np.gcd.reduce(a, axis=1))
    np.testing.assert_array_equal(gcd.accumulate(a, axis=0), np.gcd.accumulate(a, axis=0))
    bits = ng.op(lambda a, b: a ^ b)
    assert bits.reduce(np.uint8([200, 13, 7])) == np.bitwise_xor.reduce(np.uint8([200, 13, 7]))
    np.testing.assert_array_equal(
        bits.outer([1, 2], [3, 4, 5]), np.bitwise_xor.outer([1, 2], [3, 4, 5])
    )
    counts = np.zeros(4, np.int32)
    made["add"].at(counts, [0, 1, 1, 3, 3, 3], 1)
    assert counts.tolist() == [1, 2, 0, 3]


def gcd_of(a, b):
    while b != 0:
        a, b = b, a % b
    return a


def test_unary_at_and_parameters():
    halve = ng.op(lambda x, *, by=2.0: x / by)
    a = np.array([8.0, 8.0, 8.0])
    halve.at(a, [0, 0, 2])
    assert a.tolist() == [2.0, 8.0, 4.0]
    decay = ng.op(lambda a, b, *, rate=0.5: rate * a + b)
    wanted = np.frompyfunc(lambda a, b: 0.25 * a + b, 2, 1).accumulate(CUBE[0, 0].astype(object))
    got = decay.accumulate(CUBE[0, 0], rate=0.25)
    np.testing.assert_allclose(got, wanted.astype(float), rtol=1e-14)


def test_refusals():
    add = made["add"]
    with pytest.raises(ValueError, match=r"empty.*no identity.*initial="):
        add.reduce(np.zeros(0))
    assert add.reduce(np.zeros((3, 0)), axis=0).shape == (0,)
    assert add.reduce(np.zeros(0), initial=3.0) == 3.0
    with pytest.raises(ShapeError, match="axis=3 does not exist in a 3-d array"):
        add.reduce(CUBE, axis=3)
    with pytest.raises(ShapeError, match="names an axis twice"):
        add.reduce(CUBE, axis=(0, 0))
    with pytest.raises(ArgumentError, match="two operands and one output"):
        ng.op(lambda x: x + 1).reduce(CUBE)
    with pytest.raises(ShapeError, match="0-d"):
        add.accumulate(np.float64(1))
    with pytest.raises(ValueError, match="read-only"):
        add.at(np.broadcast_to(1.0, 3), [0], 1.0)


# map-reduce -------------------------------------------------------------------------------------

square = ng.op(lambda x: x * x)
same = ng.op(lambda x: x)
product = ng.op(lambda x, y: x * y)


@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_map_reduce_over_any_axes_and_strides(data):
    shape = tuple(data.draw(st.lists(st.sampled_from((1, 2, 3, 7, 40)), max_size=4)))
    order = data.draw(st.permutations(range(len(shape))))
    steps = [data.draw(st.sampled_from((1, 1, 2, -1))) for _ in shape]
    base = np.random.default_rng(len(shape)).normal(size=[n * abs(s) for n, s in zip(shape, steps)])
    x = base[(..., *(slice(None, None, s) for s in steps))].transpose(order)
    axes = [d for d in range(x.ndim) if data.draw(st.booleans())]
    axis = data.draw(st.sampled_from((tuple(axes), None)))
    keepdims = data.draw(st.booleans())
    got = map_reduce(square, x, axis=axis, keepdims=keepdims)
    wanted = np.sum(x * x, axis=axis, keepdims=keepdims)
    assert np.shape(got) == np.shape(wanted)
    np.testing.assert_allclose(got, wanted, rtol=1e-13)


@pytest.mark.parametrize(
    "dtype", ["int8", "uint16", "int64", "bool", "float16", "float32", "float64"]
)
@pytest.mark.parametrize("combine", ["add", "max", "min"])
def test_map_reduce_dtypes(dtype, combine):
    limit = {"bool": 2, "float16": 5}.get(dtype, 100)
    x = RNG.integers(0, limit, (7, 2500)).astype(dtype)
    numpy = {"add": np.sum, "max": np.max, "min": np.min}[combine]
    for axis in (None, 0, 1):
        got, wanted = map_reduce(same, x, axis=axis, combine=combine), numpy(x, axis=axis)
        if np.asarray(wanted).dtype.kind == "f":
            wanted = numpy(x.astype(np.float64), axis=axis).astype(dtype)
            np.testing.assert_allclose(got, wanted, rtol=2 * np.finfo(dtype).eps)
        else:
            np.testing.assert_array_equal(got, wanted)
        assert got.dtype == np.asarray(wanted).dtype


def test_map_reduce_broadcasts_and_propagates_nan():
    x, y = RNG.normal(size=(30, 1)), RNG.normal(size=50)
    np.testing.assert_allclose(map_reduce(product, x, y, axis=1), (x * y).sum(1), rtol=1e-12)
    np.testing.assert_allclose(map_reduce(product, x, y, axis=0), (x * y).sum(0), rtol=1e-12)
    np.testing.assert_allclose(
        map_reduce(product, x, y, combine="multiply", axis=1), (x * y).prod(1)
    )
    x = np.ones(3000)
    x[1777] = np.nan
    assert math.isnan(map_reduce(same, x, combine="max"))
    assert math.isnan(map_reduce(same, x))
    assert map_reduce(same, np.full(5, -np.inf), combine="max") == -np.inf
    assert map_reduce(same, np.zeros((0, 3)), axis=0).tolist() == [0, 0, 0]
    with pytest.raises(ValueError, match="max of an empty"):
        map_reduce(same, np.zeros(0), combine="max")


@pytest.mark.parametrize("size", [100, 5000, 200_003])
def test_float32_sums_are_as_accurate_as_numpys(size):
    """No worse than NumPy's pairwise sum, over several seeds."""
    ours = theirs = 0.0
    for seed in range(8):
        x = np.random.default_rng(seed).uniform(0, 1, size).astype(np.float32)
        right = math.fsum(x.tolist())
        ours += abs(float(map_reduce(same, x)) - right)
        theirs += abs(float(np.sum(x)) - right)
    assert ours <= theirs + 1e-7 * right


def test_sums_are_reproducible():
    """The same shape and layout gives the same bits, every time and at every address."""
    x = RNG.normal(size=(37, 1201)).astype(np.float32)
    found = set()
    for shift in range(8):
        memory = np.empty(x.nbytes + 64, np.uint8)[shift * 4 : shift * 4 + x.nbytes]
        copy = memory.view(np.float32).reshape(x.shape)
        copy[...] = x
        found.add((map_reduce(square, copy).tobytes(), map_reduce(square, copy, axis=0).tobytes()))
    assert len(found) == 1


def test_reductions_of_ndarrays_leave_elements_out():
    """`where` and `initial`, as of NumPy arrays."""
    x, mask = np.arange(1.0, 5).reshape(2, 2), np.array([[True, False], [False, True]])
    own = ng.op(lambda a, b: a + b)
    for op, options in (
        (ng.add, {"where": mask}),
        (ng.maximum, {"initial": 9.0}),
        (own, {"where": mask, "initial": 100.0}),
    ):
        expected = op.reduce(x, **options)
        np.testing.assert_array_equal(np.asarray(op.reduce(ng.array(x), **options)), expected)
        assert not np.array_equal(expected, op.reduce(x))


@pytest.mark.parametrize(
    "name", ["greater", "not_equal", "logical_and", "logical_or", "logical_xor"]
)
def test_truths_are_folded(name):
    """With bool as accumulator, as in NumPy."""
    x = np.random.default_rng(2).integers(0, 2, (3, 4)).astype(bool)
    ours, theirs = getattr(ng, name), getattr(np, name)
    for method, more in (("reduce", ()), ("accumulate", ()), ("reduceat", ([0, 2],))):
        expected = getattr(theirs, method)(x, *more)
        for array in (x, ng.array(x)):
            result = np.asarray(getattr(ours, method)(array, *more))
            assert result.dtype == bool
            np.testing.assert_array_equal(result, expected)
