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

from nbgraph.ops.define import composed, deferrable, define_rows, library, number, one_of
from nbgraph.ops.elementwise.arithmetic import multiply, subtract
from nbgraph.ops.elementwise.comparison import maximum
from nbgraph.ops.losses.alike import floats_like, require_alike, require_rows
from nbgraph.ops.losses.terms import cosine_term


def loss(*operands: str, alike: int | None = None) -> Callable[[Any], Any]:
    """Decorate a function of arrays of which the first `alike`, by default all, have one shape. On
    symbols without shapes it is composed, and they are compared, where these are known."""

    def decorate(function: Any) -> Any:
        name, count = function.__name__, len(operands) if alike is None else alike

        def call(*args: Any, **how: Any) -> Any:
            arguments = dict(zip(operands, args, strict=False))
            arguments |= {n: how[n] for n in operands if n in how}
            require_alike(name, {n: arguments[n] for n in operands[:count] if n in arguments})
            scores = arguments.get(operands[0])
            own = {n: floats_like(scores, how[n]) for n in operands if n in how}
            return function(*[floats_like(scores, value) for value in args], **how | own)

        functools.update_wrapper(call, function)
        # who looks behind decorators is to find this one: the shapes are part of the function
        setattr(call, "__signature__", inspect.signature(function))  # noqa: B010
        del call.__dict__["__wrapped__"]
        return composed(*operands)(deferrable()(call))

    return decorate


def reduced(name: str, loss: Any, reduction: str, weight: Any = None) -> Any:
    """Losses of elements as they are asked for."""
    one_of(name, "reduction", reduction, ("mean", "sum", "none"))
    if weight is not None:
        loss = multiply(loss, floats_like(loss, weight))
    return loss if reduction == "none" else getattr(library, reduction)(loss)


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
    cosine = library.cosine_similarity(a, b, axis)
    loss = cosine_term(
        cosine, target, margin=float(number("cosine_embedding_loss", "margin", margin))
    )
    return reduced("cosine_embedding_loss", loss, reduction, weight)


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
    margin = float(number("triplet_margin_loss", "margin", margin))
    loss = maximum(subtract(near, subtract(far, margin)), 0)
    return reduced("triplet_margin_loss", loss, reduction, weight)


_TABLE = """
cosine_similarity(a, b, axis: int = -1, *, eps: float = 1e-08): The cosine of the angle between a
    and b along an axis; norms count `eps` at least.
    a, b : arrays that broadcast
    axis : int
    eps : float
    -> array of the broadcast shape without `axis`, from -1 to 1
    >>> cosine_similarity([1.0, 0.0], [3.0, 4.0])
    np.float64(0.6)
    = library.divide(
        library.sum(multiply(a, b), axis),
        multiply(
            *[maximum(library.vector_norm(x, axis=axis), float(eps)) for x in (a, b)]
        ))
"""
define_rows(_TABLE, globals(), ("a", "b"))
