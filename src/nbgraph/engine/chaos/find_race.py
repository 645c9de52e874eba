"""`find_race`: the smallest seed under which a program fails, narrowed down to two operations.

1. The naive engine computes the correct result.
2. The chaos engine runs the program under seed after seed until a result differs.
3. A path of schedules leads from the schedule of that seed to push order; each swaps two neighbours
   of the previous one, as in a bubble sort. Bisection finds, in few runs, a swap on it that turns a
   wrong result into the correct one: its two neighbours are the race. The pushes and waits of the
   program itself are part of the path, as an operation may race with the program that pushed it.
4. A variable that one of the two declares is added to the other, and seeds are tried again. Only a
   remedy that helps under all of them is reported.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from nbgraph.engine import checks
from nbgraph.engine.base import Engine
from nbgraph.engine.chaos.compare import Shared, copied, difference, shared
from nbgraph.engine.chaos.engine import ChaosEngine
from nbgraph.engine.chaos.execution_log import Additions, ExecutionLog, Path
from nbgraph.engine.chaos.race import Party, Race, Remedy
from nbgraph.engine.chaos.remedies import Trials, remedies
from nbgraph.engine.chaos.schedule import Chance, Chooser, Forced, Key, Turn
from nbgraph.engine.naive import NaiveEngine
from nbgraph.engine.selection import current, set_aside
from nbgraph.errors import ArgumentError, EngineError

LIMIT = 10.0  # seconds that a run's work is waited for
_NOT_ALWAYS = (
    "the same schedule does not fail each time: something else has a say, such as threads, timers "
    "or the clock"
)
_IN_ORDER = (
    "it fails on the chaos engine even when operations run in push order: a function may depend on "
    "the thread it runs on, or on running at once when another function pushes it"
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a run: a value, or an exception."""

    value: Any
    error: BaseException | None

    def differs(self, other: Outcome) -> str | None:
        """Describe how the other outcome differs, or return None; errors are compared by type."""
        if self.error is None and other.error is None:
            return difference(self.value, other.value, "the result")
        if type(self.error) is type(other.error):
            return None
        return f"{other._shown_outcome()} instead of {self._shown_outcome()}"

    def _shown_outcome(self) -> str:
        if self.error is None:
            return "a result"
        text = str(self.error).strip().partition("\n")[0]
        return f"{type(self.error).__name__}({text})"


@dataclass(frozen=True, slots=True)
class Run:
    """A run under chaos: its difference from the correct result, its schedule and its log."""

    wrong: str | None
    schedule: tuple[Turn, ...]
    log: ExecutionLog


def find_race(fn: Callable[[], Any], runs: int = 200) -> Race | None:
    """See `nbgraph.engine.find_race`."""
    if not callable(fn):
        raise ArgumentError(f"find_race: fn={fn!r} is not callable; expected a function")
    count = checks.whole(runs, "runs", "find_race")
    if count < 1:
        raise EngineError(f"find_race: runs={count}; expected 1 or more")
    with set_aside("find_race") as use:
        right = _reference(fn, use(NaiveEngine))
        hunt = _Hunt(fn, right, partial(use, ChaosEngine))
        for seed in range(count):
            run = hunt.run(Chance(seed))
            if run.wrong is not None:
                return hunt.explain(seed, run)
    return None


def _reference(fn: Callable[[], Any], engine: Engine) -> Outcome:
    """Return the outcome on the naive engine; raise EngineError if a second call differs."""
    outcomes: list[Outcome] = []
    for _ in range(2):
        outcome = _outcome(fn, engine)
        # a later run may change the value
        outcomes.append(Outcome(copied(outcome.value), outcome.error))
    differing = outcomes[0].differs(outcomes[1])
    if differing is not None:
        raise EngineError(
            f"find_race: two calls of {checks.label(fn, None, 'find_race')!r} on the naive engine "
            f"give different results ({differing}); no race can be told from that. Make each call "
            "begin afresh, and seed what is random"
        )
    return outcomes[0]


def _outcome(fn: Callable[[], Any], engine: Engine, log: ExecutionLog | None = None) -> Outcome:
    """Call `fn`, wait for its operations, and leave no failures behind for the next call."""
    value = error = None
    try:
        value = fn()
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as raised:  # a test framework's failures are not Exceptions
        error = raised
    if current() is not engine:
        raise EngineError("find_race: fn chooses another engine; leave that to find_race")
    if isinstance(engine, ChaosEngine):
        assert log is not None
        log.ended = len(log.steps)
    try:
        engine.wait_for_all(LIMIT)
    except Exception as raised:
        error = error or raised
    engine._claim_all()
    return Outcome(value, error)


class _Hunt:
    """Runs of one function on one chaos engine, compared with the correct outcome."""

    def __init__(
        self, fn: Callable[[], Any], right: Outcome, fresh_engine: Callable[[], Engine]
    ) -> None:
        self._fn, self._right, self._fresh_engine = fn, right, fresh_engine
        self._engine: Engine | None = None

    def run(
        self, chooser: Chooser, additions: Additions | None = None, watch: Collection[Key] = ()
    ) -> Run:
        """Run the function once."""
        engine = self._engine
        if engine is None or engine.stats().pending:  # unfinished work would disturb the run
            engine = self._engine = self._fresh_engine()
        assert isinstance(engine, ChaosEngine)
        engine._begin_again(chooser)
        engine.log = None
        log = engine.log = ExecutionLog(additions or {}, engine.new_variable(), watch)
        try:
            outcome = _outcome(self._fn, engine, log)
        finally:
            engine.log = None
        return Run(self._right.differs(outcome), engine.schedule, log)

    def explain(self, seed: int, failing: Run) -> Race:
        """Return the race behind a failing run."""
        path = Path(failing.schedule, failing.log)
        steps = len(path)
        wrong = self.run(Forced(path.schedule(0)))
        if wrong.wrong is None:
            return self._race(seed, failing, note=_NOT_ALWAYS)
        if self.run(Forced(path.schedule(steps))).wrong is not None:
            return self._race(seed, wrong, note=_IN_ORDER)
        low, high = 0, steps  # wrong, right
        while high - low > 1:
            middle = (low + high) // 2
            run = self.run(Forced(path.schedule(middle)))
            if run.wrong is None:
                high = middle
            else:
                low, wrong = middle, run
        passed, moved = path.swapped(low)
        schedule = path.schedule(low)
        if isinstance(passed, int):
            return self._race_with_program(seed, wrong, schedule, moved, passed)
        things = self._shared(path.schedule(high), moved, passed)
        changers = {moved} if any(each.by_first for each in things) else set[Key]()
        changers |= {passed} if any(each.by_second for each in things) else set[Key]()
        trials = Trials(self._wrong_seeds(seed), wrong.log, changers)
        fixes, note = remedies(trials, moved, passed)
        race = self._race(seed, wrong, (moved, passed), schedule, tuple(fixes), note)
        return replace(race, shared=things)

    def _shared(self, schedule: tuple[Turn, ...], first: Key, second: Key) -> tuple[Shared, ...]:
        """Return the objects that two functions share, and which one changes them, from a run that
        gives the correct result."""
        watched = self.run(Forced(schedule), watch=(first, second)).log.watched
        if first in watched and second in watched:
            return shared(watched[first], watched[second])
        return ()

    def _wrong_seeds(self, seed: int) -> Callable[[Additions, int, bool], int]:
        """Return a function that counts the seeds that fail with additional variables."""

        def count(additions: Additions, seeds: int, all_of_them: bool) -> int:
            wrong = 0
            for each in dict.fromkeys((seed, *range(seeds))):
                wrong += self.run(Chance(each), additions).wrong is not None
                if wrong and not all_of_them:
                    break
            return wrong

        return count

    def _race_with_program(
        self, seed: int, wrong: Run, schedule: tuple[Turn, ...], key: Key, at: int
    ) -> Race:
        log = wrong.log
        declared = log.operations[key]
        names = (*declared.writes, *declared.reads)
        how = f"wait_for_var of {log.quoted(names[0])}" if names else "the result() of its push"
        text = f"between these lines, first wait for what {declared.name!r} does: {how}"
        variable = log.name_of(names[0]) if names else None
        remedy = Remedy(variable, declared.name, declared.site, "", text)
        between = log.step_site(at - 1), log.step_site(at)
        return self._race(seed, wrong, (key,), schedule, (remedy,), "", between)

    def _race(
        self,
        seed: int,
        run: Run,
        keys: tuple[Key, ...] = (),
        schedule: tuple[Turn, ...] | None = None,
        fixes: tuple[Remedy, ...] = (),
        note: str = "",
        between: Any = None,
    ) -> Race:
        return Race(
            seed=seed,
            operations=tuple(_party(run.log, key) for key in keys),
            between=between,
            difference=str(run.wrong),
            remedies=fixes,
            note=note,
            schedule=run.schedule if schedule is None else schedule,
            _again=partial(_replay, self._fn),
        )


def _party(log: ExecutionLog, key: Key) -> Party:
    declared = log.operations[key]
    return Party(
        declared.name,
        ".".join(map(str, key)),
        declared.site,
        tuple(map(log.name_of, declared.reads)),
        tuple(map(log.name_of, declared.writes)),
    )


def _replay(fn: Callable[[], Any], schedule: tuple[Turn, ...]) -> Any:
    with set_aside("replay") as use:
        engine = use(partial(ChaosEngine, schedule=schedule))
        value = fn()
        engine.wait_for_all(LIMIT)
        return value
