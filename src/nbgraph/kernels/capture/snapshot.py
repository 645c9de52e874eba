"""A scalar function as plain data: its text and what it reads, for pickling by content.

The data holds source texts, numbers and module names; no code objects, so it goes from one
Python version to another. Restoring executes the texts, as unpickling a function always runs
code: load pickles from people you trust.
"""

import ast
import builtins
import copy
import hashlib
import importlib
import linecache
import sys
import textwrap
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from nbgraph import parsing
from nbgraph.errors import CaptureError
from nbgraph.kernels.capture.library.random_draws import OF_CLASSES, class_of
from nbgraph.kernels.capture.names import names_of, plain_function
from nbgraph.kernels.capture.text import function_text
from nbgraph.kernels.scalar.kinds import kind_of_value

Data = dict[str, Any]
_LIBRARIES = ("math", "numpy", "scipy")
_PLAIN = (str, complex, tuple, list, dict, set, frozenset, np.ndarray)


def freeze(fn: FunctionType, seen: dict[int, int] | None = None) -> Data:
    """Return the function as data; CaptureError names values that cannot be data."""
    seen = {} if seen is None else seen
    seen[id(fn)] = len(seen)
    text = function_text(fn)
    source = text.source if fn.__name__ == "<lambda>" else _without_decorators(text.source)
    names = {name: _freeze_value(fn, name, value, seen) for name, value in _reads(fn).items()}
    return {
        "sort": "function",
        "id": seen[id(fn)],
        "name": fn.__name__,
        "qualname": fn.__qualname__,
        "module": fn.__module__,
        "doc": fn.__doc__,
        "source": source,
        "names": {k: v for k, v in names.items() if v is not None},
        "defaults": fn.__defaults__,
        "kwdefaults": fn.__kwdefaults__,
    }


def _reads(fn: FunctionType) -> dict[str, Any]:
    """Return the outside values that the function's code reads, by name."""
    cells = dict(zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True))
    reads: dict[str, Any] = {}
    for name, cell in cells.items():
        reads[name] = cell.cell_contents
    for name in sorted(names_of(fn.__code__)):
        if name in fn.__globals__:
            reads[name] = fn.__globals__[name]
    return reads


def _freeze_value(fn: FunctionType, name: str, value: Any, seen: dict[int, int]) -> Data | None:
    if isinstance(value, ModuleType):
        return {"sort": "module", "name": value.__name__}
    if kind_of_value(value) is not None or value is None or isinstance(value, _PLAIN):
        number = value.item() if isinstance(value, np.generic) else value
        return {"sort": "value", "value": number}
    if (kind := class_of(value)) in OF_CLASSES:
        return {"sort": "generator", "name": kind}
    if hasattr(value, "scalar") or (
        hasattr(value, "program") and "__reduce__" in vars(type(value))
    ):
        return {"sort": "operator", "value": value}
    inner = plain_function(value)
    module = getattr(value, "__module__", None) or ""
    drawn = module in OF_CLASSES  # it has a text in this package
    if inner is not None and not drawn and module.partition(".")[0] not in _LIBRARIES:
        if id(inner) in seen:
            return {"sort": "again", "id": seen[id(inner)]}
        return freeze(inner, seen)
    target = getattr(importlib.import_module(module), name, None) if module else None
    if target is value:
        return {"sort": "attribute", "module": module, "name": name}
    if getattr(builtins, name, None) is value:
        return None
    own = getattr(value, "__name__", name)
    for candidate in (module, "numpy", "numpy.random", "random", "math", "scipy.special"):
        owner = sys.modules.get(candidate)  # a value's module is imported already
        if owner is not None and getattr(owner, own, None) is value:
            return {"sort": "attribute", "module": candidate, "name": own}
    raise CaptureError(
        f"{fn.__name__}: cannot be pickled: {name!r} is {value!r}, which is not a number, function "
        "or module; pass it as a parameter"
    )


def _without_decorators(source: str) -> str:
    lines = source.splitlines(keepends=True)
    start = next(i for i, line in enumerate(lines) if line.lstrip().startswith("def "))
    return textwrap.dedent("".join(lines[start:]))


def thaw(data: Data, functions: dict[int, FunctionType] | None = None) -> FunctionType:
    """Return the function from data, with a source that tracebacks and capture can read."""
    functions = {} if functions is None else functions
    space: dict[str, Any] = {"__builtins__": builtins, "__name__": data["module"]}
    source = data["source"]
    is_lambda = data["name"] == "<lambda>"
    text = f"made = ({source}\n)\n" if is_lambda else source
    filename = f"<nbgraph pickle {hashlib.sha256(text.encode()).hexdigest()[:12]}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    exec(compile(_without_names(parsing.parse(text)), filename, "exec"), space)
    fn: FunctionType = space["made" if is_lambda else data["name"]]
    functions[data["id"]] = fn
    for name, value in data["names"].items():
        space[name] = _thaw_value(value, functions)
    fn.__defaults__, fn.__kwdefaults__ = data["defaults"], data["kwdefaults"]
    fn.__qualname__, fn.__doc__ = data["qualname"], data["doc"]
    return fn


def _without_names(tree: ast.Module) -> ast.Module:
    """Return a definition without defaults and annotations; defaults are restored as values."""
    tree = copy.deepcopy(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.arguments):
            node.defaults = [_none_at(d) for d in node.defaults]
            node.kw_defaults = [d and _none_at(d) for d in node.kw_defaults]
            break
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, ast.FunctionDef):
            node.returns = None
    return tree


def _none_at(node: ast.expr) -> ast.expr:
    return ast.copy_location(ast.Constant(None), node)


def _thaw_value(data: Data, functions: dict[int, FunctionType]) -> Any:
    sort = data["sort"]
    if sort == "generator":  # texts draw from the library's streams, so its state does not matter
        module, _, name = data["name"].rpartition(".")
        own = name == "Generator"  # Generator(bits) needs bits
        return np.random.default_rng() if own else getattr(importlib.import_module(module), name)()
    if sort == "module":
        return importlib.import_module(data["name"])
    if sort == "attribute":
        return getattr(importlib.import_module(data["module"]), data["name"])
    if sort == "again":
        return functions[data["id"]]
    if sort == "function":
        return thaw(data, functions)
    return data["value"]
