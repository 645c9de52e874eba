"""Loops and branches on devices: the table of `rows`, interpreted where work is issued.

A row is a program of the device, whose kernels are issued on the stream step by step. The host
waits for the device only to read values that control the run: a test, a number of steps, a choice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from nbgraph.array.chunk import wait
from nbgraph.array.place import refuse
from nbgraph.device import Context, RunContext, driver
from nbgraph.device.context import gpu
from nbgraph.executor.compiled import compiled
from nbgraph.executor.control.rows import WORK, Fixed, Moving, Rows, Where
from nbgraph.executor.pipeline import Options
from nbgraph.executor.program import Program
from nbgraph.graph.graph import Graph, spec
from nbgraph.graph.passes.gradient import uniform
from nbgraph.kernels.compiler.kernel import Text
from nbgraph.operator.arrays.array_op import Spec
from nbgraph.operator.kernel_call import KernelCall
from nbgraph.operator.layout import layout
from nbgraph.operator.request import OpReqType, Requests

_OPTIONS = Options()
_BYTE = np.dtype("uint8")


class Body(NamedTuple):
    """A body, with the places of its variables and then of its results."""

    graph: Graph
    requests: tuple[OpReqType, ...]
    places: tuple[Where, ...]


class StreamRows(Rows):
    """Bodies in place of rows of kernel calls; see `Rows`."""

    def body(
        self,
        graph: Graph,
        requests: Requests,
        variables: Sequence[Where],
        results: Sequence[Where],
        arena: int | None = None,
    ) -> bool:
        """See Rows; the body is compiled once the device is known."""
        self.sections["row"].append(Body(graph, tuple(requests), (*variables, *results)))
        return True

    def call(
        self, name: str, front: Mapping[str, int], order: Sequence[int], writes: int, trips: int
    ) -> tuple[KernelCall, int]:
        for to, x, nbytes in self.sections["clear"]:
            heads = [uniform("zeros", Spec((nbytes,), _BYTE)).entry]
            self.sections["fixed"].append(
                Body(Graph(heads), (OpReqType.kWriteTo,), (Fixed(to, x),))
            )
        table = StreamTable(name, {**front, "work_slot": len(order) - 1}, self.sections)
        head = 0, len(order)
        call = KernelCall(name, table, head, tuple(order), (), 1, 1, writes=writes, device=table)
        return call, self._bytes


class StreamTable:
    """A loop or a branch over programs; see `kernels.cuda.launch.Launches`."""

    fails, replays = False, "never"

    def __init__(
        self, name: str, front: Mapping[str, int], sections: Mapping[str, Sequence[Any]]
    ) -> None:
        self.name, self._front, self._sections = name, front, sections
        self.loop = self.source = Text(name, "")
        self.kernels: list[Any] = []  # empty: its programs compile their own
        self._programs: dict[int, Programs] = {}  # by device

    def require(self, device: int) -> None:
        """Raise an error if a body has no form for the device; see Launches."""
        self.ready((), device)

    def ready(self, record: Sequence[int], device: int) -> Programs:
        """Return the programs of a device, created at the first call."""
        if device not in self._programs:
            self._programs[device] = Programs(self.name, self._sections, gpu(device))
        return self._programs[device]

    def issue(self, run_ctx: RunContext, record: Sequence[int], ready: Programs) -> None:
        """Issue all steps on the stream, in their order."""
        front, parts = self._front, self._sections
        run = Run(run_ctx, record[2:], front["work_slot"], ready.word)
        limit, tests = front.get("length", -1), front.get("tests", 0)
        if "count_slot" in front:
            limit = min(limit, run.number(front["count_slot"], 0))
        for to, x, source, y, nbytes in parts["begin"]:
            run.copy(run.address(to, x), run.address(source, y), nbytes)
        for clear in ready.clears:
            run.issue(clear, 0, 0)
        step = 0
        while limit < 0 or step < limit:
            index = limit - 1 - step if front.get("reverse") else step
            for row in ready.rows[:tests]:
                run.issue(row, step, index)
            if tests and not run.number(WORK, front["test_offset"], "bool"):
                break
            first, end = tests, len(ready.rows)
            if "choice_slot" in front:
                choice = run.number(front["choice_slot"], 0)
                first, end = parts["branch"][min(max(choice, 0), len(parts["branch"]) - 1)]
            for row in ready.rows[first:end]:
                run.issue(row, step, index)
            step += 1
        for to, x, even, odd, nbytes in parts["end"]:
            run.copy(run.address(to, x), run.address(WORK, odd if step % 2 else even), nbytes)
        if "count_out" in front:
            run.write(front["count_out"], step)


class Programs:
    """The bodies of a table as programs of one device.

    `clears`: those that set results to zero, before all steps. `word`: pinned memory for a number,
    without a lock, as one thread issues all work of a device.
    """

    def __init__(self, name: str, sections: Mapping[str, Sequence[Any]], device: Context) -> None:
        self.word = driver().pinned(8)
        self.clears = [self._of(name, body, device) for body in sections["fixed"]]
        self.rows = [self._of(name, body, device) for body in sections["row"]]

    def _of(self, name: str, body: Body, device: Context) -> tuple[Program, tuple[Where, ...]]:
        layouts = [layout(*spec((v, 0))) for v in body.graph.variables]
        program = Program(
            compiled(body.graph, layouts, body.requests, _OPTIONS, device), name=f"body of {name}"
        )
        if program.effects:
            refuse(f"{name}, whose body draws random numbers", device)
        for array in program.constants:
            wait(array._chunk)
        if program.arena.chunk is not None:  # from here on the stream orders the runs
            wait(program.arena.chunk)
        for call in program.instance.calls if program.instance else ():
            if isinstance(call.launches, StreamTable):
                call.launches.ready((), device.device_id)  # now, not on the issuing thread
        return program, body.places


class Run:
    """A run of a table on a stream, with its arrays' addresses; `work`: slot of working memory."""

    def __init__(
        self, run_ctx: RunContext, addresses: Sequence[int], work: int, word: np.ndarray[Any, Any]
    ) -> None:
        self._run_ctx, self._addresses, self._word = run_ctx, addresses, word
        self._work = addresses[work]

    def address(self, slot: int, offset: int) -> int:
        """Return the address of a place in an array."""
        return (self._work if slot == WORK else self._addresses[slot]) + offset

    def issue(self, row: tuple[Program, tuple[Where, ...]], step: int, index: int) -> None:
        """Issue a body on the stream."""
        program, places = row
        program.issue(self._run_ctx, [self._place(where, step, index) for where in places])

    def _place(self, where: Where, step: int, index: int) -> int:
        if isinstance(where, Fixed):
            return self.address(*where)
        if isinstance(where, Moving):
            return self.address(where.slot, index * where.step)
        return self.address(WORK, where.odd if step % 2 else where.even)

    def copy(self, target: int, source: int, nbytes: int) -> None:
        """Copy within the device."""
        if nbytes:
            self._run_ctx.stream.copy(target, source, nbytes, self._run_ctx.device.device_id)

    def number(self, slot: int, offset: int, dtype: str = "int64") -> int:
        """Return a number from the device, after waiting for all issued work."""
        word = self._word[: np.dtype(dtype).itemsize]
        self._run_ctx.stream.read(word, self.address(slot, offset))
        self._run_ctx.stream.synchronize()
        return int(word.view(dtype)[0])

    def write(self, slot: int, number: int) -> None:
        """Write an int64 to an array, and wait for it."""
        self._word.view("int64")[0] = number
        self._run_ctx.stream.write(self.address(slot, 0), self._word)
        self._run_ctx.stream.synchronize()
