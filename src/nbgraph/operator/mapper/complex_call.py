"""Scalar operators on complex operands: kernels over pairs, and other operators in graphs.

A kernel loads and stores the real and the imaginary part of each element; its formulas come from
the operator's text, captured with complex numbers (`kernels.capture.complex_functions`). For a
graph or a tape, an operator of the library becomes `complex_map` with its name, which has
gradients, and a user's function becomes one of real and imaginary parts, with a certified
derivative: `complex_parts(f_parts(real(z), imag(z)))`.
"""

import importlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgraph.errors import ArgumentError, DTypeError
from nbgraph.kernels.function.scalar_function import LIBRARY, WrittenFunction
from nbgraph.operator.call import recording
from nbgraph.operator.spec import Attributes

MET = "complex"  # key in `carried`: a kernel has had complex operands


def is_complex(value: Any) -> bool:
    """Return whether an operand, or a dtype, is known to be complex."""
    if type(value) is complex:
        return True
    if isinstance(value, np.dtype):
        return value.kind == "c"
    if type(value) in (list, tuple):
        return any(map(is_complex, value))
    return getattr(known_dtype(value), "kind", None) == "c"


def known_dtype(value: Any) -> np.dtype[Any] | None:
    """Return the dtype of an operand; None for a number, and for a symbol with an assumed dtype:
    reading that would fix it."""
    symbolic = hasattr(type(value), "known_dtype")
    try:
        return value.known_dtype if symbolic else getattr(value, "dtype", None)
    except ValueError:  # of another carrier, whose dtype is unknown yet
        return None


def any_complex(values: Sequence[Any]) -> bool:
    """Return whether an operand is known to be complex."""
    return any(map(is_complex, values))


def by_kernel(op: Any, values: Sequence[Any], outs: Sequence[Any] | None = None) -> bool:
    """Return whether a host kernel takes these complex operands: unrecorded, or for an operator
    that the tape knows by name (see `is_known`)."""
    known = is_known(op) and op.__name__ not in _elements().REFUSED
    if not _is_plain(op) or not (known or (recording.get() is None and not is_known(op))):
        return False
    op.carried[MET] = True
    places = [getattr(value, "_chunk", None) for value in (*values, *(outs or ()))]
    return all(place is None or place.device.host for place in places)


def is_known(op: Any) -> bool:
    """Return whether an operator has a `complex_map`."""
    return op.__module__.startswith(LIBRARY) and op.__name__ in _elements().FUNCTIONS


def on_tape(
    op: Any, operands: Sequence[Any], attributes: Attributes
) -> tuple[Any, Sequence[Any], Attributes]:
    """Return the operator, operands and attributes that a tape records."""
    if not any_complex(operands):
        return op, operands, attributes
    _, arrays, attributes = _elements().as_map(op.__name__, operands)
    return _elements().op_of(op.__name__), arrays, attributes


def _elements() -> Any:
    return importlib.import_module("nbgraph.ops.elementwise.complexes")  # a higher room


def _is_plain(op: Any) -> bool:
    return isinstance(op.scalar, WrittenFunction) and not (op.hand_gradient or op.scalar.draws)


def apply(op: Any, operands: Sequence[Any], attributes: Attributes, out: Any) -> Any:
    """Apply a scalar operator to operands of which some are complex; `out` as in `call`."""
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
        if type(value) is complex:  # parts of a number are numbers, without dtype
            values += [value.real, value.imag]
        else:
            values += [elements.real(value), elements.imag(value)] if parted else [value]
    by_parts, real = _by_parts(op, mask)
    results = by_parts(*values, **attributes)
    pairs = zip(results[::2], results[1::2], real, strict=True)
    outputs = [re if alone else elements.complex_parts(re, im) for re, im, alone in pairs]
    return outputs[0] if len(outputs) == 1 else tuple(outputs)


def _by_parts(op: Any, mask: tuple[bool, ...]) -> tuple[Any, Sequence[bool]]:
    """Return the operator over parts, and which of its results are real."""
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
