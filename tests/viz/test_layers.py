"""Layouts: layers, distances, determinism, size."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nbgraph.viz.layers import GAP, layered


@st.composite
def graphs(draw):
    count = draw(st.integers(1, 25))
    pairs = list(itertools.combinations(range(count), 2))
    edges = draw(st.lists(st.sampled_from(pairs), unique=True, max_size=60)) if pairs else []
    widths = draw(st.lists(st.floats(10, 200), min_size=count, max_size=count))
    return count, edges, widths


@given(graphs())
def test_operands_lie_above_and_nothing_overlaps(graph):
    """X-SYM-08: every edge leads down, boxes of a layer keep their distance, all fit the width."""
    count, edges, widths = graph
    found = layered(count, edges, widths)
    assert all(found.layer[a] < found.layer[b] for a, b in edges)
    for depth in set(found.layer):
        row = sorted((k for k in range(count) if found.layer[k] == depth), key=found.x.__getitem__)
        for a, b in itertools.pairwise(row):
            assert found.x[b] - found.x[a] >= (widths[a] + widths[b]) / 2 + GAP - 1e-6
    for x, width in zip(found.x, widths, strict=True):
        assert x - width / 2 >= -1e-6
        assert x + width / 2 <= found.width + 1e-6
    for (a, b), bends in zip(edges, found.bends, strict=True):
        assert [layer for layer, _ in bends] == list(range(found.layer[a] + 1, found.layer[b]))[:12]


@given(graphs())
def test_the_same_graph_is_the_same_picture(graph):
    assert layered(*graph) == layered(*graph)


def test_what_reads_nothing_stands_above_its_reader():
    """A weight of the last layer is drawn there, not at the top."""
    chain = [(k, k + 1) for k in range(5)]
    found = layered(7, [*chain, (6 - 1, 6)], [20.0] * 7)
    assert found.layer == list(range(7))
    late = layered(6, [(0, 1), (1, 2), (2, 3), (4, 5), (3, 5)], [20.0] * 6)
    assert late.layer[4] == late.layer[5] - 1


def test_a_crossing_is_undone():
    """Two independent chains whose heads come in the other order do not cross."""
    found = layered(4, [(0, 3), (1, 2)], [20.0] * 4)
    assert (found.x[0] < found.x[1]) == (found.x[3] < found.x[2])


def test_an_edge_that_leads_back_is_refused():
    with pytest.raises(AssertionError, match="2 -> 1 leads back"):
        layered(3, [(2, 1)], [1.0] * 3)


def test_long_edges_have_no_bends():
    """So that the work for n nodes stays near n."""
    edges = [(k, k + 1) for k in range(30)] + [(0, 30)]
    assert layered(31, edges, [20.0] * 31).bends[-1] == []
