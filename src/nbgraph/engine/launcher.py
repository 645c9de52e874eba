"""The quickest way to push a kernel whose record changes from push to push."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from nbgraph.codegen.fastcall import MAX_WORDS
from nbgraph.engine.core import layout
from nbgraph.engine.core.codes import COUNT_BITS, FIXED
from nbgraph.engine.kernels import SPLIT_FROM
from nbgraph.engine.native_call import SMALL_BELOW
from nbgraph.engine.thread import here
from nbgraph.engine.variable import Variable

if TYPE_CHECKING:
    from nbgraph.engine.handle import Core, Entry
    from nbgraph.engine.kernels import Kernels


MOST_WORDS = MAX_WORDS - FIXED - 1  # of variables and record in one call; else by address


class Launcher:
    """A kernel over [0, hi) that uses `reads + writes` variables; the last ones are written.

    `launch(variables, record)` pushes it: one compiled call copies the record into an operation
    and orders it. `overwrites`: what it writes is written whole, so a failure that those carry does
    not concern it. Nothing is checked: variables are distinct, alive and of this engine. The
    answer names the operation (a ticket). `fixed`: words of `submit` from the kind to the name.
    """

    __slots__ = ("_bound", "_core", "_engine", "_count", "fixed", "name")

    def __init__(
        self,
        engine: Kernels,
        address: int,
        hi: int,
        reads: int,
        writes: int,
        *,
        cost: int = 0,
        nbytes: int = 0,
        name: str = "kernel",
        overwrites: bool = False,
    ) -> None:
        flags = layout.OVERWRITES if overwrites else 0
        flags |= layout.SMALL if 0 < cost <= SMALL_BELOW else 0
        if cost >= SPLIT_FROM:
            flags |= layout.SPLITTABLE
        number = engine._name_id(name)
        self.fixed = (0, address, 0, 0, hi, flags, cost, layout.NATIVE, 0, nbytes, number)
        self._engine, self.name = engine, name
        self._count = reads + writes | writes << COUNT_BITS
        self._core: Core | None = None
        self._bound: Entry

    def __call__(self, variables: Sequence[Variable], record: Sequence[int], site: int = 0) -> int:
        """Push it; `site` is what `Kernels.site_id` gave for the line of user code."""
        engine, core = self._engine, self._core
        if core is not engine._live or core is None or engine._bulks:
            return self._slowly(variables, record, site)
        if len(variables) + len(record) > MOST_WORDS:
            return self._slowly(variables, record, site)
        ticket = self._bound(
            site,
            self._count,
            *[v._address << 2 if v._core is core else core.attach(v) << 2 for v in variables],
            *record,
        )
        return ticket if ticket > 0 else self._slowly(variables, record, site)

    def prime(self) -> Entry:
        """Make it ready now; the compiled entry that takes (site, count, variables, record)."""
        core = self._engine._opened()
        if self._core is not core:
            self._core, self._bound = core, core.bound("submit", *self.fixed)
        return self._bound

    def _slowly(self, variables: Sequence[Variable], record: Sequence[int], site: int) -> int:
        """After a start, within a bulk or a function, or over the brake."""
        engine = self._engine
        core = engine._opened()
        engine._flush()
        self.prime()
        words = [*self.fixed, site, self._count]
        if here.running is not None:
            words[5] |= layout.FORCE
        for v in variables:
            words.append((v._address if v._core is core else core.attach(v)) << 2)
        words += record
        while True:
            ticket = core.call("submit", words)
            if ticket > 0:
                return ticket
            engine._refused(core, ticket, self)
