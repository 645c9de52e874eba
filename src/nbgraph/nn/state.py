"""Arrays that a module owns: those that are made late, and those that are written while it runs.

A graph writes nothing that lies outside it. So where a module's call is traced, statistics such as
moving averages are handed out under their names, and written when the graph has run.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from typing import Any, NamedTuple

from nbgraph.array.chunk import CPU
from nbgraph.array.core import Array
from nbgraph.array.create import initial
from nbgraph.autograd.tape import Leaf
from nbgraph.device import Context
from nbgraph.dtype import is_float
from nbgraph.errors import ArgumentError, ShapeError, noun
from nbgraph.operator.call import recording
from nbgraph.scopes import Scopes
from nbgraph.settings import config
from nbgraph.signatures import accepts

Initialiser = Callable[[tuple[int, ...], Any], Any]


class Deferred(NamedTuple):
    """A parameter whose extents are not all known: None stands for those."""

    shape: tuple[int | None, ...]
    init: Initialiser
    device: Context = CPU
    dtype: Any = None  # the default one


_recorders = Scopes(recording)


def outside() -> Any:
    """Return a block that carries out operators, whatever is recorded or traced around it."""
    return _recorders(None)


def initialised(
    shape: tuple[int, ...], init: Initialiser, device: Context = CPU, dtype: Any = None
) -> Any:
    """Return an array, even in a trace; equal on all devices. `dtype`: by default that of
    settings."""
    dtype = config.default_float if dtype is None else dtype
    with outside():
        return initial(f"a parameter of shape {shape}", shape, dtype, init, device)


def moved(value: Any, device: Context | None, dtype: Any, known: dict[int, Any]) -> Any:
    """Return a module's attribute with its arrays on a device, and its floats in a dtype (None: as
    they are); itself where nothing changes. `known`: new arrays by the id of the old, so that one
    that is shared stays one."""
    if isinstance(value, Deferred):
        changed = value if device in (None, value.device) else value._replace(device=device)
        return changed if dtype is None else changed._replace(dtype=dtype)
    if isinstance(value, Array):
        if id(value) not in known:
            with outside():
                known[id(value)] = _copied(value, device, dtype)
        return known[id(value)]
    if isinstance(value, dict):
        entries = {key: moved(item, device, dtype, known) for key, item in value.items()}
        return entries if any(entries[key] is not value[key] for key in entries) else value
    if type(value) in (list, tuple):
        items = [moved(item, device, dtype, known) for item in value]
        same = all(a is b for a, b in zip(items, value, strict=True))
        return value if same else type(value)(items)
    return value


def _copied(value: Any, device: Context | None, dtype: Any) -> Any:
    copy = value if device is None else value.to_device(device)
    if dtype is not None and is_float(value.dtype):
        copy = copy.astype(dtype, copy=False)
    if copy is not value and isinstance(value._node, Leaf):
        copy.attach_grad(value._node.request)
    return copy


class _Collected:
    """New values of statistics, by their names in the module that is traced."""

    def __init__(self, statistics: Mapping[str, Any]) -> None:
        self._names = {id(value): name for name, value in statistics.items()}
        self.values: dict[str, Any] = {}

    def take(self, state: Any, value: Any) -> bool:
        """Return whether an array is one of the statistics, after noting its new value."""
        name = self._names.get(id(state))
        if name is not None:
            self.values[name] = value
        return name is not None


_collected: ContextVar[_Collected | None] = ContextVar("collected", default=None)


_collecting = Scopes(_collected)


class collecting:
    """Collect, within the block, values that `write` has for these arrays instead of writing
    them."""

    def __init__(self, statistics: Mapping[str, Any]) -> None:
        self._collected = _Collected(statistics)

    def __enter__(self) -> dict[str, Any]:
        _collecting.begin((self._collected,))
        return self._collected.values

    __exit__ = _collecting.end


def write(state: Any, value: Any) -> None:
    """Give a statistic a new value, now or when the graph that is being traced has run."""
    collected = _collected.get()
    if collected is not None and collected.take(state, value):
        return
    traced = recording.get()
    if traced is not None and traced.traces:
        state[...] = value  # which tells that a trace writes nothing outside
    with outside():
        state[...] = value.detach()


def mark(value: Any) -> None:
    """Let a parameter collect gradients, unless it was marked otherwise."""
    array: Any = value
    if isinstance(value, Array) and value._node is None and is_float(value.dtype):
        array.attach_grad()


def fits(shape: tuple[int | None, ...], extents: tuple[int, ...]) -> bool:
    """Return whether an array of a shape fits one of which None stands for unknown extents."""
    return len(extents) == len(shape) and all(
        own in (None, extent) for own, extent in zip(shape, extents, strict=True)
    )


def require_arrays(module: Any, inputs: tuple[Any, ...]) -> None:
    """Raise an error for an input of one of our layers that is not an array, or has no axis."""
    name = type(module).__name__
    if not type(module).__module__.startswith("nbgraph."):
        return
    if not accepts(module.forward, len(inputs)):
        names = ", ".join(inspect.signature(module.forward).parameters)
        raise ArgumentError(
            f"{name}: {len(inputs)} inputs were given; expected ({names}). Of the arrays that fit "
            "and evaluate get, the last one is the target"
        ) from None
    for i, x in enumerate(inputs):
        if not hasattr(x, "shape"):
            raise ArgumentError(f"{name}: input {i} is {noun(x)}; expected an array") from None
        if x.shape is None:
            raise ShapeError(
                f"{name}: the shape of input {i} is not known, and weights follow from it; give "
                "it, as in ng.var(name, shape=(8, 3))"
            ) from None
        if x.shape == ():
            raise ShapeError(
                f"{name}: input {i} has shape (); expected an array with axes, (samples, ...)"
            ) from None
