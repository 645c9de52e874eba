"""Packing of images into a file of records by several threads, resumable after an interruption.

Records go to a temporary file next to the output, with a hash of the task in its name, so that the
same task can resume it. An image is decoded only if it has to be changed.
"""

import hashlib
import os
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from nbgraph.bar import followed
from nbgraph.errors import ArgumentError, DataError
from nbgraph.io import images, records
from nbgraph.io.appender import Appender
from nbgraph.io.files import open_bytes
from nbgraph.io.image_folder import labelled
from nbgraph.io.packing import pack, unpack
from nbgraph.io.recordio import read_index


class Entry(NamedTuple):
    """An image to pack: its key, its labels and its file."""

    key: int
    labels: tuple[float, ...]
    file: str


@dataclass(frozen=True)
class Recipe:
    """The changes to an image before it is packed; by default its file is packed unchanged.

    `resize`: greatest length of the shorter side in pixels. `quality`: re-encode images as JPEG of
    this quality, 1 to 100.
    """

    resize: int | None = None
    quality: int | None = None

    def __call__(self, entry: Entry) -> bytes:
        """Return the packed record of an entry."""
        try:
            data = self._convert(Path(entry.file).read_bytes())
        except OSError as error:
            raise DataError(f"cannot be read: {error.strerror}", file=entry.file) from error
        except DataError as error:
            raise DataError(str(error), file=entry.file) from error
        label = entry.labels[0] if len(entry.labels) == 1 else entry.labels
        return pack((0, label, entry.key, 0), data)

    def _convert(self, data: bytes) -> bytes:
        kind, mode, size = images.described(data)
        smaller = self.resize is not None and min(size) > self.resize
        if not smaller and self.quality is None:
            return data
        jpeg = kind == "JPEG" or self.quality is not None
        alpha = not jpeg and mode in {"RGBA", "LA", "PA"}
        target_mode = "L" if mode in {"1", "L"} else "RGBA" if alpha else "RGB"
        pixels = images.decode(data, target_mode, self.resize if smaller else None)
        if jpeg:
            return images.encode(pixels, self.quality, ".jpg")
        return images.encode(pixels, None, ".png")


def entries(source: str, root: str | None = None) -> tuple[list[Entry], list[str]]:
    """Return the entries of a folder of classes or of a list, and the names of the classes.

    A line of a list is a number, one or more labels, and a path relative to `root` or, by default,
    to the folder of the list, separated by tabs.

    Raises
    ------
    DataError
        The folder or list is absent, or a line has another format.
    """
    if Path(source).is_dir():
        classes = labelled(source)
        names = [(k, file) for k, files in enumerate(classes.values()) for file in files]
        return [Entry(i, (float(k),), file) for i, (k, file) in enumerate(names)], list(classes)
    try:
        lines = Path(source).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"no folder, and no list that can be read: {error}", file=source) from error
    base = Path(source).parent if root is None else Path(root)
    rows = [_entry(source, n, line, base) for n, line in enumerate(lines, 1) if line.strip()]
    key, times = Counter([entry.key for entry in rows]).most_common(1)[0] if rows else (0, 0)
    if times > 1:
        raise DataError(f"{times} lines have the number {key}; give each its own", file=source)
    return rows, []


def _entry(source: str, number: int, line: str, base: Path) -> Entry:
    key, *labels, name = [*line.rstrip("\n").split("\t"), "", ""][: max(3, line.count("\t") + 1)]
    try:
        if not labels or not name:
            raise ValueError
        return Entry(int(key), tuple(map(float, labels)), str(base / name))
    except ValueError as error:
        raise DataError(
            f"line {number} is {line!r}; expected a number, labels and a path with tabs between",
            file=source,
        ) from error


def shuffled(entries: Sequence[Entry], seed: int) -> list[Entry]:
    """Return entries in a random order."""
    return [entries[i] for i in np.random.default_rng(seed).permutation(len(entries))]


def pack_files(
    entries: Sequence[Entry],
    out: str | os.PathLike[str],
    *,
    make: Callable[[Entry], bytes] | None = None,
    workers: int = 0,
    resume: bool = False,
    skip: bool = False,
    seen: Callable[..., Any] = followed,
) -> list[str]:
    """Write entries as records, and their offsets to a file .idx; both appear when complete.

    Parameters
    ----------
    entries : sequence of Entry
    out : str or path
        The file of records.
    make : callable
        Returns the record of an entry; several threads call it. By default `Recipe()`.
    workers : int
        Number of threads; 0 for one per core.
    resume : bool
        Whether to continue an interrupted call with the same entries, `out` and `make`.
    skip : bool
        Whether to leave out entries that cannot be read.
    seen : callable
        `seen(items, total, label, done=)` yields the items, and shows the progress.

    Returns
    -------
    list of str : the errors of the entries that were left out

    Raises
    ------
    DataError
        An image cannot be read, or the disk is full; `resume` continues from there.
    """
    if workers < 0:
        raise ArgumentError(f"workers={workers}; expected 0 or the number of threads")
    make = Recipe() if make is None else make
    records_at, places_at = parts_of(out, entries, make)
    done, keep, lines = _resume_at(records_at, places_at, entries) if resume else (0, 0, 0)
    target, places = Appender(records_at, keep), Appender(places_at, lines)
    lost: list[str] = []
    try:
        rest = entries[done:]
        with closing(_in_order(make, rest, workers or os.cpu_count() or 1)) as outcomes:
            for record, entry in zip(seen(outcomes, len(entries), "packing", done=done), rest):
                if isinstance(record, DataError) and skip:
                    lost.append(str(record))
                    continue
                if isinstance(record, Exception):
                    raise record
                at = target.at
                target.append(records.encode(record))
                places.append(f"{entry.key}\t{at}\n".encode())
        for file in (target, places):
            file.sync()
    finally:
        target.close()
        places.close()
    places_at.replace(Path(out).with_suffix(".idx"))
    records_at.replace(out)
    return lost


def parts_of(
    out: str | os.PathLike[str], entries: Sequence[Entry], make: Callable[[Entry], bytes]
) -> tuple[Path, Path]:
    """Return the temporary files for records and for their offsets."""
    path = Path(out)
    if path.suffix == ".idx":
        raise ArgumentError(f"{path} is the name of the file of places; expected one with .rec")
    how = getattr(make, "__qualname__", None) or repr(make)
    task = hashlib.sha256(repr((how, list(entries))).encode()).hexdigest()[:10]
    ends = f"{path.suffix}.{task}.part", f".idx.{task}.part"
    return path.with_suffix(ends[0]), path.with_suffix(ends[1])


def _resume_at(records_at: Path, places_at: Path, entries: Sequence[Entry]) -> tuple[int, int, int]:
    """Return how many entries are done, and the size of the complete part of both files."""
    if not (records_at.exists() and places_at.exists()):
        return 0, 0, 0
    text = places_at.read_bytes()
    lines = text[: text.rfind(b"\n") + 1]
    if not lines:
        return 0, 0, 0
    key, at = map(int, lines.splitlines()[-1].split(b"\t"))
    end = records.decode(open_bytes(records_at), at, f"of key {key}")[1]
    done = next(i for i, entry in enumerate(entries, 1) if entry.key == key)
    return done, end, len(lines)


def _in_order(
    make: Callable[[Entry], bytes], entries: Iterable[Entry], workers: int
) -> Generator[bytes | Exception]:
    """Yield the result of `make` for each entry, or its exception, in order; threads call it."""
    with ThreadPoolExecutor(workers, "pack") as pool:
        waiting: deque[Future[bytes]] = deque()
        try:
            for entry in entries:
                waiting.append(pool.submit(make, entry))
                if len(waiting) >= 4 * workers:
                    yield _outcome(waiting.popleft())
            while waiting:
                yield _outcome(waiting.popleft())
        finally:
            for future in waiting:
                future.cancel()


def _outcome(future: Future[bytes]) -> bytes | Exception:
    try:
        return future.result()
    except Exception as error:
        return error


def verify(entries: Sequence[Entry], out: str | os.PathLike[str], seen: Any = followed) -> None:
    """Check a packed file: offsets, keys and labels, and that every image can be decoded.

    Raises
    ------
    DataError
        A record differs from its entry; the error has its number.
    """
    file = open_bytes(out)
    index = records.scan(file)
    places = read_index(Path(out).with_suffix(".idx"))
    if list(places.values()) != index.starts.tolist():
        raise DataError("its index does not name its records: pack it again", file=file.name)
    labels = {entry.key: entry.labels for entry in entries}
    for number, (key, at) in enumerate(seen(places.items(), len(places), "verifying")):
        header, data = unpack(records.decode(file, at, number)[0])
        expected = np.array(labels.get(key, ()), np.float32)
        if header.id != key or not np.array_equal(np.atleast_1d(header.label), expected):
            raise DataError(
                f"key {key} with labels {expected.tolist()} is a record of {header}: pack it again",
                file=file.name,
                record=number,
                offset=at,
            )
        try:
            images.decode(data, None)
        except DataError as error:
            raise DataError(str(error), file=file.name, record=number, offset=at) from error
