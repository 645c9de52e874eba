"""Checkpoints: files with all that the next step of a training depends on."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from nbgraph.errors import FormatError
from nbgraph.nn.module import Module
from nbgraph.optim import Optimizer, files
from nbgraph.resource.states import random_state

FORMAT = 2
_PARTS = ("sums", "gathered", "callbacks")


class Position(NamedTuple):
    """The progress of a training.

    `rows`: the history of finished epochs; `batch`: the number of batches done in the next epoch;
    `data`: the state on which their order depends; `sums`: of loss and metrics over them;
    `gathered`: accumulated gradients of the next step; `callbacks`: the states of callbacks;
    `random`: the state of random numbers, which `save` looks up.
    """

    rows: list[dict[str, Any]]
    batch: int
    data: dict[str, Any]
    sums: dict[str, Any]
    gathered: dict[str, Any]
    callbacks: dict[str, Any]
    random: Mapping[str, Any] | None = None


def save(path: Any, model: Module, optimizer: Optimizer, position: Position) -> None:
    """Write a training to a file; wait for its arrays."""
    about = {
        "format": FORMAT,
        "rows": position.rows,
        "batch": position.batch,
        "data": position.data,
        "random": random_state(),
    }
    parts = {"about": json.dumps(about), "model": model.state_dict()}
    parts["optimizer"] = optimizer.state_dict()
    parts |= {name: getattr(position, name) for name in _PARTS}
    files.save(path, parts)


def load(path: Any, model: Module, optimizer: Optimizer) -> Position | None:
    """Load weights and the optimizer's states from a file; return the rest, or None if there is no
    file.

    Raises FormatError for a file that is not a checkpoint.
    """
    if path is None or not Path(path).exists():
        return None
    data = files.load(path)
    if not isinstance(data, dict) or "about" not in data:
        raise FormatError(
            f"fit: {path} is not a checkpoint; give one that fit wrote, or a new name"
        )
    about = json.loads(data["about"])
    if about["format"] != FORMAT:
        raise FormatError(f"fit: {path} has format {about['format']}; this version reads {FORMAT}")
    model.load_state_dict(data["model"])
    optimizer.load_state_dict(data["optimizer"])
    parts = [data[name] for name in _PARTS]
    return Position(about["rows"], about["batch"], about["data"], *parts, random=about["random"])
