"""A cache of compiled graphs for functions that are composed of operators.

A quantile takes some thirty operators, each of which costs a push. The fourth call with the same
layouts and options is traced, and later calls push its graph. A function that looks at values
cannot be traced and is called as before.
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

_REPEATS = 4  # the call that is traced
_MOST = 256  # graphs in the cache
_BESIDE = 4  # concurrent runs of a graph for each thread; further ones wait up to _MOMENT
_MOMENT, _NAP = 500e-6, 20e-6  # seconds: what the operators cost if pushed one by one
_LARGEST = 1 << 16  # elements of all operands; beyond, pushes are cheap beside the kernels
_NEVER = -(1 << 62), None, False
Call = Callable[..., Any]
# function, layouts and options -> [number of calls, graph, whether its runs end within _MOMENT]
_kept: dict[Any, list[Any]] = {}


def repeated(call: Call, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Return the result of a composed function, which must return new arrays."""
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
        elif type(value) is list:  # of numbers: nested lists have no key
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
        except Exception:  # it looks at values, or they are wrong: then the call raises
            entry[:] = _NEVER
    return call(*args, **kwargs)


def _free(entry: list[Any], arrays: Sequence[Array]) -> bool:
    """Return whether the graph has an idle instance; wait up to _MOMENT for one.

    Pushing the operators one by one instead costs so much that the workers would never catch up.
    After a timeout the next call does not wait, as the run may depend on this thread.
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
    """Return the call as a function of its array arguments."""
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
