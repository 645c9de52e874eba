"""The order of samples: parts are disjoint and complete, epochs differ, windows bound memory."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nbgraph.errors import ArgumentError
from nbgraph.io.order import Order, permutation

SIZES = st.lists(st.integers(0, 7), max_size=12)


def offsets(sizes):
    return np.append(0, np.cumsum(np.array(sizes, np.int64)))


@given(SIZES, st.integers(1, 9), st.booleans(), st.integers(0, 3), st.integers(1, 5))
def test_parts_are_disjoint_and_complete(sizes, of, shuffle, epoch, window):
    found = []
    for part in range(of):
        order = Order(offsets(sizes), shuffle=shuffle, seed=3, part=part, of=of, window=window)
        numbers = order.epoch(epoch).numbers(0, order.count).tolist()
        assert len(numbers) == order.count and abs(order.count - sum(sizes) / of) < 1
        assert shuffle or numbers == sorted(numbers)
        found += numbers
    assert sorted(found) == list(range(sum(sizes)))


@given(SIZES, st.integers(1, 4), st.data())
def test_any_stretch_of_an_epoch_is_the_same_however_it_is_asked_for(sizes, window, data):
    order = Order(offsets(sizes), shuffle=True, seed=1, window=window)
    whole = order.epoch(2).numbers(0, order.count).tolist()
    low = data.draw(st.integers(0, order.count))
    high = data.draw(st.integers(low, order.count))
    assert order.epoch(2).numbers(low, high).tolist() == whole[low:high]


@given(SIZES, st.integers(1, 4))
def test_a_window_has_samples_of_its_blocks_alone(sizes, window):
    order = Order(offsets(sizes), shuffle=True, seed=5, window=window)
    epoch = order.epoch(0)
    block_of = np.repeat(np.arange(len(sizes)), sizes)
    seen = set()
    for k in range(len(epoch.windows) - 1):
        blocks = set(block_of[epoch.samples(k)].tolist())
        assert len(blocks) <= window and not blocks & seen
        seen |= blocks


def test_epochs_and_seeds_differ_and_repeat():
    def numbers(seed, epoch):
        order = Order(np.array([0, 40, 100]), shuffle=True, seed=seed)
        return tuple(order.epoch(epoch).numbers(0, 100).tolist())

    assert len({numbers(s, e) for s in range(3) for e in range(3)}) == 9
    assert numbers(1, 1) == numbers(1, 1)


def test_the_order_is_the_same_on_every_machine():
    """Written down: another machine, another NumPy, must give these."""
    assert permutation(10, 7, 3, 1).tolist() == [4, 1, 6, 7, 8, 2, 3, 9, 0, 5]


def test_a_permutation_is_uniform_over_places():
    counts = np.zeros((6, 6))
    for epoch in range(3000):
        counts[np.arange(6), permutation(6, 0, epoch, 0)] += 1
    assert abs(counts / 3000 - 1 / 6).max() < 0.03


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"part": 2, "of": 2}, "part=2 of=2"),
        ({"part": -1}, "part=-1"),
        ({"of": 0}, "of=0"),
        ({"seed": 1.5}, "seed=1.5"),
        ({"window": 0}, "window=0"),
    ],
)
def test_what_is_no_part_is_refused(options, message):
    with pytest.raises(ArgumentError, match=message):
        Order(np.array([0, 10]), **options)
