"""Reports on where the time of a training step goes: work on the data, and waiting for it."""

import threading
import time
from dataclasses import dataclass
from typing import Self

from nbgraph import picture
from nbgraph.picture import columns

WORK = ("reading", "decoding", "transforms", "batching")
_LITTLE = 0.05  # greatest share of waiting in a step with which the model is the bottleneck


class _ThreadTimes(threading.local):
    """The times of this thread's `counted` blocks."""

    seconds: dict[str, float] | None = None
    inside = 0.0  # time of the blocks nested in the current one


_here = _ThreadTimes()


class counted:
    """A context that adds the time of its block, without nested ones, to a kind of work.

    Sources use it to separate decoding from reading. Outside of an iterator it does nothing.

    >>> seconds = {}
    >>> with collecting(seconds), counted("reading"), counted("decoding"):
    ...     time.sleep(0.01)
    >>> seconds["decoding"] > seconds["reading"]
    True
    """

    __slots__ = ("_before", "_start", "_kind")

    def __init__(self, kind: str) -> None:
        self._kind = kind

    def __enter__(self) -> Self:
        self._before, _here.inside = _here.inside, 0.0
        self._start = time.perf_counter()
        return self

    def __exit__(self, *_: object) -> None:
        elapsed = time.perf_counter() - self._start
        seconds = _here.seconds
        if seconds is not None:
            seconds[self._kind] = seconds.get(self._kind, 0.0) + elapsed - _here.inside
        _here.inside = self._before + elapsed


class collecting:
    """A context in which `counted` blocks of this thread add to a dict of seconds by kind."""

    __slots__ = ("_before", "_seconds")

    def __init__(self, seconds: dict[str, float]) -> None:
        self._seconds = seconds

    def __enter__(self) -> Self:
        self._before, _here.seconds = _here.seconds, self._seconds
        return self

    def __exit__(self, *_: object) -> None:
        _here.seconds = self._before


class Meter:
    """The counters of an iterator since its creation."""

    def __init__(self) -> None:
        self.batches = 0
        self.seconds: dict[str, float] = {}
        self.waiting = self.steps = 0.0
        self._returned: float | None = None  # time at which the last batch was returned

    def begin(self) -> float:
        """Start a request for a batch: the time since the last batch counts as a step."""
        now = time.perf_counter()
        if self._returned is not None:
            self.steps += now - self._returned
        return now

    def end(self, begun: float) -> None:
        """End a request that started at `begun`: the batch is ready."""
        self._returned = now = time.perf_counter()
        self.waiting += now - begun
        self.batches += 1

    def pause(self) -> None:
        """End an epoch: the time until the next request does not count as a step."""
        self._returned = None

    def add(self, seconds: dict[str, float]) -> None:
        """Add the seconds of work on one batch, by kind."""
        own = self.seconds
        for kind, value in seconds.items():
            own[kind] = own.get(kind, 0.0) + value


@dataclass(frozen=True, slots=True)
class Report(picture.Report):
    """Seconds since the creation of an iterator.

    `work`: by kind, on any thread; `waiting`: within calls of `next`; `steps`: between calls of
    `next`. With `prefetch`, the work overlaps with the steps.
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
        """Return "data" if steps wait for batches, else "model"."""
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
    """Return a report of the counts of a meter.

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
