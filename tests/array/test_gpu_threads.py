"""Threads that use one GPU at once, and the order between host, devices and streams."""

import threading

import numpy as np

import nbgraph as ng
from nbgraph.engine.streams import OUT
from nbgraph.operator import registry
from tests.array.gpu import GPU, emulated_only, hurried
from tests.support import on_threads


def test_threads_share_a_device(threads):
    """ENG-08: pushes, copies and waits from four threads, with temporaries recycled among them."""

    def work(seed):
        rng = np.random.default_rng(seed)
        for _ in range(12):
            x = rng.normal(size=(64, 33)).astype(np.float32)
            a = ng.array(x, device=GPU)
            b = (a * 2 + a[::-1]) - 1
            b += a
            wanted = ((x * np.float32(2) + x[::-1]) - np.float32(1)) + x
            assert np.array_equal(b.asnumpy(), wanted)

    with hurried(5):
        on_threads(work, range(4))


def test_a_kernel_follows_a_kernel_without_the_host():
    """ENG-07: the second is issued before the first is over; host work waits for the end."""
    if ng.engine.current().kind != "threaded":
        ng.engine.set("threaded")
    x, y = ng.zeros(3, device=GPU), ng.zeros(3, device=GPU)
    ng.waitall()
    over, issued, seen = threading.Event(), threading.Event(), []

    def slow(run_ctx):
        run_ctx.stream.call(lambda xp: over.wait(30), [])

    def after(run_ctx):
        issued.set()

    if ng.config.gpu != "emulated":
        return  # a real stream runs no Python
    ng.engine.push(slow, ctx=GPU, mutate_vars=[x.variable], name="slow")
    ng.engine.push(after, ctx=GPU, const_vars=[x.variable], mutate_vars=[y.variable])
    copied = ng.engine.current().push_to_device(
        GPU, lambda run_ctx: run_ctx.stream is not None, stream=OUT, const_vars=[y.variable]
    )
    host = ng.engine.push(lambda run_ctx: seen.append("host"), const_vars=[y.variable])
    assert issued.wait(30)
    assert not host.done() and not copied.done() and not seen
    over.set()
    assert copied.result(30) is True
    host.result(30)
    assert seen == ["host"]


@ng.thread_kernel
def halved(src, ret, req, start, step):
    source, target = src.reshape(-1), ret.reshape(-1)
    for i in range(start, source.size, step):
        target[i] = source[i] / 2


@emulated_only
def test_the_host_waits_for_nothing_between_operations():
    """X-ENG-14: kernels, sums, rows, products, copies on another stream, a captured plan and a
    user's kernel are all issued behind an event that is not reached; events order the streams."""
    if ng.engine.current().kind != "threaded":
        ng.engine.set("threaded")
    half = ng.register_simple_op("halved_behind_an_event").set_function(("cpu", "gpu"), halved)
    v = ng.var("v")
    bound = {
        d: (ng.tanh(v * 2).sum(axis=0) + 1).simple_bind(ctx=d, v=(8, 8)) for d in (GPU, ng.cpu())
    }
    for each in bound.values():
        for _ in range(3):  # as it is, captured, replayed
            each.forward()
    data = np.random.default_rng(0).normal(size=(8, 8)).astype("f4")
    gate, issued = threading.Event(), threading.Event()

    def run(device, x):
        a = ng.exp(x) + 1
        b = ng.softmax(a @ a) * a.sum()
        b += ng.array(data, device=device)  # comes on the stream of copies
        bound[device].arg_dict["v"][:] = b
        return [half(bound[device].forward()[0]), b]

    x = ng.array(data, device=GPU)
    ng.waitall()
    blocked = lambda run_ctx: run_ctx.stream.call(lambda xp: gate.wait(90), [])
    ng.engine.push(blocked, ctx=GPU, mutate_vars=[x.variable], name="not over")
    try:
        found = run(GPU, x)
        ng.engine.push(
            lambda run_ctx: issued.set(), ctx=GPU, const_vars=[a.variable for a in found]
        )
        assert issued.wait(30)
    finally:
        gate.set()
    for got, wanted in zip(found, run(ng.cpu(), ng.array(data)), strict=True):
        np.testing.assert_allclose(got.asnumpy(), wanted.asnumpy(), rtol=1e-5)
    registry.remove("halved_behind_an_event")
