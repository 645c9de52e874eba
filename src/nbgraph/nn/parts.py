"""Batches as inputs, targets and weights, on the device of the model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from nbgraph.array.chunk import CPU
from nbgraph.array.create import asarray
from nbgraph.device import Context
from nbgraph.errors import ArgumentError, noun
from nbgraph.io.protocol import DataBatch
from nbgraph.nn.module import Module


class Parts(NamedTuple):
    """A batch: inputs, targets, and weights of samples (None: all equal)."""

    inputs: tuple[Any, ...]
    target: Any
    weight: Any = None


Split = Callable[[Any], Parts]


def device_of(model: Module) -> Context:
    """Return the device of a model."""
    return next((array.device for _, array in model._arrays()), CPU)


def placed(parts: Parts, device: Context) -> Parts:
    """Return a batch on `device`."""
    if device.host:
        return parts
    inputs = tuple([asarray(x, device=device) for x in parts.inputs])
    rest = [v if v is None else asarray(v, device=device) for v in (parts.target, parts.weight)]
    return Parts(inputs, *rest)


def splitter(data: Any, weights: bool | str) -> Split:
    """Return a function that splits a batch of these data into inputs, targets and, if samples have
    weights, weights; `weights` may be the name of their column."""
    place = -1
    if isinstance(weights, str):
        described = [*getattr(data, "provide_data", ()), *getattr(data, "provide_label", ())]
        names = [each[0] for each in described]
        if weights not in names:
            raise ArgumentError(
                f"fit: sample_weight={weights!r}; the data have the columns "
                f"{', '.join(names) or 'of no name'}: give one of these, or True where the weights "
                "are last"
            )
        place = names.index(weights)

    def split(batch: Any) -> Parts:
        least = 3 if weights else 2
        if not isinstance(batch, (tuple, list)) or len(batch) < least:
            text = "inputs, a target and weights" if weights else "inputs and a target"
            raise ArgumentError(
                f"fit: a batch is {noun(batch)}"
                f"{f' of {len(batch)}' if isinstance(batch, (tuple, list)) else ''}; expected a "
                f"tuple of {text}"
            )
        parts = list(batch.unpadded() if isinstance(batch, DataBatch) else batch)
        weight = parts.pop(place) if weights else None
        *inputs, target = parts
        return Parts(tuple(inputs), target, weight)

    return split
