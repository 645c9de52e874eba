"""Pools and devices of a test's own, so that no other test's blocks are in the counts."""

import itertools

import pytest

from nbgraph.device import cpu
from nbgraph.storage import PlainBlock, Pool

_unused = itertools.count(1000)


@pytest.fixture
def device():
    """A device that nothing else in the process uses: its books begin at 0."""
    return cpu(next(_unused))


@pytest.fixture
def pool(device):
    return Pool(device, PlainBlock)
