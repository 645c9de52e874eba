"""The core as machine code: compiled by Numba, and saved where `stored` finds it."""

from types import FunctionType, ModuleType
from typing import Any

from nbgraph.codegen import unit
from nbgraph.engine.core import (
    entries,
    failures,
    launching,
    machine,
    memory,
    operations,
    outside,
    plans,
    profile,
    queues,
    running,
    serving,
    state,
    tracker,
    waiting,
)
from nbgraph.engine.core.codes import ENTRIES
from nbgraph.engine.core.stored import key

MODULES: tuple[ModuleType, ...] = (
    *(memory, profile, queues, tracker, operations),
    *(outside, plans, running, waiting, entries, serving),
    *(launching, failures, state),
)


def functions() -> dict[str, Any]:
    """Return the core's functions by name; a name stands for one function in all its files."""
    return {
        name: value
        for module in MODULES
        for name, value in vars(module).items()
        if isinstance(value, FunctionType) and value.__module__ == module.__name__
    }


def compile_core() -> unit.Unit:
    """Compile the core, save its object code, and return it. Takes some seconds."""
    from nbgraph.native import atomics, calls, parking

    names = {
        primitive.__name__: getattr(place, primitive.__name__)
        for primitive in machine.PRIMITIVES
        for place in (atomics, parking, calls)
        if hasattr(place, primitive.__name__)
    }
    functions_by_name = unit.transplant(functions(), names)
    roots = {name: (functions_by_name[name], 2) for name in ENTRIES}
    return unit.build(key(), {**roots, "timed": (functions_by_name["timed"], 3)})
