"""Hooks that free memory before it runs out, and that report its holders."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from nbgraph.device import Context

Drain = Callable[[], object]
Free = Callable[[Context], object]
Report = Callable[[Context], Iterable[str]]
_H = TypeVar("_H")

_frees: list[Free] = []
_drains: list[Drain] = []
_reports: list[Report] = []


def _register(hooks: list[_H], hook: _H) -> Callable[[], None]:
    hooks.append(hook)
    return lambda: hooks.remove(hook)


def on_shortage(hook: Drain) -> Callable[[], None]:
    """Call `hook()` from now on before memory runs out; return a function that undoes it.

    The hook should free memory: wait for pending work, or drop objects that can be recreated. No
    lock is held meanwhile. A hook that cannot wait where it is called should return at once; its
    exceptions propagate to the caller that allocates memory.

    >>> undo = on_shortage(lambda: print("short of memory"))
    >>> undo()
    """
    return _register(_drains, hook)


def on_report(hook: Report) -> Callable[[], None]:
    """Add the lines of `hook(device)` to reports of holders of memory; return an undo function.

    >>> undo = on_report(lambda device: ["weights: 3 arrays"])
    >>> undo()
    """
    return _register(_reports, hook)


def on_free(hook: Free) -> Callable[[], None]:
    """Call `hook(device)` before and after those of `on_shortage`, to free memory without a wait.

    >>> undo = on_free(lambda device: None)
    >>> undo()
    """
    return _register(_frees, hook)


def _free(device: Context) -> None:
    for hook in tuple(_frees):
        hook(device)


def _drain(device: Context) -> None:
    for hook in tuple(_drains):
        hook()
    _free(device)


# from the cheapest to the most expensive
REMEDIES: tuple[Free, ...] = (_free, _drain)


def lines(device: Context) -> list[str]:
    """Return the lines of all reports on a device; a report that fails becomes a line itself."""
    said: list[str] = []
    for report in tuple(_reports):
        try:
            said += report(device)
        except Exception as error:
            said.append(f"(no report by {report!r}: {error!r})")
    return said
