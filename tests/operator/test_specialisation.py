"""New functors need no list; what cannot be compiled says which operator, dtype and remedy."""

import math
import re

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.dtype import as_dtype
from nbgraph.operator import registry
from tests.array.gpu import GPU

# arithmetic in 16 bits, or in 64; conversions to and from 16 bits are not
_NARROW = re.compile(r"\b(?:add|sub|mul|fma|div|neg|max|min|ex2)\S*\.(?:b?f16|f64)\S*")


@pytest.mark.parametrize("arity", [1, 2, 3])
def test_any_arity_is_registered_by_the_decorator_alone(arity):
    """MFU-06, MFU-07: `@ng.op` is the registration helper for unary, binary and ternary."""
    texts = {
        1: lambda a: math.sin(a) + 1,
        2: lambda a, b: a if a > b else b,
        3: lambda c, a, b: a if c else b,
    }
    op = ng.op(texts[arity])
    values = [
        np.float64([0.5, 0.0, 2.0]),
        np.float64([1.0, -1.0, 3.0]),
        np.float64([4.0, 5.0, 6.0]),
    ]
    expected = [texts[arity](*row) for row in zip(*values[:arity], strict=True)]
    np.testing.assert_allclose(op(*values[:arity]), expected, rtol=1e-15)
    assert op.nin == arity


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32"])
def test_a_new_functor_works_for_every_dtype_without_a_list(dtype):
    """MSP-01: nothing is instantiated ahead, on neither device."""
    op = ng.op(lambda a, b: a * b + 3)
    a = np.array([1, 2, 3], dtype)
    np.testing.assert_array_equal(op(a, a), a * a + 3)
    assert op(a, a).dtype == np.dtype(dtype)
    there = ng.array(a, device=GPU)
    np.testing.assert_array_equal(op(there, there).asnumpy(), a * a + 3)


def bent(x, y):
    return x * y + math.exp(x) if x > 0 else y - x


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_entries_are_made_where_they_are_asked_for(dtype, own_cache):
    """MSP-03, MSP-04: by a list of dtypes, for both devices; stored in 16 bits, computed in 32."""
    op = ng.op(bent)
    with ng.config(cache_dir=str(own_cache)):
        op.precompile(["float32"], devices=("cpu", "gpu"))
        before = ng.cache.info().entries
        op.precompile([dtype], devices=("cpu", "gpu"))
        assert ng.cache.info().entries == before + 2
    text = op.ptx(dtype)
    assert not _NARROW.findall(text)
    assert ".f32" in text and "ld.global.v4.b32" in text  # eight elements at once
    rng = np.random.default_rng(0)
    x, y = (rng.normal(size=301).astype(as_dtype(dtype)) for _ in range(2))
    on_gpu = [ng.array(a, device=GPU) for a in (x, y)]
    found = op(*on_gpu).asnumpy()
    wide = op(x.astype("float32"), y.astype("float32")).astype(x.dtype)
    assert found.dtype == x.dtype
    assert found.tobytes() == op(x, y).tobytes() == wide.tobytes()


def test_a_simple_operator_lists_its_dtypes():
    """MSP-03: half where it is listed, and refused with the list where it is not."""

    def only(*dtypes):
        return lambda src, env: ng.dtype_switch(src, np.dtype, only=dtypes, where="doubled_by_list")

    def twice(src, env, ret, req, ctx):
        ng.assign(ret.get(), req, src.get() * 2)

    half = np.float16([1, 2])
    op = ng.register_simple_op("doubled_by_list").set_function("cpu", twice)
    op.set_type_function(only("float32", "float64"))
    with pytest.raises(ng.DTypeError, match=r"doubled_by_list: float16 is not taken; dtypes: floa"):
        op(half)
    op.set_type_function(only("float16", "float32"))
    assert op(half).dtype == np.float16
    registry.remove("doubled_by_list")


def test_a_missing_specialisation_is_named():
    """MSP-02, MFU-04: operator, operand, dtype and what to do."""
    op = ng.op(lambda a: a * 2, name="doubled")
    with pytest.raises(ng.DTypeError, match=r"doubled: operand 'a'.*not supported; supp"):
        op(np.zeros(2, np.longdouble))
    with pytest.raises(ng.DTypeError, match=r"doubled: operand 'a'.*datetime64.*supported: bool"):
        op(np.zeros(2, "datetime64[s]"))


def test_what_numba_cannot_compile_shows_one_line():
    """MSP-02, NB-06: Numba's own text is kept in `details`."""
    space = {"math": math}
    exec("def strange(a):\n    return math.fmod(a, 0.5)", space)
    op = ng.op(space["strange"])
    with pytest.raises(
        ng.CompileError, match=r"strange: the kernel could not be compiled"
    ) as caught:
        op(np.ones(3))
    assert len(str(caught.value).splitlines()) == 1
    assert "def strange" in caught.value.details
