"""`np.add(nd, nd)` and its kin: NumPy's functions on NDArrays are operators of the library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from nbgraph.array.eager import library
from nbgraph.array.lift import lift
from nbgraph.array.push import same
from nbgraph.dtype import as_dtype
from nbgraph.errors import ArgumentError, DTypeError
from nbgraph.operator import registry
from nbgraph.operator.call import call
from nbgraph.operator.mapper import Mapper

_MISSING: Any = np._NoValue  # type: ignore[attr-defined]
_CASTINGS = ("no", "equiv", "safe", "same_kind", "unsafe")
# a ufunc's reduce and accumulate, as functions of the library
_FOLDS = {
    "add": ("sum", "cumsum"),
    "multiply": ("prod", "cumprod"),
    "maximum": ("max", "cummax"),
    "minimum": ("min", "cummin"),
    "logical_and": ("all", None),
    "logical_or": ("any", None),
}


def apply(ufunc: Any, method: str, inputs: Sequence[Any], options: dict[str, Any]) -> Any:
    """What `__array_ufunc__` is asked: an operator or a NumPy ufunc, called in one of its ways."""
    op = ufunc if isinstance(ufunc, Mapper) else operator_of(ufunc)
    if method == "__call__":
        return _call(op, inputs, options)
    if method == "outer":
        return _outer(op, inputs, options)
    if method in ("reduce", "accumulate"):
        return _fold(op, method, inputs, options)
    raise ArgumentError(
        f"{op.__name__}.{method}: NDArrays have no such method; use ng.{op.__name__}, reduce, "
        "accumulate or outer, or compute with x.asnumpy()"
    )


def operator_of(ufunc: Any) -> Any:
    """The library's operator for a ufunc of NumPy (or SciPy) of that name and arity."""
    name = getattr(ufunc, "__name__", "?")
    if name in registry.library():
        op: Any = registry.find(name)
        own = getattr(op, "op", op)
        if (getattr(own, "nin", None), getattr(own, "nout", None)) == (ufunc.nin, ufunc.nout):
            return op
    raise ArgumentError(
        f"{name}: this ufunc has no operator for NDArrays; apply it to x.asnumpy(), or write it "
        "with @ng.op"
    )


# calls ------------------------------------------------------------------------------------------


def _call(op: Any, inputs: Sequence[Any], options: dict[str, Any]) -> Any:
    given = dict(options)
    out, where = given.pop("out", None), given.pop("where", True)
    dtype, casting = given.pop("dtype", None), given.pop("casting", "same_kind")
    _layout_options(op, given)
    if casting not in _CASTINGS:
        raise ArgumentError(f"{op.__name__}: casting={casting!r}; expected one of {_CASTINGS}")
    outs = None if out is None else out if isinstance(out, tuple) else (out,)
    parameters: Mapping[str, Any] = op.parameters(given) if isinstance(op, Mapper) else given
    values = list(inputs)
    if dtype is not None:
        values = [_recast(op, i, v, as_dtype(dtype), casting) for i, v in enumerate(values)]
    if where is True and casting == "same_kind":
        return _apply(op, values, parameters, outs)
    return _delivered(op, _apply(op, values, parameters, None), outs, where, casting)


def _apply(op: Any, values: Sequence[Any], parameters: Mapping[str, Any], outs: Any) -> Any:
    if isinstance(op, Mapper):
        return call(op, values, parameters, outs)
    single = outs is not None and len(outs) == 1
    return op(*values, **parameters, **({"out": outs[0] if single else outs} if outs else {}))


def _layout_options(op: Any, given: dict[str, Any]) -> None:
    """NumPy's options that concern memory order: what NDArrays do anyway passes."""
    order = given.pop("order", "K")
    if order not in ("K", "A", "C"):
        raise ArgumentError(f"{op.__name__}: order={order!r}; NDArrays are made in order 'C'")
    given.pop("subok", None)
    if given.pop("signature", None) is not None:
        raise ArgumentError(f"{op.__name__}: signature= is not taken with NDArrays; give dtype=")


def _recast(op: Any, index: int, value: Any, dtype: np.dtype[Any], casting: Any) -> Any:
    """An operand in the dtype that is to be computed in."""
    if type(value) in (bool, int, float):
        return value
    (array,) = lift(op.__name__, [f"operand {index}"], [value])
    if not np.can_cast(array.dtype, dtype, casting):
        raise DTypeError(
            f"{op.__name__}: operand {index} has dtype {array.dtype}, which casting={casting!r} "
            f"does not turn into {dtype}; give another casting=, or astype"
        )
    return library("astype")(array, dtype, copy=False)


def _delivered(op: Any, results: Any, outs: Any, where: Any, casting: Any) -> Any:
    """Results written to `outs` where a mask says so, under a rule for casts."""
    found = results if isinstance(results, tuple) else (results,)
    targets = outs or (None,) * len(found)
    delivered: list[Any] = []
    for result, out in zip(found, targets, strict=True):
        if out is None:
            delivered.append(result)
            continue
        if not np.can_cast(result.dtype, out.dtype, casting):
            raise DTypeError(
                f"{op.__name__}: the result has dtype {result.dtype}, which casting={casting!r} "
                f"does not turn into out's {out.dtype}; use another out, or casting='unsafe'"
            )
        cast = library("astype")(result, out.dtype, copy=False)
        chosen = cast if where is True else library("where")(where, cast, out)
        delivered.append(call(same, [chosen], {}, out))
    return delivered[0] if len(delivered) == 1 else tuple(delivered)


# other ways of calling --------------------------------------------------------------------------


def _outer(op: Any, inputs: Sequence[Any], options: dict[str, Any]) -> Any:
    a, b = lift(op.__name__, ["a", "b"], inputs, weak=False)
    return _call(op, [library("reshape")(a, a.shape + (1,) * b.ndim), b], options)


def _fold(op: Any, method: str, inputs: Sequence[Any], options: dict[str, Any]) -> Any:
    """reduce and accumulate: the library's reduction or scan of that operator."""
    given = {k: v for k, v in options.items() if v is not None and v is not _MISSING}
    if "axis" in options:
        given["axis"] = options["axis"]  # None means all axes
    given.setdefault("axis", 0)
    if given.pop("where", True) is not True or "initial" in given:
        raise ArgumentError(
            f"{op.__name__}.{method}: where= and initial= are not taken with NDArrays; use "
            "ng.where before it"
        )
    out = given.pop("out", None)
    if out is not None:
        given["out"] = out[0] if isinstance(out, tuple) else out
    name = _FOLDS.get(op.__name__, (None, None))[method == "accumulate"]
    if name is None:
        raise ArgumentError(
            f"{op.__name__}.{method}: there is none for NDArrays; those of "
            f"{', '.join(_FOLDS)} are there, others take x.asnumpy()"
        )
    (x,) = lift(op.__name__, ["array"], inputs, weak=False)
    if not given.get("keepdims", True):
        del given["keepdims"]
    return library(name)(x, **given)
