"""What common calls on small arrays cost, one at a time, beside torch's and NumPy's.

    python -m benchmarks.eager [words of a call's name ...]

CPU time of the whole process per call, engine workers and the recycling of results included: the
median of nine runs, in which the three libraries take turns. Nothing has a limit here: the table
says where a call goes a long way round.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

import nbgraph as ng
from benchmarks.arrays import cpu_times
from benchmarks.harness import peer

Call = Callable[[], object]
_REPEATS = 500


class Kit:
    """Arrays of one library under common names, and the names of its functions."""

    def __init__(self, array: Callable[[Any], Any], library: Any, functions: Any) -> None:
        rng = np.random.default_rng(0)
        self.x = array(rng.normal(size=(16, 128)).astype(np.float32))
        self.y = array(rng.normal(size=(16, 128)).astype(np.float32))
        self.row = array(rng.normal(size=128).astype(np.float32))
        self.v = array(rng.normal(size=64).astype(np.float32))
        self.small = array(rng.normal(size=(3, 4)).astype(np.float32))
        self.whole = array(rng.integers(0, 9, (16, 128)))
        self.labels = array(rng.integers(0, 128, 16))
        self.places = array(np.arange(0, 16, 3))
        self.truth = array(np.arange(64) % 3 == 0)
        self.weight = array(rng.normal(size=(32, 128)).astype(np.float32))
        self.bias = array(rng.normal(size=32).astype(np.float32))
        self.library, self.functions = library, functions


def common(k: Kit) -> dict[str, Call]:
    """Calls that all three spell alike."""
    x, y, v, small, whole, library = k.x, k.y, k.v, k.small, k.whole, k.library

    def assigned() -> None:
        v[3:9] = 1.5

    def added() -> None:
        nonlocal v
        v += 0.0

    return {
        "x + 1": lambda: x + 1,
        "x > y": lambda: x > y,
        "small.sum()": small.sum,
        "x.sum()": x.sum,
        "x.sum(axis=0)": lambda: x.sum(axis=0),
        "x.sum(axis=1)": lambda: x.sum(axis=1),
        "x.mean()": x.mean,
        "x.mean(axis=1)": lambda: x.mean(axis=1),
        "v.max()": v.max,
        "v.prod()": v.prod,
        "v.any()": v.any,
        "x.argmax(axis=1)": lambda: x.argmax(axis=1),
        "whole.sum(axis=1)": lambda: whole.sum(axis=1),
        "x.reshape(128, 16)": lambda: x.reshape(128, 16),
        "x.T": lambda: x.T,
        "x[2:9]": lambda: x[2:9],
        "x[3]": lambda: x[3],
        "x[places]": lambda: x[k.places],
        "v[truth]": lambda: v[k.truth],
        "v[3:9] = 1.5": assigned,
        "v += 0": added,
        "concatenate": lambda: library.concatenate((x, y)),
        "stack": lambda: library.stack((x, y)),
        "where": lambda: library.where(x > 0, x, y),
        "x.clip(-1, 1)": lambda: x.clip(-1, 1),
        "float(x.sum())": lambda: float(x.sum()),
    }


def numpy_calls() -> dict[str, Call]:
    """NumPy's."""
    k = Kit(np.array, np, None)
    return {
        **common(k),
        "x.max(axis=1)": lambda: k.x.max(axis=1),
        "sum(1, keepdims)": lambda: k.x.sum(axis=1, keepdims=True),
        "x.std(axis=1)": lambda: k.x.std(axis=1),
        "x.var()": k.x.var,
        "norm(x)": lambda: np.linalg.norm(k.x),
        "astype": lambda: k.x.astype("float64"),
        "to NumPy": k.x.copy,
    }


def torch_calls(torch: Any) -> dict[str, Call]:
    """torch's; deviations without a correction."""
    torch.set_num_threads(2)
    f = torch.nn.functional
    k = Kit(torch.from_numpy, torch, f)
    x, leaf = k.x, k.weight.clone().requires_grad_()

    def step() -> None:
        leaf.grad = None
        f.cross_entropy(f.linear(x, leaf), k.labels % 32).backward()

    return {
        **common(k),
        "x.max(axis=1)": lambda: x.amax(1),
        "sum(1, keepdims)": lambda: x.sum(1, keepdim=True),
        "x.std(axis=1)": lambda: x.std(1, correction=0),
        "x.var()": lambda: x.var(correction=0),
        "norm(x)": lambda: torch.linalg.vector_norm(x),
        "astype": lambda: x.to(torch.float64),
        "to NumPy": lambda: x.clone().numpy(),
        "softmax": lambda: f.softmax(x, -1),
        "log_softmax": lambda: f.log_softmax(x, -1),
        "layer_norm": lambda: f.layer_norm(x, (128,)),
        "cross entropy": lambda: f.cross_entropy(x, k.labels),
        "linear": lambda: f.linear(x, k.weight, k.bias),
        "dropout": lambda: f.dropout(x, 0.5),
        "linear, loss, backward": step,
    }


def own_calls() -> dict[str, Call]:
    """nbgraph's."""
    k = Kit(ng.array, ng, None)
    x, leaf = k.x, ng.array(k.weight.asnumpy())
    leaf.attach_grad()
    labels = ng.array(k.labels.asnumpy() % 32)

    def step() -> None:
        with ng.autograd.record():
            loss = ng.cross_entropy(ng.fully_connected(x, leaf), labels).mean()
        loss.backward()

    def dropped() -> object:
        with ng.autograd.train_mode():
            return ng.dropout(x, 0.5)

    return {
        **common(k),
        "x.max(axis=1)": lambda: x.max(axis=1),
        "sum(1, keepdims)": lambda: x.sum(axis=1, keepdims=True),
        "x.std(axis=1)": lambda: x.std(axis=1),
        "x.var()": x.var,
        "norm(x)": lambda: ng.norm(x),
        "astype": lambda: x.astype("float64"),
        "to NumPy": x.asnumpy,
        "softmax": lambda: ng.softmax(x),
        "log_softmax": lambda: ng.log_softmax(x),
        "layer_norm": lambda: ng.layer_norm(x, 1.0, 0.0),
        "cross entropy": lambda: ng.cross_entropy(x, k.labels).mean(),
        "linear": lambda: ng.fully_connected(x, k.weight, k.bias),
        "dropout": dropped,
        "linear, loss, backward": step,
    }


def measured(chosen: list[str]) -> Iterator[tuple[str, Mapping[str, float]]]:
    """A call's name, and its seconds by library."""
    torch = peer("torch")
    peers = {"NumPy": numpy_calls(), "torch": torch_calls(torch) if torch is not None else {}}
    ng.engine.set("threaded")
    for name, call in own_calls().items():
        if chosen and not any(word in name for word in chosen):
            continue
        calls = {"nbgraph": call} | {p: own[name] for p, own in peers.items() if name in own}
        cpu_times(calls, 20)  # ways are learnt
        yield name, cpu_times(calls, _REPEATS)


def main(chosen: list[str]) -> int:
    """Print the table, in microseconds; the last column is ours over torch's."""
    print(f"{'microseconds a call':24}{'nbgraph':>9}{'torch':>9}{'NumPy':>9}{'ratio':>8}")
    for name, taken in measured(chosen):
        cells = [taken.get(p) for p in ("nbgraph", "torch", "NumPy")]
        shown = "".join(f"{'-' if c is None else format(c * 1e6, '.2f'):>9}" for c in cells)
        ratio = f"{cells[0] / cells[1]:8.2f}" if cells[0] and cells[1] else ""
        print(f"{name:24}{shown}{ratio}", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
