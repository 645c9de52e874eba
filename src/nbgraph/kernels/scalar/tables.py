"""Constant tables: the numbers of arrays, lists and tuples that values index.

A `gather` node reads an entry; the code that creates the node ensures that its index lies within
the table. Kernels hold a table as a constant array, floats in their own precision.
"""

from __future__ import annotations

import functools
import hashlib
import struct
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_CODES = {"f": "d", "i": "q", "b": "?", "bool": "?"}


class Table:
    """The entries of a table of one kind, and its name in the user's text.

    Graphs and kernels treat two tables with equal entries as one, whatever their names.
    """

    __slots__ = ("identity", "kind", "name", "values")

    def __init__(self, values: tuple[bool | int | float, ...], kind: str, name: str = "") -> None:
        self.values, self.kind, self.name = values, kind, name or "table"
        code = _CODES.get(kind) or np.dtype(kind).char
        data = struct.pack(f"<{len(values)}{code}", *values)
        self.identity = f"{kind} {len(values)} {hashlib.sha256(data).hexdigest()}"

    def __repr__(self) -> str:
        return f"Table({self.identity})"

    def dtype(self, compute: str) -> str:
        """Return the dtype of the entries in a kernel that computes in `compute`."""
        stored = {"f": compute, "i": "int64", "b": "uint8", "bool": "uint8"}
        return stored.get(self.kind, self.kind)

    def array(self, compute: str) -> NDArray[np.generic]:
        """Return the entries as a kernel that computes in `compute` holds them."""
        with np.errstate(over="ignore"):
            array = np.array(self.values).astype(self.dtype(compute))
        array.flags.writeable = False
        return array


@functools.lru_cache(maxsize=64)
def _bits(table: Table, compute: str) -> tuple[int, ...]:
    array = table.array(compute)
    return tuple(array.view(f"<u{array.itemsize}").tolist())


def llvm_global(table: Table, compute: str, symbol: str, space: str = "") -> str:
    """Return the definition of a table as a global array of integers with its entries' bits."""
    bits = 8 * np.dtype(table.dtype(compute)).itemsize
    entries = ", ".join([f"i{bits} {word}" for word in _bits(table, compute)])
    kind = f"[{len(table.values)} x i{bits}]"
    return f"{symbol} = internal unnamed_addr {space}constant {kind} [{entries}], align 64"
