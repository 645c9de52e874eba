"""Kernels of the GPU on the host: what an emulated device runs.

Where units are threads, the kernel's own text is compiled for the host and called for one unit
after another, of a grid that is small and odd: any grid does the same. Where units are blocks of
threads, which trade values, the CPU's kernel of the loop stands in.
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
    """What calls a text for one thread after another. `fails`: a code that it returns is left
    where the record's last word says; see `compile.Form`."""
    run = prototype(_address(compiled.host_text(source), source.name))

    def form(record: Bytes) -> None:
        address = record.__array_interface__["data"][0]
        for start in reversed(range(UNITS)):
            code = run(address, start, UNITS)
            if code and fails:
                ctypes.c_int64.from_address(int(record[-1])).value = code

    return form


def by_blocks(loop: Loop, grid: Grid) -> Callable[[Bytes], None]:
    """What runs a loop's kernel for hosts where a grid has a block of threads for each unit."""
    code = kernel(loop)

    def form(record: Bytes) -> None:
        code.run(record, 0, units(loop, record.tolist(), grid))

    return form


@functools.cache
def _address(text: str, name: str) -> int:
    """Where the code lies, which stays: streams run it until the process ends."""
    return builtin.address(text, name=name, level=0)
