"""Products of bfloat16 and of integers: exact where sums are, in every layout, request and world.

On processors that have no instructions for them the same is asked of float32 and of NumPy.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nbgraph as ng
from nbgraph import ops
from nbgraph.codegen.host import features
from nbgraph.operator.kernel_call import lowered
from nbgraph.operator.layout import layout
from nbgraph.operator.products import narrow as product_narrow
from nbgraph.ops.define import operator_of
from nbgraph.ops.products.connected import BIASED

DTYPES = ["bfloat16", "int8", "uint8"]
MATMUL = operator_of(ops.matmul)


@pytest.fixture(autouse=True, scope="module")
def of_any_size():
    """Small products are packed, too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(product_narrow, "_LEAST", 0)
        for op in (MATMUL, BIASED):
            op.carried.clear()
        yield
    for op in (MATMUL, BIASED):
        op.carried.clear()


def small(rng, *shape):
    """Whole numbers whose sums of products float32 holds exactly."""
    return rng.integers(-9, 10, shape)


def array(values, dtype):
    return ng.array(values.astype("int64")).astype(dtype)


def same(result, exact, dtype):
    assert result.dtype == dtype
    np.testing.assert_array_equal(result.astype("float64"), array(exact, dtype).astype("float64"))


def turned(x):
    """The same values, laid out with the last two axes exchanged."""
    return ng.swapaxes(ng.swapaxes(x, -1, -2).copy(), -1, -2)


@settings(max_examples=80)
@given(
    sizes=st.tuples(st.integers(1, 90), st.integers(1, 300), st.integers(1, 90)),
    turns=st.tuples(st.booleans(), st.booleans(), st.booleans()),
    batch=st.sampled_from([(), (3,), (2, 2)]),
    dtype=st.sampled_from([*DTYPES, "int16", "uint32", "int64"]),
    seed=st.integers(0, 99),
)
def test_exact_sums(sizes, turns, batch, dtype, seed):
    """MTE-07: products of small whole numbers, however operands and result lie."""
    m, k, n = sizes
    rng = np.random.default_rng(seed)
    x, y = small(rng, *batch, m, k), small(rng, *batch, k, n)
    a, b = array(x, dtype), array(y, dtype)
    a, b = turned(a) if turns[0] else a, turned(b) if turns[1] else b
    out = turned(ng.zeros((*batch, m, n), dtype=dtype)) if turns[2] else None
    same(ng.matmul(a, b, out=out), x @ y, dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_worlds_have_the_same_bits(dtype):
    """OPP-09: arrays, graphs and sums of gradients in place."""
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(70, 210)) * 5, rng.normal(size=(210, 50)) * 5
    a, b = ng.array(x, dtype="float32").astype(dtype), ng.array(y, dtype="float32").astype(dtype)
    expected = (a @ b).astype("float64").asnumpy()
    np.testing.assert_array_equal(ng.jit(ng.matmul)(a, b).astype("float64"), expected)
    bound = ng.dot(ng.var("a"), ng.var("b")).bind(args={"a": a, "b": b})
    np.testing.assert_array_equal(bound.forward()[0].astype("float64"), expected)


def test_gradients_of_a_layer():
    """OPP-24: forward and backward of a layer of bfloat16, added up in place."""
    rng = np.random.default_rng(2)
    x, w, c = small(rng, 40, 30), small(rng, 20, 30), small(rng, 20)
    arrays = [array(v, "bfloat16") for v in (x, w, c)]
    x_grad, w_grad = ng.zeros((40, 30), dtype="bfloat16"), ng.zeros((20, 30), dtype="bfloat16")
    names = [ng.var(name) for name in "xwc"]
    bound = ng.fully_connected(*names).bind(
        args=dict(zip("xwc", arrays, strict=True)),
        args_grad={"x": x_grad, "w": w_grad},
        grad_req="add",
    )
    head = small(rng, 40, 20)
    for count in (1, 2):
        same(bound.forward(is_train=True)[0], x @ w.T + c, "bfloat16")
        bound.backward([array(head, "bfloat16")])
        for found, exact in ((x_grad, head @ w), (w_grad, head.T @ x)):
            once = array(exact, "bfloat16").astype("float64").asnumpy()
            same(found, count * once, "bfloat16")


@pytest.mark.skipif("+avx512bf16" not in features(), reason="a processor without AVX512_BF16")
def test_the_processor_multiplies_bfloat16():
    """No operand is copied to float32."""
    a, b = (layout(s, ng.array([1.0]).astype("bfloat16").dtype) for s in ((64, 64), (64, 64)))
    result = lowered(MATMUL, [a, b], [a], ["write"], {})
    assert result is not None and not any(result.places)
    assert [call.code.name for call in result.calls] == [
        "pack_lines",
        "pack_depth",
        "multiply_bfloat16",
    ]
    assert "vdpbf16ps" in result.calls[-1].code.assembly()


def test_random_sums_are_near_those_of_float32():
    """Sums are of float32: the result is within a rounding of the exact one."""
    rng = np.random.default_rng(3)
    a, b = (ng.array(rng.normal(size=s), dtype="float32").astype("bfloat16")
            for s in ((100, 900), (900, 80)))  # fmt: skip
    exact = a.astype("float64").asnumpy() @ b.astype("float64").asnumpy()
    found = (a @ b).astype("float64").asnumpy()
    slack = (
        900 * 2.0**-24 * (abs(a.astype("float64").asnumpy()) @ abs(b.astype("float64").asnumpy()))
    )
    assert (abs(found - exact) <= abs(exact) * 2.0**-8 + slack).all()
