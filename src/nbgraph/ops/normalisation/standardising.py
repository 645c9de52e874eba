"""Rows brought to mean 0 and variance 1: layer norm, RMS norm, and what is made of them.

Each is a row program; mean and scale of a row are kept for the gradient (see `standard_rules`).
Variances are those of all elements, divided by their number.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from nbgraph.errors import ArgumentError, ShapeError
from nbgraph.operator.array_op import Spec
from nbgraph.operator.row_op import RowOp
from nbgraph.operator.row_program import Result, RowProgram
from nbgraph.operator.tiled_op import TiledCall, TiledOp
from nbgraph.ops.define import (
    Axis,
    as_array,
    as_known,
    composed,
    hashable_axis,
    library,
    public,
    whole,
)
from nbgraph.ops.elementwise.arithmetic import add, multiply
from nbgraph.ops.normalisation import standard_rules as rules
from nbgraph.settings import config

Array = np.ndarray[Any, Any]


def _element(x):
    return x


def _mean(total, count):
    return total / count


def _spread(x, total, count):
    return (x - total / count) * (x - total / count)


def _scale(spread, count, *, eps=1e-5):
    return 1 / math.sqrt(spread / count + eps)


def _standard(x, gamma, beta, total, spread, count, *, eps=1e-5):
    return (x - total / count) * _scale(spread, count, eps=eps) * gamma + beta


def _product(out_grad, gamma):
    return out_grad * gamma


def _along(out_grad, x, gamma, mean, scale):
    return out_grad * gamma * ((x - mean) * scale)


def _slope(out_grad, x, gamma, mean, scale, total, along, count):
    return scale * (out_grad * gamma - total / count - (x - mean) * scale * (along / count))


def _square(x):
    return x * x


def _scaled(x, gamma, spread, count, *, eps=1e-5):
    return x * _scale(spread, count, eps=eps) * gamma


def _along_scaled(out_grad, x, gamma, scale):
    return out_grad * gamma * (x * scale)


def _slope_scaled(out_grad, x, gamma, scale, along, count):
    return scale * (out_grad * gamma - x * scale * (along / count))


class _Norm(RowOp):
    """A row program whose weights do not make x larger."""

    def infer(self, specs: Sequence[Spec], attributes: Mapping[str, Any]) -> tuple[Spec, ...]:
        """See ArrayOp."""
        found = super().infer(specs, attributes)
        x = specs[self.operands.index("x")].shape
        if found[0].shape != x:
            listed = ", ".join(
                f"{name}{spec.shape}" for name, spec in zip(self.operands, specs, strict=True)
            )
            raise ShapeError(
                f"{self.__name__}: {listed} broadcast to {found[0].shape}; they have to broadcast "
                f"to the shape of x, {x}"
            )
        return found


_LAYER_NORM = _Norm(
    RowProgram(
        "layer_norm_parts",
        elements=("x", "gamma", "beta"),
        totals={"total": ("add", _element), "spread": ("add", _spread)},
        results=[Result(_standard), Result(_mean, row=True), Result(_scale, row=True)],
    ),
    gradient=rules.layer_norm_rule,
    keeps=("x", "gamma", "out1", "out2"),
)
_LAYER_NORM_GRADIENT = _Norm(
    RowProgram(
        "layer_norm_gradient",
        elements=("out_grad", "x", "gamma", "mean", "scale"),
        totals={"total": ("add", _product), "along": ("add", _along)},
        results=[Result(_slope)],
    ),
    gradient=rules.layer_norm_gradient_rule,
    keeps=("out_grad", "x", "gamma", "mean", "scale"),
)


def _weights_infer(out_grad: Spec, x: Spec, mean: Spec, scale: Spec, *, axes: int) -> Spec:
    rows = len(x.shape) - axes
    wanted = (*x.shape[: max(rows, 0)], *(1,) * axes)
    if rows < 0 or out_grad.shape != x.shape or not mean.shape == scale.shape == wanted:
        raise ShapeError(
            f"layer_norm_weights: out_grad{out_grad.shape}, x{x.shape}, mean{mean.shape}, scale"
            f"{scale.shape}; expected two equal shapes, and two with size 1 along the last "
            f"{axes} axes"
        )
    dtype = np.result_type(*(s.dtype for s in (out_grad, x, mean, scale)))
    return Spec((2, *x.shape[rows:]), dtype)


def _weights_tiling(specs: Sequence[Spec], dtype: Any, *, axes: int) -> TiledCall | None:
    from nbgraph.kernels.standards import weights_text
    from nbgraph.kernels.written import written

    rows = math.prod(specs[2].shape)
    columns = math.prod(specs[1].shape) // rows
    width = max(64, min(512, -(-columns // 32) * 16))
    code = written("layer_norm_weights", weights_text(dtype), dtype)
    cost = int(rows * columns * 0.4)
    return TiledCall(code, (rows, columns), (width,), -(-columns // width), cost)


def _weights_naive(out_grad: Array, x: Array, mean: Array, scale: Array, *, axes: int) -> Array:
    rows = tuple(range(x.ndim - axes))
    products = out_grad * ((x - mean) * scale)
    return np.stack([products.sum(axis=rows), out_grad.sum(axis=rows)])


_LAYER_NORM_WEIGHTS = TiledOp(
    "layer_norm_weights",
    _weights_infer,
    _weights_tiling,
    _weights_naive,
    gradient=rules.layer_norm_weights_rule,
    keeps=("out_grad", "x", "mean", "scale"),
    operands=("out_grad", "x", "mean", "scale"),
)
_RMS_NORM = _Norm(
    RowProgram(
        "rms_norm_parts",
        elements=("x", "gamma"),
        totals={"spread": ("add", _square)},
        results=[Result(_scaled), Result(_scale, row=True)],
    ),
    gradient=rules.rms_norm_rule,
    keeps=("x", "gamma", "out1"),
)
_RMS_NORM_GRADIENT = _Norm(
    RowProgram(
        "rms_norm_gradient",
        elements=("out_grad", "x", "gamma", "scale"),
        totals={"along": ("add", _along_scaled)},
        results=[Result(_slope_scaled)],
    ),
    gradient=rules.rms_norm_gradient_rule,
    keeps=("out_grad", "x", "gamma", "scale"),
)


@public(_LAYER_NORM)
def layer_norm_parts(
    x: Any, gamma: Any, beta: Any, axis: Axis = -1, *, eps: float = 1e-5, keepdims: bool = True
) -> Any:
    """What `layer_norm` gives, and of each row its mean and what it was multiplied by.

    Parameters
    ----------
    x, gamma, beta, axis, eps : as those of `layer_norm`
    keepdims : whether what there is of rows keeps `axis`, with size 1

    >>> out, mean, scale = layer_norm_parts(np.array([[1.0, 3.0]]), np.ones(2), np.zeros(2), eps=0)
    >>> out, mean, scale
    (array([[-1.,  1.]]), array([[2.]]), array([[1.]]))
    """
    axis = hashable_axis("layer_norm_parts", axis)
    return _LAYER_NORM(x, gamma, beta, axis=axis, eps=float(eps), keepdims=keepdims)


@public(_LAYER_NORM_GRADIENT)
def layer_norm_gradient(
    out_grad: Any, x: Any, gamma: Any, mean: Any, scale: Any, axis: Axis = -1, *, out: Any = None
) -> Any:
    """The in-gradient of `layer_norm`, from the parts that it gives.

    >>> layer_norm_gradient([[1.0, 0.0]], [[1.0, 3.0]], [1.0, 1.0], [[2.0]], [[1.0]])
    array([[0., 0.]])
    """
    axis = hashable_axis("layer_norm_gradient", axis)
    return _LAYER_NORM_GRADIENT(out_grad, x, gamma, mean, scale, axis=axis, out=out)


@public(_LAYER_NORM_WEIGHTS)
def layer_norm_weights(
    out_grad: Any, x: Any, mean: Any, scale: Any, *, axes: int = 1, out: Any = None
) -> Any:
    """The gradients of gamma and beta of the shape of a row, as two rows, in one pass. The last
    `axes` axes make a row; `mean` and `scale` have size 1 along them.

    >>> layer_norm_weights([[1.0, 5.0]], [[1.0, 3.0]], [[2.0]], [[1.0]])
    array([[-1.,  5.],
           [ 1.,  5.]])
    """
    axes = whole("layer_norm_weights", "axes", axes)
    return _LAYER_NORM_WEIGHTS(out_grad, x, mean, scale, axes=axes, out=out)


@public(_RMS_NORM)
def rms_norm_parts(
    x: Any, gamma: Any, axis: Axis = -1, *, eps: float = 1e-5, keepdims: bool = True
) -> Any:
    """What `rms_norm` gives, and what each row was multiplied by.

    >>> rms_norm_parts(np.array([[2.0, 2.0]]), np.ones(2), eps=0)
    (array([[1., 1.]]), array([[0.5]]))
    """
    axis = hashable_axis("rms_norm_parts", axis)
    return _RMS_NORM(x, gamma, axis=axis, eps=float(eps), keepdims=keepdims)


@public(_RMS_NORM_GRADIENT)
def rms_norm_gradient(
    out_grad: Any, x: Any, gamma: Any, scale: Any, axis: Axis = -1, *, out: Any = None
) -> Any:
    """The in-gradient of `rms_norm`, from the parts that it gives.

    >>> rms_norm_gradient([[2.0, 0.0]], [[2.0, 2.0]], [1.0, 1.0], [[0.5]])
    array([[ 0.5, -0.5]])
    """
    axis = hashable_axis("rms_norm_gradient", axis)
    return _RMS_NORM_GRADIENT(out_grad, x, gamma, scale, axis=axis, out=out)


# what people call -------------------------------------------------------------------------------


def _weight(name: str, value: Any, x: Any, default: float) -> Any:
    """A weight as an array, one number of x's dtype where none is given."""
    if value is not None:
        return value
    if x.shape is None:
        return library.full_like(x, default, shape=())  # of the dtype that x will have
    return np.full((), default, x.dtype or np.dtype(config.default_float))


def _epsilon(name: str, eps: Any) -> float:
    if isinstance(eps, (str, bool)) or not float(eps) >= 0:
        raise ArgumentError(f"{name}: eps={eps!r}; expected a number from 0 on")
    return float(eps)


@composed("x", "gamma", "beta")
def layer_norm(
    x: Any, gamma: Any = None, beta: Any = None, axis: Axis = -1, *, eps: float = 1e-5
) -> Any:
    """Rows along `axis` with mean 0 and variance 1, times `gamma` plus `beta` (Ba, Kiros and
    Hinton, 2016).

    Parameters
    ----------
    x : array, floats
    gamma, beta : arrays that broadcast against x, optional: of shape (n,) for rows along the last
        axis
    axis : int, several ints, or None for all
    eps : float, added to the variance, which is divided by n

    Returns
    -------
    array of the shape of x

    Raises
    ------
    ShapeError where the weights do not broadcast, or would make x larger.

    >>> layer_norm(np.array([[1.0, 3.0], [5.0, 5.0]]), eps=0.25)
    array([[-0.89442719,  0.89442719],
           [ 0.        ,  0.        ]])
    """
    x, eps = as_array(x), _epsilon("layer_norm", eps)
    weights = _weight("gamma", gamma, x, 1), _weight("beta", beta, x, 0)
    return layer_norm_parts(x, *weights, axis, eps=eps)[0]


@composed("x", "gamma")
def rms_norm(x: Any, gamma: Any = None, axis: Axis = -1, *, eps: float = 1e-5) -> Any:
    """Rows along `axis` divided by the root of their mean square, times `gamma` (Zhang and
    Sennrich, 2019).

    Parameters
    ----------
    x : array, floats
    gamma : array that broadcasts against x, optional
    axis : int, several ints, or None for all
    eps : float, added to the mean square

    Returns
    -------
    array of the shape of x

    >>> rms_norm(np.array([[2.0, 2.0], [3.0, -3.0]]), eps=0)
    array([[ 1.,  1.],
           [ 1., -1.]])
    """
    x, eps = as_array(x), _epsilon("rms_norm", eps)
    return rms_norm_parts(x, _weight("gamma", gamma, x, 1), axis, eps=eps)[0]


@composed("x", "gamma", "beta")
def group_norm(
    x: Any, groups: int, gamma: Any = None, beta: Any = None, *, eps: float = 1e-5
) -> Any:
    """Each group of channels of each image with mean 0 and variance 1; then `gamma` and `beta` (Wu
    and He, 2018).

    Parameters
    ----------
    x : array (images, channels, *space), floats
    groups : int, which divides channels
    gamma, beta : arrays (channels,), optional
    eps : float, added to the variance

    Returns
    -------
    array of the shape of x

    Raises
    ------
    ShapeError where `groups` does not divide channels, or weights do not fit.

    >>> group_norm(np.array([[[1.0], [3.0], [10.0], [20.0]]]), 2, eps=0).ravel()
    array([-1.,  1., -1.,  1.])
    """
    x, groups = as_known("group_norm", x), whole("group_norm", "groups", groups)
    shape = tuple(x.shape)
    if len(shape) < 2 or groups < 1 or shape[1] % groups:
        raise ShapeError(
            f"group_norm: x has shape {shape} for groups={groups}; expected (images, channels, "
            "*space) and groups that divide channels"
        )
    size = math.prod(shape[1:]) // groups
    rows = library.reshape(x, (shape[0], groups, size))
    made = library.reshape(layer_norm(rows, eps=_epsilon("group_norm", eps)), shape)
    return weighted(made, gamma, beta)


@composed("x", "gamma", "beta")
def instance_norm(x: Any, gamma: Any = None, beta: Any = None, *, eps: float = 1e-5) -> Any:
    """Each channel of each image with mean 0 and variance 1; then `gamma` and `beta` (Ulyanov et
    al., 2016).

    Parameters
    ----------
    x : array (images, channels, *space), floats
    gamma, beta : arrays (channels,), optional
    eps : float, added to the variance

    Returns
    -------
    array of the shape of x

    >>> instance_norm(np.array([[[1.0, 3.0], [5.0, 9.0]]]), eps=0).ravel()
    array([-1.,  1., -1.,  1.])
    """
    x = as_known("instance_norm", x)
    channels = x.shape[1] if len(x.shape) > 1 else 1
    return group_norm(x, max(1, channels), gamma, beta, eps=eps)


def weighted(x: Any, gamma: Any, beta: Any) -> Any:
    """`x` times gamma plus beta, one value a channel, where they are given."""
    axes = tuple(range(1, len(x.shape) - 1))
    if gamma is not None:
        x = multiply(x, library.expand_dims(gamma, axes))
    return x if beta is None else add(x, library.expand_dims(beta, axes))
