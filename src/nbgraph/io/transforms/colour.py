"""Transforms of brightness and colour.

Integers are clipped to the range of their dtype; floats are not clipped.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from nbgraph.errors import ShapeError, require_number, require_word
from nbgraph.io.protocol import DataDesc
from nbgraph.io.transforms.base import changed, interval
from nbgraph.io.transforms.chain import Chain, Pixels, Several, along
from nbgraph.io.transforms.draws import Draws
from nbgraph.io.transforms.functions import blended, scaled, shifted
from nbgraph.io.transforms.images import Axes, Images
from nbgraph.shape import Array

LUMA = np.array([0.299, 0.587, 0.114])  # perceived brightness of red, green and blue
_YIQ = np.array([[0.299, 0.587, 0.114], [0.596, -0.274, -0.321], [0.211, -0.523, 0.311]])
# variances of the colours of ImageNet's pixels, and their directions (Krizhevsky et al., 2012)
_DEVIATIONS = np.array([55.46, 4.794, 1.148])
_DIRECTIONS = np.array(
    [[-0.5675, 0.7192, 0.4009], [-0.5808, -0.0045, -0.8140], [-0.5836, -0.6948, 0.4203]]
)


class _Factor(Images, Pixels):
    """The base of transforms with a random factor for each sample."""

    amount: float | tuple[float, float]
    layout: str | None = None
    _checks = {"amount": (interval, 0, 1)}

    def _factors(self, draws: Draws) -> Array:
        return draws.uniform((), *interval(f"{self.name}: amount", self.amount))


class _Colours(Images, Pixels):
    """The base of transforms of images with three channels."""

    def described(self, desc: DataDesc) -> DataDesc:
        self._three(desc)
        return desc

    def _three(self, desc: DataDesc) -> int:
        """Return the axis of the three channels; raise ShapeError for other images."""
        axes = self._axes(desc)
        if axes.channel is None or desc.shape[axes.channel - 1] != 3:
            raise ShapeError(
                f"{self.name}: column {desc.name!r} has images of shape {tuple(desc.shape)}, "
                f"layout {axes.layout}; expected three channels: red, green, blue"
            )
        return axes.channel


class RandomBrightness(_Factor):
    """Multiply each image by a random factor.

    Parameters
    ----------
    amount : float r for factors from max(0, 1 - r) to 1 + r, or (low, high)
    layout : "HWC", "CHW" or "HW", optional

    >>> x = np.array([[[100, 200]]], dtype="uint8")
    >>> RandomBrightness((1.5, 1.5))((x,), Draws(0, 0, [0]))[0].tolist()
    [[[150, 255]]]
    """

    def extend(self, chain: Chain, draws: Draws, desc: DataDesc) -> None:
        chain.apply(scaled, _of_samples(self._factors(draws), chain))


class RandomContrast(_Factor):
    """Move the pixels of each image away from its mean grey, or towards it, by a random factor.

    Parameters
    ----------
    amount : float r for factors from max(0, 1 - r) to 1 + r, or (low, high)
    layout : "HWC", "CHW" or "HW", optional

    >>> x = np.array([[[1.0, 3.0]]])
    >>> RandomContrast((2.0, 2.0))((x,), Draws(0, 0, [0]))[0].tolist()
    [[[0.0, 4.0]]]
    """

    def extend(self, chain: Chain, draws: Draws, desc: DataDesc) -> None:
        axes, x = self._axes(desc), chain.values()
        means = _means(x, axes)
        colours = 1 if means.ndim == 1 else means.shape[1]
        grey = means @ LUMA if colours == 3 else means.reshape(len(x), colours).mean(1)
        chain.apply(blended, _of_samples(grey, chain), _of_samples(self._factors(draws), chain))


class RandomSaturation(_Colours, _Factor):
    """Move the colours of each image away from their greys, or towards them, by a random factor.

    Parameters
    ----------
    amount : float r for factors from max(0, 1 - r) to 1 + r, or (low, high)
    layout : "HWC", "CHW" or "HW", optional

    Images have three channels.

    >>> x = np.array([[[[255, 0, 0]]]], dtype="uint8")
    >>> RandomSaturation((0.0, 0.0))((x,), Draws(0, 0, [0]))[0].tolist()
    [[[[76, 76, 76]]]]
    """

    def extend(self, chain: Chain, draws: Draws, desc: DataDesc) -> None:
        axis = self._three(desc)
        factor = self._factors(draws)[:, None, None]
        chain.mix(factor * np.eye(3) + (1 - factor) * np.tile(LUMA, (3, 1)), axis)


class RandomHue(_Colours):
    """Rotate the colours of each image about the axis of greys, by a random angle.

    Parameters
    ----------
    amount : float r for (-r, r), or (low, high)
        The angle as a share of half a turn, from -1 to 1.
    layout : "HWC" or "CHW", optional

    Colours are rotated in YIQ, as in MXNet, so that their luma stays.

    >>> x = np.array([[[[0.5, 0.5, 0.5]]]])
    >>> RandomHue(0.5)((x,), Draws(0, 0, [0]))[0].round(2).tolist()
    [[[[0.5, 0.5, 0.5]]]]
    """

    amount: float | tuple[float, float]
    layout: str | None = None
    _checks = {"amount": (interval, -1, 0)}

    def __post_init__(self) -> None:
        super().__post_init__()
        require_number(
            f"{self.name}: amount", interval(f"{self.name}: amount", self.amount)[1], -1, 1
        )

    def extend(self, chain: Chain, draws: Draws, desc: DataDesc) -> None:
        axis = self._three(desc)
        low, high = interval(f"{self.name}: amount", self.amount)
        angle = np.pi * draws.uniform((), low, high).astype(np.float64)
        turn = np.tile(np.eye(3), (len(draws), 1, 1))
        turn[:, 1, 1] = turn[:, 2, 2] = np.cos(angle)
        turn[:, 2, 1] = np.sin(angle)
        turn[:, 1, 2] = -turn[:, 2, 1]
        chain.mix(np.linalg.inv(_YIQ) @ turn @ _YIQ, axis)


class Grayscale(_Colours):
    """Convert colours to greys of the same perceived brightness.

    Parameters
    ----------
    channels : 1 or 3
        Number of channels of the result, which are equal.
    layout : "HWC" or "CHW", optional

    >>> x = np.array([[[[100, 50, 200]]]], dtype="uint8")
    >>> Grayscale()((x,), Draws(0, 0, [0]))[0].tolist()
    [[[[82]]]]
    """

    channels: int = 1
    layout: str | None = None
    _checks = {"channels": (require_word, (1, 3))}

    def described(self, desc: DataDesc) -> DataDesc:
        axis = self._three(desc)
        shape = list(desc.shape)
        shape[axis - 1] = self.channels
        return changed(desc, shape=shape)

    def extend(self, chain: Chain, draws: Draws, desc: DataDesc) -> None:
        axis = self._three(desc)
        chain.mix(np.tile(LUMA, (len(draws), self.channels, 1)), axis)


class RandomLighting(_Colours):
    """Add a random colour to each image, along the principal components of colours in ImageNet.

    Parameters
    ----------
    alpha : float
        Standard deviation of the share of each direction (AlexNet's noise: 0.1).
    layout : "HWC" or "CHW", optional

    Values are assumed to reach 255 for integers, and 1 for floats.

    >>> x = np.zeros((1, 1, 1, 3), "float32")
    >>> RandomLighting(0.0)((x,), Draws(0, 0, [0]))[0].tolist()
    [[[[0.0, 0.0, 0.0]]]]
    """

    alpha: float
    layout: str | None = None
    _checks = {"alpha": (require_number, 0)}

    def extend(self, chain: Chain, draws: Draws, desc: DataDesc) -> None:
        axis = self._three(desc)
        shares = draws.normal((3,), 0.0, self.alpha) * _DEVIATIONS
        colours = shares @ _DIRECTIONS.T / (1 if chain.dtype.kind in "iu" else 255)
        chain.apply(shifted, along(colours, len(chain.shape), axis))


class RandomColorJitter(Several):
    """Change brightness, contrast, saturation and hue at random, in this order.

    Parameters
    ----------
    brightness, contrast, saturation : float r for factors from max(0, 1 - r) to 1 + r
    hue : float r for (-r, r)
    layout : "HWC" or "CHW", optional

    A parameter of 0 has no effect; see RandomBrightness and the others.

    >>> RandomColorJitter(brightness=0.4, contrast=0.4)
    RandomColorJitter(brightness=0.4, contrast=0.4)
    """

    brightness: float = 0.0
    contrast: float = 0.0
    saturation: float = 0.0
    hue: float = 0.0
    layout: str | None = None

    _checks = dict.fromkeys(("brightness", "contrast", "saturation", "hue"), (require_number, 0))

    def __post_init__(self) -> None:
        super().__post_init__()
        self.parts()

    def parts(self) -> list[tuple[str, Pixels]]:
        amounts = {make: getattr(self, parameter) for parameter, make in _JITTER.items()}
        active = [make(amount, layout=self.layout) for make, amount in amounts.items() if amount]
        return [(one.name, one) for one in active]


_JITTER: Mapping[str, Any] = {
    "brightness": RandomBrightness,
    "contrast": RandomContrast,
    "saturation": RandomSaturation,
    "hue": RandomHue,
}


class RandomNoise(Pixels):
    """Add normal noise to each element.

    Parameters
    ----------
    deviation : float

    >>> x = np.zeros((1, 4), "float32")
    >>> RandomNoise(0.0)((x,), Draws(0, 0, [0]))[0].tolist()
    [[0.0, 0.0, 0.0, 0.0]]
    """

    deviation: float
    _checks = {"deviation": (require_number, 0)}

    def extend(self, chain: Chain, draws: Draws, desc: DataDesc) -> None:
        noise = draws.normal(chain.shape[1:], 0.0, self.deviation)
        chain.apply(shifted, noise)


def _means(x: Array, axes: Axes) -> Array:
    """Return the mean of each image, or of each of its channels, row by row."""
    rows = x.shape[axes.height]
    if axes.channel == 3:
        sums = x.reshape(len(x), rows, x.shape[2] * x.shape[3]).sum(1, np.float64)
        sums = sums.reshape(len(x), *x.shape[2:]).sum(1)
    else:
        sums = x.sum(axes.height, np.float64).sum(-1)
    return sums / (rows * x.shape[axes.width])


def _of_samples(values: Array, chain: Chain) -> Array:
    """Return a value for each sample as an array that broadcasts with a batch."""
    return np.asarray(values, np.float32).reshape(-1, *[1] * (len(chain.shape) - 1))
