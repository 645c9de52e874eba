"""Reading and writing of record files, sequentially or by key, with MXNet's interface."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Self

from nbgraph.errors import ArgumentError, DataError, IndexingError, require_word
from nbgraph.io import records
from nbgraph.io.appender import Appender
from nbgraph.io.files import Bytes, is_remote, local, open_bytes


class MXRecordIO:
    """A file of records, read or written sequentially.

    Parameters
    ----------
    uri : str or path
        Name of the file; for reading also a URL that fsspec reads.
    flag : str
        "r" to read, "w" to write a new file or overwrite an existing one.

    `write` puts a whole record into the file at once: a killed process, a fork or a full disk
    leave no partial record. A reader can be pickled with its position; a forked process has its
    own position. Iteration yields the remaining records.

    Raises
    ------
    DataError
        The file does not exist, or a record is damaged.

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/words.rec"
    >>> with MXRecordIO(path, "w") as file:
    ...     file.write(b"one")
    ...     file.write(b"two")
    >>> with MXRecordIO(path, "r") as file:
    ...     print(file.read(), file.tell(), file.read(), file.read())
    b'one' 12 b'two' None
    """

    def __init__(self, uri: str | os.PathLike[str], flag: str) -> None:
        require_word(f"{type(self).__name__}: flag", flag, ("r", "w"))
        self.uri, self.flag = os.fspath(uri), flag
        self.writable = flag == "w"
        if self.writable and is_remote(self.uri):
            raise ArgumentError(
                f"{self.uri}: files are written on this machine; copy it afterwards"
            )
        self._reader: Bytes | None = None
        self._writer: Appender | None = None
        self.open()

    @property
    def is_open(self) -> bool:
        """Whether the file can be read or written."""
        return self._reader is not None or self._writer is not None

    def open(self) -> None:
        """Open the file again at its first record; a file for writing is emptied."""
        self.close()
        self._at = 0
        self._number: records.Number = 0  # number of the next record, None if unknown
        if self.writable:
            self._writer = Appender(local(self.uri), 0)
        else:
            self._reader = open_bytes(self.uri)

    def reset(self) -> None:
        """Open the file again at its first record; a file for writing is emptied."""
        self.open()

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        for file in (self._reader, self._writer):
            if file is not None:
                file.close()
        self._reader = self._writer = None

    def tell(self) -> int:
        """Return the byte offset of the next record to read or write."""
        return self._at if self._writer is None else self._writer.at

    def read(self) -> bytes | None:
        """Return the payload of the next record, or None at the end.

        A damaged record raises DataError; the next call continues after it.
        """
        file = self._require_reader()
        if self._at >= file.size:
            return None
        at, number = self._at, self._number
        self._number = number + 1 if isinstance(number, int) else None
        try:
            payload, self._at = records.decode(file, at, number)
        except DataError:
            self._at = records.next_record(file, at + 4)
            raise
        return payload

    def write(self, buf: bytes | bytearray | memoryview) -> None:
        """Append a record; if that fails, the file keeps its previous size."""
        if self._writer is None:
            raise ArgumentError(f"write: {self.uri} is open for reading; expected flag 'w'")
        if isinstance(buf, str):
            raise ArgumentError("write: expected bytes, not a str; encode it first")
        self._writer.append(records.encode(buf))

    def _require_reader(self) -> Bytes:
        if self._reader is None:
            state = "for writing" if self.is_open else "no more"
            raise ArgumentError(f"read: {self.uri} is open {state}; expected flag 'r'")
        return self._reader

    def __iter__(self) -> Iterator[bytes]:
        return iter(self.read, None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __getstate__(self) -> dict[str, Any]:
        if self.writable:
            raise ArgumentError(
                f"{self.uri}: a file that is written cannot be pickled: two processes would write "
                "it; give each process a file of its own"
            )
        return {**self.__dict__, "_reader": None, "was_open": self.is_open}

    def __setstate__(self, state: dict[str, Any]) -> None:
        was_open = state.pop("was_open")
        self.__dict__.update(state)
        if was_open:
            self._reader = open_bytes(self.uri)


class MXIndexedRecordIO(MXRecordIO):
    r"""A file of records with keys, and an index file of lines "key\toffset".

    Parameters
    ----------
    idx_path : str, path or None
        The index file. For reading, None numbers the records from 0.
    uri, flag
        See MXRecordIO.
    key_type : callable
        Converts the text of a key to the key.

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/words"
    >>> with MXIndexedRecordIO(path + ".idx", path + ".rec", "w") as file:
    ...     file.write_idx(7, b"seven")
    ...     file.write_idx(9, b"nine")
    >>> file = MXIndexedRecordIO(path + ".idx", path + ".rec", "r")
    >>> file.keys, file.read_idx(9), file.read_idx(7)
    ([7, 9], b'nine', b'seven')
    """

    def __init__(
        self,
        idx_path: str | os.PathLike[str] | None,
        uri: str | os.PathLike[str],
        flag: str,
        key_type: Callable[[str], Any] = int,
    ) -> None:
        self.idx_path = None if idx_path is None else os.fspath(idx_path)
        self.key_type = key_type
        self._places: Appender | None = None
        if idx_path is None and flag == "w":
            raise ArgumentError(
                "MXIndexedRecordIO: idx_path=None; expected a file to write keys to"
            )
        super().__init__(uri, flag)

    def open(self) -> None:
        """Open both files again; a file for reading has its keys read again."""
        super().open()
        self.idx: dict[Any, int] = {}
        if self._reader is None:
            assert self.idx_path is not None
            self._places = Appender(self.idx_path, 0)
        elif self.idx_path is None:
            self.idx = dict(enumerate(records.scan(self._reader).starts.tolist()))
        else:
            self.idx = read_index(self.idx_path, self.key_type)
        self.keys = list(self.idx)

    def close(self) -> None:
        """Close both files; a second call does nothing."""
        super().close()
        if self._places is not None:
            self._places.close()
        self._places = None

    def seek(self, idx: Any) -> None:
        """Set the position of `read` to the record with key `idx`."""
        self._require_reader()
        if idx not in self.idx:
            ends = f" from {self.keys[0]!r} to {self.keys[-1]!r}" if self.keys else ""
            text = f"{len(self.keys)} keys{ends}"
            raise IndexingError(f"{self.idx_path or self.uri}: no key {idx!r}; it has {text}")
        self._at, self._number = self.idx[idx], f"of key {idx!r}"

    def read_idx(self, idx: Any) -> bytes | None:
        """Return the payload of the record with key `idx`."""
        self.seek(idx)
        return self.read()

    def write_idx(self, idx: Any, buf: bytes | bytearray | memoryview) -> None:
        """Append a record with key `idx`."""
        key, at = self.key_type(idx), self.tell()
        self.write(buf)
        assert self._places is not None
        self._places.append(f"{key}\t{at}\n".encode())
        self.idx[key] = at
        self.keys.append(key)


def read_index(
    path: str | os.PathLike[str], key_type: Callable[[str], Any] = int
) -> dict[Any, int]:
    """Read an index file: return the byte offsets of records by key.

    Raises
    ------
    DataError
        The file does not exist, or a line is not a key and an offset.
    """
    try:
        text = Path(local(os.fspath(path))).read_bytes()
    except OSError as error:
        raise DataError(
            f"the file cannot be opened: {error.strerror}; with idx_path=None the records are "
            "numbered from 0",
            file=path,
        ) from error
    places: dict[Any, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        try:
            key, at = line.decode().split("\t")
            places[key_type(key)] = int(at)
        except ValueError as error:
            shown = line.decode(errors="backslashreplace")
            raise DataError(
                f"line {number} is {shown!r}; expected a key, a tab and an offset", file=path
            ) from error
    return places
