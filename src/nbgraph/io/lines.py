"""Text files as blocks of rows: where each begins is found once, without reading the values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgraph.errors import DataError
from nbgraph.io.files import Bytes
from nbgraph.io.source import Values, offsets, taken

BLOCK = 1 << 20  # bytes of a block, about
CHUNK = 1 << 22  # bytes that are looked through at once
NEWLINE, QUOTE = 10, 34
_BOM = b"\xef\xbb\xbf"
_PACKED = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\x28\xb5\x2f\xfd": "zstd", b"\xfd7zXZ": "xz"}


class Lines:
    """A text file as blocks of rows.

    A row is a line that holds something; a newline within double quotes ends no line.

    `file`: Bytes. `header`: whether the first row is none of the data. `every`: rows of a block; by
    default as many as fill about a mebibyte. `ignored`: what begins a line that is not a row.

    `blocks`: the first row of each block, and the number of rows. `starts`: the first byte of each
    block, and the size of the file.
    """

    def __init__(
        self, file: Bytes, *, header: bool = False, every: int | None = None, ignored: bytes = b""
    ) -> None:
        self.file, self.every = file, every
        self._ignored = np.frombuffer(b"\r\n" + ignored, np.uint8)
        starts, row = [], -1 if header else 0  # the number of the next row
        state = _State()
        for at in range(_first_byte(file), file.size, CHUNK):
            text = file.array(at, at + CHUNK)
            begins = self._rows(text, state)
            if self.every is None:
                self.every = max(1, len(begins) * BLOCK // len(text))
            first = -row if row < 0 else -row % self.every
            starts.append(at + begins[first :: self.every])
            row += len(begins)
        self.starts = np.concatenate([*starts, [file.size]])
        self.blocks = np.append(np.arange(0, max(row, 0), self.every or 1), max(row, 0))

    @property
    def count(self) -> int:
        """The number of blocks."""
        return len(self.blocks) - 1

    def text(self, block: int) -> bytes:
        """Return the lines of a block."""
        return self.file.read(int(self.starts[block]), int(self.starts[block + 1]))

    def rows(self, block: int) -> list[bytes]:
        """Return the text of each row of a block."""
        text = self.text(block)
        begins = self._rows(np.frombuffer(text, np.uint8), _State()).tolist()
        return [text[a:b] for a, b in zip(begins, [*begins[1:], len(text)])]

    def first(self, size: int) -> bytes:
        """Return some rows that the file begins with, of about `size` bytes."""
        text = self.text(0)
        begins = self._rows(np.frombuffer(text, np.uint8)[:size], _State())
        return text if len(begins) < 2 or size >= len(text) else text[: begins[-1]]

    def fault(self, block: int, row: int, message: str) -> DataError:
        """Return the error of a row of a block: it names its number, its line, its byte."""
        number = int(self.blocks[block]) + row
        before = self.rows(block)[:row]
        offset = int(self.starts[block]) + sum(map(len, before))
        line = 1 + sum(
            self.file.read(at, min(at + CHUNK, offset)).count(b"\n")
            for at in range(0, offset, CHUNK)
        )
        text = f"row {number} (line {line}){message}"
        error = DataError(text, file=self.file.name, offset=offset)
        error.record = number
        return error

    def _rows(self, text: Values, state: _State) -> Values:
        """Return where rows begin in the next piece of the file."""
        begins = np.flatnonzero(text == NEWLINE) + 1
        ends = bool(text[-1] == NEWLINE)
        quotes = np.flatnonzero(text == QUOTE)
        if state.quoted or len(quotes):
            within = (np.searchsorted(quotes, begins) + state.quoted) & 1
            state.quoted = bool((len(quotes) + state.quoted) & 1)
            begins, ends = begins[within == 0], ends and not state.quoted
        if state.fresh:
            begins = np.concatenate([[0], begins])
        state.fresh = ends
        if state.fresh:
            begins = begins[:-1]
        return begins[~np.isin(text[begins], self._ignored)]


class TextFiles:
    """Text files, one behind the other, as blocks of rows.

    `every`: rows of a block; by default by the lines of the first file. `how`: see `Lines`.
    """

    def __init__(self, files: Sequence[Bytes], *, every: int | None = None, **how: Any) -> None:
        self._files: list[Lines] = []
        for file in files:
            self._files.append(Lines(file, every=every, **how))
            every = every or self._files[0].every
        self.name, self.every = files[0].name, every
        self._places = [
            (k, block) for k, file in enumerate(self._files) for block in range(file.count)
        ]
        self.blocks = offsets(
            self.name, np.concatenate([np.diff(file.blocks) for file in self._files])
        )

    def file(self, block: int) -> int:
        """Return the number of the file of a block."""
        return self._places[block][0]

    def rows(self, block: int) -> list[bytes]:
        """Return the text of each row of a block."""
        k, place = self._places[block]
        return self._files[k].rows(place)

    def text(self, block: int, rows: Values | None = None) -> bytes:
        """Return the lines of a block, or of some of its rows."""
        if rows is not None:
            return b"\n".join(taken(self.rows(block), rows))
        k, place = self._places[block]
        return self._files[k].text(place)

    def first(self, size: int) -> bytes:
        """Return some rows of the first file, of about `size` bytes."""
        return self._files[0].first(size)

    def fault(self, block: int, row: int, message: str) -> DataError:
        """Return the error of a row of a block."""
        k, place = self._places[block]
        error = self._files[k].fault(place, row, message)
        error.record = int(self.blocks[block]) + row
        return error

    def close(self) -> None:
        """Close the files."""
        for lines in self._files:
            lines.file.close()


class _State:
    """Between two pieces of a file."""

    fresh = True  # the next byte begins a line
    quoted = False  # it is within double quotes


def _first_byte(file: Bytes) -> int:
    head = file.read(0, 8)
    for magic, packer in _PACKED.items():
        if head.startswith(magic):
            raise DataError(
                f"the file is packed by {packer}, so that no block of it can be read alone; "
                "unpack it",
                file=file.name,
            )
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise DataError("the text is in UTF-16; save it as UTF-8", file=file.name)
    return len(_BOM) if head.startswith(_BOM) else 0
