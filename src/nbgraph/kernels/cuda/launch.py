"""Loops on a device: from an argument record to a launch.

A loop has a function for each grid that its records ask for, found again by what the record says of
ranks, alignment and sizes. A launch has no more blocks than the device holds at once: units go on
in steps of the grid.
"""

from __future__ import annotations

import struct
import threading
from collections.abc import Callable, Sequence
from typing import Any

from nbgraph.device import RunContext, driver
from nbgraph.device.protocol import Bytes, Capability
from nbgraph.errors import CompileError
from nbgraph.kernels.cuda.compile import CAPABILITIES, entry_name, words
from nbgraph.kernels.cuda.emit import emit
from nbgraph.kernels.cuda.grid import Grid, choose, units
from nbgraph.kernels.cuda.host import host_form
from nbgraph.kernels.cuda.kernel import device_kernel
from nbgraph.kernels.loops import Loop

_MAKING = threading.RLock()


class LoopCode:
    """A loop's kernel for a grid, as drivers take it in; see `nbgraph.device.protocol.Code`."""

    def __init__(self, loop: Loop, grid: Grid) -> None:
        self.loop, self.grid = loop, grid
        self.name = entry_name(emit(loop, grid))
        self.pointers = loop.pointers

    def ptx(self, capability: Capability) -> str:
        """See Code."""
        return device_kernel(self.loop, self.grid, suited(capability)).ptx

    def host(self) -> Callable[[Bytes], None]:
        """See Code."""
        return host_form(self.loop, self.grid)


def suited(capability: Capability) -> Capability:
    """The highest capability that PTX is made for and the device takes.

    >>> suited((9, 0)), suited((12, 1))
    ((9, 0), (12, 0))
    """
    fitting = [c for c in CAPABILITIES if c <= capability]
    if not fitting:
        raise CompileError(
            f"compute capability {capability[0]}.{capability[1]}: kernels are made from "
            f"{CAPABILITIES[0][0]}.{CAPABILITIES[0][1]} on"
        )
    return max(fitting)


class Launches:
    """A loop, as often as it is asked for, on whatever device."""

    __slots__ = ("_functions", "loop", "name")

    def __init__(self, loop: Loop, name: str) -> None:
        self.loop, self.name = loop, name
        self._functions: dict[tuple[int, Grid], Any] = {}

    def grid(self, record: Sequence[int], device: int) -> Grid:
        """The grid of a record; its kernel is compiled now, so that what cannot be is told here."""
        grid = choose(self.loop, record)
        self.function(device, grid)
        return grid

    def function(self, device: int, grid: Grid) -> Any:
        """What the driver made of the kernel."""
        found = self._functions.get((device, grid))
        if found is None:
            with _MAKING:
                found = self._functions.get((device, grid))
                if found is None:
                    found = driver().function(device, LoopCode(self.loop, grid))
                    self._functions[device, grid] = found
        return found

    def issue(self, run_ctx: RunContext, record: Sequence[int], grid: Grid) -> None:
        """Put it on the stream."""
        stream = run_ctx.stream
        found, device = driver(), stream.device
        threads = grid.threads
        most = found.multiprocessors(device) * max(1, found.resident(device) // threads)
        blocks = max(1, min(units(self.loop, record, grid), most))
        count = words(self.loop, grid)  # a grid may do without outer dimensions of one row
        packed = struct.pack(f"={count}q", *record[:count])
        stream.launch(self.function(device, grid), blocks, threads, packed)


__all__ = ["Launches", "LoopCode", "suited"]
