"""Functions that kernels share: compiled once per content, and linked to their callers.

The code around a kernel's inner runs depends only on the number and layout of operands, and
mathematics that is called, not inlined, on its name and precision. Compiled with each kernel, they
took two thirds of the time for a short text.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import NamedTuple

from nbgraph.codegen.target import PREFIX

NAME = f"{PREFIX}made"  # stands for the symbol in texts passed to `shared`


class Shared(NamedTuple):
    """A separate module, its declaration for callers, and the modules it calls."""

    symbol: str
    text: str
    declaration: str
    uses: tuple[Shared, ...] = ()


def shared(text: str, declaration: str, uses: tuple[Shared, ...] = ()) -> Shared:
    """Return a module whose symbols begin with NAME, renamed by content."""
    symbol = PREFIX + hashlib.sha256(text.encode()).hexdigest()[:16]
    return Shared(symbol, text.replace(NAME, symbol), declaration.replace(NAME, symbol), uses)


def closure(called: Iterable[Shared]) -> list[Shared]:
    """Return all modules called directly or indirectly, each once."""
    members: dict[Shared, None] = {}
    for each in called:
        members.update(dict.fromkeys([each, *closure(each.uses)]))
    return list(members)
