"""Products with a matrix in compressed sparse rows (CSR), which SciPy carries out.

Row r of the matrix S has `values[k]` in column `indices[k]`, for k from `offsets[r]` up to
`offsets[r + 1]`. Gradients flow to the dense operand and to the values. Sparse results, and other
operators on sparse operands, are out of scope: see `scipy.sparse`.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from nbgraph.dtype import is_float
from nbgraph.errors import ArgumentError, DTypeError, ShapeError
from nbgraph.operator.arrays.array_op import ArrayOp, Gradients, Spec
from nbgraph.ops.define import as_array, as_known, composed, define_rows, library
from nbgraph.ops.elementwise.arithmetic import multiply, subtract
from nbgraph.ops.indexing.indexing import check_bounds, require_integers, take
from nbgraph.shape import Array

if TYPE_CHECKING:
    import scipy.sparse


def _infer(
    values: Spec, indices: Spec, offsets: Spec, dense: Spec, *, columns: int, transpose: bool
) -> Spec:
    one = [spec.shape for spec in (values, indices, offsets)]
    if any(len(shape) != 1 for shape in one) or one[0] != one[1] or one[2] == (0,):
        raise ShapeError(
            f"csr_dot: values {one[0]}, indices {one[1]}, offsets {one[2]}; expected one axis "
            "each, the first two of one size, the last with one more than rows"
        )
    require_integers("csr_dot", indices)
    require_integers("csr_dot", offsets, "offsets")
    rows = one[2][0] - 1
    wanted, extent = (rows, columns) if transpose else (columns, rows)
    if len(dense.shape) not in (1, 2) or dense.shape[0] != wanted:
        raise ShapeError(
            f"csr_dot: dense has shape {dense.shape}; expected {wanted} rows, for a matrix of "
            f"shape {(rows, columns)}{' transposed' if transpose else ''}"
        )
    dtype = np.result_type(values.dtype, dense.dtype)
    if not is_float(dtype):
        raise DTypeError(f"csr_dot: {dtype} is not a floating dtype; cast values or dense to one")
    return Spec((extent, *dense.shape[1:]), dtype)


def _compute(inputs: list[Array], outputs: list[Array], *, columns: int, transpose: bool) -> None:
    values, indices, offsets, dense = inputs
    (out,) = outputs
    if offsets[0] != 0 or offsets[-1] != values.size or (np.diff(offsets) < 0).any():
        raise ValueError(
            f"csr_dot: offsets go from {offsets[0]} to {offsets[-1]}; expected from 0 to "
            f"{values.size}, the number of values, never decreasing"
        )
    check_bounds("csr_dot", indices, columns, 1)
    wide = np.result_type(out.dtype, np.float32)
    matrix = _matrix(values.astype(wide), indices % max(columns, 1), offsets, columns)
    out[...] = (matrix.T if transpose else matrix) @ dense.astype(wide, copy=False)


def _matrix(values: Array, indices: Array, offsets: Array, columns: int) -> scipy.sparse.csr_matrix:
    import scipy.sparse  # loaded when used

    shape = offsets.size - 1, columns
    return scipy.sparse.csr_matrix((values, indices, offsets), shape=shape)


def _rule(g: Gradients) -> list[Any]:
    values, indices, offsets, dense = g.inputs
    columns, transpose = g.attributes["columns"], g.attributes["transpose"]

    def to_values() -> Any:
        places = subtract(library.cumsum(library.ones_like(indices)), 1)
        rows = subtract(library.searchsorted(offsets, places, side="right"), 1)
        left, right = (indices, rows) if transpose else (rows, indices)
        each = multiply(take(g.out_grad, left, 0), take(dense, right, 0))
        return library.sum(each, axis=1) if len(g.specs[3].shape) == 2 else each

    operands = values, indices, offsets, g.out_grad
    to_dense = lambda: library.csr_dot(*operands, columns=columns, transpose=not transpose)
    return [to_values, None, None, to_dense]


_CSR_DOT = ArrayOp(
    "csr_dot",
    _infer,
    _compute,
    gradient=_rule,
    operands=("values", "indices", "offsets", "dense"),
    keeps=("values", "indices", "offsets", "dense"),
)


def columns_of(columns: int | None, dense: Any, *, transpose: bool) -> int:
    """Return the number of a matrix's columns: by default that of dense's rows."""
    if columns is not None:
        return operator.index(columns)
    if transpose:
        raise ArgumentError("csr_dot: columns=None, but transpose=True; give columns=")
    return as_known("csr_dot", dense).shape[0]


_TABLE = """
csr_dot(values, indices, offsets, dense, *, columns: int | None = None, transpose=False, out=None):
    S @ dense, with `transpose` S.T @ dense, for a matrix S in compressed sparse rows.
    values : array (n,), the elements of S that are kept
    indices : array (n,) of ints, the column of each
    offsets : array (rows + 1,) of ints: row i holds elements offsets[i] up to offsets[i + 1]
    dense : array (columns, k), with `transpose` (rows, k)
    columns : int, those of S; by default as many as `dense` has rows
    -> array (rows, k), with `transpose` (columns, k). Gradients flow to values and dense.
    >>> csr_dot([5.0, 7.0], [0, 1], [0, 1, 2], [[1.0], [2.0]])
    array([[ 5.],
           [14.]])
    = _CSR_DOT(as_array(values), as_array(indices), as_array(offsets), as_array(dense),
        columns=columns_of(columns, dense, transpose=transpose), transpose=bool(transpose), out=out)
dot_csr(dense, values, indices, offsets, *, columns: int, transpose=False): dense @ S, with
    `transpose` dense @ S.T, for a matrix S in compressed sparse rows.
    dense : array (k, rows), with `transpose` (k, columns)
    values, indices, offsets, columns : as those of `csr_dot`
    >>> dot_csr([[1.0, 2.0]], [5.0, 7.0], [0, 1], [0, 1, 2], columns=2)
    array([[ 5., 14.]])
    = library.transpose(library.csr_dot(values, indices, offsets, library.transpose(dense),
        columns=columns, transpose=not transpose))
"""
define_rows(
    _TABLE, globals(), "dense values indices offsets".split(), ("csr_dot",), like=("dot_csr",)
)


@composed()
def sparse_dot(a: Any, b: Any, *, transpose_a: bool = False, transpose_b: bool = False) -> Any:
    """The product of a scipy.sparse matrix with a dense array of any kind, on either side.

    The matrix is a constant, in the dtype of the dense array; see `csr_dot` for values with
    gradients.

    a, b : the one sparse, the other dense
    transpose_a, transpose_b : whether they are transposed
    >>> import scipy.sparse
    >>> sparse_dot(scipy.sparse.csr_matrix([[0.0, 2.0], [1.0, 0.0]]), [3.0, 4.0])
    array([8., 3.])
    """
    sparse = [hasattr(v, "tocsr") for v in (a, b)]
    if sum(sparse) != 1:
        raise ArgumentError(
            f"sparse_dot: a is {type(a).__name__}, b is {type(b).__name__}; expected one "
            "scipy.sparse matrix and one dense array; for dense ones use dot"
        )
    turned = [transpose_a, transpose_b]
    dense, matrix = as_array(b if sparse[0] else a), a if sparse[0] else b
    dense = library.matrix_transpose(dense) if turned[sparse[0]] else dense
    matrix = (matrix.T if turned[not sparse[0]] else matrix).tocsr()
    values = matrix.data
    if dense.shape is not None and is_float(dense.dtype) and values.dtype != dense.dtype:
        values = values.astype(dense.dtype)
    parts, columns = (values, matrix.indices, matrix.indptr), matrix.shape[1]
    if sparse[0]:
        return library.csr_dot(*parts, dense, columns=columns)
    return library.dot_csr(dense, *parts, columns=columns)
