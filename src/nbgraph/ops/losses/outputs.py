"""MXNet's output operators of regression: a result, whose gradient is that of a loss.

What flows back does not depend on the gradient of the result: these operators are where a pass
back begins. The label gets no gradient. A second derivative is that of the gradient as it stands.
On symbols a label that is not given becomes a variable, as `name_label`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from nbgraph.dtype import is_float
from nbgraph.errors import DTypeError, ShapeError
from nbgraph.operator.array_op import ArrayOp, Gradients, Spec
from nbgraph.ops.define import cast, library, public
from nbgraph.ops.elementwise.activation import sigmoid
from nbgraph.ops.elementwise.arithmetic import multiply, sign, subtract
from nbgraph.ops.named.layering import applied
from nbgraph.shape import Shapes

Array = np.ndarray[Any, Any]


def _regression(
    name: str, value: Callable[[Array, Array], Any], slope: Callable[[Any, Any], Any]
) -> ArrayOp:
    """An output whose in-gradient is `slope(result, label)` over the numbers of a sample."""

    def infer(data: Spec, label: Spec, *, grad_scale: float) -> Spec:
        if data.shape != label.shape and (*data.shape[:1], 1) != (*label.shape, 1):
            raise ShapeError(
                f"{name}: data has shape {data.shape}, label {label.shape}; give equal shapes"
            )
        if not is_float(data.dtype):
            raise DTypeError(
                f"{name}: data has dtype {data.dtype}; expected a floating one: use astype"
            )
        return data

    def compute(inputs: list[Array], outputs: list[Array], *, grad_scale: float) -> None:
        value(inputs[0], outputs[0])

    def rule(g: Gradients) -> list[Any]:
        data = g.specs[0]
        label = library.reshape(g.inputs[1], data.shape)
        numbers = math.prod(data.shape[1:])
        scale = g.attributes["grad_scale"] / max(numbers, 1)
        return [cast(multiply(slope(g.outputs[0], cast(label, data)), scale), data), None]

    made = ArrayOp(
        name, infer, compute, gradient=rule, operands=("data", "label"), keeps=("label", "out"),
        inplace=[(0, 0)], partial=_partial,
    )  # fmt: skip
    setattr(made, "is_loss", True)  # noqa: B010  (asked by executors)
    return made


def _partial(in_shapes: Shapes, out_shapes: Shapes, **_: Any) -> tuple[Shapes, Shapes]:
    (data, label), (out,) = in_shapes, out_shapes
    data = data or out
    return (data, label or data), (data,)


def _given(op: ArrayOp, data: Any, label: Any, grad_scale: float, name: Any, out: Any) -> Any:
    if label is None or name is not None:
        return applied(op, [data, label], {"grad_scale": float(grad_scale)}, name)
    return op(data, label, grad_scale=float(grad_scale), out=out)


def _same(data: Array, out: Array) -> None:
    np.copyto(out, data)  # which does nothing in place


def _logistic(data: Array, out: Array) -> None:
    sigmoid(data, out=out)


def _sign_of_difference(out: Any, label: Any) -> Any:
    return sign(subtract(out, label))


_LINEAR = _regression("linear_regression_output", _same, subtract)
_ABSOLUTE = _regression("mae_regression_output", _same, _sign_of_difference)
_LOGISTIC = _regression("logistic_regression_output", _logistic, subtract)


@public(_LINEAR, "LinearRegressionOutput")
def linear_regression_output(
    data: Any,
    label: Any = None,
    *,
    grad_scale: float = 1.0,
    name: str | None = None,
    out: Any = None,
) -> Any:
    """`data`; its gradient is (data - label) * grad_scale / numbers of a sample.

    Parameters
    ----------
    data : array (samples, ...), floats
    label : array of the shape of data; on symbols, left out, it becomes a variable, as `name_label`
    grad_scale : float

    What comes from above does not count in the gradient.

    >>> linear_regression_output([[1.0, 2.0]], [[0.0, 0.0]])
    array([[1., 2.]])
    """
    return _given(_LINEAR, data, label, grad_scale, name, out)


@public(_ABSOLUTE, "MAERegressionOutput")
def mae_regression_output(
    data: Any,
    label: Any = None,
    *,
    grad_scale: float = 1.0,
    name: str | None = None,
    out: Any = None,
) -> Any:
    """`data`; its gradient is sign(data - label) * grad_scale / numbers of a sample.

    Parameters
    ----------
    data, label, grad_scale : as those of `linear_regression_output`

    >>> mae_regression_output([[1.0, 2.0]], [[0.0, 0.0]])
    array([[1., 2.]])
    """
    return _given(_ABSOLUTE, data, label, grad_scale, name, out)


@public(_LOGISTIC, "LogisticRegressionOutput")
def logistic_regression_output(
    data: Any,
    label: Any = None,
    *,
    grad_scale: float = 1.0,
    name: str | None = None,
    out: Any = None,
) -> Any:
    """sigmoid(data); the gradient of `data` is (that - label) * grad_scale / numbers of a sample.

    Parameters
    ----------
    data, label, grad_scale : as those of `linear_regression_output`

    >>> logistic_regression_output([[0.0]], [[1.0]])
    array([[0.5]])
    """
    return _given(_LOGISTIC, data, label, grad_scale, name, out)
