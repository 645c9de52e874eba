"""The RecordIO format: payloads of any length in a file that can be read from any offset.

A record has one or several parts. A part is, in little-endian words of 4 bytes,

    magic 0xced7230a | flag (3 bits), length (29 bits) | bytes | zeros up to a multiple of 4

with flag 0 for a record of one part, and 1, 2, ..., 2, 3 for the first, the middle and the last
part of several. A payload that contains the magic at a word boundary is split there, without the
magic itself. So a word equal to the magic is always the head of a part.
"""

import struct
from typing import Any, NamedTuple, Never

import numpy as np

from nbgraph.errors import ArgumentError, DataError
from nbgraph.io.files import Bytes

MAGIC = 0xCED7230A
_MAGIC_BYTES = struct.pack("<I", MAGIC)
_HEAD = struct.Struct("<II")
_LENGTH_BITS = 29
_LENGTH = (1 << _LENGTH_BITS) - 1
_WINDOW = 1 << 20  # bytes that are searched for heads at once
_PAGE = 4096  # from this mean length of records on, only heads are read
Number = int | str | None  # number of a record for error messages, or a text such as "of key 7"
Integers = np.ndarray[Any, np.dtype[np.int64]]
_NONE: Integers = np.zeros(0, np.int64)


class Index(NamedTuple):
    """The locations of the records of a file, one number per record in each array."""

    starts: Integers  # offset of the first head
    sizes: Integers  # bytes of the payload
    parts: Integers  # number of parts

    def __len__(self) -> int:
        return len(self.starts)


def encode(payload: bytes | bytearray | memoryview) -> bytes:
    r"""Return the bytes of a record with this payload.

    >>> encode(b"12345").hex(" ", 4)
    '0a23d7ce 05000000 31323334 35000000'
    """
    if (size := memoryview(payload).nbytes) > _LENGTH:
        raise ArgumentError(
            f"write: a record of {size} bytes; RecordIO holds {_LENGTH} at most: divide it"
        )
    data = bytes(payload)
    cuts = _words_of_magic(data)
    pieces: list[bytes] = []
    start = 0
    for i, stop in enumerate([*cuts, len(data)]):
        flag = 0 if not cuts else 1 if i == 0 else 3 if i == len(cuts) else 2
        pieces += (_HEAD.pack(MAGIC, flag << _LENGTH_BITS | stop - start), data[start:stop])
        start = stop + 4
    pieces.append(bytes(-len(data) % 4))
    return b"".join(pieces)


def _words_of_magic(data: bytes) -> list[int]:
    """Return the offsets of the magic in `data` that are multiples of 4."""
    places: list[int] = []
    at = data.find(_MAGIC_BYTES)
    while at >= 0:
        if at % 4 == 0:
            places.append(at)
        at = data.find(_MAGIC_BYTES, at + 1)
    return places


def decode(file: Bytes, at: int, number: Number = None) -> tuple[bytes, int]:
    """Return the payload of the record at offset `at`, and the offset of the next one.

    Raises
    ------
    DataError
        The record is damaged or truncated; the error has file, number and offset.
    """
    spans, end = _spans(file, at, number)
    return _MAGIC_BYTES.join([file.read(*span) for span in spans]), end


def _spans(file: Bytes, at: int, number: Number) -> tuple[list[tuple[int, int]], int]:
    """Return the byte ranges of the parts of a record, and the end of the record."""
    flag, start, stop = _part(file, at, number, at, (0, 1))
    spans = [(start, stop)]
    while flag not in {0, 3}:
        flag, start, stop = _part(file, stop + -stop % 4, number, at, (2, 3))
        spans.append((start, stop))
    return spans, stop + -stop % 4


def _part(
    file: Bytes, at: int, number: Number, first: int, flags: tuple[int, int]
) -> tuple[int, int, int]:
    """Return the flag of the part at offset `at`, and the range of its bytes."""
    head = file.read(at, at + 8)
    if len(head) < 8:
        if at != first and not head:
            _damaged(file, number, first, "the record's last part is missing: it is truncated")
        _damaged(
            file, number, at, f"truncated: {len(head)} bytes are left where a record's head takes 8"
        )
    magic, word = _HEAD.unpack(head)
    if magic != MAGIC:
        _damaged(file, number, at, f"wrong magic {magic:#010x}; expected {MAGIC:#x}")
    flag, length = word >> _LENGTH_BITS, word & _LENGTH
    if flag not in flags:
        _damaged(file, number, at, _wrong_flag(flag, begun=at != first))
    if at + 8 + length > file.size:
        missing = at + 8 + length - file.size
        _damaged(
            file, number, at, f"the last {missing} of the record's {length} bytes are missing: the "
            "file is truncated, or the length is damaged"
        )  # fmt: skip
    return flag, at + 8, at + 8 + length


def _wrong_flag(flag: int, *, begun: bool) -> str:
    if flag > 3:
        return f"a part has the flag {flag}; expected 0 to 3"
    if begun:
        return "another record begins before the last part of this one: parts are missing"
    return f"a record begins with a part of flag {flag}: its first part is missing"


def _damaged(file: Bytes, number: Number, at: int, what: str) -> Never:
    if isinstance(number, str):
        raise DataError(f"record {number}: {what}", file=file.name, offset=at)
    raise DataError(what, file=file.name, record=number, offset=at)


def scan(file: Bytes, start: int = 0, stop: int | None = None) -> Index:
    """Return the index of the records from `start`, the offset of one, to `stop` or the end.

    Short records are found by searching for the magic, a window at a time; for long ones, only
    the heads are read.

    Raises
    ------
    DataError
        A record is damaged, or extends beyond the end of the file.
    """
    stop = file.size if stop is None else stop
    places: list[Integers] = []
    heads: list[Integers] = []
    at, length = start, 0.0
    while at < stop:
        go = _jump if file.near and length > _PAGE else _search
        starts, words, end = go(file, at, stop)
        if not len(starts) or end > stop:
            _raise_fault(file, start, stop)
        length = (end - at) / len(starts)
        places.append(starts)
        heads.append(words)
        at = end
    if not places:
        return Index(_NONE, _NONE, _NONE)
    return _records(file, np.concatenate(places), np.concatenate(heads), start, stop)


def _search(file: Bytes, at: int, stop: int) -> tuple[Integers, Integers, int]:
    """Return offsets and second words of the heads in a window, and the end of the last part."""
    window = file.array(at, min(at + (_WINDOW if file.near else 8 * _WINDOW), stop))
    words = window[: len(window) // 4 * 4].view("<u4")
    spots = np.flatnonzero(words == MAGIC)
    spots = spots[spots < len(words) - 1]
    second = words[spots + 1].astype(np.int64)
    ends = spots + 2 + ((second & _LENGTH) + 3 >> 2)
    # a magic within a payload, in a file of another writer, breaks the chain
    chained = spots == np.concatenate(([0], ends))[: len(spots)]
    count = len(spots) if chained.all() else int(np.argmin(chained))
    end = at + 4 * int(ends[count - 1]) if count else at
    return at + 4 * spots[:count], second[:count], end


def _jump(file: Bytes, at: int, stop: int) -> tuple[Integers, Integers, int]:
    """Like `_search`, for up to 1024 parts, reading from head to head."""
    places: list[int] = []
    heads: list[int] = []
    while at < stop and len(places) < 1024:
        head = file.read(at, at + 8)
        if len(head) < 8 or not head.startswith(_MAGIC_BYTES):
            break
        word = _HEAD.unpack(head)[1]
        places.append(at)
        heads.append(word)
        at += 8 + ((word & _LENGTH) + 3 & -4)
    return np.array(places, np.int64), np.array(heads, np.int64), at


def _records(file: Bytes, places: Integers, heads: Integers, start: int, stop: int) -> Index:
    """Join parts to records, and return their index."""
    flags, lengths = heads >> _LENGTH_BITS, heads & _LENGTH
    begins = flags <= 1
    before = np.concatenate(([0], flags[:-1]))
    # a record begins exactly where the previous one has ended
    legal = (begins == ((before == 0) | (before == 3))) & (flags <= 3)
    if not legal.all() or flags[-1] in {1, 2}:
        _raise_fault(file, start, stop)
    firsts = np.flatnonzero(begins)
    parts = np.diff(firsts, append=len(places))
    # the magic between two parts belongs to the payload
    sizes = np.add.reduceat(lengths, firsts) + 4 * (parts - 1)
    return Index(places[firsts], sizes, parts)


def _raise_fault(file: Bytes, at: int, stop: int) -> Never:
    """Raise the error of the first damaged record between `at` and `stop`."""
    raise _fault(file, at, stop)[1]


def _fault(file: Bytes, at: int, stop: int) -> tuple[int, DataError]:
    """Return the offset of the first damaged record, and its error."""
    number = last = 0
    try:
        while at < stop:
            last = at
            _, at = _spans(file, at, number)
            number += 1
        _damaged(file, number - 1, last, f"the record ends at byte {at}; expected {stop}")
    except DataError as error:
        return last, error


def salvage(file: Bytes) -> Index:
    """Return the index of all records; damaged ones are included with 0 parts and 0 bytes.

    After a damaged record, the scan continues at the next valid head.

    Raises
    ------
    DataError
        The file begins with a damaged record, so it may have another format.
    """
    pieces: list[Index] = []
    at = 0
    while at < file.size:
        try:
            pieces.append(scan(file, at))
            break
        except DataError:
            start, error = _fault(file, at, file.size)
            if start == 0:
                raise error from None
            pieces += scan(file, at, start), Index(*np.array([[start], [0], [0]], np.int64))
            at = next_record(file, start + 4)
    return Index(*[np.concatenate([_NONE, *column]) for column in zip(*pieces)] or [_NONE] * 3)


def next_record(file: Bytes, at: int) -> int:
    """Return the offset of the first record at or after `at`, or the size of the file."""
    at += -at % 4
    while at < file.size:
        window = file.array(at, at + _WINDOW + 4)
        words = window[: len(window) // 4 * 4].view("<u4")
        spots = np.flatnonzero(words[:-1] == MAGIC)
        first = spots[words[spots + 1] >> _LENGTH_BITS <= 1]
        if len(first):
            return at + 4 * int(first[0])
        at += _WINDOW
    return file.size
