"""The result of a captured function: its value on all paths, and the exceptions it raises.

An exception is a flag of the environment, like a `return`: where it is set, the rest of the
function is skipped. A helper passes its flags to its caller; an operator checks them, or returns
NaN.
"""

import ast
import builtins
import functools
import math
import re
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, cast

from nbgraph.errors import CaptureError
from nbgraph.kernel_errors import Raised, always
from nbgraph.kernels.capture import objects, refusals
from nbgraph.kernels.capture.containers import Mapping, Resizable, described, mapping
from nbgraph.kernels.capture.context import Call, OnInvalid, Tracer
from nbgraph.kernels.capture.environment import (
    MISSED,
    RAISED,
    RESULT,
    RETURNED,
    flag,
    is_flag,
    is_true,
    raises_of,
)
from nbgraph.kernels.capture.inlining import runner
from nbgraph.kernels.capture.joining import join_value
from nbgraph.kernels.capture.names import is_own_text
from nbgraph.kernels.capture.recursion import Recursion, TooDeep
from nbgraph.kernels.capture.values import (
    Env,
    Graph,
    Node,
    Optional,
    Static,
    Undefined,
    Value,
    flatten,
    is_none,
    unflatten,
)
from nbgraph.kernels.scalar.wording import place

_OLD_FIELD = re.compile(r"%[-+ 0#]*\d*(?:\.\d+)?[a-zA-Z]")  # a field of a text for %
_NEW_FIELD = re.compile(r"\{[^{}]*\}")  # a field of a text for format()


@contextmanager
def under(tracer: Tracer, cond: Node) -> Generator[None]:
    """Limit exceptions raised within the block to where `cond` holds."""
    first = len(tracer.pending)
    yield
    for index in range(first, len(tracer.pending)):
        name, where = tracer.pending[index]
        tracer.pending[index] = name, tracer.graph.logical_and(cond, where)


def leave(tracer: Tracer, env: Env) -> None:
    """Note the exceptions of a called function, or of a block traced outside the path."""
    tracer.pending += raises_of(env).items()


def unchecked(tracer: Tracer, node: Node) -> Node:
    """Return the value of an inlined operator without its checks; note what these raise."""
    while node.op == "check":
        node, where, error = *node.args, node.data
        tracer.pending.append((flag_of(tracer.graph, error), where))
    return node


def joined(tracer: Tracer, node: ast.AST, value: Value, remedy: str) -> Value:
    """Return a value joined from two paths; refuse one whose forms differ."""
    if isinstance(value, Undefined):
        tracer.refuse(node, f"the value {value.why}", remedy)
    return value


def raises_lookup(
    tracer: Tracer,
    node: ast.AST,
    cls: type[Exception],
    words: str,
    where: Node,
    ahead: Node | None = None,
) -> None:
    """Note that an index or a key is missing, or a power too large, where a condition holds.

    Unless a `try` around catches the exception, the text continues with the first entry, so that
    the code after it needs no condition. The library's own texts look up without checks.
    `ahead`: the condition for any trip of the traced loop, known before the first trip.
    """
    if is_own_text(tracer.fn) or (where.op == "const" and not where.data):
        return
    if issubclass(cls, tracer.catching):
        tracer.raises(node, cls, words, where)
        return
    tracer.raises(node, cls, words, where if ahead is None else ahead, MISSED)
    if ahead is not None:
        tracer.ahead.append(tracer.pending.pop())


def raises(
    tracer: Tracer, node: ast.AST, cls: type[Exception], words: str, where: Node, sort: str = RAISED
) -> None:
    """Note that the element raises `cls` where a condition holds."""
    user, at, _ = refusals.site(tracer, node)
    line = place(user.text.filename, user.text.line_of(at))
    error = Raised(tracer.operator, cls.__name__, words, line)
    tracer.pending.append((flag_of(tracer.graph, error, sort=sort), where))


def fails(tracer: Tracer, node: ast.AST, cls: type[Exception], words: str) -> Node | None:
    """Note an exception for an operation that numbers lack, such as `len(x)`, `x[0]`; return a
    placeholder value, or None if nothing around catches the exception."""
    if not issubclass(cls, tracer.catching):
        return None
    tracer.raises(node, cls, words, tracer.graph.const(True))
    return tracer.graph.const(0)


def present(call: Call, value: Value) -> Value:
    """Return a value for use as a number; the element raises TypeError where it is None."""
    if not isinstance(value, Optional):
        return value
    where = call.graph.logical_and(call.path, value.absent)
    call.tracer.raises(call.node, TypeError, "a number is needed here, this is None", where)
    return value.value


def settled(tracer: Tracer, env: Env, before: Env | None = None) -> Env:
    """Return the environment after the exceptions of a statement. `before`: the values that a
    handler sees where the statement was not executed."""
    graph = tracer.graph
    if not tracer.pending:
        return env
    env = dict(env)
    if before is not None and tracer.catching:
        somewhere = functools.reduce(graph.logical_or, [where for _, where in tracer.pending])
        for name, value in env.items():
            if value is not (old := before.get(name, value)) and not is_flag(name):
                kept = join_value(graph, somewhere, old, value)
                env[name] = value if isinstance(kept, Undefined) else kept
    for name, where in tracer.pending:
        left = flag(graph, env, RETURNED)
        where = graph.logical_and(where, graph.logical_not(left))
        env[name] = graph.logical_or(flag(graph, env, name), where)
        if name.startswith(MISSED):
            continue
        env[RETURNED] = graph.logical_or(left, where)
    tracer.pending.clear()
    return env


class AlwaysRaises(CaptureError):
    """Raised for a function that raises for every element; `error` is what a call raises."""

    def __init__(self, error: Raised) -> None:
        self.error = always(error)
        super().__init__(f"{self.error}; this function always raises, return a number on some path")


def never_returns(
    tracer: Tracer, env: Env, result: Undefined, on_invalid: OnInvalid
) -> Node | Undefined:
    """Return NaN if asked for, or `result`; raise AlwaysRaises if one exception always occurs."""
    certain = [name for name, where in raises_of(env).items() if is_true(where)]
    if certain and on_invalid == "nan":
        return tracer.graph.const(math.nan)
    if len(certain) == 1:
        raise AlwaysRaises(of_flag(tracer.graph, certain[0]))
    return result


def raised(tracer: Tracer, st: ast.Raise | ast.Assert, env: Env, where: Node) -> Env:
    """Return the environment after a `raise` or `assert` that raises where a condition holds."""
    if isinstance(st, ast.Raise) and st.exc is None and tracer.handled:
        return {**env, **tracer.handled[-1], RETURNED: where}  # re-raise of a handled exception
    if isinstance(st, ast.Assert):
        cls, message = AssertionError, _words(tracer, st.msg, env) if st.msg else ""
        message = message or ast.unparse(st.test)
    else:
        cls, message = _exception(tracer, st, env)
    user, at, _ = refusals.site(tracer, st)
    line = place(user.text.filename, user.text.line_of(at))
    error = Raised(tracer.operator, _known_class(cls).__name__, message, line)
    name = flag_of(tracer.graph, error, cls)
    return {**env, name: where, RETURNED: where}


def flag_of(graph: Graph, error: Raised, cls: type | None = None, sort: str = RAISED) -> str:
    """Return the name of the flag for an exception that the text raises."""
    if error not in graph.raises:
        graph.raises.append(error)
    number = graph.raises.index(error)
    graph.classes.setdefault(number, cls or getattr(builtins, error.kind))
    return f"{sort}{number}"


def class_of(graph: Graph, name: str) -> type:
    """Return the class of the exception that a flag stands for."""
    return graph.classes[_number(name)]


def of_flag(graph: Graph, name: str) -> Raised:
    """Return the exception that a flag stands for."""
    return graph.raises[_number(name)]


def _number(name: str) -> int:
    return int(name.removeprefix(RAISED).removeprefix(MISSED))


def _exception(tracer: Tracer, st: ast.Raise, env: Env) -> tuple[type, str]:
    """Return the class and the message of the exception of a `raise`."""
    call = st.exc
    arguments = call.args if isinstance(call, ast.Call) else []
    target = call.func if isinstance(call, ast.Call) else call
    cls = tracer.static(target, env) if target is not None else None
    if not (isinstance(cls, type) and issubclass(cls, BaseException)):
        return Exception, ast.unparse(call) if call is not None else "raise"
    words = [_words(tracer, argument, env) for argument in arguments]
    own = "" if _known_class(cls) is cls else f"{cls.__name__}: "
    return cls, own + ", ".join(words)


def _known_class(cls: Any) -> type:
    """Return the class itself, or its nearest built-in base class."""
    return next(c for c in cls.__mro__ if getattr(builtins, c.__name__, None) is c)


def _words(tracer: Tracer, node: ast.expr, env: Env) -> str:
    """Return the text of an exception's argument, with unknown values in braces."""
    match node:
        case ast.Constant(value=value):
            return str(value)
        case ast.JoinedStr(values=parts):
            return "".join(_words(tracer, part, env) for part in parts)
        case ast.FormattedValue(value=value, conversion=conversion, format_spec=spec):
            known = _known(tracer, value, env)
            if known is None:
                return f"{{{ast.unparse(value)}}}"
            form = _words(tracer, spec, env) if spec is not None else ""
            shown = objects.CONVERSIONS.get(conversion, lambda v: v)(known[0])
            return format(shown, form) if "{" not in form else str(shown)
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            return _words(tracer, left, env) + _words(tracer, right, env)
        case ast.BinOp(op=ast.Mod(), left=ast.Constant(value=str(text)), right=right):
            values = right.elts if isinstance(right, ast.Tuple) else [right]
            return _filled(tracer, _OLD_FIELD, text, values, env)
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str(text)), attr="format")):
            return _filled(tracer, _NEW_FIELD, text, node.args, env)
    known = _known(tracer, node, env)
    return f"{{{ast.unparse(node)}}}" if known is None else str(known[0])


def _filled(
    tracer: Tracer, field: re.Pattern[str], text: str, values: list[ast.expr], env: Env
) -> str:
    """Return a text with its fields replaced by values, as far as there are any."""
    words = iter([_words(tracer, value, env) for value in values])
    return field.sub(lambda field_match: next(words, field_match[0]), text)


def _known(tracer: Tracer, node: ast.expr, env: Env) -> tuple[Any] | None:
    """Return (value,) of an expression that is the same for all elements and calls, else None."""
    if isinstance(node, ast.Name) and node.id in env:
        value = env[node.id]
        if isinstance(value, Static):
            return None if isinstance(value.value, objects.UnknownText) else (value.value,)
        return (value.data,) if isinstance(value, Node) and value.op == "const" else None
    constant = tracer.static(node, env)
    return None if constant is None else (constant,)


RAISES = "is the result of a function that always raises"


def run(tracer: Tracer, env: Env, path: Node, *, on_invalid: OnInvalid = "raise") -> Value:
    """Return the value of the function for bound arguments, where `path` holds.

    The caller notes its exceptions; an operator, which has no caller, checks its results for them.
    `on_invalid="nan"`: the result is NaN where it raises.
    """
    value, after = tracer.outcome(env, path)
    if tracer.caller is None and isinstance(value, Undefined):
        value = never_returns(tracer, after, value, on_invalid)
    return _with_errors(tracer, after, tracer.dereference(value, after), on_invalid)


def outcome(tracer: Tracer, env: Env, path: Node) -> tuple[Value, Env]:
    """Return the value, which may refer to lists, and the environment at the end."""
    outer_line = tracer.graph.line
    env = tracer.block(tracer.text.body, env, path)
    value = env.get(RESULT, Undefined(RAISES))
    if not is_true(returned := flag(tracer.graph, env, RETURNED)):  # a path without `return`
        none = Static(None)
        value = join_value(tracer.graph, returned, value, none) if RESULT in env else none
    if not tracer.depth:
        value, env = _of_operator(tracer, value, env)
    tracer.graph.line = outer_line
    return value, env


def _of_operator(tracer: Tracer, value: Value, env: Env) -> tuple[Value, Env]:
    """Return the result of an operator, with a TypeError for the elements where it is None."""
    last = tracer.text.body[-1]
    if is_none(value):
        what = "the result is None: no path returns a number"
        tracer.refuse(last, what, "return a number on every path, e.g. `return 0.0` at the end")
    values = mapping(tracer.dereference(value, env))
    if isinstance(values, Mapping):
        tracer.refuse(last, "the result is a dict, not a number", "return its values as a tuple")
    for part in values if isinstance(values, tuple) else (values,):
        if isinstance(part, tuple):
            what = f"the result holds {described(part)}"
            tracer.refuse(last, what, "return numbers as one tuple, e.g. `return x, *others`")
        if isinstance(part, Resizable):
            what = f"the result is {described(part)}"
            tracer.refuse(last, what, "return numbers, e.g. sum(values) or len(values)")
        if isinstance(part, Node) and part.op == "const" and part.kind == "i":
            try:
                tracer.graph.cast(part, "int64")
            except OverflowError as error:
                tracer.refuse(last, str(error), "write the literal as a float")
    value, nones = _without_none(value)
    if not nones:
        return value, env
    words = "the result is None, as no `return` with a number is reached"
    error = Raised(
        tracer.operator, "TypeError", words, place(tracer.text.filename, tracer.text.line_of(last))
    )
    where = functools.reduce(tracer.graph.logical_or, nones)
    return value, {**env, flag_of(tracer.graph, error): where}


def _with_errors(tracer: Tracer, env: Env, value: Value, on_invalid: OnInvalid) -> Value:
    """Return the result; its exceptions are noted in the caller, or checked in an operator."""
    if on_invalid == "nan":
        return _with_nan(tracer, env, value)
    if tracer.caller is not None:
        tracer.caller.leave(env)
        return value
    nodes = flatten(value)  # in an operator, whose kernel ends at such an element
    for name, where in raises_of(env).items() if nodes else ():
        error = of_flag(tracer.graph, name)
        nodes = [tracer.graph.check(n, where, error) for n in nodes or ()]
    return value if nodes is None else unflatten(value, nodes)


def _with_nan(tracer: Tracer, env: Env, value: Value) -> Value:
    """Return the result with NaN for the elements that raise."""
    graph, nodes = tracer.graph, flatten(value)
    where = functools.reduce(graph.logical_or, raises_of(env).values(), graph.const(False))
    if nodes is None or (where.op == "const" and not where.data):
        return value
    for node in nodes:
        if node.kind != "f":
            what = "on_invalid='nan' is asked for, and a result is not a floating value"
            remedy = "return a float, e.g. float(n), or leave on_invalid='raise'"
            tracer.refuse(tracer.text.body[-1], what, remedy)
    nan = graph.const(math.nan)  # times the value, so that its derivative is NaN, too
    return unflatten(
        value, [graph.select(where, graph.arithmetic("mul", n, nan), n) for n in nodes]
    )


def start(tracer: Tracer, env: Env, path: Node, on_invalid: OnInvalid) -> Value:
    """Return the value of the captured function, which may call itself."""
    fn = tracer.fn
    tracer.active = ((fn, path),)
    try:
        return tracer.run(env, path, on_invalid=on_invalid)
    except TooDeep as deep:
        if deep.key is not fn:
            raise
        depth = deep
    tracer.active = ()
    tracer.pending.clear()
    run = runner(tracer, functools.partial(tracer.subtracer, fn), {})
    value = Recursion(depth, tracer, tracer.name, run, env, path).value()
    return _with_errors(tracer, tracer.settled({}), value, on_invalid)


def _without_none(value: Value) -> tuple[Value, list[Node]]:
    """Return a value without its Nones, and the conditions under which it is None."""
    if isinstance(value, Optional):
        inner, nones = _without_none(value.value)
        return inner, [value.absent, *nones]
    if type(value) is not tuple:
        return value, []
    parts = [_without_none(part) for part in cast("tuple[Value, ...]", value)]
    return tuple(part for part, _ in parts), [none for _, nones in parts for none in nones]
