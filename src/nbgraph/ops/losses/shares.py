"""Cross entropy of softmax against shares of all classes, as row programs; see `entropy`."""

from __future__ import annotations

import math
from typing import Any

from nbgraph.operator.arrays.array_op import Gradients
from nbgraph.operator.rows.row_program import Result
from nbgraph.ops.define import added, define_rows, library
from nbgraph.ops.elementwise.arithmetic import add, multiply, negative, subtract
from nbgraph.ops.elementwise.exponential import log
from nbgraph.ops.losses.scores import Entropy, element, inverse_of, largest, rows, weight
from nbgraph.ops.rowwise.derived import derived

_target = lambda target: target
_product = lambda x, target, top: target * (x - top) if target != 0 else 0.0
_target_loss = lambda total, mass, product: mass * math.log(total) - product


def _delivered(power, target, inverse, share, hit, mass):
    return power * (inverse * (share + mass * hit)) - target * hit


def _target_slope(x, target, top, inverse, share, hit, mass):
    return _delivered(weight(x, top), target, inverse, share, hit, mass)


def _target_slope_at_once(x, target, top, total, share, hit, mass):
    return _delivered(weight(x, top), target, 1 / total, share, hit, mass)


def _target_rule(g: Gradients) -> list[Any]:
    to_loss, _, to_inverse = g.out_grads
    (x, target), (_, top, inverse) = g.inputs, g.outputs
    more = None if to_inverse is None else negative(multiply(to_inverse, inverse))
    through = added(to_loss, more)
    if through is None:
        return []
    hit, share = (library.zeros_like(through) if v is None else v for v in (to_loss, more))

    def to_target() -> Any:
        wide_top, wide_inverse, wide_hit = rows(g, top, inverse, hit)
        return negative(multiply(wide_hit, add(subtract(x, wide_top), log(wide_inverse))))

    values = x, target, top, inverse, share, hit
    return [lambda: library.target_entropy_gradient(*values, **g.attributes), to_target]


_TOTALS = {
    "top": ("max", element),
    "mass": ("add", _target),
    "total": ("add", weight),
    "product": ("add", _product),
}
_RESULTS = [Result(f, row=True) for f in (_target_loss, largest, inverse_of)]
_TARGET = Entropy.of(
    "target_entropy", "x target", _TOTALS, _RESULTS, _target_rule, "x target out1 out2"
)
_TARGET_GRADIENT = Entropy.of(
    "target_entropy_gradient", "x target | top inverse share hit", {"mass": ("add", _target)},
    [_target_slope], derived,
)  # fmt: skip
_TARGET_AT_ONCE = Entropy.of(
    "target_entropy_at_once", "x target | share hit", _TOTALS, [*_RESULTS, _target_slope_at_once]
)
_TARGET.at_once = _TARGET_GRADIENT, _TARGET_AT_ONCE

_TABLE = """
target_entropy(x, target, axis=-1, *, keepdims=False, out=None): -sum(target * log(softmax(x))), and
    what its derivative needs. See `cross_entropy`.
    -> three arrays, one value a row: losses; the largest of x; 1 / sum(exp(x - largest))
target_entropy_gradient(x, target, top, inverse, share, hit, axis=-1, *, keepdims=False, out=None):
    softmax(x) * (share + sum(target) * hit) - target * hit: `target_entropy` backward.
target_entropy_at_once(x, target, share, hit, axis=-1, *, keepdims=False, out=None): What
    `target_entropy` gives, and what `target_entropy_gradient` makes of it, in one pass.
"""
define_rows(_TABLE, globals())
