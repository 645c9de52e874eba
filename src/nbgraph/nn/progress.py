"""What is seen of a training while it runs: tqdm's bar where that is installed, else lines."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any


def followed(batches: Iterable[Any], total: int | None, label: str, *, shown: bool) -> Any:
    """The batches, with a bar if there is one to be had."""
    bar = _tqdm() if shown else None
    return Plain(batches) if bar is None else bar(batches, total=total, desc=label, leave=False)


class Plain:
    """Batches without a bar."""

    def __init__(self, batches: Iterable[Any]) -> None:
        self._batches = batches

    def __iter__(self) -> Iterator[Any]:
        return iter(self._batches)

    def close(self) -> None:
        """There is nothing to take away."""


def told(label: str, row: Mapping[str, Any], *, shown: bool) -> None:
    """A line on standard error."""
    if shown:
        sys.stderr.write(f"{label}: {text_of(row)}\n")


def text_of(values: Mapping[str, Any]) -> str:
    """Return numbers by name as text; what is no number is left out.

    >>> text_of({"loss": 0.51239, "confusion": [[1.0]]})
    'loss 0.5124'
    """
    numbers = {name: v for name, v in values.items() if isinstance(v, (int, float))}
    return ", ".join([f"{name} {value:.4g}" for name, value in numbers.items()])


def _tqdm() -> Any:
    try:
        return importlib.import_module("tqdm.auto").tqdm
    except ImportError:
        return None
