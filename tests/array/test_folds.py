"""Reductions of arrays: the kernels that do them, against NumPy and one another."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nbgraph as ng
from nbgraph import ops
from nbgraph.operator.kernel_call import lowered
from nbgraph.operator.layout import layout
from nbgraph.ops.define import operator_of

NAMES = ("sum", "prod", "max", "min", "mean", "var", "std", "norm")
TOLERANCES = {"float32": 2e-5, "float16": 4e-3}


def of(dtype, shape, seed):
    x = np.random.default_rng(seed).normal(size=shape) * 1.5
    return x > 0 if dtype == "bool" else x.astype(dtype)


@given(
    st.sampled_from(NAMES),
    st.sampled_from(["float32", "float64", "float16", "int32", "uint8", "bool"]),
    st.sampled_from([(), (7,), (3, 4), (40, 5), (2, 1, 6), (3, 50, 2), (1500,), (2, 2500)]),
    st.data(),
)
@settings(max_examples=25)
def test_reductions_are_numpys(name, dtype, shape, data):
    """X-NDA-04: values, shapes and dtypes of any axes and layouts; with the bits of calls on NumPy
    arrays, in the slow path, which is the first, and in the fast one."""
    x = of(dtype, shape, len(shape))
    axes = data.draw(st.sets(st.integers(0, len(shape) - 1)).map(tuple)) if shape else ()
    how = {"axis": axes or None, "keepdims": data.draw(st.booleans())}
    a = ng.array(x)
    if len(shape) > 1 and data.draw(st.booleans()):
        x, a = x[:, ::-1].T, a[:, ::-1].T
    call = getattr(ng.nd, name)
    first, *others = (call(a, **how) for _ in range(3))
    wanted = np.asarray(getattr(ops, name)(x, **how))
    assert (first.shape, first.dtype) == (wanted.shape, wanted.dtype)
    assert all(made.asnumpy().tobytes() == wanted.tobytes() for made in (first, *others))
    wide = x.astype("float64" if x.dtype.kind in "fb" else "int64")
    judge = getattr(ops, name)(wide, **how) if name == "norm" else getattr(np, name)(wide, **how)
    rtol = TOLERANCES.get(dtype, 1e-12)
    np.testing.assert_allclose(wanted.astype("float64"), judge, rtol=rtol, atol=rtol * 50)


ONES = [("max", "float32"), ("sum", "int32")]


@pytest.mark.parametrize(("name", "dtype"), ONES)
def test_short_ones_are_one_kernel(name, dtype):
    """ENG-31: so that the fast path knows them; where workers may share it, there are several."""
    op = operator_of(getattr(ops, name))
    how = {"axis": None, "keepdims": False} | ({"dtype": None} if name == "sum" else {})
    for size, single in ((10, True), (5000, True), (1 << 17, False)):
        x = layout((size,), np.dtype(dtype))
        out = layout((), np.dtype("int64" if dtype == "int32" else dtype))
        assert (len(lowered(op, [x], [out], ["write"], how).calls) == 1) is single


def test_what_kernels_do_not_do():
    """X-NDA-04: no elements, powers, other dtypes; extremes with NaN."""
    nothing = ng.zeros((0, 3))
    assert nothing.sum(axis=0).asnumpy().tolist() == [0, 0, 0]
    assert nothing.prod().item() == 1
    assert np.isnan(nothing.mean(axis=0).asnumpy()).all()
    with pytest.raises(ng.errors.ShapeError, match="no elements along axis"):
        nothing.max(axis=0)
    x = ng.array(np.float32([1, np.nan, -2]))
    assert np.isnan([x.max().item(), x.min().item(), x.norm().item()]).all()
    assert np.isnan(x.var().item())
    y = ng.array(np.float32([1, 2, 2]))
    np.testing.assert_allclose(y.norm(3, axis=0).item(), 17 ** (1 / 3), rtol=1e-6)
    assert y.sum(dtype="float64").dtype == np.float64
    assert np.isposinf(y.var(ddof=3).item())


def test_results_that_are_given():
    """X-NDA-04: an out in pieces, one of another dtype, one that is added to."""
    x = of("float32", (6, 40), 1)
    a, held = ng.array(x), ng.zeros((6, 2))
    ng.sum(a, axis=1, out=held[:, 1])
    ng.mean(a, axis=1, out=held[:, 0])
    wanted = np.stack([x.mean(1), x.sum(1)], 1)
    np.testing.assert_allclose(held.asnumpy(), wanted, rtol=1e-5, atol=1e-6)
    wide = ng.zeros(6, dtype="float64")
    ng.sum(a, axis=1, out=wide)
    np.testing.assert_allclose(wide.asnumpy(), x.sum(1), rtol=1e-5)


@pytest.mark.parametrize("shape", [(64, 1000), (64, 1024), (64, 1031), (70, 2, 1000)])
def test_transposed_arrays_are_read_in_tiles(shape):
    """Copies, maps and sums of arrays whose axes were exchanged; 1031 has no divisors."""
    x = of("float32", shape, 3)
    turned = np.ascontiguousarray(x.T)
    a = ng.array(turned).T
    assert a.copy().asnumpy().tobytes() == x.tobytes()
    assert (a + ng.array(x)).asnumpy().tobytes() == (x + x).tobytes()
    assert ng.add(turned.T, x).tobytes() == (x + x).tobytes()
    for axis in (None, 0, -1):
        wanted = np.asarray(ng.sum(x, axis=axis)).tobytes()
        assert ng.sum(a, axis=axis).asnumpy().tobytes() == wanted
        assert np.asarray(ng.sum(turned.T, axis=axis)).tobytes() == wanted


@pytest.mark.parametrize("name", ["max", "count_nonzero"])
def test_exact_reductions_read_exchanged_axes_as_they_lie(name):
    """What gives the same bits in any order needs no copy."""
    op = operator_of(getattr(ops, name))
    x = layout((300, 500), np.dtype("float32"), (4, 1200))
    out = layout((300,), np.dtype("int64" if name == "count_nonzero" else "float32"))
    found = lowered(op, [x], [out], ["write"], {"axis": 1, "keepdims": False})
    assert found.places[0] is None
