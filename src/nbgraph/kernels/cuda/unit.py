"""Kernels for GPUs whose text is written by hand, in the vocabulary of emitted text.

A unit is a thread: `name(args, start, step)` handles `start`, `start + step`, ...
"""

import functools
from collections.abc import Sequence

from nbgraph.kernels.compiler.written import Compute, source
from nbgraph.kernels.cuda.compile import Form
from nbgraph.kernels.cuda.grid import THREADS, VECTOR, WAVES
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
    """Return the kernel of a text whose last function is `name(args, start, step)`. Its record has
    two words, `addresses` addresses, and `words` more words."""
    form = Form(2 + addresses + words + fails, THREADS, fails=fails)
    return Unit(source(name, text, compute), addresses, form)


class UnitLaunches(Launcher):
    """A kernel over `units` threads. `vectors`: another kernel for addresses that are all multiples
    of 16, or None."""

    __slots__ = ("code", "units", "vectors")

    def __init__(self, code: Unit, units: int, vectors: Unit | None, name: str) -> None:
        super().__init__(name, fails=code.form.fails)
        self.code, self.units, self.vectors = code, units, vectors

    def key(self, record: Sequence[int]) -> Unit:
        """Return the kernel for a record: see Launcher."""
        addresses = record[2 : 2 + self.code.pointers]
        if self.vectors is None or any(address % VECTOR for address in addresses):
            return self.code
        return self.vectors

    def chosen(self, record: Sequence[int], device: int) -> tuple[Unit, int]:
        threads = self.code.form.threads
        count = -(-self.units // threads)
        return self.key(record), max(1, min(count, WAVES * wave(device, threads)))


def drawing(d: Drawn, count: int) -> tuple[Unit, Unit, int]:
    """Return the kernel that draws `count` numbers, the one for aligned arrays, and the number of
    Philox blocks, which a thread generates one at a time."""
    addresses = len(d.arrays)
    words = len(d.record.names) - 2 - addresses
    plain, vectors = (
        unit(d.name, device_text(d, vectors=v), addresses, words, compute=d.compute)
        for v in (False, True)
    )
    return plain, vectors, -(-count // d.block)
