"""Whether two runs of a function gave the same: arrays, numbers, containers, any objects."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np

from nbgraph.engine.pending import Pending
from nbgraph.engine.variable import Variable

_DEEPEST = 50  # levels of nesting; below, and in circles, things count as equal
_SHOWN = 60  # characters of a value


def difference(wanted: Any, found: Any, where: str = "", depth: int = 0) -> str | None:
    """The first place where two values differ, or None. NaN equals NaN.

    >>> difference({"a": [1, float("nan")]}, {"a": [1, float("nan")]})
    >>> difference({"a": [1, 2]}, {"a": [1, 3]})
    "['a'][1]: 3 instead of 2"
    >>> difference(np.zeros(3), np.array([0.0, 0.0, 1.0]))
    '[2]: 1.0 instead of 0.0'
    """
    if wanted is found or depth > _DEEPEST:
        return None
    if isinstance(wanted, np.ndarray) or isinstance(found, np.ndarray):
        return _arrays(wanted, found, where, depth)
    if type(wanted) is not type(found):
        return None if _equal(wanted, found) else _told(wanted, found, where)
    if isinstance(wanted, Mapping):
        if list(wanted) != list(found) and set(wanted) != set(found):
            return _told(list(wanted), list(found), f"{where} keys")
        return _first(((k, wanted[k], found[k]) for k in wanted), where, depth)
    if isinstance(wanted, list | tuple):
        if len(wanted) != len(found):
            return _told(wanted, found, where)
        rows = ((i, a, b) for i, (a, b) in enumerate(zip(wanted, found, strict=True)))
        return _first(rows, where, depth)
    if isinstance(wanted, Variable):
        return None  # a token: every run makes its own
    if isinstance(wanted, Pending):
        return difference(_result(wanted), _result(found), f"{where} result", depth + 1)
    if isinstance(wanted, BaseException):
        return difference(wanted.args, found.args, f"{where} args", depth + 1)
    if type(wanted).__eq__ is object.__eq__ and not isinstance(wanted, AbstractSet):
        parts = getattr(wanted, "__dict__", {}), getattr(found, "__dict__", {})
        return difference(*parts, f"{where} attributes", depth + 1)
    return None if _equal(wanted, found) else _told(wanted, found, where)


def _first(rows: Any, where: str, depth: int) -> str | None:
    for key, a, b in rows:
        found = difference(a, b, f"{where}[{key!r}]", depth + 1)
        if found is not None:
            return found
    return None


def _arrays(wanted: Any, found: Any, where: str, depth: int) -> str | None:
    a, b = np.asarray(wanted), np.asarray(found)
    if a.shape != b.shape or a.dtype != b.dtype:
        return f"{where} {b.dtype}{list(b.shape)} instead of {a.dtype}{list(a.shape)}".strip()
    if a.dtype == object:
        return difference(a.tolist(), b.tolist(), where, depth + 1)
    same = (a == b) | ((a != a) & (b != b))
    if np.all(same):
        return None
    place = tuple(int(i) for i in np.argwhere(~np.atleast_1d(same))[0])[: a.ndim]
    label = f"[{', '.join(map(str, place))}]" if place else ""
    return _told(a[place].item(), b[place].item(), f"{where}{label}")


def _equal(a: Any, b: Any) -> bool:
    try:
        return bool(a == b) or bool(a != a and b != b)
    except Exception:  # no answer to whether they are equal is no difference found
        return True


def _result(pending: Pending) -> Any:
    return pending.value if pending.failure is None else pending.failure.error


def _told(wanted: Any, found: Any, where: str) -> str:
    text = f"{_short(found)} instead of {_short(wanted)}"
    return f"{where.strip()}: {text}" if where else text


def _short(value: Any) -> str:
    text = repr(value.item() if isinstance(value, np.generic) else value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."
