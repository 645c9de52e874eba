"""Where formulas change: bends, ties, nothing, infinities, NaN. First derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np

import nbgraph as ng
from benchmarks.torch_cases.case import Case, Rng, numbers, one_of

INF, NAN = np.inf, np.nan


def bends(rng: Rng, torch: Any) -> Case:
    """Functions of elements at the very points where their formula changes."""
    functional = torch.nn.functional
    table: dict[str, tuple[list[float], Any, Any]] = {
        "relu": ([0.0, -0.0], ng.relu, functional.relu),
        "relu6": ([0.0, 6.0], ng.relu6, functional.relu6),
        "leaky_relu": ([0.0], ng.leaky_relu, functional.leaky_relu),
        "elu": ([0.0], ng.elu, functional.elu),
        "celu": ([0.0], ng.celu, functional.celu),
        "selu": ([0.0], ng.selu, functional.selu),
        "hard_swish": ([-3.0, 3.0], ng.hard_swish, functional.hardswish),
        "hard_sigmoid": ([-3.0, 3.0], ng.hard_sigmoid, functional.hardsigmoid),
        "hard_tanh": ([-1.0, 1.0], ng.hard_tanh, functional.hardtanh),
        "softsign": ([0.0], ng.softsign, functional.softsign),
        "abs": ([0.0, -0.0], ng.abs, torch.abs),
        "clip": ([-1.0, 1.0], lambda x: ng.clip(x, -1, 1), lambda x: torch.clip(x, -1, 1)),
        "square": ([0.0], lambda x: x**2, lambda x: x**2),
        "cube": ([0.0, -1.5], lambda x: x**3, lambda x: x**3),
        "sqrt": ([0.0], ng.sqrt, torch.sqrt),
        "sinc": ([0.0], ng.sinc, torch.sinc),
        "sign": ([0.0, 1.0], lambda x: ng.sign(x) + x, lambda x: torch.sign(x) + x),
    }
    name = one_of(rng, *table)
    points, ours, theirs = table[name]
    tolerance = 1e-8 if name.startswith("hard") else 1e-12
    return Case(f"{name} of {points}", [np.array(points)], ours, theirs, 1, tolerance)


def ties(rng: Rng, torch: Any) -> Case:
    """Equal numbers: which is taken, and who gets the gradient. Not `maximum` of two: there the
    gradient goes to one, as in any branch, and half of it to each in PyTorch."""
    shape = numbers(rng, 1, 6, 2)
    x = rng.integers(0, 3, shape).astype(float)
    y = rng.integers(0, 3, shape).astype(float)
    axis = int(rng.integers(2))
    table: dict[str, tuple[list[Any], Any, Any]] = {
        "max": ([x], lambda x: ng.max(x, axis), lambda x: torch.amax(x, axis)),
        "min": ([x], ng.min, torch.amin),
        "sort": ([x], lambda x: ng.sort(x, axis),
                 lambda x: torch.sort(x, dim=axis, stable=True)[0]),
        "max_pooling": ([x[None, None]], lambda x: ng.max_pooling(x, (1, shape[1])),
                        lambda x: torch.nn.functional.max_pool2d(x, (1, shape[1]))),
        "argsort": ([x], lambda x: ng.argsort(x, axis),
                    lambda x: torch.argsort(x, dim=axis, stable=True)),
        "searchsorted": ([np.sort(x[0]), y], ng.searchsorted, torch.searchsorted),
        "median of norms": ([x], lambda x: ng.vector_norm(x, ord=np.inf),
                            lambda x: torch.linalg.vector_norm(x, np.inf)),
    }  # fmt: skip
    name = one_of(rng, *table)
    order = 0 if name in ("argsort", "searchsorted") else 1
    operands, ours, theirs = table[name]
    return Case(f"{name} axis={axis} of {x.tolist()}", operands, ours, theirs, order, 1e-12)


def odd(rng: Rng, torch: Any) -> Case:
    """NaN and infinities among the elements: values alone."""
    shape = (2, int(rng.integers(2, 7)))
    x = rng.choice([1.0, -2.0, 3.5, INF, -INF, NAN, 0.0, 7.0], size=shape)
    table: dict[str, tuple[Any, Any]] = {
        "max": (lambda x: ng.max(x, 1), lambda x: torch.amax(x, 1)),
        "min": (lambda x: ng.min(x, 1), lambda x: torch.amin(x, 1)),
        "sum": (lambda x: ng.sum(x, 1), lambda x: torch.sum(x, 1)),
        "argmax": (lambda x: ng.argmax(x, 1), lambda x: torch.argmax(x, 1)),
        "cummax": (lambda x: ng.cummax(x, 1), lambda x: torch.cummax(x, 1)[0]),
        "cumprod": (lambda x: ng.cumprod(x, 1), lambda x: torch.cumprod(x, 1)),
        "sort": (lambda x: ng.sort(x, 1), lambda x: torch.sort(x, 1)[0]),
        "max_pooling": (lambda x: ng.max_pooling(ng.expand_dims(x, 0), 2, stride=1),
                        lambda x: torch.nn.functional.max_pool1d(x[None], 2, 1)),
        "softmax": (ng.softmax, lambda x: torch.softmax(x, 1)),
        "log_softmax": (ng.log_softmax, lambda x: torch.log_softmax(x, 1)),
        "logsumexp": (lambda x: ng.logsumexp(x, 1), lambda x: torch.logsumexp(x, 1)),
        "relu": (ng.relu, torch.relu),
        "clip": (lambda x: ng.clip(x, -1, 2), lambda x: torch.clip(x, -1, 2)),
        "maximum": (lambda x: ng.maximum(x, 1.0), lambda x: torch.clamp(x, min=1.0)),
        "sigmoid": (ng.sigmoid, torch.sigmoid),
        "softplus": (ng.softplus, torch.nn.functional.softplus),
        "gelu": (lambda x: ng.gelu(ng.where(x == -np.inf, -1e4, x)),
                 lambda x: torch.nn.functional.gelu(torch.where(x == -np.inf, -1e4, x))),
        "tanh": (ng.tanh, torch.tanh),
        "nan first": (lambda x: ng.topk(x, 2)[0], lambda x: torch.topk(x, 2)[0]),
    }  # fmt: skip
    name = one_of(rng, *table)
    return Case(f"{name} of {x.tolist()}", [x], *table[name], order=0)


def flat(rng: Rng, torch: Any) -> Case:
    """Rows that are constant, and no data at all. Not the cross entropy of probabilities 0 and 1,
    which is infinite in ours and 100 in PyTorch."""
    functional = torch.nn.functional
    constant = np.full((3, 4), float(rng.normal()))
    ends = np.array([0.0, 1.0, 1.0, 0.0, 0.3])
    target = torch.tensor([0.0, 1.0, 0.0, 1.0, 0.5], dtype=torch.float64)
    nothing = np.zeros((3, 0))
    table: dict[str, tuple[list[Any], Any, Any]] = {
        "layer_norm": ([constant], ng.layer_norm, lambda x: functional.layer_norm(x, (4,))),
        "rms_norm": ([constant * 0], ng.rms_norm, lambda x: functional.rms_norm(x, (4,), eps=1e-5)),
        "batch_norm": ([constant], ng.batch_norm,
                       lambda x: functional.batch_norm(x, None, None, training=True)),
        "sum": ([nothing], lambda x: ng.sum(x, 1), lambda x: torch.sum(x, 1)),
        "prod": ([nothing], lambda x: ng.prod(x, 1), lambda x: torch.prod(x, 1)),
        "logsumexp": ([nothing], lambda x: ng.logsumexp(x, 1), lambda x: torch.logsumexp(x, 1)),
        "softmax": ([nothing], ng.softmax, lambda x: torch.softmax(x, 1)),
        "cumsum": ([nothing], lambda x: ng.cumsum(x, 1), lambda x: torch.cumsum(x, 1)),
        "sort": ([nothing], ng.sort, lambda x: torch.sort(x)[0]),
        "concat": ([nothing, constant], lambda *v: ng.concat(v, 1), lambda *v: torch.cat(v, 1)),
        "linear": ([nothing.T, constant], lambda x, w: ng.fully_connected(x, w[:, :3]),
                   lambda x, w: functional.linear(x, w[:, :3])),
        "smooth_l1": ([ends], lambda x: ng.smooth_l1_loss(x, target.numpy(), beta=0),
                      lambda x: functional.smooth_l1_loss(x, target, beta=0.0)),
        "huber": ([ends], lambda x: ng.huber_loss(x, target.numpy(), delta=1.0),
                  lambda x: functional.huber_loss(x, target, delta=1.0)),
        "norm": ([constant * 0], ng.vector_norm, torch.linalg.vector_norm),
        "one_hot": ([np.array([2, 0, 1])], lambda i: ng.one_hot(i, 4),
                    lambda i: functional.one_hot(i, 4).float()),
        "l1": ([constant], lambda x: ng.l1_loss(x, constant.copy()),
               lambda x: functional.l1_loss(x, torch.from_numpy(constant.copy()))),
    }  # fmt: skip
    name = one_of(rng, *table)
    operands, ours, theirs = table[name]
    return Case(name, operands, ours, theirs, order=1, tolerance=1e-10)


KINDS = {"bends": bends, "ties": ties, "odd": odd, "flat": flat}
