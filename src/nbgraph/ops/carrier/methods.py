"""NumPy's methods of arrays, each a function of the library, where it is documented."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from operator import index
from types import MethodType
from typing import Any, Self

import numpy as np

from nbgraph import ops as library
from nbgraph.errors import ArgumentError, ShapeError, require_word
from nbgraph.operator.declared import Postponed, Row, build, parse

ops: Any = library  # for type checkers, to which the class is not a carrier before it is mixed in
_INT, _TUPLE, _WHOLE = {int}, {tuple}, (int, np.integer)


def _several(name: str, values: tuple[Any, ...]) -> Any:
    """Return sizes or axes, passed one by one or as a tuple."""
    kinds = set(map(type, values))
    if kinds == _INT or (kinds == _TUPLE and len(values) == 1):
        return values[0] if kinds == _TUPLE else values
    if len(values) == 1 and (values[0] is None or np.ndim(values[0]) > 0):
        return values[0]
    if any(np.ndim(v) for v in values):
        raise ArgumentError(f"{name}: {values!r}; give integers, or one tuple of them")
    return values


def _in_order(name: str, x: Any, order: str) -> Any:
    """Return an array whose row-major elements are those of `x` in an order."""
    return ops.transpose(x) if require_word(f"{name}: order", order, ("C", "F")) == "F" else x


def is_coded(x: Any, sizes: Any) -> bool:
    """Return whether a shape has codes of MXNet's `Reshape` with no meaning in NumPy's."""
    if (
        type(sizes) is tuple
        and set(map(type, sizes)) == _INT
        and min(sizes) >= -1
        and 0 not in sizes
    ):
        return False
    if not isinstance(sizes, (tuple, list)) or not all(isinstance(n, _WHOLE) for n in sizes):
        return False
    if min(sizes, default=1) > 0:
        return False
    return min(sizes) < -1 or (0 in sizes and 0 not in (x.shape or (1,)))


def define_methods(text: str, cls: type) -> None:
    """Define a class's methods by the rows of a table (`operator/declared`): functions of the
    library with `self` as the first operand."""
    scope: dict[str, Any] = {"__name__": cls.__module__}
    scope |= {"Self": Self, "ops": library, "index": index}
    scope |= {"several": _several, "_in_order": _in_order}

    def make(row: Row) -> dict[str, Any]:
        method = build(row, scope, "Self", {})
        own, *others = method.__signature__.parameters.values()
        own = own.replace(annotation=own.empty)
        method.__signature__ = method.__signature__.replace(parameters=[own, *others])
        method.__qualname__ = f"{cls.__name__}.{row.name}"
        for name in (row.name, *row.aliases):
            setattr(cls, name, method)
        return dict.fromkeys((row.name, *row.aliases), method)

    rows = list(parse(text, "ops"))
    find = Postponed(rows, scope, make)
    for name in (name for row in rows for name in (row.name, *row.aliases)):
        setattr(cls, name, OperatorMethod(name, find))
    find.complete(now=False)


class OperatorMethod:
    """A library function, looked up by name at its first use, as a method with the array as its
    first operand."""

    __slots__ = ("find", "name")

    def __init__(self, name: str, find: Callable[[str], Any]) -> None:
        self.name, self.find = name, find

    def __get__(self, owner: Any, kind: type | None = None) -> Any:
        function = self.find(self.name)
        return function if owner is None else MethodType(function, owner)


class Methods:
    """Methods that return an array: copies, shapes, parts, orders."""

    __slots__ = ()

    # copies -----------------------------------------------------------------------------------

    @property
    def real(self) -> Self:
        """The real part of each element: a view."""
        return ops.real(self)

    @property
    def imag(self) -> Self:
        """The imaginary part of each element: a view; of arrays that are not complex zeros."""
        return ops.imag(self)

    def _apart(self: Any, array: Any, copy: bool) -> Any:
        """Return a reshaped array, copied or not; classes with memory may refuse."""
        return ops.copy(array) if copy else array

    # shapes -----------------------------------------------------------------------------------

    def reshape(
        self,
        *sizes: Any,
        shape: Any = None,
        order: str = "C",
        copy: bool | None = None,
        reverse: bool = False,
    ) -> Self:
        """The elements in C order under another shape, a view where memory allows one.

        Parameters
        ----------
        *sizes : ints, or one tuple of them, also as `shape`; one may be -1, for the remaining size;
            MXNet's codes 0, -2, -3 and -4 are those of `ng.nd.Reshape`
        order : "C", row by row, or "F", column by column
        copy : True always copies, False refuses to (ValueError)
        reverse : whether codes are matched from the last axis on
        """
        sizes = _several("reshape", sizes if shape is None else (*sizes, shape))
        if order != "C":
            return np.reshape(self, sizes, order, copy=copy)  # type: ignore[call-overload, arg-type]
        if reverse or is_coded(self, sizes):
            reshaped = ops.Reshape(self, sizes, reverse=reverse)
        else:
            reshaped = ops.reshape(self, sizes)
        return reshaped if copy is None else self._apart(reshaped, copy)

    @property
    def T(self) -> Self:
        """Axes reversed: a view."""
        return ops.transpose(self)

    @property
    def mT(self) -> Self:
        """The last two axes exchanged: a view."""
        shape = getattr(self, "shape", None)
        if shape is not None and len(shape) < 2:
            raise ShapeError(f"mT: an array of shape {shape} has no last two axes")
        return ops.matrix_transpose(self)

    def __round__(self: Any, ndigits: int | None = None) -> Any:
        return self.round(ndigits or 0)


_TABLE = """
astype(self, dtype, copy=True): The values cast to a dtype.
    dtype : dtype or its name
    copy : False gives the array itself where it has that dtype
    >>> import nbgraph as ng
    >>> ng.array([1.5, 2.5]).astype("int32")
    array([1, 2], dtype=int32)
    = ops.astype(self, dtype, copy=copy)
copy(self): A copy of the array.
conj conjugate(self): The complex conjugate of each element.
detach(self): The same values, a constant for derivatives.
    = ops.stop_gradient(self)
ravel(self, order: str = "C"): The elements along one axis, a view where memory allows one.
    order : "C", row by row, or "F", column by column
    = ops.ravel(_in_order("ravel", self, order))
flatten(self, order: str = "C"): A copy of the elements along one axis; see `ravel`.
    = _in_order("flatten", self, order).reshape(-1, copy=True)
transpose(self, *axes): The array with its axes reordered, by default reversed: a view.
    = ops.transpose(self, several("transpose", axes) if axes else None)
swapaxes(self, axis1: int, axis2: int): The array with two axes exchanged: a view.
squeeze(self, axis=None): The array without these axes of size 1, or all: a view.
expand_dims(self, axis=0): The array with new axes of size 1: a view.
broadcast_to(self, shape): The array broadcast to this shape, without copies; do not write to it.
diagonal(self, offset: int = 0, axis1: int = 0, axis2: int = 1): The diagonal of two axes as the
    last axis: a view.
take(self, indices, axis: int | None = None, *, mode: str = "raise", out=None): The elements at
    integer indices along an axis, by default of the flattened array.
repeat(self, repeats, axis: int | None = None): Each element repeated, along an axis or flattened.
nonzero(self) -> Any: Indices of the elements that are not zero, one array for each axis; waits.
argsort(self, axis: int = -1): Indices that sort along an axis.
    = ops.argsort(self, axis=axis)
searchsorted(self, v, side: str = "left"): Indices at which values would be inserted to keep this
    array sorted.
    = ops.searchsorted(self, v, side=side)
clip(self, min=None, max=None, *, out=None): Elements limited to [min, max]; None means no limit.
round(self, decimals: int = 0, *, out=None): Elements rounded to so many decimals, ties to even.
    = ops.round(self, decimals=index(decimals) or None, out=out)
dot(self, other): The dot product (`ng.dot`): of vectors, or of the last axis with the second last.
"""
define_methods(_TABLE, Methods)


# methods of MXNet's and PyTorch's arrays with the operators' parameters; not `split` and `pad`
# and `pad`, which mean something else in each library
OPERATOR_METHODS = """
abs arccos arccosh arcsin arcsinh arctan arctanh argmax_channel broadcast_axes broadcast_like cbrt
ceil cos cosh degrees depth_to_space diag erf exp expm1 fix flip floor isfinite isinf isnan log
log10 log1p log2 log_softmax logsumexp maximum minimum nanprod nansum one_hot ones_like pick pow
radians rcbrt reciprocal relu reshape_like rint roll rsqrt shape_array sigmoid sign sin sinh
size_array slice slice_axis slice_like softmax softmin space_to_depth sqrt square tan tanh tile topk
tril triu trunc zeros_like
"""
for _name in OPERATOR_METHODS.split():
    setattr(Methods, _name, OperatorMethod(_name, partial(getattr, library)))
