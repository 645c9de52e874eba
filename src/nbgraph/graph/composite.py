"""Nodes of public functions that compose operators depending on shapes not known yet.

Such a node holds the function and the arguments of its call. Once inference knows enough about its
operands, `resolved` replaces it by the function's result; until then it is saved, listed and
composed like any other node.

>>> import nbgraph as ng
>>> y = ng.tile(ng.var("x"), 2)
>>> print(y)
%0 = x: ?
%1 = tile(%0, reps=2): ?
return %1
>>> y.infer_shape(x=(3,))[1], y.eval(x=[1.0, 2.0])
([(6,)], [array([1., 2., 1., 2.], dtype=float32)])
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from nbgraph.engine.sites import caller
from nbgraph.errors import ArgumentError
from nbgraph.graph import build, naming
from nbgraph.graph.build import GraphNode, Operand
from nbgraph.graph.constant import CONSTANT
from nbgraph.graph.graph import Entry, Graph, Moved, with_names
from nbgraph.graph.infer import Inference
from nbgraph.operator import registry
from nbgraph.operator.arrays.array_op import ArrayOp, Attributes, FilledOp, Spec
from nbgraph.operator.deferred import Slot, UnknownShape, defaults_read
from nbgraph.operator.mapper import complex_call
from nbgraph.operator.mapper.mapper import Mapper
from nbgraph.scopes import Scopes
from nbgraph.signatures import Function

Known = tuple[Any, Any]  # shape and dtype of an operand; None if unknown
_names = Scopes(naming.scope, naming.marks)
_OPERATORS: WeakKeyDictionary[Function, dict[int, CompositeOp]] = WeakKeyDictionary()


class CompositeOp(ArrayOp):
    """A public function as the operator of a node; the attributes are the call's arguments."""

    def __init__(self, function: Function, nout: int) -> None:
        super().__init__(
            registry.name_of(function), self._specs, operands=("*operands",), nout=nout
        )
        self.__doc__ = function.__doc__
        self.function = function
        self.effect = getattr(function, "draws", False)
        self.outputs = (getattr(function, "names", ()) if nout > 1 else ())[:nout] or None

    def _specs(self, *specs: Spec, **attributes: Any) -> tuple[Spec, ...]:
        entries = [(build.variable(f"operand{k}", *spec), 0) for k, spec in enumerate(specs)]
        heads = self.composed(entries, attributes)
        specs_out = [node.specs and node.specs[index] for node, index in heads]
        unknown = [h for h, spec in zip(heads, specs_out, strict=True) if spec is None]
        if unknown:
            raise UnknownShape(f"{self.__name__}: the shape of a result does not follow")
        return tuple(specs_out)  # type: ignore[arg-type]

    def composed(self, entries: Sequence[Operand], attributes: Attributes) -> list[Entry]:
        """Call the function on symbols of these entries; return the entries of its results.

        Raises UnknownShape if it needs shapes or dtypes that are not known.
        """
        return _entries(lambda values: self.results(values, attributes), entries)

    def results(self, operands: Sequence[Any], attributes: Attributes) -> list[Any]:
        """Call the function on operands of any kind; return its results as a list."""
        value = self.call(inspect.unwrap(self.function), operands, attributes)
        results = list(value) if isinstance(value, (list, tuple)) else [value]
        if len(results) != self.nout:
            raise ArgumentError(
                f"{self.__name__}: the call gives {len(results)} results, {self.nout} were expected"
            )
        return results

    def call(self, function: Function, operands: Sequence[Any], attributes: Attributes) -> Any:
        """Call the function with operands and the arguments in `attributes`."""
        args, kwargs = _arguments(function, attributes, operands)
        return function(*args, **kwargs)


def _entries(function: Function, entries: Sequence[Operand]) -> list[Entry]:
    """Call a function of a list on symbols of these entries; return the entries of its results."""
    symbols = importlib.import_module("nbgraph.graph.symbol").Symbol
    results = function([symbols([e]) if type(e) is tuple else e for e in entries])
    return [
        r.entry if isinstance(r, symbols) else (build.constant(np.asarray(r)), 0)
        for r in (results if isinstance(results, (list, tuple)) else (results,))
    ]


class FormerOp(CompositeOp):
    """A public function that was a single operator when a file was written: its operands are
    positional, and its attributes are those of the former operator."""

    def call(self, function: Function, operands: Sequence[Any], attributes: Attributes) -> Any:
        """Call the function with the operands of a node and options from its attributes."""
        options = FORMER[self.__name__](attributes)
        return function(*operands, **options)


# attributes of operators that are functions now, as options of the function
FORMER: dict[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    **dict.fromkeys(("slice_like", "shape_array", "size_array"), dict),
    "reshape_like": lambda a: dict(
        zip(
            ("lhs_begin", "lhs_end", "rhs_begin", "rhs_end"),
            (*a["lhs_axes"], *a["rhs_axes"]),
            strict=True,
        )
    ),
    "broadcast_like": lambda a: {
        "lhs_axes": tuple([lhs for lhs, _ in a["axes"]]),
        "rhs_axes": tuple([rhs for _, rhs in a["axes"]]),
    },
}


def operator_of(function: Function, nout: int = 1) -> CompositeOp:
    """Return the operator whose nodes hold calls of a public function."""
    by_count = _OPERATORS.setdefault(function, {})
    return by_count.setdefault(nout, CompositeOp(function, nout))


def deferred(
    function: Function,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    outputs: int | None,
    name: str | None,
    lift: Callable[[Any], Operand | None],
) -> GraphNode:
    """Return the node of a call. `lift` returns the entry of an argument, or None if that is not an
    operand; elements of lists and tuples may be operands as well."""
    bound = inspect.signature(function).bind(*args, **kwargs)
    arguments: dict[str, Any] = {}
    for key, value in bound.arguments.items():
        if bound.signature.parameters[key].kind is inspect.Parameter.VAR_KEYWORD:
            arguments.update(value)
        else:
            arguments[key] = value
    name = arguments.pop("name", name)
    operands: list[Operand] = []
    attributes = {key: _slotted(value, operands, lift) for key, value in arguments.items()}
    scope = naming.scope.get()
    return build.apply(
        operator_of(function, 1 if outputs is None else outputs),
        operands,
        attributes,
        name=None if name is None else scope + name,
        marks=naming.marks.get(),
        scope=scope,
        line=caller(),
    )


def _slotted(value: Any, operands: list[Operand], lift: Callable[[Any], Operand | None]) -> Any:
    """Return the argument with a Slot in place of each operand, which is added to the list."""
    entry = lift(value)
    if entry is not None:
        operands.append(entry)
        return Slot(len(operands) - 1)
    if type(value) in (list, tuple):
        return tuple([_slotted(v, operands, lift) for v in value])
    if isinstance(value, type):
        return np.dtype(value)
    return value.copy() if isinstance(value, np.ndarray) else value


def _filled(value: Any, operands: Sequence[Any]) -> Any:
    if isinstance(value, Slot):
        return operands[value.index]
    if type(value) is tuple:
        return tuple([_filled(v, operands) for v in value])
    return value


def _arguments(
    function: Function, attributes: Attributes, operands: Sequence[Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return positional and keyword arguments of a call from its attributes and operands."""
    signature = inspect.signature(function)
    values = {key: _filled(value, operands) for key, value in attributes.items()}
    own = {key: values.pop(key) for key in signature.parameters if key in values}
    for key, parameter in signature.parameters.items():
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            own[key] = values
    bound = inspect.BoundArguments(signature, own)  # type: ignore[arg-type]
    return bound.args, bound.kwargs


# expansion --------------------------------------------------------------------------------------


def resolved(
    graph: Graph, shapes: Mapping[str, Any], dtypes: Mapping[str, Any]
) -> tuple[Graph, Inference]:
    """Return the graph with composites, and scalar operators over complex operands, expanded as far
    as shapes and dtypes are known, and the inference.

    Heads and variables keep their order. Each round of inference may allow more expansions than the
    one before; shapes then propagate through the new nodes in both directions.
    """
    graph = with_names(graph)
    while True:
        inference = Inference(graph, shapes, dtypes)
        again = _expanded(graph, inference)
        if again is None:
            return graph, inference
        graph = again


def _expanded(graph: Graph, known: Inference) -> Graph | None:
    """Return the graph with all possible expansions of composites and complex calls, and with the
    inferred shapes of zeros and the like; None if nothing changes."""
    kinds = (CompositeOp, FilledOp)
    if not known.meets_complex and not any(isinstance(n.op, kinds) for n in graph.nodes):
        return None
    changed = False

    def rule(node: GraphNode, inputs: tuple[Operand, ...]) -> Sequence[Operand] | None:
        nonlocal changed
        shape = known.shapes.get((node, 0))
        if isinstance(node.op, FilledOp) and node.specs is None and None not in (shape or (None,)):
            changed = True
            return [(build.rebuilt(node, (), attributes={**node.attributes, "shape": shape}), 0)]
        if not isinstance(node.op, (CompositeOp, Mapper)):
            return None
        facts = [_fact(*pair, known) for pair in zip(node.inputs, inputs, strict=True)]
        if isinstance(node.op, Mapper):
            dtypes = [dtype for _, dtype in facts]
            if any(d is None for d in dtypes) or not complex_call.any_complex(dtypes):
                return None
        outputs = _expansion(node, inputs, facts)
        changed = changed or outputs is not None
        return outputs

    again = graph.rewrite(rule)
    return again if changed else None


def _fact(operand: Operand, after: Operand, known: Inference) -> Known:
    """Return the known shape and dtype of an operand, which may have been replaced by `after`."""
    if type(operand) is not tuple or type(after) is not tuple:
        return None, operand
    shape, dtype = known.shapes.get(operand), known.dtypes.get(operand)
    if after[0].specs is not None and not after[0].open:
        return after[0].specs[after[1]]
    return shape, dtype


def _expansion(
    node: GraphNode, inputs: Sequence[Operand], facts: Sequence[Known]
) -> Sequence[Operand] | None:
    """Return the results of the function, or of the operator on complex operands, for these inputs,
    or None if they need more facts.

    The function is called on variables of the known shapes, which are then replaced.
    """
    op = node.op
    moved: Moved = {}
    entries: list[Operand] = []
    for k, (operand, (shape, dtype)) in enumerate(zip(inputs, facts, strict=True)):
        if type(operand) is tuple and operand[0].op is not CONSTANT:
            entry = build.variable(f"operand{k}", shape, dtype), 0
            moved[entry] = operand
            entries.append(entry)
        else:
            entries.append(operand)
    seen = defaults_read()
    try:
        with _names(node.scope, node.marks):
            heads = (
                op.composed(entries, node.attributes)
                if isinstance(op, CompositeOp)
                else _entries(lambda v: complex_call.apply(op, v, node.attributes, None), entries)
            )
    except UnknownShape:
        return None
    if defaults_read() != seen:
        return None
    graph = Graph(heads).rewrite(
        lambda n, ins: None if n.op is None else _placed(n, ins, node), moved
    )
    return build.renamed(node, list(graph.heads), inputs)


def _placed(node: GraphNode, inputs: Sequence[Operand], call: GraphNode) -> list[Operand]:
    again = build.rebuilt(node, inputs, line=call.line)
    return [(again, k) for k in range(again.nout)]
