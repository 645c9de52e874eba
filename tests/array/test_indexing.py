"""X-NDA-04: reading and writing parts of arrays, against NumPy, with every kind of index."""

import random
import statistics
from collections import Counter
from contextlib import nullcontext
from typing import Any, NamedTuple

import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nbgraph as ng
from tests.array.samples import SHAPES, elements, pairs, same

NONEMPTY = hnp.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=4)


def basic(x):
    return hnp.basic_indices(x.shape, allow_newaxis=True, allow_ellipsis=True)


def mixed(x):
    """Integers, slices, integer arrays, lists and masks beside one another."""
    parts = [st.slices(n) for n in x.shape]
    for i, n in enumerate(x.shape):
        whole = st.integers(-n, n - 1)
        array = hnp.arrays(np.int64, st.sampled_from([(2,), (1,), (2, 1)]), elements=whole)
        parts[i] = st.one_of(parts[i], whole, array, st.lists(whole, min_size=2, max_size=2))
    masks = hnp.arrays(bool, x.shape)
    return st.one_of(st.tuples(*parts), masks, st.tuples(masks))


def lifted(key):
    """The key with NDArrays for NumPy arrays."""
    if isinstance(key, tuple):
        return tuple(map(lifted, key))
    return ng.array(key) if isinstance(key, np.ndarray) else key


@given(pairs(shapes=SHAPES), st.data())
def test_basic_indices_give_views_or_elements(pair, data):
    """Where NumPy gives a scalar there is an element by itself, else a view."""
    x, a = pair
    key = data.draw(basic(x))
    found = a[key]
    same(found, x[key])
    assert (found.variable is a.variable) == isinstance(x[key], np.ndarray)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "uint64", "bool"])
@pytest.mark.parametrize("recorded", [False, True])
def test_an_element_is_a_value_by_itself(engine, dtype, recorded):
    """What is written to the array later does not change it, pushed quickly or in general."""
    x = np.array([1, 0, 1, 1]).astype(dtype)
    a, b = ng.array(x), ng.array(x.reshape(2, 2))
    with ng.autograd.record() if recorded else nullcontext():
        for _ in range(3):
            old, other, whole = a[0], b[-1, np.int64(0)], ng.array(x)[np.int32(1)]
            a[0], b[1, 0] = 0, 0
            assert (old.item(), other.item(), whole.item()) == (1, 1, 0)
            assert old.dtype == a.dtype and old.shape == ()
            a[0], b[1, 0] = old, other
            a[0], a[1] = a[1], a[0]
            same(a, x[[1, 0, 2, 3]])
            a[0], a[1] = a[1], a[0]


KEYS = """
len({*a}), len({*n}), len({*b}), len({*z})
[Counter(v)[v[0]] for v in (a, n, b, z)]
a[0] in {1.0, 2.0}, n[0] in {1, 2}, 1 in {b[0]}, 1j in {*z}, b[0] in {True}
{1: "one"}[a[0]], {1.0: "one"}[n[0]], {True: "one"}[b[0]], {a[0]: "one"}[1]
len({a[0], n[0], b[0], True, 1, 1.0, np.float64(1)})
{(a[0], n[1]): 5}[1, 2]
[int(v) for v in dict.fromkeys(n)]
hash(a.sum()) == hash(float(a.sum()))
[float(v) for v in statistics.multimode(a)]
sorted({*a} - {1.0}) == [2.0]
(lambda x: {x: 1}[x])(np.nan * a[0])
len({np.nan * a[0], np.nan * a[0]})
""".strip().splitlines()


@pytest.mark.parametrize("row", KEYS)
def test_elements_are_keys_by_their_values(row):
    values = {"a": [1.0, 2.0, 1.0], "n": [1, 2, 1], "b": [True, False, True], "z": [1j, 2, 1j]}
    names = {"Counter": Counter, "statistics": statistics, "np": np}
    found, expected = (
        eval(row, {**names, **{k: made(v) for k, v in values.items()}})
        for made in (ng.array, np.array)
    )
    assert found == expected


def test_arrays_with_axes_and_variables_are_keys_as_themselves():
    a, b = ng.zeros(1), ng.zeros(1)
    p, q = ng.array(0.0), ng.array(0.0)
    for each in (p, q):
        each.attach_grad()
    found = {each: k for k, each in enumerate((a, b, p, q))}
    p += 1  # a step of an optimiser
    assert [found[each] for each in (a, b, p, q)] == [0, 1, 2, 3]


@pytest.mark.parametrize("f", [lambda x: x[0] in {1.0}, lambda x: {x.sum(): 1}])
def test_numbers_that_are_traced_are_not_keys(f):
    with pytest.raises(TypeError, match=r"hash: a traced number has no value"):
        ng.jit(f)(ng.array([1.0, 2.0]))


def test_numpy_scalar_code_does_the_same():
    x, a = np.arange(20), ng.arange(20)
    for values in (x, a):
        random.Random(3).shuffle(values)
        for i in range(1, len(values)):  # insertion sort of the first half
            j, value = i, values[i]
            while j and i < 10 and values[j - 1] > value:
                values[j] = values[j - 1]
                j -= 1
            values[j] = value
    same(a, x)


def test_elements_have_gradients():
    """What was read before a write flows to the value before it."""

    def f(y):
        y = y * 2
        old = y[0]
        y[0] = old * y[1]
        return (y * y).sum() + old

    x = ng.array([1.0, 2.0, 3.0])
    same(ng.grad(f)(x), np.float32([130, 80, 24]))
    same(ng.jit(f)(x), np.float32(118))
    x.attach_grad()
    with ng.autograd.record():
        found = f(x)
    found.backward()
    same(x.grad, np.float32([130, 80, 24]))


@given(pairs(shapes=NONEMPTY), st.data())
def test_integer_arrays_and_masks_give_copies(pair, data):
    x, a = pair
    key = data.draw(mixed(x))
    wanted = x[key]
    same(a[key], wanted)
    same(a[lifted(key)], wanted)


@given(pairs(shapes=SHAPES), st.data())
def test_assignment_to_views(pair, data):
    """Written through to the base, broadcast and cast as in NumPy."""
    x, a = pair
    x, a = x.copy(), a.copy()
    key = data.draw(basic(x))
    shape = np.broadcast_shapes(x[key].shape)
    kept = data.draw(st.integers(0, len(shape)))
    value = data.draw(hnp.arrays(np.float64, shape[kept:], elements=st.integers(-9, 9)))
    for given_value in (value, ng.array(value), 3, 2.75):
        x[key] = np.asarray(given_value)
        a[key] = given_value
        same(a, x)


@given(pairs(shapes=NONEMPTY), st.data())
def test_assignment_to_elements(pair, data):
    x, a = pair
    x, a = x.copy(), a.copy()
    key = data.draw(mixed(x))
    value = data.draw(hnp.arrays(x.dtype, x[key].shape, elements=elements(x.dtype)))
    once = np.unique(np.arange(x.size).reshape(x.shape)[key]).size == value.size
    for given_value in (value, ng.array(value), 5) if once else (5,):
        x[key] = np.asarray(given_value)
        a[lifted(key)] = given_value
        same(a, x)


@given(pairs(("int64",), NONEMPTY), st.data())
def test_assignment_within_one_array(pair, data):
    """`a[1:] = a[:-1]` and kin read all before they write."""
    x, a = pair
    x, a = x.copy(), a.copy()
    n = x.shape[0]
    shift = data.draw(st.integers(0, n))
    forward = data.draw(st.booleans())
    to, source = (slice(shift, None), slice(0, n - shift))
    if not forward:
        to, source = source, to
    x[to] = x[source].copy()
    a[to] = a[source]
    same(a, x)
    x[::-1] = x.copy()
    a[::-1] = a
    same(a, x)


def test_indices_on_every_engine(engine):
    x, a = np.arange(24.0).reshape(4, 6), ng.arange(24.0, dtype="float64").reshape(4, 6)
    for step in range(3):
        a[1:, ::2] = a[:-1, 1::2] + step
        x[1:, ::2] = x[:-1, 1::2] + step
        a[[0, 2], 1] *= 2
        x[[0, 2], 1] *= 2
        a[a > 20] = -1
        x[x > 20] = -1
        a[ng.array([1, 1]), 0] = [7, 7]
        x[[1, 1], 0] = 7
        a[0], a[1] = a[1], a[0].copy()
        x[0], x[1] = x[1].copy(), x[0].copy()
    same(a, x)


def test_writes_go_through_to_every_alias(engine):
    """API rule 4: all views see what is written, through whichever of them."""
    a = ng.zeros((3, 4))
    row, column, whole, flat = a[1], a[:, 2], a.T, a.reshape(-1)
    row += 1
    column[:] = 5
    flat[0] = 7
    whole[3, 2] = 9
    wanted = np.zeros((3, 4), "float32")
    wanted[1] += 1
    wanted[:, 2] = 5
    wanted[0, 0] = 7
    wanted[2, 3] = 9
    for view, expected in (
        (a, wanted),
        (row, wanted[1]),
        (column, wanted[:, 2]),
        (whole, wanted.T),
    ):
        same(view, expected)
    same(flat, wanted.ravel())


@pytest.mark.parametrize("shape", [(), (2, 3), (0, 2)])
def test_masks_without_axes(shape):
    """X-NDA-04: True adds an axis, False selects nothing; an integer of no axes is an integer. What
    is read is a copy."""
    a, x = ng.ones(shape), np.ones(shape, "float32")
    for mask in (True, False):
        for key in (mask, np.bool_(mask), np.array(mask), ng.array(mask)):
            same(a[key], x[mask])
            b, y = a.copy(), x.copy()
            b[key], y[mask] = 3, 3
            b[key], y[mask] = ng.full(shape, 4.0) + a, np.full(shape, 4.0) + x
            same(b, y)
            b[key][...] = 5
            same(b, y)
            with pytest.raises(ng.ShapeError, match="value has shape"):
                b[key] = ng.ones(7)
    if shape == (2, 3):
        selected = a[ng.array(0)]
        same(selected, x[0])
        selected += 1
        same(a, x)


@pytest.mark.parametrize("mask", [(0,), (0, 0), (0, 3), (2, 0)])
def test_masks_of_no_elements_select_nothing_of_any_axis(mask):
    """X-NDA-04: as in NumPy, where an axis of the mask may be 0 beside any of the array."""
    a, x, key = ng.ones((2, 3)), np.ones((2, 3), "float32"), np.zeros(mask, bool)
    same(a[ng.array(key)], x[key])
    a[ng.array(key)] = 5
    same(a, x)
    with pytest.raises(ng.IndexingError, match="mask of size 2 for axis 1"):
        a[np.zeros((2, 2), bool)]


@pytest.mark.parametrize("shape", [(0,), (0, 3)])
def test_in_place_on_arrays_of_no_elements(shape):
    """X-NDA-04: nothing is computed, and nothing is asked of the array."""
    a = ng.ones(shape)
    kept = a
    a += 1
    a *= ng.ones(shape)
    assert a is kept
    same(a, np.ones(shape, "float32"))


def test_in_place_keeps_the_buffer():
    """X-NDA-04: `w += g` keeps one buffer."""
    w = ng.ones(5)
    address, variable = w._address, w.variable
    for _ in range(3):
        w += ng.ones(5)
        w[1:] *= 2
    assert (w._address, w.variable) == (address, variable)
    same(w, np.array([4, 22, 22, 22, 22], "float32"))


def test_a_number_at_a_mask_does_not_wait(threads, gate):
    """The mask's values are not needed to write a number."""
    mask = ng.array([True, False, True])
    a = ng.zeros(3)
    held = gate(ng.engine, mask.variable)
    a[mask] = 4
    held.open()
    same(a, np.array([4, 0, 4], "float32"))


def test_iteration_and_membership():
    x, a = np.arange(6).reshape(3, 2), ng.arange(6).reshape(3, 2)
    for found, wanted in zip(a, x, strict=True):
        same(found, wanted)
        assert found.variable is a.variable
    assert 5 in a and 9 not in a and ng.array(1) in a
    assert len(a) == 3
    assert [int(v) for v in ng.arange(3)] == [0, 1, 2]
    first, *rest = a
    assert len(rest) == 2 and first.shape == (2,)


@pytest.mark.parametrize(
    ("key", "text"),
    [
        (3, "index 3 is out of bounds for axis 0 of shape (3, 4); expected -3 to 2"),
        ((0, -5), "index -5 is out of bounds for axis 1"),
        ((0, 0, 0), "3 indices for an array of shape (3, 4); give 2 at most"),
        ((..., ...), "one Ellipsis"),
        (slice(None, None, 0), "step 0"),
        (1.5, "1.5"),
        ("x", "'x'"),
        (slice("a"), "'a'"),
        ([0, 3], "index 3 is out of bounds for axis 0 of size 3"),
        ((0, np.array([9])), "index 9 is out of bounds for axis 1 of size 4"),
        (np.array([1.0]), "float64"),
        (np.zeros(2, bool), "mask"),
        (np.zeros((3, 4, 1), bool), "3 indices"),
        (([0, 1], [0, 1, 2]), "do not broadcast"),
    ],
)
def test_bad_indices_raise_at_the_call(key, text, threads, gate):
    """IndexError for reading and for writing, though the array itself is not ready."""
    a = ng.zeros((3, 4))
    held = gate(ng.engine, a.variable)
    for use in (lambda: a[key], lambda: a.__setitem__(key, 0)):
        with pytest.raises((IndexError, ValueError)) as caught:
            use()
        assert text in str(caught.value)
    held.open()


def test_an_index_that_is_not_known_is_checked_when_it_is():
    a = ng.zeros(3)
    for use in (lambda: _read(a, ng.array([0, 3])), lambda: _assign(a, ng.array([0, 3]))):
        with pytest.raises(IndexError, match="index 3 is out of bounds"):
            use()


def _read(a, key):
    return a[key].asnumpy()


def _assign(a, key):
    a[key] = 1
    a.asnumpy()


@pytest.mark.parametrize(
    ("key", "value", "error", "text"),
    [
        (0, [1, 2], ValueError, "setitem: value has shape (2,), the index selects (4,)"),
        (([0, 1],), np.zeros(3), ValueError, "value has shape (3,), the index selects (2, 4)"),
        (0, "x", TypeError, "setitem"),
        (0, 1j, TypeError, "complex"),
        (0, float("nan"), ValueError, "NaN"),
        (0, 1 << 70, OverflowError, "int"),
        (0, None, TypeError, "'value' is None; give numbers"),
    ],
)
def test_bad_values(key, value, error, text):
    a = ng.zeros((3, 4), "int64")
    with pytest.raises(error) as caught:
        a[key] = value
    assert text in str(caught.value)
    same(a, np.zeros((3, 4), "int64"))


def test_what_may_not_be_written():
    """Broadcast views and borrowed memory, through every kind of index."""
    wide, borrowed = ng.zeros(3).broadcast_to((2, 3)), ng.asarray(np.zeros((2, 3)))
    for a, text in ((wide, "broadcast view"), (borrowed, "write to a copy")):
        for key in (0, slice(None), [0, 1], ng.array([[True] * 3] * 2), ...):
            with pytest.raises(ValueError, match=text):
                a[key] = 1
        with pytest.raises(ValueError, match=text):
            a += 1


def test_devices_do_not_mix():
    a, b = ng.zeros(3), ng.zeros(3, device=ng.cpu(1))
    with pytest.raises(ValueError, match=r"array is on cpu\(0\), value on cpu\(1\)"):
        a[:] = b
    b[:] = np.ones(3)
    same(b, np.ones(3, "float32"))


class Cell(NamedTuple):
    row: Any
    column: Any


@pytest.mark.parametrize("parts", [(1, 2), (1, slice(None)), ([0, 1], 2), (None, 0)])
def test_a_named_tuple_is_an_index_of_its_parts(parts):
    """As of a cell of a grid: `grid[Cell(1, 2)]` is one element."""
    x, key = np.arange(6.0).reshape(2, 3), Cell(*parts)
    array, mask = ng.array(x), np.zeros_like(x)
    same(array[key], x[key])
    same(ng.jit(lambda a: a[key])(array), x[key])
    mask[key] = 1
    same(ng.grad(lambda a: a[key].sum())(array), mask)
    for _ in range(2):
        array[key] = x[key] = 9
        array[key] += 1
        x[key] += 1
    same(array, x)


TUPLES = [((0, 1), slice(None)), (slice(None), (0, 1)), ((0, 1), 1), (1, (0, 1)), ((0, 1), (0, 1))]


@pytest.mark.parametrize("key", TUPLES, ids=str)
def test_a_tuple_within_an_index_lists_elements(key):
    """X-NDA-04: as a list does; read and written twice, the fast path too."""
    x = np.arange(20.0).reshape(4, 5)
    array = ng.array(x)
    for _ in range(3):
        np.testing.assert_array_equal(array[key].asnumpy(), x[key])
        array[key] += 10
        x[key] += 10
        np.testing.assert_array_equal(array.asnumpy(), x)


@pytest.mark.parametrize(
    "key", [np.s_[:, 0, ..., [0, 1]], np.s_[0, ..., [0, 1]], np.s_[[0], ..., 1]]
)
def test_an_ellipsis_keeps_index_arrays_apart(key):
    """X-NDA-04: their axes come first then, also where it stands for no axis."""
    x = np.arange(12.0).reshape(2, 2, 3)
    array, weights = ng.array(x), np.random.default_rng(1).normal(size=x[key].shape)
    for read in (array[key], ng.jit(lambda a: a[key])(array)):
        np.testing.assert_array_equal(read.asnumpy(), x[key])
    slope = ng.grad(lambda a: (a[key] * weights).sum())(array)
    expected = np.zeros_like(x)
    np.add.at(expected, key, weights)
    np.testing.assert_allclose(slope.asnumpy(), expected)
    array[key], x[key] = weights, weights
    np.testing.assert_array_equal(array.asnumpy(), x)


def test_index_arrays_that_do_not_broadcast():
    with pytest.raises(IndexError, match=r"\(2,\), \(3,\) do not broadcast"):
        ng.ones((2, 2))[[0, 1], [0, 1, 0]]
