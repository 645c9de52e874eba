"""Kinds: the types of values in a scalar graph, before a dtype is chosen.

"f"                      floating; its precision is chosen per kernel, so one graph serves all
"i", "b"                 Python int and bool: weak, they adapt to what they meet (NEP 50)
"bool", "int8".."uint64" NumPy's own bool and integers: strong, arithmetic wraps as in NumPy
"""

import functools
from enum import IntEnum
from typing import Literal, NamedTuple

import numpy as np

from nbgraph.errors import DTypeError, NbgraphError

INTEGERS = tuple(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))
BOOLEAN = ("b", "bool")
STORED = {"bool": "uint8", "float16": "uint16", "bfloat16": "uint16"}  # in memory as these
FLOATS = ("float16", "bfloat16", "float32", "float64")
SHORT = ("float16", "bfloat16")  # computed in float32
ITEMSIZE = {
    "bool": 1,
    "float16": 2,
    "bfloat16": 2,
    "float32": 4,
    "float64": 8,
    **{kind: int(kind.lstrip("uint")) // 8 for kind in INTEGERS},
}


def widened(text: str, dtype: str) -> str:
    """Return the text of a stored number as computed with: 16-bit floats as float32."""
    return f"{dtype}_to_float32({text})" if dtype in SHORT else text


def narrowed(text: str, dtype: str) -> str:
    """Return the text of a computed number as it is stored."""
    return f"float32_to_{dtype}({text})" if dtype in SHORT else text


def is_integer(kind: str) -> bool:
    """Return whether the kind is a Python or NumPy integer."""
    return kind == "i" or kind in INTEGERS


def is_boolean(kind: str) -> bool:
    """Return whether the kind is a Python or NumPy bool."""
    return kind in BOOLEAN


@functools.cache
def promote(a: str, b: str) -> str:
    """Return the kind of `a + b`, by NEP 50. Two Python bools add as Python ints.

    >>> promote("i", "int8"), promote("f", "int64"), promote("int8", "uint8"), promote("b", "b")
    ('int8', 'f', 'int16', 'i')
    """
    if a == b:
        return "i" if a == "b" else a
    if "f" in (a, b):
        return "f"
    weak = {"b": 0, "i": 1}
    if a in weak and b in weak:
        return "i"
    if a in weak or b in weak:
        soft, strong = (a, b) if a in weak else (b, a)
        if strong == "bool":
            return "bool" if soft == "b" else "i"
        return strong
    name = np.promote_types(a, b).name
    return "f" if name == "float64" else name


def kind_of_dtype(dtype: np.dtype) -> str:
    """Return the kind of an array operand of this dtype; raises DTypeError for other dtypes."""
    name = dtype.name
    if name in FLOATS:
        return "f"
    if name == "bool" or name in INTEGERS:
        return name
    raise DTypeError(
        f"dtype {name!r} is not supported by operators; supported: bool, int8 to int64, "
        "uint8 to uint64, float16, bfloat16, float32, float64; complex ones where the "
        "dtype is known at the call. Cast with .astype first"
    )


class Word(IntEnum):
    """The form of a Python number in a word of a record."""

    DOUBLE = 1
    SINGLE = 2
    WHOLE = 3  # an int64
    PAIR = 1 << 20  # added to the others: real and imaginary part, a word each


DROPPED = {"float16": 42, "bfloat16": 45}  # bits of float64 that the formats lack


def float_word(dtype: str) -> int:
    """Return the kind of word for a number that a floating dtype rounds: `Word.SINGLE` for 16 bits,
    combined with the number of dropped bits."""
    return Word.DOUBLE if dtype == "float64" else Word.SINGLE | DROPPED.get(dtype, 0) << 8


def whole_word(dtype: str) -> int:
    """Return the kind of word for a Python integer of an integer dtype: `Word.WHOLE` combined with
    the bits by which the dtype is narrower than a word, and whether it is unsigned.

    >>> whole_word("int64") == Word.WHOLE, hex(whole_word("uint8"))
    (True, '0x13803')
    """
    return Word.WHOLE | (64 - 8 * ITEMSIZE[dtype]) << 8 | dtype.startswith("uint") << 16


def kind_of_value(value: object) -> str | None:
    """Return the kind of a scalar parameter's value, or None if it is not a number."""
    if isinstance(value, (bool, np.bool_)):
        return "b"
    if isinstance(value, (int, np.integer)):
        return "i"
    if isinstance(value, (float, np.floating)):
        return "f"
    return None


class Element(NamedTuple):
    """The elements of a dtype, by its name: in memory, and in computations."""

    dtype: str

    @property
    def compute(self) -> Literal["float32", "float64"]:
        """The dtype that elements are computed in."""
        return "float64" if self.dtype == "float64" else "float32"

    def pointer(self, address: str) -> str:
        """Return the text of a pointer."""
        return f"{self.dtype}_pointer({address})"

    def load(self, place: str, by: str = "load") -> str:
        """Return the text of an element's value; `place`: pointer and index."""
        return widened(f"{by}({place})", self.dtype)

    def store(self, place: str, value: str, by: str = "store") -> str:
        """Return the line that stores a value."""
        return f"{by}({place}, {narrowed(value, self.dtype)})"


# raised where the evaluation of a graph at a point has no number as its result
MAX_BITS = 4096  # of a Python int: more are a runaway product or shift


class Undetermined(NbgraphError):
    """The value at this point is outside the real numbers, or `Unreached`."""


class Unreached(Undetermined):
    """There may be a value, but evaluation cannot reach it: a loop, or numbers too large."""
