"""What is drawn of a graph, as data."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import nbgraph as ng
from nbgraph.executor import Options
from nbgraph.viz.boxes import Box, cut, of_graph


def test_texts_families_and_marks():
    """X-SYM-08, STYLE 12: operator with its numbers, the user's name, dtype and shape; results,
    several outputs and constants are told apart."""
    x = ng.var("x", shape=(2, 6))
    whole, part = ng.modf(x)
    y = (ng.dropout(whole) * 2.0 + part).named("y")
    boxes = {box.name: box for box in of_graph(ng.sum(y).graph)}
    assert boxes["x"].lines == ("x", "float32[2, 6]")
    assert boxes["multiply0"].lines == ("multiply(·, 2.0)", "float32[2, 6]")
    assert boxes["y"].lines == ("add", "y", "float32[2, 6]")
    assert {box.family for box in boxes.values()} == {"variable", "mapper", "effect", "reduction"}
    assert [n for n, box in boxes.items() if "result" in box.marks] == ["sum0"]
    assert {which for _, which in boxes["y"].reads} == {"", "[1]"}
    assert "test_boxes.py" in boxes["y"].hint
    assert "axis=None" in boxes["sum0"].hint


def test_unknown_shapes_are_said_to_be_unknown():
    (box, _) = of_graph(ng.sin(ng.var("x")).graph)
    assert box.lines == ("x", "shape not known")


def test_recomputed_nodes_are_marked():
    """X-MAR-12: what backward computes again is dashed; what it has to wait for is dotted."""
    y = ng.var("x", shape=(4,))
    for _ in range(9):
        y = ng.sin(y)
    exe = ng.sum(y).simple_bind(options=Options.of(recompute="sqrt", fuse=False))
    exe.forward_backward()
    picture = ng.viz.graph(exe)
    again = [box for box in picture.boxes if box.again]
    assert {box.lines[0] for box in again} == {"sin"}
    assert any(box.after for box in again)
    assert picture.svg.count('stroke-dasharray="5 3"') == len(again)
    assert 'stroke-dasharray="2 3"' in picture.svg
    assert "dashed" in picture.dot()
    assert "style=dotted" in picture.dot()


@given(st.integers(0, 40), st.integers(2, 12), st.randoms(use_true_random=False))
def test_large_graphs_are_cut(count, most, random):
    """The first and the last, and a note with the number of the others; edges lead forward."""
    boxes = [
        Box(
            str(k),
            "mapper",
            ("f",),
            tuple({(random.randrange(k), "") for _ in range(2)} if k else ()),
        )
        for k in range(count)
    ]
    found = cut(boxes, most)
    assert len(found) == (count if count <= most else most + 1)
    assert all(k < i for i, box in enumerate(found) for k, _ in box.reads)
    if count > most:
        (note,) = [box for box in found if box.family == "note"]
        assert note.lines == (f"{count - most} of {count} nodes are left out",)
        assert [box.name for box in found if box is not note] == [
            str(k) for k in (*range(most - most // 2), *range(count - most // 2, count))
        ]


@pytest.mark.parametrize("trains", [False, True])
def test_expressions(trains):
    """X-MAR-12: the nodes of an expression graph, with id and whether they are trainable."""
    graph = ng.ExpressionGraph()
    x = graph.param("w", (3,), 1.0) if trains else graph.constant([1.0, 2.0, 3.0])
    y = ng.sum(x * 2.0)
    for what in (y, graph):
        picture = ng.viz.graph(what)
        assert [box.name for box in picture.boxes][-1] == f"#{y.node.id}"
        assert any("trainable" in box.marks for box in picture.boxes) is trains
        assert "trainable" in picture.svg or not trains
        assert what._repr_html_().count("<svg") == 1
