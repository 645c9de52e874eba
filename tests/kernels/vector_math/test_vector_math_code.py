"""What LLVM makes of the vector maths: packed instructions, no calls, no stray float64."""

import re
import subprocess
import sys

import llvmlite.binding as llvm
import numpy as np
import pytest
from numba import njit, types

from nbgraph.kernels import vector_math
from nbgraph.kernels.vector_math.names import BRANCHING
from nbgraph.native import floats

VECTORISED = sorted(
    "exp exp2 expm1 log log2 log10 log1p sqrt rsqrt cbrt sin_small cos_small tan_small fmod_small "
    "tanh sigmoid "
    "erf softplus atan asin acos sinh cosh floor ceil trunc round sign copysign "
    "erfc erfinv lgamma asinh acosh atanh atan2 hypot pow nextafter".split()
)
PACKED = re.compile(r"\sv[a-z0-9]+p[sd]\s.*%[yz]mm|\sv[a-z0-9]+\s.*%[yz]mm")
CALLED = re.compile(r"movabsq\s+\$([A-Za-z_]\w*)|callq?\s+([A-Za-z_]\w*)")

wide_vectors = pytest.mark.skipif(
    not llvm.get_host_cpu_features().get("avx2", False), reason="looks at AVX2 code"
)


def compiled_loop(name: str, dtype: str):
    """A loop over contiguous arrays, compiled and not run."""
    function = vector_math.implementation(name, dtype)
    if vector_math.ARITY[name] == 1:

        def loop(x, y, out):
            for i in range(out.size):
                out[i] = function(x[i])
    else:

        def loop(x, y, out):
            for i in range(out.size):
                out[i] = function(x[i], y[i])

    array = types.Array(getattr(types, dtype), 1, "C")
    return njit(
        types.void(array, array, array),
        error_model="numpy",
        no_cpython_wrapper=True,
        no_cfunc_wrapper=True,
    )(loop)


def called(asm: str) -> set[str]:
    """Symbols whose address is taken or called, less Numba's own."""
    names = {first or second for first, second in CALLED.findall(asm)}
    return {n for n in names if not n.startswith(("NRT_", "_ZN", "__unnamed", "const"))}


@pytest.mark.everyday(1 / 5)
@wide_vectors
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", VECTORISED)
def test_loop_is_vectorised(name, dtype):
    """MFU-02: the loop runs 4 or 8 lanes and more at a time and calls nothing."""
    (asm,) = compiled_loop(name, dtype).inspect_asm().values()
    assert PACKED.search(asm), name
    assert not called(asm)


@pytest.mark.everyday(1 / 5)
@pytest.mark.parametrize("name", sorted(vector_math.NAMES - BRANCHING - {"lgamma"}))
def test_float32_stays_float32(name):
    """MFU-03: no float64 value or call in the code of a float32 function; log gamma is float64's,
    rounded."""
    (text,) = compiled_loop(name, "float32").inspect_llvm().values()
    assert not re.search(r"\bdouble\b", text)


def test_room_imports_without_numba():
    """Names, arities and the version are there before Numba is loaded."""
    code = "import sys; from nbgraph.kernels import vector_math as v; v.VERSION; v.NAMES; "
    code += "assert not any(n.startswith('nbgraph.native.floats') for n in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def elementwise(function, source: str, target: str):
    """A compiled loop out[i] = function(x[i]) and its assembly."""

    def loop(x, out):
        for i in range(out.size):
            out[i] = function(x[i])

    signature = types.void(
        types.Array(getattr(types, source), 1, "C"), types.Array(getattr(types, target), 1, "C")
    )
    made = njit(signature, error_model="numpy")(loop)
    (asm,) = made.inspect_asm().values()
    return made, asm


EVERY_WORD = np.arange(1 << 16, dtype=np.uint16)


def test_half_to_float_every_value():
    """MFU-02: all 65,536 float16 values."""
    out = np.empty(EVERY_WORD.size, np.float32)
    loop, asm = elementwise(floats.half_to_float, "uint16", "float32")
    loop(EVERY_WORD, out)
    np.testing.assert_array_equal(out, EVERY_WORD.view(np.float16).astype(np.float32))
    if llvm.get_host_cpu_features().get("f16c", False):
        assert re.search(r"vcvtph2ps\s.*%[yz]mm", asm)


def around(values: np.ndarray) -> np.ndarray:
    """Each value, the middles between neighbours, and what is next to both."""
    values = np.unique(values[np.isfinite(values)])
    middle = (values[1:] + values[:-1]) / 2
    marks = np.concatenate([values, middle, [np.inf, -np.inf, np.nan, 1e300, -1e300]])
    marks = marks.astype(values.dtype)
    return np.concatenate([marks, np.nextafter(marks, np.inf), np.nextafter(marks, -np.inf)])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_float_to_half_rounds_to_nearest_even(dtype):
    """MFU-02: every float16, every middle between two, and their neighbours."""
    with np.errstate(over="ignore"):
        x = around(EVERY_WORD.view(np.float16).astype(dtype))
        want = x.astype(np.float16)
    out = np.empty(x.size, np.uint16)
    loop, asm = elementwise(floats.float_to_half, dtype, "uint16")
    loop(x, out)
    got = out.view(np.float16)
    np.testing.assert_array_equal(got, want)
    np.testing.assert_array_equal(np.signbit(got[got == 0]), np.signbit(want[want == 0]))
    if llvm.get_host_cpu_features().get("f16c", False):
        # At AVX2, four doubles become four halves by way of a 128-bit register.
        lanes = "[yz]" if dtype == "float32" else "[xyz]"
        assert re.search(rf"vcvtps2ph\s.*%{lanes}mm", asm)


def test_bfloat16_to_float_every_value():
    """All 65,536 bfloat16 values."""
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    out = np.empty(EVERY_WORD.size, np.float32)
    elementwise(floats.bfloat16_to_float, "uint16", "float32")[0](EVERY_WORD, out)
    np.testing.assert_array_equal(out, EVERY_WORD.view(bfloat16).astype(np.float32))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_float_to_bfloat16_rounds_to_nearest_even(dtype):
    """Every bfloat16, every middle between two, and their neighbours."""
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    with np.errstate(over="ignore", invalid="ignore"):
        x = around(EVERY_WORD.view(bfloat16).astype(np.float32).astype(dtype))
    out = np.empty(x.size, np.uint16)
    loop, asm = elementwise(floats.float_to_bfloat16, dtype, "uint16")
    loop(x, out)
    got = out.view(bfloat16).astype(np.float64)
    np.testing.assert_array_equal(got, nearest_bfloat16(x))
    if llvm.get_host_cpu_features().get("avx2", False):
        lanes = "[yz]" if dtype == "float32" else "[xyz]"
        assert re.search(rf"vpsrld\s.*%{lanes}mm", asm)


def nearest_bfloat16(x: np.ndarray) -> np.ndarray:
    """Rounding to 8 bits by arithmetic in longdouble, ties to even, gradual underflow."""
    wide = x.astype(np.longdouble)
    _, exponent = np.frexp(np.where(np.isfinite(wide), wide, 0))
    unit = np.ldexp(np.longdouble(1), np.maximum(exponent - 8, -133))
    rounded = np.where(np.isfinite(wide), np.rint(wide / unit) * unit, wide)
    rounded = np.where(np.abs(rounded) >= 2.0**128, np.copysign(np.inf, rounded), rounded)
    return rounded.astype(np.float64)


def test_intrinsics_refuse_other_types():
    """An integer where a float belongs is an error that names the intrinsic."""
    made = njit(lambda x: floats.fma(x, x, x))
    with pytest.raises(Exception, match="fma: takes float32 or float64"):
        made(1)


def test_maximum_and_minimum_keep_nan_and_order_zeros():
    """As NumPy's, and +0 above -0."""

    @njit
    def highest(x, y):
        return floats.maximum(x, y)

    @njit
    def lowest(x, y):
        return floats.minimum(x, y)

    assert np.isnan(highest(np.nan, 1.0))
    assert np.isnan(lowest(1.0, np.nan))
    assert not np.signbit(highest(-0.0, 0.0))
    assert np.signbit(lowest(0.0, -0.0))
