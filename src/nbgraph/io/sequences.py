"""Sequences of different lengths, in batches of similar length."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgraph.errors import ArgumentError, DataError, ShapeError, require_whole
from nbgraph.io.iterator import SourceIter
from nbgraph.io.protocol import DataDesc
from nbgraph.io.source import Columns, Source, Values, common_length, taken
from nbgraph.io.transforms.sequences import PadSequences


class SequenceSource(Source):
    """Sequences of arrays (steps, *shape), sorted into buckets by their lengths.

    Parameters
    ----------
    columns : dict of str to a list of sequences, or to an array with one value per sample
        The sequences of the first column determine the length of a sample.
    labels : names of the columns that are labels
    buckets : sequence of int, optional
        Greatest length of each bucket; by default there is one bucket. DataError if a sequence is
        longer than all of them.
    together : int
        The greatest size of a block, whose samples are of one bucket, and are shuffled together.

    Samples are numbered in the sorted order.

    >>> source = SequenceSource({"x": [[1, 2, 3], [4], [5, 6]]}, buckets=(1, 3))
    >>> source.blocks.tolist(), [x.tolist() for x in source.read(1, np.array([0, 1]))[0]]
    ([0, 1, 3], [[1, 2, 3], [5, 6]])
    """

    def __init__(
        self,
        columns: dict[str, Any],
        labels: Sequence[str] = (),
        *,
        buckets: Sequence[int] | None = None,
        together: int = 4096,
        name: str = "sequences",
    ) -> None:
        self.name, self.labels = name, tuple(labels)
        self.columns = {key: _values(name, key, column) for key, column in columns.items()}
        common_length(name, self.columns)
        self.descs = tuple(_desc(key, values) for key, values in self.columns.items())
        first: Any = next(iter(self.columns.values()))
        if isinstance(first, np.ndarray) and first.ndim < 2 and len(first):
            raise ShapeError(f"{name}: {self.descs[0].name} has no sequences, but single values")
        lengths = np.array([len(x) for x in first], np.int64)
        ends = np.array(sorted(buckets or [int(lengths.max(initial=1))]), np.int64)
        bucket = np.searchsorted(ends, lengths)
        if len(lengths) and bucket.max() == len(ends):
            raise DataError(
                f"{lengths.max()} steps are more than the largest bucket, {ends[-1]}, holds",
                file=name,
                record=int(lengths.argmax()),
            )
        self._order = np.argsort(bucket, kind="stable")
        self.blocks = _blocks(
            np.bincount(bucket, minlength=len(ends)), require_whole("together", together, 1)
        )

    def read(self, block: int, rows: Values) -> Columns:
        numbers = self._order[rows + self.blocks[block]]
        return tuple([taken(values, numbers) for values in self.columns.values()])


def BucketSentenceIter(
    sentences: Sequence[Any],
    batch_size: int,
    buckets: Sequence[int] | None = None,
    invalid_label: float = -1,
    data_name: str = "data",
    label_name: str = "softmax_label",
    dtype: Any = "float32",
    **options: Any,
) -> SourceIter:
    """Return an iterator over batches of sentences of similar length; the label is the sentence
    shifted by one step, for training a language model.

    Parameters
    ----------
    sentences : list of sequences of numbers
    batch_size : int
    buckets : sequence of int, optional
        Lengths to which sentences are padded; by default the lengths of at least `batch_size`
        sentences, and the greatest. A batch has the length of the smallest bucket that fits it,
        `batch.data[0].shape[1]`, MXNet's bucket_key. Longer sentences are left out, with a warning.
    invalid_label : float
        The padding value.
    data_name, label_name, dtype
    **options : see SourceIter; sentences are shuffled unless shuffle=False

    Shuffling permutes the samples within each block of a bucket, and the blocks.

    >>> it = BucketSentenceIter([[1, 2], [3, 4, 5], [6, 7, 8]], 2, buckets=(2, 4), shuffle=False)
    >>> [batch.data[0].shape for batch in it]
    [(2, 4), (2, 4)]
    >>> it.next() if it.reset() else it.next().label[0].asnumpy().tolist()
    [[2.0, -1.0, -1.0, -1.0], [4.0, 5.0, -1.0, -1.0]]
    """
    few = [np.asarray(one, dtype) for one in sentences]
    lengths = np.array([len(one) for one in few], np.int64)
    if buckets is None:
        counts = np.bincount(lengths) if few else np.zeros(1, int)
        buckets = sorted({*np.flatnonzero(counts >= batch_size).tolist(), len(counts) - 1})
    largest = max(buckets, default=0)
    if (lengths > largest).any():
        warnings.warn(
            f"BucketSentenceIter: {int((lengths > largest).sum())} of {len(few)} sentences are "
            f"longer than the largest bucket, {largest}, and are left out",
            stacklevel=2,
        )
    few = [one for one in few if len(one) <= largest]
    if not few:
        raise ArgumentError("BucketSentenceIter: there are no sentences; give at least one")
    after = [np.append(one[1:], np.asarray([invalid_label], dtype))[: len(one)] for one in few]
    columns = {data_name: few, label_name: after}
    source = SequenceSource(
        columns, [label_name], buckets=buckets, together=16 * batch_size, name="BucketSentenceIter"
    )
    padded = PadSequences(tuple(buckets), value=invalid_label, lengths=False, on="all")
    how: dict[str, Any] = {"shuffle": True, "window": 1, **options}
    how["transforms"] = [padded, *how.get("transforms", ())]
    return SourceIter(source, batch_size, **how)


def _values(name: str, key: str, values: Any) -> Any:
    if isinstance(values, np.ndarray):
        return values
    arrays = [np.asarray(one) for one in values]
    wrong = next((i for i, one in enumerate(arrays) if not one.ndim), None)
    if wrong is not None:
        raise ShapeError(
            f"{name}: sample {wrong} of {key} is a single value, {arrays[wrong]}; expected a list "
            "of sequences, or an array of values"
        )
    return arrays


def _desc(key: str, values: Any) -> DataDesc:
    if isinstance(values, np.ndarray):
        return DataDesc(key, values.shape[1:], values.dtype)
    if not values:
        return DataDesc(key, (-1,))
    return DataDesc(key, (-1, *values[0].shape[1:]), values[0].dtype)


def _blocks(counts: Values, together: int) -> Values:
    """Return the offsets of blocks of at most `together` samples, each of one bucket."""
    ends = np.cumsum(counts)
    starts = [
        np.arange(end - count, end, together) for count, end in zip(counts, ends, strict=True)
    ]
    return np.append(np.concatenate(starts), ends[-1]).astype(np.int64)
