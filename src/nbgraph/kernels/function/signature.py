"""The signature of a scalar function: operands, scalar parameters, and which are static.

A static parameter (None, a bool, a string, an enum member, a function, a tuple) is part of the
definition: each of its values gives a separate graph. A name with a static default is a parameter,
even if positional. So is a positional name with an integer default that the text counts with
(`n=20`, `range(n)`), unless it is the only one. A `Choice` assigns another role or value.

>>> def f(x, scale=None, *, method="exact"): ...
>>> read_signature(f).operands, [p.name for p in read_signature(f).parameters]
(('x',), ['scale', 'method'])
>>> read_signature(f, [Choice("scale", "operand")]).operands
('x', 'scale')
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from types import FunctionType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

import numpy as np

from nbgraph.errors import ArgumentError, CaptureError
from nbgraph.kernels.capture.draws import KEY
from nbgraph.kernels.capture.text import NoSourceError, function_text
from nbgraph.kernels.scalar.kinds import kind_of_value
from nbgraph.signatures import unknown_keyword
from nbgraph.tracebacks import file_label

if TYPE_CHECKING:
    from nbgraph.kernels.function.scalar_function import Scalar


_BITS = (ast.LShift, ast.RShift, ast.BitAnd, ast.BitOr, ast.BitXor)


CALL_OPTIONS = frozenset(("out", "where", "dtype", "casting", "order"))  # of operator calls
_POSITIONAL = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD


class Parameter(NamedTuple):
    """A scalar parameter; if `required`, it has no default and `default` is an example value."""

    name: str
    default: Any = None
    required: bool = False

    @property
    def is_static(self) -> bool:
        """Return whether the value is part of the definition."""
        return not self.required and is_static(self.default)


class Constants(dict[Any, Any]):
    """A dict that is the default of a parameter: part of the definition, as it is then."""

    __hash__ = lambda self: hash(repr(self))  # type: ignore[assignment]


class Choice(NamedTuple):
    """The role of a name in one form of a function.

    `name`: str. `role`: {"static", "number", "operand"}. `value`: the value of a static parameter;
    for a number 1 or 1.0, as an example of its kind.
    """

    name: str
    role: Literal["static", "number", "operand"]
    value: Any = None

    def key(self) -> tuple[Any, ...]:
        """Return a hashable key of the choice: True differs from the enum member that equals 1."""
        return self.name, self.role, static_key(self.value)


class Signature(NamedTuple):
    """The names of a function by role.

    `operands`: tuple of str. `defaults`: of operands. `parameters`: tuple of Parameter. `places`:
    the names that a call may pass by position, operands or not. `text`: the Python signature.
    `chosen`: operands that the text compares with strings or calls, so they may be static.
    """

    operands: tuple[str, ...]
    defaults: Mapping[str, Any]
    parameters: tuple[Parameter, ...]
    places: tuple[str, ...]
    text: inspect.Signature
    chosen: frozenset[str] = frozenset()


def is_static(value: object) -> bool:
    """Return whether a parameter of this value is part of the definition: neither a number nor an
    array.

    >>> [is_static(v) for v in (None, True, "fast", (1, 2), 1, 2.0, np.ones(3), [1, 2])]
    [True, True, True, True, False, False, False, False]
    """
    if isinstance(value, (bool, np.bool_, Enum)):
        return True
    if kind_of_value(value) is not None or type(value).__hash__ is None:
        return False
    return not (isinstance(value, (np.ndarray, np.generic)) or is_array(value))


def static_key(value: Any) -> Any:
    """Return a key that separates static values equal by `==`: True, 1 and 1.0; 0.0 and -0.0.

    >>> static_key((1, 2.0)) == static_key((1.0, 2.0))
    False
    """
    if isinstance(value, tuple):
        return type(value), tuple(static_key(item) for item in cast("tuple[Any, ...]", value))
    return type(value), repr(value) if isinstance(value, (float, complex)) else value


def is_array(value: Any) -> bool:
    """Return whether a value is an array of any library; NumPy's scalars and 0-d arrays are not."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.ndim > 0
    if isinstance(value, type):
        return False
    return hasattr(value, "__array_priority__") or bool(getattr(value, "ndim", 0))


def read_signature(fn: FunctionType, choices: Iterable[Choice] = ()) -> Signature:
    """Return the signature of a function with some names in other roles.

    Raises CaptureError if it has no operand, or names that are ambiguous.
    """
    if inspect.iscoroutinefunction(fn):
        raise CaptureError(f"{fn.__name__}: an async function gives no number; write a plain `def`")
    chosen = {choice.name: choice for choice in choices}
    text, body = inspect.signature(fn, follow_wrapped=False), fn
    if passes_on(fn):
        text, body = inspect.signature(fn), inspect.unwrap(fn)
    counts = counts_of(body, text)
    if counts.issuperset(text.parameters):
        counts = set()  # the only name is the operand
    operands: list[str] = []
    defaults: dict[str, Any] = {}
    parameters: list[Parameter] = []
    places: list[str] = []
    for name, p in text.parameters.items():
        if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
            home = file_label(fn.__code__.co_filename)
            raise CaptureError(
                f"{fn.__name__}: *{name} in the signature is not understood\n"
                f'  File "{home}", line {fn.__code__.co_firstlineno}\n'
                "Instead: name every operand, and put scalar parameters after a bare *."
            )
        if p.kind is not p.KEYWORD_ONLY:
            places.append(name)
        elif name in {*CALL_OPTIONS, "self"}:
            raise CaptureError(
                f"{fn.__name__}: calls of an operator have an option {name!r} of their own; give "
                f"the keyword-only parameter {name!r} another name"
            )
        parameter = _parameter(p, chosen.get(name), counts)
        if parameter is not None:
            parameters.append(parameter)
            continue
        operands.append(name)
        if p.default is p.empty or name in chosen:
            continue
        if kind_of_value(p.default) is None:
            raise CaptureError(
                f"{fn.__name__}: the default of operand {name!r} is {p.default!r}, neither a "
                "number nor a value that can be static; give it a number, None or a tuple, or "
                "read it from the module"
            )
        defaults[name] = p.default
    if not operands and not optional_in(text):
        raise CaptureError(f"{fn.__name__}: a scalar function needs at least one operand")
    own = (fn.__module__ or "").startswith("nbgraph.")  # the package's own: operands are numbers
    sorts = frozenset(() if own else chosen_in(body, text).intersection(operands))
    return Signature(tuple(operands), defaults, tuple(parameters), tuple(places), text, sorts)


def passes_on(fn: FunctionType) -> bool:
    """Return whether a function passes `*args` on to the one it wraps, as decorators' do."""
    variadic = fn.__code__.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS)
    return bool(variadic) and inspect.unwrap(fn) is not fn


def optional_in(text: inspect.Signature) -> list[str]:
    """Return the positional names whose default is None: a call may pass operands for them."""
    return [n for n, p in text.parameters.items() if p.default is None and p.kind in _POSITIONAL]


def with_key(name: str, signature: Signature) -> Signature:
    """Return the signature of a text that draws: `key` selects the random numbers.

    Raises CaptureError if the text has a parameter of that name.
    """
    text = signature.text
    if KEY in text.parameters:
        raise CaptureError(
            f"{name}: a function that draws random numbers has the option {KEY!r}; give its "
            f"parameter {KEY!r} another name"
        )
    option = inspect.Parameter(KEY, inspect.Parameter.KEYWORD_ONLY, default=None)
    text = text.replace(parameters=[*text.parameters.values(), option])
    return signature._replace(operands=(*signature.operands, KEY), text=text)


def chosen_in(fn: FunctionType, text: inspect.Signature) -> set[str]:
    """Return the names without a default that a function calls or compares with strings."""
    names = {name for name, p in text.parameters.items() if p.default is p.empty}
    needed: list[ast.AST] = []
    for node in _nodes(fn):
        if isinstance(node, ast.Call):
            needed += [node.func] if isinstance(node.func, ast.Name) else []
        elif isinstance(node, (ast.Compare, ast.Match)):
            values = [n.value for n in ast.walk(node) if isinstance(n, ast.Constant)]
            whole = isinstance(node, ast.Compare)
            if any(isinstance(value, str) for value in values):
                needed.append(node if whole else node.subject)
    annotated = {n for n in names if re.search(r"\bstr\b", repr(text.parameters[n].annotation))}
    return annotated | {n.id for n in _names(needed)} & names


def _nodes(fn: FunctionType) -> list[ast.AST]:
    """Return all AST nodes of a function's body; none without source text."""
    try:
        return [n for st in function_text(fn).body for n in ast.walk(st)]
    except NoSourceError:
        return []


def _names(nodes: Iterable[ast.AST]) -> Iterable[ast.Name]:
    return (n for node in nodes for n in ast.walk(node) if isinstance(n, ast.Name))


def counts_of(fn: FunctionType, text: inspect.Signature) -> set[str]:
    """Return the positional names with integer defaults that a function counts, indexes or shifts
    with, where a floating value would fail."""
    candidates = {
        name
        for name, p in text.parameters.items()
        if p.kind is p.POSITIONAL_OR_KEYWORD and kind_of_value(p.default) == "i"
    }
    if not candidates:
        return set()
    needed: list[ast.AST] = []
    for node in _nodes(fn):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "range":
            needed += node.args
        elif isinstance(node, ast.Subscript):
            needed.append(node.slice)
        elif isinstance(node, (ast.BinOp, ast.AugAssign)) and isinstance(node.op, _BITS):
            needed += ast.iter_child_nodes(node)
    return {n.id for n in _names(needed)} & candidates


def _parameter(p: inspect.Parameter, choice: Choice | None, counts: set[str]) -> Parameter | None:
    """Return a name of the text as a scalar parameter, or None for an operand."""
    if choice is not None:
        if choice.role == "operand":
            return None
        return Parameter(p.name, choice.value, required=choice.role == "number")
    if p.default is p.empty:
        return Parameter(p.name, required=True) if p.kind is p.KEYWORD_ONLY else None
    if isinstance(p.default, dict):
        return Parameter(p.name, Constants(p.default))
    if p.kind is p.KEYWORD_ONLY or is_static(p.default) or p.name in counts:
        return Parameter(p.name, p.default)
    return None


def choices_of(
    name: str, signature: Signature, arguments: Mapping[str, Any], earlier: Mapping[str, Choice]
) -> dict[str, Choice]:
    """Return the roles of names that argument values imply; absent names keep `earlier` roles.

    Raises ArgumentError for an array passed for a parameter that cannot be an operand.
    """
    choices = dict(earlier)
    parameters = {p.name: p for p in signature.parameters}
    for key, value in arguments.items():
        p = signature.text.parameters.get(key)
        if (key in signature.operands and isinstance(value, str)) or (
            key in signature.chosen and is_static(value) and not isinstance(value, (bool, tuple))
        ):
            choices[key] = Choice(key, "static", value)
            continue
        if p is None or (key not in parameters and key not in earlier):
            continue
        own = p.default
        if isinstance(value, (np.bool_, np.ndarray)) and (
            not value.ndim and (p.kind is p.KEYWORD_ONLY or isinstance(value, np.bool_))
        ):
            value = value.item()
        if is_static(value):
            choices[key] = Choice(key, "static", value)
            if own is not p.empty and is_static(own) and static_key(own) == static_key(value):
                del choices[key]
        elif own is not p.empty and not is_static(own):
            choices.pop(key, None)  # a number, the role in the text
            has_dtype = kind_of_value(value) is None or isinstance(value, np.generic)
            if p.kind is not p.KEYWORD_ONLY and has_dtype:
                choices[key] = Choice(key, "operand")
        elif kind_of_value(value) is not None and _is_number(value, p):
            operand = key in earlier and earlier[key].role == "operand"
            if not signature.operands:  # a call needs an operand
                choices[key] = Choice(key, "operand")
            elif not operand and (own is not p.empty or key in earlier):
                choices[key] = Choice(key, "number", 1.0 if kind_of_value(value) == "f" else 1)
        elif p.kind is not p.KEYWORD_ONLY and (own is None or isinstance(own, bool)):
            choices[key] = Choice(key, "operand")
        elif own is not p.empty:
            raise ArgumentError(_not_static(name, p, value))
    return choices


def _is_number(value: object, p: inspect.Parameter) -> bool:
    """Return whether a number is a scalar parameter; one with a NumPy dtype is an operand."""
    return p.kind is p.KEYWORD_ONLY or not isinstance(value, np.generic)


def _not_static(name: str, p: inspect.Parameter, value: Any) -> str:
    expected = f"{type(p.default).__name__} {p.default!r}" if p.default is not None else "None"
    remedy = (
        "make it an operand: move it before the * in the signature"
        if p.default is None or isinstance(p.default, bool)
        else "call the operator once for each value"
    )
    return (
        f"{name}: the parameter {p.name!r} is {described(value)}; it is static, like its default "
        f"{expected}, and has one value for all elements. To vary it by element, {remedy}"
    )


def described(value: Any) -> str:
    """Return how messages describe an array or a list."""
    shape = getattr(value, "shape", None)
    return "an array or list" if shape is None else f"an array of shape {shape}"


def resolve_parameters(
    name: str, parameters: Sequence[Parameter], arguments: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the values of all parameters; ArgumentError for a missing, unknown or array one."""
    values: dict[str, Any] = {}
    for p in parameters:
        value = arguments.get(p.name, p.default)
        if p.required and p.name not in arguments:
            raise ArgumentError(
                f"{name}: the scalar parameter {p.name!r} is missing; give {p.name}=..."
            )
        if (type(value) in (list, dict) or is_array(value)) and not hasattr(value, "traced"):
            raise ArgumentError(
                f"{name}: the scalar parameter {p.name!r} is {described(value)}; it takes one "
                "number. To vary it by element, or to compute it, make it an operand: move it "
                "before the * in the signature"
            )
        if isinstance(p.default, float) and kind_of_value(value) in ("i", "b"):
            value = float(cast("float", value))  # so that sigma=2 and sigma=2.0 share a kernel
        values[p.name] = value.item() if isinstance(value, (np.generic, np.ndarray)) else value
    unknown = set(arguments) - set(values)
    if unknown:
        raise ArgumentError(unknown_keyword(name, min(unknown), values))
    return values


def parameter_kinds(parameters: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return what a graph depends on in parameters: kinds of numbers, values of others."""
    kinds: list[Any] = []
    for name, value in parameters.items():
        kind = "f" if type(value) is float else None  # the common case
        if kind is None:
            kind = static_key(value) if is_static(value) else kind_of_value(value)
        kinds.append((name, kind))
    return tuple(kinds)


def defaults_of(scalar: Scalar) -> dict[str, Any]:
    """Return parameter values to examine a definition with; 1.0 for those without a default."""
    return {
        p.name: 1.0 if p.required and p.default is None else p.default for p in scalar.parameters
    }
