"""Maps: one value an element, several elements a thread at once where they lie side by side."""

from __future__ import annotations

from collections.abc import Sequence

from nbgraph.kernels.cuda.writer import Device


class Map(Device):
    """Each thread takes vectors of elements, a grid apart; those behind the last whole vector are
    taken one by one. Over rows vectors are taken where each row has whole ones only."""

    def space(self) -> None:
        """See Writer."""
        if self.grid.rank == 0:
            self.pointers(1, "0", "0", range(self.loop.pointers))
        else:
            self.pointers(1, "0", "0", ())
        roots = [output.node for output in self.loop.outputs]
        self._call = self.element("element", roots, self._results, self._olds())
        self.extent(1, "total", "n")
        lanes = self.grid.lanes
        if lanes > 1:
            self.line(1, f"count = total // {lanes}")
            self.line(1, "i = start")
            self.line(1, "while i < count:")
            self._some(2, lanes)
            self.line(2, "i += step")
            if self.grid.rank:
                return
        self.line(1, "i = start" if lanes == 1 else f"i = count * {lanes} + start")
        self.line(1, "while i < total:")
        self._some(2, 1)
        self.line(2, "i += step")

    def _olds(self) -> list[str]:
        pairs = zip(self.outputs, self.loop.outputs, strict=True)
        return [name for name, output in pairs if output.request == "add"]

    def _results(self, texts: Sequence[str]) -> list[str]:
        return [
            self.given(output, text, f"was_{name}")
            for name, output, text in zip(self.outputs, self.loop.outputs, texts, strict=True)
        ]

    def _read(self) -> list[tuple[str, str]]:
        """Names of arrays, and the prefixes of the values read there."""
        roots = [output.node for output in self.loop.outputs]
        return [
            *((n, "lane") for _, n, _ in self.moving(roots)),
            *((y, "was") for y in self._olds()),
        ]

    def _some(self, indent: int, lanes: int) -> None:
        """Elements side by side, or one; over rows all vectors are whole."""
        index = "i"
        if self.grid.rank:
            self._point(indent, "n" if lanes == 1 else f"n // {lanes}", lanes)
            index = "0"
        for name, prefix in self._read():
            self.fetch(indent, name, prefix, lanes, index)
        for j in range(lanes):
            made = ", ".join(f"new{j}_{y}" for y in self.outputs)
            self.line(indent, f"{made} = {self._call(j)}")
        for name in self.outputs:
            self.leave(indent, name, "new", lanes, index)

    def _point(self, indent: int, length: str, lanes: int) -> None:
        """Pointers to what index `i` means; a row has `length` of them, of `lanes` elements."""
        self.split(indent, "i", length)
        used = {*self.outputs, *(name for name, _ in self._read())}
        for k, (name, array) in enumerate(self.arrays()):
            if name in used:
                step = self.stride(array, name)
                step = step if lanes == 1 else str(lanes * int(step))
                along = f" + int64(col) * {step}" if array.layout != "0" else ""
                self.line(indent, f"{name}_p = {array.dtype}_pointer({self.base(k, 'row')}{along})")
