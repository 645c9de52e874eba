"""Kernels for GPUs whose text is written by hand, in the words that emitted text uses.

A unit is a thread: `name(args, start, step)` does what belongs to `start`, `start + step`, ...
Compiled for the host such a text does what the grid does; `on_host` makes a kernel of hosts of it.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence

from nbgraph.kernels.compiler.kernel import Kernel
from nbgraph.kernels.compiler.written import Compute, Record, function, source, written
from nbgraph.kernels.cuda.compile import Form
from nbgraph.kernels.cuda.grid import LARGEST, THREADS, VECTOR, WAVES
from nbgraph.kernels.cuda.launch import Launcher, Unit, wave
from nbgraph.kernels.draws.uniform import Drawn, device_text


@functools.lru_cache(maxsize=512)
def unit(
    name: str,
    text: str,
    addresses: int,
    words: int,
    *,
    compute: Compute = "float32",
    fails: bool = False,
) -> Unit:
    """Return the kernel of a text whose last function is `name(args, start, step)`. Its record: two
    words, so many addresses, so many words more."""
    form = Form(2 + addresses + words + fails, THREADS, fails=fails)
    return Unit(source(name, text, compute), addresses, form)


class UnitLaunches(Launcher):
    """A kernel over `units` threads. `vectors`: the kernel where all addresses
    are multiples of 16, if that is another."""

    __slots__ = ("code", "units", "vectors")

    def __init__(self, code: Unit, units: int, vectors: Unit | None, name: str) -> None:
        super().__init__(name, fails=code.form.fails)
        self.code, self.units, self.vectors = code, units, vectors

    def key(self, record: Sequence[int]) -> Unit:
        """See Launcher: the kernel."""
        addresses = record[2 : 2 + self.code.pointers]
        if self.vectors is None or any(address % VECTOR for address in addresses):
            return self.code
        return self.vectors

    def chosen(self, record: Sequence[int], device: int) -> tuple[Unit, int]:
        """See Launcher."""
        threads = self.code.form.threads
        count = -(-self.units // threads)
        return self.key(record), max(1, min(count, WAVES * wave(device, threads)))


def drawing(d: Drawn, count: int) -> tuple[Unit, Unit, int]:
    """Return the kernel that draws `count` numbers, that for aligned ones, and the blocks of Philox
    that they take, of which a thread makes one at a time."""
    addresses = len(d.arrays)
    words = len(d.record.names) - 2 - addresses
    plain, vectors = (
        unit(d.name, device_text(d, vectors=v), addresses, words, compute=d.compute)
        for v in (False, True)
    )
    return plain, vectors, -(-count // d.block)


_HOST = (  # of the text of a unit, and what stands there for hosts
    (r"\(args, start, step\):", "(args, lo, hi):"),
    (r"\n    i = start\n    while i < \w+:\n", "\n    i = lo\n    while i < hi:\n"),
    (r"\n        i \+= step\n", "\n        i += 1\n"),
)
# the lines of `split`, of which the first two give the fastest number, then those of a unit
_SPLIT = re.compile(
    r"        rest0 = .*\n.*\n        (?P<fastest>\w+) = .* \* (?P<extent>\w+)\n"
    r"(?:.*\n)*?        \w+ = int64\(rest\d+\)\n(?P<lines>(?:        .*\n)*)        i \+= 1\n"
)


@functools.lru_cache(maxsize=512)
def on_host(unit: Unit) -> Kernel:
    """Return the kernel `name(args, lo, hi)` for hosts that does units [lo, hi) of a text."""
    own = unit.source
    text = own.text
    for pattern, replacement in _HOST:
        text, count = re.subn(pattern, replacement, text)
        assert count == 1, (own.name, pattern)
    text = _SPLIT.sub(_by_runs, text)
    compute: Compute = "float64" if own.namespace.compute == "float64" else "float32"
    return written(own.name, text, compute)


def _by_runs(units: re.Match[str]) -> str:
    """Return the lines of units that a number is split for, which a host divides once in a run of
    the fastest part and may vectorise."""
    name, extent, lines = units["fastest"], units["extent"], units["lines"]
    if re.search(rf"(?m)^ +{name} [-+]?= ", lines):
        return units[0]
    before = units[0][: units.start("lines") - units.start()]
    return (
        f"{before}        last = min(hi, i + {extent} - {name})\n        while i < last:\n"
        + re.sub("(?m)^", "    ", f"{lines}        {name} += 1\n        i += 1\n").rstrip(" ")
    )


# texts -------------------------------------------------------------------------------------------


def text(
    name: str, record: Record, count: str, *lines: str, before: Sequence[str] = (), end: str = "0"
) -> str:
    """Return the text of a kernel that does `lines` for each `i` below `count`; `before`: lines
    that come first; `end`: what it returns.

    >>> print(text("clear", Record(("n", "m"), ("out",), ()), "n", "store(y, i, 0)").rstrip())
    def clear(args, start, step):
        n = word(args, 0)
        m = word(args, 1)
        out = word(args, 2)
        i = start
        while i < n:
            store(y, i, 0)
            i += step
        return 0
    """
    inner = [f"    {line}" for each in lines for line in each.split("\n")]
    return function(
        f"def {name}(args, start, step):",
        *record.reading(),
        *before,
        "i = start",
        f"while i < {count}:",
        *inner,
        "    i += step",
        f"return {end}",
    )


def split(index: str, *parts: tuple[str, str], narrow: bool) -> list[str]:
    """Lines that set numbers to what an index says that counts through them, the last of `parts`
    (a name and its extent) fastest. The first one needs no extent.

    >>> split("i", ("row", ""), ("col", "width"), narrow=True)[1:]  # doctest: +NORMALIZE_WHITESPACE
    ['rest1 = uint32(rest0 // uint32(width))',
     'col = int64(rest0) - int64(rest1) * width',
     'row = int64(rest1)']
    """
    wide = "uint32" if narrow else "int64"
    lines = [f"rest0 = {wide}({index})"]
    for k, (name, extent) in enumerate(reversed(parts[1:])):
        lines.append(f"rest{k + 1} = {wide}(rest{k} // {wide}({extent}))")
        lines.append(f"{name} = int64(rest{k}) - int64(rest{k + 1}) * {extent}")
    return [*lines, f"{parts[0][0]} = int64(rest{len(parts) - 1})"]


def is_narrow(*counts: int) -> bool:
    """Whether 32 bits count all that a kernel counts: division is several times quicker then."""
    return max(counts) < LARGEST
