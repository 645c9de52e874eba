"""Parts of a list of files, cut by bytes, so that each reader reads its own part only."""

from collections.abc import Iterator

import numpy as np

from nbgraph.errors import require_word
from nbgraph.io import records
from nbgraph.io.files import Bytes, Uris, expand, open_bytes
from nbgraph.io.order import require_part

_CHUNK = 1 << 20


class InputSplit:
    r"""The records, or lines of text, of the k-th of n parts of some files.

    The files are treated as one concatenated file. A part begins with the first record at or after
    its share of the bytes, so parts are disjoint, their union is everything, and their sizes differ
    by about a record. Lines are yielded without their end; empty lines count.

    Parameters
    ----------
    uris : str, path or a list of them
        Files separated by ";", folders, patterns with "*", or URLs that fsspec reads.
    part, of : int
        The number of the part, from 0, and the number of parts.
    kind : str
        "recordio" or "text".

    Raises
    ------
    DataError
        A file does not exist, or, during iteration, a record is damaged.

    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "a.txt").write_text("one\ntwo\n"), (folder / "b.txt").write_text("three")
    >>> [list(InputSplit(folder, k, 2, kind="text")) for k in range(2)]
    [[b'one', b'two'], [b'three']]
    """

    def __init__(self, uris: Uris, part: int = 0, of: int = 1, *, kind: str = "recordio") -> None:
        require_word("InputSplit: kind", kind, ("recordio", "text"))
        self.part, self.of = require_part(part, of)
        self.files = [open_bytes(name) for name in expand(uris)]
        self.kind = kind
        self._starts = np.cumsum([0, *[file.size for file in self.files]]).tolist()

    def __iter__(self) -> Iterator[bytes]:
        begin, end = self._boundary(self.part), self._boundary(self.part + 1)
        for file, at, stop in zip(self.files, self._starts, self._starts[1:]):
            low, high = max(begin, at) - at, min(end, stop) - at
            if low < high:
                yield from (_records if self.kind == "recordio" else _lines)(file, low, high)

    def _boundary(self, part: int) -> int:
        """Return the offset at which a part begins in the concatenation of all files."""
        total = self._starts[-1]
        target = total * part // self.of
        # of several files at this offset all but the last are empty
        which = int(np.searchsorted(self._starts, target, side="right")) - 1
        inside = target - self._starts[which]
        if inside == 0:
            return target
        find = records.next_record if self.kind == "recordio" else _next_line
        return self._starts[which] + find(self.files[which], inside)

    def close(self) -> None:
        """Close the files."""
        for file in self.files:
            file.close()


def _records(file: Bytes, at: int, stop: int) -> Iterator[bytes]:
    number = 0 if at == 0 else None
    while at < stop:
        payload, at = records.decode(file, at, number)
        yield payload
        number = None if number is None else number + 1


def _next_line(file: Bytes, at: int) -> int:
    """Return the offset of the first line at or after `at`, or the size of the file."""
    at -= 1  # a line begins at `at` if a newline precedes it
    while at < file.size:
        place = file.read(at, at + _CHUNK).find(b"\n")
        if place >= 0:
            return at + place + 1
        at += _CHUNK
    return file.size


def _lines(file: Bytes, at: int, stop: int) -> Iterator[bytes]:
    rest = b""
    while at < stop:
        chunk = file.read(at, min(at + _CHUNK, stop))
        *lines, rest = (rest + chunk).split(b"\n")
        yield from (line.removesuffix(b"\r") for line in lines)
        at += len(chunk)
    if rest:
        yield rest.removesuffix(b"\r")
