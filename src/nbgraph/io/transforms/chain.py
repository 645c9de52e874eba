"""Scalar functions of pixels, one after another, as one loop over the pixels of a batch.

A chain grows by operators; `values` runs what has come together, fused, and stores the result once.
A change of layout is a view until then, so that reading bytes (height, width, channels), dividing
by 255, normalising and writing (channels, height, width) is one pass over memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgraph.errors import ArgumentError
from nbgraph.io.protocol import DataDesc
from nbgraph.io.transforms.base import ColumnTransform
from nbgraph.io.transforms.draws import Draws
from nbgraph.io.transforms.functions import mixed, rounded
from nbgraph.operator.fused import Part, fuse
from nbgraph.operator.mapper import Mapper

Array = np.ndarray[Any, Any]


class Chain:
    """A batch, and the operators that are to be applied to its pixels.

    `dtype` is that of the result as it would be stored now. Integers stay integers: what an
    operator makes of them is rounded, and cut off at the ends of their range.
    """

    def __init__(self, x: Array) -> None:
        self._begin(x)

    def _begin(self, x: Array) -> None:
        self.shape, self.dtype = x.shape, x.dtype
        self._x = x
        self._steps: list[tuple[Mapper, list[Array]]] = []  # operands besides the value so far
        self._of_value = True  # whether the first operator reads x

    def apply(self, operator: Mapper, *operands: Any, dtype: Any = None) -> None:
        """Apply `operator(value, *operands)`; operands broadcast with the batch.

        With `dtype`, a floating one, the result has it; otherwise the dtype stays.
        """
        self._steps.append((operator, [np.asarray(o, np.float32) for o in operands]))
        self._keep_dtype(dtype)

    def mix(self, matrix: Array, axis: int) -> None:
        """Make colours (n, k) of sums of the three there are, by a matrix (n, k, 3)."""
        x = self.values()
        colours = [np.take(x, [k], axis) for k in range(3)]
        factors = [along(matrix[..., k], x.ndim, axis) for k in range(3)]
        dtype, shape = self.dtype, list(x.shape)
        shape[axis] = matrix.shape[1]
        self._begin(x)
        self.shape, self._of_value = tuple(shape), False
        self._steps.append((mixed, [*colours, *factors]))
        self._keep_dtype(None if dtype.kind in "iu" else dtype)

    def _keep_dtype(self, dtype: Any) -> None:
        if dtype is not None:
            self.dtype = np.dtype(dtype)
        elif self.dtype.kind in "iu":
            ends = np.iinfo(self.dtype)
            bounds = [np.asarray(e, np.float32) for e in (ends.min, ends.max)]
            self._steps.append((rounded, bounds))

    def move(self, source: int, target: int) -> None:
        """Move an axis elsewhere, without copying."""
        self._x = np.moveaxis(self._x, source, target)
        shape = list(self.shape)
        shape.insert(target, shape.pop(source))
        self.shape = tuple(shape)
        self._steps = [
            (f, [np.moveaxis(o, source, target) if o.ndim == len(self.shape) else o for o in few])
            for f, few in self._steps
        ]

    def values(self) -> Array:
        """Return the batch with all that was applied, row-major; the chain goes on from it."""
        out = np.empty(self.shape, self.dtype)
        if not self._steps:
            if self._x.dtype == self.dtype and self._x.flags.c_contiguous:
                return self._x
            out[...] = self._x
        elif out.size:
            self._run(out)
        self._begin(out)
        return out

    def _run(self, out: Array) -> None:
        first = [self._x] if self._of_value else []
        steps = self._steps
        if len(steps) > 1 and not _narrow(out) and not _narrow(self._x):
            operator, operands = _fused(steps, first)
            operator(*operands, out=out, casting="unsafe")
            return
        value: Any = None
        for k, (operator, operands) in enumerate(steps):
            own = [*(first if k == 0 else [value]), *operands]
            last = {"out": out, "casting": "unsafe"} if k == len(steps) - 1 else {}
            value = operator(*own, **last)


class Pixels(ColumnTransform):
    """A transform of pixels; a subclass gives `extend`, and `described` where dtype or shape
    change."""

    def extend(self, chain: Chain, draws: Draws, desc: DataDesc) -> None:
        """Add what is done to the batch in `chain`."""
        raise ArgumentError(f"{self.name}: a transform of pixels defines extend")

    def apply(self, x: Array, draws: Draws, desc: DataDesc) -> Array:
        """See ColumnTransform."""
        chain = Chain(x)
        self.extend(chain, draws, desc)
        return chain.values()


def _narrow(x: Array) -> bool:
    """Whether values of this dtype are stored with fewer bits than they are computed with."""
    return x.dtype.kind not in "iub" and x.dtype.itemsize < 4


def _fused(
    steps: Sequence[tuple[Mapper, list[Array]]], first: list[Array]
) -> tuple[Mapper, list[Array]]:
    external, parts = list(first), list[Part]()
    for k, (operator, operands) in enumerate(steps):
        inputs: list[Any] = [("part", k - 1, 0)] if k else [("in", i) for i in range(len(first))]
        inputs += [("in", len(external) + i) for i in range(len(operands))]
        external += operands
        parts.append(Part(operator, tuple(inputs)))
    made, parameters = fuse("pixels", parts, [(len(parts) - 1, 0)])
    assert not parameters, parameters  # the functions above have none
    return made, external


def along(values: Array, ndim: int, axis: int) -> Array:
    """Values (n, k) as an array of `ndim` axes, the first and `axis`."""
    shape = [1] * ndim
    shape[0], shape[axis] = values.shape
    return np.asarray(values, np.float32).reshape(shape)
