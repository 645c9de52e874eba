"""Push operators over whole arrays: their kernel calls, or else their Python functions.

`deliver` is one of the three runners of kernel calls, see `operator.kernel_call`.
"""

from collections.abc import Sequence
from contextvars import Context
from functools import partial
from time import perf_counter_ns
from typing import Any, NamedTuple, NoReturn

import numpy as np

from nbgraph.array.core import Array, empty_of
from nbgraph.array.place import push
from nbgraph.array.push import moved, same, write
from nbgraph.device import RunContext
from nbgraph.engine.inline import in_charge
from nbgraph.engine.properties import NORMAL, OVERWRITE
from nbgraph.engine.thread import here
from nbgraph.operator.call import training
from nbgraph.operator.environment import own_resources
from nbgraph.operator.kernel_call import Application, Lowered, lowered
from nbgraph.operator.layout import layout
from nbgraph.operator.request import WORDS, OpReqType, Requests, kNullOp
from nbgraph.operator.spec import Attributes

_BRIEF = 100_000  # nanoseconds: the time until a sleeping worker starts a function


class Job(NamedTuple):
    """An operator over whole arrays to be pushed; `whole`: every element of a result is written."""

    op: Any
    inputs: Sequence[Array]
    results: Sequence[Array]
    requests: Requests
    attributes: Attributes
    whole: bool

    def application(self) -> Application:
        """Return the application of the operator to the layouts of its arrays."""
        words = [self.op.words[request] for request in self.requests]
        operands, outputs = ([x._layout for x in own] for own in (self.inputs, self.results))
        host = self.results[0].device.host
        return Application(operands, outputs, words, self.attributes, host)


def push_lowered(job: Job) -> bool:
    """Push an operator's kernels, with copies where needed; return False if it has none."""
    if all(request is kNullOp for request in job.requests):
        return True
    if job.op.kernels and not any(r.size for r in job.results):
        job.op.numbers(job.attributes, is_train=False)  # a draw is taken all the same
        return True
    lowering = lowered(job.op, *job.application())
    if lowering is not None:
        deliver(lowering, job)
    return lowering is not None


def deliver(lowering: Lowered, job: Job) -> None:
    """Push the kernel calls of an operator; see `push_lowered`."""
    op, inputs, results, requests, attributes, whole = job
    device, count = results[0].device, len(inputs)
    written = {k for call in lowering.calls for k in call.order[-call.writes :]}
    arrays: list[Any] = [*inputs, *results]
    for k, own in enumerate(lowering.places):
        if k < count:
            arrays[k] = inputs[k] if own is None else moved(inputs[k], own)
        elif own is not None or (k in written and requests[k - count] is kNullOp):
            r = results[k - count]
            arrays[k] = empty_of(own or layout(r.shape, r.dtype), device)
    arrays += [empty_of(own, device) for own in lowering.scratch]
    is_train = training.get() and op.mode(attributes) is not False
    numbers, states = op.numbers(attributes, is_train=is_train), op.states(is_train=is_train)
    for call in lowering.calls:
        if not call.size:
            continue
        used, moved_states = [arrays[k] for k in call.order], [arrays[k] for k in states]
        wrote = [*used[-call.writes :], *moved_states]
        fresh = whole or not any(x is r for x in wrote for r in results)
        push(call, used, numbers if call.scalars else (), moved_states, overwrites=fresh)
    for k in states:
        if arrays[k] is not inputs[k]:  # a copy was written
            write(same, arrays[k], inputs[k])
    for result, value, request in zip(results, arrays[count:], requests, strict=False):
        if value is result or request is kNullOp or not result.size:
            continue
        if request is OpReqType.kAddTo and value.dtype != result.dtype:  # the result is rounded
            value = moved(value, layout(result.shape, result.dtype))
        write(same, value, result, WORDS[request])


class Work:
    """A job as a function for the engine, which creates the NumPy views when it runs."""

    __slots__ = ("attributes", "inputs", "is_train", "op", "outputs", "requests", "resources", "ns")

    def __init__(
        self,
        job: Job,
        resources: Sequence[Any],
        states: Sequence[int] = (),
        least: list[int] | None = None,
    ) -> None:
        self.op, self.attributes, self.requests = job.op, job.attributes, job.requests
        # views, not arrays: an array may die, and its block be reserved again, before this runs
        self.inputs = [read_only(a._view()) for a in job.inputs]
        for i in states:
            self.inputs[i].flags.writeable = True
        self.outputs = [a._view() for a in job.results]
        self.resources, self.is_train, self.ns = resources, training.get(), least

    def __call__(self, run_ctx: RunContext) -> None:
        """Compute the results and write them to the outputs' memory."""
        started = perf_counter_ns()
        arguments = self.inputs, self.outputs, self.requests, self.attributes
        own = {"resources": self.resources, "is_train": self.is_train, "run_ctx": run_ctx}
        self.op.run(*arguments, **own)
        if self.ns is not None:
            self.ns[0] = min(self.ns[0], perf_counter_ns() - started)


def read_only(view: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Make a view read-only and return it."""
    view.flags.writeable = False
    return view


def push_function(
    job: Job,
    reads: Sequence[Any],
    writes: Sequence[Any],
    resources: Sequence[Any] = (),
    states: Sequence[int] = (),
    least: list[int] | None = None,
) -> None:
    """Push the function of an operator over the chunks that it reads and writes.

    `least`: a list with the shortest time of such a call in nanoseconds, which is updated. If a
    worker would take longer to wake up, and no unfinished operation uses the chunks, this thread
    computes the results; if another thread has written an operand meanwhile, they are discarded
    and the function is pushed.
    """
    work: Any = None
    if job.whole and least is not None and not resources:
        try:
            if _done(job, reads, writes, least):
                return
        except Exception as error:  # raised at the next wait, as ever
            work = partial(_fail, error)
    work = work or Work(job, resources, states, least)
    turns = [r.variable for r in resources]
    if here.running is not None:
        resources, turns = own_resources(resources)
    engine = in_charge()
    engine.push(
        work,
        const_vars=reads,
        mutate_vars=[*writes, *turns],
        name=job.op.__name__,
        prop=OVERWRITE if job.whole else NORMAL,
    )


def _done(job: Job, reads: Sequence[Any], writes: Sequence[Any], least: list[int]) -> bool:
    """Compute new results in this thread if possible; return whether they are valid."""
    engine = in_charge()
    if least[0] >= _BRIEF or engine._listeners:
        return False
    for chunk in (*reads, *writes):
        if not engine._calm(chunk):
            return False
    before = [chunk.version for chunk in reads]
    inputs, outputs = [read_only(x._view()) for x in job.inputs], [x._view() for x in job.results]
    started, failure = perf_counter_ns(), None
    try:  # not by the caller's settings of NumPy
        Context().run(job.op.compute, inputs, outputs, job.attributes)
    except Exception as error:
        failure = error
    least[0] = min(least[0], perf_counter_ns() - started)
    for chunk, version in zip(reads, before, strict=True):
        if chunk.version != version or not engine._calm(chunk):
            return False
    if failure is not None:
        raise failure
    return True


def _fail(error: Exception, run_ctx: RunContext) -> NoReturn:
    raise error
