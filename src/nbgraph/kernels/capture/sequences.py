"""Tuples of known length: comprehensions, what built-ins make of tuples, entries by index.

A list written in a scalar function is a tuple: nothing changes it. A comprehension in `sum()` and
its like is the loop that it says, so its number of terms may depend on values.
"""

from __future__ import annotations

import ast
import functools
import inspect
import itertools
import math
import operator
from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np

from nbgraph.kernels.capture import arrays, vectors
from nbgraph.kernels.capture.arrays import METHODS, Making, in_order
from nbgraph.kernels.capture.builtins import Builtins
from nbgraph.kernels.capture.closures import LocalFunction, assigned_within
from nbgraph.kernels.capture.containers import Method
from nbgraph.kernels.capture.context import Call
from nbgraph.kernels.capture.lists import CHANGES
from nbgraph.kernels.capture.lookups import MAX_ITEMS, entry_at, within
from nbgraph.kernels.capture.text import KindError
from nbgraph.kernels.capture.values import (
    Array,
    Complex,
    Env,
    List,
    Mapping,
    Static,
    Value,
    flatten,
    join_value,
    placed,
)
from nbgraph.kernels.kinds import is_boolean, is_integer
from nbgraph.kernels.scalar import Node

MAX_SORTED = 32  # items that sorted() compares, each with each
MAX_LISTED = 1024  # items that range() lists

Comprehension = ast.ListComp | ast.GeneratorExp
FOLDS: dict[object, str] = {
    **dict.fromkeys((sum, math.fsum, np.sum), "add"),
    **dict.fromkeys((math.prod, np.prod), "mul"),
}
TESTS: dict[object, bool] = {any: True, np.any: True, all: False, np.all: False}


class Sequences(Builtins):
    """Mixed into Expressions."""

    def elements(self, nodes: list[ast.expr], env: Env, path: Node) -> tuple[Value, ...]:
        """The values of a display or of arguments; `*tuple` stands for its items."""
        items: list[Value] = []
        for node in nodes:
            if not isinstance(node, ast.Starred):
                items.append(placed(self.object(node, env, path), env))
                continue
            inner = self.expression(node.value, env, path)
            if not isinstance(inner, tuple):
                self.refuse(node, "what follows * is not a tuple", "write the arguments out")
            items += cast("tuple[Value, ...]", inner)
        return tuple(items)

    def comprehension(self, node: Comprehension, env: Env, path: Node) -> tuple[Value, ...]:
        """The tuple of what a comprehension lists."""
        items: list[Value] = []
        assigned = assigned_within(node)

        def adopt(outer: Env, inner: Env) -> None:
            self.adopt(outer, inner)
            outer.update({name: inner[name] for name in assigned if name in inner})

        def visit(generators: list[ast.comprehension], inner: Env) -> None:
            if not generators:
                items.append(placed(self.object(node.elt, inner, path), inner))
                return
            first, *rest = generators
            for item in self._items(first.iter, inner, path):
                bound = dict(inner)
                self.bind(first.target, item, bound)
                if all(self._certain(test, bound, path) for test in first.ifs):
                    visit(rest, bound)
                adopt(inner, bound)

        inner = dict(env)
        visit(node.generators, inner)
        adopt(env, inner)
        return tuple(items)

    def _certain(self, test: ast.expr, env: Env, path: Node) -> bool:
        cond = self.condition(test, env, path)
        if cond.op != "const":
            self.refuse(
                test, "how many items there are depends on a value", "write a `for` loop over them"
            )
        return bool(cond.data)

    def _items(self, node: ast.expr, env: Env, path: Node) -> tuple[Value, ...]:
        items = self.expression(node, env, path)
        if isinstance(items, Mapping):
            return self.keys(node, items)
        if not isinstance(items, tuple):
            self.refuse(
                node,
                "this is not something to loop over in a scalar function",
                "loop over range(...) or over a constant tuple",
            )
        return cast("tuple[Value, ...]", items)

    # functions of tuples ----------------------------------------------------------------------

    def sequence_call(self, call: Call) -> Value | None:
        """The value of a built-in function of tuples; None for other functions."""
        node, target, kwargs, path = call.node, call.target, call.kwargs, call.path
        args = tuple(call.args)
        if target in (min, max, sorted) and isinstance(args[0], tuple) and kwargs:
            return self._ranked(call, args[0])
        if target in (min, max) and len(args) > 1 and kwargs.keys() == {"key"}:
            return self._ranked(call, args)
        if kwargs and (target not in (sum, math.prod, enumerate, zip) or len(kwargs) > 1):
            return None
        args = tuple(self.keys(node, a) if isinstance(a, Mapping) else a for a in args)
        first = args[0] if args else None
        strict = kwargs.get("strict")
        if (
            isinstance(strict, Node)
            and strict.data
            and len({len(a) for a in args if isinstance(a, tuple)}) > 1
        ):
            self.refuse(node, "the tuples have different lengths", "leave out strict=True")
        args = (*args, *(v for k, v in kwargs.items() if k == "start"))
        call = call.of(target, *args)
        if (fold := lookup(FOLDS, target)) is not None and isinstance(first, tuple):
            flat = flatten(first) if isinstance(first, Array) else None
            items = tuple(flat or cast("tuple[Value, ...]", first))
            start = args[1:] or ((self.graph.const(0),) if fold == "add" else ())
            return self._fold(node, fold, (*start, *items), path)
        if (sought := lookup(TESTS, target)) is not None and isinstance(first, tuple):
            join = self.graph.logical_or if sought else self.graph.logical_and
            truths = [self.truth(item) for item in first]
            return functools.reduce(join, truths, self.graph.const(not sought))
        if target is callable:
            known = isinstance(first, Static) and first.value
            return self.graph.const(callable(known) or isinstance(known, LocalFunction))
        if target is range:
            return self._range_items(call)
        applied = lookup(_APPLIED, target)
        if applied is not None and len(args) > 1 and isinstance(first, Static):
            return applied(self, call)
        make = lookup(_MAKERS, target)
        return make(self, call) if make and isinstance(first, tuple) else None

    def vector_call(self, call: Call) -> Value | None:
        """The value of a function of NumPy or `bisect` of tuples; None for other functions."""
        target = call.target
        make = lookup(arrays.FUNCTIONS, target)
        if make is not None and (target in arrays.MAKERS or _has_tuple(call.values)):
            return self._made(call, make, call.args, call.kwargs)
        fn = lookup(_VECTORS, target) or vectors.of_statistics(target)
        if fn is None or not _has_tuple(call.values):
            return None
        value = call.text(fn)
        return _vectors(value) if str(target.__module__).startswith("numpy") else value

    def _made(
        self, call: Call, make: Callable[..., Value], args: Sequence[Value], kwargs: Env
    ) -> Value:
        """What a function of arrays makes of values."""
        m = Making(self, call.node, call.path)
        try:
            inspect.signature(make).bind(m, *args, **kwargs)
        except TypeError as error:
            call.refuse(f"{call.name}(): {error}", "leave out what it does not take")
        return make(m, *args, **kwargs)

    def method_call(self, call: Call, method: Method, env: Env) -> Value:
        """The value of a method of a list or an array."""
        owner = self.held(method.owner, env)
        if method.name in CHANGES and not call.kwargs:
            return self.change(Making(self, call.node, call.path), method, call.args, env)
        if method.name not in METHODS:
            what = f"{method.name}() of a list takes no keywords here"
            call.refuse(what, "use sorted(values, ...)")
        args = [owner, *(self.held(a, env) for a in call.args)]
        return self._made(call, METHODS[method.name], args, call.kwargs)

    def _fold(self, node: ast.Call, op: str, items: tuple[Value, ...], path: Node) -> Value:
        self._numbers(node, tuple(item for item in items if not isinstance(item, Complex)))
        total = items[0] if items else self.graph.const(1)
        for item in items[1:]:
            total = self.binary(op, total, item, path)
        return total

    def _numbers(self, node: ast.Call, items: Sequence[Value], least: int = 0) -> list[Node]:
        if len(items) < least:
            self.refuse(node, "the tuple is empty", "give at least one number")
        if not all(isinstance(item, Node) for item in items):
            self.refuse(node, "the items are not all numbers", "give a tuple of numbers")
        return list(items)

    def _range_items(self, call: Call) -> tuple[Value, ...]:
        node, bounds = call.node, self._numbers(call.node, tuple(call.args))
        if not all(b.op == "const" and is_integer(b.kind) for b in bounds):
            self.refuse(
                node, "how many items there are depends on a value", "write a `for` loop over them"
            )
        numbers = range(*(int(b.data) for b in bounds))
        if len(numbers) > MAX_LISTED:
            self.refuse(node, f"more than {MAX_LISTED} items are listed", "write a `for` loop")
        return tuple(self.graph.const(i) for i in numbers)

    def _enumerate(self, call: Call) -> Value:
        start = self._numbers(call.node, call.args[1:])
        if any(s.op != "const" for s in start):
            call.refuse("the start of enumerate() is not constant", "add it to the number")
        first = int(start[0].data) if start else 0
        return tuple((self.graph.const(i), item) for i, item in enumerate(call.args[0], first))

    def _zip(self, call: Call) -> Value:
        return tuple(zip(*(self._listed(call.node, a) for a in call.args), strict=False))

    def _map(self, call: Call) -> Value:
        fn, *columns = call.args
        rows = zip(*(self._listed(call.node, c) for c in columns), strict=False)
        return tuple(self.apply(call.of(fn.value, *row)) for row in rows)

    def _accumulate(self, call: Call) -> Value:
        items, *function = call.args
        fn = function[0].value if function else operator.add
        return tuple(
            itertools.accumulate(
                self._listed(call.node, items),
                lambda a, b: self.apply(call.of(fn, a, b)),
            )
        )

    def _reduce(self, call: Call) -> Value:
        fn, items, *start = call.args
        values = [*start, *self._listed(call.node, items)]
        if not values:
            call.refuse("reduce() of an empty tuple", "give a start value")
        return functools.reduce(lambda a, b: self.apply(call.of(fn.value, a, b)), values)

    def _ranked(self, call: Call, items: tuple[Value, ...]) -> Value:
        """`min`, `max` or `sorted` with a key, a default or in reverse."""
        node, target, kwargs = call.node, call.target, call.kwargs
        allowed = {"key", "reverse"} if target is sorted else {"key", "default"}
        key = kwargs.get("key")
        if not kwargs.keys() <= allowed or not (key is None or isinstance(key, Static)):
            self.refuse(node, "a keyword argument is not understood here", "leave it out")
        by = None if key is None or key.value is None else key.value
        reverse = kwargs.get("reverse", self.graph.const(False))
        falls = isinstance(reverse, Node) and bool(reverse.data)
        if target is sorted and by is None:
            return List(in_order(Making(self, node, call.path), items, falls))
        ranks = [item if by is None else self.apply(call.of(by, item)) for item in items]
        rows = list(zip(self._numbers(node, tuple(ranks)), items, strict=True))
        if target is not sorted:
            if not rows:
                return kwargs.get("default") or self._numbers(node, (), 1)
            op = "lt" if target is min else "gt"
            return functools.reduce(lambda a, b: self._ordered(op, a, b)[0], rows)[1]
        return self._sorted_rows(node, "gt" if falls else "lt", rows)

    def _sorted_rows(self, node: ast.Call, op: str, rows: list[tuple[Node, Value]]) -> Value:
        """Items in the order of their ranks; equal ones stay in order."""
        if len(rows) > MAX_SORTED:
            self.refuse(node, f"more than {MAX_SORTED} items are sorted", "sort before the call")
        for last in range(len(rows) - 1, 0, -1):
            for k in range(last):
                rows[k : k + 2] = self._ordered(op, rows[k], rows[k + 1])
        return List(item for _, item in rows)

    def _ordered(
        self, op: str, a: tuple[Node, Value], b: tuple[Node, Value]
    ) -> list[tuple[Node, Value]]:
        """Two rows, exchanged where the rank of the second is `op` that of the first."""
        swap, graph = self.graph.compare(op, b[0], a[0]), self.graph
        pairs = (zip(b, a, strict=True), zip(a, b, strict=True))
        rows = [tuple(join_value(graph, swap, x, y) for x, y in pair) for pair in pairs]
        return cast("list[tuple[Node, Value]]", rows)

    def _sorted(self, call: Call) -> Value:
        return self._ranked(call.of(sorted), call.args[0])

    def _iterated(self, call: Call) -> Value:
        """What `itertools` lists of tuples; counts among its arguments are constants."""
        fn = self.static(call.node.func, {})
        values = [a if isinstance(a, tuple) else self._count_of(call, a) for a in call.args]
        items = tuple(itertools.islice(fn(*values), MAX_LISTED + 1))
        if len(items) > MAX_LISTED:
            call.refuse(f"more than {MAX_LISTED} items are listed", "write a `for` loop")
        return items

    def _count_of(self, call: Call, value: Value) -> int:
        if not isinstance(value, Node) or value.op != "const" or not is_integer(value.kind):
            call.refuse("a count is not a constant integer", "write the number")
        return int(value.data)

    def _listed(self, node: ast.Call, items: Value) -> tuple[Value, ...]:
        if not isinstance(items, tuple):
            self.refuse(node, "what is gone through is not a tuple", "give a tuple of numbers")
        return cast("tuple[Value, ...]", items)

    # entries ----------------------------------------------------------------------------------

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
            return slice(*(self._fixed(p, env, path) for p in (part.lower, part.upper, part.step)))
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
        if not isinstance(owner, tuple):
            self.refuse(node, "there are more indices than dimensions", "leave the last ones out")
        place, *rest = places
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

    def _fixed(self, node: ast.expr | None, env: Env, path: Node) -> int | None:
        if node is None:
            return None
        bound = self.number(node, env, path)
        if bound.op != "const" or not is_integer(bound.kind):
            self.refuse(
                node, "the bound of a slice is not a constant integer", "write the items out"
            )
        return int(bound.data)

    def _looked_up(
        self, node: ast.Subscript, owner: tuple[Value, ...], index: Node, path: Node | None
    ) -> Value:
        """The entry at an index that depends on values; where there is none, the first one."""
        name = ast.unparse(node.value)
        place, inside = within(self.graph, index, len(owner), path)
        value = (
            entry_at(self.graph, owner, place, name if name.isidentifier() else "")
            if owner
            else None
        )
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


def _sort(owner: Value) -> str:
    """What Python calls a sequence."""
    return "array" if isinstance(owner, Array) else "list" if isinstance(owner, List) else "tuple"


def _outside(owner: tuple[Value, ...]) -> str:
    """What is said of an index that a sequence does not have."""
    return f"{_sort(owner)} index out of range, there are {len(owner)} items"


_ITERTOOLS = (
    "product combinations combinations_with_replacement permutations pairwise chain".split()
)
_VECTORS: dict[Any, Any] = vectors.FUNCTIONS
_Maker = Callable[[Any, Call], Value]
_MAKERS: dict[object, _Maker] = {
    len: lambda self, call: self.graph.const(len(call.args[0])),
    tuple: lambda self, call: tuple(call.args[0]),
    list: lambda self, call: List(call.args[0]),
    reversed: lambda self, call: call.args[0][::-1],
    min: lambda self, call: self.extreme("lt", self._numbers(call.node, call.args[0], 1)),
    max: lambda self, call: self.extreme("gt", self._numbers(call.node, call.args[0], 1)),
    enumerate: Sequences._enumerate,
    zip: Sequences._zip,
    sorted: Sequences._sorted,
    itertools.accumulate: Sequences._accumulate,
    **{getattr(itertools, name): Sequences._iterated for name in _ITERTOOLS},
}
_APPLIED: dict[object, _Maker] = {
    map: Sequences._map,
    functools.reduce: Sequences._reduce,
}


def _vectors(value: Value) -> Value:
    """Return the tuples that a NumPy function gives as arrays."""
    return Array(map(_vectors, value)) if isinstance(value, tuple) else value


def _has_tuple(values: Sequence[Value]) -> bool:
    return any(isinstance(value, tuple) for value in values)


def lookup(table: dict[object, Any], target: object) -> Any:
    """The entry of a function; None for what is none or cannot be looked up."""
    return table.get(target) if callable(target) and type(target).__hash__ else None


def takes_tuples(target: object) -> bool:
    """Whether a function may be known for tuples or arrays, though not for numbers."""
    tables = (FOLDS, TESTS, _MAKERS, _APPLIED, _VECTORS, arrays.FUNCTIONS)
    known = any(lookup(table, target) is not None for table in tables)
    return known or vectors.of_statistics(target) is not None
