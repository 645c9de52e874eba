"""Object code on disk, found by content.

One file an entry, named by the hash of everything the code depends on: emitted text, constants,
the mathematical functions, versions, processor. A file is written beside its place and renamed,
so readers see whole files only; it carries its own hash, and what does not match is a miss.
Loading an entry runs its code, so the folder is private to the user.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path

from nbgraph.settings import config

_MAGIC = b"nbgraph kernel 1\n"
_SUFFIX = ".nbk"
_TRIM_EVERY = 64  # stores between two looks at the folder's size


@dataclass(frozen=True, slots=True)
class Entry:
    """Object code, the C symbols it needs, its compile time, where it came from, and the names of
    what it holds, if that is more than a kernel."""

    code: bytes
    symbols: tuple[str, ...]
    seconds: float
    origin: str  # "compiled" or "disk"
    names: tuple[str, ...] = ()


@dataclass(slots=True)
class Statistics:
    """What happened in this process."""

    hits: int = 0
    misses: int = 0
    stored: int = 0
    damaged: int = 0


_statistics = Statistics()
_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class Info:
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
        """The fields as a dictionary."""
        return {name: getattr(self, name) for name in self.__slots__}


def folder() -> Path | None:
    """Where entries lie; None where the disk cache is off or cannot be had."""
    if not config.cache_dir:
        return None
    path = Path(config.cache_dir) / "kernels"
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = path.stat()
    except OSError:
        return None
    if hasattr(os, "getuid") and (status.st_uid != os.getuid() or status.st_mode & 0o022):
        return None  # somebody else could plant code here
    return path


def load(key: str) -> Entry | None:
    """The entry of a key; None where there is none or its file is damaged."""
    where = folder()
    data: bytes | None = None
    if where is not None:
        with contextlib.suppress(OSError):
            data = (where / (key + _SUFFIX)).read_bytes()
    entry = _parse(key, data) if data is not None else None
    with _lock:
        if entry is not None:
            _statistics.hits += 1
        else:
            _statistics.misses += 1
            _statistics.damaged += data is not None
    if entry is not None and where is not None:
        with contextlib.suppress(OSError):
            os.utime(where / (key + _SUFFIX))
    return entry


def store(key: str, entry: Entry) -> None:
    """Write an entry; a full or read-only disk is no error."""
    where = folder()
    if where is None:
        return
    with contextlib.suppress(OSError):
        handle, temporary = tempfile.mkstemp(dir=where, prefix=".new-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(_serialise(key, entry))
            Path(temporary).replace(where / (key + _SUFFIX))
        except OSError:
            Path(temporary).unlink()
            raise
    with _lock:
        _statistics.stored += 1
        due = _statistics.stored % _TRIM_EVERY == 1
    if due:
        _trim(where)


def clear() -> int:
    """Delete all entries; returns how many there were."""
    where = folder()
    count = 0
    for path in _files(where) if where else []:
        with contextlib.suppress(OSError):
            path.unlink()
            count += 1
    return count


def info() -> Info:
    """Folder, size and this process's hits and misses."""
    where = folder()
    sizes = []
    for path in _files(where) if where else []:
        with contextlib.suppress(OSError):
            sizes.append(path.stat().st_size)
    s = _statistics
    return Info(
        str(where or ""),
        len(sizes),
        sum(sizes),
        config.cache_bytes,
        s.hits,
        s.misses,
        s.stored,
        s.damaged,
    )


def _files(where: Path) -> list[Path]:
    return [p for p in where.iterdir() if p.suffix == _SUFFIX]


def _serialise(key: str, entry: Entry) -> bytes:
    fields = {name: getattr(entry, name) for name in ("symbols", "seconds", "names")}
    head = json.dumps({"key": key, **fields}).encode()
    body = len(head).to_bytes(4, "little") + head + entry.code
    return _MAGIC + hashlib.sha256(body).digest() + body


def _parse(key: str, data: bytes) -> Entry | None:
    start = len(_MAGIC) + 32
    body = data[start:]
    if not data.startswith(_MAGIC) or hashlib.sha256(body).digest() != data[len(_MAGIC) : start]:
        return None
    try:
        length = int.from_bytes(body[:4], "little")
        head = json.loads(body[4 : 4 + length])
    except ValueError:
        return None
    if head.get("key") != key:
        return None
    symbols, names = tuple(head["symbols"]), tuple(head.get("names", ()))
    return Entry(body[4 + length :], symbols, float(head["seconds"]), "disk", names)


def _trim(where: Path) -> None:
    """Drop the least recently used entries where the folder is over its limit."""
    found = []
    for path in _files(where):
        with contextlib.suppress(OSError):
            status = path.stat()
            found.append((status.st_mtime, status.st_size, path))
    total = sum(size for _, size, _ in found)
    for _, size, path in sorted(found):
        if total <= config.cache_bytes:
            return
        with contextlib.suppress(OSError):
            path.unlink()
            total -= size


__all__ = ["Entry", "Info", "clear", "info", "load", "store"]
