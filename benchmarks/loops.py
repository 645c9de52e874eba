"""The figures of loops in graphs and of functions over examples, against jax.

    python -m benchmarks.loops

A scan of an LSTM cell over 1,000 steps with its gradient, gradients of each example of a batch
against a batch by hand, and a Jacobian. Callables take turns in one process pinned to one core, so
that ours and the peer's have one thread; seconds are wall time, the quickest of many turns. First
calls are timed with nothing on disk.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import minimize

import nbgraph as ng
from benchmarks.graphs import quickest
from benchmarks.harness import Factor, peer, report

STEPS, BATCH, WIDTH = 1000, 16, 64


def first(call: Callable[[], object]) -> float:
    """Seconds of a call."""
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


def lstm(xp: Any, scan: Any, sigmoid: Any) -> Callable[..., Any]:
    """The loss of a cell over the steps of a batch of sequences."""

    def loss(params: Any, xs: Any, h: Any, c: Any) -> Any:
        weight, bias = params

        def step(carry: Any, x: Any) -> Any:
            h, c = carry
            z = xp.matmul(xp.concatenate([x, h], axis=1), weight) + bias
            i, f, g, o = (z[:, k * WIDTH : (k + 1) * WIDTH] for k in range(4))
            c = sigmoid(f) * c + sigmoid(i) * xp.tanh(g)
            h = sigmoid(o) * xp.tanh(c)
            return (h, c), h

        _, ys = scan(step, (h, c), xs)
        return (ys * ys).sum()

    return loss


def loops(jax: Any) -> list[Factor]:
    """Forward and backward over all steps, and the first call."""
    rng = np.random.default_rng(0)
    weight = (rng.normal(size=(2 * WIDTH, 4 * WIDTH)) * 0.1).astype("float32")
    data = [rng.normal(size=(STEPS, BATCH, WIDTH)).astype("float32")]
    data += [np.zeros((BATCH, WIDTH), "float32")] * 2
    bias = np.zeros(4 * WIDTH, "float32")
    ours = ng.jit(ng.value_and_grad(lstm(ng, ng.scan, ng.sigmoid)))
    own = ((ng.array(weight), ng.array(bias)), *map(ng.array, data))
    theirs = jax.jit(jax.value_and_grad(lstm(jax.numpy, jax.lax.scan, jax.nn.sigmoid)))
    given = ((jax.numpy.array(weight), jax.numpy.array(bias)), *map(jax.numpy.array, data))

    def run_ours() -> Any:
        _, (slope, _) = ours(*own)
        return slope.asnumpy()

    def run_theirs() -> Any:
        _, (slope, _) = theirs(*given)
        return np.asarray(slope)

    calls: dict[str, Callable[[], Any]] = {"ours": run_ours, "jax": run_theirs}
    starts = {name: first(call) for name, call in calls.items()}
    wanted = run_theirs()
    np.testing.assert_allclose(run_ours(), wanted, rtol=1e-3, atol=1e-4 * np.abs(wanted).max())
    seconds = quickest(calls, 1)
    what = f"scan of an LSTM cell, {STEPS} steps, batch {BATCH}, width {WIDTH}"
    return [
        Factor(f"{what}: loss and gradient, against jax", seconds["jax"] / seconds["ours"], 1.0),
        Factor(f"{what}: first call, against jax", starts["jax"] / starts["ours"], 1 / 1.5),
    ]


def examples() -> list[Factor]:
    """Gradients of each example, by `vmap` and by hand."""
    rng = np.random.default_rng(1)
    w = ng.array(rng.normal(size=(64, 64)).astype("float32"))
    xs = ng.array(rng.normal(size=(512, 64)).astype("float32"))
    mapped = ng.jit(ng.vmap(ng.grad(lambda x: (ng.tanh(w @ x) ** 2).sum())))
    by_hand = ng.jit(ng.grad(lambda xs: (ng.tanh(xs @ w.T) ** 2).sum()))
    calls: dict[str, Callable[[], object]] = {
        "vmap": lambda: mapped(xs).wait_to_read(),
        "hand": lambda: by_hand(xs).wait_to_read(),
    }
    seconds = quickest(calls, 20)
    what = "vmap(grad) of 512 examples of 64, against a batch by hand"
    return [Factor(what, seconds["hand"] / seconds["vmap"], 0.9)]


def jacobians(jax: Any) -> list[Factor]:
    """A Jacobian of 100 by 100."""
    a = np.random.default_rng(2).normal(size=(100, 100)).astype("float32")
    x = np.linspace(0, 1, 100, dtype="float32")
    own, given = ng.array(a), jax.numpy.array(a)
    ours = ng.jit(ng.jacobian(lambda x: ng.tanh(own @ x)))
    theirs = jax.jit(jax.jacrev(lambda x: jax.numpy.tanh(given @ x)))
    here, there = ng.array(x), jax.numpy.array(x)
    calls: dict[str, Callable[[], object]] = {
        "ours": lambda: ours(here).wait_to_read(),
        "jax": lambda: theirs(there).block_until_ready(),
    }
    seconds = quickest(calls, 50)
    return [Factor("a Jacobian of 100 by 100, against jax", seconds["jax"] / seconds["ours"], 1.0)]


def rosenbrock(x: Any) -> Any:
    """A narrow curved valley."""
    return (100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2).sum()


def minima(jax: Any) -> list[Factor]:
    """Rosenbrock's function of 100 numbers by BFGS, ours and SciPy's with jax's slopes."""
    start = np.where(np.arange(100) % 2, 1.0, -1.2)
    with jax.enable_x64():
        theirs = jax.jit(jax.value_and_grad(rosenbrock))

        def value_and_slope(x: Any) -> Any:
            value, slope = theirs(x)
            return float(value), np.asarray(slope)

        calls: dict[str, Callable[[], object]] = {
            "ours": lambda: ng.optimize.minimize(rosenbrock, start, method="BFGS"),
            "jax": lambda: minimize(value_and_slope, start, jac=True, method="BFGS"),
        }
        seconds = quickest(calls, 1)
    what = "BFGS on Rosenbrock's function of 100 numbers, against SciPy with jax's gradients"
    return [Factor(what, seconds["jax"] / seconds["ours"], 3.0)]


def rows() -> list[Factor]:
    """All figures; those against jax where it is installed."""
    jax = peer("jax")
    return [*(loops(jax) + jacobians(jax) + minima(jax) if jax else []), *examples()]


if __name__ == "__main__":
    if len(os.sched_getaffinity(0)) > 1:  # libraries count cores where they are imported
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        os.execv(sys.executable, [sys.executable, "-m", "benchmarks.loops"])
    with tempfile.TemporaryDirectory() as folder:
        ng.config.cache_dir = folder
        warm = [sys.executable, "-m", "nbgraph.warm"]  # the engine; no kernel
        subprocess.run(warm, env={**os.environ, "NBGRAPH_CACHE_DIR": folder}, check=True)
        raise SystemExit(report(rows()))
