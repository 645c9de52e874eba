"""One compiled core in Python's hands: its memory, and its entries as builtin functions."""

from __future__ import annotations

import ctypes
import itertools
import sys
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from nbgraph.codegen import fastcall
from nbgraph.codegen.unit import Unit
from nbgraph.engine.core import layout, stored
from nbgraph.engine.core.codes import BLOCKING, ENTRIES
from nbgraph.engine.failure import Failure
from nbgraph.engine.sites import Site
from nbgraph.engine.variable import Variable
from nbgraph.errors import EngineError
from nbgraph.settings import config

Entry = Callable[..., int]

_WITHOUT_CORE = ("peek", "poke", "new_memory", "free_memory", "is_done", "launch_many")
SPIN = 600  # looks before a thread sleeps: some microseconds
MOST_WORDS = fastcall.MAX_WORDS - 1  # of a submit call; what is longer goes by address


@dataclass(slots=True, eq=False, repr=False)
class Held:
    """What belongs to a plan's memory."""

    keep: object  # must live as long
    tokens: list[int]  # of Python steps
    template: int = 0  # what is launched


class Core:
    """Words at an address, and what may be done with them. See `nbgraph.engine.core`."""

    push: Entry
    launch: Entry
    launch_many: Entry
    settled: Entry
    renew: Entry
    submit: Entry
    submit_many: Entry
    template: Entry
    template_many: Entry
    drop_template: Entry
    notify: Entry
    new_thread: Entry
    work_until_stopped: Entry
    next_call: Entry
    call_done: Entry
    call_issued: Entry
    wait_for: Entry
    is_done: Entry
    mark: Entry
    stop: Entry
    take_one: Entry
    new_variable: Entry
    release: Entry
    raise_variable: Entry
    raise_first: Entry
    raise_cell: Entry
    cell_of: Entry
    let_cell_go: Entry
    fail: Entry
    late_failure: Entry
    set_failure: Entry
    put_failure: Entry
    leave_early: Entry
    dead_cell: Entry
    dead_template: Entry
    drop_instance: Entry
    dead_instance: Entry
    peek: Entry
    poke: Entry
    new_memory: Entry
    free_memory: Entry
    snapshot: Entry
    uses: Entry
    ready_list: Entry

    def __init__(self, unit: Unit, first: int) -> None:
        free_ended()
        self.unit = unit
        self.retired = False
        self.failures: dict[int, Failure] = {}  # by the token in their cells
        self.tokens = itertools.count(1)
        self.instances: dict[int, Held] = {}  # of plans, by address
        self.states: dict[int, object] = {}  # of their runs, by token
        self.labels: dict[int, tuple[int, str | None]] = {}  # of variables, by address, for dumps
        self.doomed: deque[int] = deque()  # instances given up
        self._thread = threading.local()
        for name in ENTRIES:
            if name in _WITHOUT_CORE:
                setattr(self, name, fastcall.bind(unit.address(name), name=name))
        self.address = self.new_memory(layout.CORE_BYTES)
        if not self.address:
            raise EngineError("the engine: no memory for its core")
        for name in ENTRIES:
            if name not in _WITHOUT_CORE:
                free = name in BLOCKING
                bound = fastcall.bind(unit.address(name), self.address, release_gil=free, name=name)
                setattr(self, "release" if name == "give_up" else name, bound)
        for place, value in (
            (layout.SEQUENCE, first),
            (layout.SPIN, SPIN),
        ):
            self.poke(self.address + place, value)

    def word(self, offset: int) -> int:
        """A word of the core's header."""
        return self.peek(self.address + offset)

    def bound(self, name: str, *words: int) -> Entry:
        """An entry with more arguments given once and for all."""
        return fastcall.bind(self.unit.address(name), self.address, *words, name=name)

    def parker(self) -> int:
        """What the calling thread sleeps on."""
        mine: int | None = getattr(self._thread, "parker", None)
        if mine is None:
            mine = self.new_thread()
            if not mine:
                raise EngineError("the engine: no memory for a thread")
            self._thread.parker = mine
        return mine

    def call(self, name: str, words: list[int]) -> int:
        """`submit` or `template` with however many words."""
        if len(words) <= MOST_WORDS:
            return getattr(self, name)(*words)
        packed = (ctypes.c_int64 * (len(words) + 1))(self.address, *words)
        many: Entry = fastcall.bind(self.unit.address(name + "_many"), name=name)
        return many(ctypes.addressof(packed), len(words) + 1)

    # variables ---------------------------------------------------------------------------------

    def attach(self, variable: Variable) -> int:
        """The variable's record here; one it had elsewhere is brought home first."""
        if variable._core is not None:
            variable._core.send_home(variable)
        address = self.new_variable()
        if not address:
            raise EngineError("the engine: no memory for a variable")
        if variable.keeps:
            self.poke(address + layout.V_KEEPS, variable.keeps)
        variable._address = address
        variable._core = self
        self.labels[address] = variable.number, variable.name
        failure = variable._failure
        if failure is not None:
            variable._failure = None
            variable._owner.ledger.discard(failure)
            self.adopt(failure, address)
        return address

    def adopt(self, failure: Failure, address: int) -> None:
        """A failure from elsewhere, on a variable here (0: on none)."""
        if failure.core is self and failure.cell:
            if self.put_failure(address, failure.cell):
                return
            # its cell is among the dead: it gets another, and goes on when that one is forgotten
            self.failures.pop(self.peek(failure.cell + layout.C_TOKEN), None)
        token = next(self.tokens)
        self.failures[token] = failure
        failure.core = self
        number, place = failure.order
        raised = failure.raised_at or 0
        failure.cell = self.set_failure(address, token, number, raised, place)

    def send_home(self, variable: Variable) -> None:
        """Version and failure go back to the variable itself: another engine has it now."""
        address = variable._address
        variable._version += self.peek(address + layout.V_VERSION)
        variable._failure = self.failure_on(address)
        # the address stays: a thread that is just looking at the record must find memory there
        variable._core = None
        if not self.retired:
            self.release(address)
        elif self.in_use(address):
            error = EngineError(
                f"variable {variable.name or variable.number} was in use in the parent when the "
                "process forked; its work ended there, not here. Write it anew"
            )
            variable._failure = Failure(error, (0, 0), "fork", Site("?", 0, "?"))

    def failure_on(self, address: int) -> Failure | None:
        """The Python side of a variable's failure, if it has one."""
        since = self.peek(address + layout.V_SINCE)
        recent = self.peek(address + layout.V_FAILED) > since
        cell = self.peek(address + layout.V_CELL) if recent else 0
        return None if not cell else self.failures.get(self.peek(cell + layout.C_TOKEN))

    def in_use(self, address: int) -> bool:
        """Whether anything uses the variable or waits for it."""
        peek = self.peek  # in a row: asked for every block that is taken with care
        return bool(
            peek(address + layout.V_WRITES)
            or peek(address + layout.V_READS)
            or peek(address + layout.V_HEAD)
            or peek(address + layout.V_ISSUED_READS)
            or peek(address + layout.V_ISSUED_WRITES)
        )

    def __del__(self) -> None:
        # No thread of it is left. Its memory has to wait: a variable that is part of the same
        # garbage may go on, where its own finaliser hands it to somebody (a block to its pool).
        # At the end of the process the memory is not worth a risk.
        if getattr(self, "address", 0) and not self.retired and sys and not sys.is_finalizing():
            _ended.append(self)

    def _free(self) -> None:
        self.retired = True
        self.release = _forgotten
        for memory in self.instances:
            self.free_memory(memory)
        slab = self.peek(self.address + layout.SLABS)
        while slab:
            following = self.peek(slab)
            self.free_memory(slab)
            slab = following
        self.free_memory(self.address)


_ended: deque[Core] = deque()  # cores without an engine


def free_ended() -> None:
    """Free the memory of ended cores that no variable refers to any more."""
    for _ in range(len(_ended)):
        core = _ended.popleft()
        own = sum(failure.core is core for failure in core.failures.values())
        if sys.getrefcount(core) - own > 2:  # `core` here and the argument
            _ended.append(core)
        else:
            core.failures.clear()
            core._free()


def _forgotten(address: int) -> int:
    """A variable of a core that is gone."""
    return 0


LOADING = threading.Lock()
_unit: list[Unit] = []


def core_unit(*, quiet: bool = False) -> Unit:
    """The core's code, once a process: from disk, or compiled now with a line that says so."""
    with LOADING:
        if not _unit:
            found = stored.find()
            if found is None:
                stream: Any = sys.stderr
                if stream is not None and not quiet:
                    stream.write("nbgraph: compiling the engine's core, once: some 8 s ...\n")
                    stream.flush()
                with config(progress=0):  # that line is enough
                    found = _compiled()
            _unit.append(found)
        return _unit[0]


def _compiled() -> Unit:
    from nbgraph.engine.core import compiled  # the core's own files, needed once a machine

    return compiled.compile_core()


def ready() -> bool:
    """Whether the core can be had without compiling."""
    with LOADING:
        if not _unit:
            found = stored.find()
            if found is not None:
                _unit.append(found)
        return bool(_unit)
