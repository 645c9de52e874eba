"""Differences between the results of two runs, and objects that two functions share and change.

Values are arrays, numbers, containers, any objects. Two functions that race share an object which
one of them changes.
"""

import functools
from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from copy import deepcopy
from dataclasses import dataclass
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from nbgraph.engine.pending import Pending
from nbgraph.engine.running import OnComplete
from nbgraph.engine.variable import Variable

_DEEPEST = 50  # levels of nesting; deeper values, and reference cycles, count as equal
_SHOWN = 60  # characters of a value
_CONSTANT = (
    *(int, float, complex, str, bytes, bool, type(None), type, tuple, frozenset, range, np.generic),
    *(FunctionType, BuiltinFunctionType, MethodType, ModuleType, Variable, Pending, OnComplete),
)


def difference(wanted: Any, value: Any, where: str = "", depth: int = 0) -> str | None:
    """Return the first place where two values differ, or None. NaN equals NaN.

    >>> difference({"a": [1, float("nan")]}, {"a": [1, float("nan")]})
    >>> difference({"a": [1, 2]}, {"a": [1, 3]})
    "['a'][1]: 3 instead of 2"
    >>> difference(np.zeros(3), np.array([0.0, 0.0, 1.0]))
    '[2]: 1.0 instead of 0.0'
    """
    if wanted is value or depth > _DEEPEST:
        return None
    if isinstance(wanted, np.ndarray) or isinstance(value, np.ndarray):
        return _arrays(wanted, value, where, depth)
    if type(wanted) is not type(value):
        return None if _equal(wanted, value) else _unlike(wanted, value, where)
    if isinstance(wanted, Mapping):
        if list(wanted) != list(value) and set(wanted) != set(value):
            return _unlike(list(wanted), list(value), f"{where} keys")
        return _first(((k, wanted[k], value[k]) for k in wanted), where, depth)
    if isinstance(wanted, list | tuple):
        if len(wanted) != len(value):
            return _unlike(wanted, value, where)
        rows = ((i, a, b) for i, (a, b) in enumerate(zip(wanted, value, strict=True)))
        return _first(rows, where, depth)
    if isinstance(wanted, Variable):
        return None  # a token: every run creates its own
    if isinstance(wanted, Pending):
        return difference(_result(wanted), _result(value), f"{where} result", depth + 1)
    if isinstance(wanted, BaseException):
        return difference(wanted.args, value.args, f"{where} args", depth + 1)
    if type(wanted).__eq__ is object.__eq__ and not isinstance(wanted, AbstractSet):
        parts = getattr(wanted, "__dict__", {}), getattr(value, "__dict__", {})
        return difference(*parts, f"{where} attributes", depth + 1)
    return None if _equal(wanted, value) else _unlike(wanted, value, where)


def _first(rows: Any, where: str, depth: int) -> str | None:
    for key, a, b in rows:
        text = difference(a, b, f"{where}[{key!r}]", depth + 1)
        if text is not None:
            return text
    return None


def _arrays(wanted: Any, value: Any, where: str, depth: int) -> str | None:
    a, b = np.asarray(wanted), np.asarray(value)
    if a.shape != b.shape or a.dtype != b.dtype:
        return f"{where} {b.dtype}{list(b.shape)} instead of {a.dtype}{list(a.shape)}".strip()
    if a.dtype == object:
        return difference(a.tolist(), b.tolist(), where, depth + 1)
    same = (a == b) | ((a != a) & (b != b))
    if np.all(same):
        return None
    place = tuple(int(i) for i in np.argwhere(~np.atleast_1d(same))[0])[: a.ndim]
    label = f"[{', '.join(map(str, place))}]" if place else ""
    return _unlike(a[place].item(), b[place].item(), f"{where}{label}")


def _equal(a: Any, b: Any) -> bool:
    try:
        return bool(a == b) or bool(a != a and b != b)
    except Exception:  # a failing comparison does not prove a difference
        return True


def _result(pending: Pending) -> Any:
    return pending.value if pending.failure is None else pending.failure.error


def _unlike(wanted: Any, value: Any, where: str) -> str:
    text = f"{_short(value)} instead of {_short(wanted)}"
    return f"{where.strip()}: {text}" if where else text


def _short(value: Any) -> str:
    text = repr(value.item() if isinstance(value, np.generic) else value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


@dataclass(frozen=True, slots=True)
class Shared:
    """An object that both functions can reach, and which of the two changed it."""

    name: str
    kind: str
    by_first: bool
    by_second: bool

    def described(self, first: str, second: str) -> str:
        """Return a sentence that names the two functions."""
        if self.by_first and self.by_second:
            how = f"changed by {first!r} and by {second!r}"
        elif self.by_first or self.by_second:
            names = (first, second) if self.by_first else (second, first)
            how = "changed by {!r}, used by {!r}".format(*names)
        else:
            how = "changed by neither where it was looked at"
        return f"{self.name} ({self.kind}): {how}"


class Watched:
    """A function that records which of the objects it can reach change while it runs."""

    def __init__(self, fn: Callable[..., Any]) -> None:
        self.objects = {id(thing): (name, thing) for name, thing in reachable(fn)}
        self.changed: set[int] = set()
        self._fn = fn

    def __call__(self, *args: Any) -> Any:
        """Call the function, and compare its objects before and after."""
        before = {number: copied(thing) for number, (_, thing) in self.objects.items()}
        try:
            return self._fn(*args)
        finally:
            for number, (_, thing) in self.objects.items():
                if difference(before[number], thing) is not None:
                    self.changed.add(number)


def shared(first: Watched, second: Watched) -> tuple[Shared, ...]:
    """Return the objects that both functions can reach: the changed ones, or if none did, all."""
    values = [
        Shared(name, type(thing).__name__, number in first.changed, number in second.changed)
        for number, (name, thing) in first.objects.items()
        if number in second.objects
    ]
    changed = [each for each in values if each.by_first or each.by_second]
    return tuple(changed or values)


def reachable(fn: Any) -> Iterator[tuple[str, Any]]:
    """Yield names and objects that a function can reach by a name in it, if they are mutable.

    >>> cells, count = [0], 3
    >>> def fn(run_ctx, log={}):
    ...     cells[0] += count
    >>> [name for name, thing in reachable(fn)]
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


def copied(thing: Any) -> Any:
    """Return a deep copy, or `thing` itself if it cannot be copied: it counts as unchanged."""
    try:
        return deepcopy(thing)
    except Exception:
        return thing
