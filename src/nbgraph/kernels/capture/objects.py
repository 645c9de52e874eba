"""Python objects that are not numbers, and computations with them during capture."""

from __future__ import annotations

import ast
import contextlib
import functools
import operator
from collections.abc import Callable
from enum import Flag
from types import BuiltinMethodType, FunctionType, UnionType
from typing import Any

import numpy as np

from nbgraph.errors import CaptureError
from nbgraph.kernels.capture import complex_numbers, digits
from nbgraph.kernels.capture.containers import ConstantArray, Mapping, described, record_of
from nbgraph.kernels.capture.context import Call, Tracer
from nbgraph.kernels.capture.digits import Digits, Range, UnknownText
from nbgraph.kernels.capture.draws import method_of
from nbgraph.kernels.capture.joining import chosen
from nbgraph.kernels.capture.survey import unsurveyed
from nbgraph.kernels.capture.text import KindError
from nbgraph.kernels.capture.values import Choice, Env, Node, Static, Value
from nbgraph.kernels.scalar.kinds import kind_of_dtype, kind_of_value

MAX_ENTRIES = 1 << 16  # entries of an outside array; each is a node


def static(tracer: Tracer, node: ast.expr, env: Env) -> Any:
    """Return the Python object an expression names (a function, a module), or None."""
    if isinstance(node, ast.Name):
        if node.id in env:
            value = env[node.id]
            return value.value if isinstance(value, Static) else None
        try:
            return tracer.scope.lookup(node.id)
        except NameError:
            return None
    if isinstance(node, ast.Attribute):
        owner = tracer.static(node.value, env)
        if owner is not None:
            return getattr(owner, node.attr, None)
    return None


def constant(tracer: Tracer, value: Any, node: ast.expr) -> Value:
    """Return a value from outside the function: numbers become literals."""
    if kind_of_value(value) is not None:
        return tracer.graph.const(value)
    if complex_numbers.is_complex(value):
        return complex_numbers.constant(tracer.graph, value)
    if isinstance(value, tuple) and type(value).__name__ != "float_info":  # sys.float_info
        fields = getattr(value, "_fields", None)
        items = tuple(tracer.constant(item, node) for item in value)
        named = dict(zip(fields or (), items, strict=False))
        return record_of(type(value), named) if fields else items
    if isinstance(value, (list, dict, set, frozenset, np.ndarray)):
        return _container(tracer, value, node)
    if type(value).__module__ == "datetime" and type(value).__name__ in _DATES:
        from nbgraph.kernels.capture.library import dates  # few programs use dates

        cls = getattr(dates, _DATES[type(value).__name__])
        return tracer.constant(cls(*(getattr(value, name) for name in cls._fields)), node)
    return Static(value)


def _container(tracer: Tracer, value: Any, node: ast.expr) -> Value:
    """Return the contents of a container as a value; each call checks that they are unchanged."""
    size = value.size if isinstance(value, np.ndarray) else len(value)
    if size > MAX_ENTRIES:
        tracer.refuse(
            node,
            f"{size} entries are read from outside the function, more than {MAX_ENTRIES}",
            "take the entries before the call, e.g. by ng.take(table, index), and pass them as "
            "an operand",
        )
    tracer.watch.read_contents(value)
    if isinstance(value, np.ndarray):
        return _array(tracer, value, node)
    if isinstance(value, dict):
        return Mapping({key: tracer.constant(item, node) for key, item in value.items()})
    return tuple(tracer.constant(item, node) for item in value)


def _array(tracer: Tracer, value: np.ndarray[Any, Any], node: ast.expr) -> Value:
    """Return an array as a value: integers and bools keep their dtype, floats are of kind "f"."""
    if value.dtype.kind not in "fiubc":
        what = f"an array of dtype {value.dtype} is read from outside the function"
        tracer.refuse(node, what, "use an array of numbers, or a tuple")
    graph = tracer.graph
    kind = "" if value.dtype.kind == "c" else kind_of_dtype(value.dtype)

    def nested(part: Any) -> Value:
        if isinstance(part, list):
            return ConstantArray(map(nested, part))
        return graph.cast(graph.const(part), kind) if kind else tracer.constant(part, node)

    return nested(value.tolist())


def attribute(tracer: Tracer, node: ast.expr, owner: Any, name: str) -> Value:
    """Return an attribute of a Python object."""
    method = method_of(owner, name)
    if method is not None:
        return Static(method)
    try:
        value = tracer.watch.read_attribute(owner, name)
    except AttributeError as error:
        own = type(owner).__module__.startswith("nbgraph.")
        problem = f"{described(Static(owner))} has no attribute {name!r} here" if own else error
        sort = KindError if isinstance(owner, UnknownText) else CaptureError
        tracer.refuse(node, str(problem), "check the spelling", sort)
    return tracer.constant(value, node)


TEXT = (str, UnknownText)
_DATES = {"date": "Date", "datetime": "Moment", "timedelta": "Span"}
_OPERATED = (type, UnionType, Flag)
CONVERSIONS: dict[int, Callable[[Any], Any]] = {ord("s"): str, ord("r"): repr, ord("a"): ascii}
_TEXTS = (str, repr, format, ascii, bin, hex, oct, chr)
_PURE: dict[object, Callable[..., Any]] = {
    fn: fn for fn in (*_TEXTS, np.finfo, np.iinfo, np.dtype, len, ord, int, float, bool, issubclass)
}
_UNKNOWN = (TypeError, ValueError, KeyError, IndexError, AttributeError)
_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add,
    "mul": operator.mul,
    "mod": operator.mod,
    "bor": operator.or_,
    "band": operator.and_,
    "bxor": operator.xor,
}


def known(value: Value) -> tuple[Any] | None:
    """Return (object,) for a value that is a constant Python object, else None."""
    if isinstance(value, Static):
        words = value.value.args if isinstance(value.value, BaseException) else True
        return (value.value,) if words and not isinstance(value.value, UnknownText) else None
    if isinstance(value, Node):
        return (value.data,) if value.op == "const" else None
    if isinstance(value, tuple):
        parts = [known(part) for part in value]
        return None if None in parts else (tuple(part[0] for part in parts if part),)
    return None


def are_objects(a: Value, b: Value) -> bool:
    """Return whether a binary operation is one of strings, or of objects such as two types."""
    if is_text(a) or is_text(b):
        return True
    return all(isinstance(v, Static) and isinstance(v.value, _OPERATED) for v in (a, b))


def is_text(value: Value) -> bool:
    """Return whether a value is a string, even one that is unknown."""
    return isinstance(getattr(value, "value", value), (*TEXT, Digits))


def apply(call: Call) -> Value | None:
    """Return the value of a function without effects for constants; None for other calls."""
    target, args = call.target, call.args
    if (value := digits.apply(call)) is not None:
        return value
    owner = getattr(target, "__self__", None) if isinstance(target, BuiltinMethodType) else None
    of_text = isinstance(owner, TEXT)
    texts = of_text or (callable(target) and target in _TEXTS)
    if not texts and not (type(target).__hash__ and target in _PURE):
        return None
    if len(args) == 1 and isinstance(choice := args[0], Choice):
        return chosen(call.graph, choice, lambda one, _: apply(call._replace(args=[one])))
    if not texts and not any(isinstance(a, Static) for a in args):
        return None  # numbers have operations of their own
    try:
        value = of_constants(call)
    except _UNKNOWN as error:
        call.refuse(f"{ast.unparse(call.node)}: {error}", "check the arguments")
    return Static(UnknownText()) if value is None and texts else value


def of_constants(call: Call) -> Value | None:
    """Return the value of Python's own call; None where an argument is not constant."""
    args = [known(value) for value in call.args]
    named = {name: known(value) for name, value in call.kwargs.items()}
    if None in args or None in named.values():
        return None
    options = {name: value[0] for name, value in named.items() if value}
    result = call.target(*(value[0] for value in args if value), **options)
    return call.tracer.constant(result, call.node)


def of_library(call: Call) -> Value | None:
    """Return the value of a function or class of NumPy or SciPy for constants; None for other
    functions, and where it draws, takes functions or raises."""
    home, name = (str(getattr(call.target, part, None)) for part in ("__module__", "__name__"))
    pure = home.startswith(("numpy", "scipy")) and "random" not in home and name != "rvs"
    functions = (isinstance(getattr(a, "value", a), FunctionType) for a in call.values)
    if pure and call.values and not any(functions):
        with contextlib.suppress(Exception):
            return of_constants(call)
    return None


def characters(call: Call, value: Value) -> Value:
    """Return the characters of a string, the numbers of a range; other values unchanged."""
    if isinstance(value, Static) and isinstance(value.value, str):
        return tuple(map(Static, value.value))
    if isinstance(value, Range):
        return value.listed(call)
    return value.characters(call) if isinstance(value, Digits) else value


def joined(call: Call, value: Value) -> Value:
    """Return the string of the characters of a slice; other items unchanged."""
    if isinstance(value, tuple) and all(isinstance(c, Static) for c in value):
        return Static("".join(c.value for c in value))
    return digits.joined(call, value) or value


def binary(tracer: Tracer, node: ast.expr, op: str, a: Value, b: Value) -> Value:
    """Return the value of `+`, `*` and `%` of strings, `|` of types, or bits of flags."""
    x, y = known(a), known(b)
    if op == "add" and (together := digits.added(tracer, node, a, b)) is not None:
        return together
    text, times = (a, y) if isinstance(a, Digits) else (b, x)
    if op == "mul" and isinstance(text, Digits) and times is not None:
        at = Call(tracer, node, tracer.graph.const(True))
        return digits.joined(at, (text,) * times[0]) or Static("")
    if op == "add" and not (is_text(a) and is_text(b)):
        tracer.number_of(Call(tracer, node, tracer.graph.const(True)), b if is_text(b) else a)
    if op not in _BINARY:
        tracer.refuse(node, "this operation of strings is not understood", "join strings with +")
    if x is None or y is None:
        return Static(UnknownText())
    try:
        return tracer.constant(_BINARY[op](x[0], y[0]), node)
    except _UNKNOWN as error:
        tracer.refuse(node, str(error), "check the types")


def formatted(tracer: Tracer, node: ast.JoinedStr, env: Env, path: Node) -> Value:
    """Return an f-string; one with parts that depend on values is Digits or an UnknownText."""
    parts: list[Value] = []
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            text = _formatted(tracer, part, env, path)
            if text is None:
                return Static(UnknownText())
            parts.append(text)
        elif isinstance(part, ast.Constant):
            parts.append(Static(str(part.value)))
    return functools.reduce(lambda a, b: binary(tracer, node, "add", a, b), parts or [Static("")])


def _formatted(tracer: Tracer, part: ast.FormattedValue, env: Env, path: Node) -> Value | None:
    try:
        with unsurveyed(tracer):
            shown = tracer.expression(part.value, env, path)
            spec = part.format_spec and tracer.expression(part.format_spec, env, path)
    except CaptureError:
        return None  # the text would only be printed
    value, known_spec = known(shown), ("",) if spec is None else known(spec)
    if value is None and known_spec is not None and (part.conversion == -1 or not spec):
        return digits.formatted(Call(tracer, part, path), shown, known_spec[0])
    if value is None or known_spec is None:
        return None
    converted = CONVERSIONS.get(part.conversion, lambda v: v)(value[0])
    try:
        return Static(format(converted, known_spec[0]))
    except _UNKNOWN:
        return None
