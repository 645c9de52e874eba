"""Products of matrices in BLAS's convention, as arguments of a driver.

BLAS is column-major: a matrix of r rows and s columns at an address has its columns one after the
other, `ld` elements from one to the next, ld >= r. A row-major array is the transpose of such a
matrix; `kernels.products.axes` determines which operand comes first, and in which form.

>>> single = np.dtype("float32")
>>> gemm = Gemm(m=3, n=2, k=4, forms="TN", lds=(4, 4, 3), dtype=single)
>>> [(shape, strides) for _, shape, _, strides in gemm.views(0, 0, 0)]
[((1, 3, 4), (0, 16, 4)), ((1, 4, 2), (0, 4, 16)), ((1, 3, 2), (0, 4, 12))]
"""

from typing import Any, NamedTuple

import numpy as np

from nbgraph.errors import DeviceError

MOST = (1 << 31) - 1  # BLAS has extents of int32
Seen = tuple[int, tuple[int, ...], np.dtype[Any], tuple[int, ...]]  # a `protocol.View`


class Gemm(NamedTuple):
    """A batch of products c = op(a) op(b), or c += op(a) op(b), in equal steps.

    op(a) is m by k, op(b) k by n, c m by n, all of one dtype. 16-bit floats are multiplied and
    summed in float32, and rounded once.
    """

    m: int
    n: int
    k: int
    forms: str  # of a and b: "N" as stored, "T" its transpose
    lds: tuple[int, int, int]  # of a, b, c: elements from one column to the next
    dtype: np.dtype[Any]
    adds: bool = False
    products: int = 1
    steps: tuple[int, int, int] = (0, 0, 0)  # of a, b, c: elements from one product to the next
    tf32: bool = False  # operands of float32 may be rounded to 11 bits

    @property
    def stored(self) -> tuple[tuple[int, int], tuple[int, int], tuple[int, int]]:
        """Rows and columns of a, b and c as stored."""
        m, n, k = self.m, self.n, self.k
        a = (m, k) if self.forms[0] == "N" else (k, m)
        b = (k, n) if self.forms[1] == "N" else (n, k)
        return a, b, (m, n)

    def check(self) -> None:
        """Raise DeviceError unless BLAS can compute it."""
        counts = (self.m, self.n, self.k, self.products, *self.lds)
        if not all(0 < n <= MOST for n in counts) or self.forms not in ("NN", "NT", "TN", "TT"):
            raise DeviceError(f"a product that BLAS does not take: {self}")
        for (rows, _), ld in zip(self.stored, self.lds, strict=True):
            if ld < rows:
                raise DeviceError(f"columns of {rows} elements, {ld} apart, overlap: {self}")

    def views(self, a: int, b: int, c: int) -> list[Seen]:
        """Return views of op(a), op(b) and c: addresses, shapes, dtypes and byte strides."""
        item, views = self.dtype.itemsize, []
        forms = (*self.forms, "N")
        rows = zip((a, b, c), forms, self.stored, self.lds, self.steps, strict=True)
        for address, form, shape, ld, step in rows:
            strides = item, item * ld
            if form == "T":
                shape, strides = shape[::-1], strides[::-1]
            views.append((address, (self.products, *shape), self.dtype, (item * step, *strides)))
        return views
