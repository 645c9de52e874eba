"""Starts of backward passes, by MXNet's names: losses, outputs of support vector machines."""

from typing import Any

from nbgraph.errors import ShapeError
from nbgraph.operator.arrays.array_op import Gradients, Spec
from nbgraph.ops.define import define_rows, library, require_floats
from nbgraph.ops.elementwise.arithmetic import divide, multiply, negative, subtract
from nbgraph.ops.elementwise.comparison import greater, maximum, where
from nbgraph.ops.losses.outputs import head
from nbgraph.ops.named.calls import applied as applied
from nbgraph.ops.named.calls import named as named
from nbgraph.shape import Shapes, same_shape


def _loss_infer(data: Spec, **_: Any) -> Spec:
    require_floats("MakeLoss", data, label="data")
    return data


def _loss_rule(g: Gradients) -> list[Any]:
    (spec,), scale, how = g.specs, g.attributes["grad_scale"], g.attributes["normalization"]
    whole = library.full_like(g.outputs[0], 1.0)
    if how == "valid":
        count = library.sum(
            library.astype(greater(g.outputs[0], g.attributes["valid_thresh"]), spec.dtype)
        )
        return [multiply(whole, divide(scale, maximum(count, 1)))]
    if how == "batch":
        scale /= max(spec.shape[0], 1) if spec.shape else 1
    return [multiply(whole, scale)]


_MAKE_LOSS = head("MakeLoss", _loss_infer, _loss_rule, same_shape, "data")


def _svm_infer(data: Spec, label: Spec, **_: Any) -> Spec:
    require_floats("SVMOutput", data, label="data")
    if len(data.shape) != 2 or label.shape != data.shape[:1]:
        raise ShapeError(
            f"SVMOutput: data has shape {data.shape} and label {label.shape}; expected (samples, "
            "classes) and a class for each sample"
        )
    return data


def _svm_rule(g: Gradients) -> list[Any]:
    """Use the hinge losses of one class against the others, or their squares."""
    (data, _), out = g.specs, g.outputs[0]
    margin, weight = g.attributes["margin"], g.attributes["regularization_coefficient"]
    classes = library.astype(g.inputs[1], "int64")
    own = library.astype(library.one_hot(classes, data.shape[1]), "bool")
    score = where(own, out, negative(out))
    short = subtract(margin, score)
    size = where(greater(short, 0), weight, 0.0)
    if not g.attributes["use_linear"]:
        size = multiply(multiply(size, short), 2.0)
    return [where(own, negative(size), size)]


def _svm_partial(in_shapes: Shapes, out_shapes: Shapes, **_: Any) -> tuple[Shapes, Shapes]:
    (data, label), (out,) = in_shapes, out_shapes
    data = data or out
    return (data, label if data is None else data[:1]), (data,)


_SVM = head("SVMOutput", _svm_infer, _svm_rule, _svm_partial)

_TABLE = """
MakeLoss make_loss(data, *, grad_scale: float = 1.0, valid_thresh: float = 0.0,
    normalization="null", name=None): `data` as a loss: its gradient is `grad_scale`, whatever the
    out-gradient.
    data : array, floats
    grad_scale : float, the gradient of each element
    normalization : "null"; "batch": divided by the size of the first axis; "valid": by the number
        of elements above `valid_thresh`
    valid_thresh : float
    -> array, data as it is
    ! DTypeError for integers; ArgumentError for another `normalization`.
    >>> import nbgraph as ng
    >>> x = ng.array([1.0, 2.0])
    >>> x.attach_grad()
    >>> with ng.autograd.record():
    ...     y = ng.MakeLoss(x, grad_scale=3.0, normalization="batch")
    >>> y.backward()
    >>> y, x.grad
    (array([1., 2.], dtype=float32), array([1.5, 1.5], dtype=float32))
    = named(op(..., normalization=one_of("MakeLoss", "normalization", normalization, ("null",
        "batch", "valid"))), name)
SVMOutput(data, label=None, *, margin: float = 1.0, regularization_coefficient: float = 1.0,
    use_linear=False, name=None): Scores of classes, unchanged; their gradient is that of hinge
    losses, of the label's class against the others (Tang, Deep learning using linear support vector
    machines, 2013).
    data : array (samples, classes), floats
    label : array (samples,), classes from 0; on symbols, a missing one becomes a variable,
        `name_label`. It has no gradient.
    margin : float, of the loss max(0, margin - t * score), t = 1 for the label's class and -1 for
        others
    regularization_coefficient : float, a factor of the gradient
    use_linear : whether losses are not squared
    -> array (samples, classes), data; the gradient ignores the out-gradient
    ! ShapeError where shapes do not fit; DTypeError for integers.
    >>> SVMOutput([[1.0, 2.0]], [1])
    array([[1., 2.]])
    = applied(_SVM, [data, label], {"margin": float(margin), "regularization_coefficient":
        float(regularization_coefficient), "use_linear": bool(use_linear)}, name)
"""
define_rows(_TABLE, globals())
