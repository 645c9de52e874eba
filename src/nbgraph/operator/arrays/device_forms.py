"""Forms of operators over whole arrays on devices other than the host.

There are four forms; of those that an operator has, the first that supports the case is used.
Composed: other operators, which have kernels there; a function of the operands in the style of
gradient rules, so that it serves arrays and graphs alike. Pieces: copies between parts of arrays.
Unit: a handwritten kernel with a thread per element. Library: a function of an array library on the
device's stream. `nbgraph.ops.gpu` fills the table.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from nbgraph.operator.kernel_call import KernelCall
from nbgraph.operator.layout import Layout, Layouts, layout_of
from nbgraph.operator.spec import Attributes
from nbgraph.shape import address

if TYPE_CHECKING:
    from nbgraph.kernels.cuda.launch import Unit as Code
    from nbgraph.operator.arrays.array_op import ArrayOp
    from nbgraph.operator.arrays.units import Units

View = np.ndarray[Any, Any]
Writes = Iterator[tuple[View, int | None, Any]]  # see Pieces
Parts = Callable[..., Writes | None]
_MEMORY: list[View] = [np.empty(1 << 12, np.uint8)]


def untouched(nbytes: int) -> View:
    """Return memory to compute strides on; it is never read, so a large one costs no pages."""
    if nbytes > _MEMORY[0].nbytes:
        _MEMORY[0] = np.empty(2 * nbytes, np.uint8)
    return _MEMORY[0]


class Part(NamedTuple):
    """A write to a part of the output: from a part of an operand of the same shape, or a number.
    Offsets are in bytes from the first element of output and operand."""

    offset: int
    layout: Layout
    operand: int | None
    from_offset: int = 0
    source: Any = None  # the source's layout, or the number


def parts_of(
    parts: Parts, operands: Layouts, out: Layout, attributes: Attributes
) -> list[Part] | None:
    """Return the parts that hold elements; None if the form does not support the case."""
    views = [_unread_view(own) for own in (*operands, out)]
    *sources, target_view = views
    pieces: list[Part] = []
    written = parts(target_view, *sources, **attributes)
    if written is None:
        return None
    for target, operand, source in written:
        if not target.size:
            continue
        place, own = address(target) - address(target_view), layout_of(target)
        if operand is None:
            pieces.append(Part(place, own, None, 0, source))
        else:
            wide = np.broadcast_to(source, target.shape)
            away = address(wide) - address(sources[operand])
            pieces.append(Part(place, own, operand, away, layout_of(wide)))
    return pieces


def _unread_view(own: Layout) -> View:
    """Return a view of this layout over memory that is never read."""
    steps = [(n - 1) * step for n, step in zip(own.shape, own.strides, strict=True) if n]
    first = -sum(step for step in steps if step < 0)
    memory = untouched(first + own.dtype.itemsize + sum(step for step in steps if step > 0))
    return np.ndarray(own.shape, own.dtype, memory, first, own.strides)


class Composed(NamedTuple):
    """`run(*operands, **attributes)` returns the outputs computed by other operators, or None if it
    does not support the case. Their dtypes may differ: they are cast."""

    run: Callable[..., Any]


class Pieces(NamedTuple):
    """`parts(out, *operands, **attributes)` yields writes in order: triples (part of out, k, part
    of operand k, which broadcasts to it), or (part of out, None, a number). All are NumPy views,
    whose values must not be read. It returns None for an unsupported case."""

    parts: Parts


class Unit(NamedTuple):
    """`call(operands, outputs, **attributes)` returns the kernel for contiguous arrays of these
    Specs, or None. Its addresses: operands, then all outputs. `first`: writes as in Pieces that
    initialise the output before the kernel runs."""

    call: Callable[..., Units | None]
    first: Parts | None = None


class Library(NamedTuple):
    """`run(xp, *operands, *outputs, **attributes)` fills the outputs by an array library like
    NumPy, on the device's stream; the operator's `compute` is `by_numpy(run)`. To report a failed
    factorisation, as on the host, the library waits for its end."""

    run: Callable[..., None]


Form = Composed | Pieces | Unit | Library
_Kind = TypeVar("_Kind", Composed, Pieces, Unit, Library)
_FORMS: dict[ArrayOp, dict[type, Form]] = {}
_DYNAMIC: dict[Any, Callable[..., Any]] = {}
_FILLED: list[bool] = []


def enter(form: Callable[..., Form], *ops: Any) -> Callable[[Any], Any]:
    """Decorate a function as this form of operators, passed themselves or by public function."""

    def decorate(function: Any) -> Any:
        for op in ops:
            entry = form(function)
            _FORMS.setdefault(getattr(op, "op", op), {})[type(entry)] = entry
        return function

    return decorate


composed = functools.partial(enter, Composed)
in_pieces = functools.partial(enter, Pieces)


def unit(*ops: Any, first: Callable[..., Any] | None = None) -> Callable[[Any], Any]:
    """Decorate the function of a Unit form."""
    return enter(lambda call: Unit(call, first), *ops)


def dynamic(*computes: Any) -> Callable[[Any], Any]:
    """Decorate a function over operators that computes a result whose shape depends on values
    (`ops.sets.dynamic`). It waits for the number of elements."""

    def decorate(function: Any) -> Any:
        for compute in computes:
            _DYNAMIC[getattr(compute, "compute", compute)] = function
        return function

    return decorate


def dynamic_form(compute: Any) -> Callable[..., Any] | None:
    """Return the function decorated for `compute` by `dynamic`, or None."""
    _fill_tables()
    return _DYNAMIC.get(compute)


def _fill_tables() -> None:
    if not _FILLED:
        importlib.import_module("nbgraph.ops.gpu")  # a higher room, which fills the tables
        _FILLED.append(True)


def forms_of(op: Any) -> Mapping[type, Form]:
    """Return the forms of an operator by kind."""
    _fill_tables()
    if getattr(op, "composition", None) is not None:
        return {Composed: Composed(op.composition)}
    run = getattr(getattr(op, "_compute", None), "library", None)
    return _FORMS.get(op, {}) if run is None else {Library: Library(run)}


def form_of(op: Any, kind: type[_Kind]) -> _Kind | None:
    """Return an operator's form of this kind, or None."""
    form = forms_of(op).get(kind)
    return form if isinstance(form, kind) else None


def unit_call(
    code: Code,
    head: tuple[int, int],
    words: tuple[int, ...],
    units: int,
    vectors: Code | None = None,
) -> KernelCall:
    """Return the call of a kernel over `units` threads, or blocks of threads. The record: `head`,
    addresses of operands and results, which follow from the operator, `words`. `vectors`: another
    kernel for addresses that are all multiples of 16, or None."""
    from nbgraph.kernels.cuda.unit import UnitLaunches  # not needed on hosts

    launches = UnitLaunches(code, units, vectors, code.name)
    return KernelCall(code.name, code, head, (), words, units, 0, device=launches)
