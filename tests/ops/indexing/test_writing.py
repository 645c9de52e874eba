"""`index_update`, `index_add` and writes at indices: all keys, dtypes and broadcast values."""

import numpy as np
import pytest

import nbgraph as ng
from tests import worlds

RNG = np.random.default_rng(7)


def of(size, *shape):
    return RNG.integers(-size, size, shape)


SHAPE = (3, 4, 5)
KEYS = {
    "part": (slice(None, None, -2), 1),
    "number": (2,),
    "lines": (of(3, 7),),
    "lines of two axes": (of(3, 6), of(4, 6)),
    "grid": (of(3, 4, 1), of(4, 3)),
    "middle": (slice(None), of(4, 6)),
    "last": (..., of(5, 2, 3)),
    "with a number": (1, slice(None), of(5, 4)),
    "apart": (of(3, 4), slice(1, 3), of(5, 4)),
    "new axis": (slice(1, 3), None, of(4, 4)),
    "kept apart": (of(3, 4), slice(None), ..., of(5, 4)),
}
DTYPES = "float32 float64 int32 int64 float16 uint8 complex64".split()


def one_by_one(x, key, value, *, adds):
    """The specification: places in their order."""
    places = np.arange(x.size).reshape(x.shape)[key]
    result = x.astype("complex128" if x.dtype.kind == "c" else "float64").ravel()
    for place, v in zip(places.ravel(), np.broadcast_to(value, places.shape).ravel()):
        result[place] = result[place] + v if adds else v
    return result.reshape(x.shape).astype(x.dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", KEYS)
def test_kernels_write_and_add_at_every_key(name, dtype):
    key = KEYS[name]
    x = RNG.integers(0, 9, SHAPE).astype(dtype)  # sums are exact
    chosen = x[key].shape
    for shape in (chosen, (), chosen[-1:], (1, 1, *chosen)):
        value = RNG.integers(0, 9, shape).astype(dtype)
        core = value.reshape(shape[max(0, len(shape) - len(chosen)) :])
        for op, adds in ((ng.index_update, False), (ng.index_add, True)):

            def f(a, v, op=op):
                return op(a, v, key=key)

            wanted = one_by_one(x, key, core, adds=adds)
            for world in (worlds.numpy, worlds.ndarrays, worlds.bound):
                (result,) = worlds.bits(world(f, x, value))
                assert result == worlds.bits(wanted)[0], (world, shape, op)
            native = not adds or (dtype not in ("uint8", "complex64"))
            assert native == (not worlds.functions(worlds.bind(f, x, value)))
        wide = ng.array(np.repeat(x, 2, -1))
        wide[..., ::2][key] = ng.array(value)
        assert np.array_equal(wide[..., ::2].asnumpy(), one_by_one(x, key, core, adds=False))
        assert np.array_equal(wide[..., 1::2].asnumpy(), x)


@pytest.mark.parametrize("name", KEYS)
def test_gradients_of_an_index_are_kernels(name):
    """The reverse of reading adds up where places repeat, whatever the key."""
    key, x = KEYS[name], RNG.integers(-3, 3, SHAPE).astype("float32")
    slope = ng.jit(ng.grad(lambda a: ng.sum(a[key] * a[key])))
    assert np.array_equal(slope(x), one_by_one(0 * x, key, 2 * x[key], adds=True))


@pytest.mark.parametrize("dtype", ["int32", "uint8"])
@pytest.mark.parametrize("value", ["float32", "int64"])
def test_index_arrays_of_several_dtypes_have_one_kernel(value, dtype):
    """Rows are counted in int64, labels are what a data set has: a loss reads x[rows, labels]."""
    rows, labels = np.arange(6), of(5, 6).astype(dtype) % 5
    values = RNG.integers(-3, 3, 6).astype(value)
    wanted = one_by_one(np.zeros((6, 5), value), (rows, labels), values, adds=True)

    def f(v, i, j):
        return ng.scatter_add(v, i, j, shape=(6, 5), key=("array", "array"))

    bound = worlds.bind(f, values, rows, labels)
    assert not worlds.functions(bound)
    for world in (worlds.numpy, worlds.ndarrays, worlds.bound):
        assert worlds.bits(world(f, values, rows, labels)) == worlds.bits(wanted)


def test_an_index_out_of_bounds_is_named():
    x = ng.zeros((3, 4))
    update = ng.jit(lambda a, i: ng.index_update(a, 1.0, i, key=("array",)))
    with pytest.raises(ng.errors.IndexingError, match="index_update: index 3 is out of bounds"):
        update(x, ng.array([0, 3])).asnumpy()


def test_nothing_is_written_where_a_key_chooses_nothing():
    x = np.arange(6.0)
    f = ng.jit(lambda a: ng.index_add(ng.index_update(a, 7.0, key=slice(2, 2)), 1.0, key=[]))
    assert np.array_equal(f(x), x)
