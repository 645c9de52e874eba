"""Work of tasks without a kernel: functions over NumPy arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nbgraph.device import Context, RunContext
from nbgraph.executor.places import array_at
from nbgraph.executor.work import Use
from nbgraph.graph.schedule import Task
from nbgraph.operator.array_op import ArrayOp, Attributes
from nbgraph.operator.request import OpReqType


@dataclass(slots=True, eq=False, repr=False)
class FunctionWork:
    """An operator over whole arrays: a Python function."""

    op: ArrayOp
    attributes: Attributes
    inputs: Sequence[Use]
    outputs: Sequence[Use]
    resources: Sequence[Any] = ()
    effect: Any = None  # the token under which a run keeps what was granted to it
    states: Sequence[int] = ()  # inputs that are written, too
    mode: bool | None = None  # whether it trains, whatever the run does

    def granted(self, device: Context) -> Sequence[Any]:
        """Return the resources of one run: random numbers are drawn anew, and for runs alone."""
        if self.resources:
            return [resource.renewed() for resource in self.resources]
        return self.op.grant(device, self.attributes)

    def function(
        self, task: Task, address: Callable[[bool, Use, Any], int]
    ) -> Callable[[RunContext, Any], None]:
        """Return the function that the engine runs with the state of its run; `address(written,
        use, state)`."""
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
            self.op.within(state.held).run(
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


@dataclass(slots=True, eq=False, repr=False)
class CastWork:
    """NumPy's cast, where a kernel's would differ from machine to machine."""

    source: Use
    target: Use

    def function(
        self, task: Task, address: Callable[[bool, Use, Any], int]
    ) -> Callable[[RunContext, Any], None]:
        """See FunctionWork."""
        adds = task.requests[0] is OpReqType.kAddTo

        def astype(run_ctx: RunContext, state: Any) -> None:
            source = array_at(
                address(False, self.source, state), self.source.layout, writable=False
            )
            target = array_at(address(True, self.target, state), self.target.layout, writable=True)
            if source.dtype.kind == "c" and target.dtype.kind not in "cb":
                source = source.real  # the call has warned
            with np.errstate(invalid="ignore", over="ignore"):
                if adds:
                    target += source.astype(target.dtype)
                else:
                    np.copyto(target, source, casting="unsafe")

        return astype
