"""Shape and dtype of an array that need not exist."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from nbgraph.kernels.function.signature import static_key

Attributes = Mapping[str, Any]  # arguments of a call other than operands, by name


def items_of(attributes: Attributes) -> tuple[tuple[str, Any], ...]:
    """Return attributes as part of a key, in which 0.0 and -0.0 differ."""
    if float in map(type, attributes.values()):
        return tuple([(name, static_key(value)) for name, value in attributes.items()])
    return tuple(attributes.items())


class Spec(NamedTuple):
    """Shape and dtype of an array that need not exist."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    @classmethod
    def of(cls, array: Any) -> Spec:
        """Return the Spec of an array of any kind."""
        return cls(tuple(array.shape), np.dtype(array.dtype))

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return math.prod(self.shape) * self.dtype.itemsize

    def __str__(self) -> str:
        return f"{self.dtype}{list(self.shape)}"


Specs = Sequence[Spec]
