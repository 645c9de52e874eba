"""Values during lowering: their kinds, and their LLVM text.

Kinds are the names of Numba's scalar types, "bool" (one bit), and pointers, written "*" and the
kind of the stored value. Integers without a width, such as literals, are int64.
"""

import struct
from typing import NamedTuple

from nbgraph.kernels.scalar.kinds import INTEGERS

_INTEGERS = (*INTEGERS, "uint128")  # the last is for moves of complex128
LLVM = {
    "bool": "i1",
    "float32": "float",
    "float64": "double",
    **{kind: f"i{kind.lstrip('uint')}" for kind in _INTEGERS},
}
FLOATS = ("float32", "float64")


class Value(NamedTuple):
    """An LLVM operand of a kind."""

    kind: str
    text: str

    @property
    def typed(self) -> str:
        """The operand with its LLVM type, as instructions need it."""
        return f"{llvm_type(self.kind)} {self.text}"

    @property
    def literal(self) -> int | None:
        """The number of an integer literal, or None."""
        return int(self.text) if self.text.lstrip("-").isdigit() else None


def llvm_type(kind: str) -> str:
    """Return the LLVM type of a kind."""
    return "ptr" if kind.startswith("*") else LLVM[kind]


def is_integer(kind: str) -> bool:
    """Return whether a kind is an integer with a width."""
    return kind in _INTEGERS


def is_signed(kind: str) -> bool:
    """Return whether an integer kind has a sign."""
    return not kind.startswith("u")


def width(kind: str) -> int:
    """Return the bits of an integer kind; a bool has one."""
    return 1 if kind == "bool" else int(kind.lstrip("uint"))


def constant(kind: str, value: object) -> Value:
    """Return a constant; floats are written as bits, as LLVM has no exact decimals."""
    if kind in FLOATS:
        number = float(value)  # type: ignore[arg-type]
        if kind == "float32":
            number = _single(number)
        return Value(kind, f"0x{struct.unpack('<Q', struct.pack('<d', number))[0]:016X}")
    if kind == "bool":
        return Value(kind, "true" if value else "false")
    return Value(kind, str(int(value)))  # type: ignore[call-overload]


def _single(number: float) -> float:
    """Return the float32 nearest to a number; beyond its range, infinity."""
    try:
        return struct.unpack("<f", struct.pack("<f", number))[0]
    except OverflowError:
        return float("inf") if number > 0 else float("-inf")
