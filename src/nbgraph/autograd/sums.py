"""The sums of gradients of a backward pass, by node and output; unrecorded."""

from typing import Any, NamedTuple

from nbgraph.array.chunk import CPU
from nbgraph.array.copying import filled
from nbgraph.array.core import Array
from nbgraph.array.push import same, write
from nbgraph.device import Context
from nbgraph.graph.node import Entry
from nbgraph.operator.layout import Layout, layout
from nbgraph.ops.define import library


class Sums:
    """Gradients with respect to outputs of nodes, so far."""

    __slots__ = ("_owned", "_values", "create_graph", "site")

    def __init__(self, *, create_graph: bool) -> None:
        self.create_graph = create_graph
        self.site = 0  # the user's line that called this pass, once it was looked up
        self._values: dict[Entry, Any] = {}
        self._owned: set[Entry] = set()  # entries whose array has no other user

    def get(self, entry: Entry | None) -> Any:
        """Return the sum, or None if there is no contribution."""
        return None if entry is None else self._values.get(entry)

    def pop(self, entry: Entry) -> tuple[Any, bool]:
        """Remove the sum; return it and whether it has no other user."""
        owned = entry in self._owned
        self._owned.discard(entry)
        return self._values.pop(entry, None), owned

    def room(self, entry: Entry) -> Any:
        """Return the array that a contribution may be added to, or None."""
        return self._values[entry] if entry in self._owned else None

    def disown(self, entry: Entry) -> bool:
        """Mark the sum as used elsewhere; return whether it had no other user before."""
        owned = entry in self._owned
        self._owned.discard(entry)
        return owned

    def add(self, entry: Entry, value: Any, *, owned: bool = False) -> None:
        """Add one more contribution. `owned`: the array is new, and has no other user."""
        before = self._values.get(entry)
        if before is not None:
            if entry in self._owned:
                write_to(before, value, "add")
                return
            value, owned = library.add(before, value), True
        self._values[entry] = value
        if owned and not self.create_graph:
            self._owned.add(entry)


def write_to(target: Array, value: Any, request: str) -> None:
    """Write to `target` or add to it, as the request says."""
    write(same, value, target, request)
    target._chunk.writes += 1


def zeros_of(own: Layout, device: Context = CPU) -> Any:
    """Return a new array of zeros of that shape and dtype."""
    return filled(layout(own.shape, own.dtype), device, 0.0)


def ones_like(array: Array) -> Any:
    """Return the gradient of an array with respect to itself."""
    return filled(layout(array.shape, array.dtype), array.device, 1.0)


class Ones(NamedTuple):
    """The gradient of a head with respect to itself; the array is only created if needed."""

    head: Array

    def array(self) -> Any:
        """Return the ones."""
        return ones_like(self.head)
