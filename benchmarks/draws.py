"""The figures of random numbers and dropout: against NumPy's generator, and PyTorch.

    python -m benchmarks.draws

NumPy draws by its Philox, of which dropout makes a mask and a product. Arrays run on the calling
thread here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import nbgraph as ng
from benchmarks.harness import Row, Timed, peer, report

SIZE = 10**6
FLOATS = ("float32", "float64")


def dropout(dtype: str, rng: np.random.Generator, torch: Any) -> Row:
    """A mask and a product."""
    x, out = rng.random(SIZE, dtype=dtype), np.empty(SIZE, dtype)  # type: ignore[arg-type]
    held = ng.array(x)

    def drops() -> None:
        kept = rng.random(SIZE, dtype=x.dtype.type) >= 0.3
        factor = np.multiply(kept, 1 / 0.7, dtype=x.dtype)
        np.multiply(x, factor, out=out)

    peers: dict[str, Timed] = {"numpy": drops}
    if torch is not None:
        tx = torch.from_numpy(x)
        peers["torch"] = lambda: torch.nn.functional.dropout(tx, 0.3)
    return Row(f"dropout {dtype}", lambda: ng.dropout(held, 0.3), peers, {"numpy": 1.5}, SIZE)


def numbers(what: str, dtype: str, rng: np.random.Generator, torch: Any) -> Row:
    """A distribution of standard numbers."""
    out = np.empty(SIZE, dtype)
    method = {"uniform": "random"}.get(what, f"standard_{what}")
    theirs, own = getattr(rng, method), getattr(ng.random, what)
    peers: dict[str, Timed] = {"numpy": lambda: theirs(out=out, dtype=out.dtype.type)}
    if torch is not None:
        tx = torch.from_numpy(out)
        peers["torch"] = getattr(tx, f"{what}_")
    target = 1.5 if what == "uniform" else 3.0 if (what, dtype) == ("normal", "float32") else 1.0
    return Row(
        f"{what} {dtype}",
        lambda: own(size=SIZE, dtype=dtype),
        peers,
        {"numpy": target},
        SIZE,
    )


def integers(rng: np.random.Generator, torch: Any) -> Row:
    """Numbers below 100."""
    peers: dict[str, Timed] = {"numpy": lambda: rng.integers(100, size=SIZE)}
    if torch is not None:
        peers["torch"] = lambda: torch.randint(100, (SIZE,))
    return Row("integers int64", lambda: ng.random.integers(100, size=SIZE), peers, {}, SIZE)


def rows() -> list[Row]:
    """All of them."""
    torch, rng = peer("torch"), np.random.Generator(np.random.Philox(1))
    return [
        *(numbers(w, d, rng, torch) for w in ("uniform", "normal", "exponential") for d in FLOATS),
        integers(rng, torch),
        *(dropout(d, rng, torch) for d in FLOATS),
    ]


if __name__ == "__main__":
    with ng.config(engine="naive"), ng.autograd.train_mode():
        raise SystemExit(report(rows()))
