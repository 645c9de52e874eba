"""The figures of stores: one process against the optimizer alone, two against Dask's own actors.

    python -m benchmarks.kvstore

Wall time, as messages wait for other processes; medians of turns that alternate. On a busy machine
the figures of two processes say little.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

import nbgraph as ng
from benchmarks.harness import Factor, report
from benchmarks.training import MOMENTUM, RATE, Task, function, loss
from benchmarks.training import arrays as task_arrays

LENET = {
    "c1": (20, 1, 5, 5),
    "b1": (20,),
    "c2": (50, 20, 5, 5),
    "b2": (50,),
    "f1": (500, 800),
    "d1": (500,),
    "f2": (10, 500),
    "d2": (10,),
}
TURNS = 9


def medians(calls: Mapping[str, Callable[[], object]], turns: int = TURNS) -> dict[str, float]:
    """Median seconds of calls that take turns; the first turn is not counted."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(turns + 1):
        for name, call in calls.items():
            started = time.perf_counter()
            call()
            times[name].append(time.perf_counter() - started)
    return {name: statistics.median(found[1:]) for name, found in times.items()}


def arrays(seed: int) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    return {k: ng.array(rng.normal(size=s).astype("float32")) for k, s in LENET.items()}


def local() -> list[Factor]:
    """A store of one process: the sum, the step and the copy to the weights."""
    weights, grads = arrays(0), arrays(1)
    alone = ng.optim.SGD(arrays(0), lr=0.01)
    kv = ng.kv.create("local")
    kv.init([*weights], [*weights.values()])
    kv.set_optimizer(ng.optim.SGD(lr=0.01))

    def step() -> None:
        alone.step(grads)
        ng.waitall()

    def push() -> None:
        kv.push([*grads], [*grads.values()])
        ng.waitall()

    def both() -> None:
        kv.pushpull([*grads], [*grads.values()], [*weights.values()])
        ng.waitall()

    own = arrays(0)
    trainer = ng.optim.Trainer(own, ng.optim.SGD(lr=0.01), "local")

    def kept() -> None:
        trainer.kvstore.pushpull([*grads], [*grads.values()], [*own.values()])
        ng.waitall()

    def trained() -> None:
        trainer.step(grads)
        ng.waitall()

    calls = {"push": push, "kept": kept, "trained": trained, "both": both}
    found = medians({"step": step, **calls}, 200)
    names = {
        "push": ("push with SGD", 1 / 1.1),
        "kept": ("push, SGD and pull of the arrays that it keeps", 1 / 1.1),
        "trained": ("a step of Trainer", 1 / 1.1),
        "both": ("push, SGD and pull to other arrays", 1 / 1.7),
    }
    return [
        Factor(f"LeNet: SGD alone over {text}", found["step"] / found[name], target)
        for name, (text, target) in names.items()
    ]


class Echo:
    """A bare actor: what Dask itself takes for a message there and back."""

    def back(self, data: Any) -> Any:
        """Return what came."""
        return data


def remote(rank: int, size: int, echo: Any) -> dict[str, float]:
    """Seconds of a worker's calls; both workers do the same."""
    kv = ng.kv.create("dist_sync")
    large = ng.zeros(size // 4)
    small = {f"k{k}": ng.zeros(256) for k in range(100)}
    kv.init(["large", "one", *small], [large, ng.zeros(256), *small.values()])
    data = np.zeros(size, np.uint8)

    def exchange(keys: Any, values: Any) -> Callable[[], object]:
        def call() -> None:
            kv.pushpull(keys, values)
            ng.waitall()

        return call

    calls = {
        "large": exchange("large", large),
        "echo": lambda: echo.back(data).result(),
        "one": exchange("one", ng.zeros(256)),
        "hundred": exchange([*small], [*small.values()]),
    }
    return medians(calls)


def pinned(cores: set[int]) -> None:
    """Let all threads of this process run on these cores alone."""
    for thread in Path("/proc/self/task").iterdir():
        os.sched_setaffinity(int(thread.name), cores)


def training(rank: int, batch: int, turns: int = TURNS, steps: int = 5) -> float:
    """Images a second of two workers of one core each over those of one process with both.

    Both take the same steps: of the mean gradient of twice as many images as `batch`.
    """
    cores = os.sched_getaffinity(0)
    task, double = Task("lenet", "sgd", batch), Task("lenet", "sgd", 2 * batch)
    params, x, label = task_arrays(task, None)
    kv = ng.kv.create("dist_sync")
    trainer = ng.optim.Trainer(params, ng.optim.SGD(lr=RATE, momentum=MOMENTUM), kv)
    slopes = ng.jit(ng.value_and_grad(lambda w, x, label: loss("lenet", w, x, label)))
    alone = function(double)

    def together() -> None:
        for _ in range(steps):
            trainer.step(slopes(params, x, label)[1], batch_size=kv.num_workers)
        ng.waitall()

    ratios = []
    for _ in range(turns + 1):
        kv.barrier()
        pinned({sorted(cores)[rank % len(cores)]})
        started = time.perf_counter()
        together()
        kv.barrier()
        spent = time.perf_counter() - started
        pinned(cores)
        if rank == 0:
            started = time.perf_counter()
            for _ in range(steps):
                alone()
            ratios.append((time.perf_counter() - started) / spent)
        kv.barrier()
    return statistics.median(ratios[1:]) if ratios else 0.0


def cluster(size: int = 100 << 20) -> list[Factor]:
    """Two workers on this machine."""
    with ng.kv.cluster(workers=2) as c:
        echo = c.client.submit(Echo, actor=True)
        found = c.run(remote, size, echo)[0]
        images = {batch: c.run(training, batch)[0] for batch in (64, 256)}
    both = found["echo"] / found["large"]
    return [
        Factor(f"{size >> 20} MB: bare actor over push and pull of two workers", both, 0.7),
        Factor("one key of 1 KB over 100 keys", found["one"] / found["hundred"], 1 / 3),
        *(
            Factor(f"LeNet, {batch} images a worker: two workers over one process", ratio, 0.9)
            for batch, ratio in images.items()
        ),
    ]


if __name__ == "__main__":
    print(f"load average {os.getloadavg()[0]:.1f}")
    raise SystemExit(report([*local(), *cluster()]))
