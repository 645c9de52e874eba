"""The figures of products: matmul against NumPy's BLAS, einsum against NumPy's.

    python -m benchmarks.blas

One thread each in CPU time; two threads each (the engine's workers, and NumPy's own) in wall time,
the quickest of many runs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

import nbgraph as ng
from benchmarks.harness import Factor, Row, report

SIZES = 512, 1024, 2048
AT_LEAST = 0.95  # of NumPy's speed
NARROW, NARROW_AT_LEAST = ("bfloat16", "int8"), 1.6  # of float32's; with AVX512_BF16 and VNNI
SECONDS = 6.0  # for a pair of callables
REST, BLOCK = 0.15, 8  # seconds before a block, calls in it
EINSUMS: dict[str, tuple[str, list[tuple[int, ...]], float]] = {
    "chain of three": ("ij,jk,kl->il", [(300, 300)] * 3, 0.95),
    "attention scores": ("bqhd,bkhd->bhqk", [(4, 128, 8, 64)] * 2, 1.0),
    "batches inside": ("bij,bjk->ikb", [(16, 100, 100)] * 2, 1.0),
    "weighted rows": ("ij,i,j->", [(1000, 1000), (1000,), (1000,)], 1.0),
    "rows by rows": ("ij,ij->i", [(4096, 256)] * 2, 0.5),
}


def normal(*shape: int) -> Any:
    """Random float32 numbers."""
    return np.random.default_rng(0).normal(size=shape).astype("float32")


def alone() -> Iterator[Row]:
    """One thread: NumPy arrays, on the thread that calls."""
    for n in SIZES:
        a, b, out, own = normal(n, n), normal(n, n), normal(n, n), normal(n, n)
        yield Row(
            f"matmul {n}, one thread",
            lambda a=a, b=b, own=own: ng.matmul(a, b, out=own),
            {"numpy": lambda a=a, b=b, out=out: np.matmul(a, b, out=out)},
            {"numpy": AT_LEAST},
        )
    a, b, out, own = normal(8, 8), normal(8, 8), normal(8, 8), normal(8, 8)
    yield Row(
        "matmul 8, one thread",
        lambda: ng.matmul(a, b, out=own),
        {"numpy": lambda: np.matmul(a, b, out=out)},
    )
    a, b, out = normal(1024, 1024), normal(1024, 1024), normal(1024, 1024)
    for dtype in NARROW:
        x, y = (ng.array(10 * v).astype(dtype) for v in (a, b))
        own = ng.empty((1024, 1024), dtype=dtype)
        yield Row(
            f"matmul 1024 of {dtype}, one thread",
            lambda x=x, y=y, own=own: ng.matmul(x, y, out=own),
            {"numpy": lambda: np.matmul(a, b, out=out)},
            {"numpy": NARROW_AT_LEAST},
        )
    for name, (text, shapes, least) in EINSUMS.items():
        values = [normal(*shape) for shape in shapes]
        yield Row(
            f"einsum {name}",
            lambda text=text, values=values: ng.einsum(text, *values),
            {"numpy": lambda text=text, values=values: np.einsum(text, *values, optimize=True)},
            {"numpy": least},
        )


def quickest(calls: Mapping[str, Callable[[], object]]) -> dict[str, float]:
    """The least wall time of each. They take turns in blocks, with a rest before each: OpenBLAS's
    own threads keep a core busy for some time after a call, waiting for the next."""
    best = dict.fromkeys(calls, float("inf"))
    stop = time.perf_counter() + SECONDS
    while time.perf_counter() < stop:
        for name, call in calls.items():
            time.sleep(REST)
            call()
            for _ in range(BLOCK):
                started = time.perf_counter()
                call()
                best[name] = min(best[name], time.perf_counter() - started)
    return best


def shared() -> Iterator[Factor]:
    """Two threads each: arrays, whose products are shared among workers."""
    for n in SIZES:
        x, y, out = normal(n, n), normal(n, n), normal(n, n)
        a, b = ng.array(x), ng.array(y)
        pair = {
            "numpy": lambda x=x, y=y, out=out: np.matmul(x, y, out=out),
            "ours": lambda a=a, b=b: ng.matmul(a, b).wait_to_read(),
        }
        with threadpool_limits(2, "blas"):
            best = quickest(pair)
        flops = 2 * n**3 / best["ours"] / 1e9
        yield Factor(
            f"matmul {n}, 2 threads, {flops:.0f} GFLOP/s", best["numpy"] / best["ours"], AT_LEAST
        )


if __name__ == "__main__":
    with threadpool_limits(1, "blas"), ng.config(engine="naive"):
        missed = report(alone(), slice_seconds=0.05)
    raise SystemExit(missed + report(shared()))
