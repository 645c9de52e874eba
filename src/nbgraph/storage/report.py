"""Statistics of storage: bytes, blocks, and how often a pool had a free block."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from nbgraph.picture import Report, columns
from nbgraph.scopes import count_of
from nbgraph.storage.memory import account, holders
from nbgraph.storage.pools import Pool
from nbgraph.storage.sizes import readable


@dataclass(frozen=True, slots=True)
class Stats(Report):
    """Memory of a device: bytes, blocks, and hits of pools. `peak` counts free blocks too."""

    title = "ng.storage.stats()"

    device: str
    strategy: str
    in_use: int  # bytes
    free: int  # bytes in pools
    peak: int  # bytes
    borrowed: int  # bytes
    limit: int  # bytes; 0: none
    blocks: int
    free_blocks: int
    takes: int
    hits: int
    misses: int
    holders: tuple[str, ...]

    @property
    def allocated(self) -> int:
        """Bytes in use and free."""
        return self.in_use + self.free

    @property
    def hit_rate(self) -> float:
        """The share of takes that found a free block; 1.0 without takes."""
        return self.hits / self.takes if self.takes else 1.0

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "allocated": self.allocated, "hit_rate": self.hit_rate}

    def sections(self) -> list[tuple[str, str]]:
        rows = [
            ("in use", readable(self.in_use)),
            ("free in pools", f"{readable(self.free)} ({self.free_blocks} blocks)"),
            ("most at once", readable(self.peak)),
            ("borrowed", readable(self.borrowed)),
            ("limit", readable(self.limit) if self.limit else "none"),
            ("blocks", str(self.blocks)),
            ("takes", f"{self.takes}: {self.hits} hits, {self.misses} misses"),
            ("hit rate", f"{self.hit_rate:.4f}"),
        ]
        head = f"storage of {self.device}, {self.strategy}"
        return [(head, columns(rows)), ("who holds it", "\n".join(self.holders))]


def gather(name: str, strategy: str, limit: int, pools: Sequence[Pool[Any]]) -> Stats:
    """Return the counts of pools and of the accounts of their devices, summed."""
    books = [account(pool.device) for pool in pools]
    bins = [bin for pool in pools for bin in pool.bins()]
    allocated = sum(b.allocated for b in books)
    free = sum(pool.free_bytes() for pool in pools)
    misses = sum(count_of(bin.misses) for bin in bins)
    takes = sum(count_of(bin.takes) for bin in bins)
    return Stats(
        device=name,
        strategy=strategy,
        in_use=allocated - free,
        free=free,
        peak=sum(b.peak for b in books),
        borrowed=sum(b.borrowed for b in books),
        limit=limit,
        blocks=sum(b.sizes.total() for b in books),
        free_blocks=sum(len(bin.free) for bin in bins),
        takes=takes,
        hits=max(0, takes - misses),
        misses=misses,
        holders=tuple(line for b in books for line in holders(b)),
    )
