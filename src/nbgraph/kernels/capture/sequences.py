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
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from nbgraph.kernels.capture import arrays, samples, vectors
from nbgraph.kernels.capture.arrays import METHODS, Making, in_order
from nbgraph.kernels.capture.builtins import Builtins
from nbgraph.kernels.capture.closures import LocalFunction, assigned_within
from nbgraph.kernels.capture.containers import Method
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

if TYPE_CHECKING:
    from nbgraph.kernels.capture.tracer import Tracer

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

    @property
    def _tracer(self) -> Tracer:
        return cast("Tracer", self)

    def elements(self, nodes: list[ast.expr], env: Env, path: Node) -> tuple[Value, ...]:
        """The values of a display or of arguments; `*tuple` stands for its items."""
        found: list[Value] = []
        for node in nodes:
            if not isinstance(node, ast.Starred):
                found.append(placed(self._tracer.object(node, env, path), env))
                continue
            inner = self._tracer.expression(node.value, env, path)
            if not isinstance(inner, tuple):
                self.refuse(node, "what follows * is no tuple", "write the arguments out")
            found += cast("tuple[Value, ...]", inner)
        return tuple(found)

    def comprehension(self, node: Comprehension, env: Env, path: Node) -> tuple[Value, ...]:
        """The tuple of what a comprehension lists."""
        found: list[Value] = []
        assigned = assigned_within(node)

        def adopt(outer: Env, inner: Env) -> None:
            self._tracer.adopt(outer, inner)
            outer.update({name: inner[name] for name in assigned if name in inner})

        def visit(generators: list[ast.comprehension], inner: Env) -> None:
            if not generators:
                found.append(placed(self._tracer.object(node.elt, inner, path), inner))
                return
            first, *rest = generators
            for item in self._items(first.iter, inner, path):
                bound = dict(inner)
                self._tracer.bind(first.target, item, bound)
                if all(self._certain(test, bound, path) for test in first.ifs):
                    visit(rest, bound)
                adopt(inner, bound)

        inner = dict(env)
        visit(node.generators, inner)
        adopt(env, inner)
        return tuple(found)

    def _certain(self, test: ast.expr, env: Env, path: Node) -> bool:
        cond = self._tracer.condition(test, env, path)
        if cond.op != "const":
            self.refuse(
                test, "how many items there are depends on a value", "write a `for` loop over them"
            )
        return bool(cond.data)

    def _items(self, node: ast.expr, env: Env, path: Node) -> tuple[Value, ...]:
        items = self._tracer.expression(node, env, path)
        if isinstance(items, Mapping):
            return self._tracer.keys(node, items)
        if not isinstance(items, tuple):
            self.refuse(
                node,
                "this is not something to loop over in a scalar function",
                "loop over range(...) or over a constant tuple",
            )
        return cast("tuple[Value, ...]", items)

    # functions of tuples ----------------------------------------------------------------------

    def sequence_call(
        self,
        node: ast.Call,
        target: object,
        args: tuple[Value, ...],
        kwargs: dict[str, Value],
        path: Node,
    ) -> Value | None:
        """A built-in function of tuples; None for other functions."""
        if target in (min, max, sorted) and isinstance(args[0], tuple) and kwargs:
            return self._ranked(node, target, args[0], kwargs, path)
        if target in (min, max) and len(args) > 1 and kwargs.keys() == {"key"}:
            return self._ranked(node, target, args, kwargs, path)
        if kwargs and (target not in (sum, math.prod, enumerate, zip) or len(kwargs) > 1):
            return None
        args = tuple(self._tracer.keys(node, a) if isinstance(a, Mapping) else a for a in args)
        first = args[0] if args else None
        strict = kwargs.get("strict")
        if (
            isinstance(strict, Node)
            and strict.data
            and len({len(a) for a in args if isinstance(a, tuple)}) > 1
        ):
            self.refuse(node, "the tuples have different lengths", "leave out strict=True")
        args = (*args, *(v for k, v in kwargs.items() if k == "start"))
        if (fold := lookup(FOLDS, target)) is not None and isinstance(first, tuple):
            flat = flatten(first) if isinstance(first, Array) else None
            items = tuple(flat or cast("tuple[Value, ...]", first))
            start = args[1:] or ((self.graph.const(0),) if fold == "add" else ())
            return self._fold(node, fold, (*start, *items), path)
        if (sought := lookup(TESTS, target)) is not None and isinstance(first, tuple):
            join = self.graph.logical_or if sought else self.graph.logical_and
            truths = [self._tracer.truth(item) for item in first]
            return functools.reduce(join, truths, self.graph.const(not sought))
        if target is callable:
            known = isinstance(first, Static) and first.value
            return self.graph.const(callable(known) or isinstance(known, LocalFunction))
        if target is range:
            return self._range_items(node, args)
        applied = lookup(_APPLIED, target)
        if applied is not None and len(args) > 1 and isinstance(first, Static):
            return applied(self, node, args, path)
        make = lookup(_MAKERS, target)
        return make(self, node, args, path) if make and isinstance(first, tuple) else None

    def vector_call(
        self,
        node: ast.Call,
        target: object,
        args: tuple[Value, ...],
        kwargs: dict[str, Value],
        path: Node,
    ) -> Value | None:
        """A function of NumPy or `bisect` applied to tuples; None for other functions."""
        m, values = Making(self._tracer, node, path), (*args, *kwargs.values())
        make = lookup(arrays.FUNCTIONS, target)
        if make is not None and (target in arrays.MAKERS or _has_tuple(values)):
            return self._made(m, make, args, kwargs)
        fn = lookup(_VECTORS, target) or samples.of_statistics(target)
        if fn is None or not _has_tuple(values):
            return None
        found = self.call_text(node, fn, args, kwargs, path)
        return self.vectors(found) if str(target.__module__).startswith("numpy") else found

    def _made(
        self,
        m: Making,
        make: Callable[..., Value],
        args: Sequence[Value],
        kwargs: dict[str, Value],
    ) -> Value:
        """What a function of arrays makes of values."""
        try:
            inspect.signature(make).bind(m, *args, **kwargs)
        except TypeError as error:
            m.refuse(f"{ast.unparse(m.node.func)}(): {error}", "leave out what it does not take")
        return make(m, *args, **kwargs)

    def method_call(
        self,
        m: Making,
        method: Method,
        args: tuple[Value, ...],
        kwargs: dict[str, Value],
        env: Env,
    ) -> Value:
        """A method of a list or an array."""
        owner = self._tracer.held(method.owner, env)
        if method.name in CHANGES and not kwargs:
            return self._tracer.change(m, method, args, env)
        if method.name not in METHODS:
            m.refuse(f"{method.name}() of a list takes no keywords here", "use sorted(values, ...)")
        held = [self._tracer.held(a, env) for a in args]
        return self._made(m, METHODS[method.name], [owner, *held], kwargs)

    def _fold(self, node: ast.Call, op: str, items: tuple[Value, ...], path: Node) -> Value:
        self._numbers(node, tuple(item for item in items if not isinstance(item, Complex)))
        total = items[0] if items else self.graph.const(1)
        for item in items[1:]:
            total = self._tracer.binary(op, total, item, path)
        return total

    def _numbers(self, node: ast.Call, items: tuple[Value, ...], least: int = 0) -> list[Node]:
        if len(items) < least:
            self.refuse(node, "the tuple is empty", "give at least one number")
        if not all(isinstance(item, Node) for item in items):
            self.refuse(node, "the items are not all numbers", "give a tuple of numbers")
        return list(items)

    def _range_items(self, node: ast.Call, args: tuple[Value, ...]) -> tuple[Value, ...]:
        bounds = self._numbers(node, args)
        if not all(b.op == "const" and is_integer(b.kind) for b in bounds):
            self.refuse(
                node, "how many items there are depends on a value", "write a `for` loop over them"
            )
        found = range(*(int(b.data) for b in bounds))
        if len(found) > MAX_LISTED:
            self.refuse(node, f"more than {MAX_LISTED} items are listed", "write a `for` loop")
        return tuple(self.graph.const(i) for i in found)

    def _enumerate(self, node: ast.Call, args: tuple[Value, ...], path: Node) -> Value:
        start = self._numbers(node, args[1:])
        if any(s.op != "const" for s in start):
            self.refuse(node, "the start of enumerate() is not constant", "add it to the number")
        first = int(start[0].data) if start else 0
        return tuple((self.graph.const(i), item) for i, item in enumerate(args[0], first))

    def _zip(self, node: ast.Call, args: tuple[Value, ...], path: Node) -> Value:
        return tuple(zip(*(self._listed(node, a) for a in args), strict=False))

    def _dist(self, node: ast.Call, args: tuple[Value, ...], path: Node) -> Value:
        ends = [self._numbers(node, a if isinstance(a, tuple) else (None,)) for a in args]
        if len(ends) != 2 or len(ends[0]) != len(ends[1]):
            self.refuse(node, "dist() takes two points of one length", "give two tuples")
        return self._hypot([self.graph.arithmetic("sub", a, b) for a, b in zip(*ends, strict=True)])

    def _hypot(self, legs: list[Node]) -> Node:
        total = self.graph.absolute(legs[0])
        for leg in legs[1:]:
            total = self.graph.call("hypot", total, leg)
        return total

    def _map(self, node: ast.Call, args: tuple[Value, ...], path: Node) -> Value:
        fn, *columns = args
        rows = zip(*(self._listed(node, c) for c in columns), strict=False)
        return tuple(self._tracer.apply(node, fn.value, list(row), {}, path) for row in rows)

    def _accumulate(self, node: ast.Call, args: tuple[Value, ...], path: Node) -> Value:
        items, *function = args
        fn = function[0].value if function else operator.add
        return tuple(
            itertools.accumulate(
                self._listed(node, items),
                lambda a, b: self._tracer.apply(node, fn, [a, b], {}, path),
            )
        )

    def _reduce(self, node: ast.Call, args: tuple[Value, ...], path: Node) -> Value:
        fn, items, *start = args
        values = [*start, *self._listed(node, items)]
        if not values:
            self.refuse(node, "reduce() of an empty tuple", "give a start value")
        return functools.reduce(
            lambda a, b: self._tracer.apply(node, fn.value, [a, b], {}, path), values
        )

    def _ranked(
        self, node: ast.Call, target: object, items: tuple[Value, ...], kwargs: Env, path: Node
    ) -> Value:
        """`min`, `max` or `sorted` with a key, a default or in reverse."""
        allowed = {"key", "reverse"} if target is sorted else {"key", "default"}
        key = kwargs.get("key")
        if not kwargs.keys() <= allowed or not (key is None or isinstance(key, Static)):
            self.refuse(node, "a keyword argument is not understood here", "leave it out")
        by = None if key is None or key.value is None else key.value
        reverse = kwargs.get("reverse", self.graph.const(False))
        falls = isinstance(reverse, Node) and bool(reverse.data)
        if target is sorted and by is None:
            return List(in_order(Making(self._tracer, node, path), items, falls))
        ranks = [
            item if by is None else self._tracer.apply(node, by, [item], {}, path) for item in items
        ]
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

    def _sorted(self, node: ast.Call, args: tuple[Value, ...], path: Node) -> Value:
        return self._ranked(node, sorted, args[0], {}, path)

    def _iterated(self, node: ast.Call, args: tuple[Value, ...], path: Node) -> Value:
        """What `itertools` lists of tuples; counts among its arguments are constants."""
        fn = self._tracer.static(node.func, {})
        values = [a if isinstance(a, tuple) else self._count_of(node, a) for a in args]
        found = tuple(itertools.islice(fn(*values), MAX_LISTED + 1))
        if len(found) > MAX_LISTED:
            self.refuse(node, f"more than {MAX_LISTED} items are listed", "write a `for` loop")
        return found

    def _count_of(self, node: ast.Call, value: Value) -> int:
        if not isinstance(value, Node) or value.op != "const" or not is_integer(value.kind):
            self.refuse(node, "a count is no constant integer", "write the number")
        return int(value.data)

    def _listed(self, node: ast.Call, items: Value) -> tuple[Value, ...]:
        if not isinstance(items, tuple):
            self.refuse(node, "what is gone through is no tuple", "give a tuple of numbers")
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
        index = self._tracer.number(part, env, path)
        if not (is_integer(index.kind) or is_boolean(index.kind)):
            self.refuse(
                node, "the index of a tuple is no integer", "make it one with int()", KindError
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
        if not issubclass(IndexError, self._tracer.catching):
            problem = f"{_sort(owner)} index out of range"
            self.refuse(node, problem, "use an index of its items")
        self.raises_lookup(node, IndexError, _outside(owner), self.graph.const(True))
        return self.graph.const(math.nan)

    def _fixed(self, node: ast.expr | None, env: Env, path: Node) -> int | None:
        if node is None:
            return None
        bound = self._tracer.number(node, env, path)
        if bound.op != "const" or not is_integer(bound.kind):
            self.refuse(node, "the bound of a slice is no constant integer", "write the items out")
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
            counter, ahead = self._tracer.counter, None
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
_VECTORS: dict[Any, Any] = vectors.FUNCTIONS | samples.FUNCTIONS
_Maker = Callable[[Any, ast.Call, tuple[Value, ...], Node], Value]
_MAKERS: dict[object, _Maker] = {
    len: lambda self, node, args, path: self.graph.const(len(args[0])),
    tuple: lambda self, node, args, path: tuple(args[0]),
    list: lambda self, node, args, path: List(args[0]),
    reversed: lambda self, node, args, path: args[0][::-1],
    min: lambda self, node, args, path: self._min(*self._numbers(node, args[0], 1), path=path),
    max: lambda self, node, args, path: self._max(*self._numbers(node, args[0], 1), path=path),
    enumerate: Sequences._enumerate,
    zip: Sequences._zip,
    math.dist: Sequences._dist,
    sorted: Sequences._sorted,
    itertools.accumulate: Sequences._accumulate,
    **{getattr(itertools, name): Sequences._iterated for name in _ITERTOOLS},
}
_APPLIED: dict[object, _Maker] = {
    map: Sequences._map,
    functools.reduce: Sequences._reduce,
}


def _has_tuple(values: Sequence[Value]) -> bool:
    return any(isinstance(value, tuple) for value in values)


def lookup(table: dict[object, Any], target: object) -> Any:
    """The entry of a function; None for what is none or cannot be looked up."""
    return table.get(target) if callable(target) and type(target).__hash__ else None


def takes_tuples(target: object) -> bool:
    """Whether a function may be known for tuples or arrays, though not for numbers."""
    tables = (FOLDS, TESTS, _MAKERS, _APPLIED, _VECTORS, arrays.FUNCTIONS)
    known = any(lookup(table, target) is not None for table in tables)
    return known or samples.of_statistics(target) is not None
