"""Users' kernels on GPUs, for simple operators (SMP-41, SMP-24)."""

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import ArgumentError, CompileError, DeviceError, DTypeError
from nbgraph.operator.kernel_call import lowered
from nbgraph.operator.layout import layout
from tests.array.gpu import GPU, emulated_only, hurried
from tests.operator.simple.conftest import simple_ops
from tests.support import run_python

ADD, NULL = int(ng.kAddTo), int(ng.kNullOp)


@pytest.fixture
def new():
    yield from simple_ops(lambda: "simple_of_gpus")


@ng.thread_kernel
def scaled(src, ret, scalar, is_train, req, start, step):
    factor = 2 * scalar if is_train else scalar
    source, target = src.reshape(-1), ret.reshape(-1)
    for i in range(start, source.size, step):
        value = factor * source[i]
        target[i] = target[i] + value if req == ADD else value


@ng.thread_kernel
def scaled_gradient(out_grad, in_grad, scalar, is_train, req, start, step):
    factor = 2 * scalar if is_train else scalar
    source, target = out_grad.reshape(-1), in_grad.reshape(-1)
    for i in range(start, source.size, step):
        value = factor * source[i]
        target[i] = target[i] + value if req == ADD else value


@ng.thread_kernel
def product(lhs, rhs, ret, req, start, step):
    for i in range(start, lhs.size, step):
        value = lhs[i] * rhs[i]
        ret[i] = ret[i] + value if req == ADD else value


@ng.thread_kernel
def product_gradient(
    out_grad, lhs, rhs, lhs_grad, rhs_grad, req_lhs, req_rhs, start, step
):  # writes what nobody wants, too
    for i in range(start, lhs.size, step):
        left, right = out_grad[i] * rhs[i], out_grad[i] * lhs[i]
        lhs_grad[i] = lhs_grad[i] + left if req_lhs == ADD else left
        rhs_grad[i] = rhs_grad[i] + right if req_rhs == ADD else right


@pytest.fixture
def scale(new):
    """The same kernels for both devices."""
    op = new().set_enable_scalar().set_function(("cpu", "gpu"), scaled, "kInplaceInOut")
    return op.set_gradient(("cpu", "gpu"), scaled_gradient, "kInplaceOutIn")


@pytest.fixture
def times(new):
    op = new("simple_times_of_gpus").set_function(("cpu", "gpu"), product)
    return op.set_gradient(("cpu", "gpu"), product_gradient)


def on_both(run):
    """What `run(device)` gives on the host and on the GPU: the same bits."""
    found = run(GPU)
    assert all(a.device == GPU for a in found)
    for a, b in zip(found, run(ng.cpu()), strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a.asnumpy(), b.asnumpy())


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
def test_one_registration_serves_both_devices(scale, dtype):
    """SMP-41, SMP-07: whole, in pieces, into views, in place, of no elements, of no axes."""
    data = np.arange(24).reshape(4, 6).astype(dtype)

    def run(device):
        x = ng.array(data, device=device)
        out = ng.zeros((4, 12), dtype=dtype, device=device)
        scale(x, scalar=3, out=out[:, ::2])
        given = ng.array(data, device=device)
        scale(given, scalar=4, out=given)
        empty = ng.array(data[:0], device=device)
        made = [scale(x.T, scalar=2), scale(x[::2, ::-1], scalar=2), scale(empty, scalar=1)]
        return [*made, scale(x[0, 1], scalar=5), out, given]

    on_both(run)


@pytest.mark.parametrize("request_", ["write", "add", "null"])
def test_gradients_by_request(scale, request_):
    """SMP-41, OPR-10: through the tape, with streams that pause."""

    def run(device):
        x = ng.array(np.arange(50.0, dtype="f4"), device=device)
        x.attach_grad(grad_req=request_)
        for k in range(3):
            with ng.autograd.record():
                loss = (scale(x * 2, scalar=k) * 3).sum()
            if request_ != "null":
                loss.backward()
        return [loss] if x.grad is None else [loss, x.grad]

    with hurried(3):
        on_both(run)


@pytest.mark.parametrize("wanted", [(0,), (1,), (0, 1)])
def test_what_nobody_wants_is_written_elsewhere(times, wanted):
    """SMP-19: kNullOp has an array to write to all the same."""

    def run(device):
        given = [ng.array(np.arange(7.0) + k, device=device) for k in range(2)]
        for k in wanted:
            given[k].attach_grad()
        with ng.autograd.record():
            y = times(*given).sum()
        y.backward()
        return [y, *(given[k].grad for k in wanted)]

    on_both(run)


@pytest.mark.parametrize("request_", ["write", "add"])
@pytest.mark.parametrize("wanted", [("x", "y"), ("y",)])
def test_in_a_bound_graph(scale, times, request_, wanted):
    """SMP-41: steps of a plan, which is one operation; the mode is that of the run."""

    def run(device):
        x, y = ng.var("x"), ng.var("y")
        graph = scale(times(x + 1, y) * 2, scalar=0.5) - 1
        asked = {name: request_ if name in wanted else "null" for name in "xy"}
        bound = graph.simple_bind(ctx=device, x=(33,), y=(33,), grad_req=asked)
        found = []
        for k in range(3):
            bound.arg_dict["x"][:] = k + 0.25
            bound.arg_dict["y"][:] = ng.arange(33, dtype="float32", device=device)
            bound.forward(is_train=True)
            bound.backward(ng.ones(33, device=device))
            found += [bound.outputs[0].copy(), bound.forward()[0].copy()]
        return [*found, *(bound.grad_dict[name] for name in wanted)]

    with hurried(4):
        on_both(run)


def test_in_a_jit_function(scale):
    """Addresses differ from run to run."""

    @ng.jit
    def twice(x):
        return scale(scale(x, scalar=3) + 1, scalar=2)

    def run(device):
        return [twice(ng.full((9,), k, dtype="float32", device=device)) for k in range(3)]

    on_both(run)


def test_keywords_are_numbers_and_tuples(new):
    class P(ng.Param):
        window: tuple[int, int]
        low: float = 0.0
        flag: bool = False

    @ng.thread_kernel
    def fn(src, ret, low, window, flag, req, start, step):
        for i in range(start, src.size, step):
            ret[i] = src[i] + low * window[0] - window[1] * flag

    op = new().set_enable_kwargs(P).set_function(("cpu", "gpu"), fn)
    on_both(lambda d: [op(ng.ones(5, device=d), window=(2, 3), low=-0.5, flag=True)])


def test_the_launch_is_as_it_was_asked_for(new):
    """SMP-41: numbers, axes, shared memory, a function of what is written; else a thread each."""
    seen = []

    def launch(ret, env):
        seen.append((ret, env.scalar))
        return (2, 3), (4, 1, 2), 64

    op = new().set_enable_scalar().set_function("gpu", scaled, launch=launch)
    assert op(ng.ones((5, 6), device=GPU), scalar=3).asnumpy().ravel().tolist() == [3.0] * 30
    assert seen == [((5, 6), 3.0)]

    layouts = [layout((5, 6), np.dtype("float32"))] * 2
    (made,) = lowered(op, layouts[:1], layouts[1:], ["write"], {"scalar": 3.0}, host=False).calls
    assert made.block([0, 0], [0])[-7:] == (6, 1, 1, 8, 1, 1, 64)  # numbered along one axis
    refused = [(0, 1), (1, 1025), 256, (1, (2, 3, 4, 5)), (1, 1, 1 << 20), ("1", 1), (1, True)]
    for given in [*refused, (1 << 31, 1), ((1, 65536), 1), (1, (1, 1, 65))]:
        with pytest.raises(ArgumentError, match=r"simple_of_gpus: launch of the function is .*exp"):
            op.set_function("gpu", scaled, launch=given)
        op.set_function("gpu", scaled, launch=lambda ret, env, given=given: given)
        with pytest.raises(ArgumentError, match=r"simple_of_gpus: the launch function is .*exp"):
            op(ng.ones(3, device=GPU), scalar=1)
    with pytest.raises(ArgumentError, match=r"does not take \(ret, env\), the shapes"):
        op.set_function("gpu", scaled, launch=lambda ret: (1, 1))


def test_a_device_without_a_function_is_named_at_the_call_and_at_bind(new, times):
    """SMP-24: cpu only, gpu only, both; the function and the gradient."""
    message = (
        r"simple_of_gpus: there is no function for gpu\(0\); registered: cpu; add one with set_f"
    )
    op = new().set_enable_scalar().set_function("cpu", scaled)
    with pytest.raises(DeviceError, match=message):
        op(ng.ones(3, device=GPU), scalar=1)
    with pytest.raises(DeviceError, match=message):
        op(ng.var("x"), scalar=1).simple_bind(ctx=GPU, x=(3,), grad_req="null")
    assert op(ng.ones(2), scalar=2).asnumpy().tolist() == [2, 2]
    other = new("simple_gpu_alone").set_enable_scalar().set_function("gpu", scaled)
    assert other(ng.ones(2, device=GPU), scalar=2).asnumpy().tolist() == [2, 2]
    with pytest.raises(DeviceError, match=r"simple_gpu_alone: .*cpu\(0\); registered: gpu"):
        other(ng.ones(2), scalar=2)
    op = new().set_enable_scalar().set_function(("cpu", "gpu"), scaled)
    op.set_gradient("cpu", scaled_gradient)
    x = ng.ones(3, device=GPU)
    x.attach_grad()
    with ng.autograd.record():
        y = op(x, scalar=1)
    with pytest.raises(DeviceError, match=r"there is no gradient for gpu\(0\); registered: cpu"):
        y.backward(ng.ones(3, device=GPU))


def test_what_no_gpu_runs_is_refused_when_it_is_registered(new):
    """SMP-41: a function of the host, by its name, with what to give instead."""

    def python(src, env, ret, req, ctx):
        ng.assign(ret.get(), req, src.get())

    message = (
        r"the function for gpu is the Python function python, .*cuda\.jit kernel or ng\.thread_k"
    )
    with pytest.raises(ArgumentError, match=message):
        new().set_function("gpu", python)
    with pytest.raises(ArgumentError, match=message):
        new().set_function(("cpu", "gpu"), python)
    with pytest.raises(
        ArgumentError, match=r"thread_kernel: <lambda>\(src, ret, req\) does not end"
    ):
        ng.thread_kernel(lambda src, ret, req: None)


def test_what_cannot_be_compiled_is_told_at_the_call(new):
    """MSP-02: operator, function, types, Numba's own text."""

    @ng.thread_kernel
    def strange(src, ret, req, start, step):
        ret[0] = src.no_such_thing

    op = new().set_function("gpu", strange)
    message = (
        r"simple_of_gpus: the gpu function .* is not compiled for \(float32\[:\], float32\[:\], i"
    )
    with pytest.raises(CompileError, match=message) as caught:
        op(ng.ones(3, device=GPU))
    assert "Unknown attribute 'no_such_thing'" in str(caught.value)
    assert "Unknown attribute 'no_such_thing'" in caught.value.details
    with pytest.raises(CompileError, match=message):
        op(ng.var("x")).simple_bind(ctx=GPU, x=(3,), grad_req="null")

    class P(ng.Param):
        mode: str = "fast"

    @ng.thread_kernel
    def named(src, ret, mode, req, start, step):
        ret[0] = src[0]

    op = new().set_enable_kwargs(P).set_function("gpu", named)
    with pytest.raises(
        ArgumentError, match="the parameter mode='fast' is a str; a kernel on a GPU"
    ):
        op(ng.ones(3, device=GPU))


def test_kernels_of_numba_take_no_bfloat16(new):
    """MSP-02: the operator and the dtype, at the call."""
    few = ng.ones(3, dtype="bfloat16", device=GPU)
    op = new().set_enable_scalar().set_function("gpu", scaled)
    with pytest.raises(DTypeError, match=r"simple_of_gpus: Numba's kernels take no bfloat16; give"):
        op(few, scalar=1)


@emulated_only
def test_a_kernel_of_cuda_needs_the_simulator_where_there_is_no_gpu(new):
    """SMP-41: at the call, with the remedy; nothing on the device is harmed."""
    from numba import cuda

    @cuda.jit
    def kernel(src, ret, req):
        ret[cuda.grid(1)] = src[cuda.grid(1)]

    op = new().set_function("gpu", kernel)
    with pytest.raises(DeviceError, match=r"simple_of_gpus: kernel is a cuda\.jit .*CUDASIM=1, or"):
        op(ng.ones(3, device=GPU))
    assert ng.ones(3, device=GPU).asnumpy().tolist() == [1, 1, 1]


def test_kernels_of_cuda():
    """SMP-41: forward, gradients, requests and graphs, with shared memory and barriers."""
    if ng.config.gpu != "emulated":
        from tests.array import own_kernels

        own_kernels.main()
        return
    printed = run_python("-m", "tests.array.own_kernels", NUMBA_ENABLE_CUDASIM="1")
    assert printed.endswith("all of it ran\n")
