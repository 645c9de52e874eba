"""Functions that kernels share: compiled once, by content, and linked to their callers.

What a kernel does around its inner runs depends on the number and layout of its operands alone, and
mathematics that is called, not inlined, on its name and precision. Compiled with each kernel, these
were two thirds of the work on a short text.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import NamedTuple

from nbgraph.codegen.target import PREFIX

NAME = f"{PREFIX}made"  # stands for the symbol in texts that `shared` takes


class Shared(NamedTuple):
    """A module of its own, how callers declare what is in it, and what it calls in its turn."""

    symbol: str
    text: str
    declaration: str
    uses: tuple[Shared, ...] = ()


def shared(text: str, declaration: str, uses: tuple[Shared, ...] = ()) -> Shared:
    """Return a module whose symbols begin with NAME; they get a name by content."""
    symbol = PREFIX + hashlib.sha256(text.encode()).hexdigest()[:16]
    return Shared(symbol, text.replace(NAME, symbol), declaration.replace(NAME, symbol), uses)


def closure(called: Iterable[Shared]) -> list[Shared]:
    """Return all that is called, what these call included, each once."""
    members: dict[Shared, None] = {}
    for each in called:
        members.update(dict.fromkeys([each, *closure(each.uses)]))
    return list(members)
