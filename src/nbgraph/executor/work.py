"""What tasks come down to where kernels do them: a kernel, and a record of addresses.

A piece of work names the values it uses by their places in its task's `reads` and `writes`, since
a memory plan may put another value there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from nbgraph.array.launch import Prepared, prepare
from nbgraph.array.layout import Layout
from nbgraph.array.push import same, truth
from nbgraph.executor.places import Place
from nbgraph.graph.build import NUMBERS
from nbgraph.graph.schedule import Task
from nbgraph.operator.array_op import ArrayOp
from nbgraph.operator.invoke import Plan
from nbgraph.operator.mapper import Mapper
from nbgraph.operator.request import WORDS, OpReqType

if TYPE_CHECKING:  # each kind loads with its first operator
    from nbgraph.array.own import PreparedOwn
    from nbgraph.array.products import PreparedProduct
    from nbgraph.operator.moving_op import MovingOp
    from nbgraph.operator.product_op import ProductOp
    from nbgraph.operator.row_op import RowOp
    from nbgraph.operator.simple.launching import OwnKernel
    from nbgraph.operator.tiled_op import TiledOp


class Use(NamedTuple):
    """A value that work uses: its place in the task's reads or writes, and the part of it."""

    place: int
    offset: int
    layout: Layout

    @classmethod
    def of(cls, at: int, place: Place) -> Use:
        """A use of a place."""
        return cls(at, place.offset, place.layout)

    @classmethod
    def each(cls, places: Sequence[Place]) -> list[Use]:
        """Uses of a task's reads, or of its writes, in order."""
        return [cls.of(at, place) for at, place in enumerate(places)]


@dataclass(slots=True, eq=False, repr=False)
class MapWork:
    """A scalar operator over arrays: one kernel."""

    op: Mapper
    plan: Plan
    shape: tuple[int, ...]
    operands: Sequence[Use | Any]  # uses and numbers
    outputs: Sequence[Use | None]  # None: nobody needs it
    layouts: Sequence[Layout]  # of all outputs
    states: int = 0  # so many last outputs are operands: what they held is read, and written over

    def prepared(self, task: Task) -> Prepared:
        """The kernel, with all of its record but addresses and numbers."""
        requests = iter(task.requests)
        asked = ["null" if o is None else WORDS[next(requests)] for o in self.outputs]
        asked[len(asked) - self.states :] = ["write"] * self.states
        given = [o.layout if isinstance(o, Use) else None for o in self.operands]
        made = [
            own if o is None else o.layout
            for o, own in zip(self.outputs, self.layouts, strict=True)
        ]
        return prepare(
            self.op, self.plan, self.shape, given, made, asked, disjoint=True, once=task.once
        )

    @property
    def numbers(self) -> list[Any]:
        """The operands that are numbers."""
        return [o for o in self.operands if type(o) in NUMBERS]

    def uses(self) -> list[tuple[bool, Use]]:
        """What the record's addresses are of, in order: (written, use)."""
        read = [(False, o) for o in self.operands if isinstance(o, Use)]
        return [*read, *((True, o) for o in self.outputs if o is not None)]


@dataclass(slots=True, eq=False, repr=False)
class ReadyWork:
    """A kernel that is prepared already: of a reduction."""

    kernel: Prepared
    reads: Sequence[Use]
    writes: Sequence[Use]
    numbers: Sequence[Any] = ()

    def prepared(self, task: Task) -> Prepared:
        """The kernel."""
        return self.kernel

    def uses(self) -> list[tuple[bool, Use]]:
        """See MapWork."""
        return [*((False, use) for use in self.reads), *((True, use) for use in self.writes)]


@dataclass(slots=True, eq=False, repr=False)
class RowWork:
    """A row program: one kernel."""

    op: RowOp
    attributes: Mapping[str, Any]
    inputs: Sequence[Use]
    outputs: Sequence[Use | None]  # None: nobody needs it
    layouts: Sequence[Layout]  # of all outputs
    numbers: Sequence[Any] = ()

    def kernel(self, requests: Sequence[OpReqType]) -> Prepared | None:
        """The kernel for requests of the outputs that are needed; None where none does it."""
        from nbgraph.array.rows import prepare_rows

        asked = iter(requests)
        return prepare_rows(
            self.op,
            [use.layout for use in self.inputs],
            [
                own if use is None else use.layout
                for use, own in zip(self.outputs, self.layouts, strict=True)
            ],
            [OpReqType.kNullOp if use is None else next(asked) for use in self.outputs],
            self.attributes,
        )

    def prepared(self, task: Task) -> Prepared:
        """The kernel, with all of its record but addresses."""
        found = self.kernel(task.requests)
        assert found is not None, self.op  # it was asked for when the task was made
        return found

    def uses(self) -> list[tuple[bool, Use]]:
        """See MapWork."""
        read = [(False, use) for use in self.inputs]
        return [*read, *((True, use) for use in self.outputs if use is not None)]


@dataclass(slots=True, eq=False, repr=False)
class ProductWork:
    """A product of two arrays: one kernel."""

    op: ProductOp
    attributes: Mapping[str, Any]
    inputs: Sequence[Use]
    output: Use
    host: bool = True
    numbers: Sequence[Any] = ()

    def kernel(self, request: OpReqType) -> PreparedProduct | None:
        """The kernel for a request; None where none does it."""
        if self.host:
            from nbgraph.array.products import prepare_product as made
        else:
            from nbgraph.array.gemms import prepare_gemms as made

        given = [use.layout for use in self.inputs]
        return made(self.op, given, self.output.layout, request, self.attributes)

    def prepared(self, task: Task) -> Prepared:
        """See RowWork."""
        found = self.kernel(task.requests[0])
        assert found is not None, self.op  # it was asked for when the task was made
        return found

    def uses(self) -> list[tuple[bool, Use]]:
        """See MapWork; the operand that BLAS takes first comes first, whatever the request."""
        found = self.kernel(OpReqType.kWriteTo)
        assert found is not None, self.op
        one, other = self.inputs[found.first], self.inputs[1 - found.first]
        return [(False, one), (False, other), (True, self.output)]


@dataclass(slots=True, eq=False, repr=False)
class TiledWork:
    """A result made tile by tile: one kernel."""

    op: TiledOp
    attributes: Mapping[str, Any]
    inputs: Sequence[Use]
    output: Use
    numbers: Sequence[Any] = ()

    def kernel(self, request: OpReqType) -> Prepared | None:
        """The kernel for a request; None where none does it."""
        from nbgraph.array.tiled import prepare_tiled

        given = [use.layout for use in self.inputs]
        return prepare_tiled(self.op, given, self.output.layout, request, self.attributes)

    def prepared(self, task: Task) -> Prepared:
        """See RowWork."""
        found = self.kernel(task.requests[0])
        assert found is not None, self.op  # it was asked for when the task was made
        return found

    def uses(self) -> list[tuple[bool, Use]]:
        """See MapWork."""
        return [*((False, use) for use in self.inputs), (True, self.output)]


@dataclass(slots=True, eq=False, repr=False)
class UnitWork:
    """A kernel that is written by hand for devices; see `operator.elsewhere`."""

    op: ArrayOp
    attributes: Mapping[str, Any]
    inputs: Sequence[Use]
    outputs: Sequence[Use]
    numbers: Sequence[Any] = ()

    def kernel(self) -> Prepared | None:
        """The kernel; None where there is none."""
        from nbgraph.array.elsewhere import prepare_unit

        given, made = [u.layout for u in self.inputs], [u.layout for u in self.outputs]
        return prepare_unit(self.op, given, made, self.attributes)

    def prepared(self, task: Task) -> Prepared:
        """See RowWork."""
        found = self.kernel()
        assert found is not None, self.op  # it was asked for when the task was made
        return found

    def uses(self) -> list[tuple[bool, Use]]:
        """See MapWork."""
        return [*((False, use) for use in self.inputs), *((True, use) for use in self.outputs)]


@dataclass(slots=True, eq=False, repr=False)
class MovingWork:
    """A kernel that moves states, which are among its inputs, in training."""

    op: MovingOp
    attributes: Mapping[str, Any]
    inputs: Sequence[Use]
    outputs: Sequence[Use]
    mode: bool | None  # whether it trains; None: as the run does
    host: bool
    numbers: Sequence[Any] = ()

    def prepared(self, task: Task) -> Prepared:
        """See RowWork."""
        given, made = ([use.layout for use in own] for own in (self.inputs, self.outputs))
        if self.host:
            from nbgraph.array.tiled import prepare_moving

            return prepare_moving(self.op, given, self.attributes, moves=bool(self.mode))
        from nbgraph.array.elsewhere import prepare_moved

        return prepare_moved(self.op, given, made, self.attributes, moves=bool(self.mode))

    def mode_word(self, prepared: Prepared) -> int | None:
        """The word of the record that says whether a run trains; None where that is known."""
        return -1 if self.mode is None else None

    def uses(self) -> list[tuple[bool, Use]]:
        """See MapWork."""
        read = [(False, use) for use in self.inputs]
        return [*read, *((True, use) for use in self.outputs)]


@dataclass(slots=True, eq=False, repr=False)
class OwnWork:
    """A user's kernel on a GPU; `outputs` are all that it writes, in its order."""

    op: Any
    call: OwnKernel
    inputs: Sequence[Use]
    outputs: Sequence[Use]
    mode: bool | None  # whether it trains; None: as the run does
    numbers: Sequence[Any] = ()

    def prepared(self, task: Task) -> PreparedOwn:
        """The kernel, with all of its record but addresses."""
        from nbgraph.array.own import prepare_own

        return prepare_own(
            self.op.__name__,
            self.call,
            [use.layout for use in self.inputs],
            [use.layout for use in self.outputs],
            [
                OpReqType.kNullOp if type(target) is not int else task.requests[use.place]
                for target, use in zip(self.call.targets, self.outputs, strict=True)
            ],
            is_train=bool(self.mode),
        )

    def mode_word(self, prepared: PreparedOwn) -> int | None:
        """See MovingWork."""
        return prepared.mode_word if self.mode is None else None

    def uses(self) -> list[tuple[bool, Use]]:
        """See MapWork."""
        read = [(False, use) for use in self.inputs]
        return [*read, *((True, use) for use in self.outputs)]


def cast_work(read: Use, written: Use) -> MapWork:
    """A cast as a kernel, for devices without NumPy: what lies beyond an integer dtype becomes
    anything, as in C."""
    was, becomes = read.layout.dtype, written.layout.dtype
    op = truth if becomes.kind == "b" else same
    plan = op.invoker.plan([was], was, {})
    return MapWork(op, plan, written.layout.shape, [read], [written], [written.layout])


def copy_plan(dtype: np.dtype[Any]) -> Plan:
    """How the operator that changes nothing is computed."""
    return same.invoker.plan([dtype], dtype, {})


KernelWork = (
    MapWork | ReadyWork | RowWork | ProductWork | TiledWork | UnitWork | MovingWork | OwnWork
)
