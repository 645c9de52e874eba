"""Calls of functions known by identity, of operators, helpers, methods and nested functions."""

from __future__ import annotations

import ast
import dataclasses
import inspect
from collections.abc import Callable
from functools import partial
from types import FunctionType, MethodType
from typing import cast

import numpy as np

from nbgraph.errors import CaptureError, NbgraphError
from nbgraph.kernels.capture import (
    builtins,
    complex_numbers,
    inlining,
    integers,
    objects,
    refusals,
    sequences,
    trying,
    typed,
)
from nbgraph.kernels.capture.arrays import STEPS, spread
from nbgraph.kernels.capture.classes import (
    COPIES,
    DICT_MAKERS,
    instance,
    is_class,
    meanings_of,
    member,
    new_dict,
    replaced,
)
from nbgraph.kernels.capture.containers import Array, List, Mapping, Record
from nbgraph.kernels.capture.context import Call, Inlinable, Method, Tracer
from nbgraph.kernels.capture.displays import elements, summary
from nbgraph.kernels.capture.draws import distribution, draw
from nbgraph.kernels.capture.environment import is_true, placed
from nbgraph.kernels.capture.inlining import Bound, LocalFunction
from nbgraph.kernels.capture.joining import chosen
from nbgraph.kernels.capture.lists import next_of, once, view
from nbgraph.kernels.capture.names import NotYetDefined, is_of_arrays, plain_function
from nbgraph.kernels.capture.refusals import refusal
from nbgraph.kernels.capture.sequences import lookup, takes_tuples
from nbgraph.kernels.capture.special import detached, slope
from nbgraph.kernels.capture.table import operations, scipy_operation, text_of
from nbgraph.kernels.capture.text import KindError, walk
from nbgraph.kernels.capture.values import Choice, Complex, Env, Static, Undefined, Unset, Value
from nbgraph.kernels.derivatives import partials as derivative
from nbgraph.kernels.scalar.graph import Node


def call(tracer: Tracer, node: ast.Call, env: Env, path: Node) -> Value:
    """Return the value of a call."""
    try:
        callee = tracer.expression(node.func, env, path)
    except CaptureError as error:
        if isinstance(node.func, ast.Name) and tracer.scope.is_missing(node.func.id):
            raise NotYetDefined.of(error.obstacles) from None
        raise
    if isinstance(callee, Record) and (method := _method(callee.cls, "__call__")):
        callee = Static(Bound(method, (tracer.object(node.func, env, path),), {}))
    if not isinstance(callee, (Static, Choice)):
        if tracer.catching and any(is_true(where) for _, where in tracer.pending):
            return callee  # the attribute of a number that is called has raised
        tracer.refuse(node, "a number is called like a function", "check the name")
    if isinstance(callee, Static):
        value = summary(tracer, node, callee.value, env, path)
        if value is not None:
            return value
    args = elements(tracer, node.args, env, path, List)
    prepared = Call(tracer, node, path, None, args, _keywords(tracer, node, env, path))
    tracer.frame, tracer.site = env, node
    if isinstance(callee, Static):
        return tracer.called(prepared._replace(target=callee.value))

    def one(option: Static, here: Node) -> Value:
        taken = tracer.graph.logical_and(path, here)
        with tracer.under(here):
            return tracer.called(prepared._replace(target=option.value, path=taken))

    return tracer.read(node, chosen(tracer.graph, callee, one), env)


def _keywords(tracer: Tracer, node: ast.Call, env: Env, path: Node) -> dict[str, Value]:
    """Return the keyword arguments of a call; `**dict` gives one for each key."""
    keywords: dict[str, Value] = {}
    for keyword in node.keywords:
        value = placed(tracer.object(keyword.value, env, path), env)
        if keyword.arg is not None:
            keywords[keyword.arg] = value
            continue
        value = tracer.read(keyword.value, value, env)
        if not isinstance(value, Mapping) or not all(isinstance(k, str) for k in value.entries):
            what = "what follows ** is not a dict whose keys are names"
            tracer.refuse(keyword.value, what, "write the arguments out")
        keywords |= value.entries
    return keywords


def called(tracer: Tracer, call: Call) -> Value:
    """Return the value of a call whose arguments are evaluated; lists are passed as references."""
    call = _unbound(call)
    target, env = call.target, tracer.frame
    if isinstance(target, Method):
        return target.call(call, target.owner, target.name)
    if target is next and (value := next_of(call)) is not None:
        return value
    if target is locals:  # names that have a value
        names = tracer.fn.__code__.co_varnames
        return Mapping({n: env[n] for n in names if not isinstance(env.get(n, Unset()), Undefined)})
    as_dtype = target is np.asarray and len(call.args) > 1
    if (step := lookup(STEPS, target)) and call.args and not (call.kwargs or as_dtype):
        return view(call, call.args[0], call.answer(step, *call.args[1:]))
    if (name := lookup(_CONVERSIONS, target)) is not None and len(call.args) == 1:
        if (value := tracer.special(call, name, *call.args)) is not None:
            return value
    if lookup(_ITERATE, target):
        each = lambda a: tracer.each(call.node, a, env) if tracer.written(a, "__iter__") else a
        call = call.of(target, *map(each, call.args), **call.kwargs)
    if not (is_text := _is_text(target)):
        call = call.of(target, *(once(a, env) for a in call.args), **call.kwargs)
    read = call if is_text else call.deep()
    value = sequences.function(read, call)
    return tracer.apply(read) if value is None else value


def apply(tracer: Tracer, call: Call) -> Value:
    """Return the value that a function has for these arguments."""
    call = _unbound(call)
    target, args = call.target, call.args
    for handler in _HANDLERS:
        value = handler(call)
        if value is not None:
            return value
    if isinstance(target, MethodType):
        return _bound_method(call, target)
    if isinstance(target, LocalFunction):
        return inlining.local_function(call, target)
    if isinstance(target, Inlinable):
        return target.inline(call)
    operation = _operation_of(target)
    if operation is not None and isinstance(target, np.ufunc):  # a ufunc makes arrays of lists
        args = [sequences.as_arrays(a) for a in args]
    if operation is not None and any(isinstance(a, Array) for a in args):
        return spread(call, lambda *row: tracer.apply(call._replace(args=list(row))), *args)
    if operation is not None:
        if operation[0] == "complex" or any(isinstance(a, Complex) for a in call.values):
            return complex_numbers.apply(call, operation)
        result = builtins.operation(call, operation)
        if tracer.catching:
            trying.of_function(tracer, target, args, result)
        return result
    if (value := objects.of_library(call)) is not None:
        return value
    inner = plain_function(target)
    if inner is not None and is_of_arrays(inner, tracer.fn):
        return _refuse_function(call)
    if inner is not None:
        return inlining.function(call, inner)
    if (method := _method(type(target), "__call__")) is not None:
        return tracer.apply(call._replace(target=MethodType(method, target)))
    value = instance(call)
    return _refuse_function(call) if value is None else value


def _refuse_function(call: Call) -> Value:
    of_tuples, survey = takes_tuples(call.target), call.tracer.survey
    one = len(call.values) == 1 and isinstance(call.values[0], Node)
    if one and (of_tuples or call.target is iter) and call.target.__module__ == "builtins":
        if none := call.tracer.fails(call.node, TypeError, "a number is not iterable"):
            return none
    if any(isinstance(getattr(v, "value", v), objects.UnknownText) for v in call.values):
        what = f"the digits of a floating value, which {call.name}() gets, are not understood"
        call.refuse(what, "make it an integer with int()", KindError)
    what = f"the function {call.name!r} is not known to scalar functions"
    if of_tuples:
        what = f"the function {call.name!r} is known for a tuple, a list or an array only"
    remedy = refusals.function(call.target)
    if meanings := meanings_of(call.target):
        what = f"the class {call.name!r} has a {meanings[0]}, so it is more than its attributes"
        remedy = "use a class without it, a tuple or a list"
    error = refusal(call.tracer, call.node, what, remedy)
    if survey is not None and not of_tuples:
        survey.add(call.tracer, error)  # an obstacle for all arguments
    raise error


# methods and partial functions --------------------------------------------------------------------


def _unbound(call: Call) -> Call:
    """Return the call of the function behind a `partial`, with all arguments."""
    target, args, kwargs = call.target, call.args, call.kwargs
    constant = call.tracer.constant
    while isinstance(target, (partial, Bound)):
        if isinstance(target, partial):
            first = tuple(constant(a, call.node) for a in target.args)
            named = {k: constant(v, call.node) for k, v in target.keywords.items()}
            target = Bound(target.func, first, named)
        args, kwargs = [*target.args, *args], {**target.kwargs, **kwargs}
        target = target.function
    return call._replace(target=text_of(target) or target, args=args, kwargs=kwargs)


def _bound(call: Call) -> Value:
    """Return the value of `functools.partial(function, ...)`."""
    args = call.args
    if not args or not isinstance(args[0], Static):
        remedy = "write partial(function, value)"
        call.refuse("the first argument of partial() is not a function", remedy)
    return Static(Bound(args[0].value, tuple(args[1:]), dict(call.kwargs)))


def _bound_method(call: Call, target: MethodType) -> Value:
    """Return the value of a bound method: trace its text, or call an operator's for constants."""
    owner = target.__self__
    if not isinstance(owner, Inlinable):
        args = [Static(owner), *call.args]
        return call.tracer.apply(call._replace(target=target.__func__, args=args))
    known = [objects.known(value) for value in call.values]
    if None in known:
        call.refuse(f"{call.name}() takes constants here", "make the operator before")
    values = [value[0] for value in known if value is not None]
    count = len(call.args)
    try:
        op = target(*values[:count], **dict(zip(call.kwargs, values[count:], strict=True)))
    except NbgraphError as error:
        call.refuse(f"{call.name}(): {error}", "make the operator before")
    if not isinstance(op, Inlinable):
        call.refuse(f"{call.name}() makes no operator", "call it outside")
    return Static(op)


def _method(cls: type, name: str) -> FunctionType | None:
    method = inspect.getattr_static(cls, name, None)
    return method if isinstance(method, FunctionType) else None


# functions that are known by identity -------------------------------------------------------------


def _detached(call: Call) -> Value:
    """Return a number that has derivative 0 where a loop computes it."""
    number = cast("Node", call.args[0])
    if number.op == "final":
        call.graph.detached.add(number.id)
    return number


def _slope(call: Call) -> Value:
    """Return the derivative of a function that has a text."""
    f, x, others = call.args
    value = call.tracer.apply(call.of(f.value if isinstance(f, Static) else f, x, *others))
    if not isinstance(value, Node):
        call.refuse("the function gives no number", "return one number")
    return derivative.partials(call.graph, [value], x)[0]


def _exception(call: Call) -> Value | None:
    """Return None for an exception that is returned in place of a number, and note that the element
    raises it. An exception stored under a name may never be raised, so it is not noted."""
    results = [st for st in walk(call.tracer.text.body) if isinstance(st, ast.Return)]
    if not any(part is call.node for st in results for part in ast.walk(st)):
        return None
    words = ", ".join(str(v.value) for v in call.args if isinstance(v, Static))
    call.tracer.raises(call.node, call.target, words, call.graph.const(True))
    return Static(None)


def _known(call: Call) -> Value | None:
    known = lookup(_FUNCTIONS, call.target)
    return None if known is None else known(call)


_EXCEPTIONS = (ValueError, TypeError, ArithmeticError, ZeroDivisionError, OverflowError, Exception)
_FUNCTIONS: dict[object, Callable[[Call], Value | None]] = {
    detached: _detached,
    slope: _slope,
    partial: _bound,
    **dict.fromkeys(DICT_MAKERS, new_dict),
    **dict.fromkeys((dataclasses.replace, *COPIES), replaced),
    **dict.fromkeys(_EXCEPTIONS, _exception),
    int.to_bytes: lambda call: call.text(integers.to_bytes),
    int.from_bytes: lambda call: call.text(integers.from_bytes),
}
_OF_REFERENCES = (partial, dataclasses.replace, *DICT_MAKERS, *COPIES)
_CONVERSIONS: dict[object, str] = {f: f"__{f.__name__}__" for f in (abs, float, int, round, len)}
_ITERATE: dict[object, bool] = dict.fromkeys(
    (sum, min, max, list, tuple, set, sorted, zip, enumerate, any, all, map), True
)
# handlers that are asked first, in order: each returns the value of the call, or None
_HANDLERS: tuple[Callable[[Call], Value | None], ...] = (
    *(typed.function_of_number, _known, objects.apply, member, distribution, draw),
)


def _is_text(target: object) -> bool:
    """Return whether the callee's text is traced in place, so that it may change lists."""
    if target in _OF_REFERENCES or isinstance(target, (LocalFunction, MethodType)):
        return True
    if isinstance(target, type) and is_class(target):
        return True
    known = isinstance(target, Inlinable) or _operation_of(target) or takes_tuples(target)
    return not known and plain_function(target) is not None


def _operation_of(target: object) -> tuple[str, object] | None:
    try:
        operation = operations().get(target)
    except TypeError:  # unhashable
        return None
    return operation or scipy_operation(target)
