"""Functions that are compiled: SMP-41, and kernels for a device that is not there."""

import ctypes
import os
import threading

import numba
import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import ArgumentError, DeviceError
from nbgraph.kernels.compiler.handwritten import Compiled
from tests.operator.simple.judge import differences, gradients

ADD = int(ng.kAddTo)
# compiled code calls it without giving up the GIL
usleep = ctypes.CDLL(None).usleep if os.name == "posix" else None
if usleep:
    usleep.argtypes = [ctypes.c_uint]


def row_sums(src, ret, scalar, req):
    for i in range(src.shape[0]):
        total = src.dtype.type(0)
        for j in range(src.shape[1]):
            total += src[i, j] ** 2
        if req == ADD:
            ret[i] += scalar * total
        else:
            ret[i] = scalar * total


def row_sums_gradient(out_grad, in_data0, in_grad, scalar, req):
    for i in range(in_data0.shape[0]):
        for j in range(in_data0.shape[1]):
            value = 2 * scalar * out_grad[i] * in_data0[i, j]
            in_grad[i, j] = in_grad[i, j] + value if req == ADD else value


def make(new, compile=numba.njit):
    op = new().set_enable_scalar(True).set_shape_function(lambda src, env: src[:1])
    op.set_function("cpu", compile(row_sums))
    return op.set_gradient("cpu", compile(row_sums_gradient))


@pytest.fixture
def op(new):
    return make(new)


def test_compiled_functions_are_given_arrays_and_the_parameters_they_name(op):
    """SMP-41: forward and gradient, against NumPy and differences."""
    x, g = np.random.default_rng(0).normal(size=(3, 4)), np.array([1.0, -2.0, 0.5])
    np.testing.assert_allclose(op(x, scalar=3.0), 3 * (x**2).sum(axis=1))
    (found,) = gradients(op, [x], g, scalar=3.0)
    np.testing.assert_allclose(found, differences(op, [x], g, 0, scalar=3.0), atol=1e-6)


def test_requests_reach_compiled_functions_as_numbers(op):
    """OPR-10."""
    x, out = np.float32([[1, 2], [3, 4]]), np.float32([100, 200])
    op.run([x.T], [out], [ng.kAddTo], {"scalar": 1.0})
    assert out.tolist() == [110, 220]


@pytest.mark.parametrize(
    "compile",
    [numba.njit(nogil=True), numba.njit, numba.njit("void(f4[:,:],f4[:],f8,i8)", nogil=True)],
)
def test_all_run_without_the_gil_and_on_read_only_operands(new, compile):
    """X-NDA-06: compiled with nogil or not, with eager types or not."""
    op = new().set_enable_scalar(True).set_shape_function(lambda src, env: src[:1])
    made = op.set_function("cpu", compile(row_sums)).functions["cpu"].fn
    assert isinstance(made, Compiled) or made.targetoptions["nogil"]
    x = np.float32([[1, 2]])
    x.flags.writeable = False
    assert op(x, scalar=1).tolist() == [5]
    inner = made.dispatcher if isinstance(made, Compiled) else made
    assert inner.targetoptions["nogil"]


@pytest.mark.skipif(usleep is None, reason="needs usleep of the C library")
def test_other_threads_go_on_meanwhile(new):
    """X-NDA-06: a compiled function that waits for another Python thread's write ends."""

    def waits(src, ret, req):
        ret[0] = -1.0
        for i in range(10_000):
            usleep(500)
            if src[0] != 0:
                ret[0] = i
                break

    op = new().set_function("cpu", numba.njit(waits))
    flag, out = np.ones(1), np.zeros(1)
    op.run([flag], [out], [ng.kWriteTo], {})  # compiled
    flag[0] = 0
    seen = threading.Event()

    def write():
        seen.wait()
        flag[0] = 1

    writer = threading.Thread(target=write)
    writer.start()
    seen.set()
    op.run([flag], [out], [ng.kWriteTo], {})
    writer.join()
    assert out[0] >= 0


def test_what_a_compiled_function_cannot_have_is_refused(new):
    with pytest.raises(ArgumentError, match="names the parameter 'scalar', which a call cannot"):
        new().set_function("cpu", numba.njit(row_sums))
    with pytest.raises(ArgumentError, match="parallel=True, whose threads fight"):
        new().set_enable_scalar().set_function("cpu", numba.njit(parallel=True)(row_sums))
    with pytest.raises(ArgumentError, match="forms of a compiled function"):
        new().set_function("cpu", numba.njit(lambda src, env, ret, req, ctx: None))
    with pytest.raises(ArgumentError, match="njit function row_sums, which runs on the host"):
        new().set_enable_scalar().set_function("gpu", numba.njit(row_sums))


def test_is_train_and_keywords_by_name(new):
    class P(ng.Param):
        window: tuple[int, int]
        low: float = 0.0

    @numba.njit
    def fn(lhs, rhs, ret, low, is_train, window, req):
        ret[0] = lhs[0] + 10 * rhs[0] + low + window[0] * window[1] + (1000 if is_train else 0)

    op = new().set_enable_kwargs(P).set_function("cpu", fn)
    assert op([1.0], [2.0], window=(3, 4), low=0.5) == 33.5
    out = np.zeros(1)
    inputs = [np.ones(1), np.ones(1)]
    op.run(inputs, [out], [ng.kWriteTo], op.normalise({"window": "(1,1)"}), is_train=True)
    assert out == 1012


def test_a_compiled_gradient_nobody_wants_may_be_written(new):
    """kNullOp of one operand: what is written there is dropped."""

    @numba.njit
    def fn(lhs, rhs, ret, req):
        ret[0] = lhs[0] * rhs[0]

    @numba.njit
    def gradient(out_grad, lhs, rhs, lhs_grad, rhs_grad, req_lhs, req_rhs):
        lhs_grad[0] = out_grad[0] * rhs[0]
        rhs_grad[0] = out_grad[0] * lhs[0]

    op = new().set_function("cpu", fn).set_gradient("cpu", gradient)
    found = gradients(op, [np.array([2.0]), np.array([3.0])], wanted=[False, True])
    assert found[0] is None
    assert found[1] == 2.0


def test_cuda_kernels_are_kept_for_the_device(new):
    """SMP-41, SMP-24: registered without a GPU; to use one says that there is none."""
    from numba import cuda

    kernel = cuda.jit(row_sums)
    op = make(new).set_function("gpu", kernel)
    assert (op.functions["gpu"].fn, op.functions["gpu"].kind) == (kernel, "cuda")
    launched = cuda.jit(row_sums_gradient)[256, 128]
    op.set_gradient("gpu", launched)
    assert op.gradients["gpu"].form.name == "T2"
    assert op.gradients["gpu"].launch == ((256, 1, 1), (128, 1, 1), 0)
    assert "Function on gpu: CUDA, kNoInplace." in op.__doc__
    with pytest.raises(DeviceError, match=r"gpu\(99\)"):
        op.grant(ng.gpu(99))
    assert op([[1.0, 2.0]], scalar=1) == 5.0
    with pytest.raises(ArgumentError, match="register it for 'gpu'"):
        op.set_function("cpu", kernel)
