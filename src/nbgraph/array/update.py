"""The quick way to write over an array: what a kernel needs besides addresses, kept.

It declines where something is not as it was: another engine or device, an open bulk, a function
that the engine runs, memory that is lent, operands that share memory. The general way takes the
call then.
"""

from __future__ import annotations

from typing import Any

from nbgraph.array.chunk import Chunk
from nbgraph.array.core import Array
from nbgraph.array.launch import prepare, scalar_word
from nbgraph.array.layout import Layout
from nbgraph.array.push import carried
from nbgraph.engine.inline import in_charge
from nbgraph.engine.kernels import Kernels
from nbgraph.operator.mapper import Mapper


class Update:
    """A kernel that writes `op(a, b)` over `a`, or where it does not read `a`, `op(b)`.

    `own`: the layout of `a`; `b`: an array or a number like those to come. `whole`: nothing of
    what the chunk held is left.
    """

    __slots__ = ("core", "device", "engine", "head", "launcher", "number", "reads", "steps", "tail")

    def __init__(
        self,
        op: Mapper,
        engine: Kernels,
        a: Array,
        own: Layout,
        b: Any,
        *,
        reads: bool = True,
        whole: bool = False,
    ) -> None:
        weak = not isinstance(b, Array)
        found = carried(op, (a, b) if reads else (b,), {})
        layouts = [*([own] if reads else []), None if weak else b._layout]
        prepared = prepare(op, found.plan, own.shape, layouts, [own], ("write",))
        self.engine, self.core, self.device = engine, engine._core, a._chunk.device
        self.launcher = prepared.launcher(engine, 0 if weak else 1, 1, whole)
        self.head, self.steps, self.tail = prepared.head, prepared.steps, prepared.outer
        self.number = prepared.scalars[0] if weak else None
        self.reads = reads

    def run(self, held: Chunk, address: int, b: Any, above: int = 1) -> bool:
        """Push it over what lies there; False where the general way is needed. `above`: see
        `Kernels.site_id`."""
        engine = self.engine
        if engine is not in_charge() or engine._bulks or held.locked or held.leases:
            return False
        if held.device is not self.device:
            return False
        head = (*self.head, address) if self.reads else self.head
        if self.number is not None:
            record = (*head, address, *self.steps, scalar_word(b, *self.number), *self.tail)
            self.launcher((held,), record, engine.site_id(above))
        else:
            other = b._chunk
            if other is held or other.device is not held.device:
                return False
            record = (*head, b._address, address, *self.steps, *self.tail)
            self.launcher((other, held), record, engine.site_id(above))
        held.writes += 1
        return True
