"""Functions of elements: activations, and the others that PyTorch has by a name; in float64,
and the values in 16 bits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import nbgraph as ng
from benchmarks.torch_cases.case import Array, Case, Rng, flag, normal, one_of, shape_of

ACTIVATIONS = "relu relu6 leaky_relu elu celu selu gelu silu mish sigmoid softplus softsign".split()
OTHERS = (
    "exp exp2 expm1 sin cos tan sinh cosh tanh asinh arctan erf erfc square abs sigmoid "
    "sinc cbrt digamma deg2rad rad2deg floor trunc"
).split()
POSITIVE = "log log2 log10 log1p sqrt rsqrt reciprocal lgamma digamma".split()
WITHIN = "arcsin arccos arctanh erfinv logit".split()  # -1 to 1, logit 0 to 1
PAIRS = (
    "add subtract multiply divide maximum minimum arctan2 hypot logaddexp logaddexp2 power fmax "
    "fmin fmod remainder copysign xlogy"
).split()
NAMES = {
    "softplus": "nn.functional.softplus",
    "log_sigmoid": "nn.functional.logsigmoid",
    "hard_sigmoid": "nn.functional.hardsigmoid",
    "hard_swish": "nn.functional.hardswish",
    "arcsin": "asin",
    "arccos": "acos",
    "arctan": "atan",
    "arctanh": "atanh",
    "arctan2": "atan2",
    "power": "pow",
} | {n: f"nn.functional.{n}" for n in ACTIVATIONS if n != "sigmoid"}


def _theirs(torch: Any, name: str) -> Callable[..., Any]:
    if name == "cbrt":
        return lambda x: torch.sign(x) * torch.abs(x) ** (1 / 3)
    found: Any = torch
    for part in NAMES.get(name, name).split("."):
        found = getattr(found, part)
    return found


def activation(rng: Rng, torch: Any) -> Case:
    """With its parameters, where it has some."""
    functional, number = torch.nn.functional, float(rng.uniform(0.1, 2))
    low, high = -float(rng.uniform(0.2, 2)), float(rng.uniform(0.2, 2))
    table: dict[str, Any] = {name: ({}, {}, _theirs(torch, name)) for name in ACTIVATIONS}
    table |= {n: ({}, {}, _theirs(torch, n)) for n in ("log_sigmoid", "hard_sigmoid", "hard_swish")}
    for name, ours, theirs in (
        ("leaky_relu", "slope", "negative_slope"),
        ("elu", "alpha", "alpha"),
        ("celu", "alpha", "alpha"),
    ):
        table[f"{name} "] = ({ours: number}, {theirs: number}, getattr(functional, name))
    table["gelu "] = ({"approximate": "tanh"},) * 2 + (functional.gelu,)
    table["hard_tanh"] = ({"low": low, "high": high}, {"min_val": low, "max_val": high},
                          functional.hardtanh)  # fmt: skip
    name = one_of(rng, *table)
    ours, theirs, judge = table[name]
    function = getattr(ng, name.strip())
    return Case(
        f"{name} {ours}",
        [2.5 * normal(rng, *shape_of(rng, 0))],
        lambda x: function(x, **ours),
        lambda x: judge(x, **theirs),
        tolerance=2e-8,  # PyTorch rounds 1 / alpha and 1 / 6 to float32
    )


def extremes(rng: Rng, torch: Any) -> Case:
    """Activations of huge and tiny numbers, infinities and zeros: values and first derivatives."""
    name = one_of(rng, *ACTIVATIONS, "log_sigmoid", "hard_sigmoid", "hard_swish")
    x = np.array([-1e308, -1e4, -750.0, -40.0, -1e-300, 1e-300, 1e-8, 40.0, 750.0, 1e4])
    return Case(
        f"{name} of extremes",
        [x],
        getattr(ng, name),
        _theirs(torch, name),
        order=1,
        tolerance=1e-8 if name.startswith("hard") else 1e-12,
    )


def slopes(rng: Rng, torch: Any) -> Case:
    """`prelu`, one slope for all and one for each channel."""
    shape = shape_of(rng, 2)
    channels = shape[1] if flag(rng) else 1
    place = (channels, *[1] * (len(shape) - 2))
    return Case(
        "prelu",
        [normal(rng, *shape), rng.uniform(0.1, 0.9, channels)],
        lambda x, s: ng.prelu(x, ng.reshape(s, place)),
        torch.nn.functional.prelu,
    )


def function(rng: Rng, torch: Any) -> Case:
    """One operand."""
    name = one_of(rng, *OTHERS, *POSITIVE, *WITHIN)
    x: Array = 1.5 * normal(rng, *shape_of(rng, 0))
    if name in POSITIVE:
        x = np.abs(x) + 0.1
    if name in WITHIN:
        x = 0.45 * np.tanh(x) * 2
        x = (x + 1) / 2 if name == "logit" else x
    if name in ("cbrt", "digamma", "sinc"):  # apart from where theirs has no derivative
        x = np.abs(x) + 0.3
    return Case(name, [x], getattr(ng, name), _theirs(torch, name), 2, tolerance=1e-8)


def pair(rng: Rng, torch: Any) -> Case:
    """Two operands that broadcast against each other."""
    name, shape = one_of(rng, *PAIRS), shape_of(rng)
    other = tuple(1 if rng.integers(3) == 0 else n for n in shape)[int(rng.integers(len(shape))) :]
    a, b = normal(rng, *shape), normal(rng, *other)
    if name == "power":
        a = np.abs(a) + 0.2
    elif name == "xlogy":
        b = np.abs(b) + 0.2
    elif flag(rng):
        a, b = b, a
    return Case(name, [a, b], getattr(ng, name), _theirs(torch, name))


def halves(rng: Rng, torch: Any) -> Case:
    """Values in float16: both round once, from float32."""
    name = one_of(rng, *ACTIVATIONS, "exp", "tanh", "sin", "log_sigmoid")
    x = (2 * rng.normal(size=shape_of(rng))).astype("float16")
    judge = _theirs(torch, name)
    return Case(
        f"{name} of float16",
        [x],
        getattr(ng, name),
        lambda x: judge(x.float()).half(),
        order=0,
        tolerance=1e-3,
    )


KINDS = {
    "activation": activation,
    "extremes": extremes,
    "slopes": slopes,
    "function": function,
    "pair": pair,
    "halves": halves,
}
