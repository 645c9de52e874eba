"""Steps of training of a transformer's block, a residual block and an LSTM, against PyTorch.

    python -m benchmarks.blocks [transformer residual recurrent small] [--threads 2] [--rounds 10]
                                [--compiled]

The transformer's block (8 heads, 512 wide, 256 positions, batch 8) is trained by Adam, the residual
one (two 3x3 convolutions of 64 channels with batch norm, 16 images of 28x28) and the LSTM (128
units, 32 sequences of 50 steps; small: 32 units, 8 of 20) by SGD with momentum, all towards targets
by the mean square. Before anything is timed, three steps of all have to give the same losses.
`--compiled` adds `torch.compile`, which needs a C++ compiler. See `benchmarks.training` for what is
measured.
"""

from __future__ import annotations

import argparse
import os
from typing import Any

import numpy as np

import nbgraph as ng
from benchmarks import training
from benchmarks.harness import machine, peer
from benchmarks.training import Step

RATE, MOMENTUM, CHANNELS = 0.01, 0.9, 64
SHAPES = {
    "transformer": (8, 256, 512),
    "residual": (16, CHANNELS, 28, 28),
    "recurrent": (32, 50, 128),
    "small": (8, 20, 32),
}
training.LEAST |= {name: {"torch eager": 1.2, "torch.compile": 1.0} for name in SHAPES}


class Residual(ng.nn.Module):
    """Two convolutions with norms, added to what came in."""

    def __init__(self) -> None:
        options = {"window": 3, "pad": 1, "in_channels": CHANNELS, "bias": False}
        self.first, self.second = (ng.nn.Conv2d(CHANNELS, **options) for _ in range(2))
        self.norm, self.last = ng.nn.BatchNorm(CHANNELS), ng.nn.BatchNorm(CHANNELS)

    def forward(self, x: Any) -> Any:
        """An array like `x`."""
        return ng.relu(x + self.last(self.second(ng.relu(self.norm(self.first(x))))))


def model_of(name: str) -> ng.nn.Module:
    """The block."""
    if name in ("recurrent", "small"):
        units = SHAPES[name][-1]
        return ng.nn.LSTM(units, in_features=units)
    return ng.nn.TransformerBlock(512, heads=8) if name == "transformer" else Residual()


def batch(name: str) -> tuple[Any, Any]:
    """Inputs and targets."""
    random = np.random.default_rng(0)
    return tuple(random.normal(size=SHAPES[name]).astype("float32") for _ in range(2))


def ours(name: str, model: ng.nn.Module) -> Step:
    """`ng.optim.train_step` of the module."""
    weights = model.parameters()
    adam = name == "transformer"
    opt = ng.optim.Adam(weights, 1e-3) if adam else ng.optim.SGD(weights, RATE, momentum=MOMENTUM)

    def loss(model: Any, x: Any, target: Any) -> Any:
        with ng.autograd.train_mode():
            outs = model(x)
            outs = outs[0] if isinstance(outs, tuple) else outs  # states beside them
            return ng.mean(ng.square(outs - target))

    run = ng.optim.train_step(loss, opt, params=model)
    x, target = map(ng.array, batch(name))

    def step() -> float:
        value = run(x, target)
        ng.waitall()
        return value.item()

    return step


def transformer(torch: Any, w: dict[str, Any], x: Any) -> Any:
    """The block by PyTorch's functions."""
    f = torch.nn.functional

    def dense(x: Any, name: str) -> Any:
        return f.linear(x, w[f"{name}.weight"], w[f"{name}.bias"])

    def norm(x: Any, name: str) -> Any:
        return f.layer_norm(x, x.shape[-1:], w[f"{name}.gamma"], w[f"{name}.beta"])

    h = norm(x, "before")
    parts = [dense(h, f"attention.{n}") for n in ("query", "key", "value")]
    heads = [p.view(*p.shape[:2], 8, -1).transpose(1, 2) for p in parts]
    mixed = f.scaled_dot_product_attention(*heads).transpose(1, 2).reshape(x.shape)
    x = x + dense(mixed, "attention.out")
    return x + dense(f.gelu(dense(norm(x, "between"), "wide")), "narrow")


def residual(torch: Any, w: dict[str, Any], x: Any) -> Any:
    """The same of the residual block."""
    f = torch.nn.functional

    def norm(x: Any, name: str) -> Any:
        moving = torch.zeros(CHANNELS), torch.ones(CHANNELS)
        return f.batch_norm(x, *moving, w[f"{name}.gamma"], w[f"{name}.beta"], training=True)

    h = torch.relu(norm(f.conv2d(x, w["first.weight"], padding=1), "norm"))
    return torch.relu(x + norm(f.conv2d(h, w["second.weight"], padding=1), "last"))


def recurrent(torch: Any, w: dict[str, Any], x: Any) -> Any:
    """The same of the LSTM, whose forget gate has one added."""
    weight, recurrent, bias = w.values()
    forget, units = torch.zeros_like(bias), x.shape[-1]
    forget[units : 2 * units] = 1.0
    weights = [weight, recurrent, bias + forget, torch.zeros_like(bias)]
    state = [torch.zeros(1, len(x), units)] * 2
    return torch._VF.lstm(x, state, weights, True, 1, 0.0, True, False, True)[0]


def of_torch(name: str, torch: Any, model: ng.nn.Module, *, compiled: bool) -> Step:
    """PyTorch, call by call or compiled, with its quickest optimizer."""
    weights = model.parameters().items()
    w = {key: torch.tensor(value.asnumpy(), requires_grad=True) for key, value in weights}
    if name == "transformer":
        opt = torch.optim.Adam(list(w.values()), 1e-3, fused=True)
    else:
        opt = torch.optim.SGD(list(w.values()), RATE, momentum=MOMENTUM, fused=True)
    x, target = map(torch.from_numpy, batch(name))
    forward = recurrent if name == "small" else globals()[name]

    def loss(x: Any, target: Any) -> Any:
        return ((forward(torch, w, x) - target) ** 2).mean()

    run = torch.compile(loss) if compiled else loss

    def step() -> float:
        opt.zero_grad()
        value = run(x, target)
        value.backward()
        opt.step()
        return value.item()

    return step


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("blocks", nargs="*", default=list(SHAPES))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--compiled", action="store_true")
    options = parser.parse_args()
    if options.threads == 1:
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-1:])
    print(machine(("numpy", "torch")), f"{options.threads} thread(s)")
    print("load", os.getloadavg())
    torch = peer("torch")
    for name in options.blocks:
        model = model_of(name)
        steps = {}
        if torch is not None:
            torch.set_num_threads(options.threads)
            steps["torch eager"] = of_torch(name, torch, model, compiled=False)
            if options.compiled:
                steps["torch.compile"] = of_torch(name, torch, model, compiled=True)
        steps = {"bound": ours(name, model), **steps}
        training.require_equal(steps)
        times = training.measured(steps, options.rounds)
        print(name, training.table(name, times, int(options.threads == 1)), sep="\n")


if __name__ == "__main__":
    main()
