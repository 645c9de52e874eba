"""Random numbers of samples: NumPy's Philox, by the numbers of the samples."""

import numpy as np
import pytest
from scipy import stats

from nbgraph.errors import ArgumentError
from nbgraph.io.transforms import Draws
from nbgraph.io.transforms.draws import _key


def words(draws, sample, call, blocks):
    """The words of a sample, by NumPy."""
    key = np.array(_key(draws.seed, draws.epoch, draws.path), np.int64).view(np.uint64)
    found = []
    for block in range(blocks):
        source = np.random.Philox(key=key, counter=[sample, block, call, 0])
        found.append(source.random_raw(4))  # NumPy counts before it makes a block
    return np.concatenate(found)


@pytest.mark.parametrize("shape", [(), 3, (8,), (3, 7)])
def test_numbers_are_those_of_philox(shape):
    draws = Draws(5, 1, [0, 7, 123456789])
    for call in range(2):
        found = draws.uniform(shape).reshape(3, -1)
        count = found.shape[1]
        for row, sample in zip(found, draws.index):
            raw = words(draws, sample, call, -(-count // 8)).view(np.uint32)[:count]
            assert (row == (raw >> 8) * np.float32(2.0**-24)).all()


def test_integers_are_the_high_part_of_a_product():
    draws = Draws(5, 1, [3, 4])
    found = draws.integers(-2, 1000, (5,))
    for row, sample in zip(found, draws.index):
        raw = words(draws, sample, 0, 2)[:5]
        assert row.tolist() == [(int(w) * 1002 >> 64) - 2 for w in raw]


@pytest.mark.parametrize(
    ("numbers", "law"),
    [
        (lambda d: d.uniform((4,), -1, 3), stats.uniform(-1, 4)),
        (lambda d: d.normal((4,), 2, 3), stats.norm(2, 3)),
        (lambda d: d.below(10**6) / 10**6, stats.uniform()),
    ],
)
def test_distributions(numbers, law):
    found = numbers(Draws(0, 0, np.arange(5000))).ravel()
    assert stats.kstest(found, law.cdf).pvalue > 1e-4


def test_what_numbers_depend_on():
    """Seed, epoch, path, sample and how many draws came before, and nothing else."""
    index = np.arange(64)
    first = Draws(1, 2, index).uniform()
    assert (first == Draws(1, 2, index).again().uniform()).all()
    others = [
        Draws(2, 2, index),
        Draws(1, 3, index),
        Draws(1, 2, index + 64),
        Draws(1, 2, index).child("a"),
        Draws(1, 2, index).child("b"),
    ]
    later = Draws(1, 2, index)
    later.uniform()
    numbers = [first, later.uniform(), *(d.uniform() for d in others)]
    assert len({float(n) for row in numbers for n in row}) > 0.99 * len(numbers) * 64
    some = Draws(1, 2, index)
    some.uniform()
    assert (some.take([5, 3]).uniform() == numbers[1][[5, 3]]).all()


def test_ends_of_intervals_stay_out():
    draws = Draws(0, 0, np.arange(20000))
    narrow = draws.uniform((), 1.0, np.nextafter(np.float32(1), np.float32(2)))
    assert (narrow == 1).all()
    assert (draws.uniform((), 2.0, 2.0) == 2).all()
    assert set(draws.below(3).tolist()) == {0, 1, 2}
    assert not draws.bernoulli(0.0).any() and draws.bernoulli(1.0).all()


def test_limits_of_samples():
    limits = np.array([[1, 5], [7, 2]])
    found = np.array([Draws(0, e, [3, 8]).below(limits) for e in range(60)])
    assert (found.max(0) == limits - 1).all() and (found.min(0) == 0).all()


def test_wrong_arguments_are_refused():
    for call, told in [
        (lambda: Draws(-1, 0, [0]), "seed=-1"),
        (lambda: Draws(0, 1.5, [0]), "epoch=1.5"),
        (lambda: Draws(0, 0, [[0]]), r"index has shape \(1, 1\)"),
        (lambda: Draws(0, 0, [0]).integers(3, 3), "high > low"),
        (lambda: Draws(0, 0, [0]).integers(0, 1 << 33), r"2\*\*32"),
    ]:
        with pytest.raises(ArgumentError, match=told):
            call()
