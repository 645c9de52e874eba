"""Texts of loops over windows, for kernels with a thread per place, or per cell.

Arrays are (images, channels, *space). Cells are those of the data, places those of windows. The
windows (elements, step, pad, gap) are part of the text: divisions by constants are fast, and a
network has few kinds of windows. Extents of space are words of the record.
"""

from collections.abc import Sequence
from typing import NamedTuple


class Sweep(NamedTuple):
    """Windows over space: per axis the elements of a window, and the cells between places, before
    the data, and between elements."""

    kernel: tuple[int, ...]
    step: tuple[int, ...]
    pad: tuple[int, ...]
    gap: tuple[int, ...]

    @property
    def axes(self) -> range:
        """The axes of space."""
        return range(len(self.kernel))

    @property
    def words(self) -> tuple[str, ...]:
        """The record's words for space: extents of the data, then of the places."""
        return tuple(f"{name}{d}" for name in ("in", "out") for d in self.axes)

    @property
    def cells(self) -> str:
        """The text of the number of cells."""
        return " * ".join(f"in{d}" for d in self.axes)

    @property
    def places(self) -> str:
        """The text of the number of places."""
        return " * ".join(f"out{d}" for d in self.axes)

    def parts(self, index: str, extent: str) -> list[tuple[str, str]]:
        """Return the parts into which `split` divides an index into space: `index0` and so on."""
        return [(f"{index}{d}", f"{extent}{d}") for d in self.axes]

    def elements(self) -> list[tuple[str, str]]:
        """Return the parts into which `split` divides the number of an element of the window."""
        return [(f"k{d}", str(n)) for d, n in enumerate(self.kernel)]

    def under(
        self, lines: Sequence[str], *, beside: Sequence[str] = (), end: str = ""
    ) -> list[str]:
        """Return loops over the window's elements at place p0, p1, ...: `lines` may use `cell`, the
        one under `element`; `beside` runs where that is in the pad. `end`: a suffix of the names,
        for nested loops."""
        z, k = f"z{end}", f"k{end}"
        body = [
            *(f"{z}{d} = {self._cell(d, k)}" for d in self.axes),
            f"element{end} = {self._element(k)}",
            f"if {' and '.join(f'{z}{d} >= 0 and {z}{d} < in{d}' for d in self.axes)}:",
            f"    cell{end} = {self.within(z, 'in')}",
            *(f"    {line}" for line in lines),
            *(["else:", *(f"    {line}" for line in beside)] if beside else []),
        ]
        return self._loops(body, name=k)

    def over(self, lines: Sequence[str]) -> list[str]:
        """Return loops over the places whose windows contain cell z0, z1, ..., in order: `lines`
        may use `spot`, a place whose `element` lies on the cell."""
        body: list[str] = []
        for d, (n, _, pad, gap) in enumerate(zip(*self, strict=True)):
            body.append(f"k{d} = {n - 1} - e{d}" if n > 1 else f"k{d} = 0")
            body.append(f"t{d} = z{d}{_more(pad)}" + (f" - k{d} * {gap}" if n > 1 else ""))
        tests = [f"t{d} >= 0 and t{d} < out{d}{_times(s)}" for d, s in enumerate(self.step)]
        steps = [(d, s) for d, s in enumerate(self.step) if s > 1]
        tests += [f"uint32(t{d}) % uint32({s}) == 0" for d, s in steps]
        body.append(f"if {' and '.join(tests)}:")
        for d, s in enumerate(self.step):
            whole = f"int64(uint32(t{d}) // uint32({s}))" if s > 1 else f"t{d}"
            body.append(f"    p{d} = {whole}")
        body += [
            f"    element = {_flat('k', [str(n) for n in self.kernel])}",
            f"    spot = {self.within('p', 'out')}",
        ]
        body += [f"    {line}" for line in lines]
        return self._loops(body, name="e")

    def along(self, lines: Sequence[str]) -> list[str]:
        """Return loops of `lines` over the places where an element of the window lies on a cell."""
        bounds: list[str] = []
        for d, (_, step, pad, gap) in enumerate(zip(*self, strict=True)):
            bounds += [
                f"first{d} = max(0, {pad + step - 1} - k{d} * {gap}) // {step}",
                f"end{d} = min(out{d}, max(0, in{d} + {pad + step - 1} - k{d} * {gap}) // {step})",
            ]
        inner = [
            *(f"z{d} = {self._cell(d, 'k')}" for d in self.axes),
            f"cell = {self.within('z', 'in')}",
            f"spot = {self.within('p', 'out')}",
            *lines,
        ]
        return [
            *bounds,
            *_nested(inner, [f"for p{d} in range(first{d}, end{d}):" for d in self.axes]),
        ]

    def first(self, d: int) -> str:
        """Return the text of the window's first cell along an axis, which may be in the pad."""
        return f"p{d}{_times(self.step[d])}{_more(-self.pad[d])}"

    def _element(self, index: str) -> str:
        return _flat(index, [str(n) for n in self.kernel])

    def _cell(self, d: int, element: str) -> str:
        return f"{self.first(d)} + {element}{d}{_times(self.gap[d])}"

    def within(self, index: str, extent: str) -> str:
        """Return the text of an index into space from `index0` and so on."""
        return _flat(index, [f"{extent}{d}" for d in self.axes])

    def _loops(self, body: Sequence[str], name: str) -> list[str]:
        return _nested(body, [f"for {name}{d} in range({n}):" for d, n in enumerate(self.kernel)])


def _nested(body: Sequence[str], heads: Sequence[str]) -> list[str]:
    nested = list(body)
    for head in reversed(heads):
        nested = [head, *(f"    {line}" for line in nested)]
    return nested


def _flat(index: str, extents: Sequence[str]) -> str:
    text = f"{index}0"
    for d, extent in enumerate(extents[1:], 1):
        text = f"({text}) * {extent} + {index}{d}"
    return text


def _times(n: int) -> str:
    return "" if n == 1 else f" * {n}"


def _more(n: int) -> str:
    return "" if n == 0 else f" + {n}" if n > 0 else f" - {-n}"
