"""Blocks within which context variables have other values, wherever a signal's handler raises.

CPython looks for signals where a Python function begins, behind calls and where a loop jumps back.
So a block begins by one instruction that calls nothing of Python and is followed by none of those,
and it ends in a function of C: one of Python might not be entered.
"""

import io
from contextvars import ContextVar
from itertools import repeat
from operator import itemgetter, not_
from typing import Any


class Ending(io.IOBase):
    """What ends a block by `close`, of C: `__exit__` of IOBase calls it, whatever it is given."""

    __slots__ = ("close",)
    closed: Any = True  # for its finaliser, which would call `close` too
    close: Any


class Scopes:
    """Variables that blocks set together: `begin` ends the `__enter__` of a class, whose `__exit__`
    is `end`. Its objects may be used by several threads and within each other, as what ends the
    innermost block stands in the context."""

    def __init__(self, *variables: ContextVar[Any]) -> None:
        tokens: ContextVar[list[Any]] = ContextVar("nbgraph_tokens")
        self._variables = (tokens, *variables)
        each = enumerate(self._variables)
        of = [
            map(v.reset, map(itemgetter(i), map(ContextVar.get, repeat(tokens)))) for i, v in each
        ]
        ending = Ending()
        # what reads the tokens goes last; False, as `with` asks whether an exception ends here
        ending.close = map(not_, zip(*reversed(of), strict=False)).__next__
        self.end: Any = ending.__exit__

    def begin(self, *values: Any) -> None:
        """Set the variables; the caller does no more than return."""
        tokens: list[Any] = []
        tokens[:] = map(ContextVar.set, self._variables, (tokens, *values))
