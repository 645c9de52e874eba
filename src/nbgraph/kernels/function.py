"""A scalar function: its signature, and its graph for the kinds of its operands."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Mapping, Sequence
from types import FunctionType
from typing import Any, NamedTuple, Protocol

import numpy as np

from nbgraph.errors import ArgumentError, CaptureError
from nbgraph.kernels.capture.names import Watch
from nbgraph.kernels.capture.text import NoSourceError
from nbgraph.kernels.capture.tracer import Tracer
from nbgraph.kernels.capture.values import Static, Undefined, Value, flatten
from nbgraph.kernels.kinds import kind_of_value
from nbgraph.kernels.scalar import Graph, Node

LIBRARY = "nbgraph."  # what the names of the package's modules begin with
MAX_CAPTURES = 32  # graphs kept per function, one for each combination of kinds


class Parameter(NamedTuple):
    """A keyword-only scalar parameter; `required` has no default."""

    name: str
    default: Any = None
    required: bool = False


class Captured(NamedTuple):
    """One graph: operand and parameter leaves and the outputs."""

    graph: Graph
    operands: tuple[Node, ...]
    parameters: tuple[Node, ...]
    outputs: tuple[Node, ...]

    def digest(self) -> str:
        """A hash of what is computed, independent of names, comments and layout."""
        number = {node.id: i for i, node in enumerate(self.graph.reachable(self.outputs))}
        parts = []
        for node in self.graph.reachable(self.outputs):
            data: Any = node.data
            if node.op == "final":
                _, init, out = self.graph.regions[node.data[0]].carried[node.data[1]]
                cond = self.graph.regions[node.data[0]].cond
                data = [number[n.id] for n in (init, out, cond) if n is not None]
            elif node.op == "phi":
                data = number[node.id]
            elif node.op == "extern":
                data = node.data.identity
            args = [number[a.id] for a in node.args]
            parts.append(f"{node.op} {args} {node.kind} {data!r}")
        parts.append(repr([number[o.id] for o in self.outputs]))
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()


class Scalar(Protocol):
    """What an operator is made of: a written function, or one derived from another."""

    name: str
    operands: tuple[str, ...]
    defaults: Mapping[str, Any]
    parameters: tuple[Parameter, ...]

    @property
    def shares_kernels(self) -> bool:
        """Whether definitions that differ in literals are to share kernels: users' are."""
        ...

    def capture(self, kinds: Sequence[str], parameters: Mapping[str, Any]) -> Captured:
        """The graph for operand kinds and parameter values (their kinds count, and the values
        of those that are no numbers)."""
        ...

    @property
    def watch(self) -> Watch:
        """The outside objects that were read."""
        ...

    def refresh(self) -> bool:
        """Forget captures where a watched object changed; whether it did."""
        ...


class WrittenFunction:
    """A plain Python function as scalar definition."""

    def __init__(self, fn: FunctionType) -> None:
        self.fn = fn
        self.name = "function" if fn.__name__ == "<lambda>" else fn.__name__
        self.operands: tuple[str, ...]
        self.defaults: Mapping[str, Any]
        self.parameters: tuple[Parameter, ...]
        self.operands, self.defaults, self.parameters = read_signature(fn)
        self.none_allowed = False  # in the tuple of a hand-given gradient
        # the library's own literals never change
        self.shares_kernels = not str(fn.__module__).startswith(LIBRARY)
        self._watch = Watch()
        self._captures: dict[tuple[Any, ...], Captured] = {}

    @property
    def watch(self) -> Watch:
        """The outside objects that were read."""
        return self._watch

    def refresh(self) -> bool:
        """Forget captures where a watched object changed."""
        if not self._watch.changed():
            return False
        self._watch = Watch()
        self._captures.clear()
        self.operands, self.defaults, self.parameters = read_signature(self.fn)
        return True

    def capture(self, kinds: Sequence[str], parameters: Mapping[str, Any]) -> Captured:
        """The graph for these kinds, traced once."""
        key = (tuple(kinds), parameter_kinds(parameters))
        found = self._captures.get(key)
        if found is None:
            found = self._trace(kinds, parameters)
            while len(self._captures) >= MAX_CAPTURES:
                self._captures.pop(next(iter(self._captures)), None)
            self._captures[key] = found
        return found

    def _trace(self, kinds: Sequence[str], parameters: Mapping[str, Any]) -> Captured:
        graph = Graph()
        operands = [
            graph.argument(name, kind) for name, kind in zip(self.operands, kinds, strict=True)
        ]
        env: dict[str, Value] = dict(zip(self.operands, operands, strict=True))
        leaves = []
        for name, value in parameters.items():
            kind = kind_of_value(value)
            if kind is None:
                env[name] = Static(value)
                continue
            env[name] = graph.parameter(name, kind)
            leaves.append(env[name])
        value = self._value(graph, env)
        if self.none_allowed and isinstance(value, tuple):
            value = tuple(_none_as_node(graph, v) for v in value)
        nodes = flatten(value)
        if not nodes:
            raise CaptureError(f"{self.name}: the result is {_describe(value)}, not a number")
        return Captured(graph, tuple(operands), tuple(leaves), tuple(nodes))

    def _value(self, graph: Graph, env: dict[str, Value]) -> Value:
        try:
            return Tracer(graph, self.fn, self._watch).run(env, graph.const(True))
        except NoSourceError:
            from nbgraph.kernels.opaque import opaque_call

            return opaque_call(graph, self.fn, [env[name] for name in self._order()])
        except RecursionError:
            code = self.fn.__code__
            raise CaptureError(
                f"{self.name}: an expression nests deeper than Python's stack\n"
                f'  File "{code.co_filename}", line {code.co_firstlineno}\n'
                "Instead: give parts of it names, in statements of their own."
            ) from None

    def _order(self) -> list[str]:
        return [*self.operands, *(p.name for p in self.parameters)]


def _none_as_node(graph: Graph, value: Value) -> Value:
    """None in the tuple of a hand-given gradient: not differentiable."""
    if isinstance(value, Static) and value.value is None:
        return graph.node("none", (), "f")
    return value


def _describe(value: Value) -> str:
    if isinstance(value, Undefined):
        return f"a value that {value.why}"
    return repr(getattr(value, "value", value))


def parameter_kinds(parameters: Mapping[str, Any]) -> tuple[Any, ...]:
    """What of the parameters' values a graph depends on."""
    return tuple(
        (name, kind_of_value(value) or ("static", value)) for name, value in parameters.items()
    )


def read_signature(
    fn: FunctionType,
) -> tuple[tuple[str, ...], dict[str, Any], tuple[Parameter, ...]]:
    """Operand names, defaults of operands, and keyword-only parameters."""
    if inspect.iscoroutinefunction(fn):
        raise CaptureError(f"{fn.__name__}: an async function gives no number; write a plain `def`")
    operands: list[str] = []
    defaults: dict[str, Any] = {}
    parameters: list[Parameter] = []
    for name, p in inspect.signature(fn, follow_wrapped=False).parameters.items():
        if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
            raise CaptureError(
                f"{fn.__name__}: *{name} in the signature is not understood\n"
                f'  File "{fn.__code__.co_filename}", line {fn.__code__.co_firstlineno}\n'
                "Instead: name every operand, and put scalar parameters after a bare *."
            )
        if p.kind is p.KEYWORD_ONLY:
            required = p.default is p.empty
            parameters.append(Parameter(name, None if required else p.default, required))
            continue
        operands.append(name)
        if p.default is not p.empty:
            if kind_of_value(p.default) is None:
                raise CaptureError(
                    f"{fn.__name__}: the default of operand {name!r} is {p.default!r}, no number; "
                    "make it a keyword-only parameter"
                )
            defaults[name] = p.default
    if not operands:
        raise CaptureError(f"{fn.__name__}: a scalar function needs at least one operand")
    return tuple(operands), defaults, tuple(parameters)


def resolve_parameters(
    name: str, parameters: Sequence[Parameter], given: Mapping[str, Any]
) -> dict[str, Any]:
    """Every parameter's value; ArgumentError for a missing, unknown or array one."""
    values: dict[str, Any] = {}
    for p in parameters:
        value = given.get(p.name, p.default)
        if p.required and p.name not in given:
            raise ArgumentError(
                f"{name}: the scalar parameter {p.name!r} is missing; give {p.name}=..."
            )
        if isinstance(value, (list, dict)) or _is_array(value):
            raise ArgumentError(
                f"{name}: the scalar parameter {p.name!r} is {_described(value)}; it takes one "
                "number. To vary it by element, or to compute it, make it an operand: move it "
                "before the * in the signature"
            )
        if isinstance(p.default, float) and kind_of_value(value) in ("i", "b"):
            value = float(value)  # one kernel serves sigma=2 and sigma=2.0
        values[p.name] = value.item() if isinstance(value, (np.generic, np.ndarray)) else value
    unknown = set(given) - set(values)
    if unknown:
        known = ", ".join(values) or "none"
        raise ArgumentError(f"{name}: unknown parameter {min(unknown)!r}; parameters: {known}")
    return values


def _is_array(value: Any) -> bool:
    """Arrays of every world; a NumPy array of one element may be a number."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.ndim > 0
    return hasattr(value, "__array_priority__") or bool(getattr(value, "ndim", 0))


def _described(value: Any) -> str:
    shape = getattr(value, "shape", None)
    return "an array or list" if shape is None else f"an array of shape {shape}"


def defaults_of(scalar: Scalar) -> dict[str, Any]:
    """Parameter values to look at a definition with; 1.0 where there is no default."""
    return {p.name: 1.0 if p.required else p.default for p in scalar.parameters}
