"""The core as machine code: found on disk, or compiled now by Numba and kept there."""

from __future__ import annotations

import functools
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from nbgraph.codegen import unit
from nbgraph.engine.core import (
    entries,
    launching,
    layout,
    machine,
    memory,
    operations,
    outside,
    plans,
    profile,
    queues,
    running,
    state,
    table,
    tracker,
    waiting,
)

MODULES: tuple[ModuleType, ...] = (
    *(memory, profile, queues, tracker, operations),
    *(outside, plans, running, waiting, entries, launching, state),
)


def functions() -> dict[str, Any]:
    """The core's functions by name; a name stands for one function in all its files."""
    return {
        name: value
        for module in MODULES
        for name, value in vars(module).items()
        if isinstance(value, FunctionType) and value.__module__ == module.__name__
    }


@functools.cache
def key() -> str:
    """Under which the object code is kept."""
    texts = [Path(str(m.__file__)).read_text() for m in (layout, table, *MODULES)]
    return unit.content_key("engine", *texts)


def find() -> unit.Unit | None:
    """The core from disk, or None. Numba is not imported."""
    return unit.load(key())


def compile_core() -> unit.Unit:
    """The core, compiled: some seconds."""
    from nbgraph.native import atomics, calls, parking

    names = {
        primitive.__name__: getattr(place, primitive.__name__)
        for primitive in machine.PRIMITIVES
        for place in (atomics, parking, calls)
        if hasattr(place, primitive.__name__)
    }
    made = unit.transplant(functions(), names)
    roots = {entry.__name__: (made[entry.__name__], 2) for entry in table.ENTRIES}
    return unit.build(key(), roots)
