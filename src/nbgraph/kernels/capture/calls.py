"""Calls: of what is known by identity, of operators, helpers, methods and nested functions."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Sequence
from functools import partial
from inspect import Parameter
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any, NoReturn, Protocol, cast, runtime_checkable

import numpy as np

from nbgraph.errors import CaptureError, NbgraphError
from nbgraph.kernels.capture import complex_numbers, objects, remedies, trying, typed
from nbgraph.kernels.capture.arrays import Making
from nbgraph.kernels.capture.closures import Bound, LocalFunction
from nbgraph.kernels.capture.containers import Method
from nbgraph.kernels.capture.distributions import distribution
from nbgraph.kernels.capture.draws import drawn
from nbgraph.kernels.capture.generators import Generators
from nbgraph.kernels.capture.names import NotYetDefined, plain_function
from nbgraph.kernels.capture.raising import OnInvalid
from nbgraph.kernels.capture.recursion import MAX_INLINED, Answer, Recursion, Run, TooDeep
from nbgraph.kernels.capture.refusals import refusal
from nbgraph.kernels.capture.scipy_names import scipy_operation, solver
from nbgraph.kernels.capture.sequences import takes_tuples
from nbgraph.kernels.capture.slopes import about_slopes
from nbgraph.kernels.capture.table import operations
from nbgraph.kernels.capture.values import (
    OUTER,
    Array,
    Complex,
    Env,
    Mapping,
    Reference,
    Static,
    Value,
    View,
    flatten,
    lists_of,
    placed,
)
from nbgraph.kernels.scalar import Node

if TYPE_CHECKING:
    from nbgraph.kernels.capture.tracer import Tracer

MAX_DEPTH = 40  # of helpers that call helpers
NUMBER_METHODS: dict[str, Any] = {  # functions whose first argument is the number
    "conjugate": np.conjugate,
    "bit_length": int.bit_length,
    "bit_count": int.bit_count,
    **typed.METHODS,
}
_DEFAULT = object()  # stands for an argument that was left out


@runtime_checkable
class Inlinable(Protocol):
    """What an operator offers so that it can be called inside another scalar function."""

    def inline(
        self, tracer: Tracer, args: list[Value], kwargs: dict[str, Value], path: Node
    ) -> Value:
        """The value of the operator for these values, built in the tracer's graph."""
        ...


class Calls(Generators):
    """Mixed into Expressions."""

    depth: int
    frame: Env  # the variables at the latest call, which nested functions see
    active: tuple[tuple[object, Node], ...]  # functions that are being traced, with their paths
    answers: dict[object, Answer]  # what stands for calls of functions that are loops
    decides: bool  # whether what holds on a path decides conditions: in calls of itself

    def subtracer(self, fn: FunctionType) -> Tracer:
        """A tracer for a helper; see Tracer."""
        raise AssertionError

    def call(self, node: ast.Call, env: Env, path: Node) -> Value:
        """The value of a call."""
        try:
            callee = self._tracer.expression(node.func, env, path)
        except CaptureError as error:
            if isinstance(node.func, ast.Name) and self._tracer.scope.is_missing(node.func.id):
                raise NotYetDefined.of(error.obstacles) from None
            raise
        if not isinstance(callee, Static):
            self.refuse(node, "a number is called like a function", "check the name")
        found = self.summary(node, callee.value, env, path)
        if found is not None:
            return found
        args = self.elements(node.args, env, path)
        kwargs = self._keywords(node, env, path)
        self.frame, self._tracer.site = env, node
        target, args, kwargs = self._unbound(node, callee.value, args, kwargs)
        if isinstance(target, Method) and isinstance(target.owner, (tuple, Reference, View)):
            m = Making(self._tracer, node, path)
            return self.method_call(m, target, args, kwargs, env)
        if not _is_text(target):
            args = tuple(self._tracer.read(node, value, env) for value in args)
            kwargs = {name: self._tracer.read(node, value, env) for name, value in kwargs.items()}
        found = self.vector_call(node, target, args, kwargs, path)
        if found is None:
            found = self.sequence_call(node, target, args, kwargs, path)
        return self.apply(node, target, list(args), kwargs, path) if found is None else found

    def _keywords(self, node: ast.Call, env: Env, path: Node) -> dict[str, Value]:
        """The keyword arguments of a call; `**dict` stands for its items."""
        found: dict[str, Value] = {}
        for keyword in node.keywords:
            value = placed(self._tracer.object(keyword.value, env, path), env)
            if keyword.arg is not None:
                found[keyword.arg] = value
            elif isinstance(value, Mapping) and all(isinstance(k, str) for k in value.entries):
                found |= value.entries
            else:
                what = "what follows ** is no dict whose keys are names"
                self.refuse(keyword.value, what, "write the arguments out")
        return found

    def _unbound(
        self, node: ast.Call, target: Any, args: Sequence[Value], kwargs: dict[str, Value]
    ) -> tuple[Any, tuple[Value, ...], dict[str, Value]]:
        """The function of a partial one, with all arguments."""
        while isinstance(target, (partial, Bound)):
            if isinstance(target, partial):
                first = tuple(self._tracer.constant(a, node) for a in target.args)
                named = {k: self._tracer.constant(v, node) for k, v in target.keywords.items()}
                target = Bound(target.func, first, named)
            args, kwargs = (*target.args, *args), target.kwargs | kwargs
            target = target.function
        return target, tuple(args), kwargs

    def _bound(self, node: ast.Call, args: list[Value], kwargs: dict[str, Value]) -> Value:
        """`functools.partial(function, ...)`."""
        if not args or not isinstance(args[0], Static):
            remedy = "write partial(function, value)"
            self.refuse(node, "the first argument of partial() is not a function", remedy)
        return Static(Bound(args[0].value, tuple(args[1:]), kwargs))

    def apply(
        self, node: ast.Call, target: Any, args: list[Value], kwargs: dict[str, Value], path: Node
    ) -> Value:
        """A function applied to values."""
        tracer = cast("Tracer", self)
        target, every, kwargs = self._unbound(node, target, args, kwargs)
        args = list(every)
        if target is partial:
            return self._bound(node, args, kwargs)
        found = typed.function_of_number(tracer, node, target, args, kwargs)
        if found is None:
            found = objects.call(tracer, node, target, args, kwargs)
        if found is not None:
            return found
        found = distribution(tracer, node, target, args, kwargs, path)
        found = about_slopes(tracer, node, target, args, path) if found is None else found
        found = drawn(tracer, node, target, args, kwargs, path) if found is None else found
        if found is not None:
            return found
        if isinstance(target, MethodType):
            return self._bound_method(node, target, args, kwargs, path)
        if isinstance(target, Method) and isinstance(target.owner, (Node, Complex)):
            function = NUMBER_METHODS[target.name]
            return self.apply(node, function, [target.owner, *args], kwargs, path)
        if isinstance(target, Method) and not kwargs:
            return cast("Tracer", self).method(node, target, args)
        if isinstance(target, LocalFunction):
            return self.call_local(node, target, args, kwargs, path)
        if isinstance(target, Inlinable):
            return target.inline(cast("Tracer", self), args, kwargs, path)
        operation = _operation_of(target)
        if operation is not None and any(isinstance(a, Array) for a in args):
            m = Making(cast("Tracer", self), node, path)
            return m.spread(lambda *row: self.apply(node, target, list(row), kwargs, path), *args)
        if operation is not None:
            if operation[0] == "complex" or any(
                isinstance(a, Complex) for a in (*args, *kwargs.values())
            ):
                return complex_numbers.call(tracer, node, target, operation, args, kwargs, path)
            result = self.operation(node, operation, args, kwargs, path)
            if tracer.catching:
                trying.of_function(tracer, target, args, result)
            return result
        inner = solver(target) or plain_function(target)
        if inner is not None:
            return self.call_function(node, inner, args, kwargs, path)
        self._refuse_function(node, target)

    def _refuse_function(self, node: ast.Call, target: Any) -> NoReturn:
        tracer, name = self._tracer, ast.unparse(node.func)
        of_tuples = takes_tuples(target)
        what = f"the function {name!r} is not known to scalar functions"
        if of_tuples:
            what = f"the function {name!r} is known for a tuple, a list or an array only"
        error = refusal(tracer, node, what, remedies.function(target))
        if tracer.survey is not None and not of_tuples:
            tracer.survey.add(tracer, error)  # whatever its arguments are
        raise error

    def _bound_method(
        self,
        node: ast.Call,
        target: MethodType,
        args: list[Value],
        kwargs: dict[str, Value],
        path: Node,
    ) -> Value:
        """A method, whose text is traced; that of an operator makes another, as its derivative."""
        owner = target.__self__
        if not isinstance(owner, Inlinable):
            return self.apply(node, target.__func__, [Static(owner), *args], kwargs, path)
        known = [objects.known(value) for value in (*args, *kwargs.values())]
        name = ast.unparse(node.func)
        if None in known:
            self.refuse(node, f"{name}() takes constants here", "make the operator before")
        values = [found[0] for found in known if found is not None]
        given = values[: len(args)], dict(zip(kwargs, values[len(args) :], strict=True))
        try:
            made = target(*given[0], **given[1])
        except NbgraphError as error:
            self.refuse(node, f"{name}(): {error}", "make the operator before")
        if not isinstance(made, Inlinable):
            self.refuse(node, f"{name}() makes no operator", "call it outside")
        return Static(made)

    def call_function(
        self,
        node: ast.expr,
        fn: FunctionType,
        args: list[Value],
        kwargs: dict[str, Value],
        path: Node,
    ) -> Value:
        """A helper is traced in place: calls cost nothing at run time."""
        bound = self._arguments(node, fn.__name__, _signature(fn), args, kwargs)
        for name, value in bound.items():
            if value is _DEFAULT:
                default = _signature(fn).parameters[name].default
                bound[name] = self._tracer.constant(default, node)
        make = partial(self.subtracer, fn)
        return self.enter(node, fn, make, bound, path)

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
        tracer, around = self._tracer, around or {}
        tracer.site = node
        paths = {where.id for active, where in tracer.active if active is key}
        if len(paths | {path.id}) > MAX_INLINED or (paths and self.depth >= MAX_DEPTH):
            raise TooDeep(key, tracer, node)
        if paths and tracer.survey is not None:
            return tracer.survey.unknown()  # its text is being surveyed
        noted, made = len(tracer.pending), make()
        made.active = (*tracer.active, (key, path))
        made.decides = tracer.decides or bool(paths)
        try:
            if on_invalid == "nan":
                return made.run(values, path, on_invalid=on_invalid)
            return self._run(made, values, around, path)
        except TooDeep as deep:
            if paths or deep.key is not key:
                raise
            found = deep
        del tracer.pending[noted:]
        run = self.runner(make, around, on_invalid)
        return Recursion(found, tracer, made.name, run, values, path).value()

    def _run(self, tracer: Tracer, bound: Env, around: Env, path: Node) -> Value:
        """What a helper returns; it may change the lists that it is given."""
        env = {**around, **lists_of(self.frame)}
        env[OUTER] = frozenset(lists_of(self.frame))
        env.update({name: placed(value, env, name) for name, value in bound.items()})
        value, after = tracer.outcome(env, path)
        self._tracer.leave(after)
        self._tracer.adopt(self.frame, after)
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

    def call_local(
        self,
        node: ast.expr,
        target: LocalFunction,
        args: list[Value],
        kwargs: dict[str, Value],
        path: Node,
    ) -> Value:
        """A nested function, traced in place among the variables around it."""
        bound = self._arguments(node, target.name, target.signature, args, kwargs)
        for name, value in bound.items():
            if value is _DEFAULT:
                bound[name] = target.signature.parameters[name].default
        owner, text = target.owner, target.owner.text._replace(body=target.body())

        def make() -> Tracer:
            tracer = self._tracer.subtracer(cast("FunctionType", owner.fn))
            tracer.text, tracer.name = text, target.name
            return tracer

        return self.enter(node, target.definition, make, bound, path, target.surroundings())

    def _arguments(
        self,
        node: ast.expr,
        name: str,
        signature: inspect.Signature,
        args: list[Value],
        kwargs: dict[str, Value],
    ) -> Env:
        """Values by parameter, _DEFAULT for what was left out; at most MAX_DEPTH calls deep."""
        if self.depth > MAX_DEPTH:
            self.refuse(node, f"calls nest more than {MAX_DEPTH} deep", "write a `while` loop")
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError as error:
            self.refuse(node, f"{name}(): {error}", "match the helper's signature")
        nothing: dict[object, Value] = {Parameter.VAR_POSITIONAL: (), Parameter.VAR_KEYWORD: {}}
        found = {k: nothing.get(p.kind, _DEFAULT) for k, p in signature.parameters.items()}
        found |= bound.arguments
        return {k: Mapping(v) if isinstance(v, dict) else v for k, v in found.items()}


def _signature(fn: FunctionType) -> inspect.Signature:
    """Of the text itself, whatever it says to wrap."""
    return inspect.signature(fn, follow_wrapped=False)


def _is_text(target: object) -> bool:
    """Whether a callee's text is traced in place, so that it may change lists."""
    if target is partial or isinstance(target, (LocalFunction, MethodType)):
        return True
    known = isinstance(target, Inlinable) or _operation_of(target) is not None
    return not known and plain_function(target) is not None


def _operation_of(target: object) -> tuple[str, object] | None:
    try:
        found = operations().get(target)
    except TypeError:  # unhashable
        return None
    return found or scipy_operation(target)
