"""Source and iterator of record files: packed images, raw arrays, or payloads to be decoded."""

import os
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Never

import numpy as np

from nbgraph.errors import ArgumentError, DataError
from nbgraph.io import records
from nbgraph.io.files import Bytes, Uris, expand, open_bytes
from nbgraph.io.images import ImageDecoder
from nbgraph.io.iterator import SourceIter, divided
from nbgraph.io.packing import HEADER_DTYPE, unpack
from nbgraph.io.protocol import DataDesc
from nbgraph.io.recordio import read_index
from nbgraph.io.report import counted
from nbgraph.io.source import Columns, Source, Values

_BLOCK_SAMPLES, _BLOCK_BYTES = 1 << 16, 1 << 30  # limits of a block
Decode = Callable[[bytes], Any]


class RecordSource(Source):
    """The records of files, one sample each.

    Parameters
    ----------
    uris : str, path or a list of them
        Files separated by ";", folders, patterns with "*", or URLs that fsspec reads. The files
        are scanned for records.
    decode : "image", "raw" or callable
        "image": encoded images, by Pillow. "raw": the bytes of an array of `shape` and `dtype`,
        which is fastest if all records have the same length. A callable converts the payload
        (bytes) to an array.
    shape : tuple of int, optional
        The shape of a sample, -1 for an extent that varies; by default that of the first sample.
    dtype : dtype, optional
        By default uint8, or for a callable the dtype of the first sample.
    packed : bool
        Whether records have the header of `pack`, which contains the labels.
    label_width : int, optional
        The number of labels of a record; by default that of the first one.
    index : str or path, optional
        An index file, for a single file of records: samples are its records, in its order.
    resize, mode, layout
        See ImageDecoder.

    Raises
    ------
    DataError
        A file is absent, has no records, or does not begin with one. A later damaged record is a
        sample that cannot be read; the error has file, number and offset.
    """

    def __init__(
        self,
        uris: Uris,
        *,
        decode: str | Decode = "image",
        shape: Sequence[int] | None = None,
        dtype: Any = None,
        packed: bool = True,
        label_width: int | None = None,
        index: str | os.PathLike[str] | None = None,
        data_name: str = "data",
        label_name: str = "softmax_label",
        resize: int | tuple[int, int] | None = None,
        mode: str = "RGB",
        layout: str = "HWC",
    ) -> None:
        names = expand(uris)
        self.name = names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"
        if index is not None and len(names) > 1:
            raise ArgumentError(f"index={index!r} is of one file; {len(names)} were given")
        self._files = [open_bytes(name) for name in names]
        scanned = [records.salvage(file) for file in self._files]
        if index is not None:
            scanned = [_select_records(self._files[0], scanned[0], read_index(index))]
        self._indices = scanned
        self.packed = packed
        self._decode: Decode | None = None
        if decode == "image":
            decode = ImageDecoder(mode, resize, layout)
        if callable(decode):
            self._decode, self.decodes = decode, True
        elif decode != "raw":
            raise ArgumentError(
                f"decode={decode!r}; expected 'image', 'raw' or a function of bytes"
            )
        label, first = self._first()
        self.descs = (self._described(data_name, first, shape, dtype),)
        if packed:
            self._labels = np.size(label) if label_width is None else label_width
            shape = () if self._labels <= 1 else (self._labels,)
            self.descs += (DataDesc(label_name, shape, np.float32),)
            self.labels = (label_name,)
        self._divide()

    def _described(
        self, name: str, first: Any, shape: Sequence[int] | None, dtype: Any
    ) -> DataDesc:
        """Return the description of a decoded payload, by default that of the first one."""
        if isinstance(self._decode, ImageDecoder):
            return self._decode.desc(name)
        if self._decode is None and (shape is None or -1 in shape):
            raise ArgumentError(f"decode='raw': shape={shape}; expected the shape of every sample")
        if self._decode is not None:
            value = self._decoded(*first)
            dtype = value.dtype if dtype is None else dtype
            shape = value.shape if shape is None else shape
        return DataDesc(name, shape or (), "uint8" if dtype is None else dtype)

    def _first(self) -> tuple[Any, tuple[int, int, bytes]]:
        """Return the label of the first record, and its file, number and payload."""
        for which, index in enumerate(self._indices):
            if len(index.starts):
                record = self._payloads(which, [0])[0]
                label, payload = self._unpacked(which, 0, record) if self.packed else (0.0, record)
                return label, (which, 0, payload)
        raise DataError("there are no records", file=self.name)

    def _divide(self) -> None:
        """Cut the records of every file into blocks."""
        blocks, self._places, before = [0], list[tuple[int, int]](), 0
        for which, index in enumerate(self._indices):
            count = len(index.starts)
            length = max(1, int(index.sizes.sum()) // max(count, 1))
            step = max(1, min(_BLOCK_SAMPLES, _BLOCK_BYTES // length))
            for first in range(0, count, step):
                self._places.append((which, first))
                blocks.append(before + min(first + step, count))
            before += count
        self.blocks = np.array(blocks, np.int64)
        size = self._header_bytes() + self._sample_bytes()
        self._plain = [  # raw records of one part with the size of `shape`
            (index.parts == 1) & (index.sizes == size) & (self._decode is None)
            for index in self._indices
        ]

    def _header_bytes(self) -> int:
        """Return the size of the header and the labels of a record."""
        if not self.packed:
            return 0
        return HEADER_DTYPE.itemsize + (4 * self._labels if self._labels > 1 else 0)

    def _sample_bytes(self) -> int:
        return int(np.prod(self.descs[0].shape, dtype=np.int64)) * self.descs[0].dtype.itemsize

    # reading ------------------------------------------------------------------------------------

    def read(self, block: int, rows: Values) -> Columns:
        """Return samples, and with `packed` their labels."""
        which, first = self._places[block]
        if self._all_plain(which, first + rows):
            outs = tuple([np.empty((len(rows), *d.shape), d.dtype) for d in self.descs])
            if self._gather(which, first + rows, outs):
                return outs
        numbers = (first + rows).tolist()
        columns: tuple[list[Any], ...] = tuple([[] for _ in self.descs])
        for number, record in zip(numbers, self._payloads(which, numbers)):
            for column, value in zip(columns, self._sample(which, number, record)):
                column.append(value)
        fixed = [-1 not in desc.shape for desc in self.descs]
        return tuple([np.stack(c) if f else c for c, f in zip(columns, fixed)])

    def fill(self, block: int, rows: Values, outs: Sequence[Values]) -> None:
        """Like that of Source, but copy raw records directly from the mapped file."""
        which, first = self._places[block]
        same = all(
            out.flags.c_contiguous and out.dtype == d.dtype for out, d in zip(outs, self.descs)
        )
        same = same and self._all_plain(which, first + rows)
        if not (same and self._gather(which, first + rows, outs)):
            super().fill(block, rows, outs)

    def _all_plain(self, which: int, numbers: Values) -> bool:
        """Return whether records can be copied from the mapped file without decoding."""
        return self._files[which].near and bool(self._plain[which][numbers].all())

    @cached_property
    def _record(self) -> np.dtype[Any]:
        """The dtype of a packed record of one part, after its magic and length."""
        several = self._labels if self._labels > 1 else 0
        payload = ("payload", f"V{self._sample_bytes()}")
        return np.dtype([("head", HEADER_DTYPE), ("labels", "<f4", (several,)), payload])

    def _gather(self, which: int, numbers: Values, outs: Sequence[Values]) -> bool:
        """Copy raw records into `outs`; return False if one has another number of labels."""
        file, starts = self._files[which], self._indices[which].starts[numbers]
        length = self._sample_bytes()
        if not self.packed:
            payloads = _pieces_at(file, starts, 8, length)
        else:
            several = self._labels > 1
            rows = _pieces_at(file, starts, 8, self._record.itemsize).view(self._record)
            heads, payloads = rows["head"], rows["payload"]
            if (heads["flag"] != self._labels * several).any():
                return False
            outs[1][...] = rows["labels"] if several else heads["label"]
        if length:
            outs[0].reshape(len(starts), -1).view(f"V{length}").reshape(-1)[...] = payloads
        return True

    def _payloads(self, which: int, numbers: Sequence[int]) -> list[bytes]:
        """Return the payloads of records of a file."""
        file, index = self._files[which], self._indices[which]
        starts, chosen = index.starts[numbers] + 8, np.asarray(numbers)
        payloads = file.ranges(starts.tolist(), (starts + index.sizes[chosen]).tolist())
        for k in np.flatnonzero(index.parts[chosen] != 1).tolist():
            payloads[k] = records.decode(file, int(starts[k]) - 8, int(numbers[k]))[0]
        return payloads

    def _sample(self, which: int, number: int, record: bytes) -> tuple[Any, ...]:
        """Return the array of a record, and with `packed` its label."""
        label, payload = self._unpacked(which, number, record) if self.packed else (0.0, record)
        desc = self.descs[0]
        if self._decode is None:
            if len(payload) != self._sample_bytes():
                what = f"{len(payload)} bytes where {desc} has {self._sample_bytes()}"
                self._refuse(which, number, what)
            value = np.frombuffer(payload, desc.dtype).reshape(desc.shape)
        else:
            value = self._decoded(which, number, payload)
            if len(value.shape) != len(desc.shape) or any(
                n not in {-1, m} for n, m in zip(desc.shape, value.shape)
            ):
                what = f"decode gave an array {value.shape}; expected {desc.shape}"
                self._refuse(which, number, what)
        if not self.packed:
            return (value,)
        if np.size(label) != max(self._labels, 1):
            self._refuse(
                which, number, f"{np.size(label)} labels where {self._labels} are expected"
            )
        return value, np.reshape(np.asarray(label, np.float32), self.descs[1].shape)

    def _decoded(self, which: int, number: int, payload: bytes) -> Values:
        assert self._decode is not None
        try:
            with counted("decoding"):
                return np.asarray(self._decode(payload))
        except DataError as error:
            self._refuse(which, number, str(error), error)
        except Exception as error:
            self._refuse(which, number, f"decode raised {type(error).__name__}: {error}", error)

    def _unpacked(self, which: int, number: int, record: bytes) -> tuple[Any, bytes]:
        try:
            header, payload = unpack(record)
        except DataError as error:
            self._refuse(
                which, number, f"{error}; packed=False reads records without a header", error
            )
        return header.label, payload

    def _refuse(
        self, which: int, number: int, what: str, cause: BaseException | None = None
    ) -> Never:
        start = int(self._indices[which].starts[number])
        file = self._files[which].name
        raise DataError(what, file=file, record=number, offset=start) from cause

    def where(self, number: int) -> str:
        block = int(np.searchsorted(self.blocks, number, side="right")) - 1
        which, first = self._places[block]
        record = first + number - int(self.blocks[block])
        return f"record {record} of {self._files[which].name}"

    def close(self) -> None:
        for file in self._files:
            file.close()


def _select_records(file: Bytes, index: records.Index, places: dict[Any, int]) -> records.Index:
    """Return the records that an index file lists, in its order."""
    starts = np.fromiter(places.values(), np.int64, len(places))
    which = np.searchsorted(index.starts, starts)
    present = which < len(index.starts)
    present[present] = index.starts[which[present]] == starts[present]
    if not present.all():
        key = list(places)[int(np.argmin(present))]
        raise DataError(
            f"the index says that the record of key {key!r} begins here, and none does: it is of "
            "another file, or an old one",
            file=file.name,
            offset=places[key],
        )
    return records.Index(*[column[which] for column in index])


def _pieces_at(file: Bytes, starts: Values, skip: int, length: int) -> Values:
    """Return pieces of `length` bytes as V<length>, each `skip` (a multiple of 4) after a start."""
    count = (file.size - skip - length) // 4 + 1
    octets = file.array(0, file.size)
    pieces: Values = np.ndarray((count,), f"V{length}", octets.data, skip, (4,))
    return pieces[starts // 4]  # take() would copy all of the file, as pieces overlap


class RecordIter(SourceIter):
    """Batches from files of records.

    Parameters
    ----------
    uris, decode, shape, dtype, packed, label_width, index, resize, mode, layout, ...
        See RecordSource.
    batch_size, shuffle, seed, part, of, transforms, prefetch, ...
        See SourceIter.

    >>> import tempfile, nbgraph as ng
    >>> path = tempfile.mkdtemp() + "/squares.rec"
    >>> with ng.io.MXRecordIO(path, "w") as file:
    ...     for i in range(5):
    ...         file.write(ng.io.pack((0, i * i, i, 0), bytes([i, i])))
    >>> it = ng.io.RecordIter(path, 2, decode="raw", shape=(2,))
    >>> [(x.tolist(), y.tolist()) for x, y in it][-1]
    ([[4, 4], [0, 0]], [16.0, 0.0])
    """

    def __init__(self, uris: Uris, batch_size: int = 1, **options: Any) -> None:
        own, options = divided(RecordSource, options)
        super().__init__(RecordSource(uris, **own), batch_size, **options)
