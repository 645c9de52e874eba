"""Bodies that are cut into segments: how they are cut, and that values are those of one loop."""

import math

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.kernels.loops import segments
from nbgraph.kernels.loops.body import Body, Namespace
from tests.kernels import branch_texts

COUNT = 150  # branches
WHOLE = ("a loop's body", "breaks")  # a loop is not cut


def captured(op):
    graph = op.scalar.capture(("f",), {})
    return graph.graph, graph.operands, graph.outputs


@pytest.mark.filterwarnings("ignore:.*the expression is too large")  # to look for limits in
@pytest.mark.parametrize("which", ["value", "derivative"])
@pytest.mark.parametrize("name", [n for n in branch_texts.TEXTS if n not in WHOLE])
def test_segments_are_short_and_few_values_pass(name, which, tmp_path):
    op = ng.op(branch_texts.function(tmp_path, name, COUNT), certify=False)
    graph, operands, roots = captured(op if which == "value" else op.derivative("x"))
    leaves = {node.id: "" for node in operands}
    found = segments.cut(graph, roots, Body(graph, roots, Namespace("float64"), leaves, 0))
    given = set()
    for segment in found:
        reads = {node.id for node in segment.reads}
        assert reads <= given
        given |= {node.id for node in segment.gives}
        inside = graph.reachable(segment.gives, {*leaves, *reads})
        operations = [n for n in inside if n.op != "const"]
        assert len(found) == 1 or len(operations) <= 500
        assert len(reads) <= 40
    assert found[-1].gives == roots


def test_a_short_body_is_one_segment():
    graph, operands, roots = captured(ng.op(lambda x: x * math.sin(x)))
    body = Body(graph, roots, Namespace("float64"), {operands[0].id: ""}, 0)
    assert segments.cut(graph, roots, body) == [segments.Segment((), roots)]


@pytest.fixture(params=["updates", "sizes", "a sorting network", "helpers"])
def op(request, tmp_path):
    f = branch_texts.function(tmp_path, request.param, COUNT)
    made = ng.op(f)
    made.by_hand = np.vectorize(f, otypes=["float64"])
    return made


def same(op, x, result):
    np.testing.assert_allclose(result, op.by_hand(x), rtol=1e-9, atol=1e-12)


def test_runs_that_end_within_rows(op):
    x = np.linspace(-4, 4, 3 * 700).reshape(3, 700)
    same(op, x, op(x))
    same(op, x[:, ::2], op(x[:, ::2]))
    same(op, x[:1, :1], op(x[:1, :1]))


def test_in_place(op):
    x = np.linspace(-4, 4, 1000)
    y = x.copy()
    op(y, out=y)
    same(op, x, y)


def test_past_the_caches(op):
    x = np.linspace(-4, 4, 5003)
    out = np.empty(5004)[1:]  # its lines begin elsewhere
    with ng.config(stream_bytes=1):
        op(x, out=out)
    same(op, x, out)


def test_single_precision_and_slopes(op):
    x = np.linspace(-4, 4, 600)
    single = op(x.astype("float32"))
    assert single.dtype == np.float32
    slope, h = op.derivative("x")(x), 1e-6
    middle = (op.by_hand(x + h) - op.by_hand(x - h)) / (2 * h)
    close = np.isclose(slope, middle, rtol=1e-3, atol=1e-3)
    assert close.mean() > 0.9  # the others are near a branch's end


@pytest.fixture
def short(monkeypatch):
    """Every body of more than a few operations is cut."""
    monkeypatch.setattr(segments, "_LONG", 4)
    monkeypatch.setattr(segments, "_LEAST", 2)
    monkeypatch.setattr(segments, "_MOST", 3)


def kinds(x, k, *, scale=1.5):
    """Values of all kinds pass, and outputs are among them."""
    above = x > scale
    count = k * 3 + 1
    half = x * 0.5 if above or k > 2 else -x
    y = half * half + count
    z = y / (1.0 + half) if above and count > 4 else y - x * scale
    return half, z * z + count, not above


@pytest.mark.parametrize("compiler", ["llvm", "numba"])
def test_kinds_of_values_that_pass(short, compiler):
    x, k = np.linspace(-3, 3, 601), np.arange(601) % 7
    with ng.config(compiler=compiler):
        found = ng.op(kinds, name=f"kinds_{compiler}")(x, k)
    wanted = np.array([kinds(*pair) for pair in zip(x.tolist(), k.tolist(), strict=True)])
    for got, column in zip(found, wanted.T, strict=True):
        np.testing.assert_allclose(np.asarray(got, float), column, rtol=1e-12)


def waves(x):
    y = math.sin(x) * 2.0 + x
    z = math.cos(y) - y * 0.5
    return math.sin(z + x) * y + z


def test_trigonometry_of_huge_arguments(short):
    """The runs of each segment are done again where an argument is beyond the quick reduction."""
    x = np.concatenate([np.linspace(-9, 9, 300), [1e300, -1e15], np.linspace(-9, 9, 300)])
    wanted = np.vectorize(waves)(x)
    op = ng.op(waves, name="waves_in_segments")
    np.testing.assert_allclose(op(x), wanted, rtol=1e-9)
    y = x.copy()
    op(y, out=y)
    np.testing.assert_allclose(y, wanted, rtol=1e-9)
