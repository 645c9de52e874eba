"""Normalisation layers: layer, RMS, group, instance and batch norm, each with trained weights."""

from typing import Any

from nbgraph.errors import ShapeError, require_number, require_whole
from nbgraph.nn.module import Module
from nbgraph.ops.define import library
from nbgraph.ops.draws import initial


class LayerNorm(Module):
    """`ng.layer_norm` along the last axis.

    Parameters
    ----------
    features : int, optional, the length of that axis; by default that of the first call
    eps : float, added to the variance

    `gamma`, initially 1, and `beta`, initially 0, have shape (features,).

    >>> import nbgraph as ng
    >>> LayerNorm(2)(ng.array([[1.0, 3.0]])).asnumpy().round(3)
    array([[-1.,  1.]], dtype=float32)
    """

    def __init__(self, features: int | None = None, *, eps: float = 1e-5) -> None:
        self.eps = eps
        if features is not None:
            require_whole(f"{type(self).__name__}: features", features)
        self.gamma = self.declare((features,), initial.ones())
        self.beta = self.declare((features,), initial.zeros())

    def forward(self, x: Any) -> Any:
        self.settle(gamma=x.shape[-1:], beta=x.shape[-1:])
        return library.layer_norm(x, self.gamma, self.beta, eps=self.eps)


class RMSNorm(Module):
    """`ng.rms_norm` along the last axis.

    Parameters
    ----------
    features : int, optional, the length of that axis; by default that of the first call
    eps : float, added to the mean square

    `gamma`, initially 1, has shape (features,).

    >>> import nbgraph as ng
    >>> RMSNorm(2)(ng.array([[3.0, -3.0]])).asnumpy().round(3)
    array([[ 1., -1.]], dtype=float32)
    """

    def __init__(self, features: int | None = None, *, eps: float = 1e-5) -> None:
        self.eps = eps
        if features is not None:
            require_whole(f"{type(self).__name__}: features", features)
        self.gamma = self.declare((features,), initial.ones())

    def forward(self, x: Any) -> Any:
        self.settle(gamma=x.shape[-1:])
        return library.rms_norm(x, self.gamma, eps=self.eps)


class GroupNorm(Module):
    """`ng.group_norm` of data of shape (samples, channels, *space).

    Parameters
    ----------
    groups : int, a divisor of the number of channels; equal to it, this is an instance norm
    channels : int, optional; by default that of the first call
    eps : float, added to the variance

    `gamma`, initially 1, and `beta`, initially 0, have shape (channels,).

    >>> import nbgraph as ng
    >>> GroupNorm(2)(ng.array([[1.0, 3.0, 10.0, 30.0]])).asnumpy().round(3)
    array([[-1.,  1., -1.,  1.]], dtype=float32)
    """

    def __init__(self, groups: int, channels: int | None = None, *, eps: float = 1e-5) -> None:
        self.groups = require_whole("GroupNorm: groups", groups)
        self.eps = require_number("GroupNorm: eps", eps, 0)
        self.gamma = self.declare((channels,), initial.ones())
        self.beta = self.declare((channels,), initial.zeros())

    def forward(self, x: Any) -> Any:
        self.settle(gamma=x.shape[1:2], beta=x.shape[1:2])
        return library.group_norm(x, self.groups, self.gamma, self.beta, eps=self.eps)


class InstanceNorm(GroupNorm):
    """`ng.instance_norm` of data of shape (samples, channels, *space).

    Parameters
    ----------
    channels : int, optional; by default that of the first call
    eps : float, added to the variance

    >>> import nbgraph as ng
    >>> InstanceNorm()(ng.array([[[1.0, 3.0], [10.0, 30.0]]])).asnumpy().round(3)
    array([[[-1.,  1.],
            [-1.,  1.]]], dtype=float32)
    """

    def __init__(self, channels: int | None = None, *, eps: float = 1e-5) -> None:
        super().__init__(1, channels, eps=eps)

    def forward(self, x: Any) -> Any:
        self.groups = x.shape[1] if len(x.shape) > 1 else 1
        return super().forward(x)


class BatchNorm(Module):
    """`ng.batch_norm` of data of shape (samples, channels, *space).

    Parameters
    ----------
    channels : int, optional; by default that of the first call
    momentum : float, the weight of a batch's statistics in the moving averages
    eps : float, added to the variance

    Training uses mean and variance of the batch, prediction the moving averages `moving_mean` and
    `moving_variance`, which are saved but not trained. `gamma` and `beta` are trained; all have
    shape (channels,).

    >>> import nbgraph as ng
    >>> norm = BatchNorm()
    >>> with ng.autograd.train_mode():
    ...     out = norm(ng.array([[1.0], [3.0]]))
    >>> norm.moving_mean
    array([0.2], dtype=float32)
    """

    statistics_named = ("moving_mean", "moving_variance")

    def __init__(
        self, channels: int | None = None, *, momentum: float = 0.1, eps: float = 1e-5
    ) -> None:
        self.momentum = require_number("BatchNorm: momentum", momentum, 0, 1)
        self.eps = require_number("BatchNorm: eps", eps, 0)
        self.gamma = self.declare((channels,), initial.ones())
        self.beta = self.declare((channels,), initial.zeros())
        self.moving_mean = self.declare((channels,), initial.zeros())
        self.moving_variance = self.declare((channels,), initial.ones())

    def forward(self, x: Any) -> Any:
        if len(x.shape) < 2:
            raise ShapeError(
                f"BatchNorm: x has shape {x.shape}; expected (samples, channels, *space)"
            )
        shape = x.shape[1:2]
        self.settle(gamma=shape, beta=shape, moving_mean=shape, moving_variance=shape)
        weights = self.gamma, self.beta, self.moving_mean, self.moving_variance
        return library.batch_norm(x, *weights, momentum=self.momentum, eps=self.eps)
