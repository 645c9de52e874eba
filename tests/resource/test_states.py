"""Random streams go on from where they were."""

import json

import numpy as np

import nbgraph as ng
from nbgraph.resource.random import stream
from nbgraph.resource.states import random_state, restore_random


def drawn():
    serial = stream().serial()
    return ng.random.normal(size=4).tolist() + serial.normal(size=3).tolist(), serial.integers(9)


def test_both_generators_of_a_device_go_on():
    """RES: the counter of parallel draws and the stateful generator, through JSON."""
    ng.random.seed(7)
    drawn()
    kept = json.loads(json.dumps(random_state()))
    expected = [drawn() for _ in range(3)]
    ng.random.seed(8)
    drawn()
    restore_random(kept)
    assert [drawn() for _ in range(3)] == expected


def test_a_stream_without_a_seed_goes_on_too():
    ng.random.seed()
    kept = random_state()
    a = ng.random.uniform(size=5).asnumpy()
    ng.random.seed(0)
    restore_random(kept)
    np.testing.assert_array_equal(ng.random.uniform(size=5), a)
