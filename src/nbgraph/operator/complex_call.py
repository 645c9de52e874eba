"""Scalar operators on complex operands: no kernel takes them, so other operators are called.

Those of the library that NumPy has are NumPy's loops, over whole arrays (`complex_map`), which have
its branch cuts and special values. A user's function becomes one of real and imaginary parts, with
kernels and a certified derivative: `complex_parts(f_parts(real(z), imag(z)))`.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from nbgraph.errors import ArgumentError, DTypeError
from nbgraph.kernels.function import LIBRARY, WrittenFunction
from nbgraph.operator.spec import Attributes


def is_complex(value: Any) -> bool:
    """Return whether an operand is known to be complex, or a dtype is."""
    if type(value) is complex:
        return True
    if isinstance(value, np.dtype):
        return value.kind == "c"
    if type(value) in (list, tuple):
        return any(map(is_complex, value))
    dtype = known_dtype(value)
    return dtype is not None and dtype.kind == "c"


def known_dtype(value: Any) -> np.dtype[Any] | None:
    """Return the dtype of an operand; None of a number, and of a symbol where it is only assumed:
    to ask that one for its dtype would settle it."""
    symbolic = hasattr(type(value), "known_dtype")
    try:
        return value.known_dtype if symbolic else getattr(value, "dtype", None)
    except ValueError:  # another carrier's, of which the dtype is not known yet
        return None


def any_complex(values: Sequence[Any]) -> bool:
    """Return whether one of these operands is known to be complex."""
    return any(map(is_complex, values))


def apply(op: Any, operands: Sequence[Any], attributes: Attributes, out: Any) -> Any:
    """Apply a scalar operator to operands of which some are complex; `out` as `call` has it."""
    elements = importlib.import_module("nbgraph.ops.elementwise.complexes")  # it lies above
    if op.__module__.startswith(LIBRARY) and op.__name__ in elements.FUNCTIONS:
        return elements.mapped(op.__name__, operands, out)
    if out is not None and any(o is not None for o in out):
        raise ArgumentError(
            f"{op.__name__}: out= is not taken with complex operands; write out[...] = result"
        )
    mask = tuple(map(is_complex, operands))
    values: list[Any] = []
    for value, parted in zip(operands, mask, strict=True):
        values += [elements.real(value), elements.imag(value)] if parted else [value]
    by_parts, real = _by_parts(op, mask)
    results = by_parts(*values, **attributes)
    pairs = zip(results[::2], results[1::2], real, strict=True)
    outputs = [re if alone else elements.complex_parts(re, im) for re, im, alone in pairs]
    return outputs[0] if len(outputs) == 1 else tuple(outputs)


def _by_parts(op: Any, mask: tuple[bool, ...]) -> tuple[Any, Sequence[bool]]:
    """Return the operator of parts, and which of its results have no imaginary part."""
    key = ("parts", mask)
    entry = op.carried.get(key)
    if entry is None:
        from nbgraph.kernels.derived import Parted

        if not isinstance(op.scalar, WrittenFunction) or op.hand_gradient or op.scalar.draws:
            raise DTypeError(
                f"{op.__name__}: it takes no complex operands, as it draws, is a derivative or has "
                "a gradient given by hand; give real and imaginary parts"
            )
        scalar = Parted(op.scalar, mask)
        mapper = type(op)(scalar, fastmath=op.fastmath, prefer=op.prefer, certify=op.certify)
        imaginary = mapper._probe.outputs[1::2]
        real = [node.op == "const" and not node.data for node in imaginary]
        entry = op.carried[key] = mapper, real
    return entry


def on_numpy(
    op: Any,
    operands: Sequence[Any],
    parameters: Mapping[str, Any],
    out: Sequence[Any],
    options: dict[str, Any],
) -> Any:
    """Apply a scalar operator with a ufunc's options where something is complex."""
    dtype = options.pop("dtype", None)
    arrays = [x if type(x) in (bool, int, float, complex) else np.asarray(x) for x in operands]
    if dtype is not None:
        arrays = [np.asarray(x).astype(dtype) for x in arrays]
    if options.pop("where", True) is not True:
        raise ArgumentError(
            f"{op.__name__}: where= is not taken with complex operands; use np.where on the result"
        )
    outs = out if any(o is not None for o in out) else None
    return apply(op, arrays, parameters, outs)
