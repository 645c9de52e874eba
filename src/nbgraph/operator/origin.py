"""Where an operator comes from that nobody wrote."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from nbgraph.operator.mapper import Mapper


class Made(NamedTuple):
    """The origin of an operator that a function of this package makes of another one."""

    make: Callable[..., Mapper]
    arguments: tuple[Any, ...]
