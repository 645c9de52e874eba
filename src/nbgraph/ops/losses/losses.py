"""Losses of predictions against targets, as PyTorch names them.

Each is a scalar function, applied to every element, and then `reduction`: "mean" (the default),
"sum" or "none". Predictions and targets have one shape, or are numbers: (n, 1) beside (n,) is an
error and no table of n by n. `weight` multiplies before that, and broadcasts; a mean is over
elements, whatever their weights. In a graph function and reduction are one loop.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from nbgraph.errors import ArgumentError
from nbgraph.ops.define import composed, deferrable, library
from nbgraph.ops.elementwise.arithmetic import divide, multiply, subtract
from nbgraph.ops.elementwise.comparison import maximum
from nbgraph.ops.losses.alike import require_alike, require_rows
from nbgraph.ops.losses.terms import (
    cosine_term,
    hinge_term,
    huber_term,
    l1_term,
    l2_term,
    smooth_l1_term,
    squared_hinge_term,
)
from nbgraph.ops.reductions.reductions import sum as total


def loss(*operands: str, alike: int | None = None) -> Callable[[Any], Any]:
    """Decorate a function of arrays of which the first `alike`, by default all, have one shape. On
    symbols without shapes it is composed, and they are compared, where these are known."""

    def decorate(function: Any) -> Any:
        name, count = function.__name__, len(operands) if alike is None else alike

        def call(*args: Any, **how: Any) -> Any:
            given = dict(zip(operands, args, strict=False))
            given |= {n: how[n] for n in operands if n in how}
            require_alike(name, {n: given[n] for n in operands[:count] if n in given})
            return function(*args, **how)

        functools.update_wrapper(call, function)
        # who looks behind decorators is to find this one: the shapes are part of the function
        setattr(call, "__signature__", inspect.signature(function))  # noqa: B010
        del call.__dict__["__wrapped__"]
        return composed(*operands)(deferrable()(call))

    return decorate


def reduced(name: str, loss: Any, reduction: str, weight: Any = None) -> Any:
    """Losses of elements as they are asked for."""
    if reduction not in ("mean", "sum", "none"):
        raise ArgumentError(f"{name}: reduction={reduction!r}; expected 'mean', 'sum' or 'none'")
    if weight is not None:
        loss = multiply(loss, weight)
    return loss if reduction == "none" else getattr(library, reduction)(loss)


def limited(name: str, argument: str, value: Any) -> float:
    """A number that is not negative, as a float."""
    if isinstance(value, (str, bool)) or not float(value) >= 0:
        raise ArgumentError(f"{name}: {argument}={value!r}; expected a number from 0 on")
    return float(value)


# distances --------------------------------------------------------------------------------------


@loss("prediction", "target")
def l1_loss(prediction: Any, target: Any, *, weight: Any = None, reduction: str = "mean") -> Any:
    """abs(prediction - target).

    Parameters
    ----------
    prediction, target : arrays of one shape, or a number; integers become floats with floats
    weight : array or number, optional: a factor of each loss, broadcast
    reduction : "mean" over all elements (weights do not count in it), "sum", or "none"

    Returns
    -------
    number (an array without axes), or with "none" an array of that shape

    Raises
    ------
    ShapeError where the shapes are not equal, ArgumentError for another reduction.

    >>> l1_loss([1.0, 4.0], [0.0, 0.0])
    np.float64(2.5)
    """
    return reduced("l1_loss", l1_term(prediction, target), reduction, weight)


@loss("prediction", "target")
def l2_loss(prediction: Any, target: Any, *, weight: Any = None, reduction: str = "mean") -> Any:
    """(prediction - target)**2 / 2, so that its slope is the difference.

    Parameters
    ----------
    prediction, target, weight, reduction : as those of `l1_loss`

    >>> l2_loss([1.0, 2.0], [0.0, 0.0], reduction="none")
    array([0.5, 2. ])
    """
    return reduced("l2_loss", l2_term(prediction, target), reduction, weight)


@loss("prediction", "target")
def smooth_l1_loss(
    prediction: Any,
    target: Any,
    *,
    beta: float = 1.0,
    weight: Any = None,
    reduction: str = "mean",
) -> Any:
    """d**2 / (2 * beta) where the distance d is below `beta`, else d - beta / 2 (Girshick, Fast
    R-CNN, 2015).

    Parameters
    ----------
    prediction, target, weight, reduction : as those of `l1_loss`
    beta : number from 0; with sigma of Fast R-CNN it is 1 / sigma**2, and 0 makes it `l1_loss`

    It has slope +-1 beyond; `huber_loss` has slope +-delta.

    >>> smooth_l1_loss([0.5, -3.0], [0.0, 0.0], reduction="none")
    array([0.125, 2.5  ])
    """
    beta = limited("smooth_l1_loss", "beta", beta)
    loss = smooth_l1_term(prediction, target, beta=beta) if beta else l1_term(prediction, target)
    return reduced("smooth_l1_loss", loss, reduction, weight)


@loss("prediction", "target")
def huber_loss(
    prediction: Any,
    target: Any,
    *,
    delta: float = 1.0,
    weight: Any = None,
    reduction: str = "mean",
) -> Any:
    """d**2 / 2 where the distance d is below `delta`, else delta * (d - delta / 2) (Huber, 1964).

    Parameters
    ----------
    prediction, target, weight, reduction : as those of `l1_loss`
    delta : number from 0

    >>> huber_loss([1.0, -3.0], [0.0, 0.0], delta=2.0, reduction="none")
    array([0.5, 4. ])
    """
    delta = limited("huber_loss", "delta", delta)
    return reduced("huber_loss", huber_term(prediction, target, delta=delta), reduction, weight)


# margins ----------------------------------------------------------------------------------------


@loss("prediction", "target")
def hinge_loss(
    prediction: Any,
    target: Any,
    *,
    margin: float = 1.0,
    weight: Any = None,
    reduction: str = "mean",
) -> Any:
    """margin - prediction * target where that is positive, else 0; targets are -1 and 1.

    Parameters
    ----------
    prediction, target, weight, reduction : as those of `l1_loss`
    margin : number from 0

    >>> hinge_loss([0.5, -2.0], [1, -1], reduction="none")
    array([0.5, 0. ])
    """
    loss = hinge_term(prediction, target, margin=float(margin))
    return reduced("hinge_loss", loss, reduction, weight)


@loss("prediction", "target")
def squared_hinge_loss(
    prediction: Any,
    target: Any,
    *,
    margin: float = 1.0,
    weight: Any = None,
    reduction: str = "mean",
) -> Any:
    """The square of `hinge_loss`, which has a slope everywhere.

    Parameters
    ----------
    prediction, target, weight, reduction : as those of `l1_loss`
    margin : number from 0

    >>> squared_hinge_loss([0.5, -2.0], [1, -1], reduction="none")
    array([0.25, 0.  ])
    """
    loss = squared_hinge_term(prediction, target, margin=float(margin))
    return reduced("squared_hinge_loss", loss, reduction, weight)


@loss("a", "b", "target", alike=2)
def cosine_embedding_loss(
    a: Any,
    b: Any,
    target: Any,
    *,
    margin: float = 0.0,
    axis: int = -1,
    weight: Any = None,
    reduction: str = "mean",
) -> Any:
    """1 - cosine of the angle of a and b where target is 1; its surplus over `margin` where -1.

    Parameters
    ----------
    a, b : arrays (..., n, ...) of one shape, n along `axis`
    target : array of the shape of a without `axis`, 1 or -1
    margin : number
    weight, reduction : as those of `l1_loss`, for one loss a pair

    >>> cosine_embedding_loss([[1.0, 0.0], [1.0, 0.0]], [[0.0, 2.0], [3.0, 0.0]], [1, -1])
    np.float64(1.0)
    """
    require_rows("cosine_embedding_loss", "target", target, "a", a, axis)
    cosine = cosine_similarity(a, b, axis)
    loss = cosine_term(cosine, target, margin=float(margin))
    return reduced("cosine_embedding_loss", loss, reduction, weight)


@composed("a", "b")
def cosine_similarity(a: Any, b: Any, axis: int = -1, *, eps: float = 1e-8) -> Any:
    """The cosine of the angle between a and b along an axis; norms count `eps` at least.

    Parameters
    ----------
    a, b : arrays that broadcast
    axis : int
    eps : float

    Returns
    -------
    array of the broadcast shape without `axis`, from -1 to 1

    >>> cosine_similarity([1.0, 0.0], [3.0, 4.0])
    np.float64(0.6)
    """
    norms = [maximum(library.vector_norm(x, axis=axis), float(eps)) for x in (a, b)]
    return divide(total(multiply(a, b), axis), multiply(*norms))


@loss("anchor", "positive", "negative")
def triplet_margin_loss(
    anchor: Any,
    positive: Any,
    negative: Any,
    *,
    margin: float = 1.0,
    p: float = 2,
    axis: int = -1,
    weight: Any = None,
    reduction: str = "mean",
) -> Any:
    """By how much the anchor is not nearer to the positive than to the negative, by `margin`
    (Schroff, Kalenichenko and Philbin, 2015).

    Parameters
    ----------
    anchor, positive, negative : arrays of one shape, vectors along `axis`
    margin : number from 0
    p : number: distances are `p`-norms
    weight, reduction : as those of `l1_loss`, for one loss a vector

    >>> triplet_margin_loss([[0.0, 0.0]], [[3.0, 4.0]], [[6.0, 0.0]])
    np.float64(0.0)
    """
    near, far = (
        library.vector_norm(subtract(anchor, other), axis=axis, ord=p)
        for other in (positive, negative)
    )
    loss = maximum(subtract(near, subtract(far, float(margin))), 0)
    return reduced("triplet_margin_loss", loss, reduction, weight)
