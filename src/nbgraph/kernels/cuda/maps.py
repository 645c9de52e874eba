"""Maps: one value an element, several elements a thread at once where they lie side by side."""

from __future__ import annotations

from collections.abc import Sequence

from nbgraph.kernels.cuda.writer import Device


class Map(Device):
    """Each thread takes vectors of elements, a grid apart; the elements behind the last whole
    vector are taken one by one."""

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
            assert self.grid.rank == 0
            self.line(1, f"count = total // {lanes}")
            self.line(1, "i = start")
            self.line(1, "while i < count:")
            self._vector(2, lanes)
            self.line(2, "i += step")
            self.line(1, f"i = count * {lanes} + start")
        else:
            self.line(1, "i = start")
        self.line(1, "while i < total:")
        self._single(2)
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

    def _vector(self, indent: int, lanes: int) -> None:
        for name, prefix in self._read():
            names = ", ".join(f"{prefix}{j}_{name}" for j in range(lanes))
            self.line(indent, f"{names} = load{lanes}({name}_p, i)")
        for j in range(lanes):
            made = ", ".join(f"new{j}_{y}" for y in self.outputs)
            self.line(indent, f"{made} = {self._call(j)}")
        for y in self.outputs:
            names = ", ".join(f"new{j}_{y}" for j in range(lanes))
            self.line(indent, f"store{lanes}({y}_p, i, {names})")

    def _single(self, indent: int) -> None:
        """One element, wherever it lies."""
        read = self._read()
        if self.grid.rank:
            self.split(indent, "i")
            used = {*self.outputs, *(n for n, _ in read)}
            for k, (name, array) in enumerate(self.arrays()):
                if name in used:
                    along = f" + int64(col) * {self.stride(array, name)}"
                    place = self.base(k, "row") + (along if array.layout != "0" else "")
                    self.line(indent, f"{name}_p = {array.dtype}_pointer({place})")
        for name, prefix in read:
            self.line(indent, f"{prefix}0_{name} = load({self._at(name)})")
        made = ", ".join(f"new0_{y}" for y in self.outputs)
        self.line(indent, f"{made} = {self._call(0)}")
        for y in self.outputs:
            self.line(indent, f"store({self._at(y)}, new0_{y})")

    def _at(self, name: str) -> str:
        """Pointer and index of the element."""
        layout = dict(self.arrays())[name].layout
        if self.grid.rank or layout == "0":
            return f"{name}_p, 0"
        return f"shifted({name}_p, i * {name}_step), 0" if layout == "s" else f"{name}_p, i"
