"""Public functions from a text table: a row has a signature, documentation and a call.

    name aliases(parameters) -> type: Documentation, its first line,
        and further lines.
        parameter : what it is
        -> what is returned
        ! what is raised, and when
        examples, as doctest has them
        = expression

A row without an expression calls `target.name`, or the operator of its name (`ops/define`):
operands by position, options by keyword. `op(...)` within an expression is that call, `op(...,
n=m)` the call with another option. Types of parameters follow from their names (TYPES) and from the
defaults True and False if a row states none. The functions are real ones: `inspect.signature`,
`help`, pickling, doctest and messages work as for functions written by hand. The documentation has
numpydoc's sections; DOCS has the words for common parameters.

>>> import inspect, math
>>> table = '''
... sqrt(x, /): The root of x.
... cube_root(x, /, *, negative=False): The third root of x, or of -x.
...     = library.cbrt(-x if negative else x)
... '''
>>> scope = {"__name__": "manual", "library": math}
>>> define(parse(table, "library"), scope)
['sqrt', 'cube_root']
>>> scope["cube_root"](8, negative=True), inspect.signature(scope["cube_root"])
(-2.0, <Signature (x: 'Any', /, *, negative: 'bool' = False) -> 'Any'>)
"""

from __future__ import annotations

import ast
import functools
import linecache
import math
import re
import sys
import textwrap
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from nbgraph.kernels.capture import composed, special
from nbgraph.operator import registry
from nbgraph.operator.mapper.decorator import op
from nbgraph.scopes import forkable
from nbgraph.signatures import hide_unknown, refuse_arguments

_HEAD = re.compile(
    r"^(\w+)((?: \w+)*)\(((?:[^()]|\([^()]*\))*)\)(?: -> (.*?))?: ?(.*)$", re.MULTILINE
)
_LABEL = re.compile(r"^([\w*, ]+) : ")
_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*")  # except attributes
# by name of parameter
TYPES: Mapping[str, str] = {
    "axis": "int | tuple[int, ...] | None",
    "copy": "bool | None",
    "device": "Context | None",
    "keepdims": "bool",
    "name": "str | None",
    ": ints": "int | list[int] | tuple[int, ...]",  # short for
}


DOCS: Mapping[str, str] = {
    "axis": "int, several, or None for all",
    "exclude": "whether it is over all axes but these",
    "keepdims": "whether these axes stay, with size 1",
    "name": "of the node, where data is a symbol",
    "out": "array to write to, optional",
    "x": "array",
}
_MARKS = {"-> ": "Returns", "! ": "Raises"}
_MAKING = forkable(threading.RLock())
_TABLES: list[Postponed] = []
_COMPLETE: list[bool] = []  # not empty: rows are defined at once


class Row(NamedTuple):
    """A row of a table: name, parameters as Python writes them, result, call, and documentation."""

    name: str
    parameters: str
    result: str
    call: str
    doc: str
    aliases: tuple[str, ...] = ()


def parse(text: str, target: str = "") -> Iterator[Row]:
    """Yield the rows of a table."""
    heads = list(_HEAD.finditer(text))
    for head, after in zip(heads, [*heads[1:], None], strict=True):
        body = text[head.end() : after.start() if after else len(text)]
        doc, _, call = body.partition("\n    = ")
        name, aliases, parameters, result, first = head.groups()
        call = " ".join(call.split())
        if target:
            call = call or f"{target}.{name}({_arguments(parameters)})"
        doc = first + "\n" + doc.replace("\n    ", "\n").strip()
        yield Row(name, parameters, result or "", call, doc, tuple(aliases.split()))


def _arguments(parameters: str) -> str:
    """Return the arguments that pass on these parameters: keyword-only ones by keyword."""
    own = _signature(parameters)
    operands = [a.arg for a in (*own.posonlyargs, *own.args)]
    several = [f"*{own.vararg.arg}"] if own.vararg else []
    return ", ".join([*operands, *several, *(f"{a.arg}={a.arg}" for a in own.kwonlyargs)])


def _signature(parameters: str) -> ast.arguments:
    (function,) = ast.parse(f"def f({parameters}): ...").body
    assert isinstance(function, ast.FunctionDef)
    return function.args


@functools.lru_cache(64)
def parameters_of(text: str) -> dict[str, str]:
    """Return the types of parameters as Python writes them, by name; "" for untyped ones.

    >>> parameters_of("x, *rest, n: int = 1, exact=False")
    {'x': '', '*rest': '', 'n': 'int', 'exact': 'bool'}
    """
    parameters = dict[str, str]()
    own = _signature(text)
    placed = [*own.posonlyargs, *own.args]
    defaults = [None] * (len(placed) - len(own.defaults)) + own.defaults
    several = [(own.vararg, None)] if own.vararg else []
    pairs = [*zip(placed, defaults, strict=True), *several]
    for parameter, default in (*pairs, *zip(own.kwonlyargs, own.kw_defaults, strict=True)):
        kind = "" if parameter.annotation is None else ast.unparse(parameter.annotation)
        if not kind and isinstance(default, ast.Constant) and isinstance(default.value, bool):
            kind = "bool"
        parameters["*" * (parameter is own.vararg) + parameter.arg] = kind
    if own.kwarg:
        parameters[f"**{own.kwarg.arg}"] = ""
    return parameters


def documentation(text: str, parameters: Iterable[str], docs: Mapping[str, str] = DOCS) -> str:
    r"""Return a text with numpydoc's sections; parameters are in the order of the signature.

    >>> documentation("Add up.\n-> number", ["axis"]).splitlines()[4:]
    ['axis : int, several, or None for all', '', 'Returns', '-------', 'number']
    """
    text, example, code = text.partition(">>> ")
    order, prose = list(parameters), list[str]()
    labelled, marked = dict[str, list[str]](), dict[str, list[str]]()
    lines = prose
    for line in text.strip().splitlines():
        label, mark = _LABEL.match(line), next((m for m in _MARKS if line.startswith(m)), "")
        if label:
            lines = labelled.setdefault(label[1], [])
        elif mark:
            lines = marked.setdefault(_MARKS[mark], [])
        elif not line.startswith(" "):
            lines = prose
        lines.append(line.removeprefix(mark))
    names = {name for label in labelled for name in _names(label)}
    summary, *rest = "\n".join(prose).strip().split("\n\n")
    if "\n" in summary:
        summary = textwrap.fill(summary, 96, break_long_words=False, break_on_hyphens=False)
    labelled |= {n: [f"{n} : {docs[n]}"] for n in order if n in docs and n not in names}
    ordered = sorted(labelled, key=_place(order))
    sections = {"Parameters": [line for label in ordered for line in labelled[label]]}
    parts = [summary, *rest]
    for title, content in (sections | marked).items():
        if content:
            parts.append("\n".join([title, "-" * len(title), *content]))
    return "\n\n".join([*parts, *([example + code] if code else [])]) + "\n"


def _names(label: str) -> list[str]:
    return [name.strip("* ") for name in label.split(",")]


def _place(order: list[str]) -> Callable[[str], int]:
    """Return the index of a label among parameters; other labels come last."""
    return lambda label: next((order.index(n) for n in _names(label) if n in order), len(order))


def _line(row: Row) -> str:
    """Return the definition of a row's function, which rejects unknown and missing arguments:
    `refuse_arguments` is the default of required ones."""
    own = _signature(row.parameters)
    if own.kwarg:
        return f"def {row.name}({row.parameters}): return {row.call}"
    default, surplus = ast.Name("refuse_arguments"), "()" if own.vararg else "surplus"
    placed = (*own.posonlyargs, *own.args)
    needed = [*placed[: len(placed) - len(own.defaults)]]
    own.defaults = [default] * len(needed) + own.defaults
    needed += [a for a, value in zip(own.kwonlyargs, own.kw_defaults, strict=True) if not value]
    own.kw_defaults = [value or default for value in own.kw_defaults]
    own.vararg, own.kwarg = own.vararg or ast.arg("surplus"), ast.arg("unknown")
    tests = [surplus, "unknown", *(f"{a.arg} is refuse_arguments" for a in needed)]
    values = "".join(f", {a.arg}={a.arg}" for a in needed)
    refused = f"refuse_arguments({row.name}, {surplus}, unknown{values}) if {' or '.join(tests)}"
    return f"def {row.name}({ast.unparse(own)}): return {refused} else ({row.call})"


def define(table: Iterable[Row], scope: dict[str, Any], *words: Any, **options: Any) -> list[str]:
    """Define the functions of rows in a module's globals, by `build`; return their names."""
    functions = {row.name: build(row, scope, *words, **options) for row in table}
    scope.update(functions)
    return list(functions)


def build(
    row: Row,
    scope: dict[str, Any],
    result: str = "Any",
    docs: Mapping[str, str] = DOCS,
    types: Mapping[str, str] = TYPES,
) -> Any:
    """Return the function of a row, whose globals are a module's."""
    scope.setdefault("refuse_arguments", refuse_arguments)
    function = _executed(_line(row), row, scope)
    kinds = {name.lstrip("*"): kind for name, kind in parameters_of(row.parameters).items()}
    function.__doc__ = documentation(row.doc, kinds, docs)
    annotations = {
        n: types.get(f": {kind}", kind or types.get(n, "Any")) for n, kind in kinds.items()
    }
    function.__annotations__ = {**annotations, "return": row.result or result}
    return hide_unknown(function)


def _executed(text: str, row: Row, scope: dict[str, Any]) -> Any:
    """Return the function of a row, with text that tracebacks and `inspect` can show. The file's
    name distinguishes lines of nbgraph from those of users."""
    place = f"<{scope['__name__']} (table of {row.name})>"
    linecache.cache[place] = (len(text), None, text.splitlines(keepends=True), place)
    space = dict[str, Any]()
    exec(compile(text, place, "exec"), scope, space)
    return space[row.name]


class Postponed:
    """A module's `__getattr__` that defines rows at their first use: `make` registers a row and
    returns the names to add to the module. Rows may refer to each other."""

    def __init__(
        self, rows: Iterable[Row], scope: dict[str, Any], make: Callable[[Row], dict[str, Any]]
    ) -> None:
        self._later = {name: row for row in rows for name in (row.name, *row.aliases)}
        self._scope, self._make = scope, make
        _TABLES.append(self)

    def __call__(self, name: str) -> Any:
        with _MAKING:
            row = self._later.get(name)
            if row is None and name not in self._scope:
                place = self._scope["__name__"]
                raise AttributeError(f"module {place!r} has no attribute {name!r}")
            if row is None:  # another thread was first
                return self._scope[name]
            names = (row.name, *row.aliases)
            try:
                for each in names:
                    self._later.pop(each, None)
                for other in _NAME.findall(row.call):
                    if other in self._later:
                        self(other)
                self._scope.update(self._make(row))
            except BaseException:
                self._later.update(dict.fromkeys(names, row))
                raise
            return self._scope[row.name]

    def complete(self, *, now: bool) -> None:
        """Define the remaining rows: now, or only if a tool has called `complete`."""
        while self._later and (now or _COMPLETE):
            self(next(iter(self._later)))


def postpone(
    rows: Iterable[Row], scope: dict[str, Any], make: Callable[[Row], dict[str, Any]]
) -> None:
    """Define rows as a module's functions at their first use; the module's own code looks them up
    in `library`. Globals that are not a module's get all of them now."""
    rows = list(rows)
    find = scope["__getattr__"] = Postponed(rows, scope, make)
    find.complete(now=scope is not vars(sys.modules.get(scope["__name__"], object)))
    for row in [row for row in rows if row.name in scope]:
        find(row.name)


def complete() -> None:
    """Define all postponed rows, and from now on new ones immediately: for tools that list the
    contents of modules and classes, such as doctest."""
    _COMPLETE.append(True)
    for table in _TABLES:
        table.complete(now=True)


def scalar(row: Row, scope: dict[str, Any], **options: Any) -> Any:
    """Return the operator of a row whose call is an expression of numbers."""
    text = f"def {row.name}({row.parameters}):\n    return {row.call}\n"
    function = _executed(text, row, scope)
    function.__doc__ = documentation(row.doc, ())
    return op(function, **options)


def define_scalars(
    table: str, scope: dict[str, Any], without: Mapping[str, Callable[..., Any]] | None = None
) -> None:
    """Define the operators of a module's table in its globals, and register them. `without`: by
    name, what a call means in which some operands are None."""
    scope.update(math=math, np=np, special=special, composed=composed)

    def make(row: Row) -> dict[str, Any]:
        names, own = (row.name, *row.aliases), scalar(row, scope)
        own.without = (without or {}).get(row.name)
        return dict.fromkeys(names, registry.register(own, *names))

    postpone(parse(table), scope, make)
