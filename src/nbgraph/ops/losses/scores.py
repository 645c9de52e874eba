"""What cross entropies share: rows of scores, and what is made of one without overflow."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from nbgraph.errors import ShapeError
from nbgraph.operator.arrays.array_op import Attributes, Gradients, Spec
from nbgraph.operator.rows.row_op import RowOp
from nbgraph.ops.define import require_floats
from nbgraph.ops.reductions.reductions import kept


class Entropy(RowOp):
    """A row program of floating scores; operands with elements have one shape."""

    def infer(self, specs: Sequence[Spec], attributes: Attributes) -> tuple[Spec, ...]:
        if specs:
            require_floats(self.__name__, specs[0])
        for name, spec in zip(self.program.elements, specs, strict=False):
            if spec.shape != specs[0].shape:
                raise ShapeError(
                    f"{self.__name__}: {name} has shape {spec.shape}; expected that of x, "
                    f"{specs[0].shape}"
                )
        return super().infer(specs, attributes)


def rows(g: Gradients, *values: Any) -> list[Any]:
    """Values of rows, to be combined with elements."""
    return [kept(v, g) for v in values]


def element(x):
    """Itself."""
    return x


def weight(x, top):
    """An element's part of the total, without overflow."""
    return math.exp(x - top)


def largest(top):
    """The largest of a row."""
    return top


def inverse_of(total):
    """By what weights are multiplied to be shares."""
    return 1 / total
