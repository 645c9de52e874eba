"""Engines for tests of optimizers."""

from tests.array.conftest import _nothing_left
from tests.engine.conftest import engine, naive, threads

__all__ = ["_nothing_left", "engine", "naive", "threads"]
