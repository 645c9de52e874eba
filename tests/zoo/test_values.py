"""Every function of the zoo: values, precision, first and second derivatives (SMP-01, SMP-39).

Compiled here: two kernels a function (float64, float32) and one for each first derivative;
second derivatives run through the graph interpreter, with --full compiled as well.
"""

import functools

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.kernels.scalar.interpret import Evaluator
from nbgraph.kernels.scalar.multiprecision import MultiDomain
from tests.zoo import judge
from tests.zoo.rows import NAMES, ZOO

SIZE = 67  # a vector body and a tail in every precision
POINTS = 7
every_row = pytest.mark.parametrize("row", ZOO, ids=NAMES)
smooth_rows = [(row, i) for row in ZOO for i in row.differentiable]
every_slope = pytest.mark.parametrize(
    ("row", "wrt"), smooth_rows, ids=[f"{row.id}-{i}" for row, i in smooth_rows]
)


made = functools.cache(ng.op)


def operator(row):
    return made(row.fn)  # one operator for each function: kernels are shared


def outputs(result):
    return result if isinstance(result, tuple) else (result,)


def expected(row, operands):
    """The reference formula, or the function itself on Python numbers."""
    if row.reference is not None:
        return outputs(row.reference(*operands))
    rows = [outputs(row.fn(*(o.item() for o in point), **row.parameters))
            for point in zip(*operands, strict=True)]  # fmt: skip
    return tuple(np.array(column) for column in zip(*rows, strict=True))


def assert_near(got, wanted, rtol):
    """Relative to the value, or to a thousandth of the largest one where values cancel."""
    got, wanted = np.asarray(got, np.float64), np.asarray(wanted, np.float64)
    assert got.shape == wanted.shape
    np.testing.assert_array_equal(np.isnan(got), np.isnan(wanted))
    scale = np.maximum(np.abs(wanted), 1e-2 * np.nanmax(np.abs(wanted), initial=0.0)) + 1e-15
    with np.errstate(invalid="ignore", divide="ignore"):
        error = np.where(got == wanted, 0.0, np.abs(got - wanted) / scale)
    worst = int(np.nanargmax(error)) if error.size else 0
    assert np.nanmax(error, initial=0.0) <= rtol, (worst, got[worst], wanted[worst], error[worst])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@every_row
def test_values(row, dtype):
    """SMP-01, SMP-44: one Python function is the operator, in each precision (MFU-08)."""
    operands = row.operands(SIZE, dtype=dtype)
    if row.integer and dtype == np.float32:
        operands = [o.astype(np.int32) if o.dtype.kind == "i" else o for o in operands]
    got = outputs(operator(row)(*operands, **row.parameters))
    wide = operands if row.integer else [o.astype(np.float64) for o in operands]
    wanted = expected(row, wide)
    assert len(got) == len(wanted)
    rtol = row.rtol if dtype == np.float64 else row.rtol32
    for a, b in zip(got, wanted, strict=True):
        if b.dtype.kind in "biu":
            if rtol < np.inf:
                np.testing.assert_array_equal(a, b)
        else:
            assert a.dtype == dtype
            assert_near(a, b, rtol)


@every_row
def test_python_compiler_agrees(row):
    """The user's text, element by element, is the specification of the kernels."""
    operands = row.operands(24, seed=1)
    compiled = outputs(operator(row)(*operands, **row.parameters))
    with ng.config(compiler="python"):
        plain = outputs(operator(row)(*operands, **row.parameters))
    for a, b in zip(compiled, plain, strict=True):
        assert a.dtype == b.dtype
        assert_near(a, b, row.rtol)


def points_of(row):
    return list(zip(*row.operands(POINTS, seed=2), strict=True))


def check_slopes(row, wrt, order, got, rtol):
    got = outputs(got)
    for index, column in enumerate(got):
        which = index if len(got) > 1 else None
        wanted = judge.slopes(row.fn, points_of(row), row.parameters, wrt, order, which)
        assert_near(column, wanted, rtol)


@pytest.mark.everyday(1 / 2)
@every_slope
def test_first_derivative(row, wrt):
    """SMP-40: against differences of the text itself, run with 50 digits."""
    slope = operator(row).derivative(wrt)
    got = slope(*row.operands(POINTS, seed=2), **row.parameters)
    check_slopes(row, wrt, 1, got, row.rtol_slope)


@pytest.mark.everyday(1 / 2)
@every_slope
def test_second_derivative(row, wrt, full):
    """Second order: the derivative of a derivative is an operator too."""
    slope = operator(row).derivative(wrt, order=2)
    with ng.config(compiler="auto" if full else "python"):
        got = slope(*row.operands(POINTS, seed=2), **row.parameters)
    check_slopes(row, wrt, 2, got, 10 * row.rtol_slope)


@every_row
def test_interpreter_and_text_agree(row):
    """The judge of certificates reads the graph as Python reads the text."""
    op = operator(row)
    kinds = ["int64" if row.integer else "f"] * op.nin
    if row.operands(1)[0].dtype == bool:
        kinds = ["bool"] * op.nin
    parameters = op.parameters_of(row.parameters)
    captured = op.scalar.capture(kinds, parameters)
    for point in zip(*row.operands(4, seed=3), strict=True):
        domain = MultiDomain()
        point = [p.item() for p in point]
        point += [op.scalar.defaults[name] for name in op.scalar.operands[len(point) :]]
        numbers = [p if row.integer else domain.mp.mpf(p) for p in point]
        leaves = {n.id: v for n, v in zip(captured.operands, numbers, strict=True)}
        leaves |= {n.id: domain.mp.mpf(v) if isinstance(v, float) else v
                   for n in captured.parameters for v in [parameters[str(n.data)]]}  # fmt: skip
        evaluate = Evaluator(captured.graph, leaves, domain)
        for index, node in enumerate(captured.outputs):
            which = index if len(captured.outputs) > 1 else None
            (wanted,) = judge.values(row.fn, [numbers], row.parameters, which)
            np.testing.assert_allclose(float(evaluate(node)), wanted, rtol=1e-13, atol=1e-15)


@every_slope
def test_judge_against_float64_differences(row, wrt):
    """The judge itself: plain central differences of the plain Python function."""
    step = 1e-5
    for point in points_of(row)[:3]:
        plain = [float(p) for p in point]
        sides = []
        for sign in (1, -1):
            moved = [p + sign * step if i == wrt else p for i, p in enumerate(plain)]
            sides.append(np.array(outputs(row.fn(*moved, **row.parameters)), dtype=float))
        rough = (sides[0] - sides[1]) / (2 * step)
        size = np.abs(np.array(sides)).max() + 1e-9
        for index, value in enumerate(rough):
            which = index if len(rough) > 1 else None
            (fine,) = judge.slopes(row.fn, [plain], row.parameters, wrt, 1, which)
            assert abs(value - fine) <= 1e-4 * max(abs(fine), size), (plain, value, fine)
