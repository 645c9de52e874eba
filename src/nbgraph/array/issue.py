"""Plans on a device: the kernels of a plan's steps, issued in order on one stream.

To the engine a run is one operation: its kernels need nothing of the host, and the stream keeps
their order. Stretches of calls become CUDA graphs where possible.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from nbgraph.device import Context, RunContext
from nbgraph.engine.inline import in_charge
from nbgraph.engine.plans.plan import Place, Plan, Step
from nbgraph.engine.properties import NORMAL, OVERWRITE
from nbgraph.operator.kernel_call import KernelCall
from nbgraph.operator.layout import Layouts
from nbgraph.settings import config

if TYPE_CHECKING:
    from nbgraph.kernels.cuda.launch import Launches, Ready


class Stretch:
    """Consecutive steps of a plan.

    The first run issues them one by one, as libraries initialise themselves at their first use. A
    later run captures them as a graph if most records equal those of the last run, and replays
    the graph with the records that differ; if most differ, issuing them costs no more.
    """

    def __init__(
        self,
        calls: Sequence[DeviceCall | LibraryCall],
        steps: Sequence[int],
        patched: Collection[int],
        *,
        captured: bool,
    ) -> None:
        self.steps = tuple(steps)
        self.graph: Any = None  # the captured graph
        self._calls = calls
        self._captures = captured and len(self.steps) > 1
        self._fails = frozenset(k for k in self.steps if calls[k].launches.fails)
        self._changing = [k for k in self.steps if k in patched or k in self._fails]
        launches = (k for k in self.steps if calls[k].launches.replays == "any record")
        self._place = {k: place for place, k in enumerate(launches)}  # among the graph's launches
        self._stream: Any = None
        # records of the graph's launches; without a graph, of the last run
        self._records: dict[int, Sequence[int]] = {}

    def run(self, run_ctx: RunContext, work: Run) -> None:
        """Put the steps on the stream."""
        stream = run_ctx.stream
        others = self._others(stream, work) if self._captures else None
        if others is None:
            self._issue_all(run_ctx, work)
            self._stream = stream
            return
        if self.graph is None:
            self._records = {}
            self.graph = stream.captured(lambda: self._issue_all(run_ctx, work))
            self._remember(work)
        else:
            for k in others:
                self._amend(run_ctx, work, k)
        stream.replay(self.graph)

    def _others(self, stream: Any, work: Run) -> list[int] | None:
        """Return the steps whose records differ from the graph's, or None without a graph."""
        if stream is not self._stream:
            self.graph = None
            self._remember(work)
            return None
        records = work.records
        others = [
            k
            for k in self._changing
            if k in self._fails or records[k] != self._records.get(k)  # error codes: a new word
        ]
        if 2 * len(others) <= len(self.steps):
            return others
        if self.graph is None:
            self._remember(work)
        return None

    def _remember(self, work: Run) -> None:
        self._records = {k: work.records[k] for k in self._changing if k in work.records}

    def _issue_all(self, run_ctx: RunContext, work: Run) -> None:
        for k in self.steps:
            self._issue(run_ctx, work, k)

    def _issue(self, run_ctx: RunContext, work: Run, k: int) -> None:
        call = self._calls[k]
        call.launches.issue(run_ctx, work.records.get(k, call.record), work.ready(k))

    def _amend(self, run_ctx: RunContext, work: Run, k: int) -> None:
        """Update the graph's launch with the record of this run."""
        self._records.pop(k, None)  # unknown if the update fails
        node = self.graph.node(self._place[k])
        self._issue(RunContext(run_ctx.device, node, run_ctx.slots), work, k)
        if k in work.records:
            self._records[k] = work.records[k]


def stretches(calls: Sequence[DeviceCall | LibraryCall], patched: Collection[int]) -> list[Stretch]:
    """Return the stretches of all calls that do something; `patched`: calls with words by run."""
    captured = {"any record", "one record"} if config.cuda_graphs else set[str]()

    def may(k: int) -> bool:
        """Return whether a graph may contain call `k`."""
        replays = calls[k].launches.replays
        return replays in captured and not (replays == "one record" and k in patched)

    working = [k for k, call in enumerate(calls) if call.hi]
    return [
        Stretch(calls, list(steps), patched, captured=whether)
        for whether, steps in itertools.groupby(working, may)
    ]


def launches_of(call: KernelCall) -> Launches:
    """Return the launches of a kernel on devices."""
    launches: Launches | None = call.device or call.cache.get("device")
    if launches is None:
        from nbgraph.kernels.cuda.launch import Launches

        launches = call.cache["device"] = Launches(call.code.loop, call.name)
    return launches


class DeviceCall:
    """A kernel call of a plan with its record: the `run` of a step."""

    __slots__ = ("__name__", "hi", "keep", "launches", "record")

    def __init__(
        self, call: KernelCall, record: Sequence[int], name: str, keep: Any = None
    ) -> None:
        self.__name__, self.keep = name, keep
        self.hi = call.size
        self.launches = launches_of(call)
        self.record = list(record)

    def __call__(self, run_ctx: RunContext) -> None:
        """Put it on the stream, as it is."""
        ready = self.launches.ready(self.record, run_ctx.device.device_id)
        self.launches.issue(run_ctx, self.record, ready)


class LibraryCall:
    """A function of an array library over arrays of these layouts: the `run` of a step. Its record
    contains the arrays' addresses."""

    __slots__ = ("__name__", "_layouts", "_run", "hi", "launches", "record")
    fails, replays = False, "never"  # as of `Launches`

    def __init__(
        self, run: Callable[..., None], layouts: Layouts, addresses: Sequence[int], name: str
    ) -> None:
        self.__name__, self._run, self._layouts = name, run, tuple(layouts)
        self.record = list(addresses)
        self.hi = layouts[-1].size
        self.launches = self

    def ready(self, record: Sequence[int], device: int) -> Any:
        """Return None: there is nothing to compile; see `Launches`."""
        return _READY

    def issue(self, run_ctx: RunContext, record: Sequence[int], ready: Any) -> None:
        """Call the function for the stream."""
        pairs = zip(record, self._layouts, strict=True)
        run_ctx.stream.call(self._run, [(at, o.shape, o.dtype, o.strides) for at, o in pairs])

    def __call__(self, run_ctx: RunContext) -> None:
        """Put it on the stream, as it is."""
        self.issue(run_ctx, self.record, _READY)


_READY = object()


class DeviceInstance:
    """An instance of a plan of DeviceCalls and LibraryCalls on a device; see `Instance`.

    `patches`: as for a Plan. `beside`: further variables that every run writes.
    """

    def __init__(
        self,
        plan: Plan,
        patches: Sequence[Sequence[Place]],
        device: Context,
        beside: Sequence[Any] = (),
    ) -> None:
        self.plan, self.patches, self.device = plan, [tuple(p) for p in patches], device
        self.beside = tuple(beside)
        self.calls: list[DeviceCall | LibraryCall] = [step.run for step in plan.steps]  # type: ignore[misc]
        self.patched = sorted({step for places in self.patches for step, _ in places})
        self._ready: list[Ready | None] = [None] * len(self.calls)
        self._overwrites = _overwrites(plan)
        self.stretches = stretches(self.calls, self.patched)
        self._written = list(plan.outside.values())
        for k, call in enumerate(self.calls):  # errors of the compiler are raised now
            if k not in self.patched and call.hi:
                self._ready[k] = call.launches.ready(call.record, device.device_id)

    @property
    def captured(self) -> list[int]:
        """The number of steps in each captured graph."""
        return [len(each.steps) for each in self.stretches if each.graph is not None]

    def launch(
        self,
        variables: Sequence[Any] = (),
        words: Sequence[int] = (),
        site: int = 0,
        state: Any = None,
        priority: int = 0,
    ) -> int:
        """Push a run; see `Instance.launch`."""
        outside = variables or tuple(self.plan.outside)
        in_charge().push_to_device(
            self.device,
            Run(self, words),
            const_vars=[v for v, w in zip(outside, self._written, strict=True) if not w],
            mutate_vars=[
                *(v for v, w in zip(outside, self._written, strict=True) if w),
                *self.beside,
            ],
            priority=priority,
            name=self.plan.name,
            prop=OVERWRITE if self._overwrites else NORMAL,
        )
        return 0

    def free(self) -> None:
        """Do nothing: an instance on a device has no resources to free."""


class Run:
    """One run of a plan: the compiled kernels and the records with the words of this run."""

    __slots__ = ("_instance", "_ready", "records")

    def __init__(self, instance: DeviceInstance, words: Sequence[int]) -> None:
        self._instance = instance
        records = {k: instance.calls[k].record.copy() for k in instance.patched}
        for word, places in zip(words, instance.patches, strict=True):
            for step, place in places:
                records[step][place] = word
        self.records: Mapping[int, Sequence[int]] = records
        number = instance.device.device_id
        self._ready = {
            k: instance.calls[k].launches.ready(record, number)
            for k, record in records.items()
            if instance.calls[k].hi
        }

    def ready(self, step: int) -> Any:
        """Return the compiled launch of a step, without its record."""
        launch = self._ready.get(step)
        return self._instance._ready[step] if launch is None else launch

    def __call__(self, run_ctx: RunContext) -> None:
        """Put all steps on the stream."""
        for stretch in self._instance.stretches:
            stretch.run(run_ctx, self)


def _overwrites(plan: Plan) -> bool:
    """Return whether a plan overwrites each outside buffer that it writes before reading it."""
    touched: set[Any] = set()
    for step in plan.steps:
        fresh = [each for each in step.writes if each in plan.outside and each not in touched]
        if fresh and not step.clears:
            return False
        touched |= {*step.reads, *step.writes}
    return True


def laid_out(
    steps: Sequence[Step],
    name: str,
    patches: Sequence[Sequence[Place]],
    device: Context,
    beside: Sequence[Any] = (),
) -> tuple[Plan, Any]:
    """Return the plan of a device's steps, and an instance of it."""
    if device.host:
        plan = Plan(steps, name=name, patches=patches)
        return plan, plan.instance()
    plan = Plan(steps, name=name)
    return plan, DeviceInstance(plan, patches, device, beside)
