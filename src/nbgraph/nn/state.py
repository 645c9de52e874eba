"""Arrays that a module owns: those that are made late, and those that are written while it runs.

A graph writes nothing that lies outside it. So where a module's call is traced, statistics such as
moving averages are handed out under their names, and written when the graph has run.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

from nbgraph.array.core import Array
from nbgraph.array.create import array
from nbgraph.operator.call import recording
from nbgraph.settings import config

Initialiser = Callable[[tuple[int, ...], Any], Any]


class Deferred(NamedTuple):
    """A parameter whose extents are not all known: None stands for those."""

    shape: tuple[int | None, ...]
    init: Initialiser


@contextmanager
def outside() -> Generator[None]:
    """Within the block operators are carried out, whatever is recorded or traced around it."""
    token = recording.set(None)
    try:
        yield
    finally:
        recording.reset(token)


def made(shape: tuple[int, ...], init: Initialiser) -> Any:
    """An array of the default dtype, whoever traces."""
    dtype = config.default_float
    with outside():
        found = init(shape, dtype)
        return found if isinstance(found, Array) else array(found, dtype)


class _Collected:
    """New values of statistics, by their names in the module that is traced."""

    def __init__(self, statistics: Mapping[str, Any]) -> None:
        self._names = {id(value): name for name, value in statistics.items()}
        self.values: dict[str, Any] = {}

    def take(self, held: Any, value: Any) -> bool:
        """Whether the array is one of them."""
        name = self._names.get(id(held))
        if name is not None:
            self.values[name] = value
        return name is not None


_collected: ContextVar[_Collected | None] = ContextVar("collected", default=None)


@contextmanager
def collecting(statistics: Mapping[str, Any]) -> Generator[dict[str, Any]]:
    """Within the block, `write` keeps values for these arrays instead of writing them."""
    found = _Collected(statistics)
    token = _collected.set(found)
    try:
        yield found.values
    finally:
        _collected.reset(token)


def write(held: Any, value: Any) -> None:
    """Give a statistic a new value, now or when the graph that is being traced has run."""
    collected = _collected.get()
    if collected is not None and collected.take(held, value):
        return
    traced = recording.get()
    if traced is not None and traced.traces:
        held[...] = value  # which tells that a trace writes nothing outside
    with outside():
        held[...] = value.detach()
