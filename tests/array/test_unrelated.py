"""What cannot run yet holds up nothing that does not depend on it: neither by memory that it took
and gave back, nor by the temporary space and, on other threads, the programs that calls share."""

import threading

import pytest

import nbgraph as ng
from tests.support import on_threads

jitted = ng.jit(lambda x, w: (ng.tanh(x @ w) @ w).sum())


def gradient(fn):
    def slope(x):
        w = ng.full(x.shape, 0.1)
        w.attach_grad()
        with ng.autograd.record():
            y = fn(x, w)
        y.backward()
        return w.grad

    return slope


CALLS = {
    "constants": lambda x: ng.eye(len(x)) + x * ng.full(x.shape, 2.0),
    "elements": lambda x: ng.where(x > 0, ng.tanh(x), 0) * x,
    "product": lambda x: x @ ng.ones(x.shape),
    "rows": lambda x: ng.layer_norm(x, ng.ones(len(x)), ng.zeros(len(x))).sum(axis=0),
    "sorted": lambda x: ng.sort(x) + ng.median(x),
    "indices": lambda x: x[[0, 1]] + ng.concatenate([x, x])[:2],
    "running": lambda x: ng.cumsum(x, axis=0),
    "draws": lambda x: x * ng.random.uniform(size=x.shape) * 0,
    "dropout": lambda x: ng.dropout(x, 0.5) * 0,
    "convolution": lambda x: ng.convolution(x.reshape(1, 1, *x.shape), ng.ones((1, 1, 3, 3))),
    "solve": lambda x: ng.linalg.solve(x + ng.eye(len(x)), ng.ones(x.shape)),
    "traced": lambda x: jitted(x, ng.full(x.shape, 0.1)),
    "gradient by the tape": gradient(lambda x, w: (ng.tanh(x @ w) @ w).sum()),
    "gradient of a traced function": gradient(jitted),
}


@pytest.mark.parametrize("size", [8, 256])
@pytest.mark.parametrize("call", CALLS)
def test_what_cannot_run_yet_holds_up_nothing_else(threaded, call, size):
    """On another thread, as workers that are threads may wait for what comes from one another, and,
    if it is small, on the same one."""
    fn = CALLS[call]
    ready, late = ng.ones((size, size)), ng.ones((size, size))
    expected = fn(ready).tolist()
    opened = threading.Event()
    ng.engine.push(lambda run_ctx: opened.wait(120) and None, mutate_vars=[late.variable])
    values = []

    def run(i):
        values.append(fn(ready))
        ng.engine.wait_for_var(values[-1].variable, 30)

    try:
        pending = [fn(late) for _ in range(5)]
        if size < 100 and "traced" not in call:  # runs of a thread's program follow each other
            run(0)
        on_threads(run, range(1), seconds=40)
    finally:
        opened.set()
    assert [each.tolist() for each in pending] == [expected] * 5
    assert [each.tolist() for each in values] == [expected] * len(values)
