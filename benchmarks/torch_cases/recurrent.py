"""Recurrent cells and layers with PyTorch's weights; our LSTM adds one to what the forget gate
takes. One time in two with both of PyTorch's biases.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import nbgraph as ng
from benchmarks.torch_cases.case import Array, Case, Rng, flag, normal, numbers, one_of

KIND = {"RNN": 1, "LSTM": 4, "GRU": 3}


def _forgetting(name: str, bias: Any, units: int) -> Any:
    """Our bias from one of PyTorch's."""
    if name != "LSTM":
        return bias
    one = np.zeros(4 * units)
    one[units : 2 * units] = 1
    return bias - one


def _fill(cell: Any, name: str, weights: Sequence[Any]) -> None:
    """Give a cell its weights: for the input, for the state, and a bias."""
    cell.weight, cell.recurrent, bias = weights[:3]
    cell.bias = _forgetting(name, bias, cell.units)
    if len(weights) > 3:
        cell.recurrent_bias = weights[3]


def _weights(rng: Rng, name: str, units: int, features: int, biases: int) -> list[Array]:
    rows = KIND[name] * units
    return [normal(rng, rows, features), normal(rng, rows, units),
            *(normal(rng, rows) for _ in range(biases))]  # fmt: skip


def _named(torch: Any, end: str, weights: Sequence[Any]) -> dict[str, Any]:
    """As PyTorch calls them; what has no second bias gets zeros."""
    second = weights[3] if len(weights) > 3 else torch.zeros_like(weights[2])
    names = "weight_ih", "weight_hh", "bias_ih", "bias_hh"
    return dict(zip([n + end for n in names], [*weights[:3], second]))


def cell(rng: Rng, torch: Any) -> Case:
    """One step, from a state or from zeros."""
    name = one_of(rng, *KIND)
    rows, units, features = numbers(rng, 1, 5, 3)
    count = int(rng.integers(3, 5))
    how = {"in_features": features, "recurrent_bias": count > 3}
    ours = getattr(ng.nn, f"{name}Cell")(units, **how)
    judge = getattr(torch.nn, f"{name}Cell")(features, units).double()
    states = [normal(rng, rows, units) for _ in range(2 if name == "LSTM" else 1)]
    states = states if flag(rng) else []

    def mine(x: Any, *rest: Any) -> Any:
        _fill(ours, name, rest[:count])
        out, after = ours(x, rest[count:] or None)
        return ng.concat([out, *after], 1)

    def theirs(x: Any, *rest: Any) -> Any:
        given = rest[count:] if name == "LSTM" else (rest[count:] or (None,))[0]
        state = given if given is None or len(given) else None
        after = torch.func.functional_call(judge, _named(torch, "", rest[:count]), (x, state))
        after = after if isinstance(after, tuple) else (after,)
        return torch.cat([after[0], *after], 1)

    weights = _weights(rng, name, units, features, count - 2)
    operands = [normal(rng, rows, features), *weights, *states]
    return Case(f"nn.{name}Cell {how} states={len(states)}", operands, mine, theirs)


def layer(rng: Rng, torch: Any) -> Case:
    """A sequence through one or two layers."""
    name = one_of(rng, *KIND)
    rows, units, features, steps = numbers(rng, 1, 4, 4)
    layers, count = int(rng.integers(1, 3)), int(rng.integers(3, 5))
    how = {"in_features": features, "recurrent_bias": count > 3}
    ours = getattr(ng.nn, name)(units, layers=layers, **how)
    judge = getattr(torch.nn, name)(features, units, layers, batch_first=True).double()
    weights = [
        w
        for k in range(layers)
        for w in _weights(rng, name, units, units if k else features, count - 2)
    ]

    def mine(x: Any, *rest: Any) -> Any:
        for k, one in enumerate(ours.cells):
            _fill(one, name, rest[k * count :][:count])
        return ours(x)[0]

    def theirs(x: Any, *rest: Any) -> Any:
        given: dict[str, Any] = {}
        for k in range(layers):
            given |= _named(torch, f"_l{k}", rest[k * count :][:count])
        return torch.func.functional_call(judge, given, (x,))[0]

    text = f"nn.{name} layers={layers} {how}"
    return Case(text, [normal(rng, rows, steps, features), *weights], mine, theirs, tolerance=1e-8)


KINDS = {"cell": cell, "layer": layer}
