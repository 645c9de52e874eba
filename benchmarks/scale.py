"""What a step takes on many machines: a model, checked here, and where the design breaks.

    python -m benchmarks.scale          # the model's table to 1,024 workers, with default costs
    python -m benchmarks.scale check    # costs measured here; 3 processes and a slow wire predicted

Layers of the check compute by waiting, so that ratios are those of the schedule, not of the cores
that processes share. The slow wire joins two network namespaces and takes root (`network.py`).
"""

from __future__ import annotations

import math
import os
import statistics
import sys
import time
from dataclasses import dataclass, replace
from typing import Any

import nbgraph as ng
from benchmarks.harness import Factor, report
from benchmarks.network import Refused, wire

RATE = 200e6 / 8  # bytes a second of the slow wire
SLICE = 1 << 20  # bytes; the least that is worth a message of its own


@dataclass(frozen=True)
class Costs:
    """What messages and bytes take on one host, in seconds."""

    message: float = 1e-3  # of a push with its answer, on either side
    kept: float = 4e-10  # a byte of the store: summed, updated and copied out
    sent: float = 6e-10  # a byte that goes through Dask and the socket
    cores: int = 0  # that all processes share; 0: each worker has a machine of its own


@dataclass(frozen=True)
class Job:
    """Layers of one size, and the network between the workers."""

    layers: int = 20
    nbytes: float = 5e6  # of a layer
    compute: float = 0.5  # seconds of a step
    rate: float = 1.25e9  # bytes a second, each way
    latency: float = 1e-4  # seconds
    spread: float = 0.03  # standard deviation of the time that workers compute, of its mean
    local: int = 1  # workers of a machine, whose gradients are added before they are sent
    whole: bool = False  # whether slices are at least 1 MiB, so on some shards only
    tree: bool = False  # whether shards add up in a tree


def exchange(job: Job, costs: Costs, workers: int) -> dict[str, float]:
    """Seconds of a step's pushes and pulls, by what bounds them."""
    hosts = max(1, math.ceil(workers / job.local))
    others = hosts - 1
    total = job.layers * job.nbytes
    if job.whole:  # the shard with most slices serves each of them to all others
        slices = max(1, int(job.nbytes // SLICE))
        busiest = math.ceil(job.layers * slices / hosts)
        served, asked = busiest * others, job.layers * slices
        share = served * job.nbytes / slices
    else:
        served = asked = job.layers * others
        share = total * others / hosts
    depth = 1.0
    if job.tree and hosts > 2:  # sums of sqrt(hosts) on the way up, values on the way down
        arity = math.ceil(math.sqrt(hosts))
        depth, smaller = 2.0, min(1.0, 2 * arity / hosts)
        served, share = served * smaller, share * smaller
    busy = (served + asked) * costs.message + 2 * share * costs.sent + total * costs.kept
    if costs.cores:
        busy *= max(1.0, hosts / costs.cores)
    return {
        "wire": (share + total * others / hosts) / job.rate if hosts > 1 else 0.0,
        "hosts": busy,
        "latency": 2 * depth * job.latency * (hosts > 1),
    }


def step(job: Job, costs: Costs, workers: int, *, overlapped: bool = True) -> float:
    """Seconds of a step: who computes longest, and what of the exchange does not hide behind it."""
    slowest = job.compute * (1 + job.spread * math.sqrt(2 * math.log(workers)))
    parts = exchange(job, costs, workers)
    moved = max(parts["wire"], parts["hosts"]) + parts["latency"]
    if not overlapped:
        return slowest + moved
    return max(slowest, moved) + moved / job.layers  # the first layer has nothing to hide behind


DESIGNS = {
    "as it is": {},
    "slices >= 1 MiB": {"whole": True},
    "8 of a machine first": {"whole": True, "local": 8},
    "and a tree": {"whole": True, "local": 8, "tree": True},
}


def table(job: Job, costs: Costs) -> None:
    """Print efficiencies, and what bounds the design as it is."""
    mb = job.layers * job.nbytes / 1e6
    print(f"{mb:.0f} MB in {job.layers} layers, {job.compute:g} s to compute, ", end="")
    print(f"{job.rate * 8 / 1e9:g} Gbit/s, {costs.message * 1e3:.2f} ms a message")
    print(f"{'workers':>8} {'bound by':>9}", *(f"{name:>21}" for name in DESIGNS))
    for power in range(11):
        workers = 1 << power
        parts = exchange(job, costs, workers)
        bound = max(parts, key=parts.__getitem__)
        bound = bound if parts[bound] > job.compute else "compute"
        made = (step(replace(job, **options), costs, workers) for options in DESIGNS.values())
        print(f"{workers:>8} {bound:>9}", *(f"{job.compute / each:>21.0%}" for each in made))


# the check ----------------------------------------------------------------------------------------


def stepped(rank: int, job: Job, modes: Any, turns: int) -> dict[str, float]:
    """Median seconds of a step of each mode ("serial", "overlapped", "moved"); modes take turns."""
    kv = ng.kv.create("dist_sync")
    layers, size = range(job.layers), int(job.nbytes) // 4
    weights, gradients = ([ng.zeros(size) for _ in layers] for _ in range(2))
    kv.init([*layers], weights)
    chain = ng.engine.new_variable("layer after layer")
    pause = job.compute / job.layers / 2

    def layer(reads: Any, writes: Any) -> None:
        ng.engine.push(
            lambda run_ctx: time.sleep(pause), const_vars=reads, mutate_vars=[chain, *writes]
        )

    def once(mode: str) -> None:
        for k in layers:
            if mode != "moved":
                layer([weights[k].variable], [])
        for k in reversed(layers):
            if mode != "moved":
                layer([], [gradients[k].variable])
            if mode == "overlapped":
                kv.pushpull(k, gradients[k], weights[k], priority=-k)
        if mode != "overlapped":
            ng.waitall()
            for k in reversed(layers):
                kv.pushpull(k, gradients[k], weights[k])
            ng.waitall()

    times: dict[str, list[float]] = {mode: [] for mode in modes}
    steps = 3  # one after another, as overlapped ones go on while the last layers come
    for _ in range(turns + 1):
        for mode, found in times.items():
            kv.barrier()
            started = time.perf_counter()
            for _ in range(steps):
                once(mode)
            ng.waitall()
            found.append((time.perf_counter() - started) / steps)
    return {mode: statistics.median(found[1:]) for mode, found in times.items()}


def processes(workers: int, job: Job, turns: int = 7) -> float:
    """Seconds that a step's exchange takes on so many processes of this machine."""
    with ng.kv.cluster(workers=workers) as c:
        return max(each["moved"] for each in c.run(stepped, job, ["moved"], turns))


def measured(small: Job, large: Job) -> tuple[Costs, dict[str, tuple[float, float]]]:
    """Costs from 1 and 2 processes, and of 3 what the model says beside what it is."""
    cores = os.cpu_count() or 1
    alone, pair = processes(1, large), [processes(2, job) for job in (small, large)]
    message = pair[0] / (2 * small.layers)
    kept = alone / (large.layers * large.nbytes)
    rest = pair[1] - 2 * large.layers * message - large.layers * large.nbytes * kept
    costs = Costs(message, kept, max(0.0, rest / (large.layers * large.nbytes)), cores)
    found = {}
    for name, job in ("small", small), ("large", large):
        local = replace(job, compute=0.0, rate=math.inf, latency=0.0, spread=0.0)
        found[f"3 processes, {name}"] = step(local, costs, 3, overlapped=False), processes(3, job)
    return costs, found


def slow_wire(job: Job, costs: Costs, turns: int = 7) -> list[Factor]:
    """Two namespaces and a wire of 200 Mbit/s: the gain of overlap, bytes, and the model."""
    import distributed

    with (
        wire(rate="200mbit") as remote,
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, host=remote.here, dashboard_address=None
        ) as local,
        distributed.Client(local, set_as_default=False) as client,
    ):
        remote.start_worker(local.scheduler_address)
        client.wait_for_workers(2, timeout=120)
        before = remote.carried()
        cluster = ng.kv.cluster(workers=2, client=client)
        found = cluster.run(stepped, job, ["serial", "overlapped"], turns)[0]
        carried = (remote.carried() - before) / (2 * 3 * (turns + 1))
    total = job.layers * job.nbytes
    print(f"on the wire {carried / 1e6:.2f} MB a step, of {2 * total / 1e6:.2f} MB of values")
    factors = [
        Factor(
            "200 Mbit/s: serial over overlapped step",
            found["serial"] / found["overlapped"],
            1 / 0.75,
        ),
        Factor("bytes of values over bytes on the wire", 2 * total / carried, 0.8),
    ]
    own = replace(costs, cores=0)
    for mode, seconds in found.items():
        said = step(job, own, 2, overlapped=mode == "overlapped")
        print(f"{mode}: {seconds * 1e3:.0f} ms a step, the model says {said * 1e3:.0f}")
        factors.append(Factor(f"{mode} step: model and measured", agreement(said, seconds), 0.67))
    return factors


def agreement(one: float, other: float) -> float:
    """The smaller over the larger."""
    return min(one, other) / max(one, other)


def check() -> int:
    """Measure costs, predict what was not measured, and print both."""
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    small, large = Job(layers=8, nbytes=1 << 18), Job(layers=8, nbytes=4 << 20)
    costs, found = measured(small, large)
    print(costs)
    factors = []
    for name, (said, seconds) in found.items():
        print(f"{name}: {seconds * 1e3:.0f} ms, the model says {said * 1e3:.0f}")
        factors.append(Factor(f"{name}: model and measured", agreement(said, seconds), 0.5))
    job = Job(layers=8, nbytes=1 << 20, compute=0.4, rate=RATE, latency=1e-3, spread=0.0)
    try:
        factors += slow_wire(job, costs)
    except Refused as error:
        print(f"no slow wire: {error}")
    table(Job(), replace(costs, cores=0))
    return report(factors)


if __name__ == "__main__":
    if "check" in sys.argv[1:]:
        raise SystemExit(check())
    table(Job(), Costs())
