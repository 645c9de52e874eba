"""Reductions as kernels for plans: against `map_reduce` and NumPy, in every order and request."""

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.dtype import bfloat16
from nbgraph.engine.native_call import NativeCall
from nbgraph.errors import ShapeError
from nbgraph.kernels.loops.loop import GROUP, stretch
from nbgraph.operator import registry
from nbgraph.operator.layout import layout, layout_of
from nbgraph.operator.mapper.fused import Part, fuse
from nbgraph.operator.rows.map_reduce import map_reduce
from nbgraph.operator.rows.reduce_call import along_axes, reduce_call, same, totals_call
from nbgraph.operator.scalar.map_call import map_call

add, multiply, exp = map(registry.find, ("add", "multiply", "exp"))
NUMPY = {"add": np.add, "multiply": np.multiply, "max": np.maximum, "min": np.minimum}


def run(prepared, arrays, numbers=(), cuts=1):
    """The kernel over its whole range, in so many pieces, the last first."""
    record = prepared.block([a.ctypes.data for a in arrays], numbers)
    places = np.linspace(0, prepared.size, cuts + 1).astype(int)
    for lo, hi in reversed(list(zip(places[:-1], places[1:], strict=True))):
        NativeCall(prepared.code.address, record, int(hi), lo=int(lo))()


def layouts(arrays):
    return [layout_of(a) for a in arrays]


def reduced(op, arrays, outs, requests, combines, axes, numbers=(), cuts=1, **options):
    """Fill `outs`, as an executor does: the loop, then its ends."""
    shape = np.broadcast_shapes(*(a.shape for a in arrays))
    plan = op.invoker.plan_of([*(a.dtype for a in arrays), *numbers], {})
    operands = [*layouts(arrays), *(None for _ in numbers)]
    made = reduce_call(plan, shape, operands, layouts(outs), requests, combines, axes, **options)
    held = [*arrays, *outs, *(own.empty() for own in made.scratch)]
    for call in made.calls:
        used = [held[k] for k in call.order]
        run(call, used, numbers if call.scalars else (), cuts=cuts)
    return made


@pytest.mark.parametrize("count", [1, 7, 8, 9, 127, 128, 129, 136, 255, 1000, 4097, 100_003])
def test_totals_are_added_as_numpy_adds_them(count):
    """X-SYM-05: the pairwise sum of block totals, bit for bit."""
    rng = np.random.default_rng(count)
    x = rng.normal(size=(3, count)) * 10.0 ** rng.integers(-8, 8, (3, count))
    x[1] = -0.0
    out = np.empty(3)
    run(totals_call("add", *layouts([x, out]), "write"), [x, out], cuts=2)
    assert out.tobytes() == np.add.reduce(x, axis=1).tobytes()


CASES = [
    ("float32", (5000,), 1),
    ("float32", (7, 3000), 1),
    ("float32", (300, 50), 1),
    ("float64", (3, 5, 2100), 2),
    ("int32", (4, 3333), 1),
    ("uint8", (2, 1025), 1),
    ("bool", (2, 2000), 1),
    ("float16", (2, 1500), 1),
]


@pytest.mark.parametrize("combine", ["add", "max", "min", "multiply"])
@pytest.mark.parametrize(("dtype", "shape", "axes"), CASES)
def test_reductions_along_last_axes(dtype, shape, axes, combine):
    """X-SYM-05: equal to map_reduce bit for bit, written or added, however the range is cut."""
    rng = np.random.default_rng(3)
    wide = 1e-3 if combine == "multiply" and np.dtype(dtype).kind == "f" else 1
    x = (1 + wide * rng.normal(size=shape)).astype(dtype)
    if combine in ("max", "min") and np.dtype(dtype).kind == "f":
        x[(0,) * len(shape)] = np.nan
    kept = shape[: len(shape) - axes]
    over = tuple(range(len(kept), len(shape)))
    wanted = np.asarray(map_reduce(same, x, axis=over, combine=combine))
    if dtype == "bool" and combine in ("max", "min"):
        wanted = wanted.astype(bool)
    out = np.empty(kept, wanted.dtype)
    for cuts in (1, 3):
        reduced(same, [x], [out], ["write"], [combine], axes, cuts=cuts)
        np.testing.assert_array_equal(out, wanted)
        assert out.tobytes() == wanted.tobytes() or np.isnan(wanted).any()
    reduced(same, [x], [out], ["add"], [combine], axes)
    np.testing.assert_array_equal(out, wanted + wanted)


@pytest.mark.parametrize("shape", [(3000,), (6, 1500), (40, 33)])
@pytest.mark.parametrize("disjoint", [False, True])
def test_several_ends_and_elements_beside_them(shape, disjoint):
    """X-SYM-05: one loop gives elements, sums and extremes, of broadcast operands and numbers."""
    parts = [
        Part(multiply, (("in", 0), ("in", 1))),
        Part(add, (("part", 0, 0), ("number", 0))),
        Part(exp, (("in", 1),)),
    ]
    op, _ = fuse("several", parts, [(1, 0), (0, 0), (1, 0), (2, 0)])
    rng = np.random.default_rng(5)
    x = rng.normal(size=shape).astype("float32")
    b = np.broadcast_to(rng.normal(size=shape[:-1]).astype("float32")[..., None], shape)
    x0 = x.copy()
    old = rng.normal(size=shape).astype("float32")
    elements, also = (x, old.copy()) if disjoint else (np.empty_like(x), old.copy())
    total, largest = np.ones(shape[:-1], "float32"), np.empty(shape[:-1], "float32")
    reduced(
        op,
        [x, b],
        [elements, total, largest, also],
        ["write", "add", "write", "add"],
        [None, "add", "max", None],
        1,
        (0.5,),
        cuts=2,
        disjoint=disjoint,
    )
    np.testing.assert_array_equal(elements, x0 * b + np.float32(0.5))
    np.testing.assert_array_equal(largest, (x0 * b + np.float32(0.5)).max(axis=-1))
    np.testing.assert_array_equal(also, old + exp(np.ascontiguousarray(b)))
    wanted = map_reduce(multiply, x0, b, axis=len(shape) - 1)
    np.testing.assert_array_equal(total, np.float32(1) + wanted)


def test_an_output_nobody_asks_for_is_left_out():
    """X-SYM-05: a null request writes nothing and makes no totals."""
    op, _ = fuse("two", [Part(exp, (("in", 0),))], [(0, 0), (0, 0)])
    x = np.linspace(0, 1, 3000, dtype="float32")
    out, untouched = np.empty((), "float32"), np.full((), 7, "float32")
    made = reduced(op, [x], [untouched, out], ["null", "write"], ["add", "add"], 1)
    assert len(made.calls) == 2  # the totals of one
    assert untouched == 7
    assert out == np.float32(map_reduce(exp, x))


@pytest.mark.parametrize("count", [4096, 4097, 50_001])
def test_longer_blocks_have_fewer_totals(count):
    """X-SYM-05, SMP-07: what a GPU's threads share is a long stretch; its order depends on the
    number of elements alone."""
    rng = np.random.default_rng(count)
    x, out = rng.uniform(-1, 1, (3, count)).astype("float32"), np.empty(3, "float32")
    made = reduced(same, [x], [out], ["write"], ["add"], 1, block=4096)
    blocks = -(-count // 4096)
    assert [own.shape for own in made.scratch] == ([] if blocks == 1 else [(3, blocks)])
    bound = 4096 / 4 * np.finfo("float32").eps * np.abs(x).sum(1)
    assert (np.abs(out - x.astype("float64").sum(1)) <= bound).all()
    assert stretch(1 << 18) == 4096 and stretch((1 << 25) - 1) == 4096


def test_the_loop_of_a_reduction_is_vectorised():
    """X-SYM-05: packed instructions, and no checks where memory is disjoint."""
    op, _ = fuse("two", [Part(exp, (("in", 0),))], [(0, 0), (0, 0)])
    plan = op.invoker.plan_of([np.dtype("float32")], {})
    whole, one = layout((9, 3000), np.dtype("float32")), layout((9,), np.dtype("float32"))
    made = reduce_call(
        plan, (9, 3000), [whole], [whole, one], ["write"] * 2, [None, "add"], 1, disjoint=True
    )
    text = made.calls[0].code.llvm()
    assert "memcheck" not in text
    assert "store <" in text and "fadd reassoc <" in text


def test_nothing_to_reduce_is_refused():
    """X-SYM-05: a reduction of no elements is for the caller to answer."""
    plan = same.invoker.plan_of([np.dtype("float32")], {})
    one = layout((0, 3), np.dtype("float32"))
    with pytest.raises(ShapeError, match="no elements"):
        reduce_call(plan, (0, 3), [one], [one], ["write"], ["add"], 1)
    with pytest.raises(ShapeError, match="with elements"):
        along_axes(one, (0,), layout((3,), np.dtype("float32")))


# leading axes -----------------------------------------------------------------------------------


def along(x, axes, out, request="write", combine="add", cuts=1):
    stages, scratch = along_axes(*layouts([x]), axes, *layouts([out]), request, combine)
    held = [x, *(own.empty() for own in scratch), out]
    for stage, given, result in zip(stages, held[:-1], held[1:], strict=True):
        run(stage, [given, result], cuts=cuts)


def by_groups(x):
    """The order of additions, by NumPy: groups of rows, one row after another, then the groups'
    totals in the same way, and what fills no group."""
    groups = len(x) // GROUP if len(x) >= 2 * GROUP else 0
    if not groups:
        return np.add.reduce(x, axis=0)
    head, tail = x[: groups * GROUP], x[groups * GROUP :]
    total = by_groups(np.add.reduce(head.reshape(groups, GROUP, -1), axis=1))
    return total + np.add.reduce(tail, axis=0) if tail.size else total


ROWS = (1, 2, 5, 127, 255, 256, 257, 1000, 33_000, 33_111)


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int8", "bool"])
def test_rows_are_added_in_groups(rows, dtype):
    """X-SYM-05: sums along the first axis have one order, however the range is cut."""
    rng = np.random.default_rng(rows)
    x = rng.normal(0, 3, (rows, 5)).astype(dtype)
    x[:, 1] = np.dtype(dtype).type(-0.0)
    made = np.dtype("int64") if x.dtype.kind in "bi" else x.dtype
    wide = np.dtype("float32") if dtype == "float16" else made
    wanted, out = by_groups(x.astype(wide)).astype(made), np.empty(5, made)
    along(x, (0,), out, cuts=3)
    assert out.tobytes() == wanted.tobytes()


AXES = [
    ((6, 300, 7), (1,)),
    ((3, 1, 9, 4), (0, 1)),
    ((5, 6, 7), (0, 2)),
    ((4, 5, 1), (0, 2)),
    ((3, 4), (0, 1)),
    ((70, 3000), (0,)),
    ((4, 600, 3), (1, 2)),
    ((4, 5), ()),
]


@pytest.mark.parametrize(("shape", "axes"), AXES)
@pytest.mark.parametrize("combine", ["add", "max", "min", "multiply"])
@pytest.mark.parametrize("dtype", ["float32", "int16"])
def test_reductions_along_any_axes(shape, axes, combine, dtype):
    """X-SYM-05: axes in the middle, on both sides, of size 1, and none at all."""
    rng = np.random.default_rng(7)
    x = (1 + rng.normal(size=shape) / 64).astype(dtype)
    if combine in ("max", "min") and dtype == "float32":
        x[(0,) * len(shape)] = np.nan
    made = np.int64 if dtype == "int16" and combine in ("add", "multiply") else x.dtype
    wanted = NUMPY[combine].reduce(x.astype("float64" if dtype == "float32" else made), axis=axes)
    out = np.ones(wanted.shape, made)
    along(x, axes, out, cuts=2, combine=combine)
    np.testing.assert_allclose(out, wanted, rtol=1e-5)
    along(x, axes, out, "add", combine)
    np.testing.assert_allclose(out, 2 * wanted, rtol=1e-5)


def test_rows_are_added_in_packed_instructions():
    """X-SYM-05: the columns of a strip are added side by side."""
    x, out = layout((4096, 1000), np.dtype("float32")), layout((1000,), np.dtype("float32"))
    text = along_axes(x, (0,), out)[0][0].code.llvm()
    assert "memcheck" not in text
    assert "fadd <" in text


def test_fills_and_copies_are_prepared_like_maps():
    """X-SYM-05: a constant, and a strided copy with a cast, are kernels of the same kind."""
    out = np.empty((3, 5), "float32")
    plan = same.invoker.plan_of([np.dtype("float32")], {})
    run(map_call(plan, (3, 5), [None], layouts([out]), ["write"]), [out], (2.5,))
    np.testing.assert_array_equal(out, 2.5)
    x = np.arange(30, dtype="int32").reshape(6, 5)[::2]
    plan = same.invoker.plan_of([x.dtype], {})
    run(map_call(plan, (3, 5), layouts([x]), layouts([out]), ["write"]), [x, out])
    np.testing.assert_array_equal(out, x)


def test_brain_floats_are_added_in_float32():
    """X-SYM-05: bfloat16 sums keep float32 until the end."""
    x = np.full((500, 3), 1.01).astype(bfloat16())
    out = np.empty(3, bfloat16())
    along(x, (0,), out)
    np.testing.assert_array_equal(out, x.astype("float32").sum(axis=0).astype(bfloat16()))


@pytest.mark.parametrize("name", "sum mean prod std max min any logsumexp vector_norm".split())
@pytest.mark.parametrize("axis", [None, 0, (0, 2)])
def test_texts_without_kernels_give_the_same(name, axis):
    """The specification is the text of the row program, or the operator's own `compute`."""
    x = np.random.default_rng(0).normal(size=(3, 4, 5))
    compiled = getattr(ng, name)(x, axis=axis)
    with ng.config(compiler="python"):
        np.testing.assert_allclose(getattr(ng, name)(x, axis=axis), compiled, rtol=1e-12)
