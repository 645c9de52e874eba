"""The figures of orders, elements along an axis, and powers, against NumPy and PyTorch.

    python -m benchmarks.ordering

Both are kept at one thread. Float32; the rows of 4096 x 1000 have few equal elements.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import nbgraph as ng
from benchmarks.harness import Row, peer, report

Calls = dict[str, Callable[[], Any]]


def order_rows(torch: Any) -> list[Row]:
    """Sort, argsort and the first five of each row."""
    x = np.random.default_rng(0).normal(size=(4096, 1000)).astype("float32")
    sorts: Calls = {"numpy": lambda: np.sort(x)}
    orders: Calls = {"numpy, stable": lambda: np.argsort(x, kind="stable")}
    firsts: Calls = {}
    if torch is not None:
        tx = torch.from_numpy(x)
        sorts["torch"] = lambda: torch.sort(tx)
        orders["torch"] = lambda: torch.argsort(tx)
        firsts["torch"] = lambda: torch.topk(tx, 5)
    return [
        Row("sort 4096x1000", lambda: ng.sort(x), sorts, dict.fromkeys(sorts, 0.8), x.size),
        Row("argsort", lambda: ng.argsort(x), orders, dict.fromkeys(orders, 1.0), x.size),
        Row("topk, 5", lambda: ng.topk(x, 5), firsts, dict.fromkeys(firsts, 1.0), x.size),
    ]


def topk_rows(torch: Any) -> list[Row]:
    """The first of rows, by shape; those of few numbers are calls of `benchmarks.programs`."""
    results: list[Row] = []
    for shape, k in (((10**6,), 5), ((20000, 50), 5), ((1000, 1000), 50)):
        x = np.random.default_rng(0).normal(size=shape).astype("float32")
        own, peers = ng.array(x), dict[str, Callable[[], Any]]()
        if torch is not None:
            there = torch.from_numpy(x)
            peers["torch"] = lambda x=there, k=k: torch.topk(x, k)
        name = f"topk of {'x'.join(map(str, shape))}, {k}"
        first = lambda x=own, k=k: ng.topk(x, k)[0].wait_to_read()
        results.append(Row(name, first, peers, dict.fromkeys(peers, 1.0), x.size))
    return results


def along_row(torch: Any) -> Row:
    """Elements along an axis at random indices, and their gradient."""
    rng = np.random.default_rng(0)
    values, places = (
        rng.normal(size=(1000, 1000)).astype("float32"),
        rng.integers(0, 1000, (1000,) * 2),
    )
    x, indices = ng.array(values), ng.array(places)
    one = ng.ones_like(x)
    x.attach_grad()

    def ours() -> None:
        with ng.autograd.record():
            y = ng.take_along_axis(x, indices, 1)
        y.backward(one)
        ng.waitall()

    peers: Calls = {}
    if torch is not None:
        tx, at = torch.from_numpy(values).requires_grad_(), torch.from_numpy(places)
        above = torch.ones(1000, 1000)
        peers["torch"] = lambda: torch.autograd.grad(torch.gather(tx, 1, at), tx, above)
    name = "take_along_axis 1000x1000, forward and gradient"
    return Row(name, ours, peers, dict.fromkeys(peers, 1.0), values.size)


def running_rows(torch: Any) -> list[Row]:
    """Running values of rows that lie side by side."""
    rng = np.random.default_rng(0)
    wide, deep = (rng.normal(size=n).astype("float32") for n in ((1000, 100), (64, 512, 64)))
    extremes: Calls = {"numpy": lambda: np.maximum.accumulate(wide, 0)}
    sums: Calls = {"numpy": lambda: np.cumsum(deep, 1)}
    if torch is not None:
        w, d = (torch.from_numpy(a) for a in (wide, deep))
        extremes["torch"] = lambda: torch.cummax(w, 0)
        sums["torch"] = lambda: torch.cumsum(d, 1)
    x, y = ng.array(wide), ng.array(deep)
    extreme, total = lambda: ng.cummax(x, 0).wait_to_read(), lambda: ng.cumsum(y, 1).wait_to_read()
    return [
        Row("cummax 1000x100, axis 0", extreme, extremes, dict.fromkeys(extremes, 1.0), wide.size),
        Row("cumsum 64x512x64, axis 1", total, sums, dict.fromkeys(sums, 1.0), deep.size),
    ]


def power_rows() -> list[Row]:
    """Value and gradient of a sum of powers, against products."""
    x = ng.array(np.random.default_rng(0).normal(size=10**6).astype("float32"))
    products = {2: lambda x: (x * x).sum(), 3: lambda x: (x * x * x).sum()}
    rows = []
    for exponent, product in products.items():
        ours = ng.jit(ng.value_and_grad(lambda x, n=exponent: (x**n).sum()))
        theirs = ng.jit(ng.value_and_grad(product))
        timed = [lambda f=f: (f(x), ng.waitall()) for f in (ours, theirs)]
        name = f"(x ** {exponent}).sum(), value and gradient, 10^6"
        rows.append(Row(name, timed[0], {"products": timed[1]}, {"products": 0.9}, 10**6))
    return rows


def rows() -> list[Row]:
    """All of them."""
    torch = peer("torch")
    if torch is not None:
        torch.set_num_threads(1)
    return [
        *order_rows(torch),
        *topk_rows(torch),
        along_row(torch),
        *running_rows(torch),
        *power_rows(),
    ]


if __name__ == "__main__":
    with ng.config(engine="naive"):
        raise SystemExit(report(rows()))
