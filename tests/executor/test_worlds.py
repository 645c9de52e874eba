"""Equal bits in every world: reductions, and every operator over whole arrays."""

import numpy as np
import pytest

from nbgraph import ops
from tests import worlds
from tests.ops.array_calls import CALLS, operators

REDUCTIONS = "sum prod mean var std vector_norm max min any all count_nonzero logsumexp".split()
AXES = (0, 1, -1, (0, 2), (0, 1), (1, 2), None, ())


def views(x):
    """The same values in other memory: every second one, turned round, in another order."""
    wide = np.zeros((*x.shape[:-1], 2 * x.shape[-1]), x.dtype)
    wide[..., ::2] = x
    turned = (slice(None, None, -1),) * x.ndim
    yield from (wide[..., ::2], np.ascontiguousarray(x[turned])[turned], np.asfortranarray(x))


def values(dtype, shape):
    x = np.random.default_rng(len(shape)).normal(size=shape) * 1.5 + 0.1
    return (np.abs(20 * x) if np.dtype(dtype).kind == "u" else x * 3).astype(dtype)


SHAPES = [(64, 64, 3), (40, 70, 50)]  # one kernel, and several that workers share
CASES = [
    pytest.param(name, dtype, shape, marks=[] if shape == SHAPES[0] else pytest.mark.slow)
    for name in REDUCTIONS
    for dtype in ("float32", "float16", "float64", "int32", "uint8", "bool")
    for shape in SHAPES
]


@pytest.mark.parametrize(("name", "dtype", "shape"), CASES)
def test_reductions_have_one_order(name, dtype, shape, full):
    """However an array lies and whoever runs it; and kernels do it in plans."""
    x = values(dtype, shape)
    for axis in AXES if full else AXES[:4:3]:

        def f(a, axis=axis):
            return getattr(ops, name)(a, axis=axis)

        wanted = worlds.bits(f(x))
        for world in worlds.WORLDS:
            assert worlds.bits(world(f, x)) == wanted, (world, axis)
        for view in views(x):
            assert worlds.bits(f(view)) == wanted, (view.strides, axis)
            assert worlds.bits(worlds.ndarrays(f, view)) == wanted, (view.strides, axis)
        assert not worlds.functions(worlds.bind(f, x))


# operators that are Python functions in plans as they are in calls, and why
FUNCTIONS = {
    "each element from the one before": "cummax cummin cumargmax cumargmin cumulative_sum "
    "cumulative_prod logcumsumexp linear_recurrence",
    "sorts": "sort argsort topk searchsorted isin sparsemax",
    "copies, by NumPy": "roll pad tril triu slice_scatter diagonal_scatter take_along_axis "
    "scatter_along_axis one_hot index_update index_add im2col col2im",
    "sparse": "csr_dot",
    "copies, with a gradient of their own": "linear_regression_output mae_regression_output "
    "logistic_regression_output",
}
_ALLOWED = " ".join(FUNCTIONS.values()).split()


@pytest.mark.parametrize("name", sorted(name for name, (inputs, _) in CALLS.items() if inputs))
def test_every_operator_has_equal_bits(name):
    """With the attributes of its call; a Python function in a plan has a reason."""
    op, (inputs, attributes) = operators()[name], CALLS[name]

    def f(*operands):
        return op(*operands, **attributes)

    wanted = worlds.bits(f(*inputs))
    for world in worlds.WORLDS:
        if not (op.auxiliary and world is worlds.recorded):  # states are no variables
            assert worlds.bits(world(f, *inputs)) == wanted, world
    assert worlds.functions(worlds.bind(f, *inputs)) == [name] * (name in _ALLOWED)
