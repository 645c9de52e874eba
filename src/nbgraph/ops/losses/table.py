"""Losses of predictions against targets, element by element: a table of scalar functions.

A row is the loss of an element; `weight` and `reduction` are the same for all.
"""

from __future__ import annotations

from typing import Any

from nbgraph.operator.declared import DOCS, Row, define, parse
from nbgraph.ops.define import not_negative as not_negative
from nbgraph.ops.define import number as number
from nbgraph.ops.losses import terms as terms
from nbgraph.ops.losses.losses import loss
from nbgraph.ops.losses.losses import reduced as reduced

_TABLE = """
l1_loss(prediction, target): abs(prediction - target).
    >>> l1_loss([1.0, 4.0], [0.0, 0.0])
    np.float64(2.5)
    = terms.l1_term(prediction, target)
l2_loss(prediction, target): (prediction - target)**2 / 2, so that its slope is the difference.
    >>> l2_loss([1.0, 2.0], [0.0, 0.0], reduction="none")
    array([0.5, 2. ])
    = terms.l2_term(prediction, target)
smooth_l1_loss(prediction, target, *, beta: float = 1.0): d**2 / (2 * beta) where the distance d is
    below `beta`, else d - beta / 2 (Girshick, Fast R-CNN, 2015).

    It has slope +-1 beyond; `huber_loss` has slope +-delta.
    beta : number from 0; with sigma of Fast R-CNN it is 1 / sigma**2, and 0 makes it `l1_loss`
    >>> smooth_l1_loss([0.5, -3.0], [0.0, 0.0], reduction="none")
    array([0.125, 2.5  ])
    = smooth(prediction, target, not_negative("smooth_l1_loss", "beta", beta))
huber_loss(prediction, target, *, delta: float = 1.0): d**2 / 2 where the distance d is below
    `delta`, else delta * (d - delta / 2) (Huber, 1964).
    delta : number from 0
    >>> huber_loss([1.0, -3.0], [0.0, 0.0], delta=2.0, reduction="none")
    array([0.5, 4. ])
    = terms.huber_term(prediction, target, delta=not_negative("huber_loss", "delta", delta))
hinge_loss(prediction, target, *, margin: float = 1.0): margin - prediction * target where that is
    positive, else 0; targets are -1 and 1.
    margin : number from 0
    >>> hinge_loss([0.5, -2.0], [1, -1], reduction="none")
    array([0.5, 0. ])
    = terms.hinge_term(prediction, target, margin=float(number("hinge_loss", "margin", margin)))
squared_hinge_loss(prediction, target, *, margin: float = 1.0): The square of `hinge_loss`, which
    has a slope everywhere.
    margin : number from 0
    >>> squared_hinge_loss([0.5, -2.0], [1, -1], reduction="none")
    array([0.25, 0.  ])
    = terms.squared_hinge_term(prediction, target, margin=float(number("squared_hinge_loss",
        "margin", margin)))
logistic_loss(prediction, target): log(1 + e**(-prediction * target)); targets are -1 and 1.
    >>> logistic_loss([0.0], [1])
    np.float64(0.6931471805599453)
    = terms.logistic_term(prediction, target)
binary_cross_entropy(probability, target): -target * log(probability) - (1 - target) * log(1 -
    probability).

    For logits there is `binary_cross_entropy_with_logits`, which loses no digits.
    probability : array, 0 to 1
    target : array of that shape, 0 to 1
    >>> binary_cross_entropy([0.5, 1.0], [1.0, 1.0], reduction="none")
    array([0.69314718, 0.        ])
    = terms.binary_term(probability, target)
focal_loss(x, target, *, alpha: float | None = 0.25, gamma: float = 2.0):
    `binary_cross_entropy_with_logits`, where what is nearly right counts less (Lin et al., Focal
    loss for dense object detection, 2017).
    x : array of logits
    target : array of that shape, 0 or 1
    gamma : float: losses are multiplied by (1 - p)**gamma, p the probability given to the target
    alpha : float or None: they are multiplied by this where target is 1, by 1 - alpha where it is 0
    >>> focal_loss([0.0], [1.0], alpha=None)  # log(2) / 4
    np.float64(0.17328679513998632)
    = focal(x, target, alpha, not_negative("focal_loss", "gamma", gamma))
kl_divergence(x, target, *, log_target: bool = False): target * (log(target) - x): its sum over a
    distribution is how far it is from the target (Kullback and Leibler, 1951).
    x : array of logarithms of probabilities
    target : array of that shape, of probabilities, with `log_target` of their logarithms
    reduction : "mean" is over elements; divide a "sum" by the number of samples for the mean
        distance
    >>> kl_divergence([-0.5, -1.0], [1.0, 0.0], reduction="sum")
    np.float64(0.5)
    = (terms.log_divergence_term if log_target else terms.divergence_term)(x, target)
"""
_DOCS = {
    **DOCS,
    "prediction": "array, or a number; integers become floats with floats",
    "target": "array of that shape, or a number",
    "weight": "array or number, optional: a factor of each loss, broadcast",
    "reduction": '"mean" over all elements (weights do not count in it), "sum", or "none"',
}
_RESULT = """
-> number (an array without axes), or with "none" an array of that shape
! ShapeError where the shapes are not equal, ArgumentError for another reduction.
"""


def smooth(prediction: Any, target: Any, beta: float) -> Any:
    """The terms of `smooth_l1_loss`, of `l1_loss` where beta is 0."""
    if not beta:
        return terms.l1_term(prediction, target)
    return terms.smooth_l1_term(prediction, target, beta=beta)


def focal(x: Any, target: Any, alpha: float | None, gamma: float) -> Any:
    """The terms of `focal_loss`."""
    shares = 1.0, 1.0
    if alpha is not None:
        alpha = float(number("focal_loss", "alpha", alpha))
        shares = alpha, 1 - alpha
    return terms.focal_term(x, target, gamma=gamma, positive=shares[0], negative=shares[1])


def _declared(row: Row) -> Row:
    """The row with the parameters of all losses."""
    own = row.parameters if "*" in row.parameters else f"{row.parameters}, *"
    doc, example, code = row.doc.partition(">>> ")
    return row._replace(
        parameters=f'{own}, weight=None, reduction: str = "mean"',
        call=f'reduced("{row.name}", {row.call}, reduction, weight)',
        doc=f"{doc.rstrip()}{_RESULT}{example}{code}",
    )


for _row in map(_declared, parse(_TABLE)):
    define([_row], globals(), docs=_DOCS)
    globals()[_row.name] = loss(*_row.parameters.split(", *")[0].split(", "))(globals()[_row.name])
