"""Programs: a compiled graph with memory, ready to be pushed as one operation.

The arrays of a *fixed* program never change (an executor's); a push is one call. A *loose* one gets
arrays at every run (a function's); their addresses are patched into its kernels' records when the
run begins. A training step is in between: weights and gradients are fixed, batches are passed at
each run, and the rows of an optimizer are in the same plan, after the graph's tasks. Runs of one
program are sequential, as they share an arena.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from nbgraph.array.core import Array, from_host
from nbgraph.array.issue import DeviceCall, LibraryCall, Run, laid_out
from nbgraph.device import RunContext
from nbgraph.engine import current
from nbgraph.engine.inline import refuse
from nbgraph.engine.native_call import NativeCall
from nbgraph.engine.plans.plan import Outside, Plan, Step
from nbgraph.engine.thread import here
from nbgraph.errors import OutOfMemory
from nbgraph.executor.compiled import Compiled
from nbgraph.executor.fast_path import FastPath
from nbgraph.executor.interim import interim_description, runnable_form, warn_of_failure
from nbgraph.executor.places import Arena, Homes, Spot
from nbgraph.executor.work import FunctionWork, KernelWork, Use
from nbgraph.graph.schedule import Task, Value
from nbgraph.operator.arrays.device_forms import Library, form_of
from nbgraph.operator.kernel_call import KernelCall
from nbgraph.operator.request import OpReqType

if TYPE_CHECKING:
    from nbgraph.engine.profiling.effort import Effort

Granted = Mapping[Any, Sequence[Any]]
Patch = list[tuple[int, int]]  # places of one word: (step, word of its record)


class Behind(Protocol):
    """Kernels over fixed arrays that a program runs after its graph."""

    def steps(self, first: int) -> tuple[list[Step], list[Patch]]:
        """Return the last steps of a plan, numbered from `first` on, and their patches."""
        ...

    def words(self) -> list[int]:
        """Return the words of the next run, one for each patch."""
        ...


class State:
    """The state of one run: random numbers granted at the push, mode, addresses of arrays by slot,
    and the data that operators store in the executor, if there is one."""

    __slots__ = ("addresses", "granted", "is_train", "states")

    def __init__(
        self,
        is_train: bool,
        granted: Granted,
        addresses: Mapping[int, int],
        states: dict[Any, Any] | None,
    ) -> None:
        self.is_train, self.granted, self.addresses = is_train, granted, addresses
        self.states = states


class Program:
    """A compiled graph that can be run.

    `compiled`: Compiled. `arrays`: variables, then results; those that are None are passed to each
    run; without `arrays` all are. `merged`: for each variable of a loose program the first one
    whose array has the same chunk in every run; by default all chunks differ. `states`: a dict for
    data of operators, shared by all programs of an executor. `behind`: kernels that run after the
    graph, in the same plan. `arena`: memory for its own values. `turns`: whether other programs
    share that arena, so that their runs must not overlap.
    """

    def __init__(
        self,
        compiled: Compiled,
        arrays: Sequence[Array | None] | None = None,
        *,
        name: str = "graph",
        merged: Sequence[int] | None = None,
        states: dict[Any, Any] | None = None,
        behind: Behind | None = None,
        arena: Arena | None = None,
        turns: bool = False,
    ) -> None:
        self.target, self.name, self.states, self.behind = compiled, name, states, behind
        self.shared, self._turns = arena, turns
        self._n_external = compiled.arguments + len(compiled.result_layouts)
        self._fixed_arrays = [None] * self._n_external if arrays is None else list(arrays)
        self._open_slots = [k for k, array in enumerate(self._fixed_arrays) if array is None]
        self.merged = tuple(merged or ())
        try:
            self._build(runnable_form(compiled))
        except OutOfMemory:  # fused loops need less
            self._build(runnable_form(compiled, wait=True))

    @property
    def interim(self) -> str:
        """A description of the form that runs while kernels are compiled; empty without one."""
        return "" if self.compiled is self.target else interim_description(self.target)

    def _build(self, compiled: Compiled) -> None:
        """Build memory, steps and a plan for a compiled graph."""
        self.compiled = compiled
        self.constants = [from_host(data, compiled.device) for data in compiled.constants]
        shared = self.shared if compiled is self.target else None
        self.arena = shared or Arena(compiled.memory.arena_bytes, compiled.device)
        self.arrays: list[Any] = [*self._fixed_arrays, *self.constants]
        self.homes = Homes(self.arena, self.arrays)
        self.effects: dict[Any, Any] = {}  # work that needs resources, by its effect
        self._patches: dict[Spot, Patch] = {}
        self._draws: dict[Any, list[Patch]] = {}  # words of draws for kernels, by effect
        self._modes: Patch = []  # words for whether a run trains
        self._slots: list[Any] = [
            Outside(value.name) if array is None else array._chunk
            for value, array in zip(compiled.slots, self.arrays, strict=True)
        ]
        for k, first in enumerate(self.merged):
            self._slots[k] = self._slots[first]
        self._after: dict[Task, Any] = {
            other: ("after", k) for k, task in enumerate(compiled.tasks) for other in task.after
        }
        self._inside = {  # the variables of arrays in the arena, by home
            compiled.home(value): own
            for value, own in zip(compiled.slots, self._slots, strict=True)
            if not value.external
        }
        # constants of the host are written by now and never again: no run waits for them
        host = compiled.device.host
        self._settled = {array._chunk for array in self.constants} if host else set[Any]()
        self._crossings = compiled.crossings()
        steps = [
            self._step(k, task, call)
            for k, (task, call) in enumerate(zip(compiled.tasks, compiled.calls, strict=True))
        ]
        self.effects = _in_order(self.effects, compiled)
        self._words = list(self._patches)
        self.stateful = any(step.wants_state for step in steps)
        patches = list(self._patches.values())
        self._draws = {key: self._draws[key] for key in self.effects if key in self._draws}
        patches += [patch for each in self._draws.values() for patch in each]
        if self._modes:
            patches.append(self._modes)
        if self.behind is not None:
            more, words = self.behind.steps(len(steps))
            steps, patches = [*steps, *more], [*patches, *words]
        self.plan: Plan | None = None
        self.instance: Any = None
        self.fast_path = FastPath()
        if steps:
            beside = [self.arena.chunk] if self.arena.chunk is not None else []
            self.plan, self.instance = laid_out(steps, self.name, patches, compiled.device, beside)
        self._own: list[Any] = []  # variables that are the same in every run
        self.variables_of = self._addresses = _everything
        self._offsets: list[tuple[int, int]] | None = None
        # the launch of a run without arrays or words of its own; None where runs have some
        self.plain: Callable[..., int] | None = None
        if self._open_slots:
            self._arrange()
        elif not (self.behind or self.stateful or self._draws or self._modes or not steps):
            self.plain = self.instance.launch if compiled is self.target else None

    def inside(self) -> list[Array]:
        """Return the arrays that lie in the arena, with the program's own values."""
        slots = zip(self.target.slots, self.arrays, strict=False)
        return [array for value, array in slots if not value.external]

    def _change_over(self) -> None:
        """Change over to the program of `target`, if its kernels are loaded. Runs already pushed
        keep the old form; they and later ones are ordered by the arrays they share."""
        latest = runnable_form(self.target)
        if latest is self.compiled:
            warn_of_failure(self.target)
            return
        other = Program.__new__(Program)
        other.__dict__.update(self.__dict__)
        other._build(latest)
        self.__dict__.update(other.__dict__)  # at once: another thread may be pushing

    def _arrange(self) -> None:
        """Prepare the functions that select variables and words of a push from a run's arrays."""
        count = len(self._open_slots)
        number = {self._slots[slot]: k for k, slot in enumerate(self._open_slots)}
        outside = self.plan.outside if self.plan is not None else ()
        self._own = [each for each in outside if each not in number]
        number |= {each: count + k for k, each in enumerate(self._own)}
        self.variables_of = _chooser([number[each] for each in outside], count)
        place = {slot: k for k, slot in enumerate(self._open_slots)}
        slots = [place[spot.slot or 0] for spot in self._words]
        self._addresses = _chooser(slots, count)
        if any(spot.offset for spot in self._words):
            self._offsets = list(zip(slots, [spot.offset for spot in self._words], strict=True))

    @property
    def alone(self) -> bool:
        """Whether a run has arrays and numbers only, and uses no other variables."""
        return not (self._own or self.stateful or self.behind is not None)

    @property
    def number_count(self) -> int:
        """The number of words of a run after the addresses: draws, and whether it trains."""
        return 3 * len(self._draws) + bool(self._modes)

    def granted(self) -> dict[Any, Any]:
        """Return the resources of one run, including draws, by effect."""
        device = self.compiled.device
        return {key: work.granted(device) for key, work in self.effects.items()}

    def numbers(self, granted: Mapping[Any, Any], *, is_train: bool) -> list[int]:
        """Return the words of a run after the addresses; see `number_count`."""
        words = [word for key in self._draws for word in granted[key]]
        return [*words, int(is_train)] if self._modes else words

    def words_of(self, every: list[int]) -> Sequence[tuple[int, int]]:
        """Return for each word of a run the number of its array, and the offset in bytes."""
        return self._offsets or [(slot, 0) for slot in self._addresses(every)]

    # running ----------------------------------------------------------------------------------

    def each(self, run: Callable[[Program], None]) -> None:
        """Call `run` with this program; see `PartedProgram.each`."""
        run(self)

    def push(
        self, arrays: Sequence[Array] = (), *, is_train: bool = False, site: int | None = None
    ) -> None:
        """Push a run; `arrays` are the variables and results that are not fixed. `site` is the
        number of the line of user code, by `Engine.site_id`, if the caller has it. Raise
        EngineError inside a pushed function, as the run would come after that."""
        if here.running is not None:
            refuse(
                self.name,
                "a compiled graph is an operation of its own, which would run after this one. Run "
                "it before the push or after its result, or call operators one by one",
            )
        if self.plain is not None:
            self.plain((), (), current().site_id(1) if site is None else site)
            return
        if self.compiled is not self.target:
            self._change_over()
        instance = self.instance
        if instance is None:
            return
        if site is None:
            site = current().site_id()
        variables: Sequence[Any] = ()
        addresses: list[int] = []
        words: Sequence[int] = ()
        if self._open_slots:
            chunks: list[Any] = []
            for array in arrays:  # one loop for both: this is most of a push
                chunks.append(array._chunk)
                addresses.append(array._address)
            variables = self.variables_of([*chunks, *self._own] if self._own else chunks)
            if self._offsets is None:
                words = self._addresses(addresses)
            else:
                words = [addresses[slot] + offset for slot, offset in self._offsets]
        granted, numbers = dict[Any, Any](), self.fast_path.numbers
        if numbers is None:
            granted = self.granted()
            numbers = self.numbers(granted, is_train=is_train)
        self.fast_path.numbers = None
        words = [*words, *numbers]
        if self.behind is not None:
            words = [*words, *self.behind.words()]
        state = None
        if self.stateful:
            by_slot = dict(zip(self._open_slots, addresses, strict=True))
            state = State(is_train, granted, by_slot, self.states)
        instance.launch(variables, words, site, state)

    def running(self) -> bool:
        """Return whether a run is unfinished, so that the next one would wait for it."""
        return self.instance is not None and current()._in_use(self.instance.variable)

    def issue(self, run_ctx: RunContext, addresses: Sequence[int]) -> None:
        """Issue a run on the stream of a device now, with arrays at these addresses."""
        if self.instance is None:
            return
        words = self._addresses(list(addresses))
        if self._offsets is not None:
            words = [addresses[slot] + offset for slot, offset in self._offsets]
        Run(self.instance, [*words, 0] if self._modes else words)(run_ctx)

    # steps ------------------------------------------------------------------------------------

    def _step(self, place: int, task: Task, call: KernelCall | None) -> Step:
        work = task.work
        reads = [name for x in task.reads if (name := self._name(x)) not in self._settled]
        writes = [self._name(value) for value in task.writes]
        reads += [self._after[other] for other in task.after]
        if task in self._after:
            writes.append(self._after[task])
        # outputs written in place, or added to, are read as well: a failure there still applies
        added = zip(writes, task.requests, strict=False)
        reads += [name for name, request in added if request is OpReqType.kAddTo]
        options: dict[str, Any] = {"name": task.name, "overwrites": True}
        if call is not None:
            run: Any = self._kernel(place, task, call)
        elif not self.compiled.device.host:
            run = self._library_call(place, task)
        else:
            run = work.function(task, self._address_of(task))
            options |= {"wants_state": True, "pure": work.pure(task)}
            if getattr(work, "effect", None) is not None:
                self.effects[work.effect] = work
            own = getattr(work, "resources", ())  # permanent ones
            writes += [r.variable for r in own if str(r.kind) != "parallel_random"]
        if self._turns and self.arena is self.shared and self.arena.chunk is not None:
            # the first step waits for runs of the other programs, all others for the first
            (reads if place else writes).append(self.arena.chunk)
        writes += [self._slots[k] for k in self._crossings.get(task, ())]
        options["effort"] = functools.partial(_effort_of, self.compiled, place)
        return Step(run, tuple(dict.fromkeys(reads)), tuple(dict.fromkeys(writes)), **options)

    def _kernel(self, place: int, task: Task, call: KernelCall) -> Any:
        work: KernelWork = task.work
        addresses = self._placed(place, task, work.uses, len(call.head))
        block = call.block(addresses, work.numbers)
        keep = call.code, self.arena, self.constants
        if work.numbers:
            self._patch_numbers(place, work, call)
        if not self.compiled.device.host:
            return DeviceCall(call, block, task.name, keep)
        options: dict[str, Any] = {"name": task.name, "cost": call.cost, "keep": keep}
        return NativeCall(call.code.address, block, call.size, resumes=call.resumes, **options)

    def _patch_numbers(self, place: int, work: KernelWork, call: KernelCall) -> None:
        """Add patches for a run's numbers: a draw for all steps of an effect, and the mode."""
        at = len(call.head) + len(call.order) + len(call.words)
        end = at + len(call.scalars)
        if work.draws:
            self.effects[work.effect] = work
            for patch in self._draws.setdefault(work.effect, [[], [], []]):
                patch.append((place, at))
                at += 1
        if work.mode is None and at < end:
            self._modes.append((place, at))

    def _library_call(self, place: int, task: Task) -> LibraryCall:
        """Return the call of an array library's function on the device."""
        work: FunctionWork = task.work
        uses = [*((False, use) for use in work.inputs), *((True, use) for use in work.outputs)]
        layouts = [use.layout for _, use in uses]
        form = form_of(work.op, Library)
        assert form is not None, work.op  # checked when the task was created
        run = functools.partial(form.run, **work.attributes)
        return LibraryCall(run, layouts, self._placed(place, task, uses, 0), task.name)

    def _placed(self, place: int, task: Task, uses: Any, first: int) -> list[int]:
        """Return addresses of uses, for words from `first` on; patch those of a push's arrays."""
        addresses: list[int] = []
        for k, (written, use) in enumerate(uses, first):
            spot = self.compiled.used(task, written, use)
            addresses.append(self.homes.address(spot))
            if self.homes.loose(spot):
                self._patches.setdefault(spot, []).append((place, k))
        return addresses

    def _address_of(self, task: Task) -> Callable[[bool, Use, State], int]:
        homes, spot = self.homes, functools.cache(functools.partial(self.compiled.used, task))

        def address(written: bool, use: Use, state: State) -> int:
            return homes.address(spot(written, use), state.addresses)

        return address

    def _name(self, value: Value) -> Any:
        """Return the name that orders steps using a value: an array's variable, else the value."""
        value = self.compiled.home(value)
        slot = self.compiled.spot(value).slot
        return self._inside.get(value, value) if slot is None else self._slots[slot]


def _effort_of(compiled: Compiled, place: int) -> Effort:
    """Return the effort of one run of a task; its module is imported at the first profile."""
    from nbgraph.executor.effort import effort_of

    return effort_of(compiled, place)


def _in_order(effects: dict[Any, Any], compiled: Compiled) -> dict[Any, Any]:
    """Return effects in the order of the graph before all passes, so that all forms draw alike."""
    if len(effects) < 2:
        return effects
    tokens = [node.token for node in compiled.source.nodes if node.token is not None]
    place = {token: k for k, token in reversed(list(enumerate(tokens)))}
    return {key: effects[key] for key in sorted(effects, key=lambda key: place.get(key, -1))}


def _everything(values: list[Any]) -> Sequence[Any]:
    return values


def _chooser(places: Sequence[int], count: int) -> Callable[[list[Any]], Sequence[Any]]:
    """Return a function that selects the elements of a list at these places; it returns the list
    itself if they are all of its `count` elements in order."""
    if list(places) == list(range(count)):
        return _everything
    if len(places) < 2:
        return lambda values: [values[k] for k in places]
    return operator.itemgetter(*places)
