"""Integer operations with NumPy's meaning where LLVM leaves it undefined or would trap."""

# pyright: basic

from __future__ import annotations

from numba import int64, njit, uint64

_inline = njit(
    error_model="numpy", forceinline=True, no_cpython_wrapper=True, no_cfunc_wrapper=True
)


@_inline
def int_floordiv(a, b):
    """`a // b` rounded down; 0 where b is 0; wraps for the smallest integer over -1."""
    if b == 0:
        return a - a
    if b + 1 == 0:
        return -a
    return a // b


@_inline
def int_mod(a, b):
    """`a % b` with the sign of b; 0 where b is 0."""
    if b == 0 or b + 1 == 0:
        return a - a
    return a % b


@_inline
def uint_floordiv(a, b):
    """`a // b` of unsigned integers; 0 where b is 0."""
    return a - a if b == 0 else a // b


@_inline
def uint_mod(a, b):
    """`a % b` of unsigned integers; 0 where b is 0."""
    return a - a if b == 0 else a % b


@_inline
def int_shl(a, b, bits):
    """`a << b`; 0 where b is not a bit position."""
    return a << b if 0 <= b < bits else a - a


@_inline
def int_shr(a, b, bits):
    """`a >> b`; the sign's fill where b is not a bit position, 0 without a sign."""
    return a >> b if 0 <= b < bits else (a >> (bits - 1) if a < 0 else a - a)


@_inline
def float_to_uint64(x):
    """A float as uint64: beyond int64 too; negative values wrap (NumPy)."""
    half = 9223372036854775808.0
    return uint64(int64(x - half)) ^ uint64(1 << 63) if x >= half else uint64(int64(x))


NAMES = (int_floordiv, int_mod, uint_floordiv, uint_mod, int_shl, int_shr, float_to_uint64)
FUNCTIONS = {fn.py_func.__name__: fn for fn in NAMES}
