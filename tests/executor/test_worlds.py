"""Equal bits in every world: reductions, operators over whole arrays, and all public functions."""

import numpy as np
import pytest

import nbgraph as ng
from nbgraph import ops
from nbgraph.errors import DeviceError
from nbgraph.operator import registry
from nbgraph.ops.named.keywords import in_words
from tests import worlds
from tests.graph.every_operator import calls
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


@pytest.mark.everyday(1 / 2)
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
    "each element from the one before": "CTCLoss",
    "sorts": "sort argsort topk sparsemax",
    "copies, by NumPy": "im2col col2im",
    "looks at indices": "unravel_index ravel_multi_index",
    "eigenvalues that may be complex": "linalg_eig linalg_eigvals",
    "sparse": "csr_dot",
    "an operand gives its shape alone": "full_like",
    "windows of given places": "roi_pooling",
    "elements along an axis, where one operand broadcasts": "take_along_axis",
    "NumPy alone draws them": "random_bernoulli random_beta random_binomial random_choice "
    "random_generalized_negative_binomial random_geometric random_integers random_multinomial "
    "random_negative_binomial random_poisson random_standard_gamma",
}
_ALLOWED = " ".join(FUNCTIONS.values()).split()
_SOMETIMES = {"full_like", "take_along_axis", "sort", "argsort", "topk"}  # kernels for some calls


@pytest.mark.parametrize("name", sorted(name for name, (inputs, _) in CALLS.items() if inputs))
def test_every_operator_has_equal_bits(name):
    """With the attributes of its call; a Python function in a plan has a reason."""
    op, (inputs, attributes) = operators()[name], CALLS[name]

    def f(*operands):
        return op(*operands, **attributes)

    wanted = worlds.bits(f(*inputs))
    for world in worlds.WORLDS:
        if not (op.auxiliary and world is worlds.recorded):  # states are not variables
            assert worlds.bits(world(f, *inputs)) == wanted, world
    assert worlds.functions(worlds.bind(f, *inputs)) == [name] * (name in {*_ALLOWED} - _SOMETIMES)


# public functions in every world -----------------------------------------------------------------

PUBLIC = calls()
ANY_VALUES = {"empty", "empty_like"}  # memory as it was
# arguments in place: states of optimizers, and of layers in training
STATES = {name for name in PUBLIC if "_update" in name} - {"index_update"}
STATES |= {"BatchNorm", "batch_statistics"}
TRAINED = {"Dropout", "dropout", "rrelu", "random_binomial"}  # recorded they do something else
INDICES = {"take", "gather", "scatter_add", "index_add", "index_update", "csr_dot", "dot_csr"}
INDICES |= {"take_along_axis", "scatter_along_axis"}  # constants of expressions are floats
LOOPS = {"rnn_layers", "RNN"}  # are for arrays and symbols
CLOSE = {worlds.gpu: 1e-5}  # relative to the largest: sums of a GPU have an order of their own
CLOSE_FUSED = {"logistic_loss"}  # its formula is simplified: the rounding of one operation


def selection(names, every):
    """All of them with --full, else some."""
    return [
        pytest.param(name, marks=[] if k % every == 5 else pytest.mark.slow)
        for k, name in enumerate(sorted(names))
    ]


def worlds_of(name, arrays):
    """The worlds that a public function knows."""
    known = [*worlds.WORLDS, worlds.expressions, worlds.gpu]
    if name in STATES:  # another call goes on from what the first one wrote
        return [worlds.bound, worlds.jit, worlds.gpu]
    if name in TRAINED:
        known.remove(worlds.recorded)
    if name in TRAINED | INDICES | LOOPS or all(x.dtype.kind != "f" for x in arrays):
        known.remove(worlds.expressions)
    return known


def taken_apart(operands, keywords):
    """Arrays of a call, and what makes the arguments of others like them."""
    arrays: list = []

    def place(x):
        if isinstance(x, list) and x and all(isinstance(v, np.ndarray) for v in x):
            return [place(v) for v in x]
        if not isinstance(x, np.ndarray):
            return lambda made: x
        arrays.append(x)
        return lambda made, k=len(arrays) - 1: made[k]

    spots = [place(x) for x in operands]
    named = {
        key: place(x) if getattr(x, "dtype", None) == "float32" else lambda made, x=x: x
        for key, x in keywords.items()
    }

    def arguments(made):
        given = [[s(made) for s in spot] if type(spot) is list else spot(made) for spot in spots]
        return given, {key: spot(made) for key, spot in named.items()}

    return arrays, arguments


def assert_alike(name, world, actual, wanted):
    """The same bits, or as close as is stated."""
    if actual == wanted:
        return
    bound = CLOSE.get(world, 1e-6 if name in CLOSE_FUSED else 0)
    assert bound, (name, world)
    for one, other in zip(actual, wanted, strict=True):
        assert one[:2] == other[:2], (name, world)
        a, b = (np.frombuffer(value, dtype) for _, dtype, value in (one, other))
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=bound * (np.abs(b).max(initial=0) or 1))


@pytest.mark.parametrize("name", selection(set(PUBLIC) - ANY_VALUES - {"debug"}, 16))
def test_every_public_function_is_alike_in_every_world(name):
    """The same bits, and no Python function in a plan but for a reason; draws from one seed."""
    arrays, arguments = taken_apart(*PUBLIC[name])
    if not arrays:
        return
    function = registry.find(name)

    def f(*made):
        operands, keywords = arguments([x.copy() if type(x) is np.ndarray else x for x in made])
        ng.random.seed(1)
        call, operands, keywords = in_words(function, tuple(operands), keywords)
        actual = call(*operands, **keywords)
        return tuple(actual) if isinstance(actual, list) else actual

    wanted = worlds.bits(f(*arrays))
    shown = wanted[: getattr(getattr(function, "op", None), "visible", None)]  # for nodes
    for world in worlds_of(name, arrays):
        try:
            actual = worlds.bits(world(f, *arrays))
        except DeviceError:
            assert world is worlds.gpu and "random" in f"{name} {_ALLOWED}", name
            continue
        assert_alike(name, world, actual, shown if world is worlds.expressions else wanted)
    assert {*worlds.functions(worlds.bind(f, *arrays))} <= {*_ALLOWED}
