"""Update rules as scalar functions: from a weight, its gradient and its states to new ones.

The names of the operands say what is wanted, and `optim.Optimizer` gives it: `weight`, `grad`,
states by their own names, all else numbers of the step. Results are the new weight, then the new
states in the order of their names. They run in place, one kernel for each parameter.

Means take in a part `gain` of what is new: 1 - beta, worked out in float64, as the difference of
1 and 0.999 has few digits in float32.

>>> import numpy as np
>>> w, g = np.float32([1.0, 2.0]), np.float32([1.0, -1.0])
>>> sgd(w, g, 0.5, 0.0, 1.0, float("inf"))  # rate, decay, scale, bound
array([0.5, 2.5], dtype=float32)
"""

from __future__ import annotations

import math
from typing import Any

from nbgraph.operator.mapper.decorator import op

# Scalar bodies: operands are named, not typed.


def bounded(x: Any, bound: Any) -> Any:
    """`x` between -bound and bound; NaN stays."""
    if x > bound:
        return bound
    if x < -bound:
        return -bound
    return x


def used(grad: Any, weight: Any, scale: Any, bound: Any, decay: Any) -> Any:
    """The gradient that a rule sees: scaled, clipped, the penalty's slope added."""
    return bounded(grad * scale, bound) + decay * weight


def kept(grad: Any, weight: Any, scale: Any, bound: Any, decay: Any, after: Any) -> Any:
    """`used`, clipped once more with the penalty in it, as MXNet does it for some rules."""
    return bounded(used(grad, weight, scale, bound, decay), after)


def sign(x: Any) -> Any:
    """-1, 0 or 1; NaN stays."""
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


@op(certify=False)
def signum(weight, grad, velocity, rate, decay, scale, bound, gain, shrink):
    """Steps of one size, along the sign of the velocity (Bernstein et al., 2018)."""
    g = used(grad, weight, scale, bound, decay)
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


@op(certify=False)
def adagrad(weight, grad, total, rate, decay, scale, bound, epsilon):
    """Rates fall with the squares seen so far (Duchi, Hazan and Singer, 2011)."""
    g = used(grad, weight, scale, bound, decay)
    total = total + g * g
    return weight - rate * g / (math.sqrt(total) + epsilon), total


@op(certify=False)
def rmsprop(weight, grad, square, rate, decay, scale, bound, after, gain, epsilon, inner, most):
    """Gradients over the root of the mean of their squares (Tieleman and Hinton, 2012).

    `inner`: added under the root, as `epsilon` is to it; `most`: the bound of new weights.
    """
    g = kept(grad, weight, scale, bound, decay, after)
    square = square + gain * (g * g - square)
    return bounded(weight - rate * g / (math.sqrt(square + inner) + epsilon), most), square


@op(certify=False)
def rmsprop_momentum(
    weight, grad, square, velocity, rate, decay, scale, bound, gain, epsilon, momentum, most
):
    """`rmsprop` with a velocity."""
    g = used(grad, weight, scale, bound, decay)
    square = square + gain * (g * g - square)
    velocity = momentum * velocity + g / (math.sqrt(square) + epsilon)
    return bounded(weight - rate * velocity, most), square, velocity


@op(certify=False)
def rmsprop_centered(
    weight,
    grad,
    square,
    velocity,
    mean,
    rate,
    decay,
    scale,
    bound,
    after,
    gain,
    epsilon,
    inner,
    momentum,
    fresh,
    most,
):
    """`rmsprop` by the variance, squares less the mean's (Graves, 2013)."""
    g = kept(grad, weight, scale, bound, decay, after)
    square = square + gain * (g * g - square)
    mean = mean + gain * (g - mean)
    variance = square - mean * mean
    velocity = momentum * velocity + fresh * g / (math.sqrt(variance + inner) + epsilon)
    return bounded(weight - rate * velocity, most), square, velocity, mean


@op(certify=False)
def adadelta(weight, grad, square, change, rate, decay, scale, bound, gain, epsilon):
    """Steps in the weights' own unit: by the squares of former steps (Zeiler, 2012)."""
    g = used(grad, weight, scale, bound, decay)
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


@op(certify=False)
def adam(
    weight,
    grad,
    mean,
    square,
    rate,
    decay,
    scale,
    bound,
    after,
    gain1,
    gain2,
    epsilon,
    root,
    shrink,
):
    """The mean of gradients over the root of that of squares (Kingma and Ba, 2015).

    `rate` and `root` carry the corrections of means that began with 0; `shrink` is what decoupled
    decay leaves of the weight (Loshchilov and Hutter, 2019).
    """
    g = kept(grad, weight, scale, bound, decay, after)
    mean = mean + gain1 * (g - mean)
    square = square + gain2 * (g * g - square)
    return shrink * weight - rate * mean / (math.sqrt(square) * root + epsilon), mean, square


@op(certify=False)
def amsgrad(
    weight,
    grad,
    mean,
    square,
    largest,
    rate,
    decay,
    scale,
    bound,
    gain1,
    gain2,
    epsilon,
    root,
    shrink,
):
    """`adam` by the largest mean of squares so far (Reddi, Kale and Kumar, 2018)."""
    g = used(grad, weight, scale, bound, decay)
    mean = mean + gain1 * (g - mean)
    square = square + gain2 * (g * g - square)
    largest = largest if largest > square else square
    step = rate * mean / (math.sqrt(largest) * root + epsilon)
    return shrink * weight - step, mean, square, largest


@op(certify=False)
def adamax(weight, grad, mean, most, rate, decay, scale, bound, gain1, beta2, epsilon):
    """`adam` by a fading maximum of magnitudes (Kingma and Ba, 2015, section 7)."""
    g = used(grad, weight, scale, bound, decay)
    mean = mean + gain1 * (g - mean)
    size, faded = abs(g) + epsilon, beta2 * most
    most = size if size > faded else faded
    return weight - rate * mean / most, mean, most


@op(certify=False)
def adabelief(
    weight, grad, mean, square, rate, decay, scale, bound, gain1, gain2, epsilon, root, shrink
):
    """`adam` by how far gradients are from their mean (Zhuang et al., 2020)."""
    g = used(grad, weight, scale, bound, decay)
    mean = mean + gain1 * (g - mean)
    off = g - mean
    square = square + gain2 * (off * off - square) + epsilon
    return shrink * weight - rate * mean / (math.sqrt(square) * root + epsilon), mean, square


@op(certify=False)
def radam(weight, grad, mean, square, rate, decay, scale, bound, gain1, gain2, epsilon, rectified):
    """`adam` whose first steps, while the mean of squares is unsure, are plain (Liu et al., 2020).

    `rectified` is the factor of the later ones, 0 as long as they have not begun.
    """
    g = used(grad, weight, scale, bound, decay)
    mean = mean + gain1 * (g - mean)
    square = square + gain2 * (g * g - square)
    over = rectified / (math.sqrt(square) + epsilon) if rectified > 0 else 1.0
    return weight - rate * mean * over, mean, square


@op(certify=False)
def ftml(
    weight,
    grad,
    slope,
    square,
    pull,
    rate,
    decay,
    scale,
    bound,
    after,
    beta1,
    gain1,
    gain2,
    epsilon,
    root,
):
    """Follow the moving leader: recent gradients count more (Zheng and Kwok, 2017).

    `rate` and `root` carry the corrections of means that began with 0.
    """
    g = kept(grad, weight, scale, bound, decay, after)
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
