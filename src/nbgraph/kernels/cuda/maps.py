"""Maps: one value per element, several contiguous elements per thread at once."""

from collections.abc import Sequence

from nbgraph.kernels.cuda.grid import WARP
from nbgraph.kernels.cuda.writer import Device


class Map(Device):
    """Each thread handles vectors of elements, a grid apart, and single elements after the last
    whole vector. Over rows, vectors are used only if each row has whole ones.

    Where a thread loads several vectors ahead they are WARP vectors apart: a warp's vectors are
    contiguous and their distance is constant, so one address serves all of them.
    """

    def space(self) -> None:
        if self.grid.rank == 0:
            self.pointers(1, "0", "0", range(self.loop.pointers))
        else:
            self.pointers(1, "0", "0", ())
        self._call = self.element("element", self.roots(), self._results, self._olds())
        self.extent(1, "total", "n")
        lanes = self.grid.lanes
        if lanes == 1:
            self._loops("total", 1)
            return
        self.line(1, f"count = total // {lanes}")
        self._loops("count", lanes)
        if not self.grid.rank:
            self.line(1, f"i = count * {lanes} + start")
            self._loop("total", 1)

    def _loops(self, stop: str, lanes: int) -> None:
        """Write the loop over vectors: several at a time while a whole warp has work, then one."""
        ahead = self.grid.ahead
        if ahead == 1:
            self.line(1, "i = start")
        else:
            self.line(1, f"below = {stop} // {WARP * ahead} * {WARP}")
            self.line(1, "place = start")
            self.line(1, "while place < below:")
            self.line(2, f"i = place + place // {WARP} * {WARP * (ahead - 1)}")
            self._write_vectors(2, lanes, ahead)
            self.line(2, "place += step")
            self.line(1, f"i = below * {ahead} + start")
        self._loop(stop, lanes)

    def _loop(self, stop: str, lanes: int) -> None:
        self.line(1, f"while i < {stop}:")
        self._write_vectors(2, lanes, 1)
        self.line(2, "i += step")

    def _olds(self) -> list[str]:
        pairs = zip(self.outputs, self.loop.outputs, strict=True)
        return [n for n, output in pairs if output.request == "add" and not output.combine]

    def _results(self, texts: Sequence[str]) -> list[str]:
        return [
            self.stored_text(output, text, f"was_{name}")
            for name, output, text in zip(self.outputs, self.loop.outputs, texts, strict=True)
        ]

    def _read(self) -> list[tuple[str, str]]:
        """Return names of arrays to read, with the prefixes of their values."""
        return [
            *((n, "lane") for _, n, _ in self.moving(self.roots())),
            *((y, "was") for y in self._olds()),
        ]

    def _write_vectors(self, indent: int, lanes: int, count: int) -> None:
        """Write some vectors, or elements; all loads precede the first use."""
        index = ["i", *(f"i + {k * WARP}" for k in range(1, count))]
        firsts = range(0, count * lanes, lanes)
        if self.grid.rank:
            for k, first in enumerate(firsts):
                self._write_pointers(indent, lanes, index[k])
                index[k] = "0"
                self._read_all(indent, first, lanes, "0")
                for name in self.outputs if count > 1 else ():
                    self.line(indent, f"to{k}_{name} = {name}_p")
        else:
            for k, first in enumerate(firsts):
                self._read_all(indent, first, lanes, index[k])
        for k, first in enumerate(firsts):
            for j in range(first, first + lanes):
                results = ", ".join(f"new{j}_{y}" for y in self.outputs)
                self.line(indent, f"{results} = {self._call(j)}")
            for name in self.outputs:
                if self.grid.rank and count > 1:
                    self.line(indent, f"{name}_p = to{k}_{name}")
                self.leave(indent, name, "new", lanes, index[k], first)

    def _read_all(self, indent: int, first: int, lanes: int, index: str) -> None:
        for name, prefix in self._read():
            self.fetch(indent, name, prefix, lanes, index, first)

    def _write_pointers(self, indent: int, lanes: int, index: str) -> None:
        """Write pointers to what an index means: over rows all vectors are whole."""
        self.split(indent, index, "n" if lanes == 1 else f"n // {lanes}")
        used = {*self.outputs, *(name for name, _ in self._read())}
        for k, (name, array) in enumerate(self.arrays()):
            if name in used:
                step = self.stride(name, array)
                step = step if lanes == 1 else str(lanes * int(step))
                along = f" + int64(col) * {step}" if array.layout != "0" else ""
                self.line(indent, f"{name}_p = {array.dtype}_pointer({self.base(k, 'row')}{along})")
