"""Single calls of small compiled functions, by how arguments are passed, against jax.jit.

    python -m benchmarks.calls

Arrays have 16 numbers. Seconds are CPU time of a call whose results are waited for, the best of
many turns in alternation; the process is pinned to one core. Where numbers are drawn, jax's
function splits its key.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

import nbgraph as ng
from benchmarks.graphs import quickest
from benchmarks.harness import Factor, peer, report
from benchmarks.programs import leaves

RNG = np.random.default_rng(0)


class _Model:
    """An object with a method that is traced."""

    def __init__(self, np: Any) -> None:
        self.np, self.scale = np, 2.0

    def step(self, x: Any) -> Any:
        """A map."""
        return self.np.tanh(x) * self.scale


def _calls(t: SimpleNamespace, jit: Any, array: Callable[..., Any]) -> dict[str, Any]:
    """Calls of small functions, most by how arguments are passed, in either library."""
    np = t.np
    x, number = np.tanh, RNG.normal(size=16)
    a, b = array(number), array(number + 1)
    one, two = jit(lambda v: x(v) * 2), jit(lambda v, w: x(v) * w)
    state = {"x": a, "v": b}
    moved = jit(lambda s: {"x": s["x"] + 0.1 * s["v"], "v": s["v"]})
    slopes = jit(lambda s: {"x": x(s[0]), "v": s[1] * 2})
    method, constant = jit(_Model(np).step), jit(lambda v: x(v) * number)
    first, order = jit(lambda v: t.topk(v, 5)[0]), jit(np.argsort)
    places = array(RNG.permutation(16))
    return {
        "one array": lambda: one(a),
        "an array twice": lambda: two(a, a),
        "a keyword": lambda: two(a, w=b),
        "a number": lambda: two(a, 2.0),
        "a dict": lambda: moved(state),
        "a list": lambda: slopes([a, b]),
        "a NumPy array": lambda: one(number),
        "two NumPy arrays": lambda: two(number, number),
        "a method": lambda: method(a),
        "a NumPy array as constant": lambda: constant(a),
        "the first five of 16": lambda: first(a),
        "the order of a permutation": lambda: order(places),
        "normal noise": lambda: t.noise(a),
        "dropout": lambda: t.dropout(a),
    }


def rows() -> list[Factor]:
    """How many times quicker calls are than by jax.jit."""
    jax = peer("jax")
    if jax is None:
        return []
    jax.config.update("jax_enable_x64", True)
    random = jax.random
    own = SimpleNamespace(np=ng, topk=ng.topk)
    other = SimpleNamespace(np=jax.numpy, topk=jax.lax.top_k)
    own.noise = ng.jit(lambda x: x + ng.random.normal(size=16, dtype="float64"))
    own.dropout = ng.jit(lambda x: ng.dropout(x, 0.5))
    other.noise = _keyed(jax, lambda key, x: x + random.normal(key, (16,)))
    kept = lambda key: random.bernoulli(key, 0.5, (16,))
    other.dropout = _keyed(jax, lambda key, x: jax.numpy.where(kept(key), x * 2, 0))
    with ng.autograd.train_mode():
        return _timed(_calls(own, ng.jit, ng.array), _calls(other, jax.jit, jax.numpy.asarray), jax)


def _keyed(jax: Any, f: Callable[..., Any]) -> Callable[..., Any]:
    """A function that draws, compiled with the split of its key."""
    keys = [jax.random.key(0)]

    def drawn(key: Any, x: Any) -> Any:
        after, now = jax.random.split(key)
        return after, f(now, x)

    compiled = jax.jit(drawn)

    def call(x: Any) -> Any:
        keys[0], result = compiled(keys[0], x)
        return result

    return call


def _timed(ours: dict[str, Any], theirs: dict[str, Any], jax: Any) -> list[Factor]:
    results: list[Factor] = []
    for name, call in ours.items():

        def run(call: Any = call) -> None:
            for x in leaves(call()):
                x.wait_to_read()

        def run_theirs(call: Any = theirs[name]) -> None:
            jax.block_until_ready(call())

        best = quickest({"": run, "jax.jit": run_theirs}, 1000, time.process_time)
        label = f"call with {name} ({best[''] * 1e6:.1f} us) / jax.jit"
        results.append(Factor(label, best["jax.jit"] / best[""], 1.0))
    return results


if __name__ == "__main__":
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    raise SystemExit(report(rows()))
