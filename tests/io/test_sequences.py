"""Sequences of about one length in a batch."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nbgraph.errors import ArgumentError, DataError, ShapeError
from nbgraph.io import BucketSentenceIter, SequenceSource, SourceIter
from nbgraph.io import transforms as T


@given(st.lists(st.integers(1, 12), min_size=1, max_size=40), st.integers(1, 5), st.booleans())
def test_each_sentence_comes_once(lengths, batch_size, shuffle):
    """DIO-01: filled up to a bucket, with the next word as label."""
    sentences = [np.arange(n) + 100 * k for k, n in enumerate(lengths)]
    it = BucketSentenceIter(
        sentences, batch_size, buckets=(4, 8, 12), shuffle=shuffle, last_batch_handle="keep"
    )
    seen = []
    for batch in it:
        x, y = (a.asnumpy() for a in batch)
        assert x.shape == y.shape and x.shape[1] in (4, 8, 12)
        counts = (x >= 0).sum(1)
        assert x.shape[1] == min(b for b in (4, 8, 12) if b >= counts.max())
        for row, label, count in zip(x, y, counts):
            which = int(row[0]) // 100
            assert (row[:count] == sentences[which]).all() and (row[count:] == -1).all()
            assert (label[: count - 1] == row[1:count]).all() and (label[count - 1 :] == -1).all()
            seen.append(which)
    assert sorted(seen) == list(range(len(lengths)))


def test_batches_are_of_one_bucket():
    """But for those between two of the stretches that come in a random order."""
    lengths = np.random.default_rng(0).integers(1, 13, 900)
    it = BucketSentenceIter([np.ones(n) for n in lengths], 5, buckets=(4, 8, 12), seed=3)
    mixed, orders = 0, []
    for _ in range(2):
        buckets = []
        for batch in it:
            counts = (batch.data[0].asnumpy() >= 0).sum(1)
            mixed += len(set(np.searchsorted((4, 8, 12), counts))) > 1
            buckets.append(batch.data[0].shape[1])
        orders.append(buckets)
    assert (
        mixed <= 2 * 12
        and len(buckets) == 180
        and orders[0] != orders[1]
        and orders[0] != sorted(orders[0])
    )


def test_buckets_by_default():
    sentences = [np.ones(n) for n in (2, 2, 2, 3, 5, 5, 7)]
    shapes = {b.data[0].shape[1] for b in BucketSentenceIter(sentences, 2)}
    assert shapes <= {2, 5, 7}
    with pytest.warns(UserWarning, match="1 of 7 sentences are longer than the largest bucket, 5"):
        it = BucketSentenceIter(sentences, 2, buckets=[5])
    assert sum(len(b.data[0]) - b.pad for b in it) == 6


def test_a_model_of_sequences_with_values():
    source = SequenceSource(
        {"word": [np.zeros((n, 3), "float32") for n in (4, 1, 2)], "class": np.array([7, 8, 9])},
        ["class"],
        buckets=(2, 4),
    )
    it = SourceIter(source, 2, transforms=[T.PadSequences((2, 4))], last_batch_handle="keep")
    assert [d.name for d in it.provide_data] == ["word", "word_length"]
    found = [[a.asnumpy() for a in batch] for batch in it]
    assert [words.shape for words, _, _ in found] == [(2, 2, 3), (1, 4, 3)]
    assert [n.tolist() for _, n, _ in found] == [[1, 2], [4]]
    assert [y.tolist() for _, _, y in found] == [[8, 9], [7]]


def test_wrong_sequences_are_refused():
    with pytest.raises(DataError, match=r"9 steps.*largest bucket, 4.*sequences, record 1"):
        SequenceSource({"x": [np.ones(2), np.ones(9)]}, buckets=(2, 4))
    with pytest.raises(ShapeError, match="sample 1 of x is a single value"):
        SequenceSource({"x": [[1], 2]})
    with pytest.raises(ShapeError, match="x: 2, y: 1"):
        SequenceSource({"x": [[1], [2]], "y": np.ones(1)})
    with pytest.raises(ShapeError, match="no sequences"):
        SequenceSource({"x": np.ones(3)})
    with pytest.raises(ArgumentError, match="no columns"):
        SequenceSource({})
    with pytest.raises(ArgumentError, match="no sentences"):
        BucketSentenceIter([], 2)
    with pytest.raises(ShapeError, match="add a transform"):
        SourceIter(SequenceSource({"x": [[1], [2, 3]]}), 2).next()
