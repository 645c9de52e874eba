"""Products of matrices and vectors, by BLAS: see `nbgraph.operator.products.op`.

Floats of 16 bits are summed in float32. Gradients are products, too.
"""

from collections.abc import Sequence
from typing import Any

from nbgraph.errors import ArgumentError, ShapeError
from nbgraph.operator.arrays.array_op import Gradients, Spec
from nbgraph.operator.products.op import Labels, ProductOp
from nbgraph.ops.define import (
    Shape,
    as_known,
    axes_of,
    axis_of,
    composed,
    deferrable,
    define_rows,
    library,
    whole,
    whole_tuple,
)
from nbgraph.ops.define import as_array as as_array
from nbgraph.ops.elementwise.arithmetic import multiply
from nbgraph.ops.products.contraction import product_rule
from nbgraph.ops.shapes.shape import matrix_transpose, moveaxis
from nbgraph.shape import broadcast

# matmul -----------------------------------------------------------------------------------------


def _matmul_labels(a: Spec, b: Spec) -> Labels:
    """Return labels by NumPy's rule: vectors are rows or columns, leading axes broadcast."""
    x, y = a.shape, b.shape
    if not x or not y:
        raise ShapeError(
            f"matmul: x1 has shape {x}, x2 {y}; numbers are multiplied with multiply (x1 * x2)"
        )
    if x[-1] != y[-2 if len(y) > 1 else -1]:
        raise ShapeError(
            f"matmul: inner sizes differ: x1{x} @ x2{y}; the last size of x1, {x[-1]}, must equal "
            f"the {'only' if len(y) == 1 else 'second-to-last'} size of x2, "
            f"{y[-2 if len(y) > 1 else -1]}"
        )
    broadcast("matmul", [("x1", x[:-2]), ("x2", y[:-2])])
    row = ("row",) if len(x) > 1 else ()
    column = ("column",) if len(y) > 1 else ()
    left, right = leading(len(x) - 2), leading(len(y) - 2)
    batch = max(left, right, key=len)
    return Labels((*left, *row, "k"), (*right, "k", *column), (*batch, *row, *column))


def leading(count: int) -> tuple[str, ...]:
    """Return labels of leading axes, which are aligned at their end."""
    return tuple(f"batch{d}" for d in reversed(range(max(0, count))))


def _matmul_rule(g: Gradients) -> Sequence[Any]:
    """Use matmul for matrices, for readable graphs; else any product."""
    (a, b), (spec_a, spec_b) = g.inputs, g.specs
    if len(spec_a.shape) < 2 or len(spec_b.shape) < 2 or spec_a.shape[:-2] != spec_b.shape[:-2]:
        return product_rule(g)
    left = lambda: library.matmul(g.out_grad, matrix_transpose(b))
    return [left, lambda: library.matmul(matrix_transpose(a), g.out_grad)]


_ANY = 64  # more axes than any array has
_MATMUL = ProductOp("matmul", _matmul_labels, gradient=_matmul_rule, even=2)


# dot --------------------------------------------------------------------------------------------


def _dot_labels(
    a: Spec, b: Spec, *, transpose_a: bool, transpose_b: bool, first: bool = False
) -> Labels:
    x, y = _own("a", a.shape), _own("b", b.shape)
    if not x or not y:
        return Labels(x, y, (*x, *y))
    before_a, before_b = (0 if first else max(0, len(own) - 2) for own in (x, y))
    at_a = before_a if transpose_a else len(x) - 1
    at_b = len(y) - 1 if transpose_b else before_b
    if a.shape[at_a] != b.shape[at_b]:
        flags = f" (transpose_a={transpose_a}, transpose_b={transpose_b})"
        flags = flags if transpose_a or transpose_b else ""
        raise ShapeError(
            f"dot: inner sizes differ: x1{a.shape}, x2{b.shape}{flags}; axis {at_a} of x1 has size "
            f"{a.shape[at_a]}, axis {at_b} of x2 has size {b.shape[at_b]}"
        )
    rows, columns = (*x[:at_a], *x[at_a + 1 :]), (*y[:at_b], *y[at_b + 1 :])
    left, right = (*x[:at_a], "k", *x[at_a + 1 :]), (*y[:at_b], "k", *y[at_b + 1 :])
    return Labels(left, right, (*rows, *columns))


def _own(operand: str, shape: Shape) -> tuple[str, ...]:
    """Return labels of an operand's axes, by position."""
    return tuple(f"{operand}{d}" for d in range(len(shape)))


_DOT = ProductOp("dot", _dot_labels, gradient=product_rule, even=_ANY)


def dotted(a: Any, b: Any, flags: dict[str, bool], *, first: bool, out: Any) -> Any:
    """Return `dot` of dense arrays."""
    if a.shape == () or b.shape == ():
        return multiply(a, b, out=out)
    if first and (a.shape is None or b.shape is None or max(len(a.shape), len(b.shape)) > 2):
        flags["first"] = True
    return _DOT(a, b, **flags, out=out)


# batch_dot --------------------------------------------------------------------------------------


def _batch_labels(a: Spec, b: Spec, *, transpose_a: bool, transpose_b: bool) -> Labels:
    x, y = a.shape, b.shape
    if len(x) < 3 or len(x) != len(y) or x[:-2] != y[:-2]:
        raise ShapeError(
            f"batch_dot: x1 has shape {x}, x2 {y}; expected two arrays of matrices with equal "
            "leading sizes; matmul broadcasts them"
        )
    left = ("k", "row") if transpose_a else ("row", "k")
    right = ("column", "k") if transpose_b else ("k", "column")
    sizes = x[-2 if transpose_a else -1], y[-1 if transpose_b else -2]
    if sizes[0] != sizes[1]:
        raise ShapeError(
            f"batch_dot: x1 has shape {x}, x2 {y} (transpose_a={transpose_a}, "
            f"transpose_b={transpose_b}); inner sizes {sizes[0]} and {sizes[1]} have to be equal"
        )
    batch = leading(len(x) - 2)
    return Labels((*batch, *left), (*batch, *right), (*batch, "row", "column"))


_BATCH_DOT = ProductOp("batch_dot", _batch_labels, gradient=product_rule, even=_ANY)


# products made of them --------------------------------------------------------------------------


@composed()
@deferrable()
def vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    """The sum of products along an axis; the others broadcast. Of complex numbers x1 is conjugated.

    x1, x2 : arrays, of one size along `axis`
    axis : int
    >>> vecdot([[1, 2], [3, 4]], [1, 1])
    array([3, 7])
    """
    a, b = as_known("vecdot", x1), as_known("vecdot", x2)
    place = whole("vecdot", "axis", axis)
    sizes = [x.shape[axis_of("vecdot", place, len(x.shape))] for x in (a, b)]
    if sizes[0] != sizes[1]:
        raise ShapeError(
            f"vecdot: x1 has shape {tuple(a.shape)}, x2 {tuple(b.shape)}; their sizes at axis "
            f"{axis} have to be equal"
        )
    if place != -1:
        a, b = moveaxis(a, place, -1), moveaxis(b, place, -1)
    broadcast("vecdot", [("x1", tuple(a.shape[:-1])), ("x2", tuple(b.shape[:-1]))])
    a = library.conj(a) if a.dtype.kind == "c" else a
    return library.einsum("...i,...i->...", a, b)


def _inner_labels(a: Spec, b: Spec) -> Labels:
    x, y = _own("a", a.shape), _own("b", b.shape)
    if not x or not y:
        return Labels(x, y, (*x, *y))
    if a.shape[-1] != b.shape[-1]:
        raise ShapeError(
            f"inner: x1 has shape {a.shape}, x2 {b.shape}; their last sizes have to be equal"
        )
    return Labels((*x[:-1], "k"), (*y[:-1], "k"), (*x[:-1], *y[:-1]))


_INNER = ProductOp("inner", _inner_labels, gradient=product_rule)


# tensordot --------------------------------------------------------------------------------------


def _tensordot_labels(a: Spec, b: Spec, *, axes: Any) -> Labels:
    left, right = _pairs(axes, len(a.shape), len(b.shape))
    sizes = [tuple(x.shape[d] for d in own) for x, own in ((a, left), (b, right))]
    if sizes[0] != sizes[1]:
        raise ShapeError(
            f"tensordot: x1 has shape {a.shape}, x2 {b.shape}; sizes {sizes[0]} at axes {left} "
            f"and {sizes[1]} at axes {right} have to be equal"
        )
    x, y = list(_own("a", a.shape)), list(_own("b", b.shape))
    for k, (d, e) in enumerate(zip(left, right, strict=True)):
        x[d] = y[e] = f"k{k}"
    shared = set(x) & set(y)
    return Labels(tuple(x), tuple(y), tuple(d for d in (*x, *y) if d not in shared))


def _pairs(axes: Any, ndim_a: int, ndim_b: int) -> tuple[Shape, Shape]:
    if isinstance(axes, int):
        if not 0 <= axes <= min(ndim_a, ndim_b):
            raise ShapeError(
                f"tensordot: axes={axes} for arrays of {ndim_a}-d and {ndim_b}-d; expected 0 to "
                f"{min(ndim_a, ndim_b)}"
            )
        return tuple(range(ndim_a - axes, ndim_a)), tuple(range(axes))
    left, right = axes
    if len(left) != len(right):
        raise ArgumentError(f"tensordot: axes={axes!r} names {len(left)} and {len(right)} axes")
    return axes_of("tensordot", left, ndim_a, "axes"), axes_of("tensordot", right, ndim_b, "axes")


_TENSORDOT = ProductOp("tensordot", _tensordot_labels, gradient=product_rule)


def summed_axes(axes: Any) -> Any:
    """Return the axes of `tensordot`: a count, or those of both operands."""
    if not isinstance(axes, Sequence):
        return whole("tensordot", "axes", axes)
    if len(axes) != 2:
        raise ArgumentError(
            f"tensordot: axes={axes!r}; give a count, or the axes of x1 and those of x2"
        )
    return tuple(whole_tuple("tensordot", "axes", own) for own in axes)


_TABLE = """
matmul(x1, x2, /, *, out=None): The product of matrices, `x1 @ x2`; leading axes broadcast, vectors
    are rows or columns.
    x1 : array (..., m, k) or (k,)
    x2 : array (..., k, n) or (k,)
    -> array (..., m, n) of the promoted dtype, without the axis of a vector
    ! ShapeError where sizes do not fit, or an operand is a number.
    >>> matmul([[1, 2], [3, 4]], [1, 1])
    array([3, 7])
dot(x1, x2, /, *, transpose_a=False, transpose_b=False, first=False, out=None): The sum over the
    last axis of `x1` and the last but one (or only) of `x2`; of numbers *.
    x1, x2 : arrays; one of them may be a scipy.sparse matrix: see `sparse_dot`
    transpose_a, transpose_b : whether the last two axes of an operand are exchanged first
    first : whether the axis of x2 is its first, and transposition exchanges the first and last
        axis, as in MXNet
    -> array with the other axes of x1, then those of x2
    ! ShapeError where sizes do not fit.
    >>> dot([1, 2], [3, 4])
    np.int64(11)
    >>> dot([[1, 2]], [[3, 4]], transpose_b=True)
    array([[11]])
    = (library.sparse_dot(x1, x2, transpose_a=transpose_a, transpose_b=transpose_b)
        if hasattr(x1, "tocsr") or hasattr(x2, "tocsr") else dotted(as_array(x1), as_array(x2),
        {"transpose_a": bool(transpose_a), "transpose_b": bool(transpose_b)}, first=first, out=out))
inner(x1, x2, /, *, out=None): The sum of products over the last axes; of numbers it is the product.
    x1 : array (..., k)
    x2 : array (..., k)
    -> array with the other axes of x1, then those of x2
    ! ShapeError where the last sizes differ.
    >>> inner([[1, 2], [3, 4]], [1, 1])
    array([3, 7])
    = multiply(x1, x2, out=out) if () in (as_array(x1).shape, as_array(x2).shape) else op(...)
tensordot(x1, x2, /, axes=2, *, out=None): The sum of products over pairs of axes.
    x1, x2 : arrays
    axes : int: so many last axes of x1 with the first of x2; or two sequences of axes
    -> array with the other axes of x1, then those of x2
    ! ShapeError where paired sizes differ.
    >>> tensordot([[1, 2], [3, 4]], [[1, 0], [0, 1]])
    np.int64(5)
    = op(..., axes=summed_axes(axes))
batch_dot(x1, x2, /, *, transpose_a=False, transpose_b=False, out=None): Products of pairs of
    matrices; all axes but the last two index the pairs.
    x1 : array (..., m, k), with `transpose_a` (..., k, m)
    x2 : array (..., k, n), with `transpose_b` (..., n, k); leading axes are the same
    -> array (..., m, n)
    ! ShapeError where sizes do not fit; see `matmul` for leading axes that broadcast.
    >>> batch_dot([[[1, 2]], [[3, 4]]], [[[1, 1]], [[1, 0]]], transpose_b=True)
    array([[[3]],
    <BLANKLINE>
           [[3]]])
"""
define_rows(_TABLE, globals())
