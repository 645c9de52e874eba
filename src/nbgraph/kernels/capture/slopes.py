"""What texts of the library say of slopes: a number without one, the derivative of a function."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any, cast

from nbgraph.kernels import derivative
from nbgraph.kernels.capture.special import held, slope
from nbgraph.kernels.capture.values import Static, Value
from nbgraph.kernels.scalar import Node

if TYPE_CHECKING:
    from nbgraph.kernels.capture.tracer import Tracer


def about_slopes(
    tracer: Tracer, node: ast.Call, target: object, args: list[Value], path: Node
) -> Value | None:
    """The value of a call of `held` or `slope`, None for other functions."""
    if target is held:
        number = cast("Node", args[0])
        if number.op == "final":
            tracer.graph.held.add(number.id)
        return number
    if target is not slope:
        return None
    f, x, others = args
    found: Any = f if isinstance(f, Static) else Static(f)
    value = tracer.apply(node, found.value, [x, *others], {}, path)
    if not isinstance(value, Node):
        tracer.refuse(node, "the function gives no number", "return one number")
    return derivative.partials(tracer.graph, [value], x)[0]
