"""Rules of operators for operands with one more axis in front.

Scalar operators broadcast. Attributes that are axes are shifted by one; a shape or an index key
gets one more entry in front; products get one more label. An operator without a rule, or one whose
rule returns None for its application, runs as a loop over the new axis.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from nbgraph.autograd.control.closing import wrapped
from nbgraph.graph.build import GraphNode, rebuilt
from nbgraph.graph.graph import Entry, spec
from nbgraph.operator.products.op import ProductOp
from nbgraph.operator.rows.row_op import RowOp
from nbgraph.ops.define import library
from nbgraph.ops.shapes.slicing import view_key


class Case(NamedTuple):
    """A node, its new operands, which of these have the new axis, and the length of the axis."""

    node: GraphNode
    operands: Sequence[Any]  # entries and numbers
    batched: Sequence[bool]
    size: int

    def shape(self, index: int) -> tuple[int, ...]:
        """Return the shape of an operand without the new axis."""
        operand = self.node.inputs[index]
        return spec(operand).shape if type(operand) is tuple else ()

    @property
    def rank(self) -> int:
        """The rank of the first operand without the new axis."""
        return len(self.shape(0))

    def spread(self, index: int) -> Any:
        """Return an operand with the new axis, broadcast along it if it had none."""
        operand = self.operands[index]
        return operand if self.batched[index] else broadcast(operand, self.size)

    def applied(self, operands: Sequence[Any], **attributes: Any) -> list[Entry]:
        """Return the outputs of the operator over operands, with some attributes changed."""
        changed = {"attributes": {**self.node.attributes, **attributes}, "name": None}
        node = rebuilt(self.node, operands, **changed)
        return [(node, k) for k in range(node.nout)]


Rule = Callable[[Case], list[Entry] | None]


def broadcast(entry: Entry, size: int) -> Entry:
    """Return an array with a new axis in front along which it is the same."""
    value = wrapped(entry)
    return library.broadcast_to(value, (size, *value.shape)).entry


def aligned(case: Case, index: int, rank: int) -> Any:
    """Return an operand; a batched one has at least `rank` axes behind the new one."""
    operand = case.operands[index]
    shape = case.shape(index)
    if not case.batched[index] or len(shape) >= rank:
        return operand
    ones = (1,) * (rank - len(shape))
    return library.reshape(wrapped(operand), (case.size, *ones, *shape)).entry


def elementwise(case: Case) -> list[Entry]:
    """Return the outputs of a scalar operator, which broadcasts."""
    rank = len(spec((case.node, 0)).shape)
    return case.applied([aligned(case, k, rank) for k in range(len(case.operands))])


# operators over whole arrays --------------------------------------------------------------------


def _shifted(axis: Any, rank: int) -> Any:
    """Return axes behind a new one; None becomes all of them."""
    if axis is None:
        return tuple(range(1, rank + 1))
    if isinstance(axis, tuple):
        return tuple([_shifted(a, rank) for a in axis])
    return axis + 1 if axis >= 0 else axis


def _spread(case: Case) -> list[Any]:
    return [case.spread(k) for k in range(len(case.operands))]


def along(*names: str, flattens: bool = False) -> Rule:
    """Return the rule of operators along the axes in these attributes. With `flattens` an axis of
    None stands for all elements in a row, for which there is no rule."""

    def rule(case: Case) -> list[Entry] | None:
        axes = {n: case.node.attributes[n] for n in names}
        if flattens and None in axes.values():
            return None
        return case.applied(_spread(case), **{n: _shifted(a, case.rank) for n, a in axes.items()})

    return rule


def leading(case: Case) -> list[Entry] | None:
    """Return the outputs of an operator that treats leading axes as a batch."""
    return case.applied(_spread(case))


def shaped(*names: str) -> Rule:
    """Return the rule of operators with an attribute `shape`; `names`: their axes."""

    def rule(case: Case) -> list[Entry]:
        attributes = case.node.attributes
        changed = {n: _shifted(attributes[n], len(attributes["shape"])) for n in names}
        return case.applied(_spread(case), shape=(case.size, *attributes["shape"]), **changed)

    return rule


def _broadcast_to(case: Case) -> list[Entry]:
    shape = case.node.attributes["shape"]
    return case.applied([aligned(case, 0, len(shape))], shape=(case.size, *shape))


def _sum_to(case: Case) -> list[Entry]:
    shape = case.node.attributes["shape"]
    ones = (1,) * (case.rank - len(shape))
    (entry,) = case.applied(case.operands, shape=(case.size, *ones, *shape))
    return [library.reshape(wrapped(entry), (case.size, *shape)).entry]


def _transpose(case: Case) -> list[Entry]:
    axes = case.node.attributes["axes"]
    axes = tuple(reversed(range(case.rank))) if axes is None else axes
    axes = tuple([a % case.rank for a in axes])
    return case.applied(case.operands, axes=(0, *(a + 1 for a in axes)))


def _squeeze(case: Case) -> list[Entry]:
    axis = case.node.attributes["axis"]
    if axis is None:
        axis = tuple([d for d, n in enumerate(case.shape(0)) if n == 1])
    return case.applied(case.operands, axis=_shifted(axis, case.rank))


def _longer_key(case: Case) -> Any:
    return (*view_key("vmap", slice(None)), *case.node.attributes["key"])


def _slice_scatter(case: Case) -> list[Entry]:
    shape = (case.size, *case.node.attributes["shape"])
    return case.applied(case.operands, key=_longer_key(case), shape=shape)


def _pad(case: Case) -> list[Entry]:
    width = ((0, 0), *case.node.attributes["pad_width"])
    return case.applied(case.operands, pad_width=width)


def _take(case: Case) -> list[Entry] | None:
    """Return the outputs of `take`, or None."""
    axis = case.node.attributes["axis"]
    if axis is None or all(case.batched):
        return None
    axis %= case.rank
    if case.batched[0]:
        return case.applied(case.operands, axis=axis + 1)
    (entry,) = case.applied(case.operands)
    return [library.moveaxis(wrapped(entry), axis, 0).entry]


def _index_update(case: Case) -> list[Entry] | None:
    """Return arrays with the part at a basic index replaced or added to."""
    key = case.node.attributes["key"]
    if "array" in key:
        return None
    rank = case.rank - sum(type(part) is int for part in key) + sum(part is None for part in key)
    return case.applied([case.spread(0), aligned(case, 1, rank)], key=_longer_key(case))


def _indexed(first: int) -> Rule:
    """Return the rule of operators with arrays of indices, which are the operands from number
    `first` on."""

    def rule(case: Case) -> list[Entry] | None:
        key = case.node.attributes["key"]
        if key != ("array",):
            marks = "".join("x" if part == "array" or type(part) is int else " " for part in key)
            split = " " in marks.strip()  # the axes of indices then precede the new one
            if split or any(case.batched[first:]) or "shape" in case.node.attributes:
                return None
            return case.applied([case.spread(0), *case.operands[1:]], key=_longer_key(case))
        every = np.arange(case.size).reshape(-1, *(1,) * len(case.shape(first)))
        return _by_numbers(case, every, first)

    return rule


def _by_numbers(case: Case, every: Any, first: int) -> list[Entry]:
    """Return the outputs with the numbers of the examples as one more array of indices."""
    from nbgraph.graph import build

    operands = [case.spread(k) for k in range(first + 1)]
    numbers = build.constant(every), 0
    rest = [case.spread(k) for k in range(first + 1, len(case.operands))]
    changed: dict[str, Any] = {"key": ("array", "array")}
    if "shape" in case.node.attributes:
        changed["shape"] = (case.size, *case.node.attributes["shape"])
    return case.applied([*operands[:first], numbers, operands[first], *rest], **changed)


def _argument(case: Case) -> list[Entry] | None:
    """Return positions of extremes, among all elements where the axis is None."""
    attributes = case.node.attributes
    if attributes["axis"] is not None:
        return case.applied(case.operands, axis=_shifted(attributes["axis"], case.rank))
    if attributes["keepdims"]:
        return None
    flat = library.reshape(wrapped(case.operands[0]), (case.size, -1))
    return case.applied([flat.entry], axis=1)


def merged(fixed: int = -1) -> Rule:
    """Return the rule of operators whose first axis counts examples: the new axis is merged into
    it. Operands from number `fixed` on are weights, which must not be batched."""

    def rule(case: Case) -> list[Entry] | None:
        others = [k for k in range(len(case.operands)) if fixed < 0 or k < fixed]
        if any(b for k, b in enumerate(case.batched) if k not in others):
            return None
        operands = list(case.operands)
        for k in others:
            value = wrapped(case.spread(k))
            operands[k] = library.reshape(value, (-1, *value.shape[2:])).entry
        results = [wrapped(entry) for entry in case.applied(operands)]
        return [library.reshape(y, (case.size, -1, *y.shape[1:])).entry for y in results]

    return rule


def _solve(case: Case) -> list[Entry] | None:
    """Return the solutions of systems with one right side each; None for other ranks."""
    a, b = _spread(case)
    if len(case.shape(1)) == 1:
        b = library.expand_dims(wrapped(b), -1).entry
        (x,) = case.applied([a, b])
        return [library.squeeze(wrapped(x), -1).entry]
    return case.applied([a, b]) if len(case.shape(0)) == len(case.shape(1)) else None


# products ---------------------------------------------------------------------------------------


def _einsum(case: Case) -> list[Entry] | None:
    text = case.node.attributes["subscripts"].replace(" ", "")
    free = sorted(set(string.ascii_letters) - set(text))
    if "->" not in text or not free:
        return None
    inputs, out = text.split("->")
    parts = [free[0] * b + part for part, b in zip(inputs.split(","), case.batched, strict=True)]
    return _contracted(f"{','.join(parts)}->{free[0]}{out}", case.operands)


def product(case: Case) -> list[Entry] | None:
    """Return the outputs of a product of two arrays with one more label, or None."""
    op: Any = case.node.op
    specs = [spec(operand) for operand in case.node.entries]
    labels = op.labels(*specs, **case.node.attributes) if len(specs) == 2 else None
    if labels is None:
        return None
    names = dict.fromkeys((*labels.a, *labels.b, *labels.out))
    sizes = labels.sizes(*(s.shape for s in specs))
    if any(
        s.shape != tuple(sizes[x] for x in own) for s, own in zip(specs, labels[:2], strict=True)
    ):
        return None  # some broadcast
    letters = dict(zip(names, string.ascii_letters, strict=False))
    new = string.ascii_letters[len(names)]
    a, b, out = ("".join(letters[x] for x in own) for own in labels)
    first, second = (new * has for has in case.batched)
    return _contracted(f"{first}{a},{second}{b}->{new}{out}", case.operands)


def _contracted(text: str, operands: Sequence[Entry]) -> list[Entry]:
    return [library.einsum(text, *(wrapped(entry) for entry in operands)).entry]


# the table --------------------------------------------------------------------------------------

_AXIS = along("axis")


def _by_rows(case: Case) -> list[Entry] | None:
    """Return the outputs of a row operator, or None for all axes or a first operand of low rank."""
    op: Any = case.node.op
    count, axis = len(op.program.elements), case.node.attributes["axis"]
    rank = max(len(case.shape(k)) for k in range(count))
    if axis is None or len(case.shape(0)) < rank:
        return None
    less = [k < count and len(case.shape(k)) < rank for k in range(len(case.operands))]
    operands = [aligned(case, k, rank) if few else case.spread(k) for k, few in enumerate(less)]
    return case.applied(operands, axis=_shifted(axis, rank))


_NAMES: Mapping[str, Rule] = {
    "sum prod mean var std max min any all count_nonzero vector_norm flip concatenate stack "
    "sparsemax sparsemax_gradient logcumsumexp linear_recurrence cummax cummin cumargmax cumargmin "
    "sort argsort topk take_along_axis split_part expand_dims": _AXIS,
    "cumulative_sum cumulative_prod roll": along("axis", flattens=True),
    "swapaxes diagonal": along("axis1", "axis2"),
    "moveaxis": along("source", "destination"),
    "argmax argmin": _argument,
    "clip_gradient astype copy stop_gradient checkpoint tril triu one_hot linalg_det linalg_eig "
    "linalg_eigh linalg_eigvals linalg_eigvalsh linalg_expm linalg_inverse linalg_pinv linalg_qr "
    "linalg_cofactors linalg_potrf linalg_slogdet linalg_slogdet_gradient "
    "linalg_svd linalg_svdvals linalg_trsm "
    "attention_parts attention_gradient real imag": leading,
    "linalg_solve": _solve,
    "reshape": shaped(),
    "scatter_along_axis": shaped("axis"),
    "diagonal_scatter": shaped("axis1", "axis2"),
    "broadcast_to": _broadcast_to,
    "sum_to": _sum_to,
    "transpose": _transpose,
    "squeeze": _squeeze,
    "slice_view": lambda case: case.applied(case.operands, key=_longer_key(case)),
    "slice_scatter": _slice_scatter,
    "pad": _pad,
    "take": _take,
    "gather": _indexed(1),
    "scatter_add": _indexed(1),
    "index_update index_add": _index_update,
    "convolution convolution_data fully_connected": merged(1),
    "max_pooling max_pooling_gradient max_pooling_pick avg_pooling avg_pooling_gradient im2col "
    "col2im": merged(),
    "einsum": _einsum,
}
RULES: Mapping[str, Rule] = {name: rule for names, rule in _NAMES.items() for name in names.split()}


def rule_of(op: Any) -> Rule | None:
    """Return the rule of an operator over whole arrays, or None where there is none."""
    rule = RULES.get(op.__name__)
    if rule is None:
        rule = product if isinstance(op, ProductOp) else None
        rule = _by_rows if isinstance(op, RowOp) else rule
    return rule
