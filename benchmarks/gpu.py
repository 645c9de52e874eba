"""The figures of kernels on a GPU: against a copy's bandwidth, CuPy and PyTorch, in one process.

    python -m benchmarks.gpu             100 million elements
    python -m benchmarks.gpu 100000      so many

Each figure is the best of some rounds of calls that follow one another, by the clock, from an idle
device to an idle device. Bandwidth counts what a call has to read and write. Peers that are not
installed are left out.
"""

from __future__ import annotations

import importlib
import math
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

import nbgraph as ng
from benchmarks import training
from benchmarks.graphs import BOX, smooth_l1
from nbgraph.device import driver
from nbgraph.engine import current
from nbgraph.ops import smooth_l1_term

GPU = ng.gpu(0)
ROUNDS, CALLS = 5, 20
LOSS = "d = x - t; a = abs(d); y = a < 1 ? 0.5f * d * d : a - 0.5f"


def peer(name: str) -> Any:
    """A library, or None."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def compiled(torch: Any, function: Callable[..., Any], *given: Any) -> Any:
    """What `torch.compile` makes of a function, or None where that has no compiler."""
    made = torch.compile(function)
    try:
        made(*given)
    except Exception as problem:
        print(f"torch.compile: {str(problem).strip().splitlines()[0]}", file=sys.stderr)
        return None
    return made


def seconds(call: Callable[[], object], wait: Callable[[], object], calls: int = CALLS) -> float:
    """Of one call."""
    for _ in range(3):
        call()
    wait()
    best = float("inf")
    for _ in range(ROUNDS):
        started = time.perf_counter()
        for _ in range(calls):
            call()
        wait()
        best = min(best, (time.perf_counter() - started) / calls)
    return best


def told(name: str, ours: float, nbytes: int, copy: float, **others: float | None) -> None:
    """A line of the table."""
    rate = nbytes / ours
    line(name, ours, f"{rate / 1e12:7.3f} TB/s  copy x{rate / copy:.2f}", others)


def line(name: str, ours: float, rate: str, others: Mapping[str, float | None]) -> None:
    """A name, a time, what that is a second, and how much longer others take."""
    text = f"{name:<28} {ours * 1e6:9.1f} us {rate}"
    for peer_name, taken in others.items():
        if taken is not None:
            text += f"  {peer_name} x{taken / ours:.2f}"
    print(text, flush=True)


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


def elementwise(n: int, copy: float, torch: Any, cupy: Any) -> None:
    """smooth_l1: forward, and forward with both gradients."""
    rng = np.random.default_rng(0)
    host = [rng.normal(size=n).astype(np.float32) * 2 for _ in range(2)]
    x, t = (ng.array(a, device=GPU) for a in host)
    out = ng.zeros(n, device=GPU)
    ours = seconds(lambda: smooth_l1_term(x, t, out=out), ng.waitall)
    others: dict[str, float | None] = {}
    if cupy is not None:
        kernel = cupy.ElementwiseKernel(
            "float32 x, float32 t",
            "float32 y",
            LOSS.replace("d =", "float d =", 1).replace("a =", "float a =", 1),
        )
        cx, ct = (cupy.asarray(a) for a in host)
        co = cupy.empty_like(cx)
        others["cupy"] = seconds(lambda: kernel(cx, ct, co), cupy.cuda.Device().synchronize)
        wanted = cupy.asnumpy(co[:1000])
        np.testing.assert_allclose(out[:1000].asnumpy(), wanted, rtol=1e-5, atol=1e-6)
        del cx, ct, co
    if torch is not None:
        tx, tt = (torch.from_numpy(a).cuda() for a in host)
        loss = torch.nn.functional.smooth_l1_loss
        made = compiled(torch, lambda a, b: loss(a, b, reduction="none"), tx, tt)
        if made is not None:
            others["torch.compile"] = seconds(lambda: made(tx, tt), torch.cuda.synchronize)
        others["torch"] = seconds(lambda: loss(tx, tt, reduction="none"), torch.cuda.synchronize)
    told("smooth_l1 forward", ours, 12 * n, copy, **others)
    backward(x, t, n, copy, None if torch is None else (torch, tx, tt))


def backward(x: Any, t: Any, n: int, copy: float, peers: Any) -> None:
    """Forward and backward; out-gradients are ones."""
    ones = ng.ones(n, device=GPU)
    for a in (x, t):
        a.attach_grad()

    def both() -> None:
        with ng.autograd.record():
            y = smooth_l1_term(x, t)
        y.backward(ones)

    others: dict[str, float | None] = {}
    if peers is not None:
        torch, tx, tt = peers
        tx.requires_grad_()
        tt.requires_grad_()
        loss, unit = torch.nn.functional.smooth_l1_loss, torch.ones_like(tx)
        made = compiled(torch, lambda a, b: loss(a, b, reduction="none"), tx, tt)

        def by_torch() -> None:
            tx.grad = tt.grad = None
            made(tx, tt).backward(unit)

        if made is not None:
            others["torch.compile"] = seconds(by_torch, torch.cuda.synchronize)
    told("smooth_l1 and gradients", seconds(both, ng.waitall), 32 * n, copy, **others)


def box(n: int, copy: float, torch: Any) -> None:
    """A bound loss over four arrays, and its gradient by the first: each is read once, and the
    gradient written."""
    rng = np.random.default_rng(0)
    host = {name: rng.normal(size=n).astype(np.float32) for name in BOX}
    data, label, w_in, w_out = (ng.var(name) for name in BOX)
    loss = ng.sum(w_out * smooth_l1(w_in * (data - label)))
    asked = dict.fromkeys(BOX, "null") | {"data": "write"}
    bound = loss.simple_bind(GPU, grad_req=asked, **dict.fromkeys(BOX, (n,)))
    for name, value in host.items():
        bound.arg_dict[name][:] = value
    others: dict[str, float | None] = {}
    if torch is not None:
        given = [torch.from_numpy(value).cuda() for value in host.values()]
        given[0].requires_grad_()

        def theirs(data: Any, label: Any, w_in: Any, w_out: Any) -> Any:
            x = w_in * (data - label)
            term = torch.nn.functional.smooth_l1_loss(x, torch.zeros_like(x), reduction="none")
            return (w_out * term).sum()

        made = compiled(torch, theirs, *given)

        def by_torch() -> None:
            given[0].grad = None
            made(*given).backward()

        if made is not None:
            others["torch.compile"] = seconds(by_torch, torch.cuda.synchronize)
    ours = seconds(bound.forward_backward, ng.waitall)
    told("box loss and gradient", ours, 20 * n, copy, **others)


def rows(n: int, copy: float, torch: Any) -> None:
    """Softmax of rows, and its cross entropy with classes."""
    columns = 1000
    count = max(1, n // columns)
    host = np.random.default_rng(0).normal(size=(count, columns)).astype(np.float32)
    classes = np.arange(count) % columns
    x, c = ng.array(host, device=GPU), ng.array(classes, device=GPU)
    out = ng.zeros((count, columns), device=GPU)
    others: dict[str, dict[str, float | None]] = {"softmax": {}, "entropy": {}}
    if torch is not None:
        tx, tc = torch.from_numpy(host).cuda(), torch.from_numpy(classes).cuda()
        entropy = torch.nn.functional.cross_entropy
        wait = torch.cuda.synchronize
        others["softmax"]["torch"] = seconds(lambda: torch.softmax(tx, -1), wait)
        others["entropy"]["torch"] = seconds(lambda: entropy(tx, tc, reduction="none"), wait)
    nbytes = 4 * count * columns
    ours = seconds(lambda: ng.softmax(x, axis=-1, out=out), ng.waitall)
    told("softmax of rows", ours, 2 * nbytes, copy, **others["softmax"])
    ours = seconds(lambda: ng.cross_entropy(x, c, reduction="none"), ng.waitall)
    told("cross entropy of rows", ours, nbytes, copy, **others["entropy"])
    ours = seconds(x.sum, ng.waitall)
    told("sum of all", ours, nbytes, copy)


def draws(n: int, copy: float, torch: Any) -> None:
    """Uniform numbers, and dropout with what its gradient needs. Ours are those of the host's
    Philox of 64 bits; PyTorch's is the one of 32 bits, a quarter of the multiplications."""
    x = ng.ones(n, device=GPU)
    uniform: dict[str, float | None] = {}
    dropped: dict[str, float | None] = {}
    if torch is not None:
        tx, wait = torch.ones(n, device="cuda"), torch.cuda.synchronize
        uniform["torch"] = seconds(lambda: torch.rand(n, device="cuda"), wait)
        dropped["torch"] = seconds(lambda: torch.native_dropout(tx, 0.3, True), wait)
    ours = seconds(lambda: ng.random.uniform(size=n, device=GPU), ng.waitall)
    told("uniform", ours, 4 * n, copy, **uniform)
    with ng.autograd.train_mode():
        ours = seconds(lambda: ng.dropout(x, 0.3), ng.waitall)
    told("dropout", ours, 12 * n, copy, **dropped)


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
        others: dict[str, float | None] = {}
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


def plans() -> None:
    """What a kernel of a bound plan costs: a chain of 100 small ones, kept apart."""
    symbol = ng.var("x")
    for _ in range(100):
        symbol = ng.sin(symbol)
    bound = symbol.simple_bind(ctx=GPU, x=(1000,), options=unfused())
    taken = seconds(bound.forward, ng.waitall)
    print(f"{'plan of 100 kernels':<28} {taken * 1e6:9.1f} us, {taken * 1e4:.2f} us a kernel")


def steps(torch: Any) -> None:
    """Steps of training, each with its loss on the host: LeNet with 64 images, and an MLP."""
    for model in ("lenet", "mlp"):
        task = training.Task(model, "sgd")
        ways = {
            "bound": training.bound(task, GPU),
            "train_step": training.function(task, GPU),
            "eager": training.eager(task, GPU),
        }
        taken = {name: seconds(step, ng.waitall) for name, step in ways.items()}
        line = "  ".join(f"{name} {each * 1e6:.1f} us" for name, each in taken.items())
        if torch is not None:
            theirs = seconds(training.of_torch(torch, task, "cuda"), torch.cuda.synchronize)
            ratios = ", ".join(f"{name} x{theirs / each:.2f}" for name, each in taken.items())
            line += f"  torch eager {theirs * 1e6:.1f} us: {ratios}"
        print(f"{f'step of {model}':<28} {line}", flush=True)


def unfused() -> Any:
    """Options without fusion, so that kernels stay 100."""
    from nbgraph.executor.options import Options

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
    elementwise(n, copy, torch, cupy)
    box(n, copy, torch)
    rows(n, copy, torch)
    draws(n, copy, torch)
    products(n, torch, cupy)
    plans()
    steps(torch)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
