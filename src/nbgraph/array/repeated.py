"""Compositions of operators that come again for arrays of the same layouts, kept as graphs.

A quantile is some thirty operators, each of which costs a push. The fourth call with the same
layouts and options is traced, and later ones push its graph. One that cannot be traced, as it looks
at values, stays as it is.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from time import perf_counter, sleep
from typing import Any

from nbgraph.array.core import Array
from nbgraph.engine.thread import here
from nbgraph.kernels.function.signature import static_key
from nbgraph.operator.call import recording, sources
from nbgraph.operator.layout import keep

_REPEATS = 4  # calls before one is traced
_MOST = 256  # graphs that are kept
_BESIDE = 4  # runs of one on a thread beside each other; further ones wait for one, for a moment
_MOMENT, _NAP = 500e-6, 20e-6  # seconds: what its operators cost if pushed one by one
_LARGEST = 1 << 16  # elements: of more, a push is nothing, and a graph's memory much
_NEVER = -(1 << 62), None, False
Call = Callable[..., Any]
# by function, layouts and options: calls so far, the graph, whether its runs end in a moment
_kept: dict[Any, list[Any]] = {}


def repeated(call: Call, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Return what a composition gives, which gives new arrays and looks at no values."""
    arrays: list[Array] = []
    key: list[Any] = [call]
    size, plain = 0, recording.get() is None and sources.get() is None and here.running is None
    for name, value in (*enumerate(args), *kwargs.items()):
        if isinstance(value, Array):
            arrays.append(value)
            key.append((name, value._layout))
            size += value._layout.size
            plain = plain and value._chunk.device.host
        elif isinstance(value, tuple) and any(isinstance(v, Array) for v in value):
            return call(*args, **kwargs)
        elif type(value) is list:  # of numbers: nested lists are no keys
            key.append((name, list, *map(static_key, value)))
        else:
            key.append((name, static_key(value)))
    if not plain or size > _LARGEST or kwargs.get("out") is not None:
        return call(*args, **kwargs)
    try:
        entry = _kept.get(tuple(key)) or keep(_kept, tuple(key), [0, None, True], _MOST)
    except TypeError:  # an option that cannot be hashed
        return call(*args, **kwargs)
    entry[0] += 1
    if entry[1] is None and entry[0] >= _REPEATS:
        jit = importlib.import_module("nbgraph.autograd.jit").jit
        entry[1] = jit(_of_arrays(call, args, kwargs))
    if entry[1] is not None and _free(entry, arrays):
        try:
            return entry[1](*arrays)
        except Exception:  # it looks at values, or they are wrong: the call itself says it
            entry[:] = _NEVER
    return call(*args, **kwargs)


def _free(entry: list[Any], arrays: Sequence[Array]) -> bool:
    """Return whether a run would come after none before it; wait for one for a moment.

    Calls that are pushed one by one instead cost so much that the workers would never catch up.
    A run that waits for something else, which may be this thread, keeps the next call from it.
    """
    deadline = perf_counter() + _MOMENT * entry[2]
    while not entry[1].prepare(arrays, _BESIDE):
        if perf_counter() >= deadline:
            entry[2] = False
            return False
        sleep(_NAP)
    entry[2] = True
    return True


def _of_arrays(call: Call, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Call:
    """Return a call as a function of its arrays alone."""
    operands = [[*v] if type(v) is list else v for v in (*args, *kwargs.values())]
    values = [None if isinstance(v, Array) else v for v in operands]
    places = [k for k, v in enumerate(operands) if isinstance(v, Array)]
    names, count = [*kwargs], len(args)

    def composition(*arrays: Any) -> Any:
        own = list(values)
        for place, array in zip(places, arrays, strict=True):
            own[place] = array
        return call(*own[:count], **dict(zip(names, own[count:], strict=True)))

    return composition
