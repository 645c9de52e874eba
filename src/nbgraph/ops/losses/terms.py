"""What an element adds to a loss, as scalar functions: `losses` and `likelihoods` reduce them.

NaN stays NaN. At a kink the slope is that of the side named in each text.
"""

import math

from nbgraph.kernels.capture import special
from nbgraph.operator.declared import define_scalars
from nbgraph.operator.decorator import op
from nbgraph.operator.registry import register

_TABLE = """
l1_term(prediction, target): abs(prediction - target).
    >>> l1_term([1.0, -2.0], 0.0)
    array([1., 2.])
    = abs(prediction - target)
l2_term(prediction, target): (prediction - target)**2 / 2.
    >>> l2_term([1.0, -2.0], 0.0)
    array([0.5, 2. ])
    = 0.5 * (prediction - target) ** 2
binary_logits_term(x, target, *, positive=1.0): `binary_term` of sigmoid(x), without overflow; what
    is there counts `positive`.
    >>> binary_logits_term([0.0, 1000.0], [1.0, 0.0])
    array([6.93147181e-01, 1.00000000e+03])
    = (1 - target) * x + (1 + (positive - 1) * target) * special.softplus(-x)
logistic_term(prediction, target): log(1 + e**(-prediction * target)), without overflow.
    >>> logistic_term([0.0, 1000.0], [1, -1])
    array([6.93147181e-01, 1.00000000e+03])
    = special.softplus(-prediction * target)
divergence_term(x, target): target * (log(target) - x), where 0 * log(0) is 0.
    >>> divergence_term([-0.5, -1.0], [1.0, 0.0])
    array([0.5, 0. ])
    = target * (math.log(target) - x) if target != 0 else 0.0
log_divergence_term(x, target): e**target * (target - x): `divergence_term` of a target's logarithm.
    >>> log_divergence_term([-0.5], [0.0])
    array([0.5])
    = math.exp(target) * (target - x)
unlikelihood_term(x): -log(1 - e**-x), for the loss x of what was not to be said.
    >>> unlikelihood_term([0.6931471805599453])
    array([0.69314718])
    = -math.log(-math.expm1(-x))
"""
define_scalars(_TABLE, globals())


@register
@op
def smooth_l1(x, *, sigma=1.0):
    """(sigma * x)**2 / 2 where abs(x) is below 1 / sigma**2, else abs(x) - 1 / (2 * sigma**2).

    The robust loss of Fast R-CNN (Girshick, 2015) of a difference x; `smooth_l1_loss` takes
    predictions and targets, and reduces.

    >>> smooth_l1([0.5, -3.0])
    array([0.125, 2.5  ])
    >>> smooth_l1([0.5, -3.0], sigma=2.0)
    array([0.375, 2.875])
    """
    bound = 1 / (sigma * sigma)
    distance = abs(x)
    return distance - 0.5 * bound if distance > bound else 0.5 * sigma * sigma * x * x


@register
@op
def smooth_l1_term(prediction, target, *, beta=1.0):
    """d**2 / (2 * beta) where the distance d is below beta, else d - beta / 2.

    >>> smooth_l1_term([0.5, -3.0], 0.0)
    array([0.125, 2.5  ])
    """
    distance = abs(prediction - target)
    return 0.5 * distance**2 / beta if distance < beta else distance - 0.5 * beta


@register
@op
def huber_term(prediction, target, *, delta=1.0):
    """d**2 / 2 where the distance d is below delta, else delta * (d - delta / 2).

    >>> huber_term([1.0, -3.0], 0.0, delta=2.0)
    array([0.5, 4. ])
    """
    distance = abs(prediction - target)
    return 0.5 * distance**2 if distance < delta else delta * (distance - 0.5 * delta)


@register
@op
def hinge_term(prediction, target, *, margin=1.0):
    """margin - prediction * target where that is positive, else 0. Its slope at the kink is 0.

    >>> hinge_term([0.5, -2.0], [1, -1])
    array([0.5, 0. ])
    """
    short = margin - prediction * target
    return 0 if short <= 0 else short


@register
@op
def squared_hinge_term(prediction, target, *, margin=1.0):
    """The square of `hinge_term`.

    >>> squared_hinge_term([0.5, -2.0], [1, -1])
    array([0.25, 0.  ])
    """
    short = margin - prediction * target
    return 0 if short <= 0 else short * short


@register
@op
def cosine_term(cosine, target, *, margin=0.0):
    """1 - cosine where target is positive, else cosine - margin, or 0 if that is less.

    >>> cosine_term([0.5, 0.5, -0.5], [1, -1, -1])
    array([0.5, 0.5, 0. ])
    """
    far = cosine - margin
    return 1 - cosine if target > 0 else (0 if far <= 0 else far)


@register
@op
def binary_term(probability, target):
    """-target * log(probability) - (1 - target) * log(1 - probability), where 0 * log(0) is 0.

    >>> binary_term([0.5, 1.0], 1.0)
    array([0.69314718, 0.        ])
    """
    there = -math.log(probability) * target if target != 0 else 0.0
    absent = -math.log1p(-probability) * (1 - target) if target != 1 else 0.0
    return there + absent


@register
@op
def focal_term(x, target, *, gamma=2.0, positive=1.0, negative=1.0):
    """(1 - p)**gamma * -log(p), p the probability that sigmoid(x) gives to the target.

    Times `positive` where target is 1, `negative` where it is 0.

    >>> focal_term([0.0], [1.0], gamma=1.0) * 2
    array([0.69314718])
    """
    p = special.sigmoid(x)
    wrong = p * (1 - target) + (1 - p) * target
    share = positive * target + negative * (1 - target)
    return share * wrong**gamma * (special.softplus(x) - x * target)
