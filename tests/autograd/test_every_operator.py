"""Every differentiable operator, recorded and differentiated twice (X-NDA-01).

The judge is central differences in float64: of NumPy's own function for the first derivative, of
the first derivative for the second.
"""

import math

import numpy as np
import pytest

import nbgraph as ng
from nbgraph import ops
from nbgraph.errors import DerivativeError
from tests.autograd.judge import check
from tests.ops import elementwise as table
from tests.ops.test_array_gradients import ROWS, array_operators

# one of each kind: T0, T1, T2; one to three operands, several outputs; kinks, loops
EVERYDAY = ["divide", "exp", "maximum", "modf", "sin", "where"]
# their slopes have no slope of their own: the derivative of digamma is not in the language
FIRST_ONLY = {"digamma"}


def elementwise_rows():
    for name in table.DIFFERENTIABLE:
        everyday = name in EVERYDAY
        yield pytest.param(name, marks=[] if everyday else pytest.mark.slow, id=name)


@pytest.mark.parametrize("name", list(elementwise_rows()))
def test_elementwise(name):
    op, points = getattr(ops, name), table.points(name)
    wrt = range(1, 3) if name == "where" else range(op.nin)

    def judge(*operands):
        operands = (operands[0] != 0, *operands[1:]) if name == "where" else operands
        return table.reference(name)(*operands)

    second = name not in FIRST_ONLY
    check(op, *points, numpy_fn=judge, wrt=wrt, second=second, tolerance=5e-7)


# the rules themselves are judged every day without a tape, in tests/ops
EVERYDAY_ARRAYS = {
    *"broadcast_to concatenate cumulative_sum einsum gather index_update linear_recurrence".split(),
    *"matmul max prod reshape slice_view sort sum topk var".split(),
}


def array_rows():
    """The first form of some operators every day; the others are slow."""
    seen = set()
    for k, (name, fn, *points) in enumerate(ROWS):
        everyday = name in EVERYDAY_ARRAYS and name not in seen
        seen.add(name)
        marks = [] if everyday else pytest.mark.slow
        yield pytest.param(fn, points, marks=marks, id=f"{name}-{k}")


@pytest.mark.parametrize(("fn", "points"), list(array_rows()))
def test_whole_arrays(fn, points):
    check(fn, *points)


UNDIFFERENTIABLE = {
    "argsort": ops.argsort,
    "argmax": lambda x: ops.argmax(x, 0),
    "count_nonzero": ops.count_nonzero,
    "cumargmax": ops.cumargmax,
    "less": lambda x: x < 1.0,
    "isnan": ops.isnan,
    "astype": lambda x: ops.astype(x, "int32"),
    "stop_gradient": ops.stop_gradient,
    "ones_like": ops.ones_like,
}


@pytest.mark.parametrize("name", UNDIFFERENTIABLE)
def test_results_that_do_not_vary_smoothly_are_constants(name):
    """Nothing is recorded for them: what follows costs nothing and keeps nothing alive."""
    x = ng.array([1.0, -2.0, 3.0])
    x.attach_grad()
    with ng.autograd.record():
        y = UNDIFFERENTIABLE[name](x)
    assert y._node is None
    with pytest.raises(ng.autograd.TapeError, match="was not computed from an array with attach"):
        y.backward()


def test_an_operator_without_gradient_is_refused_by_name():
    """Its text is not at hand, and Numba knows no slope of `gamma`."""
    space = {"math": math}
    exec("def textless(a): return math.gamma(a)", space)
    op = ng.op(space["textless"])
    x = ng.array([1.0, 2.0, 3.0])
    x.attach_grad()
    with ng.autograd.record():
        y = op(x).sum()
    with pytest.raises(DerivativeError, match="textless"):
        y.backward()
    with pytest.raises(DerivativeError, match="textless"):
        ng.grad(lambda t: op(t).sum())(x)


def test_an_operator_over_arrays_without_gradient_is_refused_by_name():
    from nbgraph.operator.arrays.array_op import ArrayOp

    def rolled(inputs, outputs):
        outputs[0][...] = np.roll(inputs[0], 1)

    opaque = ArrayOp("opaque", lambda x: x, rolled)
    with pytest.raises(DerivativeError, match=r"opaque: it has no gradient; use ng.stop_gradient"):
        ng.grad(lambda x: opaque(x).sum())(np.ones(3))


def test_every_operator_is_differentiable_or_constant_or_refused():
    """No operator of floats gives a float without a rule, unnoticed."""
    known = {op.__name__ for op in array_operators().values() if op.rule is None}
    floats = {"arange", "empty", "eye", "full", "linspace", "ones", "tri", "zeros"}  # no operands
    integers = {
        *("all any argmax argmin argsort count_nonzero cumargmax cumargmin isin").split(),
        *("one_hot searchsorted").split(),
    }
    backward = {"label_entropy_at_once", "target_entropy_at_once"}  # what graphs put for a pair
    assert known <= floats | integers | backward
