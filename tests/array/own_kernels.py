"""Simple operators of `cuda.jit` kernels, run on a GPU: a program of its own where one is emulated,
as Numba's simulator is chosen when `numba.cuda` is first imported."""

import numpy as np
from numba import cuda, float64

import nbgraph as ng
from tests.array.gpu import GPU, hurried

ADD = int(ng.kAddTo)


@cuda.jit
def row_sums(src, ret, scalar, req):
    """A block a row: partial sums in shared memory, halved at each barrier."""
    held = cuda.shared.array(32, float64)
    t, row = cuda.threadIdx.x, cuda.blockIdx.x
    total = 0.0
    for j in range(t, src.shape[1], 32):
        total += src[row, j] * src[row, j]
    held[t] = total
    cuda.syncthreads()
    half = 16
    while half:
        if t < half:
            held[t] += held[t + half]
        cuda.syncthreads()
        half //= 2
    if t == 0:
        value = scalar * held[0]
        ret[row] = ret[row] + value if req == ADD else value


@cuda.jit
def row_sums_gradient(out_grad, in_data0, in_grad, scalar, req):
    i, j = cuda.grid(2)
    if i < in_grad.shape[0] and j < in_grad.shape[1]:
        value = 2 * scalar * out_grad[i] * in_data0[i, j]
        in_grad[i, j] = in_grad[i, j] + value if req == ADD else value


@cuda.jit
def products(lhs, rhs, ret, req):
    """The shape of the launch that there is without any: a thread an element."""
    i = cuda.grid(1)
    if i < ret.size:
        value = lhs[i] * rhs[i]
        ret[i] = ret[i] + value if req == ADD else value


@cuda.jit
def products_gradient(out_grad, lhs, rhs, lhs_grad, rhs_grad, req_lhs, req_rhs):
    for i in range(cuda.grid(1), out_grad.size, cuda.gridsize(1)):
        value = out_grad[i] * rhs[i]
        lhs_grad[i] = lhs_grad[i] + value if req_lhs == ADD else value
        value = out_grad[i] * lhs[i]
        rhs_grad[i] = rhs_grad[i] + value if req_rhs == ADD else value


def tiles(in_grad, env):
    return tuple(-(-n // 4) for n in in_grad), (4, 4)


sums = (
    ng.register_simple_op("own_row_sums")
    .set_enable_scalar()
    .set_shape_function(lambda src, env: src[:1])
    .set_function("gpu", row_sums, launch=lambda ret, env: (ret[0], 32))
    .set_gradient("gpu", row_sums_gradient, launch=tiles)
)
times = (
    ng.register_simple_op("own_products")
    .set_function("gpu", products)
    .set_gradient("gpu", products_gradient[2, 8])
)


def values(shape, dtype, seed):
    return np.random.default_rng(seed).normal(size=shape).astype(dtype)


def reductions(dtype):
    """Shared memory, barriers, blocks along two axes; requests; the tape."""
    data = values((5, 37), dtype, 0)
    x = ng.array(data, device=GPU)
    want = 3 * (data.astype("f8") ** 2).sum(axis=1)
    np.testing.assert_allclose(sums(x, scalar=3).asnumpy(), want, rtol=1e-5)
    strided = sums(ng.array(data.T, device=GPU).T, scalar=3)
    np.testing.assert_allclose(strided.asnumpy(), want, rtol=1e-5)
    x.attach_grad(grad_req="add")
    for _ in range(2):
        with ng.autograd.record():
            y = sums(x, scalar=0.5)
        y.backward(ng.ones(5, dtype=dtype, device=GPU))
    np.testing.assert_allclose(x.grad.asnumpy(), 2 * data, rtol=1e-5)


def pairs(dtype):
    """Two operands: both gradients, and one that nobody wants."""
    a, b = values(21, dtype, 1), values(21, dtype, 2)
    for wanted in ((0, 1), (1,)):
        x, y = ng.array(a, device=GPU), ng.array(b, device=GPU)
        for k in wanted:
            (x, y)[k].attach_grad()
        with ng.autograd.record():
            z = times(x, y)
        z.backward(ng.ones(21, dtype=dtype, device=GPU))
        np.testing.assert_array_equal(z.asnumpy(), a * b)
        for k in wanted:
            np.testing.assert_array_equal((x, y)[k].grad.asnumpy(), (b, a)[k])


def graphs(dtype):
    """In a bound graph, between our own kernels; runs follow one another, as one captured graph."""
    data = values((4, 9), dtype, 3)
    x = ng.var("x", dtype=dtype)
    bound = (sums(x * 2, scalar=1.0) + 1).simple_bind(ctx=GPU, x=(4, 9), grad_req="add")
    with hurried(5):
        for k in range(3):
            bound.arg_dict["x"][:] = ng.array(data * k, device=GPU)
            (found,) = bound.forward(is_train=True)
            bound.backward(ng.ones(4, dtype=dtype, device=GPU))
            want = 4 * k * k * (data.astype("f8") ** 2).sum(axis=1) + 1
            np.testing.assert_allclose(found.asnumpy(), want, rtol=1e-5)
    grads = bound.grad_dict["x"].asnumpy()
    np.testing.assert_allclose(grads, 8 * (1 + 2) * data, rtol=1e-4)


def main():
    for dtype in ("float32", "float64"):
        reductions(dtype)
        pairs(dtype)
        graphs(dtype)
    ng.waitall()


if __name__ == "__main__":
    main()
    print("all of it ran")
