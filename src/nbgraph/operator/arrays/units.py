"""Kernels over equal units of work, as data from which hosts and devices make calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from nbgraph.operator.arrays.device_forms import unit_call
from nbgraph.operator.kernel_call import KernelCall
from nbgraph.operator.spec import Spec

if TYPE_CHECKING:
    from nbgraph.kernels.compiler.units import UnitText
    from nbgraph.kernels.compiler.written import Compute

_TILE = 4000  # nanoseconds per tile of hosts


class Units(NamedTuple):
    """A kernel over `units` units, in runs of `run` along the fastest part; the record is `head`,
    addresses, `words`. `cost`: rough nanoseconds on a host; 0: one per element of operands and
    results. `share`: units per tile of hosts; 0: from the cost."""

    text: UnitText
    head: tuple[int, int]
    words: tuple[int, ...]
    addresses: int
    units: int
    run: int
    compute: Compute
    fails: bool
    cost: int
    share: int

    def on_device(self) -> KernelCall:
        """Return the call with a thread per unit."""
        from nbgraph.kernels.cuda.grid import LARGEST
        from nbgraph.kernels.cuda.unit import unit

        text, own = self.text.device(narrow=self.units < LARGEST), (self.addresses, len(self.words))
        code = unit(self.text.name, text, *own, compute=self.compute, fails=self.fails)
        return unit_call(code, self.head, self.words, self.units)

    def on_host(self, elements: int) -> KernelCall:
        """Return the call over tiles, for so many elements."""
        from nbgraph.kernels.compiler.written import written

        cost = self.cost or elements
        share = self.share or max(1, min(self.run, _TILE * self.units // cost))
        pieces = -(-self.run // share)
        code = written(self.text.name, self.text.host(pieces=pieces > 1), self.compute)
        words, tiles = (*self.words, share, pieces), self.units // self.run * pieces
        return KernelCall(code.name, code, self.head, (), words, tiles, cost)


def threads(
    name: str,
    words: Mapping[str, int],
    arrays: Mapping[str, tuple[str, str]],
    *lines: str,
    count: str = "",
    parts: Sequence[tuple[str, str]] = (),
    before: Sequence[str] = (),
    compute: Compute = "float32",
    fails: bool = False,
    end: str = "0",
    cost: int = 0,
    share: int = 0,
    steps: Sequence[tuple[str, str, Sequence[str]]] = (),
) -> Units:
    """Return the kernel that runs `lines` for each `i` below a word of its record, by default the
    first. `arrays`: pointer and dtype by name of the address (without pointer: not in the text);
    `parts`: the parts of `i`; see `UnitText`."""
    from nbgraph.kernels.compiler.units import UnitText
    from nbgraph.kernels.compiler.written import Record

    first, second, *rest = words
    pointers = [f"{p} = {kind}_pointer({name})" for name, (p, kind) in arrays.items() if p]
    record, count = Record((first, second), list(arrays), rest), count or first
    text = UnitText(name, record, count, lines, parts, [*pointers, *before], end, steps)
    head, values = (words[first], words[second]), tuple(words[word] for word in rest)
    units = words[count]
    extent = parts[-1][1] if parts else ""
    run = int(extent) if extent.isdigit() else words.get(extent, units)
    return Units(text, head, values, len(arrays), units, run, compute, fails, cost, share)


def raw(spec: Spec) -> str:
    """Return the unsigned integer dtype with as many bits."""
    return f"uint{8 * spec.dtype.itemsize}"
