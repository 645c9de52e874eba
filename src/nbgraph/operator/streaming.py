"""When outputs are written past the caches.

That pays for outputs which are driven out of the last cache anyway before somebody reads them, and
costs time for smaller ones: measured, the two meet at about half of the cache. Memory that an
operand is read from is in the cache when it is written, so in place there is nothing to win.
"""

from __future__ import annotations

from collections.abc import Sequence

from nbgraph.native.processor import LINE, last_cache
from nbgraph.settings import config
from nbgraph.shape import Space

_RUN = 1024  # elements; what lines hold at the ends of shorter runs counts


def threshold() -> int:
    """Bytes of outputs from which on they are streamed; 0: they never are."""
    asked = config.stream_bytes
    return last_cache() // 2 if asked < 0 else asked


def streams(
    where: Space, sizes: Sequence[int], layouts: Sequence[str], requests: Sequence[str]
) -> bool:
    """Whether the outputs of a map over a space are written past the caches: `sizes` of elements,
    layouts and requests are those of outputs that somebody needs.

    >>> streams(Space(1 << 30, (4, 4), ()), [4], ["c"], ["write"])
    True
    >>> streams(Space(1 << 30, (4, 4), ()), [4], ["c"], ["add"])
    False
    """
    least = threshold()
    large = 0 < least <= where.size * sum(sizes)
    return large and where.inner >= _RUN and {*layouts} == {"c"} and {*requests} == {"write"}


def level(addresses: Sequence[int]) -> bool:
    """Whether cache lines begin at the same elements of all outputs.

    >>> level([0, 4096]), level([16, 32])
    (True, False)
    """
    return len({address % LINE for address in addresses}) == 1
