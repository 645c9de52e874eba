"""Bodies of loops and branches: traced functions whose values from outside become operands.

A value that does not depend on the body's own variables is computed once, outside, and becomes a
constant of the body.
"""

import itertools
from collections import OrderedDict
from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np

from nbgraph.array.core import Array
from nbgraph.array.create import array as new_array
from nbgraph.autograd.jit import Jit
from nbgraph.autograd.traced import BODY, Traced
from nbgraph.autograd.tracing import current_tracer
from nbgraph.autograd.tree import like, places
from nbgraph.device import Context
from nbgraph.dtype import as_dtype
from nbgraph.errors import ArgumentError, DTypeError, ShapeError, noun
from nbgraph.graph import build
from nbgraph.graph.build import GraphNode, has_effect
from nbgraph.graph.constant import CONSTANT
from nbgraph.graph.graph import Entry, spec
from nbgraph.graph.node import topological
from nbgraph.graph.passes.gradient import uniform
from nbgraph.graph.symbol import Symbol
from nbgraph.operator.arrays.array_op import Attributes, Spec
from nbgraph.operator.lazy import is_lazy
from nbgraph.ops.define import library
from nbgraph.settings import config
from nbgraph.signatures import Function

_numbers = itertools.count()  # of temporary variables, which finished bodies do not have
_MOST_RUNNERS = 128  # functions whose traces are cached
_RUNNERS: OrderedDict[Any, Jit] = OrderedDict()


class Closed(NamedTuple):
    """Heads of a body over its variables: its own, parts of `drawn`, constants for `captured`."""

    heads: tuple[Entry, ...]
    variables: tuple[GraphNode, ...]
    captured: tuple[Entry, ...]
    drawn: tuple[Entry, ...] = ()


# values -----------------------------------------------------------------------------------------


def symbolic(*structures: Any) -> bool:
    """Return whether a function is being traced, or some value is a symbol."""
    if current_tracer() is not None:
        return True
    return any(isinstance(p.value, Symbol) for s in structures for p in places(s, ""))


def stepwise(*structures: Any) -> bool:
    """Return whether some value is of a graph that is built for each run, as an `ng.Expr` is."""
    values = (p.value for s in structures for p in places(s, ""))
    return any(
        hasattr(type(v), "__nbgraph_call__") and not isinstance(v, (Array, Symbol)) for v in values
    )


def wrapped(entry: Entry) -> Any:
    """Return an entry as a `Traced` while a function is traced, else as a `Symbol`."""
    return Symbol([entry]) if current_tracer() is None else Traced([entry])


def entry_of(name: str, value: Any, path: str, dtype: Any = None) -> Entry:
    """Return the entry of an array, symbol or number; a number gets the dtype `dtype`."""
    if isinstance(value, Symbol):
        return value.entry
    if isinstance(value, Array):
        tracer = current_tracer()
        if tracer is not None:
            return tracer.entry_of(value)
        return build.constant(value.asnumpy()), 0  # type: ignore[attr-defined]
    if isinstance(value, (bool, int, float, complex, np.ndarray, np.generic)):
        return build.constant(_array(value, dtype)), 0
    raise _not_a_value(name, value, path)


def _not_a_value(name: str, value: Any, path: str) -> ArgumentError:
    way = "give an array, a number, or a dict, list or tuple of those"
    if is_lazy(value):
        way = "compute() the Dask array first"
    elif hasattr(value, "__nbgraph_remedy__"):
        way = f"choose by ng.where, repeat by ng.scan, or {value.__nbgraph_remedy__}"
    return ArgumentError(f"{name}: {path} is {noun(value)}; {way}")


def _array(value: Any, dtype: Any) -> np.ndarray[Any, Any]:
    if dtype is None and type(value) is float:
        dtype = as_dtype(config.default_float)
    return np.asarray(value, dtype)


def entries_of(name: str, structure: Any, path: str) -> list[Entry]:
    """Return the entries of all values of a structure."""
    return [entry_of(name, p.value, p.path) for p in places(structure, path)]


def spec_of(entry: Entry) -> Spec | None:
    """Return shape and dtype of an entry, or None where they are not known yet."""
    node, index = entry
    return None if node.specs is None else node.specs[index]


def _spec(entry: Entry) -> tuple[Any, Any]:
    return spec_of(entry) or (None, None)


def fresh(specs: Sequence[Spec | None]) -> list[GraphNode]:
    """Return new variables of these shapes and dtypes."""
    return [build.variable(f"{BODY} {next(_numbers)}", *(spec or (None, None))) for spec in specs]


def require_like(name: str, what: str, out: Any, wanted: Any, path: str) -> None:
    """Raise ArgumentError unless `out` has the structure of `wanted`, which errors call `path`."""
    paths, expected = ([p.path for p in places(s, "")] for s in (out, wanted))
    if paths != expected:
        has, needs = (", ".join(p or "one array" for p in ps) for ps in (paths, expected))
        raise ArgumentError(
            f"{name}: {what} has the structure ({has}), but {path} has ({needs}); return the same "
            "structure"
        )


def require_spec(name: str, what: str, own: Spec | None, wanted: Spec | None, remedy: str) -> None:
    """Raise ShapeError or DTypeError where both specs are known and differ."""
    if own is None or wanted is None or own == wanted:
        return
    kind = ShapeError if own.shape != wanted.shape else DTypeError
    raise kind(f"{name}: {what} is {own}, but {wanted} is expected; {remedy}")


# bodies -----------------------------------------------------------------------------------------


def effects_so_far() -> tuple[int, int]:
    """Return the numbers of the last effects, by which `is_later` recognises later ones."""
    tracer = current_tracer()
    return (0 if tracer is None else tracer.trace.effects), build.new_token()[1]


def is_later(node: GraphNode, before: tuple[int, int]) -> bool:
    """Return whether the effect of a node came after `effects_so_far` gave `before`."""
    kind, number = node.token or ("", 0)
    return number > {"traced": before[0], "effect": before[1]}.get(kind, number)


def drawn_again(node: GraphNode, operands: Sequence[Any], attributes: Attributes) -> list[Entry]:
    """Return the outputs of a new application of an effect, with these operands and attributes."""
    tracer = current_tracer()
    token = None if tracer is None else tracer.trace.token()
    draw = build.apply(node.op, operands, attributes, token=token, marks=node.marks, line=node.line)  # type: ignore[arg-type]
    return [(draw, k) for k in range(draw.nout)]


def widened(node: GraphNode, extents: tuple[int, ...]) -> dict[str, Any]:
    """Return the attributes of a draw with more axes in front, along which each draws anew."""
    attributes: dict[str, Any] = {**node.attributes, "size": (*extents, *spec((node, 0)).shape)}
    if not attributes.get("replace", True):
        attributes["separate"] = len(extents) + int(attributes.get("separate", 0))
    return attributes


class Closing:
    """The closing of a body, whose variables are `own`, over values from outside.

    `before`: the effects that precede the body. `steps`: the leading axes of the draws for all
    steps, or None where the number of steps is not known.
    """

    def __init__(
        self,
        name: str,
        own: Sequence[GraphNode],
        before: tuple[int, int],
        names: Sequence[str],
        steps: tuple[int, ...] | None,
    ) -> None:
        self.name, self.before, self.steps, self.own = name, before, steps, own
        self.variables = [
            build.variable(label, *_spec((v, 0))) for v, label in zip(own, names, strict=True)
        ]
        self._parts = sum(label.startswith("x ") for label in names)
        self.constants: list[GraphNode] = []
        self.captured: list[Entry] = []
        self.drawn: list[Entry] = []
        self._moved: dict[Entry, Any] = {
            (old, 0): (new, 0) for old, new in zip(own, self.variables, strict=True)
        }

    def over(self, heads: Sequence[Entry]) -> Closed:
        """Return the body of these heads, over canonical variables."""
        order = topological([node for node, _ in heads])
        inside, draws = set(self.own), set[GraphNode]()
        for node in order:
            reads = any(other in inside for other, _ in node.entries)
            effect = node.op is not None and has_effect(node.op)
            if effect and (reads or is_later(node, self.before)):
                draws.add(node)
            if reads or node in draws:
                inside.add(node)
        for node in order:
            if node in draws:
                outputs = self._draw(node)
            elif node in inside and node.op is not None:
                again = build.rebuilt(node, [self._inside(entry) for entry in node.inputs])
                outputs = [(again, k) for k in range(node.nout)]
            else:
                continue
            self._moved.update({(node, k): entry for k, entry in enumerate(outputs)})
        results = tuple([self._inside(head) for head in heads])
        variables = (*self.variables, *self.constants)
        return Closed(results, variables, tuple(self.captured), tuple(self.drawn))

    def _inside(self, entry: Any) -> Any:
        """Return an operand of a node of the body, captured where it comes from outside."""
        if type(entry) is not tuple:
            return entry
        if entry not in self._moved and entry[0].op is not CONSTANT:
            self._moved[entry] = self._capture(entry)
        return self._moved.get(entry, entry)

    def _capture(self, entry: Entry) -> Entry:
        variable = build.variable(f"constant {len(self.captured)}", *_spec(entry))
        self.captured.append(entry)
        self.constants.append(variable)
        return variable, 0

    def _draw(self, node: GraphNode) -> list[Entry]:
        """Return the outputs of random numbers, which are drawn outside for all steps at once."""
        attributes = dict(node.attributes)
        dropout = node.op is library.dropout.op
        plain = dropout or (not node.inputs and "size" in attributes)
        if self.steps is None or not plain:
            remedy = "draw before the loop, give each step its part (xs of ng.scan), carry states"
            if self.name == "checkpoint":
                remedy = (
                    "mark values that are kept instead, as h = ng.checkpoint(h), in a function "
                    "that ng.jit or ng.optim.train_step compiles"
                )
            elif plain and self.name != "while_loop":
                remedy = "name the number of steps by a shape, as ng.var(name, shape=(8, 3))"
            raise ArgumentError(
                f"{self.name}: the body applies {node.label}, which draws random numbers or "
                f"updates a state; {remedy}"
            )
        operands: list[Any] = []
        if dropout:  # of ones: the factor of each element
            own = spec_of(node.inputs[0])  # type: ignore[arg-type]
            assert own is not None, node
            operands = [uniform("ones", own._replace(shape=(*self.steps, *own.shape))).entry]
        else:
            attributes = widened(node, self.steps)
        outputs = [self._part(entry) for entry in drawn_again(node, operands, attributes)]
        if dropout:
            x = self._inside(node.inputs[0])
            outputs[0] = (wrapped(x) * wrapped(outputs[0])).entry
        return outputs

    def _part(self, entry: Entry) -> Entry:
        """Return one step's part of draws for all steps."""
        if not self.steps:
            return self._capture(entry)
        own = spec_of(entry)
        assert own is not None, entry
        label = f"x {self._parts + len(self.drawn)}"
        variable = build.variable(label, own.shape[1:], own.dtype)
        self.drawn.append(entry)
        self.variables.append(variable)
        return variable, 0


# calls ------------------------------------------------------------------------------------------


def applied(op: Any, operands: Sequence[Entry]) -> list[Any]:
    """Return the outputs of an operator over entries."""
    outputs = op(*(wrapped(entry) for entry in operands))
    return list(outputs) if isinstance(outputs, tuple) else [outputs]


def shown(op: Any, operands: Sequence[Entry]) -> list[Any]:
    """Return the outputs of a loop's operator, without the residuals for its gradient."""
    outputs = applied(op, operands)
    return [outputs[k] for k in op.shown]


def eagerly(
    name: str,
    key: Hashable,
    run: Function,
    arguments: Sequence[Any],
    *paths: str,
    lifts: bool = True,
) -> Any:
    """Run a function of structures as one compiled graph, which is reused for an equal key; return
    its result. `lifts`: whether all values become arrays, on the device of the first one."""
    inputs = arguments
    if lifts:
        every = (p.value for a in arguments for p in places(a, ""))
        device = next((value.device for value in every if isinstance(value, Array)), None)
        inputs = [_as_arrays(name, a, p, device) for a, p in zip(arguments, paths, strict=True)]
    try:
        jitted = _RUNNERS.pop(key, None)
    except TypeError:  # a function that cannot be hashed
        return _runner(name, run)(*inputs)
    if jitted is None:
        jitted = _runner(name, run)
    _RUNNERS[key] = jitted
    while len(_RUNNERS) > _MOST_RUNNERS:
        _RUNNERS.popitem(last=False)
    return jitted(*inputs)


class _Runner(Jit):
    """A function of the library's own, which always runs as a graph."""

    def as_written(self) -> bool:
        return False


def _runner(name: str, run: Function) -> Jit:
    run.__name__ = run.__qualname__ = name
    runner = _Runner(run)
    runner._label = name
    return runner


def _as_arrays(name: str, structure: Any, path: str, device: Context | None) -> Any:
    values = [
        p.value if isinstance(p.value, Array) or p.owned else _lift(name, p.value, p.path, device)
        for p in places(structure, path)
    ]
    return like(structure, values, objects=True)


def _lift(name: str, value: Any, path: str, device: Context | None) -> Any:
    if isinstance(value, (bool, int, float, np.ndarray, np.generic)):
        array = _array(value, None)
        return new_array(array, dtype=array.dtype, device=device)
    raise _not_a_value(name, value, path)
