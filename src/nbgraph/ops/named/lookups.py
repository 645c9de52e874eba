"""Rows of a table by MXNet's name, and elements by index with its handling of indices out of
bounds."""

from typing import Any

import numpy as np

from nbgraph.errors import ArgumentError, ShapeError
from nbgraph.operator.arrays.array_op import ArrayOp, Gradients, Spec
from nbgraph.operator.expected import with_shape
from nbgraph.operator.parameters import Param, field
from nbgraph.ops.define import library, public
from nbgraph.ops.indexing.picking import embedding
from nbgraph.ops.named.calls import applied, composer, documented, read


def _infer(data: Spec, weight: Spec) -> Spec:
    if len(weight.shape) != 2:
        raise ShapeError(f"Embedding: weight has shape {weight.shape}; expected a table (n, size)")
    return Spec((*data.shape, weight.shape[1]), weight.dtype)


def _rule(g: Gradients) -> list[Any]:
    places = library.astype(g.inputs[0], "int64")
    shape = g.specs[1].shape
    return [None, library.scatter_add(g.out_grad, places, shape=shape, key=("array",))]


_EMBEDDING = ArrayOp(
    "Embedding",
    _infer,
    gradient=_rule,
    composition=lambda data, weight: library.take(weight, library.astype(data, "int64"), 0),
    operands=("data", "weight"),
    keeps=("data",),
)


class _Embedding(Param):
    """Parameters of Embedding."""

    input_dim: int | None = field(None, lower=1, doc="Rows of the table.")
    output_dim: int | None = field(None, lower=1, doc="Size of a row.")
    padding_index: int | None = field(None, doc="A row that gets no gradient.")
    dtype: np.dtype[Any] = field("float32", doc="Ignored: it is that of the weight.")
    sparse_grad: bool = field(False, doc="Ignored: gradients are dense.")


@public(_EMBEDDING)
@documented(_Embedding)
def Embedding(data: Any, weight: Any = None, *, name: str | None = None, **options: Any) -> Any:
    """`embedding` by MXNet's name: the row of a table for each number.

    data : array of any shape: numbers of rows from 0, floats are cut to whole numbers; negative
        ones count from the end
    weight : array (input_dim, output_dim); on symbols, a missing one becomes a variable,
        `name_weight`
    -> array (*data.shape, output_dim) of weight's dtype. The gradient of a row is the sum over the
        occurrences of its number; data has none.
    ! IndexingError for a number out of bounds; ShapeError where weight has another shape.
    >>> import nbgraph as ng
    >>> Embedding([1, 0], [[0.0, 1.0], [2.0, 3.0]])
    array([[2., 3.],
           [0., 1.]])
    >>> out = Embedding(ng.var("data"), input_dim=5, output_dim=2, name="e")
    >>> out.list_arguments(), out.infer_shape(data=(3,))[0]
    (['data', 'e_weight'], [(3,), (5, 2)])
    """
    p = read("Embedding", _Embedding, options)
    table = {"input_dim": p.input_dim, "output_dim": p.output_dim}
    asked = tuple(table.values())
    if weight is not None:
        weight = with_shape(weight, asked, "Embedding", "weight", table)
    if composer(data, weight) is None and weight is not None:
        return embedding(data, weight, padding_index=p.padding_index)
    if p.padding_index is not None:
        raise ArgumentError("Embedding: padding_index is for arrays; on symbols use embedding")
    known = {"weight": (asked, None)}
    return applied(_EMBEDDING, [data, weight], {}, name, known)
