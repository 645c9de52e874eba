"""Transforms of pixels to a model's input: floats, normalised values, order of axes."""

from typing import Any, ClassVar

import numpy as np

from nbgraph.errors import ArgumentError, ShapeError, require_number
from nbgraph.io.protocol import DataDesc
from nbgraph.io.transforms.base import changed
from nbgraph.io.transforms.chain import Chain, Pixels, along
from nbgraph.io.transforms.draws import Draws
from nbgraph.io.transforms.functions import normalised
from nbgraph.io.transforms.images import Images
from nbgraph.shape import Array


def _divisor(what: str, value: Any) -> float | None:
    return None if value is None else require_number(what, value, above=0)


class ToFloat(Pixels):
    """Divide by a number; integers become float32, so bytes become numbers from 0 to 1.

    Parameters
    ----------
    divisor : float, optional
        By default the largest number of the dtype for integers, and 1 for floats.

    >>> ToFloat()((np.array([[0, 51, 255]], dtype="uint8"),), Draws(0, 0, [0]))[0].tolist()
    [[0.0, 0.20000000298023224, 1.0]]
    """

    divisor: float | None = None
    _checks = {"divisor": (_divisor,)}

    def described(self, desc: DataDesc) -> DataDesc:
        return changed(desc, dtype=_floating(desc.dtype))

    def extend(self, chain: Chain, draws: Draws, desc: DataDesc) -> None:
        divisor = self.divisor
        if divisor is None:
            divisor = np.iinfo(chain.dtype).max if chain.dtype.kind in "iu" else 1
        chain.apply(normalised, 0, divisor, dtype=_floating(chain.dtype))


def _numbers(what: str, value: Any) -> float | tuple[float, ...]:
    if np.ndim(value) == 0:
        return require_number(what, value)
    return tuple(require_number(what, v) for v in np.ravel(value).tolist())


class Normalize(Images, Pixels):
    """Subtract a mean and divide by a standard deviation, of all values or of each channel.

    Parameters
    ----------
    mean, std : float, or one for each channel
        std is not 0.
    layout : "HWC", "CHW" or "HW", optional
        Needed for one mean or deviation for each channel.

    >>> x = np.array([[[[1.0, 3.0]]]])
    >>> Normalize((1, 2), (1, 0.5), layout="HWC")((x,), Draws(0, 0, [0]))[0].tolist()
    [[[[0.0, 2.0]]]]
    """

    mean: float | tuple[float, ...] = 0.0
    std: float | tuple[float, ...] = 1.0
    layout: str | None = None
    _checks = {"mean": (_numbers,), "std": (_numbers,)}

    def __post_init__(self) -> None:
        super().__post_init__()
        if 0 in np.atleast_1d(self.std):
            raise ArgumentError(f"{self.name}: std={self.std!r}; expected numbers other than 0")

    def described(self, desc: DataDesc) -> DataDesc:
        for parameter in ("mean", "std"):
            self._shaped(parameter, desc)
        return changed(desc, dtype=_floating(desc.dtype))

    def _shaped(self, parameter: str, desc: DataDesc) -> Array:
        """Return a parameter as an array that broadcasts with a batch."""
        values = np.asarray(getattr(self, parameter), np.float32)
        if not values.ndim:
            return values
        axis = self._axes(desc).channel
        count = 1 if axis is None else desc.shape[axis - 1]
        if len(values) not in {1, count}:
            raise ShapeError(
                f"{self.name}: {parameter} has {len(values)} numbers, column {desc.name!r} images "
                f"of shape {tuple(desc.shape)} with {count} channels; give one number, or one for "
                "each channel"
            )
        return along(values[None], len(desc.shape) + 1, len(desc.shape) if axis is None else axis)

    def extend(self, chain: Chain, draws: Draws, desc: DataDesc) -> None:
        mean, std = self._shaped("mean", desc), self._shaped("std", desc)
        chain.apply(normalised, mean, std, dtype=_floating(chain.dtype))


class _Layout(Images, Pixels):
    """The base of transforms that move the axis of channels."""

    _wanted: ClassVar[str] = "CHW"

    layout: str | None = None

    def described(self, desc: DataDesc) -> DataDesc:
        axes = self._axes(desc)
        shape = list(desc.shape)
        if axes.channel is not None and axes.layout != self._wanted:
            shape.insert(2 if self._wanted == "HWC" else 0, shape.pop(axes.channel - 1))
        return changed(desc, shape=shape, layout="N" + (self._wanted if axes.channel else "HW"))

    def extend(self, chain: Chain, draws: Draws, desc: DataDesc) -> None:
        axes = self._axes(desc)
        if axes.channel is not None and axes.layout != self._wanted:
            chain.move(axes.channel, 3 if self._wanted == "HWC" else 1)


class ToCHW(_Layout):
    """Move channels before height and width.

    Parameters
    ----------
    layout : "HWC" or "CHW", optional
        The layout of the input.

    >>> ToCHW()((np.zeros((5, 8, 9, 3)),), Draws(0, 0, np.arange(5)))[0].shape
    (5, 3, 8, 9)
    """


class ToHWC(_Layout):
    """Move channels after height and width.

    >>> ToHWC()((np.zeros((5, 3, 8, 9)),), Draws(0, 0, np.arange(5)))[0].shape
    (5, 8, 9, 3)
    """

    _wanted = "HWC"


class ToTensor(ToCHW):
    """Convert bytes to float32 from 0 to 1, channels first: ToFloat and ToCHW (MXNet's name).

    Parameters
    ----------
    layout : "HWC" or "CHW", optional
        The layout of the input.

    >>> x = np.full((2, 4, 5, 3), 255, "uint8")
    >>> y = ToTensor()((x,), Draws(0, 0, [0, 1]))[0]
    >>> y.shape, y.dtype, float(y.max())
    ((2, 3, 4, 5), dtype('float32'), 1.0)
    """

    def described(self, desc: DataDesc) -> DataDesc:
        return ToFloat().described(super().described(desc))

    def extend(self, chain: Chain, draws: Draws, desc: DataDesc) -> None:
        ToFloat().extend(chain, draws, desc)
        super().extend(chain, draws, desc)


def _floating(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return np.dtype("float32") if dtype.kind in "iub" else dtype
