"""Kernels of scalar operators on arrays: found by layouts, pushed to the engine.

`Prepared` holds a kernel and all of its record that does not change from call to call; a call
adds addresses and numbers. The threaded engine takes it in one compiled call.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgraph.array.chunk import Chunk
from nbgraph.array.layout import Layout
from nbgraph.array.place import ELSEWHERE
from nbgraph.array.place import place as _place
from nbgraph.device import Context
from nbgraph.engine.kernels import Kernels
from nbgraph.engine.launcher import Launcher
from nbgraph.errors import DeviceError
from nbgraph.kernels.cost import of_kernel, per_element
from nbgraph.kernels.kernel import Kernel, kernel
from nbgraph.operator.invoke import Plan
from nbgraph.operator.mapper import Mapper
from nbgraph.operator.placement import classes_of
from nbgraph.operator.streaming import streams
from nbgraph.shape import Space, is_ordered, space, tiled


def _require_one(name: str, device: Context, held: Sequence[Chunk]) -> None:
    """DeviceError before a kernel is given memory of another device: it would fail, or the process
    would, and the device for good."""
    for chunk in held:
        if chunk.device != device and not (chunk.device.host and device.host):
            raise DeviceError(
                f"{name}: it would write memory of {device!r} with what is on {chunk.device!r}; "
                f"copy that, as with .to({device!r})"
            )


class Prepared:
    """A kernel over arrays of certain layouts, as often as it is asked for.

    The record is `head`, the addresses, `steps` and parameters, the scalar operands, `outer`.
    """

    __slots__ = (
        *("code", "cost", "elsewhere", "head", "hi", "launchers", "name", "outer", "scalars"),
        "steps",
    )

    def __init__(
        self,
        name: str,
        code: Kernel,
        where: Space,
        parameters: Sequence[int],
        scalars: Sequence[tuple[str, str]],
        cost: int,
    ) -> None:
        self.name, self.code, self.hi = name, code, where.size
        self.head = (where.inner, len(where.outer))
        self.steps = (*where.steps, *parameters)
        self.scalars = tuple(scalars)  # kind and precision of each scalar operand
        outer: list[int] = []
        for extent, steps in where.outer:
            outer += [extent, *steps]
        self.outer = tuple(outer)
        self.cost = cost
        self.launchers: dict[Any, Launcher] = {}
        self.elsewhere: Any = None  # the same kernel for devices that are not the host

    def record(self, addresses: Sequence[int], numbers: Sequence[Any]) -> tuple[int, ...]:
        """The words of one call."""
        if not self.scalars:
            return (*self.head, *addresses, *self.steps, *self.outer)
        words = [scalar_word(v, *s) for v, s in zip(numbers, self.scalars, strict=True)]
        return (*self.head, *addresses, *self.steps, *words, *self.outer)

    def push(
        self,
        reads: Sequence[Chunk],
        writes: Sequence[Chunk],
        record: Sequence[int],
        *,
        overwrites: bool,
    ) -> None:
        """Push it on the device of what is written. Variables are distinct; `overwrites`: all that
        is written is written whole."""
        device = writes[0].device
        if ELSEWHERE[0]:
            _require_one(self.name, device, (*reads, *writes))
        _place(device).push(self, reads, writes, record, overwrites=overwrites)

    def launcher(self, engine: Kernels, reads: int, writes: int, overwrites: bool) -> Launcher:
        """The engine's quick way for so many variables."""
        key = engine, reads, writes, overwrites
        found = self.launchers.get(key)
        if found is None:
            stale = [k for k in list(self.launchers) if k[0] is not engine]
            for k in stale:  # of engines that are no longer in force
                self.launchers.pop(k, None)
            found = self.launchers[key] = Launcher(
                engine,
                self.code.address,
                self.hi,
                reads,
                writes,
                cost=self.cost,
                name=self.name,
                overwrites=overwrites,
            )
        return found


_DOUBLE, _SINGLE = struct.Struct("<d"), struct.Struct("<f")
_WORD, _HALF_WORD = struct.Struct("<q"), struct.Struct("<i")


def scalar_word(value: Any, kind: str, precision: str) -> int:
    """A scalar operand as a word of the record; `precision` is what it is first rounded to.

    >>> scalar_word(1.0, "f", "float64") == 0x3FF0000000000000
    True
    """
    if kind != "f":
        value = int(value)
        return value - (1 << 64) if value >= 1 << 63 else value
    value = float(value)  # OverflowError where an integer is beyond all floats
    if precision == "float64":
        return _WORD.unpack(_DOUBLE.pack(value))[0]
    if precision != "float32":
        value = float(np.dtype(precision).type(value))
    try:
        return _HALF_WORD.unpack(_SINGLE.pack(value))[0]
    except OverflowError:  # beyond float32, which is infinite there
        return _HALF_WORD.unpack(_SINGLE.pack(math.copysign(math.inf, value)))[0]


def prepare(
    op: Mapper,
    plan: Plan,
    shape: tuple[int, ...],
    operands: Sequence[Layout | None],
    outputs: Sequence[Layout],
    requests: Sequence[str],
    *,
    disjoint: bool = False,
    once: bool = False,
) -> Prepared:
    """The kernel for operands of these layouts (None: a scalar), broadcast to `shape`.

    Outputs have that shape; one whose request is "null" is left out. `disjoint`: the caller sees
    to it that no output shares memory with another, nor with an operand unless the two are the
    very same elements; several outputs then need no check when the kernel runs. `once`: nothing
    shares memory with an output, and nobody reads it at once; large ones then go past the caches.
    """
    given = [o for o in operands if o is not None]
    written = [o for o, r in zip(outputs, requests, strict=True) if r != "null"]
    arrays = [*given, *written]
    if all(a.contiguous and a.shape == shape for a in arrays):
        where = Space(arrays[0].size, tuple(a.dtype.itemsize for a in arrays), ())
        classes = ("c",) * len(arrays)
    else:
        where = tiled(space(shape, [strides_in(a, shape) for a in arrays]))
        classes = classes_of(arrays, where, len(given))
    found = iter(classes)
    layouts = ["p" if o is None else next(found) for o in operands]
    layouts += ["c" if r == "null" else next(found) for r in requests]
    dtypes = [o.dtype.name for o in outputs]
    invoker, typed = op.invoker, plan.typed
    disjoint = disjoint and requests.count("null") < len(requests) - 1  # else there is no need
    past = once and streams(
        where,
        [a.dtype.itemsize for a in written],
        classes[len(given) :],
        [r for r in requests if r != "null"],
    )
    ordered = not plan.typed.captured.graph.raises or is_ordered(
        where, shape, [strides_in(a, shape) for a in arrays]
    )
    says = {"disjoint": disjoint, "streaming": past, "unordered": not ordered}
    key = (
        tuple(layouts),
        tuple(dtypes),
        tuple(requests),
        *(s for s, holds in says.items() if holds),
    )
    code = plan.kernels.get(key)
    if code is None:
        loop = invoker.loop(plan, layouts, dtypes, requests, **says)
        code = plan.kernels[key] = kernel(loop, op.__name__)
    nbytes = sum(a.dtype.itemsize for a in arrays)
    cost = max(1, int(where.size * per_element(typed.captured, nbytes)))
    scalars = scalar_operands(plan, operands)
    parameters = words_of(op, plan)
    return Prepared(op.__name__, code, where, parameters, scalars, of_kernel(code.loop, cost))


def words_of(op: Mapper, plan: Plan) -> list[int]:
    """The scalar parameters as words of the record."""
    return [
        int.from_bytes(w.ljust(8, b"\0"), "little", signed=True)
        for w in op.invoker.parameter_words(plan)
    ]


def scalar_operands(plan: Plan, operands: Sequence[Layout | None]) -> list[tuple[str, str]]:
    """Kind and precision of each operand that is a scalar (None)."""
    typed = plan.typed
    return [
        (leaf.kind, dtype.name)
        for leaf, dtype, o in zip(typed.captured.operands, typed.operands, operands, strict=True)
        if o is None
    ]


def strides_in(a: Layout, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Strides as those of an array broadcast to `shape`."""
    lead = len(shape) - len(a.shape)
    own = (0 if n == 1 else s for n, s in zip(a.shape, a.strides, strict=True))
    return (0,) * lead + tuple(own)
