"""Losses of scores of classes, by PyTorch's names."""

from typing import Any

from nbgraph.errors import ArgumentError, ShapeError, require_shape
from nbgraph.ops.define import (
    as_array,
    as_known,
    axis_of,
    composed,
    deferrable,
    define_rows,
    library,
    require_floats,
)
from nbgraph.ops.elementwise.arithmetic import add, divide, multiply
from nbgraph.ops.elementwise.comparison import not_equal
from nbgraph.ops.losses.entropy import label_entropy, target_entropy
from nbgraph.ops.losses.operands import floats_like, reduced
from nbgraph.ops.losses.terms import unlikelihood_term as unlikelihood_term
from nbgraph.ops.reductions.reductions import sum as total


@composed("x", "target")
@deferrable()
def cross_entropy(
    x: Any,
    target: Any,
    axis: int = -1,
    *,
    dense: bool | None = None,
    class_weight: Any = None,
    ignore_index: int | None = None,
    label_smoothing: float = 0.0,
    reduction: str = "mean",
) -> Any:
    """-log(softmax(x)) at the target along an axis: one pass over memory, one more backward.

    A target that is not a class raises LabelError, a ValueError: at the call among NumPy arrays,
    else where the result is waited for; on devices it gives NaN.

    x : floating scores, not probabilities
    target : classes from 0, of the shape of x without `axis`; or shares of all classes
    axis : int, that of the classes
    dense : whether target holds shares; by default if it has as many axes as x
    class_weight : (classes,), optional
        What losses of a class are multiplied by; a mean over labels is divided by the sum of those
        of the labels.
    ignore_index : int, optional
        Targets of this class cost nothing and are not counted in a mean.
    label_smoothing : float
        This share of the target is spread over all classes.
    >>> cross_entropy([[0.0, 0.0], [9.0, 0.0]], [1, -1], ignore_index=-1)  # log(2)
    np.float64(0.6931471805599453)
    """
    name, x, target = "cross_entropy", as_array(x), as_array(target)
    if class_weight is not None:
        class_weight = floats_like(x, _of_classes(as_array(class_weight), x, axis))
    if dense is None:
        shapes = [v.shape for v in (x, target) if v.shape is not None]
        dense = len(shapes) == 2 and len(shapes[0]) == len(shapes[1])
    if not dense:
        return _of_labels(x, target, axis, class_weight, ignore_index, label_smoothing, reduction)
    target = floats_like(x, target)
    if ignore_index is not None:
        raise ArgumentError(f"{name}: ignore_index={ignore_index} is for classes, not for shares")
    if label_smoothing:
        count = as_known(name, x).shape[axis]
        target = add(multiply(target, 1 - label_smoothing), label_smoothing / count)
    if class_weight is not None:
        target = multiply(target, _along(class_weight, x, axis))
    return reduced(name, target_entropy(x, target, axis)[0], reduction)


def _of_classes(weight: Any, x: Any, axis: int) -> Any:
    """Return weights, as many as classes if that number is known; else raise ShapeError."""
    if x.shape is not None and weight.shape is not None:
        wanted = (x.shape[axis_of("cross_entropy", axis, len(x.shape))],)
        why = f"one for each class, as x has shape {tuple(x.shape)} and axis={axis}"
        require_shape("cross_entropy: class_weight", weight.shape, wanted, why)
    return weight


def _along(weight: Any, x: Any, axis: int) -> Any:
    """Return weights of classes in a shape that broadcasts against x."""
    after = -axis - 1 if axis < 0 else len(x.shape) - axis - 1
    return library.reshape(weight, (-1, *[1] * after))


def _of_labels(
    x: Any,
    label: Any,
    axis: int,
    weight: Any,
    ignored: int | None,
    smoothing: float,
    reduction: str,
) -> Any:
    name, counts = "cross_entropy", None
    if ignored is not None:
        counts = not_equal(label, ignored)
        label = library.where(counts, label, 0)
    if weight is None:
        loss = label_entropy(x, label, axis, smoothing=smoothing)[0]
    else:
        chosen = library.take(weight, library.astype(label, "int64"), 0)
        loss = _weighed(x, label, axis, weight, chosen, smoothing)
        weight = chosen
    if counts is not None:
        loss = library.where(counts, loss, 0)
        counts = library.astype(counts, loss.dtype)
        weight = counts if weight is None else multiply(weight, counts)
    if weight is None or reduction != "mean":
        return reduced(name, loss, reduction)
    return divide(total(loss), total(weight))


def _weighed(x: Any, label: Any, axis: int, weight: Any, chosen: Any, smoothing: float) -> Any:
    """Return the loss with each class weighted, including those of the smoothing alone."""
    loss = multiply(label_entropy(x, label, axis)[0], chosen)
    if not smoothing:
        return loss
    each = divide(multiply(_along(weight, x, axis), smoothing), weight.shape[0])
    spread = target_entropy(x, multiply(library.ones_like(x), each), axis)[0]
    return add(multiply(loss, 1 - smoothing), spread)


@composed("data", "label")
def softmax_cross_entropy(data: Any, label: Any) -> Any:
    """The sum over samples of -log(softmax(data)) at the label's class, as in MXNet; see
    `cross_entropy`.

    data : array (samples, classes)
    label : array (samples,), classes from 0
    -> number; the gradient of data is softmax(data) less 1 at the label's class
    >>> float(softmax_cross_entropy([[0.0, 0.0]] * 3, [0, 1, 1]))  # 3 * log(2)
    2.0794415416798357
    """
    data, label = as_array(data), as_array(label)
    if data.shape is not None and label.shape is not None:
        shape, wanted = tuple(data.shape), tuple(label.shape)
        if len(shape) != 2 or wanted != shape[:1]:
            raise ShapeError(
                f"softmax_cross_entropy: data{shape} and label{wanted}; expected data (samples, "
                "classes) and label (samples,)"
            )
        require_floats("softmax_cross_entropy", data, label="data")
    return total(label_entropy(data, label)[0])


_TABLE = """
unlikelihood(x, label, axis: int = -1, *, reduction: str = "mean"): -log(1 - softmax(x)) at a label
    that should be unlikely (Welleck et al., 2019).
    x : array of scores, classes along `axis`
    label : array of the shape of x without `axis`, classes from 0
    axis : int
    reduction : "mean", "sum" or "none"
    >>> unlikelihood([[0.0, 0.0]], [1])  # log(2)
    np.float64(0.6931471805599453)
    = reduced("unlikelihood", unlikelihood_term(label_entropy(x, label, axis)[0]), reduction)
"""
define_rows(_TABLE, globals(), ("data", "label", "target", "x"))
