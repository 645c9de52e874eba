"""Attention by blocks against the composition, in every world."""

import numpy as np
import pytest

import nbgraph as ng
from nbgraph import ops
from nbgraph.errors import DTypeError, ShapeError
from nbgraph.operator.kernel_call import lowered
from nbgraph.operator.layout import layout_of
from nbgraph.operator.request import kNullOp, kWriteTo
from nbgraph.ops.define import operator_of
from nbgraph.ops.products import attention
from nbgraph.ops.products.attention_rules import composition
from tests.worlds import WORLDS, expressions

BOUND = {"float32": 2e-6, "float64": 1e-14}  # of the largest element of what is compared
PARTS, GRADIENT = operator_of(ops.attention_parts), operator_of(ops.attention_gradient)
attend = ops.scaled_dot_product_attention


def arrays(*lead, rows=130, columns=300, size=16, width=24, dtype="float32"):
    """Query, key and value."""
    rng = np.random.default_rng(rows)
    shapes = (rows, size), (columns, size), (columns, width)
    return [rng.normal(size=(*lead, *shape)).astype(dtype) for shape in shapes]


def seen(*shape, share=0.5):
    return np.random.default_rng(len(shape)).uniform(size=shape) < share


def near(found, wanted, dtype):
    np.testing.assert_allclose(found, wanted, rtol=0, atol=BOUND[dtype] * np.abs(wanted).max())


def gradients(function, given):
    """What a function of arrays gives, and its gradients."""
    given = [ng.array(x) for x in given]
    for x in given:
        x.attach_grad()
    with ng.autograd.record():
        out = function(*given)
        loss = ng.sum(ng.tanh(out))
    loss.backward()
    return [x.asnumpy() for x in (out, *(x.grad for x in given))]


NUMBERS = np.random.default_rng(5).normal(size=(2, 1, 130, 300))
CASES = {
    "plain": ((2, 3), None, False, {}),
    "a tile a head backward": ((3, 3), None, True, {}),
    "one head": ((), None, True, {}),
    "more rows than columns": ((3,), None, True, {"rows": 400, "columns": 130}),
    "one position": ((9,), None, True, {"rows": 1, "columns": 16384}),
    "truth values": ((2, 3), seen(2, 1, 130, 300), False, {}),
    "of columns": ((2, 3), seen(2, 1, 1, 300), True, {}),
    "of rows": ((2, 3), seen(130, 1), True, {}),
    "rows that see nothing": ((2, 5), seen(2, 1, 1, 300, share=0.01), True, {}),
    "numbers": ((2, 3), NUMBERS, True, {}),
    "infinite numbers": ((2, 3), np.where(seen(300) | (np.arange(300) == 0), 0, -np.inf), True, {}),
    "rows of infinite numbers": ((2, 3), np.where(seen(130, 1), 0, -np.inf), True, {}),
    "numbers far below": ((2, 3), np.where(seen(130, 1), 0, -1e30), False, {}),
}


@pytest.mark.parametrize("dtype", BOUND)
@pytest.mark.parametrize("case", CASES)
def test_blocks_agree_with_the_composition(case, dtype):
    """Values and gradients, with masks and without."""
    lead, mask, causal, shapes = CASES[case]
    given = arrays(*lead, **shapes, dtype=dtype)
    scale = 1 / np.sqrt(given[0].shape[-1]).item()
    operands = (*given, mask.astype(dtype)) if case == "numbers" else given
    masks = [] if mask is None or case == "numbers" else [
        mask if mask.dtype == bool else mask.astype(dtype)
    ]  # fmt: skip
    found = gradients(lambda *x: attend(*x, *masks, causal=causal), operands)
    wanted = gradients(lambda *x: composition(*x, *masks, causal=causal, scale=scale), operands)
    for own, judge in zip(found, wanted, strict=True):
        near(own, judge, dtype)


@pytest.mark.parametrize("rows", [3, 130])
def test_minus_infinity_hides_as_false_does(rows):
    """Rows that see nothing included, which get the mean of all values; no NaN backward."""
    operands, mask = arrays(2, rows=rows), seen(rows, 300)
    mask[1] = False
    numbers = np.where(mask, 0, -np.inf).astype("float32")
    found, wanted = (gradients(lambda *x: attend(*x, m), operands) for m in (numbers, mask))
    for own, judge in zip(found, wanted, strict=True):
        near(own, judge, "float32")


def test_no_scores_in_memory():
    """Both ways are kernels without scratch memory, of arrays that lie anywhere."""
    turned = [x.swapaxes(1, 2) for x in arrays(2, 200, rows=3, columns=3, width=16)]
    out, rows = PARTS(*turned, causal=True, scale=0.25)
    assert rows.shape == (2, 3, 200, 2)
    near(out, composition(*turned, causal=True, scale=0.25), "float32")
    operands = [layout_of(x) for x in turned]
    attributes = {"causal": True, "scale": 0.25}
    made = [layout_of(out), layout_of(rows)]
    forward = lowered(PARTS, operands, made, ["write"] * 2, attributes)
    operands = [layout_of(x) for x in (out, *turned, rows, rows[..., 0].copy())]
    backward = lowered(GRADIENT, operands, operands[1:4], ["write"] * 3, attributes)
    for found in (forward, backward):
        assert not found.scratch
        assert not any(found.places[:4])


def test_an_executor_keeps_what_is_linear_in_positions():
    """A training step has no value that is larger than its operands."""
    heads, rows = 2, 1024
    given = arrays(heads, rows=rows, columns=rows, width=16)
    symbol = ng.sum(ng.tanh(ng.scaled_dot_product_attention(*map(ng.var, "qkv"))))
    executor = symbol.simple_bind(**{n: x.shape for n, x in zip("qkv", given, strict=True)})
    executor.forward_backward(**dict(zip("qkv", given, strict=True)))
    steps = executor.plan().to_dict()["forward_backward"]
    assert all(step["does"].startswith("kernel") for step in steps)
    values = executor.programs()["forward_backward"].compiled.schedule.values
    assert max(v.nbytes for v in values) <= heads * rows * 16 * 4


@pytest.mark.parametrize("world", [*WORLDS, expressions])
def test_every_world(world):
    """The worlds agree to the bit; broadcast axes in front among them."""
    query, key, value = arrays(2, 3)
    key = key[:, :1]
    found = world(ng.scaled_dot_product_attention, query, key, value)
    found = found[0] if isinstance(found, list | tuple) else found
    np.testing.assert_array_equal(np.asarray(found), attend(query, key, value))


@pytest.mark.parametrize("made", range(4))
@pytest.mark.parametrize("lead", [(3,), (9,)])
def test_bits_do_not_depend_on_who_runs_which_tiles(lead, made):
    """Nor on which of the gradients are asked for."""
    given = arrays(*lead, columns=130)
    attributes = {"causal": True, "scale": 0.25}
    out, rows = PARTS(*given, **attributes)
    operands = [out, *given, rows, (out * out).sum(-1)]
    judges = GRADIENT(*operands, **attributes)
    requests = [kWriteTo if made in (k, 3) else kNullOp for k in range(3)]
    found = [np.full_like(x, 7) for x in judges]
    GRADIENT.run(operands, found, requests, attributes)
    for own, judge, request in zip(found, judges, requests, strict=True):
        np.testing.assert_array_equal(own, judge if request is kWriteTo else np.full_like(own, 7))
    again = [np.empty_like(x) for x in judges]
    layouts = [[layout_of(x) for x in group] for group in (operands, again)]
    for call in lowered(GRADIENT, *layouts, ["write"] * 3, attributes).calls:
        addresses = [[*operands, *again][k].ctypes.data for k in call.order]
        block = np.array(call.block(addresses), np.int64)
        for tile in reversed(range(call.size)):
            call.code.run(block, tile, tile + 1)
    for own, judge in zip(again, judges, strict=True):
        np.testing.assert_array_equal(own, judge)


def test_both_compilers():
    """LLVM and Numba give the same bits; NumPy is the specification."""
    given = arrays(2, columns=130)
    mask = seen(130, 130)
    value = attend(*given, mask)
    with ng.config(compiler="numba"):
        np.testing.assert_array_equal(attend(*given, mask), value)
    with ng.config(compiler="python"):
        near(value, attend(*given, mask), "float32")


def test_second_derivatives():
    """They are those of the composition."""
    query, key, value = (ng.array(x) for x in arrays(2, columns=130, dtype="float64"))

    def twice(function):
        slope = ng.grad(lambda q: ng.sum(ng.tanh(function(q, key, value))))
        return ng.grad(lambda q: ng.sum(ng.tanh(slope(q))))(query).asnumpy()

    judge = twice(lambda *x: composition(*x, causal=True, scale=0.25))
    near(twice(lambda *x: ng.scaled_dot_product_attention(*x, causal=True)), judge, "float64")


def test_vmap():
    """One more axis in front, of some operands or all."""
    query, key, value = arrays(3, columns=130)
    mask = seen(130, 130)
    wanted = attend(query, key[0], value[0], mask)
    given = [ng.array(x) for x in (key[0], value[0], mask)]
    found = ng.vmap(lambda q: ng.scaled_dot_product_attention(q, *given))(ng.array(query))
    np.testing.assert_array_equal(found.asnumpy(), wanted)


@pytest.mark.parametrize("dtype", ["float16", "int32"])
def test_other_dtypes(dtype):
    """16-bit floats are computed in float32; integers give what the composition gives."""
    given = [(2 * x).astype(dtype) for x in arrays(2, columns=130)]
    wanted = composition(*(x.astype("float64") for x in given), causal=False, scale=0.25)
    found = attend(*given)
    assert found.dtype == ("float16" if dtype == "float16" else "float64")
    np.testing.assert_allclose(found, wanted, atol=2e-3 if dtype == "float16" else 1e-12)


def test_few_scores_are_left_to_the_composition(monkeypatch):
    """From a measured number of scores of a head on they are taken by blocks."""
    few = arrays(2, rows=3, columns=5)
    np.testing.assert_array_equal(attend(*few), composition(*few, causal=False, scale=0.25))
    monkeypatch.setattr(attention, "_WORTH", 1)
    near(attend(*few), composition(*few, causal=False, scale=0.25), "float32")
    assert attend(few[0], few[1][:, :0], few[2][:, :0]).shape == (2, 3, 24)


def test_axes_in_front_broadcast():
    """Those of a mask, too, as in the composition; NaN stays in its rows and columns."""
    query, key, value = arrays(3, columns=130)
    mask = seen(2, 1, 130, 130)
    found = attend(query, key[0], value[:1], mask)
    assert found.shape == (2, 3, 130, 24)
    near(found, composition(query, key[0], value[:1], mask, causal=False, scale=0.25), "float32")
    query[:, 5] = np.nan
    mask[:, :, 5:8] = False
    found = attend(query, key, value, mask, causal=True)
    wanted = composition(query, key, value, mask, causal=True, scale=0.25)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(wanted))
    near(np.nan_to_num(found), np.nan_to_num(wanted), "float32")


def test_bad_input():
    """Messages name the operator, the shapes and what is expected."""
    query, key, value = arrays(2, columns=130)
    with pytest.raises(ShapeError, match=r"query has shape \(2, 130, 15\), key \(2, 130, 16\)"):
        attend(query[..., :15], key, value)
    with pytest.raises(ShapeError, match=r"shapes \(16,\), .*; expected two axes or more"):
        attend(query[0, 0], key, value)
    with pytest.raises(ShapeError, match="scaled_dot_product_attention, axes in front"):
        attend(query, key[[0, 1, 0]], value)
    with pytest.raises(ShapeError, match=r"mask has shape \(1, 129, 130\); .* \(2, 130, 130\)"):
        attend(query, key, value, np.ones((129, 130), bool))
    with pytest.raises(DTypeError, match="dtypes int64, float32, float32; expected floats"):
        ops.attention_parts(query.astype(int), key, value)
    rows = np.ones((2, 130, 2), "float32")
    with pytest.raises(ShapeError, match="attention_gradient: out_grad, rows and delta"):
        ops.attention_gradient(query, query, key, value, rows, rows)
