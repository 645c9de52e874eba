"""Files as bytes for many threads: local ones mapped into memory, remote ones read by ranges.

A list of files is a string separated by ";", or a sequence; a folder means its files, and a
pattern of "*", "?" and "[" the matching names. fsspec opens URLs ("s3://...", "https://...").
"""

import difflib
import glob
import importlib
import mmap
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import unquote

import numpy as np

from nbgraph.errors import DataError

Uris = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
Octets = np.ndarray[Any, np.dtype[np.uint8]]


class Bytes(Protocol):
    """The bytes of a file; every method may be called by several threads at once."""

    name: str
    size: int
    near: bool  # whether a small read costs little

    def read(self, start: int, stop: int) -> bytes:
        """Return the bytes from `start` to `stop`; fewer if the file ends earlier."""
        ...

    def array(self, start: int, stop: int) -> Octets:
        """Return these bytes as an array, which may be a view of the mapped file."""
        ...

    def ranges(self, starts: Sequence[int], stops: Sequence[int]) -> list[bytes]:
        """Return the bytes of several ranges inside the file."""
        ...

    def close(self) -> None:
        """Release the resources of the file; further reads are errors."""
        ...


def open_bytes(uri: str | os.PathLike[str]) -> Bytes:
    """Open a file for reading: as a memory map, or by fsspec if `uri` is a URL.

    Raises
    ------
    DataError
        There is no such file, or it cannot be opened.
    """
    name = os.fspath(uri)
    try:
        return _Remote(name) if is_remote(name) else _Mapped(local(name))
    except FileNotFoundError:
        raise absent(name) from None
    except OSError as error:
        reason = error.strerror or str(error) or type(error).__name__
        raise DataError(f"the file cannot be opened: {reason}", file=name) from error


def is_remote(uri: str) -> bool:
    """Return whether `uri` is a URL for fsspec."""
    return "://" in uri and not uri.startswith("file://")


def local(uri: str) -> str:
    """Return the path of a local file from a path or a file:// URL."""
    return unquote(uri.removeprefix("file://")) if uri.startswith("file://") else uri


def expand(uris: Uris) -> list[str]:
    """Return the names of all files in `uris`, with folders and patterns expanded, in order.

    >>> expand("a.rec;b.rec")
    ['a.rec', 'b.rec']
    """
    return [file for name in split(uris) for file in _matches(name)]


def split(uris: Uris) -> list[str]:
    """Return the list of names in `uris`: files, folders, patterns and URLs."""
    several = [uris] if isinstance(uris, (str, os.PathLike)) else list(uris)
    names = [name for uri in several for name in os.fspath(uri).split(";") if name]
    if not names:
        raise DataError(f"{uris!r} names no file; expected paths with ';' between them")
    return names


def _matches(name: str) -> list[str]:
    """Return the files of a folder or a pattern, sorted, or the name itself."""
    if is_remote(name):
        files, path = file_system(name)
        if glob.has_magic(path):
            names = sorted(files.glob(path))
        elif files.isdir(path):
            names = sorted(files.ls(path, detail=False))
        else:
            return [name]
        return [files.unstrip_protocol(one) for one in names if files.isfile(one)]
    path = local(name)
    if Path(path).is_dir():
        files = sorted(str(file) for file in Path(path).iterdir() if file.is_file())
    elif glob.has_magic(path) and not Path(path).exists():
        files = sorted(glob.glob(path, recursive=True))  # noqa: PTH207 - may begin with a root
    else:
        return [path]
    if not files:
        raise DataError(f"{name}: the folder is empty, or no name matches the pattern")
    return files


def file_system(uri: str) -> tuple[Any, str]:
    """Return fsspec's file system for a URL, and the path inside it."""
    package = extra("fsspec.core", "fsspec", "data", uri)
    return package.url_to_fs(uri)


class _Mapped:
    """A local file, mapped into memory."""

    near = True

    def __init__(self, path: str) -> None:
        self.name = path
        with Path(path).open("rb") as file:
            self.size = os.fstat(file.fileno()).st_size
            # a file of no bytes cannot be mapped
            self._map: Any = (
                mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if self.size else b""
            )

    def read(self, start: int, stop: int) -> bytes:
        return self._map[start:stop]

    def array(self, start: int, stop: int) -> Octets:
        return np.frombuffer(self._map, np.uint8)[start:stop]

    def ranges(self, starts: Sequence[int], stops: Sequence[int]) -> list[bytes]:
        return [self._map[start:stop] for start, stop in zip(starts, stops)]

    def __reduce__(self) -> tuple[Any, ...]:
        return open_bytes, (self.name,)  # another process maps it again

    def close(self) -> None:
        # the file is unmapped when the last array over it is freed
        self._map = None


class _Remote:
    """A file that fsspec reads by ranges."""

    near = False

    def __init__(self, uri: str) -> None:
        self.name = uri
        self._files, self._path = file_system(uri)
        self.size = int(self._files.size(self._path))

    def read(self, start: int, stop: int) -> bytes:
        stop = min(stop, self.size)
        return self._files.cat_file(self._path, start=start, end=stop) if start < stop else b""

    def array(self, start: int, stop: int) -> Octets:
        return np.frombuffer(self.read(start, stop), np.uint8)

    def ranges(self, starts: Sequence[int], stops: Sequence[int]) -> list[bytes]:
        paths = [self._path] * len(starts)
        return self._files.cat_ranges(paths, list(starts), list(stops), on_error="raise")

    def close(self) -> None:
        """Do nothing: every range is a separate request."""


def require_file(path: str) -> None:
    """Raise DataError if a local file does not exist or is empty.

    >>> require_file("/no/such/file")
    Traceback (most recent call last):
    ...
    nbgraph.errors.DataError: there is no file /no/such/file: its folder is not there, / is
    """
    if not Path(path).is_file():
        raise absent(path)
    if not Path(path).stat().st_size:
        raise DataError(f"{path} is empty: it has 0 bytes")


def absent(path: str) -> DataError:
    """Return the error for a file that does not exist, with the most similar names."""
    if "://" in path:
        return DataError(f"there is no file {path}")
    folder = Path(path).absolute().parent
    if not folder.is_dir():
        parent = next(each for each in folder.parents if each.is_dir())
        return DataError(f"there is no file {path}: its folder is not there, {parent} is")
    present = sorted(each.name for each in folder.iterdir())
    near = difflib.get_close_matches(Path(path).name, present, n=3, cutoff=0.5) or present[:3]
    if not near:
        return DataError(f"there is no file {path}: its folder is empty")
    more = "" if len(near) == len(present) else f" and {len(present) - len(near)} more"
    return DataError(f"there is no file {path}: its folder has {', '.join(near)}{more}")


def extra(module: str, package: str, name: str, what: str) -> Any:
    """Import a module, or raise DataError naming the extra of nbgraph that installs it."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise DataError(f"{what}: this needs {package}; install nbgraph[{name}]") from None
