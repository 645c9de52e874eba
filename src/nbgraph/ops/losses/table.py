"""Losses of predictions against targets, by PyTorch's names: a table of scalar functions.

A row is the loss of an element; `weight` and `reduction` are the same for all. Predictions and
targets have one shape, or are numbers: (n, 1) with (n,) is an error instead of n by n losses.
`weight` multiplies before the reduction, and broadcasts; a mean is over elements, whatever their
weights. In a graph, function and reduction are one loop.
"""

import itertools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from nbgraph.operator.declared import DOCS, Row, parse
from nbgraph.ops.define import define_rows, library, not_negative, number
from nbgraph.ops.elementwise.activation import log_sigmoid
from nbgraph.ops.elementwise.arithmetic import add, multiply, subtract
from nbgraph.ops.elementwise.comparison import maximum
from nbgraph.ops.losses import terms
from nbgraph.ops.losses.operands import floats_like, reduced, require_rows, require_same_shape

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
    beta : number from 0; with sigma of Fast R-CNN it is 1 / sigma**2; 0 makes the loss `l1_loss`
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
binary_cross_entropy_with_logits(x, target, *, positive_weight=1.0): `binary_cross_entropy` of
    sigmoid(x), without overflow.
    x : array of logits
    target : array of that shape, 0 to 1
    positive_weight : weight of the target's part: a number, or an array that broadcasts, such as
        one number a class
    >>> binary_cross_entropy_with_logits([0.0, 1000.0], [1.0, 0.0], reduction="none")
    array([6.93147181e-01, 1.00000000e+03])
    = of_logits(x, target, positive_weight)
focal_loss(x, target, *, alpha: float | None = 0.25, gamma: float = 2.0):
    `binary_cross_entropy_with_logits`, with less weight on elements that are nearly right (Lin et
    al., Focal loss for dense object detection, 2017).
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
cosine_embedding_loss(a, b, target, *, margin: float = 0.0, axis: int = -1): 1 - cosine of the angle
    of a and b where target is 1; its surplus over `margin` where -1.
    a, b : arrays (..., n, ...) of one shape, n along `axis`
    target : array of the shape of a without `axis`, 1 or -1
    margin : number
    axis : int
    -> number, or with "none" a loss for each pair
    >>> cosine_embedding_loss([[1.0, 0.0], [1.0, 0.0]], [[0.0, 2.0], [3.0, 0.0]], [1, -1])
    np.float64(1.0)
    = cosines(a, b, target, number("cosine_embedding_loss", "margin", margin), axis)
triplet_margin_loss(anchor, positive, negative, *, margin: float = 1.0, p: float = 2,
    axis: int = -1): By how much the anchor is not nearer to the positive than to the negative, by
    `margin` (Schroff, Kalenichenko and Philbin, 2015).
    anchor, positive, negative : arrays of one shape, vectors along `axis`
    margin : number from 0
    p : number: distances are `p`-norms
    axis : int
    -> number, or with "none" a loss for each vector
    >>> triplet_margin_loss([[0.0, 0.0]], [[3.0, 4.0]], [[6.0, 0.0]])
    np.float64(0.0)
    = triplets(anchor, positive, negative, number("triplet_margin_loss", "margin", margin), p, axis)
"""
_DOCS = {
    **DOCS,
    "prediction": "array, or a number; integers become floats with floats",
    "target": "array of that shape, or a number",
    "weight": "array or number, optional: a factor of each loss, broadcast",
    "reduction": '"mean" over all elements (weights do not count in it), "sum", or "none"',
}
_RESULT = '-> number (an array without axes), or with "none" an array of that shape\n'
_RAISED = "! ShapeError where the shapes are not equal, ArgumentError for another reduction.\n"


def smooth(prediction: Any, target: Any, beta: float) -> Any:
    """Return the terms of `smooth_l1_loss`, or of `l1_loss` for beta 0."""
    if not beta:
        return terms.l1_term(prediction, target)
    return terms.smooth_l1_term(prediction, target, beta=beta)


def focal(x: Any, target: Any, alpha: float | None, gamma: float) -> Any:
    """Return the terms of `focal_loss`."""
    shares = 1.0, 1.0
    if alpha is not None:
        alpha = float(number("focal_loss", "alpha", alpha))
        shares = alpha, 1 - alpha
    return terms.focal_term(x, target, gamma=gamma, positive=shares[0], negative=shares[1])


def of_logits(x: Any, target: Any, positive_weight: Any) -> Any:
    """Return the terms of `binary_cross_entropy_with_logits`."""
    if isinstance(positive_weight, (bool, int, float, str, np.generic)):
        name = "binary_cross_entropy_with_logits"
        positive = not_negative(name, "positive_weight", positive_weight)
        return terms.binary_logits_term(x, target, positive=positive)
    counts = add(multiply(subtract(positive_weight, 1), target), 1)
    return subtract(multiply(subtract(1, target), x), multiply(counts, log_sigmoid(x)))


def cosines(a: Any, b: Any, target: Any, margin: float, axis: int) -> Any:
    """Return the terms of `cosine_embedding_loss`."""
    require_rows("cosine_embedding_loss", "target", target, "a", a, axis)
    cosine = library.cosine_similarity(a, b, axis)
    return terms.cosine_term(cosine, target, margin=float(margin))


def triplets(anchor: Any, positive: Any, negative: Any, margin: float, p: float, axis: int) -> Any:
    """Return the terms of `triplet_margin_loss`."""
    others = (subtract(anchor, x) for x in (positive, negative))
    near, far = (library.vector_norm(x, axis=axis, ord=p) for x in others)
    return maximum(subtract(near, subtract(far, float(margin))), 0)


def loss(
    name: str, operands: Mapping[str, Any], term: Callable[..., Any], reduction: str, weight: Any
) -> Any:
    """Return the reduced loss of terms of these operands. All must have one shape; in
    `cosine_embedding_loss` only the first two."""
    count = 2 if name == "cosine_embedding_loss" else None
    require_same_shape(name, dict(itertools.islice(operands.items(), count)))
    scores = next(iter(operands.values()))
    values = [floats_like(scores, value) for value in operands.values()]
    return reduced(name, term(*values), reduction, weight)


def _declared(row: Row) -> Row:
    """Return the row with the parameters of all losses."""
    arrays, _, options = row.parameters.partition(", *, ")
    own = f"{arrays}, *, {options}, " if options else f"{arrays}, *, "
    doc, example, code = row.doc.partition(">>> ")
    result = _RAISED if "\n-> " in doc else _RESULT + _RAISED
    operands = ", ".join(f'"{x}": {x}' for x in arrays.split(", "))
    return row._replace(
        parameters=f'{own}weight=None, reduction: str = "mean"',
        call=f'loss("{row.name}", {{{operands}}}, lambda {arrays}: {row.call}, reduction, weight)',
        doc=f"{doc.rstrip()}\n{result}{example}{code}",
    )


_ROWS = [_declared(row) for row in parse(_TABLE)]
_OPERANDS = "prediction target probability x a b anchor positive negative".split()
define_rows(_ROWS, globals(), _OPERANDS, [row.name for row in _ROWS], _DOCS)
