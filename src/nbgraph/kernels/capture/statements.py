"""Statements: a body becomes an environment, branches become selects.

Control flow is turned into data. A `return`, `break` or `continue` sets a flag; the statements
after it are traced under the condition that no flag is set and joined with the values from
before. A loop whose trip count depends on values becomes a region of the scalar graph. A loop
under an `if` runs only where the branch is taken: its condition holds the path condition.

Output (print, logging, warnings) is left out of kernels, with a note for `explain()`;
`compiler="python"` still prints it. Any other call whose result is unused is traced for the
exceptions that it raises.
"""

from __future__ import annotations

import ast
import builtins
import functools
import sys
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from nbgraph.errors import CaptureError
from nbgraph.kernels.capture import assignments, objects, refusals
from nbgraph.kernels.capture.containers import REFERS, Record, described
from nbgraph.kernels.capture.context import Inlinable, Tracer
from nbgraph.kernels.capture.environment import (
    BROKE,
    CONTINUED,
    RAISED,
    RETURNED,
    is_flag,
    stopped,
    without_flags,
)
from nbgraph.kernels.capture.inlining import Bound, LocalFunction
from nbgraph.kernels.capture.joining import join
from nbgraph.kernels.capture.looping import looped
from nbgraph.kernels.capture.names import NotYetDefined, is_installed, plain_function
from nbgraph.kernels.capture.results import RAISES, raised
from nbgraph.kernels.capture.survey import unsurveyed
from nbgraph.kernels.capture.table import text_of
from nbgraph.kernels.capture.text import function_text, walk
from nbgraph.kernels.capture.trying import attempted
from nbgraph.kernels.capture.values import (
    Choice,
    Complex,
    Env,
    Partly,
    Static,
    Undefined,
    Unset,
    on_path,
)
from nbgraph.kernels.scalar.graph import Node
from nbgraph.kernels.scalar.nodes import RESULT
from nbgraph.kernels.scalar.wording import place


def block(tracer: Tracer, statements: Sequence[ast.stmt], env: Env, path: Node) -> Env:
    """Return the environment after the statements."""
    for index, statement in enumerate(statements):
        stop = stopped(tracer.graph, env)
        if stop.op != "const":
            return tracer.going(env, path, functools.partial(tracer.block, statements[index:]))
        if stop.data:
            return env
        tracer.graph.line = f"{tracer.text.filename}:{tracer.text.line_of(statement)}"
        if tracer.survey is not None:
            env = tracer.survey.statement(tracer, statement, env, path)
        else:
            env = tracer.settled(tracer.statement(statement, env, path), env)
    return env


def going(tracer: Tracer, env: Env, path: Node, run: Callable[[Env, Node], Env]) -> Env:
    """Return the environment after `run`, which applies where control has not left."""
    stop = stopped(tracer.graph, env)
    if stop.op == "const":
        return env if stop.data else run(env, path)
    left = tracer.graph.logical_not(stop)
    known = {name: on_path(v, left) for name, v in env.items()}
    rest = run(without_flags(known), tracer.graph.logical_and(path, left))
    return tracer.join_ended(stop, env, rest)


def join_ended(tracer: Tracer, stop: Node, ended: Env, rest: Env) -> Env:
    """Join two paths, of which `ended` has left the block and may leave names unset."""
    marked, graph = dict(ended), tracer.graph
    raises = [flag for name, flag in ended.items() if name.startswith(RAISED)]
    if raises and functools.reduce(graph.logical_or, raises) is stop and not tracer.catching:
        marked |= {name: v for name, v in rest.items() if _is_begun(marked.get(name), v)}
    loops = stopped(tracer.graph, ended, (BROKE, CONTINUED))
    for name in () if loops.op != "const" or loops.data else rest:
        unset = isinstance(marked.get(name, Unset()), (Undefined, Partly))
        if unset and not is_flag(name):
            marked[name] = rest[name]
    return join(tracer.graph, stop, marked, rest)


def _is_begun(value: Any, later: Any) -> bool:
    """Return whether `value` is an object that lacks attributes of its later state."""
    both = isinstance(value, Record) and isinstance(later, Record)
    return both and not value.entries.keys() >= later.entries.keys()


def statement(tracer: Tracer, st: ast.stmt, env: Env, path: Node) -> Env:
    """Return the environment after one statement."""
    trace = _STATEMENTS.get(type(st))
    if trace is None:
        name = ast.unparse(st).split()[0].rstrip(":")
        article = "an" if name[0] in "ai" else "a"
        what = f"{article} `{name}` statement is not understood in a scalar function"
        tracer.refuse(st, what, refusals.statement(st))
    return trace(tracer, st, env, path)


def _if(tracer: Tracer, st: ast.If, env: Env, path: Node) -> Env:
    graph, cond = tracer.graph, tracer.condition(st.test, env, path)

    def branches(env: Env, path: Node) -> Env:
        if cond.op == "const":
            return tracer.block(st.body if cond.data else st.orelse, dict(env), path)
        yes = tracer.block(st.body, dict(env), graph.logical_and(path, cond))
        no = tracer.block(st.orelse, dict(env), graph.logical_and(path, graph.logical_not(cond)))
        return join(graph, cond, yes, no)

    return tracer.going(tracer.settled(env), path, branches)


def _assert(tracer: Tracer, st: ast.Assert, env: Env, path: Node) -> Env:
    if not __debug__:  # as in Python with -O
        return env
    fails = tracer.graph.logical_not(tracer.condition(st.test, env, path))
    if fails.op == "const" and not fails.data:
        return env
    return raised(tracer, st, tracer.settled(env), fails)


def _return(tracer: Tracer, st: ast.Return, env: Env, path: Node) -> Env:
    value = Static(None) if st.value is None else tracer.object(st.value, env, path)
    if st.value is not None and isinstance(value, Undefined) and value.why != RAISES:
        value = tracer.read(st.value, value, env)
    values = value if isinstance(value, tuple) else (value,)
    refused = not tracer.depth and not tracer.parted
    if refused and any(isinstance(v, Complex) for v in values):
        name = ast.unparse(st.value) if isinstance(st.value, ast.Name) else "z"
        what = "the result is a complex number; results of operators are real"
        tracer.refuse(st, what, f"return both parts: `return {name}.real, {name}.imag`")
    texts = any(map(objects.is_text, getattr(value, "options", (value,))))
    if not tracer.depth and (texts or isinstance(value, Choice)):
        what = f"the result is {'a string' if texts else described(value)}, not a number"
        tracer.refuse(st, what, "return numbers; make text of them after the call")
    env = tracer.frame = tracer.settled(env)
    return {**env, RESULT: value, RETURNED: tracer.graph.const(True)}


_REPORTS = ("_io", "_warnings", "io", "logging", "pprint", "sys", "time", "traceback", "warnings")
_SUSPENDS = (ast.Yield, ast.YieldFrom, ast.Await)
_EXITS = (sys.exit, getattr(builtins, "exit", None), getattr(builtins, "quit", None))


def done(tracer: Tracer, st: ast.Expr, env: Env, path: Node) -> Env:
    """Return the environment after an expression statement."""
    call = st.value
    if isinstance(call, ast.Constant):
        return env
    if isinstance(call, _SUSPENDS):
        what = "a `yield` or `await` is not understood in a scalar function"
        tracer.refuse(st, what, refusals.expression(call))
    target = _target(tracer, call, env) if isinstance(call, ast.Call) else None
    home = getattr(target, "__module__", None) or type(getattr(target, "__self__", 0)).__module__
    if target is None or not isinstance(call, ast.Call):
        env = dict(env)
        tracer.object(call, env, path)  # such as a method that changes a list
    elif target in _EXITS:
        name = ast.copy_location(ast.Name("SystemExit", ast.Load()), st)
        exits = ast.Call(name, call.args, [])
        return tracer.statement(ast.copy_location(ast.Raise(exits), st), env, path)
    elif target is print or str(home).partition(".")[0] in _REPORTS:
        _note(tracer, st, target)
    elif _is_report(target) and _reaches_lists(call, env):
        what = f"{ast.unparse(call.func)}() may change the list, array or object that it gets"
        tracer.refuse(st, what, "use a method of it, an assignment, or sorted(values)")
    else:
        return _checked(tracer, st, target, env, path)
    return env


def _target(tracer: Tracer, call: ast.Call, env: Env) -> Any:
    """Return the Python object that is called; None for a value of the text."""
    value_of = tracer.static(call.func, env)
    if isinstance(getattr(value_of, "__self__", None), (list, dict, set)):
        return None  # changes of outside objects are refused
    if value_of is None and isinstance(call.func, ast.Name):
        value = env.get(call.func.id)
        value_of = value.value if isinstance(value, Static) else None
    return None if isinstance(value_of, (Bound, LocalFunction)) else text_of(value_of) or value_of


def _is_report(target: Any) -> bool:
    """Return whether a function is called only for its effect: compiled or a standard one."""
    owner = getattr(target, "__self__", None)
    module = getattr(target, "__module__", None) or type(owner).__module__
    plain = plain_function(getattr(target, "__func__", target))
    known = plain is not None or isinstance(target, Inlinable) or hasattr(target, "func")
    return not known or str(module).partition(".")[0] in sys.stdlib_module_names


def _checked(tracer: Tracer, st: ast.Expr, target: Any, env: Env, path: Node) -> Env:
    """Trace a call for the exceptions it raises; if it raises none, ignore unsupported code."""
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
        _note(tracer, st, target)
        return env
    return after


def _reaches_lists(call: ast.expr, env: Env) -> bool:
    """Return whether a call has an argument that refers to a list, an array or an object."""
    return any(isinstance(env.get(n.id), REFERS) for n in ast.walk(call) if isinstance(n, ast.Name))


def _note(tracer: Tracer, st: ast.stmt, target: Any) -> None:
    filename, number = tracer.text.filename, tracer.text.line_of(st)
    text = f"{ast.unparse(st).splitlines()[0]}  {place(filename, number)}: it has an effect alone"
    if text not in tracer.graph.notes:
        tracer.graph.notes.append(text)
        if target is print and not is_installed(tracer.fn):
            what = f"{tracer.name}: print is left out; `with ng.config(compiler='python'):` prints"
            seen = tracer.fn.__globals__.setdefault("__warningregistry__", {})
            warnings.warn_explicit(what, UserWarning, filename, number, registry=seen)


_nothing = lambda tracer, st, env, path: env
_STATEMENTS: dict[type[ast.stmt], Callable[[Tracer, Any, Env, Node], Env]] = {
    **dict.fromkeys((ast.Assign, ast.AnnAssign), assignments.assigned),
    ast.AugAssign: assignments.augmented,
    ast.Expr: done,
    ast.If: _if,
    **dict.fromkeys((ast.While, ast.For), looped),
    ast.Match: assignments.matched,
    ast.Try: attempted,
    ast.Return: _return,
    ast.Break: lambda tracer, st, env, path: {**env, BROKE: tracer.graph.const(True)},
    ast.Continue: lambda tracer, st, env, path: {**env, CONTINUED: tracer.graph.const(True)},
    ast.Raise: lambda tracer, st, env, path: raised(tracer, st, env, tracer.graph.const(True)),
    ast.Assert: _assert,
    ast.FunctionDef: lambda tracer, st, env, path: env | {st.name: tracer.local(st, env, path)},
    **dict.fromkeys((ast.Pass, ast.Nonlocal), _nothing),
    ast.Import: assignments.imported,
    ast.ImportFrom: assignments.imported_from,
    ast.Delete: assignments.deleted,
    ast.Global: assignments.read_only,
    ast.With: assignments.quiet,
}
