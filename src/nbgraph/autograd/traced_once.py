"""A function by `ng.jit` where it can be traced, and as it is written where it cannot."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

from nbgraph.autograd.jit import Jit, jit
from nbgraph.errors import NbgraphError
from nbgraph.signatures import Function

_ATTRIBUTE = "__nbgraph_traced__"


class TracedOnce:
    """A function that is traced at its first call; a branch on a value has it run as it is."""

    def __init__(self, f: Function) -> None:
        self._plain, self._run, self._settled = f, jit(f), False

    def __call__(self, *args: Any) -> Any:
        """Return the function's result."""
        if self._settled:
            return self._run(*args)
        try:
            result = self._run(*args)
        except NbgraphError:
            result = self._plain(*args)  # if the function itself is wrong, it says so again
            self._run = self._plain
        self._settled = True
        return result


class _Traces:
    """The traced forms of one function, by key; in its `__dict__`, so that they end with it."""

    __slots__ = ("by_key", "function")

    def __init__(self, function: Function | None = None) -> None:
        self.function = function
        self.by_key: dict[Any, TracedOnce] = {}

    def __reduce__(self) -> Any:
        return _Traces, ()


def traced_once(f: Function, key: Any, change: Callable[[Function], Function]) -> TracedOnce:
    """Return `change(f)`, traced at its first call, and reused for the same function and key.

    What cannot keep it (methods, builtins, objects with `__call__`) has it made anew.
    """
    if not isinstance(f, (FunctionType, Jit)):
        return TracedOnce(change(f))
    traces = vars(f).get(_ATTRIBUTE)
    if traces is None or traces.function is not f:  # functools.wraps copies a function's attributes
        traces = _Traces(f)
        setattr(f, _ATTRIBUTE, traces)
    once = traces.by_key.get(key)
    if once is None:
        once = traces.by_key[key] = TracedOnce(change(f))
    return once
