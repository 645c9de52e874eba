"""Expressions of SymPy as scalar functions."""

from __future__ import annotations

import importlib
import itertools
import keyword
import linecache
from collections.abc import Sequence
from types import FunctionType
from typing import Any

from nbgraph.errors import ArgumentError, CaptureError

_NUMBERS = itertools.count(1)


def is_expression(value: Any) -> bool:
    """Whether a value is an expression of SymPy."""
    module = type(value).__module__.partition(".")[0]
    return module == "sympy" or (hasattr(value, "free_symbols") and hasattr(value, "_sympystr"))


def from_sympy(expression: Any, args: Sequence[Any] | None, name: str) -> FunctionType:
    """Return the scalar function that an expression says.

    Parameters
    ----------
    expression : SymPy's
    args : its symbols, or their names, in the order of the operands; None: all by name
    name : of the function
    """
    free = {str(symbol) for symbol in expression.free_symbols}
    names = [str(symbol) for symbol in args] if args is not None else sorted(free)
    for each in names:
        if not each.isidentifier() or keyword.iskeyword(each):
            raise ArgumentError(f"op: {each!r} is not a name of an operand; rename the symbol")
    if len(set(names)) != len(names) or free - set(names):
        missing = ", ".join(sorted(free - set(names))) or "nothing more, and each once"
        raise ArgumentError(
            f"op: args={names} does not fit the expression {expression}; expected also: {missing}"
        )
    text = f"def {name}({', '.join(names)}):\n    return {_printed(expression)}\n"
    filename = f"<sympy expression {next(_NUMBERS)}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    space: dict[str, Any] = {"math": importlib.import_module("math")}
    if "scipy.special" in text:
        space["scipy"] = importlib.import_module("scipy")
        importlib.import_module("scipy.special")
    exec(compile(text, filename, "exec"), space)
    function: FunctionType = space[name]
    return function


def _printed(expression: Any) -> str:
    """The expression as Python text of `math` and, for special functions, `scipy.special`."""
    printer: Any = importlib.import_module("sympy.printing.pycode").PythonCodePrinter
    of_scipy: Any = importlib.import_module("sympy.printing.numpy").SciPyPrinter
    known = printer().known_functions
    special = {
        name: its
        for name, its in of_scipy().known_functions.items()
        if name not in known and its.startswith("scipy.special.")
    }
    if getattr(expression, "is_Matrix", False):
        raise ArgumentError("op: the expression is a matrix; give its elements one by one")
    sympy = importlib.import_module("sympy")
    if expression.has(sympy.Sum, sympy.Product, sympy.Derivative, sympy.Integral):
        expression = expression.doit()
    options = {"fully_qualified_modules": True, "user_functions": special}
    try:
        return str(printer(options).doprint(expression))
    except NotImplementedError as error:
        reason = str(error).splitlines()[0]
        raise CaptureError(
            f"op: SymPy writes no Python text of {expression}: {reason}; rewrite it with functions "
            "of math or scipy.special (expression.rewrite(...), doit(), evalf())"
        ) from None
