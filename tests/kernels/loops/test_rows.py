"""Row programs as kernels: what is kept or computed twice, in place, split, and packed."""

import math
import re

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.engine.native_call import NativeCall
from nbgraph.kernels.compiler.kernel import kernel, record
from nbgraph.kernels.loops import rows, writer
from nbgraph.kernels.loops.loop import Loop, Operand, Output, Total
from nbgraph.kernels.loops.source import emit
from nbgraph.kernels.scalar.graph import Graph


def softmax_loop(dtype="float32", layout="c", request="write"):
    graph = Graph()
    x, top, total = (graph.argument(name, "f") for name in ("x", "top", "total"))
    weight = graph.call("exp", graph.arithmetic("sub", x, top))
    share = graph.arithmetic("div", weight, total)
    return Loop(
        "softmax",
        "rows",
        graph,
        "float64" if dtype == "float64" else "float32",
        (Operand(x, dtype, layout),),
        (),
        (Output(share, dtype, layout, request),),
        stages=((Total(top, x, "max"),), (Total(total, weight, "add"),)),
        disjoint=True,
    )


def run(loop, x, y, cuts=1):
    """The kernel over all rows, in so many pieces, the last first."""
    steps = [x.strides[1], y.strides[1]]
    outer = [(x.shape[0], (x.strides[0], y.strides[0]))]
    words = record(x.shape[1], [x.ctypes.data, y.ctypes.data], steps, [], outer)
    code = kernel(loop)
    places = np.linspace(0, x.shape[0], cuts + 1).astype(int)
    for lo, hi in reversed(list(zip(places[:-1], places[1:], strict=True))):
        NativeCall(code.address, words.tolist(), int(hi), lo=int(lo))()


def sample(shape, dtype="float32"):
    return (3 * np.random.default_rng(len(shape)).normal(size=shape)).astype(dtype)


@pytest.mark.parametrize("count", [1, 7, 8, 33, 1000, 1024, 1025, 5000])
def test_what_is_kept_has_the_bits_of_what_is_computed_again(count, monkeypatch):
    """X-SYM-05: the values that lie in the output between passes change nothing."""
    x = sample((3, count))
    kept, again = np.empty_like(x), np.empty_like(x)
    run(softmax_loop(), x, kept)
    assert "kept" in emit(softmax_loop()).text
    monkeypatch.setattr(rows, "_value_to_keep", lambda loop: None)
    assert "kept" not in emit(softmax_loop()).text
    run(softmax_loop(), x, again)
    assert kept.tobytes() == again.tobytes()
    wide = np.exp(x.astype("float64") - x.max(1, keepdims=True))
    np.testing.assert_allclose(kept, wide / wide.sum(1, keepdims=True), rtol=3e-6)


@pytest.mark.parametrize("layout", ["c", "s"])
@pytest.mark.parametrize("cuts", [2, 5, 11])
def test_bits_do_not_depend_on_how_the_rows_are_cut(cuts, layout):
    """X-SYM-05: a row's results are the same whoever runs it, and in place."""
    x = sample((11, 2100)) if layout == "c" else sample((11, 4200))[:, ::2]
    whole, cut = np.empty_like(x), np.empty_like(x)
    run(softmax_loop(layout=layout), x, whole)
    run(softmax_loop(layout=layout), x, cut, cuts)
    assert whole.tobytes() == cut.tobytes()
    run(softmax_loop(layout=layout), x, x, cuts)
    assert whole.tobytes() == np.ascontiguousarray(x).tobytes()


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_adding_gives_the_sum_of_what_would_be_written(dtype):
    """X-SYM-05: the request "add" adds the rounded result, and keeps nothing in the output."""
    x = sample((4, 300), dtype)
    fresh, added = np.empty_like(x), sample((2, 600), dtype).reshape(4, 300)
    before = added.copy()
    run(softmax_loop(dtype), x, fresh)
    run(softmax_loop(dtype, request="add"), x, added)
    assert added.tobytes() == (before + fresh).tobytes()
    assert "kept" not in emit(softmax_loop(dtype, request="add")).text


def test_a_value_is_kept_only_where_the_output_holds_it():
    """X-SYM-05: a 16-bit output would round it, and a row that is read later may lie there."""
    assert "kept" not in emit(softmax_loop("float16")).text
    loop = softmax_loop()
    (x,), (out,) = loop.operands, loop.outputs
    both = Output(loop.graph.arithmetic("add", out.node, x.node), "float32", "c")
    changed = Loop(
        "both", "rows", loop.graph, "float32", loop.operands, (), (both,), stages=loop.stages
    )
    assert "kept" not in emit(changed).text
    x = sample((2, 50))
    wanted, placed = np.empty_like(x), x.copy()
    run(changed, x, wanted)
    run(changed, placed, placed)
    assert placed.tobytes() == wanted.tobytes()


def test_nothing_is_kept_over_what_a_later_total_reads():
    """X-SYM-05: a third pass that makes a total reads the row, which the output may lie over."""
    loop = softmax_loop()
    graph, share = loop.graph, loop.outputs[0].node
    squares = graph.argument("squares", "f")
    third = (Total(squares, graph.arithmetic("mul", share, share), "add"),)
    made = Output(graph.arithmetic("mul", share, squares), "float32", "c")
    longer = Loop(
        "longer",
        "rows",
        graph,
        "float32",
        loop.operands,
        (),
        (made,),
        stages=(*loop.stages, third),
        disjoint=True,
    )
    x = sample((3, 50))
    wanted, placed = np.empty_like(x), x.copy()
    run(longer, x, wanted)
    run(longer, placed, placed)
    assert placed.tobytes() == wanted.tobytes()
    shares = np.exp(x) / np.exp(x).sum(1, keepdims=True)
    np.testing.assert_allclose(wanted, shares * (shares**2).sum(1, keepdims=True), rtol=1e-5)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_every_pass_is_packed(dtype):
    """X-SYM-05: each of the three passes does packed arithmetic and calls nothing."""
    text = kernel(softmax_loop(dtype)).assembly()
    if "%ymm" not in text and "%zmm" not in text:
        pytest.skip("this machine's assembly is read by other means")
    letter = "s" if dtype == "float32" else "d"
    passes = re.split(r"(?m)^[\w$.@<>]*run[\w$.@<>]*:", text)[1:]
    floats = rf"(?:max|cmpunord\w*|add|sub|mul|div|fmadd\d+)p{letter}"
    packed = re.compile(rf"v(?:{floats}|pmaxs[dq]|pmaxu[dq])\s.*%[yz]mm")
    assert len(passes) >= 3
    assert sum(bool(packed.search(part)) for part in passes) >= 3
    assert not re.search(r"\bcall\w*\s+\w*exp", text)


@pytest.mark.parametrize("n", [0, 1])
def test_rows_of_nothing_and_of_one(n):
    """X-SYM-05: a row without elements writes nothing; of one element the share is 1."""
    x, y = np.full((5, n), -math.pi, "float32"), np.zeros((5, n), "float32")
    run(softmax_loop(), x, y)
    assert (y == 1).all()


@pytest.mark.parametrize("compiler", ["llvm", "numba"])
def test_what_is_asked_for_ahead_changes_nothing(compiler, monkeypatch):
    """Large arrays, whose next blocks are fetched before they are read, and parts of them, as on a
    processor without AVX-512."""
    monkeypatch.setattr(writer, "has_evex", lambda features: False)
    x = np.random.default_rng(0).normal(size=(5, 1 << 20)).astype("float32")
    assert x.size > writer._FAR > x[:3].size
    with ng.config(compiler=compiler):
        for f in (ng.sum, ng.max, ng.logsumexp):
            parts = np.concatenate([f(x[:3], axis=1), f(x[3:], axis=1)])
            np.testing.assert_array_equal(f(x, axis=1), parts, err_msg=f.__name__)
        assert "fetch(" in emit(softmax_loop()).text
