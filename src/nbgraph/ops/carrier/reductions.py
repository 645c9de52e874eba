"""NumPy's methods that reduce or accumulate axes, each a function of the library."""

from nbgraph.ops.carrier.methods import define_methods


class Reductions:
    """Sums, extremes and the like: `axis` is None (all), an int or a tuple; reduced axes are
    dropped unless `keepdims`. `where`: which elements count. `exclude`: as in MXNet, whether `axis`
    lists the axes that stay."""

    __slots__ = ()


_TABLE = """
sum(self, axis=None, dtype=None, *, keepdims=False, initial=None, where=True, exclude=False,
    out=None): The sum; float32 stays
    float32, integers and bool sum in 64 bits.
    >>> import nbgraph as ng
    >>> ng.ones((2, 3)).sum(axis=0)
    array([2., 2., 2.], dtype=float32)
prod(self, axis=None, dtype=None, *, keepdims=False, initial=None, where=True, exclude=False,
    out=None): The product.
mean(self, axis=None, dtype=None, *, keepdims=False, where=True, exclude=False, out=None): The mean,
    in float64 for integers.
var(self, axis=None, dtype=None, *, ddof: float = 0, correction: float | None = None,
    keepdims=False, out=None): The mean squared distance from the mean, with divisor n - ddof (or n
    - correction).
std(self, axis=None, dtype=None, *, ddof: float = 0, correction: float | None = None,
    keepdims=False, out=None): The root of `var`.
max(self, axis=None, *, keepdims=False, initial=None, where=True, exclude=False,
    out=None): The largest element.
min(self, axis=None, *, keepdims=False, initial=None, where=True, exclude=False,
    out=None): The smallest element.
argmax(self, axis: int | None = None, *, keepdims=False, out=None): The index of the largest
    element, the first of equals.
argmin(self, axis: int | None = None, *, keepdims=False, out=None): The index of the smallest
    element, the first of equals.
any(self, axis=None, *, keepdims=False, where=True, out=None): Whether some element is not zero.
all(self, axis=None, *, keepdims=False, where=True, out=None): Whether no element is zero.
norm(self, ord=None, axis=None, *, keepdims=False): The norm of vectors: the root of the sum of
    squares, or of order `ord`.
cumsum(self, axis: int | None = None, dtype=None, *, out=None): Sums of the elements so far, along
    an axis or flattened.
cumprod(self, axis: int | None = None, dtype=None, *, out=None): Products of the elements so far,
    along an axis or flattened.
trace(self, offset: int = 0, axis1: int = 0, axis2: int = 1): The sum of a diagonal.
"""
define_methods(_TABLE, Reductions)
