"""The short path of a call: same dtype and shape as before, contiguous, default parameters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nbgraph.kernels import entry
from nbgraph.kernels.kernel import Kernel
from nbgraph.settings import config

if TYPE_CHECKING:
    from nbgraph.operator.invoke import Plan
    from nbgraph.operator.mapper import Mapper

FORMATS = frozenset("?bBhHiIlLefd")  # buffer formats that are NumPy's dtype characters
CALLS_BEFORE = 2  # general calls of one kind before the short path is set up

_ndarray = np.ndarray
_empty = np.empty
_settings = config.variable.get  # bound once: read at every call


class FastCall:
    """The short paths of one operator, by dtype of the first operand.

    For operators with one output whose outside objects are globals only. An entry holds its
    kernel alive; entries are dropped when a watched global changes.
    """

    __slots__ = ("_checks", "_op", "_seen", "entries")

    def __init__(self, op: Mapper) -> None:
        self._op = op
        # dtype -> function, what it returns to decline, output dtype, kernel
        self.entries: dict[Any, tuple[Callable[..., Any], bytes, Any, Kernel]] = {}
        self._seen: dict[Any, int] = {}
        self._checks: tuple[tuple[dict[str, Any], str, Any], ...] = ()

    def forget(self) -> None:
        """Drop all entries."""
        self.entries = {}
        self._seen = {}

    def call(self, operands: tuple[Any, ...], out: Any) -> Any:
        """The result, or None where the general path has to take the call."""
        first = operands[0] if operands else None
        if type(first) is not _ndarray or _settings().compiler == "python":
            return None
        found = self.entries.get(first.dtype)
        if found is None:
            return None
        for space, name, value in self._checks:
            if space.get(name) is not value:
                return None
        if out is None:
            shape = first.shape
            if not shape:
                return None
            out = _empty(shape, found[2])
        result = found[0](*operands, out)
        return None if result is found[1] else result

    def note(self, operands: Sequence[np.ndarray[Any, Any]], plan: Plan) -> None:
        """A general call with default parameters: when its kind recurs, set up the short path."""
        op, typed = self._op, plan.typed
        dtypes = [*typed.operands, *typed.outputs]
        if op.nout != 1 or not entry.available() or len(dtypes) > entry.MAX_ARRAYS:
            return
        code = plan.kernels.get((("c",) * len(dtypes), (typed.outputs[0].name,), ("write",)))
        words = op._invoker.parameter_words(plan)
        checks = op.scalar.watch.checks()
        if code is None or checks is None or len(words) > entry.MAX_PARAMETERS:
            return
        if any(d.char not in FORMATS for d in dtypes) or dtypes[0] in self.entries:
            return
        self._seen[dtypes[0]] = self._seen.get(dtypes[0], 0) + 1
        if self._seen[dtypes[0]] < CALLS_BEFORE:
            return
        function, declined = entry.make(code, [d.char for d in dtypes], words)
        self._checks = checks
        self.entries = {**self.entries, dtypes[0]: (function, declined, dtypes[-1], code)}
