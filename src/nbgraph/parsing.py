"""Python text as a tree, also while other threads do the same.

CPython 3.11 counts the depth of a tree that it makes once for all threads, and raises SystemError
where another thread made one in between. Ours take turns; a foreign one is met by trying again.
"""

from __future__ import annotations

import ast
import threading
from typing import Literal, cast

from nbgraph.scopes import forkable

_LOCK = forkable(threading.RLock())
_ATTEMPTS = 50  # a foreign thread has to come in between each time


def parse(text: str) -> ast.Module:
    """`ast.parse`, with its errors about the text.

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
