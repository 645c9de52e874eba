"""Which calls on NumPy arrays write past the caches."""

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.native.processor import last_cache
from nbgraph.operator import registry
from nbgraph.operator.mapper.fused import Part, fuse
from nbgraph.operator.scalar.map_call import threshold

add, less, sin = (registry.find(name) for name in ("add", "less", "sin"))
X = np.arange(5000, dtype=np.float32) % 97


def streamed(op):
    """For each kernel that an operator has: whether it streams."""
    return [k.loop.streaming for plan in op.invoker._plans.values() for k in plan.kernels.values()]


def fresh():
    """An operator that nobody has called."""
    return ng.op(lambda x, y: x * y - x)


def test_large_results_stream_small_ones_do_not():
    """OPR-09: the outputs' bytes decide; 0 means never."""
    for limit, past in ((X.nbytes, True), (X.nbytes + 1, False), (0, False)):
        op = fresh()
        with ng.config(stream_bytes=limit):
            got = op(X, X)
        assert streamed(op) == [past]
        np.testing.assert_array_equal(got, X * X - X)


def test_in_place_never_streams():
    """OPR-09: what an operand is read from is in the cache; a shifted overlap is copied first."""
    with ng.config(stream_bytes=1):
        op, x = fresh(), X.copy()
        op(x, X, out=x)
        assert streamed(op) == [False]
        np.testing.assert_array_equal(x, X * X - X)
        x = X.copy()
        op(x[:-1], X[1:], out=x[1:])
        np.testing.assert_array_equal(x[1:], X[:-1] * X[1:] - X[:-1])


@pytest.mark.parametrize(
    "make", [lambda: np.empty((5000, 2), np.float32)[:, 0], lambda: np.empty((50, 100), np.float32)]
)
def test_strided_and_short_runs_never_stream(make):
    """OPR-09: elements apart fill no line, short runs few."""
    out = make()
    x = np.broadcast_to(X[: out.shape[-1]], out.shape)
    op = fresh()
    with ng.config(stream_bytes=1):
        op(x, x, out=out)
    assert streamed(op) == [False]
    np.testing.assert_array_equal(out, x * x - x)


def test_outputs_that_are_not_level_do_not_stream():
    """OPR-09: lines begin at other elements of the one than of the other."""
    parts = [Part(p, (("in", 0), ("in", 1))) for p in (add, less)]
    both = fuse("sum_and_order", parts, [(0, 0), (1, 0)])[0]
    room = np.empty(4 * 5000 + 128, np.uint8)
    start = -room.ctypes.data % 64
    sums = room[start + 4 : start + 4 + 4 * 5000].view(np.float32)
    flags = np.empty(5000 + 64, np.uint8)
    flags = flags[-flags.ctypes.data % 64 :][:5000].view(bool)
    with ng.config(stream_bytes=1):
        both(X, X[::-1].copy(), out=(sums, flags))
    assert streamed(both) == [False]
    np.testing.assert_array_equal(sums, X + X[::-1])
    np.testing.assert_array_equal(flags, X[::-1] > X)


def test_workers_share_a_streamed_call():
    """OPR-09: a call that is cut into chunks for workers gives the same bytes."""
    x = np.random.default_rng(3).normal(size=3_000_001).astype(np.float32)
    op = ng.op(lambda x: x * x / (1 + x * x))
    with ng.config(stream_bytes=0):
        wanted = op(x)
    with ng.config(stream_bytes=1):
        op.invoker.forget()
        got = op(x, out=np.empty_like(x))
        assert streamed(op) == [True]
    np.testing.assert_array_equal(got, wanted)


def test_huge_arguments_are_done_again():
    """OPR-09: a run that trigonometry does twice ends with the right values."""
    x = np.linspace(-1e6, 1e6, 5003, dtype=np.float32)
    x[4000] = 1e30
    wanted = sin(x)
    with ng.config(stream_bytes=1):
        np.testing.assert_array_equal(sin(x, out=np.empty_like(x)), wanted)


def test_the_usual_limit_is_half_of_the_last_cache():
    """OPR-09: a size that the system tells, or a usual one."""
    assert last_cache() >= 1 << 18
    with ng.config(stream_bytes=-1):
        assert threshold() == last_cache() // 2


def test_bad_sizes_are_refused():
    """OPR-09: the setting names its range."""
    with pytest.raises(ValueError, match="stream_bytes=-2; expected -1 or more"):
        ng.config(stream_bytes=-2)
