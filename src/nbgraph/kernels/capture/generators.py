"""`sum(... for ...)` and its like as the loop that it says.

The number of terms may depend on values, as that of a loop may.
"""

from __future__ import annotations

import ast
import copy
import math
from typing import Any, cast

from nbgraph.kernels.capture.context import Tracer
from nbgraph.kernels.capture.displays import aside, assigned
from nbgraph.kernels.capture.joining import join_value
from nbgraph.kernels.capture.sequences import FOLDS, TESTS, lookup
from nbgraph.kernels.capture.syntax import Comprehension, loops_of
from nbgraph.kernels.capture.values import Env, Value
from nbgraph.kernels.scalar import Node

TOTAL, SEEN, BEST = "$total", "$seen", "$best"  # no names that a text can hold
# what is done with each item; `elt` and `key` stand for expressions of the call
_EXTREME = """
item = elt
rank = key(item)
if not seen or rank {} best:
    total, best, seen = item, rank, True
"""
_LOOPS: dict[str, str] = {
    "add": "total += elt",
    "mul": "total *= elt",
    "any": "if elt: total = True",
    "all": "if not elt: total = False",
    "next": "if not seen:\n    total, seen = elt, True\n    break",
    "min": _EXTREME.format("<"),
    "max": _EXTREME.format(">"),
}
_SORTS: dict[object, str] = {
    **FOLDS,
    **{test: "any" if sought else "all" for test, sought in TESTS.items()},
    min: "min",
    max: "max",
    next: "next",
    len: "add",
}
_KEYWORDS: dict[object, frozenset[str]] = {
    **dict.fromkeys((sum, math.prod), frozenset(("start",))),
    **dict.fromkeys((min, max), frozenset(("key", "default"))),
}


def summary(tracer: Tracer, node: ast.Call, target: object, env: Env, path: Node) -> Value | None:
    """The value of `sum(... for ...)` and its like; None for other functions."""
    sort = lookup(_SORTS, target)
    generator = _generator(tracer, node.args[0], env) if sort and node.args else None
    options: dict[str | None, ast.expr] = {k.arg: k.value for k in node.keywords}
    if generator is None or not options.keys() <= _KEYWORDS.get(target, frozenset()):
        return None
    if target is len and not any(part.ifs for part in generator.generators):
        return None
    options |= {"elt": ast.Constant(1)} if target is len else {"elt": generator.elt}
    names, text = assigned(tracer, generator), _LOOPS[sort]
    if names and sort in ("any", "all"):  # what is assigned last shows where it ends
        if len(generator.generators) > 1:
            what = f"`:=` inside of {sort}() over several loops is not understood"
            tracer.refuse(node, what, "write the loops")
        text = text.replace(" total", "\n    total") + "\n    break"
    body = loops_of(node, generator, _Filled(options).visit(ast.parse(text)).body)
    default = options.get("default", options.get("start", [*node.args[1:], None][0]))
    start = None if default is None else tracer.expression(default, env, path)
    inner = {**env, **_start(tracer, target, sort, start)}
    after = aside(tracer, body, inner, path, env, names)
    if sort not in ("next", "min", "max"):
        return after[TOTAL]
    return _or_default(tracer, node, after, start)


def _generator(tracer: Tracer, node: ast.expr, env: Env) -> Comprehension | None:
    """A comprehension, `map(f, items)` or `filter(f, items)`, as a comprehension."""
    if isinstance(node, Comprehension) or not isinstance(node, ast.Call):
        return node if isinstance(node, Comprehension) else None
    target = tracer.static(node.func, env)
    item: ast.expr = ast.Name("$each", ast.Load())
    items, tests = cast("ast.expr", node), list[ast.expr]()
    if target in (map, filter) and len(node.args) == 2:
        function, items = node.args
        applied = ast.copy_location(ast.Call(function, [item], []), node)
        if target is filter:
            tests.append(applied)
        else:
            item = applied
    elif target is not range:
        return None
    part = ast.comprehension(ast.Name("$each", ast.Store()), items, tests, 0)
    return ast.GeneratorExp(item, [part])


def _start(tracer: Tracer, target: object, sort: str, start: Value) -> Env:
    constant = tracer.graph.const
    if sort in ("any", "all"):
        return {TOTAL: constant(sort == "all")}
    if sort in ("add", "mul"):
        first = constant(1 if sort == "mul" else (0.0 if target is math.fsum else 0))
        return {TOTAL: first if start is None else start}
    zero = constant(0)
    return {TOTAL: zero, BEST: zero, SEEN: constant(False)}


def _or_default(tracer: Tracer, node: ast.Call, after: Env, default: Value) -> Value:
    """What was found, else the default; NaN, of integers 0, where Python raises."""
    total, seen = after[TOTAL], after[SEEN]
    if default is None:
        floating = isinstance(total, Node) and total.kind == "f"
        default = tracer.graph.const(math.nan) if floating else total
    value = join_value(tracer.graph, seen, total, default)
    return tracer.joined(node, value, "give a default of the same sort")


class _Filled(ast.NodeTransformer):
    """Puts expressions into a text of `_LOOPS`, and makes its names ones that no text holds."""

    def __init__(self, expressions: dict[str | None, ast.expr]) -> None:
        self.expressions = expressions

    def visit_Call(self, node: ast.Call) -> Any:
        """`key(item)`: the item itself without a key."""
        call = self.generic_visit(node)
        return call if "key" in self.expressions else node.args[0]

    def visit_Name(self, node: ast.Name) -> Any:
        """An expression of the call, or a name."""
        if node.id in ("elt", "key"):
            return copy.deepcopy(self.expressions.get(node.id, node))
        return ast.copy_location(ast.Name(f"${node.id}", node.ctx), node)
