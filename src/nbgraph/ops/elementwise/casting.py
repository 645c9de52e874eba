"""Casts, copies, and values that gradients do not pass."""

import importlib
import warnings
from typing import Any

import numpy as np

from nbgraph.dtype import as_dtype, inexact, is_float
from nbgraph.operator.arrays.array_op import ArrayOp, Gradients, Spec, constant
from nbgraph.operator.call import carrier_of
from nbgraph.operator.mapper.complex_call import is_complex
from nbgraph.operator.mapper.decorator import op
from nbgraph.operator.rows.reduce_call import same
from nbgraph.ops.define import as_array, define_rows, library, public
from nbgraph.shape import Array, same_shape

_DISCARDED = "Casting complex values to real discards the imaginary part"  # NumPy's words


@op
def truth(x: Any) -> Any:
    """Return x != 0, the cast of a number to bool."""
    return x != 0


@op
def cut(x: Any) -> Any:
    """Return x truncated to 32 bits, or the least integer if it does not fit: as x86 casts."""
    return int(x if -2147483649.0 < x < 2147483648.0 else -2147483648.0)


@op
def cut_long(x: Any) -> Any:
    """Return x truncated to 64 bits; see `cut`."""
    return int(x if -9223372036854775808.0 <= x < 9223372036854775808.0 else -9223372036854775808.0)


def caster(source: np.dtype[Any], wanted: np.dtype[Any]) -> Any:
    """Return the scalar operator that casts as NumPy does, or None if NumPy casts on the host:
    complex numbers, and floats that become unsigned integers of 32 or 64 bits."""
    if "c" in (source.kind, wanted.kind):
        return None
    if wanted.kind == "b" and source.kind != "b":
        return truth
    if not is_float(source) or wanted.kind not in "iu":
        return same
    if wanted == np.int64:
        return cut_long
    return cut if wanted.kind == "i" or wanted.itemsize < 4 else None


def _astype(inputs: list[Array], outputs: list[Array], *, dtype: np.dtype[Any]) -> None:
    with np.errstate(invalid="ignore", over="ignore"):  # values that do not fit, as in a cast of C
        if inputs[0].dtype.kind == "c" and dtype.kind not in "cb":
            inputs = [inputs[0].real]  # the call has warned
        np.copyto(outputs[0], inputs[0], casting="unsafe")


_ASTYPE = ArrayOp(
    "astype",
    lambda x, *, dtype: Spec(x.shape, dtype),
    _astype,
    gradient=lambda g: [g.out_grad] if inexact(g.attributes["dtype"]) else [],
    copies=True,
    partial=same_shape,
)
_COPY = ArrayOp(
    "copy",
    lambda x: x,
    lambda inputs, outputs: np.copyto(outputs[0], inputs[0]),
    gradient=lambda g: [g.out_grad],
    copies=True,
    partial=same_shape,
)
_STOP_GRADIENT = ArrayOp(
    "stop_gradient", lambda x: x, view=lambda x: x[...], gradient=constant, partial=same_shape
)
_CHECKPOINT = ArrayOp(
    "checkpoint", lambda x: x, view=lambda x: x[...], gradient=lambda g: [g.out_grad]
)


@public(_ASTYPE)
def astype(x: Any, dtype: Any, *, copy: bool = True, out: Any = None) -> Any:
    """The values in another dtype; a gradient comes back in the old one.

    dtype : dtype or its name; floats are cut to whole numbers for integers
    copy : False gives x itself where it has the dtype already
    >>> astype([1.5, 2.5], "int32")
    array([1, 2], dtype=int32)
    """
    dtype = as_dtype(dtype)
    if not copy and out is None and _has(as_array(x), dtype):
        return x
    if dtype.kind not in "cb" and is_complex(x):
        warnings.warn(_DISCARDED, np.exceptions.ComplexWarning, stacklevel=2)
    return _ASTYPE(x, dtype=dtype, out=out)


def _has(x: Any, dtype: np.dtype[Any]) -> bool:
    """Return whether an array is known to have the dtype; without a shape it is unknown, too."""
    return x.shape is not None and x.dtype == dtype


@public(_CHECKPOINT)
def checkpoint(x: Any, *, out: Any = None) -> Any:
    """The same values, a view; in a graph a mark: where backward computes forward values again,
    it begins with this one, which is kept.

    Given a function of arrays, the same function, of which a gradient keeps the arguments alone: it
    is computed again.

    >>> checkpoint([1, 2])
    array([1, 2])
    """
    if callable(x) and carrier_of((x,)) is None:
        module = importlib.import_module("nbgraph.autograd.control.branches")  # a higher room
        return module.checkpointed(x)
    return _CHECKPOINT(x, out=out)


def _clip_rule(g: Gradients) -> list[Any]:
    limit = g.attributes["limit"]
    return [library.clip(g.out_grad, -limit, limit)]


_CLIP_GRADIENT = ArrayOp(
    "clip_gradient", lambda x, *, limit: x, view=lambda x, *, limit: x[...], gradient=_clip_rule
)


_TABLE = """
copy(x, *, out=None): A copy of the array.
    >>> copy([1, 2])
    array([1, 2])
stop_gradient(x, *, out=None): The same values, as a constant for derivatives: a view.
    >>> stop_gradient([1, 2])
    array([1, 2])
clip_gradient(x, limit: float, *, out=None): The same values, a view, whose gradient is limited
    element by element.
    limit : number from 0: gradients are limited to [-limit, limit]
    >>> clip_gradient([1, 2], 0.5)
    array([1, 2])
    = op(..., limit=not_negative("clip_gradient", "limit", limit))
"""
define_rows(_TABLE, globals())
