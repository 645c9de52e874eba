"""New arrays: constants, ranges, identities, also like other arrays.

Floats default to `config.default_float`. `device` is where an array is created; NumPy has only one
place.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from nbgraph.device import Context
from nbgraph.dtype import as_dtype
from nbgraph.errors import ArgumentError, ShapeError, require_word
from nbgraph.operator.arrays.array_op import ArrayOp, FilledOp, Spec, constant
from nbgraph.operator.call import carrier_of, sources
from nbgraph.ops.define import (
    Shape,
    as_known,
    composed,
    deferrable,
    define_rows,
    library,
    number,
    public,
    shape_tuple,
    whole,
)
from nbgraph.settings import config
from nbgraph.shape import Array, PartialShape

Number = bool | int | float


# what is asked for ------------------------------------------------------------------------------


_settings = config.variable.get
_FLOATS = {name: np.dtype(name) for name in ("float32", "float64")}


def float_or(dtype: Any) -> np.dtype[Any]:
    """Return a dtype, by default that of floats."""
    return _FLOATS[_settings().default_float] if dtype is None else as_dtype(dtype)


def _dtype_of(value: Any, dtype: Any) -> np.dtype[Any]:
    """Return the requested dtype; else a NumPy scalar's own, int64, bool or default float."""
    if dtype is not None:
        return as_dtype(dtype)
    if isinstance(value, (np.generic, np.ndarray)):
        return value.dtype
    if isinstance(value, (bool, int)):
        return np.dtype(bool if isinstance(value, bool) else "int64")
    if isinstance(value, complex):
        return np.result_type(config.default_float, np.complex64)
    return float_or(None)


def require_fit(name: str, value: Any, dtype: np.dtype[Any]) -> None:
    """Raise ArgumentError if a real dtype should hold a complex number, an integer one NaN."""
    if isinstance(value, complex) and dtype.kind != "c":
        raise ArgumentError(f"{name}: {value} cannot be held by {dtype}; ask for a complex dtype")
    if dtype.kind in "biu" and isinstance(value, float) and not math.isfinite(value):
        raise ArgumentError(f"{name}: {value} cannot be held by {dtype}; ask for a float dtype")


def _extents(name: str, shape: Any) -> PartialShape:
    """Return the requested shape. For symbols (`ng.sym`) extents may be None, to be inferred."""
    if sources.get() is not None and isinstance(shape, tuple) and None in shape:
        known = iter(shape_tuple(name, [n for n in shape if n is not None]))
        return tuple([None if n is None else next(known) for n in shape])
    return shape_tuple(name, shape)


def _source(name: str, compute: Any, shape: Any = None, constant: Any = None) -> ArrayOp:
    """Return an operator without operands; `shape(**attributes)` unless it is an attribute."""

    def infer(*, dtype: np.dtype[Any], device: Context | None, **options: Any) -> Spec:
        return Spec(options["shape"] if shape is None else shape(**options), dtype)

    def run(
        inputs: list[Array],
        outputs: list[Array],
        *,
        dtype: np.dtype[Any],
        device: Context | None,
        **options: Any,
    ) -> None:
        compute(outputs[0], **options)

    kind = ArrayOp if shape is not None or constant is None else FilledOp
    return kind(name, infer, run, operands=(), constant=constant)


# constants --------------------------------------------------------------------------------------

_ZEROS = _source("zeros", lambda out, *, shape: out.fill(0), constant=lambda **_: 0)
_ONES = _source("ones", lambda out, *, shape: out.fill(1), constant=lambda **_: 1)
_EMPTY = _source("empty", lambda out, *, shape: None, constant=lambda **_: None)
_FULL = _source(
    "full",
    lambda out, *, shape, fill_value: out.fill(fill_value),
    constant=lambda fill_value, **_: fill_value,
)
_FULL.numeric = ("fill_value",)  # one fast path for all floats


@public(_FULL)
def full(shape: Any, fill_value: Any, dtype: Any = None, *, device: Context | None = None) -> Any:
    """One number everywhere.

    fill_value : number, or an array that broadcasts, through which the gradient flows
    shape, device : as those of `zeros`
    dtype : by default `ng.config.default_float` for Python floats, int64 for integers
    >>> full((2,), 7).dtype
    dtype('int64')
    """
    if carrier_of((fill_value,)) is not None:
        x = fill_value if device is None else fill_value.to_device(device)
        x = x if dtype is None else library.astype(x, as_dtype(dtype), copy=False)
        return library.copy(library.broadcast_to(x, shape_tuple("full", shape)))
    value = number("full", "fill_value", fill_value, real=False)
    dtype = _dtype_of(fill_value, dtype)
    require_fit("full", value, dtype)
    shape = _extents("full", shape)
    return _FULL(shape=shape, fill_value=value, dtype=dtype, device=device)


# ranges -----------------------------------------------------------------------------------------


def _arange(out: Array, *, start: Number, stop: Number, step: Number) -> None:
    whole = out.dtype.kind in "iu" and isinstance(start + step, float)  # integer steps, too
    out[...] = np.arange(start, stop, step, dtype="int64" if whole else None)  # rounded once


def _linspace(out: Array, *, start: Number, stop: Number, num: int, endpoint: bool) -> None:
    values = np.linspace(start, stop, num, endpoint)
    out[...] = np.floor(values) if out.dtype.kind in "iu" else values


_ARANGE = _source(
    "arange", _arange, lambda *, start, stop, step: (max(math.ceil((stop - start) / step), 0),)
)
_LINSPACE = _source("linspace", _linspace, lambda **options: (options["num"],))


@public(_ARANGE)
def arange(
    start: Any, stop: Any = None, step: Any = 1, dtype: Any = None, *, device: Context | None = None
) -> Any:
    """Numbers from `start` in steps of `step`, excluding `stop`.

    start, stop, step : numbers; a single one is `stop`, and start is 0
    dtype : by default int64 for integers, `ng.config.default_float` for floats
    device : Context, by default the host
    -> NDArray (n,)
    >>> [int(x) for x in arange(2, 8, 3)]
    [2, 5]
    """
    start, stop = (0, start) if stop is None else (start, stop)
    named = {"start": start, "stop": stop, "step": step}
    numbers = {name: number("arange", name, value) for name, value in named.items()}
    if numbers["step"] == 0:
        raise ArgumentError("arange: step=0 leads nowhere; give another step")
    if dtype is None:
        floating = any(isinstance(value, float) for value in numbers.values())
        dtype = config.default_float if floating else "int64"
    return _ARANGE(**numbers, dtype=as_dtype(dtype), device=device)


# matrices ---------------------------------------------------------------------------------------


def _diagonal_source(make: Any) -> ArrayOp:
    """Return a matrix by NumPy's function of its size and diagonal."""

    def compute(out: Array, *, n: int, m: int, k: int) -> None:
        out[...] = make(n, m, k, dtype=bool)

    return _source(make.__name__, compute, lambda *, n, m, k: (n, m))


_EYE, _TRI = _diagonal_source(np.eye), _diagonal_source(np.tri)


def sizes(name: str, n: Any, m: Any, k: Any) -> dict[str, int]:
    """Return the attributes of a matrix: rows, columns, diagonal."""
    rows, columns = shape_tuple(name, (n, n if m is None else m), "size")
    return {"n": rows, "m": columns, "k": whole(name, "k", k)}


# like other arrays, and grids --------------------------------------------------------------------


def _like(x: Spec, *, fill_value: Number | None, dtype: Any, shape: Shape | None) -> Spec:
    spec = Spec(x.shape if shape is None else shape, dtype or x.dtype)
    if fill_value is not None:
        require_fit("full_like", fill_value, spec.dtype)
    return spec


def _fill(
    inputs: list[Array], outputs: list[Array], *, fill_value: Number | None, **_: Any
) -> None:
    if fill_value is not None:
        outputs[0].fill(fill_value)


# an operator of x although x is not read, for its device and kind of array
_FULL_LIKE = ArrayOp(
    "full_like", _like, _fill, gradient=constant, constant=lambda fill_value, **_: fill_value
)


@composed()
@deferrable(lambda *arrays, **_: len(arrays))
def meshgrid(*arrays: Any, indexing: str = "xy") -> list[Any]:
    """Coordinates of a grid: one array for each axis, broadcast over the others (views).

    *arrays : vectors
    indexing : "xy": the first vector goes along the second axis; "ij": along the first
    >>> [x.tolist() for x in meshgrid([1, 2], [3, 4])]
    [[[1, 2], [1, 2]], [[3, 3], [4, 4]]]
    """
    require_word("meshgrid: indexing", indexing, ("xy", "ij"))
    known = [as_known("meshgrid", x) for x in arrays]
    for i, x in enumerate(known):
        if len(x.shape) > 1:
            raise ShapeError(f"meshgrid: arrays[{i}] has shape {x.shape}; give vectors")
    places = list(range(len(known)))
    if indexing == "xy" and len(known) > 1:
        places[:2] = 1, 0
    shape = [1] * len(known)
    for place, x in zip(places, known, strict=True):
        shape[place] = x.shape[0] if x.shape else 1
    grids = [
        library.reshape(x, [-1 if d == place else 1 for d in range(len(known))])
        for place, x in zip(places, known, strict=True)
    ]
    return [library.broadcast_to(x, tuple(shape)) for x in grids]


_TABLE = """
zeros(shape, dtype=None, *, device=None): Zeros.
    shape : int or tuple of ints. In `ng.sym` an extent of 0 or None is unknown: it is inferred from
        the operators that use the zeros
    dtype : dtype, by default `ng.config.default_float`
    device : Context, by default the host
    -> NDArray
    >>> zeros((2, 3)).shape
    (2, 3)
    = op(..., shape=_extents("zeros", shape), dtype=float_or(dtype))
ones(shape, dtype=None, *, device=None): Ones.
    shape, dtype, device : as those of `zeros`
    >>> ones(2).dtype
    dtype('float32')
    = op(..., shape=_extents("ones", shape), dtype=float_or(dtype))
empty(shape, dtype=None, *, device=None): An array with undefined values.
    shape, dtype, device : as those of `zeros`
    >>> empty((2, 0)).shape
    (2, 0)
    = op(..., shape=_extents("empty", shape), dtype=float_or(dtype))
linspace(start, stop, num: int = 50, endpoint=True, dtype=None, *, device=None): `num` numbers at
    equal distances from `start` to `stop`.
    start, stop : numbers
    num : int
    endpoint : whether `stop` is the last number, or excluded
    dtype : by default `ng.config.default_float`
    device : Context, by default the host
    >>> [float(x) for x in linspace(0, 1, 3)]
    [0.0, 0.5, 1.0]
    = op(..., start=number("linspace", "start", start, real=False),
        stop=number("linspace", "stop", stop, real=False),
        num=shape_tuple("linspace", whole("linspace", "num", num), "num")[0], dtype=float_or(dtype))
eye(n: int, m: int | None = None, k: int = 0, dtype=None, *, device=None): Ones on diagonal `k` of
    an n by m matrix, zeros elsewhere.
    n, m : ints, rows and columns; m is by default n
    k : int, above the main diagonal where positive, below where negative
    dtype, device : as those of `zeros`
    >>> eye(2, 3).shape
    (2, 3)
    = _EYE(**sizes("eye", n, m, k), dtype=float_or(dtype), device=device)
tri(n: int, m: int | None = None, k: int = 0, dtype=None, *, device=None): Ones on and below
    diagonal `k` of an n by m matrix, zeros above.
    n, m : ints, rows and columns; m is by default n
    k : int, above the main diagonal where positive, below where negative
    dtype, device : as those of `zeros`
    >>> tri(2, 3).shape
    (2, 3)
    = _TRI(**sizes("tri", n, m, k), dtype=float_or(dtype), device=device)
full_like(x, fill_value, dtype=None, *, shape=None): One number in the shape, dtype and device of
    `x`.
    x : array, whose values are not read
    fill_value : number; None leaves the values undefined
    dtype, shape : optional, by default those of x
    >>> full_like([1.0, 2.0], 7)
    array([7., 7.])
    = op(..., fill_value=None if fill_value is None else number("full_like", "fill_value",
        fill_value, real=False), shape=None if shape is None else shape_tuple("full_like", shape))
"""
define_rows(_TABLE, globals())
