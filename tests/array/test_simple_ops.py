"""Simple operators on NDArrays: SYS-07, X-NDA-06, 09, OPR-02..04, 07..10, SMP-02, 06, 38, 41."""

import contextlib
import threading

import numpy as np
import pytest

import nbgraph as ng
from nbgraph import autograd, resource
from nbgraph.errors import ArgumentError, ShapeError
from tests.operator.simple import functions as fns
from tests.operator.simple.conftest import simple_ops
from tests.operator.simple.entropy import softmax_cross_entropy

WAIT = 30  # seconds


@pytest.fixture
def new():
    yield from simple_ops(lambda: "simple_of_arrays")


@pytest.fixture(params=["naive", "threaded", "chaos"])
def engine(request):
    with _under(request.param):
        yield


@pytest.fixture(params=[1, 3])
def workers(request):
    with _under("threaded", request.param):
        yield


@pytest.fixture
def threaded():
    with _under("threaded", 2):
        yield


@contextlib.contextmanager
def _under(kind, workers=None):
    before = ng.engine.current().kind
    ng.engine.set(kind, workers=workers)
    try:
        yield
    finally:
        with contextlib.suppress(Exception):  # what a test left unraised
            ng.engine.wait_for_all(WAIT)
        ng.engine.set(before)


def smooth(new):
    op = new().set_enable_scalar().set_function("cpu", fns.smooth_l1)
    return op.set_gradient("cpu", fns.smooth_l1_gradient, "kInplaceOutIn")


def test_one_registration_serves_both_worlds_with_the_same_bits(new, engine):
    """SYS-07: NumPy in, NumPy out; NDArray in, NDArray out; ng.nd lifts."""
    op = smooth(new)
    x = np.random.default_rng(0).normal(size=(50, 3)).astype("float32")
    want = op(x, scalar=1.5)
    assert type(want) is np.ndarray
    for found in (op(ng.array(x), scalar=1.5), ng.nd.simple_of_arrays(x, scalar="1.5")):
        assert type(found) is ng.NDArray
        np.testing.assert_array_equal(found.asnumpy(), want)
    strided = ng.array(x)[::2, ::-1]
    np.testing.assert_array_equal(op(strided, scalar=1).asnumpy(), op(x[::2, ::-1], scalar=1))


def test_a_call_returns_before_the_function_has_run_and_raises_shapes_at_once(new, threaded):
    """SMP-06: inference is the call's, the function the worker's."""
    go = threading.Event()

    def fn(lhs, rhs, env, ret, req, ctx):
        assert go.wait(WAIT)
        ng.assign(ret.get(), req, lhs.get() + rhs.get())

    op = new().set_function("cpu", fn)
    a = ng.array([1.0, 2.0])
    y = op(a, a)
    with pytest.raises(ShapeError, match=r"simple_of_arrays: shapes differ: lhs\(2,\), rhs\(3"):
        op(a, ng.array([1.0, 2.0, 3.0]))
    with pytest.raises(ArgumentError, match="it takes none"):
        op(a, a, scalar=1.0)
    go.set()
    assert y.asnumpy().tolist() == [2, 4]


def test_an_error_of_the_function_is_raised_at_the_wait(new, threaded):

    def fn(src, env, ret, req, ctx):
        raise KeyError("of the function")

    y = new().set_function("cpu", fn)(ng.array([1.0]))
    with pytest.raises(KeyError, match="of the function"):
        y.asnumpy()


def test_operands_are_read_only_and_never_written_unasked(new, engine):
    """SMP-02: an array that others hold keeps its values, whatever option there is."""
    refused = []

    def fn(src, env, ret, req, ctx):
        try:
            src.get()[...] = 0
        except ValueError as error:
            refused.append(error)
        ng.assign(ret.get(), req, src.get() + 1)

    op = new().set_function("cpu", fn, "kInplaceInOut")
    a = ng.array([1.0, 2.0])
    b = a
    y = op(a)
    assert (y.asnumpy().tolist(), b.asnumpy().tolist()) == ([2, 3], [1, 2])
    assert len(refused) == 1
    op(a, out=a)
    assert b.asnumpy().tolist() == [2, 3]
    op(a[:1], out=a[1:])
    assert b.asnumpy().tolist() == [2, 3]


@pytest.mark.parametrize("option", ["kNoInplace", "kInplaceLhsOut"])
def test_out_in_the_first_operand_is_in_place_where_the_operator_may(new, engine, option):
    """OPR-09, SMP-25, SMP-28: kWriteInplace is issued for lhs, never for rhs or a part of it."""
    seen = []

    def fn(lhs, rhs, env, ret, req, ctx):
        seen.append((req, np.shares_memory(lhs.get(), ret.get())))
        ng.assign(ret.get(), req, lhs.get() - rhs.get())

    op = new().set_function("cpu", fn, option)
    a, b = ng.array([1.0, 2.0, 3.0]), ng.array([1.0, 1.0, 1.0])
    assert op(a, b, out=a) is a
    assert a.asnumpy().tolist() == [0, 1, 2]
    op(b, a, out=a)
    assert a.asnumpy().tolist() == [1, 0, -1]
    op(a, a, out=a)
    assert a.asnumpy().tolist() == [0, 0, 0]
    op(b[:2], a[:2], out=b[1:])
    assert b.asnumpy().tolist() == [1, 1, 1]
    apart = (ng.kWriteTo, False)
    first = (ng.kWriteInplace, True) if option == "kInplaceLhsOut" else apart
    assert seen == [first, apart, apart, apart]


def test_python_functions_never_wait_for_a_worker_that_waits(new, workers):
    """X-NDA-06: long chains of Python and compiled functions end with one worker, too."""
    op = smooth(new)
    x = ng.array(np.linspace(-2, 2, 100))
    want = np.linspace(-2, 2, 100)
    for _ in range(30):
        x = op(x, scalar=1) * 2 + 0.25
        want = op(want, scalar=1) * 2 + 0.25
    np.testing.assert_allclose(x.asnumpy(), want, rtol=1e-5, atol=1e-5)


def test_several_python_functions_run_at_the_same_time(new, threaded):
    """X-NDA-06: two that wait for each other."""
    met = threading.Barrier(2)

    def fn(src, env, ret, req, ctx):
        met.wait(WAIT)
        ng.assign(ret.get(), req, src.get())

    op = new().set_function("cpu", fn)
    x, y = ng.array([1.0]), ng.array([2.0])  # alive: freed memory orders who gets it next
    a, b = op(x), op(y)
    assert a.asnumpy() + b.asnumpy() == 3


def test_a_function_may_call_operators_on_its_views(new, engine):
    """SMP-13: inside a worker a scalar operator on views computes there and waits for nobody."""

    def fn(src, env, ret, req, ctx):
        ng.assign(ret.get(), req, ng.exp(src.get()) + ng.sum(src.get()))

    op = new().set_function("cpu", fn)
    x = np.float32([0, 1])
    np.testing.assert_array_equal(op(ng.array(x)).asnumpy(), op(x))


def test_the_mode_is_that_of_the_call(new, engine):
    """OPR-02: what counts is the mode when it was pushed; threads have their own."""
    seen = []

    def dropout(src, env, ret, req, ctx):
        seen.append(ctx.is_train)
        ng.assign(ret.get(), req, 0 if ctx.is_train else src.get())

    op = new().set_function("cpu", dropout)
    x = ng.array([3.0])
    results = [op(x)]
    with autograd.record(train_mode=True):
        results.append(op(x))
        with autograd.predict_mode():
            results.append(op(x))
    with autograd.train_mode():
        results.append(op(x))
    assert [r.item() for r in results] == [3, 0, 3, 0]
    assert sorted(seen) == [False, False, True, True]


def test_the_context_tells_the_device(new, engine):
    """OPR-03."""
    seen = []

    def fn(src, env, ret, req, ctx):
        seen.append((ctx.device, src.device, ret.device, ctx.stream))
        ng.assign(ret.get(), req, src.get())

    new().set_function("cpu", fn)(ng.array([1.0])).asnumpy()
    assert seen == [(ng.cpu(), ng.cpu(), ng.cpu(), None)]


def test_random_numbers_are_those_of_the_push_order(new, engine):
    """OPR-04, SMP-36, 37: the same on every engine."""

    def noise(src, env, ret, req, ctx):
        space = env.temp_space(src.shape, src.dtype)
        env.random().random(out=space)
        ng.assign(ret.get(), req, src.get() + space)

    def draws():
        resource.seed(11)
        made = [op(x) for _ in range(5)]
        return [m.asnumpy().tolist() for m in made]

    for kind in ("random", "parallel_random"):
        registered = "simple_noise_" + kind
        op = new(registered).set_resource_request(["temp_space", kind]).set_function("cpu", noise)
        x = ng.zeros((3,), dtype="float64")
        first = draws()
        assert draws() == first
        assert len({tuple(d) for d in first}) == 5
        assert _SEEN.setdefault(kind, first) == first


_SEEN = {}  # what the first engine drew


@pytest.mark.parametrize("grad_req", ["write", "add", "null"])
def test_gradients_by_request(new, engine, grad_req):
    """OPR-07, 08, 10: through the tape."""
    op = smooth(new)
    x = ng.array([0.25, -3.0, 1.5], dtype="float64")
    x.attach_grad(grad_req="null" if grad_req == "null" else grad_req)
    for _ in range(2):
        with autograd.record():
            y = (op(x, scalar=1) * 2).sum()
        if grad_req != "null":
            y.backward()
    if grad_req != "null":
        want = 2 * np.clip(x.asnumpy(), -1, 1) * (2 if grad_req == "add" else 1)
        np.testing.assert_array_equal(x.grad.asnumpy(), want)


def test_a_binary_gradient_of_one_operand(new, engine):
    """SMP-19: the other one's is not computed."""
    requests = []

    def gradient(out_grad, lhs, rhs, env, lhs_grad, rhs_grad, req_lhs, req_rhs, ctx):
        requests.append((req_lhs, req_rhs))
        fns.product_gradient(out_grad, lhs, rhs, env, lhs_grad, rhs_grad, req_lhs, req_rhs, ctx)

    op = new().set_function("cpu", fns.product).set_gradient("cpu", gradient)
    a, b = ng.array([1.0, 2.0]), ng.array([3.0, 4.0])
    b.attach_grad()
    with autograd.record():
        y = op(a, b).sum()
    y.backward()
    assert b.grad.asnumpy().tolist() == [1, 2]
    assert requests == [(ng.kNullOp, ng.kWriteTo)]


def test_without_a_gradient_backward_says_which_operator(new):
    """SMP-15."""
    op = new().set_function("cpu", fns.triple)
    x = ng.array([1.0])
    x.attach_grad()
    with autograd.record():
        y = op(x)
    with pytest.raises(TypeError, match="simple_of_arrays"):
        y.backward()


def test_losses_and_regions_are_differentiated(engine):
    """SMP-38, 41: simple operators with temporary space, and of compiled functions."""
    rng = np.random.default_rng(2)
    data, label = rng.normal(size=(4, 3)), np.array([0, 2, 1, 2])
    x = ng.array(data)
    x.attach_grad()
    with autograd.record():
        loss = softmax_cross_entropy(x, ng.array(label))
    loss.backward()
    p = np.exp(data) / np.exp(data).sum(axis=1, keepdims=True)
    p[np.arange(4), label] -= 1
    np.testing.assert_allclose(x.grad.asnumpy(), p, atol=1e-6)
    image = ng.array(np.arange(16.0).reshape(1, 1, 4, 4))
    image.attach_grad()
    with autograd.record():
        y = ng.roi_pooling(image, ng.array([[0.0, 0, 0, 3, 3]]), pooled_size=(2, 2))
    y.backward(ng.array([[[[1.0, 2.0], [3.0, 4.0]]]]))
    assert y.asnumpy().ravel().tolist() == [5, 7, 13, 15]
    assert image.grad.asnumpy().ravel()[[5, 7, 13, 15]].tolist() == [1, 2, 3, 4]
    assert image.grad.asnumpy().sum() == 10


def test_a_source_makes_arrays(new, engine):
    """X-NDA-09: no operand, called by name."""

    class RampParam(ng.Param):
        shape: tuple[int, ...]
        dtype: np.dtype = "float32"
        step: float = 1.0

    def ramp(env, ret, req, ctx):
        ng.assign(ret.get(), req, (np.arange(ret.size) * env.kwargs.step).reshape(ret.shape))

    op = new("simple_ramp").set_enable_kwargs(RampParam).set_function("cpu", ramp)
    made = ng.nd.simple_ramp(shape="(2, 2)", step=2, device=ng.cpu())
    assert type(made) is ng.NDArray
    assert made.dtype == np.float32
    assert made.asnumpy().tolist() == [[0, 2], [4, 6]]
    assert op(shape=(3,), dtype="float64").asnumpy().tolist() == [0, 1, 2]
