"""Kernels of loops whose bodies are maps over a few numbers, which stay in registers."""

import ctypes
from collections.abc import Mapping, Sequence
from typing import Any

from nbgraph.dtype import name_of
from nbgraph.executor.compiled import Compiled
from nbgraph.executor.control.rows import WORK, Fixed, Moving, Rows, Turning, Where
from nbgraph.graph.graph import Graph
from nbgraph.graph.passes.scalars import MOST
from nbgraph.kernels.compiler.registers import Carry, Number, Steps, kernel
from nbgraph.kernels.loops.body import loop_may_fail
from nbgraph.kernels.loops.loop import Loop
from nbgraph.kernels.scalar.kinds import ITEMSIZE
from nbgraph.operator.kernel_call import KernelCall
from nbgraph.operator.request import OpReqType

_LARGE = 64  # maps of one element, beyond which a table of kernels compiles faster
_CONSTANT = -3  # in place of an array's slot, with an address in place of the offset
Key = tuple[int, int, int]  # slot of an array, or WORK; offset in bytes; bytes of motion per step


class Registers(Rows):
    """Rows as one kernel, for a loop over `arrays` arrays; `body` returns False if a body is more
    than maps over a few numbers."""

    def __init__(self, arrays: int) -> None:
        super().__init__()
        self._steps = Steps(arrays)
        self._values: dict[Key, tuple[str, str]] = {}  # name and dtype of the present value
        self._carried: dict[int, tuple[str, str]] = {}  # the same at a step's beginning, by offset
        self._sums: dict[Key, tuple[str, str]] = {}
        self._stored: dict[Key, None] = {}  # keys that each step writes to an array
        self._turns: dict[int, int] = {}  # offset where a carry is read -> where it is written

    def body(
        self,
        graph: Graph,
        requests: Sequence[OpReqType],
        variables: Sequence[Where],
        results: Sequence[Where],
        arena: int | None = None,
    ) -> bool:
        self._turns = {place.odd: place.even for place in results if isinstance(place, Turning)}
        if not super().body(graph, requests, variables, results, arena):
            return False
        return all(self._whole(*begin) for begin in self.sections["begin"] if self._turns)

    def _whole(self, _: int, first: int, slot: int, offset: int, nbytes: int) -> bool:
        """Return whether a step writes all numbers of a carry, with their previous dtypes."""
        at = 0
        while at < nbytes:
            value = self._values.get((WORK, self._turns[first] + at, 0))
            if value is None or self._value((WORK, first + at, 0), value[1]) is None:
                return False
            at += ITEMSIZE[value[1]]
        return True

    def _value(self, key: Key, dtype: str) -> str | None:
        """Return the name of a number; None if it is unknown or of another dtype."""
        slot, at, step = key
        if key not in self._values:
            if slot == _CONSTANT:
                name = self._steps.constant(ctypes.string_at(at, ITEMSIZE[dtype]), dtype)
            elif slot != WORK:
                name = self._steps.load(Number(slot, at, step, dtype))
            elif any(first <= at < first + n for _, first, _, _, n in self.sections["begin"]):
                name = self._steps.name("c")
                self._carried[at] = name, dtype
            else:
                return None
            self._values[key] = name, dtype
        name, own = self._values[key]
        return name if own == dtype else None

    def _row(
        self, compiled: Compiled, task: Any, call: KernelCall, places: Sequence[Where], arena: int
    ) -> bool:
        self.cost += call.cost
        work, keys = task.work, list[Key]()
        for slot, offset in [compiled.used(task, written, use) for written, use in work.uses]:
            if slot is not None and slot >= len(places):
                start = compiled.constants[slot - len(places)].__array_interface__["data"][0]
                keys.append((_CONSTANT, start + offset, 0))
            else:
                keys.append(_key(Fixed(WORK, arena) if slot is None else places[slot], offset))
        if getattr(work.op, "__name__", "") == "stack":
            return self._stack(task, keys)
        loop, count = call.code.loop, len(keys)
        if not (isinstance(loop, Loop) and _plain(loop) and self._steps.takes(loop)):
            return False
        block = call.block([0] * count, work.numbers)
        steps, words = block[2 + count : 2 + 2 * count], block[2 + 2 * count :]
        if block[:2] != (call.size, 0) or call.size > MOST or len(words) != len(loop.parameters):
            return False
        elements = [[_moved(x, k * by) for x, by in zip(keys, steps)] for k in range(call.size)]
        return all(self._element(loop, each, words) for each in elements)

    def _element(self, loop: Loop, keys: Sequence[Key], words: Sequence[int]) -> bool:
        """Add a map for one element; return whether it is supported."""
        outputs = [*zip(keys[len(loop.operands) :], loop.outputs, strict=True)]
        values = [self._value(key, x.dtype) for key, x in zip(keys, loop.operands)]
        for key, output in outputs:
            slot, _, step = key
            adds = output.request == "add"
            if adds and slot != WORK and not step and key not in self._values:
                self._sums[key] = self._values[key] = self._steps.name("c"), output.dtype
            values.append(self._value(key, output.dtype) if adds else "")
        names = [name for name in values if name is not None]
        if len(names) < len(values) or len(self.sections["row"]) == _LARGE:
            return False
        lines, results = self._steps.element(loop, names, words)
        self.sections["row"].append(lines)
        for (key, output), name in zip(outputs, results, strict=True):
            self._write(key, name, output.dtype)
        return True

    def _write(self, key: Key, name: str, dtype: str) -> None:
        self._values[key] = name, dtype
        if key[0] != WORK and key not in self._sums:
            self._stored[key] = None

    def _stack(self, task: Any, keys: Sequence[Key]) -> bool:
        """Add a stack of numbers; return whether it is supported."""
        layouts = [use.layout for _, use in task.work.uses]
        dtype, request = name_of(layouts[-1].dtype), task.requests[0]
        numbers = all(not own.shape and own.dtype == layouts[-1].dtype for own in layouts[:-1])
        if not numbers or dtype not in ITEMSIZE or request is not OpReqType.kWriteTo:
            return False
        for k, key in enumerate(keys[:-1]):
            name = self._value(key, dtype)
            if name is None:
                return False
            self._write(_moved(keys[-1], k * ITEMSIZE[dtype]), name, dtype)
        return True

    def call(
        self, name: str, front: Mapping[str, int], order: Sequence[int], writes: int, trips: int
    ) -> tuple[KernelCall, int]:
        carries: list[Carry] = []
        parts, steps = self.sections, self._steps
        for _, first, source, _, nbytes in parts["begin"]:
            targets = [slot for slot, _, even, _, _ in parts["end"] if even == first]
            for at, (own, dtype) in self._carried.items():
                if first <= at < first + nbytes:
                    following, _ = self._values[WORK, at - first + self._turns[first], 0]
                    last = Number(targets[0], at - first, 0, dtype) if targets else None
                    initial = Number(source, at - first, 0, dtype)
                    carries.append(Carry(own, following, dtype, initial, last))
        for key, (own, dtype) in self._sums.items():
            carries.append(Carry(own, self._values[key][0], dtype, None, Number(*key, dtype)))
        for key in self._stored:
            value, dtype = self._values[key]
            steps.stores.append(f"store({Number(*key, dtype).at('index')}, 0, {value})")
        summed = {slot for slot, _, _ in self._sums}
        clears = [(Number(s, 0, 0, "uint8"), n) for s, _, n in parts["clear"] if s not in summed]
        fields = {**front, "work_slot": len(order) - 1}
        test, _ = self._values.get((WORK, front.get("test_offset", -1), 0), ("", ""))
        code = kernel(name, steps, parts["row"], carries, clears, fields, test)
        head, cost = (front["length"], front.get("patience", -1)), max(1, self.cost * trips)
        options: dict[str, Any] = {"writes": writes, "resumes": "patience" in front}
        call = KernelCall(name, code, head, tuple(order), tuple(steps.words), 1, cost, **options)
        return call, 8 + 8 * len(carries)


def _plain(loop: Loop) -> bool:
    """Return whether a loop maps real numbers, without inner loops or errors of elements."""
    if loop.form != "map" or loop.fastmath or loop.streaming or loop_may_fail(loop):
        return False
    # a hand-written kernel, such as that of `take`, has a loop without outputs
    real = loop.outputs and not any(array.imag for array in (*loop.operands, *loop.outputs))
    return bool(real) and all(n.op != "final" for n in loop.graph.reachable(loop.results))


def _key(where: Where, offset: int) -> Key:
    if isinstance(where, Fixed):
        return where.slot, where.offset + offset, 0
    if isinstance(where, Moving):
        return where.slot, offset, where.step
    return WORK, where.even + offset, 0


def _moved(key: Key, nbytes: int) -> Key:
    slot, at, step = key
    return slot, at + nbytes, step
