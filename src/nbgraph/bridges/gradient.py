"""The gradient of a function as a function of the same arrays and of cotangents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nbgraph.autograd.linear import vjp
from nbgraph.autograd.results import at_places
from nbgraph.autograd.traced_once import TracedOnce
from nbgraph.signatures import Function


def gradient_function(f: Function, count: int, wanted: Sequence[int]) -> Function:
    """Return a function of operands, then cotangents of all outputs, that returns a tuple of
    gradients by the `wanted` of `count` operands. It can be differentiated this way itself."""

    def gradients(*values: Any) -> tuple[Any, ...]:
        operands, cotangents = values[:count], values[count:]

        chosen = at_places(f, operands, wanted, {})
        out, pull = vjp(chosen, *(operands[place] for place in wanted))
        single = not isinstance(out, (tuple, list))
        return tuple(pull(cotangents[0] if single else type(out)(cotangents)))

    return TracedOnce(gradients)
