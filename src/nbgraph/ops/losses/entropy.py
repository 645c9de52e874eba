"""Cross entropies of softmax, as row programs: one pass over memory each way.

The forward pass computes, for each row, the loss and two numbers from which one more pass gives the
gradient: the largest element and 1 / sum(exp(x - largest)), which also fit 16 bits. For derivatives
the largest is a constant, as the result does not depend on it. If a graph has both passes, and the
out-gradient does not depend on the loss, they are one. A label that is not a class raises
LabelError: for NumPy arrays at the call, else when the result is waited for. On devices it gives
NaN, also throughout the gradient of its row.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgraph.errors import ArgumentError, LabelError, require_shape
from nbgraph.kernel_errors import no_class, public_name
from nbgraph.operator.arrays.array_op import Attributes, Gradients, Spec, Specs
from nbgraph.operator.rows.row_op import RowOp
from nbgraph.operator.rows.row_program import Result, no_classes
from nbgraph.ops.define import added, axis_of, define_rows, library, number, require_floats
from nbgraph.ops.elementwise.arithmetic import add, multiply, negative, subtract
from nbgraph.ops.elementwise.exponential import log
from nbgraph.ops.reductions.reductions import kept
from nbgraph.ops.rowwise.derived import derived
from nbgraph.shape import Array


class Entropy(RowOp):
    """A row program of floating scores; operands with a value per element have one shape."""

    def infer(self, specs: Specs, attributes: Attributes) -> tuple[Spec, ...]:
        if specs:
            require_floats(self.__name__, specs[0])
        for name, spec in zip(self.program.elements, specs, strict=False):
            own = f"{public_name(self.__name__)}: {name}"
            require_shape(own, spec.shape, specs[0].shape, "that of x")
        return super().infer(specs, attributes)


_element = lambda x: x
_weight = lambda x, top: math.exp(x - top)  # an element's term of the total, without overflow
_largest = lambda top: top
_inverse_of = lambda total: 1 / total  # factor from weights to shares


# classes ------------------------------------------------------------------------------------------


def check_classes(name: str, label: Array, count: int) -> None:
    """Raise LabelError if a label is not a class from 0 to `count - 1`."""
    wrong = no_classes(label, count)
    if wrong.any():
        place = tuple(int(i) for i in np.argwhere(wrong)[0])
        where = f"label[{', '.join(map(str, place))}]"
        raise no_class(name, where, label[place], count)


class LabelOp(RowOp):
    """A row program of scores and labels; errors name the wrong label in a NumPy array."""

    def on_numpy(
        self, operands: Sequence[Any], attributes: Attributes, out: Sequence[Any] | None
    ) -> Any:
        try:
            return super().on_numpy(operands, attributes, out)
        except LabelError:  # the kernel's index is in its own order of rows
            x, label = map(np.asarray, operands)
            axis = axis_of("", attributes.get("axis", -1), x.ndim)
            check_classes(self.__name__, label, x.shape[axis])
            raise


_nothing = lambda label: 0.0 * label


@functools.cache
def _looking(name: str) -> LabelOp:
    return LabelOp.of(name, "x | label", {}, [Result(_nothing, row=True)], classes="label")


def zeros_of_classes(name: str, scores: Any, label: Any) -> Any:
    """Return 0 for each label, an index along the last axis of `scores`; LabelError for others, at
    the call for NumPy arrays, else when the result is waited for.

    >>> zeros_of_classes("accuracy", [[0.1, 0.9]], [1])
    array([0.])
    """
    return _looking(name)(scores, label)


class _LabelEntropy(LabelOp, Entropy):
    """A LabelOp with the shapes of Entropy."""


_is_class = lambda label, count: label >= 0 and label < count
_chosen = lambda x, index, label: x if index == label else 0.0


def _label_loss(top, total, picked, sum_, label, count, *, smoothing=0.0):
    mean = (1 - smoothing) * picked + smoothing * (sum_ / count) if smoothing > 0 else picked
    return math.log(total) + (top - mean) if _is_class(label, count) else math.nan


def _delivered(power, index, label, inverse, share, hit, count, smoothing):
    part = share if _is_class(label, count) else math.nan
    slope = power * (inverse * part) - hit * (smoothing / count)
    return slope - (hit * (1 - smoothing) if index == label else 0.0)


def _label_slope(x, index, label, top, inverse, share, hit, count, *, smoothing=0.0):
    return _delivered(_weight(x, top), index, label, inverse, share, hit, count, smoothing)


def _label_slope_at_once(x, index, label, top, total, share, hit, count, *, smoothing=0.0):
    return _delivered(_weight(x, top), index, label, 1 / total, share, hit, count, smoothing)


def _label_rule(g: Gradients) -> list[Any]:
    to_loss, _, to_inverse = g.out_grads
    (x, label), (_, top, inverse) = g.inputs, g.outputs
    share = added(to_loss, None if to_inverse is None else negative(multiply(to_inverse, inverse)))
    if share is None:
        return []
    hit = library.zeros_like(share) if to_loss is None else to_loss
    return [library.label_entropy_gradient(x, label, top, inverse, share, hit, **g.attributes)]


_LABEL_TOTALS = {
    "top": ("max", _element),
    "total": ("add", _weight),
    "picked": ("add", _chosen),
    "sum_": ("add", _element),
}
_LABEL_RESULTS = [Result(f, row=True) for f in (_label_loss, _largest, _inverse_of)]
_LABEL = _LabelEntropy.of(
    "label_entropy", "x | label", _LABEL_TOTALS, _LABEL_RESULTS, _label_rule, "x label out1 out2",
    classes="label"
)  # fmt: skip
_LABEL_GRADIENT = Entropy.of(
    "label_entropy_gradient", "x | label top inverse share hit", {}, [_label_slope], derived,
    classes="label"
)  # fmt: skip
_LABEL_AT_ONCE = Entropy.of(
    "label_entropy_at_once", "x | label share hit", _LABEL_TOTALS,
    [*_LABEL_RESULTS, _label_slope_at_once], classes="label"
)  # fmt: skip
_LABEL.at_once = _LABEL_GRADIENT, _LABEL_AT_ONCE


def smoothing_share(value: Any) -> float:
    """Return a share from 0 up to 1, or raise ArgumentError."""
    name, what = "cross_entropy", "label_smoothing"
    if isinstance(value, (str, bool)) or not 0 <= float(number(name, what, value)) < 1:
        raise ArgumentError(f"{name}: {what}={value!r}; expected a share from 0 to 1, without 1")
    return float(value)


# shares of all classes ----------------------------------------------------------------------------

_target = lambda target: target
_product = lambda x, target, top: target * (x - top) if target != 0 else 0.0
_target_loss = lambda total, mass, product: mass * math.log(total) - product


def _shared(power, target, inverse, share, hit, mass):
    return power * (inverse * (share + mass * hit)) - target * hit


def _target_slope(x, target, top, inverse, share, hit, mass):
    return _shared(_weight(x, top), target, inverse, share, hit, mass)


def _target_slope_at_once(x, target, top, total, share, hit, mass):
    return _shared(_weight(x, top), target, 1 / total, share, hit, mass)


def _target_rule(g: Gradients) -> list[Any]:
    to_loss, _, to_inverse = g.out_grads
    (x, target), (_, top, inverse) = g.inputs, g.outputs
    more = None if to_inverse is None else negative(multiply(to_inverse, inverse))
    through = added(to_loss, more)
    if through is None:
        return []
    hit, share = (library.zeros_like(through) if v is None else v for v in (to_loss, more))

    def to_target() -> Any:
        wide_top, wide_inverse, wide_hit = (kept(v, g) for v in (top, inverse, hit))
        return negative(multiply(wide_hit, add(subtract(x, wide_top), log(wide_inverse))))

    values = x, target, top, inverse, share, hit
    return [lambda: library.target_entropy_gradient(*values, **g.attributes), to_target]


_SHARE_TOTALS = {
    "top": ("max", _element),
    "mass": ("add", _target),
    "total": ("add", _weight),
    "product": ("add", _product),
}
_SHARE_RESULTS = [Result(f, row=True) for f in (_target_loss, _largest, _inverse_of)]
_TARGET = Entropy.of(
    "target_entropy", "x target", _SHARE_TOTALS, _SHARE_RESULTS, _target_rule, "x target out1 out2"
)
_TARGET_GRADIENT = Entropy.of(
    "target_entropy_gradient", "x target | top inverse share hit", {"mass": ("add", _target)},
    [_target_slope], derived
)  # fmt: skip
_TARGET_AT_ONCE = Entropy.of(
    "target_entropy_at_once",
    "x target | share hit",
    _SHARE_TOTALS,
    [*_SHARE_RESULTS, _target_slope_at_once],
)
_TARGET.at_once = _TARGET_GRADIENT, _TARGET_AT_ONCE

_TABLE = """
label_entropy(x, label, axis: int = -1, *, keepdims=False, smoothing: float = 0.0, out=None):
    -log(softmax(x)) at the label's class, and values for its derivative. See `cross_entropy`.
    -> three arrays of the labels' shape: losses; the largest of x; 1 / sum(exp(x - largest))
    = op(..., smoothing=smoothing_share(smoothing))
label_entropy_gradient(x, label, top, inverse, share, hit, axis: int = -1, *, keepdims=False,
    smoothing: float = 0.0, out=None): softmax(x) * share, less `hit` at the label's class:
    `label_entropy` backward.
    = op(..., smoothing=smoothing_share(smoothing))
label_entropy_at_once(x, label, share, hit, axis: int = -1, *, keepdims=False,
    smoothing: float = 0.0, out=None): The results of `label_entropy` and
    `label_entropy_gradient`, in one pass.
    = op(..., smoothing=smoothing_share(smoothing))
target_entropy(x, target, axis=-1, *, keepdims=False, out=None): -sum(target * log(softmax(x))), and
    values for its derivative. See `cross_entropy`.
    -> three arrays, one value a row: losses; the largest of x; 1 / sum(exp(x - largest))
target_entropy_gradient(x, target, top, inverse, share, hit, axis=-1, *, keepdims=False, out=None):
    softmax(x) * (share + sum(target) * hit) - target * hit: `target_entropy` backward.
target_entropy_at_once(x, target, share, hit, axis=-1, *, keepdims=False, out=None): The results of
    `target_entropy` and `target_entropy_gradient`, in one pass.
"""
define_rows(_TABLE, globals())
