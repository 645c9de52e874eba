"""Norms of gradients, and gradients kept within bounds; the host does not wait for them. Optimizers
clip within a step: `clip_value`, `clip_norm`."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgraph.array.apply_scalar_op import writable
from nbgraph.array.core import empty_of
from nbgraph.array.push import same
from nbgraph.device import Context
from nbgraph.errors import ArgumentError, require_number
from nbgraph.operator.layout import layout
from nbgraph.operator.mapper.decorator import op
from nbgraph.ops.elementwise.arithmetic import square
from nbgraph.ops.updates import rules
from nbgraph.optim.parameters import named, require_weight
from nbgraph.optim.rows import Row, Rows, Slot, scalar_array

EPSILON = 1e-6  # added to the norm, as torch does


@op(certify=False)
def verdict(total: Any, rescale: Any, loss_scale: Any, limit: Any) -> Any:
    """Return, from the sum of squares, the norm, the factor for gradients (twice, once for each
    precision), and whether all gradients are finite."""
    scale = rescale / loss_scale
    norm = math.sqrt(total) * scale
    most = limit / (norm + EPSILON)
    factor = scale if most >= 1.0 else scale * most  # NaN goes on
    return norm, factor, factor, total - total == 0.0


class Norms:
    """The norm of gradients that slots hold, and the factor that keeps it to a limit.

    The slots `rescale`, `loss_scale` and `limit` hold numbers, `loss_scale` possibly an array.
    Gradients count as if multiplied by rescale / loss_scale. `factor` (by precision) and
    `finite` are arrays that every run writes anew.
    """

    def __init__(self, name: str, gradients: Sequence[Slot]) -> None:
        self.rescale, self.loss_scale = Slot("rescale", 1.0), Slot("loss_scale", 1.0)
        self.limit = Slot("limit", math.inf)
        device: Context = gradients[0].value.device
        self.norm, self.finite = scalar_array("float64", device), scalar_array("bool", device)
        self.factor = {name: scalar_array(name, device) for name in ("float32", "float64")}
        parts = empty_of(layout((len(gradients),), np.dtype("float64")), device)
        total = scalar_array("float64", device)
        operands = [total, self.rescale, self.loss_scale, self.limit]
        outputs = [self.norm, self.factor["float32"], self.factor["float64"], self.finite]
        self.rows = Rows(
            f"{name} norm",
            [
                *(
                    # wide: squares of large float32 values would overflow in float32
                    Row(square, [slot], [parts[i : i + 1].reshape(())], ["add"], wide=True)
                    for i, slot in enumerate(gradients)
                ),
                Row(same, [parts], [total], ["add"]),
                Row(verdict, operands, outputs),
            ],
        )

    def run(self, *, joint: bool) -> None:
        """Push the rows for the present values of the slots."""
        self.rows.run(joint=joint)


@op(certify=False)
def _bounded(x: Any, bound: Any) -> Any:
    return rules.bounded(x, bound)


@op(certify=False)
def _scaled(x: Any, factor: Any) -> Any:
    return x * factor


def _arrays(name: str, grads: Any) -> list[Any]:
    arrays = {key: grad for key, grad in named(name, grads, "grads").items() if grad is not None}
    for key, grad in arrays.items():
        require_weight(name, key, grad)
    if not arrays:
        raise ArgumentError(f"{name}: no gradients were given; expected one or more arrays")
    return [grad for grad in arrays.values() if grad.size]


def global_norm(grads: Any) -> Any:
    """Return the norm of all arrays together, as one NDArray of shape () and dtype float64,
    without waiting.

    `grads`: a list or dict of NDArrays, or an object with parameters().

    >>> import nbgraph as ng
    >>> global_norm([ng.array([3.0]), ng.array([[4.0]])])
    array(5.)
    """
    norms = Norms("global_norm", [Slot("grad", grad) for grad in _arrays("global_norm", grads)])
    norms.run(joint=True)
    return norms.norm


def clip_by_norm(grads: Any, limit: float) -> Any:
    """Scale arrays in place so that their norm, all together, is at most `limit`; return the norm
    that they had, without waiting.

    >>> import nbgraph as ng
    >>> g = [ng.array([3.0]), ng.array([4.0])]
    >>> clip_by_norm(g, 1.0), round(float(g[0][0]), 5)
    (array(5.), 0.6)
    """
    limit = require_number("clip_by_norm: limit", limit, most=math.inf, above=0)
    arrays = _arrays("clip_by_norm", grads)
    for array in arrays:
        writable("clip_by_norm", array, "grads")
    norms = Norms("clip_by_norm", [Slot("grad", array) for array in arrays])
    norms.limit.value = limit
    norms.run(joint=True)
    wide = [norms.factor["float64" if a.dtype.itemsize == 8 else "float32"] for a in arrays]
    _write([Row(_scaled, [a, f], [a]) for a, f in zip(arrays, wide, strict=True)], arrays)
    return norms.norm


def clip_by_value(grads: Any, bound: float) -> None:
    """Bring every element of some arrays between -bound and bound, in place.

    >>> import nbgraph as ng
    >>> g = ng.array([0.5, -3.0])
    >>> clip_by_value([g], 1.0)
    >>> g
    array([ 0.5, -1. ], dtype=float32)
    """
    bound = require_number("clip_by_value: bound", bound, above=0)
    arrays, most = _arrays("clip_by_value", grads), Slot("bound", bound)
    for array in arrays:
        writable("clip_by_value", array, "grads")
    _write([Row(_bounded, [a, most], [a]) for a in arrays], arrays)


def _write(rows: list[Row], arrays: list[Any]) -> None:
    Rows("clip", rows).run()
    for array in arrays:
        array._chunk.writes += 1
