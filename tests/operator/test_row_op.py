"""Row programs as operators: against their own text, for any axes, strides, dtypes and world."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nbgraph as ng
from nbgraph.dtype import bfloat16
from nbgraph.errors import ArgumentError, AxisError, ShapeError
from nbgraph.operator.kernel_call import lowered
from nbgraph.operator.layout import layout_of
from nbgraph.operator.request import kAddTo, kNullOp, kWriteInplace, kWriteTo
from nbgraph.operator.rows.row_op import RowOp
from nbgraph.operator.rows.row_program import Result, RowProgram
from nbgraph.shape import address

DTYPES = ["float16", "bfloat16", "float32", "float64"]
EPS = {"float16": 1e-3, "bfloat16": 8e-3, "float32": 2e-6, "float64": 1e-13}


def mean_of(total, count):
    return total / count


def square(x, total, count):
    return (x - total / count) ** 2


def normal(x, gamma, total, spread, count, *, eps=1e-5):
    return (x - total / count) / math.sqrt(spread / count + eps) * gamma


def deviation(spread, count, *, eps=1e-5):
    return math.sqrt(spread / count + eps)


NORM = RowOp(
    RowProgram(
        "norm_rows",
        elements=("x", "gamma"),
        totals={"total": ("add", lambda x: x), "spread": ("add", square)},
        results=[Result(normal), Result(mean_of, row=True), Result(deviation, row=True)],
    )
)


def chosen(x, index, label):
    return x if index == label else 0.0


def weight(x, top):
    return math.exp(x - top)


def loss(top, total, picked):
    return math.log(total) + top - picked


def slope(x, top, total, index, label, scale):
    return (weight(x, top) * (1 / total) - (1.0 if index == label else 0.0)) * scale


ENTROPY = RowOp(
    RowProgram(
        "entropy_rows",
        rows=("label", "scale"),
        integers=("label",),
        totals={"top": ("max", lambda x: x), "total": ("add", weight), "picked": ("add", chosen)},
        results=[Result(loss, row=True), Result(slope)],
    )
)


def array(rng, shape, dtype):
    dtype = bfloat16() if dtype == "bfloat16" else np.dtype(dtype)
    return rng.normal(size=shape).astype(dtype)


def placed(rng, x):
    """The same values, in memory in some other way."""
    order = rng.permutation(x.ndim)
    moved = np.ascontiguousarray(x.transpose(order)).transpose(np.argsort(order))
    if rng.random() < 0.5 and x.ndim:
        wide = np.zeros((*x.shape[:-1], 2 * x.shape[-1]), x.dtype)
        wide[..., ::2] = x
        return wide[..., ::2]
    return moved


@settings(max_examples=40)
@given(
    shape=st.lists(st.integers(1, 5), min_size=1, max_size=4),
    dtype=st.sampled_from(DTYPES),
    seed=st.integers(0, 2**16),
    data=st.data(),
)
def test_kernels_agree_with_the_text(shape, dtype, seed, data):
    """X-SYM-05: any shape, axes, memory order and dtype; NumPy arrays, NDArrays and symbols."""
    rng = np.random.default_rng(seed)
    axis = data.draw(
        st.one_of(
            st.none(),
            st.integers(-len(shape), len(shape) - 1),
            st.lists(st.integers(0, len(shape) - 1), min_size=1, unique=True).map(tuple),
        )
    )
    keepdims = data.draw(st.booleans())
    x, gamma = array(rng, shape, dtype), array(rng, shape[-1:], dtype)
    options = {"axis": axis, "keepdims": keepdims}
    actual = NORM(placed(rng, x), gamma, **options)
    with ng.config(compiler="python"):
        wanted = NORM(x, gamma, **options)
    for a, b in zip(actual, wanted, strict=True):
        assert a.shape == b.shape and a.dtype == b.dtype == x.dtype
        a, b = np.asarray(a, "float64"), np.asarray(b, "float64")
        np.testing.assert_allclose(a, b, rtol=60 * EPS[dtype], atol=60 * EPS[dtype])


@pytest.mark.parametrize("axis", [0, -1, (0, 2), None])
def test_worlds_have_the_same_bits(axis):
    """X-SYM-05: NumPy arrays, NDArrays and symbols; long rows, and the workers' chunks."""
    rng = np.random.default_rng(1)
    x, gamma = array(rng, (9, 40, 300), "float32"), array(rng, (300,), "float32")
    own = NORM(x, gamma, axis=axis)
    pushed = NORM(ng.array(x), ng.array(gamma), axis=axis)
    made = NORM(ng.var("x", shape=x.shape), ng.var("gamma", shape=gamma.shape), axis=axis)
    heads = ng.Group(list(made)).simple_bind(ng.cpu(), x=x.shape, gamma=gamma.shape)
    bound = heads.forward(x=x, gamma=gamma)
    for a, b, c in zip(own, pushed, bound, strict=True):
        assert np.asarray(a).tobytes() == b.asnumpy().tobytes() == c.asnumpy().tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "shape", [(4, 3, 50), (2, 20, 3, 5), (5, 1, 2, 1), (3, 2, 1500), (0, 3, 4)]
)
def test_a_row_of_several_runs(shape, dtype):
    """Rows over axes that do not merge are read where they lie, in C order; turned about they have
    the same bits."""
    rng = np.random.default_rng(3)
    x, gamma = array(rng, shape, dtype), array(rng, (1,), dtype)
    how = {"axis": (0, *range(2, len(shape))), "keepdims": False}
    actual = NORM(x, gamma, **how)
    turned = np.moveaxis(np.ascontiguousarray(np.moveaxis(x, 1, 0)), 0, 1)
    with ng.config(compiler="python"):
        wanted = NORM(x, gamma, **how)
    for a, b, c in zip(actual, wanted, NORM(turned, gamma, **how), strict=True):
        own, named = (np.asarray(v, "float64") for v in (a, b))
        np.testing.assert_allclose(own, named, rtol=60 * EPS[dtype], atol=60 * EPS[dtype])
        assert np.asarray(a).tobytes() == np.asarray(c).tobytes()
    if x.size:
        layouts = [layout_of(v) for v in (x, gamma, *actual)]
        case = lowered(
            NORM, layouts[:2], layouts[2:], ["write"] * len(actual), {**how, "eps": 1e-5}
        )
        assert case.alone is not None


@pytest.mark.parametrize("wanted", [(kWriteTo, kNullOp), (kNullOp, kWriteTo), (kAddTo, kAddTo)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_requests(dtype, wanted):
    """OPR-11: outputs that nobody asks for are left alone, sums are of rounded results."""
    rng = np.random.default_rng(2)
    x = array(rng, (6, 70), dtype)
    label, scale = rng.integers(0, 70, 6), array(rng, (6,), dtype)
    options = {"axis": -1, "keepdims": False}
    fresh = ENTROPY(x, label, scale, **options)
    outs = [np.full(f.shape, 0.25, f.dtype) for f in fresh]
    ENTROPY.run([x, label, scale], outs, wanted, options)
    for out, value, request in zip(outs, fresh, wanted, strict=True):
        before = np.full(value.shape, 0.25, value.dtype)
        right = {kWriteTo: value, kNullOp: before, kAddTo: before + value}[request]
        assert out.tobytes() == right.tobytes()


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("label_dtype", ["int64", "uint8", "float32"])
def test_places_and_operands_of_rows(label_dtype, axis):
    """MTE-08: cross entropy with the label's class at its place, and its gradient."""
    rng = np.random.default_rng(3)
    x = array(rng, (6, 50), "float32")
    count = x.shape[1 - axis]
    label = rng.integers(0, x.shape[axis], count)
    scale = array(rng, (count,), "float32")
    value, gradient = ENTROPY(x, label.astype(label_dtype), scale, axis=axis)
    wide = np.moveaxis(x.astype("float64"), axis, -1)
    log_p = wide - np.log(np.exp(wide).sum(-1, keepdims=True))
    one = np.eye(x.shape[axis])[label]
    np.testing.assert_allclose(value, -(log_p * one).sum(-1), rtol=1e-5)
    right = np.moveaxis((np.exp(log_p) - one) * scale[:, None], -1, axis)
    np.testing.assert_allclose(gradient, right, rtol=1e-5, atol=1e-6)


def test_in_place_and_what_overlaps():
    """X-SYM-05: an output may be an operand, or lie across one."""
    held = np.random.default_rng(4).normal(size=(8, 33)).astype("float32")
    wanted = ng.softmax(held[:4].copy()), ng.softmax(held[:4].copy())
    across = held.copy()
    ng.softmax(across[:4], out=across[2:6])
    assert np.array_equal(across[2:6], wanted[0])
    x = ng.array(held[:4])
    ng.softmax(x, out=x)
    assert np.array_equal(x.asnumpy(), wanted[1])
    ng.softmax(held[:4], out=held[:4])
    assert np.array_equal(held[:4], wanted[1])


def test_what_does_not_fit_is_refused_by_name():
    """X-SYM-05: errors name the operator, the operand and what was expected."""
    x = np.zeros((2, 3), "float32")
    with pytest.raises(AxisError, match="entropy_rows: axis=2 does not exist"):
        ENTROPY(x, [0, 1], [1.0, 1.0], axis=2)
    with pytest.raises(ShapeError, match=r"label has shape \(3,\); expected \(2,\)"):
        ENTROPY(x, [0, 1, 2], [1.0, 1.0])
    with pytest.raises(ArgumentError, match="expected one axis"):
        ENTROPY(x, [0, 1], [1.0, 1.0], axis=(0, 1))
    with pytest.raises(ArgumentError, match="unexpected keyword argument 'sigma'"):
        NORM(x, x, sigma=1.0)
    with pytest.raises(ArgumentError, match="names 'z'"):
        RowProgram("p", totals={}, results=[Result(lambda z: z)])
    with pytest.raises(ArgumentError, match=r"\['a', 'b'\] depend on each other"):
        RowProgram(
            "p",
            totals={"a": ("add", lambda b: b), "b": ("add", lambda a: a)},
            results=[Result(lambda a: a)],
        )


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("shape", "axis"), [((40, 300), 0), ((3, 7, 5, 20), 1), ((2, 700, 16), 1)])
def test_rows_side_by_side_are_worked_on_together(shape, axis, dtype):
    """X-SYM-05: another kernel, the same numbers; however it is cut, in place, and added."""
    x = array(np.random.default_rng(5), shape, dtype)
    op = ng.softmax.op
    options = op.normalise({"axis": axis})
    whole = np.empty_like(x)
    given = [layout_of(x)], [layout_of(whole)]
    call = lowered(op, *given, ["write"], options).alone
    call = call.of_numbers(op.numbers(options, is_train=False))
    assert call.code.loop.form == "columns"
    op.run([x], [whole], [kWriteTo], options)
    along = ng.softmax(np.ascontiguousarray(np.moveaxis(x, axis, -1)))
    wide = np.asarray(np.moveaxis(along, -1, axis), "float64")
    np.testing.assert_allclose(
        whole.astype("float64"), wide, rtol=4 * EPS[dtype], atol=4e-8 if x.itemsize == 2 else 0
    )
    cut = np.empty_like(x)
    words = np.array(call.block([address(x), address(cut)]))
    for lo, hi in ((call.size - 5, call.size), (0, 3), (3, call.size - 5)):
        call.code.run(words, lo, hi)
    assert cut.tobytes() == whole.tobytes()
    added = x.copy()
    op.run([x], [added], [kAddTo], options)
    assert added.tobytes() == (x + whole).tobytes()
    op.run([x], [x], [kWriteInplace], options)
    assert x.tobytes() == whole.tobytes()


def test_few_rows_side_by_side_are_rows_with_steps():
    """X-SYM-05: what lies a step apart is not a reason for strips of three numbers."""
    x = np.zeros((50, 3), "float32")
    given = [layout_of(x)], [layout_of(x)]
    options = ng.softmax.op.normalise({"axis": 0})
    call = lowered(ng.softmax.op, *given, ["write"], options).alone
    assert call.code.loop.form == "rows"
    assert call.code.loop.operands[0].layout == "s"
