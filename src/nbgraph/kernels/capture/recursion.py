"""Functions that call themselves: inlined while conditions are decided, else lowered to loops.

A reflection such as `f(-x)` where x < 0 ends by itself: the path decides the condition of the inner
call. Other functions become loops. If all calls lower one operand by constants, as f(n - 1) and
f(n - 2), values are computed from the bottom up. If each path has one call, a loop goes down to the
last call and back up with the operands of each level. Python stops at a depth of 1000: deeper calls
give NaN, or raise for integers. For other functions, as f(n - 1, k) + f(n, k - 1), a list is the
stack of waiting calls, unless results are cached: then few calls of the tree differ.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, NoReturn, cast

from nbgraph.errors import CaptureError
from nbgraph.kernels.capture import list_texts
from nbgraph.kernels.capture.containers import PLACES, Mapping
from nbgraph.kernels.capture.context import Answer, Call, Method, Tracer
from nbgraph.kernels.capture.intervals import opposed
from nbgraph.kernels.capture.joining import join_value
from nbgraph.kernels.capture.lookups import offset
from nbgraph.kernels.capture.refusals import refusal
from nbgraph.kernels.capture.text import walk
from nbgraph.kernels.capture.values import (
    Env,
    Node,
    Static,
    Value,
    flatten,
    nothing_like,
    unflatten,
)
from nbgraph.kernels.scalar.kinds import is_boolean, promote

MAX_INLINED = 2  # nested calls that are inlined although values decide their conditions
MAX_ORDER = 16  # most previous values that are kept: f(n - 16)
MAX_VALUES = 4  # numbers in a tuple result
_UNKNOWN = "$value of "  # prefix of the names of unknown values
Run = Callable[[Env, Node, dict[object, Answer]], Value]


class TooDeep(Exception):
    """Raised where a function calls itself deeper than calls are inlined."""

    def __init__(self, key: object, tracer: Tracer, node: ast.AST) -> None:
        self.key, self.tracer, self.node = key, tracer, node


class SelfCall(NamedTuple):
    """A call of the function from itself: its operands and its path."""

    values: Env
    path: Node


class Traced(NamedTuple):
    """A traced body: the nodes of its result, the calls of itself, and what it raises where."""

    values: list[Node]
    calls: list[SelfCall]
    raised: list[tuple[str, Node]]


class Recursion:
    """A call of a function that calls itself, lowered to loops."""

    def __init__(
        self, deep: TooDeep, tracer: Tracer, name: str, run: Run, values: Env, path: Node
    ) -> None:
        self.deep, self.tracer, self.graph = deep, tracer, tracer.graph
        self.pending, self.start = tracer.pending, Call(tracer, tracer.site or deep.node, path)
        self.name, self.run_body, self.path = name, run, path
        self.values = values
        self.carried = [k for k, v in values.items() if flatten(v) is not None]
        self.unknown = self.nothing = cast("Value", None)
        self.kinds = list[str]()

    def value(self) -> Value:
        """Return the value of the call."""
        outer = len(self.graph.regions)
        self._look()
        calls = self._calls(self.values, self.path)
        inner = [n for c in calls for v in (*c.values.values(), c.path) for n in flatten(v) or []]
        endless = any(call.path is self.path for call in calls)
        endless |= any(region >= outer for n in inner for region in n.regions)  # calls in a loop
        # operands that a level does not carry, such as lists of unknown length, must not change
        kept = [k for k, v in self.values.items() if flatten(v) is None]
        endless |= not all(_same(self.values[k], c.values[k]) for c in calls for k in kept)
        around = {n.id for n in self.graph.reachable([*self._numbers(self.values), self.path])}
        leaves = [n for n in self.graph.reachable(inner) if n.op == "arg" and n.id not in around]
        depends = {n for n in leaves if str(n.data).startswith(_UNKNOWN)}
        if endless or not depends <= {*(flatten(self.unknown) or ())}:
            self._refuse()
        if depends or not (counted := self._counted(calls)):
            operands = lambda call: tuple(call.values.values())
            alike = lambda a, b: opposed(a.path, b.path) or _same(operands(a), operands(b))
            single = all(itertools.starmap(alike, itertools.combinations(calls, 2)))
            return self._down_and_up() if single and not depends else self._stacked(calls)
        return self._from_below(*counted)

    def _look(self) -> None:
        """Determine the form of the result: a truth value, a number or a tuple of numbers."""
        first: CaptureError | None = None
        for count in range(MAX_VALUES + 1):
            self._expect(["i"] * count or ["b"])
            try:
                while (wide := self._widened()) != self.kinds and count:
                    self._expect(wide)
            except CaptureError as error:
                first = error if count < 2 else first
                continue
            if count or is_boolean(wide[0]):
                return
        raise first or self._refusal()

    def _expect(self, kinds: Sequence[str]) -> None:
        """Set placeholders of these kinds for the results of calls of itself."""
        name = f"{_UNKNOWN}{self.name} "
        parts = [self.graph.argument(f"{name}{i} {k}", k) for i, k in enumerate(kinds)]
        self.unknown, self.kinds = parts[0] if len(parts) == 1 else tuple(parts), [*kinds]
        self.nothing = nothing_like(self.graph, self.unknown)

    def _widened(self) -> list[str]:
        """Return the kinds of the result, promoted with those of the placeholders."""
        values = self._trace(self.values, self.path, lambda call: self.unknown).values
        return [
            k if k == v.kind or (is_boolean(k) and is_boolean(v.kind)) else promote(k, v.kind)
            for k, v in zip(self.kinds, values, strict=True)
        ]

    def _trace(self, values: Env, path: Node, answer: Callable[[SelfCall], Value]) -> Traced:
        """Trace the body for these operands, with `answer` for calls of itself."""
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
        """Return numbers in the form of the result."""
        return unflatten(self.unknown, list(nodes))

    def _calls(self, values: Env, path: Node) -> list[SelfCall]:
        return self._trace(values, path, lambda call: self.unknown).calls

    def _numbers(self, values: Env) -> tuple[Node, ...]:
        """Return the nodes of the operands of a call that the levels carry."""
        nodes = [flatten(values[k]) or () for k in self.carried]
        if [*map(len, nodes)] != [len(flatten(self.values[k]) or ()) for k in self.carried]:
            self._refuse()
        return tuple(itertools.chain(*nodes))

    def _operands(self, numbers: Sequence[Node]) -> Env:
        """Return operands with these numbers for the carried ones."""
        rest, carried = list(numbers), {*self.carried}
        return {k: unflatten(v, rest) if k in carried else v for k, v in self.values.items()}

    def _run(self, text: Callable[..., Any], *values: Any) -> Value:
        """Return the value of a library text; it may call functions among `values`."""
        functions = (
            Static(Method(None, "", lambda call, *_, value=v: value(call, *call.args)))
            if callable(v)
            else v
            for v in values
        )
        return self.start.text(text, *functions)

    def _next(self, calls: Sequence[SelfCall], after: Node | None = None) -> list[Any]:
        """Return whether a call of `calls` behind place `after` happens, the place of the first
        such call, and its operands."""
        graph, last = self.graph, calls[-1].values if calls else self.values
        row: list[Any] = [graph.const(False), graph.const(-1), self._numbers(last)]
        for i, call in reversed([*enumerate(calls)]):
            place, now = graph.const(i), call.path
            if after is not None:
                now = graph.logical_and(now, graph.compare("lt", after, place))
            ahead = place, self._numbers(call.values)
            chosen = (join_value(graph, now, *pair) for pair in zip(ahead, row[1:], strict=True))
            row = [graph.logical_or(row[0], now), *chosen]
        return row

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
        """Return the operand that all calls lower, the least step, and the most steps of a call."""
        lowered = list[tuple[str, float]]()
        for call in calls:
            changed = [k for k, v in self.values.items() if not _same(v, call.values[k])]
            lower = offset(self.values[changed[0]], call.values[changed[0]]) if changed else None
            if len(changed) != 1 or not lower:
                return None
            lowered.append((changed[0], lower))
        if len({name for name, _ in lowered}) != 1:
            return None
        name, step = min(lowered, key=lambda row: abs(row[1]))
        orders = [lower / step for _, lower in lowered]
        if not all(o > 0 and float(o).is_integer() and o <= MAX_ORDER for o in orders):
            return None
        return name, step, int(max(orders))

    def _at(self, name: str, step: float, level: Node) -> Env:
        graph = self.graph
        moved = graph.arithmetic("mul", level, graph.const(step))
        return {**self.values, name: graph.arithmetic("add", self.values[name], moved)}

    def _from_below(self, name: str, step: float, order: int) -> Value:
        graph = self.graph

        def needs(call: Call, level: Node) -> Value:
            return self._next(self._calls(self._at(name, step, level), call.path))[0]

        def value(call: Call, level: Node, levels: Node, window: Value) -> Value:
            here = self._at(name, step, level)

            def earlier(inner: SelfCall) -> Value:
                lower = offset(here[name], inner.values[name])
                place = 0 if lower is None else round(lower / step)
                if not 0 < place <= order:
                    self._refuse()
                return window[place - 1]

            trace = self._trace(here, call.path, earlier)
            computed = graph.compare("le", level, levels)  # lower levels only fill `window`
            call.tracer.pending += [(k, graph.logical_and(computed, at)) for k, at in trace.raised]
            return self._shaped(trace.values)

        return self._few(self._run(list_texts.from_below, needs, value, (self.nothing,) * order))

    # down and up ------------------------------------------------------------------------------

    def _down_and_up(self) -> Value:
        trace = self._trace(self.values, self.path, lambda call: self.unknown)
        last = all(map(self._is_last, trace.values, flatten(self.unknown) or ()))
        last = last and not trace.raised

        def inner(call: Call, numbers: Value) -> Value:
            needs, _, further = self._next(self._calls(self._operands(numbers), call.path))
            return needs, further

        def value(call: Call, numbers: Value, result: Value) -> Value:
            trace = self._trace(self._operands(numbers), call.path, lambda _: result)
            call.tracer.pending += trace.raised
            return self._shaped(trace.values)

        values = self._numbers(self.values), self.nothing, self.graph.const(last)
        return self._few(self._run(list_texts.down_and_up, inner, value, *values))

    def _is_last(self, value: Node, inner: Node) -> bool:
        """Return whether a result returns the value of the inner call unchanged."""
        uses = lambda node: inner in self.graph.reachable([node])
        if value is inner or not uses(value):
            return True
        arms = value.args[1:] if value.op == "select" and not uses(value.args[0]) else ()
        return bool(arms) and all(self._is_last(arm, inner) for arm in arms)

    # depth first ------------------------------------------------------------------------------

    def _stacked(self, calls: Sequence[SelfCall]) -> Value:
        """Return the value of loops with a list as the stack of waiting calls."""
        if self._is_cached():
            self._refuse()
        graph, nothing = self.graph, self.nothing
        unset, earlier = graph.const(-1), (nothing,) * (len(calls) - 1)
        first = self._numbers(self.values), unset, earlier

        def step(call: Call, this: Value, value: Value, depth: Node) -> Value:
            operands, waits_for, results = this
            is_for = [graph.compare("eq", waits_for, graph.const(i)) for i in range(len(earlier))]
            pairs = zip(is_for, results, strict=True)
            results = tuple(join_value(graph, here, value, old) for here, old in pairs)
            answers = iter((*results, value))
            trace = self._trace(
                self._operands(operands), call.path, lambda _: next(answers, nothing)
            )
            if len(trace.calls) != len(calls):
                self._refuse()
            waits, place, inner = self._next(trace.calls, waits_for)
            ends, most = graph.logical_not(waits), graph.const(PLACES // 2)
            call.tracer.pending += [(n, graph.logical_and(ends, at)) for n, at in trace.raised]
            deep = graph.logical_and(waits, graph.compare("ge", depth, most))
            words = f"{self.name}() calls itself more than {most.data} times within each other"
            self.tracer.raises(self.start.node, RecursionError, words, deep)
            call.tracer.pending.append(self.pending.pop())
            waits = graph.logical_and(waits, graph.logical_not(deep))
            value = self._shaped(trace.values)
            return waits, (operands, place, results), (inner, unset, earlier), value

        return self._run(list_texts.depth_first, step, first, nothing)

    def _is_cached(self) -> bool:
        """Return whether results are cached, so that few calls of a tree are different."""
        decorators = map(ast.unparse, getattr(self.deep.key, "decorator_list", ()))
        target = self.deep.tracer.static(cast("ast.Call", self.deep.node).func, {})
        kept = any(hasattr(st, "keeps") for st in walk(self.deep.tracer.text.body))
        return kept or hasattr(target, "cache_info") or any("cache" in text for text in decorators)

    def _few(self, pair: Value) -> Value:
        """Return the result of (depth, result) of calls; NaN or an error if they are too deep."""
        (levels, value), graph = pair, self.graph
        few = graph.compare("lt", levels, graph.const(list_texts.MAX_LEVELS))
        if "f" not in self.kinds:  # integers have no NaN
            words = f"{self.name}() calls itself more than 1000 times within each other"
            self.tracer.raises(self.start.node, RecursionError, words, graph.logical_not(few))
        return join_value(graph, few, value, nothing_like(graph, value))


def _same(a: Value, b: Value) -> bool:
    """Return whether two values are equal for all operands."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(_same, a, b))
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return _same((*a.entries, *a.entries.values()), (*b.entries, *b.entries.values()))
    return a is b or (not isinstance(a, Node) and getattr(a, "value", a) is getattr(b, "value", b))
