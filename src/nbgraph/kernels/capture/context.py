"""The arguments of functions that trace parts of a text: the tracer, and a call."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from types import FunctionType
from typing import Any, Literal, NamedTuple, NoReturn, Protocol, cast, runtime_checkable

from nbgraph.errors import CaptureError
from nbgraph.kernels.capture.lookups import Counter
from nbgraph.kernels.capture.names import Scope, Watch
from nbgraph.kernels.capture.text import FunctionText
from nbgraph.kernels.capture.values import Env, Graph, Node, Static, Value

OnInvalid = Literal["raise", "nan"]  # what becomes of an element that a text raises for
Answer = Callable[[Env, Node], Value]


class Tracer:
    """The interface of `FunctionTracer`, which captures one function call.

    Files that take a tracer import this class, as `tracer` imports them.
    """

    graph: Graph
    fn: FunctionType
    watch: Watch
    scope: Scope
    text: FunctionText
    name: str
    caller: Tracer | None
    survey: Any  # Survey or None: what goes on behind constructs that are refused
    depth: int  # of calls
    pending: list[tuple[str, Node]]  # flags of exceptions, and where they were raised
    catching: tuple[type, ...]  # what the `try` statements around catch
    handled: list[dict[str, Node]]  # exceptions of the handlers that are traced
    frame: Env  # the variables at the latest call, which nested functions see
    active: tuple[tuple[object, Node], ...]  # functions that are being traced, with their paths
    answers: dict[object, Answer]  # what stands for calls of functions that are loops
    decides: bool  # whether what holds on a path decides conditions: in calls of itself
    site: ast.AST | None  # the call that is made now
    counter: Counter | None  # of the loop that is traced
    ahead: list[tuple[str, Node]]  # what its trips raise, known before the first

    @property
    def operator(self) -> str:
        """The name of the function that all is traced for."""
        return self.fn.__name__ if self.caller is None else self.caller.operator

    def refuse(
        self, node: ast.AST, problem: str, remedy: str, error: type[CaptureError] = CaptureError
    ) -> NoReturn:
        """Raise CaptureError with the user's line and what to write instead."""
        raise NotImplementedError(problem)

    parted: bool  # whether results may be complex: they are given as two parts
    start: Callable[..., Value]
    subtracer: Callable[[FunctionType], Tracer]
    run: Callable[..., Value]
    outcome: Callable[[Env, Node], tuple[Value, Env]]
    enter: Callable[..., Value]
    # statements: environments before and after, and the path
    block: Callable[[Sequence[ast.stmt], Env, Node], Env]
    statement: Callable[[ast.stmt, Env, Node], Env]
    going: Callable[[Env, Node, Callable[[Env, Node], Env]], Env]
    join_ended: Callable[[Node, Env, Env], Env]
    bind: Callable[[ast.expr, Value, Env], None]
    assign_to: Callable[..., None]
    settled: Callable[..., Env]
    under: Callable[[Node], AbstractContextManager[None]]
    leave: Callable[[Env], None]
    unchecked: Callable[[Node], Node]
    # expressions
    expression: Callable[[ast.expr, Env, Node], Value]
    object: Callable[[ast.expr, Env, Node], Value]
    evaluated: Callable[[ast.expr, Env, Node], Value]
    condition: Callable[[ast.expr, Env, Node], Node]
    number: Callable[[ast.expr, Env, Node], Node]
    number_of: Callable[[Call, Value], Node]
    truth: Callable[[Value], Node]
    static: Callable[[ast.expr, Env], Any]
    constant: Callable[[Any, ast.expr], Value]
    attribute: Callable[[ast.expr, Any, str], Value]
    local: Callable[[Any, Env, Node], Static]
    binary: Callable[[str, Value, Value, Node], Value]
    # calls
    called: Callable[[Call], Value]
    special: Callable[..., Value | None]
    written: Callable[[Value, str], FunctionType | None]
    apply: Callable[[Call], Value]
    compose: Callable[[FunctionType, Sequence[Value], Node], Value]
    # lists, arrays, dicts
    dereference: Callable[[Value, Env], Value]
    taken: Callable[..., Value]
    read: Callable[[ast.expr, Value, Env], Value]
    deep: Callable[[ast.expr, Value, Env], Value]
    each: Callable[[ast.expr, Value, Env], Value]
    changes_in_place: Callable[[Value, Env], bool]
    as_kind: Callable[[Value, str], Value]
    raises: Callable[..., None]
    fails: Callable[..., Node | None]
    joined: Callable[[ast.AST, Value, str], Value]
    raises_lookup: Callable[..., None]


@runtime_checkable
class Inlinable(Protocol):
    """What an operator offers so that it can be called inside another scalar function."""

    def inline(self, call: Call) -> Value:
        """Return the value of the operator for these values, built in the tracer's graph."""
        ...


class Method(NamedTuple):
    """A method of a value that a call names, and what a call of it gives."""

    owner: Value
    name: str
    call: Callable[[Call, Value, str], Value]


class Call(NamedTuple):
    """A call, or another use of values: the tracer, its text, its path, function, arguments."""

    tracer: Tracer
    node: Any
    path: Node
    target: Any = None
    args: Sequence[Value] = ()
    kwargs: Mapping[str, Value] = {}

    @property
    def graph(self) -> Graph:
        """The graph that is built."""
        return self.tracer.graph

    @property
    def name(self) -> str:
        """What the text calls the function."""
        return ast.unparse(self.node.func)

    @property
    def values(self) -> list[Value]:
        """All arguments."""
        return [*self.args, *self.kwargs.values()]

    def of(self, target: Any, *args: Value, **kwargs: Value) -> Call:
        """Return the call of another function with other arguments in its place."""
        return self._replace(target=target, args=args, kwargs=kwargs)

    def answer(self, make: Callable[..., Value], *args: Value, **kwargs: Value) -> Value:
        """Return what a function of this call gives for values; refused where it takes others."""
        try:
            inspect.signature(make).bind(self, *args, **kwargs)
        except TypeError as error:
            self.refuse(f"{self.name}(): {error}", "leave out what it does not take")
        return make(self, *args, **kwargs)

    def deep(self) -> Call:
        """Return the call with what lists hold in place of references to them."""
        deep = lambda value: self.tracer.deep(self.node, value, self.tracer.frame)
        kwargs = {name: deep(value) for name, value in self.kwargs.items()}
        return self._replace(args=[*map(deep, self.args)], kwargs=kwargs)

    def refuse(
        self, problem: str, remedy: str, error: type[CaptureError] = CaptureError
    ) -> NoReturn:
        """Raise CaptureError with the user's line and what to write instead."""
        self.tracer.refuse(self.node, problem, remedy, error)

    def text(self, fn: Callable[..., Any], *args: Value, **kwargs: Value) -> Value:
        """Return the value of a library function, traced with these arguments or the call's."""
        call = self.of(fn, *args, **kwargs) if args or kwargs else self
        text = cast("FunctionType", fn)
        return self.tracer.compose(text, call.in_order(text), self.path)

    def in_order(self, fn: FunctionType) -> list[Value]:
        """Return the arguments in the order of a function's parameters, with its defaults."""
        try:
            bound = inspect.signature(fn).bind(*self.args, **self.kwargs)
        except TypeError as error:
            self.refuse(f"{self.name}(): {error}", "give the arguments that it takes")
        return [
            bound.arguments[name]
            if name in bound.arguments
            else self.tracer.constant(p.default, self.node)
            for name, p in inspect.signature(fn).parameters.items()
        ]
