"""Loops and branches over kernels, as one kernel of the common signature.

A `Table` says which kernels run, how often, and how the addresses in their records change from
step to step; see `control_text`. It is the code of a kernel call like any other: to the engine a
loop of a hundred thousand steps is one row of a plan.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from nbgraph.errors import of_kernel
from nbgraph.kernels.blas import Text
from nbgraph.kernels.control_text import HEAD, SECTIONS, TEXT, WORDS
from nbgraph.kernels.kernel import Kernel
from nbgraph.kernels.written import written

_PROTOTYPE = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)


def _routine() -> Kernel:
    """Return the kernel that runs any table."""
    return written("control", TEXT, "float64")


class Table:
    """A loop or a branch over kernels, ready but for arrays.

    Parameters
    ----------
    name : str
    front : dict
        The words of `control_text.WORDS`; those that are left out are -1.
    sections : dict from names to lists of entries, as in `control_text.SECTIONS`
        The function of a row is the kernel itself.
    keep : object
        What lives as long as the table: constants of the rows.
    """

    def __init__(
        self,
        name: str,
        front: Mapping[str, int],
        sections: Mapping[str, Sequence[Sequence[Any]]],
        keep: Any = None,
    ) -> None:
        self.keep = keep
        self._codes = [row[0] for row in sections["row"]]
        self.loop = self.source = Text(name, TEXT)
        self.origin, self.seconds = "builtin", 0.0
        words, body = [front.get(word, -1) for word in WORDS], list[int]()
        for section in SECTIONS:
            entries = sections.get(section, ())
            words += [len(entries), HEAD + len(body)]
            if section == "row":
                self._rows = HEAD + len(body)
                entries = [(0, *entry[1:]) for entry in entries]
            body += [word for entry in entries for word in entry]
        self.words = np.array([*words, *body], np.int64)
        self.where: int = self.words.__array_interface__["data"][0]
        self._address = 0

    @property
    def address(self) -> int:
        """Where the code is; the kernels of all rows are loaded by then."""
        if not self._address:
            width = len(SECTIONS["row"])
            for k, code in enumerate(self._codes):
                self.words[self._rows + k * width] = code.address
            self._address = _routine().address
        return self._address

    @property
    def kernels(self) -> list[Any]:
        """The kernels of all rows, those in loops within loops included."""
        return [k for code in self._codes for k in getattr(code, "kernels", (code,))]

    def at_hand(self) -> bool:
        """Whether the kernels of all rows are in memory, or on disk."""
        return all(kernel.at_hand() for kernel in self.kernels)

    def load(self) -> None:
        """Have all kernels in memory."""
        for kernel in self.kernels:
            kernel.load()

    def llvm(self) -> str:
        """Return its LLVM text."""
        return _routine().llvm()

    def run(self, record: np.ndarray[Any, Any], lo: int, hi: int) -> None:
        """Run it on this thread, without the GIL."""
        function = _PROTOTYPE(self.address)
        status = function(record.__array_interface__["data"][0], lo, hi)
        if status:
            raise of_kernel(self.loop.name, status)
