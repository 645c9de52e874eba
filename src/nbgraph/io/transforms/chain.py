"""Scalar functions of pixels, one after another, as one loop over the pixels of a batch.

A chain grows by operators; `values` runs what has come together, fused, and stores the result once.
A change of layout is a view until then, so that reading bytes (height, width, channels), dividing
by 255, normalising and writing (channels, height, width) is one pass over memory.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from nbgraph.errors import ArgumentError
from nbgraph.io.protocol import DataDesc
from nbgraph.io.transforms.base import ColumnTransform
from nbgraph.io.transforms.draws import Draws
from nbgraph.io.transforms.functions import mixed, rounded
from nbgraph.operator.mapper.fused import Part, fuse
from nbgraph.operator.mapper.mapper import Mapper
from nbgraph.shape import Array


class Step(NamedTuple):
    """An operator, its operands besides the value so far, and the dtype that its result has."""

    operator: Mapper
    operands: list[Array]
    dtype: np.dtype[Any]


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
        self._steps: list[Step] = []

    def apply(self, operator: Mapper, *operands: Any, dtype: Any = None) -> None:
        """Apply `operator(value, *operands)`; operands broadcast with the batch.

        With `dtype`, a floating one, the result has it; otherwise the dtype stays.
        """
        self._add(operator, [np.asarray(o, np.float32) for o in operands], dtype)

    def mix(self, matrix: Array, axis: int) -> None:
        """Make colours (n, k) of sums of the three there are, by a matrix (n, k, 3)."""
        x, shape = self.values(), list(self.shape)
        shape[axis] = matrix.shape[1]
        out = np.empty(shape, self.dtype)
        planes, dtype = np.moveaxis(x, axis, 0), None if self.dtype.kind in "iu" else self.dtype
        for k, target in enumerate(np.moveaxis(out, axis, 0)):
            factors = matrix[:, k].T.reshape(3, -1, 1, 1)
            self._add(mixed, [*planes, *np.asarray(factors, np.float32)], dtype)
            if out.size:
                _run(self._steps, [], target)
            self._steps = []
        self._begin(out)

    def _add(self, operator: Mapper, operands: list[Array], dtype: Any) -> None:
        if dtype is not None:
            self.dtype = np.dtype(dtype)
        self._steps.append(Step(operator, operands, self.dtype))
        if dtype is None and self.dtype.kind in "iu":
            ends = np.iinfo(self.dtype)
            bounds = [np.asarray(e, np.float32) for e in (ends.min, ends.max)]
            self._steps.append(Step(rounded, bounds, self.dtype))

    def move(self, source: int, target: int) -> None:
        """Move an axis elsewhere, without copying."""
        self._x = np.moveaxis(self._x, source, target)
        shape = list(self.shape)
        shape.insert(target, shape.pop(source))
        self.shape = tuple(shape)
        self._steps = [
            step._replace(operands=[_moved(o, source, target) for o in step.operands])
            for step in self._steps
        ]

    def values(self) -> Array:
        """Return the batch with all that was applied, row-major; the chain goes on from it."""
        out = np.empty(self.shape, self.dtype)
        if not self._steps:
            if self._x.dtype == self.dtype and self._x.flags.c_contiguous:
                return self._x
            out[...] = self._x
        elif out.size:
            _run(self._steps, [self._x], out)
        self._begin(out)
        return out


def _run(steps: Sequence[Step], first: list[Array], out: Array) -> None:
    """Fill `out` with what operators make of `first`, one after another: in one loop where what
    passes between them has as many bits in memory as it is computed with."""
    if len(steps) > 1 and not any(map(_narrow, [out, *first])):
        operator, operands = _fused(steps, first)
        operator(*operands, out=out, casting="unsafe")
        return
    for k, (operator, operands, dtype) in enumerate(steps):
        whole = k == len(steps) - 1
        # as it would be stored: the next operator reads what memory would hold
        value = out if whole else np.empty(out.shape, dtype) if dtype.kind == "f" else None
        how = {} if value is None else {"out": value, "casting": "unsafe"}
        first = [operator(*first, *operands, **how)]


class Pixels(ColumnTransform):
    """A transform of pixels; a subclass gives `extend`, and `described` where dtype or shape
    change."""

    def extend(self, chain: Chain, draws: Draws, desc: DataDesc) -> None:
        """Add what is done to the batch in `chain`."""
        raise ArgumentError(f"{self.name}: a transform of pixels defines extend")

    def apply(self, x: Array, draws: Draws, desc: DataDesc) -> Array:
        chain = Chain(x)
        self.extend(chain, draws, desc)
        return chain.values()


class Several(Pixels):
    """Transforms of pixels as one loop; a subclass gives `parts`."""

    def parts(self) -> list[tuple[str, Pixels]]:
        """Return the transforms, and the names that their random numbers go by."""
        raise ArgumentError(f"{self.name}: several transforms of pixels define parts")

    def described(self, desc: DataDesc) -> DataDesc:
        for _, one in self.parts():
            desc = one.described(desc)
        return desc

    def extend(self, chain: Chain, draws: Draws, desc: DataDesc) -> None:
        for name, one in self.parts():
            one.extend(chain, draws.child(name), desc)
            desc = one.described(desc)


def _narrow(x: Array) -> bool:
    """Return whether values of this dtype have fewer bits than they are computed with."""
    return x.dtype.kind not in "iub" and x.dtype.itemsize < 4


def _moved(operand: Array, source: int, target: int) -> Array:
    """Return an operand as it broadcasts with a batch whose axis is moved."""
    return np.moveaxis(operand, source, target) if operand.ndim else operand


def _fused(steps: Sequence[Step], first: list[Array]) -> tuple[Mapper, list[Array]]:
    external, parts = list(first), list[Part]()
    for k, (operator, operands, _) in enumerate(steps):
        inputs: list[Any] = [("part", k - 1, 0)] if k else [("in", i) for i in range(len(first))]
        inputs += [("in", len(external) + i) for i in range(len(operands))]
        external += operands
        parts.append(Part(operator, tuple(inputs)))
    mapper, parameters = fuse("pixels", parts, [(len(parts) - 1, 0)])
    assert not parameters, parameters  # the functions above have none
    return mapper, external


def along(values: Array, ndim: int, axis: int) -> Array:
    """Return values (n, k) as an array of `ndim` axes, the first and `axis`."""
    shape = [1] * ndim
    shape[0], shape[axis] = values.shape
    return np.asarray(values, np.float32).reshape(shape)
