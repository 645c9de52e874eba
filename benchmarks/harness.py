"""Measure callables against each other in one process, and print ratios with their targets.

    from benchmarks.harness import Row, report

    report([
        Row(
            "smooth_l1 forward",
            ours,
            against={"numpy where": by_numpy, "njit by hand": by_hand},
            targets={"numpy where": 5.0, "njit by hand": 0.95},
            elements=4096,
        ),
    ])

A ratio is how many times faster ours is than the other: 5.0 is five times faster, 0.95 may be five
per cent slower, 1 / 3 may take three times as long. A target is the least ratio that will do.

What makes the ratios steady on a busy machine: all callables of a row take turns in every round,
so that a change of clock frequency or of a neighbour's load meets all of them; the time is the CPU
time of this thread, which does not run while another process has the core; a ratio is the median
over the rounds of the ratios within a round. Work that a callable hands to other threads is not
seen: keep the peers at one thread.
"""

import gc
import importlib
import importlib.metadata
import importlib.util
import itertools
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

Timed = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: our callable, the others by name, and the ratios to reach."""

    name: str
    ours: Timed
    against: Mapping[str, Timed] = field(default_factory=dict)
    targets: Mapping[str, float] = field(default_factory=dict)
    elements: int = 0  # per call; 0 asks for times per call

    def __post_init__(self) -> None:
        unknown = self.targets.keys() - self.against.keys()
        if unknown:
            raise ValueError(f"{self.name}: targets without a peer: {', '.join(sorted(unknown))}")


@dataclass(frozen=True, slots=True)
class Limit:
    """A figure measured elsewhere (seconds of a cold start, say) that may not exceed a bound."""

    name: str
    seconds: float
    at_most: float

    @property
    def met(self) -> bool:
        """Whether the figure keeps its bound."""
        return self.seconds <= self.at_most


@dataclass(frozen=True, slots=True)
class Factor:
    """A ratio measured elsewhere (a speed-up by a second core, say) that must reach a bound."""

    name: str
    value: float
    at_least: float

    @property
    def met(self) -> bool:
        """Whether it reaches the bound."""
        return self.value >= self.at_least


@dataclass(frozen=True, slots=True)
class Result:
    """Seconds per call, by name ("" is ours), and how many times faster ours is than each peer."""

    row: Row
    seconds: Mapping[str, float]
    ratios: Mapping[str, float]

    def missed(self) -> list[str]:
        """The peers against which the target was missed."""
        return [peer for peer, least in self.row.targets.items() if self.ratios[peer] < least]


def measure(
    row: Row,
    *,
    rounds: int = 15,
    slice_seconds: float = 0.01,
    clock: Callable[[], float] = time.thread_time,
) -> Result:
    """Time all callables of `row` in turns; `slice_seconds` is what each gets in a round."""
    timed = {"": row.ours, **row.against}
    repeats = {}
    for name, call in timed.items():
        call()  # compiles, fills caches
        repeats[name] = _calibrated(call, slice_seconds, clock)
    samples: dict[str, list[float]] = {name: [] for name in timed}
    order = list(timed)
    collecting = gc.isenabled()
    gc.disable()
    try:
        for turn in range(rounds):
            shift = turn % len(order)
            for name in order[shift:] + order[:shift]:
                samples[name].append(_run(timed[name], repeats[name], clock) / repeats[name])
    finally:
        if collecting:
            gc.enable()
    ours = samples[""]
    return Result(
        row,
        {name: statistics.median(times) for name, times in samples.items()},
        {
            name: statistics.median(t / max(o, 1e-12) for t, o in zip(samples[name], ours))
            for name in row.against
        },
    )


def _run(call: Timed, repeats: int, clock: Callable[[], float]) -> float:
    turns = itertools.repeat(None, repeats)
    start = clock()
    for _ in turns:
        call()
    return clock() - start


def _calibrated(call: Timed, slice_seconds: float, clock: Callable[[], float]) -> int:
    """How many calls fill `slice_seconds`; at least one, however slow the call.

    The quicker of two runs counts: what a callable does once, however late, is no part of its pace.
    """
    repeats = 1
    while True:
        spent = _run(call, repeats, clock)
        if spent >= slice_seconds / 4:
            spent = min(spent, _run(call, repeats, clock))
        if spent >= slice_seconds / 4 or repeats >= 1 << 24:
            return max(1, round(repeats * slice_seconds / max(spent, 1e-9)))
        repeats *= 4


def cold(
    code: str, env: Mapping[str, str] | None = None, *, repeats: int = 1, timeout: float = 300.0
) -> float:
    """Seconds that `code` prints as its last line, run in a fresh process: the median of `repeats`.

    `env` is added to this process's environment. The child measures itself, so that starting the
    interpreter is counted only if it says so:

        cold("import time; t = time.perf_counter(); import nbgraph; print(time.perf_counter() - t)")
    """
    printed = []
    for _ in range(repeats):
        child = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, **(env or {})},
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
        if child.returncode != 0:
            raise RuntimeError(f"the measured process failed:\n{child.stderr}")
        printed.append(float(child.stdout.split()[-1]))
    return statistics.median(printed)


def peer(name: str) -> ModuleType | None:
    """A library to compare with, or None where it is not installed."""
    return importlib.import_module(name) if importlib.util.find_spec(name) else None


def machine(libraries: Sequence[str] = ("numpy", "numba")) -> str:
    """Where the figures come from: CPU model, cores, and the versions that matter."""
    versions = [f"Python {platform.python_version()}"]
    for library in libraries:
        try:
            versions.append(f"{library} {importlib.metadata.version(library)}")
        except importlib.metadata.PackageNotFoundError:
            continue
    return f"{_cpu_model()}, {os.cpu_count()} cores, {', '.join(versions)}"


def _cpu_model() -> str:
    listing = Path("/proc/cpuinfo")
    if listing.exists():
        for line in listing.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def render(results: Iterable[Result | Limit | Factor]) -> str:
    """The table as text: a line for ours, then one for each peer with ratio and target."""
    lines = [f"{'':44}{'time':>16}{'ratio':>9}{'target':>9}"]
    for result in results:
        if isinstance(result, Limit | Factor):
            lines.append(_bounded(result))
            continue
        row = result.row
        lines.append(f"{row.name:44}{_time(result.seconds[''], row.elements):>16}")
        for name, ratio in result.ratios.items():
            least = row.targets.get(name)
            target = "" if least is None else f"{least:.2f}"
            verdict = "" if least is None else "met" if ratio >= least else "MISSED"
            seconds = _time(result.seconds[name], row.elements)
            lines.append(f"    {name:40}{seconds:>16}{ratio:9.2f}{target:>9}  {verdict}".rstrip())
    return "\n".join(lines)


def _bounded(result: Limit | Factor) -> str:
    """A line for a figure with a bound of its own; its unit fits the bound."""
    verdict = "met" if result.met else "MISSED"
    if isinstance(result, Factor):
        return f"{result.name:44}{'':16}{result.value:9.2f}{result.at_least:9.2f}  {verdict}"
    unit, scale = "s", 1.0
    for smaller, size in (("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9)):
        if result.at_most < 0.01 and result.at_most < 1000 * size:
            unit, scale = smaller, size
    digits = 3 if unit == "s" else 2
    took = f"{result.seconds / scale:14.{digits}f} {unit}"
    bound = f"<={result.at_most / scale:.{digits - 1}f}"
    return f"{result.name:44}{took:>16}{'':9}{bound:>9}  {verdict}"


def _time(seconds: float, elements: int) -> str:
    return f"{seconds / elements * 1e9:.3f} ns/elem" if elements else f"{seconds * 1e9:.0f} ns/call"


def report(
    rows: Iterable[Row | Limit | Factor], *, rounds: int = 15, slice_seconds: float = 0.01
) -> int:
    """Measure and print everything; return how many targets were missed."""
    print(machine())
    results = [
        row
        if isinstance(row, Limit | Factor)
        else measure(row, rounds=rounds, slice_seconds=slice_seconds)
        for row in rows
    ]
    print(render(results))
    missed = sum(
        int(not result.met) if isinstance(result, Limit | Factor) else len(result.missed())
        for result in results
    )
    wanted = sum(1 if isinstance(r, Limit | Factor) else len(r.row.targets) for r in results)
    if wanted:
        print(f"{wanted - missed} of {wanted} targets met")
    return missed
