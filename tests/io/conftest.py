"""The engines under which batches are made ahead."""

import pytest

import nbgraph as ng


@pytest.fixture(params=["naive", "threaded", "chaos"])
def engine(request):
    """`ng.engine` with each kind in force."""
    before = ng.engine.current().kind
    ng.engine.set(request.param)
    yield request.param
    ng.engine.wait_for_all(30)
    ng.engine.set(before)
