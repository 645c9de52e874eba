"""The norm of all gradients together, and what follows from it; the host does not wait for it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgraph.array.core import empty_of
from nbgraph.array.layout import layout
from nbgraph.array.push import same
from nbgraph.device import Context
from nbgraph.operator.decorator import op
from nbgraph.ops.elementwise.arithmetic import square
from nbgraph.optim.rows import Row, Rows, Slot, scalar_array

EPSILON = 1e-6  # added to the norm, as torch does


@op(certify=False)
def verdict(total: Any, rescale: Any, loss_scale: Any, limit: Any) -> Any:
    """From the sum of squares: the norm, the factor for gradients (once for each precision), and
    whether all gradients are finite."""
    scale = rescale / loss_scale
    norm = math.sqrt(total) * scale
    most = limit / (norm + EPSILON)
    factor = scale if most >= 1.0 else scale * most  # NaN goes on
    return norm, factor, factor, total - total == 0.0


class Norms:
    """The norm of gradients that slots hold, and the factor that keeps it to a limit.

    The slots `rescale`, `loss_scale` and `limit` take numbers, `loss_scale` an array, too:
    gradients are looked at as multiplied by rescale / loss_scale. `factor` (by precision) and
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
        given = [total, self.rescale, self.loss_scale, self.limit]
        made = [self.norm, self.factor["float32"], self.factor["float64"], self.finite]
        self.rows = Rows(
            f"{name} norm",
            [
                *(
                    # wide: squares of large float32 are beyond it, and would count as overflow
                    Row(square, [slot], [parts[i : i + 1].reshape(())], ["add"], wide=True)
                    for i, slot in enumerate(gradients)
                ),
                Row(same, [parts], [total], ["add"]),
                Row(verdict, given, made),
            ],
        )

    def run(self, *, joint: bool) -> None:
        """Push it for what the slots hold."""
        self.rows.run(joint=joint)
