"""What a text raises for an element, with the values of that element.

Kernels know the element's number alone. The text itself, run for this one element, says the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nbgraph.errors import ElementError, of_element
from nbgraph.kernels.capture.raising import AlwaysRaises
from nbgraph.kernels.function import WrittenFunction
from nbgraph.operator import arguments

if TYPE_CHECKING:
    from nbgraph.operator.elementwise import Elementwise


def with_values(
    op: Elementwise,
    error: ElementError | AlwaysRaises,
    operands: Sequence[Any],
    out: Any,
    options: dict[str, Any],
) -> ElementError:
    """Return the error with the words of the text for its element, and the operands there.

    The error itself where the element is not known, its operands may have been overwritten, or the
    text does not raise the same for them, as one that draws random numbers.
    """
    if isinstance(error, AlwaysRaises):
        return error.error
    raised, element = error.raised, error.element
    scalar = op.scalar
    if raised is None or element is None or out is not None:
        return error
    if not isinstance(scalar, WrittenFunction):
        return error
    try:
        values, _, parameters = arguments.split(op, tuple(operands), options)
        scalars = [a.flat[element] for a in np.broadcast_arrays(*values)]
        words = _words(scalar, scalars, op.parameters(parameters), error)
    except Exception:  # the error itself is what matters
        return error
    if words is None:
        return error
    listed = ", ".join(f"{n}={v.item()!r}" for n, v in zip(scalar.operands, scalars, strict=True))
    message = words if "{" in raised.message else raised.message
    return of_element(raised._replace(message=message), element, listed)


def _words(
    scalar: WrittenFunction, scalars: Sequence[Any], parameters: dict[str, Any], error: ElementError
) -> str | None:
    """Return the words that the text raises for an element; None where it raises nothing such."""
    from nbgraph.operator.naive import per_element

    try:
        with np.errstate(all="ignore"):
            per_element(scalar, None, parameters)(*scalars)
    except Exception as found:
        if not isinstance(error, _built_in(type(found))):
            return None
        own = type(found).__name__ if type(found) is not _built_in(type(found)) else ""
        return (f"{own}: " if own else "") + ", ".join(map(str, found.args))
    return None


def _built_in(cls: type[BaseException]) -> type[BaseException]:
    """Return the class itself, or the nearest one above it that is built in."""
    return next(c for c in cls.__mro__ if c.__module__ == "builtins")
