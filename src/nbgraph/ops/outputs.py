"""MXNet's output operators: a layer's result, whose gradient is that of a loss.

What flows back does not depend on the gradient of the result: these operators are where a pass
back begins. The label gets no gradient. A second derivative is that of the gradient as it stands.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from nbgraph.dtype import is_float
from nbgraph.errors import ArgumentError, DTypeError, ShapeError
from nbgraph.operator.array_op import ArrayOp, Gradients, Spec
from nbgraph.operator.row_op import RowOp
from nbgraph.operator.row_program import Result, RowProgram
from nbgraph.ops.activation import sigmoid
from nbgraph.ops.arithmetic import divide, multiply, sign, subtract
from nbgraph.ops.comparison import maximum, not_equal
from nbgraph.ops.define import cast, library, public, whole
from nbgraph.ops.reductions import kept

Array = np.ndarray[Any, Any]
_NORMALIZATIONS = ("null", "batch", "valid")


# regression -------------------------------------------------------------------------------------


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
        name, infer, compute, gradient=rule, operands=("data", "label"), keeps=("label", "out")
    )
    setattr(made, "is_loss", True)  # noqa: B010  (asked by executors)
    return made


def _same(data: Array, out: Array) -> None:
    np.copyto(out, data)


def _logistic(data: Array, out: Array) -> None:
    sigmoid(data, out=out)


def _sign_of_difference(out: Any, label: Any) -> Any:
    return sign(subtract(out, label))


_LINEAR = _regression("linear_regression_output", _same, subtract)
_ABSOLUTE = _regression("mae_regression_output", _same, _sign_of_difference)
_LOGISTIC = _regression("logistic_regression_output", _logistic, subtract)


@public(_LINEAR, "LinearRegressionOutput")
def linear_regression_output(
    data: Any, label: Any, *, grad_scale: float = 1.0, out: Any = None
) -> Any:
    """`data`; its gradient is (data - label) * grad_scale / numbers of a sample.

    >>> linear_regression_output([[1.0, 2.0]], [[0.0, 0.0]])
    array([[1., 2.]])
    """
    return _LINEAR(data, label, grad_scale=float(grad_scale), out=out)


@public(_ABSOLUTE, "MAERegressionOutput")
def mae_regression_output(
    data: Any, label: Any, *, grad_scale: float = 1.0, out: Any = None
) -> Any:
    """`data`; its gradient is sign(data - label) * grad_scale / numbers of a sample.

    >>> mae_regression_output([[1.0, 2.0]], [[0.0, 0.0]])
    array([[1., 2.]])
    """
    return _ABSOLUTE(data, label, grad_scale=float(grad_scale), out=out)


@public(_LOGISTIC, "LogisticRegressionOutput")
def logistic_regression_output(
    data: Any, label: Any, *, grad_scale: float = 1.0, out: Any = None
) -> Any:
    """sigmoid(data); the gradient of `data` is (that - label) * grad_scale / numbers of a sample.

    >>> logistic_regression_output([[0.0]], [[1.0]])
    array([[0.5]])
    """
    return _LOGISTIC(data, label, grad_scale=float(grad_scale), out=out)


# classes ----------------------------------------------------------------------------------------

_OWN = ("grad_scale", "ignore_label", "normalization", "multi_output")


def _data(data):
    return data


def _weight(data, top):
    return math.exp(data - top)


def _share(data, top, total):
    return _weight(data, top) * (1 / total)


def _slope(share, index, label, scale, count, *, smoothing=0.0):
    other = smoothing / (count - 1) if smoothing > 0 else 0.0
    return (share - (1 - smoothing if index == label else other)) * scale


class _Output(RowOp):
    is_loss = True  # asked by executors

    def normalise(self, attributes: Mapping[str, Any]) -> Mapping[str, Any]:
        """See ArrayOp; some attributes are the gradient's."""
        rest = {k: v for k, v in attributes.items() if k not in (*_OWN, "smoothing")}
        own = {k: attributes[k] for k in (*_OWN, "smoothing")}
        return {**super().normalise(rest), **own}


def _scale(label: Any, data: Spec, attributes: Mapping[str, Any]) -> Any:
    """What the slopes of each row are multiplied by."""
    ignored, how = attributes["ignore_label"], attributes["normalization"]
    counts = library.ones_like(label) if ignored is None else not_equal(label, ignored)
    counts = library.astype(counts, data.dtype)
    scale = attributes["grad_scale"]
    if how == "valid":
        return multiply(counts, divide(scale, maximum(library.sum(counts), 1)))
    if attributes["multi_output"]:
        scale /= max(math.prod(data.shape[2:]), 1)
    if how == "batch":
        scale /= max(data.shape[0], 1)
    return multiply(counts, scale)


def _rule(g: Gradients) -> list[Any]:
    (share,), data, label = g.outputs, g.specs[0], g.inputs[1]
    options = {name: g.attributes[name] for name in ("axis", "smoothing")}
    scale = _scale(label, data, g.attributes)
    return [cast(softmax_output_gradient(share, label, scale, **options), data), None]


def _gradient_rule(g: Gradients) -> list[Any]:
    scale = kept(g.inputs[2], g.specs[0], g.attributes["axis"], keepdims=g.attributes["keepdims"])
    return [cast(multiply(g.out_grad, scale), g.specs[0]), None, None]


_SOFTMAX = _Output(
    RowProgram(
        "softmax_output",
        elements=("data",),
        rows=("label",),
        integers=("label",),
        totals={"top": ("max", _data), "total": ("add", _weight)},
        results=[Result(_share)],
    ),
    gradient=_rule,
    keeps=("label", "out"),
)
_SOFTMAX_GRADIENT = RowOp(
    RowProgram(
        "softmax_output_gradient",
        elements=("share",),
        rows=("label", "scale"),
        integers=("label",),
        totals={},
        results=[Result(_slope)],
    ),
    gradient=_gradient_rule,
    keeps=("scale",),
)


@public(_SOFTMAX, "SoftmaxOutput")
def softmax_output(
    data: Any,
    label: Any,
    *,
    grad_scale: float = 1.0,
    ignore_label: float | None = None,
    use_ignore: bool | None = None,
    multi_output: bool = False,
    normalization: str = "null",
    smoothing: float = 0.0,
    axis: int | None = None,
    keepdims: bool = False,
    out: Any = None,
) -> Any:
    """softmax(data); its gradient is that of the cross entropy with the labels' classes.

    Parameters
    ----------
    data : (samples, ..., classes); with `multi_output` (samples, classes, ...)
    label : classes from 0, of the shape of data without that axis
    ignore_label : number, optional
        Labels of this value get no gradient; -1 where `use_ignore` alone is given.
    normalization : {"null", "batch", "valid"}
        Divide by nothing, by the number of samples, of labels that count. With `multi_output` the
        first two divide by the numbers of a sample as well, as in MXNet.
    smoothing : float
        This share of a label is spread over the other classes.

    >>> softmax_output([[0.0, 0.0]], [1])
    array([[0.5, 0.5]])
    """
    if normalization not in _NORMALIZATIONS:
        raise ArgumentError(
            f"softmax_output: normalization={normalization!r}; expected one of {_NORMALIZATIONS}"
        )
    if use_ignore is not None:
        ignore_label = (-1 if ignore_label is None else ignore_label) if use_ignore else None
    return _SOFTMAX(
        data,
        label,
        axis=(1 if multi_output else -1) if axis is None else whole("softmax_output", "axis", axis),
        keepdims=bool(keepdims),
        grad_scale=float(grad_scale),
        ignore_label=ignore_label,
        multi_output=bool(multi_output),
        normalization=normalization,
        smoothing=float(smoothing),
        out=out,
    )


@public(_SOFTMAX_GRADIENT)
def softmax_output_gradient(
    share: Any,
    label: Any,
    scale: Any,
    *,
    axis: int = -1,
    keepdims: bool = False,
    smoothing: float = 0.0,
    out: Any = None,
) -> Any:
    """(share - one at the label's class) * scale: `softmax_output` backward.

    >>> softmax_output_gradient([[0.5, 0.5]], [1], [2.0])
    array([[ 1., -1.]])
    """
    options = {"axis": axis, "keepdims": bool(keepdims), "smoothing": float(smoothing)}
    return _SOFTMAX_GRADIENT(share, label, scale, **options, out=out)
