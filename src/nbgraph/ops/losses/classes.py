"""Labels that have to be classes where nothing else looks at them: metrics."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgraph.errors import LabelError
from nbgraph.kernel_errors import no_class
from nbgraph.operator.arrays.array_op import Attributes
from nbgraph.operator.rows.row_op import RowOp
from nbgraph.operator.rows.row_program import Result, no_classes
from nbgraph.ops.define import axis_of
from nbgraph.shape import Array


def check_classes(name: str, label: Array, count: int) -> None:
    """LabelError where a label is not a class from 0 to `count - 1`."""
    wrong = no_classes(label, count)
    if wrong.any():
        place = tuple(int(i) for i in np.argwhere(wrong)[0])
        where = f"label[{', '.join(map(str, place))}]"
        raise no_class(name, where, label[place], count)


class LabelOp(RowOp):
    """A row program of scores and labels; of those in NumPy arrays the wrong one is named."""

    def on_numpy(
        self, operands: Sequence[Any], attributes: Attributes, out: Sequence[Any] | None
    ) -> Any:
        try:
            return super().on_numpy(operands, attributes, out)
        except LabelError:  # the kernel knows the place in its order of rows
            x, label = map(np.asarray, operands)
            axis = axis_of("", attributes.get("axis", -1), x.ndim)
            check_classes(self.__name__, label, x.shape[axis])
            raise


_nothing = lambda label: 0.0 * label


@functools.cache
def _looking(name: str) -> LabelOp:
    return LabelOp.of(name, "x | label", {}, [Result(_nothing, row=True)], classes="label")


def zeros_of_classes(name: str, scores: Any, label: Any) -> Any:
    """0 for each label, a place along the last axis of `scores`; LabelError where one is none, at
    the call among NumPy arrays, else where the result is waited for.

    >>> zeros_of_classes("accuracy", [[0.1, 0.9]], [1])
    array([0.])
    """
    return _looking(name)(scores, label)
