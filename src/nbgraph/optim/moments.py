"""Optimizers with means of gradients and of their squares: Adam and its kin."""

import math
from collections.abc import Mapping
from dataclasses import InitVar
from typing import Any

from nbgraph.errors import ArgumentError
from nbgraph.operator.mapper.decorator import op
from nbgraph.ops.updates import rules
from nbgraph.ops.updates.rules import variant
from nbgraph.optim.optimizer import Optimizer
from nbgraph.optim.options import Betas, Rate, bound, flag, means, number, rate
from nbgraph.optim.rows import Row, scalar_array
from nbgraph.optim.update import Operands


class _Means(Optimizer):
    """Rules with two exponential means, which begin with 0."""

    rule = rules.adam
    states = ("mean", "square")

    lr: Rate = rate(default=1e-3, kw_only=False)
    betas: InitVar[Betas] = means(default=(0.9, 0.999))
    eps: InitVar[float] = number("epsilon", default=1e-8)

    def coefficients(self, steps: Any, rate: Any) -> Mapping[str, Any]:
        """Return the bias corrections of means that began with 0, by name."""
        return {
            "rate": rate / (1.0 - self.hyper["beta1"] ** steps),
            "root": (1.0 - self.hyper["beta2"] ** steps) ** -0.5,
        }


class Adam(_Means):
    """Steps by the mean of gradients over the root of the mean of squares (Kingma and Ba, 2015).

    Parameters
    ----------
    betas : pair of float from 0 to 1, the factors of the two means at each step
    eps : float, added to the root
    amsgrad : whether the largest mean of squares so far counts (Reddi, Kale and Kumar, 2018)
    params, lr, **options : as for Optimizer

    >>> import nbgraph as ng
    >>> w = ng.array([1.0, 1.0])
    >>> Adam({"w": w}, lr=0.5).step({"w": ng.array([3.0, -0.1])})
    >>> w
    array([0.5, 1.5], dtype=float32)
    """

    amsgrad: InitVar[bool] = flag(default=False)

    def choose(self, *, amsgrad: bool, **_: Any) -> None:
        if amsgrad:
            self.rule = rules.amsgrad  # type: ignore[misc]
            self.states = (*self.states, "largest")  # type: ignore[misc]


class AdamW(Adam):
    """Adam with decoupled decay: weights shrink by lr * weight_decay (Loshchilov and Hutter, 2019).

    Parameters
    ----------
    params, lr, betas, eps, amsgrad, **options : as for Adam

    >>> import nbgraph as ng
    >>> w = ng.array([4.0])
    >>> AdamW({"w": w}, lr=0.5, weight_decay=0.5).step({"w": ng.array([1.0])})
    >>> w  # 4 * (1 - 0.25), less 0.5
    array([2.5], dtype=float32)
    """

    decoupled = True

    weight_decay: float = number(default=0.01)


class AdaBelief(_Means):
    """Adam by how far gradients are from their mean, not from 0 (Zhuang et al., 2020).

    Parameters
    ----------
    params, lr, betas, eps, **options : as for AdamW
    """

    rule = rules.adabelief
    decoupled = True

    eps: InitVar[float] = number("epsilon", default=1e-16)


class Adamax(_Means):
    """Adam by a fading maximum of magnitudes (Kingma and Ba, 2015, section 7).

    Parameters
    ----------
    eps : float, added to the maximum
    params, lr, betas, **options : as for Adam
    """

    rule = rules.adamax
    states = ("mean", "most")

    lr: Rate = rate(default=2e-3, kw_only=False)

    def coefficients(self, steps: Any, rate: Any) -> Mapping[str, Any]:
        """Return the rate with the bias correction of the mean, by name."""
        return {"rate": rate / (1.0 - self.hyper["beta1"] ** steps)}


@op(certify=False)
def rectification(steps: Any, beta2: Any) -> Any:
    """Return the factor of RAdam's steps; 0 while the steps are plain."""
    most = 2.0 / (1.0 - beta2) - 1.0
    left = 1.0 - beta2**steps
    length = most - 2.0 * steps * beta2**steps / left
    if length <= 5.0:
        return 0.0
    top, bottom = (length - 4.0) * (length - 2.0) * most, (most - 4.0) * (most - 2.0) * length
    return (top / bottom * left) ** 0.5


class RAdam(_Means):
    """Adam that begins with plain steps, while the mean of squares is uncertain (Liu et al., 2020).

    Parameters
    ----------
    params, lr, betas, eps, **options : as for Adam
    """

    rule = rules.radam

    def coefficients(self, steps: Any, rate: Any) -> Mapping[str, Any]:
        """Return the rate with the bias correction of the mean, and the rectification factor, by
        name."""
        beta1, beta2 = self.hyper["beta1"], self.hyper["beta2"]
        return {"rate": rate / (1.0 - beta1**steps), "rectified": rectification(steps, beta2)}


class FTML(_Means):
    """Follow the moving leader: as Ftrl, of recent gradients (Zheng and Kwok, 2017).

    Parameters
    ----------
    betas : the factors of the pull and of the mean of squares at each step
    eps : float, added to the root
    params, lr, **options : as for Optimizer

    >>> import nbgraph as ng
    >>> w = ng.array([1.0, 1.0])
    >>> FTML({"w": w}, lr=0.5).step({"w": ng.array([3.0, -0.1])})
    >>> w
    array([0.5, 1.5], dtype=float32)
    """

    rule = rules.ftml
    states = ("slope", "square", "pull")

    lr: Rate = rate(default=2.5e-3, kw_only=False)
    betas: InitVar[Betas] = means(default=(0.6, 0.999))


class LAMB(_Means):
    """Adam with a rate for each parameter: the norm of its weights over that of the step (You et
    al., 2020).

    Parameters
    ----------
    lower, upper : floats above 0, optional: bounds of the norm of weights
    params, lr, betas, eps, **options : as for Adam; `weight_decay` is part of the step

    Raises
    ------
    ArgumentError where the lower bound is above the upper one.
    """

    elementwise = False
    rule = rules.lamb

    eps: InitVar[float] = number("epsilon", default=1e-6)
    lower: InitVar[float | None] = bound("low", 0.0, default=None)
    upper: InitVar[float | None] = bound("high", math.inf, default=None)

    def choose(self, *, lower: float, upper: float, **_: Any) -> None:
        if lower > upper:
            raise ArgumentError(f"{self.name}: lower={lower}, upper={upper}; expected lower first")

    def coefficients(self, steps: Any, rate: Any) -> Mapping[str, Any]:
        return {
            "first": 1.0 / (1.0 - self.hyper["beta1"] ** steps),
            "root": (1.0 - self.hyper["beta2"] ** steps) ** -0.5,
        }

    def rows(self, operands: Operands) -> list[Row]:
        """Return the row of moments and norms, then the row of the step, which follows from the new
        moments."""
        own, change = (
            scalar_array(operands.group.precision, operands.weight.device) for _ in range(2)
        )
        names = tuple(self.states)
        op = variant(rules.lamb_moments, names, guarded=operands.guarded, doubled=False)
        outputs = [*(operands.known[name] for name in names), own, change]
        combines = (None, None, "add", "add")
        moments = Row(op, operands.of(op.scalar.operands), outputs, combines)  # type: ignore[arg-type]
        operands.known |= {"own": own, "change": change}
        return [moments, operands.row(self.rule, ("weight",))]
