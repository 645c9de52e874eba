"""Thread-safe parsing of Python source.

CPython 3.11 has one recursion counter for the syntax trees of all threads, and raises SystemError
if two threads build trees at once. A lock protects our calls; if others interfere, we try again.
"""

import ast
import threading
from typing import Literal, cast

from nbgraph.scopes import forkable

_LOCK = forkable(threading.RLock())
_ATTEMPTS = 50  # another thread would have to interfere in each of them


def parse(text: str) -> ast.Module:
    """Like `ast.parse`: return the tree of a module, or raise SyntaxError.

    >>> ast.unparse(parse("a = 1+  2"))
    'a = 1 + 2'
    """
    return cast("ast.Module", _parsed(text, "exec"))


def expression(text: str) -> ast.Expression:
    """Return the tree of one expression.

    >>> ast.unparse(expression("1 +  2"))
    '1 + 2'
    """
    return cast("ast.Expression", _parsed(text, "eval"))


def _parsed(text: str, mode: Literal["exec", "eval"]) -> ast.AST:
    with _LOCK:
        for _ in range(_ATTEMPTS - 1):
            try:
                return ast.parse(text, mode=mode)
            except SystemError:
                continue
        return ast.parse(text, mode=mode)
