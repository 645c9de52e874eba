"""Construction of nodes of symbolic graphs: immutable, equal ones are one object (hash-consed).

Two nodes are equal if their operators, operands, attributes, shapes and names by the user are
equal, compared in full, not only by hash. So graphs of equal structure are identical, equal work is
found by a look-up, and a graph that is built again is the one that was compiled before.

A node with an effect (a random draw, an update of a state) is not equal to any other: each
application has a unique token, which only a recomputed copy of it shares.
"""

from __future__ import annotations

import itertools
import operator
import threading
from collections.abc import Mapping, Sequence
from types import CodeType
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from nbgraph.dtype import as_dtype
from nbgraph.errors import ArgumentError, CaptureError, DTypeError, NbgraphError, ShapeError
from nbgraph.graph.constant import constant_node_value
from nbgraph.graph.node import Node
from nbgraph.operator.arrays.array_op import ArrayOp, Attributes, Spec
from nbgraph.operator.deferred import UnknownShape
from nbgraph.operator.mapper.mapper import Mapper
from nbgraph.scopes import forkable
from nbgraph.settings import config
from nbgraph.shape import PartialShape as PartialShape
from nbgraph.shape import broadcast

Operand = tuple["GraphNode", int] | bool | int | float

NUMBERS = (bool, int, float)
_EFFECTS = ("random", "parallel_random")
_NOTHING: Mapping[str, Any] = {}
_INT64 = np.dtype("int64")
_TABLE: WeakValueDictionary[Any, GraphNode] = WeakValueDictionary()
_ENTERING = forkable(threading.Lock())
_tokens = itertools.count(1)


class GraphNode(Node):
    """A node of a symbolic graph; only `variable`, `constant` and `apply` create them.

    `specs`: shape and dtype of each output; None if an operand's are not known yet. `open`: whether
    a variable that it depends on has a shape but no dtype yet: `specs` then assume
    `ng.config.default_float`, and inference may choose other dtypes. `token`: distinguishes this
    application from equal ones: for an effect, a recomputation. `after`: nodes that must run before
    this one, besides its operands. `marks`: the user's attributes (`Symbol.attr`), and a variable's
    init. `line`: the position in the user's text, for `nbgraph.engine.sites`.
    """

    __slots__ = (*("after", "entries", "line", "marks", "nout", "open", "scope", "specs", "token"),)

    op: Mapper | ArrayOp | None
    inputs: tuple[Operand, ...]
    specs: tuple[Spec, ...] | None
    open: bool
    after: tuple[GraphNode, ...]  # type: ignore[assignment]
    token: Any
    marks: Mapping[str, Any]
    scope: str
    line: tuple[CodeType, int] | None

    nout: int  # number of outputs
    entries: tuple[tuple[GraphNode, int], ...]  # the operands that are nodes

    def __init__(
        self,
        op: Mapper | ArrayOp | None,
        inputs: Sequence[Operand],
        attributes: Attributes,
        name: str | None,
    ) -> None:
        super().__init__(op, inputs, attributes, name)
        self.nout = 1 if op is None else op.nout
        self.entries = tuple([operand for operand in inputs if type(operand) is tuple])


def group_of(node: GraphNode) -> str | None:
    """Return the device group in a node's marks, or None."""
    return node.marks.get("ctx_group", node.marks.get("__ctx_group__"))


def frozen(value: Any) -> Any:
    """Return a key that is equal only for values of the same meaning: 1, 1.0 and True differ.

    >>> frozen(1) == frozen(1.0), frozen(0.0) == frozen(-0.0), frozen((1, 2)) == frozen((1, 2))
    (False, False, True)
    """
    kind = type(value)
    if isinstance(value, float):
        return kind, value.hex()  # also of NumPy's float64: zeros differ, NaN equals itself
    if isinstance(value, np.generic):
        return kind, value.dtype.str, value.tobytes()
    if kind is tuple:
        return tuple([frozen(v) for v in value])
    try:
        hash(value)
    except TypeError:
        return "object", id(value)  # the node keeps it alive
    return kind, value


def new_token(kind: str = "effect") -> tuple[str, int]:
    """Return a token that no other application has."""
    return kind, next(_tokens)


def has_effect(op: Any) -> bool:
    """Return whether applying the operator twice differs from once: it draws, writes a state, or
    declares another effect (`effect`)."""
    if getattr(op, "auxiliary", ()) or getattr(op, "effect", False):
        return True
    return any(str(getattr(r, "kind", r)) in _EFFECTS for r in getattr(op, "resources", ()))


def draws_alone(op: Any) -> bool:
    """Return whether the only resources that it requests are random numbers of a push."""
    kinds = [str(getattr(r, "kind", r)) for r in getattr(op, "resources", ())]
    return bool(kinds) and set(kinds) == {"parallel_random"}


def _entered(key: Any, node: GraphNode) -> GraphNode:
    with _ENTERING:
        return _TABLE.setdefault(key, node)


def variable(
    name: str,
    shape: PartialShape = None,
    dtype: np.dtype[Any] | None = None,
    marks: Mapping[str, Any] = _NOTHING,
    line: tuple[CodeType, int] | None = None,
) -> GraphNode:
    """Return the node of an argument of a graph."""
    complete = shape is not None and None not in shape
    assumed = as_dtype(config.default_float) if complete and dtype is None else dtype
    key = "variable", name, shape, dtype, assumed, frozen(tuple(marks.items()))
    node = _TABLE.get(key)
    if node is not None:
        return node
    fresh = GraphNode(None, (), {"shape": shape, "dtype": dtype}, name)
    fresh.specs = (Spec(shape, assumed),) if complete else None  # type: ignore[arg-type]
    fresh.open = complete and dtype is None
    fresh.token, fresh.after, fresh.marks, fresh.line, fresh.scope = None, (), marks, line, ""
    return _entered(key, fresh)


def as_partial(what: str, shape: Any) -> PartialShape:
    """Return a user's shape as a tuple or None: it may be a number or a sequence of them, with None
    for an unknown shape or extent.

    >>> as_partial("x", [2, None]), as_partial("x", 3), as_partial("x", None)
    ((2, None), (3,), None)
    """
    if shape is None:
        return None
    parts = (shape,) if isinstance(shape, (int, np.integer)) else shape
    try:
        extents = tuple([None if n is None else operator.index(n) for n in parts])
    except TypeError:
        raise ArgumentError(
            f"{what}: shape={shape!r}; give a tuple of whole numbers, None where an extent is not "
            "known"
        ) from None
    if any(n is not None and n < 0 for n in extents):
        raise ShapeError(f"{what}: shape={shape!r} has a negative size; sizes start at 0")
    return extents


def variable_dtype(name: str, dtype: Any) -> np.dtype[Any]:
    """Return a dtype for a variable; raise DTypeError with its name if there is no such dtype."""
    try:
        return as_dtype(dtype)
    except TypeError as error:
        raise DTypeError(
            f"variable {name!r}: {dtype!r} is given as its dtype: {error}; give one such as "
            "'float32'"
        ) from None


def constant(value: Any) -> GraphNode:
    """Return the node of a constant array, by value."""
    op, attributes = constant_node_value(value)
    return apply(op, (), attributes)


def apply(
    op: Mapper | ArrayOp,
    inputs: Sequence[Operand],
    attributes: Attributes = _NOTHING,
    *,
    token: Any = None,
    after: tuple[GraphNode, ...] = (),
    name: str | None = None,
    marks: Mapping[str, Any] = _NOTHING,
    scope: str = "",
    line: tuple[CodeType, int] | None = None,
) -> GraphNode:
    """Return the node of an operator over operands: the existing one if there is an equal one.

    Raises the errors of the operator's inference, if all shapes are known.
    """
    if isinstance(op, Mapper):
        op.refresh()
        op = op.form(attributes)
        version: Any = op.scalar.watch  # another object once a helper or global has changed
        attributes = op.parameters_of(dict(attributes))
    else:
        version = None
        attributes = op.normalise(attributes)
        inputs = [lifted(value) for value in inputs]
    if token is None and has_effect(op):
        token = new_token()
    key = (
        op,
        version,
        tuple([(id(i[0]), i[1]) if type(i) is tuple else frozen(i) for i in inputs]),
        frozen(tuple(attributes.items())),
        token,
        tuple([id(node) for node in after]),
        name,
        scope,
        frozen(tuple(marks.items())) if marks else (),
    )
    existing = _TABLE.get(key)
    if existing is not None:
        return existing
    fresh = GraphNode(op, tuple(inputs), attributes, name)
    fresh.token, fresh.after, fresh.marks, fresh.line = token, after, marks, line
    fresh.scope = scope
    fresh.open = True in [i[0].open for i in inputs if type(i) is tuple]
    fresh.specs = (
        _assumed(op, fresh.inputs, attributes) if fresh.open else _specs(op, inputs, attributes)
    )
    return _entered(key, fresh)


def lifted(value: Any) -> Any:
    """Return a number as a constant without axes, for operators over whole arrays."""
    return (constant(np.asarray(value)), 0) if type(value) in NUMBERS else value


def _assumed(
    op: Mapper | ArrayOp, inputs: Sequence[Operand], attributes: Attributes
) -> tuple[Spec, ...] | None:
    """Return specs under the assumed default dtypes, or None if the operator refuses these."""
    try:
        return _specs(op, inputs, attributes)
    except (DTypeError, CaptureError):
        return None
    except NbgraphError:
        try:
            _specs(op, inputs, attributes, _INT64)
        except NbgraphError:
            refused = True
        else:
            refused = False
        if refused:
            raise
        return None


def _specs(
    op: Mapper | ArrayOp,
    inputs: Sequence[Operand],
    attributes: Attributes,
    default: np.dtype[Any] | None = None,
) -> tuple[Spec, ...] | None:
    """Return specs of the outputs, or None if those of an operand are not known; `default` replaces
    the dtypes of open operands."""
    operands: list[Any] = []
    for value in inputs:
        if type(value) is not tuple:
            operands.append(value)
            continue
        own = value[0].specs
        if own is None:
            return None
        spec = own[value[1]]
        operands.append(Spec(spec.shape, default) if default and value[0].open else spec)
    try:
        return infer(op, operands, attributes)
    except UnknownShape:
        if operands:
            raise
        return None


def infer(
    op: Mapper | ArrayOp, operands: Sequence[Any], attributes: Attributes
) -> tuple[Spec, ...]:
    """Return shapes and dtypes of the outputs, from Specs and Python numbers (weak: NEP 50)."""
    if not isinstance(op, Mapper):
        return op.infer(operands, attributes)
    dtypes = [v.dtype if isinstance(v, Spec) else v for v in operands]
    plan = op.invoker.plan_of(dtypes, attributes)
    shapes = [v.shape if isinstance(v, Spec) else () for v in operands]
    shape = broadcast(op.__name__, list(zip(op.scalar.operands, shapes, strict=True)))
    return tuple([Spec(shape, dtype) for dtype in plan.typed.outputs])


def renamed(node: GraphNode, outputs: list[Operand], inputs: Sequence[Operand]) -> list[Operand]:
    """Return the replacements of a node's outputs, with the node's name if it has one."""
    first = outputs[0]
    if node.name and node.nout == 1 and type(first) is tuple and first not in inputs:
        return [(rebuilt(first[0], first[0].inputs, name=node.name), first[1])]
    return outputs


def _same(inputs: Sequence[Operand], others: Sequence[Operand]) -> bool:
    """Return whether operands are equal, numbers by identity, as 1 == True."""
    for a, b in zip(inputs, others, strict=True):
        if a is not b and not (type(a) is tuple and a == b):
            return False
    return True


def rebuilt(node: GraphNode, inputs: Sequence[Operand], **changes: Any) -> GraphNode:
    """Return the node with other operands or other fields; itself if nothing changes."""
    if not changes and _same(inputs, node.inputs):
        return node
    assert node.op is not None, "a variable has no operands to replace"
    unchanged: dict[str, Any] = {
        "attributes": node.attributes,
        "token": node.token,
        "after": node.after,
        "name": node.name,
        "marks": node.marks,
        "scope": node.scope,
        "line": node.line,
    }
    return apply(node.op, inputs, **(unchanged | changes))
