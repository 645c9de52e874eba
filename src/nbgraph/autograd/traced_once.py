"""Functions that run by `ng.jit` where they can be traced, and as written where they cannot."""

from collections.abc import Callable
from types import FunctionType
from typing import Any

from nbgraph.autograd.jit import Jit, jit
from nbgraph.errors import NbgraphError
from nbgraph.signatures import Function

_ATTRIBUTE = "__nbgraph_traced__"


class TracedOnce:
    """A function that is traced at its first call, or runs as written if tracing fails."""

    def __init__(self, f: Function) -> None:
        self._plain, self._run, self._settled = f, jit(f), False

    def __call__(self, *args: Any) -> Any:
        """Return the function's result."""
        if self._settled:
            return self._run(*args)
        try:
            result = self._run(*args)
        except NbgraphError:
            result = self._plain(*args)  # raises again if the error is the function's own
            self._run = self._plain
        self._settled = True
        return result


class _Traces:
    """The traced forms of one function, by key, in its `__dict__`: they live as long as it does."""

    __slots__ = ("by_key", "function")

    def __init__(self, function: Function | None = None) -> None:
        self.function = function
        self.by_key: dict[Any, TracedOnce] = {}

    def __reduce__(self) -> Any:
        return _Traces, ()


def traced_once(f: Function, key: Any, change: Callable[[Function], Function]) -> TracedOnce:
    """Return `change(f)`, traced at its first call, and reused for the same function and key.

    Methods, builtins and objects with `__call__` get a new one each time.
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
