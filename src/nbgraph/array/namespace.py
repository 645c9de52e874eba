"""`ng.nd`: the library, and what users register, for arguments that become NDArrays."""

from __future__ import annotations

import inspect
import operator
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

import numpy as np

from nbgraph.array.core import Array, lift
from nbgraph.array.create import array
from nbgraph.device import Context
from nbgraph.errors import ShapeError
from nbgraph.operator.layout import keep
from nbgraph.operator.namespace import Call, Namespace, operand_names, signature_of
from nbgraph.ops.define import library
from nbgraph.ops.named.keywords import by_names, in_words

_NUMBERS = {bool, int, float, str, type(None), type}
_PASSED = Array, Context, np.dtype
_MOST = 256  # kinds of calls of an operator
# by operator: kinds of calls whose arguments are passed on, with the places that these have among
# those of the call, positional ones and by name
_Order = tuple[list[int], dict[str, int]]
_PASSED_ON: WeakKeyDictionary[Any, dict[Any, _Order]] = WeakKeyDictionary()


def lifted(op: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
    """Return a call, also one in MXNet's words, with its operands as NDArrays.

    Operands are what the operator calls so; NumPy arrays are lifted wherever they stand, also in
    a list of arrays.
    """
    kinds = _kinds(op, args, kwargs)
    order = None if kinds is None else _PASSED_ON.get(op, {}).get(kinds)
    if order is not None:
        values = (*args, *kwargs.values())
        named = {name: values[k] for name, k in order[1].items()}
        return op, tuple([values[k] for k in order[0]]), named
    call, (op, args, kwargs) = (op, args, kwargs), in_words(op, args, kwargs)
    name, signature = op.__name__, signature_of(op)
    lacks_out = inspect.isfunction(op) and "out" not in signature.parameters
    if lacks_out and kwargs.get("out") is not None:
        return _written, (op, *args), kwargs
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError:
        return op, args, kwargs  # the operator itself says what is wrong
    operands = operand_names(op)
    arguments, optional = bound.arguments, {n: p.default for n, p in signature.parameters.items()}
    names = [
        n for n, v in arguments.items() if n in operands and not (v is None and optional[n] is None)
    ]
    for n, value in zip(names, lift(name, names, [arguments[n] for n in names]), strict=True):
        arguments[n] = value
    for n, value in arguments.items():
        if n not in operands:
            arguments[n] = _several(name, n, value)
    if kinds is not None and op is call[0] and (order := _order(signature, call, bound)):
        keep(_PASSED_ON.setdefault(op, {}), kinds, order, _MOST)
    return op, bound.args, bound.kwargs


def _order(
    signature: inspect.Signature, call: Call, bound: inspect.BoundArguments
) -> _Order | None:
    """Return which of the arguments of a call are which of the bound ones, or None where some were
    changed; names alone say it."""
    op, args, kwargs = call
    values = (*args, *kwargs.values())
    slots = [object() for _ in values]
    named = dict(zip(kwargs, slots[len(args) :], strict=True))
    try:
        placed = in_words(op, tuple(slots[: len(args)]), named)
        own = signature.bind(*placed[1], **placed[2])
        order = (
            [slots.index(v) for v in own.args],
            {n: slots.index(v) for n, v in own.kwargs.items()},
        )
    except Exception:  # values decide after all
        return None
    passed = [values[k] for k in (*order[0], *order[1].values())]
    same = all(map(operator.is_, passed, (*bound.args, *bound.kwargs.values())))
    return order if same and len(passed) == len(values) else None


def _kinds(op: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return what calls have in common that are lifted alike, or None where values decide."""
    if not by_names(op):
        return None
    kinds: list[Any] = [len(args)]
    for value in (*args, *kwargs.values()):
        kind = type(value)
        if kind is tuple and all(type(size) is int for size in value):
            kinds.append((tuple, bool(value)))  # MXNet's `axis=()` is all axes
            continue
        if not (kind in _NUMBERS or issubclass(kind, _PASSED)):
            return None
        kinds.append(kind)
    kinds += kwargs
    return tuple(kinds)


def _written(op: Any, *args: Any, out: Any, **kwargs: Any) -> Any:
    """Write what an operator returns to `out`, whose shape and dtype draws without a size have."""
    parameters = signature_of(op).parameters
    if "size" in parameters and len(args) <= [*parameters].index("size"):
        kwargs = {"size": out.shape, "dtype": out.dtype, **kwargs}
    op, args, kwargs = lifted(op, args, kwargs)
    results = op(*args, **kwargs)
    values, targets = (v if isinstance(v, (list, tuple)) else [v] for v in (results, out))
    shapes, needed = ([getattr(v, "shape", None) for v in each] for each in (targets, values))
    if shapes != needed:
        raise ShapeError(f"{op.__name__}: out has {shapes}, needed are {needed}; give such arrays")
    for value, target in zip(values, targets, strict=True):
        library.copy(value, out=target)
    return out


def _several(op: str, name: str, value: Any) -> Any:
    """Another argument: NumPy arrays in it become NDArrays."""
    if isinstance(value, np.ndarray):
        return lift(op, [name], [value])[0]
    if isinstance(value, (list, tuple)) and any(isinstance(v, np.ndarray) for v in value):
        labels = [f"{name}[{i}]" for i in range(len(value))]
        return type(value)(lift(op, labels, list(value)))
    return value


class ArrayNamespace(Namespace):
    """Operators over arrays, and what makes arrays, by MXNet's names."""

    NOUNS: ClassVar = {
        "NDArray": "NDArray",
        "from_dlpack": "from_dlpack",
        "from_numpy": "asarray",
        "load": "load",
        "save": "save",
        "waitall": "waitall",
    }

    @staticmethod
    def array(source_array: Any, ctx: Any = None, dtype: Any = None) -> Array:
        """Return an array of these values, in MXNet's dtype: float32, but of NDArrays their own.

        >>> import nbgraph as ng
        >>> ng.nd.array([1, 2])
        array([1., 2.], dtype=float32)
        """
        own = source_array.dtype if isinstance(source_array, Array) else "float32"
        return array(source_array, dtype or own, device=ctx)


nd = ArrayNamespace("ng.nd", lifted)
