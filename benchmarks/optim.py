"""The figures of optimizers: bandwidth of a large step, overhead of many small parameters.

    python -m benchmarks.optim

Where torch is installed its fused and foreach forms take turns with ours. Everything is compared
in CPU time of the whole process, workers included, so that neighbours on the machine count less;
of large steps the quickest of many turns is taken. torch's fused form takes turns in blocks, with
a rest before each, as its threads wait for the next call with a core each; there wall time is
printed, too.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

import nbgraph as ng
from benchmarks.arrays import cpu_times
from benchmarks.harness import Factor, Limit, peer, report

N = 10**7
SMALL = 100  # parameters of 64 x 64
TURNS = 12
REST, BLOCK = 0.15, 6  # seconds before a block, calls in it
STREAMS = {"SGD": 3, "Adam": 7, "LAMB": 12}  # arrays that a step reads or writes


def ours(name: str, params: dict[str, Any], **options: Any) -> Callable[[], object]:
    """A step, and the wait for it."""
    opt = getattr(ng.optim, name)(params, 1e-3, **options)
    grads = {key: ng.full(w.shape, 0.01, dtype="float32") for key, w in params.items()}

    def step() -> None:
        opt.step(grads)
        ng.waitall()

    return step


def theirs(torch: Any, shapes: list[tuple[int, ...]], **how: bool) -> Callable[[], object]:
    weights = [torch.zeros(shape, requires_grad=True) for shape in shapes]
    for w in weights:
        w.grad = torch.full_like(w, 0.01)
    return torch.optim.Adam(weights, **how).step


def quickest(calls: Mapping[str, Callable[[], object]]) -> dict[str, float]:
    """CPU seconds of the quickest of many turns, by name; the first one is not counted."""
    best = dict.fromkeys(calls, float("inf"))
    for turn in range(TURNS + 1):
        for name, call in calls.items():
            started = time.process_time()
            call()
            if turn:
                best[name] = min(best[name], time.process_time() - started)
    return best


def in_blocks(calls: Mapping[str, Callable[[], object]]) -> dict[str, tuple[float, float]]:
    """Wall and CPU seconds, the least of each."""
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in calls}
    for _ in range(TURNS):
        for name, call in calls.items():
            time.sleep(REST)
            call()
            for _ in range(BLOCK):
                wall, cpu = time.perf_counter(), time.process_time()
                call()
                found[name].append((time.perf_counter() - wall, time.process_time() - cpu))
    return {name: (min(w for w, _ in own), min(c for _, c in own)) for name, own in found.items()}


def large() -> list[Factor | Limit]:
    """Ten million float32 parameters in one array."""
    source, target = np.ones(N, np.float32), np.zeros(N, np.float32)
    x, y = ng.ones(N), ng.zeros(N)

    def copy() -> None:
        y[:] = x
        y.wait_to_read()

    calls: dict[str, Callable[[], object]] = {
        "NumPy copy": lambda: np.copyto(target, source),
        "copy": copy,
    }
    for name in STREAMS:
        calls[name] = ours(name, {"w": ng.zeros(N)})
    calls["Adam, norm clipped"] = ours("Adam", {"w": ng.zeros(N)}, clip_norm=1.0)
    torch = peer("torch")
    if torch is not None:
        torch.set_num_threads(2)
        calls["torch foreach"] = theirs(torch, [(N,)], foreach=True)
    taken = quickest(calls)
    bandwidth = 8 * N / min(taken["copy"], taken["NumPy copy"])
    rows: list[Factor | Limit] = [
        Factor(f"{name}: bandwidth of a copy", 4 * N * count / taken[name] / bandwidth, 0.8)
        for name, count in STREAMS.items()
    ]
    if torch is not None:
        rows.append(Factor("Adam: torch foreach", taken["torch foreach"] / taken["Adam"], 1.0))
        pair = in_blocks({"Adam": calls["Adam"], "fused": theirs(torch, [(N,)], fused=True)})
        for k, what in enumerate(("wall time", "CPU time")):
            factor = pair["fused"][k] / pair["Adam"][k]
            rows.append(Factor(f"Adam: torch fused, {what}", factor, 1.0))
    clipped = taken["Adam, norm clipped"] / taken["Adam"]
    return [*rows, Factor("Adam without clipping: with it", 1 / clipped, 0.5)]


def small() -> list[Factor | Limit]:
    """Many parameters, each of which is done in a microsecond."""
    shapes = [(64, 64)] * SMALL
    weights = [{str(i): ng.zeros(s) for i, s in enumerate(shapes)} for _ in range(2)]
    calls: dict[str, Callable[[], object]] = {
        "one push": ours("Adam", weights[0]),
        "single pushes": ours("Adam", weights[1], joint=False),
    }
    torch = peer("torch")
    if torch is not None:
        calls["torch fused"] = theirs(torch, shapes, fused=True)
    cpu_times(calls, 5)
    taken = cpu_times(calls, 50)
    rows: list[Factor | Limit] = [
        Factor("one push: single pushes", taken["single pushes"] / taken["one push"], 1.5)
    ]
    if torch is not None:
        rows.append(Factor("one push: torch fused", taken["torch fused"] / taken["one push"], 1.0))
    return rows


if __name__ == "__main__":
    report([*large(), *small()])
