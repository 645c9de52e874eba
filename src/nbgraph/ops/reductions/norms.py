"""Vector norms over axes."""

import math
from typing import Any

from nbgraph.errors import ArgumentError, DerivativeError
from nbgraph.operator.arrays.array_op import Gradients, Spec
from nbgraph.operator.mapper.complex_call import is_complex as is_complex
from nbgraph.operator.rows.reduce_op import ReduceOp
from nbgraph.ops.define import Axis, as_known, composed, deferrable, define_rows, library
from nbgraph.ops.elementwise.arithmetic import absolute, divide, multiply, power
from nbgraph.ops.reductions.extremes import shared_equally
from nbgraph.ops.reductions.reductions import mean_dtype, reduction_infer, spread
from nbgraph.ops.reductions.rows import norm_rows
from nbgraph.ops.reductions.statistics import nonzero_divisor
from nbgraph.shape import Array


def _of_nothing(inputs: list[Array], outputs: list[Array], *, ord: float, **_: Any) -> None:
    """Fill the norm of no elements; row programs handle the others."""
    outputs[0][...] = math.inf if ord < 0 else 0


def _infer(x: Spec, *, axis: Axis, ord: float, keepdims: bool) -> Spec:
    # an extreme of no elements has no value, but a sum has
    infer = reduction_infer("vector_norm", mean_dtype, empty=not math.isinf(ord))
    return infer(x, axis=axis, keepdims=keepdims)


def _rule(g: Gradients) -> list[Any]:
    """out_grad * sign(x) |x|**(ord - 1) / out**(ord - 1); 0 where all elements are 0."""
    (x,), ord = g.inputs, g.attributes["ord"]
    if ord == 0:
        raise DerivativeError("vector_norm: ord=0 counts elements and has no derivative")
    if math.isinf(ord):
        return [multiply(shared_equally(absolute(x), g), library.sign(x))]
    if ord == 1:
        return [multiply(spread(g), library.sign(x))]
    out = nonzero_divisor(g.outputs[0], g.specs[0])
    if ord == 2:
        return [multiply(spread(g, divide(g.out_grad, out)), x)]
    scaled = divide(g.out_grad, power(out, ord - 1))
    terms = multiply(library.sign(x), power(absolute(x), ord - 1))
    return [multiply(spread(g, scaled), terms)]


_VECTOR_NORM = ReduceOp(
    "vector_norm", _infer, _of_nothing, rows=norm_rows, gradient=_rule, keeps=("x", "out")
)


def order(ord: Any) -> float:
    """Return the order of a norm of vectors; ArgumentError unless it is a number."""
    if isinstance(ord, (str, tuple, list)) or ord is None:
        raise ArgumentError(f"vector_norm: ord={ord!r}; expected a number, inf or -inf")
    return float(ord)


_TABLE = """
vector_norm(x, *, axis=None, keepdims=False, ord: float = 2, out=None): sum(|x|**ord)**(1/ord) over
    axes, several as if they were one.

    The slope where the norm is 0 is taken as 0.
    ord : number; inf and -inf are the largest and smallest magnitude, 0 counts nonzero elements
    >>> vector_norm([3.0, 4.0]), vector_norm([3.0, -4.0], ord=float("inf"))
    (np.float64(5.0), np.float64(4.0))
    = _VECTOR_NORM(absolute(x) if is_complex(x) else x, axis=hashable_axis("vector_norm", axis),
        ord=order(ord), keepdims=bool(keepdims), out=out)
"""
define_rows(_TABLE, globals())


@composed("x")
@deferrable()
def norm(
    x: Any, ord: Any = None, axis: Any = None, *, keepdims: bool = False, out: Any = None
) -> Any:
    """The norm of vectors: by default the root of the sum of squares over all axes or `axis`.

    The slope where the norm is 0 is taken as 0.

    x : array, floats
    ord : number, inf or -inf of vectors: sum(|x|**ord)**(1/ord); of matrices (two axes) as that of
        `linalg.matrix_norm`
    axis : int or two, or None for all
    >>> norm([[3.0, 0.0], [0.0, 4.0]]), norm([3.0, 4.0], 1)
    (np.float64(5.0), np.float64(7.0))
    """
    count = len(axis) if isinstance(axis, (tuple, list)) else 1 if axis is not None else None
    if ord is not None and count is None:
        count = len(as_known("norm", x).shape)
    if isinstance(ord, str) and count != 2:
        raise ArgumentError(f"norm: ord={ord!r} is a norm of matrices, there are {count} axes")
    if ord is not None and count not in (1, 2):
        raise ArgumentError(
            f"norm: ord={ord!r} of an array of {count} axes; name one axis or two, or use "
            "vector_norm for the norm of all elements"
        )
    if ord not in (None, "fro") and count == 2:
        x = x if axis is None else library.moveaxis(x, tuple(axis), (-2, -1))
        value = library.linalg_matrix_norm(x, ord=ord, keepdims=keepdims)
        value = library.moveaxis(value, (-2, -1), tuple(axis)) if keepdims and axis else value
        return value if out is None else library.copy(value, out=out)
    by: Any = 2 if ord in (None, "fro") else ord
    return library.vector_norm(x, axis=axis, ord=by, keepdims=keepdims, out=out)
