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

    The files for each subject import this class; the table in `tracer` lists their functions.
    """

    parted = False  # whether results may be complex, so that they are two parts
    site: ast.AST | None = None  # the call that is being traced
    counter: Counter | None = None  # the counter of the loop that is being traced

    def __init__(
        self, graph: Graph, fn: FunctionType, watch: Watch, caller: Any = None, survey: Any = None
    ) -> None:
        self.graph, self.fn, self.watch = graph, fn, watch
        self.caller: Tracer | None = caller
        self.survey = survey  # Survey or None: traces on behind constructs that are refused
        self.depth: int = 0 if caller is None else caller.depth + 1  # calls around this one
        self.pending: list[tuple[str, Node]] = []  # (flag, where it is raised)
        # exceptions that `try` statements around catch; the library's own texts ignore these
        self.catching: tuple[type, ...] = ()
        if caller is not None and not is_own_text(fn):
            self.catching = caller.catching
        self.handled: list[dict[str, Node]] = []  # exceptions of the handlers that are being traced
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
        # answers to calls of functions that are traced as loops
        self.answers: dict[object, Answer] = {} if caller is None else caller.answers
        # whether the path decides conditions, as in calls of a function from itself
        self.decides: bool = caller is not None and caller.decides
        self.ahead: list[tuple[str, Node]] = []  # what its trips raise, known before the first

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """The other functions of the table in `tracer`."""

    @property
    def operator(self) -> str:
        """The name of the operator's function."""
        return self.fn.__name__ if self.caller is None else self.caller.operator

    def subtracer(self, fn: FunctionType) -> Tracer:
        """Return the tracer of a helper that is called from here."""
        return Tracer(self.graph, fn, self.watch, self, self.survey)

    refuse: Callable[..., NoReturn]
    outcome: Callable[[Env, Node], tuple[Value, Env]]
    # methods whose types are declared
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
    """The protocol of operators that can be called inside another scalar function."""

    def inline(self, call: Call) -> Value:
        """Return the operator's value for these arguments, built in the tracer's graph."""
        ...


class Method(NamedTuple):
    """A method of a value that a text names, and the function that calls it."""

    owner: Value
    name: str
    call: Callable[[Call, Value, str], Value]


class Call(NamedTuple):
    """A call, or another use of values: its tracer, syntax node, path, function and arguments."""

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
        """The name of the function in the text."""
        return ast.unparse(self.node.func)

    @property
    def values(self) -> list[Value]:
        """All arguments."""
        return [*self.args, *self.kwargs.values()]

    def of(self, target: Any, *args: Value, **kwargs: Value) -> Call:
        """Return this call with another function and other arguments."""
        return self._replace(target=target, args=args, kwargs=kwargs)

    def answer(self, make: Callable[..., Value], *args: Value, **kwargs: Value) -> Value:
        """Return `make(self, *args, **kwargs)`; refuse arguments that it does not take."""
        self._bound(make, "leave out what it does not take", self, *args, **kwargs)
        return make(self, *args, **kwargs)

    def _bound(self, fn: Callable[..., Any], remedy: str, *args: Any, **kwargs: Any) -> Any:
        try:
            return inspect.signature(fn).bind(*args, **kwargs)
        except TypeError as error:
            self.refuse(f"{self.name}(): {error}", remedy)

    def deep(self) -> Call:
        """Return the call with the items of lists in place of references to them."""
        deep = lambda value: self.tracer.deep(self.node, value, self.tracer.frame)
        kwargs = {name: deep(value) for name, value in self.kwargs.items()}
        return self._replace(args=[*map(deep, self.args)], kwargs=kwargs)

    def refuse(
        self, problem: str, remedy: str, error: type[CaptureError] = CaptureError
    ) -> NoReturn:
        """Raise an error at the user's line, with what to write instead."""
        self.tracer.refuse(self.node, problem, remedy, error)

    def text(self, fn: Callable[..., Any], *args: Value, **kwargs: Value) -> Value:
        """Return the value of a library function, traced with other arguments or the call's."""
        call = self.of(fn, *args, **kwargs) if args or kwargs else self
        text = cast("FunctionType", fn)
        return self.tracer.compose(text, call.in_order(text), self.path)

    def in_order(self, fn: FunctionType) -> list[Value]:
        """Return the arguments in the order of the parameters of `fn`, with its defaults."""
        bound = self._bound(fn, "give the arguments that it takes", *self.args, **self.kwargs)
        return [
            bound.arguments[name]
            if name in bound.arguments
            else self.tracer.constant(p.default, self.node)
            for name, p in inspect.signature(fn).parameters.items()
        ]
