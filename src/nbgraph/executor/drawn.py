"""Operators that draw by kernels, in graphs: each run brings its draw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nbgraph.array.launch import Prepared
from nbgraph.array.layout import Layout, layout
from nbgraph.device import Context
from nbgraph.executor.draft import Draft, task_over
from nbgraph.executor.tasks import contiguous, effect_of
from nbgraph.executor.work import Use
from nbgraph.graph.build import GraphNode
from nbgraph.graph.graph import spec
from nbgraph.graph.schedule import Task
from nbgraph.operator.request import OpReqType

if TYPE_CHECKING:
    from nbgraph.operator.drawn_op import DrawnOp

kWriteTo = OpReqType.kWriteTo


@dataclass(slots=True, eq=False, repr=False)
class DrawnWork:
    """An operator that draws: one kernel."""

    op: DrawnOp
    attributes: Mapping[str, Any]
    inputs: Sequence[Use]
    outputs: Sequence[Use | None]  # None: nobody needs it
    layouts: Sequence[Layout]  # of all outputs
    host: bool
    effect: Any  # see FunctionWork
    mode: bool | None  # whether it trains; None: as the run does

    def prepared(self, task: Task) -> Prepared:
        """See RowWork."""
        from nbgraph.array.drawn import prepare_drawn

        given = [use.layout for use in self.inputs]
        stores = [use is not None for use in self.outputs]
        found = prepare_drawn(self.op, given, self.layouts, stores, self.attributes, host=self.host)
        assert found is not None, self.op  # it was asked for when the task was made
        return found

    @property
    def numbers(self) -> list[int]:
        """Those of the record, which a run brings."""
        return [0, 0, 0, *([int(bool(self.mode))] if self.op.trains else [])]

    def granted(self, device: Context) -> Sequence[int]:
        """The draw of one run."""
        return self.op.draw_words(self.attributes)

    def mode_word(self, prepared: Prepared) -> int | None:
        """See MovingWork."""
        return -1 if self.op.trains and self.mode is None else None

    def uses(self) -> list[tuple[bool, Use]]:
        """See MapWork."""
        read = [(False, use) for use in self.inputs if self.op.trains]
        return [*read, *((True, use) for use in self.outputs if use is not None)]


def drawn(draft: Draft, node: GraphNode, op: DrawnOp) -> bool:
    """Whether a kernel draws this; the first output is there in any case."""
    from nbgraph.array.drawn import prepare_drawn  # loads with the first draw

    name, reads, host = draft.names[node], draft.reads(node), draft.device.host
    layouts = [layout(*spec((node, k))) for k in range(node.nout)]
    needed = [k == 0 or draft.needed((node, k)) for k in range(node.nout)]
    given = [layout(place.layout.shape, place.layout.dtype) for place in reads]
    if not prepare_drawn(op, given, layouts, needed, node.attributes, host=host):
        return False
    reads = contiguous(draft, name, reads)
    places = [draft.output(node, k) if n else None for k, n in enumerate(needed)]
    writes = [place for place in places if place is not None]
    uses = iter(Use.each(writes))
    work = DrawnWork(
        op,
        node.attributes,
        Use.each(reads),
        [next(uses) if n else None for n in needed],
        layouts,
        host,
        effect_of(node),
        op.always(node.attributes) or node.marks.get("is_train"),
    )
    draft.enter(node, task_over(name, reads, writes, [kWriteTo] * len(writes), work))
    return True
