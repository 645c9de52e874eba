"""What operators over whole arrays are given besides arrays: resources, in-place rights."""

import numpy as np
import pytest

import nbgraph as ng
from nbgraph import resource
from nbgraph.device import cpu
from nbgraph.errors import ArgumentError, EngineError
from nbgraph.operator.arrays.array_op import ArrayOp, Spec
from nbgraph.operator.environment import EnvArguments, OwnSpace
from tests.operator.simple.entropy import softmax_cross_entropy
from tests.support import run_python


def noisy(requests=("random", "temp_space")):
    def compute(inputs, outputs, *, env, scale):
        (x,), (y,) = inputs, outputs
        space = env.temp_space(x.shape, x.dtype)
        env.random().random(out=space)
        np.add(x, scale * space, out=y)

    infer = lambda x, *, scale: Spec(x.shape, x.dtype)  # noqa: E731
    return ArrayOp("noisy", infer, compute, resources=requests)


def test_an_operator_is_granted_what_it_requests():
    op = noisy()
    resource.seed(5)
    first = op(np.zeros(4), scale=2.0)
    assert ((first > 0) & (first < 2)).all()
    resource.seed(5)
    np.testing.assert_array_equal(op(np.zeros(4), scale=2.0), first)
    assert [str(r.kind) for r in op.grant(cpu())] == ["random", "temp_space"]
    resource.seed(5)
    np.testing.assert_array_equal(op(ng.zeros(4, dtype="float64"), scale=2.0).asnumpy(), first)


def test_what_was_not_requested_is_refused_by_name():
    with pytest.raises(ArgumentError, match=r"env.random\(\): this operator requested no such"):
        noisy(("temp_space",))(np.zeros(2), scale=1.0)
    with pytest.raises(ArgumentError, match=r"env.temp_space\(\): .*'temp_space'"):
        EnvArguments().temp_space((1,))
    assert "scalar=2.0" in repr(EnvArguments(2.0))


@pytest.mark.parametrize("kind", ["naive", "threaded", "chaos"])
def test_a_function_may_call_operators_that_need_space(kind):
    """On NumPy arrays each call has space of its own; a turn cannot be awaited in a function."""
    before = ng.engine.current().kind
    ng.engine.set(kind)
    try:
        data, label = np.zeros((3, 2)), np.array([0, 1, 1])
        loss = ng.engine.push(lambda run_ctx: softmax_cross_entropy(data, label))
        assert loss.result(timeout=30) == softmax_cross_entropy(data, label)
        drawn = ng.engine.push(lambda run_ctx: noisy()(np.zeros(2), scale=1.0))
        if kind == "naive":
            assert drawn.result(timeout=30).shape == (2,)
        else:
            with pytest.raises(EngineError, match="result of 'noisy': called inside operation"):
                drawn.result(timeout=30)
    finally:
        ng.engine.set(before)


def test_space_on_numpy_arrays_starts_no_engine():
    code = (
        "import numpy as np, threading; from tests.operator.simple import entropy; "
        "entropy.softmax_cross_entropy(np.ones((2, 3)), np.zeros(2)); "
        "print(threading.active_count())"
    )
    assert run_python("-c", code).strip() == "1"


def test_space_gives_no_random_numbers():
    with pytest.raises(ArgumentError, match="this resource is 'temp_space'"):
        OwnSpace().get_random()


def test_an_output_may_be_written_over_an_operand_where_the_operator_says_so():
    """OPR-09."""
    shared = []

    def compute(inputs, outputs):
        shared.append(np.shares_memory(inputs[0], outputs[0]))
        np.negative(inputs[0], out=outputs[0])

    infer = lambda x: Spec(x.shape, x.dtype)  # noqa: E731
    for pairs in ((), ((0, 0),)):
        op = ArrayOp("negated", infer, compute, inplace=pairs)
        x = np.array([1.0, -2.0])
        op(x, out=x)
        assert x.tolist() == [-1, 2]
        op(x[::-1], out=x)  # the same memory, not the same elements
        assert x.tolist() == [-2, 1]
    assert shared == [False, False, True, False]


def test_an_output_of_another_dtype_is_cast_once():
    def compute(inputs, outputs):
        assert outputs[0].dtype == np.float64
        np.divide(inputs[0], 3, out=outputs[0])

    op = ArrayOp("third", lambda x: Spec(x.shape, np.dtype("float64")), compute)
    out = np.zeros(2, "float32")
    assert op(np.ones(2), out=out) is out
    np.testing.assert_array_equal(out, np.float32(1 / 3))
