"""Steps of training against PyTorch and JAX: forward, loss, backward and update of two models.

    python -m benchmarks.training [mlp lenet small] [--optimizer sgd|adam] [--threads 2]

An MLP (784-512-10, batch 256), LeNet (batch 64 of 1x28x28), and a small MLP (64-64-10, batch 64),
where what a call costs counts. Ours in three ways: a bound symbol
(`exe.train_step`), a function of arrays (`ng.optim.train_step`), and operator by operator. Before
anything is timed, three steps of all have to give the same losses. All take turns within a round.
With --threads 1 the process is pinned to one core, and CPU time says how much work there is; with
more, wall time counts, which needs an idle machine.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

import nbgraph as ng
from benchmarks.harness import machine, peer

Step = Callable[[], float]  # one step; the loss before it
RATE, MOMENTUM, STEPS = 0.01, 0.9, 5
BATCHES = {"mlp": (256, 784), "lenet": (64, 1, 28, 28), "small": (64, 64)}
SHAPES: dict[str, dict[str, tuple[int, ...]]] = {
    "mlp": {"w1": (512, 784), "b1": (512,), "w2": (10, 512), "b2": (10,)},
    "small": {"w1": (64, 64), "b1": (64,), "w2": (10, 64), "b2": (10,)},
    "lenet": {
        "w1": (20, 1, 5, 5),
        "b1": (20,),
        "w2": (50, 20, 5, 5),
        "b2": (50,),
        "w3": (500, 800),
        "b3": (500,),
        "w4": (10, 500),
        "b4": (10,),
    },
}
LEAST = {  # of ours, bound, against the peers
    "mlp": {"torch eager": 1.2, "jax.jit": 0.97},
    "lenet": {"torch eager": 0.8, "jax.jit": 1.0},
    "small": {"torch eager": 2.5, "jax.jit": 1.0},
}


class Task:
    """A model, its batch, and the weights that all begin with."""

    def __init__(self, model: str, optimizer: str, batch: int | None = None) -> None:
        self.model, self.optimizer = model, optimizer
        random = np.random.default_rng(0)
        count, *shape = BATCHES[model]
        self.x = random.normal(size=(batch or count, *shape)).astype("float32")
        self.label = random.integers(0, 10, len(self.x))
        self.weights = {
            name: (random.normal(size=shape) / np.sqrt(np.prod(shape[1:]) + 1)).astype("float32")
            for name, shape in SHAPES[model].items()
        }

    def ours(self, params: Any) -> Any:
        """Our optimizer over arrays."""
        if self.optimizer == "adam":
            return ng.optim.Adam(params, RATE / 10)
        return ng.optim.SGD(params, RATE, momentum=MOMENTUM)


# ours -------------------------------------------------------------------------------------------


def loss(model: str, w: Mapping[str, Any], x: Any, label: Any) -> Any:
    """The mean cross entropy, of arrays or of symbols."""
    if model != "lenet":
        h = ng.relu(ng.fully_connected(x, w["w1"], w["b1"]))
        return ng.mean(ng.cross_entropy(ng.fully_connected(h, w["w2"], w["b2"]), label))
    h = ng.max_pooling(ng.tanh(ng.convolution(x, w["w1"], w["b1"])), 2)
    h = ng.max_pooling(ng.tanh(ng.convolution(h, w["w2"], w["b2"])), 2)
    h = ng.tanh(ng.fully_connected(h, w["w3"], w["b3"]))
    return ng.mean(ng.cross_entropy(ng.fully_connected(h, w["w4"], w["b4"]), label))


def bound(task: Task, device: Any = None) -> Step:
    """A bound symbol."""
    v = {name: ng.var(name, shape=each.shape) for name, each in task.weights.items()}
    x = ng.var("x", shape=task.x.shape)
    label = ng.var("label", shape=task.label.shape, dtype="int64")
    asked = {"x": "null", "label": "null", **dict.fromkeys(v, "write")}
    exe = loss(task.model, v, x, label).simple_bind(device or ng.cpu(), grad_req=asked)
    for name, value in {"x": task.x, "label": task.label, **task.weights}.items():
        exe.arg_dict[name][:] = value
    opt = task.ours({name: exe.arg_dict[name] for name in v})

    def step() -> float:
        (value,) = exe.train_step(opt)
        ng.waitall()
        return value.item()

    return step


def arrays(task: Task, device: Any) -> tuple[dict[str, Any], Any, Any]:
    """Weights, batch and labels."""
    params = {name: ng.array(value, device=device) for name, value in task.weights.items()}
    return params, ng.array(task.x, device=device), ng.array(task.label, device=device)


def function(task: Task, device: Any = None) -> Step:
    """A function of arrays."""
    params, x, label = arrays(task, device)
    run = ng.optim.train_step(lambda w, x, label: loss(task.model, w, x, label), task.ours(params))

    def step() -> float:
        value = run(x, label)
        ng.waitall()
        return value.item()

    return step


def eager(task: Task, device: Any = None) -> Step:
    """Operator by operator."""
    params, x, label = arrays(task, device)
    opt = task.ours(params)
    for each in params.values():
        each.attach_grad()

    def step() -> float:
        with ng.autograd.record():
            value = loss(task.model, params, x, label)
        value.backward()
        opt.step()
        ng.waitall()
        return value.item()

    return step


# peers ------------------------------------------------------------------------------------------


def of_torch(torch: Any, task: Task, device: str = "cpu") -> Step:
    """PyTorch, call by call, with its quickest optimizer."""
    f, x = torch.nn.functional, torch.tensor(task.x, device=device)
    label = torch.tensor(task.label, device=device)
    w = {k: torch.tensor(v, device=device, requires_grad=True) for k, v in task.weights.items()}
    if task.optimizer == "adam":
        opt = torch.optim.Adam(list(w.values()), RATE / 10, fused=True)
    else:
        opt = torch.optim.SGD(list(w.values()), RATE, momentum=MOMENTUM, fused=True)

    def outputs() -> Any:
        if task.model != "lenet":
            return f.linear(torch.relu(f.linear(x, w["w1"], w["b1"])), w["w2"], w["b2"])
        h = f.max_pool2d(torch.tanh(f.conv2d(x, w["w1"], w["b1"])), 2)
        h = f.max_pool2d(torch.tanh(f.conv2d(h, w["w2"], w["b2"])), 2)
        h = torch.tanh(f.linear(h.flatten(1), w["w3"], w["b3"]))
        return f.linear(h, w["w4"], w["b4"])

    def step() -> float:
        opt.zero_grad()
        value = f.cross_entropy(outputs(), label)
        value.backward()
        opt.step()
        return value.item()

    return step


def of_jax(jax: Any, task: Task) -> Step:
    """`jax.jit` of the whole step, its state donated."""
    np_, lax = jax.numpy, jax.lax

    def pooled(h: Any) -> Any:
        return lax.reduce_window(h, -np_.inf, lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")

    def convolved(x: Any, w: Any, b: Any) -> Any:
        found = lax.conv(x, w, (1, 1), "VALID")
        return np_.tanh(found + b[None, :, None, None])

    def value(w: Any, x: Any, label: Any) -> Any:
        if task.model != "lenet":
            h = jax.nn.relu(x @ w["w1"].T + w["b1"]) @ w["w2"].T + w["b2"]
        else:
            h = pooled(convolved(x, w["w1"], w["b1"]))
            h = pooled(convolved(h, w["w2"], w["b2"]))
            h = np_.tanh(h.reshape(h.shape[0], -1) @ w["w3"].T + w["b3"]) @ w["w4"].T + w["b4"]
        logits = jax.nn.log_softmax(h)
        return -np_.mean(np_.take_along_axis(logits, label[:, None], 1))

    def momentum(w: Any, m: Any, g: Any, t: Any) -> tuple[Any, Any]:
        m = MOMENTUM * m + g
        return w - RATE * m, m

    def adam(w: Any, state: Any, g: Any, t: Any) -> tuple[Any, Any]:
        m, v = 0.9 * state[0] + 0.1 * g, 0.999 * state[1] + 0.001 * g * g
        scaled = (m / (1 - 0.9**t)) / (np_.sqrt(v / (1 - 0.999**t)) + 1e-8)
        return w - RATE / 10 * scaled, (m, v)

    rule = adam if task.optimizer == "adam" else momentum

    def moved(w: Any, s: Any, t: Any, x: Any, label: Any) -> Any:
        found, grads = jax.value_and_grad(value)(w, x, label)
        made = {name: rule(w[name], s[name], grads[name], t) for name in w}
        return {n: a for n, (a, _) in made.items()}, {n: b for n, (_, b) in made.items()}, found

    run = jax.jit(moved, donate_argnums=(0, 1))
    zeros = {n: np_.zeros(v.shape, "float32") for n, v in task.weights.items()}
    pairs = {n: (z, np_.zeros_like(z)) for n, z in zeros.items()}
    held = [{n: np_.array(v) for n, v in task.weights.items()}]
    held += [pairs if task.optimizer == "adam" else zeros, 0]
    x, label = np_.array(task.x), np_.array(task.label)

    def step() -> float:
        held[2] += 1
        held[0], held[1], found = run(held[0], held[1], float(held[2]), x, label)
        jax.block_until_ready(held[0])
        return float(found)

    return step


# measuring --------------------------------------------------------------------------------------


def steps_of(task: Task, threads: int) -> dict[str, Step]:
    """All ways, by name; ours first."""
    found = {"bound": bound(task), "train_step": function(task), "eager": eager(task)}
    torch, jax = peer("torch"), peer("jax")
    if torch is not None:
        torch.set_num_threads(threads)
        found["torch eager"] = of_torch(torch, task)
    if jax is not None:
        found["jax.jit"] = of_jax(jax, task)
    return found


def require_equal(steps: Mapping[str, Step]) -> None:
    """Three steps of all give the same losses."""
    losses = {name: [step() for _ in range(3)] for name, step in steps.items()}
    for name, found in losses.items():
        np.testing.assert_allclose(found, losses["bound"], rtol=2e-4, err_msg=name)


def timed(step: Step) -> tuple[float, float]:
    """Seconds of a step by the wall, and of CPU."""
    step()
    wall, cpu = time.perf_counter(), time.process_time()
    for _ in range(STEPS):
        step()
    return (time.perf_counter() - wall) / STEPS, (time.process_time() - cpu) / STEPS


def measured(steps: Mapping[str, Step], rounds: int) -> dict[str, list[tuple[float, float]]]:
    """Times by name, all in turns."""
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in steps}
    for _ in range(rounds):
        for name, step in steps.items():
            found[name].append(timed(step))
    return found


def table(model: str, found: Mapping[str, list[tuple[float, float]]], clock: int) -> str:
    """Milliseconds, and how many times quicker ours, bound, is; `clock`: 0 wall, 1 CPU."""
    lines = [
        f"{model:12}{'best ms':>10}{'median':>10}{'CPU best':>10}{'ratio':>8}{'of medians':>12}"
    ]
    own = [each[clock] for each in found["bound"]]
    for name, times in found.items():
        which = [each[clock] for each in times]
        middle = statistics.median(which)
        ratios = min(which) / min(own), middle / statistics.median(own)
        least = LEAST[model].get(name)
        target = (
            ""
            if least is None
            else f"  at least {least}: " + ("met" if ratios[0] >= least else "MISSED")
        )
        cpu = min(each[1] for each in times)
        lines.append(
            f"{name:12}{min(which) * 1e3:10.3f}{middle * 1e3:10.3f}{cpu * 1e3:10.3f}"
            f"{ratios[0]:8.2f}{ratios[1]:12.2f}{target}"
        )
    return "\n".join(lines)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("models", nargs="*", default=[*SHAPES])
    parser.add_argument("--optimizer", choices=("sgd", "adam"), default="sgd")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=30)
    options = parser.parse_args()
    if options.threads == 1:
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-1:])
    print(machine(("numpy", "torch", "jax")), f"{options.threads} thread(s), {options.optimizer}")
    print("load", os.getloadavg())
    for model in options.models:
        steps = steps_of(Task(model, options.optimizer), options.threads)
        require_equal(steps)
        print(table(model, measured(steps, options.rounds), int(options.threads == 1)))


if __name__ == "__main__":
    main()
