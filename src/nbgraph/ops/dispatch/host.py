"""NumPy on the values of carriers: waits for them, and returns arrays of the carrier."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from nbgraph.errors import ArgumentError, noun
from nbgraph.operator.call import carrier_of, recording
from nbgraph.signatures import Function


def replaced(value: Any, change: Callable[[Any], Any]) -> Any:
    """Return arguments with every carrier replaced, within lists, tuples and dicts.

    >>> replaced([1, (2, {"k": 3})], str)
    [1, (2, {'k': 3})]
    """
    if isinstance(value, (list, tuple)):
        items = [replaced(v, change) for v in value]
        fields = hasattr(value, "_fields")
        return type(value)(*items) if fields else type(value)(items)
    if isinstance(value, dict):
        return {k: replaced(v, change) for k, v in value.items()}
    return value if carrier_of((value,)) is None else change(value)


def carriers_in(value: Any) -> list[Any]:
    """Return the carriers among arguments."""
    carriers: list[Any] = []
    replaced(value, lambda x: (carriers.append(x), x)[1])
    return carriers


def on_host(
    func: Function, args: Sequence[Any], kwargs: Mapping[str, Any], gradient: str = "constant"
) -> Any:
    """Return the results of NumPy's function, with arrays of the carrier in place of NumPy's.

    Raises ArgumentError if a class has no values, or a "refused" gradient would be recorded.
    """
    out: Any = kwargs.get("out")
    if carrier_of((out,)) is not None:
        out[...] = on_host(func, args, {k: v for k, v in kwargs.items() if k != "out"}, gradient)
        return out
    everything = (list(args), dict(kwargs))
    inputs = carriers_in(everything)
    name = f"np.{func.__name__}"
    if gradient == "refused":
        refuse_gradient(name, inputs)
    carrier = carrier_of(inputs)
    hook = getattr(carrier, "__nbgraph_dynamic__", None)
    if hook is None:
        raise ArgumentError(
            f"{name}: {noun(inputs[0])} has no values, and NumPy computes this on the "
            "host; use functions of ng, or compute it outside of the graph"
        )
    shape: list[Any] = []

    def compute(*values: Any) -> Any:
        arrays_left = iter(values)
        plain, named = replaced(everything, lambda _: next(arrays_left))
        results: list[Any] = []
        shape.append(_with_places(func(*plain, **named), results))
        return tuple(results)

    arrays = hook(name, compute, inputs, {})
    results = iter(arrays)
    return _with_arrays(shape[0], results)


def refuse_gradient(name: str, inputs: Sequence[Any]) -> None:
    """Raise ArgumentError where a gradient would be recorded through an operand."""
    recorder = recording.get()
    if recorder is not None and recorder.records:
        if any(getattr(x, "_node", None) is not None for x in inputs):
            raise ArgumentError(
                f"{name}: NumPy computes this on the host, and no gradient flows through it; give "
                "x.detach(), compute it within ng.autograd.pause(), or use functions of ng"
            )


class _Place:
    """A placeholder for an array in a result."""


def _with_places(result: Any, arrays: list[Any]) -> Any:
    """Return a result with placeholders for its arrays, which are appended to `arrays`."""
    if isinstance(result, (np.ndarray, np.generic)):
        arrays.append(np.asarray(result))
        return _Place
    if isinstance(result, (list, tuple)):
        items = [_with_places(v, arrays) for v in result]
        return type(result)(*items) if hasattr(result, "_fields") else type(result)(items)
    return result


def _with_arrays(result: Any, arrays: Any) -> Any:
    """Return a result with its placeholders replaced by arrays."""
    if result is _Place:
        return next(arrays)
    if isinstance(result, (list, tuple)):
        items = [_with_arrays(v, arrays) for v in result]
        return type(result)(*items) if hasattr(result, "_fields") else type(result)(items)
    return result


def on_values(func: Function, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Return the result of NumPy's function for the carriers' values; waits for them."""
    plain, named = replaced((list(args), dict(kwargs)), _values)
    return func(*plain, **named)


def _values(x: Any) -> Any:
    """Return the values, also those on a device, which the caller requested as by printing."""
    return x.asnumpy() if hasattr(x, "asnumpy") and not x.device.host else np.asarray(x)


def on_layouts(func: Function, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Return the result of NumPy's function for arrays of the carriers' shapes and dtypes."""
    plain, named = replaced((list(args), dict(kwargs)), _stand_in)
    return func(*plain, **named)


def _stand_in(x: Any) -> Any:
    """Return an array of the same shape and dtype over one element of memory."""
    return np.broadcast_to(np.zeros((), x.dtype), x.shape)
