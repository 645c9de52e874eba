"""Kernels on a device: from an argument record to a launch.

A driver loads a kernel's code once per device. A loop has one code per grid, and a grid follows
from the ranks, alignment and sizes in a record. A launch has no more blocks than suit the device:
units advance by the grid's step.
"""

from __future__ import annotations

import struct
import threading
from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple

from nbgraph.device import RunContext, driver
from nbgraph.device.protocol import Bytes, Capability, Launch
from nbgraph.errors import CompileError
from nbgraph.kernels.cuda.compile import CAPABILITIES, Form, entry_name, form_of
from nbgraph.kernels.cuda.emit import emit
from nbgraph.kernels.cuda.grid import Grid, blocks, choose
from nbgraph.kernels.cuda.host import by_blocks, by_thread
from nbgraph.kernels.cuda.kernel import kernel_of
from nbgraph.kernels.loops.body import loop_may_fail
from nbgraph.kernels.loops.loop import Loop
from nbgraph.kernels.loops.writer import Source

MAKING = threading.RLock()
_LOW = 31  # low bits of an address: vectors have at most 32 bytes
_KEPT = 256  # launches cached per kernel


class Code:
    """A kernel in the form that drivers load; see `nbgraph.device.protocol.Code`."""

    order: tuple[int, ...] | None = None  # the record is the only parameter

    def __init__(self, name: str, pointers: int) -> None:
        self.name, self.pointers = name, pointers
        self._functions: dict[Any, Any] = {}

    def on(self, device: int) -> Any:
        """Return the driver's form of the kernel for a device, compiled now or before."""
        key = driver(), device
        function = self._functions.get(key)
        if function is None:
            with MAKING:
                function = self._functions.get(key)
                if function is None:
                    function = self._functions[key] = driver().function(device, self)  # type: ignore[arg-type]
        return function


class Unit(Code):
    """The kernel of a text. `pointers`: number of addresses in its record, from word 2 on."""

    def __init__(self, source: Source, pointers: int, form: Form) -> None:
        super().__init__(entry_name(source), pointers)
        self.source, self.form, self.label = source, form, source.name

    def ptx(self, capability: Capability) -> str:
        return kernel_of(self.source, self.form, suited(capability), self.label).ptx

    def host(self) -> Callable[[Bytes], None]:
        return by_thread(self.source, fails=self.form.fails)


class LoopCode(Unit):
    """The kernel of a loop for a grid."""

    def __init__(self, loop: Loop, grid: Grid) -> None:
        super().__init__(emit(loop, grid), loop.pointers, form_of(loop, grid))
        self.loop, self.grid, self.label = loop, grid, loop.name

    def host(self) -> Callable[[Bytes], None]:
        """See Code: if units are blocks of threads, the host kernel of the loop stands in."""
        return by_blocks(self.loop, self.grid) if self.form.blocks else super().host()


def suited(capability: Capability) -> Capability:
    """Return the highest capability with PTX support that the device can run.

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
    """A launch without its record: `pack` packs its first `words`."""

    launch: Launch
    words: int
    pack: Callable[..., bytes]

    @classmethod
    def of(cls, launch: Launch, words: int) -> Ready:
        """Return the launch of a kernel whose record has `words` words."""
        return cls(launch, words, struct.Struct(f"={words}q").pack)


class Launcher:
    """A kernel that can be launched repeatedly on any device. `fails`: whether a run may fail for
    values of operands; `name`: the name in such errors."""

    __slots__ = ("_known", "fails", "name")
    replays = "any record"  # see `array.issue`: a single launch, whose record may be replaced

    def __init__(self, name: str, *, fails: bool) -> None:
        self.name, self.fails = name, fails
        self._known: dict[Any, Ready] = {}

    def require(self, device: int) -> None:
        """Raise CompileError for what no device supports, before there is a record."""

    def ready(self, record: Sequence[int], device: int) -> Ready:
        """Return the launch for a record on a device; the kernel is compiled now, so errors arise
        here."""
        key = device, self.key(record)
        ready = self._known.get(key)
        if ready is None:
            if len(self._known) >= _KEPT:
                self._known.clear()
            code, count = self.chosen(record, device)
            form = code.form
            ready = Ready.of(Launch(code.on(device), count, form.threads), form.words)
            self._known[key] = ready
        return ready

    def key(self, record: Sequence[int]) -> Hashable:
        """Return the part of a record that the launch depends on."""
        raise AssertionError

    def chosen(self, record: Sequence[int], device: int) -> tuple[Unit, int]:
        """Return the kernel for a record, and the number of blocks."""
        raise AssertionError

    def issue(self, run_ctx: RunContext, record: Sequence[int], ready: Ready) -> None:
        """Enqueue the launch on the stream."""
        words = record[: ready.words - self.fails]
        packed = ready.pack(*words, *(run_ctx.slot(self.name) for _ in range(self.fails)))
        run_ctx.stream.launch(ready.launch, packed)


def wave(device: int, threads: int) -> int:
    """Return how many blocks of `threads` threads a device holds at once."""
    on = driver()
    return on.multiprocessors(device) * max(1, on.resident(device) // threads)


class Launches(Launcher):
    """A loop that can be launched repeatedly."""

    __slots__ = ("_codes", "loop")

    def __init__(self, loop: Loop, name: str) -> None:
        super().__init__(name, fails=loop_may_fail(loop))
        self.loop = loop
        self._codes: dict[Grid, LoopCode] = {}

    def require(self, device: int) -> None:
        if any(node.op == "extern" for node in self.loop.graph.nodes):
            emit(self.loop, Grid())

    def key(self, record: Sequence[int]) -> Hashable:
        """See Launcher. A grid depends on extents and on the alignment of addresses."""
        loop = self.loop
        # parameters vary between calls; but in this form they are extents
        runs = 1 + loop.pointers if loop.pieces else 0  # numbers that describe the runs of a row
        rest = record[loop.parameters_at if loop.form == "leading" else loop.outer_at - runs :]
        aligned = [address & _LOW for address in record[2 : 2 + loop.pointers]]
        return (*record[:2], *aligned, *rest)

    def chosen(self, record: Sequence[int], device: int) -> tuple[Unit, int]:
        """See Launcher; the grid drops dimensions of extent one."""
        grid = choose(self.loop, record)
        with MAKING:
            code = self._codes.get(grid) or self._codes.setdefault(grid, LoopCode(self.loop, grid))
        return code, blocks(self.loop, record, grid, wave(device, grid.threads))
