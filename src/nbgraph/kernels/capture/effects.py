"""Statements whose value nobody uses.

What a text reports (print, logging, warnings) is left out of kernels, with a note for `explain()`;
`compiler="python"` still does it. Any other call whose result nobody uses is traced: what it raises
counts.
"""

from __future__ import annotations

import ast
import builtins
import sys
from typing import Any

from nbgraph.errors import CaptureError
from nbgraph.kernels.capture import refusals
from nbgraph.kernels.capture.closures import Bound, LocalFunction
from nbgraph.kernels.capture.containers import REFERS
from nbgraph.kernels.capture.context import Inlinable, Tracer
from nbgraph.kernels.capture.names import NotYetDefined, plain_function
from nbgraph.kernels.capture.survey import unsurveyed
from nbgraph.kernels.capture.syntax import walk
from nbgraph.kernels.capture.text import function_text
from nbgraph.kernels.capture.values import Env, Node, Static
from nbgraph.kernels.scalar.wording import place

_REPORTS = ("_io", "_warnings", "io", "logging", "pprint", "sys", "time", "traceback", "warnings")
_SUSPENDS = (ast.Yield, ast.YieldFrom, ast.Await)
_EXITS = (sys.exit, getattr(builtins, "exit", None), getattr(builtins, "quit", None))


def done(tracer: Tracer, st: ast.Expr, env: Env, path: Node) -> Env:
    """Return the environment after an expression whose value nobody uses."""
    call = st.value
    if isinstance(call, ast.Constant):
        return env
    if isinstance(call, _SUSPENDS):
        what = "a `yield` or `await` is not understood in a scalar function"
        tracer.refuse(st, what, refusals.expression(call))
    target = _target(tracer, call, env) if isinstance(call, ast.Call) else None
    if target is None or not isinstance(call, ast.Call):
        env = dict(env)
        tracer.object(call, env, path)  # such as a method that changes a list
    elif target in _EXITS:
        name = ast.copy_location(ast.Name("SystemExit", ast.Load()), st)
        exits = ast.Call(name, call.args, [])
        return tracer.statement(ast.copy_location(ast.Raise(exits), st), env, path)
    elif _only_reports(target):
        _note(tracer, st)
    elif _is_report(target) and _reaches_lists(call, env):
        what = f"{ast.unparse(call.func)}() may change the list, array or object that it gets"
        tracer.refuse(st, what, "use a method of it, an assignment, or sorted(values)")
    else:
        return _checked(tracer, st, target, env, path)
    return env


def _target(tracer: Tracer, call: ast.Call, env: Env) -> Any:
    """Return the Python object that is called; None where it is a value of the text."""
    value_of = tracer.static(call.func, env)
    if isinstance(getattr(value_of, "__self__", None), (list, dict, set)):
        return None  # a change of what is outside is refused
    if value_of is None and isinstance(call.func, ast.Name):
        value = env.get(call.func.id)
        value_of = value.value if isinstance(value, Static) else None
    return None if isinstance(value_of, (Bound, LocalFunction)) else value_of


def _is_report(target: Any) -> bool:
    """Return whether a function is the standard library's, or compiled: it has effects alone."""
    owner = getattr(target, "__self__", None)
    module = getattr(target, "__module__", None) or type(owner).__module__
    plain = plain_function(getattr(target, "__func__", target))
    known = plain is not None or isinstance(target, Inlinable) or hasattr(target, "func")
    return not known or str(module).partition(".")[0] in sys.stdlib_module_names


def _only_reports(target: Any) -> bool:
    """Return whether a function leaves its arguments unchanged."""
    module = getattr(target, "__module__", None) or type(getattr(target, "__self__", 0)).__module__
    return target is print or str(module).partition(".")[0] in _REPORTS


def _checked(tracer: Tracer, st: ast.Expr, target: Any, env: Env, path: Node) -> Env:
    """Trace a function for what it raises; one that raises nothing may do what is not known."""
    pending, after = list(tracer.pending), dict(env)
    try:
        with unsurveyed(tracer):
            tracer.object(st.value, after, path)
    except NotYetDefined:
        raise
    except CaptureError:
        plain = plain_function(getattr(target, "__func__", target))
        body = function_text(plain).body if plain is not None else []
        raises = any(isinstance(node, (ast.Raise, ast.Assert)) for node in walk(body))
        if raises or _reaches_lists(st.value, env):
            raise
        tracer.pending[:] = pending
        _note(tracer, st)
        return env
    return after


def _reaches_lists(call: ast.expr, env: Env) -> bool:
    """Return whether a call may change a list, an array or an object of the text."""
    return any(isinstance(env.get(n.id), REFERS) for n in ast.walk(call) if isinstance(n, ast.Name))


def _note(tracer: Tracer, st: ast.stmt) -> None:
    line = place(tracer.text.filename, tracer.text.line_of(st))
    text = f"{ast.unparse(st).splitlines()[0]}  {line}: it has an effect alone"
    if text not in tracer.graph.notes:
        tracer.graph.notes.append(text)
