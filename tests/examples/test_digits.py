"""Models that read digits, as their programs train them."""

import numpy as np

import nbgraph as ng
from examples import lenet, mlp
from examples.digits import digits, shifted


def test_a_network_of_dense_layers_reads_digits():
    """At least 97 of 100 test images, with a fixed seed."""
    assert mlp.main()["val_accuracy"][-1] >= 0.97


def test_lenet_reads_digits():
    """At least 985 of 1000 test images, with a fixed seed."""
    assert lenet.main()["val_accuracy"][-1] >= 0.985


def test_parts_of_the_digits_have_nothing_in_common():
    data = digits(flat=True)
    assert len(data.train[0]) == 1437 and len(data.test[0]) == 360
    assert np.isin(np.arange(10), data.test[1]).all()
    images, labels = shifted(*digits().train)
    assert images.shape == (5 * 1437, 1, 8, 8) and len(labels) == len(images)
    assert lenet.lenet().prepare(ng.array(images[:1])).summary().endswith("13706")
