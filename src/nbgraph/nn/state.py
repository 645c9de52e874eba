"""Arrays of modules: parameters that are created later, and statistics that calls write.

Graphs do not write outside arrays. In a traced call, new values of statistics such as moving
averages are therefore results by name, which are written after the graph has run.
"""

import inspect
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from typing import Any, NamedTuple

from nbgraph.array.chunk import CPU
from nbgraph.array.core import Array
from nbgraph.array.create import asarray, initial
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
    """A parameter whose shape is partly unknown; None means an unknown extent."""

    shape: tuple[int | None, ...]
    init: Initialiser
    device: Context = CPU
    dtype: Any = None  # the default one


_recorders = Scopes(recording)


def outside() -> Any:
    """Return a context in which operators run at once, without any recording or tracing."""
    return _recorders(None)


def initialised(
    shape: tuple[int, ...], init: Initialiser, device: Context = CPU, dtype: Any = None
) -> Any:
    """Return an initialised array, even in a trace, with equal values on all devices. `dtype`: by
    default `config.default_float`."""
    dtype = config.default_float if dtype is None else dtype
    with outside():
        return initial(f"a parameter of shape {shape}", shape, dtype, init, device)


def moved(value: Any, device: Context | None, dtype: Any, known: dict[int, Any]) -> Any:
    """Return an attribute of a module with arrays moved to a device and floats cast to a dtype
    (None: unchanged), or itself if nothing changes. `known`: ids of old arrays -> new arrays, so
    that shared ones stay shared."""
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
        """Store the new value if the array is one of the statistics; return whether it is."""
        name = self._names.get(id(state))
        if name is not None:
            self.values[name] = value
        return name is not None


_collected: ContextVar[_Collected | None] = ContextVar("collected", default=None)


_collecting = Scopes(_collected)


class collecting:
    """Collect the values that `write` gets for these arrays within the block, unwritten."""

    def __init__(self, statistics: Mapping[str, Any]) -> None:
        self._collected = _Collected(statistics)

    def __enter__(self) -> dict[str, Any]:
        _collecting.begin((self._collected,))
        return self._collected.values

    __exit__ = _collecting.end


def write(state: Any, value: Any) -> None:
    """Set a statistic now, or after the run of the graph that is being traced."""
    collected = _collected.get()
    if collected is not None and collected.take(state, value):
        return
    traced = recording.get()
    if traced is not None and traced.traces:
        state[...] = value  # raises in other traces
    with outside():
        state[...] = value.detach()


def mark(value: Any) -> None:
    """Call `attach_grad` for a parameter unless the user has done so."""
    array: Any = value
    if isinstance(value, Array) and value._node is None and is_float(value.dtype):
        array.attach_grad()


def fits(shape: tuple[int | None, ...], extents: tuple[int, ...]) -> bool:
    """Return whether `extents` match a shape in which None means an unknown extent."""
    return len(extents) == len(shape) and all(
        own in (None, extent) for own, extent in zip(shape, extents, strict=True)
    )


def restore(
    module: Any, arrays: dict[str, Any], state: Mapping[str, Any], strict: bool
) -> tuple[list[str], list[str]]:
    """Write a state into the arrays of a module; see `Module.load_state_dict`."""
    name_of_module = type(module).__name__
    missing, unknown = sorted(arrays.keys() - state), sorted(state.keys() - arrays)
    if strict and (missing or unknown):
        raise ArgumentError(
            f"{name_of_module}.load: the state lacks {missing or 'nothing'} and has "
            f"{unknown or 'nothing'} besides; load it into a module of the same parts, or give "
            "strict=False to take what fits"
        )
    arrays = {name: array for name, array in arrays.items() if name in state}
    for name, array in arrays.items():
        if not fits(array.shape, state[name].shape):
            raise ShapeError(
                f"{name_of_module}.load: {name!r} has shape {state[name].shape} in the "
                f"state, {array.shape} here; load it into a module of the same sizes"
            )
    for name, array in arrays.items():
        if isinstance(array, Deferred):
            path, _, last = name.rpartition(".")
            owner, shape = module.modules()[path], state[name].shape
            setattr(owner, last, initialised(shape, array.init, array.device, array.dtype))
            array = getattr(owner, last)
        with outside():
            array[...] = asarray(state[name], device=array.device)
    return missing, unknown


def require_arrays(module: Any, inputs: tuple[Any, ...]) -> None:
    """Raise for an input of one of our layers that is not an array or is 0-d."""
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
