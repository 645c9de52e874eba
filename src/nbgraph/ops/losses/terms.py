"""Terms of losses per element, as scalar functions: `table` and `likelihoods` reduce them.

NaN stays NaN. At a kink the slope is that of the side named in each text.
"""

from nbgraph.operator.declared import define_scalars

_TABLE = """
l1_term(prediction, target): abs(prediction - target).
    >>> l1_term([1.0, -2.0], 0.0)
    array([1., 2.])
    = abs(prediction - target)
l2_term(prediction, target): (prediction - target)**2 / 2.
    >>> l2_term([1.0, -2.0], 0.0)
    array([0.5, 2. ])
    = 0.5 * (prediction - target) ** 2
binary_logits_term(x, target, *, positive=1.0): `binary_term` of sigmoid(x), without overflow;
    `positive` is the weight of positive targets.
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
unlikelihood_term(x): -log(1 - e**-x), for the cross entropy x of a label that should be unlikely.
    >>> unlikelihood_term([0.6931471805599453])
    array([0.69314718])
    = -math.log(-math.expm1(-x))
smooth_l1(x, *, sigma=1.0): (sigma * x)**2 / 2 where abs(x) is below 1 / sigma**2, else abs(x) - 1 /
    (2 * sigma**2).

    The robust loss of Fast R-CNN (Girshick, 2015) of a difference x; `smooth_l1_loss` takes
    predictions and targets, and reduces.
    >>> smooth_l1([0.5, -3.0])
    array([0.125, 2.5  ])
    >>> smooth_l1([0.5, -3.0], sigma=2.0)
    array([0.375, 2.875])
    = (abs(x) - 0.5 * (1 / (sigma * sigma)) if abs(x) > 1 / (sigma * sigma)
        else 0.5 * sigma * sigma * x * x)
smooth_l1_term(prediction, target, *, beta=1.0): d**2 / (2 * beta) where the distance d is below
    beta, else d - beta / 2.
    >>> smooth_l1_term([0.5, -3.0], 0.0)
    array([0.125, 2.5  ])
    = (0.5 * abs(prediction - target) ** 2 / beta if abs(prediction - target) < beta
        else abs(prediction - target) - 0.5 * beta)
huber_term(prediction, target, *, delta=1.0): d**2 / 2 where the distance d is below delta, else
    delta * (d - delta / 2).
    >>> huber_term([1.0, -3.0], 0.0, delta=2.0)
    array([0.5, 4. ])
    = (0.5 * abs(prediction - target) ** 2 if abs(prediction - target) < delta
        else delta * (abs(prediction - target) - 0.5 * delta))
hinge_term(prediction, target, *, margin=1.0): margin - prediction * target where that is positive,
    else 0. Its slope at the kink is 0.
    >>> hinge_term([0.5, -2.0], [1, -1])
    array([0.5, 0. ])
    = 0 if margin - prediction * target <= 0 else margin - prediction * target
squared_hinge_term(prediction, target, *, margin=1.0): The square of `hinge_term`.
    >>> squared_hinge_term([0.5, -2.0], [1, -1])
    array([0.25, 0.  ])
    = (0 if margin - prediction * target <= 0
        else (margin - prediction * target) * (margin - prediction * target))
cosine_term(cosine, target, *, margin=0.0): 1 - cosine where target is positive, else cosine -
    margin, or 0 if that is less.
    >>> cosine_term([0.5, 0.5, -0.5], [1, -1, -1])
    array([0.5, 0.5, 0. ])
    = 1 - cosine if target > 0 else (0 if cosine - margin <= 0 else cosine - margin)
binary_term(probability, target): -target * log(probability) - (1 - target) * log(1 - probability),
    where 0 * log(0) is 0.
    >>> binary_term([0.5, 1.0], 1.0)
    array([0.69314718, 0.        ])
    = ((-math.log(probability) * target if target != 0 else 0.0)
        + (-math.log1p(-probability) * (1 - target) if target != 1 else 0.0))
focal_term(x, target, *, gamma=2.0, positive=1.0, negative=1.0): (1 - p)**gamma * -log(p), p the
    probability that sigmoid(x) gives to the target; times `positive` where target is 1, `negative`
    where it is 0.
    >>> focal_term([0.0], [1.0], gamma=1.0) * 2
    array([0.69314718])
    = ((positive * target + negative * (1 - target))
        * (special.sigmoid(x) * (1 - target) + (1 - special.sigmoid(x)) * target) ** gamma
        * (special.softplus(x) - x * target))
"""
define_scalars(_TABLE, globals())
