"""What is known of an array that need not exist."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

Attributes = Mapping[str, Any]  # what a call says besides its operands, by name


class _NegativeZero(float):
    """-0.0, which is not equal to 0.0."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return type(other) is _NegativeZero

    def __hash__(self) -> int:
        return hash("-0.0")


def as_key(value: Any) -> Any:
    """Return a number as one that differs from others as a key: -0.0 from 0.0."""
    negative = type(value) is float and not value and math.copysign(1.0, value) < 0
    return _NegativeZero(value) if negative else value


def items_of(attributes: Attributes) -> tuple[tuple[str, Any], ...]:
    """Return attributes as part of a key, in which 0.0 and -0.0 differ."""
    if float in map(type, attributes.values()):
        return tuple([(name, as_key(value)) for name, value in attributes.items()])
    return tuple(attributes.items())


class Spec(NamedTuple):
    """Shape and dtype of an array that need not exist."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    @classmethod
    def of(cls, array: Any) -> Spec:
        """That of an array of any kind."""
        return cls(tuple(array.shape), np.dtype(array.dtype))

    def __str__(self) -> str:
        return f"{self.dtype}{list(self.shape)}"
