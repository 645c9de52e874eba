"""SoftmaxOutput: softmax of a layer's result, whose gradient is that of the cross entropy.

Backward ignores the gradient of the result, unless `out_grad` is set. The label gets no gradient.
Second derivatives are those of this gradient.
"""

import math
from collections.abc import Mapping
from typing import Any

from nbgraph.errors import ShapeError
from nbgraph.operator.arrays.array_op import Attributes, Gradients, Spec
from nbgraph.operator.rows.row_op import RowOp
from nbgraph.ops.define import Shape, as_array, define_rows, library, require_floats
from nbgraph.ops.elementwise.arithmetic import divide, multiply, subtract
from nbgraph.ops.elementwise.comparison import maximum, not_equal
from nbgraph.ops.losses.outputs import head
from nbgraph.ops.named.calls import applied, composer, named
from nbgraph.ops.reductions.reductions import kept
from nbgraph.shape import Shapes, axis_of

_OWN = ("grad_scale", "ignore_label", "normalization", "multi_output")


_data = lambda data: data
_weight = lambda data, top: math.exp(data - top)
_share = lambda data, top, total: _weight(data, top) * (1 / total)


def _slope(share, index, label, scale, count, *, smoothing=0.0):
    other = smoothing / (count - 1) if smoothing > 0 else 0.0
    return (share - (1 - smoothing if index == label else other)) * scale


class _Output(RowOp):
    is_loss = True  # read by executors

    def normalise(self, attributes: Attributes) -> Mapping[str, Any]:
        """See ArrayOp; some attributes are for the gradient alone."""
        rest = {k: v for k, v in attributes.items() if k not in (*_OWN, "smoothing")}
        own = {k: attributes[k] for k in (*_OWN, "smoothing")}
        return {**super().normalise(rest), **own}


def _rows(shape: Any, attributes: Attributes) -> Any:
    place = axis_of("softmax_output", attributes["axis"], len(shape))
    one = (1,) if attributes["keepdims"] else ()
    return (*shape[:place], *one, *shape[place + 1 :])


def _scale(label: Any, data: Spec, attributes: Attributes) -> Any:
    """Return the factor of each row's slopes."""
    ignored, how = attributes["ignore_label"], attributes["normalization"]
    counts = library.ones_like(label) if ignored is None else not_equal(label, ignored)
    counts = library.astype(counts, data.dtype, copy=False)
    scale = attributes["grad_scale"]
    if how == "valid":
        return multiply(counts, divide(scale, maximum(library.sum(counts), 1)))
    rows = math.prod(_rows(data.shape, attributes))
    if attributes["multi_output"]:
        scale /= max(rows // max(data.shape[0], 1), 1)
        rows = data.shape[0]
    if how == "batch":
        scale /= max(rows, 1)
    return multiply(counts, scale)


def _by_label(share: Any, label: Any, data: Spec, attributes: Attributes) -> Any:
    options = {name: attributes[name] for name in ("axis", "keepdims", "smoothing")}
    scale = _scale(label, data, attributes)
    return library.softmax_output_gradient(share, label, scale, **options)


_SOFTMAX = _Output.of(
    "softmax_output", "data | label", {"top": ("max", _data), "total": ("add", _weight)}, [_share],
    lambda g: [_by_label(g.outputs[0], g.inputs[1], g.specs[0], g.attributes)], "label out",
    integers=("label",)
)  # fmt: skip
_SOFTMAX_GRADIENT = RowOp.of(
    "softmax_output_gradient", "share | label scale", {}, [_slope],
    lambda g: [multiply(g.out_grad, kept(g.inputs[2], g))], "scale", integers=("label",)
)  # fmt: skip


# other labels -----------------------------------------------------------------------------------


def _head_infer(data: Spec, share: Spec, label: Spec, **attributes: Any) -> Spec:
    rows: Shape = _rows(data.shape, attributes)
    if label.shape not in (data.shape, rows):
        raise ShapeError(
            f"softmax_output: label has shape {label.shape} beside data{data.shape}; expected "
            f"{rows}, a class each, or {data.shape}, shares of classes"
        )
    require_floats("softmax_output", data, label="data")
    return share


def _head_rule(g: Gradients) -> list[Any]:
    data, _, label = g.specs
    if label.shape == data.shape:
        scale = g.attributes["grad_scale"]
        slope = multiply(
            subtract(g.outputs[0], library.astype(g.inputs[2], data.dtype, copy=False)), scale
        )
    else:
        slope = _by_label(g.outputs[0], g.inputs[2], data, g.attributes)
    return [slope if g.op.is_loss else multiply(slope, g.out_grad)]


def _head_partial(
    in_shapes: Shapes, out_shapes: Shapes, **attributes: Any
) -> tuple[Shapes, Shapes]:
    """Infer labels without a shape as classes, one per row."""
    data, share, label = in_shapes
    known = next((s for s in (data, share, out_shapes[0]) if s is not None), None)
    if label is None and known is not None:
        label = _rows(known, attributes)
    return (known, known, label), (known,)


HEAD, TIMES_HEAD = (  # `share` is the softmax of data; for labels that are shares, or unknown
    head(name, _head_infer, _head_rule, _head_partial, "data share label", place=1)
    for name in ("softmax_output_head", "softmax_output_times")
)
TIMES_HEAD.is_loss = False


def _is_plain(data: Any, label: Any) -> bool:
    """Return whether labels are known to be classes."""
    if label is None:
        return True
    if label.shape is None:
        return False
    known = getattr(data, "shape", None)
    return known is None or len(label.shape) != len(known) or 1 in label.shape


def output(
    data: Any, label: Any, how: dict[str, Any], name: str | None, out: Any, *, times: bool
) -> Any:
    """Return the shares; with `times`, their gradient is multiplied by the result's."""
    data, label = as_array(data), None if label is None else as_array(label)
    if times or not _is_plain(data, label):
        share = library.stop_gradient(library.softmax(data, how["axis"]))
        op, operands = TIMES_HEAD if times else HEAD, [data, share, label]
        if composer(data, label) is not None:
            return applied(op, operands, how, name)
        return named(op(*operands, **how, out=out), name)
    if name is not None or label is None:
        return applied(_SOFTMAX, [data, label], how, name)
    return _SOFTMAX(data, label, **how, out=out)


_TABLE = """
softmax_output SoftmaxOutput Softmax(data, label=None, *, grad_scale: float = 1.0,
    ignore_label: float = -1, use_ignore=False, multi_output=False, normalization: str = "null",
    smoothing: float = 0.0, smooth_alpha: float | None = None, out_grad=False, preserve_shape=True,
    axis: int | None = None, keepdims=False, name=None, out=None): softmax(data); its gradient is
    that of the cross entropy with the labels.
    data : (samples, ..., classes); with `multi_output` (samples, classes, ...)
    label : classes from 0, of the shape of data without that axis; or shares of classes, of the
        shape of data. On symbols, a missing one becomes a variable, `name_label`.
    use_ignore, ignore_label : bool, number
        Whether labels of this value get no gradient.
    normalization : {"null", "batch", "valid"}
        Divide by 1, by the number of labels, or by that of labels not ignored. With `multi_output`
        "null" divides by the labels of a sample, as in MXNet.
    smoothing, smooth_alpha : float
        This share of a label is spread over the other classes; the second name is MXNet's.
    out_grad : bool
        Whether the gradient is multiplied by that of the result.
    axis : int, that of the classes; by default the last one, with `multi_output` the second
    keepdims : whether labels have that axis, with size 1
    >>> softmax_output([[0.0, 0.0]], [1])
    array([[0.5, 0.5]])
    = output(data, label, {
        "axis": whole("softmax_output", "axis", (1 if multi_output else -1) if axis is None
            else axis),
        "keepdims": bool(keepdims), "multi_output": bool(multi_output),
        "grad_scale": float(number("softmax_output", "grad_scale", grad_scale)),
        "ignore_label": ignore_label if use_ignore else None,
        "normalization": one_of("softmax_output", "normalization", normalization,
            ("null", "batch", "valid")),
        "smoothing": float(smoothing if smooth_alpha is None else smooth_alpha),
        }, name, out, times=bool(out_grad))
softmax_output_gradient(share, label, scale, *, axis: int = -1, keepdims=False,
    smoothing: float = 0.0, out=None): (share - one at the label's class) * scale:
    `softmax_output` backward.
    = op(..., axis=axis)
"""
define_rows(_TABLE, globals())
