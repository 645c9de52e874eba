"""Packages that reading some kinds of data takes; each is imported when it is needed."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from typing import Any

from nbgraph.errors import DataError


def extra(module: str, package: str, name: str, what: str) -> Any:
    """Return a module, or raise with the extra of nbgraph that installs it."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise DataError(f"{what}: this takes {package}; install nbgraph[{name}]") from None


def progress(items: Iterable[Any], total: int, label: str, done: int = 0) -> Any:
    """Return the items with tqdm's bar on standard error, or as they are without that package."""
    try:
        bar = importlib.import_module("tqdm.auto").tqdm
    except ImportError:
        return items
    return bar(items, total=total, desc=label, initial=done)
