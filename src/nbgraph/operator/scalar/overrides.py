"""NumPy's override protocol: other classes' `__array_ufunc__`, and wrapping of results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nbgraph.dtype import as_dtype
from nbgraph.errors import ArgumentError
from nbgraph.operator.call import outputs_of
from nbgraph.operator.scalar import arguments
from nbgraph.operator.scalar.typing import is_foreign

if TYPE_CHECKING:
    from nbgraph.operator.scalar.elementwise import Elementwise

MINE = object()  # no other class carries the call out
_USUAL = {"where": True, "casting": "same_kind", "order": "K"}
_DEFAULT = np.ndarray.__array_ufunc__


def dispatch(
    op: Elementwise,
    method: str,
    operands: Sequence[Any],
    outs: Sequence[Any],
    call: Mapping[str, Any],
    parameters: Mapping[str, Any],
) -> Any:
    """Ask operands and outputs with `__array_ufunc__`, subclasses first (NEP 13)."""
    claims: list[Any] = []
    for value in (*operands, *(o for o in outs if o is not None)):
        kind = type(value)
        if kind is np.ndarray or kind in (int, float, bool, list, tuple):
            continue
        override = getattr(kind, "__array_ufunc__", _DEFAULT)
        if override is _DEFAULT or any(type(v) is kind for v in claims):
            continue
        if override is None:
            raise TypeError(
                f"{op.__name__}: an operand of type {kind.__name__!r} does not support operators "
                "(__array_ufunc__ = None)"
            )
        place = next((i for i, v in enumerate(claims) if issubclass(kind, type(v))), len(claims))
        claims.insert(place, value)
    if not claims:
        return MINE
    options = {**call, **parameters}
    if any(o is not None for o in outs):
        options["out"] = tuple(outs)
    for value in claims:
        result = _ask(value, op, method, operands, options)
        if result is not NotImplemented:
            return result
    names = ", ".join(repr(type(v).__name__) for v in claims)
    raise TypeError(
        f"{op.__name__}: none of the operand types {names} carries this operator out "
        "(each __array_ufunc__ returned NotImplemented)"
    )


def _ask(
    value: Any, op: Elementwise, method: str, operands: Sequence[Any], options: Mapping[str, Any]
) -> Any:
    """Return a class's result for an operator, else for NumPy's function of its name."""
    like = twin(op)
    if like is None:
        return value.__array_ufunc__(op, method, *operands, **options)
    try:
        result = value.__array_ufunc__(op, method, *operands, **options)
    except TypeError:
        result = NotImplemented
    if result is not NotImplemented:
        return result
    return value.__array_ufunc__(like, method, *operands, **options)


def claims(value: Any) -> bool:
    """Return whether a value's class carries out ufuncs itself, by `__array_ufunc__`."""
    return getattr(type(value), "__array_ufunc__", _DEFAULT) is not _DEFAULT


def twin(op: Elementwise) -> Any:
    """Return NumPy's ufunc that equals an operator of the library, or None."""
    ufunc = getattr(np, op.__name__, None)
    same = isinstance(ufunc, np.ufunc) and (ufunc.nin, ufunc.nout) == (op.nin, op.nout)
    return ufunc if same and op.__module__.startswith("nbgraph.") else None


def carry(
    op: Elementwise, carrier: Any, operands: tuple[Any, ...], out: Any, options: dict[str, Any]
) -> Any:
    """Carry the call out by an array class that is not NumPy's."""
    operands, call, parameters = arguments.split(op, operands, options, out)
    dtype = call.pop("dtype", None)
    call.pop("subok", None)
    for name, value in call.items():
        if type(value) not in (bool, str) or value != _USUAL[name]:
            text = repr(value) if np.ndim(value) == 0 else f"<{type(value).__name__}>"
            raise ArgumentError(
                f"{op.__name__}: {name}={text} is for NumPy arrays; leave it out, or use "
                "ng.where on the result"
            )
    if dtype is not None:
        last = len(operands) - op.scalar.draws  # the words of draws are not cast
        cast = [_as(value, as_dtype(dtype)) for value in operands[:last]]
        operands = (*cast, *operands[last:])
    outs = None if out is None else outputs_of(op, out, op.nout)
    return carrier.__nbgraph_call__(op, operands, parameters, outs)


def _as(value: Any, dtype: np.dtype[Any]) -> Any:
    """Return an operand cast to a dtype, whatever its kind of array."""
    return value.astype(dtype) if hasattr(value, "astype") else np.asarray(value, dtype)


def wrap(
    op: Elementwise,
    operands: Sequence[Any],
    outs: Sequence[Any],
    results: Sequence[np.ndarray],
    *,
    subok: bool = True,
) -> Any:
    """Return what the caller gets: scalars for 0-d results, array subclasses as in NumPy."""
    wrapper = _wrapper(operands) if subok else None
    finished = []
    for index, (out, result) in enumerate(zip(outs, results, strict=True)):
        if out is not None:
            finished.append(out)
        elif wrapper is not None:
            context = (op, tuple(operands), index)
            finished.append(wrapper(result, context, result.ndim == 0))
        else:
            finished.append(result[()] if result.ndim == 0 else result)
    return finished[0] if len(finished) == 1 else tuple(finished)


def _wrapper(operands: Sequence[Any]) -> Any:
    best: Any = None
    for value in operands:
        wrap_method = getattr(type(value), "__array_wrap__", None)
        if type(value) is np.ndarray or isinstance(value, np.generic) or wrap_method is None:
            continue
        if is_foreign(value):  # their classes cannot wrap NumPy's results
            continue
        priority = getattr(value, "__array_priority__", 0.0)
        if best is None or priority > best[0]:
            best = (priority, value)
    return None if best is None else best[1].__array_wrap__


__all__ = ["MINE", "carry", "claims", "dispatch", "twin", "wrap"]
