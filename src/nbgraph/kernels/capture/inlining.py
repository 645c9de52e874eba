"""Functions whose text is traced in place: helpers, nested functions, texts of the library."""

from __future__ import annotations

import ast
import functools
import inspect
from collections.abc import Callable, Sequence
from functools import partial
from inspect import Parameter
from types import FunctionType
from typing import NamedTuple

from nbgraph.kernels.capture.containers import Mapping
from nbgraph.kernels.capture.context import Answer, Call, OnInvalid, Tracer
from nbgraph.kernels.capture.environment import (
    OUTER,
    RESULT,
    adopt,
    lists_of,
    placed,
    without_flags,
)
from nbgraph.kernels.capture.recursion import MAX_INLINED, Recursion, Run, TooDeep
from nbgraph.kernels.capture.text import Definition, collected, nonlocals, unkept
from nbgraph.kernels.capture.values import Env, Node, Static, Value, flatten

MAX_DEPTH = 40  # of helpers within each other


def compose(tracer: Tracer, fn: FunctionType, args: Sequence[Value], path: Node) -> Value:
    """Return the value of a library function, traced in place; errors name the user's line."""
    names = fn.__code__.co_varnames[: fn.__code__.co_argcount + fn.__code__.co_kwonlyargcount]
    line = tracer.graph.line
    value = tracer.subtracer(fn).run(dict(zip(names, args, strict=True)), path)
    tracer.graph.line = line
    return value


def function(call: Call, fn: FunctionType) -> Value:
    """Return the value of a helper, traced in place: calls cost nothing at run time."""
    signature = inspect.signature(fn, follow_wrapped=False)  # of the text, not of what it wraps
    default = lambda parameter: call.tracer.constant(parameter.default, call.node)
    values = arguments(call, fn.__name__, signature, default)
    return call.tracer.enter(call.node, fn, partial(call.tracer.subtracer, fn), values, call.path)


def local_function(call: Call, target: LocalFunction) -> Value:
    """Return the value of a nested function, traced in place among the variables around it."""
    values = arguments(call, target.name, target.signature, lambda parameter: parameter.default)
    owner, text = target.owner, target.owner.text._replace(body=target.body())
    if nonlocals(text.body) and owner is not call.tracer:
        what = f"{target.name}(), which has a `nonlocal` statement, is called by another helper"
        call.refuse(what, "call it in the function around it, or return the new value")

    def make() -> Tracer:
        inner = call.tracer.subtracer(owner.fn)
        inner.text, inner.name = text, target.name
        return inner

    around = target.surroundings()
    return call.tracer.enter(call.node, target.definition, make, values, call.path, around)


def local(tracer: Tracer, node: Definition, env: Env, path: Node) -> Static:
    """Return a nested function as a value: one object for each definition without defaults."""
    function = tracer.locals.get(node)
    if function is None or node.args.defaults or any(node.args.kw_defaults):
        function = tracer.locals[node] = Static(LocalFunction(node, tracer, env, path))
    return function


def arguments(
    call: Call, name: str, signature: inspect.Signature, default: Callable[[Parameter], Value]
) -> Env:
    """Return values by parameter, `default(parameter)` for missing ones; refuse too deep calls."""
    if call.tracer.depth > MAX_DEPTH:
        call.refuse(f"calls nest more than {MAX_DEPTH} deep", "write a `while` loop")
    try:
        bound = signature.bind(*call.args, **call.kwargs).arguments
    except TypeError as error:
        call.refuse(f"{name}(): {error}", "match the helper's signature")
    values: Env = {}
    for key, parameter in signature.parameters.items():
        if parameter.kind is Parameter.VAR_POSITIONAL:
            values[key] = bound.get(key, ())
        elif parameter.kind is Parameter.VAR_KEYWORD:
            values[key] = Mapping(bound.get(key, {}))
        else:
            values[key] = bound[key] if key in bound else default(parameter)
    return values


def enter(
    tracer: Tracer,
    node: ast.AST,
    key: object,
    make: Callable[[], Tracer],
    values: Env,
    path: Node,
    around: Env | None = None,
    on_invalid: OnInvalid = "raise",
) -> Value:
    """Return the value of a function traced in place, or as loops if it calls itself."""
    if (answer := tracer.answers.get(key)) is not None:
        return answer(values, path)
    around = around or {}
    tracer.site = node
    paths = {where.id for active, where in tracer.active if active is key}
    if len(paths | {path.id}) > MAX_INLINED or (paths and tracer.depth >= MAX_DEPTH):
        raise TooDeep(key, tracer, node)
    if paths and tracer.survey is not None:
        return tracer.survey.unknown()  # its text is being surveyed
    noted, inner = len(tracer.pending), make()
    inner.active = (*tracer.active, (key, path))
    inner.decides = tracer.decides or bool(paths)
    try:
        if on_invalid == "nan":
            return inner.run(values, path, on_invalid=on_invalid)
        return _run(tracer, inner, values, around, path)
    except TooDeep as deep:
        if paths or deep.key is not key:
            raise
        depth = deep
    del tracer.pending[noted:]
    run = runner(tracer, make, around, on_invalid)
    return Recursion(depth, tracer, inner.name, run, values, path).value()


def _run(tracer: Tracer, inner: Tracer, values: Env, around: Env, path: Node) -> Value:
    """Return the result of a helper, which may change lists that it gets."""
    lists = lists_of(tracer.frame)
    env = {**around, **lists, OUTER: frozenset(lists)}
    env |= {name: placed(value, env, name, alone=True) for name, value in values.items()}
    value, after = inner.outcome(env, path)
    tracer.leave(after)
    adopt(tracer.frame, after, nonlocals(inner.text.body) if around else ())
    return value


def runner(
    tracer: Tracer, make: Callable[[], Tracer], around: Env, on_invalid: OnInvalid = "raise"
) -> Run:
    """Return a function that traces the body with answers to calls of itself."""
    lists = lists_of(tracer.frame)

    def run(values: Env, path: Node, answers: dict[object, Answer]) -> Value:
        inner = make()
        inner.answers = {**tracer.answers, **answers}
        env = {**around, **lists, OUTER: frozenset(lists), **values}
        value = inner.run(env, path, on_invalid=on_invalid)
        left = inner.frame
        if any(name in left and flatten(left[name]) != flatten(v) for name, v in lists.items()):
            problem = f"{inner.name}() calls itself and changes a list"
            inner.refuse(inner.text.body[0], problem, "write a `while` loop")
        return value

    return run


_TRANSPARENT = (functools.cache, functools.lru_cache, functools.wraps)  # ignored decorators
_EMPTY = inspect.Parameter.empty


class Bound(NamedTuple):
    """A `functools.partial` made inside a scalar function: some parameters have values."""

    function: object
    args: tuple[Value, ...]
    kwargs: Env


class LocalFunction:
    """A nested function, with the tracer of the enclosing function."""

    def __init__(self, definition: Definition, owner: Tracer, env: Env, path: Node) -> None:
        self.definition, self.owner = definition, owner
        self.name = getattr(definition, "name", "<lambda>")
        self.signature = self._signature(env, path)

    def __repr__(self) -> str:
        return f"the function {self.name!r}"

    def _signature(self, env: Env, path: Node) -> inspect.Signature:
        """Return the signature with the values that defaults have at the definition."""
        arguments = self.definition.args
        for decorator in getattr(self.definition, "decorator_list", ()):
            used = decorator.func if isinstance(decorator, ast.Call) else decorator
            parameters = self.owner.static(used, env)
            if parameters in _TRANSPARENT or str(getattr(parameters, "__module__", "")).startswith(
                "numba."
            ):
                continue
            what = "a decorator of a nested function is not understood"
            self.owner.refuse(decorator, what, "leave it out, or define the function outside")

        def value(default: ast.expr | None) -> Value:
            owner = self.owner
            return _EMPTY if default is None else placed(owner.object(default, env, path), env)

        positional = [*arguments.posonlyargs, *arguments.args]
        missing = [None] * (len(positional) - len(arguments.defaults))
        kinds = [(p, inspect.Parameter.POSITIONAL_OR_KEYWORD) for p in positional]
        kinds += [(p, inspect.Parameter.KEYWORD_ONLY) for p in arguments.kwonlyargs]
        defaults = [*missing, *arguments.defaults, *arguments.kw_defaults]
        parameters = [
            inspect.Parameter(p.arg, kind, default=value(default))
            for (p, kind), default in zip(kinds, defaults, strict=True)
        ]
        if arguments.vararg is not None:
            rest = inspect.Parameter(arguments.vararg.arg, inspect.Parameter.VAR_POSITIONAL)
            parameters.insert(len(positional), rest)
        if arguments.kwarg is not None:
            parameters.append(inspect.Parameter(arguments.kwarg.arg, inspect.Parameter.VAR_KEYWORD))
        return inspect.Signature(parameters)

    def body(self) -> list[ast.stmt]:
        """Return the statements of the function; those of a lambda are one `return`."""
        if isinstance(self.definition, ast.FunctionDef):
            return unkept(self.name, collected(self.definition.body), self.owner.text.body)
        result = ast.Return(self.definition.body)
        return [ast.copy_location(result, self.definition.body)]

    def surroundings(self) -> Env:
        """Return the variables of the enclosing functions, as they are now."""
        return {k: v for k, v in without_flags(self.owner.frame).items() if k != RESULT}
