"""What stands for an operator over whole arrays on a device that is not the host.

There are four ways; of those that an operator has, the first that knows how is taken. Composed:
other operators, which have kernels there; a function of the operands, written as gradient rules
are, so that it serves arrays and graphs alike. Pieces: copies between parts of arrays. A unit: a
kernel that is written by hand, a thread for each element. A library: a function of an array library
that works on the device's stream. The table is filled by `nbgraph.ops.gpu`.
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
Writes = Iterator[tuple[View, int | None, Any]]  # what is written where: see Pieces
Parts = Callable[..., Writes | None]
_MEMORY: list[View] = [np.empty(1 << 12, np.uint8)]


def untouched(nbytes: int) -> View:
    """Memory to work strides out on; it is never read, so that large ones cost no pages."""
    if nbytes > _MEMORY[0].nbytes:
        _MEMORY[0] = np.empty(2 * nbytes, np.uint8)
    return _MEMORY[0]


class Part(NamedTuple):
    """What is written to a part of the output: a part of an operand in the same shape, or a number.
    Offsets are in bytes from the first element of output and operand."""

    offset: int
    layout: Layout
    operand: int | None
    from_offset: int = 0
    source: Any = None  # the layout there, or the number


def parts_of(
    parts: Parts, operands: Layouts, out: Layout, attributes: Attributes
) -> list[Part] | None:
    """Return the parts that hold elements; None where the form does not know how."""
    views = [_over(own) for own in (*operands, out)]
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


def _over(own: Layout) -> View:
    """Return a view of this layout of memory that is never read."""
    steps = [(n - 1) * step for n, step in zip(own.shape, own.strides, strict=True) if n]
    first = -sum(step for step in steps if step < 0)
    memory = untouched(first + own.dtype.itemsize + sum(step for step in steps if step > 0))
    return np.ndarray(own.shape, own.dtype, memory, first, own.strides)


class Composed(NamedTuple):
    """`run(*operands, **attributes)` gives the outputs by other operators; None where it does not
    know how. The dtypes may be others than the operator's: they are cast."""

    run: Callable[..., Any]


class Pieces(NamedTuple):
    """`parts(out, *operands, **attributes)` gives what is written where, in order: triples (part of
    out, k, part of operand k, which broadcasts to it), or (part of out, None, a number). All are
    NumPy views whose values nobody knows. None in place of all where it does not know how."""

    parts: Parts


class Unit(NamedTuple):
    """`call(operands, outputs, **attributes)` gives the kernel for contiguous arrays of these
    Specs; None where there is none. Its addresses: of the operands, then of all outputs. `first`:
    as of Pieces, what the output holds before the kernel, which goes on from there."""

    call: Callable[..., Units | None]
    first: Parts | None = None


class Library(NamedTuple):
    """`run(xp, *operands, *outputs, **attributes)` fills the outputs by an array library like
    NumPy, on the device's stream; it is that of an operator whose `compute` is `by_numpy(run)`. A
    factorisation that fails is told, as on the host, for which the library waits for its end."""

    run: Callable[..., None]


Form = Composed | Pieces | Unit | Library
_Kind = TypeVar("_Kind", Composed, Pieces, Unit, Library)
_FORMS: dict[ArrayOp, dict[type, Form]] = {}
_DYNAMIC: dict[Any, Callable[..., Any]] = {}
_FILLED: list[bool] = []


def enter(form: Callable[..., Form], *ops: Any) -> Callable[[Any], Any]:
    """Decorate a function: it is this form of the operators, given or found by public functions."""

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
    """Decorate what gives, by operators, the results of functions whose shapes depend on values
    (`ops.sets.dynamic`). It waits for how many there are."""

    def decorate(function: Any) -> Any:
        for compute in computes:
            _DYNAMIC[getattr(compute, "compute", compute)] = function
        return function

    return decorate


def dynamic_form(compute: Any) -> Callable[..., Any] | None:
    """Return the function that gives the results of such a function, or None."""
    _fill()
    return _DYNAMIC.get(compute)


def _fill() -> None:
    if not _FILLED:
        importlib.import_module("nbgraph.ops.gpu")  # it lies above, and fills the tables
        _FILLED.append(True)


def forms_of(op: Any) -> Mapping[type, Form]:
    """Return the forms of an operator, by their kinds."""
    _fill()
    if getattr(op, "composition", None) is not None:
        return {Composed: Composed(op.composition)}
    run = getattr(getattr(op, "_compute", None), "library", None)
    return _FORMS.get(op, {}) if run is None else {Library: Library(run)}


def form_of(op: Any, kind: type[_Kind]) -> _Kind | None:
    """Return the form of this kind that an operator has, or None."""
    form = forms_of(op).get(kind)
    return form if isinstance(form, kind) else None


def unit_call(
    code: Code,
    head: tuple[int, int],
    words: tuple[int, ...],
    units: int,
    vectors: Code | None = None,
) -> KernelCall:
    """Return the call of a kernel over `units` threads, or blocks of such. The block: `head`, the
    addresses of operands and of results, which follow from the operator, `words`. `vectors`: the
    kernel where all addresses are multiples of 16, if that is another."""
    from nbgraph.kernels.cuda.unit import UnitLaunches  # hosts alone do without

    launches = UnitLaunches(code, units, vectors, code.name)
    return KernelCall(code.name, code, head, (), words, units, 0, device=launches)
