"""Requests: their names, and one or many (SMP-35)."""

import pytest

from nbgraph.errors import ArgumentError
from nbgraph.resource import ResourceRequest, requests


def test_requests_go_by_both_names():
    """SMP-35: one and many."""
    kinds = list(ResourceRequest)
    assert [str(k) for k in kinds] == ["random", "parallel_random", "temp_space"]
    assert requests(["kRandom", "kParallelRandom", "kTempSpace"]) == tuple(kinds)
    assert requests(tuple(kinds)) == tuple(kinds)
    assert requests(ResourceRequest.kTempSpace) == (ResourceRequest.kTempSpace,)
    assert requests("random") == requests(["random"]) == (ResourceRequest.kRandom,)
    assert requests([]) == ()


@pytest.mark.parametrize("given", ["scratch", "", 3, None, [None], ["random", 1], ["Random"]])
def test_what_is_no_request_is_refused(given):
    with pytest.raises(ArgumentError, match="resource request .*; expected one"):
        requests(given)
