"""Parts at basic indices, read and written again: by a way that is known, as NumPy does it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nbgraph as ng
from nbgraph.array import copying, index_cache, indexing, operators
from nbgraph.array.index_cache import frozen
from nbgraph.ops.dispatch import writing

RNG = np.random.default_rng(0)
PARTS = st.one_of(st.integers(-3, 2), st.slices(3), st.just(slice(None, None, -1)))
KEYS = st.one_of(
    PARTS,
    st.tuples(PARTS, PARTS),
    st.tuples(st.none(), PARTS),
    st.tuples(PARTS, st.just(...), PARTS),
    st.just(...),
)
NUMBERS = [1.5, -0.1, 3, True, 300, 2**60, 1e39, float("nan"), float("inf")]


def values(dtype):
    return (RNG.normal(size=(3, 3)) * 9).astype(dtype)


def as_view(key):
    """The index that gives a view of NumPy's in any case."""
    parts = key if isinstance(key, tuple) else (key,)
    return parts if ... in parts else (*parts, ...)


def outcome(write, array):
    """What an array holds after a write, or what the write raises."""
    try:
        with np.errstate(all="ignore"):
            write(array)
    except (OverflowError, ValueError) as error:
        return type(error)
    return np.asarray(array).tobytes()


@given(KEYS, st.sampled_from(NUMBERS), st.sampled_from(["float32", "float16", "int8", "bool"]))
def test_numbers_are_written_as_numpy_does(key, number, dtype):
    """X-NDA-04: whether the way is known or not, with what NumPy raises."""
    x = values(dtype)

    def write(array):
        array[as_view(key) if isinstance(array, np.ndarray) else key] = number

    for _ in range(3):
        wanted = outcome(write, x.copy())
        assert outcome(write, ng.array(x)) == wanted


@given(KEYS, st.sampled_from(["float32", "float64", "bool"]), st.booleans())
def test_arrays_are_written_and_parts_read(key, dtype, lead):
    """X-NDA-04: of other dtypes, broadcast, and of the same memory."""
    x = values("float32")
    given = values(dtype)[0, : x[as_view(key)].shape[-1] if x[as_view(key)].ndim else 1]
    if not x[as_view(key)].ndim:
        given = given[0]
    given = given[None] if lead and x[as_view(key)].ndim > 1 else given
    for _ in range(3):
        wanted, made = x.copy(), ng.array(x)
        wanted[as_view(key)] = given
        made[key] = ng.array(given)
        wanted[as_view(key)] += 1
        made[key] += 1
        assert made.asnumpy().tobytes() == wanted.tobytes()
        assert made[key].asnumpy().tobytes() == wanted[as_view(key)].tobytes()


def test_known_parts_ask_nobody(threaded, monkeypatch):
    """X-NDA-04: the second time an index is not looked at by NumPy."""
    a = ng.array(values("float32"))
    a[1:, 2] = 4.0
    a[1:, 2] = a[:2, 0]
    monkeypatch.setattr(indexing, "view", None)
    assert a[1:, 2].tolist() == a[:2, 0].tolist()
    a[1:, 2] = 5.0
    assert a[1:, 2].tolist() == [5.0, 5.0]
    a[1:, 2] = a[:2, 0]
    assert a[1:, 2].tolist() == a[:2, 0].tolist()


def test_failures_are_overwritten_by_the_whole_alone(threaded):
    """A part that is written leaves the failure of the rest."""
    for key, healed in [(slice(None), True), (slice(1, None), False)] * 2:
        bad = ng.arange(4.0)[ng.array([9, 0])]
        bad[key] = 1.0
        if healed:
            assert bad.tolist() == [1.0, 1.0]
        else:
            with pytest.raises(IndexError, match="index 9"):
                bad.asnumpy()


def test_what_is_not_known_takes_the_general_way(threaded):
    """Recorded, on another device, and indices that are equal and yet others."""
    a = ng.array(values("float32"))
    for _ in range(2):
        assert a[1].shape == (3,)
        assert a[True].shape == (1, 3, 3)
        a[1:2] = 2.0
        with pytest.raises(IndexError):
            a[1.0:2] = 2.0
        far = a.to(ng.gpu(0))
        far[1:2] = 3.0
        assert far[1].device == ng.gpu(0)
        assert far[1].tolist() == [3.0] * 3
        a.attach_grad()
        with ng.autograd.record():
            loss = (a[1] * 2).sum()
        loss.backward()
        assert a.grad.asnumpy().sum() == 6
    assert frozen(np.int64(1)) is None


ARRAYS = {
    "a list": [2, 0],
    "a list behind a slice": (slice(None), [0, -1, 0]),
    "between": (slice(1, None), [1], ...),
    "with a new axis": (None, [0, 1]),
    "beside an integer": (1, [0, 2]),
    "two": ([0, 1], [2, 0]),
    "NumPy's": (slice(None), np.array([[2, 0], [1, 1]])),
    "narrow": np.array([0, 2], "int8"),
    "a slice and NumPy's": (slice(None, None, -1), np.array([1, 0])),
}


@pytest.mark.parametrize("recorded", [False, True])
@pytest.mark.parametrize("pick", [lambda i: i, ng.array], ids=["its own", "NDArray"])
@pytest.mark.parametrize("key", ARRAYS.values(), ids=list(ARRAYS))
def test_index_arrays_seen_before(key, pick, recorded):
    """Parts are NumPy's each time, of every array of the layout, with the gradient recorded."""
    parts = key if isinstance(key, tuple) else (key,)
    own = tuple(pick(p) if isinstance(p, (list, np.ndarray)) else p for p in parts)
    for _ in range(3):
        x = values("float32")
        a = ng.array(x)
        if recorded:
            a.attach_grad()
            with ng.autograd.record():
                found = a[own]
            found.backward(ng.ones(found.shape))
            counts = np.zeros((3, 3), "float32")
            np.add.at(counts, key, 1)
            np.testing.assert_array_equal(a.grad.asnumpy(), counts)
        else:
            found = a[own]
        np.testing.assert_array_equal(found.asnumpy(), x[key])
        for value in (7, np.float16(2.5), -x[key], [0.5] if np.ndim(x[key]) else 0.5):
            a = ng.array(x)
            a[own] = ng.array(value) if type(value) is np.ndarray else value
            x[key] = value
            np.testing.assert_array_equal(a.asnumpy(), x)


def test_writes_at_index_arrays_are_checked_each_time():
    a, one = ng.zeros((3, 3)), ng.array([0, 1])
    for _ in range(3):
        for pair in (([0, 1], [0, 1, 2]), (one, ng.array([0, 1, 2]))):
            with pytest.raises(IndexError, match="broadcast"):
                a[pair].asnumpy()
            with pytest.raises(IndexError, match="broadcast"):
                a[pair] = 0.0
        with pytest.raises(ng.errors.ShapeError, match="index selects"):
            a[one] = [1.0, 2.0]
        with pytest.raises(IndexError, match="index 3"):
            a[[0, 3]] = 1.0
        with pytest.raises(IndexError, match="index 5"):
            a[ng.array([0, 5])] = 1.0
            a.asnumpy()
        a[:] = 0.0  # the failure is gone


def test_lists_and_arrays_of_numpy_are_written_anew():
    a, own = ng.zeros((2, 3)), np.zeros(3)
    for k in range(4):
        own[:] = k
        a[0], a[1] = own, [k, k + 0.5, -k]
        assert a.tolist() == [[k] * 3, [k, k + 0.5, -k]]
        with pytest.raises(ng.errors.ShapeError):
            a[0] = [1.0, 2.0]


def test_index_arrays_are_known_by_what_they_hold():
    """A list or an array that has changed selects something else; a wrong one is refused each
    time, and an index of another layout is not taken for it."""
    a, places = ng.arange(9.0).reshape((3, 3)), [0, 1]
    held = np.array([0, 1])
    for _ in range(3):
        np.testing.assert_array_equal(a[:, places], a.asnumpy()[:, places])
        np.testing.assert_array_equal(a[:, held], a.asnumpy()[:, held])
        places[0] = (places[0] + 1) % 3
        held += 1
        held %= 3
        with pytest.raises(IndexError):
            a[:, [0, 3]]
        np.testing.assert_array_equal(a[:2, [True, False, True]], a.asnumpy()[:2, [0, 2]])
        np.testing.assert_array_equal(a[[0, 2]][[1, 0]], a.asnumpy()[[2, 0]])
    entries = len(index_cache._selections)
    for _ in range(20):
        _ = a[:, [0, 2]]
    assert len(index_cache._selections) <= entries + 1


INDEXED = {
    "lines": (([0, 2],), (2, 4)),
    "one row for all": (([0, 2, 0],), (4,)),
    "a number": (([-1, 1],), ()),
    "columns": ((slice(None), [3, -4]), (3, 2)),
    "elements": (([2, 0, 2], [1, 3, 1]), (3,)),
}


@pytest.mark.parametrize("dtype", ["float32", "int64", "bool", "float16", "complex64"])
@pytest.mark.parametrize("key, shape", INDEXED.values(), ids=list(INDEXED))
def test_writes_at_index_arrays_are_kernels(key, shape, dtype, monkeypatch):
    """Of several values for one place the last one stays; NumPy is not asked."""

    def refuse(*_):
        raise AssertionError("NumPy was asked")

    monkeypatch.setattr(copying, "_Assignment", refuse)
    expected = (RNG.normal(size=(3, 4)) * 9).astype(dtype)
    array = ng.array(expected)
    for turn in range(3):
        value = (RNG.normal(size=shape) * 9).astype(dtype)
        for index in (key, tuple(ng.array(p) if type(p) is list else p for p in key)):
            expected[key] = value
            array[index] = ng.array(value) if turn else value
            np.testing.assert_array_equal(array.asnumpy(), expected)


def test_writes_in_place_take_arrays_and_scalars_of_numpy(threaded, monkeypatch):
    """The second one by a route."""
    array, own = ng.array([1.0, 2.0]), np.array([1.0, 2.0], "float32")
    for turn in range(3):
        array += own
        array *= np.float64(2.0)
        if turn == 0:
            monkeypatch.setattr(operators, "call", None)
    np.testing.assert_array_equal(array.asnumpy(), [22, 44])


@pytest.mark.parametrize("wrap", [False, True])
def test_diagonals_are_filled(wrap):
    for shape in ((3, 3), (5, 2), (2, 4), (3, 3, 3)):
        expected, array = np.ones(shape, "float32"), ng.ones(shape)
        for value in (0.0, [2.0, 3.0], 4.0):
            np.fill_diagonal(expected, value, wrap)
            np.fill_diagonal(array, value, wrap)
            np.testing.assert_array_equal(array.asnumpy(), expected)


NUMBERS_WRITTEN = {
    "put": lambda a, w: np.put(a, w([5, -1, 5, 0]), 2.5),
    "put, clipped": lambda a, w: np.put(a, w([99, -5]), -0.0, mode="clip"),
    "putmask": lambda a, w: np.putmask(a, w(a) > 0, 3),
    "place": lambda a, w: np.place(a, w(a) < 0, np.float32(7)),
}


@pytest.mark.parametrize("world", [np.asarray, ng.array])
@pytest.mark.parametrize("call", NUMBERS_WRITTEN.values(), ids=list(NUMBERS_WRITTEN))
def test_a_number_is_written_whatever_the_order(call, world, monkeypatch):
    monkeypatch.setattr(writing, "_write", None)
    monkeypatch.setattr(np, "flatnonzero", None)
    for shape in ((9,), (3, 3)):
        expected = values("float32").reshape(shape)
        array = ng.array(expected)
        call(expected, np.asarray)
        call(array, world)
        np.testing.assert_array_equal(array.asnumpy(), expected)


def test_masks_of_all_axes_select_at_once(threaded, monkeypatch):
    """The values are there then; a failure on the way is raised."""
    monkeypatch.setattr(indexing, "part", None)
    x = values("float32")
    array = ng.array(x)
    for a, host in ((array, x), (array.T, x.T), (array[::2], x[::2])):
        np.testing.assert_array_equal(a[a > 0].asnumpy(), host[host > 0])
    assert array[array > 1e9].shape == (0,)

    def fail(run_ctx):
        raise RuntimeError("on the way")

    ng.engine.push(fail, mutate_vars=[array.variable])
    with pytest.raises(RuntimeError, match="on the way"):
        array[ng.array(x) > 0]
