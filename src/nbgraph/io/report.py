"""A report on the time of a step: the work for its data, and the time that each side waits."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import Self

from nbgraph import picture
from nbgraph.picture import columns

WORK = ("reading", "decoding", "transforms", "batching")
_LITTLE = 0.05  # the share of a step that waiting may take before the data is called too slow


class _Here(threading.local):
    """The counters of the blocks of this thread."""

    seconds: dict[str, float] | None = None
    inside = 0.0  # of the block that is open: time of blocks inside of it


_here = _Here()


class counted:
    """Count the time of a block to a kind of work, less that of such blocks inside of it.

    Sources use it to tell decoding from reading. Outside of an iterator it does nothing.

    >>> seconds = {}
    >>> with collecting(seconds), counted("reading"), counted("decoding"):
    ...     time.sleep(0.01)
    >>> seconds["decoding"] > seconds["reading"]
    True
    """

    __slots__ = ("_before", "_begun", "_kind")

    def __init__(self, kind: str) -> None:
        self._kind = kind

    def __enter__(self) -> Self:
        self._before, _here.inside = _here.inside, 0.0
        self._begun = time.perf_counter()
        return self

    def __exit__(self, *_: object) -> None:
        elapsed = time.perf_counter() - self._begun
        seconds = _here.seconds
        if seconds is not None:
            seconds[self._kind] = seconds.get(self._kind, 0.0) + elapsed - _here.inside
        _here.inside = self._before + elapsed


class collecting:
    """Have the blocks of this thread counted in a dict of seconds by kind."""

    __slots__ = ("_before", "_seconds")

    def __init__(self, seconds: dict[str, float]) -> None:
        self._seconds = seconds

    def __enter__(self) -> Self:
        self._before, _here.seconds = _here.seconds, self._seconds
        return self

    def __exit__(self, *_: object) -> None:
        _here.seconds = self._before


class Meter:
    """The counts of an iterator since it was made."""

    def __init__(self) -> None:
        self.batches = 0
        self.seconds: dict[str, float] = {}
        self.waiting = self.steps = 0.0
        self._left: float | None = None  # when the last batch was given

    def begin(self) -> float:
        """Begin a request for a batch: the time since the last one is the step's."""
        now = time.perf_counter()
        if self._left is not None:
            self.steps += now - self._left
        return now

    def end(self, begun: float) -> None:
        """End the request: the batch is ready."""
        self._left = now = time.perf_counter()
        self.waiting += now - begun
        self.batches += 1

    def pause(self) -> None:
        """End an epoch: the time until the next request for a batch is not a step."""
        self._left = None

    def add(self, seconds: dict[str, float]) -> None:
        """Add the work for one batch."""
        own = self.seconds
        for kind, value in seconds.items():
            own[kind] = own.get(kind, 0.0) + value


@dataclass(frozen=True, slots=True)
class Report(picture.Report):
    """Seconds since the iterator was made.

    `work`: by kind, done on whatever thread; `waiting`: between the call of `next` and the batch;
    `steps`: from a batch to the call for the next one. With `prefetch` work goes on meanwhile.
    """

    title = "where the time of a step goes"

    name: str
    batches: int
    prefetch: int
    work: dict[str, float]
    waiting: float
    steps: float

    @property
    def bottleneck(self) -> str:
        """Return "data" where steps wait for it, else "model"."""
        return "data" if self.waiting > _LITTLE * (self.waiting + self.steps) else "model"

    def _verdict(self) -> str:
        if not self.batches:
            return "no batch was asked for"
        share = self.waiting / max(self.waiting + self.steps, 1e-12)
        text = f"{share:.0%} of the time is waiting for data"
        if self.bottleneck == "model":
            return f"the model is the bottleneck: {text}"
        most = max(self.work, key=lambda kind: self.work[kind], default="reading")
        remedy = "" if self.prefetch else "; prefetch=2 would have it done meanwhile"
        return f"the data is the bottleneck: {text}, most work is {most}{remedy}"

    def sections(self) -> list[tuple[str, str]]:
        count = max(self.batches, 1)
        total = max(sum(self.work.values()), 1e-12)
        work = [
            (kind, f"{1e3 * seconds / count:.3g} ms a batch", f"{seconds / total:.0%}")
            for kind, seconds in self.work.items()
        ]
        step = max(self.waiting + self.steps, 1e-12)
        turns = [
            (kind, f"{1e3 * seconds / count:.3g} ms a batch", f"{seconds / step:.0%}")
            for kind, seconds in (("waiting for data", self.waiting), ("the step", self.steps))
        ]
        head = f"{self.name}: {self.batches} batches, prefetch={self.prefetch}"
        return [
            (head, self._verdict()),
            ("work for a batch", columns(work) or "none"),
            ("from batch to batch", columns(turns)),
        ]


def report_of(name: str, meter: Meter, prefetch: int) -> Report:
    """Return what a meter has counted so far.

    >>> meter = Meter()
    >>> meter.batches, meter.waiting, meter.steps, meter.seconds = 4, 0.03, 0.01, {"reading": 0.02}
    >>> print(report_of("a.csv", meter, 0))
    a.csv: 4 batches, prefetch=0
        the data is the bottleneck: 75% of the time is waiting for data, most work is reading; prefetch=2 would have it done meanwhile
    <BLANKLINE>
    work for a batch
        reading  5 ms a batch  100%
    <BLANKLINE>
    from batch to batch
        waiting for data  7.5 ms a batch  75%
        the step          2.5 ms a batch  25%
    """  # noqa: E501
    work = {kind: meter.seconds[kind] for kind in WORK if kind in meter.seconds}
    work |= {kind: value for kind, value in meter.seconds.items() if kind not in work}
    return Report(name, meter.batches, prefetch, work, meter.waiting, meter.steps)
