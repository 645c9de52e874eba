"""Engines and gates for tests of the array room."""

import pytest

import nbgraph as ng
from tests.engine.conftest import engine, gate, naive, threads

__all__ = ["engine", "gate", "naive", "threads"]


@pytest.fixture(autouse=True)
def _nothing_left():
    """A failure that a test left does not reach the next one."""
    yield
    try:
        ng.waitall()
    except Exception:
        ng.waitall()
