"""Images sampled at the coordinates of an affine map, as the text of a kernel.

The coordinate of output pixel (r, q) of image i is (a r + b q + c, d r + e q + f), with six numbers
per image. Outside, the value is `fill`; between pixels, values are interpolated linearly.
"""

import functools
from collections.abc import Sequence

import numpy as np

from nbgraph.kernels.compiler.kernel import Kernel
from nbgraph.kernels.compiler.written import Compute, Record, function, written
from nbgraph.settings import config
from nbgraph.shape import Array

DTYPES: dict[str, Compute] = {"uint8": "float32", "float32": "float32", "float64": "float64"}
_STRIDES = ("image", "row", "column", "channel")
_RECORD = Record(
    ("height", "width"),
    ("x", "out", "maps"),
    (
        *("rows", "columns", "channels", "fill", "nearest"),
        *(f"{which}_{axis}" for which in ("x", "out") for axis in _STRIDES),
    ),
)


def warp(x: Array, out: Array, maps: Array, fill: float, *, nearest: bool = False) -> None:
    """Fill `out` (n, rows, columns, channels) with `x` (n, height, width, channels) sampled at
    `maps`, float64 (n, 6), row-major. Arrays have one dtype of DTYPES, any strides."""
    compute = DTYPES[out.dtype.name]
    word = int.from_bytes(np.array(fill, compute).tobytes().ljust(8, b"\0"), "little", signed=True)
    size = x.itemsize
    strides = [s // size for array in (x, out) for s in array.strides]
    addresses = [a.ctypes.data for a in (x, out, maps)]
    record = (*x.shape[1:3], *addresses, *out.shape[1:], word, int(nearest), *strides)
    _kernel(out.dtype.name, str(config.compiler)).run(np.array(record, np.int64), 0, len(out))


@functools.lru_cache(maxsize=8)
def _kernel(dtype: str, compiler: str) -> Kernel:
    return written(f"warp_{dtype}", _text(dtype), DTYPES[dtype])


def _place(k: int) -> str:
    a, b, c = (f"load(m, i * 6 + {j})" for j in range(k, k + 3))
    return f"u = {a} * float64(y) + {b} * float64(z) + {c}"


def _along(axis: str, extent: str) -> Sequence[str]:
    """Return lines for the pixel before a coordinate `u`, counted from 1, and the fraction."""
    return [
        f"u = select(u < -1.0, -1.0, select(u > float64({extent}), float64({extent}), u)) + 1.0",
        "u = select(nearest != 0, float64(int64(u + 0.5)), u)",
        f"{axis} = int64(u)",
        f"{axis}_part = {{compute}}(u - float64({axis}))",
    ]


def _pixel(k: int, r: str, q: str) -> Sequence[str]:
    """Return lines that test whether pixel k is inside, and compute its offset."""
    return [
        f"r, q = {r} - 1, {q} - 1",
        f"inside{k} = (r >= 0) & (r < height) & (q >= 0) & (q < width)",
        f"place{k} = select(inside{k}, i * x_image + r * x_row + q * x_column, int64(0))",
    ]


def _value(k: int) -> str:
    """Return the line that reads pixel k, or `fill` outside."""
    return f"v{k} = select(inside{k}, {{compute}}(load(x_p, place{k} + k * x_channel)), outside)"


def _text(dtype: str) -> str:
    compute = DTYPES[dtype]
    # values of uint8 are interpolated, so the sum is in range
    stored = "uint8(int64(v + float32(0.5)))" if dtype == "uint8" else "v"
    channel = [
        *map(_value, range(4)),
        "upper = v0 + (v1 - v0) * column_part",
        "lower = v2 + (v3 - v2) * column_part",
        "v = upper + (lower - upper) * row_part",
        f"store(out_p, at + k * out_channel, {stored})",
    ]
    pixel = [
        _place(0),
        *_along("row", "height"),
        _place(3),
        *_along("column", "width"),
        *_pixel(0, "row", "column"),
        *_pixel(1, "row", "column + 1"),
        *_pixel(2, "row + 1", "column"),
        *_pixel(3, "row + 1", "column + 1"),
        "at = i * out_image + y * out_row + z * out_column",
        "for k in range(channels):",
        *("    " + line for line in channel),
    ]
    return function(
        f"def warp_{dtype}(args, lo, hi):",
        *_RECORD.reading(),
        f"x_p, out_p, m = {dtype}_pointer(x), {dtype}_pointer(out), float64_pointer(maps)",
        f"outside = {compute}_word(args, {_RECORD.place('fill')})",
        "for i in range(lo, hi):",
        "    for y in range(rows):",
        "        for z in range(columns):",
        *("            " + line.format(compute=compute) for line in pixel),
        "return 0",
    )
