"""Functions that compose operators by shapes, applied to operands of unknown shape.

A symbol may exist before its shape is known. A function that depends on shapes, such as `tile`, is
decorated with `deferrable`: if a shape is unknown, the call becomes one node, which is composed
once the graph's shapes are known (`nbgraph.graph.composite`).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from nbgraph.errors import NbgraphError, ShapeError
from nbgraph.operator.call import carrier_of
from nbgraph.signatures import require_arguments, require_keywords

_Function = TypeVar("_Function", bound=Callable[..., Any])
Outputs = Callable[..., int | None]


class UnknownShape(ShapeError):
    """An operation depends on the shape or dtype of a future value, which is not known yet."""


@dataclass(frozen=True, slots=True)
class Slot:
    """The position of an operand among the arguments of a deferred call."""

    index: int


_defaults = [0]  # count of reads of assumed dtypes


def note_default() -> None:
    """Count a read of a dtype that is only the default: what depends on it must be deferred."""
    _defaults[0] += 1


def defaults_read() -> int:
    """Return how often dtypes were read that are only the default."""
    return _defaults[0]


def _deferral(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return what makes a node of a call: `__nbgraph_defer__` of the operands' class, or None."""
    values: list[Any] = []
    for value in (*args, *kwargs.values()):
        values += value if isinstance(value, (list, tuple)) else [value]
    return getattr(carrier_of(values), "__nbgraph_defer__", None)


def deferrable(
    outputs: Outputs | None = None,
    *,
    draws: bool = False,
    ordered: bool = False,
    names: tuple[str, ...] = (),
) -> Callable[[_Function], _Function]:
    """Decorate a public function that reads shapes: a call with unknown shapes becomes a node.

    Parameters
    ----------
    outputs : callable, optional
        `outputs(*args, **kwargs)`: the number of results, if not one array; 0 if it is one after
        all; None if it depends on shapes: such a call is refused.
    draws : bool
        Whether two equal calls return different numbers.
    ordered : bool
        Whether a call on symbols is always a node, because the composed operators read operands in
        another order: a graph's arguments are in the order of the calls.
    names : tuple of str
        Suffixes of the node's name for several results, instead of numbers.
    """

    def decorate(function: _Function) -> _Function:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            if ordered:
                defer = _deferral(args, kwargs)
                if defer is not None:
                    require_keywords(function, kwargs)
                    count = None if outputs is None else outputs(*args, **kwargs)
                    return defer(call, args, kwargs, count or None)
            seen = _defaults[0]
            try:
                result = function(*args, **kwargs)
                if _defaults[0] == seen:
                    return result
            except NbgraphError as problem:
                if _defaults[0] == seen and not isinstance(problem, UnknownShape):
                    raise
                defer = _deferral(args, kwargs)
                count = None if outputs is None else outputs(*args, **kwargs)
                if defer is None or (count is None and outputs is not None):
                    raise
                return defer(call, args, kwargs, count or None)
            except TypeError as error:
                require_arguments(function, args, kwargs, error)
                raise
            defer = _deferral(args, kwargs)
            if defer is None:
                return result
            count = len(result) if isinstance(result, (list, tuple)) else None
            return defer(call, args, kwargs, count)

        call.draws, call.names = draws, names  # type: ignore[attr-defined]
        return call  # type: ignore[return-value]

    return decorate
