"""Library functions that are scalar texts themselves: traced in place of the call."""

from __future__ import annotations

import ast
import inspect
import math
from collections.abc import Sequence
from types import FunctionType
from typing import TYPE_CHECKING, NoReturn, cast

from nbgraph.errors import CaptureError
from nbgraph.kernels.capture import integers
from nbgraph.kernels.capture.raising import Raising
from nbgraph.kernels.capture.text import KindError
from nbgraph.kernels.capture.values import Array, Value
from nbgraph.kernels.scalar import Node

if TYPE_CHECKING:
    from nbgraph.kernels.capture.tracer import Tracer


class Texts(Raising):
    """Mixed into Tracer."""

    fn: FunctionType

    def refuse(
        self, node: ast.AST, problem: str, remedy: str, error: type[CaptureError] = CaptureError
    ) -> NoReturn:
        """Raise CaptureError; see Tracer."""
        raise AssertionError

    def compose(self, fn: FunctionType, args: Sequence[Value], path: Node) -> Value:
        """A function of the library, traced in place with the user's line kept."""
        tracer = cast("Tracer", self).subtracer(fn)
        names = fn.__code__.co_varnames[: fn.__code__.co_argcount + fn.__code__.co_kwonlyargcount]
        line = self.graph.line
        value = tracer.run(dict(zip(names, args, strict=True)), path)
        self.graph.line = line
        return value

    def call_text(
        self,
        node: ast.Call,
        fn: FunctionType,
        args: Sequence[Value],
        kwargs: dict[str, Value],
        path: Node,
    ) -> Value:
        """A text applied to the values of a call: numbers, tuples, None or functions."""
        return self.compose(fn, self.by_place(node, fn, args, kwargs), path)

    def vectors(self, value: Value) -> Value:
        """The tuples that a NumPy function returns are arrays."""
        return Array(map(self.vectors, value)) if isinstance(value, tuple) else value

    def call_whole(
        self,
        node: ast.Call,
        fn: FunctionType,
        args: Sequence[Value],
        kwargs: dict[str, Value],
        path: Node,
    ) -> Value:
        """A function of Python's integers: those of a narrow dtype do not wrap in it."""
        if fn in (integers.gcd, integers.lcm) and len(args) > 2:
            first, second, *others = args
            args = (self.call_whole(node, fn, (first, second), {}, path), *others)
            return self.call_whole(node, fn, args, kwargs, path)
        values = self.by_place(node, fn, args, kwargs)
        if any(isinstance(v, Node) and v.kind == "f" for v in values):
            problem = f"{fn.__name__}() is for integers"
            self.refuse(node, problem, "make them integers with int()", KindError)
        known = all(isinstance(v, Node) and v.op == "const" for v in values)
        if known:
            numbers = [int(v.data) for v in values]
            exact = fn in (integers.comb, integers.perm) and 0 <= numbers[-1] <= numbers[0]
            return self.graph.const((getattr(math, fn.__name__) if exact else fn)(*numbers))
        wide = [
            self.graph.cast(v, "int64") if isinstance(v, Node) and v.kind != "uint64" else v
            for v in values
        ]
        return self.compose(fn, wide, path)

    def by_place(
        self, node: ast.Call, fn: FunctionType, args: Sequence[Value], kwargs: dict[str, Value]
    ) -> list[Value]:
        """The arguments of a text in their order, with its defaults."""
        try:
            bound = inspect.signature(fn).bind(*args, **kwargs)
        except TypeError as error:
            name = ast.unparse(node.func)
            self.refuse(node, f"{name}(): {error}", "give the arguments that it takes")
        constant = cast("Tracer", self).constant
        return [
            bound.arguments[name] if name in bound.arguments else constant(p.default, node)
            for name, p in inspect.signature(fn).parameters.items()
        ]
