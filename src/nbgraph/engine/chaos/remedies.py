"""The search for the undeclared variable: candidates, each tried before it is reported."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from nbgraph.engine.chaos.execution_log import (
    FRESH,
    Addition,
    Additions,
    Declared,
    ExecutionLog,
    Label,
)
from nbgraph.engine.chaos.race import Remedy
from nbgraph.engine.chaos.schedule import Key

SEEDS = 50  # that have to pass with a remedy
_MOST = 12  # candidates that are tried
_NEW = (
    "nothing that either declares orders them: make a variable for what they share "
    "(ng.engine.new_variable()) and put it into mutate_vars of both, or into const_vars of one "
    "that only reads"
)


@dataclass(frozen=True, slots=True)
class Trials:
    """Runs with variables added: `count(additions, seeds, all_of_them)` counts failing seeds."""

    count: Callable[[Additions, int, bool], int]
    log: ExecutionLog
    changers: set[Key]  # those of the two that were observed to change an object that both reach

    def helps(self, additions: Additions) -> bool:
        """Return whether every seed passes."""
        return self.count(additions, SEEDS, False) == 0

    def line(self, key: Key) -> list[Key]:
        """Return the operations that the same line pushed, in push order."""
        operations = self.log.operations
        line = operations[key].line
        return sorted(k for k, declared in operations.items() if declared.line == line)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A remedy: `taker`, and all operations of its line, also declare `label` of `giver`."""

    giver: Key
    taker: Key
    label: Label
    write: bool

    def additions(self, trials: Trials) -> dict[Key, tuple[Addition, ...]]:
        """Return the variables to add, by operation.

        If line A pushes many operations with a variable each, and so does line B, the remedy of one
        pair applies to all pairs: each taker gets the variable at the same place of its giver.
        """
        givers, takers = trials.line(self.giver), trials.line(self.taker)
        if givers == takers:
            return {key: (Addition(self.label, self.write),) for key in takers}
        shift = givers.index(self.giver) - takers.index(self.taker)
        place = _names(trials.log.operations[self.giver]).index(self.label)
        by_key: dict[Key, tuple[Addition, ...]] = {}
        for number, key in enumerate(takers):
            label = self.label
            if 0 <= number + shift < len(givers):
                names = _names(trials.log.operations[givers[number + shift]])
                label = names[place] if place < len(names) else label
            by_key[key] = (Addition(label, self.write),)
        return by_key

    def agrees(self, trials: Trials) -> bool:
        """Return whether with it the operations in `changers` write the variable."""
        if self.label in trials.log.operations[self.giver].writes:
            return self.giver in trials.changers and self.write == (self.taker in trials.changers)
        return self.taker in trials.changers

    def remedy(self, log: ExecutionLog) -> Remedy:
        """Return the remedy with its text."""
        declared = log.operations[self.taker]
        argument = "mutate_vars" if self.write else "const_vars"
        variable = log.quoted(self.label)
        other = log.operations[self.giver]
        how = "writes" if self.label in other.writes else "reads"
        text = (
            f"{declared.name!r} does not declare {variable}, which {other.name!r} {how}: add it to "
            f"{argument} of the push at {declared.site}"
        )
        if self.label in declared.reads:
            text = (
                f"{declared.name!r} declares {variable} as read only; if it changes what that "
                f"stands for, move it to mutate_vars of the push at {declared.site}"
            )
        return Remedy(log.name_of(self.label), declared.name, declared.site, argument, text)


def remedies(trials: Trials, first: Key, second: Key) -> tuple[list[Remedy], str]:
    """Return remedies that keep `second`, pushed later, from overtaking `first`, and a note."""
    log = trials.log
    forth, back = (first, second), (second, first)
    # both declare a read, and one of them writes
    tiers = [_candidates(log, (back, forth), "both", (True,))]
    if trials.line(first) != trials.line(second):  # of one line, all are alike
        # one declares a write: the other may read or write as well
        written = _candidates(log, (forth, back), "writes", (False, True))
        # one declares a read: the other may write
        tiers = [written, *tiers, _candidates(log, (back, forth), "reads", (True,))]
    if trials.changers:
        tiers = [*([c for c in tier if c.agrees(trials)] for tier in tiers), *tiers]
    for tier in tiers:
        helping = [c for c in tier[:_MOST] if trials.helps(c.additions(trials))]
        # where declaring a read helps, a write need not be reported
        reading = {(c.giver, c.taker, c.label) for c in helping if not c.write}
        helping = [c for c in helping if not c.write or (c.giver, c.taker, c.label) not in reading]
        if helping:
            return [candidate.remedy(log) for candidate in helping], ""
    pair = {key: (Addition(FRESH, True),) for each in (first, second) for key in trials.line(each)}
    new = Remedy(None, log.operations[second].name, log.operations[second].site, "", _NEW)
    if trials.helps(pair):
        return [new], ""
    every = list(dict.fromkeys(candidate for tier in tiers for candidate in tier))
    return _what_helps_most(trials, every[:_MOST], pair, new)


def _what_helps_most(
    trials: Trials, candidates: list[Candidate], pair: Additions, new: Remedy
) -> tuple[list[Remedy], str]:
    """Return the remedies with the fewest failing seeds, and a note: there are several races."""
    fewest, best = trials.count(pair, SEEDS, True), [new]
    for candidate in candidates:
        failing = trials.count(candidate.additions(trials), SEEDS, True)
        if failing < fewest or (failing == fewest and best == [new]):
            fewest, best = failing, []
        if failing == fewest:
            best.append(candidate.remedy(trials.log))
    note = (
        f"there is more than this race: with this remedy {fewest} of {SEEDS} seeds still fail. "
        "Call find_race again then"
    )
    return best, note


def _names(declared: Declared) -> tuple[Label, ...]:
    return (*declared.writes, *declared.reads)


def _candidates(
    log: ExecutionLog, pairs: Sequence[tuple[Key, Key]], direction: str, writes: Sequence[bool]
) -> list[Candidate]:
    """Return candidates for the giver's "reads" or "writes" that the taker does not declare, or
    ("both") for variables that both read. `writes`: whether the taker should write them."""
    candidates: list[Candidate] = []
    for giver, taker in pairs:
        has, takes = log.operations[giver], log.operations[taker]
        if direction == "both":
            labels = [label for label in takes.reads if label in has.reads]
        else:
            labels = [label for label in getattr(has, direction) if label not in _names(takes)]
        candidates += [Candidate(giver, taker, label, w) for label in labels for w in writes]
    return candidates
