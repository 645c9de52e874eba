"""Which objects two functions have in common, and which of the two changes them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from nbgraph.engine.compare import difference
from nbgraph.engine.pending import OnComplete, Pending
from nbgraph.engine.variable import Variable

_CONSTANT = (
    *(int, float, complex, str, bytes, bool, type(None), type, tuple, frozenset, range, np.generic),
    *(FunctionType, BuiltinFunctionType, MethodType, ModuleType, Variable, Pending, OnComplete),
)


@dataclass(frozen=True, slots=True)
class Shared:
    """An object that both functions hold, and who of the two changed it."""

    name: str
    kind: str
    by_first: bool
    by_second: bool

    def told(self, first: str, second: str) -> str:
        """In words."""
        if self.by_first and self.by_second:
            how = f"changed by {first!r} and by {second!r}"
        elif self.by_first or self.by_second:
            names = (first, second) if self.by_first else (second, first)
            how = "changed by {!r}, used by {!r}".format(*names)
        else:
            how = "changed by neither where it was looked at"
        return f"{self.name} ({self.kind}): {how}"


class Watched:
    """A function that notes which of the objects it holds change while it runs."""

    def __init__(self, fn: Callable[..., Any]) -> None:
        self.objects = {id(thing): (name, thing) for name, thing in held(fn)}
        self.changed: set[int] = set()
        self._fn = fn

    def __call__(self, *args: Any) -> Any:
        """Run it, comparing its objects before and after."""
        before = {number: _copy(thing) for number, (_, thing) in self.objects.items()}
        try:
            return self._fn(*args)
        finally:
            for number, (_, thing) in self.objects.items():
                if difference(before[number], thing) is not None:
                    self.changed.add(number)


def shared(first: Watched, second: Watched) -> tuple[Shared, ...]:
    """What both hold; what changed, if anything did."""
    found = [
        Shared(name, type(thing).__name__, number in first.changed, number in second.changed)
        for number, (name, thing) in first.objects.items()
        if number in second.objects
    ]
    changed = [each for each in found if each.by_first or each.by_second]
    return tuple(changed or found)


def held(fn: Any) -> Iterator[tuple[str, Any]]:
    """Objects a function can reach by a name of its own, if they may change.

    >>> cells, count = [0], 3
    >>> def fn(run_ctx, log={}):
    ...     cells[0] += count
    >>> [name for name, thing in held(fn)]
    ['log', 'cells']
    """
    for name, thing in _named(fn):
        if not isinstance(thing, _CONSTANT):
            yield name, thing


def _named(fn: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(fn, functools.partial):
        yield from _named(fn.func)
        yield from ((f"argument {i}", thing) for i, thing in enumerate(fn.args))
        yield from fn.keywords.items()
        return
    if isinstance(fn, MethodType):
        yield "self", fn.__self__
        fn = fn.__func__
    if not isinstance(fn, FunctionType):
        return
    code = fn.__code__
    names = code.co_varnames[: code.co_argcount]
    defaults = fn.__defaults__ or ()
    yield from zip(names[len(names) - len(defaults) :], defaults, strict=True)
    yield from (fn.__kwdefaults__ or {}).items()
    for name, cell in zip(code.co_freevars, fn.__closure__ or (), strict=True):
        try:
            yield name, cell.cell_contents
        except ValueError:  # not bound yet
            continue
    for name in code.co_names:
        if name in fn.__globals__:
            yield name, fn.__globals__[name]


def _copy(thing: Any) -> Any:
    try:
        return deepcopy(thing)
    except Exception:  # what cannot be copied counts as unchanged
        return thing
