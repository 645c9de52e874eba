"""Calls: of what is known by identity, of operators, helpers, methods and nested functions, and of
what texts of the library say of slopes."""

from __future__ import annotations

import ast
import dataclasses
import inspect
from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from inspect import Parameter
from types import FunctionType, MethodType
from typing import Any, NoReturn, Protocol, cast, runtime_checkable

import numpy as np

from nbgraph.errors import CaptureError, NbgraphError
from nbgraph.kernels import derivative
from nbgraph.kernels.capture import complex_numbers, objects, refusals, trying, typed
from nbgraph.kernels.capture.arrays import STEPS, spread
from nbgraph.kernels.capture.classes import (
    COPIES,
    DICT_CHANGES,
    MISSING,
    is_class,
    meanings_of,
    new_dict,
    replaced,
)
from nbgraph.kernels.capture.closures import Bound, LocalFunction, nonlocals, walk
from nbgraph.kernels.capture.context import Answer, Call, Method, OnInvalid, Tracer
from nbgraph.kernels.capture.distributions import distribution
from nbgraph.kernels.capture.draws import draw
from nbgraph.kernels.capture.environment import OUTER, lists_of, placed
from nbgraph.kernels.capture.generators import Generators
from nbgraph.kernels.capture.joining import chosen
from nbgraph.kernels.capture.names import NotYetDefined, plain_function
from nbgraph.kernels.capture.records import Record
from nbgraph.kernels.capture.recursion import MAX_INLINED, Recursion, Run, TooDeep
from nbgraph.kernels.capture.refusals import refusal
from nbgraph.kernels.capture.sequences import lookup, takes_tuples
from nbgraph.kernels.capture.special import held, slope
from nbgraph.kernels.capture.table import operations, scipy_operation, solver
from nbgraph.kernels.capture.values import (
    Array,
    Choice,
    Complex,
    Env,
    Mapping,
    Reference,
    Resizable,
    Static,
    Undefined,
    Unset,
    Value,
    View,
    flatten,
)
from nbgraph.kernels.scalar import Node


def about_slopes(call: Call) -> Value | None:
    """Return the value of a call of `held` or `slope`, None for other functions."""
    graph = call.graph
    if call.target is held:
        number = cast("Node", call.args[0])
        if number.op == "final":
            graph.held.add(number.id)
        return number
    if call.target is not slope:
        return None
    f, x, others = call.args
    value = call.tracer.apply(call.of(f.value if isinstance(f, Static) else f, x, *others))
    if not isinstance(value, Node):
        call.refuse("the function gives no number", "return one number")
    return derivative.partials(graph, [value], x)[0]


_EXCEPTIONS = (ValueError, TypeError, ArithmeticError, ZeroDivisionError, OverflowError, Exception)


def exception(call: Call) -> Value | None:
    """Return nothing for an exception that is returned in place of a number: the element raises
    it. One that a name keeps may be raised later, or never."""
    if not any(call.target is cls for cls in _EXCEPTIONS):
        return None
    results = [st for st in walk(call.tracer.text.body) if isinstance(st, ast.Return)]
    if not any(part is call.node for st in results for part in ast.walk(st)):
        return None
    words = ", ".join(str(v.value) for v in call.args if isinstance(v, Static))
    call.tracer.raises(call.node, call.target, words, call.graph.const(True))
    return Static(None)


MAX_DEPTH = 40  # of helpers that call helpers
NUMBER_METHODS: dict[str, Any] = {  # functions whose first argument is the number
    "conjugate": np.conjugate,
    "bit_length": int.bit_length,
    "bit_count": int.bit_count,
    **typed.METHODS,
}
_OF_REFERENCES = (partial, dataclasses.replace, dict, OrderedDict, dict.fromkeys, *COPIES)
_CONVERSIONS: dict[object, str] = {f: f"__{f.__name__}__" for f in (abs, float, int, round)}
# what may know a function before all others: the value of its call, or None
_HANDLERS: tuple[Callable[[Call], Value | None], ...] = (
    *(typed.function_of_number, new_dict, objects.apply, distribution, about_slopes, draw),
    *(exception, replaced),
)


@runtime_checkable
class Inlinable(Protocol):
    """What an operator offers so that it can be called inside another scalar function."""

    def inline(self, call: Call) -> Value:
        """The value of the operator for these values, built in the tracer's graph."""
        ...


class Calls(Generators):
    """Mixed into Expressions."""

    def call(self, node: ast.Call, env: Env, path: Node) -> Value:
        """The value of a call."""
        try:
            callee = self.expression(node.func, env, path)
        except CaptureError as error:
            if isinstance(node.func, ast.Name) and self.scope.is_missing(node.func.id):
                raise NotYetDefined.of(error.obstacles) from None
            raise
        if isinstance(callee, Record) and (own := _method(callee.cls, "__call__")):
            callee = Static(Bound(own, (self.object(node.func, env, path),), {}))
        if not isinstance(callee, (Static, Choice)):
            self.refuse(node, "a number is called like a function", "check the name")
        if isinstance(callee, Static):
            summary = self.summary(node, callee.value, env, path)
            if summary is not None:
                return summary
        call = Call(self, node, path, None, list(self.elements(node.args, env, path)))
        call = call._replace(kwargs=self._keywords(node, env, path))
        self.frame, self.site = env, node
        if isinstance(callee, Static):
            return self.called(call._replace(target=callee.value), env)

        def one(option: Static, here: Node) -> Value:
            taken = self.graph.logical_and(path, here)
            with self.under(here):
                return self.called(call._replace(target=option.value, path=taken), env)

        return self.read(node, chosen(self.graph, callee, one), env)

    def called(self, call: Call, env: Env) -> Value:
        """The value of a call whose arguments are known, of lists as references to them."""
        call, node = self._unbound(call), call.node
        target = call.target
        if target is locals:  # those that have a value
            names = self.fn.__code__.co_varnames
            return Mapping(
                {n: env[n] for n in names if not isinstance(env.get(n, Unset()), Undefined)}
            )
        if isinstance(target, Method) and target.name in DICT_CHANGES:
            return self.change_keys(call, target.name, target.owner, env)
        if isinstance(target, Method) and isinstance(
            target.owner, (tuple, Reference, Resizable, View)
        ):
            return self.method_call(call, target, env)
        if (step := lookup(STEPS, target)) is not None and call.args and not call.kwargs:
            return self.view(call, call.args[0], call.answer(step, *call.args[1:]), env)
        if (name := lookup(_CONVERSIONS, target)) is not None and len(call.args) == 1:
            if (own := self.special(call, name, *call.args)) is not None:
                return own
        shared = call
        if not _is_text(target):
            values = [self.deep(node, value, env) for value in call.args]
            named = {name: self.deep(node, value, env) for name, value in call.kwargs.items()}
            call = call.of(target, *values, **named)
        if (value := self.vector_call(call)) is None:
            value = self.sequence_call(call, shared, env)
        return self.apply(call) if value is None else value

    def _keywords(self, node: ast.Call, env: Env, path: Node) -> dict[str, Value]:
        """The keyword arguments of a call; `**dict` stands for its items."""
        keywords: dict[str, Value] = {}
        for keyword in node.keywords:
            value = placed(self.object(keyword.value, env, path), env)
            if keyword.arg is not None:
                keywords[keyword.arg] = value
                continue
            value = self.read(keyword.value, value, env)
            if isinstance(value, Mapping) and all(isinstance(k, str) for k in value.entries):
                keywords |= value.entries
            else:
                what = "what follows ** is not a dict whose keys are names"
                self.refuse(keyword.value, what, "write the arguments out")
        return keywords

    def _unbound(self, call: Call) -> Call:
        """Return the call of the function of a partial one, with all arguments."""
        target, args, kwargs = call.target, call.args, call.kwargs
        while isinstance(target, (partial, Bound)):
            if isinstance(target, partial):
                first = tuple(self.constant(a, call.node) for a in target.args)
                named = {k: self.constant(v, call.node) for k, v in target.keywords.items()}
                target = Bound(target.func, first, named)
            args, kwargs = [*target.args, *args], {**target.kwargs, **kwargs}
            target = target.function
        return call._replace(target=target, args=args, kwargs=kwargs)

    def _bound(self, call: Call) -> Value:
        """`functools.partial(function, ...)`."""
        args = call.args
        if not args or not isinstance(args[0], Static):
            remedy = "write partial(function, value)"
            call.refuse("the first argument of partial() is not a function", remedy)
        return Static(Bound(args[0].value, tuple(args[1:]), dict(call.kwargs)))

    def apply(self, call: Call) -> Value:
        """The value of a function for the values of its arguments."""
        call = self._unbound(call)
        target, args = call.target, call.args
        if target is partial:
            return self._bound(call)
        for handler in _HANDLERS:
            value = handler(call)
            if value is not None:
                return value
        if isinstance(target, MethodType):
            return self._bound_method(call, target)
        if isinstance(target, Method) and isinstance(target.owner, (Node, Complex)):
            function = NUMBER_METHODS[target.name]
            return self.apply(call._replace(target=function, args=[target.owner, *args]))
        if isinstance(target, Method) and not call.kwargs:
            return self.method(call.node, target, args)
        if isinstance(target, LocalFunction):
            return self._call_local(call, target)
        if isinstance(target, Inlinable):
            return target.inline(call)
        operation = _operation_of(target)
        if operation is not None and any(isinstance(a, Array) for a in args):
            return spread(call, lambda *row: self.apply(call._replace(args=list(row))), *args)
        if operation is not None:
            if operation[0] == "complex" or any(isinstance(a, Complex) for a in call.values):
                return complex_numbers.apply(call, operation)
            result = self.operation(call, operation)
            if self.catching:
                trying.of_function(self, target, args, result)
            return result
        inner = solver(target) or plain_function(target)
        if inner is not None:
            return self._call_function(call, inner)
        if isinstance(method := getattr(type(target), "__call__", None), FunctionType):  # noqa: B004
            return self.apply(call._replace(target=MethodType(method, target)))
        value = self.instance(call, self.frame)
        return self._refuse_function(call) if value is None else value

    def _refuse_function(self, call: Call) -> NoReturn:
        of_tuples = takes_tuples(call.target)
        what = f"the function {call.name!r} is not known to scalar functions"
        if of_tuples:
            what = f"the function {call.name!r} is known for a tuple, a list or an array only"
        remedy = refusals.function(call.target)
        if meanings := meanings_of(call.target):
            what = f"the class {call.name!r} has a {meanings[0]}, so it is more than its attributes"
            remedy = "use a class without it, a tuple or a list"
        error = refusal(self, call.node, what, remedy)
        if self.survey is not None and not of_tuples:
            self.survey.add(self, error)  # whatever its arguments are
        raise error

    def _bound_method(self, call: Call, target: MethodType) -> Value:
        """A method, whose text is traced; that of an operator makes another, as its derivative."""
        owner = target.__self__
        if not isinstance(owner, Inlinable):
            args = [Static(owner), *call.args]
            return self.apply(call._replace(target=target.__func__, args=args))
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

    def _call_function(self, call: Call, fn: FunctionType) -> Value:
        """A helper is traced in place: calls cost nothing at run time."""
        signature = inspect.signature(fn, follow_wrapped=False)  # of the text itself
        bound = self.arguments(call, fn.__name__, signature)
        for name, value in bound.items():
            if value is MISSING:
                bound[name] = self.constant(signature.parameters[name].default, call.node)
        return self.enter(call.node, fn, partial(self.subtracer, fn), bound, call.path)

    def enter(
        self,
        node: ast.AST,
        key: object,
        make: Callable[[], Tracer],
        values: Env,
        path: Node,
        around: Env | None = None,
        on_invalid: OnInvalid = "raise",
    ) -> Value:
        """A function traced in place, or as loops where it calls itself."""
        if (answer := self.answers.get(key)) is not None:
            return answer(values, path)
        around = around or {}
        self.site = node
        paths = {where.id for active, where in self.active if active is key}
        if len(paths | {path.id}) > MAX_INLINED or (paths and self.depth >= MAX_DEPTH):
            raise TooDeep(key, self, node)
        if paths and self.survey is not None:
            return self.survey.unknown()  # its text is being surveyed
        noted, tracer = len(self.pending), make()
        tracer.active = (*self.active, (key, path))
        tracer.decides = self.decides or bool(paths)
        try:
            if on_invalid == "nan":
                return tracer.run(values, path, on_invalid=on_invalid)
            return self._run(tracer, values, around, path)
        except TooDeep as deep:
            if paths or deep.key is not key:
                raise
            depth = deep
        del self.pending[noted:]
        run = self.runner(make, around, on_invalid)
        return Recursion(depth, self, tracer.name, run, values, path).value()

    def _run(self, tracer: Tracer, bound: Env, around: Env, path: Node) -> Value:
        """What a helper returns; it may change the lists that it is given."""
        env = {**around, **lists_of(self.frame)}
        env[OUTER] = frozenset(lists_of(self.frame))
        env |= {name: placed(value, env, name, alone=True) for name, value in bound.items()}
        value, after = tracer.outcome(env, path)
        changed = nonlocals(tracer.text.body) if around else ()
        self.frame.update({name: after[name] for name in changed if name in after})
        self.leave(after)
        self.frame.update(lists_of(after))
        return value

    def runner(
        self, make: Callable[[], Tracer], around: Env, on_invalid: OnInvalid = "raise"
    ) -> Run:
        """What traces a function that is a loop, with answers to the calls of itself."""
        lists = lists_of(self.frame)

        def run(values: Env, path: Node, answers: dict[object, Answer]) -> Value:
            tracer = make()
            tracer.answers = {**self.answers, **answers}
            env = {**around, **lists, OUTER: frozenset(lists), **values}
            value = tracer.run(env, path, on_invalid=on_invalid)
            left = tracer.frame
            if any(name in left and flatten(left[name]) != flatten(v) for name, v in lists.items()):
                problem = f"{tracer.name}() calls itself and changes a list"
                tracer.refuse(tracer.text.body[0], problem, "write a `while` loop")
            return value

        return run

    def _call_local(self, call: Call, target: LocalFunction) -> Value:
        """A nested function, traced in place among the variables around it."""
        bound = self.arguments(call, target.name, target.signature)
        for name, value in bound.items():
            if value is MISSING:
                bound[name] = target.signature.parameters[name].default
        owner, text = target.owner, target.owner.text._replace(body=target.body())
        if nonlocals(text.body) and owner is not self:
            what = f"{target.name}(), which has a `nonlocal` statement, is called by another helper"
            call.refuse(what, "call it in the function around it, or return the new value")

        def make() -> Tracer:
            tracer = self.subtracer(cast("FunctionType", owner.fn))
            tracer.text, tracer.name = text, target.name
            return tracer

        around = target.surroundings()
        return self.enter(call.node, target.definition, make, bound, call.path, around)

    def arguments(self, call: Call, name: str, signature: inspect.Signature) -> Env:
        """Values by parameter, MISSING for what was left out; at most MAX_DEPTH calls deep."""
        if self.depth > MAX_DEPTH:
            call.refuse(f"calls nest more than {MAX_DEPTH} deep", "write a `while` loop")
        try:
            bound = signature.bind(*call.args, **call.kwargs)
        except TypeError as error:
            call.refuse(f"{name}(): {error}", "match the helper's signature")
        nothing: dict[object, Value] = {Parameter.VAR_POSITIONAL: (), Parameter.VAR_KEYWORD: {}}
        arguments = {k: nothing.get(p.kind, MISSING) for k, p in signature.parameters.items()}
        arguments |= bound.arguments
        return {k: Mapping(v) if isinstance(v, dict) else v for k, v in arguments.items()}


def _method(cls: type, name: str) -> FunctionType | None:
    method = inspect.getattr_static(cls, name, None)
    return method if isinstance(method, FunctionType) else None


def _is_text(target: object) -> bool:
    """Whether a callee's text is traced in place, so that it may change lists."""
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
