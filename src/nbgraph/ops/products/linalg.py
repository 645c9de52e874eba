"""Triangles and diagonals of matrices."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgraph.errors import ShapeError
from nbgraph.operator.arrays.array_op import ArrayOp, Gradients, Spec
from nbgraph.operator.arrays.unit_op import UnitOp
from nbgraph.operator.arrays.units import Units, threads
from nbgraph.ops.define import define_rows, library
from nbgraph.ops.indexing.addressing import raw
from nbgraph.shape import Array


def _triangle(name: str, *, lower: bool) -> ArrayOp:
    def infer(x: Spec, *, k: int) -> Spec:
        if len(x.shape) < 2:
            raise ShapeError(f"{name}: shape {x.shape} has no two axes; give a matrix")
        return x

    def compute(inputs: list[Array], outputs: list[Array], *, k: int) -> None:
        inside = np.tri(*inputs[0].shape[-2:], k=k if lower else k - 1, dtype=bool)
        np.copyto(outputs[0], inputs[0])
        np.copyto(outputs[0], 0, casting="unsafe", where=~inside if lower else inside)

    def rule(g: Gradients) -> list[Any]:
        return [getattr(library, name)(g.out_grad, k=g.attributes["k"])]

    def units(operands: Sequence[Spec], outputs: Sequence[Spec], *, k: int) -> Units:
        (rows, columns), kind = operands[0].shape[-2:], raw(operands[0])
        inside = f"column - row {'<=' if lower else '>='} k"
        return threads(
            name,
            {"total": math.prod(outputs[0].shape), "rows": rows, "columns": columns, "k": k},
            {"x": ("given", kind), "out": ("y", kind)},
            f"store(y, i, select({inside}, load(given, i), {kind}(0)))",
            parts=[("o", ""), ("row", "rows"), ("column", "columns")],
        )

    return UnitOp(name, infer, compute, units=units, gradient=rule)


_TRIL, _TRIU = _triangle("tril", lower=True), _triangle("triu", lower=False)

_TABLE = """
tril(x, k: int = 0, *, out=None): Zeros above diagonal `k` of the last two axes.
    x : array (..., m, n)
    k : int, above the main diagonal where positive, below where negative
    >>> tril([[1, 2], [3, 4]])
    array([[1, 0],
           [3, 4]])
triu(x, k: int = 0, *, out=None): Zeros below diagonal `k` of the last two axes.
    x : array (..., m, n)
    k : int, above the main diagonal where positive, below where negative
    >>> triu([[1, 2], [3, 4]])
    array([[1, 2],
           [0, 4]])
"""
define_rows(_TABLE, globals())
