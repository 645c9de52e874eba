"""Loops: written out, looked up in tables, or a region of the scalar graph.

A loop whose trip count depends on values is a region, and so is a long one. A loop over a short
tuple or a short constant range is written out.
"""

from __future__ import annotations

import ast
import copy
import functools
from collections.abc import Callable
from typing import Any

from nbgraph.errors import CaptureError
from nbgraph.kernels.capture import draws
from nbgraph.kernels.capture.containers import Reference, Resizable
from nbgraph.kernels.capture.context import Call, Tracer
from nbgraph.kernels.capture.digits import Range, digits_of, range_of
from nbgraph.kernels.capture.environment import (
    BROKE,
    CONTINUED,
    RETURNED,
    flag,
    is_true,
    placed,
    raises_of,
    stopped,
    without_flags,
)
from nbgraph.kernels.capture.items import listed
from nbgraph.kernels.capture.joining import join
from nbgraph.kernels.capture.lists import once
from nbgraph.kernels.capture.lookups import is_constant
from nbgraph.kernels.capture.regions import RegionLoop
from nbgraph.kernels.capture.resizable import MAX_WRITTEN
from nbgraph.kernels.capture.results import class_of
from nbgraph.kernels.capture.text import breaks, is_short
from nbgraph.kernels.capture.values import Env, Node
from nbgraph.kernels.scalar.nodes import RESULT

_LAZY = (enumerate, zip, reversed)  # their arguments are read in each trip
Items = Callable[[Env], Any]  # returns the iterable of a loop in an environment
_TESTED = (ast.NamedExpr, ast.Call, ast.Subscript)  # may assign or raise in a test


def looped(tracer: Tracer, st: ast.While | ast.For, env: Env, path: Node) -> Env:
    """Return the environment after a loop."""
    if isinstance(st, ast.For):
        env = dict(env)
        iterated = _range(tracer, st, env, path)
        now = (lambda env: iterated) if iterated else _looped_over(tracer, st.iter, env, path)
        if isinstance(known := now(env), Range):
            run = functools.partial(_for, tracer, st, known)
        else:
            run = functools.partial(_over_items, tracer, st, now)
        return _else(tracer, st, tracer.going(tracer.settled(env), path, run), path)
    noted, tested = len(tracer.pending), dict(env)
    try:
        after = RegionLoop(tracer, st, env, path).run()
    except CaptureError:  # the first trip may not exist, e.g. of `while stack`
        del tracer.pending[noted:]
        if tracer.survey is not None or tracer.condition(
            st.test, tested, path
        ) is not tracer.graph.const(False):
            raise
        return _else(tracer, st, tested, path)
    if isinstance(st.test, ast.Constant) and st.test.value and not breaks(st.body):
        ends = any(class_of(tracer.graph, n) is not MemoryError for n in raises_of(after))
        if RESULT not in after and not ends:
            tracer.refuse(st, "this loop never ends", "leave it by `break` or `return`")
        return {**after, RETURNED: tracer.graph.const(True)}  # the loop ends by `return` or never
    return _else(tracer, st, _last_test(tracer, st, after, path), path)


def _for(tracer: Tracer, st: ast.For, bounds: Range, env: Env, path: Node) -> Env:
    trips, noted = bounds.known, len(tracer.pending)
    if trips is None or not is_short(st, len(trips)) or draws.are_many(tracer, st, len(trips)):
        try:
            return RegionLoop(tracer, st, env, path, bounds).run()
        except CaptureError:  # the number of trips must be known, or a list grows
            if trips is None or len(trips) > MAX_WRITTEN or tracer.survey is not None:
                raise
            del tracer.pending[noted:]
    numbers = [tracer.graph.const(i) for i in trips]
    return _unroll(tracer, st, lambda env: numbers, env, path)


def _last_test(tracer: Tracer, st: ast.While, after: Env, path: Node) -> Env:
    """Return the environment after the last, failed test, with what `:=` and calls do in it."""
    if not any(isinstance(n, _TESTED) for n in ast.walk(st.test)):
        return after
    tested, raises = dict(after), len(tracer.pending)
    left = stopped(tracer.graph, after, (BROKE, RETURNED))
    with tracer.under(tracer.graph.logical_not(left)):
        tracer.condition(st.test, tested, path)
    if tested == after and len(tracer.pending) == raises:
        return after
    if left.op == "const":
        return tested
    return {**after, **join(tracer.graph, left, after, tested)}


def _over_items(tracer: Tracer, st: ast.For, now: Items, env: Env, path: Node) -> Env:
    """Return the environment after a loop over items. A long tuple of constants becomes a table. A
    list whose length depends on values must not change in the loop."""
    items: Any = now(env)
    if digits_of(items) is not None:
        items.refuse_negative(tracer, st)
        count = items.length(tracer, path)
    elif isinstance(items, Resizable):
        count, items = items.length, items.items
        if not items:
            return env  # an empty slice
    else:
        items_of = lambda env: listed(tracer, st.iter, now(env))
        if is_short(st, len(items := items_of(env))) or not is_constant(items):
            return _unroll(tracer, st, items_of, env, path)
        count = tracer.graph.const(len(items))
    bounds = Range(tracer.graph.const(0), count, tracer.graph.const(1))
    after = RegionLoop(tracer, st, env, path, bounds, items).run()
    lists = {env.get(n.id) for n in ast.walk(st.iter) if isinstance(n, ast.Name)}
    if any(isinstance(v, Reference) and after[v.key] is not env[v.key] for v in lists):
        what = "a list whose length depends on values is changed by the loop that goes over it"
        tracer.refuse(st, what, "go over a copy, e.g. list(values), or write a `while` loop")
    return after


def _range(tracer: Tracer, st: ast.For, env: Env, path: Node) -> Range | None:
    """Return the range that a loop iterates over; None for another iterable."""
    iterated = st.iter
    target = tracer.static(iterated.func, env) if isinstance(iterated, ast.Call) else None
    if not isinstance(iterated, ast.Call) or target is not range:
        return None
    nodes = [tracer.number(a, env, path) for a in iterated.args]
    return range_of(Call(tracer, iterated, path), nodes)


def _looped_over(tracer: Tracer, node: ast.expr, env: Env, path: Node) -> Items:
    """Return a function of an environment that evaluates the iterable of a loop at a trip."""
    kept: Env = {}

    def kept_once(part: ast.expr) -> ast.expr:
        if isinstance(part, ast.Call) and tracer.static(part.func, env) in _LAZY:
            part = copy.copy(part)
            part.args = [kept_once(arg) for arg in part.args]
            return part
        name, value = ast.unparse(part), placed(tracer.object(part, env, path), env)
        kept[name] = once(value, env)
        return ast.copy_location(ast.Name(name, ast.Load()), part)

    over = kept_once(node)
    return lambda env: tracer.each(node, tracer.object(over, env | kept, path), env)


def _unroll(tracer: Tracer, st: ast.For, now: Items, env: Env, path: Node) -> Env:
    """Return the environment after the written-out trips, which read their items in turn."""
    graph, count = tracer.graph, len(now(env))
    for trip in range(count):
        if len(items := now(env)) != count:
            what = "the list that a loop goes over changes its length"
            tracer.refuse(st, what, "go over a copy, e.g. list(values)")
        item = items[trip]
        stop = stopped(graph, env, (RETURNED, BROKE))
        if is_true(stop):
            break
        inner = without_flags(env)
        tracer.bind(st.target, item, inner)
        inner = tracer.block(st.body, inner, graph.logical_and(path, graph.logical_not(stop)))
        inner.pop(CONTINUED, None)
        env = inner if stop.op == "const" else tracer.join_ended(stop, env, inner)
    return env


def _else(tracer: Tracer, st: ast.While | ast.For, env: Env, path: Node) -> Env:
    """Return the environment after a loop's `else`, which runs where the loop did not break."""
    broke = flag(tracer.graph, env, BROKE)
    env = {k: v for k, v in env.items() if k != BROKE}
    if not st.orelse:
        return env
    graph = tracer.graph
    missed = tracer.block(st.orelse, dict(env), graph.logical_and(path, graph.logical_not(broke)))
    return join(graph, broke, env, missed)
