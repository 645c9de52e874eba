"""A file that is extended by whole pieces, also if the process ends or the disk is full."""

import os
from pathlib import Path

from nbgraph.errors import DataError, EngineError


class Appender:
    """A file to append to; each piece is written immediately, without a buffer that a fork copies.

    `path`: str. `keep`: number of bytes of an existing file to keep.
    """

    def __init__(self, path: str | os.PathLike[str], keep: int) -> None:
        self.path, self.at = os.fspath(path), keep
        self._process = os.getpid()
        try:
            mode = "r+b" if keep else "wb"
            self._file = Path(path).open(mode, buffering=0)  # noqa: SIM115 - close() closes it
        except OSError as error:
            raise DataError(f"cannot be written: {error.strerror}", file=path) from error
        self._resize(keep)

    def append(self, piece: bytes) -> None:
        """Write a piece; if that fails, restore the previous size of the file.

        Raises
        ------
        DataError
            The disk is full, or the file cannot be written for another reason.
        """
        if self._process != os.getpid():
            raise EngineError(
                f"{self.path}: it was opened before a fork, by process {self._process}; let that "
                "one write, or open a file of its own in each process"
            )
        rest = memoryview(piece)
        try:
            while rest:
                rest = rest[self._file.write(rest) :]
        except OSError as error:
            self._resize(self.at)
            raise DataError(
                f"{len(piece)} bytes cannot be written: {error.strerror}; what was written "
                "before is whole",
                file=self.path,
                offset=self.at,
            ) from error
        self.at += len(piece)

    def _resize(self, size: int) -> None:
        self._file.truncate(size)
        self._file.seek(size)

    def sync(self) -> None:
        """Wait until all written bytes are on the disk."""
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        self._file.close()

    def __del__(self) -> None:
        if hasattr(self, "_file"):
            self._file.close()
