"""A training in a file: all that its next step depends on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from nbgraph.errors import FormatError
from nbgraph.nn.module import Module
from nbgraph.optim import Optimizer, files
from nbgraph.resource.states import random_state

FORMAT = 1


class Position(NamedTuple):
    """How far a training is.

    `totals`: sums of loss and metrics, which are called `names`, over the samples of the epoch that
    is under way, None before its first; `data`: what the order of its batches depends on.
    """

    names: list[str]

    rows: list[dict[str, float]]
    batch: int
    samples: int
    totals: Any
    data: dict[str, Any]


def save(path: Any, model: Module, optimizer: Optimizer, position: Position) -> None:
    """Write a training; waits for its arrays."""
    told = {
        "format": FORMAT,
        "names": position.names,
        "rows": position.rows,
        "batch": position.batch,
        "samples": position.samples,
        "data": position.data,
        "random": random_state(),
    }
    made = {"about": json.dumps(told), "model": model.state_dict()}
    made["optimizer"] = optimizer.state_dict()
    if position.totals is not None:
        made["totals"] = position.totals
    beside = Path(path).with_name(f"new-{Path(path).name}")
    files.save(beside, made)
    beside.replace(path)


class Held(NamedTuple):
    """A training as it was found in a file."""

    position: Position
    random: dict[str, Any]


def load(path: Any, model: Module, optimizer: Optimizer) -> Held | None:
    """Take weights and the optimizer's states from a file; None if there is none.

    FormatError for a file of something else.
    """
    if path is None or not Path(path).exists():
        return None
    held = files.load(path)
    if not isinstance(held, dict) or "about" not in held:
        raise FormatError(f"fit: {path} is no checkpoint; give one that fit wrote, or a new name")
    told = json.loads(held["about"])
    if told["format"] != FORMAT:
        raise FormatError(f"fit: {path} has format {told['format']}; this version reads {FORMAT}")
    model.load_state_dict(held["model"])
    optimizer.load_state_dict(held["optimizer"])
    place = told["names"], told["rows"], told["batch"], told["samples"]
    position = Position(*place, held.get("totals"), told["data"])
    return Held(position, told["random"])
