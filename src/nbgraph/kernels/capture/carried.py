"""The variables that a loop carries from trip to trip, and the forms of their values.

A start value whose kind the body changes (an int that becomes a float) is widened, and the body
traced again; so is a list that gets longer, None that becomes a number, and so on.
"""

import ast
from dataclasses import replace

from nbgraph.kernels.capture.containers import List, Pairs, Record, Reference, Resizable, copied
from nbgraph.kernels.capture.context import Tracer
from nbgraph.kernels.capture.digits import Digits, Range, as_digits
from nbgraph.kernels.capture.environment import (
    CONTINUED,
    HEAP,
    OUTER,
    RETURNED,
    is_flag,
    keys_in,
    without_flags,
)
from nbgraph.kernels.capture.joining import as_maybe, as_pairs, join_choices
from nbgraph.kernels.capture.resizable import filled, widened
from nbgraph.kernels.capture.text import is_store, nonlocals, read_after, walk
from nbgraph.kernels.capture.values import (
    Choice,
    Complex,
    Compound,
    Env,
    Optional,
    Partly,
    Static,
    Undefined,
    Unknown,
    Unset,
    Value,
    flatten,
    form,
    is_none,
    nothing_like,
    unflatten,
)
from nbgraph.kernels.scalar.graph import Node
from nbgraph.kernels.scalar.kinds import promote
from nbgraph.kernels.scalar.nodes import RESULT

COUNTER = "$counter"
_OBJECTS = (Static, Choice)


class Carried:
    """The variables that a loop carries, with start values that are widened to the forms that the
    trips need."""

    def __init__(
        self, tracer: Tracer, st: ast.While | ast.For, env: Env, path: Node, bounds: Range | None
    ) -> None:
        self.tracer, self.graph, self.st, self.path = tracer, tracer.graph, st, path
        known = bounds and bounds.known
        self.trips = None if known is None else len(known)  # None: unknown
        self.most = self.trips  # upper bound of the number of trips
        self.start: Env = without_flags(env)
        inside = list(walk(st.body))
        self.leaves = {type(n) for n in inside}
        tested = list(walk([st.test])) if isinstance(st, ast.While) else []
        in_place = {id(n.target) for n in inside if isinstance(n, ast.AugAssign)}
        stores = [n for n in inside + tested if isinstance(n, ast.Name) and is_store(n)]
        lists = {k for k, v in self.start.items() if tracer.changes_in_place(v, self.start)}
        assigned = {n.id for n in stores if id(n) not in in_place or n.id not in lists}
        assigned |= {n.name for n in inside if isinstance(n, ast.MatchAs) and n.name}
        after = read_after(tracer.text.body, st)
        assigned |= nonlocals(tracer.text.body)
        assigned -= {k for k, v in self.start.items() if isinstance(v, Unknown)}
        if isinstance(st, ast.For) and bounds:
            each = {n.id for n in ast.walk(st.target) if isinstance(n, ast.Name)}
            self.start[COUNTER] = bounds.start
            # each trip assigns the target anew: carry it only if it is read after the loop
            assigned = (assigned - each) | (each & after) | {COUNTER}
        # name -> keys of its lists, for names whose lists other names refer to, too
        self.shared, self.merged = dict[str, set[str]](), dict[str, set[str]]()
        before = {n: v for n, v in self.start.items() if not n.startswith(HEAP)}
        for name in assigned & self.start.keys():
            others = keys_in(tuple(v for n, v in before.items() if n != name), self.start)
            keys = {*keys_in(self.start[name], self.start)}
            if keys & {*others, *self.start.get(OUTER, ())}:
                self.shared[name] = keys
            self.start[name] = copied(tracer.dereference(self.start[name], self.start), back=True)
            if isinstance(value := self.start[name], Static) and value.value is not None:
                self.start[name] = Choice(self.graph.const(0), (value,))
        self.none = {k for k in assigned if is_none(self.start.get(k))}
        self.late = (
            assigned - self.none - {k for k, v in self.start.items() if flatten(v) is not None}
        )
        self.names: list[str] = sorted(assigned - self.late - self.none)
        self.read_later, self.read_after = self.late & after, after
        self.first: set[str] = set()  # names without a value before the loop

    def add_flag(self, name: str) -> None:
        """Carry the flag `name`, which tells whether control has left."""
        self.start.setdefault(name, self.graph.const(False))
        self.names.append(name)

    def settle(self, ends: Env) -> bool:
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
                self.add_flag(name)
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
            ends[name] = filled(ends[name], self.start[name])
            settled = self._one_form(name, ends) and settled
            now, then = nodes_of(ends[name]), nodes_of(self.start[name])
            moved = [*keys_in(ends[name])] != [*keys_in(self.start[name])]
            if now is None or then is None or len(now) != len(then) or moved:
                self.start[name], settled = self._longer(name, ends[name]), False
                continue
            kinds = [
                a.kind if a.kind == b.kind else promote(a.kind, b.kind)
                for a, b in zip(then, now, strict=True)
            ]
            if kinds != [n.kind for n in then]:
                wide = [graph.cast(n, k) for n, k in zip(then, kinds, strict=True)]
                self.start[name] = unflatten(self.start[name], wide)
                settled = False
        return settled

    def _longer(self, name: str, end: Value) -> Value:
        """Return a wider start of a list that trips lengthen; refuse other changes."""
        wide = widened(self.graph, self.start[name], end, self.trips, self.most)
        if wide is not None:
            return wide
        what, why = f"the loop variable {name!r}", "changes its form"
        remedy = "keep it a number, or a tuple of one length"
        if isinstance(end, Undefined):
            why, remedy = end.why, "give it a value on every path"
        if name.startswith(HEAP):
            what, remedy = "a list of the loop", "append numbers, or tuples: xs.append((x, y))"
        self.tracer.refuse(self.st, f"{what} {why}", remedy)

    def _one_form(self, name: str, ends: Env) -> bool:
        """Refuse a variable whose type at the end of a trip differs from its start; give strings of
        digits one form. Return False where the start was changed."""
        start, end = self.start[name], ends[name]
        digits = [as_digits(self.graph, v, getattr(end, "base", 10)) for v in (start, end)]
        if form(start) != form(end) and any(isinstance(v, Digits) for v in (start, end)):
            sized = [v and replace(v, size=v.length(self.tracer, self.path)) for v in digits]
            if None in sized or form(sized[0]) != form(sized[1]):
                self._longer(name, end)
            self.start[name], ends[name] = sized
            return form(start) == form(ends[name])
        sorts = {type(start), type(end)} - {Resizable, List, tuple}
        other = isinstance(end, Pairs) or (
            isinstance(end, Record) and not isinstance(end, type(start))
        )
        if other and not isinstance(start, Pairs) and (pairs := as_pairs(self.graph, start)):
            self.start[name] = pairs
            return False
        if len(sorts) > 1 and any(issubclass(sort, Compound) for sort in sorts):
            self._longer(name, end)
        return True

    def _starts_inside(self, name: str, end: Value) -> bool:
        """Carry a name that first gets numbers in the loop; return whether it can be carried."""
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
        """Give `ends[name]` the form of a start that may be unset; False if it changed."""
        end = ends[name] = as_maybe(self.graph, ends.get(name, Unset()), self.start[name])
        now, then = flatten(end), flatten(self.start[name])
        if now is None or then is None or len(now) == len(then) or name not in self.first:
            return True
        return not self._starts_inside(name, end)

    def _may_be_none(self, name: str, end: Value) -> None:
        """Carry a name that is None before the loop as one that may be None."""
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


def nodes_of(value: Value) -> list[Node] | None:
    """Return the nodes of a value, without those of lists inside of it."""
    lists = isinstance(value, tuple) and any(isinstance(item, Reference) for item in value)
    return flatten(tuple(() if isinstance(v, Reference) else v for v in value) if lists else value)
