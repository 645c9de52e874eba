"""Display of images and bytes as lines of text, for the command line."""

import shutil
import sys
from typing import Any

import numpy as np

from nbgraph.io.images import pillow

_SHADES = " .:-=+*#%@"


def picture(pixels: np.ndarray[Any, Any], width: int = 0, *, colour: bool | None = None) -> str:
    """Return an image as text: half blocks in colour, or plain characters by brightness.

    Parameters
    ----------
    pixels : uint8 array (H, W, 3)
    width : int
        In characters; 0: the width of the image, or as much as fits into the terminal.
    colour : bool, optional
        By default whether standard output is a terminal.

    >>> print(picture(np.uint8([[[0] * 3, [255] * 3]] * 2), colour=False))
     @
    """
    columns, lines = shutil.get_terminal_size()
    tall, wide = pixels.shape[:2]
    width = width or max(1, min(wide, columns, 2 * lines * wide // tall))
    height = 2 * max(1, round(tall * width / wide / 2))
    box = pillow().Resampling.BOX  # means of rectangles
    small = np.asarray(pillow().fromarray(pixels).resize((width, height), box))
    if sys.stdout.isatty() if colour is None else colour:
        return "\n".join(_blocks(small[i], small[i + 1]) for i in range(0, height, 2))
    grey = small.reshape(height // 2, 2, width, 3).mean((1, 3))
    shades = (grey * len(_SHADES) / 256).astype(int)
    return "\n".join("".join(_SHADES[k] for k in row) for row in shades)


def _blocks(upper: np.ndarray[Any, Any], lower: np.ndarray[Any, Any]) -> str:
    """Return two rows of pixels as a line of half blocks on a coloured background."""
    cells = [
        "\x1b[38;2;{};{};{}m\x1b[48;2;{};{};{}m▀".format(*a, *b)
        for a, b in zip(upper.tolist(), lower.tolist())
    ]
    return "".join(cells) + "\x1b[0m"


def hexadecimal(data: bytes, limit: int = 256) -> str:
    """Return a hex dump of the first `limit` bytes, 16 per line.

    >>> print(hexadecimal(b"abc"))
    00000000  61 62 63                                         abc
    """
    lines: list[str] = []
    for at in range(0, min(len(data), limit), 16):
        piece = data[at : min(at + 16, limit)]
        letters = "".join(chr(b) if 32 <= b < 127 else "." for b in piece)
        lines.append(f"{at:08x}  {piece.hex(' '):<47}  {letters}")
    if len(data) > limit:
        lines.append(f"... {len(data) - limit} more bytes")
    return "\n".join(lines)
