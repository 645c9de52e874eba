"""Integer operations with NumPy's results where LLVM's are undefined or trap; 128-bit products."""

# pyright: basic

from llvmlite import ir
from numba import float64, int64, njit, types, uint64
from numba.extending import intrinsic

_inline = njit(
    error_model="numpy", forceinline=True, no_cpython_wrapper=True, no_cfunc_wrapper=True
)


@_inline
def int_floordiv(a, b):
    """Return `a // b` rounded down; 0 where b is 0; the smallest integer over -1 wraps."""
    if b == 0:
        return a - a
    if b + 1 == 0:
        return -a
    return a // b


@_inline
def int_mod(a, b):
    """Return `a % b` with the sign of b; 0 where b is 0."""
    if b == 0 or b + 1 == 0:
        return a - a
    return a % b


@_inline
def uint_floordiv(a, b):
    """Return `a // b` of unsigned integers; 0 where b is 0."""
    return a - a if b == 0 else a // b


@_inline
def uint_mod(a, b):
    """Return `a % b` of unsigned integers; 0 where b is 0."""
    return a - a if b == 0 else a % b


@_inline
def narrow_floordiv(a, b):
    """Return `a // b` of integers of at most 32 bits, 0 where b is 0, by the quotient of floats,
    which vectors have: it is never rounded to a whole number."""
    divisor = 1 if b == 0 else int64(b)
    quotient = int64(float64(a) / float64(divisor))
    rest = a - quotient * divisor
    quotient = quotient - 1 if (rest != 0) & ((rest < 0) != (divisor < 0)) else quotient
    return 0 if b == 0 else quotient


@_inline
def narrow_mod(a, b):
    """Return `a % b` of integers of at most 32 bits, 0 where b is 0, as `narrow_floordiv`."""
    divisor = 1 if b == 0 else int64(b)
    rest = a - int64(float64(a) / float64(divisor)) * divisor
    return rest + divisor if (rest != 0) & ((rest < 0) != (divisor < 0)) else rest


@_inline
def int_shl(a, b, bits):
    """Return `a << b`; 0 where b is not a bit position."""
    return a << b if 0 <= b < bits else a - a


@_inline
def int_shr(a, b, bits):
    """Return `a >> b`; where b is not a bit position, 0, or -1 for negative a."""
    return a >> b if 0 <= b < bits else (a >> (bits - 1) if a < 0 else a - a)


@_inline
def float_to_uint64(x):
    """Convert a float to uint64, also beyond the range of int64; negative values wrap (NumPy)."""
    half = 9223372036854775808.0
    return uint64(int64(x - half)) ^ uint64(1 << 63) if x >= half else uint64(int64(x))


@intrinsic
def wide_product(context, a, b):
    """Return the 128-bit product of two uint64: its high half, and its low one."""
    halves = types.UniTuple(types.uint64, 2)

    def emit(context, builder, _signature, arguments):
        wide, narrow = ir.IntType(128), ir.IntType(64)
        product = builder.mul(*(builder.zext(value, wide) for value in arguments))
        high = builder.lshr(product, wide(64))
        values = [builder.trunc(half, narrow) for half in (high, product)]
        return context.make_tuple(builder, halves, values)

    return halves(types.uint64, types.uint64), emit


NAMES = (
    *(int_floordiv, int_mod, uint_floordiv, uint_mod, narrow_floordiv, narrow_mod),
    *(int_shl, int_shr, float_to_uint64),
)
FUNCTIONS = {"wide_product": wide_product, **{fn.py_func.__name__: fn for fn in NAMES}}
