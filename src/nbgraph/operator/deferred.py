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

from nbgraph.errors import ShapeError
from nbgraph.operator.call import carrier_of

_Function = TypeVar("_Function", bound=Callable[..., Any])
Outputs = Callable[..., int | None]


class UnknownShape(ShapeError):
    """The shape or dtype of a value to come decides what is to be done, and is not known yet.

    `carrier` is the value's class, whose `__nbgraph_defer__(function, args, kwargs, outputs)` makes
    a node of the call.
    """

    def __init__(self, message: str, carrier: Any = None) -> None:
        super().__init__(message)
        self.carrier = carrier


@dataclass(frozen=True, slots=True)
class Slot:
    """The place of an operand among the arguments of a deferred call."""

    index: int


def deferrable(
    outputs: Outputs | None = None, *, draws: bool = False, ordered: bool = False
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
    """

    def decorate(function: _Function) -> _Function:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            carrier = carrier_of((*args, *kwargs.values())) if ordered else None
            defer = getattr(carrier, "__nbgraph_defer__", None)
            if defer is not None:
                return defer(call, args, kwargs, None)
            try:
                return function(*args, **kwargs)
            except UnknownShape as problem:
                defer = getattr(problem.carrier, "__nbgraph_defer__", None)
                count = None if outputs is None else outputs(*args, **kwargs)
                if defer is None or (count is None and outputs is not None):
                    raise
            return defer(call, args, kwargs, count or None)

        call.draws = draws  # type: ignore[attr-defined]
        return call  # type: ignore[return-value]

    return decorate
