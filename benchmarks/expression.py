"""tanh(x) exp(-x^2) + log1p(exp x), value and gradient, on every road against jax.jit.

    python -m benchmarks.expression

Pinned to one core and timed as in `benchmarks.graphs`. Targets are for the quickest road; the
others show what recording costs, or results that nobody gave memory for.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from typing import Any

import numpy as np

import nbgraph as ng
from benchmarks.graphs import quickest
from benchmarks.harness import Factor, peer, report
from nbgraph.operator.backward import forward_backward

TARGETS = {10**6: 1.0, 10**7: 2.0}


@ng.op
def expression(x):
    return math.tanh(x) * math.exp(-x * x) + math.log1p(math.exp(x))


def composed(x: Any) -> Any:
    """The same of the library's operators."""
    return ng.tanh(x) * ng.exp(-x * x) + ng.log1p(ng.exp(x))


def roads(plain: np.ndarray) -> dict[str, Callable[[], object]]:
    """Ways to the value and the gradient, by name."""
    n = plain.size
    both, ones = forward_backward(expression), np.ones_like(plain)
    out = np.empty_like(plain), np.empty_like(plain)
    exe = composed(ng.var("x")).simple_bind(x=(n,))
    exe.copy_params_from({"x": ng.array(plain)})
    x, heads = ng.array(plain), ng.ones((n,))
    x.attach_grad()

    def graph() -> None:
        exe.forward_backward(heads)
        exe.outputs[0].wait_to_read()
        exe.grad_dict["x"].wait_to_read()

    def eager() -> None:
        with ng.autograd.record():
            value = expression(x)
        value.backward(heads)
        x.grad.wait_to_read()

    return {
        "one operator on NumPy arrays": lambda: both(ones, plain, out=out),
        "graph": graph,
        "recorded arrays": eager,
    }


def by_jax(plain: np.ndarray) -> Callable[[], object] | None:
    """The same by jax.jit, where it is installed."""
    jax = peer("jax")
    if jax is None:
        return None
    jnp = jax.numpy

    def value(x: Any) -> Any:
        return jnp.tanh(x) * jnp.exp(-x * x) + jnp.log1p(jnp.exp(x))

    def value_and_gradient(x: Any) -> Any:
        made, pull = jax.vjp(value, x)
        return made, pull(jnp.ones_like(x))[0]

    compiled, theirs = jax.jit(value_and_gradient), jnp.asarray(plain)
    return lambda: jax.block_until_ready(compiled(theirs))


def rows(n: int) -> list[Factor]:
    """How many times quicker each road is than jax.jit, and than the first road."""
    plain = np.random.default_rng(0).normal(0, 2, n).astype(np.float32)
    calls, theirs = roads(plain), by_jax(plain)
    first = next(iter(calls))
    if theirs is not None:
        calls["jax.jit"] = theirs
    best = quickest(calls, 1)
    against = "jax.jit" if theirs is not None else first
    return [
        Factor(
            f"expression, {n}, {name}, {best[name] / n * 1e9:.2f} ns each: {against}",
            best[against] / best[name],
            TARGETS[n] if name == "graph" and theirs is not None else 0.0,
        )
        for name in calls
        if name != against
    ]


def main() -> None:
    """Print all figures with their targets."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    report([row for n in TARGETS for row in rows(n)])


if __name__ == "__main__":
    main()
