"""Optimizers with a rate for each element, from the squares of its gradients."""

import math
from collections.abc import Mapping
from dataclasses import InitVar
from typing import Any

from nbgraph.ops.updates import rules
from nbgraph.optim.optimizer import Optimizer
from nbgraph.optim.options import Rate, bound, flag, number, rate


class Adagrad(Optimizer):
    """Rates that fall with all squares seen so far (Duchi, Hazan and Singer, 2011).

    Parameters
    ----------
    lr_decay : float: the rate of step n is lr / (1 + (n - 1) * lr_decay)
    initial : float, what sums of squares begin with
    eps : float, added to their roots
    params, lr, **options : as for Optimizer

    >>> import nbgraph as ng
    >>> w = ng.array([1.0, 1.0])
    >>> Adagrad({"w": w}, lr=0.5).step({"w": ng.array([3.0, -0.1])})
    >>> w
    array([0.5, 1.5], dtype=float32)
    """

    rule = rules.adagrad
    states = ("total",)

    lr_decay: float = number(default=0.0)
    initial: InitVar[float] = number(default=0.0)
    eps: InitVar[float] = number("epsilon", default=1e-10)

    def coefficients(self, steps: Any, rate: Any) -> Mapping[str, Any]:
        """Return the decayed rate, by name."""
        return {"rate": rate / (1.0 + (steps - 1.0) * self.lr_decay)}


class RMSProp(Optimizer):
    """Gradients over the root of a fading mean of their squares (Tieleman and Hinton, 2012).

    Parameters
    ----------
    alpha : float, the factor of the mean at each step
    eps : float, added to the root
    momentum : float from 0: the factor of a velocity of steps
    centered : whether the square of the mean gradient is taken off the mean of squares (Graves,
        2013)
    clip_weights : float above 0, optional: new weights are brought between it and its negative
    params, lr, **options : as for Optimizer

    >>> import nbgraph as ng
    >>> w = ng.array([1.0, 1.0])
    >>> RMSProp({"w": w}, lr=0.1, alpha=0.75).step({"w": ng.array([3.0, -0.1])})
    >>> w.asnumpy().round(4)
    array([0.8, 1.2], dtype=float32)
    """

    rule = rules.rmsprop
    states = ("square",)

    alpha: InitVar[float] = number("gain", default=0.99, below=1, rest=True)
    eps: InitVar[float] = number("epsilon", default=1e-8)
    momentum: InitVar[float] = number("momentum", default=0.0)
    centered: InitVar[bool] = flag(default=False)
    clip_weights: InitVar[float | None] = bound("most", math.inf, default=None)

    def choose(self, *, momentum: float, centered: bool, **_: Any) -> None:
        if centered:
            self.rule = rules.rmsprop_centered  # type: ignore[misc]
            self.states = ("square", "velocity", "mean")  # type: ignore[misc]
        elif momentum:
            self.rule = rules.rmsprop_momentum  # type: ignore[misc]
            self.states = ("square", "velocity")  # type: ignore[misc]
        self.hyper |= {"inner": 0.0, "fresh": 1.0}


class Adadelta(Optimizer):
    """Steps in the weights' own unit: the root mean square of former steps over that of gradients
    (Zeiler, 2012).

    Parameters
    ----------
    rho : float, the factor of both means at each step
    eps : float, added to both means
    params, lr, **options : as for Optimizer

    >>> import nbgraph as ng
    >>> w = ng.array([1.0])
    >>> Adadelta({"w": w}, eps=1e-2).step({"w": ng.array([1.0])})
    >>> w.asnumpy().round(4)  # by sqrt(0.01 / (0.1 + 0.01))
    array([0.6985], dtype=float32)
    """

    rule = rules.adadelta
    states = ("square", "change")

    lr: Rate = rate(default=1.0, kw_only=False)
    rho: InitVar[float] = number("gain", default=0.9, below=1, rest=True)
    eps: InitVar[float] = number("epsilon", default=1e-6)


class Ftrl(Optimizer):
    """Follow the regularised leader, with many weights of exactly 0 (McMahan et al., 2013).

    Parameters
    ----------
    lasso : float, the factor of the weights' magnitudes in what is minimised
    beta : float: the rate of a weight is lr / (beta + root of its sum of squared gradients)
    params, lr, **options : as for Optimizer; `weight_decay` is the factor of half the squared
        weights

    >>> import nbgraph as ng
    >>> w = ng.array([0.0, 0.0])
    >>> Ftrl({"w": w}, lr=1.0, lasso=1.0).step({"w": ng.array([0.5, 3.0])})
    >>> w
    array([ 0. , -0.5], dtype=float32)
    """

    rule = rules.ftrl
    states = ("pull", "total")

    lr: Rate = rate(default=0.1, kw_only=False)
    lasso: InitVar[float] = number("lasso", default=0.01)
    beta: InitVar[float] = number("beta", default=1.0)
