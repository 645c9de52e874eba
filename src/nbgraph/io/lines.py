"""Text files as blocks of rows; a pass that does not parse values finds the offsets of blocks."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from nbgraph.errors import DataError
from nbgraph.io.files import Bytes
from nbgraph.io.source import Values, offsets, taken

BLOCK = 1 << 20  # approximate size of a block in bytes
CHUNK = 1 << 22  # bytes that are scanned for newlines at once
NEWLINE, QUOTE = 10, 34
_BOM = b"\xef\xbb\xbf"
_PACKED = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\x28\xb5\x2f\xfd": "zstd", b"\xfd7zXZ": "xz"}


class TextFiles:
    """The rows of text files, one file after another, in blocks.

    A row is a line that is not empty; a newline within double quotes does not end a line.

    `header`: whether to skip the first row of each file. `every`: rows per block; by default about
    a mebibyte of the first file. `ignored`: the first characters of lines that are not rows.

    `blocks`: the number of the first row of each block, and the total number of rows.
    """

    def __init__(
        self,
        files: Sequence[Bytes],
        *,
        header: bool = False,
        every: int | None = None,
        ignored: bytes = b"",
    ) -> None:
        self.name, self.every, self._files = files[0].name, every, files
        self._ignored = np.frombuffer(b"\r\n" + ignored, np.uint8)
        # of each block: file, first row in it, first and last byte
        self._places: list[tuple[int, int, int, int]] = []
        counts: list[int] = []
        for k, file in enumerate(files):
            starts, total = self._starts(file, -1 if header else 0)
            step = self.every or 1
            firsts = range(0, total, step)
            self._places += zip(itertools.repeat(k), firsts, starts, [*starts[1:], file.size])
            counts += [min(step, total - first) for first in firsts]
        self.blocks = offsets(self.name, counts)

    def _starts(self, file: Bytes, row: int) -> tuple[list[int], int]:
        """Return the first byte of each block of a file and its number of rows; `row` is the
        number of the first row (-1 for a header)."""
        starts, state = [np.empty(0, np.int64)], _State()
        for at in range(_first_byte(file), file.size, CHUNK):
            text = file.array(at, at + CHUNK)
            begins = self._rows(text, state)
            if self.every is None:
                self.every = max(1, len(begins) * BLOCK // len(text))
            first = -row if row < 0 else -row % self.every
            starts.append(at + begins[first :: self.every])
            row += len(begins)
        return np.concatenate(starts).tolist(), max(row, 0)

    def file(self, block: int) -> int:
        """Return the number of the file of a block."""
        return self._places[block][0]

    def text(self, block: int, rows: Values | None = None) -> bytes:
        """Return the text of a block, or of some of its rows."""
        if rows is not None:
            return b"\n".join(taken(self.rows(block), rows))
        k, _, start, stop = self._places[block]
        return self._files[k].read(start, stop)

    def rows(self, block: int) -> list[bytes]:
        """Return the text of each row of a block."""
        text = self.text(block)
        begins = self._rows(np.frombuffer(text, np.uint8), _State()).tolist()
        return [text[a:b] for a, b in zip(begins, [*begins[1:], len(text)])]

    def first(self, size: int) -> bytes:
        """Return the first rows of the first block, about `size` bytes."""
        text = self.text(0)
        begins = self._rows(np.frombuffer(text, np.uint8)[:size], _State())
        return text if len(begins) < 2 or size >= len(text) else text[: begins[-1]]

    def fault(self, block: int, row: int, message: str) -> DataError:
        """Return an error for a row of a block, with its number, line and byte offset."""
        k, first, start, _ = self._places[block]
        file, offset = self._files[k], start + sum(map(len, self.rows(block)[:row]))
        line = 1 + sum(
            file.read(at, min(at + CHUNK, offset)).count(b"\n") for at in range(0, offset, CHUNK)
        )
        text = f"row {first + row} (line {line}){message}"
        error = DataError(text, file=file.name, offset=offset)
        error.record = int(self.blocks[block]) + row
        return error

    def close(self) -> None:
        """Close the files."""
        for file in self._files:
            file.close()

    def _rows(self, text: Values, state: _State) -> Values:
        """Return the offsets of rows in the next piece of a file, and update `state`."""
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


class _State:
    """The state of the scan between two pieces of a file."""

    fresh = True  # whether the next byte starts a line
    quoted = False  # whether the next byte is within double quotes


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
