"""Constants of a graph: arrays by value, as an operator without operands."""

import hashlib
from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from nbgraph.dtype import require_supported
from nbgraph.operator.arrays.array_op import ArrayOp, Spec, constant
from nbgraph.shape import Array

_SHOWN = 6  # elements up to which a listing shows the values


class Data:
    """A read-only array that is equal to another one with the same bits.

    >>> Data(np.zeros(3)) == Data(np.zeros(3)), Data(np.zeros(3)) == Data(-np.zeros(3))
    (True, False)
    """

    def __init__(self, array: Any) -> None:
        own = np.array(array, order="C")  # a copy: the caller may write to theirs
        require_supported(own.dtype, "constant")
        if not own.dtype.isnative:
            own = own.astype(own.dtype.newbyteorder("="))
        own.flags.writeable = False
        self.array: Array = own

    @cached_property
    def digest(self) -> bytes:
        """A hash of the bits."""
        return hashlib.blake2b(
            self.array.view(np.uint8).data if self.array.ndim else self.array.tobytes(),
            digest_size=16,
        ).digest()

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Data):
            return False
        a, b = self.array, other.array
        return a.shape == b.shape and a.dtype == b.dtype and self.digest == other.digest

    def __hash__(self) -> int:
        return hash((self.array.shape, self.array.dtype.str, self.digest))

    def __repr__(self) -> str:
        a = self.array
        if a.size <= _SHOWN:
            return str(a.tolist())
        return f"{a.dtype}{list(a.shape)}"


def _compute(inputs: list[Array], outputs: list[Array], *, value: Data) -> None:
    outputs[0][...] = value.array


CONSTANT = ArrayOp(
    "constant",
    lambda *, value: Spec.of(value.array),
    _compute,
    gradient=lambda g: list(constant(g)),
    operands=(),
    doc="An array known beforehand.",
)


def constant_node_value(value: Any) -> tuple[ArrayOp, Mapping[str, Any]]:
    """Return the operator and attributes of a constant's node."""
    data = value if isinstance(value, Data) else Data(value)
    return CONSTANT, {"value": data}
