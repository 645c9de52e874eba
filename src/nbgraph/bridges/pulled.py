"""The gradient of a function as a function of the same arrays and of cotangents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nbgraph.autograd.linear import vjp
from nbgraph.autograd.results import at_places
from nbgraph.autograd.traced_once import TracedOnce
from nbgraph.signatures import Function


def pulled(f: Function, count: int, wanted: Sequence[int]) -> Function:
    """Return the function that gives a tuple of gradients with respect to the `wanted` of `count`
    operands, for the operands and then the cotangents of all outputs. It can be pulled itself."""

    def gradients(*values: Any) -> tuple[Any, ...]:
        operands, cotangents = values[:count], values[count:]

        chosen = at_places(f, operands, wanted, {})
        out, pull = vjp(chosen, *(operands[place] for place in wanted))
        single = not isinstance(out, (tuple, list))
        return tuple(pull(cotangents[0] if single else type(out)(cotangents)))

    return TracedOnce(gradients)
