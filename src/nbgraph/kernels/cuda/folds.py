"""What is done in order: folds and scans with a row for each thread, indexed updates by one."""

from __future__ import annotations

from nbgraph.kernels.cuda.writer import Device
from nbgraph.kernels.folds import At as HostAt
from nbgraph.kernels.folds import Fold as HostFold


class Fold(Device, HostFold):
    """A binary function along the run of each row; a row for each thread."""

    def space(self) -> None:
        """See Writer."""
        loop, name, out = self.loop, self.outputs[0], self.loop.outputs[0]
        start = loop.operands[0]
        self.extent(1, "total", "1")
        self.line(1, "row = start")
        self.line(1, "while row < total:")
        self.rows(2, "row")
        self.pointers(2, "row", "0", (0, 1, 2))
        self.line(2, f"acc = {self._as_compute(self.leaves[start.node.id], start)}")
        self.line(2, "i = 0")
        self.line(2, "while i < n:")
        self.load_all(3, (1,), access="plain")
        self.leaves[start.node.id] = "acc"
        (text,) = self.body(3, [out.node])
        self.line(3, f"acc = {self._as_start(text, out.node, start)}")
        if loop.form == "scan":
            self.store(3, name, out, "acc", access="plain")
        self.line(3, "i += 1")
        if loop.form == "fold":
            self.line(2, f"store({name}_p, 0, {self.converted('acc', out.node, out.dtype)})")
        self.line(2, "row += step")


class At(Device, HostAt):
    """Updates in their order, so one thread makes them."""

    def space(self) -> None:
        """See Writer."""
        self.line(1, "lo = select(start == 0, 0, n)")
        self.line(1, "hi = n")
        super().space()
