"""Decoding and encoding of images by Pillow."""

import io
from dataclasses import dataclass
from typing import Any

import numpy as np

from nbgraph.errors import ArgumentError, DataError, require_word
from nbgraph.io.files import extra
from nbgraph.io.protocol import DataDesc

Image = np.ndarray[Any, np.dtype[Any]]
SUFFIXES = (".jpg", ".jpeg", ".png", ".bmp", ".gif", ".webp", ".tif", ".tiff", ".ppm", ".pgm")
# least and greatest `quality`, its default, and its name in Pillow
_LIMITS = {"JPEG": (1, 100, 95, "quality"), "PNG": (0, 9, 6, "compress_level")}


def pillow() -> Any:
    """Return the module PIL.Image; the extra nbgraph[data] installs it."""
    return extra("PIL.Image", "pillow", "data", "images")


_CHANNELS = {"L": 1, "RGB": 3, "RGBA": 4}


@dataclass(frozen=True)
class ImageDecoder:
    """A decoder of images to arrays: uint8 of (H, W, C), or float32 of (C, H, W) from 0 to 1.

    Parameters
    ----------
    mode : str
        "RGB", "RGBA", or "L" for grey.
    resize : int or (height, width), optional
        The new length of the shorter side, or of both sides. A much larger JPEG is decoded at a
        lower resolution, which is faster.
    layout : str
        "HWC" for uint8, "CHW" for float32.
    """

    mode: str = "RGB"
    resize: int | tuple[int, int] | None = None
    layout: str = "HWC"

    def __post_init__(self) -> None:
        require_word("mode", self.mode, _CHANNELS)
        require_word("layout", self.layout, ("HWC", "CHW"))
        sides = (1,) if self.resize is None else np.atleast_1d(self.resize).tolist()
        if len(sides) > 2 or not all(isinstance(n, int) and n > 0 for n in sides):
            raise ArgumentError(f"resize={self.resize!r}; expected pixels, or (height, width)")

    def desc(self, name: str) -> DataDesc:
        """Return the description of decoded images; extents that vary between images are -1."""
        height, width = self.resize if isinstance(self.resize, tuple) else (-1, -1)
        channels = _CHANNELS[self.mode]
        if self.layout == "CHW":
            return DataDesc(name, (channels, height, width), np.float32, "NCHW")
        return DataDesc(name, (height, width, channels), np.uint8, "NHWC")

    def __call__(self, data: bytes) -> Image:
        """Decode an image to an array; raise DataError if `data` is not an image."""
        pixels = decode(data, self.mode, self.resize)
        pixels = pixels.reshape(*pixels.shape[:2], _CHANNELS[self.mode])
        if self.layout == "HWC":
            return pixels
        return np.multiply(pixels.transpose(2, 0, 1), np.float32(1 / 255), order="C")


def decode(
    data: bytes, mode: str | None = "RGB", resize: int | tuple[int, int] | None = None
) -> Image:
    """Decode an image to a uint8 array (H, W, C), or (H, W) if it has one channel.

    Parameters
    ----------
    data : bytes
        JPEG, PNG or another format that Pillow reads.
    mode : str, optional
        Pillow's name of the colour mode: "RGB", "L", "RGBA", ...; None keeps that of the image.
    resize : int or (height, width), optional
        The new length of the shorter side, or of both sides.

    Raises
    ------
    DataError
        The data are not an image, or are truncated.
    """
    Image = pillow()
    try:
        with Image.open(io.BytesIO(data)) as image:
            if resize is not None and image.format == "JPEG":
                # decode at twice the target size or more, so that the resize can average pixels
                height, width = _target(image.size, resize)
                image.draft(None, (2 * width, 2 * height))
            picture: Any = image
            if image.mode == "P":  # colours of a palette, one of which may be transparent
                picture = image.convert("RGBA" if "transparency" in image.info else "RGB")
            if mode not in {None, picture.mode}:
                picture = picture.convert(mode)
            if resize is not None:
                height, width = _target(image.size, resize)
                picture = picture.resize((width, height), Image.Resampling.BILINEAR)
            return np.array(picture)
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise DataError(f"{len(data)} bytes cannot be decoded as an image: {error}") from error


def described(data: bytes) -> tuple[str, str, tuple[int, int]]:
    """Return format, mode and (width, height) of an encoded image, read from its header."""
    Image = pillow()
    try:
        with Image.open(io.BytesIO(data)) as image:
            return image.format, image.mode, image.size
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise DataError(f"{len(data)} bytes are not an image that Pillow knows: {error}") from error


def converted(data: bytes, format: str) -> bytes:
    """Return an encoded image in the format of a file's suffix, unchanged if it already is."""
    kind, mode, _ = described(data)
    if pillow().registered_extensions().get(format.lower()) == kind:
        return data
    return encode(decode(data, "L" if mode in {"1", "L"} else "RGB"), format=format)


def _target(size: tuple[int, int], resize: int | tuple[int, int]) -> tuple[int, int]:
    """Return the resized (height, width) of an image of (width, height)."""
    if not isinstance(resize, int):
        return resize
    width, height = size
    shorter = min(width, height)
    return max(1, round(height * resize / shorter)), max(1, round(width * resize / shorter))


def encode(image: Any, quality: int | None = None, format: str = ".jpg") -> bytes:
    """Encode a uint8 array (H, W) or (H, W, C) as an image; see `pack_img`."""
    Image = pillow()
    pixels = np.asarray(image)
    if pixels.ndim == 3 and pixels.shape[2] == 1:
        pixels = pixels[..., 0]
    channels = pixels.shape[2] if pixels.ndim == 3 else 1
    if pixels.dtype != np.uint8 or pixels.ndim not in {2, 3} or channels not in {1, 3, 4}:
        raise ArgumentError(
            f"pack_img: an array {pixels.shape} of {pixels.dtype}; expected uint8 of shape (H, W), "
            "(H, W, 3) or (H, W, 4)"
        )
    kind = Image.registered_extensions().get(format.lower())
    if kind is None or kind not in Image.SAVE:
        raise ArgumentError(f"pack_img: img_fmt={format!r}; expected '.jpg', '.png' or another one")
    low, high, usual, option = _LIMITS.get(kind, (1, 100, 95, "quality"))
    quality = usual if quality is None else quality
    if not low <= quality <= high:
        raise ArgumentError(f"pack_img: quality={quality!r}; expected {low} to {high} for {kind}")
    target = io.BytesIO()
    try:
        Image.fromarray(pixels).save(target, kind, **{option: quality})
    except OSError as error:
        raise ArgumentError(f"pack_img: {kind} cannot hold it: {error}") from error
    return target.getvalue()
