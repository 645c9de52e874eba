"""Operators are pickled by content: text, constants, helpers; the other side needs no module."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbgraph.errors import CaptureError
from nbgraph.kernels.capture.snapshot import freeze, thaw
from nbgraph.kernels.function import WrittenFunction
from nbgraph.operator.gradient import read_gradient

if TYPE_CHECKING:
    from nbgraph.operator.mapper import Mapper


def reduce_mapper(op: Mapper) -> tuple[Any, tuple[Any, ...]]:
    """For `Mapper.__reduce__`."""
    if op.origin is not None:
        return _derivative, op.origin
    scalar = op.scalar
    if not isinstance(scalar, WrittenFunction):
        raise CaptureError(f"{op.__name__}: this operator cannot be pickled; pickle its parent")
    gradient = op.hand_gradient
    hand = freeze(gradient.scalar.fn) if gradient is not None else None  # type: ignore[attr-defined]
    options = {"fastmath": op.fastmath, "prefer": op.prefer, "certify": op.certify}
    return _written, (type(op), freeze(scalar.fn), scalar.name, options, hand)


def _written(
    mapper: type[Mapper], data: Any, name: str, options: dict[str, Any], hand: Any
) -> Mapper:
    scalar = WrittenFunction(thaw(data))
    scalar.name = name
    made = mapper(scalar, **options)
    if hand is not None:
        made.hand_gradient = read_gradient(scalar, made.nout, thaw(hand))
    return made


def _derivative(parent: Mapper, wrt: str, order: int) -> Mapper:
    return parent.derivative(wrt, order=order)
