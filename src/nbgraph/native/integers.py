"""Integer operations with NumPy's meaning where LLVM leaves it undefined or would trap; products
in 128 bits."""

# pyright: basic

from llvmlite import ir
from numba import int64, njit, types, uint64
from numba.extending import intrinsic

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


@intrinsic
def wide_product(context, a, b):
    """The product of two uint64 in 128 bits: its high half, and its low one."""
    halves = types.UniTuple(types.uint64, 2)

    def emit(context, builder, _signature, arguments):
        wide, narrow = ir.IntType(128), ir.IntType(64)
        product = builder.mul(*(builder.zext(value, wide) for value in arguments))
        high = builder.lshr(product, wide(64))
        values = [builder.trunc(half, narrow) for half in (high, product)]
        return context.make_tuple(builder, halves, values)

    return halves(types.uint64, types.uint64), emit


NAMES = (int_floordiv, int_mod, uint_floordiv, uint_mod, int_shl, int_shr, float_to_uint64)
FUNCTIONS = {"wide_product": wide_product, **{fn.py_func.__name__: fn for fn in NAMES}}
