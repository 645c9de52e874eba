"""Numba intrinsics on floating-point values: bits, fused multiply-add, rounding, 16-bit formats.

Each one is a few LLVM instructions without fast-math flags and without inline assembly, so LLVM
vectorises a loop around them and a caller's flags do not change them.
"""

import llvmlite.binding as llvm
from llvmlite import ir
from numba import types
from numba.core.errors import TypingError
from numba.extending import intrinsic

from nbgraph.native import halves
from nbgraph.native.processor import has_fma, has_half
from nbgraph.settings import config

HALF, SINGLE, DOUBLE = ir.HalfType(), ir.FloatType(), ir.DoubleType()
WORD16, WORD32 = ir.IntType(16), ir.IntType(32)
UNSIGNED = {types.float32: types.uint32, types.float64: types.uint64}
FLOAT = {unsigned: float_ for float_, unsigned in UNSIGNED.items()}


_FEATURES = config.cpu_features or str(llvm.get_host_cpu_features().flatten())
HARDWARE_FMA, HARDWARE_HALF = has_fma(_FEATURES), has_half(_FEATURES)


def require_float(name: str, *values: types.Type) -> None:
    """All of `values` have one type, float32 or float64."""
    if values[0] not in UNSIGNED or any(v != values[0] for v in values):
        listed = ", ".join(str(v) for v in values)
        raise TypingError(f"{name}: takes float32 or float64, all of one type, not ({listed})")


def _multiply_add(builder, a, b, c):
    if HARDWARE_FMA:
        return builder.fma(a, b, c)
    return builder.fadd(builder.fmul(a, b), c)


@intrinsic
def fma(context, a, b, c):
    """a * b + c, rounded once where the processor can; where not, rounded twice."""
    require_float("fma", a, b, c)

    def emit(_context, builder, _signature, arguments):
        return _multiply_add(builder, *arguments)

    return a(a, b, c), emit


@intrinsic
def fma_exact(context, a, b, c):
    """a * b + c, always rounded once: for error terms.  A slow call where hardware lacks it."""
    require_float("fma_exact", a, b, c)

    def emit(_context, builder, _signature, arguments):
        return builder.fma(*arguments)

    return a(a, b, c), emit


@intrinsic
def polynomial(context, x, coefficients):
    """Horner's rule with `fma`; `coefficients` is a tuple of x's type, lowest power first."""
    require_float("polynomial", x, coefficients.dtype)

    def emit(_context, builder, signature, arguments):
        at, table = arguments
        total = builder.extract_value(table, signature.args[1].count - 1)
        for i in reversed(range(signature.args[1].count - 1)):
            total = _multiply_add(builder, total, at, builder.extract_value(table, i))
        return total

    return x(x, coefficients), emit


def _bitcast(context, builder, signature, arguments):
    return builder.bitcast(arguments[0], context.get_value_type(signature.return_type))


@intrinsic
def bits(context, x):
    """The bits of a float32 as uint32, of a float64 as uint64."""
    require_float("bits", x)
    return UNSIGNED[x](x), _bitcast


@intrinsic
def from_bits(context, word):
    """The float32 with the bits of a uint32, the float64 with those of a uint64."""
    if word not in FLOAT:
        raise TypingError(f"from_bits: takes uint32 or uint64, not {word}")
    return FLOAT[word](word), _bitcast


def _unary(name: str):
    """An intrinsic for `llvm.<name>` of one float."""

    def typed(context, x):
        require_float(name, x)

        def emit(_context, builder, _signature, arguments):
            value = arguments[0]
            return builder.call(
                builder.module.declare_intrinsic(f"llvm.{name}", [value.type]), [value]
            )

        return x(x), emit

    typed.__name__ = name
    return intrinsic(typed)


def _binary(name: str):
    """An intrinsic for `llvm.<name>` of two floats."""

    def typed(context, x, y):
        require_float(name, x, y)

        def emit(_context, builder, _signature, arguments):
            kind = arguments[0].type
            function_type = ir.FunctionType(kind, [kind, kind])
            called = builder.module.declare_intrinsic(f"llvm.{name}", [kind], function_type)
            return builder.call(called, arguments)

        return x(x, y), emit

    typed.__name__ = name
    return intrinsic(typed)


sqrt = _unary("sqrt")
floor = _unary("floor")
ceil = _unary("ceil")
trunc = _unary("trunc")
round_even = _unary("roundeven")
absolute = _unary("fabs")
copysign = _binary("copysign")
maximum = _binary("maximum")  # NaN if either is NaN, and +0 > -0, as NumPy's maximum
minimum = _binary("minimum")


def _to_single_odd(builder, value):
    """A double as a float rounded to odd: rounding that to 16 bits then is right the first time.

    Boldo and Melquiond, "When double rounding is odd" (2005).
    """
    if value.type == SINGLE:
        return value
    near = builder.fptrunc(value, SINGLE)
    back = builder.fpext(near, DOUBLE)
    word = builder.bitcast(near, WORD32)
    fabs = builder.module.declare_intrinsic("llvm.fabs", [DOUBLE])
    above = builder.fcmp_ordered(">", builder.call(fabs, [back]), builder.call(fabs, [value]))
    truncated = builder.sub(word, builder.zext(above, WORD32))
    inexact = builder.zext(builder.fcmp_ordered("!=", back, value), WORD32)
    return builder.bitcast(builder.or_(truncated, inexact), SINGLE)


@intrinsic
def half_to_float(context, word):
    """The float32 equal to the float16 whose bits are given as uint16."""
    if word != types.uint16:
        raise TypingError(f"half_to_float: takes uint16, not {word}")

    def emit(_context, builder, _signature, arguments):
        if not HARDWARE_HALF:
            return halves.widened(builder, arguments[0])
        return builder.fpext(builder.bitcast(arguments[0], HALF), SINGLE)

    return types.float32(word), emit


@intrinsic
def float_to_half(context, x):
    """The bits of the float16 nearest to x, ties to even; x is float32 or float64."""
    require_float("float_to_half", x)

    def emit(_context, builder, _signature, arguments):
        single = _to_single_odd(builder, arguments[0])
        if not HARDWARE_HALF:
            return halves.narrowed(builder, single)
        return builder.bitcast(builder.fptrunc(single, HALF), WORD16)

    return types.uint16(x), emit


@intrinsic
def bfloat16_to_float(context, word):
    """The float32 equal to the bfloat16 whose bits are given as uint16."""
    if word != types.uint16:
        raise TypingError(f"bfloat16_to_float: takes uint16, not {word}")

    def emit(_context, builder, _signature, arguments):
        wide = builder.zext(arguments[0], WORD32)
        return builder.bitcast(builder.shl(wide, WORD32(16)), SINGLE)

    return types.float32(word), emit


@intrinsic
def float_to_bfloat16(context, x):
    """The bits of the bfloat16 nearest to x, ties to even; NaN stays NaN."""
    require_float("float_to_bfloat16", x)

    def emit(_context, builder, _signature, arguments):
        single = _to_single_odd(builder, arguments[0])
        word = builder.bitcast(single, WORD32)
        upper = builder.lshr(word, WORD32(16))
        odd = builder.and_(upper, WORD32(1))
        rounded = builder.lshr(builder.add(builder.add(word, WORD32(0x7FFF)), odd), WORD32(16))
        quiet = builder.or_(upper, WORD32(0x40))
        nan = builder.fcmp_unordered("uno", single, single)
        return builder.trunc(builder.select(nan, quiet, rounded), WORD16)

    return types.uint16(x), emit
