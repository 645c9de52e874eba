"""What is tried before memory runs out, and what is said when it has."""

from __future__ import annotations

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


def _entered(hooks: list[_H], hook: _H) -> Callable[[], None]:
    hooks.append(hook)
    return lambda: hooks.remove(hook)


def on_shortage(hook: Drain) -> Callable[[], None]:
    """Have `hook()` called before memory runs out; the result undoes it.

    It is to bring about that memory comes free: to wait for pending work, to drop what can be made
    again. No lock is held meanwhile. A hook that cannot wait where it is called returns at once;
    what it raises leaves through the call that asked for memory.

    >>> undo = on_shortage(lambda: print("short of memory"))
    >>> undo()
    """
    return _entered(_drains, hook)


def on_report(hook: Report) -> Callable[[], None]:
    """Have the lines of `hook(device)` added to reports of who holds memory; the result undoes it.

    >>> undo = on_report(lambda device: ["weights: 3 arrays"])
    >>> undo()
    """
    return _entered(_reports, hook)


def on_free(hook: Free) -> Callable[[], None]:
    """Have `hook(device)` release what is free, which costs no wait: before and after the rest.

    >>> undo = on_free(lambda device: None)
    >>> undo()
    """
    return _entered(_frees, hook)


def _free(device: Context) -> None:
    for hook in tuple(_frees):
        hook(device)


def _drain(device: Context) -> None:
    for hook in tuple(_drains):
        hook()
    _free(device)


# from the cheapest to the dearest
REMEDIES: tuple[Free, ...] = (_free, _drain)


def lines(device: Context) -> list[str]:
    """What the reports say of a device; one that fails is named instead of hiding the shortage."""
    said: list[str] = []
    for report in tuple(_reports):
        try:
            said += report(device)
        except Exception as error:
            said.append(f"(no report by {report!r}: {error!r})")
    return said
