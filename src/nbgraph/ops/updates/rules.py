"""Update rules as scalar functions: from a weight, its gradient and its states to new ones.

The names of operands are requests that `optim.Optimizer` fulfils: `weight`, `grad`, states by their
own names, all others numbers of the step. Results are the new weight, then the new states in the
order of their names. They run in place, one kernel for each parameter.

Moving averages add a fraction `gain` of the new value: 1 - beta, computed in float64, since the
difference of 1 and 0.999 has few digits in float32.

>>> import numpy as np
>>> w, g = np.float32([1.0, 2.0]), np.float32([1.0, -1.0])
>>> sgd(w, g, 0.5, 0.0, 1.0, float("inf"))  # rate, decay, scale, bound
array([0.5, 2.5], dtype=float32)
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from nbgraph.kernels.function.derived import Derived
from nbgraph.kernels.function.scalar_function import Captured, Scalar
from nbgraph.kernels.scalar.graph import Node
from nbgraph.operator.declared import Row, scalar
from nbgraph.operator.mapper.decorator import op
from nbgraph.operator.mapper.mapper import Mapper

# Scalar bodies: operands are documented by their names, without types.


def bounded(x: Any, bound: Any) -> Any:
    """Return `x` limited to -bound and bound; NaN stays."""
    if x > bound:
        return bound
    if x < -bound:
        return -bound
    return x


def used(grad: Any, weight: Any, scale: Any, bound: Any, decay: Any) -> Any:
    """Return the gradient that a rule uses: scaled, clipped, with the penalty's slope."""
    return bounded(grad * scale, bound) + decay * weight


def kept(grad: Any, weight: Any, scale: Any, bound: Any, decay: Any, after: Any) -> Any:
    """Return `used`, clipped again including the penalty, as MXNet does for some rules."""
    return bounded(used(grad, weight, scale, bound, decay), after)


def of_gradient(use: Callable[..., Any]) -> Callable[[Callable[..., Any]], Mapper]:
    """Decorate a rule that takes `g`, the gradient by `used` or `kept`: it becomes an operator of
    `grad`, and of the numbers that these take, which follow the rate."""
    _, _, *taken = inspect.signature(use).parameters
    numbers = ", ".join(["decay", *(name for name in taken if name != "decay")])

    def decorate(rule: Callable[..., Any]) -> Mapper:
        own = inspect.signature(rule).parameters
        named = {"g": "grad", "rate": f"rate, {numbers}"}
        passed = {"g": f"use(grad, weight, {', '.join(taken)})"}
        row = Row(
            rule.__name__,
            ", ".join(named.get(name, name) for name in own),
            "",
            f"rule({', '.join(passed.get(name, name) for name in own)})",
            rule.__doc__ or "",
        )
        return scalar(row, {"__name__": __name__, "use": use, "rule": rule}, certify=False)

    return decorate


def sign(x: Any) -> Any:
    """Return -1, 0 or 1; NaN stays."""
    if x > 0:
        return 1.0
    if x < 0:
        return -1.0
    return x


# gradient descent -------------------------------------------------------------------------------


@op(certify=False)
def sgd(weight, grad, rate, decay, scale, bound):
    """A step down the gradient."""
    return weight - rate * used(grad, weight, scale, bound, decay)


@op(certify=False)
def momentum(weight, grad, velocity, rate, decay, scale, bound, momentum, fresh):
    """A velocity that gradients accelerate (Polyak, 1964)."""
    velocity = momentum * velocity + fresh * used(grad, weight, scale, bound, decay)
    return weight - rate * velocity, velocity


@op(certify=False)
def nesterov(weight, grad, velocity, rate, decay, scale, bound, momentum, fresh):
    """Momentum with the gradient of where it leads (Nesterov, 1983; Sutskever et al., 2013)."""
    step = fresh * used(grad, weight, scale, bound, decay)
    velocity = momentum * velocity + step
    return weight - rate * (step + momentum * velocity), velocity


@op(certify=False)
def signsgd(weight, grad, rate, scale, bound, shrink):
    """Steps of one size, along the sign of the gradient (Bernstein et al., 2018)."""
    return shrink * weight - rate * sign(bounded(grad * scale, bound))


@of_gradient(used)
def signum(weight, g, velocity, rate, gain, shrink):
    """Steps of one size, along the sign of the velocity (Bernstein et al., 2018)."""
    velocity = velocity + gain * (g - velocity)
    return shrink * weight - rate * sign(velocity), velocity


@op(certify=False)
def lion(weight, grad, mean, rate, scale, bound, gain1, gain2, shrink):
    """The sign of a mean that this gradient counts more in (Chen et al., 2023)."""
    g = bounded(grad * scale, bound)
    direction = sign(mean + gain1 * (g - mean))
    return shrink * weight - rate * direction, mean + gain2 * (g - mean)


@op(certify=False)
def sgld(weight, grad, noise, rate, decay, scale, bound, spread):
    """Half a step, and noise: samples of the posterior (Welling and Teh, 2011)."""
    return weight - 0.5 * rate * used(grad, weight, scale, bound, decay) + spread * noise


@op(certify=False)
def lars_norms(weight, grad, scale, bound):
    """Terms of the squared norms that `lars` compares."""
    g = bounded(grad * scale, bound)
    return weight * weight, g * g


@op(certify=False)
def lars(weight, grad, velocity, own, slope, rate, decay, scale, bound, momentum, trust, epsilon):
    """Momentum at a rate of each layer's own: of weights' norm to gradients' (You et al., 2017).

    `own`, `slope`: squared norms of weights and gradients.
    """
    size, steep = math.sqrt(own), math.sqrt(slope)
    ratio = trust * size / (steep + decay * size + epsilon) if own > 0 and slope > 0 else 1.0
    velocity = momentum * velocity + rate * ratio * used(grad, weight, scale, bound, decay)
    return weight - velocity, velocity


# a rate for each element ------------------------------------------------------------------------


@of_gradient(used)
def adagrad(weight, g, total, rate, epsilon):
    """Rates fall with the squares seen so far (Duchi, Hazan and Singer, 2011)."""
    total = total + g * g
    return weight - rate * g / (math.sqrt(total) + epsilon), total


@of_gradient(kept)
def rmsprop(weight, g, square, rate, gain, epsilon, inner, most):
    """Gradients over the root of the mean of their squares (Tieleman and Hinton, 2012).

    `inner`: added under the root, as `epsilon` is to it; `most`: the bound of new weights.
    """
    square = square + gain * (g * g - square)
    return bounded(weight - rate * g / (math.sqrt(square + inner) + epsilon), most), square


@of_gradient(used)
def rmsprop_momentum(weight, g, square, velocity, rate, gain, epsilon, momentum, most):
    """`rmsprop` with a velocity."""
    square = square + gain * (g * g - square)
    velocity = momentum * velocity + g / (math.sqrt(square) + epsilon)
    return bounded(weight - rate * velocity, most), square, velocity


@of_gradient(kept)
def rmsprop_centered(
    weight, g, square, velocity, mean, rate, gain, epsilon, inner, momentum, fresh, most
):
    """`rmsprop` by the variance, squares less the mean's (Graves, 2013)."""
    square = square + gain * (g * g - square)
    mean = mean + gain * (g - mean)
    variance = square - mean * mean
    velocity = momentum * velocity + fresh * g / (math.sqrt(variance + inner) + epsilon)
    return bounded(weight - rate * velocity, most), square, velocity, mean


@of_gradient(used)
def adadelta(weight, g, square, change, rate, gain, epsilon):
    """Steps in the weights' own unit: by the squares of former steps (Zeiler, 2012)."""
    square = square + gain * (g * g - square)
    step = math.sqrt(change + epsilon) / math.sqrt(square + epsilon) * g
    return weight - rate * step, square, change + gain * (step * step - change)


@op(certify=False)
def ftrl(weight, grad, pull, total, rate, decay, scale, bound, lasso, beta):
    """Follow the regularised leader: weights of 0 stay 0 (McMahan et al., 2013)."""
    g = bounded(grad * scale, bound)
    old, total = math.sqrt(total), total + g * g
    new = math.sqrt(total)
    pull = pull + g - (new - old) / rate * weight
    if abs(pull) <= lasso:
        return 0.0 * weight, pull, total
    return (sign(pull) * lasso - pull) / ((beta + new) / rate + decay), pull, total


# moments ----------------------------------------------------------------------------------------


@of_gradient(kept)
def adam(weight, g, mean, square, rate, gain1, gain2, epsilon, root, shrink):
    """The mean of gradients divided by the root of the mean of squares (Kingma and Ba, 2015).

    `rate` and `root` carry the corrections of means that began with 0; `shrink` is the factor of
    the weight by decoupled decay (Loshchilov and Hutter, 2019).
    """
    mean = mean + gain1 * (g - mean)
    square = square + gain2 * (g * g - square)
    return shrink * weight - rate * mean / (math.sqrt(square) * root + epsilon), mean, square


@of_gradient(used)
def amsgrad(weight, g, mean, square, largest, rate, gain1, gain2, epsilon, root, shrink):
    """`adam` by the largest mean of squares so far (Reddi, Kale and Kumar, 2018)."""
    mean = mean + gain1 * (g - mean)
    square = square + gain2 * (g * g - square)
    largest = largest if largest > square else square
    step = rate * mean / (math.sqrt(largest) * root + epsilon)
    return shrink * weight - step, mean, square, largest


@of_gradient(used)
def adamax(weight, g, mean, most, rate, gain1, beta2, epsilon):
    """`adam` by a fading maximum of magnitudes (Kingma and Ba, 2015, section 7)."""
    mean = mean + gain1 * (g - mean)
    size, faded = abs(g) + epsilon, beta2 * most
    most = size if size > faded else faded
    return weight - rate * mean / most, mean, most


@of_gradient(used)
def adabelief(weight, g, mean, square, rate, gain1, gain2, epsilon, root, shrink):
    """`adam` by how far gradients are from their mean (Zhuang et al., 2020)."""
    mean = mean + gain1 * (g - mean)
    off = g - mean
    square = square + gain2 * (off * off - square) + epsilon
    return shrink * weight - rate * mean / (math.sqrt(square) * root + epsilon), mean, square


@of_gradient(used)
def radam(weight, g, mean, square, rate, gain1, gain2, epsilon, rectified):
    """`adam` whose first steps, while the mean of squares is unsure, are plain (Liu et al., 2020).

    `rectified` is the factor of the later ones, 0 as long as they have not begun.
    """
    mean = mean + gain1 * (g - mean)
    square = square + gain2 * (g * g - square)
    over = rectified / (math.sqrt(square) + epsilon) if rectified > 0 else 1.0
    return weight - rate * mean * over, mean, square


@of_gradient(kept)
def ftml(weight, g, slope, square, pull, rate, beta1, gain1, gain2, epsilon, root):
    """Follow the moving leader: recent gradients count more (Zheng and Kwok, 2017).

    `rate` and `root` carry the corrections of means that began with 0.
    """
    square = square + gain2 * (g * g - square)
    steep = (math.sqrt(square) * root + epsilon) / rate
    pull = pull + gain1 * (g - pull) - (steep - beta1 * slope) * weight
    return -pull / steep, steep, square, pull


def lamb_step(weight, mean, square, decay, first, root, epsilon):
    """The direction of `lamb`: that of `adam` with decoupled decay."""
    return mean * first / (math.sqrt(square) * root + epsilon) + decay * weight


def trusted(weight, step, size, change, rate, low, high):
    """A step at a rate of each layer's own: of weights' norm, between bounds, to the step's."""
    size = low if size < low else size
    size = high if size > high else size
    trust = size / change if size > 0 and change > 0 else 1.0
    return weight - rate * trust * step


@op(certify=False)
def lamb_direction(
    weight, grad, mean, square, decay, scale, bound, gain1, gain2, epsilon, first, root
):
    """The step of `lamb` before its rate, and new moments."""
    g = bounded(grad * scale, bound)
    mean = mean + gain1 * (g - mean)
    square = square + gain2 * (g * g - square)
    return lamb_step(weight, mean, square, decay, first, root, epsilon), mean, square


@op(certify=False)
def lamb_moments(
    weight, grad, mean, square, decay, scale, bound, gain1, gain2, epsilon, first, root
):
    """New moments, and terms of the squared norms that `lamb` compares."""
    step, mean, square = lamb_direction(
        weight, grad, mean, square, decay, scale, bound, gain1, gain2, epsilon, first, root
    )
    return mean, square, weight * weight, step * step


@op(certify=False)
def lamb(weight, mean, square, own, change, rate, decay, epsilon, first, root, low, high):
    """`adam` at a rate of each layer's own: of weights' norm to the step's (You et al., 2020).

    `own`, `change`: squared norms of weights and steps; `low`, `high`: bounds of the first norm.
    """
    step = lamb_step(weight, mean, square, decay, first, root, epsilon)
    return trusted(weight, step, math.sqrt(own), math.sqrt(change), rate, low, high)


@op(certify=False)
def lamb_layer(weight, step, size, change, rate, low, high):
    """The step of `lamb` from its direction, by the norms of weights and direction."""
    return trusted(weight, step, size, change, rate, low, high)


# means of weights -------------------------------------------------------------------------------


@op(certify=False)
def averaged(mean, weight, gain):
    """An exponentially fading mean."""
    return mean + gain * (weight - mean)


# variants of a rule ------------------------------------------------------------------------------

GO = "go"


class Variant(Derived):
    """A rule whose first outputs are new values of the operands `kept`.

    `guarded`: a further operand `go`; where it is false, those outputs are the old values.
    `doubled`: the first output is repeated, the first copy for an array of lower precision.
    """

    def __init__(
        self, parent: Scalar, kept: Sequence[str], *, guarded: bool, doubled: bool
    ) -> None:
        marks = [mark for mark, holds in (("guarded", guarded), ("doubled", doubled)) if holds]
        super().__init__(parent, "_".join([parent.name, *marks]))
        self.kept, self.guarded, self.doubled = tuple(kept), guarded, doubled
        if guarded:
            self.operands = (*parent.operands, GO)

    def make(self, kinds: Sequence[str], parameters: Mapping[str, Any]) -> Captured:
        """Return the rule's graph with other outputs."""
        captured = self.parent.capture(kinds[: len(self.parent.operands)], parameters)
        operands, outputs = list(captured.operands), list(captured.outputs)
        if self.guarded:
            go = captured.graph.argument(GO, kinds[-1])
            operands.append(go)
            outputs[: len(self.kept)] = self._guard(captured, go)
        if self.doubled:
            outputs.insert(0, outputs[0])
        return Captured(captured.graph, tuple(operands), captured.parameters, tuple(outputs))

    def _guard(self, captured: Captured, go: Node) -> list[Node]:
        leaves = {str(leaf.data): leaf for leaf in captured.operands}
        truth = captured.graph.truth(go)
        return [
            captured.graph.select(truth, new, leaves[name])
            for name, new in zip(self.kept, captured.outputs, strict=False)
        ]


@lru_cache(maxsize=256)
def variant(rule: Mapper, kept: tuple[str, ...], *, guarded: bool, doubled: bool) -> Mapper:
    """Return the rule itself, or a variant of it.

    >>> keeps = variant(averaged, ("mean",), guarded=True, doubled=False)
    >>> keeps([1.0, 1.0], [3.0, 3.0], 0.5, [True, False])
    array([2., 1.])
    """
    if not guarded and not doubled:
        return rule
    scalar = Variant(rule.scalar, kept, guarded=guarded, doubled=doubled)
    return Mapper(scalar, certify=False)
