"""Operators that tests register are there for these tests alone."""

import pytest

from nbgraph.operator import registry
from tests.operator.full import operators


@pytest.fixture(autouse=True)
def registered():
    """Those of `operators`; afterwards none that begins as they do."""
    for op in operators.REGISTERED:
        if op.__name__ not in registry.names():
            registry.register(op, op.__name__, owner=op.property)
    yield
    for name in registry.names():
        if name.startswith(operators.PREFIX):
            registry.remove(name)
