"""Iterators over arrays: what is in their batches, what is called how, what fills the last."""

import pickle
import tracemalloc

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import ArgumentError, DTypeError, ShapeError
from nbgraph.io import ArraySource, DataBatch, DataDesc, NDArrayIter
from tests.io.sources import numbers_of

X, Y = np.arange(20.0).reshape(10, 2), np.arange(10)


@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize("handle", ["pad", "discard", "roll_over", "keep"])
@pytest.mark.parametrize("size", [1, 3, 4, 10, 16])
def test_each_sample_comes_once_an_epoch(handle, size, shuffle):
    it = NDArrayIter(X, Y, size, shuffle, handle, seed=4)
    seen = []
    for epoch in range(4):
        count = len(it)
        batches = list(it)
        assert len(batches) == count and it.epoch == epoch
        for x, y in batches:
            assert isinstance(x, ng.NDArray) and x.dtype == X.dtype and y.dtype == Y.dtype
            np.testing.assert_array_equal(x.asnumpy(), X[y.asnumpy()])
        if handle != "keep":
            assert all(len(batch[0]) == size for batch in batches)
        own = numbers_of(batches)
        seen += own
        if handle in ("pad", "keep"):
            assert sorted(own) == list(range(10))
        if handle == "discard":
            assert len(set(own)) == len(own) == 10 // size * size
    if handle == "roll_over":  # nothing is lost: left-overs begin the next epoch
        assert len(seen) == 40 // size * size
        counts = np.bincount(seen, minlength=10)
        assert counts.max() - counts.min() <= 1


def test_what_fills_the_last_batch_are_the_first_samples():
    batches = list(NDArrayIter(X, Y, 16))
    assert [batch.pad for batch in batches] == [6]
    assert batches[0].index.tolist() == [*range(10), *range(6)]


@pytest.mark.parametrize(
    ("data", "label", "names", "labels"),
    [
        (X, Y, ["data"], ["softmax_label"]),
        ([X], None, ["data"], []),
        ([X, X], Y, ["_0_data", "_1_data"], ["softmax_label"]),
        ({"a": X, "b": ng.array(X)}, {"c": Y, "d": Y}, ["a", "b"], ["c", "d"]),
    ],
)  # fmt: skip
def test_arrays_are_called_as_mxnet_calls_them(data, label, names, labels):
    it = NDArrayIter(data, label, 4)
    assert [desc.name for desc in it.provide_data] == names
    assert [desc.name for desc in it.provide_label] == labels
    assert it.provide_data[0] == (names[0], (4, 2))
    assert it.iter_next() and it.getpad() == 0 and it.getindex().tolist() == [0, 1, 2, 3]
    assert [a.shape for a in it.getdata()] == [(4, 2)] * len(names)
    assert [a.shape for a in it.getlabel()] == [(4,)] * len(labels)
    assert it.next().index.tolist() == it.getindex().tolist() == [4, 5, 6, 7]


def test_memory_maps_are_read_in_blocks(tmp_path):
    path = tmp_path / "x.npy"
    np.save(path, np.arange(2**20, dtype="float64").reshape(2**17, 8))
    mapped = np.load(path, mmap_mode="r")
    it = NDArrayIter(mapped, batch_size=1000, shuffle=True, window=2, last_batch_handle="keep")
    blocks = it.source.blocks
    assert len(blocks) == 9
    first = next(it)
    np.testing.assert_array_equal(first[0].asnumpy(), mapped[first.index])
    assert len(set(np.searchsorted(blocks, first.index, "right").tolist())) == 2
    assert sorted(numbers_of([first, *it])) == list(range(2**17))


def test_arrays_of_a_batch_are_its_own():
    values = X.copy()
    it = NDArrayIter(values, batch_size=10)
    (x,) = next(it)
    x += 1
    np.testing.assert_array_equal(values, X)
    np.testing.assert_array_equal(x.asnumpy(), X + 1)


@pytest.mark.parametrize("order", [">f4", ">i8"])
def test_foreign_byte_order_is_made_native(order):
    (x,) = next(NDArrayIter(X.astype(order), batch_size=3))
    assert x.dtype.isnative
    np.testing.assert_array_equal(x.asnumpy(), X[:3])


def test_what_is_no_data_is_refused():
    with pytest.raises(ShapeError, match="9 and 10 samples.*softmax_label: 9"):
        NDArrayIter(X, Y[:9])
    with pytest.raises(ArgumentError, match="both called"):
        NDArrayIter({"a": X}, {"a": Y})
    with pytest.raises(ArgumentError, match="first axis"):
        NDArrayIter(np.float64(3))
    with pytest.raises(ArgumentError, match="last_batch_handle='some'; expected 'pad'"):
        NDArrayIter(X, last_batch_handle="some")
    with pytest.raises(ArgumentError, match="batch_size=0"):
        NDArrayIter(X, batch_size=0)
    with pytest.raises(DTypeError, match="not supported"):
        NDArrayIter(X.astype(np.longdouble))


def test_batches_and_descriptions_are_pickled():
    desc = DataDesc("x", (2, 3), "int32", "NT")
    again = pickle.loads(pickle.dumps(desc))
    assert again == desc and (again.dtype, again.layout) == (desc.dtype, "NT")
    batch = pickle.loads(pickle.dumps(next(NDArrayIter(X, Y, 4))))
    assert isinstance(batch, DataBatch) and batch.pad == 0 and len(batch.label) == 1


def test_a_batch_can_be_cut_to_what_it_is_measured_on():
    batch = list(NDArrayIter(X, Y, 4))[-1].unpadded()
    assert [a.shape for a in batch] == [(2, 2), (2,)] and batch.pad == 0
    assert batch.index.tolist() == [8, 9]


@pytest.mark.parametrize("strided", [lambda a: a[:, ::2], lambda a: a.T, lambda a: a[::-1]])
@pytest.mark.parametrize("whole", [False, True])
def test_a_batch_of_strided_values_copies_its_own_samples_alone(strided, whole):
    values = strided(np.arange(1e6).reshape(1000, 1000))
    source, rows = ArraySource({"x": values}), np.array([7, 3, 3])
    outs = [np.empty((3, *values.shape[1:]))]
    tracemalloc.start()
    try:
        if whole:
            source.fill(0, rows, outs)
        else:
            outs = source.read(0, rows)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    np.testing.assert_array_equal(outs[0], values[rows])
    assert peak < 100_000
