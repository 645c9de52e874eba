"""Statistics of the resource managers."""

from dataclasses import dataclass

from nbgraph.picture import Report, columns
from nbgraph.resource.manager import managers
from nbgraph.resource.random import streams
from nbgraph.storage.sizes import readable


@dataclass(frozen=True, slots=True)
class SpaceStats:
    """A temporary space: its size, how often it was requested, how often it grew."""

    device: str
    copy: int
    nbytes: int
    asks: int
    grown: int


@dataclass(frozen=True, slots=True)
class StreamStats:
    """A random stream: its seed, None if it has none, and the parallel draws since."""

    device: str
    seed: int | None
    draws: int


@dataclass(frozen=True, slots=True)
class Stats(Report):
    """The temporary spaces and random streams of all devices."""

    title = "ng.resource.stats()"

    spaces: tuple[SpaceStats, ...]
    streams: tuple[StreamStats, ...]

    def sections(self) -> list[tuple[str, str]]:
        spaces = [
            (f"{s.device} [{s.copy}]", readable(s.nbytes), f"{s.asks} asks", f"grew {s.grown} x")
            for s in self.spaces
        ]
        streams = [
            (s.device, "not seeded" if s.seed is None else f"seed {s.seed}", f"{s.draws} draws")
            for s in self.streams
        ]
        return [
            ("temporary space", columns(spaces) or "none asked for"),
            ("random streams", columns(streams) or "none asked for"),
        ]


def stats() -> Stats:
    """Return statistics of the temporary spaces and random streams in use.

    >>> print(Stats((SpaceStats("cpu(0)", 0, 4096, 3, 1),), (StreamStats("cpu(0)", 7, 2),)))
    temporary space
        cpu(0) [0]  4.0 KiB  3 asks  grew 1 x
    <BLANKLINE>
    random streams
        cpu(0)  seed 7  2 draws
    """
    return Stats(
        tuple(
            SpaceStats(repr(m.device), i, space.nbytes, space.asks, space.grown)
            for m in managers()
            for i, space in enumerate(m.spaces)
        ),
        tuple(
            StreamStats(repr(s.device), s.entropy if s.seeded else None, s.drawn) for s in streams()
        ),
    )
