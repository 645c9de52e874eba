"""Pictures of graphs: SVG that is right, the same each time, and shown by itself."""

import xml.etree.ElementTree as ET

import pytest

import nbgraph as ng
from nbgraph.errors import ArgumentError
from tests.support import run_python
from tests.zoo import functions

SVG = "{http://www.w3.org/2000/svg}"
BOX_LOSS = """
data, label, w_in, w_out = (ng.var(n, shape=(8, 1000)) for n in ("data", "label", "w_in", "w_out"))
loss = ng.sum(w_out * smooth_l1(w_in * (data - label), sigma=3.0))
"""


@pytest.fixture(scope="module")
def box_loss():
    made = {"ng": ng, "smooth_l1": ng.op(functions.smooth_l1)}
    exec(compile(BOX_LOSS, "box_loss.py", "exec"), made)  # lines of a file that is called the same
    return made["loss"]


def test_the_box_loss(golden, box_loss):
    """X-SYM-08, STYLE 12: the picture of the box loss, as it is and after fusion."""
    golden("viz/box_loss.svg", ng.viz.graph(box_loss).svg + "\n")
    exe = box_loss.simple_bind()
    exe.forward()
    fused = ng.viz.graph(exe, program="forward")
    golden("viz/box_loss_fused.svg", fused.svg + "\n")
    assert [box.family for box in fused.boxes] == ["variable"] * 4 + ["fused"]


def test_every_node_is_drawn_once_and_every_edge(box_loss):
    picture = ng.viz.graph(box_loss)
    root = ET.fromstring(picture.svg)
    boxes = root.findall(f"{SVG}g")
    assert len(boxes) == len(picture.boxes) == 9
    texts = [t.text for box in boxes for t in box.findall(f"{SVG}text")]
    assert texts == [
        line
        for b in picture.boxes
        for line in (*b.lines, *([", ".join(b.marks)] if b.marks else []))
    ]
    curves = [p for p in root.findall(f"{SVG}path") if p.get("fill") == "none"]
    assert len(curves) == sum(len({k for k, _ in b.reads}) for b in picture.boxes) == 8
    width, height = float(root.get("width")), float(root.get("height"))
    for rect in root.iter(f"{SVG}rect"):
        x, y = float(rect.get("x")), float(rect.get("y"))
        assert 0 <= x <= x + float(rect.get("width")) <= width
        assert 0 <= y <= y + float(rect.get("height")) <= height


def test_texts_of_users_are_escaped():
    x = ng.var('<script>"&', shape=(3,))
    svg = ng.viz.graph(ng.sin(x)).svg
    ET.fromstring(svg)
    assert "<script" not in svg


def test_what_is_displayed(tmp_path, box_loss):
    """API 9: Symbols and graphs draw themselves in a notebook; printed they are listings."""
    for shown in (box_loss, box_loss.graph):
        assert ng.viz.graph(shown).svg in shown._repr_html_()
    picture = ng.viz.graph(box_loss)
    assert str(picture) == str(box_loss)
    assert picture.svg in picture._repr_html_()
    assert picture._repr_svg_() == picture.svg
    assert len(picture.to_dict()["boxes"]) == 9
    picture.save(tmp_path / "loss.svg")
    assert (tmp_path / "loss.svg").read_text(encoding="utf-8") == picture.svg
    assert picture.dot().count(" -> ") == 8
    assert "float32[8, 1000]" in picture.dot()


def test_executors_tell_what_becomes_of_gradients():
    x, w = ng.var("x", shape=(3,)), ng.var("w", shape=(3,))
    exe = ng.sum(x * w).simple_bind(grad_req={"w": "add"})
    exe.forward_backward()
    marks = {box.name: box.marks for box in ng.viz.graph(exe).boxes}
    assert marks["w"] == ("gradient: add",)
    assert not any("gradient" in mark for mark in marks["x"])


def test_executors_are_displayed_without_compiling():
    exe = ng.exp(ng.sin(ng.var("x", shape=(3,)))).simple_bind()
    assert exe._repr_html_() == exe.graph._repr_html_()
    exe.forward()
    assert "fused_sin_exp" in exe._repr_html_()


def test_a_graph_of_nothing():
    """Displays must not fail."""
    ET.fromstring(ng.viz.graph(ng.ExpressionGraph()).svg)


def test_large_graphs_are_cut():
    """A chain of 1000 nodes: the first and last 200, and how many are not shown."""
    y = ng.var("x", shape=(3,))
    for _ in range(999):
        y = ng.sin(y)
    picture = ng.viz.graph(y)
    assert len(picture.boxes) == 401
    assert "600 of 1000 nodes are left out" in picture.svg


def test_what_cannot_be_drawn():
    x = ng.var("x", shape=(3,))
    with pytest.raises(ArgumentError, match="no picture of an int; give a Symbol"):
        ng.viz.graph(3)
    with pytest.raises(ArgumentError, match="for executors, not for a Symbol"):
        ng.viz.graph(x, program="forward")
    exe = ng.sin(x).simple_bind()
    exe.forward()
    with pytest.raises(ArgumentError, match="'backward' has not been made; there are: forward"):
        ng.viz.graph(exe, program="backward")


def test_nothing_is_loaded_for_it_before(tmp_path):
    """`import nbgraph` and symbols do without the room."""
    program = tmp_path / "lazy.py"
    program.write_text(
        "import sys, nbgraph as ng\n"
        "y = ng.sin(ng.var('x', shape=(3,)))\n"
        "assert not any(m.startswith('nbgraph.viz') for m in sys.modules)\n"
        "assert '<svg' in y._repr_html_()\n"
        "print('drawn')\n"
    )
    assert run_python(program, cwd=tmp_path).strip() == "drawn"
