"""Uniform arrays, and scalar operators whose results equal an operand or a number.

A uniform array becomes a number beside another array, if that changes neither the shape nor the
dtype of the result. With a number, the scalar graph of an operator may reduce to one of its
operands: 1 * x, x - 0.0, the gradient of a product where the out-gradient is one.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgraph.graph.build import GraphNode, Operand, apply, frozen
from nbgraph.graph.constant import CONSTANT
from nbgraph.graph.graph import Entry, spec_of
from nbgraph.kernels.scalar.graph import Graph as ScalarGraph
from nbgraph.kernels.scalar.transplant import Transplant
from nbgraph.operator.arrays.array_op import Spec
from nbgraph.operator.mapper.mapper import Mapper
from nbgraph.operator.scalar.typing import common_dtype
from nbgraph.ops.define import library
from nbgraph.shape import Array

Uniform = dict[Entry, Array]  # entry -> its element, as an array without axes
_KEY = "trivial outputs"
# Literals are folded in double precision; with these factors that is exact in any precision.
_PLAIN = frozenset((0, 1, -1, 2))


# uniform values ---------------------------------------------------------------------------------


def element(node: GraphNode, known: Uniform) -> Array | None:
    """Return the element of a node's only output if that is uniform, else None. `known` has the
    elements of uniform operands."""
    op: Any = node.op
    if op is None or node.specs is None or node.nout != 1 or isinstance(op, Mapper):
        return None
    spec = node.specs[0]
    if not math.prod(spec.shape):
        return None
    if op is CONSTANT:
        return _of_array(node.attributes["value"].array)
    if op.constant is not None:
        value = op.constant(**node.attributes)
        return None if value is None else np.full((), value).astype(spec.dtype)
    if op.view is not None or op.copies:
        before = known.get(node.inputs[0])  # type: ignore[arg-type]
        with np.errstate(all="ignore"):
            return None if before is None else before.astype(spec.dtype)
    return None


def _of_array(array: Array) -> Array | None:
    """Return the element of a uniform array, else None; compares bits, as 0.0 is not -0.0."""
    if not array.size:
        return None
    flat = array.reshape(-1)
    bits = flat.view(f"V{array.itemsize}")
    return flat[:1].reshape(()) if (bits == bits[0]).all() else None


def computed(node: GraphNode, inputs: Sequence[Operand], known: Uniform) -> list[Array] | None:
    """Return the elements of a scalar operator's outputs if all operands are uniform, else None."""
    op: Any = node.op
    if not isinstance(op, Mapper) or tuple not in map(type, inputs):
        return None
    values = [known.get(i) if type(i) is tuple else i for i in inputs]
    if any(v is None for v in values):
        return None
    results = op(*values, **node.attributes)
    return [np.asarray(a) for a in (results if isinstance(results, tuple) else (results,))]


def everywhere(value: Array, spec: Spec) -> Entry:
    """Return an entry that is `value` everywhere."""
    attributes = {"shape": spec.shape, "fill_value": as_number(value), "dtype": spec.dtype}
    return apply(library.full.op, (), {**attributes, "device": None}), 0


def as_number(value: Array) -> bool | int | float:
    """Return the Python number with the value of an array without axes."""
    kind = value.dtype.kind
    return bool(value) if kind == "b" else int(value) if kind in "iu" else float(value)


# numbers for uniform operands -------------------------------------------------------------------


def with_numbers(
    node: GraphNode, inputs: tuple[Operand, ...], known: Uniform
) -> tuple[Operand, ...]:
    """Return the operands of a scalar operator with numbers in place of uniform arrays, where the
    common dtype and the shape of the result stay the same."""
    operands = list(inputs)
    scalar = node.op.scalar  # type: ignore[union-attr]
    common = common_dtype(scalar, [_weak(i) for i in inputs])
    for k, operand in enumerate(inputs):
        value = known.get(operand) if type(operand) is tuple else None
        if value is None or value.dtype != common or value.dtype.name == "uint64":
            continue
        rest = [*operands[:k], as_number(value), *operands[k + 1 :]]
        if _shape(rest) != _shape(inputs):
            continue
        if common_dtype(scalar, [_weak(i) for i in rest]) == common:
            operands = rest
    return tuple(operands)


def _weak(operand: Operand) -> Any:
    spec = spec_of(operand)
    return operand if spec is None else spec.dtype


def _shape(inputs: Sequence[Operand]) -> tuple[int, ...] | None:
    """Return the shape of the result; None without arrays."""
    shapes = [spec.shape for i in inputs if (spec := spec_of(i)) is not None]
    return np.broadcast_shapes(*shapes) if shapes else None


# reduced operators ------------------------------------------------------------------------------

Left = tuple[str, Any] | None  # ("operand", index), ("number", value), None: compute it


def trivial_outputs(node: GraphNode, known: Uniform) -> list[Operand | None]:
    """Return for each output of a scalar operator an operand of its dtype, broadcast to its shape,
    or a uniform array that equals it; None where it has to be computed."""
    assert node.specs is not None, "the node has shapes"
    outputs: list[Operand | None] = []
    for left, spec in zip(_left(node, known), node.specs, strict=True):
        if left is None:
            outputs.append(None)
        elif left[0] == "number":
            outputs.append(everywhere(np.full((), left[1]).astype(spec.dtype), spec))
        else:
            outputs.append(_broadcast(node.inputs[left[1]], spec))
    return outputs


def _broadcast(operand: Operand, spec: Spec) -> Operand | None:
    own = spec_of(operand)
    if own is None or own.dtype != spec.dtype:
        return None
    if own.shape == spec.shape:
        return operand
    return apply(library.broadcast_to.op, [operand], {"shape": spec.shape}), 0


def _left(node: GraphNode, known: Uniform) -> Sequence[Left]:
    """Return what each output reduces to; cached by dtypes, equal operands and plain numbers."""
    op = node.op
    assert isinstance(op, Mapper), "the operator is a scalar one"
    dtypes = [_weak(i) for i in node.inputs]
    plain = [_plain(i, known) for i in node.inputs]
    equal = [node.inputs.index(i) if type(i) is tuple else k for k, i in enumerate(node.inputs)]
    shown = [d if isinstance(d, np.dtype) else type(d) for d in dtypes]
    literals = [frozen(p) for p in plain]
    key = _KEY, tuple(shown), tuple(literals), tuple(equal), frozen(tuple(node.attributes.items()))
    shrunk = op.carried.get(key)
    if shrunk is None:
        plan = op.invoker.plan_of(dtypes, node.attributes)
        captured, graph = plan.typed.captured, ScalarGraph()
        leaves: list[Any] = []  # plain numbers as literals, equal operands as one
        for k, (leaf, number) in enumerate(zip(captured.operands, plain, strict=True)):
            if number is not None:
                leaves.append(graph.cast(graph.const(number), leaf.kind))
            elif equal[k] != k:
                leaves.append(leaves[equal[k]])
            else:
                leaves.append(graph.argument(str(leaf.data), leaf.kind))
        replaced = {leaf.id: own for leaf, own in zip(captured.operands, leaves, strict=True)}
        for leaf in captured.parameters:
            replaced[leaf.id] = graph.parameter(str(leaf.data), leaf.kind)
        move = Transplant(captured.graph, graph, replaced)
        shrunk = op.carried[key] = [_named(move(out), leaves) for out in captured.outputs]
    return shrunk


def _plain(operand: Operand, known: Uniform) -> bool | int | float | None:
    """Return the number that an operand is everywhere, if it is in `_PLAIN`, else None."""
    if type(operand) is tuple:
        value = known.get(operand)
        operand = math.nan if value is None else as_number(value)
    return operand if operand in _PLAIN else None  # type: ignore[return-value]


def _named(output: Any, leaves: Sequence[Any]) -> Left:
    if output.op == "const":
        return ("number", output.data) if output.data in _PLAIN else None
    places = [k for k, leaf in enumerate(leaves) if leaf is output]
    return ("operand", places[0]) if places else None
