"""One version of a jit function: its graph for one signature, and how results are put together."""

import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from types import FrameType
from typing import Any

import numpy as np

from nbgraph.array.core import Array
from nbgraph.autograd.content import Content
from nbgraph.autograd.graph_call import GraphFunction
from nbgraph.autograd.masked import Selected
from nbgraph.autograd.signature import Keyed
from nbgraph.autograd.traced import Traced
from nbgraph.autograd.tracing import Tracer, tracing
from nbgraph.autograd.tree import Place, builder, like, places
from nbgraph.errors import ArgumentError, noun
from nbgraph.graph.graph import Entry, Graph
from nbgraph.graph.symbol import Symbol
from nbgraph.operator.call import recording
from nbgraph.operator.lazy import is_lazy
from nbgraph.operator.scalar.typing import is_foreign
from nbgraph.tracebacks import shorten

_HOLE = object()


class Result:
    """The origin of a result: `sort` is "head", "argument" or "constant", `which` its index."""

    __slots__ = ("sort", "which")

    def __init__(self, place: tuple[str, Any]) -> None:
        self.sort, self.which = place


class Version:
    """A function traced for arguments like these.

    `graph`: Graph. `captured`: arrays found outside the arguments, read at each call. `lazy`:
    whether Dask arrays are among the arrays: then the graph is applied to them node by node.
    `content`: what the function depends on besides; when it has changed the version is not valid
    any more.
    """

    def __init__(
        self,
        fn: Callable[..., Any],
        name: str,
        keyed: Keyed,
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        static: Collection[Any],
    ) -> None:
        with tracing(name) as tracer:
            arguments = _Arguments(tracer, iter(keyed.arrays))
            labels = labels_of(fn, len(args))
            inner = [
                value if i in static else arguments.of(value, labels[i])
                for i, value in enumerate(args)
            ]
            named = {
                key: value if key in static else arguments.of(value, key)
                for key, value in kwargs.items()
            }
            try:
                out = fn(*inner, **named)
            except Exception as error:
                shorten(error)
                raise
            self._require_plain(name, out)
        self.content = Content([fn, *keyed.objects])
        self._objects = keyed.objects  # whose ids are in the key
        heads = self._results(out, arguments.symbols)
        variables = tracer.trace.variables
        self.captured = [array for array in variables.values() if array is not None]
        arrays = [*keyed.arrays, *self.captured]
        self.lazy = any(map(is_lazy, arrays))
        self.contiguous = not self.lazy and all(a._layout.contiguous for a in arrays)
        self.graph = Graph(heads, [*_order(variables)])
        self._require_known(name)
        self.function = GraphFunction(self.graph, name) if heads and not self.lazy else None

    def _results(self, out: Any, symbols: Sequence[Any]) -> list[Entry]:
        """Return the entries to compute, and note how the function's result consists of them."""
        values = [place.value for place in places(out, "out")]
        arguments = {id(symbol): i for i, symbol in enumerate(symbols)}
        heads: dict[int, int] = {}
        entries: list[Entry] = []
        self._places: list[tuple[str, Any]] = []
        for value in values:
            if id(value) in arguments:
                self._places.append(("argument", arguments[id(value)]))
            elif isinstance(value, Selected):
                value.refuse("return x[mask]")
            elif not isinstance(value, Symbol):
                self._places.append(("constant", value))
            else:
                if id(value) not in heads:
                    heads[id(value)] = len(entries)
                    entries.append(value.entry)
                self._places.append(("head", heads[id(value)]))
        direct = self._places == [("head", k) for k in range(len(entries))]
        self._single = direct and isinstance(out, Symbol)
        self._flat = direct and type(out) is tuple and all(isinstance(v, Symbol) for v in out)
        self._template = like(out, [_HOLE] * len(values), objects=True)
        self._assemble = builder(self._template, iter(range(len(values))))
        return entries

    def __call__(self, arrays: Sequence[Any], place: FrameType | None = None) -> Any:
        """Return the function's result for these arrays; `place`: see `Function.run`."""
        outputs: Sequence[Any] = []
        if self.lazy:
            from nbgraph.blocks.replay import replayed  # Dask is loaded already

            outputs = replayed(self.graph, [*arrays, *self.captured])
        elif self.function is not None:
            captured = self.captured
            quick = self.contiguous and recording.get() is None
            run = self.function.run if quick else self.function
            outputs = run([*arrays, *captured] if captured else arrays, place=place)
            if self._single:
                return outputs[0]
            if self._flat:
                return tuple(outputs)
        return self.assembled(arrays, outputs)

    def assembled(self, arrays: Sequence[Any], outputs: Sequence[Any]) -> Any:
        """Return the function's result for these arrays of the arguments and heads of the graph."""
        sources = {"argument": arrays, "head": outputs}
        values = [
            which if sort == "constant" else sources[sort][which] for sort, which in self._places
        ]
        if self._assemble is not None:
            return self._assemble(values)
        return like(self._template, values, objects=True)

    @property
    def results(self) -> Any:
        """The structure of the function's results, with a Result for each array."""
        return like(self._template, list(map(Result, self._places)), objects=True)

    # what is refused --------------------------------------------------------------------------

    def _require_plain(self, name: str, out: Any) -> None:
        if inspect.isgenerator(out) or inspect.isawaitable(out) or inspect.isasyncgen(out):
            raise ArgumentError(
                f"{name}: it returned {noun(out)}, whose values come later; a traced "
                "function returns arrays, or a dict, list or tuple of those"
            )

    def _require_known(self, name: str) -> None:
        variables = set(self.graph.variables)
        for node in self.graph.nodes:
            if node.op is None and node not in variables:
                raise ArgumentError(
                    f"{name}: its result depends on {node.name!r}, which is neither an argument "
                    "nor an array: a symbol made outside, or a value that an inner derivative left "
                    "in a variable; give it as an argument, or return it from the inner function"
                )


class _Arguments:
    """The arguments that a function is traced with, which have symbols in place of arrays."""

    def __init__(self, tracer: Tracer, arrays: Any) -> None:
        self._tracer, self._arrays = tracer, arrays
        self.symbols: list[Any] = []

    def of(self, value: Any, path: str) -> Any:
        """Return one argument, with symbols for arrays."""
        values = [self._value(place) for place in places(value, path)]
        return like(value, values, objects=True)

    def _value(self, place: Place) -> Any:
        value = place.value
        arrays = (Array, np.ndarray, np.generic)
        if place.owned or not (isinstance(value, arrays) or is_lazy(value) or is_foreign(value)):
            return value
        entry = self._tracer.trace.argument(place.path, next(self._arrays))
        self.symbols.append(Traced([entry]))
        return self.symbols[-1]


def labels_of(fn: Callable[..., Any], count: int) -> list[str]:
    """Return the names of the first `count` positional arguments of a function."""
    try:
        parameters = list(inspect.signature(fn).parameters.values())
    except (TypeError, ValueError):
        return [f"args[{i}]" for i in range(count)]
    labels: list[str] = []
    for i, parameter in enumerate(parameters):
        if parameter.kind is parameter.VAR_POSITIONAL:
            labels += [f"{parameter.name}[{k}]" for k in range(count - i)]
        elif parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            labels.append(parameter.name)
    labels += [f"args[{i}]" for i in range(len(labels), count)]
    return labels[:count]


def _order(variables: Mapping[Any, Array | None]) -> list[Any]:
    """Return the variables of arguments, then those of arrays from outside."""
    arguments = [node for node, array in variables.items() if array is None]
    return [*arguments, *(node for node, array in variables.items() if array is not None)]
