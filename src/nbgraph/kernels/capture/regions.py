"""Loops whose trip count depends on values: a region of the scalar graph for each.

A `while` loop is left, too, when what its condition depends on comes back to numbers of before, as
a tolerance for float64 makes it do in float32: it would go on for ever. The kernel then ends with
an error code, unless NaN is among the numbers; a `return` that is never reached gives NaN.

The body is traced with phi nodes for the variables that it assigns. A start value whose kind the
body changes (an int that becomes a float) is widened, and the body traced again.
"""

from __future__ import annotations

import ast
import functools
import math
from dataclasses import replace
from typing import Any, cast

from nbgraph.kernels.capture.closures import Comprehension, nonlocals, walk
from nbgraph.kernels.capture.containers import List, Reference, Resizable, copied
from nbgraph.kernels.capture.context import Tracer
from nbgraph.kernels.capture.digits import Digits, as_digits
from nbgraph.kernels.capture.environment import (
    BROKE,
    CONTINUED,
    FROZEN,
    HELD,
    MISSED,
    OUTER,
    RETURNED,
    freeze,
    is_flag,
    keys_in,
    placed,
    stopped,
    without_flags,
)
from nbgraph.kernels.capture.intervals import Intervals
from nbgraph.kernels.capture.joining import as_maybe, join_choices
from nbgraph.kernels.capture.lookups import Counter, entry_at
from nbgraph.kernels.capture.resizable import widened
from nbgraph.kernels.capture.values import (
    Choice,
    Complex,
    Compound,
    Env,
    Optional,
    Partly,
    Static,
    Undefined,
    Unset,
    Value,
    flatten,
    form,
    is_none,
    nothing_like,
    unflatten,
)
from nbgraph.kernels.kinds import promote
from nbgraph.kernels.nodes import MOVES, RESULT, Region
from nbgraph.kernels.scalar import Node

_LEAVES = {ast.Break, ast.Return, ast.Raise, ast.Assert}
_OBJECTS = (Static, Choice)
MAX_KEPT = 8  # variables of which a loop keeps those of an earlier trip
_LATE = "gets its first value inside a loop that may not run: give it one before the loop"


class RegionLoop:
    """Traces one loop into a region; kinds of carried variables widen until they are stable."""

    COUNTER, MOVES = "$counter", MOVES

    def __init__(
        self,
        tracer: Tracer,
        st: ast.While | ast.For,
        env: Env,
        path: Node,
        bounds: Any,
        items: tuple[Value, ...] | None = None,
    ) -> None:
        self.tracer, self.graph, self.st = tracer, tracer.graph, st
        self.path, self.bounds, self.items = path, bounds, items
        self.start: Env = without_flags(env)
        inside = list(walk(st.body))
        self.leaves = {type(n) for n in inside}
        tested = list(walk([st.test])) if isinstance(st, ast.While) else []
        in_place = {id(n.target) for n in inside if isinstance(n, ast.AugAssign)}
        stores = [n for n in inside + tested if isinstance(n, ast.Name) and _is_store(n)]
        lists = {k for k, v in self.start.items() if tracer.changes_in_place(v, self.start)}
        assigned = {n.id for n in stores if id(n) not in in_place or n.id not in lists}
        assigned |= {n.name for n in inside if isinstance(n, ast.MatchAs) and n.name}
        after = _read_after(tracer.text.body, st)
        assigned |= nonlocals(tracer.text.body)
        if isinstance(st, ast.For):
            each = {n.id for n in ast.walk(st.target) if isinstance(n, ast.Name)}
            self.start[self.COUNTER] = bounds[0]
            # a trip begins with another one, whatever a trip has made of it
            assigned = (assigned - each) | (each & after) | {self.COUNTER}
        # names of lists that other names mean, too: the keys of these
        self.shared, self.merged = dict[str, set[str]](), dict[str, set[str]]()
        before = {n: v for n, v in self.start.items() if not n.startswith(HELD)}
        for name in assigned & self.start.keys():
            others = keys_in(tuple(v for n, v in before.items() if n != name), self.start)
            keys = {*keys_in(self.start[name], self.start)}
            if keys & {*others, *self.start.get(OUTER, ())}:
                self.shared[name] = keys
            self.start[name] = copied(tracer.held(self.start[name], self.start), back=True)
            if isinstance(value := self.start[name], Static) and value.value is not None:
                self.start[name] = Choice(self.graph.const(0), (value,))
        self.none = {k for k in assigned if is_none(self.start.get(k))}
        self.late = (
            assigned - self.none - {k for k, v in self.start.items() if flatten(v) is not None}
        )
        self.names = sorted(assigned - self.late - self.none)
        self.read_later, self.read_after = self.late & after, after
        self.ahead: list[tuple[str, Node]] = []
        self.first: set[str] = set()  # names that a trip gives their first values

    def _item(self, counter: Node) -> Value:
        """What the loop's variables are in a trip of a `for`."""
        if self.items is None:
            return counter
        return entry_at(self.graph, self.items, counter, ast.unparse(self.st.iter))  # type: ignore[union-attr]

    @property
    def _trips(self) -> int | None:
        """How many trips there are at most, if that is known."""
        if isinstance(self.st, ast.While) or any(bound.op != "const" for bound in self.bounds):
            return None
        return len(range(*(int(bound.data) for bound in self.bounds)))

    @property
    def _upward(self) -> bool:
        """Whether a range grows; a step that is not known is positive."""
        return self.bounds[2].op != "const" or bool(self.bounds[2].data > 0)

    @property
    def _runs(self) -> bool:
        """Whether there certainly is a first trip."""
        if isinstance(self.st, ast.While):
            return isinstance(self.st.test, ast.Constant) and bool(self.st.test.value)
        return bool(self._trips)

    def _counts(self, counter: Node) -> None:
        """Note between which numbers a counter lies inside the body."""
        start, stop, _ = self.bounds
        known = Intervals(self.graph, self.path)
        if all(bound.op == "const" for bound in self.bounds):
            trips = range(*(int(bound.data) for bound in self.bounds)) or (0,)
            self.graph.ranges[counter.id] = min(trips[0], trips[-1]), max(trips[0], trips[-1])
        elif self._upward:
            self.graph.ranges[counter.id] = known.of(start)[0], known.of(stop)[1] - 1
        else:
            self.graph.ranges[counter.id] = known.of(stop)[0] + 1, known.of(start)[1]

    def _bound(self, phis: dict[str, list[Node]]) -> None:
        """Note where variables lie that the trips only count up, or only count down."""
        stored = [n.id for n in walk(self.st.body) if isinstance(n, ast.Name) and _is_store(n)]
        for name, step in _counted(self.st.body).items():
            start = self.start.get(name)
            if stored.count(name) != 1 or name not in phis or not isinstance(start, Node):
                continue
            if phis[name][0].kind in ("i", "int64"):
                low, high = Intervals(self.graph, self.path).of(start)
                span = (low, math.inf) if step > 0 else (-math.inf, high)
                self.graph.ranges[phis[name][0].id] = span

    def run(self) -> Env:
        """The environment after the loop."""
        if ast.Break in self.leaves or ast.Return in self.leaves:
            self._add_flag(BROKE)
        if self.leaves & {ast.Return, ast.Raise, ast.Assert}:
            self._add_flag(RETURNED)
        if isinstance(self.st, ast.While):
            self.start[self.MOVES] = self.graph.const(True)
            self.names.append(self.MOVES)
        for _ in range(8 + 4 * len(self.start)):  # each widens a variable, or adds some
            after = self._attempt()
            if after is not None:
                return after
        raise AssertionError(self.names)

    def _add_flag(self, name: str) -> None:
        self.start.setdefault(name, self.graph.const(False))
        self.names.append(name)

    def _attempt(self) -> Env | None:
        graph, tracer, start = self.graph, self.tracer, self.start
        region = graph.region()
        starts = {name: _carried(start[name]) or [] for name in self.names}
        phis = {
            name: [graph.phi(region, (name, i, n.kind), n.kind) for i, n in enumerate(nodes)]
            for name, nodes in starts.items()
        }
        self._bound(phis)
        inside: Env = {**start, **dict.fromkeys(self.late, Undefined(_LATE))}
        inside |= dict.fromkeys(self.late & self.read_later, Unset(_LATE))
        for name in self.names:
            inside[name] = unflatten(start[name], list(phis[name]))
            if not name.startswith(HELD):
                inside[name] = placed(inside[name], inside, name)
        before = dict(inside)  # a test may change lists, too
        left = stopped(graph, inside, (BROKE, RETURNED))
        if isinstance(self.st, ast.While):  # where a lookup has failed it might never end
            missed = [flag for name, flag in inside.items() if name.startswith(MISSED)]
            left = functools.reduce(graph.logical_or, missed, left)
        region.cond = self._condition(inside, graph.logical_and(self.path, graph.logical_not(left)))
        body: Env = without_flags(inside)
        if isinstance(self.st, ast.For):
            self._counts(inside[self.COUNTER])
            tracer.bind(self.st.target, self._item(inside[self.COUNTER]), body)
        ends = self._traced(inside, body, region.cond)
        changed = {k for k in start if k.startswith(HELD) and ends.get(k) is not before[k]}
        if more := sorted(changed - {*self.names}):
            for name in more:
                if _carried(start[name]) is None:
                    what = "a trip changes a list or an object which holds what is not a number"
                    tracer.refuse(self.st, what, "hold numbers alone, e.g. 0.0 in place of None")
            self.names += more
            return None
        if self.names == [self.MOVES]:
            what = "a trip of this loop changes no variable, so it would go on for ever"
            remedy = "change what its condition reads, or leave it by `break` or `return`"
            tracer.refuse(self.st, what, remedy)
        self._unshared(inside, ends)
        for name in self.names:
            if name in ends and [*keys_in(ends[name])] != [*keys_in(start.get(name))]:
                ends[name] = copied(tracer.held(ends[name], ends), back=True)
        if self.COUNTER in self.names:
            ends[self.COUNTER] = graph.arithmetic("add", inside[self.COUNTER], self.bounds[2])
        ends[self.MOVES] = self.start.get(self.MOVES)  # until the others have their forms
        if not self._settled(ends):
            return None
        if self.MOVES in self.names:
            names = [n for n in self.names if n not in (self.MOVES, RESULT)]
            columns = [(starts[n], phis[n], _carried(ends[n]) or []) for n in names]
            ends[self.MOVES] = self._moves(region, columns)
        tracer.pending += self.ahead
        return self._close(region, phis, ends)

    def _traced(self, inside: Env, body: Env, path: Node) -> Env:
        """The environment at the end of a trip."""
        tracer, outer = self.tracer, (self.tracer.counter, self.tracer.ahead)
        self.ahead, tracer.counter = [], None
        ones = isinstance(self.st, ast.For) and self.bounds[2] is self.graph.const(1)
        if ones and not self.leaves & _LEAVES:
            start, stop, _ = self.bounds
            tracer.counter = Counter(inside[self.COUNTER], start, stop, path)
        tracer.ahead = self.ahead
        try:
            return tracer.block(self.st.body, body, path)
        finally:
            tracer.counter, tracer.ahead = outer

    def _unshared(self, inside: Env, ends: Env) -> None:
        """Refuse a list that two variables of the loop mean, and that a trip changes: each trip
        begins with copies of what they mean. Note which mean lists of before."""
        meant: dict[str, str] = {}
        names = [name for name in self.names if not name.startswith(HELD)]
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

    def _moves(self, region: Region, columns: list[Any]) -> Node:
        """Whether the trips give those variables that the condition depends on, in later trips
        too, values that they did not have before. `columns`: of each name, at the loop's start,
        before a trip and after it."""
        graph, moves = self.graph, self.graph.const(False)
        known = {row[1].id: row for column in columns for row in zip(*column, strict=True)}
        rows, todo = list[tuple[Node, Node, Node]](), [cast("Node", region.cond)]
        while todo:
            rows += (read := [known.pop(n.id) for n in graph.reachable(todo) if n.id in known])
            todo = [now for *_, now in read]
        if any(n.op in ("add", "sub") and n.kind != "f" and p in n.args for _, p, n in rows):
            return graph.const(True)  # one counts the trips
        for before, now in self._earlier(region, rows):
            differs = graph.compare("ne", before, now)
            if now.kind == "f":  # NaN stays NaN
                numbers = graph.compare("eq", before, before)
                differs = graph.logical_and(
                    differs, graph.logical_or(numbers, graph.compare("eq", now, now))
                )
            moves = graph.logical_or(moves, differs)
        return moves

    def _earlier(self, region: Region, rows: list[Any]) -> list[tuple[Node, Node]]:
        """The variables after a trip, and after the last one whose number was a power of two: so
        trips that take turns between states are seen (Brent), as Newton's in float32."""
        graph, one, zero = self.graph, self.graph.const(1), self.graph.const(0)
        if len(rows) > MAX_KEPT:
            return [(before, now) for _, before, now in rows]
        trips, pairs = graph.phi(region, ("$trips", 0, "i"), "i"), list[tuple[Node, Node]]()
        ahead = graph.arithmetic("add", trips, one)
        region.carried[trips.id] = trips, zero, ahead
        renewed = graph.compare("eq", graph.bitwise("band", trips, ahead), zero)
        for k, (start, before, now) in enumerate(rows):
            kept = graph.phi(region, ("$kept", k, before.kind), before.kind)
            pairs.append((kept, graph.cast(now, before.kind)))
            graph.held.add(kept.id)
            region.carried[kept.id] = kept, start, graph.select(renewed, pairs[-1][1], kept)
        return pairs

    def _condition(self, inside: Env, path: Node) -> Node:
        graph = self.graph
        if isinstance(self.st, ast.While):
            going = graph.logical_and(path, inside[self.MOVES])
            raises = len(self.tracer.pending)
            test = self.tracer.condition(self.st.test, inside, going)
            for _, where in self.tracer.pending[raises:]:  # see `Tracer._last_test`
                test = graph.logical_and(test, graph.logical_not(where))
            del self.tracer.pending[raises:]
            test = graph.logical_and(going, test)
        else:
            test = graph.compare(
                "lt" if self._upward else "gt", inside[self.COUNTER], self.bounds[1]
            )
        return graph.logical_and(path, test)

    def _settled(self, ends: Env) -> bool:
        """Widen start values whose kind the body changes; False where one was widened."""
        graph, settled = self.graph, True
        if RETURNED in self.names and RESULT in ends and RESULT not in self.names:
            if flatten(ends[RESULT]) is None:
                self.tracer.refuse(self.st, "the value returned is not a number", "return numbers")
            self.start[RESULT] = nothing_like(graph, ends[RESULT])
            self.names.append(RESULT)
            return False
        flags = {n: flag for n, flag in ends.items() if is_flag(n) and n != CONTINUED}
        late = [n for n in flags.keys() - {*self.names} if flags[n] is not self.start.get(n)]
        if late:
            for name in late:
                self._add_flag(name)
            return False
        for name in [n for n in self.none if not is_none(ends.get(n))]:
            self._may_be_none(name, ends.get(name))
            settled = False
        for name in sorted(self.read_later - self.first):
            settled = not self._starts_inside(name, ends.get(name)) and settled
        for name in self.names:
            if isinstance(self.start[name], Partly) and not self._as_at_first(name, ends):
                return False
            ends.setdefault(name, self.start[name] if is_flag(name) else Unset())
            if isinstance(ends[name], Optional) and not isinstance(self.start[name], Optional):
                self.start[name] = Optional(graph.const(False), self.start[name])
                settled = False
            elif isinstance(self.start[name], Optional):
                ends[name] = as_maybe(graph, ends[name], self.start[name])
            if isinstance(ends[name], Complex) and isinstance(self.start[name], Node):
                self.start[name] = Complex.of(graph, self.start[name])
                settled = False
            if isinstance(start := self.start[name], Choice) and isinstance(ends[name], _OBJECTS):
                ends[name] = join_choices(graph, graph.const(False), start, ends[name])
                settled = settled and len(ends[name].options) == len(start.options)
                self.start[name] = Choice(start.index, ends[name].options)
            settled = self._one_form(name, ends) and settled
            now, then = _carried(ends[name]), _carried(self.start[name])
            moved = [*keys_in(ends[name])] != [*keys_in(self.start[name])]
            if now is None or then is None or len(now) != len(then) or moved:
                self.start[name], settled = self._longer(name, ends[name]), False
                continue
            kinds = [_widen(a.kind, b.kind) for a, b in zip(then, now, strict=True)]
            if kinds != [n.kind for n in then]:
                wide = [graph.cast(n, k) for n, k in zip(then, kinds, strict=True)]
                self.start[name] = unflatten(self.start[name], wide)
                settled = False
        return settled

    def _longer(self, name: str, end: Value) -> Value:
        """A list that the trips make longer, at its start; another change of form is refused."""
        wide = widened(self.graph, self.start[name], end, self._trips)
        if wide is not None:
            return wide
        what, why = f"the loop variable {name!r}", "changes its form"
        remedy = "keep it a number, or a tuple of one length"
        if isinstance(end, Undefined):
            why, remedy = end.why, "give it a value on every path"
        if name.startswith(HELD):
            what, remedy = "a list of the loop", "append numbers, or tuples: xs.append((x, y))"
        self.tracer.refuse(self.st, f"{what} {why}", remedy)

    def _one_form(self, name: str, ends: Env) -> bool:
        """Refuse what is of another sort at the end of a trip than at its start; strings of digits
        take one form. Return False where the start had another one."""
        start, end = self.start[name], ends[name]
        digits = [as_digits(self.graph, value) for value in (start, end)]
        if form(start) != form(end) and any(isinstance(v, Digits) for v in (start, end)):
            sized = [v and replace(v, size=v.length(self.tracer, self.path)) for v in digits]
            if None in sized or form(sized[0]) != form(sized[1]):
                self._longer(name, end)
            self.start[name], ends[name] = sized
            return form(start) == form(ends[name])
        sorts = {type(start), type(end)} - {Resizable, List, tuple}
        if len(sorts) > 1 and any(issubclass(sort, Compound) for sort in sorts):
            self._longer(name, end)
        return True

    def _starts_inside(self, name: str, end: Value) -> bool:
        """Carry a name without a value before the loop that is read after it, if it is numbers."""
        value = end.value if isinstance(end, Partly) else end
        nothing = nothing_like(self.graph, value)
        if nothing is None:
            return False
        self.start[name] = Partly(self.graph.const(True), nothing)
        self.first.add(name)
        self.late.discard(name)
        if name not in self.names:
            self.names.append(name)
        return True

    def _as_at_first(self, name: str, ends: Env) -> bool:
        """Give a name that is unset at first its end; False where its form is another now."""
        end = ends[name] = as_maybe(self.graph, ends.get(name, Unset()), self.start[name])
        now, then = flatten(end), flatten(self.start[name])
        if now is None or then is None or len(now) == len(then) or name not in self.first:
            return True
        return not self._starts_inside(name, end)

    def _may_be_none(self, name: str, end: Value) -> None:
        """A name that is None before the loop gets a value in it."""
        nodes = flatten(end)
        if nodes is None:
            problem = f"the loop variable {name!r} is None at first and no number at the end"
            self.tracer.refuse(self.st, problem, "give it numbers, or start it with math.nan")
        graph = self.graph
        nothing = [graph.cast(graph.const(0), n.kind) for n in nodes]
        value = unflatten(end, nothing)
        inner = value.value if isinstance(value, Optional) else value
        self.start[name] = Optional(graph.const(True), inner)
        self.none.discard(name)
        self.names.append(name)

    def _close(self, region: Any, phis: dict[str, list[Node]], ends: Env) -> Env:
        graph, after = self.graph, dict(self.start)
        carried = [
            (name, phi, init, graph.cast(out, phi.kind))
            for name in self.names
            for phi, init, out in zip(
                phis[name],
                _carried(self.start[name]) or [],
                _carried(ends[name]) or [],
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
            if partly and self._runs and _is_false(ends[name].absent):
                after[name] = after[name].value
            if not name.startswith(HELD):
                after[name] = placed(after[name], after, name)
        freeze(after, ends.get(FROZEN, ()))
        for name, old in self.merged.items():  # which of them it means depends on the trips
            freeze(after, old.union(keys_in(after[name], after)))
        for name in self.late:
            after[name] = Undefined(_LATE)
        after.pop(self.COUNTER, None)
        after.pop(self.MOVES, None)
        return after


def _carried(value: Value) -> list[Node] | None:
    """The nodes of a value, without those of the lists that are in it."""
    lists = isinstance(value, tuple) and any(isinstance(item, Reference) for item in value)
    return flatten(tuple(() if isinstance(v, Reference) else v for v in value) if lists else value)


def _read_after(body: list[ast.stmt], st: ast.While | ast.For) -> set[str]:
    """The names that a function may read after a trip of a loop, apart from other trips of it and
    from loops and comprehensions that assign them first."""
    head = st.target if isinstance(st, ast.For) else st.test
    trips = {id(n) for part in (head, *st.body) for n in ast.walk(part)}
    read = set[str]()

    def visit(node: Any, known: set[str]) -> None:
        inner = known
        if isinstance(node, (ast.For, ast.DictComp, Comprehension)) and node is not st:
            parts = [node] if isinstance(node, ast.For) else node.generators
            targets = [n for part in parts for n in ast.walk(part.target)]
            inner = known.union(n.id for n in targets if isinstance(n, ast.Name))
        name = node.target if isinstance(node, ast.AugAssign) else node
        if isinstance(name, ast.Name) and (name is not node or not _is_store(name)):
            read.update({name.id} - known)
        for child in (n for n in ast.iter_child_nodes(node) if id(n) not in trips):
            outside = isinstance(node, ast.For) and child in (node.iter, *node.orelse)
            visit(child, known if outside else inner)

    for part in body:
        visit(part, set())
    return read


def _counted(body: list[ast.stmt]) -> dict[str, int]:
    """The variables that a statement of a body adds a constant to -> what is added."""
    steps: dict[str, int] = {}
    for st in walk(body):
        match st:
            case ast.AugAssign(
                target=ast.Name(id=name), op=ast.Add() | ast.Sub(), value=ast.Constant(value=step)
            ) if type(step) is int:
                steps[name] = step if isinstance(st.op, ast.Add) else -step
    return steps


def _is_false(node: Node) -> bool:
    return node.op == "const" and not node.data


def _widen(a: str, b: str) -> str:
    return a if a == b else promote(a, b)


def _is_store(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)
