"""What to write instead of what is not understood: texts for errors of capture."""

from __future__ import annotations

import ast

STATEMENTS: dict[type[ast.AST], str] = {
    ast.Nonlocal: "return the new value, and assign it where the function is called",
    ast.ClassDef: "define the class outside; scalar functions work on numbers",
    ast.Expr: "scalar functions have no effects: to append write `values = [*values, x]`, to see "
    "a value return it as a further result, or call at_point(...) of the operator",
}
_CHOOSE = "use if / elif / else; constants to choose from may stand in a tuple"
_PLAIN = "write a plain function that returns numbers, several of them as a tuple"
EXPRESSIONS: dict[type[ast.AST], str] = {
    ast.SetComp: "use a tuple or a list; a set drops items that are equal",
    ast.Yield: _PLAIN,
    ast.YieldFrom: _PLAIN,
    ast.Await: _PLAIN,
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
    """Instead of a statement."""
    return STATEMENTS.get(type(node), "use assignments, if, for, while and return")


def expression(node: ast.expr) -> str:
    """Instead of an expression."""
    usual = "use arithmetic, comparisons, `a if c else b`, and calls of scalar functions"
    return EXPRESSIONS.get(type(node), usual)


def function(target: object) -> str:
    """Instead of a function that is not known."""
    name = str(getattr(target, "__name__", ""))
    owner = type(getattr(target, "__self__", None)).__module__
    module = f"{getattr(target, '__module__', None)}.{owner}"
    if module.startswith("builtins") and name in _BUILTINS:
        return _BUILTINS[name]
    if "random" in module:
        return (
            "use random, uniform, normal, exponential, lognormal, triangular, choice or integers, "
            "or draw before the call, by ng.random, and give the numbers as an operand"
        )
    if module.startswith("numpy") and name in _CHOOSING:
        return _CHOOSE
    if module.startswith("numpy"):
        return (
            "an operand is one number here: write the formula of one element, and apply functions "
            "of whole arrays to the operator's result"
        )
    return "use math, NumPy's scalar functions, another operator, or write a plain Python helper"
