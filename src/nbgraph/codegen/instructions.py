"""Instructions of AVX-512 as functions: `i_getexp_float32` of a scalar, and of vectors.

Texts call them for scalars (see `nbgraph.native.instructions`). LLVM's loop vectoriser finds the
functions for vectors in an attribute of the scalar one ("Vector Function ABI"); the intrinsics of
the instructions exist for one number of lanes only. Definitions are added after it, and inlined.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_LEFT_OPEN = re.compile(r"^declare \w+ @(i_(\w+)_(float32|float64))\(.*$", re.MULTILINE)
_SYMBOL = re.compile(r"i_([a-z]+)_(float32|float64)(?:_v(\d+))?")
KEPT = "nbgraph_instructions"  # a constant that keeps the functions alive until the vectoriser runs
_PURE = "nounwind willreturn speculatable memory(none)"
_ARITY = {"getexp": 1, "getmant": 1, "scalef": 2, "fixupimm": 2}
_MANTISSA = 12  # of getmant: from [1, 2), a NaN of negative numbers
# The table of fixupimm: four bits for each kind of x, from the lowest. NaNs become quiet, zero
# becomes -inf, negative numbers and -inf a NaN, inf stays; else the result is y.
_LOGARITHM = 0x03530422
_FLOATS = {"float32": ("float", "ps", 32), "float64": ("double", "pd", 64)}
_REGISTERS = (128, 256, 512)  # bits
_SIZES = (*_REGISTERS, 1024, 2048)  # bits of the vectors that loops process


def left_open(text: str) -> bool:
    """Return whether a text calls instructions."""
    return "@i_" in text and _LEFT_OPEN.search(text) is not None


def declared(text: str) -> str:
    """Return a text that calls instructions, with the attributes that the vectoriser reads."""
    pointers: list[str] = []

    def declare(match: re.Match[str]) -> str:
        symbol, name, dtype = match.groups()
        kind, _, bits = _FLOATS[dtype]
        variants, lines = list[str](), list[str]()
        for count in (size // bits for size in _SIZES):
            whole = f"<{count} x {kind}>"
            lines.append(f"declare {whole} @{symbol}_v{count}({_listed(name, whole)}) {_PURE}")
            variants.append(f"_ZGV_LLVM_N{count}{'v' * _ARITY[name]}_{symbol}({symbol}_v{count})")
            pointers.append(f"ptr @{symbol}_v{count}")
        attribute = f'"vector-function-abi-variant"="{",".join(variants)}"'
        lines.append(f"declare {kind} @{symbol}({_listed(name, kind)}) {_PURE} {attribute}")
        return "\n".join(lines)

    text = _LEFT_OPEN.sub(declare, text)
    return f"{text}\n@{KEPT} = constant [{len(pointers)} x ptr] [{', '.join(pointers)}]\n"


def defined(symbols: Iterable[str]) -> str:
    """Return definitions of the instructions among `symbols`, to be inlined."""
    intrinsics: dict[str, None] = {}
    functions: list[str] = []
    for symbol in symbols:
        if match := _SYMBOL.fullmatch(symbol):
            name, dtype, count = match[1], match[2], int(match[3] or 1)
            functions.append(_definition(symbol, name, dtype, count, intrinsics))
    return "\n".join([*intrinsics, *functions])


def _listed(name: str, kind: str) -> str:
    return ", ".join([kind] * _ARITY[name])


def _definition(symbol: str, name: str, dtype: str, count: int, intrinsics: dict[str, None]) -> str:
    """Return the definition of a function of `count` lanes, in one register or several."""
    kind, _, bits = _FLOATS[dtype]
    lanes = max(_REGISTERS[0] // bits, min(count, _REGISTERS[-1] // bits))
    whole = kind if count == 1 else f"<{count} x {kind}>"
    operands = range(_ARITY[name])
    arguments = ", ".join(f"{whole} %x{i}" for i in operands)
    lines = [f"define linkonce_odr {whole} @{symbol}({arguments}) alwaysinline {_PURE} {{"]
    parts: list[str] = []
    for first in range(0, count, lanes):
        for i in operands:
            part = f"  %p{first}_{i} = "
            if count == 1:
                part += f"insertelement <{lanes} x {kind}> poison, {kind} %x{i}, i32 0"
            else:
                part += _shuffle(whole, (f"%x{i}", "poison"), first, lanes)
            lines.append(part)
        values = [f"%p{first}_{i}" for i in operands]
        lines.append(f"  %r{first} = {_call(name, dtype, lanes, values, intrinsics)}")
        parts.append(f"%r{first}")
    if count == 1:
        lines.append(f"  %y = extractelement <{lanes} x {kind}> %r0, i32 0")
        parts = ["%y"]
    while len(parts) > 1:
        joined = [f"%j{lanes}_{k}" for k in range(0, len(parts), 2)]
        for k, both in enumerate(zip(parts[::2], parts[1::2], strict=True)):
            lines.append(f"  {joined[k]} = {_shuffle(f'<{lanes} x {kind}>', both, 0, 2 * lanes)}")
        parts, lanes = joined, 2 * lanes
    return "\n".join([*lines, f"  ret {whole} {parts[0]}", "}\n"])


def _shuffle(whole: str, operands: tuple[str, str], first: int, count: int) -> str:
    """Return a shuffle that selects `count` lanes of two vectors from lane `first` on."""
    places = ", ".join(f"i32 {first + k}" for k in range(count))
    pair = f"{whole} {operands[0]}, {whole} {operands[1]}"
    return f"shufflevector {pair}, <{count} x i32> <{places}>"


def _call(name: str, dtype: str, lanes: int, values: list[str], intrinsics: dict[str, None]) -> str:
    """Return the call of an instruction on one register; add its intrinsic's declaration."""
    kind, suffix, bits = _FLOATS[dtype]
    whole, words = f"<{lanes} x {kind}>", f"<{lanes} x i{bits}>"
    arguments = [(whole, value) for value in values]
    if name == "fixupimm":
        table = ", ".join([f"i{bits} {_LOGARITHM}"] * lanes)
        arguments += [(words, f"<{table}>"), ("i32", "0")]
    else:
        interval = [("i32", str(_MANTISSA))] if name == "getmant" else []
        arguments += [*interval, (whole, "zeroinitializer")]  # values of masked lanes
    arguments.append((f"i{max(8, lanes)}", "-1"))
    if lanes * bits == _REGISTERS[-1]:
        arguments.append(("i32", "4"))  # the present rounding mode
    symbol = f"@llvm.x86.avx512.mask.{name}.{suffix}.{lanes * bits}"
    intrinsics[f"declare {whole} {symbol}({', '.join(kind for kind, _ in arguments)})"] = None
    return f"call {whole} {symbol}({', '.join(' '.join(each) for each in arguments)})"
