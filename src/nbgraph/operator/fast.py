"""The short path of a call: same dtype and shape as before, contiguous, default parameters.

A Python float beside arrays of floats becomes an array, which for arrays that are not large costs
a fortieth of the general way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nbgraph.dtype import name_of
from nbgraph.kernels.capture.names import Text, rewritten, unchanged
from nbgraph.operator import parallel
from nbgraph.settings import PYTHON_ASKED, config

if TYPE_CHECKING:
    from types import CellType

    from nbgraph.kernels.kernel import Kernel
    from nbgraph.operator.invoke import Plan
    from nbgraph.operator.mapper import Mapper

FORMATS = frozenset("?bBhHiIlLefd")  # buffer formats that are NumPy's dtype characters
CALLS_BEFORE = 2  # general calls of one kind before the short path is set up
FILLED = 1 << 15  # elements up to which a number is written out
_LARGEST = 65504.0  # that every format of floats holds

_ndarray = np.ndarray
_empty = np.empty
_settings = config.variable.get  # bound once: read at every call


class FastCall:
    """The short paths of one operator, by dtype of the first operand.

    An entry holds its kernel alive; entries are dropped when a watched object changes.
    """

    __slots__ = (
        *("_attributes", "_cells", "_closed", "_globals", "_op", "_seen", "_texts"),
        "entries",
    )

    def __init__(self, op: Mapper) -> None:
        self._op = op
        # dtype -> function, what it returns to decline, output dtypes, kernel
        self.entries: dict[Any, tuple[Callable[..., Any], bytes, Any, Kernel]] = {}
        self._seen: dict[Any, int] = {}
        self._globals: Sequence[tuple[dict[str, Any], str, Any]] = ()
        self._cells: Sequence[tuple[CellType, Any]] = ()
        self._attributes: Sequence[tuple[Any, str, Any]] = ()
        self._texts: Sequence[Text] = ()
        self._closed = False

    def forget(self) -> None:
        """Drop all entries."""
        self.entries = {}
        self._seen = {}

    def call(self, operands: tuple[Any, ...], out: Any) -> Any:
        """The result, or None where the general path has to take the call."""
        result = self._arrays(operands, out)
        if result is None and float in map(type, operands):
            filled = _filled(operands)
            if filled is not None:
                return self._arrays(filled, out)
        return result

    def _arrays(self, operands: tuple[Any, ...], out: Any) -> Any:
        if PYTHON_ASKED[0] and _settings().compiler == "python":
            return None
        if len(operands) != self._op.nin:  # or an output would pass for an operand
            return None
        first = operands[0]
        if type(first) is not _ndarray:
            return None
        found = self.entries.get(first.dtype)
        if found is None:
            return None
        for space, name, value in self._globals:
            if space.get(name) is not value:
                return None
        if rewritten(self._texts) or (self._closed and self._closure_changed()):
            return None
        function, declined, dtypes, _ = found
        if out is None:
            shape = first.shape
            if not shape:
                return None
            if len(dtypes) > 1:
                out = tuple([_empty(shape, dtype) for dtype in dtypes])
            else:
                out = _empty(shape, dtypes[0])
        if type(out) is tuple:
            if any(array is None for array in out):
                return None
            return (
                None if function(*operands, *out) is declined else out[0] if len(out) == 1 else out
            )
        result = function(*operands, out)
        return None if result is declined else result

    def quick(self) -> tuple[Callable[..., Any], bytes, Sequence[Any], Sequence[Text]] | None:
        """The newest entry where it has one output and only globals and texts are watched."""
        if not self.entries or self._closed or self._op.nout != 1:
            return None
        function, declined, _, _ = next(reversed(self.entries.values()))
        return function, declined, self._globals, self._texts

    def _closure_changed(self) -> bool:
        return any(cell.cell_contents is not value for cell, value in self._cells) or any(
            not unchanged(getattr(owner, name, None), value)
            for owner, name, value in self._attributes
        )

    def note(self, operands: Sequence[np.ndarray[Any, Any]], plan: Plan) -> None:
        """A general call with default parameters: when its kind recurs, set up the short path."""
        op, typed = self._op, plan.typed
        dtypes = [*typed.operands, *typed.outputs]
        if dtypes[0] in self.entries or any(d.char not in FORMATS for d in dtypes):
            return
        outputs = tuple(name_of(d) for d in typed.outputs)
        key = ("c",) * len(dtypes), outputs, ("write",) * len(outputs)
        code = plan.kernels.get(key)
        self._seen[dtypes[0]] = self._seen.get(dtypes[0], 0) + 1
        if self._seen[dtypes[0]] < CALLS_BEFORE:
            return
        if code is None and _with_number(operands):
            from nbgraph.kernels.kernel import kernel

            code = plan.kernels[key] = kernel(op.invoker.loop(plan, *key))
        if code is None:
            return
        from nbgraph.kernels import entry

        words = op.invoker.parameter_words(plan)
        if not entry.available() or not entry.fits(len(dtypes), len(words)):
            return
        formats = [d.char for d in dtypes]
        most = parallel.most(typed.captured, sum(d.itemsize for d in dtypes))
        function, declined = entry.make(code, formats, len(typed.operands), words, most)
        self._globals, self._cells, self._attributes, self._texts = op.scalar.watch.checks()
        self._closed = bool(self._cells or self._attributes)
        made = (function, declined, typed.outputs, code)
        self.entries = {**self.entries, dtypes[0]: made}


def _with_number(operands: Sequence[np.ndarray[Any, Any]]) -> bool:
    """Whether some operands are numbers beside arrays of floats that `_filled` would take."""
    arrays = [o for o in operands if o.ndim]
    return len(arrays) < len(operands) and any(
        o.dtype.kind == "f" and o.size <= FILLED and o.flags.c_contiguous for o in arrays
    )


def _filled(operands: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """Operands with arrays instead of Python floats; None where the general way is to be taken."""
    like = next((o for o in operands if type(o) is _ndarray), None)
    if like is None or like.dtype.kind != "f" or like.size > FILLED:
        return None
    made: list[Any] = []
    for operand in operands:
        if type(operand) is float:
            if not -_LARGEST <= operand <= _LARGEST:
                return None
            filled = _empty(like.shape, like.dtype)
            filled.fill(operand)
            operand = filled
        made.append(operand)
    return tuple(made)
