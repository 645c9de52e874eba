"""Models that read digits, as their programs train them."""

import numpy as np
import pytest

import nbgraph as ng
from examples import lenet, mlp
from examples.digits import digits, shifted


def test_a_network_of_dense_layers_reads_digits():
    """At least 97 of 100 test images, with a fixed seed."""
    assert mlp.main() >= 0.97


@pytest.mark.slow
def test_lenet_reads_digits():
    """At least 985 of 1000 test images, with a fixed seed; everyday the demo's training is looked
    at."""
    assert lenet.main() >= 0.985


def test_parts_of_the_digits_have_nothing_in_common():
    data = digits()
    assert [len(images) for images, _ in data] == [1257, 180, 360]
    rows = [row.tobytes() for images, _ in data for row in images]
    assert len(set(rows)) == len(rows) == 1797
    assert all(np.isin(np.arange(10), labels).all() for _, labels in data)


def test_copies_are_moved_by_a_cell():
    images, labels = digits().train
    copies, named = shifted(images, labels)
    assert copies.shape == (9 * 1257, 1, 8, 8) and (named.reshape(9, -1) == labels).all()
    copies = copies.reshape(9, *images.shape)
    np.testing.assert_array_equal(copies[4], images)
    np.testing.assert_array_equal(copies[0, ..., 1:, 1:], images[..., :-1, :-1])
    assert not copies[0, ..., 0, :].any() and not copies[0, ..., 0].any()
    assert lenet.lenet().prepare(ng.array(images[:1])).summary().endswith("13706")
