"""Work of tasks: a kernel call or a function, and the values that its addresses belong to.

Work refers to values by their places in its task's `reads` and `writes`, as a memory plan may put
another value there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from nbgraph.array.push import same
from nbgraph.device import Context, RunContext
from nbgraph.executor.places import Place, array_at
from nbgraph.graph.build import NUMBERS
from nbgraph.graph.schedule import Task
from nbgraph.operator.arrays.array_op import ArrayOp, Attributes
from nbgraph.operator.kernel_call import KernelCall
from nbgraph.operator.layout import Layout, Layouts
from nbgraph.operator.request import WORDS, OpReqType, Requests
from nbgraph.operator.scalar.map_call import Plan, map_call
from nbgraph.ops.define import operator_of
from nbgraph.ops.elementwise.casting import astype, caster


class Use(NamedTuple):
    """A use of a value: its place in the task's reads or writes, and the part that is used."""

    place: int
    offset: int
    layout: Layout

    @classmethod
    def of(cls, at: int, place: Place) -> Use:
        """Return a use of a place."""
        return cls(at, place.offset, place.layout)

    @classmethod
    def each(cls, places: Sequence[Place]) -> list[Use]:
        """Return uses of a task's reads, or of its writes, in order."""
        return [cls(at, place.offset, place.layout) for at, place in enumerate(places)]


@dataclass(slots=True, eq=False, repr=False)
class KernelWork:
    """A kernel call over values.

    `find(requests, once)` returns the call for the requests of the task's writes; `once`: see Task.
    `uses`: the uses behind the addresses, in the call's order, as (written, use). `numbers`: those
    of the argument block. `draws`: whether the first of them are a draw of `op`, patched at each
    run. `mode`: whether it trains; None: like the run. `effect`: see FunctionWork.
    """

    find: Callable[[Requests, bool], KernelCall]
    uses: Sequence[tuple[bool, Use]]
    numbers: Sequence[Any] = ()
    draws: bool = False
    mode: bool | None = False
    effect: Any = None
    op: Any = None
    attributes: Attributes = field(default_factory=dict[str, Any])

    def call(self, task: Task) -> KernelCall:
        """Return the kernel call, complete except for addresses and numbers."""
        return self.find(task.requests, task.once)

    @property
    def empty(self) -> bool:
        """Whether it does nothing: it writes no elements and draws no random numbers."""
        return self.effect is None and not any(w and use.layout.size for w, use in self.uses)

    def granted(self, device: Context) -> Sequence[int]:
        """Return the draw of one run."""
        return self.op.draw_words(self.attributes)


def map_work(
    plan: Plan,
    shape: tuple[int, ...],
    operands: Sequence[Any],
    outputs: Sequence[Use | None],
    layouts: Layouts,
) -> KernelWork:
    """Return the work of a scalar operator over `operands`, which are uses and numbers.

    `outputs`: None where one is not needed; `layouts`: of all of them.
    """
    operand_layouts = [o.layout if isinstance(o, Use) else None for o in operands]
    output_layouts = [
        own if o is None else o.layout for o, own in zip(outputs, layouts, strict=True)
    ]

    def find(requests: Requests, once: bool) -> KernelCall:
        pending = iter(requests)
        words = ["null" if o is None else WORDS[next(pending)] for o in outputs]
        return map_call(
            plan, shape, operand_layouts, output_layouts, words, disjoint=True, once=once
        )

    uses = [(False, o) for o in operands if isinstance(o, Use)]
    uses += [(True, o) for o in outputs if o is not None]
    return KernelWork(find, uses, [o for o in operands if type(o) in NUMBERS])


def cast_work(read: Use, written: Use, *, host: bool) -> KernelWork | FunctionWork:
    """Return the work of a cast: by NumPy on the host where a kernel's result would depend on the
    machine; on devices a float out of the range of uint32 or uint64 gives any value, as in C."""
    was, becomes = read.layout.dtype, written.layout.dtype
    op = caster(was, becomes)
    if op is None and host and becomes.kind != "c":
        return FunctionWork(operator_of(astype), {"dtype": becomes}, [read], [written])
    op = op or same
    plan = op.invoker.plan([was], becomes if becomes.kind == "c" else was, {})
    return map_work(plan, written.layout.shape, [read], [written], [written.layout])


@dataclass(slots=True, eq=False, repr=False)
class FunctionWork:
    """An operator over whole arrays, as a Python function."""

    op: ArrayOp
    attributes: Attributes
    inputs: Sequence[Use]
    outputs: Sequence[Use]
    resources: Sequence[Any] = ()
    effect: Any = None  # the token under which a run stores the resources granted to it
    states: Sequence[int] = ()  # inputs that are also written
    mode: bool | None = None  # whether it trains; None: like the run

    def pure(self, task: Task) -> bool:
        """Return whether it only writes its results, whole, and never waits."""
        writes_whole = set(task.requests) <= {OpReqType.kWriteTo, OpReqType.kNullOp}
        return writes_whole and getattr(self.op, "never_waits", False)

    def granted(self, device: Context) -> Sequence[Any]:
        """Return the resources of one run, with new random draws."""
        if self.resources:
            return [resource.renewed() for resource in self.resources]
        return self.op.grant(device, self.attributes)

    def function(
        self, task: Task, address: Callable[[bool, Use, Any], int]
    ) -> Callable[[RunContext, Any], None]:
        """Return the function that the engine runs with the state of its run."""
        requests = list(task.requests[: len(self.outputs)])

        def run(run_ctx: RunContext, state: Any) -> None:
            inputs = [
                array_at(address(False, u, state), u.layout, writable=i in self.states)
                for i, u in enumerate(self.inputs)
            ]
            outputs = [
                array_at(address(True, u, state), u.layout, writable=True) for u in self.outputs
            ]
            granted = self.resources
            if self.effect is not None:
                granted = [resource.again() for resource in state.granted[self.effect]]
            self.op.within(state.states).run(
                inputs,
                outputs,
                requests,
                self.attributes,
                resources=granted,
                is_train=state.is_train if self.mode is None else self.mode,
                run_ctx=run_ctx,
            )

        run.__name__ = self.op.__name__
        return run
