"""Errors of refused constructs, at the user's line even if a library function contains them.

The end of the file has the texts of what to write instead.
"""

import ast
from types import FunctionType
from typing import Any, NoReturn

from nbgraph.errors import CaptureError, Obstacle
from nbgraph.kernels.capture.context import Tracer
from nbgraph.kernels.capture.names import is_installed, is_own_text
from nbgraph.kernels.capture.table import solvers


def refusal(
    tracer: Tracer,
    node: ast.AST,
    problem: str,
    remedy: str,
    error: type[CaptureError] = CaptureError,
) -> CaptureError:
    """Return the error for a construct, at the user's line.

    A refusal inside this library's own texts is reported unchanged, as the user's call causes it.
    For a text of another library, the error refuses the function that the user calls.
    """
    user, construct, called = site(tracer, node)
    if called is not None:
        name, line = tracer.name, tracer.text.line_of(node)
        problem = (
            f"the function {called.__name__!r} of {_module(called)} cannot be captured here "
            f"(line {line} of its text in {name}(), `{_first_line(node)}`: {problem})"
        )
        remedy = _remedy(called)
    line = user.text.line_of(construct)
    shown, filename = _first_line(construct), user.text.filename
    return error.of([Obstacle(user.fn.__name__, problem, filename, line, shown, remedy)])


def refuse(tracer: Tracer, *what: Any, **how: Any) -> NoReturn:
    """Raise the error that `refusal` returns."""
    raise refusal(tracer, *what, **how)


def site(tracer: Tracer, node: ast.AST) -> tuple[Tracer, ast.AST, FunctionType | None]:
    """Return the nearest call in the user's text, and the function of another library that it
    calls, if any; the construct itself where the operator is a library's function."""
    user: Tracer | None = tracer
    called: FunctionType | None = None
    while user is not None:
        fn = user.fn
        own = is_own_text(fn)
        if not own and not is_installed(fn):
            break
        called, user = called if own else fn, user.caller
    if user is None or user is tracer or user.site is None:
        return tracer, node, None
    return user, user.site, called


def _first_line(node: ast.AST) -> str:
    return ast.unparse(node).splitlines()[0]


def _module(fn: FunctionType) -> str:
    """Return the public module of a function: scipy.optimize for scipy.optimize._minimize."""
    return str(fn.__module__).partition("._")[0]


def _remedy(fn: FunctionType) -> str:
    """Return what to write instead of a function of another library."""
    usual = (
        "write its formula as a plain Python helper, or compute it before the call and pass the "
        "result as an operand"
    )
    if not _module(fn).startswith(("scipy.optimize", "scipy.integrate")):
        return usual
    return f"use one of {', '.join(sorted(solvers()))}, which are known here, or {usual}"


STATEMENTS: dict[type[ast.AST], str] = {
    ast.ClassDef: "define the class outside; scalar functions work on numbers",
    ast.Expr: "scalar functions have no effects: to append write `values = [*values, x]`, to see "
    "a value return it as a further result, or call at_point(...) of the operator",
}
_CHOOSE = "use if / elif / else; constants to choose from may stand in a tuple"
_PLAIN = "write a plain function that returns numbers, several of them as a tuple"
EXPRESSIONS: dict[type[ast.AST], str] = {
    **dict.fromkeys((ast.Yield, ast.YieldFrom, ast.Await), _PLAIN)
}
_TEXT = "return numbers; make text of them after the call"
_BUILTINS: dict[str, str] = {
    "type": "write one formula for all dtypes of operands",
    "print": _TEXT,
    "sorted": "give a tuple or a list, e.g. sorted((x, y)); an operand is one number here",
    "len": "give a tuple; an operand is one number here",
    "sum": "give a tuple or a comprehension; an operand is one number here",
}
_CHOOSING = ("select", "piecewise", "interp", "digitize", "choose")


def statement(node: ast.stmt) -> str:
    """Return what to write instead of a statement."""
    return STATEMENTS.get(type(node), "use assignments, if, for, while and return")


def expression(node: ast.expr) -> str:
    """Return what to write instead of an expression."""
    usual = "use arithmetic, comparisons, `a if c else b`, and calls of scalar functions"
    return EXPRESSIONS.get(type(node), usual)


def function(target: object) -> str:
    """Return what to write instead of an unknown function."""
    name = str(getattr(target, "__name__", ""))
    owner = type(getattr(target, "__self__", None)).__module__
    module = f"{getattr(target, '__module__', None)}.{owner}"
    if module.startswith("builtins") and name in _BUILTINS:
        return _BUILTINS[name]
    if "random" in module or ".draws." in module:
        return (
            "use random, uniform, normal, exponential, lognormal, triangular, choice or integers, "
            "or draw before the call, by ng.random, and give the numbers as an operand"
        )
    if module.startswith("numpy") and name in _CHOOSING:
        return _CHOOSE
    if module.startswith(("numpy", "nbgraph.")):
        return (
            "an operand is one number here: write the formula of one element, and apply functions "
            "of whole arrays to the operator's result"
        )
    return "use math, NumPy's scalar functions, another operator, or write a plain Python helper"
