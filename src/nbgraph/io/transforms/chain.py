"""Chains of scalar functions of pixels, which run as one loop over the pixels of a batch.

Operators are appended to a chain; `values` runs them, fused, and stores the result once. Until
then a change of layout is a view, so that reading bytes (height, width, channels), dividing by
255, normalising and writing (channels, height, width) is one pass over memory.
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
    """An operator, its operands after the first one, and the dtype of its result."""

    operator: Mapper
    operands: list[Array]
    dtype: np.dtype[Any]


class Chain:
    """A batch, and the operators to apply to its pixels.

    `dtype` is that of the result so far. Integers stay integers: results of operators are rounded,
    and clipped to the range of the dtype.
    """

    def __init__(self, x: Array) -> None:
        self._begin(x)

    def _begin(self, x: Array) -> None:
        self.shape, self.dtype = x.shape, x.dtype
        self._x = x
        self._steps: list[Step] = []

    def apply(self, operator: Mapper, *operands: Any, dtype: Any = None) -> None:
        """Apply `operator(value, *operands)`; operands broadcast with the batch.

        `dtype`: a floating dtype for the result; by default the dtype stays.
        """
        self._add(operator, [np.asarray(o, np.float32) for o in operands], dtype)

    def mix(self, matrix: Array, axis: int) -> None:
        """Replace three colours by k weighted sums of them, by a matrix (n, k, 3)."""
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
        """Move an axis to another position, without copying."""
        self._x = np.moveaxis(self._x, source, target)
        shape = list(self.shape)
        shape.insert(target, shape.pop(source))
        self.shape = tuple(shape)
        self._steps = [
            step._replace(operands=[_moved(o, source, target) for o in step.operands])
            for step in self._steps
        ]

    def values(self) -> Array:
        """Return the batch after all operators, row-major; the chain continues from it."""
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
    """Fill `out` with the result of operators on `first`: in one loop if the values between them
    have no fewer bits in memory than in computation, else one after another."""
    if len(steps) > 1 and not any(map(_narrow, [out, *first])):
        operator, operands = _fused(steps, first)
        operator(*operands, out=out, casting="unsafe")
        return
    for k, (operator, operands, dtype) in enumerate(steps):
        whole = k == len(steps) - 1
        # rounded to the dtype in memory, which the next operator reads
        value = out if whole else np.empty(out.shape, dtype) if dtype.kind == "f" else None
        how = {} if value is None else {"out": value, "casting": "unsafe"}
        first = [operator(*first, *operands, **how)]


class Pixels(ColumnTransform):
    """A transform of pixels; a subclass defines `extend`, and `described` if dtype or shape
    change."""

    def extend(self, chain: Chain, draws: Draws, desc: DataDesc) -> None:
        """Append the operators of this transform to `chain`."""
        raise ArgumentError(f"{self.name}: a transform of pixels defines extend")

    def apply(self, x: Array, draws: Draws, desc: DataDesc) -> Array:
        chain = Chain(x)
        self.extend(chain, draws, desc)
        return chain.values()


class Several(Pixels):
    """Transforms of pixels that run as one loop; a subclass defines `parts`."""

    def parts(self) -> list[tuple[str, Pixels]]:
        """Return the transforms with the names that identify their random numbers."""
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
    """Return whether values of this dtype have fewer bits than in computation (float32)."""
    return x.dtype.kind not in "iub" and x.dtype.itemsize < 4


def _moved(operand: Array, source: int, target: int) -> Array:
    """Return an operand that broadcasts with a batch after one of its axes was moved."""
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
    """Return values (n, k) as an array of `ndim` axes: n along the first, k along `axis`."""
    shape = [1] * ndim
    shape[0], shape[axis] = values.shape
    return np.asarray(values, np.float32).reshape(shape)
