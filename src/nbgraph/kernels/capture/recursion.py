"""Functions that call themselves: inlined while conditions decide, else loops.

A reflection such as `f(-x)` where x < 0 ends by itself: what holds on its path decides the
condition of the inner call. Other calls are loops. One whose calls lower one operand by constants,
as f(n - 1) and f(n - 2), is computed from the bottom up. One that calls itself once on each path
goes down to where it does not, and back up with the operands of each level. As Python stops at a
depth of 1000, deeper calls give NaN, of integers 0. For all others, as f(n - 1, k) + f(n, k - 1), a
list keeps the calls that wait; but not where a cache keeps results, of which a tree of calls may
have few different ones.
"""

from __future__ import annotations

import ast
import functools
import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, NoReturn, cast

from nbgraph.errors import CaptureError
from nbgraph.kernels.capture import vectors
from nbgraph.kernels.capture.containers import Mapping
from nbgraph.kernels.capture.context import Answer, Call, Tracer
from nbgraph.kernels.capture.intervals import opposed
from nbgraph.kernels.capture.joining import join_value
from nbgraph.kernels.capture.lookups import offset
from nbgraph.kernels.capture.refusals import refusal
from nbgraph.kernels.capture.resizable import PLACES
from nbgraph.kernels.capture.values import Env, Node, Static, Undefined, Value, flatten, unflatten
from nbgraph.kernels.kinds import is_boolean, promote

MAX_INLINED = 2  # calls within each other whose conditions values decide
MAX_LEVELS = 1000  # of calls within each other, Python's limit
MAX_ORDER = 16  # calls back that are kept: f(n - 16)
MAX_VALUES = 4  # numbers in a tuple that is the result
Run = Callable[[Env, Node, dict[object, Answer]], Value]


class TooDeep(Exception):
    """A function calls itself deeper than it is inlined."""

    def __init__(self, key: object, tracer: Tracer, node: ast.AST) -> None:
        self.key, self.tracer, self.node = key, tracer, node


class SelfCall(NamedTuple):
    """Operands of a call and where it is made."""

    values: Env
    path: Node


class Traced(NamedTuple):
    """The numbers of a function's result, the calls of itself, and what it raises where."""

    values: list[Node]
    calls: list[SelfCall]
    raised: list[tuple[str, Node]]


class Stepped(NamedTuple):
    """A function of a text that is made here."""

    make: Callable[..., Value]

    def inline(self, call: Call) -> Value:
        """Return its value."""
        return self.make(call, *call.args)


class Recursion:
    """A call of a function that calls itself, as loops."""

    def __init__(
        self, deep: TooDeep, tracer: Tracer, name: str, run: Run, values: Env, path: Node
    ) -> None:
        self.deep, self.tracer, self.graph, self.pending = (
            *(deep, tracer, tracer.graph, tracer.pending),
        )
        self.name, self.run_body, self.path = name, run, path
        self.values = values
        self.carried = [k for k, v in values.items() if flatten(v) is not None]
        # what calls of itself give while nothing is known of them, and the kinds they have at least
        self.unknown: Value = self.graph.argument(f"$value of {name}", "b")
        self.kinds = ["b"]

    def value(self) -> Value:
        """Return the value of the call."""
        self._look()
        calls = self._calls(self.values)
        inner = [n for call in calls for v in call.values.values() for n in flatten(v) or []]
        inner += [call.path for call in calls]
        endless = any(call.path is self.path for call in calls)
        # what a level does not carry, a list whose length depends on values, has to be the same
        kept = [k for k, v in self.values.items() if flatten(v) is None]
        endless |= not all(_same(self.values[k], c.values[k]) for c in calls for k in kept)
        if endless:
            self._refuse()
        apart = set(flatten(self.unknown) or ()).isdisjoint(self.graph.reachable(inner))
        counted = self._counted(calls) if apart else None
        if counted is not None:
            return self._from_below(*counted)
        return self._down_and_up() if apart and self._is_single(calls) else self._stacked(calls)

    def _look(self) -> None:
        """Find the form of the result: a truth value, a number or a tuple of numbers."""
        first: CaptureError | None = None
        for count in range(MAX_VALUES + 1):
            if count:
                name = f"$value of {self.name}"
                parts = [self.graph.argument(f"{name} {i}", "f") for i in range(count)]
                self.unknown, self.kinds = parts[0] if count == 1 else tuple(parts), ["i"] * count
            try:
                found = self._trace(self.values, self.path, lambda call: self.unknown)
            except CaptureError as error:
                first = error if count < 2 else first
                continue
            if count or is_boolean(found.values[0].kind):
                return
        raise first or self._refusal()

    def _trace(self, values: Env, path: Node, answer: Callable[[SelfCall], Value]) -> Traced:
        """Return the body for these operands."""
        calls: list[SelfCall] = []
        noted = len(self.pending)

        def answered(inner: Env, where: Node) -> Value:
            calls.append(SelfCall(inner, where))
            return answer(calls[-1])

        try:
            value = self.run_body(values, path, {self.deep.key: answered})
        except CaptureError as error:
            raise self._refusal(error) from error
        raised = self.pending[noted:]
        del self.pending[noted:]
        nodes = flatten(value) or []
        if len(nodes) != len(self.kinds) or isinstance(value, tuple) != (len(nodes) > 1):
            self._refuse()
        return Traced(nodes, calls, raised)

    def _shaped(self, nodes: Sequence[Node]) -> Value:
        """Numbers in the form of the result."""
        return unflatten(self.unknown, list(nodes))

    def _calls(self, values: Env) -> list[SelfCall]:
        return self._trace(values, self.path, lambda call: self.unknown).calls

    def _needs(self, calls: Sequence[SelfCall]) -> Node:
        paths = (call.path for call in calls)
        return functools.reduce(self.graph.logical_or, paths, self.graph.const(False))

    def _refusal(self, cause: CaptureError | None = None) -> CaptureError:
        problem = f"{self.name}() calls itself in a way that is not a loop"
        for o in cause.obstacles if cause else ():
            problem += f" (line {o.line}: {o.problem})"
        return refusal(
            self.deep.tracer,
            self.deep.node,
            problem,
            "write a `while` loop; recursion is understood where the calls lower one operand by "
            "constants, where one call is made on each path, or where no cache keeps results, and "
            "where some path makes no call",
        )

    def _refuse(self) -> NoReturn:
        raise self._refusal()

    # from the bottom up -----------------------------------------------------------------------

    def _counted(self, calls: Sequence[SelfCall]) -> tuple[str, float, int] | None:
        """Return the operand that all calls lower, the least step, and how many times it."""
        steps: set[tuple[str, float]] = set()
        for call in calls:
            changed = [k for k, v in self.values.items() if not _same(v, call.values[k])]
            if len(changed) != 1:
                return None
            (name,) = changed
            lower = offset(self.values[name], call.values[name])
            if not lower:
                return None
            steps.add((name, lower))
        if len({name for name, _ in steps}) != 1:
            return None
        name, offsets = next(iter(steps))[0], [lower for _, lower in steps]
        step = min(offsets, key=abs)
        orders = [lower / step for lower in offsets]
        if not all(o > 0 and float(o).is_integer() and o <= MAX_ORDER for o in orders):
            return None
        return name, step, int(max(orders))

    def _at(self, name: str, step: float, level: Node) -> Env:
        graph = self.graph
        moved = graph.arithmetic("mul", level, graph.const(step))
        return {**self.values, name: graph.arithmetic("add", self.values[name], moved)}

    def _from_below(self, name: str, step: float, order: int) -> Value:
        graph, kinds = self.graph, self.kinds
        levels = self._levels(name, step)
        top = graph.arithmetic("add", levels, graph.const(order - 1))
        for _ in range(4):
            region = graph.region()
            level = graph.phi(region, ("$level", *kinds), "i")
            window = [
                [graph.phi(region, ("$value", i, j, kind), kind) for j, kind in enumerate(kinds)]
                for i in range(order)
            ]
            region.cond = graph.logical_and(self.path, graph.compare("ge", level, graph.const(0)))
            here = self._at(name, step, level)

            def earlier(call: SelfCall, here: Env = here, kept: list[list[Node]] = window) -> Value:
                lower = offset(here[name], call.values[name])
                place = 0 if lower is None else round(lower / step)
                if not 0 < place <= order:
                    self._refuse()
                return self._shaped(kept[place - 1])

            trace = self._trace(here, region.cond, earlier)
            wide = _widest(kinds, trace.values)
            if wide == kinds:
                below = graph.arithmetic("sub", level, graph.const(1))
                rows = [(level, top, below)]
                for phis, outs in zip(window, [trace.values, *window[:-1]], strict=True):
                    rows += [(p, self._nothing(p.kind), o) for p, o in zip(phis, outs, strict=True)]
                computed = graph.compare("le", level, levels)  # levels below are made for `window`
                raised = [(k, graph.logical_and(computed, where)) for k, where in trace.raised]
                return self._few(levels, self._close(region, rows, raised)[1 : len(kinds) + 1])
            kinds = wide
        self._refuse()

    def _levels(self, name: str, step: float) -> Node:
        """How many calls lie within each other."""
        graph = self.graph
        region = graph.region()
        level = graph.phi(region, "$levels", "i")
        calls = self._calls(self._at(name, step, level))
        few = graph.compare("lt", level, graph.const(MAX_LEVELS))
        region.cond = graph.logical_and(self._needs(calls), few)
        above = graph.arithmetic("add", level, graph.const(1))
        return self._close(region, [(level, graph.const(0), above)])[0]

    # down and up ------------------------------------------------------------------------------

    def _down_and_up(self) -> Value:
        graph, zero = self.graph, self.graph.const(0)
        few = graph.const(MAX_LEVELS)
        count, last = self._descend(few)
        base = self._bottom(last, self.kinds)
        base = self._bottom(last, [v.kind for v in base.values])  # floats where they are known
        values, kinds = base.values, [v.kind for v in base.values]
        self.pending += base.raised
        for _ in range(4):
            region = graph.region()
            level = graph.phi(region, ("$level", *kinds), "i")
            inner = [graph.phi(region, ("$value", j, kind), kind) for j, kind in enumerate(kinds)]
            region.cond = graph.logical_and(self.path, graph.compare("ge", level, zero))
            _, here = self._descend(level)
            shaped = self._shaped(inner)
            outer = self._trace(here, region.cond, lambda call, shaped=shaped: shaped)
            wide = _widest(kinds, outer.values)
            if wide == kinds:
                below = graph.arithmetic("sub", level, graph.const(1))
                first = graph.arithmetic("sub", count, graph.const(1))
                pairs = zip(values, outer.values, kinds, strict=True)
                starts, outs = zip(
                    *((graph.cast(a, k), graph.cast(b, k)) for a, b, k in pairs), strict=True
                )
                if not outer.raised and all(map(_is_last, outs, inner)):
                    return self._few(count, starts)
                rows = [(level, first, below), *zip(inner, starts, outs, strict=True)]
                return self._few(count, self._close(region, rows, outer.raised)[1:])
            kinds = wide
        self._refuse()

    def _bottom(self, values: Env, kinds: Sequence[str]) -> Traced:
        """Return the body where it makes no call of itself."""
        nothing = self._shaped(list(map(self._nothing, kinds)))
        return self._trace(values, self.path, lambda call: nothing)

    def _descend(self, most: Node) -> tuple[Node, Env]:
        """How many calls lie within each other, at most `most`, and the operands of the last."""
        graph, start = self.graph, dict(self.values)
        for _ in range(4):
            region = graph.region()
            starts = {k: flatten(start[k]) or [] for k in self.carried}
            phis = {
                k: [graph.phi(region, (k, i, n.kind), n.kind) for i, n in enumerate(nodes)]
                for k, nodes in starts.items()
            }
            here = {k: unflatten(v, list(phis[k])) if k in phis else v for k, v in start.items()}
            level = graph.phi(region, "$levels", "i")
            calls = self._calls(here)
            inner = self._joined(calls)
            few = graph.compare("lt", level, most)
            region.cond = graph.logical_and(self._needs(calls), few)
            rows = [(level, graph.const(0), graph.arithmetic("add", level, graph.const(1)))]
            wide = False
            for k in self.carried:
                outs = flatten(inner[k])
                if outs is None or len(outs) != len(phis[k]):
                    self._refuse()
                kinds = [_wider(p.kind, o.kind) for p, o in zip(phis[k], outs, strict=True)]
                if kinds != [p.kind for p in phis[k]]:
                    nodes = [graph.cast(n, to) for n, to in zip(starts[k], kinds, strict=True)]
                    start[k], wide = unflatten(start[k], nodes), True
                rows += zip(phis[k], starts[k], outs, strict=True)
            if not wide:
                finals = self._close(region, rows)
                rest = finals[1:]
                last = {k: unflatten(v, rest) if k in phis else v for k, v in start.items()}
                return finals[0], last
        self._refuse()

    def _joined(self, calls: Sequence[SelfCall]) -> Env:
        """Return the operands of the call that is made, of which there is one on each path."""
        if not calls or not self._is_single(calls):
            self._refuse()
        joined = dict(calls[-1].values)
        for call in reversed(calls[:-1]):
            for k, v in call.values.items():
                joined[k] = (
                    v if _same(v, joined[k]) else join_value(self.graph, call.path, v, joined[k])
                )
        if any(isinstance(v, Undefined) for v in joined.values()):
            self._refuse()
        return joined

    def _is_single(self, calls: Sequence[SelfCall]) -> bool:
        """Return whether at most one call is made on each path."""
        return all(
            opposed(one.path, other.path)
            or all(_same(v, other.values[k]) for k, v in one.values.items())
            for one, other in itertools.combinations(calls, 2)
        )

    # depth first ------------------------------------------------------------------------------

    def _stacked(self, calls: Sequence[SelfCall]) -> Value:
        """Return the value by a list of the calls that wait for others."""
        if self._is_cached():
            self._refuse()
        start = Call(self.tracer, self.tracer.site or self.deep.node, self.path)
        graph, nothing = self.graph, self._shaped(list(map(self._nothing, self.kinds)))
        unset, earlier = graph.const(-1), (nothing,) * (len(calls) - 1)
        first = tuple(self.values[k] for k in self.carried), unset, earlier

        def step(call: Call, this: Value, value: Value, depth: Node) -> Value:
            operands, waits_for, results = this
            is_for = [graph.compare("eq", waits_for, graph.const(i)) for i in range(len(earlier))]
            pairs = zip(is_for, results, strict=True)
            results = tuple(join_value(graph, here, value, old) for here, old in pairs)
            answers = iter((*results, value))
            here = {**self.values, **dict(zip(self.carried, operands, strict=True))}
            trace = self._trace(here, call.path, lambda _: next(answers, nothing))
            if len(trace.calls) != len(calls):
                self._refuse()
            waits, place, inner = graph.const(False), unset, operands
            for i, made in reversed([*enumerate(trace.calls)]):
                late = graph.compare("lt", waits_for, graph.const(i))
                now, others = (
                    graph.logical_and(made.path, late),
                    (made.values[k] for k in self.carried),
                )
                waits, place = (
                    graph.logical_or(waits, now),
                    graph.select(now, graph.const(i), place),
                )
                inner = join_value(graph, now, tuple(others), inner)
            ends, most = graph.logical_not(waits), graph.const(PLACES // 2)
            call.tracer.pending += [(n, graph.logical_and(ends, at)) for n, at in trace.raised]
            deep = graph.logical_and(waits, graph.compare("ge", depth, most))
            words = f"{self.name}() calls itself more than {most.data} times within each other"
            self.tracer.raises(start.node, RecursionError, words, deep)
            call.tracer.pending.append(self.pending.pop())
            waits = graph.logical_and(waits, graph.logical_not(deep))
            value = self._shaped(trace.values)
            return waits, (operands, place, results), (inner, unset, earlier), value

        return start.text(vectors.depth_first, Static(Stepped(step)), first, nothing)

    def _is_cached(self) -> bool:
        """Return whether results are kept, so that trees of calls may have few different ones."""
        decorators = map(ast.unparse, getattr(self.deep.key, "decorator_list", ()))
        target = self.deep.tracer.static(cast("ast.Call", self.deep.node).func, {})
        return hasattr(target, "cache_info") or any("cache" in text for text in decorators)

    def _few(self, levels: Node, values: Sequence[Node]) -> Value:
        """Return the result of so many calls within each other."""
        few = self.graph.compare("lt", levels, self.graph.const(MAX_LEVELS))
        return self._shaped([self.graph.select(few, v, self._nothing(v.kind)) for v in values])

    def _nothing(self, kind: str) -> Node:
        """Return the value of a call that is too deep."""
        graph = self.graph
        return graph.const(math.nan) if kind == "f" else graph.cast(graph.const(0), kind)

    def _close(
        self,
        region: Any,
        rows: Sequence[tuple[Node, Node, Node]],
        raised: Sequence[tuple[str, Node]] = (),
    ) -> list[Node]:
        """Return the values of carried variables after a loop; what its trips raise is noted."""
        graph, no = self.graph, self.graph.const(False)
        whole = [(phi, init, graph.cast(out, phi.kind)) for phi, init, out in rows]
        for name, where in raised:
            phi = graph.phi(region, ("$raised", name), "b")
            whole.append((phi, no, graph.logical_or(phi, where)))
        for row in whole:
            region.carried[row[0].id] = row
        finals = [graph.carry(region, *row) for row in whole]
        self.pending += [
            (name, f) for (name, _), f in zip(raised, finals[len(rows) :], strict=True)
        ]
        return finals[: len(rows)]


def _wider(a: str, b: str) -> str:
    return a if a == b else ("bool" if is_boolean(a) and is_boolean(b) else promote(a, b))


def _widest(kinds: Sequence[str], values: Sequence[Node]) -> list[str]:
    return [_wider(kind, value.kind) for kind, value in zip(kinds, values, strict=True)]


def _same(a: Value, b: Value) -> bool:
    """Return whether two values are the same for all operands."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(_same, a, b))
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return _same((*a.entries, *a.entries.values()), (*b.entries, *b.entries.values()))
    return a is b or (not isinstance(a, Node) and getattr(a, "value", a) is getattr(b, "value", b))


def _is_last(value: Node, inner: Node) -> bool:
    """Return whether the value of the inner call is returned as it is, wherever it is used."""
    if value is inner or not _uses(value, inner):
        return True
    if value.op == "select" and not _uses(value.args[0], inner):
        return all(_is_last(arm, inner) for arm in value.args[1:])
    return False


def _uses(value: Node, inner: Node) -> bool:
    seen: set[int] = set()
    stack = [value]
    while stack:
        node = stack.pop()
        if node is inner:
            return True
        if node.id not in seen:
            seen.add(node.id)
            stack.extend(node.args)
    return False
