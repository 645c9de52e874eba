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
            self._vector(2, lanes)
            self.line(2, "i += step")
            if self.grid.rank:
                return
        self.line(1, "i = start" if lanes == 1 else f"i = count * {lanes} + start")
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
        """Elements side by side; over rows all vectors are whole."""
        index = "i"
        if self.grid.rank:
            self._point(indent, f"n // {lanes}", lanes)
            index = "0"
        for name, prefix in self._read():
            names = [f"{prefix}{j}_{name}" for j in range(lanes)]
            if dict(self.arrays())[name].layout == "0":
                self.line(indent, f"{names[0]} = load({name}_p, 0)")
                for other in names[1:]:
                    self.line(indent, f"{other} = {names[0]}")
            else:
                self.line(indent, f"{', '.join(names)} = load{lanes}({name}_p, {index})")
        for j in range(lanes):
            made = ", ".join(f"new{j}_{y}" for y in self.outputs)
            self.line(indent, f"{made} = {self._call(j)}")
        for y in self.outputs:
            names = [f"new{j}_{y}" for j in range(lanes)]
            self.line(indent, f"store{lanes}({y}_p, {index}, {', '.join(names)})")

    def _single(self, indent: int) -> None:
        """One element, wherever it lies."""
        if self.grid.rank:
            self._point(indent, "n", 1)
        for name, prefix in self._read():
            self.line(indent, f"{prefix}0_{name} = load({self._at(name)})")
        made = ", ".join(f"new0_{y}" for y in self.outputs)
        self.line(indent, f"{made} = {self._call(0)}")
        for y in self.outputs:
            self.line(indent, f"store({self._at(y)}, new0_{y})")

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

    def _at(self, name: str) -> str:
        """Pointer and index of the element."""
        layout = dict(self.arrays())[name].layout
        if self.grid.rank or layout == "0":
            return f"{name}_p, 0"
        return f"shifted({name}_p, i * {name}_step), 0" if layout == "s" else f"{name}_p, i"
