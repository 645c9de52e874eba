"""Functions that are written inside a scalar function: nested `def` and `lambda`.

They are traced where they are called, like helpers. As in Python they see the variables around
them as these are at the call.
"""

from __future__ import annotations

import ast
import functools
import inspect
from typing import NamedTuple

from nbgraph.kernels.capture.context import Tracer
from nbgraph.kernels.capture.environment import RESULT, placed, without_flags
from nbgraph.kernels.capture.syntax import Definition, collected
from nbgraph.kernels.capture.values import Env, Node, Value

_TRANSPARENT = (functools.cache, functools.lru_cache, functools.wraps)  # of a nested function
_EMPTY = inspect.Parameter.empty


class Bound(NamedTuple):
    """A `functools.partial` made inside a scalar function: some parameters have values."""

    function: object
    args: tuple[Value, ...]
    kwargs: Env


class LocalFunction:
    """A nested function with the tracer of the function around it."""

    def __init__(self, definition: Definition, owner: Tracer, env: Env, path: Node) -> None:
        self.definition, self.owner = definition, owner
        self.name = getattr(definition, "name", "<lambda>")
        self.signature = self._signature(env, path)

    def __repr__(self) -> str:
        return f"the function {self.name!r}"

    def _signature(self, env: Env, path: Node) -> inspect.Signature:
        """Return the parameters with the values that their defaults have at the definition."""
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
        """Return its statements; those of a lambda are one `return`."""
        if isinstance(self.definition, ast.FunctionDef):
            return collected(self.definition.body)
        result = ast.Return(self.definition.body)
        return [ast.copy_location(result, self.definition.body)]

    def surroundings(self) -> Env:
        """Return the variables around it, as they are now."""
        return {k: v for k, v in without_flags(self.owner.frame).items() if k != RESULT}
