"""The standard's extension `linalg`, by `ng.linalg`."""

from typing import Any as Any

from nbgraph.array import NDArray as NDArray
from nbgraph.device import Context as Context
from nbgraph.operator.declared import TYPES, define, parse
from nbgraph.ops import linalg as linalg

_FUNCTIONS = """
cholesky(x, /, *, upper=False): The triangular factor of symmetric or Hermitian positive definite
    matrices.
cross(x1, x2, /, *, axis=-1): The product of vectors of three elements along an axis.
det(x, /): The determinant.
diagonal(x, /, *, offset=0): A diagonal of the last two axes.
eig(x, /) -> Any: Eigenvalues and eigenvectors of any square matrices, both complex.
eigh(x, /) -> Any: Eigenvalues and eigenvectors of symmetric or Hermitian matrices.
eigvals(x, /): Eigenvalues of any square matrices, complex.
eigvalsh(x, /): Eigenvalues of symmetric or Hermitian matrices.
inv(x, /): The inverse.
matmul(x1, x2, /): The matrix product over the last axes; leading axes broadcast.
matrix_norm(x, /, *, keepdims=False, ord="fro"): Norms of matrices.
matrix_power(x, n: int, /): Square matrices to the power `n`.
matrix_rank(x, /, *, rtol=None): The number of singular values above `rtol` of the largest.
matrix_transpose(x, /): The array with its last two axes exchanged.
outer(x1, x2, /): The products of each element of one vector with each of another.
pinv(x, /, *, rtol=None): The pseudo-inverse; singular values up to `rtol` of the largest are 0.
qr(x, /, *, mode="reduced") -> Any: Orthogonal and triangular factors.
slogdet(x, /) -> Any: The sign of the determinant and the logarithm of its size.
solve(x1, x2, /): The solution x of `x1 @ x = x2`.
svd(x, /, *, full_matrices=True) -> Any: Singular vectors and values.
svdvals(x, /): Singular values.
tensordot(x1, x2, /, *, axes=2): Products summed over pairs of axes: the last and first `axes`, or
    those named.
trace(x, /, *, offset=0, dtype=None): The sum of a diagonal.
vecdot(x1, x2, /, *, axis=-1): Products summed along one axis.
vector_norm(x, /, *, axis=None, keepdims=False, ord=2): Norms of vectors along axes.
"""
_TYPES = {**TYPES, **dict.fromkeys(("x", "x1", "x2"), "NDArray")}
_names = define(parse(_FUNCTIONS, "linalg"), globals(), "NDArray", types=_TYPES)


def __dir__() -> list[str]:
    """The names of the extension."""
    return list(_names)
