"""Loops whose trip count depends on values: a region of the scalar graph for each.

The body is traced with phi nodes for the variables that a trip changes (`carried`), until their
kinds are stable. A `while` loop also ends when the variables of its condition repeat earlier
values, as happens in float32 with a tolerance meant for float64. The kernel then ends with an error
code, unless a value is NaN; a `return` that is never reached gives NaN.
"""

import ast
import functools
import math
from typing import Any, cast

from nbgraph.kernels.capture.carried import COUNTER, Carried, nodes_of
from nbgraph.kernels.capture.containers import copied
from nbgraph.kernels.capture.context import Call, Tracer
from nbgraph.kernels.capture.digits import Digits, Range
from nbgraph.kernels.capture.environment import (
    BROKE,
    FROZEN,
    HEAP,
    MISSED,
    RETURNED,
    freeze,
    keys_in,
    placed,
    stopped,
    without_flags,
)
from nbgraph.kernels.capture.intervals import Intervals
from nbgraph.kernels.capture.lookups import Counter, entry_at
from nbgraph.kernels.capture.text import counted, is_store, walk
from nbgraph.kernels.capture.values import Env, Partly, Undefined, Unset, Value, unflatten
from nbgraph.kernels.scalar.graph import Graph, Node
from nbgraph.kernels.scalar.nodes import MOVES, RESULT, Region

_LEAVES = {ast.Break, ast.Return, ast.Raise, ast.Assert}
_LATE = "gets its first value inside a loop that may not run: give it one before the loop"


class RegionLoop(Carried):
    """Traces one loop into a region; kinds of carried variables widen until they are stable.

    `bounds`: the range of the counter of a `for`; `items`: those that the counter indexes.
    """

    def __init__(
        self,
        tracer: Tracer,
        st: ast.While | ast.For,
        env: Env,
        path: Node,
        bounds: Range | None = None,
        items: tuple[Value, ...] | Digits | None = None,
    ) -> None:
        super().__init__(tracer, st, env, path, bounds)
        self.range, self.items = bounds, items
        self.most = len(items) if isinstance(items, tuple) else self.trips
        self.ahead: list[tuple[str, Node]] = []

    @property
    def bounds(self) -> Range:
        """The range of the counter."""
        return cast("Range", self.range)

    def run(self) -> Env:
        """Return the environment after the loop."""
        if ast.Break in self.leaves or ast.Return in self.leaves:
            self.add_flag(BROKE)
        if self.leaves & {ast.Return, ast.Raise, ast.Assert}:
            self.add_flag(RETURNED)
        if isinstance(self.st, ast.While):
            self.start[MOVES] = self.graph.const(True)
            self.names.append(MOVES)
        for _ in range(8 + 4 * len(self.start)):  # each pass widens a variable, or adds some
            after = self._attempt()
            if after is not None:
                return after
        raise AssertionError(self.names)

    def _attempt(self) -> Env | None:
        graph, tracer, start = self.graph, self.tracer, self.start
        region = graph.region()
        starts = {name: nodes_of(start[name]) or [] for name in self.names}
        phis = {
            name: [graph.phi(region, (name, i, n.kind), n.kind) for i, n in enumerate(nodes)]
            for name, nodes in starts.items()
        }
        self._bound(phis)
        inside: Env = {**start, **dict.fromkeys(self.late, Undefined(_LATE))}
        inside |= dict.fromkeys(self.late & self.read_later, Unset(_LATE))
        for name in self.names:
            inside[name] = unflatten(start[name], list(phis[name]))
            if not name.startswith(HEAP):
                inside[name] = placed(inside[name], inside, name)
        before = dict(inside)  # the test may change lists, too
        left = stopped(graph, inside, (BROKE, RETURNED))
        if isinstance(self.st, ast.While):  # after a failed lookup the loop might never end
            missed = [flag for name, flag in inside.items() if name.startswith(MISSED)]
            left = functools.reduce(graph.logical_or, missed, left)
        region.cond = self._condition(inside, graph.logical_and(self.path, graph.logical_not(left)))
        body: Env = without_flags(inside)
        if isinstance(self.st, ast.For):
            self._counts(inside[COUNTER])
            tracer.bind(self.st.target, self._item(inside[COUNTER]), body)
        ends = self._traced(inside, body, region.cond)
        changed = {k for k in start if k.startswith(HEAP) and ends.get(k) is not before[k]}
        if more := sorted(changed - {*self.names}):
            for name in more:
                if nodes_of(start[name]) is None:
                    what = "a trip changes a list or an object which holds what is not a number"
                    tracer.refuse(self.st, what, "hold numbers alone, e.g. 0.0 in place of None")
            self.names += more
            return None
        if self.names == [MOVES]:
            what = "a trip of this loop changes no variable, so it would go on for ever"
            remedy = "change what its condition reads, or leave it by `break` or `return`"
            tracer.refuse(self.st, what, remedy)
        self._unshared(inside, ends)
        for name in self.names:
            if name in ends and [*keys_in(ends[name])] != [*keys_in(start.get(name))]:
                ends[name] = copied(tracer.dereference(ends[name], ends), back=True)
        if COUNTER in self.names:
            ends[COUNTER] = graph.arithmetic("add", inside[COUNTER], self.bounds.step)
        ends[MOVES] = self.start.get(MOVES)  # until the others have their final forms
        if not self.settle(ends):
            return None
        if MOVES in self.names:
            names = [n for n in self.names if n not in (MOVES, RESULT)]
            columns = [(starts[n], phis[n], nodes_of(ends[n]) or []) for n in names]
            ends[MOVES] = moves(graph, region, columns)
        tracer.pending += self.ahead
        return self._close(region, phis, ends)

    def _traced(self, inside: Env, body: Env, path: Node) -> Env:
        """Return the environment at the end of a trip."""
        tracer, outer = self.tracer, (self.tracer.counter, self.tracer.ahead)
        self.ahead, tracer.counter = [], None
        ones = isinstance(self.st, ast.For) and self.bounds.step is self.graph.const(1)
        if ones and not self.leaves & _LEAVES:
            start, stop, _ = self.bounds.parts
            tracer.counter = Counter(inside[COUNTER], start, stop, path)
        tracer.ahead = self.ahead
        try:
            return tracer.block(self.st.body, body, path)
        finally:
            tracer.counter, tracer.ahead = outer

    def _item(self, counter: Node) -> Value:
        """Return the value of the loop's target in a trip of a `for`."""
        if self.items is None:
            return counter
        if isinstance(self.items, Digits):
            end = self.graph.arithmetic("add", counter, self.graph.const(1))
            return self.items.between(Call(self.tracer, self.st, self.path), end, 1)
        return entry_at(self.graph, self.items, counter, ast.unparse(self.st.iter))  # type: ignore[union-attr]

    @property
    def _runs(self) -> bool:
        """Whether the loop certainly makes a first trip."""
        if isinstance(self.st, ast.While):
            return isinstance(self.st.test, ast.Constant) and bool(self.st.test.value)
        return bool(self.trips)

    def _counts(self, counter: Node) -> None:
        """Note the bounds of the counter inside the body."""
        start, stop, _ = self.bounds.parts
        known = Intervals(self.graph, self.path)
        if (trips := self.bounds.known) is not None:
            trips = trips or (0,)
            self.graph.ranges[counter.id] = min(trips[0], trips[-1]), max(trips[0], trips[-1])
        elif self.bounds.upward:
            self.graph.ranges[counter.id] = known.of(start)[0], known.of(stop)[1] - 1
        else:
            self.graph.ranges[counter.id] = known.of(stop)[0] + 1, known.of(start)[1]

    def _bound(self, phis: dict[str, list[Node]]) -> None:
        """Note bounds of variables that trips only increase, or only decrease."""
        stored = [n.id for n in walk(self.st.body) if isinstance(n, ast.Name) and is_store(n)]
        for name, step in counted(self.st.body).items():
            start = self.start.get(name)
            if stored.count(name) != 1 or name not in phis or not isinstance(start, Node):
                continue
            if phis[name][0].kind in ("i", "int64"):
                low, high = Intervals(self.graph, self.path).of(start)
                span = (low, math.inf) if step > 0 else (-math.inf, high)
                self.graph.ranges[phis[name][0].id] = span

    def _condition(self, inside: Env, path: Node) -> Node:
        graph = self.graph
        if isinstance(self.st, ast.While):
            going = graph.logical_and(path, inside[MOVES])
            raises = len(self.tracer.pending)
            test = self.tracer.condition(self.st.test, inside, going)
            for _, where in self.tracer.pending[raises:]:  # see `Tracer._last_test`
                test = graph.logical_and(test, graph.logical_not(where))
            del self.tracer.pending[raises:]
            test = graph.logical_and(going, test)
        else:
            test = graph.compare(
                "lt" if self.bounds.upward else "gt", inside[COUNTER], self.bounds.stop
            )
        return graph.logical_and(path, test)

    def _unshared(self, inside: Env, ends: Env) -> None:
        """Refuse to change a list that two variables of the loop refer to, since each trip begins
        with copies. Note the variables that refer to lists from before the loop."""
        meant: dict[str, str] = {}
        names = [name for name in self.names if not name.startswith(HEAP)]
        changed = lambda keys: any(ends.get(k) is not inside.get(k, ends.get(k)) for k in keys)
        moved = {name for name in names if changed(keys_in(inside[name], inside))}
        for name in names:
            keys = {*keys_in(ends.get(name), ends)}
            shared = name in moved & self.shared.keys()
            for key in keys:
                other = meant.setdefault(key, name)
                if other != name or key in self.start:
                    shared = shared or changed((key,)) or bool({name, other} & moved)
            if shared:
                what = f"a trip changes a list that {name!r} and another name mean"
                self.tracer.refuse(self.st, what, "copy it, e.g. list(values) or values.copy()")
            old = {*self.shared.get(name, ()), *(keys & self.start.keys())}
            if old and name in self.read_after:
                self.merged[name] = old

    def _close(self, region: Any, phis: dict[str, list[Node]], ends: Env) -> Env:
        graph, after = self.graph, dict(self.start)
        carried = [
            (name, phi, init, graph.cast(out, phi.kind))
            for name in self.names
            for phi, init, out in zip(
                phis[name],
                nodes_of(self.start[name]) or [],
                nodes_of(ends[name]) or [],
                strict=True,
            )
        ]
        for _, phi, init, out in carried:
            region.carried[phi.id] = (phi, init, out)
        finals: dict[str, list[Node]] = {}
        for name, phi, init, out in carried:
            finals.setdefault(name, []).append(graph.carry(region, phi, init, out))
        for name in self.names:
            after[name] = unflatten(self.start[name], finals.get(name, []))
            partly = isinstance(self.start[name], Partly)
            if partly and self._runs and ends[name].absent is graph.const(False):
                after[name] = after[name].value
            if not name.startswith(HEAP):
                after[name] = placed(after[name], after, name)
        freeze(after, ends.get(FROZEN, ()))
        for name, old in self.merged.items():  # which list the name refers to depends on the trips
            freeze(after, old.union(keys_in(after[name], after)))
        for name in self.late:
            after[name] = Undefined(_LATE)
        after.pop(COUNTER, None)
        after.pop(MOVES, None)
        return after


MAX_KEPT = 8  # variables whose earlier values a loop keeps


def moves(graph: Graph, region: Region, columns: list[Any]) -> Node:
    """Return whether a trip changes the variables on which the condition depends, directly or
    through later trips, to values not seen before. `columns`: for each name its nodes at the start
    of the loop, before a trip and after it."""
    moved = graph.const(False)
    known = {row[1].id: row for column in columns for row in zip(*column, strict=True)}
    rows, todo = list[tuple[Node, Node, Node]](), [region.cond]
    while todo:
        rows += (read := [known.pop(n.id) for n in graph.reachable(todo) if n.id in known])
        todo = [now for *_, now in read]
    if any(n.op in ("add", "sub") and n.kind != "f" and p in n.args for _, p, n in rows):
        return graph.const(True)  # the variable counts the trips
    for before, now in _earlier(graph, region, rows):
        differs = graph.compare("ne", before, now)
        if now.kind == "f":  # NaN stays NaN
            numbers = graph.compare("eq", before, before)
            differs = graph.logical_and(
                differs, graph.logical_or(numbers, graph.compare("eq", now, now))
            )
        moved = graph.logical_or(moved, differs)
    return moved


def _earlier(graph: Graph, region: Region, rows: list[Any]) -> list[tuple[Node, Node]]:
    """Return pairs for each variable: its value after the last trip whose number was a power of
    two, and after this trip. They detect states that alternate, as Newton's do in float32 (Brent's
    cycle detection)."""
    one, zero = graph.const(1), graph.const(0)
    if len(rows) > MAX_KEPT:
        return [(before, now) for _, before, now in rows]
    trips, pairs = graph.phi(region, ("$trips", 0, "i"), "i"), list[tuple[Node, Node]]()
    ahead = graph.arithmetic("add", trips, one)
    region.carried[trips.id] = trips, zero, ahead
    renewed = graph.compare("eq", graph.bitwise("band", trips, ahead), zero)
    for k, (start, before, now) in enumerate(rows):
        kept = graph.phi(region, ("$kept", k, before.kind), before.kind)
        pairs.append((kept, graph.cast(now, before.kind)))
        graph.detached.add(kept.id)
        region.carried[kept.id] = kept, start, graph.select(renewed, pairs[-1][1], kept)
    return pairs
