"""The figures of bound graphs: fused loss and gradient, chains, tiny operators, binding, memory.

    python -m benchmarks.graphs

The process is pinned to one core, ours and the peers' alike, so that all have one thread; a peer
may be missing. A call includes the wait for its results. Seconds are wall time, the quickest of
many turns that all callables take in alternation.
"""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

import nbgraph as ng
from benchmarks.harness import Factor, Limit, peer, report
from nbgraph.executor import Options

TURNS = 15
BOX = ("data", "label", "w_in", "w_out")


@ng.op
def smooth_l1(x, *, sigma=1.0):
    s2 = sigma * sigma
    if x > 1 / s2:
        return x - 0.5 / s2
    if x < -1 / s2:
        return -x - 0.5 / s2
    return 0.5 * s2 * x * x


def quickest(
    calls: Mapping[str, Callable[[], object]],
    burst: int,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, float]:
    """Seconds of one call, by name: the best of many turns of `burst` calls."""
    best = dict.fromkeys(calls, float("inf"))
    for call in calls.values():
        for _ in range(3):
            call()
    gc.disable()
    for _ in range(TURNS):
        for name, call in calls.items():
            started = clock()
            for _ in range(burst):
                call()
            best[name] = min(best[name], (clock() - started) / burst)
    gc.enable()
    return best


# the box loss -----------------------------------------------------------------------------------


def box_loss(n: int) -> list[Factor]:
    """Value and gradient with respect to `data`, bound, against a loop by hand and the peers."""
    rng = np.random.default_rng(0)
    plain = [rng.normal(size=n).astype(np.float32) for _ in BOX]
    symbols = [ng.var(name) for name in BOX]
    data, label, w_in, w_out = symbols
    loss = ng.sum(w_out * smooth_l1(w_in * (data - label)))
    requests = dict.fromkeys(BOX, "null") | {"data": "write"}
    exe = loss.simple_bind(grad_req=requests, **dict.fromkeys(BOX, (n,)))
    exe.copy_params_from(dict(zip(BOX, map(ng.array, plain), strict=True)))

    def ours() -> None:
        exe.forward_backward()
        exe.outputs[0].wait_to_read()

    calls: dict[str, Callable[[], object]] = {"": ours, "njit loop": _by_hand(plain)}
    calls |= _peers(plain)
    best = quickest(calls, max(1, 10**6 // n))
    targets = {
        10**3: {"jax.jit": 10.0},
        10**6: {"njit loop": 0.95, "jax.jit": 2.0, "torch.compile": 2.0, "torch eager": 5.0},
        10**7: {"njit loop": 0.9, "jax.jit": 4.0, "torch.compile": 4.0},
    }[n]
    return [
        Factor(
            f"box loss and gradient, {n} elements, {best[''] / n * 1e9:.2f} ns each: {name}",
            best[name] / best[""],
            targets.get(name, 0.0),
        )
        for name in calls
        if name
    ]


def _by_hand(plain: list[np.ndarray]) -> Callable[[], object]:
    import numba

    @numba.njit(error_model="numpy")
    def loop(data, label, w_in, w_out, out):
        total = 0.0
        for start in range(0, data.size, 1024):
            block = np.float32(0)
            stop = min(start + 1024, data.size)
            block = part(
                data[start:stop],
                label[start:stop],
                w_in[start:stop],
                w_out[start:stop],
                out[start:stop],
            )
            total += block
        return total

    @numba.njit(error_model="numpy", fastmath={"reassoc"})
    def part(data, label, w_in, w_out, out):
        one, half = np.float32(1), np.float32(0.5)
        block = np.float32(0)
        for i in range(data.size):
            x = w_in[i] * (data[i] - label[i])
            if x > one:
                value, slope = x - half, one
            elif x < -one:
                value, slope = -x - half, -one
            else:
                value, slope = half * x * x, x
            block += w_out[i] * value
            out[i] = w_out[i] * slope * w_in[i]
        return block

    out = np.empty_like(plain[0])
    return lambda: loop(*plain, out)


def _peers(plain: list[np.ndarray]) -> dict[str, Callable[[], object]]:
    found: dict[str, Callable[[], object]] = {}
    jax = peer("jax")
    if jax is not None:
        jnp = jax.numpy

        def value(data: Any, label: Any, w_in: Any, w_out: Any) -> Any:
            x = w_in * (data - label)
            return (w_out * jnp.where(jnp.abs(x) > 1, jnp.abs(x) - 0.5, 0.5 * x * x)).sum()

        both = jax.jit(jax.value_and_grad(value))
        theirs = [jnp.asarray(a) for a in plain]
        found["jax.jit"] = lambda: jax.block_until_ready(both(*theirs))
    torch = peer("torch")
    if torch is not None:
        torch.set_num_threads(1)
        tensors = [torch.from_numpy(a.copy()) for a in plain]
        tensors[0].requires_grad_(True)

        def loss(data: Any, label: Any, w_in: Any, w_out: Any) -> Any:
            x = w_in * (data - label)
            return (
                w_out * torch.nn.functional.smooth_l1_loss(x, torch.zeros_like(x), reduction="none")
            ).sum()

        def step(f: Any) -> Callable[[], object]:
            def run() -> None:
                tensors[0].grad = None
                f(*tensors).backward()

            return run

        found["torch eager"] = step(loss)
        try:
            compiled = step(torch.compile(loss))
            compiled()
            found["torch.compile"] = compiled
        except Exception:  # no C++ compiler there
            pass
    return found


# chains -----------------------------------------------------------------------------------------


def chain(n: int = 10**6, length: int = 20) -> list[Factor]:
    """A chain of mappers, forward and backward."""
    rng = np.random.default_rng(0)
    plain = rng.normal(size=n).astype(np.float32)
    x = ng.var("x")
    y = x
    for k in range(length // 2):
        y = ng.tanh(y) * (1.0 + k / 64)
    exe = ng.sum(y).simple_bind(x=(n,))
    exe.copy_params_from({"x": ng.array(plain)})

    def ours() -> None:
        exe.forward_backward()
        exe.outputs[0].wait_to_read()

    def numpy_chain() -> Any:
        value, kept = plain, []
        for k in range(length // 2):
            value = np.tanh(value)
            kept.append(value)
            value = value * np.float32(1.0 + k / 64)
        gradient = np.ones_like(value)
        for k in reversed(range(length // 2)):
            gradient = gradient * np.float32(1.0 + k / 64)
            gradient = gradient * (1 - kept[k] * kept[k])
        return value.sum(), gradient

    calls: dict[str, Callable[[], object]] = {"": ours, "NumPy": numpy_chain}
    jax = peer("jax")
    if jax is not None:

        def value(z: Any) -> Any:
            for k in range(length // 2):
                z = jax.numpy.tanh(z) * (1.0 + k / 64)
            return z.sum()

        both = jax.jit(jax.value_and_grad(value))
        theirs = jax.numpy.asarray(plain)
        calls["jax.jit"] = lambda: jax.block_until_ready(both(theirs))
    best = quickest(calls, 2)
    targets = {"NumPy": 3.0, "jax.jit": 1.2}
    return [
        Factor(
            f"chain of {length} forward and backward, 10^6, {best[''] * 1e3:.2f} ms: {name}",
            best[name] / best[""],
            targets[name],
        )
        for name in calls
        if name
    ]


def composed(n: int = 10**6) -> list[Factor]:
    """MXP-09: softplus of six operators, fused, against each by itself and against one operator."""
    x = ng.var("x", shape=(n,))
    parts = ng.maximum(x, 0.0) + ng.log(1.0 + ng.exp(-ng.absolute(x)))
    ways = {
        "": parts.simple_bind(grad_req="null"),
        "each operator by itself": parts.simple_bind(grad_req="null", options=Options(fuse=False)),
        "one operator (softplus)": ng.softplus(x).simple_bind(grad_req="null"),
    }

    def run(exe: Any) -> Callable[[], object]:
        def call() -> None:
            exe.forward()
            exe.outputs[0].wait_to_read()

        return call

    best = quickest({name: run(exe) for name, exe in ways.items()}, 4)
    return [
        Factor(
            f"softplus composed and fused, 10^6, {best[''] * 1e3:.2f} ms: {name}",
            best[name] / best[""],
            0.0,
        )
        for name in ways
        if name
    ]


def tiny(count: int = 1000) -> list[Limit]:
    """A run of a graph of tiny operators without fusion; binding; a graph that is built again."""
    options = Options(fuse=False)
    rows: list[Limit] = []
    for nodes, chosen, most in ((100, Options(), 50e-3), (count, options, 0.5)):
        _first_run(_tiny_graph(nodes, "warm"), chosen)  # its kernels are there, but not its plan
        seconds = _first_run(_tiny_graph(nodes), chosen)
        rows.append(Limit(f"binding {nodes} nodes, to the first result", seconds, most))
    exe = _tiny_graph(count).simple_bind(options=options)

    def run() -> None:
        exe.forward()
        exe.outputs[0].wait_to_read()

    best = quickest({"": run}, 200)
    return [
        Limit(f"{count} operators of 16 elements, fusion off", best[""], 30e-6),
        *rows,
        Limit(
            "a graph of 100 nodes that was seen before, built and found again", _rebuild(), 1.5e-3
        ),
    ]


def _tiny_graph(count: int, name: str = "x") -> Any:
    y = x = ng.var(name, shape=(16,))
    for k in range(count):
        y = y + x if k % 2 else y * 0.5
    return y


def _first_run(symbol: Any, options: Options) -> float:
    started = time.perf_counter()
    exe = symbol.simple_bind(options=options)
    exe.forward()
    exe.outputs[0].wait_to_read()
    return time.perf_counter() - started


def _rebuild() -> float:
    """An expression graph of a hundred operators, as it is built anew for every batch."""
    graph = ng.ExpressionGraph()
    values = np.ones(16, np.float32)

    def build() -> None:
        graph.clear()
        x = graph.param("p", (16,), values)
        y = x
        for k in range(98):
            y = y + x if k % 2 else y * 0.5
        ng.sum(y)

    def batch() -> None:
        build()
        graph.forward()

    best = quickest({"build": build, "batch": batch}, 5)
    return best["batch"]


# memory -----------------------------------------------------------------------------------------


def memory(n: int = 4 * 10**6, length: int = 64) -> list[Limit]:
    """Peak memory above the inputs, in arrays of n, of a chain forward and backward."""
    x = ng.var("x", shape=(n,))
    y = x
    for k in range(length // 2):
        y = ng.tanh(y) * (1.0 + k / 64)
    loss = ng.sum(y)
    rows: list[Limit] = []
    for name, options, most in (
        ("joint fusion", Options(), 1.5),
        ("fusion off", Options(fuse=False), 34.1),  # 34 arrays and the gaps between them
        ("fusion off, recomputing", Options(fuse=False, recompute="sqrt"), 15),
    ):
        gc.collect()
        seconds = _first_pass(exe := loss.simple_bind(options=options))
        (program,) = exe.memory().programs
        held = (program.planned + 4 * n) / (4 * n)  # with the gradient
        rows.append(Limit(f"arrays that a chain of {length} needs, {name}", held, most))
        if not rows[1:]:
            rows.append(Limit("its first run", seconds, 3.0))
        del exe
    return rows


def _first_pass(exe: Any) -> float:
    started = time.perf_counter()
    exe.forward_backward()
    exe.outputs[0].wait_to_read()
    return time.perf_counter() - started


def main() -> None:
    """Print all figures with their targets."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    rows: list[Any] = [*box_loss(10**3), *box_loss(10**6), *box_loss(10**7)]
    rows += [*chain(), *composed(), *tiny(), *memory()]
    report(rows)


if __name__ == "__main__":
    main()
