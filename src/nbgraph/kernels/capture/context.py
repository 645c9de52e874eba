"""What functions that trace parts of a text are given: the tracer, and a call that is traced."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Mapping, Sequence
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
from nbgraph.kernels.capture.values import Env, Graph, Node, Value

if TYPE_CHECKING:
    from nbgraph.kernels.capture.tracer import FunctionTracer as Tracer
else:
    Tracer = object  # its file imports those of all functions that take one

OnInvalid = Literal["raise", "nan"]  # what becomes of an element that a text raises for
Answer = Callable[[Env, Node], Value]


@runtime_checkable
class Inlinable(Protocol):
    """What an operator offers so that it can be called inside another scalar function."""

    def inline(self, call: Call) -> Value:
        """The value of the operator for these values, built in the tracer's graph."""
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
