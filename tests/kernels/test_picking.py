"""Kernels that take lines by indices and add at them, by both compilers, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nbgraph as ng
from nbgraph.errors import IndexingError

SIZES = st.integers(1, 5)


@st.composite
def picks(draw):
    """An array, indices of an axis, and that axis."""
    dtype = draw(st.sampled_from(["float32", "float64"]))
    shape = draw(st.lists(SIZES, min_size=1, max_size=3))
    axis = draw(st.integers(0, len(shape) - 1))
    count = draw(st.lists(st.integers(0, 4), max_size=2))
    random = np.random.default_rng(draw(st.integers(0, 99)))
    kind = draw(st.sampled_from(["int32", "int64"]))
    indices = random.integers(-shape[axis], shape[axis], count).astype(kind)
    return random.normal(size=shape).astype(dtype), indices, axis


@pytest.mark.parametrize("compiler", ["llvm", "numba"])
@given(picks())
def test_lines_are_taken_and_added(compiler, given):
    """OPR-12: the values, and the gradient added up in the order of the indices, bit for bit."""
    x, indices, axis = given
    with ng.config(compiler=compiler):
        held = ng.array(x)
        held.attach_grad()
        with ng.autograd.record():
            taken = ng.take(held, ng.array(indices), axis)
        np.testing.assert_array_equal(taken.asnumpy(), np.take(x, indices, axis))
        factor = np.arange(taken.size, dtype=x.dtype).reshape(taken.shape) / 7
        taken.backward(ng.array(factor))
        wanted = np.zeros_like(x)
        np.add.at(wanted, (slice(None),) * axis + (indices,), factor)
        np.testing.assert_array_equal(held.grad.asnumpy(), wanted)


@pytest.mark.parametrize("index", [4, -5])
def test_out_of_bounds(index):
    """The index is named, in arrays and in graphs, and NumPy arrays are left as they were."""
    table, indices = ng.ones((4, 3)), ng.array(np.array([0, index]))
    for take in (ng.take, ng.jit(lambda x, i: ng.take(x, i, 0))):
        found = take(table, indices, 0) if take is ng.take else take(table, indices)
        with pytest.raises(IndexingError, match=f"index {index} is out of bounds"):
            found.asnumpy()
    out = np.zeros((2, 3), "float32")
    with pytest.raises(IndexingError, match=f"index {index} is out of bounds for axis 0 of size 4"):
        ng.take(table.asnumpy(), [0, index], 0, out=out)
    assert not out.any()


def test_training_a_table_runs_no_python():
    """Embedding and its gradient are kernels of the plan."""
    table = {"w": ng.ones((10, 4))}
    step = ng.optim.train_step(
        lambda p, i: ng.sum(ng.square(ng.embedding(i, p["w"]))), ng.optim.SGD(table, 0.1)
    )
    step(ng.array(np.array([1, 2, 2])))
    (trained,) = step._known.values()
    assert not trained._program.stateful
    np.testing.assert_allclose(table["w"].asnumpy()[:4, 0], [1, 0.8, 0.6, 1], rtol=1e-6)


@pytest.mark.parametrize("compiler", ["llvm", "numba"])
@pytest.mark.parametrize("name", ["argmax", "argmin"])
@pytest.mark.parametrize("axis", [None, -1, 0])
def test_places_of_extremes(compiler, name, axis):
    """OPR-12: the first of equal elements, NaN before all, in arrays and in graphs."""
    random = np.random.default_rng(3)
    with ng.config(compiler=compiler):
        for shape in ((3, 7), (4, 1), (2, 2, 60), (1, 300)):
            x = random.integers(-3, 3, shape).astype("float32") * random.choice([1, np.nan], shape)
            for values in (x, np.nan_to_num(x), np.zeros_like(x) * -1):
                wanted = getattr(np, name)(values, axis=axis)
                found = getattr(ng, name)(ng.array(values), axis)
                np.testing.assert_array_equal(found.asnumpy(), wanted)
                graph = ng.jit(lambda v: getattr(ng, name)(v, axis, keepdims=True))
                again = graph(ng.array(values)).asnumpy()
                np.testing.assert_array_equal(again.reshape(wanted.shape), wanted)


@pytest.mark.parametrize("compiler", ["llvm", "numba"])
@pytest.mark.parametrize("dtype", [*"?bBhHiIlLefd", "bfloat16"])
def test_places_of_extremes_of_any_dtype(compiler, dtype):
    """OPR-12: of whole ranges of integers, of both zeros, infinities and NaN of either sign, along
    axes before others and over more than one block."""
    random = np.random.default_rng(5)
    special = [0.0, -0.0, 1.5, -2.0, np.inf, -np.inf, np.nan, -np.nan]
    narrow = np.dtype("float32" if dtype == "bfloat16" else dtype)
    with ng.config(compiler=compiler):
        for shape in ((7,), (400,), (5, 600), (3, 5, 2), (40, 3)):
            values = random.choice(special[:4], shape)
            if narrow.kind == "f" and len(shape) < 3:
                values = random.choice(special, shape)
            elif narrow.kind in "iu":
                values = random.integers(0, 1 << 63, shape, "uint64") * 3
            values = values.astype(narrow)
            x = ng.array(values).astype("bfloat16" if dtype == "bfloat16" else narrow)
            for axis in (None, *range(len(shape))):
                for name in ("argmax", "argmin"):
                    wanted = getattr(np, name)(values, axis=axis)
                    np.testing.assert_array_equal(getattr(ng, name)(x, axis), wanted)


def test_cubes_and_values_in_place_of_nan():
    """One kernel each: x**3, the number for NaN, and those for infinities; bfloat16 too."""
    x = np.array([2.0, np.nan, np.inf, -np.inf])
    for dtype in ("float16", "bfloat16", "float32", "float64"):
        a = ng.array(x).astype(dtype)
        np.testing.assert_array_equal((a**3).astype("float64"), x**3)
        filled = np.nan_to_num(a, nan=5, posinf=6, neginf=7)
        np.testing.assert_array_equal(filled.astype("float64"), [2, 5, 6, 7])
        assert float(np.nansum(a[:2])) == 2.0 and float(np.nanmax(a[:2])) == 2.0
        assert np.isfinite(np.nan_to_num(a).astype("float64")).all()
