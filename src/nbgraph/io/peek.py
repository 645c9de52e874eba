"""Display of a batch: images as a contact sheet, other arrays as a table."""

import base64
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from nbgraph.errors import DataError, ShapeError
from nbgraph.io.files import extra
from nbgraph.io.images import pillow
from nbgraph.io.protocol import DataBatch, DataDesc, DataIter
from nbgraph.io.source import Values
from nbgraph.picture import columns, escape, html_table

_SHOWN = 16  # default number of samples
_LEAST = 8  # least height and width of a grey image whose layout is unknown
_SMALL, _LARGE = 48, 160  # least and greatest width of a displayed image in pixels
_SHORT = 6  # longest array whose values the table lists


class Peek:
    """A view of the first samples of a batch: pictures in a notebook, a table in a terminal.

    Parameters
    ----------
    batch : DataBatch
    descs : DataDesc of each array of the batch, with or without the axis of samples
    classes : names of classes, optional
    count : int
        How many samples are shown.

    >>> from nbgraph.io.arrays import NDArrayIter
    >>> it = NDArrayIter({"x": np.arange(6.0).reshape(3, 2)}, np.arange(3), batch_size=2)
    >>> print(Peek(it.next(), [*it.provide_data, *it.provide_label]))
    sample  x       softmax_label
    0       [0, 1]  0
    1       [2, 3]  1
    """

    def __init__(
        self,
        batch: DataBatch,
        descs: Sequence[DataDesc],
        classes: Sequence[str] | None = None,
        count: int = _SHOWN,
    ) -> None:
        self.names = [desc.name for desc in descs]
        total = len(batch[0]) - batch.pad
        self.values = [np.asarray(array)[: min(count, total)] for array in batch]
        self.left = total - len(self.values[0])
        numbers = np.arange(total) if batch.index is None else batch.index
        self.numbers = [int(n) for n in numbers[: len(self.values[0])]]
        self.classes = classes
        self._labels = set(self.names[len(batch.data) :])
        self._images = [
            pixels(values, desc.layout) if desc.name not in self._labels else None
            for values, desc in zip(self.values, descs, strict=True)
        ]

    def __str__(self) -> str:
        rows = [("sample", *self.names)]
        for i, number in enumerate(self.numbers):
            rows.append((str(number), *self._cells(i)))
        more = f"\n... and {self.left} more" if self.left else ""
        return "\n".join(line.rstrip() for line in columns(rows).split("\n")) + more

    __repr__ = __str__

    def _cells(self, i: int) -> list[str]:
        """Return the row of the table for sample `i`."""
        cells: list[str] = []
        for name, values in zip(self.names, self.values, strict=True):
            cells.append(self._class(values[i]) if name in self._labels else _text(values[i]))
        return cells

    def _class(self, label: Any) -> str:
        names = self.classes
        if names is not None and np.ndim(label) == 0 and 0 <= label < len(names):
            return f"{int(label)} {names[int(label)]}"
        return _text(label)

    def _caption(self, i: int) -> str:
        labels = [
            self._class(values[i])
            for name, values in zip(self.names, self.values, strict=True)
            if name in self._labels
        ]
        return ", ".join(labels) or str(self.numbers[i])

    def _repr_html_(self) -> str:
        """Return HTML of the images with their labels below, and a table of the other arrays."""
        parts = ["<div>"]
        for name, images in zip(self.names, self._images, strict=True):
            if images is None:
                continue
            parts.append(f"<div>{escape(name)}</div><div style='display:flex;flex-wrap:wrap'>")
            for i, image in enumerate(images):
                data = base64.b64encode(_png(image)).decode()
                parts.append(
                    "<figure style='margin:4px;text-align:center'>"
                    f"<img src='data:image/png;base64,{data}' width='{_across(image)}'"
                    " style='image-rendering:pixelated'>"
                    f"<figcaption>{escape(self._caption(i))}</figcaption></figure>"
                )
            parts.append("</div>")
        plain = [k for k, images in enumerate(self._images) if images is None]
        if any(self.names[k] not in self._labels for k in plain) or len(plain) == len(self.names):
            parts.append(self._table(plain))
        if self.left:
            parts.append(f"<div>... and {self.left} more</div>")
        return "".join([*parts, "</div>"])

    def _table(self, places: Sequence[int]) -> str:
        cells = [self._cells(i) for i in range(len(self.numbers))]
        rows = [[str(n), *(row[k] for k in places)] for n, row in zip(self.numbers, cells)]
        return html_table(["sample", *(self.names[k] for k in places)], rows)

    def _repr_png_(self) -> bytes | None:
        """Return the contact sheet as PNG, or None if there are no images."""
        images = next((candidate for candidate in self._images if candidate is not None), None)
        return None if images is None or not len(images) else _png(self._sheet(images))

    def save(self, path: Any) -> None:
        """Write the contact sheet to a PNG file; raise DataError if there are no images."""
        data = self._repr_png_()
        if data is None:
            raise DataError("peek: the batch has no images to show")
        Path(path).write_bytes(data)

    def _sheet(self, images: Values) -> Values:
        """Return one image of all images with their captions, in a nearly square grid."""
        drawing = extra("PIL.ImageDraw", "pillow", "data", "peek")
        image = pillow()
        across = max(1, round(len(images) ** 0.5 * 1.3))
        size = _across(images[0])
        height = max(1, round(size * images.shape[1] / images.shape[2]))
        cell = size + 6, height + 18
        rows = -(-len(images) // across)
        sheet = image.new("RGB", (across * cell[0], rows * cell[1]), "white")
        pen = drawing.Draw(sheet)
        for i, each in enumerate(images):
            left, top = i % across * cell[0] + 3, i // across * cell[1] + 3
            sheet.paste(image.fromarray(each).resize((size, height), 0), (left, top))
            pen.text((left, top + height), self._caption(i)[: size // 6], fill="black")
        return np.asarray(sheet)


def described(it: DataIter, batch: DataBatch) -> list[DataDesc]:
    """Return descriptions of the arrays of a batch of `it`, with default names if it has none."""
    descs = [*it.provide_data, *it.provide_label]
    if len(descs) != len(batch):
        names = [f"data{k}" for k in range(len(batch.data))]
        names += [f"label{k}" for k in range(len(batch.label))]
        descs = [DataDesc(name, x.shape, x.dtype) for name, x in zip(names, batch, strict=True)]
    return descs


def pixels(values: Values, layout: str) -> Values | None:
    """Return images as uint8 of shape (n, height, width) or (n, height, width, 3 or 4), or None if
    `values` are not images. Floats outside of 0 to 1 (normalised images) are rescaled."""
    from nbgraph.io.transforms.images import axes_of, channels_last

    if values.dtype.kind not in "uif" or not values.size:
        return None
    try:
        axes = axes_of("peek", DataDesc("", values.shape[1:], values.dtype, layout))
    except ShapeError:
        return None
    images = channels_last(values, axes)
    stated = "H" in layout or axes.channel is not None
    if images.shape[3] not in {1, 3, 4} or not (stated or min(images.shape[1:3]) >= _LEAST):
        return None
    if values.dtype != np.uint8:
        images = np.nan_to_num(images.astype("float64"), posinf=0, neginf=0)
        least = 1.0 if values.dtype.kind == "f" else 0.0
        low, high = min(0.0, images.min()), max(images.max(), least)
        images = (255 * (images - low) / ((high - low) or 1) + 0.5).astype("uint8")
    return np.ascontiguousarray(images[..., 0] if images.shape[3] == 1 else images)


def _across(image: Values) -> int:
    """Return the width at which an image is displayed."""
    return min(_LARGE, max(_SMALL, image.shape[1]))


def _png(image: Values) -> bytes:
    file = io.BytesIO()
    pillow().fromarray(image).save(file, "png")
    return file.getvalue()


def _text(value: Any) -> str:
    """Return a short text for a value: all of a short array, else dtype, shape and range."""
    array = np.asarray(value)
    if array.ndim == 0:
        return f"{array:.6g}" if array.dtype.kind == "f" else str(array)
    if array.ndim == 1 and array.size <= _SHORT:
        return f"[{', '.join(map(_text, array))}]"
    ends = ""
    if array.size and array.dtype.kind in "uif":
        ends = f" {array.min():.4g} to {array.max():.4g}"
    return f"{array.dtype}{list(array.shape)}{ends}"
