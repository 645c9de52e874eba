"""Loops on a device: from an argument record to a launch.

A loop has a function for each grid that its records ask for, found again by what the record says of
ranks, alignment and sizes. A launch has no more blocks than the device holds at once: units go on
in steps of the grid.
"""

from __future__ import annotations

import struct
import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from nbgraph.device import RunContext, driver
from nbgraph.device.protocol import Bytes, Capability
from nbgraph.errors import CompileError
from nbgraph.kernels.body import loop_may_fail
from nbgraph.kernels.cuda.compile import CAPABILITIES, Form, entry_name, form_of
from nbgraph.kernels.cuda.emit import emit
from nbgraph.kernels.cuda.grid import Grid, blocks, choose
from nbgraph.kernels.cuda.host import host_form
from nbgraph.kernels.cuda.kernel import device_kernel
from nbgraph.kernels.loops import Loop

MAKING = threading.RLock()
_LOW = 31  # bits of an address: vectors are of 32 bytes at most
_KEPT = 256  # launches of a loop that are known


class LoopCode:
    """A loop's kernel for a grid, as drivers take it in; see `nbgraph.device.protocol.Code`."""

    order: tuple[int, ...] | None = None  # the record is the one parameter

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


class Ready(NamedTuple):
    """A launch but for its record: `pack` takes its first `words`."""

    function: Any
    blocks: int
    threads: int
    words: int
    pack: Callable[..., bytes]

    @classmethod
    def of(cls, function: Any, blocks: int, form: Form) -> Ready:
        """The launch of a kernel of a form."""
        pack = struct.Struct(f"={form.words}q").pack
        return cls(function, blocks, form.threads, form.words, pack)


class Launches:
    """A loop, as often as it is asked for, on whatever device."""

    __slots__ = ("_functions", "_known", "fails", "loop", "name")
    replays = "any record"  # see `array.issue`: one launch, which may be given another record

    def __init__(self, loop: Loop, name: str) -> None:
        self.loop, self.name = loop, name
        self.fails = loop_may_fail(loop)  # for what operands hold
        self._functions: dict[tuple[int, Grid], Any] = {}
        self._known: dict[Any, Ready] = {}

    def require(self, device: int) -> None:
        """CompileError for what no device does, before there is a record."""
        if any(node.op == "extern" for node in self.loop.graph.nodes):
            emit(self.loop, Grid())

    def ready(self, record: Sequence[int], device: int) -> Ready:
        """The launch for a record on a device; the kernel is compiled now, so that what cannot be
        is told here. What a grid depends on is found again: extents, and what addresses are
        multiples of."""
        loop = self.loop
        last = 2 + loop.pointers
        key = (
            device,
            *record[:2],
            *[address & _LOW for address in record[2:last]],
            # parameters may be other numbers in each call; of this form they are extents
            *record[loop.parameters_at if loop.form == "leading" else loop.outer_at :],
        )
        ready = self._known.get(key)
        if ready is None:
            if len(self._known) >= _KEPT:
                self._known.clear()
            ready = self._known[key] = self._ready(record, device)
        return ready

    def _ready(self, record: Sequence[int], device: int) -> Ready:
        grid, device_driver = choose(self.loop, record), driver()
        wave = device_driver.multiprocessors(device) * max(
            1, device_driver.resident(device) // grid.threads
        )
        count = blocks(self.loop, record, grid, wave)
        form = form_of(self.loop, grid)  # a grid may do without dimensions of one row
        return Ready.of(self.function(device, grid), count, form)

    def function(self, device: int, grid: Grid) -> Any:
        """What the driver made of the kernel."""
        function = self._functions.get((device, grid))
        if function is None:
            with MAKING:
                function = self._functions.get((device, grid))
                if function is None:
                    function = driver().function(device, LoopCode(self.loop, grid))
                    self._functions[device, grid] = function
        return function

    def issue(self, run_ctx: RunContext, record: Sequence[int], ready: Ready) -> None:
        """Put it on the stream."""
        words = record[: ready.words - self.fails]
        packed = ready.pack(*words, *(run_ctx.slot(self.name) for _ in range(self.fails)))
        run_ctx.stream.launch(ready.function, ready.blocks, ready.threads, packed)
