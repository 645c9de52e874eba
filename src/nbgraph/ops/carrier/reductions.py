"""NumPy's methods that reduce or accumulate axes, each a function of the library."""

from __future__ import annotations

from typing import Any, Self

from nbgraph import ops as library
from nbgraph.foreign import checked

ops: Any = library  # to type checkers, who see the class before it is mixed in, no carrier


class Reductions:
    """Sums, extremes and kin: `axis` is None (all), an int or a tuple; reduced axes are dropped
    unless `keepdims`. `exclude`: MXNet's, whether `axis` are those that stay."""

    __slots__ = ()

    def sum(
        self,
        axis: Any = None,
        dtype: Any = None,
        *,
        keepdims: bool = False,
        exclude: bool = False,
        out: Any = None,
    ) -> Self:
        """The sum; float32 stays float32, integers and bool sum in 64 bits.

        >>> import nbgraph as ng
        >>> ng.ones((2, 3)).sum(axis=0)
        array([2., 2., 2.], dtype=float32)
        """
        return ops.sum(self, axis, dtype, keepdims=keepdims, exclude=exclude, out=out)

    def prod(
        self,
        axis: Any = None,
        dtype: Any = None,
        *,
        keepdims: bool = False,
        exclude: bool = False,
        out: Any = None,
    ) -> Self:
        """The product."""
        return ops.prod(self, axis, dtype, keepdims=keepdims, exclude=exclude, out=out)

    def mean(
        self,
        axis: Any = None,
        dtype: Any = None,
        *,
        keepdims: bool = False,
        exclude: bool = False,
        out: Any = None,
    ) -> Self:
        """The mean; of integers in float64."""
        return ops.mean(self, axis, dtype, keepdims=keepdims, exclude=exclude, out=out)

    def var(
        self,
        axis: Any = None,
        dtype: Any = None,
        *,
        ddof: float = 0,
        correction: float | None = None,
        keepdims: bool = False,
        out: Any = None,
    ) -> Self:
        """The mean squared distance from the mean, with divisor n - ddof (or n - correction)."""
        return ops.var(
            self, axis, dtype, ddof=ddof, correction=correction, keepdims=keepdims, out=out
        )

    def std(
        self,
        axis: Any = None,
        dtype: Any = None,
        *,
        ddof: float = 0,
        correction: float | None = None,
        keepdims: bool = False,
        out: Any = None,
    ) -> Self:
        """The root of `var`."""
        return ops.std(
            self, axis, dtype, ddof=ddof, correction=correction, keepdims=keepdims, out=out
        )

    def max(
        self, axis: Any = None, *, keepdims: bool = False, exclude: bool = False, out: Any = None
    ) -> Self:
        """The largest element."""
        return ops.max(self, axis, keepdims=keepdims, exclude=exclude, out=out)

    def min(
        self, axis: Any = None, *, keepdims: bool = False, exclude: bool = False, out: Any = None
    ) -> Self:
        """The smallest element."""
        return ops.min(self, axis, keepdims=keepdims, exclude=exclude, out=out)

    def argmax(self, axis: int | None = None, *, keepdims: bool = False, out: Any = None) -> Self:
        """Where the largest element is; the first of several."""
        return ops.argmax(self, axis, keepdims=keepdims, out=out)

    def argmin(self, axis: int | None = None, *, keepdims: bool = False, out: Any = None) -> Self:
        """Where the smallest element is; the first of several."""
        return ops.argmin(self, axis, keepdims=keepdims, out=out)

    def any(self, axis: Any = None, *, keepdims: bool = False, out: Any = None) -> Self:
        """Whether some element is not zero."""
        return ops.any(self, axis, keepdims=keepdims, out=out)

    def all(self, axis: Any = None, *, keepdims: bool = False, out: Any = None) -> Self:
        """Whether no element is zero."""
        return ops.all(self, axis, keepdims=keepdims, out=out)

    def norm(self, ord: Any = None, axis: Any = None, *, keepdims: bool = False) -> Self:
        """The norm of vectors: the root of the sum of squares, or of order `ord`."""
        return ops.norm(self, ord, axis, keepdims=keepdims)

    def cumsum(self, axis: int | None = None, dtype: Any = None, *, out: Any = None) -> Self:
        """Sums of the elements so far, along an axis or flattened."""
        return ops.cumsum(self, axis, dtype, out=out)

    def cumprod(self, axis: int | None = None, dtype: Any = None, *, out: Any = None) -> Self:
        """Products of the elements so far, along an axis or flattened."""
        return ops.cumprod(self, axis, dtype, out=out)

    def trace(self, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Self:
        """The sum of a diagonal."""
        return ops.trace(self, offset, axis1, axis2)


for _name, _method in [*vars(Reductions).items()]:
    if callable(_method):
        setattr(Reductions, _name, checked(_method))
