"""No two threads use a word at once without atomics, but for a few that may."""

from nbgraph.engine.core import plans
from tests.engine.core.explore import randomly
from tests.engine.core.programs import PROGRAMS
from tests.engine.core.races import Races
from tests.engine.core.random_programs import random_program

# Words of 64 bits are read and written whole: a reader sees an old or a new value. Why both do:
HARMLESS = {
    # whether held pushers may go on is looked at again under the lock
    frozenset(("below_brake", other))
    for other in ("admit_locked", "enter", "over_brake", "settle_locked")
} | {
    # the number of a free block is 0, and writing 0 there again is seen by nobody
    *(
        frozenset((reader, writer))
        for reader in ("is_done", "reached", "wait_for")
        for writer in (
            "clear_operation",
            "push",
        )
    ),
    # a push beside a wait for everything: before it or after it
    frozenset(("enter", "reached")),
    # variables given up just now are deleted at the next push
    *(frozenset(("give_up", pusher)) for pusher in ("submit", "push", "new_variable")),
    # two helpers both note that there was one
    frozenset(("visit",)),
}


def test_words_are_used_in_order(monkeypatch, full):
    monkeypatch.setattr(plans, "PATIENCE_SPINS", 3)
    races = Races()
    programs = [*PROGRAMS.values(), *(random_program(seed) for seed in range(60 if full else 20))]
    with races.at_work():
        for program in programs:
            watched = lambda s, p=program: (races.begin(s), p(s))[1]
            randomly(watched, 1, 4, alarms=program.alarms)
    pairs = {frozenset(place.partition(":")[0] for place in pair) for pair in races.found}
    unexpected = sorted(map(sorted, pairs - HARMLESS))
    assert not unexpected
