"""The figures of random numbers and dropout: against NumPy's generator, and PyTorch.

    python -m benchmarks.draws

NumPy draws the same numbers: its Philox, of which dropout makes a mask and a product. Arrays run on
the calling thread here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import nbgraph as ng
from benchmarks.harness import Row, peer, report

SIZE = 10**6


def row_of(what: str, dtype: str, torch: Any) -> Row:
    """One operator in one dtype."""
    rng = np.random.Generator(np.random.Philox(1))
    x, out = rng.random(SIZE, dtype=dtype), np.empty(SIZE, dtype)  # type: ignore[arg-type]
    held = ng.array(x)

    def drops() -> None:
        kept = rng.random(SIZE, dtype=x.dtype.type) >= 0.3
        factor = np.multiply(kept, 1 / 0.7, dtype=x.dtype)
        np.multiply(x, factor, out=out)

    if what == "dropout":
        own, peers = lambda: ng.dropout(held, 0.3), {"numpy": drops}
    else:
        own = lambda: ng.random.uniform(size=SIZE, dtype=dtype)
        peers = {"numpy": lambda: rng.random(out=out, dtype=x.dtype.type)}
    if torch is not None:
        tx = torch.from_numpy(x)
        if what == "dropout":
            peers["torch"] = lambda: torch.nn.functional.dropout(tx, 0.3)
        else:
            peers["torch"] = lambda: torch.rand(SIZE, dtype=tx.dtype)
    return Row(f"{what} {dtype}", own, peers, {"numpy": 1.5}, SIZE)


def rows() -> list[Row]:
    """All of them."""
    torch = peer("torch")
    return [row_of(w, d, torch) for w in ("uniform", "dropout") for d in ("float32", "float64")]


if __name__ == "__main__":
    with ng.config(engine="naive"), ng.autograd.train_mode():
        raise SystemExit(report(rows()))
