"""The figures of row programs and reductions: against NumPy's formula, SciPy, PyTorch and JAX.

    python -m benchmarks.rows

Every callable writes into an array that exists, where its library can. PyTorch is kept at one
thread, and so are we.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special

import nbgraph as ng
from benchmarks.harness import Factor, Row, peer, report
from nbgraph.ops.rowwise.derived import adjoint

SHAPES = {
    "4096x1000": ((4096, 1000), -1),
    "1000x4096, axis 0": ((1000, 4096), 0),
    "40000x8": ((40_000, 8), -1),
}
AT_LEAST = 0.95  # of PyTorch's speed: two measurements of the same differ as much
BOTH = 0.85  # with the gradient it is memory that both wait for


def formula(x: Any, out: Any, axis: int) -> None:
    """What one writes with NumPy."""
    np.subtract(x, x.max(axis=axis, keepdims=True), out=out)
    np.exp(out, out=out)
    np.divide(out, out.sum(axis=axis, keepdims=True), out=out)


def slope(y: Any, g: Any, axis: int) -> Any:
    """The in-gradient, as one writes it with NumPy."""
    return y * (g - (g * y).sum(axis=axis, keepdims=True))


def softmax_rows(name: str, shape: tuple[int, int], axis: int, torch: Any) -> list[Row]:
    """Forward, and the gradient alone, for one shape."""
    rng = np.random.default_rng(0)
    x, g = (rng.normal(size=shape).astype("float32") for _ in range(2))
    out, inner = np.empty_like(x), np.empty_like(x)
    y = ng.softmax(x, axis=axis)
    forward = {"numpy": lambda: formula(x, out, axis)}
    both = {"numpy": lambda: (formula(x, out, axis), slope(out, g, axis))}
    total = {"scipy": lambda: special.logsumexp(x, axis=axis)}
    if torch is not None:
        tx, to, tg, ty = (torch.from_numpy(a) for a in (x, out, g, y))
        forward["torch"] = lambda: torch.softmax(tx, axis, out=to)
        single = torch.float32
        both["torch"] = lambda: (
            torch.softmax(tx, axis, out=to),
            torch._softmax_backward_data(tg, ty, axis, single),
        )
        total["torch"] = lambda: torch.logsumexp(tx, axis)

    def forward_backward() -> None:
        ng.softmax(x, axis=axis, out=out)
        adjoint(ng.softmax.op, [0], [0])(g, out, axis=axis, out=inner)

    least = {"numpy": 2.0 if axis == -1 else 1.0, "scipy": 2.0}
    made = [
        ("softmax", lambda: ng.softmax(x, axis=axis, out=out), forward, AT_LEAST),
        ("softmax forward + backward", forward_backward, both, BOTH),
        ("logsumexp", lambda: ng.logsumexp(x, axis=axis), total, AT_LEAST),
    ]
    return [
        Row(f"{what} {name}", own, peers, {p: least.get(p, bound) for p in peers}, x.size)
        for what, own, peers, bound in made
    ]


def entropy_rows(torch: Any, jax: Any) -> list[Row | Factor]:
    """The mean cross entropy and the gradient of the scores, as a bound graph."""
    rng = np.random.default_rng(0)
    x, label = rng.normal(size=(4096, 1000)).astype("float32"), rng.integers(0, 1000, 4096)
    loss = ng.cross_entropy(ng.var("x", shape=x.shape), ng.var("label", shape=label.shape))
    asked = {"x": "write", "label": "null"}
    exe = loss.simple_bind(ng.cpu(), grad_req=asked, x=x.shape, label=label.shape)
    exe.arg_dict["x"][:], exe.arg_dict["label"][:] = x, label

    def forward_backward() -> None:
        exe.forward_backward()
        exe.grad_dict["x"].wait_to_read()

    name, found = "cross entropy forward + backward 4096x1000", []
    if torch is not None:
        scores, classes = torch.from_numpy(x).requires_grad_(), torch.from_numpy(label)

        def eager() -> None:
            scores.grad = None
            torch.nn.functional.cross_entropy(scores, classes).backward()

        found.append(Row(name, forward_backward, {"torch": eager}, {"torch": 2.0}, x.size))
    if jax is not None:
        ratio = cpu_time(jax_entropy(jax, x, label)) / cpu_time(forward_backward)
        found.append(Factor(f"{name}, against jax.jit in CPU time of the process", ratio, 1.3))
    return found


def jax_entropy(jax: Any, x: Any, label: Any) -> Callable[[], object]:
    """The same, as one writes it for jax.jit. It computes on threads of its own."""

    def written(v: Any, k: Any) -> Any:
        share = jax.nn.log_softmax(v)
        return -jax.numpy.take_along_axis(share, k[:, None], 1).mean()

    both = jax.jit(jax.value_and_grad(written))
    given = jax.numpy.asarray(x), jax.numpy.asarray(label)
    return lambda: jax.block_until_ready(both(*given))


def cpu_time(call: Callable[[], object], rounds: int = 15) -> float:
    """The least of so many, in seconds, of all threads."""
    call()
    found: list[float] = []
    for _ in range(rounds):
        before = time.process_time()
        call()
        found.append(time.process_time() - before)
    return min(found)


def reduction_rows(torch: Any, size: int) -> list[Row]:
    """Sums and largest elements of rows and of columns of a square."""
    x = np.random.default_rng(0).normal(size=(size, size)).astype("float32")
    table: list[Row] = []
    for name, other in (("sum", "sum"), ("max", "amax")):
        for axis, what in ((1, "rows"), (0, "columns")):
            fn, out = getattr(ng, name), np.empty(size, "float32")
            peers = {"numpy": functools.partial(getattr(np, name), x, axis=axis, out=out)}
            if torch is not None:
                peers["torch"] = functools.partial(getattr(torch, other), torch.from_numpy(x), axis)
            own = functools.partial(fn, x, axis=axis, out=out)
            least = dict.fromkeys(peers, AT_LEAST)
            table.append(Row(f"{name} of {what} {size}x{size}", own, peers, least, x.size))
    return table


def rows() -> list[Row | Factor]:
    """One row for each shape and function."""
    torch = peer("torch")
    if torch is not None:
        torch.set_num_threads(1)
    table: list[Row | Factor] = [*entropy_rows(torch, peer("jax")), *reduction_rows(torch, 4096)]
    table += reduction_rows(torch, 1000)  # in the caches
    for name, (shape, axis) in SHAPES.items():
        table += softmax_rows(name, shape, axis, torch)
    return table


if __name__ == "__main__":
    with ng.config(engine="naive"):
        raise SystemExit(report(rows()))
