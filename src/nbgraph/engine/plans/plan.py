"""Plans: many steps pushed as one operation, run without Python between them.

A step is a kernel call or a Python function with the names that it reads and writes. Names that are
engine variables, or stand for one (`Outside`), are outside names: they order the plan as a whole,
like any push. All other names (strings, numbers, any hashable values) are local to the plan.
Conflicting steps keep the order of the list; others may run in parallel, and a long kernel may be
cut into chunks. An outside variable is released as soon as the last step that uses it has ended (in
a plan of some microseconds, with the plan); only the steps that use a *late* variable wait for it.

An instance holds the counters of a run. Two pushes of one instance run one after the other; two
instances of a plan run in parallel. Every push may bring its own variables, words for the records
of the kernels, and an object for the Python steps; see `Instance.push`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from nbgraph.engine.base import Engine
from nbgraph.engine.core.layout import LAST, SPARED, USE
from nbgraph.engine.native_call import NativeCall
from nbgraph.engine.plans.instance import Instance
from nbgraph.engine.variable import Variable
from nbgraph.errors import ArgumentError

if TYPE_CHECKING:
    from nbgraph.engine.profiling.effort import Effort

Place = tuple[int, int]  # a step, and a word of its record


class Outside:
    """A placeholder for a variable that every push of the plan supplies.

    >>> Outside("weights")
    <outside 'weights'>
    """

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"<outside {self.name!r}>"


class Step(NamedTuple):
    """One part of a plan.

    `run` is a NativeCall, or a function of a run context (`wants_state`: and of the run's state).
    `chunks`: the most parts it may be cut into; None decides by its cost, 1 forbids cutting.
    `overwrites`: it writes names that it does not read whole, so that their failures do not skip
    it. `effort`: a function that returns its Effort, for profiles. `pure`: it is a function that
    waits for nothing and writes its results whole, as a function of its reads alone: it may be
    restarted, and runs in the pusher where that is faster than waking up a thread.
    """

    run: NativeCall | Callable[..., Any]
    reads: tuple[Hashable, ...] = ()
    writes: tuple[Hashable, ...] = ()
    chunks: int | None = None
    name: str | None = None
    overwrites: bool = False
    wants_state: bool = False
    effort: Callable[[], Effort] | None = None
    pure: bool = False

    @property
    def label(self) -> str:
        """The name of the step in errors and profiles."""
        return self.name or getattr(self.run, "__name__", None) or "step"

    def clears(self, name: Hashable) -> bool:
        """Return whether it writes `name` whole, so that a failure there does not skip it."""
        return self.overwrites and name not in self.reads


class Plan:
    """Steps and their order, computed once.

    Parameters
    ----------
    steps : sequence of Step
        In an order that is correct for sequential execution.
    late : iterable of Variable or Outside
        Variables that the plan need not hold when it starts.
    name : str
        For errors and profiles.
    patches : sequence
        For each word that a push brings, the place to which it is written before the first step: a
        pair (step, word of its record), both counted from 0, or a list of such pairs. Every
        instance has its own records for these steps.

    >>> import nbgraph as ng
    >>> from nbgraph.engine.plans.plan import Outside, Plan, Step
    >>> result, log = Outside("result"), []
    >>> plan = Plan(
    ...     [
    ...         Step(lambda run_ctx: log.append("half"), writes=("half",)),
    ...         Step(lambda run_ctx: log.append("whole"), reads=("half",), writes=(result,)),
    ...     ]
    ... )
    >>> total = ng.engine.new_variable()
    >>> pushed = plan.push(variables={result: total})
    >>> ng.engine.wait_for_var(total)
    >>> log
    ['half', 'whole']
    """

    def __init__(
        self,
        steps: Sequence[Step],
        *,
        late: Iterable[Variable | Outside] = (),
        name: str = "plan",
        patches: Sequence[Place | Sequence[Place]] = (),
    ) -> None:
        self.name = name
        self.steps = tuple(steps)
        if not self.steps:
            raise ArgumentError(f"plan {name!r}: no steps; expected one or more")
        self.outside = self._outside()  # outside name -> whether it is written
        self.late = tuple(dict.fromkeys(late))
        for variable in self.late:
            if variable not in self.outside:
                raise ArgumentError(f"plan {name!r}: no step uses the late {variable!r}")
        self.patches = tuple(self._places(k, each) for k, each in enumerate(patches))
        index = {variable: k for k, variable in enumerate(self.outside)}
        self.predecessors, self.uses = _order(self.steps, index)
        self._first: Instance | None = None

    def _outside(self) -> dict[Variable | Outside, bool]:
        writes_of: dict[Variable | Outside, bool] = {}
        for place, step in enumerate(self.steps):
            if not isinstance(step, Step) or not callable(step.run):
                raise ArgumentError(
                    f"plan {self.name!r}: steps[{place}]={step!r}; expected a Step of a NativeCall "
                    "or a function"
                )
            for each in step.reads:
                if isinstance(each, (Variable, Outside)):
                    writes_of.setdefault(each, False)
            for each in step.writes:
                if isinstance(each, (Variable, Outside)):
                    writes_of[each] = True
        return writes_of

    def _places(self, number: int, listed: Place | Sequence[Place]) -> tuple[Place, ...]:
        """Return the places of patch `number` as a tuple of pairs, checked."""
        flat: Any = listed
        places: tuple[Place, ...] = (flat,) if isinstance(flat[0], int) else tuple(flat)
        for step, word in places:
            what = f"plan {self.name!r}: patches[{number}]=({step}, {word})"
            if not 0 <= step < len(self.steps):
                raise ArgumentError(f"{what}; expected a step from 0 to {len(self.steps) - 1}")
            run = self.steps[step].run
            size = len(run._words or ()) if isinstance(run, NativeCall) else 0
            if not 0 <= word < size:
                raise ArgumentError(
                    f"{what}: step {self.steps[step].label!r} has {size} words of its own; expected"
                    " one of a NativeCall that was given its record as words, not as an address"
                )
        return places

    def instance(self, engine: Engine | None = None) -> Instance:
        """Return a new instance of the plan on an engine (None: the active one)."""
        return Instance(self, engine)

    def push(self, priority: int = 0, variables: Any = None, **options: Any) -> Any:
        """Push the plan's first instance; see `Instance.push`."""
        if self._first is None:
            self._first = Instance(self, None)
        return self._first.push(priority, variables, **options)


def _order(
    steps: Sequence[Step], index: dict[Any, int]
) -> tuple[list[dict[int, bool]], list[list[int]]]:
    """Return for each step the earlier ones it depends on, with whether their failures skip it; and
    for each step its uses of outside variables, encoded for the core.

    Edges from the last writer and the readers since that suffice; they imply the others. A step
    gets the failure of an earlier step by the edge between them, not by the outside variable.
    """
    writer: dict[Hashable, int] = {}
    readers: dict[Hashable, list[int]] = {}
    waits: list[dict[int, bool]] = []
    uses: list[dict[int, int]] = []
    for place, step in enumerate(steps):
        reads, writes = step.reads, step.writes
        used: dict[int, int] = {}
        for each in (*reads, *writes):
            if each in index:
                used[index[each]] = SPARED if each in writer or step.clears(each) else 0
        before = {writer[each]: True for each in reads if each in writer}
        for each in writes:
            if each in writer:
                before[writer[each]] = before.get(writer[each], False) or not step.clears(each)
            for reader in readers.pop(each, ()):
                before.setdefault(reader, False)
        writer.update(dict.fromkeys(writes, place))
        for each in reads:
            if writer.get(each) != place:
                readers.setdefault(each, []).append(place)
        waits.append(before)
        uses.append(used)
    for each, k in index.items():
        if each in writer:
            uses[writer[each]][k] |= LAST
    return waits, [sorted(k << USE | bits for k, bits in used.items()) for used in uses]
