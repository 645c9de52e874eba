"""The engines under test, and random streams left as they were found."""

import itertools

import pytest

from nbgraph.device import cpu
from nbgraph.resource import random
from tests.engine.conftest import engine as engine
from tests.engine.conftest import gate as gate
from tests.engine.conftest import naive as naive
from tests.engine.conftest import threads as threads

_unused = itertools.count(2000)


@pytest.fixture
def device():
    """A device whose resources nothing else in the process uses."""
    return cpu(next(_unused))


@pytest.fixture(autouse=True)
def unseeded():
    """No test's seed is in force in the next test."""
    yield
    random.seed(None)
