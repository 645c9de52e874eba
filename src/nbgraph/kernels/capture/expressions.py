"""Expressions: the function for each kind of them; names, truth, comparisons, choices."""

import ast
import functools
import itertools
from collections.abc import Callable
from typing import Any

from nbgraph.kernels.capture import comparing, complex_numbers, digits, objects, operators, refusals
from nbgraph.kernels.capture.arrays import spread
from nbgraph.kernels.capture.calls import call
from nbgraph.kernels.capture.containers import (
    REFERS,
    Array,
    Iterator,
    Mapping,
    Record,
    Resizable,
    as_list,
    described,
    sorted_as,
)
from nbgraph.kernels.capture.context import Call, Tracer
from nbgraph.kernels.capture.displays import (
    comprehension,
    dict_comprehension,
    dict_display,
    elements,
)
from nbgraph.kernels.capture.environment import FROZEN, placed
from nbgraph.kernels.capture.intervals import decided
from nbgraph.kernels.capture.items import subscript
from nbgraph.kernels.capture.joining import ListJoin, chosen, join_value
from nbgraph.kernels.capture.members import attribute
from nbgraph.kernels.capture.operators import refuse_numbers
from nbgraph.kernels.capture.results import present
from nbgraph.kernels.capture.sequences import distinct
from nbgraph.kernels.capture.values import (
    Choice,
    Complex,
    Env,
    Optional,
    Partly,
    Static,
    Undefined,
    Unknown,
    Value,
    on_path,
)
from nbgraph.kernels.scalar.graph import Node
from nbgraph.kernels.scalar.kinds import is_boolean

_WHOLE = (ast.Is, ast.IsNot, ast.In, ast.NotIn)  # comparisons of arrays, not of entries


def expression(tracer: Tracer, node: ast.expr, env: Env, path: Node) -> Value:
    """Return the value of any expression; for a list or an array, its present items."""
    return tracer.read(node, tracer.object(node, env, path), env)


def referred(tracer: Tracer, node: ast.expr, env: Env, path: Node) -> Value:
    """Return the value of any expression; a list or an array may be a reference."""
    if tracer.survey is not None:
        return tracer.survey.value(tracer, node, env, path)
    return tracer.evaluated(node, env, path)


def evaluated(tracer: Tracer, node: ast.expr, env: Env, path: Node) -> Value:
    """Return the value of `referred` without a survey; refuse what is not understood."""
    evaluate = _EXPRESSIONS.get(type(node))
    if evaluate is None:
        what = "this expression is not understood in a scalar function"
        tracer.refuse(node, what, refusals.expression(node))
    try:
        return evaluate(tracer, node, env, path)
    except (TypeError, OverflowError) as error:
        refuse_numbers(tracer, node, error)


def number(tracer: Tracer, node: ast.expr, env: Env, path: Node) -> Node:
    """Return the value of an expression that must be one number."""
    return tracer.number_of(Call(tracer, node, path), tracer.expression(node, env, path))


def number_of(tracer: Tracer, call: Call, value: Value) -> Node:
    """Return `value`, which must be one number on the call's path."""
    value = present(call, value)
    if isinstance(value, Node):
        return value
    what, remedy = described(value), "use a number"
    if isinstance(value, Complex):
        remedy = "use z.real, z.imag or abs(z)"
    tracer.refuse(call.node, f"a number is needed here, this is {what}", remedy)


def condition(tracer: Tracer, node: ast.expr, env: Env, path: Node) -> Node:
    """Return the truth value of an expression as a node."""
    if isinstance(node, ast.BoolOp):
        denied: Any = lambda part: ast.copy_location(ast.UnaryOp(ast.Not(), part), part)
        truths = [denied(denied(part)) for part in node.values]
        node = ast.copy_location(ast.BoolOp(node.op, truths), node)
    value = tracer.expression(node, env, path)
    if isinstance(value, Unknown) and tracer.survey is not None:
        return tracer.survey.truth(tracer.graph)
    try:
        cond = tracer.truth(value)
    except TypeError as error:
        refuse_numbers(tracer, node, error)
    return decided(tracer.graph, path, cond) if tracer.decides else cond


def truth(tracer: Tracer, value: Value) -> Node:
    """Return the truth value of a value as a node."""
    for name in ("__bool__", "__len__"):
        if tracer.written(value, name):
            at = Call(tracer, tracer.site or tracer.text.body[0], tracer.graph.const(True))
            return tracer.truth(tracer.special(at, name, value))
    if isinstance(value, Static):
        return tracer.graph.const(bool(value.value))
    if isinstance(value, Choice):
        return chosen(tracer.graph, value, lambda option, _: tracer.truth(option))
    if isinstance(value, Array) and len(value) == 1:
        return tracer.truth(value[0])
    if isinstance(value, Array) and value:
        raise TypeError("the truth of an array of several entries is not defined: use any()")
    if isinstance(value, (tuple, Mapping)):
        entries = value.entries if isinstance(value, Mapping) else value
        return tracer.graph.const(bool(entries) or isinstance(value, Record))
    if isinstance(value, Complex):
        return complex_numbers.truth(tracer.graph, value)
    if isinstance(value, Resizable):
        return tracer.graph.compare("gt", value.length, tracer.graph.const(0))
    if isinstance(value, digits.Digits):
        some = value.size is None or value.length(tracer, tracer.graph.const(True))
        return tracer.graph.const(True) if some is True else tracer.graph.truth(some)
    if isinstance(value, Optional):
        present = tracer.graph.logical_not(value.absent)
        return tracer.graph.logical_and(present, tracer.truth(value.value))
    return tracer.graph.truth(value)


def _name(tracer: Tracer, node: ast.Name, env: Env) -> Value:
    name = node.id
    if name in env:
        value = env[name]
        if isinstance(value, Unknown) and tracer.survey is not None:
            return tracer.survey.unknown()
        if isinstance(value, Undefined):
            tracer.refuse(node, f"{name!r} {value.why}", f"give {name!r} a value on every path")
        if isinstance(value, Partly):
            why = f"cannot access local variable {name!r} where it is not associated with a value"
            tracer.raises(node, UnboundLocalError, why, value.absent)
            return value.value
        return value
    local = name in tracer.fn.__code__.co_varnames
    try:
        if local:  # a local name: Python does not look outside
            raise NameError(name)
        known = tracer.scope.lookup(name)
    except NameError:
        if name == tracer.fn.__name__:  # the operator that is being built
            return Static(tracer.fn)
        remedy = f"give {name!r} a value first" if local else "define it before it is used"
        tracer.refuse(node, f"the name {name!r} is not defined", remedy)
    return tracer.constant(known, node)


def _walrus(tracer: Tracer, node: ast.NamedExpr, env: Env, path: Node) -> Value:
    name = node.target.id
    env[name] = placed(tracer.object(node.value, env, path), env, name)
    return env[name]


def _compare(tracer: Tracer, node: ast.Compare, env: Env, path: Node) -> Value:
    graph, result = tracer.graph, tracer.graph.const(True)
    tracer.frame = env
    same = isinstance(node.ops[0], (ast.Is, ast.IsNot))
    left = tracer.object(node.left, env, path)
    left = left if same else tracer.deep(node.left, left, env)
    for op, right_node in zip(node.ops, node.comparators, strict=True):
        if isinstance(right_node, ast.Set) and isinstance(op, (ast.In, ast.NotIn)):
            right_node = ast.copy_location(ast.Tuple(right_node.elts, ast.Load()), right_node)
        right = _guarded(tracer, right_node, env, path, result)
        right = right if same else tracer.deep(right_node, right, env)
        compare = functools.partial(
            comparing.compare, Call(tracer, node, graph.logical_and(path, result)), op
        )
        spreads = len(node.ops) == 1 and not isinstance(op, _WHOLE)
        if spreads and (isinstance(left, Array) or isinstance(right, Array)):
            return spread(Call(tracer, node, path), compare, left, right)
        result = graph.logical_and(result, compare(left, right))
        left = right
    return result


def _boolean(tracer: Tracer, node: ast.BoolOp, env: Env, path: Node) -> Value:
    graph, is_and = tracer.graph, isinstance(node.op, ast.And)
    value = tracer.object(node.values[0], env, path)
    for before, item in itertools.pairwise(node.values):
        first, value = value, tracer.read(before, value, env)
        if isinstance(value, Static):
            value = graph.const(bool(value.value))
        truth = tracer.truth(value)
        taken = truth if is_and else graph.logical_not(truth)
        if taken.op == "const" and not taken.data:
            return first
        other = _guarded(tracer, item, env, path, taken)
        if taken.op == "const":
            value = other
            continue
        if isinstance(other, Static):
            other = graph.const(bool(other.value))
        if _is_truth(value) and _is_truth(other):
            join = graph.logical_and if is_and else graph.logical_or
            value = join(truth, graph.truth(other))
        else:
            value = first if isinstance(first, REFERS) else value
            value = _either(tracer, node, taken, other, value, env, "write `a if condition else b`")
    return value


def _either(
    tracer: Tracer, node: ast.expr, cond: Node, a: Value, b: Value, env: Env, remedy: str
) -> Value:
    """Return the first value where a condition holds, else the second; lists may be either."""
    lists = ListJoin(tracer.graph, cond, env, env, env)
    value = join_value(tracer.graph, cond, placed(a, env), placed(b, env), lists)
    lists.freeze()
    return tracer.joined(node, value, remedy)


def _guarded(tracer: Tracer, node: ast.expr, env: Env, path: Node, cond: Node) -> Value:
    """Return the value of an expression evaluated where `cond` holds: `:=` assigns there only."""
    inner = dict(env)
    with tracer.under(cond):
        value = tracer.object(node, inner, tracer.graph.logical_and(path, cond))
    lists = ListJoin(tracer.graph, cond, inner, dict(env), env)
    for name, new in inner.items():
        old = env.get(name)
        if old is None or isinstance(old, Undefined) or name == FROZEN:
            env[name] = new  # elsewhere Python has no value to read
        elif new is not old:
            env[name] = join_value(tracer.graph, cond, new, old, lists)
    lists.freeze()
    return value


def _ternary(tracer: Tracer, node: ast.IfExp, env: Env, path: Node) -> Value:
    graph = tracer.graph
    cond = tracer.condition(node.test, env, path)
    if cond.op == "const":
        return tracer.object(node.body if cond.data else node.orelse, env, path)
    a = _guarded(tracer, node.body, env, path, cond)
    b = _guarded(tracer, node.orelse, env, path, graph.logical_not(cond))
    return _either(tracer, node, cond, a, b, env, "give both branches one type")


def _is_truth(value: Value) -> bool:
    return isinstance(value, Node) and is_boolean(value.kind)


_EXPRESSIONS: dict[type[ast.expr], Callable[[Tracer, Any, Env, Node], Value]] = {
    ast.Constant: lambda tracer, node, env, path: tracer.constant(node.value, node),
    ast.Name: lambda tracer, node, env, path: on_path(_name(tracer, node, env), path),
    ast.NamedExpr: _walrus,
    ast.BinOp: operators.binaries,
    ast.UnaryOp: operators.unary,
    ast.Compare: _compare,
    ast.BoolOp: _boolean,
    ast.IfExp: _ternary,
    ast.Call: call,
    ast.Attribute: attribute,
    ast.Subscript: subscript,
    ast.Lambda: lambda tracer, node, env, path: tracer.local(node, env, path),
    ast.Tuple: lambda tracer, node, env, path: elements(tracer, node.elts, env, path),
    ast.List: lambda tracer, node, env, path: as_list(
        [tracer.taken(v, env) for v in items]
        if isinstance(items := elements(tracer, node.elts, env, path), tuple)
        else items
    ),
    ast.Set: lambda tracer, node, env, path: distinct(
        Call(tracer, node, path), elements(tracer, node.elts, env, path)
    ),
    ast.Dict: dict_display,
    ast.ListComp: lambda *at: as_list(comprehension(*at)),
    ast.SetComp: lambda tracer, node, env, path: distinct(
        Call(tracer, node, path), comprehension(tracer, node, env, path)
    ),
    ast.DictComp: dict_comprehension,
    ast.GeneratorExp: lambda *at: sorted_as(Iterator, comprehension(*at)),
    ast.JoinedStr: objects.formatted,
}
