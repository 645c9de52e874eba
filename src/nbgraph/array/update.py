"""The quick way to write over an array, by `a op= b` or `out=a`: what a kernel needs besides
addresses, kept.

It declines where something is not as it was: another engine or device, an open bulk, a function
that the engine runs, memory that is lent, operands that share memory. The general way takes the
call then.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from nbgraph.array.chunk import Chunk
from nbgraph.array.core import Array
from nbgraph.array.place import launcher
from nbgraph.array.push import inferred
from nbgraph.array.route import shortcut
from nbgraph.engine.inline import in_charge
from nbgraph.engine.threaded import ThreadedEngine
from nbgraph.operator.call import recording
from nbgraph.operator.kernel_call import KernelCall, scalar_word
from nbgraph.operator.layout import Layout
from nbgraph.operator.map_call import map_call
from nbgraph.operator.mapper import Mapper
from nbgraph.settings import CLOSELY_ASKED

_recorder = recording.get


class Update:
    """A kernel that writes `op(a, b)` over `a`, or where it does not read `a`, `op(b)`.

    `own`: the layout of `a`; `b`: an array or a number like those to come. `whole`: nothing of
    what the chunk held is left.
    """

    __slots__ = ("core", "device", "engine", "head", "launcher", "number", "reads", "steps", "tail")

    def __init__(
        self,
        op: Mapper,
        engine: ThreadedEngine,
        a: Array,
        own: Layout,
        b: Any,
        *,
        reads: bool = True,
        whole: bool = False,
    ) -> None:
        weak = not isinstance(b, Array)
        plan = inferred(op, (a, b) if reads else (b,), {}).plan
        layouts = [*([own] if reads else []), None if weak else b._layout]
        call = map_call(plan, own.shape, layouts, [own], ("write",))
        self.engine, self.core, self.device = engine, engine._core, a._chunk.device
        self.launcher = launcher(call, engine, 0 if weak else 1, 1, whole)
        self.head, self.steps, self.tail = call.head, call.words, call.tail
        self.number = call.scalars[0] if weak else None
        self.reads = reads

    def run(self, chunk: Chunk, address: int, b: Any, above: int = 1) -> bool:
        """Push it over what lies there; False where the general way is needed. `above`: see
        `Engine.site_id`."""
        engine = self.engine
        if engine is not in_charge() or engine._bulks or chunk.locked or chunk.leases:
            return False
        if chunk.device is not self.device:
            return False
        head = (*self.head, address) if self.reads else self.head
        if self.number is not None:
            record = (*head, address, *self.steps, scalar_word(b, *self.number), *self.tail)
            self.launcher((chunk,), record, engine.site_id(above))
        else:
            other = b._chunk
            if other is chunk or other.device is not chunk.device:
                return False
            record = (*head, b._address, address, *self.steps, *self.tail)
            self.launcher((other, chunk), record, engine.site_id(above))
        chunk.writes += 1
        return True


# results over an array ----------------------------------------------------------------------------


def known_over(op: Mapper, operands: Sequence[Any], out: Any) -> bool:
    """Push `op` over an array whose memory no other operand has, as it was pushed before; return
    False where the general way is needed."""
    key = _over_key(operands, out)
    entry = None if key is None else op.carried.get(key)
    if entry is None:
        return False
    engine, device, call, push = entry
    memory = out._chunk
    if engine is not in_charge() or engine._bulks or memory.locked or memory.leases:
        return False
    chunks = [v._chunk for v in operands if type(v) is not float and v is not out]
    if any(c.device is not device for c in (memory, *chunks)):
        return False
    addresses = [v._address for v in operands if type(v) is not float]
    numbers = [v for v in operands if type(v) is float]
    push((*chunks, memory), call.block((*addresses, out._address), numbers), engine.site_id(1))
    memory.writes += 1
    return True


def learn_over(op: Mapper, operands: Sequence[Any], out: Any, call: KernelCall) -> None:
    """Remember the kernel that has just been pushed over an array."""
    key, engine = _over_key(operands, out), in_charge()
    device = out._chunk.device
    if key is None or not isinstance(engine, ThreadedEngine) or not device.host or not out.size:
        return
    if any(kind != "f" for kind, _ in call.scalars):
        return
    arrays = sum([type(v) is not float and v is not out for v in operands])
    op.carried[key] = engine, device, call, launcher(call, engine, arrays, 1, key[1])
    if op.over is None:
        op.over = shortcut(op, functools.partial(_unasked, op))


def _unasked(op: Mapper, operands: Sequence[Any], out: Any) -> bool:
    """Do what `known_over` does, where nobody looks on."""
    if not isinstance(out, Array) or _recorder() is not None or CLOSELY_ASKED[0]:
        return False
    return known_over(op, operands, out)


def _over_key(operands: Sequence[Any], out: Any) -> tuple[Any, ...] | None:
    """Return the key of such a call: whether nothing is left of what the chunk held, and layouts;
    None where operands share memory, or are neither arrays nor floats."""
    memory, holder, own = out._chunk, out._holder, out._layout
    whole = holder is None or (own.contiguous and own.nbytes == holder.nbytes)
    whole = whole and all(value is not out for value in operands)
    form: list[Any] = ["over", whole, own]
    seen = [memory]
    for value in operands:
        if type(value) is float:
            form.append(float)
        elif value is out:
            form.append("over itself")
        elif type(value) is not type(out) or value._chunk in seen:
            return None
        else:
            seen.append(value._chunk)
            form.append(value._layout)
    return tuple(form)
