"""Scalar operators on complex operands: kernels of pairs, and other operators in graphs.

A kernel loads and stores the real and the imaginary part of each element; its formulas are those of
the operator's text, which is captured with complex numbers (`kernels.capture.complex_functions`).
Where a graph or a tape follows, an operator of the library is `complex_map`, by its name, which has
gradients, and a user's function is one of real and imaginary parts, with a certified derivative:
`complex_parts(f_parts(real(z), imag(z)))`.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgraph.errors import ArgumentError, DTypeError
from nbgraph.kernels.function.scalar_function import LIBRARY, WrittenFunction
from nbgraph.operator.call import recording
from nbgraph.operator.spec import Attributes

MET = "complex"  # what an operator carries of which a kernel has taken complex operands


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


def by_kernel(op: Any, values: Sequence[Any], outs: Sequence[Any] | None = None) -> bool:
    """Return whether a kernel of the host takes these complex operands, unrecorded or as what the
    tape knows by its name (see `is_known`)."""
    known = is_known(op) and op.__name__ not in _elements().REFUSED
    if not _is_plain(op) or not (known or (recording.get() is None and not is_known(op))):
        return False
    op.carried[MET] = True
    places = [getattr(value, "_chunk", None) for value in (*values, *(outs or ()))]
    return all(place is None or place.device.host for place in places)


def is_known(op: Any) -> bool:
    """Return whether `complex_map` stands for an operator."""
    return op.__module__.startswith(LIBRARY) and op.__name__ in _elements().FUNCTIONS


def on_tape(
    op: Any, operands: Sequence[Any], attributes: Attributes
) -> tuple[Any, Sequence[Any], Attributes]:
    """Return an operator, operands and attributes as a tape records them."""
    if not any_complex(operands):
        return op, operands, attributes
    _, arrays, attributes = _elements().as_map(op.__name__, operands)
    return _elements().op_of(op.__name__), arrays, attributes


def _elements() -> Any:
    return importlib.import_module("nbgraph.ops.elementwise.complexes")  # it lies above


def _is_plain(op: Any) -> bool:
    return isinstance(op.scalar, WrittenFunction) and not (op.hand_gradient or op.scalar.draws)


def apply(op: Any, operands: Sequence[Any], attributes: Attributes, out: Any) -> Any:
    """Apply a scalar operator to operands of which some are complex; `out` as `call` has it."""
    elements = _elements()
    if is_known(op):
        return elements.mapped(op.__name__, operands, out)
    if out is not None and any(o is not None for o in out):
        raise ArgumentError(
            f"{op.__name__}: out= is not taken with complex operands; write out[...] = result"
        )
    mask = tuple(map(is_complex, operands))
    values: list[Any] = []
    for value, parted in zip(operands, mask, strict=True):
        if type(value) is complex:  # parts of a number are numbers, which have no dtype
            values += [value.real, value.imag]
        else:
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
        from nbgraph.kernels.function.derived import Parted

        if not _is_plain(op):
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
