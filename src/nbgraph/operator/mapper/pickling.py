"""Operators are pickled by content: text, constants, helpers; no module is needed to load them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from nbgraph.errors import CaptureError
from nbgraph.kernels.capture.snapshot import Data, freeze, thaw
from nbgraph.kernels.function.scalar_function import WrittenFunction
from nbgraph.operator import registry
from nbgraph.operator.mapper.forms import Derived as Derived
from nbgraph.operator.mapper.forms import Specialized, specialized
from nbgraph.operator.scalar.gradient import read_gradient

if TYPE_CHECKING:
    from nbgraph.operator.scalar.elementwise import Elementwise


def reduce_mapper(op: Elementwise) -> tuple[Any, tuple[Any, ...]]:
    """Return the result of `Mapper.__reduce__`."""
    name = op.__name__
    if name in registry.library() and registry.find(name) is op:
        return registry.find, (name,)  # the reader has it, too
    if isinstance(op.origin, Derived):
        return op.origin.make, op.origin.arguments
    if isinstance(op.origin, Specialized):
        return specialized, op.origin
    if op.origin is not None:
        return _derivative, op.origin
    frozen = freeze_mapper(op)
    return written, (type(op), frozen.function, op.scalar.name, frozen.options, frozen.gradient)


class Frozen(NamedTuple):
    """A written operator as data."""

    function: Data
    gradient: Data | None  # written by hand
    options: dict[str, Any]  # keywords of `ng.op`


def freeze_mapper(op: Elementwise) -> Frozen:
    """Return a written operator as data; CaptureError names what cannot be pickled."""
    scalar = op.scalar
    if not isinstance(scalar, WrittenFunction):
        raise CaptureError(f"{op.__name__}: this operator cannot be pickled; pickle its parent")
    gradient = op.hand_gradient
    hand = freeze(gradient.scalar.fn) if gradient is not None else None  # type: ignore[attr-defined]
    options = {"fastmath": op.fastmath, "prefer": op.prefer, "certify": op.certify}
    options["on_invalid"] = scalar.on_invalid
    return Frozen(freeze(scalar.fn), hand, options)


def written(
    mapper: type[Any], data: Data, name: str, options: dict[str, Any], hand: Data | None
) -> Any:
    """Return the operator for the data of `freeze_mapper`. Executes its text."""
    options = dict(options)
    scalar = WrittenFunction(thaw(data), on_invalid=options.pop("on_invalid", "raise"))
    scalar.name = name
    op = mapper(scalar, **options)
    if hand is not None:
        op.hand_gradient = read_gradient(scalar, op.nout, thaw(hand))
    return op


def _derivative(parent: Elementwise, wrt: str, order: int) -> Elementwise:
    return parent.derivative(wrt, order=order)
