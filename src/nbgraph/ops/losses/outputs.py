"""MXNet's output operators of regression: a result whose gradient is that of a loss.

Backward ignores the gradient of the result: it starts at these operators. The label gets no
gradient. Second derivatives are those of this gradient. On symbols a missing label becomes a
variable `name_label`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from nbgraph.errors import ShapeError
from nbgraph.operator.arrays.array_op import ArrayOp, Gradients, Infer, Partial, Rule, Spec
from nbgraph.operator.declared import DOCS, Row, parse
from nbgraph.ops.define import define_rows, library, require_floats
from nbgraph.ops.elementwise.activation import sigmoid
from nbgraph.ops.elementwise.arithmetic import multiply, sign, subtract
from nbgraph.ops.named.calls import applied as applied
from nbgraph.shape import Shapes


def head(
    name: str,
    infer: Infer,
    rule: Rule,
    partial: Partial,
    operands: str = "data label",
    value: Callable[[Any], Any] = lambda x: x,
    place: int = 0,
) -> ArrayOp:
    """Return a loss whose result is `value` of the operand at `place`, by default unchanged; its
    gradient reads the result and the label."""
    op = ArrayOp(
        name, infer, gradient=rule, operands=operands.split(), keeps=("label", "out"),
        inplace=[(place, 0)], composition=lambda *values, **_: value(values[place]),
        partial=partial,
    )  # fmt: skip
    op.is_loss = True
    return op


def _regression(
    name: str, value: Callable[[Any], Any], slope: Callable[[Any, Any], Any]
) -> ArrayOp:
    """Return an output whose in-gradient is `slope(result, label)` over the size of a sample."""

    def infer(data: Spec, label: Spec, *, grad_scale: float) -> Spec:
        if data.shape != label.shape and (*data.shape[:1], 1) != (*label.shape, 1):
            raise ShapeError(
                f"{name}: data has shape {data.shape}, label {label.shape}; give equal shapes"
            )
        require_floats(name, data, label="data")
        return data

    def rule(g: Gradients) -> list[Any]:
        data = g.specs[0]
        label = library.reshape(g.inputs[1], data.shape)
        numbers = math.prod(data.shape[1:])
        scale = g.attributes["grad_scale"] / max(numbers, 1)
        return [multiply(slope(g.outputs[0], library.astype(label, data.dtype, copy=False)), scale)]

    return head(name, infer, rule, _partial, value=value)


def _partial(in_shapes: Shapes, out_shapes: Shapes, **_: Any) -> tuple[Shapes, Shapes]:
    (data, label), (out,) = in_shapes, out_shapes
    data = data or out
    return (data, label or data), (data,)


_LINEAR = _regression("linear_regression_output", lambda data: data, subtract)
_MAE = _regression(
    "mae_regression_output", lambda data: data, lambda out, label: sign(subtract(out, label))
)
_LOGISTIC = _regression("logistic_regression_output", sigmoid, subtract)
_TABLE = """
linear_regression_output LinearRegressionOutput(data): `data`; its gradient is (data - label) *
    grad_scale / numbers of a sample.
    >>> linear_regression_output([[1.0, 2.0]], [[0.0, 0.0]])
    array([[1., 2.]])
mae_regression_output MAERegressionOutput(data): `data`; its gradient is sign(data - label) *
    grad_scale / numbers of a sample.
    >>> mae_regression_output([[1.0, 2.0]], [[0.0, 0.0]])
    array([[1., 2.]])
logistic_regression_output LogisticRegressionOutput(data): sigmoid(data); the gradient of `data` is
    (that - label) * grad_scale / numbers of a sample.
    >>> logistic_regression_output([[0.0]], [[1.0]])
    array([[0.5]])
"""
_DOCS = {
    **DOCS,
    "data": "array (samples, ...), floats",
    "label": "array of the shape of data; on symbols, left out, a variable, as `name_label`",
    "grad_scale": "float. What comes from above does not count in the gradient.",
}


def _declared(row: Row) -> Row:
    """Return the row with the parameters of all outputs; on symbols they create a label."""
    label = row.name.partition("_")[0].upper()
    call_text = f'applied(_{label}, [data, label], {{"grad_scale": float(grad_scale)}}, name)'
    return row._replace(
        parameters="data, label=None, *, grad_scale: float = 1.0, name=None, out=None",
        call=f"{call_text} if label is None or name is not None else op(...)",
    )


define_rows(map(_declared, parse(_TABLE)), globals(), docs=_DOCS)
