"""Indices of every kind against NumPy: reading, writing, adding (X-NDA-04)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

import nbgraph as ng
import nbgraph.ops as ops
from nbgraph.operator.arrays.array_op import Spec
from nbgraph.ops.indexing.addressing import ARRAY, selected_shape
from nbgraph.ops.indexing.keys import normal_key, numpy_index
from nbgraph.ops.indexing.scattering import add_tiling
from nbgraph.ops.shapes.slicing import Triple

QUICK = settings(max_examples=150)


def basic_part(size):
    bound = st.one_of(st.none(), st.integers(-size - 2, size + 2))
    step = st.sampled_from([None, 1, 2, -1, -2])
    slices = st.builds(slice, bound, bound, step)
    return st.one_of(slices, st.integers(-size, size - 1)) if size else slices


@st.composite
def basic(draw, shape):
    """Integers, slices, new axes, an Ellipsis."""
    key = [draw(basic_part(n)) for n in shape[: draw(st.integers(0, len(shape)))]]
    if len(key) < len(shape) or draw(st.booleans()):
        place = draw(st.integers(0, len(key)))
        tail = [draw(basic_part(n)) for n in shape[len(shape) - (len(key) - place) :]]
        key = [*key[:place], Ellipsis, *(tail if place < len(key) else [])]
    for _ in range(draw(st.integers(0, 2))):
        key.insert(draw(st.integers(0, len(key))), None)
    return tuple(key)


@st.composite
def advanced(draw, shape):
    """Lists, arrays and masks among slices and integers; index arrays broadcast."""
    together = draw(st.sampled_from([(), (2,), (3, 2)]))
    key, axis = [], 0
    while axis < len(shape):
        kind = draw(st.sampled_from(["array", "slice", "int", "mask", "new", "stop"]))
        size = shape[axis]
        if kind == "stop":
            break
        if kind == "new":
            key.append(None)
            continue
        if kind == "array" and size:
            own = draw(st.sampled_from([together, (1,) * len(together), together[-1:]]))
            numbers = draw(npst.arrays(np.int64, own, elements=st.integers(-size, size - 1)))
            key.append(numbers.tolist() if draw(st.booleans()) else numbers.astype("int32"))
        elif kind == "int" and size:
            key.append(draw(st.integers(-size, size - 1)))
        elif kind == "mask" and together == () and not any(isinstance(k, np.ndarray) for k in key):
            key.append(draw(npst.arrays(bool, shape[axis : axis + 2])))
            axis += key[-1].ndim - 1
        else:
            key.append(draw(basic_part(size)) if kind == "slice" else slice(None))
        axis += 1
    return tuple(key)


SHAPES = npst.array_shapes(max_dims=4, min_side=0, max_side=4)


@QUICK
@given(st.data(), SHAPES)
def test_basic_indices_are_views(data, shape):
    x = np.arange(np.prod(shape)).reshape(shape)
    key = data.draw(basic(shape))
    judge = x[key]
    own = ops.slice_view(x, key)
    np.testing.assert_array_equal(own, judge, strict=True)
    assert own.ndim == 0 or not own.size or np.shares_memory(own, x)
    template, arrays = normal_key(key, shape)
    assert not arrays
    hash(template)
    back = ops.slice_scatter(judge, shape, template)
    wanted = np.zeros_like(x)
    wanted[key] = judge
    np.testing.assert_array_equal(back, wanted, strict=True)


@QUICK
@given(st.data(), SHAPES)
def test_advanced_indices(data, shape):
    x = np.arange(np.prod(shape)).reshape(shape)
    key = data.draw(advanced(shape))
    judge = x[key]
    template, arrays = normal_key(key, shape)
    hash(template)
    assert selected_shape("t", template, shape, [a.shape for a in arrays]) == judge.shape
    np.testing.assert_array_equal(ops.gather(x, key=key), judge, strict=True)
    value = data.draw(st.sampled_from([5, np.arange(judge.size).reshape(judge.shape) + 100]))
    written, added, scattered = x.copy(), x.copy(), np.zeros_like(x)
    written[key] = value
    np.add.at(added, key, value)
    np.add.at(scattered, key, value)
    np.testing.assert_array_equal(ops.index_update(x, value, key=key), written, strict=True)
    np.testing.assert_array_equal(ops.index_add(x, value, key=key), added, strict=True)
    own = ops.scatter_add(value, *arrays, shape=shape, key=template)
    np.testing.assert_array_equal(own, scattered, strict=True)


def test_a_template_is_its_own_template():
    key = (slice(1, None), None, [0, 1], ..., 2)
    template, arrays = normal_key(key, (4, 3, 5, 6))
    assert template == (*(Triple(1, None, None), None, ARRAY), *(Triple(None, None, None), 2))
    again, same = normal_key(tuple(arrays[0] if p == ARRAY else p for p in template), (4, 3, 5, 6))
    assert again == template and len(same) == 1
    x = np.arange(4 * 3 * 5 * 6).reshape(4, 3, 5, 6)
    np.testing.assert_array_equal(x[numpy_index("t", template, x.shape, arrays)], x[key])


def test_take():
    x = np.arange(12).reshape(3, 4)
    for indices in ([2, 0, -1], [[0, 1]], 1, [], np.array([1], "uint8")):
        for axis in (None, 0, 1, -1):
            judge = np.asarray(x.take(np.asarray(indices, int), axis))[()]
            np.testing.assert_array_equal(ops.take(x, indices, axis), judge, strict=True)


def test_half_floats_add_up_in_float32():
    """X-NDA-07: 16-bit storage, 32-bit accumulation."""
    found = ops.scatter_add(np.ones(5000, "float16"), shape=(1,), key=np.zeros(5000, int))
    assert found.dtype == "float16" and found[0] == 5000


BAD = [
    (5, "index 5 is out of bounds for axis 0 of shape .3, 4.; expected -3 to 2"),
    ((0, -5), "index -5 is out of bounds for axis 1"),
    ((0, 0, 0), "3 indices for an array of shape .3, 4.; give 2 at most"),
    ((..., ...), "one Ellipsis"),
    ("a", "integers"),
    (1.5, "1.5 is not an index; give integers, slices, None, Ellipsis, or arrays"),
    (slice(0, 1.5), "slice bound 1.5 is not a whole number"),
    (slice(None, None, 0), "the slice of axis 0 has step 0"),
    ([0, 3], "index 3 is out of bounds for axis 0 of size 3"),
    ((slice(None), np.array([-5])), "index -5 is out of bounds for axis 1 of size 4"),
    ([1.0], "an index array of dtype float64; indices are integers or booleans"),
    ([True, False], "a mask of size 2 for axis 0 of shape .3, 4.; give one of size 3"),
    (np.ones((3, 3), bool), "a mask of size 3 for axis 1"),
    ([[1], [1, 2]], "is not an index"),
    (False, "the index False selects nothing"),
]


@pytest.mark.parametrize("key, message", BAD, ids=[m[:30] for _, m in BAD])
def test_bad_indices_raise_at_once(key, message):
    with pytest.raises(IndexError, match=message):
        normal_key(key, (3, 4))


def test_bad_values_and_index_arrays():
    x = np.zeros((3, 4))
    with pytest.raises(ValueError, match="index_update: value has shape .3,., the index selects"):
        ops.index_update(x, np.ones(3), key=0)
    with pytest.raises(IndexError, match=r"arrays of shapes \(2,\), \(3,\) do not broadcast"):
        ops.gather(x, key=([0, 1], [0, 1, 2]))
    with pytest.raises(IndexError, match="take: index 4 is out of bounds for axis 1 of size 4"):
        ops.take(x, [4], 1)
    with pytest.raises(IndexError, match="the axis is empty"):
        ops.take(np.zeros((0, 2)), [0], 0)
    with pytest.raises(TypeError, match="indices has dtype float64; indices are integers"):
        ops.take(x, [0.5], 0)
    with pytest.raises(ValueError, match="give indices with as many axes"):
        ops.take_along_axis(x, [0], 0)
    with pytest.raises(IndexError, match="gather: 1 index arrays for a key that has 2 places"):
        ops.gather(x, np.array([0]), key=(ARRAY, ARRAY))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", [(6,), (2, 3), (0,)])
@pytest.mark.parametrize(
    ("size", "axes"),
    [
        *(((5, 7), (0,)), ((5, 7), (1,)), ((5, 7), (0, 1)), ((3, 5, 7), (0, 1))),
        *(((3, 5, 7), (1, 2)), ((3, 5, 7), (0, 1, 2)), ((2, 3, 300), (0, 1)), ((1, 5), (0, 1))),
        ((2, 3, 4, 5), (1, 2)),
    ],
)
def test_gradients_of_lines_are_added_in_the_order_of_indices(size, axes, shape, dtype):
    """By a kernel, with the bits of NumPy; whole axes are named or not."""
    rng = np.random.default_rng(len(shape))
    key = [slice(None)] * len(size)
    for axis in axes:
        key[axis] = rng.integers(-size[axis], size[axis], shape)
    picked = np.zeros(size)[tuple(key)].shape
    weights = rng.normal(size=picked).astype(dtype)
    expected = np.zeros(size, dtype)
    np.add.at(expected, tuple(key), weights)
    x = ng.zeros(size, dtype)
    x.attach_grad()
    with ng.autograd.record():
        y = (x[tuple(key)] * ng.array(weights)).sum()
    y.backward()
    assert x.grad.asnumpy().tobytes() == expected.tobytes()
    template, _ = normal_key(tuple(key), size)
    specs = [Spec(picked, np.dtype(dtype)), *[Spec(shape, np.dtype("int64"))] * len(axes)]
    assert add_tiling(specs, dtype, shape=size, key=template) is not None
