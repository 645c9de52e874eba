"""Ufuncs of NumPy on carriers as operators of the library: `np.add(nd, nd)` and the like."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from nbgraph import ops
from nbgraph.dtype import as_dtype
from nbgraph.errors import ArgumentError, DTypeError, noun
from nbgraph.operator import registry
from nbgraph.operator.call import call, carrier_of
from nbgraph.operator.mapper.mapper import Mapper
from nbgraph.operator.scalar.typing import as_operand
from nbgraph.ops.dispatch.table import function_for
from nbgraph.shape import axis_of

_MISSING: Any = np._NoValue  # type: ignore[attr-defined]
_TRUTHS = ("all", "any")
_TYPED = ("sum", "prod", "cumsum", "cumprod")  # those with a parameter `dtype`
_WEAK = (int, float, complex)  # Python's numbers, which take the dtype of arrays they occur with
_CASTINGS = ("no", "equiv", "safe", "same_kind", "unsafe")
# reduce and accumulate of ufuncs, as functions of the library
_FOLDS = {
    "add": ("sum", "cumsum"),
    "multiply": ("prod", "cumprod"),
    "maximum": ("max", "cummax"),
    "minimum": ("min", "cummin"),
    "logical_and": ("all", None),
    "logical_or": ("any", None),
}


def apply(ufunc: Any, op: Any, method: str, inputs: Sequence[Any], options: dict[str, Any]) -> Any:
    """Apply an operator by a method of `__array_ufunc__`; NotImplemented if the library has
    none."""
    if carrier_of(tuple(inputs)) is None:  # only `where` or `out` is one of our arrays
        return NotImplemented
    if method == "__call__":
        return _call(ufunc, op, inputs, options)
    if method == "outer":
        return _outer(ufunc, op, inputs, options)
    name = _FOLDS.get(op.__name__, (None, None))[method == "accumulate"]
    if name is None or method == "at" or (name in _TRUTHS and "initial" in options):
        return NotImplemented
    if method == "reduceat":
        return _parts(op, name, *inputs, **options)
    return _fold(op, name, inputs, options)


def operator_for(ufunc: Any) -> Any:
    """Return the operator for a ufunc (or itself), or None."""
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


def _call(ufunc: Any, op: Any, inputs: Sequence[Any], options: dict[str, Any]) -> Any:
    left = dict(options)
    out, where = left.pop("out", None), left.pop("where", True)
    dtype, casting = left.pop("dtype", None), left.pop("casting", "same_kind")
    _layout_options(op, left)
    if casting not in _CASTINGS:
        raise ArgumentError(f"{op.__name__}: casting={casting!r}; expected one of {_CASTINGS}")
    outs = None if out is None else out if isinstance(out, tuple) else (out,)
    parameters: Mapping[str, Any] = op.parameters_of(left) if isinstance(op, Mapper) else left
    values = list(inputs)
    if dtype is not None or casting != "same_kind":
        loop = _loop(ufunc, op, values, dtype and as_dtype(dtype), casting)
        values = [_recast(op, i, v, d) for i, (v, d) in enumerate(zip(values, loop, strict=False))]
    for x in outs or ():
        if not (x is None or hasattr(x, "dtype")):
            raise ArgumentError(f"{op.__name__}: out is {noun(x)}; expected an array")
    wide = any(x is not None and x.dtype.kind == "c" for x in outs or ())
    if where is True and casting == "same_kind" and not wide:
        return _apply(op, values, parameters, outs)
    return _write_results(op, _apply(op, values, parameters, None), outs, where, casting)


def _apply(op: Any, values: Sequence[Any], parameters: Mapping[str, Any], outs: Any) -> Any:
    if isinstance(op, Mapper):
        return call(op, values, parameters, outs)
    single = outs is not None and len(outs) == 1
    return op(*values, **parameters, **({"out": outs[0] if single else outs} if outs else {}))


def _layout_options(op: Any, options: dict[str, Any]) -> None:
    """Check NumPy's options of memory order: those that hold anyway are accepted."""
    order = options.pop("order", "K")
    if order not in ("K", "A", "C"):
        raise ArgumentError(f"{op.__name__}: order={order!r}; results are made in order 'C'")
    options.pop("subok", None)
    if options.pop("signature", None) is not None:
        raise ArgumentError(f"{op.__name__}: signature= is not taken here; give dtype=")


def _loop(ufunc: Any, op: Any, values: Sequence[Any], dtype: Any, casting: Any) -> list[Any]:
    """Return the dtypes that operands are computed in, as NumPy chooses them; DTypeError if there
    is no such loop, or `casting` forbids it."""
    known = [v if type(v) in _WEAK else _array(op, "x", v).dtype for v in values]
    if any(getattr(own, "kind", "") == "V" for own in (*known, dtype)):  # NumPy has no such loops
        return [dtype] * len(known)
    numbers = [type(own) if type(own) in _WEAK else own for own in known]
    options: dict[str, Any] = {"casting": casting}
    if dtype is not None:
        options["signature"] = (None,) * ufunc.nin + (dtype,) * ufunc.nout
    try:
        loop = ufunc.resolve_dtypes((*numbers, *(None,) * ufunc.nout), **options)
    except TypeError as problem:
        raise DTypeError(f"{op.__name__}: {problem}; give another casting=, or astype") from None
    return list(loop)


def _recast(op: Any, index: int, value: Any, dtype: Any) -> Any:
    """Return an operand in the dtype to compute in."""
    if type(value) in (bool, *_WEAK) or dtype is None:
        return value
    return ops.astype(_array(op, f"operand {index}", value), dtype, copy=False)


def _array(op: Any, name: str, value: Any) -> Any:
    """Return a value with a shape and a dtype: carriers unchanged, others as NumPy arrays."""
    if carrier_of((value,)) is not None:
        return value
    return np.asarray(as_operand(op.__name__, name, value))


def _write_results(op: Any, results: Any, outs: Any, where: Any, casting: Any) -> Any:
    """Return results, written to `outs` under a mask and a casting rule."""
    values = results if isinstance(results, tuple) else (results,)
    targets = outs or (None,) * len(values)
    delivered: list[Any] = []
    for result, out in zip(values, targets, strict=True):
        if out is None:  # excluded elements are undefined, but count for the shape
            delivered.append(result if where is True else ops.where(where, result, result))
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


def _outer(ufunc: Any, op: Any, inputs: Sequence[Any], options: dict[str, Any]) -> Any:
    a, b = (_array(op, name, x) for name, x in zip("ab", inputs, strict=True))
    last = tuple(range(a.ndim, a.ndim + b.ndim))
    return _call(ufunc, op, [ops.expand_dims(a, last), b], options)


def _parts(op: Any, name: str, array: Any, indices: Any, axis: int = 0, **options: Any) -> Any:
    """Return `reduceat`: the library's reduction of slices of an axis."""
    x, places = _array(op, "array", array), np.asarray(indices)
    out = options.pop("out", None)
    axis = axis_of(f"{op.__name__}.reduceat", axis, x.ndim)
    lead = (slice(None),) * axis
    parts = []
    for first, end in zip(places, [*places[1:], x.shape[axis]], strict=True):
        part = x[(*lead, slice(int(first), max(int(end), int(first) + 1)))]
        parts.append(_fold(op, name, [part], {"axis": axis, **options}))
    return ops.stack(parts, axis, out=out[0] if isinstance(out, tuple) else out)


def _fold(op: Any, name: str, inputs: Sequence[Any], options: dict[str, Any]) -> Any:
    """Return `reduce` or `accumulate`: the library's reduction or scan of that name. With `where`
    or `initial` it is called through NumPy's function of that name."""
    chosen = {k: v for k, v in options.items() if v is not None and v is not _MISSING}
    if "axis" in options:
        chosen["axis"] = options["axis"]  # None means all axes
    chosen.setdefault("axis", 0)
    if chosen.get("where") is True:
        del chosen["where"]
    out = chosen.pop("out", None)
    if out is not None:
        chosen["out"] = out[0] if isinstance(out, tuple) else out
    x = _array(op, "array", inputs[0])
    if "dtype" in chosen and name not in _TYPED:
        x = ops.astype(x, chosen.pop("dtype"), copy=False)
    if not chosen.get("keepdims", True):
        del chosen["keepdims"]
    if "initial" in chosen or "where" in chosen:
        row = function_for(getattr(np, name))
        assert row is not None, name
        return row.call(x, **chosen)
    return getattr(ops, name)(x, **chosen)
