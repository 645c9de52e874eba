"""Attention as a composition of operators, with its scores in memory, and gradient rules.

The rule of attention is an operator that recomputes the scores in blocks; its own rule, and that of
a mask of numbers, use the composition.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgraph.dtype import is_float
from nbgraph.operator.arrays.array_op import Gradients
from nbgraph.ops.define import added, library
from nbgraph.ops.elementwise.arithmetic import add, multiply, negative, subtract

_far = lambda x: -65504.0 if x.dtype.itemsize == 2 else -1e30  # a masked score


def _turn(x: Any) -> Any:
    return None if x is None else library.swapaxes(x, -1, -2)


def _hidden(mask: Sequence[Any], scores: Any, *, causal: bool) -> list[Any]:
    """Return conditions of masked scores, also where a mask's numbers are as low as `_far`."""
    rows, columns = scores.shape[-2:]
    conditions = [library.less_equal(m, 0 if m.dtype == "bool" else _far(scores)) for m in mask]
    if causal:
        here = np.arange(rows)[:, None] + (columns - rows)
        conditions.append(np.arange(columns) > here)
    return conditions


def scores_of(query: Any, key: Any, *mask: Any, causal: bool, scale: float) -> Any:
    """Return the scores, with masked ones far below all others."""
    scores = library.matmul(multiply(query, scale), _turn(key))
    for own in mask:
        if own.dtype != "bool":
            scores = add(scores, own)
    for own in _hidden(mask, scores, causal=causal):
        scores = library.where(own, _far(scores), scores)
    return scores


def composition(
    query: Any, key: Any, value: Any, *mask: Any, causal: bool, scale: float, dropout: float = 0.0
) -> Any:
    """Return attention by products and a softmax."""
    weights = library.softmax(scores_of(query, key, *mask, causal=causal, scale=scale), axis=-1)
    weights = library.dropout(weights, dropout) if dropout else weights
    return library.matmul(weights, value)


def parts(*operands: Any, causal: bool, scale: float) -> tuple[Any, Any]:
    """Return attention and the numbers of rows, by operators."""
    query, key, value, *mask = operands
    scores = scores_of(query, key, *mask, causal=causal, scale=scale)
    top = library.max(scores, axis=-1, keepdims=True)
    weights = library.exp(subtract(scores, top))
    inverse = library.reciprocal(library.sum(weights, axis=-1, keepdims=True))
    out = library.matmul(multiply(weights, inverse), value)
    return out, library.concatenate([top, inverse], axis=-1)


def gradient(*operands: Any, causal: bool, scale: float) -> tuple[Any, Any, Any]:
    """Return the gradients by query, key and value, by operators."""
    out_grad, query, key, value, rows, delta, *mask = operands
    scores = scores_of(query, key, *mask, causal=causal, scale=scale)
    top, inverse = (library.slice_view(rows, (..., slice(k, k + 1))) for k in (0, 1))
    share = multiply(library.exp(subtract(scores, top)), inverse)
    off = subtract(library.matmul(out_grad, _turn(value)), library.expand_dims(delta, -1))
    slope = multiply(multiply(share, off), scale)
    for own in _hidden(mask, share, causal=causal):
        slope = library.where(own, 0, slope)
    return (
        library.matmul(slope, key),
        library.matmul(_turn(slope), query),
        library.matmul(_turn(share), out_grad),
    )


class Slopes:
    """Shared parts of derivatives: the probabilities, and where scores are masked."""

    def __init__(self, g: Gradients, query: Any, key: Any, mask: Sequence[Any]) -> None:
        self.share = library.softmax(scores_of(query, key, *mask, **g.attributes), axis=-1)
        self.hidden = _hidden(mask, self.share, causal=g.attributes["causal"])

    def seen(self, x: Any) -> Any:
        """Return `x`, but 0 where scores are masked."""
        for own in self.hidden:
            x = None if x is None else library.where(own, 0, x)
        return x


def attention_rule(g: Gradients) -> Sequence[Any]:
    """Use the operator that recomputes the scores."""
    out_grad, (query, key, value, *mask) = g.out_grads[0], g.inputs
    if out_grad is None:
        return []
    rows = g.outputs[1]
    delta = library.sum(multiply(library.astype(out_grad, rows.dtype), g.outputs[0]), axis=-1)
    operands = out_grad, query, key, value, rows, delta, *mask
    gradients: list[Any] = [None] * 3
    if any(g.wanted[:3]):
        gradients = [*library.attention_gradient(*operands, **g.attributes)]

    def to_mask() -> Any:
        own = Slopes(g, query, key, mask)
        off = subtract(_product(out_grad, _turn(value)), library.expand_dims(delta, -1))
        return own.seen(multiply(own.share, off))

    return [*gradients, to_mask] if mask and is_float(g.specs[3].dtype) else gradients


def gradient_rule(g: Gradients) -> Sequence[Any]:
    """Use the composition. Numbers of rows follow from query and key, so they get no gradient.

    With P the probabilities, D = out_grad @ value' - delta and Z = scale * P * D the results are Z
    @ key, Z' @ query and P' @ out_grad; gradients of Z and P pass through the softmax."""
    out_grad, query, key, value, _, delta, *mask = g.inputs
    a, b, c = g.out_grads
    own, scale = Slopes(g, query, key, mask), g.attributes["scale"]
    share = own.share
    off = subtract(_product(out_grad, _turn(value)), library.expand_dims(delta, -1))
    to_slope = own.seen(added(_product(a, _turn(key)), _product(query, _turn(b))))
    through = _times(to_slope, share, scale)
    to_share = added(_times(to_slope, off, scale), _product(out_grad, _turn(c)))
    mean = library.sum(multiply(to_share, share), axis=-1, keepdims=True)
    scores = own.seen(multiply(share, subtract(to_share, mean)))
    slope, products = own.seen(_times(share, off, scale)), multiply(scores, scale)
    by_column = _turn(slope), _turn(products)
    return [
        added(_product(through, value), _product(share, c)),
        added(_product(slope, b), _product(products, key)),
        added(_product(by_column[0], a), _product(by_column[1], query)),
        _product(_turn(through), out_grad),
        None,
        None if through is None else negative(library.sum(through, axis=-1)),
        *(scores if is_float(spec.dtype) else None for spec in g.specs[6:]),
    ]


def _product(a: Any, b: Any) -> Any:
    return None if a is None or b is None else library.matmul(a, b)


def _times(a: Any, b: Any, scale: float) -> Any:
    return None if a is None else multiply(multiply(a, b), scale)
