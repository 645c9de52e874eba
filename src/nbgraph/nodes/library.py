"""Expression functions of the graph's own: reductions that keep their axis, views, sparse products,
nodes written by hand.

Everything else of the library applies to expressions as it is: `ng.tanh(x)`, `x @ w`,
`ng.softmax(x)`. A composed function, such as `weighted_average`, takes one pass over memory for
each part; `scalar_product` is one node, and of large arrays one pass, where `sum(a * b)` is two.
"""

from collections.abc import Callable, Sequence
from typing import Any

from nbgraph import ops
from nbgraph.dtype import as_dtype
from nbgraph.errors import ArgumentError, ShapeError
from nbgraph.nodes.byhand import CallbackNodeOp, LambdaNodeOp
from nbgraph.nodes.classes import (
    CastNodeOp,
    CSRDotNodeOp,
    ReduceNodeOp,
    ScalarProductNodeOp,
    axis_of,
)
from nbgraph.nodes.expr import Expr, expression, graph_of
from nbgraph.ops.shapes.shape import resolved

_slice = slice


def reduce(a: Expr, axis: int, code: str) -> Expr:
    """Return `a` reduced along an axis, which is kept with size 1; `a` itself where it has that
    size.

    `code`: "sum", "mean", "prod", "max", "min" or "logsumexp".
    """
    own = axis_of(code, axis, a.ndim)
    if a.shape[own] == 1:
        return a
    return expression(ReduceNodeOp, a, axis=own, code=code)


def sum(a: Expr, axis: int) -> Expr:
    """Return the sum along an axis, kept with size 1; `a` itself where it has that size.

    >>> import nbgraph as ng
    >>> from nbgraph.nodes import library
    >>> a = ng.ExpressionGraph().constant([[1.0], [2.0]])
    >>> library.sum(a, -1) is a, library.sum(a, 0).shape
    (True, (1, 1))
    """
    return reduce(a, axis, "sum")


def mean(a: Expr, axis: int) -> Expr:
    """Return the mean along an axis, kept with size 1; `a` itself where it has that size.

    >>> import nbgraph as ng
    >>> a = ng.ExpressionGraph().constant([[1.0], [3.0]])
    >>> m = mean(a, 0)
    >>> a.graph.forward()
    >>> m.val
    array([[2.]], dtype=float32)
    """
    return reduce(a, axis, "mean")


def scalar_product(a: Expr, b: Expr, axis: int) -> Expr:
    """Return the sum of `a * b` along an axis, kept with size 1; one node.

    >>> import nbgraph as ng
    >>> a = ng.ExpressionGraph().constant([[1.0, 3.0]])
    >>> product = scalar_product(a, a, 1)
    >>> a.graph.forward()
    >>> product.val
    array([[10.]], dtype=float32)
    """
    return expression(ScalarProductNodeOp, a, b, axis=axis)


def weighted_average(a: Expr, weights: Expr, axis: int) -> Expr:
    """Return `scalar_product(a, weights) / sum(weights)` along an axis, kept with size 1.

    ShapeError where the two have other sizes along it, as weights are not repeated.

    >>> import numpy as np, nbgraph as ng
    >>> graph = ng.ExpressionGraph()
    >>> a = graph.constant(np.float32([[1, 3]]))
    >>> mean = weighted_average(a, graph.constant(np.float32([[1, 3]])), 1)
    >>> graph.forward()
    >>> mean.val
    array([[2.5]], dtype=float32)
    """
    sizes = [x.shape[axis_of("weighted_average", axis, x.ndim)] for x in (a, weights)]
    if sizes[0] != sizes[1]:
        raise ShapeError(
            f"weighted_average: a has size {sizes[0]} along axis {axis}, weights {sizes[1]}; give "
            "one weight for each element"
        )
    return scalar_product(a, weights, axis) / sum(weights, axis)


def transpose(a: Expr, axes: Sequence[int] | None = None) -> Expr:
    """Return a view with the axes in another order, by default with the last two exchanged.

    >>> import nbgraph as ng
    >>> transpose(ng.ExpressionGraph().constant([[[1.0, 2.0]]])).shape
    (1, 2, 1)
    """
    graph_of("transpose", (a,))
    plain = range(a.ndim)
    order = (*plain[:-2], *plain[:-3:-1]) if axes is None else axes
    order = tuple(axis_of("transpose", d, a.ndim) for d in order)
    if sorted(order) != [*plain]:
        raise ArgumentError(
            f"transpose: axes={axes!r} of an expression of {a.ndim}-d; name each axis once"
        )
    return ops.transpose(a, order)


def reshape(a: Expr, shape: Sequence[int]) -> Expr:
    """Return the elements in C order under another shape; `a` itself where it has that shape."""
    graph_of("reshape", (a,))
    return a if tuple(shape) == a.shape else ops.reshape(a, resolved(tuple(shape), a.shape))


def slice(
    a: Expr, axis: int, begin: int | None = None, end: int | None = None, step: int = 1
) -> Expr:
    """Return a view of a part of an axis."""
    graph_of("slice", (a,))
    own = axis_of("slice", axis, a.ndim)
    if not isinstance(step, int) or not step:
        raise ArgumentError(f"slice: step={step!r}; expected a whole number other than 0")
    return a[(_slice(None),) * own + (_slice(begin, end, None if step == 1 else step),)]


def cast(a: Expr, dtype: Any) -> Expr:
    """Return the values in another dtype; `a` itself where it has that dtype."""
    target = as_dtype(dtype)
    return a if a.dtype == target else expression(CastNodeOp, a, dtype=target)


def csr_dot(values: Any, indices: Any, offsets: Any, dense: Any) -> Expr:
    """Return the product of a matrix in compressed sparse rows with a dense one; see CSRDotNodeOp.

    >>> import numpy as np, nbgraph as ng
    >>> graph = ng.ExpressionGraph()
    >>> values, dense = (graph.constant(np.float32(v)) for v in ([5, 7], [[1], [2]]))
    >>> product = csr_dot(values, np.array([0, 1]), np.array([0, 1, 2]), dense)
    >>> graph.forward()
    >>> product.val.tolist()
    [[5.0], [14.0]]
    """
    return expression(CSRDotNodeOp, values, indices, offsets, dense)


def lambda_(
    children: Sequence[Expr],
    forward: Callable[..., None],
    backward: Sequence[Callable[..., None] | None] | None = None,
    shape: Any = None,
    dtype: Any = None,
) -> Expr:
    """Return a node of the user's functions of NumPy views, which the engine calls.

    Parameters
    ----------
    forward : callable
        `forward(out, *values)` writes `out`.
    backward : sequence, optional
        For each child `backward(grad, adj, out, *values)`, which adds to `grad`, or None. Without
        it no gradient flows.
    shape, dtype : optional
        Of the value; those of the children, broadcast, by default.

    >>> import numpy as np, nbgraph as ng
    >>> from nbgraph.nodes import library
    >>> def forward(out, x):
    ...     out[...] = np.sort(x)
    >>> x = ng.ExpressionGraph().constant([3.0, 1.0])
    >>> y = library.lambda_([x], forward)
    >>> x.graph.forward()
    >>> y.val
    array([1., 3.], dtype=float32)
    """
    graph = graph_of("lambda_", children)
    return graph.add(LambdaNodeOp(children, forward, backward, shape, dtype))


def callback(a: Expr, function: Callable[[Any], None]) -> Expr:
    """Return `a`, of which `function` is called with a read-only NumPy view when it has been
    computed."""
    if not callable(function):
        raise ArgumentError(f"callback: {function!r} is not a function; give one of a NumPy array")
    return a.graph.add(CallbackNodeOp(a, function))


def debug(a: Expr, message: str) -> Expr:
    """Return `a`; when its value and its gradient have been computed, a line with shape, least and
    largest element and L2 norm goes to the standard output."""
    a.node.message = str(message)
    return a
