"""The figures of kernels on a GPU: against a copy's bandwidth, CuPy and PyTorch, in one process.

    python -m benchmarks.gpu             100 million elements
    python -m benchmarks.gpu 100000      so many

Each figure is the best of some rounds of calls that follow one another, by the clock, from an idle
device to an idle device. Bandwidth counts what a call has to read and write. Peers that are not
installed, or cannot do it, are left out.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import nbgraph as ng
from benchmarks import gpu_losses, training
from benchmarks.gpu_timing import line, of_peer, peer, seconds, told
from nbgraph.device import driver
from nbgraph.engine import current

GPU = ng.gpu(0)


def copied(n: int) -> float:
    """Bytes a second of copies on the device, read and written."""
    source, target = (driver().allocate(0, 4 * n) for _ in range(2))
    engine = current()

    def copy() -> None:
        engine.push_to_device(GPU, lambda c: c.stream.copy(target, source, 4 * n, 0))

    taken = seconds(copy, ng.waitall)
    for address in (source, target):
        driver().free(0, address)
    print(f"{'copy':<28} {taken * 1e6:9.1f} us {8 * n / taken / 1e12:7.3f} TB/s")
    return 8 * n / taken


def rows(n: int, copy: float, torch: Any) -> None:
    """Softmax of rows, and its cross entropy with classes."""
    columns = 1000
    count = max(1, n // columns)
    host = np.random.default_rng(0).normal(size=(count, columns)).astype(np.float32)
    classes = np.arange(count) % columns
    x, c = ng.array(host, device=GPU), ng.array(classes, device=GPU)
    out = ng.zeros((count, columns), device=GPU)
    others: dict[str, dict[str, float]] = {"softmax": {}, "entropy": {}}
    if torch is not None:
        tx, tc = torch.from_numpy(host).cuda(), torch.from_numpy(classes).cuda()
        entropy = torch.nn.functional.cross_entropy
        wait = torch.cuda.synchronize
        others["softmax"]["torch"] = seconds(lambda: torch.softmax(tx, -1), wait)
        others["entropy"]["torch"] = seconds(lambda: entropy(tx, tc, reduction="none"), wait)
    nbytes = 4 * count * columns
    ours = seconds(lambda: ng.softmax(x, axis=-1, out=out), ng.waitall)
    told("softmax of rows", ours, 2 * nbytes, copy, others["softmax"])
    ours = seconds(lambda: ng.cross_entropy(x, c, reduction="none"), ng.waitall)
    told("cross entropy of rows", ours, nbytes, copy, others["entropy"])
    ours = seconds(x.sum, ng.waitall)
    told("sum of all", ours, nbytes, copy, {})


def draws(n: int, copy: float, torch: Any) -> None:
    """Uniform numbers, and dropout with what its gradient needs. Ours are those of the host's
    Philox of 64 bits; PyTorch's is the one of 32 bits, a quarter of the multiplications."""
    x = ng.ones(n, device=GPU)
    uniform: dict[str, float] = {}
    dropped: dict[str, float] = {}
    if torch is not None:
        tx, wait = torch.ones(n, device="cuda"), torch.cuda.synchronize
        uniform["torch"] = seconds(lambda: torch.rand(n, device="cuda"), wait)
        dropped["torch"] = seconds(lambda: torch.native_dropout(tx, 0.3, True), wait)
    ours = seconds(lambda: ng.random.uniform(size=n, device=GPU), ng.waitall)
    told("uniform", ours, 4 * n, copy, uniform)
    with ng.autograd.train_mode():
        ours = seconds(lambda: ng.dropout(x, 0.3), ng.waitall)
    told("dropout", ours, 12 * n, copy, dropped)


def products(n: int, torch: Any, cupy: Any) -> None:
    """Square matrices, small ones, many, a matrix by a vector. All sides ask cuBLAS; float32 is
    float32, which is CuPy's and PyTorch's default, too."""
    side = min(4096, math.isqrt(n))
    small = max(1, side // 16)
    square, few = (side, side), (small, small)
    cases = (
        ("product float32", "float32", square, square),
        ("product float16", "float16", square, square),
        ("product float64", "float64", square, square),
        ("small product float32", "float32", few, few),
        ("256 small ones float32", "float32", (256, *few), (256, *few)),
        ("by a vector float32", "float32", square, (side,)),
    )
    for name, dtype, left, right in cases:
        rng = np.random.default_rng(0)
        host = [rng.normal(size=shape).astype(dtype) for shape in (left, right)]
        work = 2.0 * math.prod(left) * (right[-1] if len(right) > 1 else 1)
        ours = multiplied([ng.array(x, device=GPU) for x in host], ng.waitall)
        others: dict[str, float] = {}
        if torch is not None:
            given = [torch.from_numpy(x).cuda() for x in host]
            others["torch"] = multiplied(given, torch.cuda.synchronize)
        if cupy is not None:
            given = [cupy.asarray(x) for x in host]
            others["cupy"] = multiplied(given, cupy.cuda.Device().synchronize)
        line(name, ours, f"{work / ours / 1e12:7.2f} TFLOPS", others)


def multiplied(operands: Sequence[Any], wait: Callable[[], object]) -> float:
    """Seconds of a product."""
    a, b = operands
    return seconds(lambda: a @ b, wait)


WAYS = {"one graph": 1, "kernel by kernel": 0}  # of runs of a plan: the setting


def plans() -> None:
    """What a kernel of a bound plan costs: a chain of 100 small ones, kept apart."""
    for way, graphs in WAYS.items():
        symbol = ng.var("x")
        for _ in range(100):
            symbol = ng.sin(symbol)
        with ng.config(cuda_graphs=graphs):
            bound = symbol.simple_bind(ctx=GPU, x=(1000,), options=unfused())
            taken = seconds(bound.forward, ng.waitall)
        name = f"100 kernels, {way}"
        print(f"{name:<28} {taken * 1e6:9.1f} us, {taken * 1e4:.2f} us a kernel", flush=True)


def steps(torch: Any) -> None:
    """Steps of training, each with its loss on the host: LeNet with 64 images, and an MLP. Bound
    ones also with plans that are issued kernel by kernel."""
    for model in ("lenet", "mlp"):
        for optimizer in ("sgd", "adam"):
            task = training.Task(model, optimizer)
            taken = {
                "bound": of_step(training.bound, task),
                "train_step": of_step(training.function, task),
                "eager": of_step(training.eager, task),
            }
            issued = of_step(training.bound, task, graphs=0)
            text = "  ".join(f"{name} {each * 1e6:.1f} us" for name, each in taken.items())
            print(f"{f'step of {model}, {optimizer}':<28} {text}", flush=True)
            print(
                f"{'  train step':<28} captured {taken['bound'] * 1e6:.1f} us / kernel by kernel "
                f"{issued * 1e6:.1f} us: x{issued / taken['bound']:.2f}",
                flush=True,
            )
            theirs: dict[str, float] = {}
            of_peer("torch eager", torch, lambda library, t=task: of_torch(library, t), theirs)
            for name, each in theirs.items():
                ratios = ", ".join(
                    f"{own} x{(each or 0) / ours:.2f}" for own, ours in taken.items()
                )
                print(f"{f'  {name}':<28} {(each or 0) * 1e6:.1f} us: {ratios}", flush=True)


def of_step(way: Callable[..., training.Step], task: training.Task, graphs: int = 1) -> float:
    """Seconds of a step of ours."""
    with ng.config(cuda_graphs=graphs):
        return seconds(way(task, GPU), ng.waitall)


def of_torch(torch: Any, task: training.Task) -> float:
    """Seconds of a step of PyTorch's, call by call."""
    return seconds(training.of_torch(torch, task, "cuda"), torch.cuda.synchronize)


def unfused() -> Any:
    """Options without fusion, so that kernels stay 100."""
    from nbgraph.executor.pipeline import Options

    return Options(fuse=False)


def main() -> int:
    """Print the table."""
    n = int(float(sys.argv[1])) if len(sys.argv) > 1 else 10**8
    ng.engine.set("threaded")
    torch, cupy = peer("torch"), peer("cupy")
    if torch is not None and not torch.cuda.is_available():
        torch = None
    if cupy is not None and ng.config.gpu == "emulated":
        cupy = None
    print(f"{driver().title(0)}, {n} float32")
    copy = copied(n)
    gpu_losses.elementwise(n, copy, (torch, cupy))
    gpu_losses.boxes(n, copy, (torch, cupy))
    rows(n, copy, torch)
    draws(n, copy, torch)
    products(n, torch, cupy)
    plans()
    steps(torch)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
