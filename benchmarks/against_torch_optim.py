"""Our optimizers against torch's: the same weights after fifty steps, with options drawn at random.

    python -m benchmarks.against_torch_optim [SEED]

Both work in float64 and from the same gradients, clipped by norm or by value or not at all, at a
fixed rate or by a schedule; the greatest difference is printed for each, and one of more than 1e-9
is an error. torch has to be installed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

import nbgraph as ng
from benchmarks.harness import peer

STEPS, ROUNDS, BOUND = 50, 24, 1e-9
Draw = Callable[[np.random.Generator], dict[str, Any]]


def number(low: float, high: float) -> Callable[[np.random.Generator], float]:
    """A number between two bounds, 0 once in three times."""
    return lambda rng: 0.0 if rng.integers(3) == 0 else float(rng.uniform(low, high))


def betas(rng: np.random.Generator) -> tuple[float, float]:
    return float(rng.uniform(0.5, 0.99)), float(rng.uniform(0.8, 0.9999))


def flag(rng: np.random.Generator) -> bool:
    return bool(rng.integers(2))


DECAY = number(0.001, 0.3)
KINDS: Mapping[str, tuple[str, Mapping[str, Callable[[np.random.Generator], Any]]]] = {
    "SGD": ("SGD", {"momentum": number(0.1, 0.99), "dampening": number(0.1, 0.5)}),
    "NAG": ("SGD", {"momentum": lambda rng: float(rng.uniform(0.1, 0.99))}),
    "Adagrad": ("Adagrad", {"lr_decay": number(0.01, 0.5)}),
    "RMSProp": (
        "RMSprop",
        {"alpha": lambda rng: float(rng.uniform(0.8, 0.99)), "momentum": number(0.1, 0.9)},
    ),
    "RMSProp centered": ("RMSprop", {"momentum": number(0.1, 0.9)}),
    "Adadelta": ("Adadelta", {"rho": lambda rng: float(rng.uniform(0.8, 0.99))}),
    "Adam": ("Adam", {"betas": betas, "amsgrad": flag}),
    "AdamW": ("AdamW", {"betas": betas, "amsgrad": flag}),
    "Adamax": ("Adamax", {"betas": betas}),
    "RAdam": ("RAdam", {"betas": betas}),
}
EXTRA: Mapping[str, tuple[dict[str, Any], dict[str, Any]]] = {  # ours, theirs
    "NAG": ({}, {"nesterov": True}),
    "RMSProp centered": ({"centered": True}, {"centered": True}),
}


def schedules(torch: Any, rng: np.random.Generator, lr: float) -> tuple[Any, Any]:
    """A rate by the number of the step, and what makes torch's scheduler of an optimizer."""
    optim, ours = torch.optim.lr_scheduler, ng.optim.schedules
    every, part = int(rng.integers(2, 12)), float(rng.uniform(0.2, 0.9))
    least, some = lr * float(rng.uniform(0, 0.5)), [5, 5 + every, 40]
    table: list[tuple[Any, Any]] = [
        (lr, lambda o: optim.LambdaLR(o, lambda n: 1.0)),
        (ours.step(lr, every, part), lambda o: optim.StepLR(o, every, part)),
        (ours.multifactor(lr, some, part), lambda o: optim.MultiStepLR(o, some, part)),
        (ours.exponential(lr, part), lambda o: optim.ExponentialLR(o, part)),
        (ours.poly(lr, STEPS, 2.0), lambda o: optim.PolynomialLR(o, STEPS, 2.0)),
        (ours.cosine(lr, STEPS, last=least), lambda o: optim.CosineAnnealingLR(o, STEPS, least)),
        (ours.restarts(lr, every, stretch=2, last=least),
         lambda o: optim.CosineAnnealingWarmRestarts(o, every, 2, least)),
        (ours.warmup(ours.constant(lr), every, first=least),
         lambda o: optim.LinearLR(o, least / lr, total_iters=every)),
        (ours.one_cycle(lr, STEPS, rise=part),
         lambda o: optim.OneCycleLR(o, lr, STEPS, pct_start=part, cycle_momentum=False)),
    ]  # fmt: skip
    return table[int(rng.integers(len(table)))]


def clipping(torch: Any, rng: np.random.Generator) -> tuple[dict[str, float], Callable[..., Any]]:
    """Our options, and torch's function of parameters."""
    bound = float(rng.uniform(0.2, 1.0))
    table: list[tuple[dict[str, float], Callable[..., Any]]] = [
        ({}, lambda params: None),
        ({"clip_norm": bound}, lambda params: torch.nn.utils.clip_grad_norm_(params, bound)),
        ({"clip_value": bound}, lambda params: torch.nn.utils.clip_grad_value_(params, bound)),
    ]
    return table[int(rng.integers(len(table)))]


def difference(torch: Any, kind: str, rng: np.random.Generator) -> float:
    """The greatest relative difference of weights after all steps."""
    name, draws = KINDS[kind]
    options = {what: draw(rng) for what, draw in draws.items()} | {"weight_decay": DECAY(rng)}
    mine, others = EXTRA.get(kind, ({}, {}))
    shapes = [(4, 5), (7,), ()]
    start = [np.asarray(rng.normal(size=s)) for s in shapes]
    a = {str(i): ng.array(w) for i, w in enumerate(start)}
    b = [torch.tensor(w, requires_grad=True) for w in start]
    lr = float(rng.uniform(1e-3, 0.1))
    rate, scheduler = schedules(torch, rng, lr)
    clips, clip = clipping(torch, rng)
    ours = getattr(ng.optim, kind.partition(" ")[0])(a, rate, **clips, **options, **mine)
    theirs = getattr(torch.optim, name)(b, lr, **options, **others)
    schedule = scheduler(theirs)
    for _ in range(STEPS):
        grads = [np.asarray(rng.normal(size=s)) for s in shapes]
        ours.step([ng.array(g) for g in grads])
        for w, g in zip(b, grads, strict=True):
            w.grad = torch.tensor(g)
        clip(b)
        theirs.step()
        schedule.step()
    pairs = zip(a.values(), b, strict=True)
    return max(float(np.abs(x.asnumpy() / y.detach().numpy() - 1).max()) for x, y in pairs)


def main() -> int:
    torch = peer("torch")
    if torch is None:
        print("torch is not installed: nothing to compare with")
        return 1
    rng = np.random.default_rng(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
    worst = 0.0
    for kind in KINDS:
        found = [difference(torch, kind, rng) for _ in range(ROUNDS)]
        worst = max(worst, *found)
        print(f"{kind:18} {max(found):.1e}")
    return int(worst > BOUND)


if __name__ == "__main__":
    sys.exit(main())
