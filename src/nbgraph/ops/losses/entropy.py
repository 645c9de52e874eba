"""Cross entropy of softmax against classes, as row programs: one pass over memory each way.

The forward pass gives, for each row, the loss and two numbers of the row from which the gradient is
one more pass: the largest element and 1 / sum(exp(x - largest)), which 16 bits hold as well. For
derivatives the largest is a constant, as nothing depends on it in the end. Where a graph has both
passes, and what comes from above does not depend on the loss, they are one. A label that is not a
class raises LabelError: among NumPy arrays at the call, elsewhere where the result is waited for.
On devices it gives NaN, also throughout the gradient of its row.
"""

from __future__ import annotations

import math
from typing import Any

from nbgraph.errors import ArgumentError
from nbgraph.operator.arrays.array_op import Gradients
from nbgraph.operator.rows.row_program import Result
from nbgraph.ops.define import added, define_rows, library, number
from nbgraph.ops.elementwise.arithmetic import multiply, negative
from nbgraph.ops.losses.classes import LabelOp
from nbgraph.ops.losses.scores import Entropy, element, inverse_of, largest, weight
from nbgraph.ops.rowwise.derived import derived


class _LabelEntropy(LabelOp, Entropy):
    """Labels in NumPy arrays are looked at."""


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
    return _delivered(weight(x, top), index, label, inverse, share, hit, count, smoothing)


def _label_slope_at_once(x, index, label, top, total, share, hit, count, *, smoothing=0.0):
    return _delivered(weight(x, top), index, label, 1 / total, share, hit, count, smoothing)


def _label_rule(g: Gradients) -> list[Any]:
    to_loss, _, to_inverse = g.out_grads
    (x, label), (_, top, inverse) = g.inputs, g.outputs
    share = added(to_loss, None if to_inverse is None else negative(multiply(to_inverse, inverse)))
    if share is None:
        return []
    hit = library.zeros_like(share) if to_loss is None else to_loss
    return [library.label_entropy_gradient(x, label, top, inverse, share, hit, **g.attributes)]


_LABEL_TOTALS = {
    "top": ("max", element),
    "total": ("add", weight),
    "picked": ("add", _chosen),
    "sum_": ("add", element),
}
_LABEL_RESULTS = [Result(f, row=True) for f in (_label_loss, largest, inverse_of)]
_LABEL = _LabelEntropy.of(
    "label_entropy", "x | label", _LABEL_TOTALS, _LABEL_RESULTS, _label_rule, "x label out1 out2",
    classes="label",
)  # fmt: skip
_LABEL_GRADIENT = Entropy.of(
    "label_entropy_gradient", "x | label top inverse share hit", {}, [_label_slope], derived,
    classes="label",
)  # fmt: skip
_LABEL_AT_ONCE = Entropy.of(
    "label_entropy_at_once", "x | label share hit", _LABEL_TOTALS,
    [*_LABEL_RESULTS, _label_slope_at_once], classes="label",
)  # fmt: skip
_LABEL.at_once = _LABEL_GRADIENT, _LABEL_AT_ONCE


def smoothing_share(name: str, value: Any) -> float:
    """Return a share from 0 up to 1, or raise ArgumentError."""
    if isinstance(value, (str, bool)) or not 0 <= float(number(name, "smoothing", value)) < 1:
        raise ArgumentError(
            f"{name}: smoothing={value!r}; expected a share from 0 up to, not including, 1"
        )
    return float(value)


_TABLE = """
label_entropy(x, label, axis: int = -1, *, keepdims=False, smoothing: float = 0.0, out=None):
    -log(softmax(x)) at the label's class, and what its derivative needs. See `cross_entropy`.
    -> three arrays of the labels' shape: losses; the largest of x; 1 / sum(exp(x - largest))
    = op(..., smoothing=smoothing_share("label_entropy", smoothing))
label_entropy_gradient(x, label, top, inverse, share, hit, axis: int = -1, *, keepdims=False,
    smoothing: float = 0.0, out=None): softmax(x) * share, less `hit` at the label's class:
    `label_entropy` backward.
    = op(..., smoothing=smoothing_share("label_entropy_gradient", smoothing))
label_entropy_at_once(x, label, share, hit, axis: int = -1, *, keepdims=False,
    smoothing: float = 0.0, out=None): What `label_entropy` gives, and what
    `label_entropy_gradient` makes of it, in one pass.
    = op(..., smoothing=smoothing_share("label_entropy_at_once", smoothing))
"""
define_rows(_TABLE, globals())
