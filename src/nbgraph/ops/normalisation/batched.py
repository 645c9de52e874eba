"""`batch_norm`, of operators that give statistics and apply them."""

from __future__ import annotations

from typing import Any

from nbgraph.errors import ArgumentError
from nbgraph.ops.define import as_array, composed, library
from nbgraph.ops.normalisation.batches import batch_standard, batch_statistics, channel_moments, row


@composed("x", "gamma", "beta", "moving_mean", "moving_var")
def batch_norm(
    x: Any,
    gamma: Any = None,
    beta: Any = None,
    moving_mean: Any = None,
    moving_var: Any = None,
    *,
    momentum: float = 0.1,
    eps: float = 1e-5,
    frozen: bool = False,
) -> Any:
    """Each channel with mean 0 and variance 1, times `gamma` plus `beta` (Ioffe and Szegedy, 2015).

    Parameters
    ----------
    x : array (images, channels, *space), floats
    gamma, beta : arrays (channels,), by default 1 and 0
    moving_mean, moving_var : arrays (channels,), both or none: in training they are written where
        they lie and move towards the batch's (a variance divided by n - 1); else they are used.
        Without them it is always the batch.
    momentum : float, what they take of the batch's
    eps : float from 0, added to the variance, which is divided by n
    frozen : whether the moving ones are used in training, too

    One trains within `ng.autograd.record()` or `train_mode()`.

    Returns
    -------
    array of the shape of x

    Raises
    ------
    ShapeError and DTypeError where arrays do not fit, ArgumentError where one moving array is
        given.

    >>> import numpy as np
    >>> x = np.array([[[1.0, 3.0], [5.0, 9.0]]])
    >>> batch_norm(x, eps=0)
    array([[[-1.,  1.],
            [-1.,  1.]]])
    """
    x = as_array(x)
    if (moving_mean is None) is not (moving_var is None):
        raise ArgumentError(
            "batch_norm: of moving_mean and moving_var one is given; give both, or none"
        )
    if isinstance(eps, (str, bool)) or not float(eps) >= 0:
        raise ArgumentError(f"batch_norm: eps={eps!r}; expected a number from 0 on")
    if moving_mean is None:
        found = channel_moments(x)
    else:
        states = moving_mean, moving_var
        found, _ = batch_statistics(x, *states, momentum=momentum, frozen=frozen)
    weights = [gamma, beta]
    for k, make in enumerate((library.ones_like, library.zeros_like)):
        if weights[k] is None:
            weights[k] = make(row(found, 0))
    return batch_standard(x, found, *weights, eps=float(eps))
