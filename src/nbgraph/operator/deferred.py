"""Functions that compose operators by the shapes of their operands, on operands without shapes.

A symbol may be made before its shape is known. A function that has to know it, as `tile` does, is
decorated with `deferrable`: asked for a shape that is not known, it becomes one node that holds the
call, and is composed where the graph's shapes are known (`nbgraph.graph.composite`).
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
    """The shape or dtype of a value to come decides what is to be done, and is not known yet."""


@dataclass(frozen=True, slots=True)
class Slot:
    """The place of an operand among the arguments of a deferred call."""

    index: int


_defaults = [0]  # how often a dtype was read that is an assumption


def note_default() -> None:
    """Note that a dtype is read which is only the default: what depends on it has to wait."""
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
    """Decorate a public function that looks at shapes: without them its call becomes a node.

    Parameters
    ----------
    outputs : callable, optional
        `outputs(*args, **kwargs)`: how many results a call gives, where that is not one array; 0
        where it is one all the same; None where the shapes decide that, too: such a call is
        refused.
    draws : bool
        Whether two equal calls give different numbers.
    ordered : bool
        Whether a call on symbols is always a node, as the operators that it is composed of take the
        operands in another order: a graph's arguments stand in the order of the calls.
    names : tuple of str
        What several results are called behind the node's name, if not by numbers.
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
