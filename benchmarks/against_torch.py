"""Convolutions, pools and norms against PyTorch on random configurations: values and gradients.

    python -m benchmarks.against_torch --seed 0 --count 50

Each configuration is computed in float64 by both, forward and back from one out-gradient, on arrays
and as a bound graph in turns; what differs is printed with the configuration that shows it.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

import nbgraph as ng
from benchmarks.harness import peer

TOLERANCE = 1e-9
Rng = np.random.Generator


class Case(NamedTuple):
    """One configuration: how it is called, its operands, and both functions of them."""

    text: str
    operands: Sequence[np.ndarray[Any, Any]]
    ours: Callable[..., Any]
    theirs: Callable[..., Any]


def numbers(rng: Rng, least: int, most: int, count: int) -> tuple[int, ...]:
    """Whole numbers from `least` up to and without `most`."""
    return tuple(int(n) for n in rng.integers(least, most, count))


def convolution(rng: Rng, torch: Any) -> Case:
    """Any stride, pad, dilation and groups; its transpose one time in two."""
    axes = int(rng.integers(1, 4))
    groups, channels, features = numbers(rng, 1, 4, 3)
    window, gap = numbers(rng, 1, 4, axes), numbers(rng, 1, 3, axes)
    step, pad = numbers(rng, 1, 4, axes), numbers(rng, 0, 3, axes)
    space = tuple((k - 1) * g + 1 + int(rng.integers(0, 6)) for k, g in zip(window, gap))
    how = {"stride": step, "pad": pad, "dilation": gap, "groups": groups}
    w = rng.normal(size=(groups * features, channels, *window))
    if rng.integers(2):
        places = ((n + 2 * p - (k - 1) * g - 1) // s + 1
                  for n, k, s, p, g in zip(space, window, step, pad, gap))  # fmt: skip
        x = rng.normal(size=(2, groups * features, *places))
        least = [(o - 1) * s - 2 * p + (k - 1) * g + 1
                 for o, k, s, p, g in zip(x.shape[2:], window, step, pad, gap)]  # fmt: skip
        more = tuple(n - m for n, m in zip(space, least))
        back = getattr(torch.nn.functional, f"conv_transpose{axes}d")
        return Case(
            f"convolution_data size={space} {how}",
            (x, w, rng.normal(size=groups * channels)),
            lambda x, w, b: ng.convolution_data(x, w, b, size=space, **how),
            lambda x, w, b: back(x, w, b, step, pad, more, groups, gap),
        )
    x = rng.normal(size=(2, groups * channels, *space))
    forward = getattr(torch.nn.functional, f"conv{axes}d")
    return Case(
        f"convolution {how}",
        (x, w, rng.normal(size=groups * features)),
        lambda x, w, b: ng.convolution(x, w, b, **how),
        lambda x, w, b: forward(x, w, b, step, pad, gap, groups),
    )


def pool(rng: Rng, torch: Any) -> Case:
    """The largest value or the mean, by both conventions of the last place."""
    axes = int(rng.integers(1, 4))
    window, step = numbers(rng, 1, 5, axes), numbers(rng, 1, 4, axes)
    pad = tuple(int(rng.integers(0, k // 2 + 1)) for k in window)
    space = tuple(k + int(rng.integers(0, 7)) for k in window)
    how = {"stride": step, "pad": pad, "ceil": bool(rng.integers(2))}
    x = rng.permutation(2 * 3 * int(np.prod(space))).reshape(2, 3, *space) / 7.0
    if rng.integers(2):
        largest = getattr(torch.nn.functional, f"max_pool{axes}d")
        return Case(
            f"max_pooling {window} {how}",
            (x,),
            lambda x: ng.max_pooling(x, window, **how),
            lambda x: largest(x, window, step, pad, 1, how["ceil"]),
        )
    counted = bool(rng.integers(2))
    mean = getattr(torch.nn.functional, f"avg_pool{axes}d")
    return Case(
        f"avg_pooling {window} counted={counted} {how}",
        (x,),
        lambda x: ng.avg_pooling(x, window, counted=counted, **how),
        lambda x: mean(x, window, step, pad, how["ceil"], counted),
    )


def norm(rng: Rng, torch: Any) -> Case:
    """Layer, RMS, group, instance and batch norm."""
    functional = torch.nn.functional
    shape = (2, 6, *numbers(rng, 1, 9, int(rng.integers(1, 3))))
    eps, x = float(rng.uniform(1e-5, 0.1)), rng.normal(size=shape)
    which = ["layer", "rms", "group", "instance", "batch"][int(rng.integers(5))]
    if which in ("layer", "rms"):
        count = int(rng.integers(1, len(shape)))
        own, axis = shape[-count:], tuple(range(-count, 0))
        weights = [rng.normal(size=own) for _ in range(2 if which == "layer" else 1)]
        ours, theirs = getattr(ng, f"{which}_norm"), getattr(functional, f"{which}_norm")
        return Case(
            f"{which}_norm axis={axis} eps={eps}",
            (x, *weights),
            lambda x, *w: ours(x, *w, axis=axis, eps=eps),
            lambda x, *w: theirs(x, own, *w, eps=eps),
        )
    weights = [rng.normal(size=6), rng.normal(size=6)]
    if which == "group":
        return Case(
            f"group_norm 3 groups eps={eps}",
            (x, *weights),
            lambda x, *w: ng.group_norm(x, 3, *w, eps=eps),
            lambda x, *w: functional.group_norm(x, 3, *w, eps=eps),
        )
    if which == "instance":
        x = rng.normal(size=(*shape[:-1], shape[-1] + 2))
        return Case(
            f"instance_norm eps={eps}",
            (x, *weights),
            lambda x, *w: ng.instance_norm(x, *w, eps=eps),
            lambda x, *w: functional.instance_norm(x, None, None, *w, eps=eps),
        )
    return Case(
        f"batch_norm eps={eps}",
        (x, *weights),
        lambda x, *w: ng.batch_norm(x, *w, eps=eps),
        lambda x, *w: functional.batch_norm(x, None, None, *w, training=True, eps=eps),
    )


KINDS = {"convolution": convolution, "pool": pool, "norm": norm}


def eagerly(case: Case, seed: Any) -> list[np.ndarray[Any, Any]]:
    """The result and the gradients, on arrays."""
    arrays = [ng.array(x) for x in case.operands]
    for array in arrays:
        array.attach_grad()
    with ng.autograd.record():
        out = case.ours(*arrays)
    out.backward(ng.array(seed))
    return [out.asnumpy(), *(array.grad.asnumpy() for array in arrays)]


def bound(case: Case, seed: Any) -> list[np.ndarray[Any, Any]]:
    """The same as a graph."""
    names = [f"x{k}" for k in range(len(case.operands))]
    symbols = [
        ng.var(n, shape=x.shape, dtype=x.dtype) for n, x in zip(names, case.operands, strict=True)
    ]
    exe = case.ours(*symbols).simple_bind()
    (out,) = exe.forward_backward([ng.array(seed)], **dict(zip(names, case.operands, strict=True)))
    return [out.asnumpy(), *(exe.grad_dict[n].asnumpy() for n in names)]


def wanted(case: Case, torch: Any) -> tuple[list[np.ndarray[Any, Any]], Any]:
    """PyTorch's result and gradients, and the out-gradient that they are from."""
    tensors = [torch.from_numpy(x.copy()).requires_grad_() for x in case.operands]
    out = case.theirs(*tensors)
    seed = np.random.default_rng(1).normal(size=tuple(out.shape))
    out.backward(torch.from_numpy(seed))
    return [out.detach().numpy(), *(t.grad.numpy() for t in tensors)], seed


def differs(case: Case, torch: Any, run: Callable[..., Any]) -> float:
    """The largest difference, relative to the largest number."""
    judges, seed = wanted(case, torch)
    found = run(case, seed)
    worst = 0.0
    for own, judge in zip(found, judges, strict=True):
        if own.shape != judge.shape:
            return float("inf")
        scale = max(1.0, float(np.abs(judge).max(initial=0)))
        worst = max(worst, float(np.abs(own - judge).max(initial=0)) / scale)
    return worst


def main() -> int:
    """Run; the number of configurations that differ."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=30, help="configurations of each kind")
    asked = parser.parse_args()
    torch = peer("torch")
    if torch is None:
        print("PyTorch is not installed: nothing to compare with")
        return 0
    rng, failed = np.random.default_rng(asked.seed), 0
    for kind, make in KINDS.items():
        worst = 0.0
        for k in range(asked.count):
            case = make(rng, torch)
            off = differs(case, torch, bound if k % 2 else eagerly)
            worst = max(worst, off)
            if not off <= TOLERANCE:
                failed += 1
                shapes = [x.shape for x in case.operands]
                print(f"differs by {off:.1e}: {case.text} of {shapes}")
        print(f"{kind:12} {asked.count} configurations, largest difference {worst:.1e}")
    print(f"{failed} configurations differ" if failed else "all agree")
    return failed


if __name__ == "__main__":
    raise SystemExit(main())
