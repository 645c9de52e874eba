"""The affine transform of images: rotation, translation, scaling and shear."""

from typing import Any

import numpy as np

from nbgraph.errors import require_number, require_word
from nbgraph.io.protocol import DataDesc
from nbgraph.io.transforms.base import interval
from nbgraph.io.transforms.draws import Draws
from nbgraph.io.transforms.images import Images, channels_last
from nbgraph.shape import Array


def _shares(what: str, value: Any) -> tuple[float, ...]:
    both = value if isinstance(value, (tuple, list)) and len(value) == 2 else (value, value)
    return tuple(require_number(what, share, 0, 1) for share in both)


class RandomAffine(Images):
    """Rotate, scale, shear and move each image about its middle, at random.

    Parameters
    ----------
    degrees : float r for (-r, r), or (low, high)
        Angle of rotation, counter-clockwise.
    translate : float or (rows, columns), from 0 to 1
        Largest distance, as a share of height and width.
    scale : (low, high)
        Factors, larger than 0.
    shear : float r for (-r, r), or (low, high)
        Degrees by which columns lean to the right.
    interpolation : "linear" or "nearest"
    fill : float
        Value of pixels outside of the input image.
    layout : "HWC", "CHW" or "HW", optional

    Integers other than uint8 are interpolated in float64 and rounded.

    >>> x = np.array([[[1.0, 2.0], [3.0, 4.0]]])
    >>> RandomAffine(degrees=(90, 90))((x,), Draws(0, 0, [0]))[0].round(6).tolist()
    [[[2.0, 4.0], [1.0, 3.0]]]
    """

    degrees: float | tuple[float, float] = (0.0, 0.0)
    translate: float | tuple[float, float] = (0.0, 0.0)
    scale: tuple[float, float] = (1.0, 1.0)
    shear: float | tuple[float, float] = (0.0, 0.0)
    interpolation: str = "linear"
    fill: float = 0
    layout: str | None = None

    _checks = {
        "degrees": (interval, -np.inf, 0),
        "translate": (_shares,),
        "scale": (interval, 1e-3),
        "shear": (interval, -np.inf, 0),
        "interpolation": (require_word, ("linear", "nearest")),
    }

    def apply(self, x: Array, draws: Draws, desc: DataDesc) -> Array:
        from nbgraph.kernels.windows.warp import DTYPES, warp

        axes = self._axes(desc)
        plain = x if x.dtype.name in DTYPES else x.astype("float64")
        out = np.empty(plain.shape, plain.dtype)
        size = x.shape[axes.height], x.shape[axes.width]
        source, target = channels_last(plain, axes), channels_last(out, axes)
        nearest = self.interpolation == "nearest"
        warp(source, target, self._maps(size, draws), self.fill, nearest=nearest)
        out = np.rint(out) if x.dtype.kind in "iu" and out.dtype != x.dtype else out
        return out.astype(x.dtype, copy=False)

    def _maps(self, size: tuple[int, int], draws: Draws) -> Array:
        """Return for each sample the map from output pixels to input positions: rows (r, q, 1)."""
        angle, lean = (
            np.radians(draws.uniform((), *interval(f"{self.name}: ", ends)).astype(np.float64))
            for ends in (self.degrees, self.shear)
        )
        factor = draws.uniform((), *self.scale).astype(np.float64)
        moved = draws.uniform((2,), -1.0, 1.0) * np.multiply(self.translate, size)
        cos, sin, tan = np.cos(angle), np.sin(angle), np.tan(lean)
        # on (row, column): rows point down, so a turn to the left moves the right side up
        turn = np.array([[cos, -sin], [sin, cos]]).transpose(2, 0, 1)
        shear = np.array([[np.ones_like(tan), 0 * tan], [-tan, np.ones_like(tan)]])
        forward = turn @ shear.transpose(2, 0, 1) * factor[:, None, None]
        back = np.linalg.inv(forward)
        middle = (np.array(size) - 1) / 2
        start = middle - (back @ (middle + moved)[..., None])[..., 0]
        return np.ascontiguousarray(np.concatenate([back, start[..., None]], axis=2))
