"""`ng.nd`: the library, and what users register, for arguments that become NDArrays."""

from __future__ import annotations

import inspect
import operator
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from nbgraph.array.core import Array, lift
from nbgraph.errors import ShapeError
from nbgraph.operator.layout import keep
from nbgraph.operator.namespace import Call, Namespace, operand_names, signature_of
from nbgraph.ops.define import library
from nbgraph.ops.named.keywords import by_names, in_words

_NUMBERS = {bool, int, float, str, type(None)}
_MOST = 256  # kinds of calls of an operator
# by operator: kinds of calls whose arguments need nothing
_AS_THEY_ARE: WeakKeyDictionary[Any, dict[Any, None]] = WeakKeyDictionary()


def lifted(op: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
    """Return a call, also one in MXNet's words, with its operands as NDArrays.

    Operands are what the operator calls so; NumPy arrays are lifted wherever they stand, also in
    a list of arrays.
    """
    kinds = _kinds(op, args, kwargs)
    if kinds is not None and kinds in _AS_THEY_ARE.get(op, ()):
        return op, args, kwargs
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
    before = (*bound.args, *bound.kwargs.values())
    arguments, optional = bound.arguments, {n: p.default for n, p in signature.parameters.items()}
    names = [
        n for n, v in arguments.items() if n in operands and not (v is None and optional[n] is None)
    ]
    for n, value in zip(names, lift(name, names, [arguments[n] for n in names]), strict=True):
        arguments[n] = value
    for n, value in arguments.items():
        if n not in operands:
            arguments[n] = _several(name, n, value)
    after = (*bound.args, *bound.kwargs.values())
    if kinds is not None and op is call[0] and all(map(operator.is_, before, after)):
        keep(_AS_THEY_ARE.setdefault(op, {}), kinds, None, _MOST)
    return op, bound.args, bound.kwargs


def _kinds(op: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return what calls have in common that are lifted alike, or None where values decide."""
    if not by_names(op):
        return None
    kinds: list[Any] = [len(args)]
    for value in (*args, *kwargs.values()):
        kind = type(value)
        if not (kind in _NUMBERS or issubclass(kind, Array)):
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


nd = Namespace("ng.nd", lifted)
