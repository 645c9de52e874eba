"""Shapes and dtypes of operands of losses and metrics, which must not broadcast unnoticed."""

from collections.abc import Mapping
from typing import Any

from nbgraph.dtype import is_float
from nbgraph.errors import ShapeError, require_shape
from nbgraph.ops.define import as_known, library, one_of
from nbgraph.ops.elementwise.arithmetic import multiply
from nbgraph.shape import axis_of

_NUMBERS = (bool, int, float)  # includes NumPy's float64


def require_same_shape(name: str, operands: Mapping[str, Any]) -> None:
    """Raise ShapeError unless all arrays have one shape; UnknownShape if one is unknown.

    >>> require_same_shape("l2_loss", {"prediction": [[1.0], [2.0]], "target": [1.0, 2.0]})
    Traceback (most recent call last):
    nbgraph.errors.ShapeError: l2_loss: prediction has shape (2, 1), target (2,); give one shape, \
as with target.reshape((2, 1))
    """
    arrays = {n: v for n, v in operands.items() if not isinstance(v, _NUMBERS)}
    shapes = {n: tuple(as_known(name, v).shape) for n, v in arrays.items()}
    first = next(iter(shapes), "")
    for other, shape in shapes.items():
        if shape != shapes[first]:
            raise ShapeError(
                f"{name}: {first} has shape {shapes[first]}, {other} {shape}; give one shape, "
                f"as with {other}.reshape({shapes[first]})"
            )


def floats_like(scores: Any, value: Any) -> Any:
    """Return an array of integers in the dtype of floating scores, so that labels do not widen
    results; other values unchanged.

    >>> import numpy as np
    >>> floats_like(np.ones(2, "float32"), np.array([0, 1]))
    array([0., 1.], dtype=float32)
    """
    dtype, value_dtype = getattr(scores, "dtype", None), getattr(value, "dtype", None)
    if value_dtype is None or dtype is None or value_dtype.kind not in "iub" or not is_float(dtype):
        return value
    return library.astype(value, dtype)


def require_rows(name: str, label: str, target: Any, scores: str, x: Any, axis: int = -1) -> None:
    """Raise ShapeError unless `target` has the shape of x without an axis."""
    if isinstance(target, _NUMBERS):
        return
    shape, target_shape = (tuple(as_known(name, v).shape) for v in (x, target))
    place = axis_of(name, axis, len(shape))
    wanted = (*shape[:place], *shape[place + 1 :])
    why = f"that of {scores}{shape} without axis {axis}"
    require_shape(f"{name}: {label}", target_shape, wanted, why)


def reduced(name: str, loss: Any, reduction: str, weight: Any = None) -> Any:
    """Return the losses of elements, weighted and reduced."""
    one_of(name, "reduction", reduction, ("mean", "sum", "none"))
    if weight is not None:
        loss = multiply(loss, floats_like(loss, weight))
    return loss if reduction == "none" else getattr(library, reduction)(loss)
