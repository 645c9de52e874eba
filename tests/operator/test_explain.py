"""explain(), at_point, display and help: the claims are derived again by other means (SMP-30)."""

from __future__ import annotations

import json
import math
import random
import re
import time

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import ArgumentError, CaptureError, DTypeError
from nbgraph.kernels.function.derived import Backward
from nbgraph.kernels.function.signature import defaults_of
from nbgraph.kernels.scalar.graph import Graph
from nbgraph.kernels.scalar.interpret import Evaluator, FloatDomain, Undetermined
from nbgraph.kernels.scalar.readable import expression, function
from nbgraph.operator.scalar.invoke import Invoker
from tests.operator.explained import (
    IDS,
    SCALE,
    ZOO,
    affine,
    bell,
    factorial,
    newton_root,
    positive,
    sigmoid,
    smooth_l1,
    weighted,
)


def stable(text):
    """Without what differs between machines and runs: seconds, widths, lines, checked points."""
    text = re.sub(r"\d+ lanes in \d+-bit registers", "N lanes in N-bit registers", text)
    text = re.sub(
        r"(found in the disk cache, compiled|compiled now) by (LLVM|Numba) in [\d.]+ s", "T", text
    )
    text = re.sub(r"\d+ points, worst disagreement [\d.e+-]+", "N points", text)
    text = re.sub(r"\d+ others could not be decided(; it ended .*)?", "N others undecided", text)
    text = re.sub(r'File ".*[/\\]', 'File "', text)
    return re.sub(r"((?:py:|, line ))\d+", r"\1L", text)


# golden ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("op", [smooth_l1, sigmoid, newton_root], ids=lambda f: f.__name__)
def test_golden_explanations(op, golden):
    golden(f"explain/{op.__name__}.txt", stable(str(op.explain())) + "\n")


def test_golden_refusal(golden):
    def refused(x):
        with open("numbers") as numbers:  # noqa: PTH123
            return x * float(numbers.read())

    with pytest.raises(CaptureError) as caught:
        ng.op(refused)
    golden("explain/refused.txt", stable(str(caught.value)) + "\n")


# the claims, derived again ---------------------------------------------------------------------


@pytest.mark.parametrize("op", ZOO, ids=IDS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_simd_claim_agrees_with_the_assembly_text(op, dtype):
    """Counted without control flow: packed float arithmetic anywhere, of which register."""
    explanation = op.explain(dtype=dtype)
    suffix = "ps" if dtype == "float32" else "pd"
    text = explanation.kernel.assembly()
    if "xmm" not in text:
        pytest.skip("no x86 assembly")
    pattern = rf"^\s+v?(?:add|sub|mul|div|cmp\w*|fmadd\w*)\w*{suffix}\s.*%([xyz])mm"
    packed = re.findall(pattern, text, re.MULTILINE)
    widest = {"x": 128, "y": 256, "z": 512}.get(max(packed, default=""), 0)
    assert explanation.simd.vectorised == (widest > 0), explanation.simd
    if widest:
        assert explanation.simd.width == widest
        assert explanation.simd.lanes == widest // (8 * np.dtype(dtype).itemsize)
        assert not explanation.simd.reason


def test_known_vector_and_known_scalar_operators():
    assert smooth_l1.explain().simd.vectorised
    assert sigmoid.explain().simd.vectorised
    assert newton_root.explain().simd.vectorised
    narrow = factorial.explain().simd
    assert not narrow.vectorised and not narrow.calls
    assert "gamma()" in narrow.reason
    assert re.search(r"explained\.py:\d+", narrow.reason)


def test_a_copy_is_called_a_copy():
    assert "copied" in ng.op(lambda x: x).explain().simd.reason


def test_a_claim_is_found_again_in_the_cache(monkeypatch):
    first = smooth_l1.explain().simd
    monkeypatch.setattr("nbgraph.kernels.compiler.kernel.Kernel.assembly", lambda self: 1 / 0)
    assert smooth_l1.explain().simd == first


@pytest.mark.parametrize("op", [f for f in ZOO if f is not positive], ids=lambda f: f.__name__)
def test_dependence_is_what_backward_really_reads(op):
    """With NaN in everything that is said not to be read, the gradients are the same."""
    rng = np.random.default_rng(5)
    values = [np.abs(rng.normal(size=64)) + 0.1 for _ in range(op.nin)]
    grad = rng.normal(size=64)
    rows = op.explain().dependence
    assert [r["operand"] for r in rows] == list(op.scalar.operands)
    reads = {name for r in rows for name in r["reads"]}
    full = Backward(op.scalar, memory=False)
    wanted = _run(full, dict(zip(op.scalar.operands, values, strict=True)) | {"out_grad": grad})
    kept = {"out": op(*values), **dict(zip(op.scalar.operands, values, strict=True))}
    nan = np.full(64, np.nan)
    given = {k: v if k in reads else nan for k, v in kept.items()} | {"out_grad": grad}
    backward = Backward(op.scalar, gradient=op.hand_gradient)
    assert set(backward.operands) - {"out_grad"} == reads
    found = _run(backward, given)
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10)
    kinds = {"T0": not reads, "T1": reads == {"out"}, "T2": bool(reads - {"out"})}
    if op.nin == 1:
        assert kinds[rows[0]["class"]]


def _run(scalar, named):
    invoker = Invoker(scalar)
    arrays, plan = invoker.prepare(
        [named[n] for n in scalar.operands], defaults_of(scalar), "float64"
    )
    outputs = [np.empty_like(arrays[0]) for _ in plan.typed.outputs]
    invoker.run(plan, arrays, outputs)
    return outputs


@pytest.mark.parametrize(
    "op", [smooth_l1, sigmoid, affine, weighted, bell], ids=lambda f: f.__name__
)
def test_in_place_runs_give_the_same_bits(op):
    """Forward over each operand; backward's in-gradients over out_grad: by pointers."""
    rng = np.random.default_rng(6)
    values = [rng.normal(size=1003).astype("f4") for _ in range(op.nin)]
    found = op.explain().in_place
    wanted = op(*values)
    for name in found["free"]:
        arrays = [v.copy() for v in values]
        target = arrays[op.scalar.operands.index(name)]
        invoker = op.invoker
        prepared, plan = invoker.prepare(arrays, op.parameters_of({}))
        assert any(p.ctypes.data == target.ctypes.data for p in prepared)
        invoker.run(plan, prepared, [target])
        assert target.tobytes() == wanted.tobytes()
    backward = Backward(op.scalar, gradient=op.hand_gradient)
    named = {"out_grad": rng.normal(size=1003).astype("f4"), "out": wanted}
    named |= dict(zip(op.scalar.operands, values, strict=True))
    invoker = Invoker(backward)
    arrays, plan = invoker.prepare([named[n] for n in backward.operands], defaults_of(backward))
    apart = [np.empty_like(arrays[0]) for _ in plan.typed.outputs]
    invoker.run(plan, arrays, apart)
    over = [arrays[0], *(np.empty_like(arrays[0]) for _ in apart[1:])]
    invoker.run(plan, arrays, over)
    assert [a.tobytes() for a in over] == [a.tobytes() for a in apart]


def test_in_place_options_of_simple_operators():
    """SMP-30."""
    options = {
        f.__name__: (
            f.explain().in_place["forward_option"],
            f.explain().in_place["backward_option"],
        )
        for f in (smooth_l1, sigmoid, affine, positive)
    }
    assert options == {
        "smooth_l1": ("kNoInplace", "kInplaceOutIn"),
        "sigmoid": ("kInplaceInOut", "kInplaceOutIn"),
        "affine": ("kInplaceLhsOut", "kInplaceOutLhs"),
        "positive": ("kNoInplace", "kNoInplace"),
    }


@pytest.mark.parametrize("op", [smooth_l1, factorial, positive], ids=lambda f: f.__name__)
def test_dtype_table_is_what_calls_return(op):
    table = op.explain().dtypes
    assert len(table) >= 6
    for given, results, _ in table:
        ones = [np.ones(3, given)] * op.nin
        assert op(*ones).dtype == results


# readable text ---------------------------------------------------------------------------------


@pytest.mark.parametrize("op", [f for f in ZOO if f is not factorial], ids=lambda f: f.__name__)
def test_readable_text_is_the_graph_as_a_program(op):
    """Executed, it gives the interpreter's very numbers, and fails where that does."""
    rng = random.Random(3)
    operators = [op] if op is positive else [op, *(op.derivative(n) for n in op.scalar.operands)]
    for made in operators:
        scalar = made.scalar
        captured = scalar.capture(["f"] * op.nin, defaults_of(scalar))
        names = [*scalar.operands, *(p.name for p in scalar.parameters)]
        text = function(made.__name__, names, captured.graph, captured.outputs)
        space = {"math": math, "sigmoid": lambda x: 1 / (1 + math.exp(-x))}
        exec(text, space)
        for _ in range(100):
            values = [
                abs(rng.gauss(0, 2)) + 0.01 if op is newton_root else rng.gauss(0, 2)
                for _ in scalar.operands
            ]
            leaves = {n.id: v for n, v in zip(captured.operands, values)}
            leaves |= {n.id: 1.0 for n in captured.parameters}
            try:
                wanted = Evaluator(captured.graph, leaves, FloatDomain())(captured.outputs[0])
            except Undetermined:
                with pytest.raises((ArithmeticError, ValueError)):
                    space[made.__name__](*values, *(1.0 for _ in scalar.parameters))
                continue
            found = space[made.__name__](*values, *(1.0 for _ in scalar.parameters))
            assert found == wanted, text


def test_derivative_text_uses_the_users_names_and_numbers():
    text = smooth_l1.explain().derivatives["x"]
    assert "s2 = sigma * sigma" in text
    assert "if x > 1 / s2:\n        return 1\n" in text


# what else is shown ----------------------------------------------------------------------------


def test_hand_given_gradient_is_said_and_shown():
    explanation = bell.explain()
    assert "return -2 * x * out * out_grad" in explanation.gradient
    assert "given by hand" in str(explanation)
    (row,) = explanation.dependence
    assert row["class"] == "T2" and set(row["reads"]) == {"out", "x"}


def test_opaque_functions_are_marked():
    space = {"math": math}
    exec("def hidden(x): return math.sin(x) * x", space)
    op = ng.op(space["hidden"])
    found = op.explain().to_dict()
    assert found["opaque"] == ["hidden"]
    assert "opaque" in str(op.explain())
    assert not found["kernel"]["vectorised"] or found["kernel"]["width"]


def test_notes_name_globals_and_hard_coded_dtypes():
    op = ng.op(lambda x: np.float64(x) * SCALE)
    notes = "\n".join(op.explain().notes)
    assert "SCALE = 3.0" in notes
    assert "float64" in notes


def test_explain_is_lazy_serialisable_and_follows_changes():
    started = time.perf_counter()
    explanation = weighted.explain(dtype="float16")
    assert time.perf_counter() - started < 0.1
    assert json.loads(json.dumps(explanation.to_dict()))["kernel"]["dtype"] == "float16"
    assert "<pre" in explanation._repr_html_()


def test_explain_refuses_what_is_not_there():
    with pytest.raises(ArgumentError, match="cuda.*use 'cpu'.*'gpu'"):
        smooth_l1.explain(device="cuda")
    with pytest.raises((DTypeError, ArgumentError)):
        smooth_l1.explain(dtype="longdouble")


def test_a_point_under_nested_choices_is_told_in_short():
    """Each choice is between an operand and all others: in full, its text doubles with each."""
    names = [f"x{i}" for i in range(40)]
    graph = Graph()
    value = graph.argument("x0", "f")
    for name in names[1:]:
        other = graph.argument(name, "f")
        value = graph.select(graph.compare("gt", other, value), other, value)
    assert len(expression(graph, value)) < 1000
