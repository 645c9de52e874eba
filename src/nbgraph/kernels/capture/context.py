"""The arguments of functions that trace parts of a text: the tracer, and a call."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from types import FunctionType
from typing import (
    TYPE_CHECKING,
    Any,
    Literal,
    NamedTuple,
    NoReturn,
    Protocol,
    cast,
    runtime_checkable,
)

from nbgraph.errors import CaptureError
from nbgraph.kernels.capture.lookups import Counter
from nbgraph.kernels.capture.names import Scope, Watch, is_own_text
from nbgraph.kernels.capture.text import FunctionText, collected, function_text, unkept
from nbgraph.kernels.capture.values import Env, Graph, Node, Static, Value

OnInvalid = Literal["raise", "nan"]  # what becomes of an element that a text raises for
Answer = Callable[[Env, Node], Value]


class Tracer:
    """Captures one function call; calls of helpers make nested tracers on the same graph.

    Files that take a tracer import this class; `tracer` gives it their functions.
    """

    parted = False  # whether results may be complex: they are two parts
    site: ast.AST | None = None  # the present call
    counter: Counter | None = None  # of the loop that is traced

    def __init__(
        self, graph: Graph, fn: FunctionType, watch: Watch, caller: Any = None, survey: Any = None
    ) -> None:
        self.graph, self.fn, self.watch = graph, fn, watch
        self.caller: Tracer | None = caller
        self.survey = survey  # Survey or None: what goes on behind constructs that are refused
        self.depth: int = 0 if caller is None else caller.depth + 1  # of calls
        self.pending: list[tuple[str, Node]] = []  # flags of exceptions, and where they were raised
        # what `try` statements around catch; the library's own texts raise nothing by themselves
        self.catching: tuple[type, ...] = ()
        if caller is not None and not is_own_text(fn):
            self.catching = caller.catching
        self.handled: list[dict[str, Node]] = []  # exceptions of the handlers that are traced
        self.text: FunctionText = function_text(fn)
        if caller is not None and fn.__code__.co_flags & inspect.CO_GENERATOR:
            self.text = self.text._replace(body=collected(self.text.body))
        body = unkept(fn.__name__, self.text.body, caller.text.body if caller else [])
        self.text = self.text._replace(body=body)
        self.frame: Env = {}  # the variables at the latest call, which nested functions see
        self.locals: dict[ast.AST, Static] = {}  # nested functions
        self.name, self.scope = fn.__name__, Scope(fn, watch)
        # functions that are being traced, with their paths
        self.active: tuple[tuple[object, Node], ...] = () if caller is None else caller.active
        # what stands for calls of functions that are loops
        self.answers: dict[object, Answer] = {} if caller is None else caller.answers
        # whether what holds on a path decides conditions: in calls of itself
        self.decides: bool = caller is not None and caller.decides
        self.ahead: list[tuple[str, Node]] = []  # what its trips raise, known before the first

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """The other functions of the table in `tracer`."""

    @property
    def operator(self) -> str:
        """The name of the function that all is traced for."""
        return self.fn.__name__ if self.caller is None else self.caller.operator

    def subtracer(self, fn: FunctionType) -> Tracer:
        """For a helper called from here."""
        return Tracer(self.graph, fn, self.watch, self, self.survey)

    refuse: Callable[..., NoReturn]
    outcome: Callable[[Env, Node], tuple[Value, Env]]
    # methods whose results are known better than as values
    block: Callable[[Sequence[ast.stmt], Env, Node], Env]
    statement: Callable[[ast.stmt, Env, Node], Env]
    going: Callable[[Env, Node, Callable[[Env, Node], Env]], Env]
    join_ended: Callable[[Node, Env, Env], Env]
    settled: Callable[..., Env]
    under: Callable[[Node], AbstractContextManager[None]]
    leave: Callable[[Env], None]
    unchecked: Callable[[Node], Node]
    condition: Callable[[ast.expr, Env, Node], Node]
    number: Callable[[ast.expr, Env, Node], Node]
    number_of: Callable[[Call, Value], Node]
    truth: Callable[[Value], Node]
    local: Callable[[Any, Env, Node], Static]
    written: Callable[[Value, str], FunctionType | None]
    changes_in_place: Callable[[Value, Env], bool]
    fails: Callable[..., Node | None]


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
        self._bound(make, "leave out what it does not take", self, *args, **kwargs)
        return make(self, *args, **kwargs)

    def _bound(self, fn: Callable[..., Any], remedy: str, *args: Any, **kwargs: Any) -> Any:
        try:
            return inspect.signature(fn).bind(*args, **kwargs)
        except TypeError as error:
            self.refuse(f"{self.name}(): {error}", remedy)

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
        bound = self._bound(fn, "give the arguments that it takes", *self.args, **self.kwargs)
        return [
            bound.arguments[name]
            if name in bound.arguments
            else self.tracer.constant(p.default, self.node)
            for name, p in inspect.signature(fn).parameters.items()
        ]
