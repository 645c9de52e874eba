"""What captures a function, as those see it who trace parts of its text, and a call that is traced.

The parts of `FunctionTracer` build on `Tracer`, and functions take one: so no file that traces a
kind of text imports the file of the whole.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from types import FunctionType
from typing import Any, Literal, NamedTuple, NoReturn, Protocol, cast

from nbgraph.errors import CaptureError
from nbgraph.kernels.capture.lookups import Counter
from nbgraph.kernels.capture.names import Scope, Watch
from nbgraph.kernels.capture.text import FunctionText
from nbgraph.kernels.capture.values import Env, Static, Value
from nbgraph.kernels.scalar import Graph, Node

OnInvalid = Literal["raise", "nan"]  # what becomes of an element that a text raises for
Answer = Callable[[Env, Node], Value]


class Tracer(Protocol):
    """Captures one function call; what each function does is said where it stands."""

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
        ...

    def refuse(
        self, node: ast.AST, problem: str, remedy: str, error: type[CaptureError] = CaptureError
    ) -> NoReturn:
        """Raise CaptureError with the user's line and what to write instead."""
        ...

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
    number_of: Callable[[ast.expr, Value], Node]
    truth: Callable[[Value], Node]
    static: Callable[[ast.expr, Env], Any]
    constant: Callable[[Any, ast.expr], Value]
    attribute: Callable[[ast.expr, Any, str], Value]
    local: Callable[[Any, Env, Node], Static]
    binary: Callable[[str, Value, Value, Node], Value]
    # calls
    called: Callable[[Call, Env], Value]
    arguments: Callable[..., Env]
    of_record: Callable[..., Value]
    special: Callable[..., Value | None]
    written: Callable[[Value, str], FunctionType | None]
    apply: Callable[[Call], Value]
    compose: Callable[[FunctionType, Sequence[Value], Node], Value]
    # lists, arrays, dicts
    store_key: Callable[[ast.Subscript, Value, Value, Env, Node], None]
    held: Callable[[Value, Env], Value]
    read: Callable[[ast.expr, Value, Env], Value]
    deep: Callable[[ast.expr, Value, Env], Value]
    each: Callable[[ast.expr, Value, Env], Value]
    changes_in_place: Callable[[Value, Env], bool]
    entries: Callable[..., Value]
    places: Callable[[ast.Subscript, Value, Env, Node], tuple[Node | slice, ...]]
    as_kind: Callable[[Value, str], Value]
    keys: Callable[[ast.expr, Any], tuple[Value, ...]]
    listed: Callable[[ast.expr, Value], tuple[Value, ...]]
    raises: Callable[..., None]
    fails: Callable[..., Node | None]
    raises_lookup: Callable[..., None]


class Method(NamedTuple):
    """A method of a container or a string that a call names."""

    owner: Any
    name: str


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
