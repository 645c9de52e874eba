"""Entries of tuples, lists and arrays, by their places: numbers, slices, several of an array."""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence

from nbgraph.kernels.capture import resizable
from nbgraph.kernels.capture.arrays import whole
from nbgraph.kernels.capture.classes import Classes
from nbgraph.kernels.capture.context import Call
from nbgraph.kernels.capture.lookups import MAX_ITEMS, entry_at, within
from nbgraph.kernels.capture.text import KindError
from nbgraph.kernels.capture.values import Array, Env, List, Resizable, Value
from nbgraph.kernels.kinds import is_boolean, is_integer
from nbgraph.kernels.scalar import Node


class Entries(Classes):
    """Mixed into Sequences."""

    def places(
        self, node: ast.Subscript, owner: Value, env: Env, path: Node
    ) -> tuple[Node | slice, ...]:
        """The indices and slices of a subscript: several of an array, else one."""
        several = isinstance(owner, Array) and isinstance(node.slice, ast.Tuple)
        parts = node.slice.elts if several else [node.slice]  # type: ignore[attr-defined]
        return tuple(self._place(node, part, env, path) for part in parts)

    def _place(self, node: ast.Subscript, part: ast.expr, env: Env, path: Node) -> Node | slice:
        """One index or slice of a subscript."""
        if isinstance(part, ast.Slice):
            bounds = (part.lower, part.upper, part.step)
            nodes = [bound and self.number(bound, env, path) for bound in bounds]
            if any(n is not None and n.op != "const" for n in nodes):
                return slice(*nodes)
            return slice(
                *(n and whole(Call(self, node, path), n, "the bound of a slice") for n in nodes)
            )
        index = self.number(part, env, path)
        if not (is_integer(index.kind) or is_boolean(index.kind)):
            self.refuse(
                node, "the index of a tuple is not an integer", "make it one with int()", KindError
            )
        return index

    def entries(
        self,
        node: ast.Subscript,
        owner: Value,
        places: Sequence[Node | slice],
        path: Node | None = None,
    ) -> Value:
        """`owner[index]`, `owner[a:b:c]`, and `owner[i, j]` of an array. What is looked up on a
        path raises IndexError where there is no such entry."""
        if not places:
            return owner
        if not isinstance(owner, (tuple, Resizable)):
            self.refuse(node, "there are more indices than dimensions", "leave the last ones out")
        place, *rest = places
        if isinstance(owner, Resizable) or _is_late(place):
            call = Call(self, node, path or self.graph.const(True))
            return self.entries(node, resizable.at(call, owner, place), rest, path)
        if isinstance(place, slice):
            return type(owner)(self.entries(node, row, rest, path) for row in owner[place])
        if place.op != "const":
            return self.entries(node, self._looked_up(node, owner, place, path), rest, path)
        if -len(owner) <= place.data < len(owner):
            return self.entries(node, owner[int(place.data)], rest, path)
        if not issubclass(IndexError, self.catching):
            problem = f"{_sort(owner)} index out of range"
            self.refuse(node, problem, "use an index of its items")
        self.raises_lookup(node, IndexError, _outside(owner), self.graph.const(True))
        return self.graph.const(math.nan)

    def _looked_up(
        self, node: ast.Subscript, owner: tuple[Value, ...], index: Node, path: Node | None
    ) -> Value:
        """The entry at an index that depends on values; where there is none, the first one."""
        name = ast.unparse(node.value)
        place, inside = within(self.graph, index, len(owner), path)
        name = name if name.isidentifier() else ""
        value = entry_at(self.graph, owner, place, name) if owner else None
        if value is None:
            self.refuse(
                node,
                "an index that depends on values is understood in constants, and in tuples of 1 to "
                f"{MAX_ITEMS} numbers or of tuples of such",
                "pass what is looked up as an operand",
            )
        if path is not None:
            missing = self.graph.logical_not(inside)
            counter, ahead = self.counter, None
            if counter is not None and counter.path is path and missing.op != "const":
                ahead = counter.missed(self.graph, index, len(owner))
            self.raises_lookup(node, IndexError, _outside(owner), missing, ahead)
        return value


def _is_late(place: Node | slice) -> bool:
    """Whether it is a slice whose bounds depend on values."""
    bounds = (place.start, place.stop, place.step) if isinstance(place, slice) else ()
    return any(isinstance(bound, Node) for bound in bounds)


def _sort(owner: Value) -> str:
    """What Python calls a sequence."""
    return "array" if isinstance(owner, Array) else "list" if isinstance(owner, List) else "tuple"


def _outside(owner: tuple[Value, ...]) -> str:
    """What is said of an index that a sequence does not have."""
    return f"{_sort(owner)} index out of range, there are {len(owner)} items"
