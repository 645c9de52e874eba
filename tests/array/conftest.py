"""Engines and gates for tests of the array room."""

import pytest

import nbgraph as ng
from nbgraph.settings import CLOSELY_ASKED
from tests.engine.conftest import engine, gate, naive, nothing_left, threads

__all__ = ["engine", "gate", "naive", "threads"]


@pytest.fixture
def threaded():
    """The engine that has routes, in force, and nothing that was ever asked to look closely."""
    asked, CLOSELY_ASKED[0] = CLOSELY_ASKED[0], False
    before = ng.engine.current().kind
    ng.engine.set("threaded")
    yield ng.engine
    ng.engine.set(before)
    CLOSELY_ASKED[0] |= asked


_nothing_left = pytest.fixture(autouse=True)(nothing_left)
