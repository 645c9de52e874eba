"""Whether a function that touches a resource has said so in its push."""

from __future__ import annotations

from nbgraph.engine import Variable
from nbgraph.engine.operation import Operation
from nbgraph.engine.thread import here
from nbgraph.errors import EngineError


def check(variable: Variable, asked: str) -> None:
    """EngineError unless the calling thread runs a function that mutates the variable."""
    running = here.running
    if running is None:
        raise EngineError(
            f"{asked}: outside a pushed function anybody may be using it; push the function with "
            "mutate_vars=[resource.variable] and ask for it there, before it returns"
        )
    # a step of a plan is checked where the plan is made
    if type(running) is Operation and variable not in running.writes:
        raise EngineError(
            f"{asked}: {running.name!r} does not declare it, so another function may be using it; "
            "name resource.variable in the mutate_vars of the push"
        )
