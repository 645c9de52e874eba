"""GPU kernels on the host, as an emulated device runs them.

If units are threads, the kernel's text is compiled for the host and called for each unit of a
small, odd grid: the result does not depend on the grid. If units are blocks of threads, which
exchange values, the CPU's kernel of the loop is used.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from nbgraph.codegen import builtin
from nbgraph.kernels.compiler.kernel import kernel, prototype
from nbgraph.kernels.cuda import compile as compiled
from nbgraph.kernels.cuda.grid import Grid, units
from nbgraph.kernels.loops.loop import Loop
from nbgraph.kernels.loops.writer import Source

Bytes = np.ndarray[Any, np.dtype[Any]]
UNITS = 5


def by_thread(source: Source, *, fails: bool = False) -> Callable[[Bytes], None]:
    """Return a function that runs a text for each thread in turn. `fails`: store a returned error
    code where the record's last word points; see `compile.Form`."""
    run = prototype(_address(compiled.host_text(source), source.name))

    def form(record: Bytes) -> None:
        address = record.__array_interface__["data"][0]
        for start in reversed(range(UNITS)):
            code = run(address, start, UNITS)
            if code and fails:
                ctypes.c_int64.from_address(int(record[-1])).value = code

    return form


def by_blocks(loop: Loop, grid: Grid) -> Callable[[Bytes], None]:
    """Return a function that runs the CPU's kernel of a loop in place of blocks of threads."""
    code = kernel(loop)

    def form(record: Bytes) -> None:
        code.run(record, 0, units(loop, record.tolist(), grid))

    return form


@functools.cache
def _address(text: str, name: str) -> int:
    """Return the address of the code, which is never freed: streams may run it until exit."""
    return builtin.address(text, name=name, level=0)
