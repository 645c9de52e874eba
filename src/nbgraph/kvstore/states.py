"""States of an optimizer for slices of parameters, as those for whole ones and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from nbgraph.array.create import array
from nbgraph.kvstore.slices import Slice

Slices = Mapping[Any, Sequence[Slice]]


def joined(states: Sequence[Mapping[str, Any]], slices: Slices, specs: Mapping[Any, Any]) -> Any:
    """Return one state dict of the shards' (see `Optimizer.state_dict`).

    `specs`: of each key its `layout`, which has the shape.
    """
    parts: dict[str, Any] = {}
    for each in states:
        parts |= each["parameters"]
    whole: dict[str, Any] = {}
    for key, own in slices.items():
        held = [parts[piece.name] for piece in own if piece.name in parts]
        if not held:
            continue
        shape = specs[key].layout.shape
        arrays = {
            name: array(
                np.concatenate([np.ravel(one["states"][name]) for one in held]).reshape(shape)
            )
            for name in held[0]["states"]
        }
        whole[str(key)] = {**held[0], "states": arrays}
    return {**states[0], "parameters": whole}


def parted(state: Mapping[str, Any], slices: Slices) -> Callable[[int], dict[str, Any]]:
    """Return a function from the number of a shard to the state dict of its slices."""
    parameters = state["parameters"]

    def of(shard: int) -> dict[str, Any]:
        mine: dict[str, Any] = {}
        for key, own in slices.items():
            held = parameters.get(str(key))
            for piece in own:
                if held is None or piece.shard != shard:
                    continue
                arrays = {
                    name: np.ravel(value.asnumpy())[piece.start : piece.stop]
                    for name, value in held["states"].items()
                }
                mine[piece.name] = {**held, "states": arrays}
        return {**state, "parameters": mine}

    return of
