"""The short path of a call: same dtype and shape as before, contiguous, parameters as before.

A number beside arrays of floats becomes an array, which for arrays that are not large costs a
fortieth of the general way. Operands by name and those left to their defaults take their places.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

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
SETTINGS = 32  # values of parameters for which short paths are kept
CACHED = 1 << 21  # bytes of a call's arrays up to which results are written through the caches
FILLED = 1 << 15  # elements up to which a number is written out
_LARGEST = 65504.0  # that every format of floats holds

_ndarray = np.ndarray
_empty = np.empty
_settings = config.variable.get  # bound once: read at every call
_NUMBERS = (float, int)

# the parameters of a call that are not left to their defaults: names, types and values
Given = tuple[tuple[str, type, str], ...]
Native = tuple[Callable[..., Any], bytes]  # a function, and what it returns to decline


class Entry(NamedTuple):
    """The short path of one kind of call: within the cost that is worth other threads, and within
    the caches where there are none."""

    brief: Native
    alone: Native
    outputs: Sequence[np.dtype[Any]]
    kernel: Kernel  # held alive


class FastCall:
    """The short paths of one operator, by dtype of the first operand.

    An entry holds its kernel alive; entries are dropped when a watched object changes.
    """

    __slots__ = (
        *("_attributes", "_cells", "_closed", "_globals", "_op", "_seen", "_texts"),
        *("entries", "settings"),
    )

    def __init__(self, op: Mapper) -> None:
        self._op = op
        self.entries: dict[Any, Entry] = {}
        self.settings: dict[tuple[Any, Given], Entry] = {}  # of other parameters
        self._seen: dict[tuple[Any, Given], int] = {}
        self._globals: Sequence[tuple[dict[str, Any], str, Any]] = ()
        self._cells: Sequence[tuple[CellType, Any]] = ()
        self._attributes: Sequence[tuple[Any, str, Any]] = ()
        self._texts: Sequence[Text] = ()
        self._closed = False

    def forget(self) -> None:
        """Drop all entries."""
        self.entries, self.settings = {}, {}
        self._seen = {}

    def call(self, operands: tuple[Any, ...], out: Any, options: dict[str, Any]) -> Any:
        """The result, or None where the general path has to take the call."""
        given: Given | None = ()
        if not self.entries and not self.settings:
            return None
        if options or len(operands) < self._op.nin:
            operands, given = self._placed(operands, options)
            if given is None:
                return None
        result = self._arrays(operands, out, given)
        if result is None and any(type(o) in _NUMBERS for o in operands):
            filled = _filled(operands)
            if filled is not None:
                return self._arrays(filled, out, given)
        return result

    def _placed(
        self, operands: tuple[Any, ...], options: dict[str, Any]
    ) -> tuple[tuple[Any, ...], Given | None]:
        """All operands by place, with those that have names or defaults, and the parameters; None
        where the call says something else."""
        scalar, rest, placed = self._op.scalar, dict(options), list(operands)
        for name in scalar.operands[len(operands) :]:
            if name not in rest and name not in scalar.defaults:
                return operands, None
            placed.append(rest.pop(name) if name in rest else scalar.defaults[name])
        return tuple(placed), self._given(rest)

    def _given(self, options: dict[str, Any]) -> Given | None:
        """The numbers that options give to parameters; None where they are something else."""
        if not options:
            return ()
        parameters = {p.name for p in self._op.scalar.parameters}
        if any(k not in parameters or type(v) not in _NUMBERS for k, v in options.items()):
            return None
        return tuple(sorted((k, type(v), repr(v)) for k, v in options.items()))

    def _arrays(self, operands: tuple[Any, ...], out: Any, given: Given) -> Any:
        if PYTHON_ASKED[0] and _settings().compiler == "python":
            return None
        if len(operands) != self._op.nin:  # or an output would pass for an operand
            return None
        first = operands[0]
        if type(first) is not _ndarray:
            return None
        key = first.dtype
        found = self.settings.get((key, given)) if given else self.entries.get(key)
        if found is None:
            return None
        for space, name, value in self._globals:
            if space.get(name) is not value:
                return None
        if rewritten(self._texts) or (self._closed and self._closure_changed()):
            return None
        dtypes = found.outputs
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
            done = _run(found, (*operands, *out))
            return None if done is None else out[0] if len(out) == 1 else out
        return _run(found, (*operands, out))

    def quick(self) -> tuple[Callable[..., Any], bytes, Sequence[Any], Sequence[Text]] | None:
        """The newest entry where it has one output and only globals and texts are watched."""
        if not self.entries or self._closed or self._op.nout != 1:
            return None
        return *next(reversed(self.entries.values())).brief, self._globals, self._texts

    def _closure_changed(self) -> bool:
        return any(cell.cell_contents is not value for cell, value in self._cells) or any(
            not unchanged(getattr(owner, name, None), value)
            for owner, name, value in self._attributes
        )

    def note(
        self, operands: Sequence[np.ndarray[Any, Any]], plan: Plan, options: dict[str, Any]
    ) -> None:
        """A general call with `options` for parameters: when its kind recurs, set up the short
        path."""
        op, typed = self._op, plan.typed
        dtypes, given = [*typed.operands, *typed.outputs], self._given(options)
        if given is None or any(d.char not in FORMATS for d in dtypes):
            return
        place = dtypes[0], given
        if place in self.settings if given else dtypes[0] in self.entries:
            return
        outputs = tuple(name_of(d) for d in typed.outputs)
        key = ("c",) * len(dtypes), outputs, ("write",) * len(outputs)
        code = plan.kernels.get(key)
        if len(self._seen) >= 4 * SETTINGS:
            self._seen = {}
        self._seen[place] = self._seen.get(place, 0) + 1
        if self._seen[place] < CALLS_BEFORE:
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
        nbytes = sum(d.itemsize for d in dtypes)
        most = parallel.most(typed.captured, nbytes)
        brief, alone = (
            entry.make(code, formats, len(typed.operands), words, elements)
            for elements in (most, max(most, CACHED // nbytes))
        )
        self._globals, self._cells, self._attributes, self._texts = op.scalar.watch.checks()
        self._closed = bool(self._cells or self._attributes)
        made = Entry(brief, alone, typed.outputs, code)
        if not given:
            self.entries = {**self.entries, dtypes[0]: made}
        else:
            kept = list(self.settings.items())[1 - SETTINGS :]
            self.settings = {**dict(kept), place: made}


def _run(found: Entry, arrays: tuple[Any, ...]) -> Any:
    """The last array, or None where the general path has to take the call."""
    function, declined = found.brief
    result = function(*arrays)
    if result is not declined:
        return result
    if arrays[0].size > FILLED and "nbgraph.engine" in sys.modules and parallel.alone():
        function, declined = found.alone
        result = function(*arrays)
    return None if result is declined else result


def _with_number(operands: Sequence[np.ndarray[Any, Any]]) -> bool:
    """Whether some operands are numbers beside arrays of floats that `_filled` would take."""
    arrays = [o for o in operands if o.ndim]
    return len(arrays) < len(operands) and any(
        o.dtype.kind == "f" and o.size <= FILLED and o.flags.c_contiguous for o in arrays
    )


def _filled(operands: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """Operands with arrays instead of Python numbers; None where the general way is to be taken."""
    like = next((o for o in operands if type(o) is _ndarray), None)
    if like is None or like.dtype.kind != "f" or like.size > FILLED:
        return None
    made: list[Any] = []
    for operand in operands:
        if type(operand) in _NUMBERS:
            if not -_LARGEST <= operand <= _LARGEST:
                return None
            filled = _empty(like.shape, like.dtype)
            filled.fill(operand)
            operand = filled
        made.append(operand)
    return tuple(made)
