"""Arrays whose values are written past the caches."""

import numpy as np

import nbgraph as ng

X = np.arange(5000, dtype=np.float32) % 97


def streamed(op):
    """For each kernel that an operator has: whether it streams."""
    return [k.loop.streaming for plan in op.invoker._plans.values() for k in plan.kernels.values()]


def test_results_and_outs_stream_but_not_in_place(engine):
    """OPR-09: a result of its own and an `out` apart go past the caches, in place not."""
    op = ng.op(lambda x, y: x * y - x)
    wanted = X * (X + 1) - X
    with ng.config(stream_bytes=1):
        a, b, c = ng.array(X), ng.array(X + 1), ng.zeros(X.shape)
        made = op(a, b)
        op(a, b, out=c)
        assert streamed(op) == [True]
        np.testing.assert_array_equal(made.asnumpy(), wanted)
        np.testing.assert_array_equal(c.asnumpy(), wanted)
        op(a, b, out=a)
        assert sorted(streamed(op)) == [False, True]
        np.testing.assert_array_equal(a.asnumpy(), wanted)


def test_chunks_of_a_streamed_kernel(engine):
    """OPR-09: cut for workers wherever the engine likes, the values are those of one run."""
    x = np.random.default_rng(3).normal(size=3_000_001).astype(np.float32)
    op = ng.op(lambda x: x * x / (1 + x * x))
    with ng.config(stream_bytes=0):
        wanted = op(x)
    op = ng.op(lambda x: x * x / (1 + x * x))
    with ng.config(stream_bytes=1):
        got = op(ng.array(x))
        assert streamed(op) == [True]
        np.testing.assert_array_equal(got.asnumpy(), wanted)
