"""The result of a captured function: its value on all paths; errors are noted, checked or NaN."""

from __future__ import annotations

import functools
import math
from types import FunctionType
from typing import cast

from nbgraph.kernel_errors import Raised
from nbgraph.kernels.capture.containers import Mapping, Resizable, described, mapping
from nbgraph.kernels.capture.context import OnInvalid, Tracer
from nbgraph.kernels.capture.environment import RESULT, RETURNED, flag, is_true, raises_of
from nbgraph.kernels.capture.inlining import runner
from nbgraph.kernels.capture.joining import join_value
from nbgraph.kernels.capture.raising import flag_of, never_returns, of_flag
from nbgraph.kernels.capture.recursion import Recursion, TooDeep
from nbgraph.kernels.capture.values import (
    Env,
    Optional,
    Static,
    Undefined,
    Value,
    flatten,
    is_none,
    unflatten,
)
from nbgraph.kernels.scalar.graph import Node
from nbgraph.kernels.scalar.wording import place

RAISES = "is the result of a function that always raises"


def run(tracer: Tracer, env: Env, path: Node, *, on_invalid: OnInvalid = "raise") -> Value:
    """Return the value of the function for bound arguments, where `path` holds.

    The caller notes its exceptions; an operator, which has no caller, checks its results for them.
    `on_invalid="nan"`: the result is NaN where it raises.
    """
    value, after = tracer.outcome(env, path)
    if tracer.caller is None and isinstance(value, Undefined):
        value = never_returns(tracer, after, value, on_invalid)
    return _with_errors(tracer, after, tracer.dereference(value, after), on_invalid)


def outcome(tracer: Tracer, env: Env, path: Node) -> tuple[Value, Env]:
    """Return the value, which may refer to lists, and the environment with these and exceptions."""
    outer_line = tracer.graph.line
    env = tracer.block(tracer.text.body, env, path)
    value = env.get(RESULT, Undefined(RAISES))
    if not is_true(returned := flag(tracer.graph, env, RETURNED)):  # None where a path just ends
        none = Static(None)
        value = join_value(tracer.graph, returned, value, none) if RESULT in env else none
    if not tracer.depth:
        value, env = _of_operator(tracer, value, env)
    tracer.graph.line = outer_line
    return value, env


def _of_operator(tracer: Tracer, value: Value, env: Env) -> tuple[Value, Env]:
    """Return the result of an operator, with a TypeError for the elements where it is None."""
    last = tracer.text.body[-1]
    if is_none(value):
        what = "the result is None: no path returns a number"
        tracer.refuse(last, what, "return a number on every path, e.g. `return 0.0` at the end")
    values = mapping(tracer.dereference(value, env))
    if isinstance(values, Mapping):
        tracer.refuse(last, "the result is a dict, not a number", "return its values as a tuple")
    for part in values if isinstance(values, tuple) else (values,):
        if isinstance(part, tuple):
            what = f"the result holds {described(part)}"
            tracer.refuse(last, what, "return numbers as one tuple, e.g. `return x, *others`")
        if isinstance(part, Resizable):
            what = f"the result is {described(part)}"
            tracer.refuse(last, what, "return numbers, e.g. sum(values) or len(values)")
    value, nones = _without_none(value)
    if not nones:
        return value, env
    words = "the result is None, as no `return` with a number is reached"
    error = Raised(
        tracer.operator, "TypeError", words, place(tracer.text.filename, tracer.text.line_of(last))
    )
    where = functools.reduce(tracer.graph.logical_or, nones)
    return value, {**env, flag_of(tracer.graph, error): where}


def _with_errors(tracer: Tracer, env: Env, value: Value, on_invalid: OnInvalid) -> Value:
    """Return the result, with its exceptions noted in the caller or checked."""
    if on_invalid == "nan":
        return _with_nan(tracer, env, value)
    if tracer.caller is not None:
        tracer.caller.leave(env)
        return value
    nodes = flatten(value)  # of an operator, which ends the kernel for an element
    for name, where in raises_of(env).items() if nodes else ():
        error = of_flag(tracer.graph, name)
        nodes = [tracer.graph.check(n, where, error) for n in nodes or ()]
    return value if nodes is None else unflatten(value, nodes)


def _with_nan(tracer: Tracer, env: Env, value: Value) -> Value:
    """Return the result with NaN for the elements that raise."""
    graph, nodes = tracer.graph, flatten(value)
    where = functools.reduce(graph.logical_or, raises_of(env).values(), graph.const(False))
    if nodes is None or (where.op == "const" and not where.data):
        return value
    for node in nodes:
        if node.kind != "f":
            what = "on_invalid='nan' is asked for, and a result is not a floating value"
            remedy = "return a float, e.g. float(n), or leave on_invalid='raise'"
            tracer.refuse(tracer.text.body[-1], what, remedy)
    nan = graph.const(math.nan)  # times the value, whose derivative is NaN then, too
    return unflatten(
        value, [graph.select(where, graph.arithmetic("mul", n, nan), n) for n in nodes]
    )


def start(tracer: Tracer, env: Env, path: Node, on_invalid: OnInvalid) -> Value:
    """Return the value of the captured function, which may call itself."""
    fn = cast("FunctionType", tracer.fn)
    tracer.active = ((fn, path),)
    try:
        return tracer.run(env, path, on_invalid=on_invalid)
    except TooDeep as deep:
        if deep.key is not fn:
            raise
        depth = deep
    tracer.active = ()
    tracer.pending.clear()
    run = runner(tracer, functools.partial(tracer.subtracer, fn), {})
    value = Recursion(depth, tracer, tracer.name, run, env, path).value()
    return _with_errors(tracer, tracer.settled({}), value, on_invalid)


def _without_none(value: Value) -> tuple[Value, list[Node]]:
    """Return a value without its Nones, and the conditions on which there are such."""
    if isinstance(value, Optional):
        inner, nones = _without_none(value.value)
        return inner, [value.absent, *nones]
    if type(value) is not tuple:
        return value, []
    parts = [_without_none(part) for part in cast("tuple[Value, ...]", value)]
    return tuple(part for part, _ in parts), [none for _, nones in parts for none in nones]
