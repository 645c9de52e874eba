"""The base of transforms of images, and the axes of an image: height, width and channels."""

from typing import NamedTuple

import numpy as np

from nbgraph.errors import ShapeError, require_number, require_word
from nbgraph.io.protocol import DataDesc
from nbgraph.io.transforms.base import ColumnTransform, require_fits
from nbgraph.shape import Array

IS_LAYOUT = require_word, ("HWC", "CHW", "HW", None)  # None: the column's layout
_CHANNELS = (3, 4, 1)  # extents by which an axis of channels is recognised


class Axes(NamedTuple):
    """The axes of height, width and channels (None without channels) in a batch (n, *sample)."""

    height: int
    width: int
    channel: int | None

    @property
    def layout(self) -> str:
        """The axes of a sample as letters, such as "HWC"."""
        if self.channel is None:
            return "HW"
        return "CHW" if self.channel == 1 else "HWC"


_AXES = {"HWC": Axes(1, 2, 3), "CHW": Axes(2, 3, 1), "HW": Axes(1, 2, None)}


def axes_of(name: str, desc: DataDesc, layout: str | None = None) -> Axes:
    """Return the axes of a column of images.

    `layout`, from the user, has precedence over that of the description. Without either one the
    channels are the axis of extent 3, or else of 4, or of 1. Raises ShapeError where this is
    ambiguous.
    """
    shape = tuple(desc.shape)
    stated = layout or desc.layout.removeprefix("N")
    if stated in _AXES and len(stated) == len(shape):
        return _AXES[stated]
    if layout is None and len(shape) == 2:
        return _AXES["HW"]
    if layout is None and len(shape) == 3:
        for count in _CHANNELS:
            last, first = shape[2] == count, shape[0] == count
            if last != first:
                return _AXES["HWC" if last else "CHW"]
    raise ShapeError(
        f"{name}: column {desc.name!r} has samples of shape {shape}, layout "
        f"{stated or 'not known'}; expected images (height, width), (height, width, "
        "channels) or (channels, height, width); give layout='HWC' or 'CHW', or on= another column"
    )


class Images(ColumnTransform):
    """A transform of images with a parameter `layout`."""

    _checks = {"p": (require_number, 0, 1), "fill": (require_number,), "layout": IS_LAYOUT}

    def _axes(self, desc: DataDesc) -> Axes:
        return axes_of(self.name, desc, vars(self)["layout"])

    def described(self, desc: DataDesc) -> DataDesc:
        self._axes(desc)
        if "fill" in vars(self):
            require_fits(self.name, "fill", vars(self)["fill"], desc)
        return desc


def resized(desc: DataDesc, axes: Axes, size: tuple[int, int]) -> tuple[int, ...]:
    """Return the shape of a sample with another height and width."""
    shape = list(desc.shape)
    shape[axes.height - 1], shape[axes.width - 1] = size
    return tuple(shape)


def channels_last(x: Array, axes: Axes) -> Array:
    """Return images as a view (n, height, width, channels)."""
    if axes.channel is None:
        return x[..., None]
    return np.moveaxis(x, axes.channel, 3)


def as_before(x: Array, axes: Axes) -> Array:
    """Return images (n, height, width, channels) in the layout of `axes`, row-major."""
    if axes.channel is None:
        return np.ascontiguousarray(x[..., 0])
    return np.ascontiguousarray(np.moveaxis(x, 3, axes.channel))
