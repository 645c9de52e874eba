"""The naive engine: every push runs at once. The specification of all engines.

A function that reads or writes variables is pushed with both sets; any two functions of which
one writes a common variable run in push order. Running at once keeps that order trivially, and
a breakpoint in a pushed function stops in it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import Any

_numbers = itertools.count()


class Variable:
    """A token for anything that is read and written: an array, a file, a random stream."""

    __slots__ = ("deleted", "number", "version")

    def __init__(self) -> None:
        self.number = next(_numbers)
        self.version = 0  # completed writes
        self.deleted = False

    def __repr__(self) -> str:
        return f"<variable {self.number} version {self.version}>"


class NaiveEngine:
    """Runs what is pushed, when it is pushed, on the caller's thread."""

    def new_variable(self) -> Variable:
        """A fresh token."""
        return Variable()

    def push(
        self,
        fn: Callable[[], Any],
        *,
        const_vars: Iterable[Variable] = (),
        mutate_vars: Iterable[Variable] = (),
        name: str | None = None,
    ) -> None:
        """Run `fn`; a variable in both sets counts as written."""
        written = dict.fromkeys(mutate_vars)
        label = name or getattr(fn, "__name__", "function")
        for variable in (*const_vars, *written):
            if not isinstance(variable, Variable):
                raise TypeError(f"push of {label}: {variable!r} is no engine variable")
            if variable.deleted:
                raise ValueError(f"push of {label}: {variable!r} has been deleted")
        fn()
        for variable in written:
            variable.version += 1

    def delete_variable(self, variable: Variable) -> None:
        """After this no push may name the variable."""
        variable.deleted = True
