"""Arrays from values, numbers and ranges: against NumPy, and the default dtypes."""

import array as numbers

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nbgraph as ng
from nbgraph.errors import OutOfMemory
from tests.array.samples import DTYPES, SHAPES, arrays, same


@given(arrays(DTYPES))
def test_array_copies_every_dtype_and_layout(x):
    """NDA-01: values, shape and dtype of a NumPy array, and of views of it."""
    same(ng.array(x), x)
    same(ng.array(x.T), x.T)
    same(ng.asarray(x), x)
    same(ng.array(ng.array(x)), x)


@given(SHAPES, st.sampled_from(DTYPES), st.sampled_from([0, 1, 7, True]))
def test_constants(shape, dtype, number):
    """X-NDA-04: zeros, ones, full, in every dtype, small ones written at once."""
    same(ng.zeros(shape, dtype), np.zeros(shape, dtype))
    same(ng.ones(shape, dtype=dtype), np.ones(shape, dtype))
    same(ng.full(shape, number, dtype), np.full(shape, number, dtype))
    x = ng.empty(shape, dtype)
    assert (x.shape, x.dtype) == (shape, dtype)
    for name in ("zeros_like", "ones_like"):
        same(getattr(ng, name)(x), getattr(np, name)(x.asnumpy()))
    same(ng.full_like(x, number), np.full(shape, number, dtype))


def test_large_constants_are_filled_by_the_engine(engine):
    """A large array's fill is pushed work, a kernel."""
    for number in (0, 1.5, -3):
        same(ng.full((300, 200), number, "float32"), np.full((300, 200), number, "float32"))
    same(ng.zeros((1 << 16,), "int16"), np.zeros(1 << 16, "int16"))
    same(ng.ones((1 << 16,), bool), np.ones(1 << 16, bool))


def test_what_no_machine_holds_is_refused_each_time(threaded):
    """Sizes beyond 64 bits do not stop what is kept of a call for the next one of its kind."""
    for _ in range(3):
        with pytest.raises(OutOfMemory, match="asked for on"):
            ng.zeros((10**30,))


def test_floats_take_integers_beyond_64_bits(threaded):
    """As in NumPy, the first time and once the way of a call is known."""
    x = ng.ones(3)
    for power in (25, 30, 2):
        same(ng.full((2,), 10**power, "float32"), np.full((2,), 10**power, "float32"))
        x[0] = 10**power
        same(x, np.array([10**power, 1, 1], "float32"))


@given(st.integers(-9, 9), st.integers(-9, 9), st.sampled_from([-3, -1, 1, 2, 1.3]))
def test_ranges(start, stop, step):
    wanted = np.arange(start, stop, step)
    same(ng.arange(start, stop, step), wanted.astype("float32") if step == 1.3 else wanted)
    for dtype in ("float64", "int32"):  # steps of integers are cut, too
        same(ng.arange(start, stop, step, dtype), np.arange(start, stop, step, dtype))
    same(ng.linspace(start, stop, 7, dtype="float64"), np.linspace(start, stop, 7))


def test_what_is_made_again_is_an_array_of_its_own():
    """X-NDA-04: calls that are remembered give other memory each, the numbers that were asked for,
    and what they are in a graph."""
    makers = [
        lambda: ng.arange(4.0),
        lambda: ng.eye(2),
        lambda: ng.linspace(0, 1, 5),
        lambda: ng.full((2,), 3.5),
        lambda: ng.ones_like(ng.zeros((2, 3))[:, ::2]),
    ]
    for make in makers:
        wanted = make().asnumpy()
        for _ in range(3):
            made = make()
            same(made, wanted)
            made[...] = -1
        assert ng.jit(lambda x, make=make: x + make().sum())(ng.zeros(())).item() == wanted.sum()
    for number in (0.0, -0.0, 0.0, 0, complex(0.0, -0.0), complex(0.0, 0.0), complex(-0.0, 0.0)):
        found, wanted = ng.full(2, number), np.full(2, number)
        assert found.asnumpy().tobytes() == wanted.astype(found.dtype).tobytes()
    for dtype in ("float32", "int8"):
        x = ng.zeros((2, 2), dtype)
        assert [ng.ones_like(x).dtype for _ in range(2)] == [dtype] * 2
        assert ng.ones_like(x[0]).shape == (2,)
    assert ng.sym.arange(4.0).list_outputs() == ["arange0_output"]


def test_matrices_and_grids():
    same(ng.eye(3, 4, 1, "float64"), np.eye(3, 4, 1))
    same(ng.identity(3, "int64"), np.identity(3, "int64"))
    same(ng.tri(3, dtype="float64"), np.tri(3))
    for found, wanted in zip(
        ng.meshgrid(ng.arange(2), ng.arange(3)), np.meshgrid(np.arange(2), np.arange(3))
    ):
        same(found, wanted)


def test_default_dtypes():
    """API rule 3: Python floats are config.default_float, integers int64, NumPy keeps its dtype."""
    for default in ("float32", "float64"):
        with ng.config(default_float=default):
            made = [ng.array([1.0]), ng.array(2.5), ng.zeros(2), ng.ones(2), ng.linspace(0, 1, 3)]
            made += [ng.arange(2.0), ng.eye(2), ng.full(2, 1.5), ng.array([[1, 2.5]])]
            assert {str(x.dtype) for x in made} == {default}
    integers = [ng.array([1, 2]), ng.arange(3), ng.full(2, 7), ng.array(5), ng.array(np.arange(2))]
    assert {str(x.dtype) for x in integers} == {"int64"}
    assert ng.array([True]).dtype == bool
    assert ng.array(np.float64(1)).dtype == ng.array([1.0], "float64").dtype == np.float64
    assert ng.add([1.0], [2.0]).dtype == np.float64  # plain lists follow NumPy


def test_array_copies_and_asarray_borrows():
    """API rule 5."""
    x = np.arange(3.0)
    copied, borrowed = ng.array(x), ng.asarray(x)
    x[0] = 9
    assert copied[0].item() == 0
    assert borrowed[0].item() == 9
    with pytest.raises(ValueError, match="write to a copy"):
        borrowed[0] = 1
    with pytest.raises(ValueError, match="write to a copy"):
        borrowed += 1
    a = ng.arange(3)
    assert ng.asarray(a) is a
    assert ng.array(a) is not a
    assert ng.asarray(a, "float32").dtype == np.float32


def test_devices():
    """Arrays are made where they are asked to be."""
    for make in (ng.zeros, ng.ones, ng.empty):
        assert make(2, device=ng.cpu(1)).device == ng.cpu(1)
    assert ng.array([1], device=ng.cpu(1)).device == ng.cpu(1)
    assert ng.arange(3, device=ng.cpu(1)).device == ng.cpu(1)
    assert ng.zeros_like(ng.zeros(2, device=ng.cpu(1))).device == ng.cpu(1)


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: ng.array("text"), TypeError, "array: operand 'obj' is 'text'"),
        (lambda: ng.array([[1], [2, 3]]), TypeError, "array: operand 'obj' is ragged"),
        (lambda: ng.array([1], "longdouble"), TypeError, "is not supported; supported"),
        (lambda: ng.zeros((2, -1)), ValueError, "negative size"),
        (lambda: ng.zeros(2.5), TypeError, "zeros: shape=2.5"),
        (lambda: ng.full(2, 300, "uint8"), OverflowError, "300"),
        (lambda: ng.full(2, float("nan"), "int64"), TypeError, "nan cannot be held by int64"),
        (lambda: ng.arange(1, 2, 0), TypeError, "step=0"),
        (lambda: ng.zeros(2, device=ng.gpu(99)), ValueError, "gpu"),
        (ng.NDArray, TypeError, "arrays are made by ng.array"),
        (lambda: ng.zeroes(2), AttributeError, "did you mean 'zeros'"),
    ],
)
def test_bad_input(make, error, text):
    with pytest.raises(error, match=text.replace("(", r"\(")):
        make()


def test_values_with_a_dtype_keep_it():
    """Of a buffer, another library's array, a NumPy scalar in a list; Python's numbers
    have the usual one."""

    values = [1 / 3]
    own = (
        numbers.array("d", values),
        memoryview(np.array(values)),
        np.array(values),
        [np.float64(1 / 3)],
    )
    for x in (*own, [ng.array(values, dtype="float64")], [np.array(values), [0.5]]):
        assert ng.array(x).dtype == ng.asarray(x).dtype == "float64", x
    for x in (values, 1 / 3, [values, (1,)], [ng.array(values)]):
        assert ng.array(x).dtype == "float32", x


def test_an_array_fills_as_a_number_does():
    """As `ng.full(n, x.mean())`; one that broadcasts, too, and the gradient flows through it."""
    x = ng.array([1.0, 2.0, 4.0])
    same(ng.full(2, x[1]), np.full(2, 2.0, "float32"))
    same(ng.full((2, 3), x, dtype="int64"), np.full((2, 3), [1, 2, 4]))
    same(ng.xp.full_like(x, ng.array(7), dtype=ng.xp.int32), np.full(3, 7, "int32"))
    same(ng.jit(lambda x: ng.full((2,), x.sum()))(x), np.full(2, 7.0, "float32"))
    same(ng.grad(lambda x: ng.full((2,), x.sum()).sum())(x), np.full(3, 2.0, "float32"))
    with pytest.raises(ng.ShapeError, match="does not broadcast"):
        ng.full((2, 2), x)
    filled = ng.full(3, x[0])
    filled[1] = 9
    assert (filled.tolist(), x.tolist()) == ([1, 9, 1], [1, 2, 4])
