"""A scalar function: its signature, and its graph for the kinds of its operands."""

from __future__ import annotations

import contextlib
import hashlib
import inspect
from collections.abc import Mapping, Sequence
from types import FunctionType
from typing import Any, NamedTuple, Protocol
from weakref import WeakSet

from nbgraph.errors import CaptureError
from nbgraph.kernels.capture import complex_numbers, containers, draws
from nbgraph.kernels.capture.containers import described
from nbgraph.kernels.capture.context import Call
from nbgraph.kernels.capture.inlining import arguments
from nbgraph.kernels.capture.names import Watch
from nbgraph.kernels.capture.operators import refuse_wrapped
from nbgraph.kernels.capture.results import OnInvalid
from nbgraph.kernels.capture.survey import Survey
from nbgraph.kernels.capture.text import NoSourceError
from nbgraph.kernels.capture.tracer import Tracer
from nbgraph.kernels.capture.values import Complex, Static, Value, flatten, is_none
from nbgraph.kernels.function.signature import (
    Choice,
    Parameter,
    Signature,
    is_static,
    parameter_kinds,
    passes_on,
    read_signature,
    with_key,
)
from nbgraph.kernels.scalar.graph import Graph, Node
from nbgraph.kernels.scalar.kinds import kind_of_value
from nbgraph.tracebacks import file_label

LIBRARY = "nbgraph."  # prefix of the names of the package's modules
MAX_CAPTURES = 32  # graphs kept per function, one for each combination of kinds


class Captured(NamedTuple):
    """A graph with its operand and parameter leaves and its outputs. `pairs`: for the results of a
    function of complex numbers, whether each is complex and so two outputs."""

    graph: Graph
    operands: tuple[Node, ...]
    parameters: tuple[Node, ...]
    outputs: tuple[Node, ...]
    pairs: tuple[bool, ...] = ()

    def digest(self) -> str:
        """Return a hash of the computation, independent of names, comments and layout."""
        number = {node.id: i for i, node in enumerate(self.graph.reachable(self.outputs))}
        parts = []
        for node in self.graph.reachable(self.outputs):
            data: Any = node.data
            if node.op == "final":
                _, init, out = self.graph.regions[node.data[0]].carried[node.data[1]]
                cond = self.graph.regions[node.data[0]].cond
                data = [number[n.id] for n in (init, out, cond)]
            elif node.op == "phi":
                data = number[node.id]
            elif node.op == "extern":
                data = node.data.identity
            args = [number[a.id] for a in node.args]
            parts.append(f"{node.op} {args} {node.kind} {data!r}")
        parts.append(repr([number[o.id] for o in self.outputs]))
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()


class Scalar(Protocol):
    """The definition of an operator: a written function, or one derived from another."""

    name: str
    operands: tuple[str, ...]
    defaults: Mapping[str, Any]
    parameters: tuple[Parameter, ...]
    signature: Signature | None  # of the source text, if calls follow it
    choices: tuple[Choice, ...]  # roles of names that differ from the text's

    @property
    def draws(self) -> bool:
        """Return whether the last operand is `draws.KEY`: the words that random draws use."""
        ...

    @property
    def shares_kernels(self) -> bool:
        """Return whether definitions that differ in literals share kernels: those of users do."""
        ...

    def capture(self, kinds: Sequence[str], parameters: Mapping[str, Any]) -> Captured:
        """Return the graph for operand kinds and parameters. Of a number among the parameters only
        the kind matters, of any other parameter the value."""
        ...

    @property
    def watch(self) -> Watch:
        """The objects outside the function that it read."""
        ...

    def refresh(self) -> bool:
        """Drop the captures if a watched object changed; return whether one did."""
        ...


class WrittenFunction:
    """A scalar definition by a plain Python function, its names in the roles of `choices`.

    `parent` is the definition with the roles of the text; it watches all objects that its forms
    read.
    """

    def __init__(
        self,
        fn: FunctionType,
        choices: Sequence[Choice] = (),
        parent: WrittenFunction | None = None,
        *,
        on_invalid: OnInvalid = "raise",
    ) -> None:
        self.fn, self.choices, self.parent = fn, tuple(choices), parent
        self.on_invalid: OnInvalid = on_invalid if parent is None else parent.on_invalid
        self.name = "function" if fn.__name__ == "<lambda>" else fn.__name__
        self.places: tuple[draws.Place, ...] = ()  # where the text draws; known after capture
        self._read_signature()
        self.none_allowed = False  # in the tuple of a hand-written gradient
        # the library's own literals never change
        self.shares_kernels = not str(fn.__module__).startswith(LIBRARY)
        self.watch = Watch()  # objects outside the function that it read
        self._forms: WeakSet[WrittenFunction] = WeakSet()
        if parent is not None:
            parent._forms.add(self)
        self._captures: dict[tuple[Any, ...], Captured] = {}

    def refresh(self) -> bool:
        """Drop the captures if a watched object changed; return whether one did."""
        if not self.watch.changed():
            return False
        self.watch = Watch()
        self._captures.clear()
        self._read_signature()
        for form in list(self._forms):
            form.refresh()
            self.watch.include(form.watch)
        return True

    def _read_signature(self) -> None:
        read = read_signature(self.fn, self.choices)
        self.signature: Signature | None = with_key(self.name, read) if self.draws else read
        self.operands: tuple[str, ...] = self.signature.operands
        self.defaults: Mapping[str, Any] = self.signature.defaults
        self.parameters: tuple[Parameter, ...] = self.signature.parameters

    @property
    def draws(self) -> bool:
        """See Scalar."""
        return bool(self.places)

    def capture(self, kinds: Sequence[str], parameters: Mapping[str, Any]) -> Captured:
        """Return the graph for these kinds, traced once and cached. Tracing may discover that the
        text draws, which adds the operand `draws.KEY`."""
        key = (self._kinds(kinds), parameter_kinds(parameters))
        captured = self._captures.get(key)
        if captured is None:
            captured = self._trace(key[0], parameters)
            if self.parent is not None:
                self.parent.watch.include(self.watch)
            while len(self._captures) >= MAX_CAPTURES:
                self._captures.pop(next(iter(self._captures)), None)
            self._captures[key] = captured
        return captured

    def refusal(
        self, kinds: Sequence[str], parameters: Mapping[str, Any], first: CaptureError
    ) -> CaptureError:
        """Return an error that lists all obstacles for these kinds, `first` among them."""
        survey = Survey(first)
        with contextlib.suppress(Exception):  # tracing past an obstacle may fail in any way
            self._trace_once(self._kinds(kinds), parameters, survey)
        return survey.error(self.name)

    def _kinds(self, kinds: Sequence[str]) -> tuple[str, ...]:
        """Return the kinds of all operands; the random words have a fixed kind."""
        count = len(self.operands) - self.draws
        return (*kinds[:count], *([draws.WORD] * self.draws))

    def _trace(self, kinds: Sequence[str], parameters: Mapping[str, Any]) -> Captured:
        """Return the graph. If it draws at places that were unknown, trace again, as loops must
        carry a count of the draws at each place."""
        while True:
            captured = self._trace_once(self._kinds(kinds), parameters)
            more = tuple(place for place in captured.graph.draws if place not in self.places)
            if not more:
                return captured
            if not self.places and self.signature is not None:
                with_key(self.name, self.signature)  # may raise
            self.places += more
            self._read_signature()

    def parts(
        self, kinds: Sequence[str], mask: Sequence[bool], parameters: Mapping[str, Any]
    ) -> Captured:
        """Return the graph with the operands of `mask` complex: two leaves for each of these, two
        outputs for each complex result."""
        graph, leaves, env = Graph(), list[Node](), dict[str, Value]()
        rest = iter(kinds)
        for name, is_complex in zip(self.operands, mask, strict=True):
            names = (f"{name}_real", f"{name}_imag") if is_complex else (name,)
            own = [graph.argument(part, next(rest)) for part in names]
            if is_complex or not self.shares_kernels:  # the library's follow NumPy
                env[name] = (
                    Complex(*map(graph.float, own)) if is_complex else Complex.of(graph, own[0])
                )
            else:
                env[name] = own[0]
            leaves += own
        return self._capture_body(graph, leaves, env, parameters, None, parted=True)

    def _trace_once(
        self, kinds: Sequence[str], parameters: Mapping[str, Any], survey: Survey | None = None
    ) -> Captured:
        graph = Graph()
        operands = [
            graph.argument(name, kind) for name, kind in zip(self.operands, kinds, strict=True)
        ]
        env: dict[str, Value] = dict(zip(self.operands, operands, strict=True))
        return self._capture_body(graph, operands, env, parameters, survey)

    def _capture_body(
        self,
        graph: Graph,
        operands: Sequence[Node],
        env: dict[str, Value],
        parameters: Mapping[str, Any],
        survey: Survey | None,
        *,
        parted: bool = False,
    ) -> Captured:
        leaves = []
        for name, value in parameters.items():
            kind = None if is_static(value) else kind_of_value(value)
            if kind is None:
                env[name] = _constant(graph, value)
                continue
            env[name] = graph.parameter(name, kind)
            leaves.append(env[name])
        value = self._trace_body(graph, env, survey, parted=parted)
        values = value if isinstance(value, tuple) else (value,)
        pairs = tuple(isinstance(v, Complex) for v in values) if parted else ()
        if self.none_allowed and isinstance(value, tuple):
            # None: the gradient of an operand that is not differentiable
            value = tuple(graph.node("none", (), "f") if is_none(v) else v for v in value)
        nodes = flatten(value)
        if not nodes:
            raise CaptureError(f"{self.name}: the result is {described(value)}, not a number")
        refuse_wrapped(graph, nodes)
        return Captured(graph, tuple(operands), tuple(leaves), tuple(nodes), pairs)

    def _trace_body(
        self, graph: Graph, env: dict[str, Value], survey: Survey | None, *, parted: bool
    ) -> Value:
        try:
            tracer = Tracer(graph, self.fn, self.watch, survey=survey)
            tracer.parted, always, values = parted, graph.const(True), env
            if passes_on(self.fn) and self.signature is not None:
                own, values = inspect.signature(self.fn, follow_wrapped=False), dict(env)
                key = {draws.KEY: values.pop(draws.KEY)} if self.draws else {}
                places = [values.pop(name) for name in self.signature.places]
                call = Call(tracer, None, always, self.fn, places, values)
                default = lambda p: _constant(graph, p.default)
                values = key | arguments(call, self.name, own, default)
            values |= draws.counts(graph, self.places)
            return tracer.start(values, always, self.on_invalid)
        except NoSourceError:
            from nbgraph.kernels.function.opaque import opaque_call

            order = self.signature.text.parameters if self.signature else ()
            return opaque_call(graph, self.fn, [env[name] for name in order])
        except RecursionError:
            code = self.fn.__code__
            raise CaptureError(
                f"{self.name}: an expression nests deeper than Python's stack\n"
                f'  File "{file_label(code.co_filename)}", line {code.co_firstlineno}\n'
                "Instead: give parts of it names, in statements of their own."
            ) from None


def _constant(graph: Graph, value: Any) -> Value:
    """Return a static value as a value of the trace: numbers and bools become literals."""
    if isinstance(value, tuple):
        return tuple(_constant(graph, item) for item in value)
    if isinstance(value, dict):
        return containers.Mapping({key: _constant(graph, item) for key, item in value.items()})
    if complex_numbers.is_complex(value):
        return complex_numbers.constant(graph, value)
    return Static(value) if kind_of_value(value) is None else graph.const(value)
