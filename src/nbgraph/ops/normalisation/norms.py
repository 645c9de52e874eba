"""Public norms, composed of operators that compute statistics and apply them.

Variances are those of all elements, divided by their number.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgraph.errors import ArgumentError, ShapeError
from nbgraph.operator.call import training
from nbgraph.ops.define import as_array, define_rows, library
from nbgraph.ops.elementwise.arithmetic import add, multiply
from nbgraph.ops.normalisation.batches import batch_standard, batch_statistics, channel_moments
from nbgraph.ops.normalisation.standardising import layer_norm_parts as layer_norm_parts
from nbgraph.ops.normalisation.standardising import rms_norm_parts as rms_norm_parts
from nbgraph.settings import config


def statistics(x: Any, states: tuple[Any, Any], momentum: float, frozen: bool) -> Any:
    """Return the means and variances that a batch norm uses."""
    if (states[0] is None) is not (states[1] is None):
        raise ArgumentError(
            "batch_norm: of moving_mean and moving_var one is given; give both, or none"
        )
    if states[0] is None:
        return channel_moments(x)
    if _stay(x, states, frozen=frozen):
        return states
    return batch_statistics(x, *states, momentum=momentum, frozen=frozen)[:2]


def scaled(x: Any, moments: Any, gamma: Any, beta: Any, eps: float) -> Any:
    """Return channels standardised by moments, times gamma plus beta."""
    gamma = library.ones_like(moments[0]) if gamma is None else gamma
    beta = library.zeros_like(moments[0]) if beta is None else beta
    return batch_standard(x, moments[0], moments[1], gamma, beta, eps=eps)


def _stay(x: Any, states: Sequence[Any], *, frozen: bool) -> bool:
    """Return whether states that fit are constants of this call: those of arrays."""
    stays = ("asnumpy", "stands_for_array")  # a trace has one mode; a symbol either
    if not all(any(hasattr(v, n) for n in stays) for v in (x, *states)) or x.dtype.kind != "f":
        return False
    fit = all((v.shape, v.dtype) == (x.shape[1:2], x.dtype) for v in states)
    return fit and (frozen or not training.get())


def weight_of(value: Any, x: Any, default: float) -> Any:
    """Return a weight as an array, or the default as one number of x's dtype."""
    if value is not None:
        return value
    x = as_array(x)
    if x.shape is None and hasattr(x, "traced"):  # within a row operator
        return default
    if x.shape is None or hasattr(x, "asnumpy"):  # in the future dtype of x, and in its class
        return library.full_like(x, default, shape=())
    return np.full((), default, x.dtype or np.dtype(config.default_float))


def grouped(x: Any, groups: int, eps: float) -> Any:
    """Return each group of channels of each image with mean 0 and variance 1."""
    shape = tuple(x.shape)
    if len(shape) < 2 or groups < 1 or shape[1] % groups:
        raise ShapeError(
            f"group_norm: x has shape {shape} for groups={groups}; expected (images, channels, "
            "*space) and groups that divide channels"
        )
    rows = library.reshape(x, (shape[0], groups, math.prod(shape[1:]) // groups))
    return library.reshape(library.layer_norm(rows, eps=eps), shape)


def weighted(x: Any, gamma: Any, beta: Any) -> Any:
    """Return `x` times gamma plus beta, one value per channel, if these are given."""
    axes = tuple(range(1, len(x.shape) - 1))
    if gamma is not None:
        x = multiply(x, library.expand_dims(gamma, axes))
    return x if beta is None else add(x, library.expand_dims(beta, axes))


_TABLE = """
batch_norm(x, gamma=None, beta=None, moving_mean=None, moving_var=None, *, momentum: float = 0.1,
    eps: float = 1e-5, frozen=False): Each channel with mean 0 and variance 1, times `gamma` plus
    `beta` (Ioffe and Szegedy, 2015).

    Training is within `ng.autograd.record()` or `train_mode()`.
    x : array (images, channels, *space), floats
    gamma, beta : arrays (channels,), by default 1 and 0
    moving_mean, moving_var : arrays (channels,), both or neither: in training they are moved in
        place towards the batch's statistics (variance divided by n - 1); else they are used.
        Without them the batch's always are.
    momentum : float, the batch's weight in their update
    eps : float from 0, added to the variance, which is divided by n
    frozen : whether the moving ones are used in training, too
    -> array of the shape of x
    ! ShapeError and DTypeError where arrays do not fit, ArgumentError where one moving array is
        given.
    >>> x = np.array([[[1.0, 3.0], [5.0, 9.0]]])
    >>> batch_norm(x, eps=0)
    array([[[-1.,  1.],
            [-1.,  1.]]])
    = scaled(as_array(x), statistics(as_array(x), (moving_mean, moving_var), momentum, frozen),
        gamma, beta, not_negative("batch_norm", "eps", eps))
group_norm(x, groups: int, gamma=None, beta=None, *, eps: float = 1e-5): Each group of channels of
    each image with mean 0 and variance 1; then `gamma` and `beta` (Wu and He, 2018).
    x : array (images, channels, *space), floats
    groups : int, which divides channels
    gamma, beta : arrays (channels,), optional
    eps : float, added to the variance
    -> array of the shape of x
    ! ShapeError where `groups` does not divide channels, or weights do not fit.
    >>> group_norm(np.array([[[1.0], [3.0], [10.0], [20.0]]]), 2, eps=0).ravel()
    array([-1.,  1., -1.,  1.])
    = weighted(grouped(as_known("group_norm", x), whole("group_norm", "groups", groups),
        not_negative("group_norm", "eps", eps)), gamma, beta)
instance_norm(x, gamma=None, beta=None, *, eps: float = 1e-5): Each channel of each image with mean
    0 and variance 1; then `gamma` and `beta` (Ulyanov et al., 2016).
    x : array (images, channels, *space), floats
    gamma, beta : arrays (channels,), optional
    eps : float, added to the variance
    -> array of the shape of x
    >>> instance_norm(np.array([[[1.0, 3.0], [5.0, 9.0]]]), eps=0).ravel()
    array([-1.,  1., -1.,  1.])
    = group_norm(x, max((1, *as_known("instance_norm", x).shape[1:2])), gamma, beta, eps=eps)
layer_norm(x, gamma=None, beta=None, axis=-1, *, eps: float = 1e-5): Rows along `axis` with mean 0
    and variance 1, times `gamma` plus `beta` (Ba, Kiros and Hinton, 2016).
    x : array, floats
    gamma, beta : arrays that broadcast against x, optional: of shape (n,) for rows along the last
        axis
    eps : float, added to the variance, which is divided by n
    -> array of the shape of x
    ! ShapeError where the weights do not broadcast, or would make x larger.
    >>> layer_norm(np.array([[1.0, 3.0], [5.0, 5.0]]), eps=0.25)
    array([[-0.89442719,  0.89442719],
           [ 0.        ,  0.        ]])
    = layer_norm_parts(as_array(x), weight_of(gamma, x, 1), weight_of(beta, x, 0), axis,
        eps=not_negative("layer_norm", "eps", eps))[0]
rms_norm(x, gamma=None, axis=-1, *, eps: float = 1e-5): Rows along `axis` divided by the root of
    their mean square, times `gamma` (Zhang and Sennrich, 2019).
    x : array, floats
    gamma : array that broadcasts against x, optional
    eps : float, added to the mean square
    -> array of the shape of x
    >>> rms_norm(np.array([[2.0, 2.0], [3.0, -3.0]]), eps=0)
    array([[ 1.,  1.],
           [ 1., -1.]])
    = rms_norm_parts(as_array(x), weight_of(gamma, x, 1), axis, eps=not_negative("rms_norm", "eps",
        eps))[0]
"""
define_rows(
    _TABLE,
    globals(),
    "beta gamma x moving_mean moving_var".split(),
    "layer_norm rms_norm group_norm instance_norm".split(),
)
