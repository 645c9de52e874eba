"""NumPy's functions on carriers are operators of the library: `np.add(nd, nd)` and its kin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from nbgraph import ops
from nbgraph.dtype import as_dtype
from nbgraph.errors import ArgumentError, DTypeError
from nbgraph.operator import registry
from nbgraph.operator.call import call, carrier_of
from nbgraph.operator.mapper import Mapper
from nbgraph.operator.typing import as_operand

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


def apply(op: Any, method: str, inputs: Sequence[Any], options: dict[str, Any]) -> Any:
    """What `__array_ufunc__` is asked: an operator, called in one of a ufunc's ways."""
    if method == "__call__":
        return _call(op, inputs, options)
    if method == "outer":
        return _outer(op, inputs, options)
    if method in ("reduce", "accumulate"):
        return _fold(op, method, inputs, options)
    if method == "reduceat":
        return _parts(op, *inputs, **options)
    raise ArgumentError(
        f"{op.__name__}.{method}: operators of the library have no such method; use "
        f"ng.{op.__name__}, reduce, accumulate, reduceat or outer"
    )


def operator_for(ufunc: Any) -> Any:
    """The operator itself, or the library's for a ufunc of NumPy (or SciPy) of that name and
    arity; None where there is none."""
    if isinstance(ufunc, Mapper):
        return ufunc
    name = getattr(ufunc, "__name__", "?")
    if name not in registry.library():
        return None
    op: Any = registry.find(name)
    own = getattr(op, "op", op)
    fits = (getattr(own, "nin", None), getattr(own, "nout", None)) == (ufunc.nin, ufunc.nout)
    return op if fits else None


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
    if casting in ("no", "equiv"):
        _require_same(op, values, casting)
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
    """NumPy's options that concern memory order: what is done anyway passes."""
    order = given.pop("order", "K")
    if order not in ("K", "A", "C"):
        raise ArgumentError(f"{op.__name__}: order={order!r}; results are made in order 'C'")
    given.pop("subok", None)
    if given.pop("signature", None) is not None:
        raise ArgumentError(f"{op.__name__}: signature= is not taken here; give dtype=")


def _recast(op: Any, index: int, value: Any, dtype: np.dtype[Any], casting: Any) -> Any:
    """An operand in the dtype that is to be computed in."""
    if type(value) in (bool, int, float):
        return value
    array = _array(op, f"operand {index}", value)
    if not np.can_cast(array.dtype, dtype, casting):
        raise DTypeError(
            f"{op.__name__}: operand {index} has dtype {array.dtype}, which casting={casting!r} "
            f"does not turn into {dtype}; give another casting=, or astype"
        )
    return ops.astype(array, dtype, copy=False)


def _require_same(op: Any, values: Sequence[Any], casting: str) -> None:
    """DTypeError where operands have several dtypes, and a rule lets none be cast."""
    dtypes = {_array(op, "x", v).dtype for v in values if type(v) not in (bool, int, float)}
    if len(dtypes) > 1:
        raise DTypeError(
            f"{op.__name__}: operands have the dtypes {', '.join(map(str, dtypes))}, and "
            f"casting={casting!r} casts none; give casting='same_kind', or astype"
        )


def _array(op: Any, name: str, value: Any) -> Any:
    """A value with a shape and a dtype: carriers as they are, others as NumPy arrays."""
    if carrier_of((value,)) is not None:
        return value
    return np.asarray(as_operand(op.__name__, name, value))


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
        cast = ops.astype(result, out.dtype, copy=False)
        chosen = cast if where is True else ops.where(where, cast, out)
        delivered.append(ops.copy(chosen, out=out))
    return delivered[0] if len(delivered) == 1 else tuple(delivered)


# other ways of calling --------------------------------------------------------------------------


def _outer(op: Any, inputs: Sequence[Any], options: dict[str, Any]) -> Any:
    a, b = (_array(op, name, x) for name, x in zip("ab", inputs, strict=True))
    last = tuple(range(a.ndim, a.ndim + b.ndim))
    return _call(op, [ops.expand_dims(a, last), b], options)


def _parts(op: Any, array: Any, indices: Any, axis: int = 0, **options: Any) -> Any:
    """reduceat: the library's reduction of parts of an axis."""
    x, places = _array(op, "array", array), np.asarray(indices)
    out = options.pop("out", None)
    lead = (slice(None),) * (axis % x.ndim)
    parts = []
    for first, end in zip(places, [*places[1:], x.shape[axis]], strict=True):
        part = x[(*lead, slice(int(first), max(int(end), int(first) + 1)))]
        parts.append(_fold(op, "reduce", [part], {"axis": axis, **options}))
    return ops.stack(parts, axis, out=out[0] if isinstance(out, tuple) else out)


def _fold(op: Any, method: str, inputs: Sequence[Any], options: dict[str, Any]) -> Any:
    """reduce and accumulate: the library's reduction or scan of that operator."""
    given = {k: v for k, v in options.items() if v is not None and v is not _MISSING}
    if "axis" in options:
        given["axis"] = options["axis"]  # None means all axes
    given.setdefault("axis", 0)
    if given.pop("where", True) is not True or "initial" in given:
        raise ArgumentError(
            f"{op.__name__}.{method}: where= and initial= are not taken here; use "
            "ng.where before it"
        )
    out = given.pop("out", None)
    if out is not None:
        given["out"] = out[0] if isinstance(out, tuple) else out
    name = _FOLDS.get(op.__name__, (None, None))[method == "accumulate"]
    if name is None:
        raise ArgumentError(
            f"{op.__name__}.{method}: there is none; those of {', '.join(_FOLDS)} are there"
        )
    x = _array(op, "array", inputs[0])
    if not given.get("keepdims", True):
        del given["keepdims"]
    return getattr(ops, name)(x, **given)
