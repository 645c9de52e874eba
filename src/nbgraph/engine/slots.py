"""Where kernels of a device say what is wrong with what they were given, such as an index.

A kernel leaves a code in a word of the host, which is looked at when the job is over. So such a
failure is that of an operation, as on the host, and not one of the whole device.
"""

from __future__ import annotations

from collections import deque
from typing import Any

from nbgraph.device import driver
from nbgraph.errors import NbgraphError, of_kernel

_PAGE = 512  # words that are asked for at once


class Words:
    """Words of the host that a device writes to; each belongs to one job at a time."""

    def __init__(self) -> None:
        self._free: deque[Any] = deque()  # arrays of one word, which is 0

    def take(self) -> Any:
        """One that nobody has."""
        try:
            return self._free.popleft()
        except IndexError:
            page = driver().pinned(8 * _PAGE).view("int64")
            page[...] = 0
            self._free.extend(page[k : k + 1] for k in range(1, _PAGE))
            return page[:1]

    def give(self, word: Any) -> None:
        """It is the next one's."""
        word[0] = 0
        self._free.append(word)


class Slots:
    """Where the kernels of a job leave codes; see `RunContext.slot`."""

    __slots__ = ("_taken", "_words")

    def __init__(self, words: Words) -> None:
        self._words = words
        self._taken: list[tuple[str, Any]] = []

    def take(self, name: str) -> int:
        """The address of another word."""
        word = self._words.take()
        self._taken.append((name, word))
        return int(word.__array_interface__["data"][0])

    def look(self) -> NbgraphError | None:
        """What went wrong first, now that the job is over."""
        found: NbgraphError | None = None
        for name, word in self._taken:
            if word[0] and found is None:
                found = of_kernel(name, int(word[0]))
            self._words.give(word)
        self._taken = []
        return found
