"""Statements that say what names mean: `import`, `del`, `global`, and `with np.errstate(...)`."""

from __future__ import annotations

import ast
import importlib
import warnings
from types import FunctionType
from typing import TYPE_CHECKING, cast

import numpy as np

from nbgraph.kernels.capture.closures import walk
from nbgraph.kernels.capture.values import Env, Static, Undefined

if TYPE_CHECKING:
    from nbgraph.kernels.capture.tracer import Tracer
    from nbgraph.kernels.scalar import Node

Scoping = ast.Import | ast.ImportFrom | ast.Delete | ast.Global | ast.With
_QUIET = (np.errstate, warnings.catch_warnings)  # contexts that change no value


def scoping(tracer: Tracer, st: Scoping, env: Env, path: Node) -> Env:
    """The environment after such a statement."""
    match st:
        case ast.Import():
            return {**env, **_imported(tracer, st)}
        case ast.ImportFrom():
            return {**env, **_imported_from(tracer, st)}
        case ast.Delete():
            return {**env, **_deleted(tracer, st)}
        case ast.Global():
            _require_read_only(tracer, st)
            return env
        case ast.With():
            _require_quiet(tracer, st, env)
            return tracer.block(st.body, env, path)


def _imported(tracer: Tracer, st: ast.Import) -> Env:
    found: Env = {}
    for alias in st.names:
        module, first = _module(tracer, st, alias.name), alias.name.partition(".")[0]
        found[alias.asname or first] = Static(
            module if alias.asname else _module(tracer, st, first)
        )
    return found


def _imported_from(tracer: Tracer, st: ast.ImportFrom) -> Env:
    owner = _module(tracer, st, "." * st.level + (st.module or ""))
    found: Env = {}
    for alias in st.names:
        try:
            value = tracer.watch.read_attribute(owner, alias.name)
        except AttributeError:
            value = _module(tracer, st, f"{getattr(owner, '__name__', '')}.{alias.name}")
        found[alias.asname or alias.name] = tracer.constant(value, st)  # type: ignore[arg-type]
    return found


def _module(tracer: Tracer, st: ast.stmt, name: str) -> object:
    fn = cast("FunctionType", tracer.fn)
    try:
        return importlib.import_module(name, fn.__globals__.get("__package__"))
    except ImportError as error:
        tracer.refuse(st, str(error), "import what is installed")


def _deleted(tracer: Tracer, st: ast.Delete) -> Env:
    for target in st.targets:
        if not isinstance(target, ast.Name):
            tracer.refuse(target, "only names can be deleted", "make a new list without the item")
    return {t.id: Undefined("was deleted") for t in st.targets if isinstance(t, ast.Name)}


def _require_read_only(tracer: Tracer, st: ast.Global) -> None:
    names = (n for n in walk(tracer.text.body) if isinstance(n, ast.Name))
    stored = {n.id for n in names if not isinstance(n.ctx, ast.Load)}
    for name in st.names:
        if name in stored:
            tracer.refuse(
                st,
                f"the global {name!r} is assigned: a scalar function has no effects",
                "return the value as a further result",
            )


def _require_quiet(tracer: Tracer, st: ast.With, env: Env) -> None:
    for item in st.items:
        call = item.context_expr
        target = tracer.static(call.func, env) if isinstance(call, ast.Call) else None
        if target not in _QUIET or item.optional_vars is not None:
            tracer.refuse(
                st,
                "a `with` statement is not understood in a scalar function, unless it is of "
                "np.errstate() or warnings.catch_warnings()",
                "take the body out of the `with` block",
            )
