"""Cross entropy of softmax against shares of all classes, as row programs; see `entropy`."""

from __future__ import annotations

import math
from typing import Any

from nbgraph.operator.array_op import Gradients
from nbgraph.operator.row_program import Result, RowProgram
from nbgraph.ops.arithmetic import add, multiply, negative, subtract
from nbgraph.ops.define import Axis, cast, hashable_axis, library, public
from nbgraph.ops.entropy import (
    Entropy,
    added,
    element,
    largest,
    log_total_of,
    row_sum,
    rows,
    weight,
)
from nbgraph.ops.exponential import exp


def _target(target):
    return target


def _product(x, target, top):
    return target * (x - top) if target != 0 else 0.0


def _target_loss(total, mass, product):
    return mass * math.log(total) - product


def _target_slope(x, target, top, log_total, share, hit, mass):
    return math.exp((x - top) - log_total) * (share + mass * hit) - target * hit


def _logarithm(g: Gradients, x: Any, top: Any, log_total: Any) -> Any:
    """log(softmax(x))."""
    top, log_total = rows(g, top, log_total)
    return subtract(subtract(x, top), log_total)


def _target_rule(g: Gradients) -> list[Any]:
    to_loss, _, to_total = g.out_grads
    given = added(to_loss, to_total)
    if given is None:
        return [None, None]
    (x, target), (_, top, log_total) = g.inputs, g.outputs
    hit, share = (library.zeros_like(given) if v is None else v for v in (to_loss, to_total))
    to_x = to_target = None
    if g.wanted[0]:
        to_x = target_entropy_gradient(x, target, top, log_total, share, hit, **g.attributes)
        to_x = cast(to_x, g.specs[0])
    if g.wanted[1]:
        each = multiply(*rows(g, hit), _logarithm(g, x, top, log_total))
        to_target = cast(negative(each), g.specs[1])
    return [to_x, to_target]


def _target_gradient_rule(g: Gradients) -> list[Any]:
    """Of p * (share + mass * hit) - target * hit, with p = softmax(x), mass = sum(target)."""
    x, target, top, log_total, share, hit = g.inputs
    each = {"axis": g.attributes["axis"], "keepdims": True}
    mass = library.sum(target, **each)
    share, hit = rows(g, share, hit)
    weighted = multiply(g.out_grad, exp(_logarithm(g, x, top, log_total)))
    to_x = multiply(weighted, add(share, multiply(mass, hit)))
    to_target = multiply(subtract(library.sum(weighted, **each), g.out_grad), hit)
    to_hit = subtract(multiply(weighted, mass), multiply(g.out_grad, target))
    sums = [negative(row_sum(g, to_x)), row_sum(g, weighted), row_sum(g, to_hit)]
    found = [to_x, to_target, None, *sums]
    return [None if v is None else cast(v, s) for v, s in zip(found, g.specs, strict=True)]


_TARGET = Entropy(
    RowProgram(
        "target_entropy",
        elements=("x", "target"),
        totals={
            "top": ("max", element),
            "mass": ("add", _target),
            "total": ("add", weight),
            "product": ("add", _product),
        },
        results=[Result(f, row=True) for f in (_target_loss, largest, log_total_of)],
    ),
    gradient=_target_rule,
    keeps=("x", "target", "out1", "out2"),
)
_TARGET_GRADIENT = Entropy(
    RowProgram(
        "target_entropy_gradient",
        elements=("x", "target"),
        rows=("top", "log_total", "share", "hit"),
        totals={"mass": ("add", _target)},
        results=[Result(_target_slope)],
    ),
    gradient=_target_gradient_rule,
    keeps=("x", "target", "top", "log_total", "share", "hit"),
)


@public(_TARGET)
def target_entropy(
    x: Any, target: Any, axis: Axis = -1, *, keepdims: bool = False, out: Any = None
) -> Any:
    """-sum(target * log(softmax(x))); the largest of x; log(sum(exp(x - largest))).

    Shares need not add up to 1, and those that are 0 count for nothing. The largest is a constant
    for derivatives. See `cross_entropy`.

    >>> loss, top, log_total = target_entropy([0.0, 0.0], [0.5, 0.5])
    >>> loss, top
    (np.float64(0.6931471805599453), np.float64(0.0))
    """
    axis = hashable_axis("target_entropy", axis)
    return _TARGET(x, target, axis=axis, keepdims=bool(keepdims), out=out)


@public(_TARGET_GRADIENT)
def target_entropy_gradient(
    x: Any,
    target: Any,
    top: Any,
    log_total: Any,
    share: Any,
    hit: Any,
    axis: Axis = -1,
    *,
    keepdims: bool = False,
    out: Any = None,
) -> Any:
    """softmax(x) * (share + sum(target) * hit) - target * hit: `target_entropy` backward.

    >>> target_entropy_gradient(
    ...     [[3.0, 3.0]], [[0.0, 1.0]], [3.0], [0.6931471805599453], [0.0], [1.0]
    ... )
    array([[ 0.5, -0.5]])
    """
    name = "target_entropy_gradient"
    axis = hashable_axis(name, axis)
    given = (x, target, top, log_total, share, hit)
    return _TARGET_GRADIENT(*given, axis=axis, keepdims=bool(keepdims), out=out)
