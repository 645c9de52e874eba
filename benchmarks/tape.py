"""Values and gradients by the tape beside PyTorch: sums of single operators, and training steps.

    python -m benchmarks.tape

Small arrays, where what a call costs counts. CPU time of the process, the least of some rounds in
turns; PyTorch has one thread. Gradients are compared before anything is timed. Steps of a chain of
products and tanh are timed with passes kept as graphs (`autograd.replay`) and walked each time, and
pushes with nothing unfinished and behind something unfinished. Last, calls of NumPy's functions
with the wait for their results (wall time, the median), and of `ng.nd` beside the operators.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import nbgraph as ng
from benchmarks.harness import machine, peer
from nbgraph.autograd import replay

Shapes = Sequence[tuple[int, ...]]
Call = Callable[[], object]
ROUNDS, WARM, SECONDS = 9, 20, 0.01
SQUARE = [(64, 64)]


def operators(torch: Any) -> dict[str, tuple[Shapes, Callable[..., Any], Callable[..., Any]]]:
    """By name: shapes of operands, a function of ours, and PyTorch's."""
    f, order = torch.nn.functional, np.random.default_rng(1).integers(0, 64, 32)
    rows, torch_rows, solve = ng.array(order), torch.tensor(order), torch.linalg.solve
    return {
        "tanh": ([(64,)], ng.tanh, torch.tanh),
        "x * y + x": ([(64,), (64,)], lambda x, y: x * y + x, lambda x, y: x * y + x),
        "softmax": ([(32, 10)], lambda x: ng.softmax(x) ** 2, lambda x: f.softmax(x, -1) ** 2),
        "layer norm": (
            [(32, 64), (64,), (64,)],
            lambda x, g, b: ng.layer_norm(x, g, b) ** 2,
            lambda x, g, b: f.layer_norm(x, (64,), g, b) ** 2,
        ),
        "product": (SQUARE * 2, lambda x, y: x @ y, lambda x, y: x @ y),
        "products of a batch": ([(8, 16, 16)] * 2, lambda x, y: x @ y, lambda x, y: x @ y),
        "convolution": ([(8, 3, 16, 16), (8, 3, 3, 3)], ng.convolution, f.conv2d),
        "concatenation": (
            [(32, 10), (32, 20)],
            lambda x, y: ng.concatenate([x, y], axis=1) ** 2,
            lambda x, y: torch.cat([x, y], 1) ** 2,
        ),
        "padding": ([(32, 32)], lambda x: ng.pad(x, 1) ** 2, lambda x: f.pad(x, [1] * 4) ** 2),
        "slice": (SQUARE, lambda x: x[:32, ::2] ** 2, lambda x: x[:32, ::2] ** 2),
        "rows by indices": ([(64, 16)], lambda x: x[rows] ** 2, lambda x: x[torch_rows] ** 2),
        "where": (SQUARE * 2, lambda x, y: ng.where(x > y, x, y), lambda x, y: x.where(x > y, y)),
        "variance": (SQUARE, lambda x: x.var(axis=0), lambda x: x.var(0, unbiased=False)),
        "norm": (SQUARE, ng.linalg.norm, torch.linalg.norm),
        "cumsum": (SQUARE, lambda x: ng.cumsum(x, axis=1) ** 2, lambda x: x.cumsum(1) ** 2),
        "sort": (SQUARE, lambda x: ng.sort(x) ** 2, lambda x: x.sort().values ** 2),
        "solve": ([(16, 16), (16, 4)], ng.linalg.solve, solve),
        "inverse": ([(16, 16)], ng.linalg.inv, torch.linalg.inv),
        "Cholesky": (
            [(16, 16)],
            lambda x: ng.linalg.cholesky(x @ x.T + ng.eye(16)),
            lambda x: torch.linalg.cholesky(x @ x.T + torch.eye(16)),
        ),
        "GELU, 10^5": ([(100_000,)], ng.gelu, f.gelu),
    }


def passes(shapes: Shapes, ours: Callable[..., Any], theirs: Any, torch: Any) -> tuple[Call, Call]:
    """Return a pass of both, which have the same gradients."""
    random = np.random.default_rng(0)
    values = [random.normal(size=shape).astype("float32") for shape in shapes]
    arrays = [ng.array(value) for value in values]
    tensors = [torch.tensor(value, requires_grad=True) for value in values]
    for array in arrays:
        array.attach_grad()

    def run() -> None:
        with ng.autograd.record():
            total = ours(*arrays).sum()
        total.backward()

    def run_peer() -> None:
        for tensor in tensors:
            tensor.grad = None
        theirs(*tensors).sum().backward()

    run(), run_peer()
    for array, tensor in zip(arrays, tensors, strict=True):
        expected = tensor.grad.numpy()
        scale = 1 + abs(expected).max()
        np.testing.assert_allclose(array.grad.asnumpy() / scale, expected / scale, atol=1e-3)
    return run, run_peer


def chain(products: int) -> Call:
    """Return a step of so many products of 64 x 64 with tanh between them, loss, and SGD."""
    random = np.random.default_rng(0)
    weights = [ng.array(random.normal(size=(64, 64)).astype("f") * 0.05) for _ in range(products)]
    x, label = ng.array(random.normal(size=(32, 64)).astype("f")), ng.array([1] * 32)
    for w in weights:
        w.attach_grad()
    optimizer = ng.optim.SGD(weights, lr=0.01, momentum=0.9)

    def run() -> None:
        with ng.autograd.record():
            hidden = x
            for w in weights:
                hidden = ng.tanh(hidden @ w)
            loss = ng.cross_entropy(hidden, label)
        loss.backward()
        optimizer.step()

    return run


def least(*calls: Call) -> list[float]:
    """Microseconds of CPU time of each call, which take turns."""
    for call in calls:
        for _ in range(WARM):
            call()
    ng.waitall()
    count, best = 1, [float("inf")] * len(calls)
    while True:
        started = time.perf_counter()
        for _ in range(count):
            calls[-1]()
        if time.perf_counter() - started > SECONDS:
            break
        count *= 2
    for _ in range(ROUNDS):
        for k, call in enumerate(calls):
            started = time.process_time()
            for _ in range(count):
                call()
            ng.waitall()
            best[k] = min(best[k], (time.process_time() - started) / count * 1e6)
    return best


def pushes(*, unfinished: bool, count: int = 2000) -> float:
    """Microseconds of a push of 16 elements, with nothing unfinished or behind an operation."""
    best = float("inf")
    for _ in range(5):
        total, one, opened = ng.ones(16), ng.ones(16), threading.Event()
        if unfinished:
            ng.engine.push(lambda _, e=opened: e.wait(60) and None, mutate_vars=[total.variable])
        started = time.perf_counter()
        for _ in range(count):
            total = total + one
        best = min(best, time.perf_counter() - started)
        opened.set()
        total.asnumpy()
    return best / count * 1e6


def with_waits(call: Callable[[], Any], count: int = 300) -> float:
    """Microseconds of a call and the wait for its result."""
    times = []
    for _ in range(count):
        started = time.perf_counter()
        call().wait_to_read()
        times.append(time.perf_counter() - started)
    return sorted(times)[count // 2] * 1e6


def single_calls() -> dict[str, Callable[[], Any]]:
    """Calls of 16 x 16 numbers."""
    random = np.random.default_rng(0)
    x, w = (ng.array(random.normal(size=(n, 16)).astype("f")) for n in (16, 8))
    bias, out = ng.zeros(8), ng.zeros((16, 16))
    positive, points = x @ x.T + ng.eye(16), ng.array(np.arange(8.0))
    sort, argsort, cholesky, solve = map(
        ng.jit, (ng.sort, ng.argsort, ng.linalg.cholesky, ng.linalg.solve)
    )
    several = ng.jit(lambda a: sum(ng.sum(ng.linalg.cholesky(a * (k + 1.0))) for k in range(8)))
    return {
        "sort": lambda: ng.sort(x),
        "sort to out=": lambda: ng.sort(x, out=out),
        "solve": lambda: ng.linalg.solve(x, x),
        "svd": lambda: ng.linalg.svd(x)[0],
        "fft": lambda: ng.fft.fft(x),
        "compiled sort": lambda: sort(x),
        "compiled argsort": lambda: argsort(x),
        "compiled Cholesky": lambda: cholesky(positive),
        "compiled solve": lambda: solve(positive, x),
        "8 Choleskys compiled": lambda: several(positive),
        "median": lambda: np.median(x),  # type: ignore[arg-type]
        "quantile": lambda: np.quantile(x, 0.3),  # type: ignore[arg-type]
        "interp": lambda: np.interp(x, points, points),  # type: ignore[arg-type]
        "exp": lambda: ng.exp(x),
        "nd.exp": lambda: ng.nd.exp(x),
        "nd.softmax": lambda: ng.nd.softmax(x, axis=-1),
        "nd.FullyConnected": lambda: ng.nd.FullyConnected(x, w, bias, num_hidden=8),
        "nd.random.normal": lambda: ng.nd.random.normal(shape=(16, 16)),
        "nd.reshape": lambda: ng.nd.reshape(x, shape=(-1,)),
        "nd.dot": lambda: ng.nd.dot(x, w, transpose_b=True),
        "nd.concat": lambda: ng.nd.concat(x, w, dim=0),
        "nd.norm": lambda: ng.nd.norm(x),
        "zeros": lambda: ng.zeros((16, 16)),
        "zeros_like": lambda: ng.zeros_like(x),
        "arange": lambda: ng.arange(16),
        "eye": lambda: ng.eye(16),
        "random.normal": lambda: ng.random.normal(size=(16, 16)),
        "random.uniform on cpu(0)": lambda: ng.random.uniform(size=(4,), device=ng.cpu()),
    }


def main() -> None:
    torch = peer("torch")
    torch.set_num_threads(1)
    print(machine(("numpy", "torch")))
    for name, (shapes, ours, theirs) in operators(torch).items():
        own, other = least(*passes(shapes, ours, theirs, torch))
        print(f"{name:22}{own:9.1f} us  torch {other:9.1f} us  ratio {other / own:5.2f}")
    for products in (2, 13):
        kept = least(chain(products))[0]
        repeats, replay._REPEATS = replay._REPEATS, 1 << 60
        replay._graphs.clear()
        walked = least(chain(products))[0]
        replay._REPEATS = repeats
        print(f"step of {products} products: kept as a graph {kept:.0f} us, walked {walked:.0f} us")
    print(f"push: {pushes(unfinished=False):.2f} us; unfinished: {pushes(unfinished=True):.2f} us")
    waits = {name: with_waits(call) for name, call in single_calls().items()}
    print("with waits, us: " + ", ".join(f"{name} {t:.1f}" for name, t in waits.items()))


if __name__ == "__main__":
    main()
