"""Lists, dicts, sets and NumPy arrays that are read from outside a function: constants."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from nbgraph.kernels.capture import objects
from nbgraph.kernels.capture.builtins import Builtins
from nbgraph.kernels.capture.context import Method
from nbgraph.kernels.capture.joining import chosen, join_value
from nbgraph.kernels.capture.lookups import MAX_ITEMS, entry_at
from nbgraph.kernels.capture.records import record_of
from nbgraph.kernels.capture.values import Array, Choice, ConstantArray, Mapping, Static, Value
from nbgraph.kernels.kinds import is_boolean, is_integer, kind_of_dtype
from nbgraph.kernels.scalar import Graph, Node

MAX_ENTRIES = 1 << 16  # of an array; each is a node
MAX_GAPS = 4  # places in a table of a dict, for each key, that may have none


class Containers(Builtins):
    """Mixed into Expressions."""

    def container(self, value: Any, node: ast.expr) -> Value:
        """What a container holds now; that it holds the same is looked at in each call."""
        size = value.size if isinstance(value, np.ndarray) else len(value)
        if size > MAX_ENTRIES:
            self.refuse(
                node,
                f"{size} entries are read from outside the function, more than {MAX_ENTRIES}",
                "take the entries before the call, e.g. by ng.take(table, index), and pass them as "
                "an operand",
            )
        self.watch.read_contents(value)
        if isinstance(value, np.ndarray):
            return self._array(value, node)
        if isinstance(value, dict):
            return Mapping({key: self.constant(item, node) for key, item in value.items()})
        return tuple(self.constant(item, node) for item in value)

    def _array(self, value: np.ndarray[Any, Any], node: ast.expr) -> Value:
        """An array: integers and bools keep their dtype, floats are `a floating value`."""
        if value.dtype.kind not in "fiubc":
            what = f"an array of dtype {value.dtype} is read from outside the function"
            self.refuse(node, what, "use an array of numbers, or a tuple")
        graph = self.graph
        kind = "" if value.dtype.kind == "c" else kind_of_dtype(value.dtype)

        def nested(part: Any) -> Value:
            if isinstance(part, list):
                return ConstantArray(map(nested, part))
            return graph.cast(graph.const(part), kind) if kind else self.constant(part, node)

        return nested(value.tolist())

    # dicts ------------------------------------------------------------------------------------

    def keys(self, node: ast.expr, owner: Mapping) -> tuple[Value, ...]:
        """The keys of a dict in their order."""
        return tuple(self.constant(key, node) for key in owner.entries)

    def method(self, node: ast.Call, method: Method, args: Sequence[Value]) -> Value:
        """A method of a dict applied to values."""
        owner, keys = method.owner, self.keys(node, method.owner)
        values = tuple(owner.entries.values())
        if method.name == "get" and len(args) in (1, 2):
            return self.at_key(node, owner, *args, *[Static(None)][len(args) - 1 :])
        if args:
            self.refuse(node, f"{method.name}() of a dict with arguments", "leave them out")
        if method.name == "copy":
            return record_of(dict, owner.entries)
        listed = {"keys": keys, "values": values, "items": tuple(zip(keys, values, strict=True))}
        return listed[method.name]

    def at_key(self, node: ast.expr, owner: Mapping, key: Value, default: Value = None) -> Value:
        """`owner[key]`, or `default` where there is no such key."""
        if isinstance(key, Choice):

            def entry_of(option: Static, here: Node) -> Value:
                words = f"the dict has no key {option.value!r}"
                if (entry := owner.entries.get(option.value, default)) is None:
                    self.raises_lookup(node, KeyError, words, here)
                return next(iter(owner.entries.values())) if entry is None else entry

            return chosen(self.graph, key, entry_of)
        if (constant := objects.known(key)) is not None:
            known = constant[0]
            entry = owner.entries.get(known, default)
            if entry is not None:
                return entry
            if not issubclass(KeyError, self.catching):
                self.refuse(node, f"the dict has no key {known!r}", "use a key that it has")
            words = f"the dict has no key {known!r}"
            self.raises_lookup(node, KeyError, words, self.graph.const(True))
            return self.graph.const(math.nan)
        entries = {k: v for k, v in owner.entries.items() if isinstance(k, (int, float))}
        if isinstance(digit := getattr(key, "number", None), Node) and getattr(key, "size", 0) == 1:
            texts = {k: v for k, v in owner.entries.items() if isinstance(k, str)}
            entries = {}
            entries |= {int(k): v for k, v in texts.items() if len(k) == 1 and k.isdecimal()}
            key = digit
        if not isinstance(key, Node) or not entries:
            self.refuse(node, "the key of a dict is neither a number nor constant", "use a number")
        value, inside = self._chosen(node, key, entries)
        if default is None:
            words = f"the dict has no such key; it has {', '.join(map(repr, [*entries][:4]))}"
            words += ", ..." if len(entries) > 4 else ""
            self.raises_lookup(node, KeyError, words, self.graph.logical_not(inside))
            return value
        value = join_value(self.graph, inside, value, default)
        return self.joined(node, value, "give the default that the others have")

    def _chosen(
        self, node: ast.expr, key: Node, entries: dict[int | float, Value]
    ) -> tuple[Value, Node]:
        """The value of a key that depends on values, and whether there is one. Whole keys close to
        each other are places in a table, others are compared."""
        graph, listed = self.graph, sorted(entries)
        low, whole = listed[0], all(isinstance(k, int) for k in listed)
        whole = whole and (is_integer(key.kind) or is_boolean(key.kind))
        if whole and int(listed[-1] - low) < MAX_GAPS * len(listed) + 8:
            places = range(int(low), int(listed[-1]) + 1)
            items = [entries.get(k, entries[low]) for k in places]
            present = [graph.const(k in entries) for k in places]
            key = graph.cast(key, "i")
            index = graph.arithmetic("sub", key, graph.const(int(low)))
            above = graph.compare("ge", index, graph.const(0))
            inside = graph.logical_and(above, graph.compare("lt", index, graph.const(len(items))))
            index = graph.select(inside, index, graph.const(0))
            present_here = entry_at(graph, present, index)
            assert present_here is not None
            inside = graph.logical_and(inside, present_here)
        else:
            index, inside = graph.const(0), graph.const(False)
            items = [entries[k] for k in listed]
            if len(items) > MAX_ITEMS:
                self.refuse(node, f"more than {MAX_ITEMS} keys far apart", "use keys 0, 1, 2, ...")
            for place, k in enumerate(listed):
                here = graph.compare("eq", key, graph.const(k))
                index = graph.select(here, graph.const(place), index)
                inside = graph.logical_or(inside, here)
        value = entry_at(graph, items, index)
        if value is None:
            self.refuse(node, "the values of the dict are not all numbers", "use numbers")
        return value, inside


ARRAY_ATTRIBUTES: dict[str, Callable[[Graph, Array], Value]] = {
    "shape": lambda graph, owner: tuple(map(graph.const, owner.shape)),
    "size": lambda graph, owner: graph.const(int(np.prod(owner.shape))),
    "ndim": lambda graph, owner: graph.const(len(owner.shape)),
}
MAPPING_METHODS = frozenset(("copy", "get", "setdefault", "update", "keys", "values", "items"))
