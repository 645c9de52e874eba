"""Rows: scalar operators applied to arrays in place, with reductions or without.

A row names the arrays it reads and writes, and *slots* for gradients and numbers, which change from
run to run. Rows run one by one, each as a push (the reference in tests), or all together as one
plan: one push, without Python between them.
"""

import functools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from nbgraph.array import apply_scalar_op, chunk
from nbgraph.array.copying import copy_of
from nbgraph.array.core import Array, empty_of
from nbgraph.array.issue import DeviceCall, laid_out
from nbgraph.array.place import push
from nbgraph.array.push import WEAK
from nbgraph.device import Context
from nbgraph.engine import current
from nbgraph.engine.native_call import NativeCall
from nbgraph.engine.plans.plan import Outside, Step
from nbgraph.engine.profiling.effort import Effort
from nbgraph.engine.thread import here
from nbgraph.kernels.loops.loop import Combine
from nbgraph.operator.kernel_call import KernelCall, scalar_word
from nbgraph.operator.layout import Layout, layout
from nbgraph.operator.mapper.mapper import Mapper
from nbgraph.operator.rows.reduce_call import block_on, reduce_call
from nbgraph.operator.scalar import naive
from nbgraph.operator.scalar.map_call import map_call
from nbgraph.settings import PYTHON_ASKED, config
from nbgraph.shape import broadcast

_DOUBLE = np.dtype("float64")


class Slot:
    """A variable that is set before each run: an array, always of the same layout, or a float."""

    __slots__ = ("name", "value")

    def __init__(self, name: str, value: Any = None) -> None:
        self.name, self.value = name, value


Operand = Slot | Array


def value_of(operand: Operand) -> Any:
    """Return the value of an operand: an array or a float."""
    return operand.value if isinstance(operand, Slot) else operand


class Piece(NamedTuple):
    """A kernel of a row: operands that are arrays, then outputs, in the order of its record."""

    call: KernelCall
    operands: tuple[Operand, ...]
    outputs: tuple[Array, ...]
    numbers: tuple[Slot, ...]

    def push(self) -> None:
        """Push the kernel as an operation of its own."""
        arrays = [value_of(a) for a in self.operands]
        numbers = [n.value for n in self.numbers]
        push(self.call, (*arrays, *self.outputs), numbers, overwrites=False)


class Row:
    """A scalar operator over operands of one shape and numbers, written to `outputs`.

    Outputs do not share memory with each other; with an operand they share all elements or none.
    `combines`: for each output how it is reduced to one value, or None; see `reduce_call`. `wide`:
    whether to compute in float64, whatever the operands are.
    """

    def __init__(
        self,
        op: Mapper,
        operands: Sequence[Operand],
        outputs: Sequence[Array],
        combines: Sequence[Combine | None] = (),
        *,
        wide: bool = False,
    ) -> None:
        self.op, self.operands, self.outputs = op, tuple(operands), tuple(outputs)
        self.combines, self.wide = tuple(combines), wide

    def pieces(self) -> list[Piece]:
        """Return the kernels for the present values of the slots."""
        values = [value_of(o) for o in self.operands]
        layouts = [None if type(v) in WEAK else v._layout for v in values]
        arrays = tuple(o for o, own in zip(self.operands, layouts, strict=True) if own is not None)
        numbers: Any = tuple(
            o for o, own in zip(self.operands, layouts, strict=True) if own is None
        )
        plan = self._plan(layouts)
        outs = [o._layout for o in self.outputs]
        requests = ("write",) * len(outs)
        if not self.combines:
            kernel = map_call(plan, outs[0].shape, layouts, outs, requests, disjoint=True)
            return [Piece(kernel, arrays, self.outputs, numbers)]
        shapes = [() if own is None else own.shape for own in layouts]
        shape = broadcast(self.op.__name__, [*zip(self.op.scalar.operands, shapes, strict=True)])
        device = self.outputs[0].device
        reduction = reduce_call(
            *(plan, shape, layouts, outs, requests, self.combines, len(shape)),
            disjoint=True,
            block=block_on(device.host, math.prod(shape)),
        )
        scratch = [empty_of(own, device) for own in reduction.scratch]
        buffers: list[Any] = [*arrays, *self.outputs, *scratch]
        pieces: list[Piece] = []
        for call in reduction.calls:
            used = [buffers[k] for k in call.order]
            first = len(used) - call.writes
            own = numbers if call.scalars else ()
            pieces.append(Piece(call, tuple(used[:first]), tuple(used[first:]), own))
        return pieces

    def _plan(self, layouts: Sequence[Layout | None]) -> Any:
        """Return the plan of the operator: in float64 where `wide` or where an operand has that
        dtype, else in float32, the common type of all 16-bit kinds."""
        own_dtypes = [own.dtype for own in layouts if own is not None]
        common = _DOUBLE if self.wide or _DOUBLE in own_dtypes else np.dtype("float32")
        dtypes = [common if own is None else own.dtype for own in layouts]
        return self.op.invoker.plan(dtypes, common, {})

    def interpret(self) -> None:
        """Apply the operator's Python code, element by element; see `config.compiler`."""
        values = [_widened(value_of(o)) for o in self.operands]
        if not self.combines:
            apply_scalar_op.apply(self.op, values, {}, self.outputs)
            return
        operands = [v if type(v) in WEAK else v.asnumpy() for v in values]
        if self.wide:
            operands = [v if type(v) in WEAK else v.astype(_DOUBLE) for v in operands]
        results = naive.call(self.op.scalar, operands, {}, out=(None,) * len(self.outputs))
        fold = {"add": np.sum, "multiply": np.prod, "max": np.max, "min": np.min}
        for out, value, combine in zip(self.outputs, results, self.combines, strict=True):
            chunk.wait(out._chunk)
            out._view()[...] = value if combine is None else fold[combine](value)


def _widened(value: Any) -> Any:
    """Return an array of 16 bits in float32; other values as they are."""
    narrow = type(value) not in WEAK and value.dtype.itemsize == 2
    return copy_of(value, np.dtype("float32")) if narrow else value


class Rows:
    """Rows that are run together, in their order where they touch the same arrays.

    >>> import nbgraph as ng
    >>> total = ng.zeros(())
    >>> x, by = ng.array([1.0, 2.0]), Slot("by", 3.0)
    >>> rows = Rows(
    ...     "example", [Row(ng.multiply, [x, by], [x]), Row(ng.multiply, [x, x], [total], ["add"])]
    ... )
    >>> rows.run()
    >>> x, total
    (array([3., 6.], dtype=float32), array(45., dtype=float32))
    """

    def __init__(self, name: str, rows: Sequence[Row]) -> None:
        self.name, self.rows = name, list(rows)
        self._pieces: list[Piece] | None = None
        self._joint: _Joint | None = None

    def run(self, *, joint: bool = True) -> None:
        """Push all rows, as one operation if `joint`."""
        if PYTHON_ASKED[0] and config.compiler == "python":
            for row in self.rows:
                row.interpret()
            return
        pieces = self.pieces()
        if joint and len(pieces) > 1 and here.running is None:
            if self._joint is None:
                self._joint = _Joint(self.name, pieces)
            if self._joint.launch():
                return
        for piece in pieces:
            piece.push()

    def pieces(self) -> list[Piece]:
        """Return the kernels of all rows, for the values of the slots at the first call."""
        if self._pieces is None:
            self._pieces = [piece for row in self.rows for piece in row.pieces()]
        return self._pieces


class Laid:
    """Pieces as steps of a plan, from number `first` on. Every push sets the words of numbers, and
    of the addresses of arrays in slots unless these arrays never change (`fixed`)."""

    def __init__(self, pieces: Sequence[Piece], first: int = 0, *, fixed: bool = False) -> None:
        self._fixed = fixed
        self.numbers: dict[tuple[Slot, str, str], list[tuple[int, int]]] = {}
        self.arrays: dict[Slot, list[tuple[int, int]]] = {}
        self.stands: dict[Slot, Outside] = {}
        self.steps = [self._step(k, piece) for k, piece in enumerate(pieces, first)]

    @property
    def patches(self) -> list[list[tuple[int, int]]]:
        """The positions of the words in the steps."""
        return [*self.arrays.values(), *self.numbers.values()]

    def words(self) -> list[int]:
        """Return the present values of the slots as words for a push."""
        words = [slot.value._address for slot in self.arrays]
        return words + [scalar_word(slot.value, *scalar) for slot, *scalar in self.numbers]

    def _step(self, k: int, piece: Piece) -> Step:
        reads, addresses = [], []
        for place, operand in enumerate(piece.operands):
            if isinstance(operand, Slot) and not self._fixed:
                self.arrays.setdefault(operand, []).append((k, 2 + place))
                reads.append(self.stands.setdefault(operand, Outside(operand.name)))
                addresses.append(0)
            else:
                array = value_of(operand)
                reads.append(array._chunk)
                addresses.append(array._address)
        kernel = piece.call
        first = len(kernel.head) + len(addresses) + len(piece.outputs) + len(kernel.words)
        for place, (slot, scalar) in enumerate(zip(piece.numbers, kernel.scalars, strict=True)):
            self.numbers.setdefault((slot, *scalar), []).append((k, first + place))
        addresses += [a._address for a in piece.outputs]
        record = kernel.block(addresses, [n.value for n in piece.numbers])
        device = _device(piece)
        run: Any
        if device.host:
            code, keep = kernel.code.address, (kernel, piece)
            run = NativeCall(
                code, record, kernel.size, name=kernel.name, cost=kernel.cost, keep=keep
            )
        else:
            run = DeviceCall(kernel, record, kernel.name, (kernel, piece))
        writes = tuple(dict.fromkeys(a._chunk for a in piece.outputs))
        reads = tuple(r for r in dict.fromkeys(reads) if r not in writes)
        return Step(run, reads, writes, name=kernel.name, effort=functools.partial(_effort, piece))


def _effort(piece: Piece) -> Effort:
    """Return the effort of one run, for profiles."""
    layouts = [value_of(each)._layout for each in (*piece.operands, *piece.outputs)]
    operations = piece.call.operations(layouts)
    return Effort((piece.call.name,), (), sum(own.nbytes for own in layouts), operations)


def _device(piece: Piece) -> Context:
    """Return the device of all arrays of a piece."""
    arrays = [value_of(o) for o in piece.operands]
    names = [str(getattr(o, "name", "an operand")) for o in piece.operands]
    return apply_scalar_op.common_device(piece.call.name, names, [*arrays, *piece.outputs])


class _Joint:
    """Pieces as one plan, which is launched for each run."""

    def __init__(self, name: str, pieces: Sequence[Piece]) -> None:
        self.laid = Laid(pieces)
        device = _device(pieces[0])
        plan, self.instance = laid_out(self.laid.steps, name, self.laid.patches, device)
        place = {each: k for k, each in enumerate(plan.outside)}
        self.places = [(place[outside], slot) for slot, outside in self.laid.stands.items()]
        self.variables: list[Any] = list(plan.outside)
        self.fixed = frozenset(place).difference(self.laid.stands.values())

    def launch(self) -> bool:
        """Push the plan; return False where an array of a slot shares its variable with another."""
        variables = self.variables.copy()
        fresh: set[Any] = set()
        for place, slot in self.places:
            variables[place] = variable = slot.value._chunk
            fresh.add(variable)
        if len(fresh) < len(self.places) or not self.fixed.isdisjoint(fresh):
            return False
        self.instance.launch(variables, self.laid.words(), current().site_id(1))
        return True


def scalar_array(dtype: Any, device: Context) -> Any:
    """Return a new array of shape (), its value not set."""
    return empty_of(layout((), np.dtype(dtype)), device)
