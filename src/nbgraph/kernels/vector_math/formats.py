"""The differences of float32 and float64: types, widths, limits, coefficient tables.

A function of this room is written once, as a factory over a `Format`.  The factory takes what it
needs from the format into local names, which Numba freezes into the function as typed constants:
no bare Python number may appear in a function body, for that would turn float32 into float64.
"""

import functools
from dataclasses import dataclass

import numpy as np
from numba import njit

from nbgraph.kernels.vector_math.coefficients import TABLES

# All spelled out: a flag left open is inherited from whichever caller compiles the function first.
_FLAGS = {
    "fastmath": False,
    "boundscheck": False,
    "error_model": "numpy",
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
}

# A public function.  LLVM inlines it, so that it keeps its own (absent) fast-math flags.
scalar = njit(forceinline=True, **_FLAGS)

# A part of special functions that several of them share: a function of its own in texts.
shared = njit(forceinline=False, **_FLAGS)

# A step shared by functions of this room.  Numba inlines it, which saves compiling it by itself.
step = njit(inline="always", **_FLAGS)

# Factories are called once for each format.
per_format = functools.cache


@dataclass(frozen=True)
class Format:
    """A binary floating-point format of IEEE 754, and constants in it."""

    name: str
    float: type
    uint: type
    digits: int  # of the significand, with the hidden one
    bias: int
    evex: bool = False  # for processors with the instructions of `nbgraph.native.instructions`

    def constants(self, name: str) -> tuple:
        """A polynomial or the pieces of a constant, in this format."""
        return tuple(self.float(c) for c in TABLES[self.name][name])

    def word(self, value: int):
        """An integer, reduced to this format's width."""
        return self.uint(value % (1 << self.width))

    def power_of_two(self, exponent: int):
        """2^exponent, exactly."""
        return self.float(2.0**exponent)

    @property
    def width(self) -> int:
        """Bits in all."""
        return 8 * np.dtype(self.float).itemsize

    @property
    def shift(self):
        """How far left the exponent field stands."""
        return self.uint(self.digits - 1)

    @property
    def magic(self):
        """1.5 * 2^(digits - 1): adding it rounds to an integer, kept in the lowest bits."""
        return self.float(1.5 * 2.0 ** (self.digits - 1))

    @property
    def tiny(self):
        """The least normal number."""
        return self.float(2.0 ** (1 - self.bias))

    @property
    def inf(self):
        """Infinity."""
        return self.float(np.inf)

    @property
    def nan(self):
        """Not a number."""
        return self.float(np.nan)


FORMATS = {
    "float32": Format("float32", np.float32, np.uint32, digits=24, bias=127),
    "float64": Format("float64", np.float64, np.uint64, digits=53, bias=1023),
}
