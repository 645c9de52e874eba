"""Where an operator comes from that nobody wrote."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class Made(NamedTuple):
    """The origin of an operator that a function of this package makes of another one."""

    make: Callable[..., Any]
    arguments: tuple[Any, ...]
