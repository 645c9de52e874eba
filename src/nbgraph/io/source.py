"""Sources of samples: the interface that a file format or a kind of array implements.

A Source has a known number of samples and reads any of them; a Stream yields them in sequence.
Batches, order, parts, transforms, prefetching and errors are implemented once, in `SourceIter`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from nbgraph.errors import ArgumentError, DataError, ShapeError
from nbgraph.io.protocol import DataDesc

Values = np.ndarray[Any, np.dtype[Any]]
Columns = tuple[Any, ...]  # each an ndarray (n, *shape), or a list of n ndarrays
_BLOCK_BYTES = 1 << 20  # size of a block of a memory map


class _Data:
    """The base of Source and Stream: names for messages, and `close`."""

    name: str = "data"

    def where(self, number: int) -> str:
        """Return the name of a sample for error messages."""
        return f"sample {number}"

    def close(self) -> None:
        """Close open files; a second call does nothing."""


class Source(_Data):
    """Samples by their numbers. Subclasses set the attributes and define `read`.

    Attributes
    ----------
    descs : tuple of DataDesc
        Description of one sample, column by column: shapes lack the axis of samples.
    labels : collection of str
        The names of the columns that are labels.
    blocks : int64 array of n + 1 offsets
        Samples blocks[i] to blocks[i + 1] are cheap to read together: a row group, 4096 records.
    whole_blocks : bool
        Whether reading a part of a block costs as much as reading all of it, as with compression.
        A block is then read once, as a whole, and cached until all its samples were returned.
    decodes : bool
        Whether samples are decoded one by one (images): several operations then read those of a
        batch at the same time.
    name : str
        The name for error messages, such as a path.
    """

    descs: tuple[DataDesc, ...]
    labels: Sequence[str] = ()
    blocks: Values
    whole_blocks: bool = False
    decodes: bool = False

    def __len__(self) -> int:
        return int(self.blocks[-1])

    def read(self, block: int, rows: Values) -> Columns:
        """Return the columns of some samples of a block, in the order of `rows`.

        Several threads call it at once, also in a forked child, so read shared files through a
        memory map or by offset (`os.pread`). Raise DataError with file, record and offset if a
        sample is unreadable; the others are then requested again: with `whole_blocks` all but
        `record` (a sample's number in the source), else in halves. Use `with
        ng.io.report.counted("decoding")` to count decoding separately in `it.report()`.

        Parameters
        ----------
        block : int
        rows : int64 array, counted from the block's first sample
        """
        raise AttributeError(f"{type(self).__name__} is a Source without read(block, rows)")

    def fill(self, block: int, rows: Values, outs: Sequence[Values]) -> None:
        """Read samples into arrays; subclasses override this to avoid a copy."""
        for desc, out, column in zip(self.descs, outs, self.read(block, rows), strict=True):
            if not isinstance(column, np.ndarray) or column.shape != out.shape:
                column = stacked(desc.name, column, rows + self.blocks[block], self.where)
            if column.shape != out.shape:
                raise ShapeError(
                    f"{self.name}: {desc.name} of shape {column.shape[1:]}; expected "
                    f"{out.shape[1:]}, as the source describes it"
                )
            out[...] = column


class Stream(_Data):
    """A sequence of samples of unknown length. Subclasses define `restart`.

    Attributes
    ----------
    descs : tuple of DataDesc, or None
        Description of one sample; None: that of the first one.
    labels : collection of str, or None
        Names of the columns that are labels; None: the last of several columns.
    batched : bool
        Whether it yields batches, as a DataLoader does; they are used unchanged.
    name : str
    """

    descs: tuple[DataDesc, ...] | None = None
    labels: Sequence[str] | None = None
    batched: bool = False

    def restart(self) -> Iterator[tuple[Any, ...]]:
        """Start a new pass.

        Returns
        -------
        iterator of samples, tuples with a value per column; or of batches, tuples of arrays

        Raises
        ------
        DataError if the stream cannot be restarted.
        """
        raise AttributeError(f"{type(self).__name__} is a Stream without restart()")

    def __len__(self) -> int:
        """Return the number of samples, or of batches if it is batched; TypeError if unknown."""
        raise TypeError(f"{self.name} does not know how many samples it has")


class ArraySource(Source):
    """Arrays of one length, in memory or mapped into it.

    Parameters
    ----------
    arrays : dict of str to array
        NDArrays are copied to the host.
    labels : collection of str

    >>> source = ArraySource({"x": np.arange(6.0).reshape(3, 2), "y": np.arange(3)}, ["y"])
    >>> source.descs[0], len(source)
    (DataDesc('x', (2,), float64, 'N'), 3)
    >>> source.read(0, np.array([2, 0]))[1].tolist()
    [2, 0]
    """

    def __init__(
        self, arrays: Mapping[str, Any], labels: Sequence[str] = (), *, name: str = "data"
    ) -> None:
        self.arrays = [on_host(values) for values in arrays.values()]
        self.name, self.labels = name, tuple(labels)
        count = common_length(name, dict(zip(arrays, self.arrays)))
        self.descs = tuple(
            DataDesc(key, values.shape[1:], values.dtype)
            for key, values in zip(arrays, self.arrays)
        )
        mapped = [a for a in self.arrays if isinstance(a, np.memmap)]
        step = max(count, 1)
        if mapped:
            row = max(1, sum(a.nbytes for a in mapped) // step)
            step = max(1, _BLOCK_BYTES // row)
        self.blocks = np.append(np.arange(0, max(count, 1), step), count)

    def read(self, block: int, rows: Values) -> Columns:
        """Return rows of each array."""
        if block:
            rows = rows + self.blocks[block]
        return tuple([a[rows] for a in self.arrays])

    def fill(self, block: int, rows: Values, outs: Sequence[Values]) -> None:
        if block:
            rows = rows + self.blocks[block]
        for values, out in zip(self.arrays, outs):
            # "raise" would buffer the output, and of strided values take() copies all beforehand
            if out.dtype == values.dtype and values.flags.c_contiguous:
                values.take(rows, 0, out, "clip")
            else:
                out[...] = values[rows]


def stacked(name: str, column: Any, numbers: Values, where: Callable[[int], str]) -> Values:
    """Stack the samples of a column to one array; ShapeError names two samples that differ."""
    values = [np.asarray(each) for each in column]
    for number, each in zip(numbers, values):
        if each.shape != values[0].shape:
            first, other = where(int(numbers[0])), where(int(number))
            raise ShapeError(
                f"{name}: {other} has shape {each.shape} and {first} {values[0].shape}; a batch "
                "needs one shape: add a transform that resizes, crops or pads them "
                "(ng.io.transforms)"
            )
    return np.stack(values) if values else np.asarray(column)


def together(samples: Iterable[Sequence[Any]]) -> Columns:
    """Return samples as columns: an array if all shapes of a column are equal, else a list.

    >>> together([(1, [2, 3]), (4, [5])])
    (array([1, 4]), [array([2, 3]), array([5])])
    """
    columns: list[Any] = []
    for column in zip(*samples, strict=True):
        values = [on_host(value) for value in column]
        same = len({value.shape for value in values}) == 1
        columns.append(np.stack(values) if same else values)
    return tuple(columns)


def taken(column: Any, rows: slice | Values) -> Any:
    """Return some rows of a column, an array or a list."""
    if isinstance(column, np.ndarray) or isinstance(rows, slice):
        return column[rows]
    return [column[int(row)] for row in rows]


def offsets(name: str, counts: Sequence[int] | Values) -> Values:
    """Return the offsets of blocks from their sizes; raise DataError if all are empty."""
    ends = np.cumsum(counts, dtype=np.int64)
    if not len(ends) or not ends[-1]:
        raise DataError("it has no row, and so no sample", file=name)
    return np.concatenate([[0], ends])


def common_length(name: str, arrays: Mapping[str, Any]) -> int:
    """Return the common length of arrays or lists; raise ShapeError if lengths differ."""
    try:
        counts = {
            key: int(values.shape[0]) if hasattr(values, "shape") else len(values)
            for key, values in arrays.items()
        }
    except (IndexError, TypeError):  # no axis
        counts = {}
    if not counts:
        raise ArgumentError(
            f"{name}: no columns, or one without axes; expected arrays with a first axis, that of "
            "samples"
        )
    lengths = sorted({*counts.values()})
    if len(lengths) > 1:
        text = ", ".join(f"{key}: {count}" for key, count in counts.items())
        raise ShapeError(
            f"{name}: arrays of {' and '.join(map(str, lengths))} samples ({text}); give arrays of "
            "one length"
        )
    return lengths[0]


def on_host(value: Any) -> Values:
    """Convert an array, tensor, image or number to a NumPy array, without a copy if possible.

    A tensor that needs gradients is detached, and one on a device is copied to the host.
    """
    if isinstance(value, np.ndarray):
        return value
    for name, mark in (
        ("asnumpy", "shape"),
        ("detach", "shape"),
        ("get", "__cuda_array_interface__"),
    ):
        read = getattr(value, name, None)
        if callable(read) and hasattr(value, mark):
            value = read()
            if hasattr(value, "cpu"):
                value = value.cpu()
            break
    return np.asarray(value)
