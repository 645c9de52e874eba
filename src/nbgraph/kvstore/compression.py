"""Compression of gradients, with error feedback for the rest."""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from nbgraph.array.copying import copy_of, filled
from nbgraph.errors import DTypeError, require_number
from nbgraph.operator.mapper.decorator import op

_PER_WORD = 16  # values in 32 bits
_SHIFTS = np.array([6, 4, 2, 0], np.uint8)  # the first of four is in the highest bits of a byte


@op
def quantised(gradient: Any, residual: Any, threshold: Any) -> Any:
    """Return the part of gradient plus residual that is sent, and the new residual."""
    whole = gradient + residual
    sent = threshold if whole >= threshold else (-threshold if whole <= -threshold else 0.0)
    return sent, whole - sent


class Compression(ABC):
    """A codec from gradients to the values that a worker sends, and their bytes."""

    @abstractmethod
    def sent(self, key: Any, device: int, gradient: Any) -> Any:
        """Return the part of a gradient that is sent, as an array of its dtype."""

    @abstractmethod
    def nbytes(self, size: int) -> int:
        """Return the number of bytes for `size` values."""

    @abstractmethod
    def encode(self, values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Return the bytes of values that `sent` returned."""

    @abstractmethod
    def decode(self, data: np.ndarray[Any, Any], size: int, dtype: Any) -> np.ndarray[Any, Any]:
        """Return `size` values from their bytes."""

    def _require_float(self, key: Any, gradient: Any) -> None:
        if gradient.dtype.kind != "f":
            raise DTypeError(
                f"compression: the key {key!r} is {gradient.dtype}; it takes floating gradients"
            )


class HalfPrecision(Compression):
    """Each element in 16 bits.

    >>> HalfPrecision().encode(np.array([1.0, 2.0])).nbytes
    4
    """

    def sent(self, key: Any, device: int, gradient: Any) -> Any:
        """Return the gradient rounded to float16."""
        self._require_float(key, gradient)
        return copy_of(copy_of(gradient, np.dtype("float16")), gradient.dtype)

    def nbytes(self, size: int) -> int:
        return 2 * size

    def encode(self, values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return values.astype(np.float16).view(np.uint8)

    def decode(self, data: np.ndarray[Any, Any], size: int, dtype: Any) -> np.ndarray[Any, Any]:
        return data.view(np.float16).astype(dtype)


class TwoBit(Compression):
    """Each element as the threshold, its negative or 0, with error feedback (F. Seide et al., 1-bit
    stochastic gradient descent, Interspeech 2014; two bits as in MXNet's KVStore).

    Parameters
    ----------
    threshold : float
        Above 0. All values sent plus the residual equal the sum of the gradients.

    >>> import nbgraph as ng
    >>> compression = TwoBit(threshold=0.5)
    >>> [compression.sent("w", 0, ng.array([0.3, -0.9])).tolist() for _ in range(2)]
    [[0.0, -0.5], [0.5, -0.5]]
    """

    def __init__(self, threshold: float = 0.5) -> None:
        self.threshold = require_number("2bit: threshold", threshold, above=0)
        self.residuals: dict[tuple[Any, int], Any] = {}

    def sent(self, key: Any, device: int, gradient: Any) -> Any:
        """Return the part of a gradient that is sent, and store the residual of key and device."""
        self._require_float(key, gradient)
        residual = self.residuals.get((key, device))
        if residual is None:
            residual = filled(gradient._layout, gradient.device, 0.0)
        sent, self.residuals[key, device] = quantised(gradient, residual, self.threshold)
        return sent

    def nbytes(self, size: int) -> int:
        """Return the number of bytes for `size` values: 4 for each 16."""
        return -(-size // _PER_WORD) * 4

    def encode(self, values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Return two bits a value: 11 above 0, 10 below, 00 at 0.

        >>> TwoBit().encode(np.array([0.5, -0.5, 0.0, 0.5])).tolist()
        [227, 0, 0, 0]
        """
        codes = np.zeros(-(-values.size // _PER_WORD) * _PER_WORD, np.uint8)
        codes[: values.size] = np.where(values > 0, 3, np.where(values < 0, 2, 0))
        return np.bitwise_or.reduce(codes.reshape(-1, 4) << _SHIFTS, axis=1)

    def decode(self, data: np.ndarray[Any, Any], size: int, dtype: Any) -> np.ndarray[Any, Any]:
        table = np.array([0.0, 0.0, -self.threshold, self.threshold], dtype)
        return table[(data[:, None] >> _SHIFTS) & 3].reshape(-1)[:size]

    def __reduce__(self) -> Any:
        return TwoBit, (self.threshold,)  # residuals stay with the worker
