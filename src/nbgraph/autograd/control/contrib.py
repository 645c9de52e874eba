"""`ng.nd.contrib`: MXNet's loops and branches, in its order of arguments; `name` has no effect."""

from __future__ import annotations

from typing import Any

from nbgraph.autograd.control import branches, loops
from nbgraph.autograd.results import require_function
from nbgraph.errors import require_whole
from nbgraph.signatures import Function

_PARTS = "the result of the step, and the next "


def foreach(body: Function, data: Any, init_states: Any, name: Any = None) -> tuple[Any, Any]:
    """Apply `out, states = body(part, states)` to each part of `data` along its first axis.

    Parameters
    ----------
    body : callable of a part and the states, which gives the result of the step and the next states
    data : an array, or a list of these
    init_states : an array, or a list of these

    Returns
    -------
    the results of all steps, stacked, and the last states

    >>> import nbgraph as ng
    >>> ng.nd.contrib.foreach(lambda x, s: (x + s, x + s), ng.array([1.0, 2.0]), ng.array(0.0))
    (array([1., 3.], dtype=float32), array(3., dtype=float32))
    """
    require_function("foreach", body, "body(data, states)")

    def step(states: Any, part: Any) -> tuple[Any, Any]:
        out, states = loops.pair("foreach: body", body(part, states), _PARTS + "states")
        return states, out

    words = "foreach", "init_states", "data"
    states, outs = loops.scanned(("foreach", body), step, init_states, data, call=words)
    return outs, states


def while_loop(
    cond: Function, func: Function, loop_vars: Any, max_iterations: int, name: Any = None
) -> tuple[Any, Any]:
    """Apply `out, loop_vars = func(*loop_vars)` as long as `cond(*loop_vars)` holds.

    Parameters
    ----------
    cond : callable of the variables that gives one bool, or number that is other than 0
    func : callable of the variables that gives the result of the step and the next variables
    loop_vars : list of arrays
    max_iterations : int
        The most steps, and the length of the stacked results.

    Returns
    -------
    the results of the steps, stacked, with zeros where there was no step; the last variables

    >>> import nbgraph as ng
    >>> x = ng.array(1.0)
    >>> ng.nd.contrib.while_loop(lambda x: x < 3, lambda x: (x, [x + 1]), [x], 4)
    (array([1., 2., 0., 0.], dtype=float32), [array(3., dtype=float32)])
    """
    require_function("while_loop", cond)
    require_function("while_loop", func)
    most = require_whole("while_loop: max_iterations", max_iterations, 0)

    def test(values: Any) -> Any:
        return branches.condition("while_loop", cond(*values), "what cond returns")

    def step(values: Any) -> tuple[Any, Any]:
        out, values = loops.pair("while_loop: func", func(*values), _PARTS + "variables")
        return (list(values) if isinstance(values, (list, tuple)) else [values]), out

    first = list(loop_vars) if isinstance(loop_vars, (list, tuple)) else [loop_vars]
    last, outs = loops.stacked_while(("contrib", cond, func), test, step, first, most)
    return outs, last


def cond(pred: Any, then_func: Function, else_func: Function, name: Any = None) -> Any:
    """Return `then_func()` where a condition holds, else `else_func()`.

    >>> import nbgraph as ng
    >>> x = ng.array(2.0)
    >>> ng.nd.contrib.cond(x > 1, lambda: x * 2, lambda: x)
    array(4., dtype=float32)
    """
    return branches.cond(pred, then_func, else_func)


__all__ = ["cond", "foreach", "while_loop"]
