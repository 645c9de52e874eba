"""Displays and comprehensions: the tuples, lists, sets and dicts that a text writes out.

The items of a comprehension are written out where it is known how many there are; else it is the
loop that it says, which appends to a list. So is `sum(... for ...)` and its like, whose number of
terms may depend on values.
"""

from __future__ import annotations

import ast
import copy
import itertools
import math
from collections.abc import Sequence
from typing import Any, cast

from nbgraph.kernels.capture import resizable
from nbgraph.kernels.capture.containers import List, Mapping, Resizable
from nbgraph.kernels.capture.context import Call, Tracer
from nbgraph.kernels.capture.dicts import dict_of
from nbgraph.kernels.capture.environment import adopt, placed
from nbgraph.kernels.capture.items import MANY, keys, listed
from nbgraph.kernels.capture.joining import join_value
from nbgraph.kernels.capture.sequences import FOLDS, TESTS, lookup
from nbgraph.kernels.capture.text import (
    Comprehension,
    CountError,
    assigned_within,
    loops_of,
    nonlocals,
)
from nbgraph.kernels.capture.values import Env, Node, Optional, Static, Value, is_none


def elements(
    tracer: Tracer, nodes: Sequence[ast.expr], env: Env, path: Node, of: Any = (List, Resizable)
) -> Any:
    """Return the values of a display or of arguments; `*items` stands for those of a list `of`."""
    items: Value = List()
    for node in nodes:
        if isinstance(node, ast.Starred):
            at = ast.copy_location(ast.Call(ast.Name("list", ast.Load()), [node.value], []), node)
            more, tracer.frame = tracer.object(node.value, env, path), env
            more = isinstance(more, Node) or tracer.called(Call(tracer, at, path, list, [more]))
            if not isinstance(more, of):
                tracer.refuse(node, "what follows * is not a tuple", "write the arguments out")
        else:
            more = List((placed(tracer.object(node, env, path), env),))
        if isinstance(items, List) and isinstance(more, List):
            items = List((*items, *more))
        else:
            items = resizable.joined(Call(tracer, node, path), items, more)
    return tuple(items) if isinstance(items, List) else items


def dict_display(tracer: Tracer, node: ast.Dict, env: Env, path: Node) -> Value:
    """Return the value of `{key: value, **more}`."""
    pairs: list[Value] = []
    for key, item in zip(node.keys, node.values, strict=True):
        name = None if key is None else tracer.expression(key, env, path)
        value = placed(tracer.object(item, env, path), env)
        if key is not None:
            pairs.append((name, value))
            continue
        if not isinstance(value := tracer.read(item, value, env), Mapping):
            tracer.refuse(item, "what follows ** is not a dict", "write the items out")
        pairs += zip(keys(tracer, item, value), value.entries.values(), strict=True)
    return dict_of(Call(tracer, node, path), tuple(pairs))


# comprehensions -----------------------------------------------------------------------------------


def dict_comprehension(tracer: Tracer, node: ast.DictComp, env: Env, path: Node) -> Value:
    """Return the value of `{key: value for ...}`."""
    pair = ast.copy_location(ast.Tuple([node.key, node.value], ast.Load()), node.key)
    items = ast.copy_location(ast.ListComp(pair, node.generators), node)
    return dict_of(Call(tracer, node, path), comprehension(tracer, items, env, path))


def comprehension(tracer: Tracer, node: Comprehension, env: Env, path: Node) -> Value:
    """Return the items of a comprehension; a list where their number depends on values."""
    noted = len(tracer.pending)
    try:
        return _written_out(tracer, node, env, path)
    except CountError:
        del tracer.pending[noted:]
    name = "$listed"
    append = ast.Attribute(ast.Name(name, ast.Load()), "append", ast.Load())
    inner = dict(env)
    inner[name] = placed(List(), inner)
    body = loops_of(node, node, [ast.Expr(ast.Call(append, [node.elt], []))])
    after = aside(tracer, body, inner, path, env, assigned(tracer, node))
    return tracer.read(node, after[name], after)


def aside(
    tracer: Tracer, body: Sequence[ast.stmt], inner: Env, path: Node, env: Env, names: set[str]
) -> Env:
    """Return the environment after statements that compute the value of an expression in `env`;
    copy its lists and its variables `names` to `env`."""
    after = tracer.block(body, inner, path)
    tracer.leave(after)
    adopt(env, after, names)
    return after


def assigned(tracer: Tracer, node: ast.expr) -> set[str]:
    """Return the names around a comprehension that `:=` inside may assign."""
    return assigned_within(node) | nonlocals(tracer.text.body)


def _written_out(tracer: Tracer, node: Comprehension, env: Env, path: Node) -> tuple[Value, ...]:
    """Return the items of a comprehension; raise CountError if their number depends on values."""
    items: list[Value] = []
    names = assigned(tracer, node)

    def visit(generators: list[ast.comprehension], inner: Env) -> None:
        if not generators:
            items.append(placed(tracer.object(node.elt, inner, path), inner))
            return
        first, *rest = generators
        iterated = tracer.each(first.iter, tracer.object(first.iter, inner, path), inner)
        for item in listed(tracer, first.iter, iterated):
            bound = dict(inner)
            tracer.bind(first.target, item, bound)
            if all(_certain(tracer, test, bound, path) for test in first.ifs):
                visit(rest, bound)
            adopt(inner, bound, names)

    inner = dict(env)
    visit(node.generators, inner)
    adopt(env, inner, names)
    return tuple(items)


def _certain(tracer: Tracer, test: ast.expr, env: Env, path: Node) -> bool:
    cond = tracer.condition(test, env, path)
    if cond.op != "const":
        tracer.refuse(test, MANY, "write a `for` loop over them", CountError)
    return bool(cond.data)


# folds of generators ------------------------------------------------------------------------------

TOTAL, BEST = "$total", "$best"  # names that no text can have
# statements for each item; `elt` and `key` stand for expressions of the call
_EXTREME = """
item = elt
rank = key(item)
if best is None or rank {} best:
    total, best = item, rank
"""
_LOOPS: dict[str, str] = {
    "add": "total += elt",
    "mul": "total *= elt",
    "any": "if elt: total = True",
    "all": "if not elt: total = False",
    "next": "total = elt\nbreak",
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


FILTERS: tuple[object, ...] = (filter, itertools.filterfalse)


def summary(tracer: Tracer, node: ast.Call, target: object, env: Env, path: Node) -> Value | None:
    """Return the value of `sum(... for ...)` and its like, and of filters; None for other
    functions."""
    if target in FILTERS and (generator := _generator(tracer, node, env)):
        return tracer.object(ast.copy_location(generator, node), env, path)
    sort = lookup(_SORTS, target)
    generator = _generator(tracer, node.args[0], env) if sort and node.args else None
    options: dict[str | None, ast.expr] = {k.arg: k.value for k in node.keywords}
    if generator is None or not options.keys() <= _KEYWORDS.get(target, frozenset()):
        return None
    if isinstance(generator, ast.SetComp) and sort in ("add", "mul"):
        return None  # a set counts equal items once
    if target is len and not any(part.ifs for part in generator.generators):
        return None
    options |= {"elt": ast.Constant(1)} if target is len else {"elt": generator.elt}
    names, text = assigned(tracer, generator), _LOOPS[sort]
    if names and sort in ("any", "all"):  # the last assigned value shows where the loop ends
        if len(generator.generators) > 1:
            what = f"`:=` inside of {sort}() over several loops is not understood"
            tracer.refuse(node, what, "write the loops")
        text = text.replace(" total", "\n    total") + "\n    break"
    body = loops_of(node, generator, _Filled(options).visit(ast.parse(text)).body)
    default = options.get("default", options.get("start", [*node.args[1:], None][0]))
    start = None if default is None else tracer.expression(default, env, path)
    constant = tracer.graph.const
    first = {"mul": 1, "all": True, "any": False}.get(sort, 0.0 if target is math.fsum else 0)
    total, none = constant(first) if start is None else start, Static(None)
    extreme = sort in ("next", "min", "max")
    inner = {**env, TOTAL: none if extreme else total, BEST: none}
    total = aside(tracer, body, inner, path, env, names)[TOTAL]
    if not extreme:
        return total
    missed = total.absent if isinstance(total, Optional) else constant(is_none(total))
    total = total.value if isinstance(total, Optional) else total
    if start is None:
        words = "the iterator is empty" if sort == "next" else f"{sort}() arg is an empty sequence"
        cls = StopIteration if sort == "next" else ValueError
        tracer.raises_lookup(node, cls, words, missed)
        start = constant(math.nan) if is_none(total) else total
    value = join_value(tracer.graph, missed, start, total)
    return tracer.joined(node, value, "give a default of the same sort")


def _generator(tracer: Tracer, node: ast.expr, env: Env) -> Comprehension | None:
    """Return a comprehension as it is, `map(f, items)` and `filter(f, items)` as comprehensions."""
    if isinstance(node, Comprehension) or not isinstance(node, ast.Call):
        return node if isinstance(node, Comprehension) else None
    target = tracer.static(node.func, env)
    item: ast.expr = ast.Name("$each", ast.Load())
    items, tests = cast("ast.expr", node), list[ast.expr]()
    if target in (map, *FILTERS) and len(node.args) == 2:
        function, items = node.args
        applied = ast.copy_location(ast.Call(function, [item], []), node)
        if target is map:
            item = applied
        else:
            test = item if getattr(function, "value", "") is None else applied
            tests.append(test if target is filter else ast.UnaryOp(ast.Not(), test))
    elif target is not range:
        return None
    part = ast.comprehension(ast.Name("$each", ast.Store()), items, tests, 0)
    return ast.GeneratorExp(item, [part])


class _Filled(ast.NodeTransformer):
    """Inserts expressions into a text of `_LOOPS`, and renames its variables with `$`."""

    def __init__(self, expressions: dict[str | None, ast.expr]) -> None:
        self.expressions = expressions

    def visit_Call(self, node: ast.Call) -> Any:
        """Return the call `key(item)`, or the item itself if there is no key."""
        call = self.generic_visit(node)
        return call if "key" in self.expressions else node.args[0]

    def visit_Name(self, node: ast.Name) -> Any:
        """Return the expression for `elt` or `key`, or another name with `$`."""
        if node.id in ("elt", "key"):
            return copy.deepcopy(self.expressions.get(node.id, node))
        return ast.copy_location(ast.Name(f"${node.id}", node.ctx), node)
