"""Typed graphs as functions of arrays, by loose programs, which later calls reuse."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cached_property
from threading import get_ident
from types import FrameType
from typing import Any

from nbgraph.array.chunk import _RETIRED, APART, CPU, release_retired, take
from nbgraph.array.core import Array, empty_of, make
from nbgraph.array.place import ELSEWHERE
from nbgraph.device import Context
from nbgraph.engine import current
from nbgraph.errors import DeviceError
from nbgraph.executor.compiled import Compiled, compiled
from nbgraph.executor.pipeline import Options
from nbgraph.executor.program import Program
from nbgraph.graph.arguments import auxiliary_variables
from nbgraph.graph.graph import Graph, spec
from nbgraph.operator.call import training
from nbgraph.operator.layout import layout
from nbgraph.operator.request import OpReqType
from nbgraph.storage import LARGE, pool

_OPTIONS = Options()


class Function:
    """A typed graph as a function of arrays for its variables; a call is one push.

    Programs are reused by later calls of their thread only: runs of one program are sequential, and
    a thread must not wait for the run of another one.

    >>> import nbgraph as ng
    >>> x = ng.var("x", shape=(2,), dtype="float32")
    >>> twice = Function((x * 2).graph, "twice")
    >>> twice.run([ng.array([1.0, 2.0])])
    [array([2., 4.], dtype=float32)]
    """

    def __init__(self, graph: Graph, name: str, device: Context = CPU) -> None:
        self.graph, self.__name__, self.device = graph, name, device
        self._elsewhere: dict[Context, Function] = {}
        self.layouts = [layout(*spec(head)) for head in graph.heads]
        self._bins = [pool(device).bin(own.nbytes) for own in self.layouts]
        self._careful = any(own.nbytes >= LARGE or not own.size for own in self.layouts)
        states = set(auxiliary_variables(graph))
        self.states = [k for k, v in enumerate(graph.variables) if v in states]
        # by thread and, where arrays share chunks, by the positions of these
        self._idle: dict[Any, list[Program]] = {}
        self._shared = False  # whether arrays of a call have shared a chunk

    @cached_property
    def compiled(self) -> Compiled:
        """The compiled graph."""
        layouts = [layout(*spec((v, 0))) for v in self.graph.variables]
        requests = [OpReqType.kWriteTo] * len(self.layouts)
        return compiled(self.graph, layouts, requests, _OPTIONS, self.device)

    def run(
        self, arrays: Sequence[Array], into: Sequence[Any] = (), place: FrameType | None = None
    ) -> Sequence[Any]:
        """Push a run and return the arrays of the heads.

        `arrays`: for the variables: contiguous, of their shapes and dtypes. `into`: arrays to write
        the first heads to, contiguous and not overlapping others; heads that are missing or None
        get new arrays. `place`: the frame of the user's line, or of a function that it called.
        """
        if not into:
            outputs = self._again(arrays, place or sys._getframe(1))
            if outputs is not None:
                return outputs
        chunks = [a._chunk for a in arrays]
        if ELSEWHERE[0] and chunks:
            device: Context = chunks[0].device
            for k, chunk in enumerate(chunks):
                if chunk.device != device:
                    one, other = self.graph.variables[0].name, self.graph.variables[k].name
                    raise DeviceError(
                        f"{self.__name__}: {one} is on {device!r}, {other} on {chunk.device!r}; "
                        f"copy one of them, as with .to({device!r})"
                    )
            if device != self.device:
                return self.on(device).run(arrays, into, place)
        outputs = self._new(chunks) if not into else self._outputs(into, chunks)
        idle, merged = self._programs(chunks)
        # removed from the list, as a program that is being pushed may call the function again
        program = idle.pop() if idle else Program(self.compiled, name=self.__name__, merged=merged)
        every = [*arrays, *outputs]
        program.push(every, is_train=training.get())
        idle.append(program)
        for k in self.states:
            arrays[k]._chunk.writes += 1
        self._shared = self._shared or merged is not None
        if not self.states:
            program.fast_path.learn(program, every, len(outputs))
        return outputs

    def _again(self, arrays: Sequence[Array], place: FrameType) -> Sequence[Any] | None:
        """Return the arrays of the heads by a program's fast path, or None."""
        if self._shared:
            idle: Any = self._programs([a._chunk for a in arrays])[0]
        else:
            idle = self._idle.get(get_ident())
        if not idle:
            return None
        program = idle[-1]
        result = program.fast_path.push(program, place, tuple(arrays))
        return result if result is None or type(result) is tuple else (result,)

    def _programs(self, chunks: Sequence[Any]) -> tuple[list[Program], tuple[int, ...] | None]:
        """Return this thread's programs for arrays with these chunks, and, if some share a chunk,
        for each array the index of the first array with its chunk."""
        key: Any = get_ident()
        merged = None
        if len(set(chunks)) != len(chunks):
            merged = tuple([chunks.index(c) for c in chunks])
            key = key, merged
        try:
            return self._idle[key], merged
        except KeyError:
            return self._idle.setdefault(key, []), merged

    def prepare(self, arrays: Sequence[Array], most: int) -> bool:
        """Select an idle program for this thread's next run, creating up to `most`, else the one
        pushed first. Return whether the next run can start at once."""
        programs, merged = self._programs([a._chunk for a in arrays])
        if programs and not programs[-1].running():
            return True
        if len(programs) < most and (not programs or programs[0].running()):
            programs.append(Program(self.compiled, name=self.__name__, merged=merged))
            return True
        programs.append(programs.pop(0))
        return not programs[-1].running()

    def on(self, device: Context) -> Function:
        """Return the same function on a device."""
        if device == self.device:
            return self
        function = self._elsewhere.get(device)
        if function is None:
            function = self._elsewhere[device] = Function(self.graph, self.__name__, device)
        return function

    def _outputs(self, into: Sequence[Any], reads: Sequence[Any]) -> list[Any]:
        """Return an array for each head: those of `into`, and new ones for the others."""
        count = len(into)
        outputs: list[Any] = []
        for k, own in enumerate(self.layouts):
            target = into[k] if k < count else None
            fresh = reads if self._careful else None
            outputs.append(empty_of(own, self.device, fresh) if target is None else target)
        return outputs

    def _new(self, reads: Sequence[Any]) -> list[Any]:
        """Return new arrays for the heads; small ones come directly from their free lists."""
        if self._careful or APART:
            return [empty_of(own, self.device, reads) for own in self.layouts]
        if _RETIRED:
            release_retired()
        outputs: list[Any] = []
        in_use = current()._in_use
        for own, size_class in zip(self.layouts, self._bins, strict=True):
            try:
                buffer: Any = size_class.free.pop()
            except IndexError:
                buffer = take(own.nbytes, self.device, reads)
            else:
                if in_use(buffer):
                    size_class.free.append(buffer)
                    buffer = take(own.nbytes, self.device, reads)
                else:
                    next(size_class.takes)
            outputs.append(make(buffer, buffer.address, own))
        return outputs
