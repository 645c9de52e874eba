"""Graphs whose results go past the caches."""

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.executor import Options
from nbgraph.executor.compiled import _COMPILED

N = 5000
AT = np.linspace(-3, 3, N, dtype=np.float32)


def streamed(program):
    """For each kernel of a program, in order: whether it streams."""
    return [p.code.loop.streaming for p in program.compiled.calls if p is not None]


@pytest.fixture(autouse=True)
def afresh():
    """Which tasks stream is decided when a graph is compiled."""
    _COMPILED.clear()
    yield
    _COMPILED.clear()


def test_values_and_gradients_of_one_loop_stream():
    """OPR-09: both results of the fused kernel; the same bits as without."""
    x = ng.var("x")
    y = ng.tanh(x) * ng.exp(-x * x) + ng.log1p(ng.exp(x))
    found = {}
    for limit in (0, 1):
        _COMPILED.clear()
        with ng.config(stream_bytes=limit):
            exe = y.simple_bind(x=(N,))
            out = exe.forward(is_train=True, x=AT)[0].asnumpy()
            exe.backward(ng.ones((N,)))
            found[limit] = out, exe.grad_dict["x"].asnumpy()
            assert any(streamed(exe._bound.predict)) is bool(limit)
    for plain, past in zip(found[0], found[1], strict=True):
        np.testing.assert_array_equal(past, plain)


def test_what_is_read_at_once_stays_in_the_cache():
    """OPR-09: a link of a chain is read next; the chain's result is not read by the graph."""
    options = Options.of(fuse=False, simplify=False, inplace=False)
    link = ng.sin(ng.var("x"))
    y = ng.cos(link)
    with ng.config(stream_bytes=4 * N):  # a cache of two arrays: a link's own run fills it
        exe = y.simple_bind(options=options, grad_req="null", x=(N,))
        assert streamed(exe._bound.predict) == [True, True]
    _COMPILED.clear()
    with ng.config(stream_bytes=4 * N - 4):
        exe = (y + ng.cumsum(link)).simple_bind(options=options, grad_req="null", x=(N,))
        assert streamed(exe._bound.predict)[0] is True
    _COMPILED.clear()
    with ng.config(stream_bytes=4 * N + 4):
        exe = y.simple_bind(options=options, grad_req="null", x=(N,))
        assert streamed(exe._bound.predict) == [False, False]


def test_sums_onto_gradients_do_not_stream():
    """OPR-10: what is added to is read."""
    x = ng.var("x")
    with ng.config(stream_bytes=1):
        exe = ng.tanh(x).simple_bind(grad_req="add", x=(N,))
        for _ in range(2):
            exe.forward(is_train=True, x=AT)
            exe.backward(ng.ones((N,)))
    wanted = 2 * (1 - np.tanh(AT.astype(np.float64)) ** 2)
    np.testing.assert_allclose(exe.grad_dict["x"].asnumpy(), wanted, rtol=1e-4, atol=1e-6)
