"""The figures of row programs: softmax and its kin against NumPy's formula, SciPy and PyTorch.

    python -m benchmarks.rows

Every callable writes into an array that exists, where its library can. PyTorch is kept at one
thread, and so are we.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

import nbgraph as ng
from benchmarks.harness import Row, peer, report

SHAPES = {"4096x1000": ((4096, 1000), -1), "1000x4096, axis 0": ((1000, 4096), 0)}
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
        ng.softmax_gradient(out, g, axis=axis, out=inner)

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


def rows() -> list[Row]:
    """One row for each shape and function."""
    torch = peer("torch")
    if torch is not None:
        torch.set_num_threads(1)
    found: list[Row] = []
    for name, (shape, axis) in SHAPES.items():
        found += softmax_rows(name, shape, axis, torch)
    return found


if __name__ == "__main__":
    with ng.config(engine="naive"):
        raise SystemExit(report(rows()))
