"""Operators that a test registers are forgotten after it."""

import itertools

import pytest

import nbgraph as ng
from nbgraph.operator import registry

_numbers = itertools.count()


def simple_ops(default):
    """A fixture: what makes simple operators, under a name or the default one, for one test."""
    made = []

    def make(name=None, **options):
        if name is None:
            name = default()
            if name in registry.names():
                registry.remove(name)
        made.append(ng.register_simple_op(name, **options))
        return made[-1]

    yield make
    for op in made:
        if op.__name__ in registry.names() and registry.find(op.__name__) is op:
            registry.remove(op.__name__)


@pytest.fixture
def new():
    """`new()` is a simple operator under a name of its own."""
    yield from simple_ops(lambda: f"simple_{next(_numbers)}")
