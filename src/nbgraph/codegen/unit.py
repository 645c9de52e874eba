"""Units: many Numba functions in one object file with few symbols, loaded without Numba.

    found = unit.load(key) or unit.build(key, {"push": (push, 2), "run": (run, 3)})
    push = fastcall.bind(found.address("push"), state)

A root with two words is an entry, `int64 entry(int64 argv, int64 argc)`; one with three is a
kernel, `int64 kernel(int64 args, int64 lo, int64 hi)`. All arguments and results are int64. What
the roots call is inlined or private. The code is never unmapped.
"""

import hashlib
import platform
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import Any

from nbgraph._version import __version__, sources
from nbgraph.codegen import cache, target
from nbgraph.codegen.making.events import compiling
from nbgraph.errors import CompileError
from nbgraph.settings import Settings

_NAMED = 3  # names that reports call a unit by


class Unit:
    """Compiled roots that stay in memory: `address(name)` of each of `names`."""

    __slots__ = ("_addresses", "bytes", "key", "names", "origin", "seconds")

    def __init__(self, key: str, entry: cache.Entry) -> None:
        self.key, self.names = key, entry.names
        self.origin, self.seconds, self.bytes = entry.origin, entry.seconds, len(entry.code)
        symbols = [target.PREFIX + name for name in entry.names]
        addresses = target.load_forever(entry.code, entry.symbols, symbols)
        self._addresses = {name: addresses[target.PREFIX + name] for name in entry.names}

    def address(self, name: str) -> int:
        """Return the address of a root."""
        return self._addresses[name]

    def __repr__(self) -> str:
        return f"Unit({', '.join(self.names)}; {self.bytes} bytes, {self.origin})"


def content_key(*parts: str) -> str:
    """Return the cache key of a unit compiled from `parts` (source texts, constants): it depends on
    the compilers, the machine and the primitives too."""
    system = f"{sys.platform} {platform.machine()} {Settings.from_environment().parking}"
    whole = ("unit", *parts, system, __version__, target.host(), sources("codegen/*", "native/*"))
    return hashlib.sha256("\0".join(whole).encode()).hexdigest()


def load(key: str) -> Unit | None:
    """Return the unit of a key from disk, or None, without importing Numba."""
    with compiling("unit", "numba") as note:
        entry = cache.load(key)
        if entry is None or not entry.names:
            return None
        unit = Unit(key, entry)
        note.name = _label(entry.names)
        note("disk", unit.bytes)
    return unit


def _label(names: Sequence[str]) -> str:
    """Return the name of a unit in reports."""
    return ", ".join([*names[:_NAMED], *(["..."] if len(names) > _NAMED else [])])


def build(key: str, roots: Mapping[str, tuple[Any, int]]) -> Unit:
    """Compile, store and load a unit. `roots`: by name, a function or a result of `transplant`, and
    its number of words (2 or 3). Raise CompileError if Numba refuses one."""
    for name, (_, arity) in roots.items():
        if arity not in (2, 3):
            raise CompileError(f"{name}: a root takes 2 or 3 words, not {arity}")
    with compiling(_label(tuple(roots)), "numba") as note:
        entry = _compiled(roots)
        cache.store(key, entry)
        unit = Unit(key, entry)
        note("compiled", unit.bytes)
    return unit


def _compiled(roots: Mapping[str, tuple[Any, int]]) -> cache.Entry:
    from nbgraph.codegen import lower  # imports Numba

    started = time.perf_counter()
    jitted = {
        target.PREFIX + name: (lower.jit(f) if isinstance(f, FunctionType) else f, arity)
        for name, (f, arity) in roots.items()
    }
    module = lower.link(jitted)
    with target.COMPILING:
        code = bytes(target.machine().emit_object(module))
    seconds = time.perf_counter() - started
    return cache.Entry(code, target.externals(module), seconds, "compiled", tuple(roots))


def transplant(
    functions: Mapping[str, Callable[..., Any]], names: Mapping[str, object]
) -> dict[str, Any]:
    """Return dispatchers of plain Python functions that use `names` as globals.

    `functions` are those of a program that also runs as plain Python, by the names under which
    they call each other; `names` replace the primitives that they import. Constants of a function's
    own module stay visible. Nothing is compiled yet, so the order does not matter. None may be a
    closure.
    """
    from nbgraph.codegen import lower  # imports Numba

    spaces: dict[int, dict[str, Any]] = {}  # one for each source module, shared by its functions
    copies: dict[str, Any] = {}
    for name, function in functions.items():
        own: dict[str, Any] = function.__globals__
        space = spaces.setdefault(id(own), dict(own))
        body = FunctionType(function.__code__, space, function.__name__, function.__defaults__)
        body.__qualname__, body.__module__ = function.__qualname__, function.__module__
        copies[name] = lower.jit(body)
    for space in spaces.values():
        space.update(names)
        space.update(copies)
    return copies


__all__ = ["Unit", "build", "content_key", "load", "transplant"]
