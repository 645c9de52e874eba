"""The disk cache of object code, by content.

Each entry is a file, named by the hash of everything the code depends on: emitted text, constants,
the mathematical functions, versions, processor. A file is written under another name and renamed,
so readers see whole files only; it contains its own hash, and a mismatch counts as a miss.
Loading an entry runs its code, so the folder is private to the user.

The cache also stores facts in the same way: that a derivative was certified, say, so that another
process need not do it again.
"""

import contextlib
import hashlib
import itertools
import os
import threading
import time
from collections.abc import Generator
from pathlib import Path
from typing import NamedTuple

from nbgraph._listing import public_names
from nbgraph.scopes import forkable
from nbgraph.settings import config

__dir__ = public_names(globals())

_MAGIC = b"nbgraph kernel 2\n"
_CODE, _FACT, _NEW = ".nbk", ".nbf", ".new-"
_TRIM_EVERY = 64  # mean number of stores between two checks of the folder's size
_ABANDONED = 3600.0  # seconds after which a file that was never renamed is deleted


class Entry(NamedTuple):
    """Object code, the C symbols it needs, its compile time, its origin, and the names of its
    functions if it is not a single kernel."""

    code: bytes
    symbols: tuple[str, ...]
    seconds: float
    origin: str  # "compiled" or "disk"
    names: tuple[str, ...] = ()


class Statistics:
    """Counts of this process's uses of the cache."""

    __slots__ = ("damaged", "hits", "misses", "stored")

    def __init__(self) -> None:
        self.hits = self.misses = self.stored = self.damaged = 0


_statistics = Statistics()
_writes = itertools.count(1)
_lock = forkable(threading.Lock())


class Info(NamedTuple):
    """The state of the disk cache; printable, with `to_dict`."""

    folder: str
    entries: int
    bytes: int
    limit: int
    hits: int
    misses: int
    stored: int
    damaged: int

    def __str__(self) -> str:
        return (
            f"{self.folder or 'no disk cache'}: {self.entries} kernels, "
            f"{self.bytes / 2**20:.1f} of {self.limit / 2**20:.0f} MiB; this process: "
            f"{self.hits} found, {self.misses} compiled, {self.damaged} damaged"
        )

    def _repr_html_(self) -> str:
        return f"<pre>{self}</pre>"

    def to_dict(self) -> dict[str, str | int]:
        """Return the fields as a dictionary."""
        return self._asdict()


def folder() -> Path | None:
    """Return the folder of entries; None where the disk cache is off or not available."""
    if not config.cache_dir:
        return None
    path = Path(config.cache_dir) / "kernels"
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = path.stat()
    except OSError:
        return None
    if hasattr(os, "getuid") and (status.st_uid != os.getuid() or status.st_mode & 0o022):
        return None  # another user could plant code here
    return path


def keeps(nbytes: int) -> bool:
    """Return whether the cache can store `nbytes` bytes now."""
    where = folder()
    if where is None:
        return False
    trial = where / (_NEW + os.urandom(8).hex())
    with contextlib.suppress(OSError):
        _replace(trial, bytes(nbytes))
        trial.unlink()
        return True
    return False


@contextlib.contextmanager
def lock() -> Generator[None]:
    """Exclude other processes from the block, where the system can lock the folder."""
    where, handle = folder(), None
    with contextlib.suppress(ImportError, OSError):  # other systems; a folder on a network
        import fcntl

        if where is not None:
            handle = os.open(where, os.O_RDONLY)
            fcntl.flock(handle, fcntl.LOCK_EX)
    try:
        yield
    finally:
        if handle is not None:
            os.close(handle)


def load(key: str) -> Entry | None:
    """Return the entry of a key; None where there is none or its file is damaged."""
    entry, damaged = _read(key, _CODE)
    with _lock:
        if entry is not None:
            _statistics.hits += 1
        else:
            _statistics.misses += 1
            _statistics.damaged += damaged
    return entry


def store(key: str, entry: Entry) -> None:
    """Write an entry; a full or read-only disk is not an error."""
    if _write(key, _CODE, entry):
        with _lock:
            _statistics.stored += 1


def recall(key: str) -> bytes | None:
    """Return a fact by its key; None where it is not known."""
    entry, _ = _read(key, _FACT)
    return None if entry is None else entry.code


def remember(key: str, fact: bytes) -> None:
    """Write a fact; a full or read-only disk is not an error."""
    _write(key, _FACT, Entry(fact, (), 0.0, "compiled"))


def _read(key: str, suffix: str) -> tuple[Entry | None, bool]:
    """Return the entry of a key, or None if missing or damaged, and whether its file exists."""
    where = folder()
    if where is None:
        return None, False
    path = where / (key + suffix)
    try:
        data = path.read_bytes()
    except OSError:
        return None, False
    entry = _parse(key, data)
    if entry is not None:
        with contextlib.suppress(OSError):  # a read-only folder
            os.utime(path)
    return entry, True


def _write(key: str, suffix: str, entry: Entry) -> bool:
    where = folder()
    if where is None:
        return False
    data = _serialise(key, entry)
    try:
        _replace(where / (key + suffix), data)
    except OSError:
        return False
    # by a byte of the hash, so that many short processes trim too
    if next(_writes) % _TRIM_EVERY == 0 or data[len(_MAGIC)] % _TRIM_EVERY == 0:
        _trim(where)
    return True


def _replace(path: Path, data: bytes) -> None:
    """Write a file so that it appears whole, or not at all."""
    temporary = path.with_name(_NEW + os.urandom(8).hex())
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        temporary.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


def clear() -> int:
    """Delete all entries; return their number."""
    where = folder()
    count = 0
    for path in _files(where) if where else []:
        with contextlib.suppress(OSError):
            path.unlink()
            count += path.suffix == _CODE
    return count


def info() -> Info:
    """Return folder, size and this process's hits and misses."""
    where = folder()
    count = size = 0
    for path in _files(where) if where else []:
        with contextlib.suppress(OSError):
            size += path.stat().st_size
            count += path.suffix == _CODE
    s = _statistics
    limit = config.cache_bytes
    return Info(str(where or ""), count, size, limit, s.hits, s.misses, s.stored, s.damaged)


def _files(where: Path) -> list[Path]:
    """Return the files of the cache; none where the folder has been deleted meanwhile."""
    is_ours = lambda p: p.suffix in (_CODE, _FACT) or p.name.startswith(_NEW)
    try:
        return [p for p in where.iterdir() if is_ours(p)]
    except OSError:
        return []


def _serialise(key: str, entry: Entry) -> bytes:
    lines = (key, repr(entry.seconds), " ".join(entry.symbols), " ".join(entry.names))
    head = "\n".join(lines).encode()
    body = len(head).to_bytes(4, "little") + head + entry.code
    return _MAGIC + hashlib.sha256(body).digest() + body


def _parse(key: str, data: bytes) -> Entry | None:
    start = len(_MAGIC) + 32
    body = data[start:]
    if not data.startswith(_MAGIC) or hashlib.sha256(body).digest() != data[len(_MAGIC) : start]:
        return None
    length = int.from_bytes(body[:4], "little")
    stored_key, seconds, symbols, names = body[4 : 4 + length].decode().split("\n")
    if stored_key != key:
        return None
    code = body[4 + length :]
    return Entry(code, tuple(symbols.split()), float(seconds), "disk", tuple(names.split()))


def _trim(where: Path) -> None:
    """Delete the least recently used entries of a folder above its limit, and half-written files
    of killed processes."""
    files: list[tuple[float, int, Path]] = []
    now = time.time()
    for path in _files(where):
        with contextlib.suppress(OSError):
            status = path.stat()
            if not path.name.startswith(_NEW):
                files.append((status.st_mtime, status.st_size, path))
            elif now - status.st_mtime > _ABANDONED:
                path.unlink()
    total = sum(size for _, size, _ in files)
    for _, size, path in sorted(files):
        if total <= config.cache_bytes:
            return
        with contextlib.suppress(OSError):
            path.unlink()
            total -= size


__all__ = ["Entry", "Info", "clear", "info", "load", "recall", "remember", "store"]
