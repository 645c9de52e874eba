"""Transforms that resize images by Pillow, which averages pixels for a smaller size."""

from collections.abc import Sequence

import numpy as np

from nbgraph.errors import require_whole, require_word
from nbgraph.io.files import extra
from nbgraph.io.protocol import DataDesc
from nbgraph.io.transforms.base import changed, interval, pair
from nbgraph.io.transforms.draws import Draws
from nbgraph.io.transforms.images import Axes, Images, as_before, channels_last, resized
from nbgraph.shape import Array

Box = tuple[float, float, float, float]  # left, upper, right, lower
FILTERS = {"nearest": 0, "lanczos": 1, "linear": 2, "cubic": 3, "box": 4}  # Pillow's numbers
_ATTEMPTS = 10


class Resize(Images):
    """Resize each image to another height and width.

    Parameters
    ----------
    size : int or (height, width)
    keep_ratio : bool
        With an int `size`: that of the shorter side; the longer one keeps the aspect ratio.
    interpolation : "linear", "nearest", "box", "cubic" or "lanczos"
    layout : "HWC", "CHW" or "HW", optional

    uint8 images of 1, 3 or 4 channels are resized as by Pillow; other images as float32, channel
    by channel, and integers are rounded.

    >>> x = np.arange(16, dtype="float32").reshape(1, 4, 4)
    >>> Resize(2, interpolation="box")((x,), Draws(0, 0, [0]))[0].tolist()
    [[[2.5, 4.5], [10.5, 12.5]]]
    """

    size: int | tuple[int, int]
    keep_ratio: bool = False
    interpolation: str = "linear"
    layout: str | None = None
    _checks = {"interpolation": (require_word, tuple(FILTERS))}

    def __post_init__(self) -> None:
        size = require_whole if self.keep_ratio else pair
        self._set(size=size(f"{self.name}: size", self.size))
        super().__post_init__()

    def described(self, desc: DataDesc) -> DataDesc:
        axes = self._axes(desc)
        size = self._size(desc.shape[axes.height - 1], desc.shape[axes.width - 1])
        return changed(desc, shape=resized(desc, axes, size))

    def _size(self, height: int, width: int) -> tuple[int, int]:
        if isinstance(self.size, tuple):
            return self.size
        if -1 in (height, width):
            return -1, -1
        by = self.size / min(height, width)
        return max(self.size, round(height * by)), max(self.size, round(width * by))

    def apply(self, x: Array, draws: Draws, desc: DataDesc) -> Array:
        axes = self._axes(desc)
        height, width = x.shape[axes.height], x.shape[axes.width]
        boxes = [(0, 0, width, height)] * len(x)
        return _resized(x, axes, boxes, self._size(height, width), self.interpolation)


class RandomResizedCrop(Images):
    """Cut a rectangle of random area and shape out of each image, and resize it.

    Parameters
    ----------
    size : int or (height, width)
    scale : (low, high)
        The rectangle's area as a share of the image's.
    ratio : (low, high)
        The rectangle's width divided by its height.
    interpolation, layout : see Resize

    If none of ten random rectangles lies within an image, the largest rectangle in its middle
    with a shape within `ratio` is cut.

    >>> x = np.zeros((2, 8, 8, 3), "uint8")
    >>> RandomResizedCrop(4)((x,), Draws(0, 0, [0, 1]))[0].shape
    (2, 4, 4, 3)
    """

    size: int | tuple[int, int]
    scale: tuple[float, float] = (0.08, 1.0)
    ratio: tuple[float, float] = (3 / 4, 4 / 3)
    interpolation: str = "linear"
    layout: str | None = None
    _checks = {
        "size": (pair,),
        "scale": (interval, 1e-6),
        "ratio": (interval, 1e-6),
        "interpolation": (require_word, tuple(FILTERS)),
    }

    def described(self, desc: DataDesc) -> DataDesc:
        size = pair(f"{self.name}: size", self.size)
        return changed(desc, shape=resized(desc, self._axes(desc), size))

    def apply(self, x: Array, draws: Draws, desc: DataDesc) -> Array:
        axes = self._axes(desc)
        boxes = self._boxes(x.shape[axes.height], x.shape[axes.width], draws)
        size = pair(f"{self.name}: size", self.size)
        return _resized(x, axes, boxes, size, self.interpolation)

    def _boxes(self, height: int, width: int, draws: Draws) -> list[Box]:
        area = draws.uniform((_ATTEMPTS,), *self.scale).astype(np.float64) * height * width
        ratio = np.exp(draws.uniform((_ATTEMPTS,), *np.log(self.ratio)).astype(np.float64))
        place = draws.uniform((2,))
        w, h = np.rint(np.sqrt(area * ratio)), np.rint(np.sqrt(area / ratio))
        fits = (w > 0) & (w <= width) & (h > 0) & (h <= height)
        chosen = np.arange(len(draws)), fits.argmax(axis=1)
        low, high = self.ratio
        middle = (min(width, max(1, round(height * high))), min(height, max(1, round(width / low))))
        any_fits = fits.any(axis=1)
        w, h = (np.where(any_fits, v[chosen], m) for v, m in zip((w, h), middle))
        top = np.where(any_fits, np.floor(place[:, 0] * (height - h + 1)), (height - h) // 2)
        left = np.where(any_fits, np.floor(place[:, 1] * (width - w + 1)), (width - w) // 2)
        return list(zip(*(v.tolist() for v in (left, top, left + w, top + h)), strict=True))


def _resized(
    x: Array, axes: Axes, boxes: Sequence[Box], size: tuple[int, int], interpolation: str
) -> Array:
    """Return each image's box, resized to `size`."""
    image = extra("PIL.Image", "pillow", "data", "Resize, RandomResizedCrop")
    images, method, shape = channels_last(x, axes), FILTERS[interpolation], size[::-1]
    if x.dtype == np.uint8 and images.shape[3] in (1, 3, 4):
        planes = images[..., 0] if images.shape[3] == 1 else images
        resized_planes = [
            np.asarray(image.fromarray(np.ascontiguousarray(one)).resize(shape, method, box))
            for one, box in zip(planes, boxes, strict=True)
        ]
        stack = (
            np.stack(resized_planes)
            if resized_planes
            else np.empty((0, *size, images.shape[3]), x.dtype)
        )
        return as_before(stack.reshape(len(x), *size, images.shape[3]), axes)
    out = np.empty((len(x), *size, images.shape[3]), np.float32)
    for i, box in enumerate(boxes):
        for k in range(images.shape[3]):
            plane = image.fromarray(np.ascontiguousarray(images[i, ..., k], np.float32))
            out[i, ..., k] = plane.resize(shape, method, box)
    if x.dtype.kind in "iu":
        ends = np.iinfo(x.dtype)
        out = np.rint(out).clip(ends.min, ends.max)
    return as_before(out.astype(x.dtype, copy=False), axes)
