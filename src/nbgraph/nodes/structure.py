"""Structures of nodes, independent of any batch: equal structures are one object.

A structure is an operator over structures; leaves and nodes written by hand are variables of it,
numbered in the order of their first use in a graph. So a graph that is built again in the same way
has the same structures, which are the keys of what was compiled. Shapes, dtypes and nodes of the
symbolic graph are computed once for each structure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nbgraph.array.push import WEAK
from nbgraph.array.push import inferred as map_inferred
from nbgraph.errors import DTypeError
from nbgraph.graph import build
from nbgraph.operator.arrays.array_op import Attributes, Spec, gives_constant
from nbgraph.operator.layout import Layout, Layouts, layout
from nbgraph.operator.mapper.mapper import Mapper

_MOST = 1 << 15  # structures cached at a time; about a KiB each
_STRUCTURES: dict[Any, tuple[Structure, ...]] = {}
_VARIABLES: dict[Any, Structure] = {}
_PLAIN = (bool, int, str, type(None))


class Structure:
    """One output of an operator over structures, or a variable.

    `node`: its node in the symbolic graph. `output`: its number there. `shape`, `dtype`.
    `trainable`: whether gradients flow to it. `memoise`: how long a value holds; see `nodes.node`.
    """

    __slots__ = ("_layout", "dtype", "memoise", "node", "output", "shape", "trainable")

    def __init__(
        self, node: build.GraphNode, output: int, own: Layout, trainable: bool, memoise: int
    ) -> None:
        self.node, self.output = node, output
        self._layout, self.shape, self.dtype = own, own.shape, own.dtype
        self.trainable, self.memoise = trainable, memoise

    @property
    def entry(self) -> tuple[build.GraphNode, int]:
        """The entry in the symbolic graph."""
        return self.node, self.output


def variable(name: str, own: Layout, trainable: bool, memoise: int) -> Structure:
    """Return the structure of an input value, by its name in the graph."""
    key = name, own, trainable, memoise
    structure = _VARIABLES.get(key)
    if structure is None:
        full = f"{name}{'*' if trainable else ''}"
        node = build.variable(full, own.shape, own.dtype)
        structure = _VARIABLES[key] = Structure(node, 0, own, trainable, memoise)
    return structure


def applied(
    op: Any, operands: Sequence[Any], attributes: Attributes
) -> tuple[Structure, ...] | None:
    """Return the outputs of an operator over structures and numbers; None where it has an effect,
    or an attribute that is not hashable, as such an application equals no other.

    Raises what the operator's inference raises, and DTypeError where dtypes differ.
    """
    mapped = isinstance(op, Mapper)
    key: Any = (
        op,
        (op.scalar.watch, op.hand_gradient) if mapped else None,
        *[(type(v), repr(v)) if type(v) in WEAK else v for v in operands],
        _frozen(attributes) if attributes else None,
    )
    try:
        outputs = _STRUCTURES.get(key)
    except TypeError:
        return None
    if outputs is None:
        if build.has_effect(op):
            return None
        structures: list[Structure] = [v for v in operands if type(v) not in WEAK]
        layouts = inferred(op, operands, attributes)
        inputs: list[Any] = [v if type(v) in WEAK else v.entry for v in operands]
        node = build.apply(op, inputs, attributes)
        memoise = min([v.memoise for v in structures], default=0)
        trainable = not gives_constant(op) and any(v.trainable for v in structures)
        outputs = _STRUCTURES[key] = tuple(
            Structure(node, k, own, trainable and own.floating, memoise)
            for k, own in enumerate(layouts)
        )
    return outputs


def _frozen(attributes: Attributes) -> tuple[Any, ...]:
    """Return a key of attributes; not hashable where one of them is not."""
    return tuple(
        [
            (name, type(v), v if type(v) in _PLAIN else build.frozen(v) if _hashable(v) else v)
            for name, v in attributes.items()
        ]
    )


def _hashable(value: Any) -> bool:
    return getattr(type(value), "__hash__", None) is not None


def trim() -> None:
    """Forget structures, if there are many; called between graphs."""
    if len(_STRUCTURES) > _MOST:
        _STRUCTURES.clear()
    if len(_VARIABLES) > _MOST:
        _VARIABLES.clear()


def inferred(op: Any, operands: Sequence[Any], attributes: Attributes) -> Layouts:
    """Return layouts of the outputs; raise DTypeError where operands differ in dtype.

    `operands`: numbers, nodes or structures.
    """
    _require_common(op, operands)
    if isinstance(op, Mapper):
        return map_inferred(op, operands, attributes).outputs
    specs = op.infer([Spec(v.shape, v.dtype) for v in operands], attributes)
    return [layout(spec.shape, spec.dtype) for spec in specs]


def _require_common(op: Any, operands: Sequence[Any]) -> None:
    """Raise DTypeError unless all operands have one dtype. Masks do not count, nor integers among
    the operands of an operator over whole arrays, which are indices, nor the random words of one
    that draws."""
    mapped = isinstance(op, Mapper)
    words = op.scalar.draws if isinstance(op, Mapper) else 0
    own = operands[: len(operands) - words]
    dtypes = [(i, v.dtype) for i, v in enumerate(own) if type(v) not in WEAK]
    kinds = "iufV" if mapped else "fV"
    counted = {dtype for _, dtype in dtypes if dtype.kind in kinds}
    if len(counted) < 2:
        return
    listed = ", ".join(f"child {i}: {dtype}" for i, dtype in dtypes if dtype in counted)
    raise DTypeError(
        f"{op.__name__}: the children's dtypes differ ({listed}); a graph does not promote, cast "
        "one of them, as with x.astype(dtype)"
    )
