"""The fast path of a call: known dtypes, contiguous arrays of one shape.

Values of scalar parameters are words of the record, which the native entry fills in. Small operands
that do not fit (numbers, strides, smaller shapes) are copied first, at a fortieth of the cost of
the general path. Keyword operands and defaults are put in their places.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from nbgraph.dtype import name_of
from nbgraph.kernels.capture.names import Text, rewritten, unchanged
from nbgraph.operator import parallel
from nbgraph.operator.scalar.typing import limits
from nbgraph.settings import PYTHON_ASKED, config

if TYPE_CHECKING:
    from types import CellType

    from nbgraph.kernels.compiler.kernel import Kernel
    from nbgraph.operator.scalar.elementwise import Elementwise
    from nbgraph.operator.scalar.map_call import Plan

# buffer formats by NumPy's dtype characters
FORMATS = {**{char: char for char in "?bBhHiIlLefd"}, "F": "Zf", "D": "Zd"}
CALLS_BEFORE = 2  # general calls of one kind before the fast path is set up
KINDS = 128  # kinds of calls counted
CACHED = 1 << 21  # bytes of a call's arrays up to which results stay in the caches
FILLED = 1 << 17  # elements up to which a number is broadcast by a copy
ALONE = 1 << 15  # elements from which workers could share a call
_LARGEST = 65504.0  # finite in every float format

_ndarray = np.ndarray
_NUMPY = (np.ndarray, np.generic)
_empty = np.empty
_settings = config.variable.get  # bound once, as it is read at every call
_NUMBERS = (float, int)
_COPIED = (*_NUMBERS, complex)

_MISSING: Any = object()

Native = tuple[Callable[..., Any], bytes]  # a function, and the object by which it declines


class Entry(NamedTuple):
    """The fast path of one kind of call: `brief` up to the cost worth other threads, `alone` up to
    the caches' size for calls without other threads.

    `ranges`: index, least and largest value of integer parameters that must fit a dtype. `others`:
    entries of operands with the same first dtype, by all dtypes.
    """

    brief: Native
    alone: Native
    inputs: tuple[np.dtype[Any], ...]
    outputs: Sequence[np.dtype[Any]]
    kernel: Kernel  # kept alive
    ranges: Sequence[tuple[int, int, int]]
    others: dict[tuple[Any, ...], Entry]


class FastCall:
    """The fast paths of one operator, by dtype of the first operand, and by types of parameters
    that a call passes.

    An entry keeps its kernel alive; entries are dropped when a watched object changes.
    """

    __slots__ = (
        *("_attributes", "_cells", "_closed", "_globals", "_op", "_seen", "_texts"),
        *("_defaults", "_floats", "_operands", "_places", "entries"),
    )

    def __init__(self, op: Elementwise) -> None:
        self._op = op
        self._globals: Sequence[tuple[dict[str, Any], str, Any]] = ()
        self._cells: Sequence[tuple[CellType, Any]] = ()
        self._attributes: Sequence[tuple[Any, str, Any]] = ()
        self._texts: Sequence[Text] = ()
        self._closed = False
        self.forget()

    def forget(self) -> None:
        """Drop all entries, and reread the definition at the next call."""
        self.entries: dict[Any, Entry] = {}
        self._seen: dict[Any, int] = {}
        self._places: dict[str, int] | None = None

    def _read_definition(self) -> dict[str, int]:
        """Cache and return the indices of parameters that are numbers; also cache defaults."""
        scalar = self._op.scalar
        own = [p for p in scalar.parameters if not p.is_static]
        self._defaults = [_MISSING if p.required else p.default for p in own]
        self._floats = [isinstance(p.default, float) for p in own]
        defaults = {} if scalar.draws else scalar.defaults
        self._operands = [(name, defaults.get(name, _MISSING)) for name in scalar.operands]
        self._places = places = {p.name: i for i, p in enumerate(own)}
        return places

    def call(self, operands: tuple[Any, ...], out: Any, options: dict[str, Any]) -> Any:
        """Return the result, or None if the call needs the general path."""
        if not self.entries:
            return None
        values: tuple[Any, ...] = ()
        if options or len(operands) < self._op.nin:
            placed = self.placed(operands, options)
            if placed is None:
                return None
            operands, values = placed
        elif len(operands) != self._op.nin:  # otherwise an output would be taken for an operand
            return None
        if PYTHON_ASKED[0] and _settings().compiler == "python":
            return None
        for space, name, value in self._globals:
            if space.get(name) is not value:
                return None
        if rewritten(self._texts) or (self._closed and self._closure_changed()):
            return None
        result = self._arrays(operands, out, values)
        if result is not None:
            return result
        copies = _copies(operands)
        if copies is not None:
            return self._arrays(copies, out, values)
        if out is None and _reversed(operands):
            result = self._arrays(tuple([o.T for o in operands]), None, values)
            if result is not None:
                return tuple([r.T for r in result]) if type(result) is tuple else result.T
        return None

    def placed(
        self, operands: tuple[Any, ...], options: dict[str, Any]
    ) -> tuple[tuple[Any, ...], tuple[Any, ...]] | None:
        """Return all operands in order, including keywords and defaults, and the values of all
        number parameters, or () if none is passed; None if the call has other arguments."""
        places = self._places
        if places is None:
            places = self._read_definition()
        by_name = 0
        if len(operands) < len(self._operands):
            rest = self._operands[len(operands) :]
            named = [options.get(name, default) for name, default in rest]
            if any(value is _MISSING for value in named):
                return None
            by_name = sum([name in options for name, _ in rest])
            operands = (*operands, *named)
        if len(options) == by_name:
            return operands, ()
        values = list(self._defaults)
        for name, value in options.items():
            place = places.get(name)
            if place is None:
                by_name -= 1
                continue
            kind = type(value)
            if kind is int and self._floats[place]:
                value = float(value)
            elif kind not in _NUMBERS:
                if not isinstance(value, (np.floating, np.integer)):
                    return None
                value = float(value) if self._floats[place] else value.item()
            values[place] = value
        if by_name or _MISSING in values:
            return None  # an unknown name, a repeated one, or a missing one
        return operands, tuple(values)

    def _arrays(self, operands: tuple[Any, ...], out: Any, values: tuple[Any, ...]) -> Any:
        first = operands[0]
        if type(first) is not _ndarray:
            return None
        entry = self.entries.get((first.dtype, *map(type, values)) if values else first.dtype)
        if entry is None:
            return None
        if entry.others:
            # of NumPy's classes only: the dtype of a symbol may be unknown
            dtypes = [o.dtype if isinstance(o, _NUMPY) else None for o in operands]
            entry = entry.others.get(tuple(dtypes), entry)
        for place, least, most in entry.ranges:
            if not least <= values[place] <= most:
                return None
        if out is None:
            shape, outputs = first.shape, entry.outputs
            if len(outputs) > 1:
                results = tuple([_empty(shape, dtype) for dtype in outputs])
                done = _run(entry, (*operands, *results, *values), first.size)
                return (
                    None if done is None else results if shape else tuple([m[()] for m in results])
                )
            done = _run(entry, (*operands, _empty(shape, outputs[0]), *values), first.size)
            return done if shape or done is None else done[()]
        if type(out) is not tuple:
            return _run(entry, (*operands, out, *values), first.size)
        if any(array is None for array in out):
            return None
        done = _run(entry, (*operands, *out, *values), first.size)
        return None if done is None else out[0] if len(out) == 1 else out

    def quick(self) -> tuple[Callable[..., Any], bytes, Sequence[Any], Sequence[Text]] | None:
        """Return the newest entry if it has one output and watches only globals and texts."""
        own = [entry.brief for kind, entry in self.entries.items() if type(kind) is not tuple]
        if not own or self._closed or self._op.nout != 1:
            return None
        return *own[-1], self._globals, self._texts

    def _closure_changed(self) -> bool:
        return any(cell.cell_contents is not value for cell, value in self._cells) or any(
            not unchanged(getattr(owner, name, None), value)
            for owner, name, value in self._attributes
        )

    def note(
        self, operands: Sequence[np.ndarray[Any, Any]], plan: Plan, options: dict[str, Any]
    ) -> None:
        """Record a general call with `options`: when its kind recurs, set up the fast path."""
        typed = plan.typed
        dtypes = [*typed.operands, *typed.outputs]
        placed = self.placed(tuple(operands), options)
        if placed is None or any(d.char not in FORMATS for d in dtypes):
            return
        values = placed[1]
        kind = (dtypes[0], *map(type, values)) if values else dtypes[0]
        first = self.entries.get(kind)
        if first is not None and typed.operands in (first.inputs, *first.others):
            return
        if len(self._seen) >= KINDS:
            self._seen = {}
        seen = kind, typed.operands
        self._seen[seen] = self._seen.get(seen, 0) + 1
        if self._seen[seen] < CALLS_BEFORE:
            return
        outputs = tuple(name_of(d) for d in typed.outputs)
        key = ("c",) * len(dtypes), outputs, ("write",) * len(outputs)
        code = plan.kernels.get(key)
        if code is None and math.prod(np.broadcast_shapes(*[o.shape for o in operands])) <= FILLED:
            code = plan.kernel(*key)
        if code is None:
            return
        entry = self._entry(code, plan, [FORMATS[d.char] for d in dtypes], numbers=bool(values))
        if entry is None:
            return
        self._globals, self._cells, self._attributes, self._texts = self._op.scalar.watch.checks()
        self._closed = bool(self._cells or self._attributes)
        if first is not None:
            first.others[typed.operands] = entry
        else:
            self.entries = {**self.entries, kind: entry}

    def _entry(
        self, code: Kernel, plan: Plan, formats: Sequence[str], *, numbers: bool
    ) -> Entry | None:
        """Return the fast path over a kernel, with parameters passed as numbers or fixed in the
        record; None if it is impossible."""
        from nbgraph.codegen import builtin
        from nbgraph.kernels.compiler import entry

        typed, places = plan.typed, self._places or {}
        words = plan.parameter_words()
        varying = plan.varying(list(places)) if numbers else []
        if varying is None or not builtin.available() or not entry.fits(len(formats), len(words)):
            return None
        dtypes = [*typed.operands, *typed.outputs]
        nbytes = sum(d.itemsize for d in dtypes)
        most = parallel.most(typed.captured, nbytes)
        if varying:
            words.append(b"")  # for parameters that are not read
        brief, alone = (
            entry.make(code, formats, len(typed.operands), words, elements, varying)
            for elements in (most, max(most, CACHED // nbytes))
        )
        within = [(places[name], np.iinfo(d)) for name, d in limits(typed.captured) if numbers]
        ranges = [(place, int(info.min), int(info.max)) for place, info in within]
        return Entry(brief, alone, typed.operands, typed.outputs, code, ranges, {})


def _run(entry: Entry, arguments: tuple[Any, ...], size: int) -> Any:
    """Return the last array, or None if the call needs the general path."""
    function, declined = entry.brief
    result = function(*arguments)
    if result is not declined:
        return result
    if size > ALONE and "nbgraph.engine" in sys.modules and parallel.alone():
        function, declined = entry.alone
        result = function(*arguments)
    return None if result is declined else result


def _copies(operands: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """Return operands as contiguous arrays of one shape, by copies if they are small; None if the
    call needs the general path."""
    like: Any = None
    for operand in operands:
        kind = type(operand)
        if kind is _ndarray or isinstance(operand, np.generic):
            if like is None or (operand.ndim, operand.size) > (like.ndim, like.size):
                like = operand
        elif kind not in _COPIED:
            return None
    if like is None:
        if not all(type(operand) is float for operand in operands):
            return None
        return tuple([np.asarray(operand) for operand in operands])
    shape, dtype = _shape(operands, like), None  # the dtype of numbers
    if shape is None or (len(shape) > 1 and not _in_order(operands, shape)):
        return None
    copies: list[Any] = []
    for operand in operands:
        if type(operand) in _COPIED:
            dtype = dtype or _number_dtype(operands)
            if dtype is None or not _holds(dtype, operand):
                return None
            copy = _empty(shape, dtype)
            copy.fill(operand)
        elif operand.shape == shape and type(operand) is _ndarray and operand.flags.c_contiguous:
            copies.append(operand)
            continue
        else:
            copy = _empty(shape, operand.dtype)
            copy[...] = operand
        copies.append(copy)
    return tuple(copies)


def _number_dtype(operands: tuple[Any, ...]) -> np.dtype[Any] | None:
    """Return the only float dtype among arrays, else the only integer one, which numbers take."""
    dtypes = {o.dtype for o in operands if type(o) not in _COPIED}
    own = [d for d in dtypes if d.kind in "fc"] or [d for d in dtypes if d.kind in "iu"]
    return own[0] if len(own) == 1 else None


def _holds(dtype: np.dtype[Any], number: Any) -> bool:
    """Return whether a dtype can hold a number, maybe rounded, without promotion."""
    if dtype.kind in "fc":
        return (type(number) is not complex or dtype.kind == "c") and abs(number) <= _LARGEST
    most, signed = 1 << (8 * dtype.itemsize - (dtype.kind == "i")), dtype.kind == "i"
    return type(number) is int and -most * signed <= number < most


def _shape(operands: tuple[Any, ...], like: Any) -> tuple[int, ...] | None:
    """Return the shape that operands broadcast to; None if there is none, or it is large."""
    shape: tuple[int, ...] = like.shape
    if like.size <= FILLED and any(getattr(o, "shape", shape) != shape for o in operands):
        try:
            shape = np.broadcast(*operands).shape
        except ValueError:
            return None
    return shape if math.prod(shape) <= FILLED else None


def _in_order(operands: tuple[Any, ...], shape: tuple[int, ...]) -> bool:
    """Return whether NumPy's result for operands of these layouts is row-major."""
    full = [o for o in operands if getattr(o, "shape", None) == shape]
    if not full:
        return True
    if len(full) == 1:
        own = full[0].flags.c_contiguous  # equivalent and cheaper
        return own or bool(np.empty_like(full[0], subok=False).flags.c_contiguous)
    return not all(o.flags.fnc for o in full)


def _reversed(operands: tuple[Any, ...]) -> bool:
    """Return whether all operands are column-major arrays of one shape."""
    shape = getattr(operands[0], "shape", None)
    return all(type(o) is _ndarray and o.flags.fnc and o.shape == shape for o in operands)
