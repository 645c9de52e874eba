"""The iterator over any source: batches, cursors, parts, errors."""

import itertools
import json
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nbgraph.errors import ArgumentError, DataError, ShapeError
from nbgraph.io import CSVIter, NDArrayIter, PrefetchingIter, SourceIter
from tests.io.sources import Counted, Numbers, numbers_of

HANDLES = ["pad", "discard", "roll_over", "keep"]
SIZES = st.lists(st.integers(0, 9), min_size=1, max_size=6)


@given(
    SIZES, st.booleans(), st.booleans(), st.integers(1, 7), st.sampled_from(HANDLES), st.data()
)  # fmt: skip
def test_a_cursor_goes_on_with_the_same_batches(sizes, whole, shuffle, size, handle, data):
    def made():
        return SourceIter(
            Numbers(sizes, whole=whole), size, shuffle=shuffle, seed=2, window=2,
            last_batch_handle=handle,
        )  # fmt: skip

    def taken(it, count):
        """Batches of several epochs."""
        found = []
        for _ in range(count + 5):
            if len(found) == count:
                break
            found += itertools.islice(it, count - len(found))
        return [(b.index.tolist(), [a.tolist() for a in b], b.pad) for b in found]

    first, more = data.draw(st.integers(0, 12)), data.draw(st.integers(1, 8))
    through = made()
    taken(through, first)
    state = json.loads(json.dumps(through.state_dict()))
    again = made()
    again.load_state_dict(state)
    assert taken(again, more) == taken(through, more)


@pytest.mark.parametrize("prefetch", [0, 2])
@pytest.mark.parametrize("make", [
    lambda x, path: SourceIter(Numbers([3, 4]), 2, shuffle=True, window=2),
    lambda x, path: NDArrayIter(x, batch_size=2, shuffle=True, last_batch_handle="roll_over"),
    lambda x, path: CSVIter(data_csv=path, data_shape=(2,), batch_size=2),
    lambda x, path: PrefetchingIter(NDArrayIter(x, batch_size=2)),
])  # fmt: skip
def test_an_iterator_is_pickled_where_it_is(make, prefetch, tmp_path):
    x = np.arange(14.0).reshape(7, 2)
    np.savetxt(tmp_path / "x.csv", x, delimiter=",")
    it = make(x, tmp_path / "x.csv")
    if prefetch and isinstance(it, SourceIter):
        it.read_ahead(prefetch)
    it.note = "an attribute of one's own"
    it.next()
    other = pickle.loads(pickle.dumps(it))
    rest = [[batch.data[0].tolist() for batch in (*each, *each)] for each in (it, other)]
    assert rest[0] == rest[1] != []
    assert other.prefetch == it.prefetch
    assert isinstance(it, PrefetchingIter) or other.note == it.note


@given(SIZES, st.booleans(), st.booleans(), st.booleans(), st.integers(1, 7), st.integers(1, 4))
def test_samples_are_complete_whatever_the_blocks(sizes, whole, ragged, shuffle, size, of):
    found = []
    for part in range(of):
        source = Numbers(sizes, whole=whole, ragged=ragged)
        it = SourceIter(
            source, size, shuffle=shuffle, part=part, of=of, window=2, last_batch_handle="keep",
            transforms=[lambda columns, draws: (np.array([x[0] for x in columns[0]]), columns[1])]
            if ragged else (),
        )  # fmt: skip
        for batch in it:
            x, y = batch
            assert x.tolist() == batch.index.tolist() and y.tolist() == (batch.index**2).tolist()
            found += x.tolist()
    assert sorted(found) == list(range(sum(sizes)))


def test_whole_blocks_are_read_once_an_epoch():
    source = Numbers([5] * 8, whole=True)
    it = SourceIter(source, 3, shuffle=True, window=2, last_batch_handle="keep")
    assert sorted(numbers_of(it)) == list(range(40))
    assert sorted(source.reads) == [(block, 5) for block in range(8)]


def test_what_a_source_raises_is_raised_once():
    it = SourceIter(Numbers([4, 4, 4], bad=[5]), 4, last_batch_handle="keep")
    assert next(it).index.tolist() == [0, 1, 2, 3]
    with pytest.raises(DataError, match=r"damaged \(numbers.bin, record 5, byte 80\)"):
        next(it)
    assert next(it).index.tolist() == [8, 9, 10, 11]
    assert next(it, None) is None


@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("handle", HANDLES)
def test_samples_that_cannot_be_read_are_left_out_and_counted(handle, whole, named):
    source = Numbers([4] * 5, bad=[5, 16, 17, 18, 19], whole=whole, named=named)
    it = SourceIter(source, 4, last_batch_handle=handle, on_error="skip", window=1)
    lost = {5, 16, 17, 18, 19}
    batches = []
    with pytest.warns(UserWarning, match=rf"{len(lost)} samples of epoch 0 .* damaged"):
        batches += it
    assert numbers_of(batches) == [n for n in range(20) if n not in lost]
    if handle != "keep":
        assert all(len(batch[0]) == 4 for batch in batches)


def test_samples_of_different_shapes_need_a_transform():
    it = SourceIter(Numbers([6], ragged=True), 2)
    with pytest.raises(ShapeError, match="sample 1 has shape.*a transform that resizes"):
        next(it)


def test_a_state_of_other_data_is_refused():
    state = SourceIter(Numbers([6]), 2).state_dict()
    with pytest.raises(ArgumentError, match="samples=6; this has 7"):
        SourceIter(Numbers([7]), 2).load_state_dict(state)
    with pytest.raises(ArgumentError, match="of=1; this has 2"):
        SourceIter(Numbers([12]), 2, of=2).load_state_dict(state)


def test_reset_begins_the_next_epoch_where_one_was_begun():
    it = SourceIter(Numbers([6]), 2, shuffle=True)
    it.reset()
    assert it.epoch == 0
    first = next(it).index.tolist()
    it.reset()
    assert it.epoch == 1 and next(it).index.tolist() != first


def test_closing_closes_the_source():
    source = Numbers([6])
    with SourceIter(source, 2) as it:
        next(it)
    assert source.closed == 1
    with pytest.raises(ArgumentError, match="numbers.bin: the iterator is closed"):
        next(it)


# streams ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize("handle", ["pad", "discard", "keep"])
def test_samples_of_a_stream_come_once_and_cursors_find_them(handle, shuffle):
    def made():
        return SourceIter(Counted(23), 4, shuffle=shuffle, window=8, last_batch_handle=handle)

    it = made()
    passes = [[b.index.tolist() for b in it] for _ in range(2)]
    assert (passes[0] != passes[1]) == shuffle
    found = sorted({n for numbers in passes[0] for n in numbers})
    assert len(found) == 20 if handle == "discard" else found == list(range(23))
    half = made()
    list(itertools.islice(half, 3))
    again = made()
    again.load_state_dict(json.loads(json.dumps(half.state_dict())))
    assert [b.index.tolist() for b in again] == passes[0][3:] == [b.index.tolist() for b in half]


@given(st.integers(0, 20), st.integers(1, 5), st.booleans())
def test_parts_of_a_stream_are_disjoint_and_complete(count, of, shuffle):
    found = []
    for part in range(of):
        it = SourceIter(
            Counted(count), 3, shuffle=shuffle, part=part, of=of, window=4,
            last_batch_handle="keep",
        )  # fmt: skip
        found += numbers_of(it) if count > part else []
    assert sorted(found) == list(range(count))


def test_a_stream_that_raises_goes_on():
    it = SourceIter(Counted(8, bad=[5]), 4, last_batch_handle="keep")
    assert next(it)[1].tolist() == [0, -1, -2, -3]
    with pytest.raises(DataError, match="record 5"):
        next(it)
    assert next(it)[0].tolist() == [4, 6, 7]
    skipping = SourceIter(Counted(8, bad=[5]), 4, last_batch_handle="keep", on_error="skip")
    batches = []
    with pytest.warns(UserWarning, match="1 samples.*record 5"):
        batches += skipping
    assert [b[0].tolist() for b in batches] == [[0, 1, 2, 3], [4, 6, 7]]


def test_a_stream_describes_itself_by_its_first_sample():
    it = SourceIter(Counted(8), 4)
    assert it.provide_data == [("data", (4,))] and it.provide_label == [("softmax_label", (4,))]
    assert numbers_of(it) == list(range(8)) and it.source.starts == 1
    with pytest.raises(ArgumentError, match="cannot roll over"):
        SourceIter(Counted(8), 4, last_batch_handle="roll_over")


def test_an_iterator_says_what_it_has():
    it = NDArrayIter(np.ones((4, 2)), batch_size=3)
    assert repr(it) == "<NDArrayIter: 4 samples, batches of 3>"
