"""Where a refusal is raised: at a line of the user's, whatever library function it was met in."""

from __future__ import annotations

import ast
from types import FunctionType
from typing import cast

from nbgraph.errors import CaptureError, Obstacle
from nbgraph.kernels.capture.context import Tracer
from nbgraph.kernels.capture.names import is_installed, is_own_text
from nbgraph.kernels.capture.scipy_names import SOLVERS


def refusal(
    tracer: Tracer,
    node: ast.AST,
    problem: str,
    remedy: str,
    error: type[CaptureError] = CaptureError,
) -> CaptureError:
    """Return the error for a construct, at the user's line.

    What this library's own texts refuse is the user's to change, so it is told as it is. The text
    of another library is not: there the function that the user calls is what is refused.
    """
    user, construct, called = _place(tracer, node)
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


def _place(tracer: Tracer, node: ast.AST) -> tuple[Tracer, ast.AST, FunctionType | None]:
    """Return the nearest call in the user's text, with the function of another library that it
    calls, if any; the construct itself in an operator that is made of a library's function."""
    user: Tracer | None = tracer
    called: FunctionType | None = None
    while user is not None:
        fn = cast("FunctionType", user.fn)
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
    return f"use one of {', '.join(sorted(SOLVERS))}, which are known here, or {usual}"
