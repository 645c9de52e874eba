"""16-bit floats by integers, for processors that cannot convert them: x86 without F16C.

There LLVM calls functions of a compiler's run time, which no process need have. All take and give
values of LLVM's builder; none branches, so that loops around them become vectors.
"""

from typing import Any

from llvmlite import ir

_WORD16, _WORD32, _SINGLE = ir.IntType(16), ir.IntType(32), ir.FloatType()
_SHIFT = 13  # fraction bits that float32 has more
_INFINITY = 0x7F800000
_SCALE = 2.0**112  # by which float32's exponents are larger


def widened(builder: Any, word: Any) -> Any:
    """The float32 equal to the float16 whose bits are an i16."""
    wide = builder.zext(word, _WORD32)
    sign = builder.shl(builder.and_(wide, _WORD32(0x8000)), _WORD32(16))
    moved = builder.shl(builder.and_(wide, _WORD32(0x7FFF)), _WORD32(_SHIFT))
    finite = builder.fmul(builder.bitcast(moved, _SINGLE), _SINGLE(_SCALE))
    special = builder.or_(moved, _WORD32(_INFINITY))
    ends = builder.icmp_unsigned(">=", moved, _WORD32(0x7C00 << _SHIFT))
    bits = builder.select(ends, special, builder.bitcast(finite, _WORD32))
    return builder.bitcast(builder.or_(bits, sign), _SINGLE)


def narrowed(builder: Any, single: Any) -> Any:
    """The bits (i16) of the float16 nearest to a float32, ties to even; NaN stays NaN."""
    word = builder.bitcast(single, _WORD32)
    sign = builder.and_(builder.lshr(word, _WORD32(16)), _WORD32(0x8000))
    size = builder.and_(word, _WORD32(0x7FFFFFFF))
    # normal: the exponent is moved, and what is cut off rounds
    odd = builder.and_(builder.lshr(size, _WORD32(_SHIFT)), _WORD32(1))
    moved = builder.sub(size, _WORD32((112 << 23) - 0xFFF))
    normal = builder.lshr(builder.add(moved, odd), _WORD32(_SHIFT))
    # subnormal: an addition to 0.5 leaves as many bits as there are to be
    half = builder.fadd(builder.bitcast(size, _SINGLE), _SINGLE(0.5))
    tiny = builder.sub(builder.bitcast(half, _WORD32), _WORD32(0x3F000000))
    nan = builder.icmp_unsigned(">", size, _WORD32(_INFINITY))
    special = builder.select(nan, _WORD32(0x7E00), _WORD32(0x7C00))
    small = builder.icmp_unsigned("<", size, _WORD32(113 << 23))
    huge = builder.icmp_unsigned(">=", size, _WORD32(143 << 23))
    magnitude = builder.select(huge, special, builder.select(small, tiny, normal))
    return builder.trunc(builder.or_(magnitude, sign), _WORD16)
