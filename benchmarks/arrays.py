"""The figures of NDArrays and autograd: overhead of small operators, large ones on all cores.

    python -m benchmarks.arrays

Small operators are compared in CPU time of the whole process, engine workers included. Large ones
use all cores, ours and the peers' alike, so they are compared in wall time: the quickest of many
turns, which ours and theirs take in alternation, several calls at a time. They mean something only
on a machine whose cores are idle and awake; `load` in the first line says how busy they were.
"""

from __future__ import annotations

import math
import os
import statistics
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

import nbgraph as ng
from benchmarks.harness import Factor, Limit, peer, report
from nbgraph.operator import parallel
from nbgraph.operator.layout import layout_of
from nbgraph.operator.scalar.map_call import map_call
from nbgraph.shape import address

N = 10**6
TURNS = 25
BURST = 8  # calls in a row: threads of other libraries spin for a while after their work


@ng.op
def smooth_l1(x, *, sigma=1.0):
    s2 = sigma * sigma
    if x > 1 / s2:
        return x - 0.5 / s2
    if x < -1 / s2:
        return -x - 0.5 / s2
    return 0.5 * s2 * x * x


@ng.op
def tangle(x):
    return math.tanh(x) * math.exp(-x)


@ng.op
def mixed(x, y):
    return x * y + x


def cpu_time(call: Callable[[], object], repeats: int) -> float:
    """CPU seconds of the process per call: the median of nine runs."""
    return cpu_times({"": call}, repeats)[""]


def cpu_times(calls: Mapping[str, Callable[[], object]], repeats: int) -> dict[str, float]:
    """The same by name; the calls take turns."""
    samples: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(9):
        for name, call in calls.items():
            started = time.process_time()
            for _ in range(repeats):
                call()
            samples[name].append((time.process_time() - started) / repeats)
    return {name: statistics.median(taken) for name, taken in samples.items()}


def wall_times(calls: Mapping[str, Callable[[], object]]) -> dict[str, float]:
    """Seconds of the quickest of many turns, by name."""
    best = dict.fromkeys(calls, float("inf"))
    for call in calls.values():
        for _ in range(3):
            call()
    for _ in range(TURNS):
        for name, call in calls.items():
            for _ in range(BURST):
                started = time.perf_counter()
                call()
                best[name] = min(best[name], time.perf_counter() - started)
    return best


def small() -> list[Factor | Limit]:
    """Operators of 16 elements: what a push costs."""
    plain = np.ones(16, np.float32), np.full(16, 2, np.float32)
    a, b = map(ng.array, plain)
    calls: dict[str, Callable[[], object]] = {
        "np.add": lambda: np.add(*plain),
        "a + b": lambda: a + b,
        "a * 2.0": lambda: a * 2.0,
        "mixed(a, b)": lambda: mixed(a, b),
    }
    torch = peer("torch")
    if torch is not None:
        torch.set_num_threads(2)
        c, d = map(torch.from_numpy, plain)
        calls["torch"] = lambda: c + d
    cpu_times(calls, 100)  # routes are learnt
    taken = cpu_times(calls, 20_000)
    rows: list[Factor | Limit] = [
        Factor(f"{name}, 16 elements: np.add", taken["np.add"] / taken[name], 1 / 3)
        for name in ("a + b", "a * 2.0", "mixed(a, b)")
    ]
    if torch is not None:
        rows.append(Factor("a + b, 16 elements: torch", taken["torch"] / taken["a + b"], 1.0))
    a.attach_grad()
    chain = 50

    def forward() -> Any:
        x = a
        for _ in range(chain):
            x = x * b
        return x

    def recorded() -> Any:
        with ng.autograd.record():
            return forward()

    def trained() -> None:
        recorded().backward()

    alone, taped, both = (cpu_time(f, 100) / chain for f in (forward, recorded, trained))
    rows.append(Limit("recording an operator, beyond running it", taped - alone, 4e-6))
    rows.append(Limit("its backward pass", both - taped, 15e-6))
    return rows


def large() -> list[Factor | Limit]:
    """Arrays of a million elements on all cores."""
    rng = np.random.default_rng(0)
    plain = [rng.normal(size=N).astype(np.float32) for _ in range(4)]
    data, label, w_in, w_out = map(ng.array, plain)
    data.attach_grad()
    chains: dict[str, Callable[[], object]] = {"": _chain(data.detach(), label)}
    chains["NumPy"] = _plain_chain(plain[0], plain[1])
    losses: dict[str, Callable[[], object]] = {}

    def step() -> None:
        with ng.autograd.record():
            loss = ng.sum(w_out * smooth_l1(w_in * (data - label)))
        loss.backward()
        data.grad.wait_to_read()

    losses[""] = step
    torch = peer("torch")
    if torch is not None:
        torch.set_num_threads(2)
        theirs = [torch.from_numpy(x.copy()) for x in plain]
        chains["torch"] = _plain_chain(theirs[0], theirs[1])
        losses["torch"] = _torch_step(torch, *theirs)
    rows: list[Factor | Limit] = []
    best = wall_times(chains)
    least = {"NumPy": 1.2, "torch": 1.0}
    rows += [
        Factor(f"chain of 20 sums of 10^6: {name}", best[name] / best[""], least[name])
        for name in best
        if name
    ]
    for _ in range(10):
        step()
    before = ng.storage.stats()
    best = wall_times(losses)
    after = ng.storage.stats()
    rows += [
        Factor(f"box loss, forward and backward, 10^6: {name}", best[name] / best[""], 1.5)
        for name in best
        if name
    ]
    rows.append(Limit("box loss, forward and backward, 10^6", best[""], 1.0))
    hits = (after.hits - before.hits) / (after.takes - before.takes)
    rows.append(Factor("blocks found again in the loop", hits, 0.99))
    return rows


def _chain(x: Any, y: Any) -> Callable[[], object]:
    def run() -> None:
        z = x
        for _ in range(20):
            z = z + y
        z.wait_to_read()

    return run


def _plain_chain(x: Any, y: Any) -> Callable[[], object]:
    def run() -> None:
        z = x
        for _ in range(20):
            z = z + y

    return run


def _torch_step(torch: Any, data: Any, label: Any, w_in: Any, w_out: Any) -> Callable[[], object]:
    data.requires_grad_()
    zeros = torch.zeros_like(label)
    loss_of = torch.nn.functional.smooth_l1_loss

    def run() -> None:
        data.grad = None
        loss = (w_out * loss_of(w_in * (data - label), zeros, reduction="none")).sum()
        loss.backward()

    return run


def numpy_calls() -> list[Factor | Limit]:
    """A large call on NumPy arrays: the workers against one thread."""
    x = np.random.default_rng(1).normal(size=10**7).astype(np.float32)
    out = np.empty_like(x)
    alone = ng.op(smooth_l1.__wrapped__)
    grain, parallel.GRAIN = parallel.GRAIN, 1 << 62
    for _ in range(4):
        alone(x, out=out)  # its short path is set up without a bound
    parallel.GRAIN = grain
    best = wall_times({"": lambda: smooth_l1(x, out=out), "one": lambda: alone(x, out=out)})
    rows: list[Factor | Limit] = [
        Factor("smooth_l1 of 10^7 NumPy elements: one thread", best["one"] / best[""], 1.5)
    ]
    # what two threads can reach at all: this kernel moves memory as fast as one of them copies it
    half, code, words = x.size // 2, *_prepared(x, out)
    with ThreadPoolExecutor(1) as other:

        def bare() -> None:
            done = other.submit(code.run, words, 0, half)
            code.run(words, half, x.size)
            done.result()

        best = wall_times({"": bare, "one": lambda: code.run(words, 0, x.size)})
    rows.append(Factor("the same, two bare threads on halves", best["one"] / best[""], 1.0))
    y = x[: 10**6]
    target = np.empty_like(y)
    parallel.GRAIN = 1 << 62
    slow = ng.op(tangle.__wrapped__)
    for _ in range(4):
        slow(y, out=target)
    parallel.GRAIN = grain
    best = wall_times({"": lambda: tangle(y, out=target), "one": lambda: slow(y, out=target)})
    rows.append(Factor("tanh(x) * exp(-x) of 10^6: one thread", best["one"] / best[""], 1.5))
    return rows


def _prepared(x: Any, out: Any) -> tuple[Any, Any]:
    invoker = smooth_l1.invoker
    arrays, plan = invoker.prepare([x], {"sigma": 1.0})
    layouts = [layout_of(a) for a in arrays]
    call = map_call(plan, out.shape, layouts, [layout_of(out)], ["write"])
    return call.code, np.array(call.block([address(a) for a in (*arrays, out)]), np.int64)


def rows() -> list[Factor | Limit]:
    """Everything."""
    print(f"load {os.getloadavg()[0]:.2f}")
    ng.engine.set("threaded")  # its core is there from here on
    return [*small(), *large(), *numpy_calls()]


if __name__ == "__main__":
    raise SystemExit(report(rows()))
